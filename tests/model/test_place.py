"""Places in their three spellings, for every row of the tables in ja-index-format, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.kinds import FileKind
from tebunko.model.place import (
    Place,
    PlaceKey,
    PlaceKind,
    decode_place,
    encode_place,
    meta_of,
    name_from_tsv,
    page,
    parse_place,
    part,
    pdf_page,
    place_from_meta,
    sheet,
    slide,
    tsv_file_name,
)
from tebunko.model.unit import Unit, in_index_order

EXCEL, WORD, POWERPOINT, TEXT, PDF = (
    FileKind.EXCEL,
    FileKind.WORD,
    FileKind.POWERPOINT,
    FileKind.TEXT,
    FileKind.PDF,
)

# kind of source file, name of the place, TSV file name, meta lines
TABLE = [
    # 配置・命名規則
    (EXCEL, "明細", "明細.tsv", "シート=明細 対象=本文"),
    (EXCEL, "2024_上期", "2024%5F上期.tsv", "シート=2024_上期 対象=本文"),
    (EXCEL, "記号<>", "記号%3C%3E.tsv", "シート=記号<> 対象=本文"),
    (EXCEL, "Sheet1", "Sheet1.tsv", "シート=Sheet1 対象=本文"),
    (WORD, "ページ001", "page_001.tsv", "ページ=1 対象=本文"),
    (WORD, "ページ1000", "page_1000.tsv", "ページ=1000 対象=本文"),
    (POWERPOINT, "スライド001", "slide_001.tsv", "スライド=1 対象=本文"),
    (POWERPOINT, "スライド002（非表示）", "slide_002_hidden.tsv", "スライド=2 対象=本文 非表示=はい"),
    (POWERPOINT, "スライド001_ノート", "slide_001_notes.tsv", "スライド=1 対象=ノート"),
    (WORD, "ヘッダー・フッター", "header_footer.tsv", "部分=ヘッダー・フッター 対象=本文"),
    (POWERPOINT, "ヘッダー・フッター", "header_footer.tsv", "部分=ヘッダー・フッター 対象=本文"),
    (WORD, "脚注", "doc_footnotes.tsv", "部分=脚注 対象=本文"),
    (WORD, "文書", "doc_whole.tsv", "部分=文書 対象=本文"),
    (TEXT, "本文", "doc_body.tsv", "部分=本文 対象=本文"),
    (PDF, "ページ001", "page_001.tsv", "部分=ページ001 対象=本文"),
    # 図形・コメントの場所
    (EXCEL, "売上[図形]", "売上[shape].tsv", "シート=売上 対象=図形"),
    (EXCEL, "売上[コメント]", "売上[comment].tsv", "シート=売上 対象=コメント"),
    (EXCEL, "売上[ヘッダー・フッター]", "売上[header_footer].tsv", "シート=売上 対象=ヘッダー・フッター"),
    (WORD, "ページ003[図形]", "page_003[shape].tsv", "ページ=3 対象=図形"),
    (WORD, "ページ003[コメント]", "page_003[comment].tsv", "ページ=3 対象=コメント"),
    (WORD, "文書[コメント]", "doc_whole[comment].tsv", "部分=文書 対象=コメント"),
    (WORD, "ページ003[埋め込み2]", "page_003[embed2].tsv", "ページ=3 対象=埋め込み 埋め込み=2"),
    (POWERPOINT, "スライド002[図形]", "slide_002[shape].tsv", "スライド=2 対象=図形"),
    (POWERPOINT, "スライド002[コメント]", "slide_002[comment].tsv", "スライド=2 対象=コメント"),
    (POWERPOINT, "スライド002[埋め込み1]", "slide_002[embed1].tsv", "スライド=2 対象=埋め込み 埋め込み=1"),
    (
        POWERPOINT,
        "スライド002（非表示）[図形]",
        "slide_002_hidden[shape].tsv",
        "スライド=2 対象=図形 非表示=はい",
    ),
    (
        POWERPOINT,
        "スライド002（非表示）[埋め込み3]",
        "slide_002_hidden[embed3].tsv",
        "スライド=2 対象=埋め込み 非表示=はい 埋め込み=3",
    ),
    # Names that would not be built the same way again are a 部分 of their own.
    (WORD, "ページ01", "page_01.tsv", "部分=ページ01 対象=本文"),
    (WORD, "ページ0001", "page_0001.tsv", "部分=ページ0001 対象=本文"),
    (POWERPOINT, "スライド1_ノート", "slide_1_notes.tsv", "部分=スライド1_ノート 対象=本文"),
    (POWERPOINT, "スライド001_ノート[図形]", "slide_001_notes[shape].tsv", "部分=スライド001_ノート[図形] 対象=本文"),
    (WORD, "ページ003[埋め込み]", "ページ003[埋め込み].tsv", "部分=ページ003[埋め込み] 対象=本文"),
    (WORD, "ページ003[埋め込み01]", "ページ003[埋め込み01].tsv", "部分=ページ003[埋め込み01] 対象=本文"),
    (WORD, "ページ003[埋め込み0]", "ページ003[埋め込み0].tsv", "部分=ページ003[埋め込み0] 対象=本文"),
    # Sheets may be called as the fixed names are, in either language.
    (EXCEL, "ページ001", "page_001.tsv", "シート=ページ001 対象=本文"),
    (EXCEL, "ヘッダー・フッター", "header_footer.tsv", "シート=ヘッダー・フッター 対象=本文"),
    (EXCEL, "ヘッダー・フッター[図形]", "header_footer[shape].tsv", "シート=ヘッダー・フッター 対象=図形"),
    (EXCEL, "page_001", "page%5F001.tsv", "シート=page_001 対象=本文"),
    (EXCEL, "header_footer", "header%5Ffooter.tsv", "シート=header_footer 対象=本文"),
    (EXCEL, "doc_whole[図形]", "doc%5Fwhole[shape].tsv", "シート=doc_whole 対象=図形"),
    (EXCEL, "a\tb\nc", "a%09b%0Ac.tsv", "シート=a\tb\nc 対象=本文"),
    (EXCEL, "x\ny[コメント]", "x%0Ay[comment].tsv", "シート=x\ny 対象=コメント"),
]


def meta_lines(text: str) -> list[tuple[str, str]]:
    pairs = (line.partition("=") for line in text.split(" "))
    return [(key, value) for key, _, value in pairs]


@pytest.mark.parametrize(("kind", "name", "tsv", "meta"), TABLE, ids=lambda v: repr(v)[:40])
def test_the_three_spellings_of_a_place(kind: FileKind, name: str, tsv: str, meta: str) -> None:
    place = parse_place(name, kind)
    assert place.name == name
    assert meta_of(place) == meta_lines(meta)
    assert place_from_meta(dict(meta_lines(meta))) == place
    assert tsv_file_name(name) == tsv
    assert name_from_tsv(tsv) == name


def test_constructors_name_the_places_that_readers_make() -> None:
    assert [p.name for p in (page(3), slide(12), sheet("売上"), part("脚注"), pdf_page(7))] == [
        "ページ003",
        "スライド012",
        "売上",
        "脚注",
        "ページ007",
    ]
    assert slide(2, PlaceKind.NOTES, hidden=True).name == "スライド002_ノート"
    assert page(3, PlaceKind.EMBEDDED, embed=2) == parse_place("ページ003[埋め込み2]", WORD)


@pytest.mark.parametrize(
    ("place", "kind", "addresses", "cells", "number"),
    [
        (sheet("a"), PlaceKind.BODY, False, True, None),
        (sheet("a", PlaceKind.SHAPE), PlaceKind.SHAPE, True, False, None),
        (sheet("a", PlaceKind.COMMENT), PlaceKind.COMMENT, True, False, None),
        # 行の先頭がセル番地: not in Excel's header and footer
        (sheet("a", PlaceKind.HEADER_FOOTER), PlaceKind.HEADER_FOOTER, False, False, None),
        (page(3, PlaceKind.SHAPE), PlaceKind.SHAPE, False, False, 3),
        (part("ヘッダー・フッター"), PlaceKind.HEADER_FOOTER, False, False, None),
        (pdf_page(3), PlaceKind.BODY, False, False, 3),
        (slide(4, PlaceKind.NOTES), PlaceKind.NOTES, False, False, 4),
    ],
)
def test_what_a_place_is(place: Place, kind: PlaceKind, addresses: bool, cells: bool, number: int | None) -> None:
    assert (place.kind, place.has_addresses, place.is_cells, place.number) == (kind, addresses, cells, number)


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"シート": "a"}, sheet("a")),  # an absent key has its default
        ({"シート": "a", "対象": "本文", "新しい鍵": "1"}, sheet("a")),  # an unknown one is passed over
        ({"シート": "a", "対象": "新しい種類"}, sheet("a")),
        ({"ページ": "003", "対象": "本文"}, page(3)),
        ({"ページ": "", "対象": "本文"}, part("ページ")),
        ({"ページ": "３", "対象": "本文"}, part("ページ３")),
        ({"スライド": "x"}, part("スライドx")),
        ({"スライド": "2", "非表示": "いいえ"}, slide(2)),
        ({"ページ": "2", "対象": "埋め込み"}, page(2, PlaceKind.EMBEDDED, embed=1)),
        ({"ページ": "2", "対象": "埋め込み", "埋め込み": "0"}, page(2, PlaceKind.EMBEDDED, embed=1)),
        ({"ページ": "2", "対象": "本文", "埋め込み": "2"}, page(2)),
        ({"シート": "a", "非表示": "はい"}, sheet("a")),
    ],
)
def test_meta_lines_of_other_versions(meta: dict[str, str], expected: Place) -> None:
    assert place_from_meta(meta) == expected


def test_meta_lines_without_a_place() -> None:
    with pytest.raises(KeyError):
        place_from_meta({"対象": "本文", "埋め込み": "1"})


@pytest.mark.parametrize(
    ("char", "code"),
    [
        ('"', "%22"),
        ("%", "%25"),
        ("*", "%2A"),
        ("/", "%2F"),
        (":", "%3A"),
        ("<", "%3C"),
        (">", "%3E"),
        ("?", "%3F"),
        ("\\", "%5C"),
        ("_", "%5F"),
        ("|", "%7C"),
        ("\x00", "%00"),
        ("\t", "%09"),
        ("\x1f", "%1F"),
    ],
)
def test_the_place_encoding(char: str, code: str) -> None:
    assert encode_place(f"a{char}b") == f"a{code}b"
    assert decode_place(f"a{code}b") == f"a{char}b"


def test_nothing_else_is_encoded() -> None:
    kept = "".join(chr(c) for c in range(0x20, 0x300) if chr(c) not in '"%*/:<>?\\_|')
    assert encode_place(kept) == kept


SHEET_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="[]"), min_size=1, max_size=31)
NUMBERS = st.integers(1, 99_999)
EMBEDS = st.integers(1, 999_999_999)
OBJECTS = st.sampled_from([PlaceKind.SHAPE, PlaceKind.COMMENT])
SHEETS = st.builds(sheet, SHEET_NAMES, st.sampled_from([PlaceKind.BODY, PlaceKind.HEADER_FOOTER]) | OBJECTS)
PAGES = st.builds(page, NUMBERS, st.just(PlaceKind.BODY) | OBJECTS) | st.builds(
    page, NUMBERS, st.just(PlaceKind.EMBEDDED), EMBEDS
)
SLIDES = st.builds(
    slide, NUMBERS, st.sampled_from([PlaceKind.BODY, PlaceKind.NOTES]) | OBJECTS, hidden=st.booleans()
) | st.builds(slide, NUMBERS, st.just(PlaceKind.EMBEDDED), hidden=st.booleans(), embed=EMBEDS)
PLACES = (
    st.tuples(st.just(EXCEL), SHEETS)
    | st.tuples(st.just(WORD), PAGES)
    | st.tuples(st.just(POWERPOINT), SLIDES)
    | st.tuples(st.just(PDF), st.builds(pdf_page, NUMBERS))
)


@given(PLACES)
def test_every_place_comes_back_from_each_spelling(kind_and_place: tuple[FileKind, Place]) -> None:
    kind, place = kind_and_place
    assert parse_place(place.name, kind) == place
    assert place_from_meta(dict(meta_of(place))) == place
    file_name = tsv_file_name(place.name)
    assert name_from_tsv(file_name) == place.name
    assert not set(file_name) & set('"*/:<>?\\|') and min(file_name) >= " "


@given(SHEETS, SHEETS)
def test_sheets_that_differ_have_tsv_names_that_differ(a: Place, b: Place) -> None:
    assert (tsv_file_name(a.name) == tsv_file_name(b.name)) == (a == b)


@given(st.text(), st.sampled_from(list(FileKind)))
def test_any_name_is_some_place_of_that_name(name: str, kind: FileKind) -> None:
    place = parse_place(name, kind)
    assert place.name == name
    assert (place.key is PlaceKey.SHEET) <= (kind is EXCEL)


@given(st.text())
def test_decoding_undoes_encoding(text: str) -> None:
    assert decode_place(encode_place(text)) == text


def test_places_stand_in_the_order_of_their_tsv_names() -> None:
    units = [
        Unit(p, ["x"])
        for p in (
            page(2),
            part("脚注"),
            page(1000),
            page(101),
            part("ヘッダー・フッター"),
            page(1, PlaceKind.SHAPE),
            page(1),
        )
    ]
    assert [u.place.name for u in in_index_order(units)] == [
        "脚注",  # doc_footnotes
        "ヘッダー・フッター",  # header_footer
        "ページ001",  # page_001.tsv: "." comes before "["
        "ページ001[図形]",
        "ページ002",
        "ページ1000",  # page_1000 before page_101
        "ページ101",
    ]
