"""The ingest phase: files go to the workers, outcomes into the ledger, whole folders to the publisher."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from tebunko.indexing.channel import Channel, Phase, Progress, Summary, note
from tebunko.indexing.dispatch import WorkerPool
from tebunko.indexing.ledger import Ledger, done_row
from tebunko.indexing.publisher import Published, Publisher
from tebunko.indexing.worker import Outcome, Task
from tebunko.model.errors import LOSES_TEXT, Reason, UserError, sentence_on_disk
from tebunko.model.kinds import extension_of
from tebunko.model.paths import fold, split_stored
from tebunko.model.states import FileState
from tebunko.store.ingest_list import Row
from tebunko.store.publish import Publication
from tebunko.store.spool import RecordPosition

_POLL_SECONDS = 0.5
_MOST_WAITING_FOLDERS = 64


@dataclass(slots=True)
class _Folder:
    """A folder with work: tasks that have not ended, and what they gave until now."""

    open_tasks: int = 0
    records: dict[str, RecordPosition] = field(default_factory=dict)
    removals: set[str] = field(default_factory=set)


class Ingest:
    """Reads all tasks and publishes what they give; changes ``summary`` as it goes."""

    def __init__(
        self, ledger: Ledger, pool: WorkerPool, publisher: Publisher, channel: Channel, summary: Summary
    ) -> None:
        self._ledger = ledger
        self._pool = pool
        self._publisher = publisher
        self._channel = channel
        self._summary = summary
        self._tasks: dict[int, Task] = {}
        self._queue: deque[Task] = deque()
        self._ready: dict[str, tuple[Task, Outcome]] = {}
        self._folders: dict[str, _Folder] = {}
        self._total = 0
        self._ended = 0
        self._lost_root = ""

    def run(self, tasks: Sequence[Task], removals: set[tuple[str, str]]) -> None:
        """Runs until every task has ended and every folder is published, or the channel says stop.

        ``removals`` are (stored folder, name) whose text leaves. Raises UserError if a registered folder went away or the
        workspace cannot be written; what was finished until then is published all the same.
        """
        self._total = len(tasks)
        for task in tasks:
            self._add(task)
        for folder, name in removals:
            self._folders.setdefault(folder, _Folder()).removals.add(name)
        for folder in list(self._folders):
            self._publish_if_complete(folder)
        try:
            self._loop()
        finally:
            self._pool.close()
            self._publish_rest()
        if self._lost_root:
            raise UserError(
                "The folder “{folder}” can no longer be reached. What was read is kept; run the update again when it is back.",
                folder=self._lost_root,
            )

    def _add(self, task: Task) -> None:
        self._tasks[task.number] = task
        self._queue.append(task)
        self._folders.setdefault(split_stored(task.stored)[0], _Folder()).open_tasks += 1

    def _loop(self) -> None:
        while self._queue or self._pool.busy or self._publisher.under_way:
            if self._channel.stopped():
                self._summary.cancelled = True
                self._summary.skipped += len(self._queue) + self._pool.busy
                return
            if self._lost_root:
                self._summary.skipped += len(self._queue)
                self._queue.clear()
            while self._queue and self._pool.has_room:
                self._pool.submit(self._queue.popleft())
            for outcome in self._pool.outcomes(_POLL_SECONDS, (self._publisher.bell,)):
                self._take(outcome)
            self._take_published(self._publisher.results())

    def _take(self, outcome: Outcome) -> None:
        task = self._tasks.pop(outcome.number)
        if outcome.fatal:
            raise UserError("The workspace cannot be written: {detail}", detail=outcome.fatal)
        self._ended += 1
        folder, name = split_stored(task.stored)
        work = self._folders[folder]
        work.open_tasks -= 1
        if outcome.position is not None:
            self._take_read(task, outcome, work, name)
        else:
            self._take_unread(task, outcome, work, name)
        self._publish_if_complete(folder)
        self._tell(task.stored)

    def _take_read(self, task: Task, outcome: Outcome, work: _Folder, name: str) -> None:
        assert outcome.position is not None
        for warning in outcome.warnings:
            self._channel.log("{path}: a part could not be read: {detail}", path=task.stored, detail=warning)
        if outcome.more_warnings:
            self._channel.log("{path}: {count} more warnings", path=task.stored, count=outcome.more_warnings)
        self._ledger.read(task, outcome)
        self._ready[task.stored] = (task, outcome)
        work.records[name] = outcome.position
        work.removals.discard(name)

    def _take_unread(self, task: Task, outcome: Outcome, work: _Folder, name: str) -> None:
        reason = outcome.reason or Reason.DAMAGED
        sentence = sentence_on_disk(reason, outcome.detail)
        if reason is Reason.VANISHED:
            if outcome.root_lost:
                self._lost_root = task.root
                self._summary.skipped += 1
                return
            self._ledger.vanished(task.stored)
            self._summary.removed += 1
            work.removals.add(name)
        else:
            if self._ledger.unread(task, outcome, reason):
                work.removals.add(name)
            if reason in LOSES_TEXT:
                self._summary.failed += 1
            else:
                self._summary.postponed += 1
        self._channel.log("{path}: {detail}", path=task.stored, detail=sentence)

    def _publish_if_complete(self, folder: str) -> None:
        work = self._folders[folder]
        if work.open_tasks:
            return
        del self._folders[folder]
        if work.records or work.removals:
            self._publisher.publish(folder, work.records, work.removals)
        while self._publisher.under_way > _MOST_WAITING_FOLDERS:
            # A slow disk must not let finished work pile up without bound.
            self._publisher.bell.poll(_POLL_SECONDS)
            self._take_published(self._publisher.results())

    def _take_published(self, results: list[Published]) -> None:
        rows: list[Row] = []
        removed: list[tuple[str, str]] = []
        for result in results:
            if result.error is not None:
                self._not_published(result)
                continue
            done = result.publication
            for name in done.published:
                task, outcome = self._ready.pop(f"{result.folder}\\{name}")
                rows.append(done_row(task.stored, outcome, task.version))
            removed += [(result.folder, name) for name in done.removed | done.published]
            for name in done.reread | self._lost_names(result.folder, done):
                self._read_again(f"{result.folder}\\{name}")
        self._ledger.put(rows, sync=True)
        self._summary.done += len(rows)
        self._ledger.removed(removed)

    def _not_published(self, result: Published) -> None:
        """A folder's content files could not be written: its files stay 未取り込み and are read by the next run."""
        detail = result.error.strerror or str(result.error) if result.error else ""
        message = note(
            "The text of folder “{folder}” could not be written: {detail}", folder=result.folder, detail=detail
        )
        self._summary.notes.append(message)
        self._channel.log(message[0], **message[1])
        lost = [stored for stored in self._ready if split_stored(stored)[0] == result.folder]
        for stored in lost:
            del self._ready[stored]
        self._summary.postponed += len(lost)

    def _lost_names(self, folder: str, done: Publication) -> set[str]:
        """The source files of a folder whose text may have been in content files that could not be understood."""
        if not done.lost:
            return set()
        lines = self._ledger.rows.lines_of(folder)
        below = {split_stored(line[: line.index("\t")]) for line in lines}
        names = {name for parent, name in below if fold(parent) == fold(folder) and extension_of(name)[1:] in done.lost}
        return names - done.published - done.removed

    def _read_again(self, stored: str) -> None:
        """A text that was lost on the way is read again by the next run: its row says so."""
        self._ready.pop(stored, None)
        row = self._ledger.rows.get(stored)
        if row is not None:
            self._ledger.put([Row(row.path, "", None, FileState.PENDING)])
            self._summary.postponed += 1
            self._channel.log("{path}: its text was lost and is read again by the next update", path=stored)

    def _publish_rest(self) -> None:
        """At the end, also after a cancel: what is finished is published, whole folder or not."""
        for folder, work in self._folders.items():
            if work.records or work.removals:
                self._publisher.publish(folder, work.records, work.removals)
        self._folders.clear()
        while self._publisher.under_way:
            self._publisher.bell.poll(_POLL_SECONDS)
            self._take_published(self._publisher.results())

    def _tell(self, current: str) -> None:
        s = self._summary
        self._channel.progress(Progress(Phase.INGEST, self._ended, self._total, s.failed, s.postponed, current))
