"""The rows of a run: what the list says at each moment, written in the order that makes a kill harmless."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from tebunko.indexing.worker import Outcome, Task
from tebunko.model.errors import LOSES_TEXT, Reason, sentence_on_disk
from tebunko.model.paths import split_stored
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import IngestList, ListWriter, Row, read_list
from tebunko.store.pending import read_pending, write_pending
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


def done_row(stored: str, outcome: Outcome, version: int) -> Row:
    """The row of a file whose text is published: 済."""
    modified = format_file_time(outcome.mtime_ns)
    return Row(stored, modified, outcome.size, FileState.DONE, outcome.places, now(), "", version)


def unread_row(old: Row, reason: Reason, detail: str, version: int) -> Row:
    """The row of a file that could not be read: 失敗, or 未取り込み with the reason if the world was in the way.

    ``old`` is its 未取り込み row of this run. Postponed rows keep what tells of an earlier reading (the text stays).
    """
    sentence = sentence_on_disk(reason, detail)
    if reason in LOSES_TEXT:
        return Row(old.path, old.modified, old.size, FileState.FAILED, None, now(), sentence, version)
    return old._replace(error=sentence, version=version)


@dataclass(slots=True)
class Ledger:
    """The list in memory and on disk, and the removals still to be carried out."""

    rows: IngestList
    writer: ListWriter
    layout: Layout
    removals: set[tuple[str, str]]

    @classmethod
    def open(cls, layout: Layout) -> Ledger:
        """Reads list and removals of a workspace whose lock is held."""
        writer = ListWriter(layout.ingest_list)
        return cls(read_list(layout.ingest_list), writer, layout, read_pending(layout))

    def is_done(self, stored: str) -> bool:
        """True if the row of a stored path lets its text stand: 済, or kept although a later reading was postponed.

        May be called from another thread.
        """
        row = self.rows.get(stored)
        return row is not None and (row.state is FileState.DONE or row.has_old_text)

    def start(self, tasks: Iterable[Row], removed: Iterable[str]) -> None:
        """After the crawl: removals are written down, then the list with the rows to be read and without the removed."""
        paths = list(removed)
        self.remove_later(paths)
        for path in paths:
            self.rows.remove(path)
        for row in tasks:
            self.rows.put(row)
        self.writer.rewrite(self.rows)

    def remove_later(self, paths: Iterable[str]) -> None:
        """Writes down that the text of these stored paths must leave the content files."""
        new = {split_stored(path) for path in paths} - self.removals
        if new:
            self.removals |= new
            write_pending(self.layout, self.removals)

    def put(self, rows: list[Row], *, sync: bool = False) -> None:
        """Sets and appends rows."""
        self.writer.append(rows, sync=sync)
        for row in rows:
            self.rows.put(row)

    def read(self, task: Task, outcome: Outcome) -> None:
        """A file was read but is not published: 未取り込み with the time and size it was read at."""
        self.put([pending_row(self.rows.get(task.stored), task.stored, outcome.mtime_ns, outcome.size)])

    def unread(self, task: Task, outcome: Outcome, reason: Reason) -> bool:
        """A file could not be read; gives True if text of it may have to leave the index."""
        old = self.rows.get(task.stored) or Row(task.stored, "", None, FileState.PENDING)
        loses = reason in LOSES_TEXT
        if loses:
            self.remove_later([task.stored])
        self.put([unread_row(old, reason, outcome.detail, task.version)])
        return loses

    def vanished(self, stored: str) -> None:
        """A file is gone: its text is to leave, its row goes."""
        self.remove_later([stored])
        self.rows.remove(stored)

    def removed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """These removals (stored folder, name) are carried out."""
        done = self.removals & set(pairs)
        if done:
            self.removals -= done
            write_pending(self.layout, self.removals)

    def finish(self) -> None:
        """Rewrites the list with one row a path."""
        self.writer.rewrite(self.rows)
