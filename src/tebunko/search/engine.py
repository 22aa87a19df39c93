"""A search over the chosen indexes: rows in index order as they are found, beside an update that may be running.

What a reader sees while an update publishes (ARCHITECTURE.md, Readers beside a writer): content files are replaced whole, so
each text is old or new; but a source file's block may move from one content file of its folder to another between two
reads. So each folder's list is compared with the folder once its content files have been read, and those that are new or
changed are read as well. A source file that has given rows already gives none from another content file: it is seen before
or after its replacement, never twice.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tebunko.model.errors import UserError
from tebunko.model.kinds import kind_of
from tebunko.model.names import name_key
from tebunko.model.paths import fold
from tebunko.search.folders import ContentFolder, searched_folders
from tebunko.search.hits import Coverage, FileCount, FileMatch, FileTerms, Row, Skipped, SourceRef, Summary
from tebunko.search.narrow import Narrowing, last_change
from tebunko.search.part import NamedRow, PartSearch, PartTask
from tebunko.search.pipeline import run_in_order
from tebunko.search.request import Output, Scope, SearchedIndex, SearchRequest, Sort
from tebunko.search.texts import TextCache
from tebunko.store.content import PartFile
from tebunko.store.workspace import Layout

Event = list[Row] | Skipped | Summary
"""A batch of rows (never empty), a content file that could not be searched, or, once and last, the summary."""

_MOST_THREADS = 8
_RETRIES = 10
_SORTING_BYTES = 64 * 1024 * 1024
_SORTED_BATCH = 256


def search(
    layout: Layout,
    indexes: Sequence[SearchedIndex],
    request: SearchRequest,
    *,
    left_out: Sequence[str] = (),
    cache: TextCache | None = None,
    cancel: threading.Event | None = None,
    threads: int | None = None,
) -> Iterator[Event]:
    """Searches the indexes in the order given and yields what it finds as it finds it.

    ``left_out`` names indexes that cannot be searched (old or newer format), for the summary. ``cache`` keeps decoded texts
    for the next search. Rows are those of `SearchRequest.output`, and `FileMatch` for a query without words.

    Raises UserError at once for an unknown index in the request's scopes and an invalid expression; while it runs UserError
    for an expression that takes too long on a line, and Cancelled within 50 ms of ``cancel`` being set. Closing the
    iterator ends the search.
    """
    request = _with_names(request, indexes)
    chosen = [i for i in indexes if not request.scopes or any(s.index == i.name for s in request.scopes)]
    if cache is None and request.sort is not None:
        cache = TextCache(_SORTING_BYTES)
    parts = PartSearch(layout, request, cache)
    workers = threads or min(os.cpu_count() or 1, _MOST_THREADS)
    return _Search(layout, chosen, parts, workers, cancel).events(tuple(left_out))


def _with_names(request: SearchRequest, indexes: Sequence[SearchedIndex]) -> SearchRequest:
    """The request with index names spelled as the indexes are. Raises UserError for an unknown one."""
    names = {name_key(index.name): index.name for index in indexes}
    for scope in request.scopes:
        if name_key(scope.index) not in names:
            raise UserError("There is no index named {name} that can be searched", name=scope.index)

    def spelled(scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
        return tuple(replace(s, index=names.get(name_key(s.index), s.index)) for s in scopes)

    return replace(request, scopes=spelled(request.scopes), unsearched=spelled(request.unsearched))


@dataclass(slots=True)
class _FolderState:
    """A folder under way: its content files as listed, how many are still to be read, and where rows came from."""

    folder: ContentFolder
    listed: list[PartFile]
    left: int
    read: set[PartFile] = field(default_factory=set)
    given: dict[str, PartFile] = field(default_factory=dict)

    def not_given_elsewhere(self, rows: list[NamedRow], part: PartFile) -> list[NamedRow]:
        return [row for row in rows if self.given.setdefault(row[0], part) is part]


class _Search:
    """One run of a search, in the caller's thread."""

    def __init__(
        self,
        layout: Layout,
        indexes: Sequence[SearchedIndex],
        parts: PartSearch,
        threads: int,
        cancel: threading.Event | None,
    ) -> None:
        self._layout = layout
        self._indexes = indexes
        self._parts = parts
        self._request = parts.request
        self._threads = threads
        self._cancel = cancel
        self._states: dict[ContentFolder, _FolderState] = {}
        self._skipped: dict[str, Skipped] = {}
        self._unheard: list[Skipped] = []
        self._searched_bytes = 0
        self._candidate_files = 0
        self._without_record = 0
        self._without_values = 0
        self._narrowing = Narrowing(layout, parts.request)

    def events(self, left_out: tuple[str, ...]) -> Iterator[Event]:
        started = time.perf_counter()
        tally = _Tally(self._request.limit)
        for item in self._items():
            if isinstance(item, Skipped):
                yield item
                continue
            if batch := tally.taken(item):
                yield batch
            if tally.truncated:
                break
        yield from self._heard()
        yield Summary(
            tally.hits,
            tally.files,
            self._searched_bytes,
            self._candidate_files,
            time.perf_counter() - started,
            tally.truncated,
            tuple(self._skipped.values()),
            self._coverage(left_out),
        )

    def _items(self) -> Iterator[list[Row] | Skipped]:
        if self._request.sort is not None:
            yield from self._sorted(self._request.sort)
            return
        for item in self._stream(self._request.output):
            yield item if isinstance(item, Skipped) else [row for _, row in item[1]]

    def _coverage(self, left_out: tuple[str, ...]) -> Coverage:
        counts = [index.coverage for index in self._indexes]
        return Coverage(
            files=sum(c.files for c in counts),
            failed=sum(c.failed for c in counts),
            postponed=sum(c.postponed for c in counts),
            pending=sum(c.pending for c in counts),
            cloud_only=sum(c.cloud_only for c in counts),
            without_values=self._without_values,
            without_record=self._without_record,
            left_out=left_out,
            stale=sum(len(c.stale) for c in counts),
            updated=tuple((index.name, index.coverage.last_update) for index in self._indexes),
        )

    # --- in the order of the index ---------------------------------------------------------------------------------

    def _stream(self, output: Output) -> Iterator[tuple[PartTask, list[NamedRow]] | Skipped]:
        for task, batch in self._run(self._tasks(), output):
            state = self._states[task.folder]
            if batch is not None:
                if rows := state.not_given_elsewhere(batch, task.part):
                    yield task, rows
                continue
            self._account(task, state)
            yield from self._heard()
            state.left -= 1
            if not state.left:
                yield from self._settled(state, output)
                del self._states[task.folder]

    def _run(self, tasks: Iterable[PartTask], output: Output) -> Iterator[tuple[PartTask, list[NamedRow] | None]]:
        return run_in_order(tasks, lambda task: self._parts.rows(task, output), self._threads, self._cancel)

    def _tasks(self) -> Iterator[PartTask]:
        for index in self._indexes:
            for folder in searched_folders(self._layout, index, self._request):
                if isinstance(folder, Skipped):
                    self._skip(folder)
                    continue
                listed, candidates = self._candidates(folder)
                if candidates:
                    read = set(listed) - set(candidates)
                    self._states[folder] = _FolderState(folder, listed, len(candidates), read)
                    yield from (PartTask(folder, part) for part in candidates)

    def _candidates(self, folder: ContentFolder) -> tuple[list[PartFile], list[PartFile]]:
        """The content files of a folder, and those among them that may have rows.

        A folder that changes while it is listed may show a source file in none of its content files. Where some are read that is
        noticed behind them (`_settled`), else here.
        """
        for _ in range(_RETRIES):
            before = last_change(folder)
            listed = self._listed(folder)
            candidates = self._narrowing.candidates(folder, listed)
            if candidates or not listed or (before is not None and last_change(folder) == before):
                return listed, candidates
            if self._listed(folder) == listed:
                return listed, []
        return listed, listed

    def _listed(self, folder: ContentFolder) -> list[PartFile]:
        """The content files of a folder that may hold something of the chosen kinds."""
        kinds = self._request.kinds
        try:
            parts = folder.parts()
            return [p for p in parts if not kinds or kind_of(f".{p.extension}") in kinds | {None}]
        except OSError as error:
            self._skip(Skipped(folder.stored.replace("\\", "/"), error.strerror or str(error)))
            return []

    def _settled(self, state: _FolderState, output: Output) -> Iterator[tuple[PartTask, list[NamedRow]] | Skipped]:
        """What content files give that came or changed while their folder was read."""
        for _ in range(_RETRIES):
            now = self._listed(state.folder)
            new = [part for part in now if part not in state.read]
            if not new:
                return
            for task, batch in self._run([PartTask(state.folder, part) for part in new], output):
                if batch is None:
                    self._account(task, state)
                elif rows := state.not_given_elsewhere(batch, task.part):
                    yield task, rows
            yield from self._heard()

    def _account(self, task: PartTask, state: _FolderState) -> None:
        self._searched_bytes += task.searched_bytes
        self._candidate_files += task.searched_bytes > 0
        self._without_record += task.without_record
        self._without_values += task.without_values
        if task.skipped is not None:
            self._skip(task.skipped)
        if not task.changed:
            state.read.add(task.part)

    def _skip(self, skipped: Skipped) -> None:
        if skipped.file not in self._skipped:
            self._skipped[skipped.file] = skipped
            self._unheard.append(skipped)

    def _heard(self) -> Iterator[Skipped]:
        unheard, self._unheard = self._unheard, []
        yield from unheard

    # --- in another order ------------------------------------------------------------------------------------------

    def _sorted(self, sort: Sort) -> Iterator[list[Row] | Skipped]:
        """First which files have hits, and how many; then, file by file in the order wanted, their lines.

        So nothing holds more than a row a file, however many hits there are.
        """
        lines = self._request.output is Output.LINES
        counted = Output.COUNT if sort is Sort.HITS else Output.FILES
        asked = self._request.output
        first = counted if asked in (Output.LINES, Output.FILES) else asked
        found: list[tuple[PartTask, str, Row]] = []
        for item in self._stream(first):
            if isinstance(item, Skipped):
                yield item
            else:
                found += [(item[0], name, row) for name, row in item[1]]
        found.sort(key=lambda entry: _sort_key(sort, entry[2]))
        if lines and not self._parts.lists_files:
            yield from self._lines_of_files(found)
            return
        rows = [_as_asked(row, asked) for _, _, row in found]
        yield from (rows[at : at + _SORTED_BATCH] for at in range(0, len(rows), _SORTED_BATCH))

    def _lines_of_files(self, found: list[tuple[PartTask, str, Row]]) -> Iterator[list[Row]]:
        tasks = [PartTask(task.folder, task.part, only=name) for task, name, _ in found]
        given = False
        for task, batch in self._run(tasks, Output.LINES):
            if batch is not None:
                given = True
                yield [row for _, row in batch]
                continue
            if task.changed and not given:
                yield from self._lines_of_moved(task)
            given = False

    def _lines_of_moved(self, task: PartTask) -> Iterator[list[Row]]:
        """The lines of a source file whose content file was replaced since it was found: wherever its block is now."""
        holder: PartTask | None = None
        for _ in range(_RETRIES):
            parts = [part for part in self._listed(task.folder) if part.extension == task.part.extension]
            tasks = [PartTask(task.folder, part, only=task.only) for part in parts]
            for other, batch in self._run(tasks, Output.LINES):
                if batch is not None and holder in (None, other):
                    holder = other
                    yield [row for _, row in batch]
            if holder is not None or not any(other.changed for other in tasks):
                return


class _Tally:
    """Counts what is given and holds back what passes the limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._rows = 0
        self._last: SourceRef | None = None
        self.hits = 0
        self.files = 0
        self.truncated = False

    def taken(self, rows: list[Row]) -> list[Row]:
        """The rows of a batch that may be given."""
        if self._limit is not None and self._rows + len(rows) > self._limit:
            self.truncated = True
            rows = rows[: self._limit - self._rows]
        self._rows += len(rows)
        for row in rows:
            self.hits += _hits_of(row)
            if row.source is not self._last:
                self.files += 1
                self._last = row.source
        return rows


def _hits_of(row: Row) -> int:
    if isinstance(row, FileCount):
        return row.hits
    return sum(row.hits.values()) if isinstance(row, FileTerms) else 1


def _as_asked(row: Row, output: Output) -> Row:
    return FileMatch(row.source) if output is Output.FILES else row


def _sort_key(sort: Sort, row: Row) -> tuple[int, str, str, str]:
    source = row.source
    first = 0
    if sort is Sort.HITS:
        first = -_hits_of(row)
    elif sort is Sort.DATE:
        first = 0 if source.mtime_ns is None else -source.mtime_ns
    return first, fold(source.index), fold(source.file), source.file
