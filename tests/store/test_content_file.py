"""Content files: bytes assembled by hand from the documents' example, and what must not break a reader."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind
from tebunko.model.place import PlaceKind, page, part, sheet, slide
from tebunko.model.unit import Unit, make_unit
from tebunko.store import content
from tebunko.store.content import (
    HEADER,
    NOT_CONTENT,
    OTHER_VERSION,
    TOO_LARGE,
    ContentError,
    build_block,
    decode_part,
    decode_value,
    encode_value,
    list_parts,
    parse_part_name,
    parse_places,
    part_name,
    read_part,
    read_text,
    split_blocks,
)

EXCEL, WORD, POWERPOINT, TEXT = FileKind.EXCEL, FileKind.WORD, FileKind.POWERPOINT, FileKind.TEXT


def utf16(text: str) -> bytes:
    """UTF-16LE of text with ␞ for RS and → for TAB, as the documents print it."""
    return text.replace("␞", "\x1e").replace("→", "\t").encode("utf-16-le")


# BOM, then RS, blank, 版 (U+7248), =, 2, LF
GOLDEN_HEADER = bytes.fromhex("fffe1e00200048723d0032000a00")

GOLDEN_FIRST = (
    # RS, blank, ファイル名 (U+30D5 U+30A1 U+30A4 U+30EB U+540D), =
    bytes.fromhex("1e00 2000 d530 a130 a430 eb30 0d54 3d00")
    + utf16("(株)山田商事_見積書.xlsx\n")
    # RS, blank, 種類 (U+7A2E U+985E), =, Excel, LF
    + bytes.fromhex("1e00 2000 2e7a 5e98 3d00 4500 7800 6300 6500 6c00 0a00")
    + utf16("␞ シート=見積\n␞ 対象=本文\n")
    # 品名 TAB 数量 TAB 単価 LF
    + bytes.fromhex("c154 0d54 0900 7065 cf91 0900 5853 a14f 0a00")
    + utf16("りんご→10→100\n")
    + utf16("␞ シート=見積\n␞ 対象=図形\nB2→確定版\n")
)
GOLDEN_SECOND = utf16("␞ ファイル名=(株)山田商事_請求書.xlsx\n␞ 種類=Excel\n␞ シート=請求\n␞ 対象=本文\n品名→金額\n")
GOLDEN = GOLDEN_HEADER + GOLDEN_FIRST + GOLDEN_SECOND


def test_the_documents_example_is_written_byte_for_byte() -> None:
    first = build_block(
        "(株)山田商事_見積書.xlsx",
        EXCEL,
        # The order is that of the TSV file names, whatever order they come in.
        [
            Unit(sheet("見積", PlaceKind.SHAPE), ["B2\t確定版"]),
            Unit(sheet("見積"), ["品名\t数量\t単価", "りんご\t10\t100"]),
        ],
    )
    second = build_block("(株)山田商事_請求書.xlsx", EXCEL, [Unit(sheet("請求"), ["品名\t金額"])])
    assert (HEADER, first, second) == (GOLDEN_HEADER, GOLDEN_FIRST, GOLDEN_SECOND)


def test_the_documents_example_is_read(tmp_path: Path) -> None:
    path = tmp_path / "content_index.xlsx.001.tsv"
    path.write_bytes(GOLDEN)
    text = read_text(path)
    assert [(p.source, p.kind, p.place.name, text[p.start : p.end]) for p in parse_places(text)] == [
        ("(株)山田商事_見積書.xlsx", EXCEL, "見積", "品名\t数量\t単価\nりんご\t10\t100\n"),
        ("(株)山田商事_見積書.xlsx", EXCEL, "見積[図形]", "B2\t確定版\n"),
        ("(株)山田商事_請求書.xlsx", EXCEL, "請求", "品名\t金額\n"),
    ]
    middle = len(GOLDEN_HEADER) + len(GOLDEN_FIRST)
    assert [tuple(b) for b in split_blocks(read_part(path))] == [
        ("(株)山田商事_見積書.xlsx", len(GOLDEN_HEADER), middle),
        ("(株)山田商事_請求書.xlsx", middle, len(GOLDEN)),
    ]


def test_every_meta_line_in_its_order() -> None:
    units = [
        Unit(slide(2, PlaceKind.EMBEDDED, hidden=True, embed=3), ["x"]),
        Unit(slide(2, hidden=True), ["x"]),
        Unit(slide(2, PlaceKind.NOTES, hidden=True), ["x"]),
        Unit(part("ヘッダー・フッター"), ["x"]),
    ]
    assert build_block("a.pptx", POWERPOINT, units) == utf16(
        "␞ ファイル名=a.pptx\n␞ 種類=PowerPoint\n"
        "␞ 部分=ヘッダー・フッター\n␞ 対象=本文\nx\n"
        "␞ スライド=2\n␞ 対象=本文\n␞ 非表示=はい\nx\n"
        "␞ スライド=2\n␞ 対象=埋め込み\n␞ 非表示=はい\n␞ 埋め込み=3\nx\n"
        "␞ スライド=2\n␞ 対象=ノート\nx\n"
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("100%", "100%25"),
        ("a\nb\rc", "a%0Ab%0Dc"),
        ("\x00\x1e\x1f", "%00%1E%1F"),
        ("a\tb", "a\tb"),
        ("a=b", "a=b"),
        ("\x7f\x85\u2028", "\x7f\x85\u2028"),
        ("%41", "%2541"),
        ("", ""),
    ],
)
def test_values_of_meta_lines(value: str, written: str) -> None:
    assert encode_value(value) == written
    assert decode_value(written) == value


@given(st.text())
def test_any_value_comes_back(value: str) -> None:
    written = encode_value(value)
    assert decode_value(written) == value and not set(written) & set("\n\r\x1e")


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("content_index.xlsx.001.tsv", ("xlsx", 1)),
        ("content_index.xlsx.1000.tsv", ("xlsx", 1000)),
        ("content_index.c.999.tsv", ("c", 999)),
        ("content_index.XLSX.001.tsv", None),
        ("content_index.xlsx.1.tsv", None),
        ("content_index.xlsx.0001.tsv", None),
        ("content_index.xlsx.００１.tsv", None),
        ("content_index.xlsx.99999999999.tsv", None),  # 桁あふれ
        ("content_index.xlsx.001.tsv.tmp", None),
        ("content_index.xlsx.001.tsv.broken", None),
        ("content_index..001.tsv", None),
        ("content_index.xlsx.001.tsv\n", None),
        ("content_index.tsv", None),
        ("xcontent_index.xlsx.001.tsv", None),
    ],
)
def test_names_of_content_files(name: str, parsed: tuple[str, int] | None) -> None:
    assert parse_part_name(name) == parsed
    assert parsed is None or part_name(*parsed) == name


def test_the_content_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("content_index.xlsx.010.tsv", "content_index.docx.001.tsv", "content_index.xlsx.002.tsv", "a.tsv"):
        (tmp_path / name).write_bytes(b"12")
    (tmp_path / "content_index.xlsx.003.tsv").mkdir()
    parts = list_parts(tmp_path)
    assert [(p.extension, p.number, p.size) for p in parts] == [("docx", 1, 2), ("xlsx", 2, 2), ("xlsx", 10, 2)]
    assert list_parts(tmp_path / "nowhere") == [] == list_parts(tmp_path / "a.tsv")


def block_of(*lines: str) -> bytes:
    unit = make_unit(part("本文"), lines)
    assert unit is not None
    return build_block("a.txt", TEXT, [unit])


# U+0A00, U+1E00 and their like hold the bytes of LF and RS out of step; so do these two halves of a file line.
OUT_OF_STEP = "਀Ḁ਀Ḁ " + ("\n␞ ファイル名=".replace("␞", "\x1e").encode("utf-16-le") + b"\x00").rjust(
    18, b"\x41"
).decode("utf-16-le", "replace")


def test_bytes_out_of_step_are_no_marks() -> None:
    mark = "\n\x1e ファイル名=".encode("utf-16-le")
    shifted = (b"\x41" + mark + b"\x30").decode("utf-16-le")  # the whole mark, one byte off
    assert mark in shifted.encode("utf-16-le")
    data = HEADER + block_of(shifted + "x", OUT_OF_STEP, "਀Ḁ") + block_of("b")
    assert [b.name for b in split_blocks(data)] == ["a.txt", "a.txt"]
    assert split_blocks(data)[1].start == len(HEADER) + len(block_of(shifted + "x", OUT_OF_STEP, "਀Ḁ"))
    assert len(parse_places(decode_part(data))) == 2


def test_content_that_looks_like_meta_lines() -> None:
    data = HEADER + block_of(
        "␞ ファイル名=b.txt", " ファイル名=b.txt", "版=3", "\x1e ファイル名=c.txt", "a\x1e シート=x"
    )
    text = decode_part(data)
    (place,) = parse_places(text)
    assert text[place.start : place.end].split("\n")[3:5] == [" ファイル名=c.txt", "a シート=x"]
    assert [b.name for b in split_blocks(data)] == ["a.txt"]


def test_a_foreign_rs_within_a_line_is_no_meta_line() -> None:
    text = decode_part(GOLDEN_HEADER + utf16("␞ ファイル名=a.txt\n␞ 部分=本文\nx␞ シート=y\nz\n"))
    (place,) = parse_places(text)
    assert text[place.start : place.end] == "x\x1e シート=y\nz\n"


def test_what_other_versions_write_is_passed_over() -> None:
    text = decode_part(
        GOLDEN_HEADER
        + utf16(
            "␞ 作成=2030\n␞ ファイル名=a.xlsx\n␞ 新しい鍵=1\n␞ 種類=新種\n␞ シート=S\n␞ 色=赤\n␞ 対象=本文\n␞ 印\n1\n2\n"
            "␞ ファイル名=b.docx\n␞ ページ=2\n1\n␞ 途中=1\n2\n␞ シート\n3\n␞ ページ=3\n"
        )
    )
    found = [(p.source, p.kind, p.place.name, text[p.start : p.end]) for p in parse_places(text)]
    assert found == [
        ("a.xlsx", EXCEL, "S", "1\n2\n"),
        # meta lines between content lines: no text is lost
        ("b.docx", WORD, "ページ002", "1\n"),
        ("b.docx", WORD, "ページ002", "2\n"),
        ("b.docx", WORD, "ページ002", "3\n"),
        ("b.docx", WORD, "ページ003", ""),
    ]


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "content_index.xlsx.001.tsv"
    path.write_bytes(b"\xff\xfe" + GOLDEN[2:].decode("utf-16-le").replace("\n", "\r\n").encode("utf-16-le"))
    text = read_text(path)
    places = parse_places(text)
    assert [p.place.name for p in places] == ["見積", "見積[図形]", "請求"]
    assert [b.name for b in split_blocks(read_part(path))] == [places[0].source, places[2].source]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", NOT_CONTENT),
        (b"\xff\xfe", NOT_CONTENT),
        (GOLDEN[2:], NOT_CONTENT),
        (GOLDEN.decode("utf-16").encode("utf-8"), NOT_CONTENT),
        (b"\xff\xfe" + utf16("␞ 版=1\n"), OTHER_VERSION),
        (b"\xff\xfe" + utf16("␞ 版=3\r\n"), OTHER_VERSION),
        (b"\xff\xfe" + utf16("␞ 版=20\n"), OTHER_VERSION),
        (b"\xff\xfe" + utf16("␞ ファイル名=a.txt\n␞ 版=2\n"), NOT_CONTENT),
        (b"\xff\xfe" + utf16("品名\n"), NOT_CONTENT),
        (b"\xfe\xff" + GOLDEN[2:], NOT_CONTENT),
    ],
)
def test_files_that_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ContentError) as caught:
        read_part(tmp_path / "f")
    assert caught.value.reason == reason


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 12])
def test_a_file_cut_off_within_a_line_is_read_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    (tmp_path / "f").write_bytes(GOLDEN[:-cut])
    data = read_part(tmp_path / "f")
    assert len(split_blocks(data)) == 2 and len(parse_places(decode_part(data))) == 3


def test_a_file_cut_off_within_a_pair_of_surrogates() -> None:
    assert decode_part(GOLDEN_HEADER + utf16("␞ ファイル名=a\n␞ 部分=本文\n𠮟")[:-2])[-1] == "\ufffd"


def test_a_file_line_without_an_end_is_refused() -> None:
    with pytest.raises(ContentError):
        split_blocks(GOLDEN_HEADER + utf16("␞ ファイル名=a.txt"))


def test_nothing_larger_than_64_mb_is_read(tmp_path: Path) -> None:
    path = tmp_path / "content_index.txt.001.tsv"
    with path.open("wb") as writer:
        writer.write(GOLDEN)
        writer.truncate(64 * 1024 * 1024)
    assert len(read_part(path)) == 64 * 1024 * 1024
    with path.open("r+b") as writer:
        writer.truncate(64 * 1024 * 1024 + 2)
    with pytest.raises(ContentError, match="64 MB") as caught:
        read_part(path)
    assert caught.value.reason == TOO_LARGE


def test_no_block_is_larger_than_a_content_file_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = block_of("a" * 100)
    monkeypatch.setattr(content, "LARGEST_BYTES", len(HEADER) + len(fits))
    assert block_of("a" * 100) == fits
    with pytest.raises(ExtractError) as caught:
        block_of("a" * 101)
    assert caught.value.reason is Reason.TOO_LARGE


def test_names_with_half_a_surrogate_pair() -> None:
    unit = Unit(sheet("a\udc00"), ["x"])
    data = HEADER + build_block("\ud800.xlsx", EXCEL, [unit])
    assert split_blocks(data)[0].name == "\ud800.xlsx"
    assert parse_places(decode_part(data))[0].source == "\ufffd.xlsx"


LINES = st.lists(st.text(st.characters() | st.sampled_from("\x1e\n\t਀Ḁ =版")), min_size=1, max_size=5)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)


@given(st.lists(st.tuples(NAMES, st.dictionaries(NAMES, LINES, max_size=3)), max_size=4))
def test_blocks_and_places_come_back(files: list[tuple[str, dict[str, list[str]]]]) -> None:
    blocks, expected = [], []
    for name, sheets in files:
        units = [u for title, lines in sheets.items() if (u := make_unit(part(title), lines))]
        blocks.append(build_block(name, WORD, units))
        expected.append((name, {u.place.name: u.lines for u in units}))
    data = HEADER + b"".join(blocks)
    found = split_blocks(data)
    assert [(b.name, data[b.start : b.end]) for b in found] == list(zip([n for n, _ in files], blocks, strict=True))
    text = decode_part(data)
    rest = parse_places(text)
    for name, sheets in expected:
        here, rest = rest[: len(sheets)], rest[len(sheets) :]
        assert {p.place.name: text[p.start : p.end].split("\n")[:-1] for p in here} == sheets
        assert {p.source for p in here} <= {name}
    assert rest == []


@given(st.binary(max_size=200) | st.text("\x1e 版=2\nファイル名シート部分対象ページ埋め込み0a", max_size=80).map(utf16))
def test_nothing_breaks_the_readers(tail: bytes) -> None:
    data = HEADER + tail[: len(tail) & ~1]
    for place in parse_places(decode_part(data)):
        assert 0 <= place.start <= place.end
    try:
        blocks = split_blocks(data)
    except ContentError:
        return
    assert all(a.end == b.start for a, b in itertools.pairwise(blocks))


def test_a_page_is_named_by_its_number_alone() -> None:
    assert build_block("a.docx", WORD, [Unit(page(12), ["x"])]).decode("utf-16-le").split("\n")[2] == "\x1e ページ=12"
