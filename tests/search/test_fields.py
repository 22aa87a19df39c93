"""Fields and name patterns (search.md, The query language and Filters)."""

from __future__ import annotations

import unicodedata
from datetime import datetime

import pytest

from tebunko.model.errors import UserError
from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKind, page, part, pdf_page, sheet, slide
from tebunko.search.fields import FieldName, Range, SourceFacts, field_holds, parse_field, parse_kinds
from tebunko.search.names import NamePatterns, name_matches, parse_name_patterns

MB = 1024 * 1024


def moment(*date: int) -> int:
    return int(datetime(*date).timestamp()) * 10**9  # type: ignore[arg-type]


FACTS = SourceFacts("A社_見積.XLSX", "営業/2024/見積", FileKind.EXCEL, moment(2024, 4, 1), MB)


@pytest.mark.parametrize(
    ("name", "value", "place", "holds"),
    [
        ("sheet", "売", sheet("売上"), True),
        ("sheet", "売*", sheet("前年売上"), False),
        ("sheet", "*売?", sheet("前年売上"), True),
        ("sheet", "ABC", sheet("abc"), True),
        ("sheet", "売上", sheet("売上", PlaceKind.COMMENT), True),
        ("sheet", "2", page(2), False),
        ("sheet", "本文", part("本文"), False),
        ("page", "3", page(3), True),
        ("page", "3", page(30), False),
        ("page", "2-5", page(5, PlaceKind.SHAPE), True),
        ("page", "2-5", page(6), False),
        ("page", "7-", pdf_page(1000), True),
        ("page", "-7", pdf_page(7), True),
        ("page", "３", pdf_page(3), True),
        ("page", "3", slide(3), False),
        ("page", "3", part("本文"), False),
        ("slide", "2-5", slide(2, hidden=True), True),
        ("slide", "2", slide(2, target=PlaceKind.NOTES), True),
        ("slide", "2", page(2), False),
        ("slide", "2", sheet("2"), False),
        ("in", "comment", sheet("a", PlaceKind.COMMENT), True),
        ("in", "comment", sheet("a"), False),
        ("in", "notes", slide(1, target=PlaceKind.NOTES), True),
        ("in", "notes,shape", page(1, PlaceKind.SHAPE), True),
        ("in", "ノート", slide(1, target=PlaceKind.NOTES), True),
        ("in", "header_footer", part("ヘッダー・フッター"), True),
        ("in", "header_footer", sheet("a", PlaceKind.HEADER_FOOTER), True),
        ("in", "body", sheet("a"), True),
        ("in", "body", page(1), True),
        ("in", "cell", sheet("a"), True),
        ("in", "cell", page(1), False),
        ("in", "セル", sheet("a"), True),
        ("in", "embedded", page(1, PlaceKind.EMBEDDED, embed=1), True),
        ("name", "*.xlsx", part("本文"), True),
        ("name", "見積", part("本文"), True),
        ("name", "*.xlsx;!A社*", part("本文"), False),
        ("folder", "2024", part("本文"), True),
        ("folder", "営業\\2024", part("本文"), True),
        ("folder", "営業/*/見積", part("本文"), True),
        ("folder", "2025", part("本文"), False),
        ("kind", "excel", part("本文"), True),
        ("kind", "Word,PDF", part("本文"), False),
        ("after", "2024-04-01", part("本文"), True),
        ("after", "2024/4/2", part("本文"), False),
        ("after", "2024-04", part("本文"), True),
        ("after", "２０２４", part("本文"), True),
        ("before", "2024-04-01", part("本文"), False),
        ("before", "2024-04-02", part("本文"), True),
        ("before", "2025", part("本文"), True),
        ("size", ">1MB", part("本文"), False),
        ("size", ">=1MB", part("本文"), True),
        ("size", ">1023kb", part("本文"), True),
        ("size", "<1MB", part("本文"), False),
        ("size", "<=1024K", part("本文"), True),
        ("size", "<1.5MB", part("本文"), True),
        ("size", "1KB-2MB", part("本文"), True),
        ("size", "＞１００", part("本文"), True),
    ],
)  # fmt: skip
def test_fields_hold(name: str, value: str, place: Place, holds: bool) -> None:
    assert field_holds(parse_field(FieldName(name), value), FACTS, place) is holds


@pytest.mark.parametrize(("name", "value"), [("after", "2024"), ("before", "2024"), ("size", ">1")])
def test_a_missing_record_is_neither_true_nor_false(name: str, value: str) -> None:
    facts = SourceFacts("a.xlsx", "営業", FileKind.EXCEL, None, None)
    assert field_holds(parse_field(FieldName(name), value), facts, part("本文")) is None


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("page", "x", "2-5"), ("page", "5-2", "2-5"), ("page", "-", "2-5"), ("slide", "1,2", "2-5"),
        ("in", "x", "header_footer"), ("in", "comment,", "notes"), ("kind", "xls", "powerpoint"),
        ("after", "2024-13-01", "2024-04-01"), ("before", "yesterday", "2024"), ("after", "0000-01-01", "2024"),
        ("size", "1MB", ">1MB"), ("size", ">1TBs", ">1MB"), ("size", "2MB-1MB", ">1MB"), ("folder", "/", "2024"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_error_that_says_what_is_allowed(name: str, value: str, allowed: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_field(FieldName(name), value)
    assert f"{name}:" in str(caught.value)
    assert value in str(caught.value)
    assert allowed in str(caught.value)


def test_after_and_before_meet_without_a_gap() -> None:
    after, before = (parse_field(FieldName(n), "2024-04-01").value for n in ("after", "before"))
    assert isinstance(after, Range)
    assert isinstance(before, Range)
    assert before.high + 1 == after.low


def test_kinds_of_the_command_line() -> None:
    assert parse_kinds("excel,text") == {FileKind.EXCEL, FileKind.TEXT}
    with pytest.raises(UserError):
        parse_kinds("excel,")


@pytest.mark.parametrize(
    ("patterns", "name", "passes"),
    [
        ("*.xlsx;見積;!*old*", "a.xlsx", True),
        ("*.xlsx;見積;!*old*", "見積.docx", True),
        ("*.xlsx;見積;!*old*", "a.docx", False),
        ("*.xlsx;見積;!*old*", "old.xlsx", False),
        ("*.xlsx；見積；！*old*", "OLD見積.xlsx", False),
        ("!old", "a.xlsx", True),
        ("!old", "very old.xlsx", False),
        ("", "a", True),
        (" ; ！ ;", "a", True),
        ("*.XLSX", "a.xlsx", True),
        ("a?.txt", "ab.txt", True),
        ("a?.txt", "abc.txt", False),
        ("[a].txt", "[A].txt", True),
        ("[a]*", "[a].txt", True),
        ("[a]*", "a.txt", False),
        ("*a*a*a*a*a*a*a*a*b", "a" * 200, False),
        ("a.txt", "xa.txt.bak", True),
        ("(確定)", "a(確定).xlsx", True),
    ],
)
def test_name_patterns(patterns: str, name: str, passes: bool) -> None:
    assert parse_name_patterns(patterns).passes(name) is passes


def test_name_patterns_are_parsed() -> None:
    assert parse_name_patterns("a; b ;!c") == NamePatterns(("a", "b"), ("c",))


def test_decomposed_names_are_the_same_names() -> None:
    assert name_matches("ガイド", unicodedata.normalize("NFD", "ガイド.pdf"))
    assert name_matches(unicodedata.normalize("NFD", "*ガ*"), "ガイド.pdf")
