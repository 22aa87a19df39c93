r"""``ingest_status.tsv``: what the other program writes is read, what we write stands byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import UserError
from tebunko.model.states import FileState
from tebunko.store.ingest_list import IngestList, ListWriter, Row, format_row, parse_list, parse_row, read_list

BOM = b"\xef\xbb\xbf"
HEAD = "相対パス\t更新日時\tサイズ\t状態\tTSV数\t取り込み日時\tエラー\t抽出版"

PASSWORD = "読み取りパスワードが設定されているため開けません（パスワード付きのファイルは取り込めません）"

# The documents' example, with the columns that it leaves blank.
EXAMPLE = [
    "クロール対象フォルダ\tC:\\data\\営業\t営業",
    "クロール対象フォルダ\tD:\\old\\2019年度\t2019年度",
    HEAD,
    "営業\\2024\\見積\\A社.xlsx\t2025/01/10 12:34:56\t10420\t済\t3\t2026/09/19 10:00:35\t\t2",
    "営業\\空ブック.xlsx\t2025/01/10 12:34:56\t8578\t済\t0\t2026/09/19 10:00:35\t\t2",
    f"営業\\秘密.xlsx\t2025/01/10 12:34:56\t15360\t失敗\t\t2026/09/19 10:00:40\t{PASSWORD}\t",
    "2019年度\\新規.docx\t2026/09/18 09:00:00\t20480\t未取り込み\t\t\t\t",
]
ROWS = [
    Row("営業\\2024\\見積\\A社.xlsx", "2025/01/10 12:34:56", 10420, FileState.DONE, 3, "2026/09/19 10:00:35", "", 2),
    Row("営業\\空ブック.xlsx", "2025/01/10 12:34:56", 8578, FileState.DONE, 0, "2026/09/19 10:00:35", "", 2),
    Row(
        "営業\\秘密.xlsx",
        "2025/01/10 12:34:56",
        15360,
        FileState.FAILED,
        None,
        "2026/09/19 10:00:40",
        PASSWORD,
        1,
    ),
    Row("2019年度\\新規.docx", "2026/09/18 09:00:00", 20480, FileState.PENDING),
]


def as_bytes(*lines: str, end: str = "\r\n", bom: bytes = BOM) -> bytes:
    return bom + "".join(line + end for line in lines).encode()


def row(path: str, state: str = "済", error: str = "", size: str = "1") -> str:
    return f"{path}\t2025/01/10 12:34:56\t{size}\t{state}\t1\t2026/09/19 10:00:35\t{error}\t4"


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("bom", [BOM, b""])
def test_the_documents_example_is_read(end: str, bom: bytes) -> None:
    found = parse_list(as_bytes(*EXAMPLE, end=end, bom=bom))
    assert found.folders == [("C:\\data\\営業", "営業"), ("D:\\old\\2019年度", "2019年度")]
    assert list(found.rows()) == ROWS
    assert (len(found), found.row_count, found.rejected, found.legacy_folders) == (4, 4, 0, [])


def test_it_is_written_byte_for_byte(tmp_path: Path) -> None:
    whole = IngestList(folders=[("C:\\data\\営業", "営業"), ("D:\\old\\2019年度", "2019年度")])
    for r in ROWS:
        whole.put(r)
    ListWriter(tmp_path / "list.tsv").rewrite(whole)
    # 抽出版 also on 失敗 rows (facts.md, States); otherwise the example.
    expected = [line + "1" if "失敗" in line else line for line in EXAMPLE]
    assert (tmp_path / "list.tsv").read_bytes() == as_bytes(*expected)


def test_postponed_is_not_pending() -> None:
    pending, postponed = parse_row(row("a\\b", "未取り込み")), parse_row(row("a\\b", "未取り込み", "使用中"))
    assert not pending.postponed and postponed.postponed and not parse_row(row("a\\b", "失敗", "壊")).postponed
    assert pending.has_old_text and not ROWS[3].has_old_text and not ROWS[0].has_old_text


def test_the_later_row_of_a_path_wins_whatever_its_case() -> None:
    found = parse_list(as_bytes(HEAD, row("営業\\A.xlsx"), row("営業\\b.xlsx"), row("営業\\a.XLSX", "失敗", "壊")))
    assert [(r.path, r.state.value) for r in found.rows()] == [("営業\\a.XLSX", "失敗"), ("営業\\b.xlsx", "済")]
    assert found.row_count == 3 and len(found) == 2
    assert "営業\\A.XLSX" in found and found.get("営業\\a.xlsx") == found.get("営業\\A.xlsx")
    assert found.get("営業\\c.xlsx") is None


GOOD = row("営業\\良.txt")


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        (row("..\\a.txt"), 1),
        (row("営業\\..\\a.txt"), 1),
        (row("営業\\.\\a.txt"), 1),
        (row("営業\\\\a.txt"), 1),
        (row("営業\\"), 1),
        (row("営業\\.. \\a.txt"), 1),
        (row("営業\\...\\a.txt"), 1),
        (row("営業"), 1),
        (row(""), 1),
        (row("\\a.txt"), 1),
        (row("C:\\a.txt"), 1),
        (row("営業\\a/b.txt"), 1),
        (row("営業\\a?.txt"), 1),
        (row("営業\\a:b.txt"), 1),
        (row("営業\\a\x01.txt"), 1),
        (row("名前.\\a.txt"), 1),
        (row(" 名前\\a.txt"), 1),
        (row("a" * 256 + "\\a.txt"), 1),
        ("営業\\a.txt\t2025/01/10 12:34:56\t1\t済\t1\t2026/09/19 10:00:35\t", 0),  # a column short
        (row("営業\\a.txt") + "\tx", 0),  # one too many
        (row("営業\\a.txt", "読了"), 0),  # a state nobody knows
        (row("営業\\a.txt", size="x"), 0),
        ("", 0),
        ("クロール対象フォルダ\tC:\\x\t後から", 0),  # folder rows end with the header
        ("\x00" * 50, 0),
    ],
    ids=lambda v: repr(v)[:24],
)
def test_rows_that_are_dropped(line: str, rejected: int) -> None:
    found = parse_list(as_bytes(HEAD, GOOD, line, row("営業\\次.txt")))
    assert [r.path for r in found.rows()] == ["営業\\良.txt", "営業\\次.txt"]
    assert (found.rejected, found.row_count) == (rejected, 2)


@pytest.mark.parametrize("path", ["aux.backup\\a.txt", "営業\\..a.txt", "営業\\a.\\b", "営業\\~$a %2F.txt", "営業\\ a"])
def test_rows_that_stay(path: str) -> None:
    found = parse_list(as_bytes(HEAD, row(path)))
    assert [r.path for r in found.rows()] == [path] and found.rejected == 0


def test_folder_rows_of_bad_names() -> None:
    lines = [
        f"クロール対象フォルダ\tC:\\{n}\t{name}" for n, name in enumerate(["営業", "古い名前.", "..", "a/b", "aux"])
    ]
    data = as_bytes(*lines, "クロール対象フォルダ\t短い", HEAD, GOOD)
    found = parse_list(data)
    assert found.folders == [("C:\\0", "営業"), ("C:\\4", "aux")]
    assert found.legacy_folders == [("C:\\1", "古い名前.")] and found.rejected == 2
    # Until somebody removes it, the folder of a legacy name is asked about again and again.
    assert parse_list(found.to_bytes()).legacy_folders == found.legacy_folders
    found.remove_index("古い名前.")
    assert found.legacy_folders == []


def test_bytes_that_do_not_decode_spoil_their_own_row() -> None:
    data = as_bytes(HEAD, GOOD) + b"\x93\xfa\\a.txt\tx\r\n" + as_bytes(row("営業\\次.txt"), bom=b"")
    assert [r.path for r in parse_list(data).rows()] == ["営業\\良.txt", "営業\\次.txt"]


def test_numbers_nobody_could_mean() -> None:
    line = f"営業\\a.txt\t\t\t済\t{'9' * 5000}\t\t\t{'9' * 5000}"
    (found,) = parse_list(as_bytes(HEAD, line)).rows()
    assert (found.size, found.places, found.version) == (None, None, 1)


def test_a_torn_last_line_is_ignored_and_cut_off_before_the_next_append(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    whole = as_bytes(HEAD, GOOD)
    for torn in (row("営業\\切.txt"), row("営業\\切.txt")[:10], "\x00" * 4096, "x" * 200_000, ""):
        path.write_bytes(whole + torn.encode())
        assert len(read_list(path)) == 1
        ListWriter(path).append([ROWS[0]], sync=True)
        assert path.read_bytes() == whole + (EXAMPLE[3] + "\r\n").encode()


@pytest.mark.parametrize("data", [None, b"", BOM, BOM + "相対パス\t更新".encode()])
def test_the_first_append_writes_the_head(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "list.tsv"
    if data is not None:
        path.write_bytes(data)
    assert list(read_list(path).rows()) == []
    writer = ListWriter(path)
    writer.append([])
    writer.append([ROWS[0]])
    writer.append([ROWS[3]])
    assert path.read_bytes() == as_bytes(HEAD, EXAMPLE[3], EXAMPLE[6])


def test_another_writer_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    writer = ListWriter(path)
    writer.append([ROWS[0]])
    with path.open("ab") as other:
        other.write((EXAMPLE[4] + "\r\n").encode())
    for act in (lambda: writer.append([ROWS[3]]), lambda: writer.rewrite(IngestList()), writer.check):
        with pytest.raises(UserError, match="Another program"):
            act()
    assert path.read_bytes() == as_bytes(HEAD, EXAMPLE[3], EXAMPLE[4])
    ListWriter(path).append([ROWS[3]])
    path.unlink()
    with pytest.raises(UserError):
        writer.check()


def test_rewriting_what_stands_there_touches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_bytes(as_bytes(*EXAMPLE))
    os.utime(path, ns=(1, 1))
    writer = ListWriter(path)
    writer.rewrite(read_list(path))
    assert path.stat().st_mtime_ns == 1
    changed = read_list(path)
    changed.put(ROWS[2])
    writer.rewrite(changed)
    assert path.stat().st_mtime_ns != 1
    writer.check()


def test_what_would_break_a_row_is_made_blank(tmp_path: Path) -> None:
    assert format_row(ROWS[0]._replace(error="a\tb\r\nc")).split("\t")[6] == "a b  c"
    whole = IngestList(folders=[("/data/a\tb\nc", "営業")])
    assert parse_list(whole.to_bytes()).folders == [("/data/a b c", "営業")]


def test_an_index_is_renamed_in_every_row_and_in_no_other() -> None:
    found = parse_list(
        as_bytes(
            "クロール対象フォルダ\tC:\\a\tSales",
            "クロール対象フォルダ\tC:\\b\tSales2",
            HEAD,
            row("Sales\\a.txt"),
            row("SALES\\Sales\\b.txt"),
            row("Sales2\\a.txt"),
        )
    )
    found.rename_index("sales", "販売部")
    assert [r.path for r in found.rows()] == ["販売部\\a.txt", "販売部\\Sales\\b.txt", "Sales2\\a.txt"]
    assert found.folders == [("C:\\a", "販売部"), ("C:\\b", "Sales2")]
    assert "販売部\\A.TXT" in found and "Sales\\a.txt" not in found
    assert len(list(found.lines_of("販売部"))) == 2
    found.remove_index("販売部")
    assert [r.path for r in found.rows()] == ["Sales2\\a.txt"] and found.folders == [("C:\\b", "Sales2")]


def test_renaming_where_lower_case_is_longer() -> None:
    found = parse_list(as_bytes(HEAD, row("İ\\abc.txt")))
    found.rename_index("İ", "ab")
    assert "ab\\ABC.txt" in found and [r.path for r in found.rows()] == ["ab\\abc.txt"]


def test_a_name_with_half_a_surrogate_pair_comes_back() -> None:
    whole = IngestList()
    whole.put(ROWS[0]._replace(path="営業\\\ud800.txt"))
    assert "営業\\\ud800.txt" in parse_list(whole.to_bytes())


SEGMENTS = st.from_regex(r"(?![. ]+\Z)[^<>:\"/\\|?*\x00-\x1f]{1,8}", fullmatch=True).filter(lambda s: s[-1] not in ". ")
INDEXES = SEGMENTS.filter(lambda s: s[0] != " ")
FIELDS = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), max_size=8)
BUILT_ROWS = st.builds(
    lambda index, names, *rest: Row("\\".join([index, *names]), *rest),
    INDEXES,
    st.lists(SEGMENTS, min_size=1, max_size=3),
    FIELDS,
    st.none() | st.integers(0, 2**62),
    st.sampled_from(list(FileState)),
    st.none() | st.integers(0, 999_999_999),
    FIELDS,
    FIELDS,
    st.integers(1, 99),
)


@given(st.lists(BUILT_ROWS, max_size=8))
def test_what_is_written_comes_back(rows: list[Row]) -> None:
    whole = IngestList()
    for r in rows:
        whole.put(r)
    found = parse_list(whole.to_bytes())
    assert list(found.rows()) == list(whole.rows()) and found.rejected == 0
    assert all(r.path in found for r in rows)


@given(st.binary(max_size=300) | st.text("営業\\\t\r\n済1.失敗", max_size=100).map(str.encode))
def test_nothing_breaks_the_reader(data: bytes) -> None:
    found = parse_list(data)
    assert list(parse_list(found.to_bytes()).rows()) == list(found.rows())
