"""Forgiving comparison, words across breaks, and numbers and dates by value, against references that go line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from content_workspace import plain, write_part
from hypothesis import given, settings
from hypothesis import strategies as st

from tebunko.model.errors import UserError
from tebunko.model.folding import folding
from tebunko.model.kinds import FileKind
from tebunko.model.place import PlaceKind, sheet, slide
from tebunko.model.unit import RawValues, Unit
from tebunko.search.by_value import sought_values
from tebunko.search.engine import search
from tebunko.search.fields import SourceFacts
from tebunko.search.hits import FileTerms, Hit, Row, Summary
from tebunko.search.options import SearchOptions
from tebunko.search.query import Item, Query, Word
from tebunko.search.request import SearchedIndex, make_request
from tebunko.search.scan import PartScan, Plan
from tebunko.store.content import parse_places
from tebunko.store.values import ValueRange, encode_values, find_cells
from tebunko.store.workspace import Layout

SALES = SearchedIndex("営業", "/data/営業")
FACTS = SourceFacts("a.txt", "営業", FileKind.TEXT, None, None)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def run(layout: Layout, query: str, **options: object) -> tuple[list[Row], Summary]:
    rows: list[Row] = []
    for event in search(layout, [SALES], make_request(SearchOptions(query, **options))):  # type: ignore[arg-type]
        if isinstance(event, list):
            rows += event
        elif isinstance(event, Summary):
            return rows, event
    raise AssertionError("no summary")


def hits(layout: Layout, query: str, **options: object) -> list[Hit]:
    return [row for row in run(layout, query, **options)[0] if isinstance(row, Hit)]


def marked(hit: Hit) -> list[str]:
    return [hit.text[start:end] for start, end in hit.spans]


# --- forgiving ------------------------------------------------------------------------------------------------------


def test_forgiving_marks_the_original_text(layout: Layout) -> None:
    write_part(layout, "営業", {"a.txt": plain("渡邊様 ㈱ﾀﾞｲﾔ", "渡辺", "渡部", "た\u3099いや")})
    assert [marked(hit) for hit in hits(layout, "渡辺", forgiving=True)] == [["渡邊"], ["渡辺"]]
    assert [marked(hit) for hit in hits(layout, "ダイヤ", forgiving=True)] == [["ﾀﾞｲﾔ"], ["た\u3099いや"]]
    assert [marked(hit) for hit in hits(layout, "株)だ", forgiving=True)] == [["㈱ﾀﾞ"]]
    assert [marked(hit) for hit in hits(layout, "渡辺")] == [["渡辺"]]


def test_forgiving_holds_for_or_for_exclusions_and_for_lists(layout: Layout) -> None:
    write_part(layout, "営業", {"a.txt": plain("髙橋 ＡＢＣ", "高橋", "﨑 abc", "sàn")})
    assert [hit.line for hit in hits(layout, "高橋 -abc", forgiving=True)] == [2]
    assert [hit.line for hit in hits(layout, "高橋 OR 崎", forgiving=True)] == [1, 2, 3]
    assert [hit.line for hit in hits(layout, "ABC", forgiving=True, case=True)] == [1]
    assert [hit.line for hit in hits(layout, "san", forgiving=True)] == []
    rows, _ = run(layout, "", terms=("高橋", "ａｂｃ"), forgiving=True)
    assert [dict(row.hits) for row in rows if isinstance(row, FileTerms)] == [{"高橋": 2, "ａｂｃ": 2}]


@pytest.mark.parametrize("options", [{"forgiving": True}, {"across": True}])
def test_an_expression_is_not_compared_so(options: dict[str, bool]) -> None:
    with pytest.raises(UserError, match="--regex"):
        make_request(SearchOptions("a", regex=True, **options))  # type: ignore[arg-type]


FOLDED = "aAée\u0301ßsſıIかカｶがガﾞ゛\u3099\u309aぱﾊﾟハヶケー-－―〜~ 　\t\u2028㈱(株)①1½髙高葛\U000e0100\u200b\xad𠮷吉가각㌔キロゔｳΐ\u0390ǰj\u030c"
folded_lines = st.text(st.sampled_from(FOLDED), max_size=10)
folded_words = st.one_of(
    st.text(st.sampled_from(FOLDED), min_size=1, max_size=3), st.text(min_size=1, max_size=2).filter(str.isprintable)
).filter(lambda text: "\n" not in text)


def one_text(lines: Sequence[str], place: str = "部分=本文\n\x1e 対象=本文") -> str:
    head = f"\x1e 版=2\n\x1e ファイル名=a.txt\n\x1e 種類=テキスト\n\x1e {place}\n"
    return head + "".join(f"{line}\n" for line in lines)


def planned(plan: Plan, lines: Sequence[str]) -> list[tuple[int, list[tuple[int, int]]]]:
    text = one_text(lines)
    scan = PartScan(plan, text, lambda: parse_places(text), lambda _: FACTS)
    return [(hit.line, hit.spans) for hit in scan.line_hits()]


def scanned(query: Query, lines: Sequence[str]) -> list[tuple[int, list[tuple[int, int]]]]:
    return planned(Plan(query), lines)


def words(*texts: str, **options: bool) -> Query:
    return Query(tuple((Item(Word(text)),) for text in texts), **options)


@settings(max_examples=300)
@given(st.lists(folded_lines, min_size=1, max_size=4), folded_words, st.booleans())
def test_forgiving_search_finds_the_lines_that_fold_to_the_folded_word(lines: list[str], word: str, case: bool) -> None:
    how = folding(keeps_case=case)
    if not how.fold(word):
        return
    found = scanned(words(word, case=case, forgiving=True), lines)
    assert [line for line, _ in found] == [n for n, line in enumerate(lines, 1) if how.fold(word) in how.fold(line)]
    for number, spans in found:
        line = lines[number - 1]
        assert spans and all(how.fold(word) in how.fold(line[start:end]) for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


# --- across breaks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "word", "found"),
    [
        (["請求", "書の件"], "請求書", [(1, ["請求"])]),
        (["  請求 ", "　書の件"], "請求書", [(1, ["請求 "])]),
        (["an invoice", "number"], "invoice number", [(1, ["invoice"])]),
        (["the infor-", "mation"], "information", [(1, ["infor-"])]),
        (["the infor", "mation"], "information", []),
        (["co-", "op"], "co-op", [(1, ["co-"])]),
        (["請求\u2028書"], "請求書", [(1, ["請求\u2028書"])]),
        (["請", "求", "書"], "請求書", [(1, ["請"])]),
        (["請求", "", "書"], "請求書", []),
        (["請求書", "請求", "書"], "請求書", [(1, ["請求書"]), (2, ["請求"])]),
        (["請求", "者書"], "請求書", []),
    ],
)
def test_a_break_may_split_a_word(lines: list[str], word: str, found: list[tuple[int, list[str]]]) -> None:
    for forgiving in (False, True):
        got = scanned(words(word, across=True, forgiving=forgiving), lines)
        assert [(n, [lines[n - 1][s:e] for s, e in spans]) for n, spans in got] == found


def test_breaks_are_within_one_place_and_rows_of_sheets_stay_apart(layout: Layout) -> None:
    write_part(layout, "営業", {"a.pptx": [(slide(1), ["請求"]), (slide(2), ["書", "請求", "書"])]})
    write_part(
        layout,
        "営業",
        {"b.xlsx": [(sheet("s"), ["請求", "書", "請\u2028求書"]), (sheet("s", PlaceKind.SHAPE), ["A1\t請求\u2028書"])]},
    )
    assert [hit.locator for hit in hits(layout, "請求書", across=True)] == [
        "営業/a.pptx#スライド002:2",
        "営業/b.xlsx#s!A3",
        "営業/b.xlsx#s[図形]!A1",
    ]
    assert [hit.line for hit in hits(layout, "請求書 -書類", across=True, whole_file=True)] == [2, 3, 1]


BROKEN = "ab1請求é -\u2028\u3000\xad("


def naive_ends(text: str, at: int, word: str) -> Iterator[int]:
    """Where matches of a word that begin at a position end, character by character."""

    def breaks(position: int) -> Iterator[int]:
        while position < len(text) and text[position] in " \u3000":
            position += 1
        if position < len(text) and text[position] in "\n\u2028":
            position += 1
            yield position
            while position < len(text) and text[position] in " \u3000":
                position += 1
                yield position

    def spaced(char: str) -> bool:
        return char in "ab1é"

    def rest(position: int, number: int) -> Iterator[int]:
        if number == len(word):
            yield position
            return
        before, char = word[number - 1 : number], word[number]
        if char in " \u3000":
            end = number
            while end < len(word) and word[end] in " \u3000":
                end += 1
            if text.startswith(word[number:end], position):
                yield from rest(position + end - number, end)
            for after in breaks(position):
                yield from rest(after, end)
            return
        starts = [position]
        if number and before not in " \u3000":
            if not (spaced(before) and spaced(char)):
                starts += breaks(position)
            elif text[position : position + 1] in ("-", "\xad"):
                starts += breaks(position + 1)
        for start in starts:
            if start < len(text) and text[start].casefold() == char.casefold():
                yield from rest(start + 1, number + 1)

    return rest(at, 0)


@settings(max_examples=400)
@given(
    st.lists(st.text(st.sampled_from(BROKEN), max_size=5), min_size=1, max_size=5),
    st.text(st.sampled_from(BROKEN.replace("\u2028", "")), min_size=1, max_size=4),
)
def test_words_across_breaks_are_those_of_a_search_by_character(lines: list[str], word: str) -> None:
    whole = "\n".join(lines)
    expected = []
    begins = 0
    for number, line in enumerate(lines, 1):
        starts = [at for at in range(begins, begins + len(line)) if next(naive_ends(whole, at, word), None) is not None]
        expected += [number] if starts else []
        begins += len(line) + 1
    assert [line for line, _ in scanned(words(word, across=True), lines)] == expected


@settings(max_examples=200)
@given(
    st.lists(st.text(st.sampled_from(BROKEN + "ａÉ①⑪㈱株髙高"), max_size=5), min_size=1, max_size=4),
    st.text(st.sampled_from("abA1請求é -高(株)"), min_size=1, max_size=4),
)
def test_forgiving_across_breaks_finds_what_either_finds(lines: list[str], word: str) -> None:
    both = {line for line, _ in scanned(words(word, across=True, forgiving=True), lines)}
    for query in (words(word), words(word, across=True), words(word, forgiving=True)):
        assert {line for line, _ in scanned(query, lines)} <= both


@settings(max_examples=400)
@given(
    st.lists(st.text(st.sampled_from("aⅱi①⑪1㈱(株)-ｰ ｶﾞカガ\u3099"), max_size=4), min_size=1, max_size=4),
    st.text(st.sampled_from("ai1(株)- カガ"), min_size=1, max_size=4),
)
def test_narrowed_lines_hold_all_that_judging_every_line_finds(lines: list[str], word: str) -> None:
    for query in (words(word, across=True, forgiving=True), words(word, forgiving=True)):
        plan = Plan(Query((*query.clauses, (Item(Word("\ue000"), True),)), forgiving=True, across=query.across))
        plan._anchor = None  # so that every line is judged
        assert scanned(query, lines) == planned(plan, lines)


# --- numbers and dates by value -------------------------------------------------------------------------------------


def cells(*values: tuple[int, int, float, bool]) -> RawValues:
    raw = RawValues()
    for value in values:
        raw.append(*value)
    return raw


def serial(year: int, month: int, day: int) -> float:
    """The serial of a day as Excel counts it (1 is 1900-01-01, and 1900 has a 29 February)."""
    days = date(year, month, day) - date(1899, 12, 31)
    return float(days.days + (date(year, month, day) > date(1900, 2, 28)))


@pytest.fixture
def valued(layout: Layout) -> Layout:
    lines = [
        "品名\t数量",
        'りんご\t"1,234,567"\t4.90123E+12',
        "みかん\t令和6年5月1日\t1234567 個",
        "もも\t15%",
        "",
        "1234567\t12345670",
    ]
    values = cells(
        (2, 2, 1234567.0, False),
        (2, 3, 4901234567894.0, False),
        (3, 2, serial(2024, 5, 1), True),
        (4, 2, 0.15, False),
        (4, 3, 0.3, False),
    )
    write_part(
        layout,
        "営業",
        {"a.xlsx": [(sheet("売上"), lines)], "b.xlsx": [(sheet("売上"), ["x", 'y\t"1,234,567"'])]},
        records={"a.xlsx": (1, 1), "b.xlsx": (1, 1)},
        values={"a.xlsx": [Unit(sheet("売上"), lines, values)]},
    )
    write_part(layout, "営業", {"c.xlsx": [(sheet("x"), ["1"])]}, number=2)
    write_part(layout, "営業", {"d.txt": plain("1234567")})
    return layout


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("4901234567894", [("C2", True, ["4.90123E+12"])]),
        (
            "1234567",
            [
                (None, False, ["1234567"]),
                ("B2", True, ["1,234,567"]),
                ("C3", False, ["1234567"]),
                ("A6", False, ["1234567", "1234567"]),
            ],
        ),
        ("1,234,567", [("B2", False, ["1,234,567"]), ("A6", True, ["1234567"]), ("B2", False, ["1,234,567"])]),
        ("2024-05-01", [("B3", True, ["令和6年5月1日"])]),
        ("2024/5/1", [("B3", True, ["令和6年5月1日"])]),
        ("令和6年5月1日", [("B3", False, ["令和6年5月1日"])]),
        ("R6.5.1", [("B3", True, ["令和6年5月1日"])]),
        ("0.150", [("B4", True, ["15%"])]),
        ("0.15", [("B4", True, ["15%"])]),
        ("0.3", []),
        ("45413", []),
        ("りんご 1234567", [("A2", True, ["りんご", "1,234,567"])]),
        ("りんご -1234567", []),
        ("みかん OR 4901234567894", [("C2", True, ["4.90123E+12"]), ("A3", False, ["みかん"])]),
    ],
)
def test_values_are_found_whatever_is_shown(
    valued: Layout, query: str, found: list[tuple[str | None, bool, list[str]]]
) -> None:
    for options in ({}, {"whole_file": True}) if " " not in query else ({},):
        got = hits(valued, query, **options)
        assert [(hit.cell, hit.by_value, marked(hit)) for hit in got] == found


def test_files_and_counts_know_values_and_what_has_none_is_counted(valued: Layout) -> None:
    rows, summary = run(valued, "4901234567894", rows="count")
    assert [row.source.file for row in rows] == ["a.xlsx"]
    assert summary.coverage.without_values == 1
    assert run(valued, "りんご")[1].coverage.without_values == 0
    rows, _ = run(valued, "", terms=("4901234567894", "1234567"))
    assert [(row.source.file, dict(row.hits)) for row in rows if isinstance(row, FileTerms)] == [
        ("d.txt", {"1234567": 1}),
        ("a.xlsx", {"4901234567894": 1, "1234567": 3}),
    ]
    assert hits(valued, "4901234567894", regex=True) == []


numbers = st.one_of(
    st.integers(-(10**16), 10**16).map(float), st.floats(allow_nan=False, allow_infinity=False, width=64), st.just(0.0)
)
sheets = st.dictionaries(
    st.sampled_from(["売上", "a", "b"]),
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9), numbers, st.booleans()), max_size=12),
    max_size=3,
)


@settings(max_examples=100)
@given(sheets, st.lists(st.tuples(numbers, numbers, st.booleans()), max_size=3), st.data())
def test_cells_are_found_as_by_looking_at_each(
    content: dict[str, list[tuple[int, int, float, bool]]],
    ranges: list[tuple[float, float, bool]],
    data: st.DataObject,
) -> None:
    known = [value for rows in content.values() for value in rows]
    if known:
        value = data.draw(st.sampled_from(known))
        ranges.append((value[2], value[2], value[3]))
    sought = {str(n): ValueRange(min(low, high), max(low, high), dates) for n, (low, high, dates) in enumerate(ranges)}
    packed = encode_values([Unit(sheet(name), ["x"], cells(*rows)) for name, rows in content.items()])
    found = {(key, name, row, column) for key, name, row, columns in find_cells(packed, sought) for column in columns}
    assert found == {
        (key, name, row, column)
        for key, wanted in sought.items()
        for name, rows in content.items()
        for row, column, number, is_date in rows
        if wanted.low <= number <= wanted.high and is_date is wanted.dates
    }


def test_damaged_values_hold_nothing() -> None:
    packed = encode_values([Unit(sheet("a"), ["x"], cells((1, 1, 5.0, False)))])
    sought = {"5": ValueRange(5.0, 5.0, False)}
    assert list(find_cells(packed, sought)) == [("5", "a", 1, (1,))]
    for length in range(len(packed)):
        assert list(find_cells(packed[:length], sought)) == []


@given(st.dates(date(1900, 1, 1), date(9999, 12, 31)))
def test_a_date_means_the_serials_of_its_day(day: date) -> None:
    first = serial(day.year, day.month, day.day)
    for word in (day.isoformat(), f"{day.year}/{day.month}/{day.day}", f"{day.year:04d}年{day.month}月{day.day}日"):
        wanted = sought_values(word)
        assert wanted is not None and wanted.dates
        assert wanted.low <= first <= wanted.high and wanted.low <= first + 0.999 <= wanted.high
        assert not wanted.low <= first - 0.001 <= wanted.high and not wanted.low <= first + 1 <= wanted.high


@pytest.mark.parametrize(
    "word", ["", "A1", "1,23", "2024-13-01", "令和99999年1月1日", "1.2.3.4", "12:30", "1e999", "0x10"]
)
def test_other_words_have_no_value(word: str) -> None:
    assert sought_values(word) is None


@given(st.floats(1e-10, 1e15))
def test_numbers_are_the_same_by_their_first_fifteen_digits(number: float) -> None:
    wanted = sought_values(f"{number:.15g}")
    assert wanted is not None and wanted.low <= number <= wanted.high
    assert not wanted.low <= number * (1 + 1e-13) <= wanted.high
