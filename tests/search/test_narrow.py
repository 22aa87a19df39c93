"""Narrowing by the 2-gram index never changes the rows: every query gives the same with it and without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from content_workspace import plain, write_part
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_search import ALPHABET, content_texts, expressions, is_valid

from tebunko.model.errors import UserError
from tebunko.search.engine import search
from tebunko.search.hits import Row, Skipped, Summary, to_json
from tebunko.search.narrow import wanted_of
from tebunko.search.options import SearchOptions
from tebunko.search.query import Word
from tebunko.search.request import SearchedIndex, make_request
from tebunko.store.ngram import segment_writer
from tebunko.store.ngram import update as update_module
from tebunko.store.ngram.keys import all_of, wanted_text
from tebunko.store.ngram.update import update_grams
from tebunko.store.workspace import Layout

SALES = SearchedIndex("営業")
EXAMPLES = int(os.environ.get("TEBUNKO_TEST_EXAMPLES", "0"))
"""More examples than the suite takes time for, for a run now and then."""

WORDS = st.text(st.sampled_from(ALPHABET + "髙高𠮷吉がｶﾞ㈱(株)Ⅲiー－か\u3099"), min_size=1, max_size=4)


@pytest.fixture(autouse=True)
def each_content_file_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As sharp as the index can be: a group for each content file, nothing hashed."""
    monkeypatch.setattr(update_module, "GROUP_BYTES", 1)
    monkeypatch.setattr(segment_writer, "_EXACT_SHARE", 1e9)


def answer(layout: Layout, options: SearchOptions) -> tuple[list[object], Summary]:
    rows: list[object] = []
    for event in search(layout, [SALES], make_request(options), threads=1):
        if isinstance(event, Summary):
            return rows, event
        rows += [_comparable(row) for row in event] if isinstance(event, list) else [_skipped(event)]
    raise AssertionError("no summary")


def _comparable(row: Row) -> object:
    return to_json(row)


def _skipped(event: Skipped) -> object:
    return (event.file, event.reason)


@st.composite
def queries(draw: st.DrawFn) -> SearchOptions:
    mode = draw(st.sampled_from(["words", "literal", "regex"]))
    if mode == "regex":
        query = draw(expressions)
    elif mode == "literal":
        query = draw(WORDS)
    else:
        pieces = st.lists(
            st.one_of(WORDS, st.sampled_from(["OR", "-a", "sheet:見積", "page:2", '"見 積"'])), min_size=1
        )
        query = " ".join(draw(pieces))
    return SearchOptions(
        query,
        regex=mode == "regex",
        literal=mode == "literal",
        case=draw(st.booleans()),
        forgiving=mode != "regex" and draw(st.booleans()),
        across=mode != "regex" and draw(st.booleans()),
        whole_file=draw(st.booleans()),
        rows=draw(st.sampled_from(["lines", "lines", "files", "count", "files_without_match"])),
        terms=draw(st.sampled_from([(), (), ("a", "見積"), ("K",)])) if mode != "regex" else (),
        sort=draw(st.sampled_from([None, None, "path", "hits"])),
    )


@given(st.lists(content_texts(), min_size=1, max_size=4), st.lists(queries(), min_size=1, max_size=8))
@settings(max_examples=EXAMPLES or 60, deadline=None)
def test_narrowed_is_what_a_full_scan_gives(
    tmp_path_factory: pytest.TempPathFactory, contents: list[str], asked: list[SearchOptions]
) -> None:
    layout = Layout(tmp_path_factory.mktemp("w"))
    folder = layout.content_folder("営業")
    folder.mkdir(parents=True)
    for number, content in enumerate(contents, 1):
        content = content.replace("見積", f"見積{number}-")
        (folder / f"content_index.xlsx.{number:03d}.tsv").write_bytes(content.encode("utf-16"))
    update_grams(layout)
    for options in asked:
        if options.regex and not is_valid(Word(options.query, True)):
            continue
        try:
            whole, _ = answer(layout, _without(options))
        except UserError:
            continue
        assert answer(layout, options)[0] == whole


def _without(options: SearchOptions) -> SearchOptions:
    fields = {name: getattr(options, name) for name in options.__dataclass_fields__}
    return SearchOptions(**{**fields, "narrowed": False})


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "ws")
    for number, line in enumerate(["売上 Apple", "売上 仕入", "請求 apple", "髙橋 1,234"], 1):
        write_part(made, "営業" if number < 3 else "営業\\別", {f"{number}.txt": plain(line)}, number)
    update_grams(made)
    return made


@pytest.mark.parametrize(
    ("query", "options", "read"),
    [
        ("売上", {}, 2),
        ("売上 仕入", {}, 1),
        ("仕入 OR 請求", {}, 2),
        ("売上 -仕入", {}, 2),
        ("仕入 kind:text", {}, 1),
        ("存在", {}, 0),
        ("APPLE", {}, 2),
        ("売上 APPLE", {"whole_file": True}, 1),
        ("高橋", {"forgiving": True}, 1),
        ("請.*apple", {"regex": True}, 1),
        ("(?:仕入|請求)", {"regex": True}, 2),
        (".+", {"regex": True}, 4),
        ("売上", {"narrowed": False}, 4),
        ("売上", {"rows": "files_without_match"}, 4),
        ("-売上", {}, 4),
        ("1234", {}, 4),
        ("", {"terms": ("仕入", "請求")}, 2),
        ("売上", {"terms": ("仕入", "請求")}, 1),
    ],
)
def test_only_content_files_that_may_have_rows_are_read(
    layout: Layout, query: str, options: dict[str, object], read: int
) -> None:
    assert answer(layout, SearchOptions(query, **options))[1].candidate_files == read  # type: ignore[arg-type]


def test_a_content_file_that_changed_since_is_read(layout: Layout) -> None:
    write_part(layout, "営業", {"1.txt": plain("存在")})
    rows, summary = answer(layout, SearchOptions("存在"))
    assert len(rows) == summary.candidate_files == 1


def test_without_an_index_everything_is_read(layout: Layout) -> None:
    for path in layout.ngram.iterdir():
        path.unlink()
    assert answer(layout, SearchOptions("存在"))[1].candidate_files == 4


def test_what_is_asked_of_the_index() -> None:
    def wanted(query: str, **options: object) -> object:
        return wanted_of(make_request(SearchOptions(query, **options)))  # type: ignore[arg-type]

    assert wanted("見積") == wanted_text("見積")
    assert wanted("(?i)ab.{3}cd", regex=True) == all_of([wanted_text("ab"), wanted_text("cd")])
    assert wanted("a*", regex=True) is None
    assert wanted("sheet:売上 -見積") is None
    assert wanted("見積 OR sheet:売上") is None
    assert wanted("2024-05-01") is None, "it may stand by its value where no such text is"
