"""Locators (search.md, Beyond: one locator for every place)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import UserError
from tebunko.search.locator import Locator, parse_locator


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("営業/2024/見積/A社.xlsx#見積!B13", Locator("営業", "2024/見積/A社.xlsx", "見積", cell="B13")),
        ("営業/報告書.docx#ページ003:12", Locator("営業", "報告書.docx", "ページ003", line=12)),
        ("i/a%23b.xlsx#50%25%21%3A!A1", Locator("i", "a#b.xlsx", "50%!:", cell="A1")),
        ("i/a.xlsx#見積[図形]!B2", Locator("i", "a.xlsx", "見積[図形]", cell="B2")),
        ("i/a%3Ab.txt", Locator("i", "a:b.txt")),
        ("i/a.xlsx#x/y!A1", Locator("i", "a.xlsx", "x/y", cell="A1")),
    ],
)
def test_locators_are_written_and_read(text: str, locator: Locator) -> None:
    assert str(locator) == text
    assert parse_locator(text) == locator


def test_cells_are_read_in_any_case() -> None:
    assert parse_locator("i/a.xlsx#x!xfd1048576").cell == "XFD1048576"


@pytest.mark.parametrize(
    "text",
    ["", "i", "i/", "/a", "i/a#", "i/a#p", "i/a#p!", "i/a#!A1", "i/a#p:0", "i/a#p:x", "i/a#p!1A", "i/a%2", "i/a%#p:1"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="locator"):
        parse_locator(text)


names = st.text(st.sampled_from("ab見%#!:/[]（ \t\n\\2F2f\udce3𠮷"), min_size=1, max_size=8)
one_name = names.map(lambda name: name.replace("/", "")).filter(bool)


@given(
    one_name, names, st.none() | names, st.sampled_from(["A1", "ZZ99", "XFD1048576"]), st.none() | st.integers(1, 10**9)
)
def test_locators_round_trip(index: str, file: str, place: str | None, cell: str, line: int | None) -> None:
    locator = Locator(index, file)
    if place is not None:
        locator = Locator(index, file, place, cell if line is None else None, line)
    assert parse_locator(str(locator)) == locator
    assert "\n" not in str(locator)
