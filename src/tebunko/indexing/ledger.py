"""The rows of a run and its journal: what they say at each moment, written in the order that makes a kill harmless."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tebunko.indexing.recover import Leftover, leftover, parse_ingesting, rows_of_run
from tebunko.indexing.worker import Outcome, Task
from tebunko.model.errors import LOSES_TEXT, Reason, sentence_on_disk
from tebunko.model.kinds import extension_of
from tebunko.model.paths import fold, split_stored
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.fs import patiently
from tebunko.store.ingest_list import IngestList, ListWriter, Row, read_list
from tebunko.store.journal import (
    JournalWriter,
    Kind,
    Placed,
    Record,
    count_record,
    path_record,
    placed_record,
    read_journal,
    run_record,
)
from tebunko.store.pending import read_pending, write_pending
from tebunko.store.publish import Publication
from tebunko.store.workspace import Layout


def now() -> str:
    """The present time as the list writes it."""
    return format_file_time(time.time_ns())


def pending_row(old: Row | None, stored: str, mtime_ns: int, size: int) -> Row:
    """The row of a file that is to be read: 未取り込み, with what an earlier reading left in the index, if any."""
    row = Row(stored, format_file_time(mtime_ns), size, FileState.PENDING)
    if old is not None and (old.state is FileState.DONE or old.has_old_text):
        row = row._replace(places=old.places, ingested=old.ingested, version=old.version)
    return row


def done_row(placed: Placed) -> Row:
    """The row of a file whose text is published: 済."""
    modified = format_file_time(placed.mtime_ns)
    return Row(placed.path, modified, placed.size, FileState.DONE, placed.places, placed.ingested, "", placed.version)


def unread_row(old: Row, reason: Reason, detail: str, version: int) -> Row:
    """The row of a file that could not be read: 失敗, or 未取り込み with the reason if the world was in the way.

    ``old`` is its 未取り込み row of this run. Postponed rows keep what tells of an earlier reading (the text stays).
    """
    sentence = sentence_on_disk(reason, detail)
    if reason in LOSES_TEXT:
        return Row(old.path, old.modified, old.size, FileState.FAILED, None, now(), sentence, version)
    return old._replace(error=sentence, version=version)


class PublishedFolder(NamedTuple):
    """A stored folder whose content files hold these stored names now, and no more those."""

    stored: str
    names: frozenset[str]
    removed: frozenset[str]


@dataclass(slots=True)
class Ledger:
    """List, journal and removals of a workspace whose lock is held.

    ``strikes`` counts for stored paths how often in a row a kill interrupted their reading. ``unpublished`` are finished
    readings by stored path that are not yet in the content files, ``losing`` stored paths whose text is to leave them.
    """

    layout: Layout
    rows: IngestList
    writer: ListWriter
    journal: JournalWriter
    removals: set[tuple[str, str]]
    strikes: dict[str, int] = field(default_factory=dict)
    unpublished: dict[str, Placed] = field(default_factory=dict)
    losing: set[str] = field(default_factory=set)

    @classmethod
    def open(cls, layout: Layout) -> tuple[Ledger, Leftover]:
        """Reads what is there, and what the run before left to be made good."""
        writer = ListWriter(layout.ingest_list)
        records = read_journal(layout)
        rows = read_list(layout.ingest_list, rows_of_run(records))
        left = leftover(records, rows, layout.spool)
        left.redo |= _old_journal(layout)
        return cls(layout, rows, writer, JournalWriter(layout), read_pending(layout)), left

    def is_done(self, stored: str) -> bool:
        """True if the row of a stored path lets its text stand: 済, or kept although a later reading was postponed.

        May be called from another thread.
        """
        row = self.rows.get(stored)
        return row is not None and (row.state is FileState.DONE or row.has_old_text)

    def to_reread(self, folder: str, done: Publication) -> set[str]:
        """The stored names in a folder that publishing it says must be read again, those of its lost extensions included."""
        if not done.lost:
            return done.reread
        rows = (split_stored(line[: line.index("\t")]) for line in self.rows.lines_of(folder).values())
        lost = {name for where, name in rows if fold(where) == fold(folder) and extension_of(name)[1:] in done.lost}
        return done.reread | (lost - done.published - done.removed)

    def forget_index(self, index: str) -> None:
        """An index was deleted from the list on disk: here too."""
        self.rows.remove_index(index)
        self.removals = {(folder, name) for folder, name in self.removals if fold(folder.split("\\")[0]) != fold(index)}
        self.writer.close()
        self.writer = ListWriter(self.layout.ingest_list)

    def begin(self, rows: Iterable[Row], removed: Iterable[str], lost: Iterable[str], folders: Iterable[str]) -> None:
        """After the crawl: the list with the rows to be read and without the removed, then a new journal.

        ``lost`` are stored paths of ``rows`` that are 失敗 now and whose text leaves, ``folders`` those of the run before
        that could not be published. What is finished but unpublished is carried over, and so are the strikes.
        """
        paths = list(removed)
        self.lose([*paths, *lost])
        self.remove_later(paths)
        for path in paths:
            self.rows.remove(path)
        for row in rows:
            self.rows.put(row)
        self.journal.append([Record(Kind.WRITING, ())], sync=True)
        self.writer.rewrite(self.rows)
        records = [run_record(now(), len(self.rows))]
        records += [count_record(Kind.CARRIED, path, count) for path, count in self.strikes.items()]
        records += [path_record(Kind.UNPUBLISHED, folder) for folder in folders]
        records += [placed_record(placed, self.layout.spool) for placed in self.unpublished.values()]
        records += [path_record(Kind.REMOVED, path) for path in sorted(self.losing)]
        self.journal.replace(records)
        patiently(lambda: self.layout.old_journal.unlink(missing_ok=True))

    def remove_later(self, paths: Iterable[str]) -> None:
        """Writes down that the text of these removed files must leave the content files."""
        new = {split_stored(path) for path in paths} - self.removals
        if new:
            self.removals |= new
            write_pending(self.layout, self.removals)

    def lose(self, paths: Iterable[str]) -> None:
        """Journals that the text of these stored paths is to leave the content files."""
        new = [path for path in paths if path not in self.losing]
        for path in new:
            self.losing.add(path)
            self.unpublished.pop(path, None)
        self.journal.append(path_record(Kind.REMOVED, path) for path in new)

    def put(self, rows: list[Row], *, sync: bool = False) -> None:
        """Sets and appends rows."""
        self.writer.append(rows, sync=sync)
        for row in rows:
            self.rows.put(row)

    def start(self, stored: str) -> None:
        """A file is handed to a worker: if the run is killed from here on, that is a strike."""
        self.journal.append([count_record(Kind.STARTED, stored, self.strikes.get(stored, 0) + 1)])

    def give_back(self, stored: str) -> None:
        """A file waits for another lane, or for the next run: what was begun is no strike."""
        self.journal.append([path_record(Kind.RETURNED, stored)])

    def place(self, placed: Placed) -> None:
        """A file was read but is not published: 置, then 未取り込み with the time and size it was read at."""
        self.journal.append([placed_record(placed, self.layout.spool)])
        self.unpublished[placed.path] = placed
        self.losing.discard(placed.path)
        self.put([pending_row(self.rows.get(placed.path), placed.path, placed.mtime_ns, placed.size)])

    def unread(self, task: Task, outcome: Outcome, reason: Reason) -> bool:
        """A file could not be read; gives True if text of it may have to leave the index."""
        old = self.rows.get(task.stored) or Row(task.stored, "", None, FileState.PENDING)
        loses = reason in LOSES_TEXT
        if loses:
            self.lose([task.stored])
        else:
            self.give_back(task.stored)
        self.put([unread_row(old, reason, outcome.detail, task.version)])
        return loses

    def vanished(self, stored: str) -> None:
        """A file is gone: its text is to leave, its row goes."""
        self.lose([stored])
        self.remove_later([stored])
        self.rows.remove(stored)

    def read_again(self, stored: str) -> None:
        """The text of a file was lost on the way: its row says that it is to be read."""
        self.unpublished.pop(stored, None)
        row = self.rows.get(stored)
        if row is not None:
            self.put([Row(row.path, "", None, FileState.PENDING)])

    def published(self, folders: Iterable[PublishedFolder]) -> None:
        """These folders' content files hold what they say: 済 of all synced at once, then 出, then the removals."""
        rows, records, done = [], [], set()
        for folder in folders:
            paths = [f"{folder.stored}\\{name}" for name in folder.names]
            rows += [done_row(self.unpublished.pop(path)) for path in paths]
            gone = {*paths, *(f"{folder.stored}\\{name}" for name in folder.removed)}
            self.losing -= gone
            records += [path_record(Kind.PUBLISHED, folder.stored), *self._still_open(folder.stored)]
            done |= {split_stored(path) for path in gone}
        self.put(rows, sync=True)
        self.journal.append(records)
        if done & self.removals:
            self.removals -= done
            write_pending(self.layout, self.removals)

    def _still_open(self, folder: str) -> list[Record]:
        """What was noted of a folder while it was being published, which its 出 must not cover."""
        prefix, length = f"{folder}\\", len(folder) + 1
        placed = [p for path, p in self.unpublished.items() if path.startswith(prefix) and "\\" not in path[length:]]
        losing = [path for path in self.losing if path.startswith(prefix) and "\\" not in path[length:]]
        records = [placed_record(p, self.layout.spool) for p in placed]
        return records + [path_record(Kind.REMOVED, path) for path in losing]

    def forget(self) -> None:
        """Begins a journal without any work: what is still unpublished will be read again."""
        self.unpublished.clear()
        self.losing.clear()
        self.strikes.clear()
        self.journal.replace([run_record(now(), self.rows.row_count), Record(Kind.ENDED, ())])

    def close(self) -> None:
        """Lets go of the files."""
        self.writer.close()
        self.journal.close()

    def finish(self) -> None:
        """The end of a run: one row a path, and the journal says that nothing was interrupted."""
        self.journal.append([Record(Kind.WRITING, ())], sync=True)
        self.writer.rewrite(self.rows)
        self.journal.append([Record(Kind.ENDED, ())], sync=True)


def _old_journal(layout: Layout) -> Mapping[str, int]:
    try:
        return parse_ingesting(patiently(layout.old_journal.read_bytes))
    except OSError:
        return {}
