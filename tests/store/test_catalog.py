"""``format.tsv`` and the states of an index: every row of the documents' table."""

from __future__ import annotations

import pytest

from tebunko import __version__
from tebunko.model.states import SEARCHED_STATES, IndexProgress, IndexState
from tebunko.store.catalog import (
    Catalog,
    index_state,
    parse_catalog,
    read_catalog,
    repaired,
    workspace_state,
    write_catalog,
)
from tebunko.store.workspace import Layout

BUILDING, COMPLETE = IndexProgress.BUILDING, IndexProgress.COMPLETE

# what the catalogue says, content in today's store, content in the old store, state
STATES = [
    (COMPLETE, True, False, IndexState.CURRENT),
    (COMPLETE, False, False, IndexState.CURRENT),  # complete, and nothing in it
    (BUILDING, True, False, IndexState.BUILDING),
    (None, True, False, IndexState.BUILDING),
    (BUILDING, False, False, IndexState.BUILDING),
    (BUILDING, True, True, IndexState.REBUILDING),
    (COMPLETE, True, True, IndexState.REBUILDING),
    (None, True, True, IndexState.REBUILDING),
    (None, False, True, IndexState.OLD),
    (BUILDING, False, True, IndexState.OLD),
    (None, False, False, IndexState.EMPTY),
]


@pytest.mark.parametrize(("progress", "current", "old", "state"), STATES)
def test_the_state_of_an_index(progress: IndexProgress | None, current: bool, old: bool, state: IndexState) -> None:
    catalog = Catalog(2, {} if progress is None else {"営業": progress})
    assert index_state(catalog, "営業", in_current=current, in_old=old) is state
    newer = Catalog(3, catalog.rows)
    assert index_state(newer, "営業", in_current=current, in_old=old) is IndexState.NEWER
    older = Catalog(1, catalog.rows)
    expected = IndexState.OLD if current or old else IndexState.EMPTY
    assert index_state(older, "営業", in_current=current, in_old=old) is expected


@pytest.mark.parametrize(
    ("current", "old", "state"),
    [
        (True, False, IndexState.BUILDING),
        (True, True, IndexState.REBUILDING),
        (False, True, IndexState.OLD),
        (False, False, IndexState.EMPTY),
    ],
)
def test_with_a_broken_catalogue_content_alone_decides(current: bool, old: bool, state: IndexState) -> None:
    catalog = parse_catalog("営業\t作り終えた\r\n")
    assert catalog.damaged
    assert index_state(catalog, "営業", in_current=current, in_old=old) is state
    assert workspace_state(catalog, {"営業": state}) is IndexState.BROKEN


def test_which_states_are_searched() -> None:
    assert {IndexState.CURRENT, IndexState.BUILDING, IndexState.REBUILDING} == SEARCHED_STATES


@pytest.mark.parametrize(
    ("states", "whole"),
    [
        ([], IndexState.EMPTY),
        ([IndexState.EMPTY], IndexState.EMPTY),
        ([IndexState.CURRENT, IndexState.EMPTY], IndexState.CURRENT),
        ([IndexState.CURRENT, IndexState.BUILDING], IndexState.BUILDING),
        ([IndexState.BUILDING, IndexState.REBUILDING], IndexState.REBUILDING),
        ([IndexState.REBUILDING, IndexState.OLD, IndexState.CURRENT], IndexState.OLD),
    ],
)
def test_the_state_of_the_workspace(states: list[IndexState], whole: IndexState) -> None:
    assert workspace_state(Catalog(2), {str(n): state for n, state in enumerate(states)}) is whole
    assert workspace_state(Catalog(9), {}) is IndexState.NEWER


def test_it_is_written_byte_for_byte(layout: Layout) -> None:
    catalog = Catalog()
    catalog.set("営業", BUILDING)
    catalog.set("2019年度", BUILDING)
    catalog.set("営業", COMPLETE)
    write_catalog(layout, catalog)
    expected = f"版=2\r\nアプリの版={__version__}\r\n2019年度\t作成中\r\n営業\t作り終えた\r\n"
    assert layout.catalog.read_bytes() == b"\xef\xbb\xbf" + expected.encode()
    assert read_catalog(layout) == Catalog(2, {"2019年度": BUILDING, "営業": COMPLETE})


def test_names_are_compared_without_case() -> None:
    catalog = Catalog(2, {"Sales": BUILDING})
    assert catalog.progress("SALES") is BUILDING
    catalog.set("sales", COMPLETE)
    assert catalog.rows == {"sales": COMPLETE}
    catalog.remove("SALES")
    assert catalog.rows == {} and catalog.progress("sales") is None


@pytest.mark.parametrize(
    "text",
    [
        "版=2\r\nアプリの版=v0.3.0\r\n営業\t作り終えた\r\n",
        "版=2\n営業\t作り終えた\n",
        "版=2\n営業\t作り終えた",
        "版=2\r\n新しい鍵=値\r\n営業\t作り終えた\t新しい列\t1\r\n知らない行\r\n\r\n別\t知らない状態\r\n",
        "版=2\r\n..\t作り終えた\r\na/b\t作成中\r\n営業\t作成中\r\n営業\t作り終えた\r\n",
    ],
)
def test_what_it_does_not_know_is_passed_over(text: str) -> None:
    assert parse_catalog(text) == Catalog(2, {"営業": COMPLETE})


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\xff\xfe\x48\x72", b"\x00" * 100, "版=二\r\n".encode(), b"x"])
def test_damage_is_told_and_repaired(layout: Layout, data: bytes) -> None:
    layout.catalog.write_bytes(data)
    catalog = read_catalog(layout)
    assert catalog.damaged and catalog.version is None
    assert repaired(catalog, {"営業": True, "空": False}) == Catalog(2, {"営業": BUILDING})


def test_one_that_is_missing_or_whole_needs_no_repair(layout: Layout) -> None:
    catalog = read_catalog(layout)
    assert catalog == Catalog() and repaired(catalog, {"営業": True}) is catalog


def test_it_cannot_be_read(layout: Layout) -> None:
    layout.catalog.mkdir()
    assert read_catalog(layout).damaged
