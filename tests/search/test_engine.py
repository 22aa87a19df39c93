"""Searching a workspace: order, filters, modes, sorting, what is skipped, and an update that runs meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from content_workspace import plain, write_part
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_search import content_texts, naive_found, naive_lines, naive_searched, texts

from tebunko.model.errors import Cancelled, UserError
from tebunko.model.kinds import FileKind
from tebunko.model.place import PlaceKind, page, sheet, slide
from tebunko.search import part as part_module
from tebunko.search.engine import search
from tebunko.search.hits import FileCount, FileMatch, FileTerms, Hit, Row, Skipped, Summary
from tebunko.search.names import parse_name_patterns
from tebunko.search.query import Item, Mode, Query, Word, parse_query
from tebunko.search.request import Output, Scope, SearchedIndex, SearchRequest, Sort, parse_scope
from tebunko.search.texts import Lacks, PartText, TextCache
from tebunko.store.content import PartFile
from tebunko.store.coverage import IndexCoverage
from tebunko.store.workspace import Layout

SALES = SearchedIndex("営業", "/data/営業")
TECH = SearchedIndex("開発")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture
def filled(layout: Layout) -> Layout:
    """Two indexes with sub-folders, several kinds, shapes, comments, notes."""
    write_part(
        layout,
        "営業",
        {
            "a.xlsx": [
                (sheet("売上"), ["りんご\t10", "", "みかん\tりんご"]),
                (sheet("売上", PlaceKind.SHAPE), ["B2\tりんごの図"]),
                (sheet("売上", PlaceKind.COMMENT), ["C3\tりんごのメモ"]),
            ],
            "b.xlsx": [(sheet("見積"), ["りんご"])],
        },
        records={"a.xlsx": (200 * 10**9, 10), "b.xlsx": (100 * 10**9, 5_000_000)},
    )
    write_part(layout, "営業", {"z.xlsx": [(sheet("x"), ["りんご"])]}, number=2, records={"z.xlsx": (300 * 10**9, 1)})
    write_part(layout, "営業", {"c.docx": [(page(1), ["りんごとみかん"]), (page(2), ["ぶどう"])]})
    write_part(layout, "営業\\2024", {"d.txt": plain("りんご Apple", "apple")})
    write_part(
        layout,
        "営業\\2024\\見積",
        {"e.pptx": [(slide(2), ["りんご"]), (slide(2, target=PlaceKind.NOTES), ["のりんご"])]},
    )
    write_part(layout, "営業\\Old", {"f.txt": plain("りんご")})
    write_part(layout, "開発", {"g.txt": plain("りんご")})
    return layout


def run(
    layout: Layout, request: SearchRequest, indexes: tuple[SearchedIndex, ...] = (SALES, TECH), **options: object
) -> list[Row]:
    rows, _ = run_all(layout, request, indexes, **options)
    return rows


def run_all(
    layout: Layout, request: SearchRequest, indexes: tuple[SearchedIndex, ...] = (SALES, TECH), **options: object
) -> tuple[list[Row], Summary]:
    rows: list[Row] = []
    events = list(search(layout, indexes, request, **options))  # type: ignore[arg-type]
    for event in events:
        if isinstance(event, list):
            assert event
            rows += event
    assert isinstance(events[-1], Summary)
    return rows, events[-1]


def ask(text: str, **options: object) -> SearchRequest:
    return SearchRequest(parse_query(text), **options)  # type: ignore[arg-type]


def where(rows: list[Row]) -> list[str]:
    return [row.locator if isinstance(row, Hit) else row.source.locator for row in rows]


ALL = [
    "営業/c.docx#ページ001:1",
    "営業/a.xlsx#売上!A1",
    "営業/a.xlsx#売上!B3",
    "営業/a.xlsx#売上[コメント]!C3",
    "営業/a.xlsx#売上[図形]!B2",
    "営業/b.xlsx#見積!A1",
    "営業/z.xlsx#x!A1",
    "営業/2024/d.txt#本文:1",
    "営業/2024/見積/e.pptx#スライド002:1",
    "営業/2024/見積/e.pptx#スライド002_ノート:1",
    "営業/Old/f.txt#本文:1",
    "開発/g.txt#本文:1",
]


@pytest.mark.parametrize("threads", [1, 3])
def test_order_is_folders_then_content_files_then_places(filled: Layout, threads: int) -> None:
    assert where(run(filled, ask("りんご"), threads=threads)) == ALL


def test_rows_carry_path_line_and_spans(filled: Layout) -> None:
    hit = run(filled, ask("りんご"))[2]
    assert isinstance(hit, Hit)
    assert (hit.source.path, hit.line, hit.text, hit.spans) == ("/data/営業/a.xlsx", 3, "みかん\tりんご", [(4, 7)])
    assert run(filled, ask("りんご"), (TECH,))[0].source.path is None


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"kinds": frozenset({FileKind.WORD, FileKind.PDF})}, ALL[:1]),
        ({"kinds": frozenset({FileKind.TEXT})}, [ALL[7], ALL[10], ALL[11]]),
        ({"names": parse_name_patterns("*.xlsx;!a*")}, ALL[5:7]),
        ({"shapes": False}, ALL[:4] + ALL[5:]),
        ({"comments": False}, ALL[:3] + ALL[4:]),
        ({"scopes": (Scope("開発"),)}, ALL[11:]),
        ({"scopes": (parse_scope("営業/2024"),)}, ALL[7:10]),
        ({"scopes": (parse_scope("営業/2024/見積"), parse_scope("開発"))}, [*ALL[8:10], ALL[11]]),
        ({"scopes": (Scope("営業", "", subfolders=False),)}, ALL[:7]),
        ({"unsearched": (Scope("営業", "2024", subfolders=False), Scope("開発"))}, ALL[:7] + ALL[8:11]),
        ({"unsearched": (Scope("営業", "2024"),)}, ALL[:7] + ALL[10:]),
        ({"limit": 4}, ALL[:4]),
        ({"limit": 12}, ALL),
    ],
)
def test_filters(filled: Layout, options: dict[str, object], left: list[str]) -> None:
    rows, summary = run_all(filled, ask("りんご", **options))
    assert where(rows) == left
    assert summary.truncated is (options.get("limit") == 4)
    assert summary.hits == len(left)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("りんご みかん", ["営業/c.docx#ページ001:1", "営業/a.xlsx#売上!A3"]),
        ("りんご -みかん sheet:売上 in:cell", ["営業/a.xlsx#売上!A1"]),
        ("ぶどう OR 10", ["営業/c.docx#ページ002:1", "営業/a.xlsx#売上!B1"]),
        ("apple", ["営業/2024/d.txt#本文:1", "営業/2024/d.txt#本文:2"]),
        ("りんご in:notes", ["営業/2024/見積/e.pptx#スライド002_ノート:1"]),
        ("りんご slide:2 -in:notes", ["営業/2024/見積/e.pptx#スライド002:1"]),
        ("りんご folder:2024", ALL[7:10]),
        ("りんご size:>1MB", ["営業/b.xlsx#見積!A1"]),
        ("りんご -size:>1MB", [*ALL[1:5], ALL[6]]),
        ("りんご OR apple name:d.txt", ["営業/2024/d.txt#本文:1", "営業/2024/d.txt#本文:2"]),
        ("ない", []),
    ],
)
def test_queries(filled: Layout, text: str, found: list[str]) -> None:
    assert where(run(filled, ask(text))) == found


def test_files_without_a_record_are_counted(filled: Layout) -> None:
    _, summary = run_all(filled, ask("りんご size:>1MB"))
    assert summary.coverage.without_record == 5


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("-りんご", []),
        ("-みかん", ["b.xlsx", "z.xlsx", "2024/d.txt", "2024/見積/e.pptx", "Old/f.txt", "g.txt"]),
        ("page:2", ["c.docx"]),
        ("sheet:売上 -みかん", []),
        ("sheet:売上 in:comment -みかん", ["a.xlsx"]),
        ("kind:text", ["2024/d.txt", "Old/f.txt", "g.txt"]),
        ("after:1970-01-02", []),
        ("-ぶどう -Apple kind:word,text", ["Old/f.txt", "g.txt"]),
    ],
)
def test_only_exclusions_and_fields_list_files(filled: Layout, text: str, files: list[str]) -> None:
    rows = run(filled, ask(text))
    assert all(isinstance(row, FileMatch) for row in rows)
    assert [row.source.file for row in rows] == files


def test_files_counts_and_files_without(filled: Layout) -> None:
    files = run(filled, ask("みかん OR ぶどう", output=Output.FILES))
    assert [type(row) for row in files] == [FileMatch, FileMatch]
    assert [row.source.file for row in files] == ["c.docx", "a.xlsx"]
    counts = run(filled, ask("りんご OR ぶどう", output=Output.COUNT))
    assert [(row.source.file, row.hits) for row in counts if isinstance(row, FileCount)][:3] == [
        ("c.docx", 2),
        ("a.xlsx", 4),
        ("b.xlsx", 1),
    ]
    without = run(filled, ask("みかん OR ぶどう", output=Output.WITHOUT, kinds=frozenset({FileKind.EXCEL})))
    assert [row.source.file for row in without] == ["b.xlsx", "z.xlsx"]


def test_words_of_a_list(filled: Layout) -> None:
    rows = run(
        filled,
        SearchRequest(None, output=Output.TERMS, terms=("りんご", "apple", "OR"), kinds=frozenset({FileKind.TEXT})),
    )
    assert [(row.source.file, row.hits) for row in rows if isinstance(row, FileTerms)] == [
        ("2024/d.txt", {"りんご": 1, "apple": 2}),
        ("Old/f.txt", {"りんご": 1}),
        ("g.txt", {"りんご": 1}),
    ]


def test_whole_file(filled: Layout) -> None:
    rows = run(filled, ask("りんご ぶどう", whole_file=True))
    assert where(rows) == ["営業/c.docx#ページ001:1", "営業/c.docx#ページ002:1"]
    assert run(filled, ask("りんご -ぶどう name:c", whole_file=True)) == []


@pytest.mark.parametrize(
    ("sort", "files"),
    [
        (Sort.PATH, ["2024/d.txt", "2024/見積/e.pptx", "a.xlsx", "b.xlsx", "c.docx", "Old/f.txt", "z.xlsx", "g.txt"]),
        (Sort.DATE, ["z.xlsx", "a.xlsx", "b.xlsx", "2024/d.txt", "2024/見積/e.pptx", "c.docx", "Old/f.txt", "g.txt"]),
        (Sort.HITS, ["a.xlsx", "2024/見積/e.pptx", "2024/d.txt", "b.xlsx", "c.docx", "Old/f.txt", "z.xlsx", "g.txt"]),
    ],
)
def test_other_orders(filled: Layout, sort: Sort, files: list[str]) -> None:
    rows = run(filled, ask("りんご", sort=sort))
    assert list(dict.fromkeys(row.source.file for row in rows)) == files
    assert sorted(where(rows)) == sorted(ALL)
    listed = run(filled, ask("りんご", sort=sort, output=Output.FILES))
    assert [row.source.file for row in listed] == files
    assert all(isinstance(row, FileMatch) for row in listed)


def test_context_stays_in_the_place(layout: Layout) -> None:
    write_part(layout, "営業", {"a.txt": plain("1", "2", "x", "", "5")})
    hits = [h for h in run(layout, ask("x", context=3)) if isinstance(h, Hit)]
    assert [(h.before, h.after) for h in hits] == [(["1", "2"], ["", "5"])]


def test_stored_names_become_real_ones(layout: Layout) -> None:
    write_part(layout, "営業\\a%3Ab", {"x%3Fy.txt": plain("りんご")})
    index = SearchedIndex(
        "営業", "/data", IndexCoverage(done=1, stale={"営業\\a%3Ab\\x%3Fy.txt": "2024/04/01 10:00:00"})
    )
    (row,) = run(layout, ask("りんご", names=parse_name_patterns("x?y*")), (index,))
    assert (row.source.file, row.source.path) == ("a:b/x?y.txt", "/data/a:b/x?y.txt")
    assert row.source.as_of == "2024/04/01 10:00:00"


def test_coverage_is_that_of_the_chosen_indexes(filled: Layout) -> None:
    indexes = (
        SearchedIndex("営業", None, IndexCoverage(5, 1, 2, 3, 4)),
        SearchedIndex("開発", None, IndexCoverage(100)),
    )
    _, summary = run_all(filled, ask("りんご", scopes=(Scope("営業"),)), indexes, left_out=("旧",))
    coverage = summary.coverage
    assert (coverage.files, coverage.failed, coverage.postponed, coverage.pending, coverage.cloud_only) == (
        11,
        1,
        2,
        3,
        4,
    )
    assert coverage.left_out == ("旧",)


def test_an_unknown_index_is_an_error(filled: Layout) -> None:
    with pytest.raises(UserError, match="無い"):
        search(filled, [SALES], ask("x", scopes=(Scope("無い"),)))


def test_index_names_are_told_apart_without_case(layout: Layout) -> None:
    write_part(layout, "Sales", {"a.txt": plain("x")})
    assert where(run(layout, ask("x", scopes=(Scope("sALES"),)), (SearchedIndex("Sales"),))) == ["Sales/a.txt#本文:1"]


def test_an_invalid_expression_is_an_error_at_once(filled: Layout) -> None:
    with pytest.raises(UserError, match="position"):
        search(filled, [SALES], SearchRequest(Query(((Item(Word("(", is_regex=True)),),))))


def test_what_cannot_be_read_is_skipped_and_told(filled: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = filled.content_folder("営業")
    (folder / "content_index.csv.001.tsv").write_bytes("\ufeff\x1e 版=3\n".encode("utf-16-le"))
    (folder / "content_index.log.001.tsv").write_bytes(b"junk")
    with (folder / "content_index.md.001.tsv").open("wb") as writer:
        writer.truncate(64 * 1024 * 1024 + 2)
    rows, summary = run_all(filled, ask("りんご"))
    assert where(rows) == ALL
    assert [(s.file.rpartition("/")[2], s.reason) for s in summary.skipped] == [
        ("content_index.csv.001.tsv", "It has another format version"),
        ("content_index.log.001.tsv", "It is not a content file or it is damaged"),
        ("content_index.md.001.tsv", "It is over 64 MB"),
    ]
    assert [e for e in search(filled, [SALES], ask("りんご")) if isinstance(e, Skipped)] == list(summary.skipped)


def test_an_index_without_a_folder_gives_nothing(layout: Layout) -> None:
    assert run(layout, ask("x")) == []


# --- beside an update -------------------------------------------------------------------------------------------------


def meddle(monkeypatch: pytest.MonkeyPatch, before: dict[str, list[object]]) -> None:
    """Runs callables, each once, just before a content file of that name is read."""
    real = part_module.read_current

    def reading(part: PartFile, lacks: Lacks | None = None) -> tuple[PartText | None, bool]:
        for action in before.pop(part.path.name, []):
            action()  # type: ignore[operator]
        return real(part, lacks)

    monkeypatch.setattr(part_module, "read_current", reading)


def test_a_block_that_moves_is_seen_once(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """b.txt moves from content file 2 to 1 after 1 was read and before 2 is."""
    write_part(layout, "営業", {"a.txt": plain("x a")})
    write_part(layout, "営業", {"b.txt": plain("x b"), "c.txt": plain("x c")}, number=2)

    def move() -> None:
        write_part(layout, "営業", {"a.txt": plain("x a"), "b.txt": plain("x b new")})
        write_part(layout, "営業", {"c.txt": plain("x c")}, number=2)

    meddle(monkeypatch, {"content_index.txt.002.tsv": [move]})
    hits = run(layout, ask("x"), threads=1)
    assert sorted(h.text for h in hits if isinstance(h, Hit)) == ["x a", "x b new", "x c"]


def test_a_block_in_two_content_files_is_seen_once(layout: Layout) -> None:
    write_part(layout, "営業", {"a.txt": plain("x", "x")})
    write_part(layout, "営業", {"a.txt": plain("x", "x"), "b.txt": plain("x")}, number=2)
    assert where(run(layout, ask("x"))) == ["営業/a.txt#本文:1", "営業/a.txt#本文:2", "営業/b.txt#本文:1"]


def test_a_content_file_that_vanishes_or_comes_is_no_error(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    write_part(layout, "営業", {"a.txt": plain("x a")})
    path = write_part(layout, "営業", {"b.txt": plain("x b")}, number=2)

    def change() -> None:
        path.unlink()
        write_part(layout, "営業", {"b.txt": plain("x b")}, number=3)

    meddle(monkeypatch, {"content_index.txt.002.tsv": [change]})
    rows, summary = run_all(layout, ask("x"), threads=1)
    assert [h.text for h in rows if isinstance(h, Hit)] == ["x a", "x b"]
    assert summary.skipped == ()


def test_a_removed_folder_is_no_error(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_part(layout, "営業", {"a.txt": plain("x a")})

    def remove() -> None:
        path.unlink()
        path.parent.rmdir()

    meddle(monkeypatch, {"content_index.txt.001.tsv": [remove]})
    rows, summary = run_all(layout, ask("x"), threads=1)
    assert (rows, summary.skipped) == ([], ())


def test_sorted_lines_follow_a_block_that_moved(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_part(layout, "営業", {"a.txt": plain("x a")})
    calls = []

    def move() -> None:
        write_part(layout, "営業", {"a.txt": plain("x a")}, number=2)
        path.unlink()

    real = part_module.read_current

    def reading(part: PartFile, lacks: Lacks | None = None) -> tuple[PartText | None, bool]:
        calls.append(part)
        if len(calls) == 2:
            move()
        return real(part, lacks)

    monkeypatch.setattr(part_module, "read_current", reading)
    monkeypatch.setattr(TextCache, "get", lambda self, part: None)
    assert where(run(layout, ask("x", sort=Sort.PATH))) == ["営業/a.txt#本文:1"]


# --- cancel, cache, everything at once --------------------------------------------------------------------------------


def test_a_cancel_ends_the_search(filled: Layout) -> None:
    cancel = threading.Event()
    events = search(filled, [SALES, TECH], ask("りんご"), cancel=cancel)
    next(events)
    cancel.set()
    with pytest.raises(Cancelled):
        list(events)


def test_a_cache_gives_the_same_and_notices_changes(layout: Layout) -> None:
    cache = TextCache()
    write_part(layout, "営業", {"a.txt": plain("x 1")})
    for _ in range(2):
        assert [h.text for h in run(layout, ask("x"), cache=cache) if isinstance(h, Hit)] == ["x 1"]
    assert cache.bytes > 0
    write_part(layout, "営業", {"a.txt": plain("x 2", "x 3")})
    assert [h.text for h in run(layout, ask("x"), cache=cache) if isinstance(h, Hit)] == ["x 2", "x 3"]


def test_the_cache_is_bounded_and_keeps_what_it_has() -> None:
    text = PartText("x" * 1000)
    cache = TextCache(text.bytes * 2 + 10)
    parts = [PartFile(Path(f"{n}"), "txt", n, 1, 1) for n in range(3)]
    for part in parts:
        cache.put(part, text)
    assert [cache.get(part) is text for part in parts] == [True, True, False]
    assert cache.get(parts[0]._replace(mtime_ns=2)) is None
    assert cache.bytes <= text.bytes * 2


@given(
    st.lists(content_texts(), min_size=1, max_size=5),
    texts.filter(bool),
    st.booleans(),
    st.sampled_from([None, Sort.PATH]),
)
@settings(max_examples=40, deadline=None)
def test_the_engine_finds_what_line_by_line_finds(
    tmp_path_factory: pytest.TempPathFactory, contents: list[str], literal: str, case: bool, sort: Sort | None
) -> None:
    layout = Layout(tmp_path_factory.mktemp("w"))
    expected = []
    for number, content in enumerate(contents, 1):
        content = content.replace("見積", f"見積{number}-")
        folder = layout.content_folder("営業")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"content_index.xlsx.{number:03d}.tsv").write_bytes(content.encode("utf-16"))
        expected += list(_expected(content, Word(literal), case))
    request = SearchRequest(parse_query(literal, Mode.LITERAL, case=case), sort=sort)
    found = [(h.source.file, h.place.name, h.line, h.text) for h in run(layout, request) if isinstance(h, Hit)]
    if sort is None:
        assert found == expected
    assert sorted(found) == sorted(expected)
    count = run(layout, SearchRequest(request.query, output=Output.COUNT))
    assert sum(row.hits for row in count if isinstance(row, FileCount)) == len(expected)


def _expected(content: str, word: Word, case: bool) -> Iterator[tuple[str, str, int, str]]:
    for line in naive_lines(content):
        searched = naive_searched(line)
        if searched is not None and naive_found(word, searched[1], case):
            yield line.source, line.place.name, line.number, line.text
