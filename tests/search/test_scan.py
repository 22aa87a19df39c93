"""Scanning whole texts gives what trying every line gives (search.md, Matching)."""

from __future__ import annotations

import sys

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_search import (
    content_lines,
    content_texts,
    expressions,
    is_valid,
    naive_found,
    naive_holds,
    naive_lines,
    naive_searched,
    naive_spans,
    texts,
)

from tebunko.model.errors import UserError
from tebunko.model.kinds import FileKind
from tebunko.search import matchers
from tebunko.search.fields import FieldName, SourceFacts, parse_field
from tebunko.search.matchers import has_no_case, lines_of, matcher_of
from tebunko.search.query import Item, Query, Word
from tebunko.search.scan import PartScan, Plan
from tebunko.store.content import parse_places

FACTS = SourceFacts("見積.xlsx", "営業/2024", FileKind.EXCEL, None, None)

Found = list[tuple[str, str, int, str, list[tuple[int, int]]]]


def scan_of(query: Query, text: str) -> PartScan:
    return PartScan(Plan(query), text, lambda: parse_places(text), lambda place: FACTS)


def found_by_engine(query: Query, text: str) -> Found:
    scan = scan_of(query, text)
    places = scan.places
    return [
        (places[h.place].source, places[h.place].place.name, h.line, text[h.start : h.end], h.spans)
        for h in scan.line_hits()
    ]


def found_naively(query: Query, text: str) -> Found:
    found = []
    for line in naive_lines(text):
        searched = naive_searched(line)
        if searched is not None and naive_holds(query, searched[1], FACTS, line.place):
            found.append((line.source, line.place.name, line.number, line.text, _marked(query, *searched)))
    return found


def _marked(query: Query, offset: int, searched: str) -> list[tuple[int, int]]:
    spans = sorted(s for word in query.words for s in naive_spans(word, searched, query.case))
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return [(start + offset, end + offset) for start, end in merged]


