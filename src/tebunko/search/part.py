"""One content file searched: from its text to result rows. Runs in the worker threads of a search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.paths import decode_segment
from tebunko.search.by_value import FoundValues, find_values
from tebunko.search.fields import RECORDED, SourceFacts
from tebunko.search.folders import ContentFolder
from tebunko.search.hits import FileCount, FileMatch, FileTerms, Hit, Row, Skipped, SourceRef
from tebunko.search.memory import keep_freed_memory
from tebunko.search.probe import probe_of
from tebunko.search.query import Item, Query, Word
from tebunko.search.request import Output, SearchRequest, Sort
from tebunko.search.scan import PartScan, Plan, RawHit, SourceBlock
from tebunko.search.texts import PartText, TextCache, read_current
from tebunko.store.content import FILE_KEY, MARK, ContentError, PartFile, PlaceSpan
from tebunko.store.sources import SourceFile, SourceRecord, read_sources
from tebunko.store.values import ValueRange
from tebunko.store.workspace import Layout

_MANY_TEXTS = 16
_FIRST_BATCH = 16
_LARGEST_BATCH = 512

NamedRow = tuple[str, Row]
"""A row and the stored name of its source file."""


@dataclass(slots=True, eq=False)
class PartTask:
    """A content file to be searched, and what searching it told besides rows.

    ``only`` limits it to one source file, by stored name. ``changed``: the file was not any more, or not there, when it was
    read.
    """

    folder: ContentFolder
    part: PartFile
    only: str | None = None
    searched_bytes: int = 0
    without_record: int = 0
    without_values: int = 0
    changed: bool = False
    skipped: Skipped | None = None


class PartSearch:
    """What the parts of one search share: its plans, the request and the cache."""

    def __init__(self, layout: Layout, request: SearchRequest, cache: TextCache | None) -> None:
        self._layout = layout
        self._cache = cache
        self.request = request
        self.plan = Plan(request.query) if request.query is not None else None
        self._terms = {term: Plan(_with_term(request.query, term)) for term in request.terms}
        plans = [self.plan, *self._terms.values()]
        self._sought = {word: values for plan in plans if plan for word, values in plan.sought.items()}
        fields = request.query.fields if request.query is not None else ()
        self._judges_records = any(field.name in RECORDED for field in fields)
        self._decoded = 0
        asks_all = self._sought or request.terms or request.output is Output.WITHOUT or request.query is None
        self._lacks = None if asks_all or request.query is None else probe_of(request.query)

    @property
    def lists_files(self) -> bool:
        """True if the answer is files whatever rows are asked for: a query without words."""
        return self.plan is not None and self.plan.query.lists_files and not self.request.terms

    def rows(self, task: PartTask, output: Output) -> Iterator[list[NamedRow]]:
        """The rows of a content file in order, in batches; counts and troubles are left in the task."""
        try:
            text = self._text(task)
        except FileNotFoundError:
            task.changed = True
            return
        except ContentError as error:
            task.skipped = Skipped(_shown(task), error.reason)
            return
        except OSError as error:
            task.skipped = Skipped(_shown(task), error.strerror or str(error))
            return
        task.searched_bytes = task.part.size
        if text is None:
            return
        sources = _Sources(self._layout, self.request, task, self._judges_records)
        yield from _batches(self._rows(task, text, sources, output))
        task.without_record = sources.without_record
        if self._sought:
            task.without_values = sources.without_values(text.text)

    def _text(self, task: PartTask) -> PartText | None:
        """The text of a content file, None if it is certain that it has no rows."""
        kept = self._cache.get(task.part) if self._cache is not None else None
        if kept is not None:
            return kept
        text, current = read_current(task.part, self._lacks)
        self._decoded += text is not None
        if self._decoded == _MANY_TEXTS:
            keep_freed_memory()
        task.changed = not current
        if current and text is not None and self._cache is not None:
            self._cache.put(task.part, text)
        return text

    def _rows(self, task: PartTask, text: PartText, sources: _Sources, output: Output) -> Iterator[NamedRow]:
        if output is Output.TERMS:
            yield from self._term_rows(text, sources)
            return
        assert self.plan is not None
        values = sources.values(self._sought)
        scan = PartScan(self.plan, text.text, text.places, sources.facts, values, marked=output is Output.LINES)
        if self.plan.query.lists_files:
            yield from _listed_files(scan, sources, output)
        elif output is Output.LINES:
            hits = self._hits(scan, task.only)
            yield from ((scan.places[hit.place].source, self._hit(scan, text.text, hit, sources)) for hit in hits)
        elif output is Output.WITHOUT:
            yield from self._files_without(scan, sources)
        else:
            yield from self._counted_files(scan, sources, output)

    def _hits(self, scan: PartScan, only: str | None) -> Iterator[RawHit]:
        search = scan.whole_file_hits if self.request.whole_file else scan.line_hits
        if only is None:
            return search()
        bounds = [scan.bounds(block) for block in scan.blocks if block.name == only]
        return chain.from_iterable(search(low, high) for low, high in bounds)

    def _counts(self, scan: PartScan) -> Iterator[tuple[SourceBlock, int]]:
        """The source files with hits and how many, in order."""
        return scan.whole_file_counts() if self.request.whole_file else scan.line_counts()

    def _hit(self, scan: PartScan, text: str, raw: RawHit, sources: _Sources) -> Hit:
        place = scan.places[raw.place]
        hit = Hit(
            sources.ref(place), place.place, raw.line, text[raw.start : raw.end], raw.spans, by_value=raw.by_value
        )
        if self.request.context:
            hit.before = _lines_before(text, place.start, raw.start, self.request.context)
            hit.after = _lines_after(text, raw.end + 1, place.end, self.request.context)
        return hit

    def _counted_files(self, scan: PartScan, sources: _Sources, output: Output) -> Iterator[NamedRow]:
        if output is Output.FILES and not self.request.whole_file:
            yield from _files_by_first_hit(scan, sources)
            return
        for block, count in self._counts(scan):
            ref = sources.ref(scan.places[block.first])
            yield block.name, FileCount(ref, count) if output is Output.COUNT else FileMatch(ref)

    def _files_without(self, scan: PartScan, sources: _Sources) -> Iterator[NamedRow]:
        matching = {block.first for block, _ in self._counts(scan)}
        for block in scan.blocks:
            if block.first not in matching and scan.searched(block):
                yield block.name, FileMatch(sources.ref(scan.places[block.first]))

    def _term_rows(self, text: PartText, sources: _Sources) -> Iterator[NamedRow]:
        found: dict[int, tuple[SourceBlock, dict[str, int]]] = {}
        places = text.places
        values = sources.values(self._sought)
        for term, plan in self._terms.items():
            scan = PartScan(plan, text.text, places, sources.facts, values, marked=False)
            for block, count in self._counts(scan):
                found.setdefault(block.first, (block, {}))[1][term] = count
        for first, (block, counts) in sorted(found.items()):
            yield block.name, FileTerms(sources.ref(places()[first]), counts)


class _Sources:
    """What is known of the source files of one content file."""

    def __init__(self, layout: Layout, request: SearchRequest, task: PartTask, judges_records: bool) -> None:
        self._request = request
        self._layout = layout
        self._task = task
        self._folder = task.folder
        self._facts: dict[str, SourceFacts | None] = {}
        self._refs: dict[str, SourceRef] = {}
        self._records: dict[str, SourceRecord] = {}
        self._judges_records = judges_records
        self.without_record = 0
        if judges_records or request.sort is Sort.DATE:
            self._records = self._mirror.records if self._mirror else {}

    @cached_property
    def _mirror(self) -> SourceFile | None:
        return read_sources(self._layout.sources_folder(self._folder.stored), self._task.part)

    @property
    def _has_values(self) -> bool:
        return kind_of(f".{self._task.part.extension}") is FileKind.EXCEL

    def values(self, sought: Mapping[str, ValueRange]) -> FoundValues:
        """The cells that hold what a word means."""
        if not sought or not self._has_values or self._mirror is None:
            return {}
        return find_values(self._mirror, sought)

    def without_values(self, text: str) -> int:
        """How many workbooks there are whose values are not known."""
        if not self._has_values:
            return 0
        return text.count(f"{MARK}{FILE_KEY}=") if self._mirror is None else len(self._mirror.others)

    def facts(self, place: PlaceSpan) -> SourceFacts | None:
        """What fields may ask, None if the request leaves the place out."""
        if not self._request.searches_place(place.place):
            return None
        if place.source not in self._facts:
            self._facts[place.source] = self._source_facts(place)
        return self._facts[place.source]

    def _source_facts(self, place: PlaceSpan) -> SourceFacts | None:
        name = decode_segment(place.source)
        request = self._request
        if (request.kinds and place.kind not in request.kinds) or not request.names.passes(name):
            return None
        record = self._records.get(place.source)
        if record is None:
            self.without_record += self._judges_records
            return SourceFacts(name, self._folder_path, place.kind, None, None)
        return SourceFacts(name, self._folder_path, place.kind, record.mtime_ns, record.size)

    @property
    def _folder_path(self) -> str:
        folder = self._folder
        return f"{folder.index.name}/{folder.real}" if folder.real else folder.index.name

    def ref(self, place: PlaceSpan) -> SourceRef:
        """The source file of a place, for result rows."""
        if place.source not in self._refs:
            self._refs[place.source] = self._new_ref(place)
        return self._refs[place.source]

    def _new_ref(self, place: PlaceSpan) -> SourceRef:
        index = self._folder.index
        name = decode_segment(place.source)
        file = f"{self._folder.real}/{name}" if self._folder.real else name
        path = None if index.source_folder is None else os.path.join(index.source_folder, *file.split("/"))
        record = self._records.get(place.source)
        return SourceRef(
            index.name,
            file,
            path,
            place.kind,
            index.coverage.stale.get(f"{self._folder.stored}\\{place.source}"),
            record.mtime_ns if record else None,
        )


def _with_term(query: Query | None, term: str) -> Query:
    given = query or Query(())
    return replace(given, clauses=(*given.clauses, (Item(Word(term)),)))


def _shown(task: PartTask) -> str:
    return f"{task.folder.stored}\\{task.part.path.name}".replace("\\", "/")


def _batches(rows: Iterator[NamedRow]) -> Iterator[list[NamedRow]]:
    """A few rows at first, so that the first are seen at once; then many, since each batch costs a hand-over."""
    batch: list[NamedRow] = []
    size = _FIRST_BATCH
    for row in rows:
        batch.append(row)
        if len(batch) >= size:
            yield batch
            batch = []
            size = min(size * 2, _LARGEST_BATCH)
    if batch:
        yield batch


def _files_by_first_hit(scan: PartScan, sources: _Sources) -> Iterator[NamedRow]:
    """Each source file with a hit; its further lines are not looked at."""
    low = 0
    while (hit := next(scan.line_hits(low), None)) is not None:
        block = scan.blocks[scan.block_of(hit.place)]
        yield block.name, FileMatch(sources.ref(scan.places[hit.place]))
        low = scan.bounds(block)[1]


def _listed_files(scan: PartScan, sources: _Sources, output: Output) -> Iterator[NamedRow]:
    """The answer to a query without words: files in which it holds, or for `Output.WITHOUT` in which it does not."""
    for block in scan.blocks:
        holds = bool(scan.whole_file_holds(block))
        if holds is not (output is Output.WITHOUT) and scan.searched(block):
            yield block.name, FileMatch(sources.ref(scan.places[block.first]))


def _lines_before(text: str, low: int, start: int, count: int) -> list[str]:
    lines: list[str] = []
    while start > low and len(lines) < count:
        end = start - 1
        start = text.rfind("\n", low, end) + 1 or low
        lines.append(text[start:end])
    return lines[::-1]


def _lines_after(text: str, start: int, high: int, count: int) -> list[str]:
    lines: list[str] = []
    while start < high and len(lines) < count:
        end = text.find("\n", start, high)
        end = high if end < 0 else end
        lines.append(text[start:end])
        start = end + 1
    return lines