words = st.builds(Word, texts.filter(bool))
regexes = st.builds(Word, expressions, st.just(True))
fields = st.sampled_from(
    [
        parse_field(name, value)
        for name, value in [
            (FieldName.SHEET, "売"),
            (FieldName.PAGE, "2-7"),
            (FieldName.SLIDE, "3"),
            (FieldName.IN, "comment,notes"),
            (FieldName.AFTER, "2024"),
            (FieldName.KIND, "excel"),
        ]
    ]
)
items = st.builds(Item, st.one_of(words, words, regexes, fields), st.booleans())
queries = st.builds(
    Query,
    st.lists(st.lists(items, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple),
    st.booleans(),
)


@given(words, st.booleans(), content_texts())
@settings(max_examples=150)
def test_a_literal_is_found_as_line_by_line(word: Word, case: bool, text: str) -> None:
    assume(is_valid(word))
    query = Query(((Item(word),),), case)
    assert found_by_engine(query, text) == found_naively(query, text)


@given(regexes, st.booleans(), content_texts())
@settings(max_examples=250)
def test_an_expression_is_found_as_line_by_line(word: Word, case: bool, text: str) -> None:
    assume(is_valid(word))
    query = Query(((Item(word),),), case)
    assert found_by_engine(query, text) == found_naively(query, text)


@given(queries, content_texts())
@settings(max_examples=200)
def test_any_query_is_found_as_line_by_line(query: Query, text: str) -> None:
    assume(all(is_valid(item.what) for clause in query.clauses for item in clause if isinstance(item.what, Word)))
    assert found_by_engine(query, text) == found_naively(query, text)


@given(expressions, st.booleans(), st.lists(content_lines, max_size=6))
@settings(max_examples=250)
def test_candidate_lines_miss_no_line(pattern: str, case: bool, lines: list[str]) -> None:
    assume(is_valid(Word(pattern, True)))
    text = "".join(f"{line}\n" for line in lines)
    given_lines = {text[s:e] for s, e in matcher_of(Word(pattern, True), case).lines(text, 0, len(text))}
    assert given_lines >= {line for line in lines if naive_found(Word(pattern, True), line, case)}


@given(expressions, st.booleans(), st.lists(content_lines, max_size=6), st.integers(1, 3))
@settings(max_examples=200)
def test_candidate_lines_miss_no_line_where_literals_are_dense(
    pattern: str, case: bool, lines: list[str], probed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matchers, "_PROBED_LINES", probed)
        patch.setattr(matchers, "_SELECTIVE", 1)
        assume(is_valid(Word(pattern, True)))
        text = "".join(f"{line}\n" for line in lines)
        found = [text[s:e] for s, e in matcher_of(Word(pattern, True), case).lines(text, 0, len(text))]
    wanted = [line for line in lines if naive_found(Word(pattern, True), line, case)]
    remaining = iter(found)
    assert all(line in remaining for line in wanted)


@given(texts.filter(bool), st.booleans(), st.lists(content_lines, max_size=6))
def test_candidate_lines_of_a_literal_are_exact(literal: str, case: bool, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    matcher = matcher_of(Word(literal), case)
    assert matcher.exact
    expected = [line for line in lines if naive_found(Word(literal), line, case)]
    assert [text[s:e] for s, e in matcher.lines(text, 0, len(text))] == expected


@given(words, st.booleans(), content_texts())
def test_whole_file_mode_joins_words_of_different_lines(word: Word, case: bool, text: str) -> None:
    other = Word("a")
    assume(word != other)
    query = Query(((Item(word),), (Item(other),)), case)
    by_source: dict[str, list[str]] = {}
    for line in naive_lines(text):
        searched = naive_searched(line)
        by_source.setdefault(line.source, []).extend([searched[1]] if searched else [])
    expected = []
    for source, lines in by_source.items():
        if all(any(naive_found(w, line, case) for line in lines) for w in (word, other)):
            hit = [line for line in lines if naive_found(word, line, case) or naive_found(other, line, case)]
            expected += [(source, line) for line in hit]
    scan = scan_of(query, text)
    found = []
    for h in scan.whole_file_hits():
        place = scan.places[h.place]
        line = text[h.start : h.end]
        found.append((place.source, line.partition("\t")[2] if place.place.has_addresses else line))
    assert found == expected


@given(st.text(st.sampled_from("a\nb見"), max_size=12))
def test_lines_end_at_line_feeds_only(text: str) -> None:
    expected = text.split("\n")
    if expected[-1] == "":
        expected.pop()
    assert [text[s:e] for s, e in lines_of(text, 0, len(text))] == expected


def test_no_character_without_case_equals_another() -> None:
    """`has_no_case` decides that plain comparison is enough: no such character may match another one without case."""
    everything = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    uncased = [c for c in everything if has_no_case(c)]
    others = "".join(c for c in everything if not has_no_case(c))
    ranges = "".join(f"{regex.escape(a)}-{regex.escape(b)}" for a, b in _ranges(uncased))
    assert regex.search(f"[{ranges}]", others, regex.IGNORECASE | regex.VERSION0) is None
    together = "".join(uncased)
    for char in uncased[::499] + [
        c for c in uncased if c < "\u0100" or "\u30a0" < c < "\u3100" or "\uff00" < c < "\uffff"
    ]:
        found = regex.findall(regex.escape(char), together, regex.IGNORECASE | regex.VERSION0)
        assert found == [char]


def _ranges(chars: list[str]) -> list[tuple[str, str]]:
    ranges: list[tuple[str, str]] = []
    for char in chars:
        if ranges and ord(char) == ord(ranges[-1][1]) + 1:
            ranges[-1] = (ranges[-1][0], char)
        else:
            ranges.append((char, char))
    return ranges


@pytest.mark.parametrize(
    ("literal", "line", "case", "found"),
    [
        ("(株)", "(株)山田", False, True),
        ("1.5", "1x5", False, False),
        ("C++", "c++ 入門", False, True),
        ("C++", "c++ 入門", True, False),
        ("ＡＢＣ", "ａｂｃ", False, True),
        ("ABC", "ＡＢＣ", False, False),
        ("straße", "STRASSE", False, False),  # simple folding: one character stands for one
        ("ß", "ẞ", False, True),
        ("k", "\u212a", False, True),
        ("a\nb", "a\nb", False, False),
    ],
)
def test_literals_mean_themselves(literal: str, line: str, case: bool, found: bool) -> None:
    matcher = matcher_of(Word(literal), case)
    assert matcher.found(line) is found
    assert bool(list(matcher.lines(line, 0, len(line)))) is found


@pytest.mark.parametrize(("pattern", "found"), [("a.b", True), (r"a\sb", True), ("a$", False), ("^b", False)])
def test_the_line_break_of_a_cell_is_no_line_end(pattern: str, found: bool) -> None:
    assert matcher_of(Word(pattern, True), False).found("a\u2028b") is found


def test_an_address_is_not_searched() -> None:
    text = "\x1e 版=2\n\x1e ファイル名=a.xlsx\n\x1e 種類=Excel\n\x1e シート=b\n\x1e 対象=図形\nB2\tA1\tB2\nB2\n"
    query = Query(((Item(Word("B2")),),))
    assert [(line, spans) for _, _, line, _, spans in found_by_engine(query, text)] == [(1, [(6, 8)])]
    anchored = Query(((Item(Word("^A1", True)),),))
    assert [(line, spans) for _, _, line, _, spans in found_by_engine(anchored, text)] == [(1, [(3, 5)])]


def test_a_runaway_expression_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchers, "LINE_SECONDS", 0.05)
    monkeypatch.setattr(matchers, "_TEXT_SECONDS", 0.05)
    pattern = r"(?x)(.*)(.*)(.*)(.*)(.*)[^ab]\1"
    text = "\x1e 版=2\n\x1e ファイル名=a.txt\n\x1e 種類=テキスト\n\x1e 部分=本文\n" + "ab" * 400 + "\n"
    with pytest.raises(UserError, match="takes more than"):
        found_by_engine(Query(((Item(Word(pattern, True)),),)), text)


def test_an_expression_that_swallows_memory_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """``(?=(?:a{e<=1})*a)`` grows until the `regex` package gives up; here a stand-in that needs no gigabyte for it."""

    class Swallowing:
        def search(self, line: str, *, concurrent: bool, timeout: float) -> None:
            raise MemoryError if concurrent else TimeoutError

    monkeypatch.setattr(matchers, "compile_expression", lambda text, case: Swallowing())
    matcher = matcher_of(Word("a", True), False)
    for _ in range(2):
        with pytest.raises(UserError, match="memory"):
            matcher.found("1")


def test_an_outline_that_does_not_end_gives_way_to_every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchers, "_TEXT_SECONDS", 0.0)
    text = "a1\nb\nc22\n" * 2000
    matcher = matcher_of(Word(r"\d\d", True), False)
    assert [text[s:e] for s, e in matcher.lines(text, 0, len(text)) if matcher.found(text[s:e])] == ["c22"] * 2000


def test_whole_file_exclusion_covers_every_line_of_the_file() -> None:
    text = "\x1e 版=2\n\x1e ファイル名=a.txt\n\x1e 種類=テキスト\n\x1e 部分=本文\nfoo\nbar\n"
    query = Query(((Item(Word("foo")),), (Item(Word("bar"), True),)))
    assert len(list(scan_of(query, text).line_hits())) == 1
    assert list(scan_of(query, text).whole_file_hits()) == []
