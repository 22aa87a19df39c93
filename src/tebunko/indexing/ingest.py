"""The ingest phase: files go to the workers, outcomes into the ledger, whole folders to the publisher."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tebunko.indexing.channel import Channel, Phase, Progress, Summary, note
from tebunko.indexing.dispatch import WorkerPool
from tebunko.indexing.ledger import Ledger, PublishedFolder, now
from tebunko.indexing.publisher import Published, Publisher
from tebunko.indexing.worker import OFFICE_LANES, Lane, Outcome, Task
from tebunko.model.errors import LOSES_TEXT, Reason, UserError, message_of
from tebunko.model.paths import split_stored
from tebunko.store.journal import Placed
from tebunko.store.spool import RecordPosition

_POLL_SECONDS = 0.5
_CANCEL_SECONDS = 10.0
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
        self._queues: defaultdict[Lane, deque[Task]] = defaultdict(deque)
        self._folders: dict[str, _Folder] = {}
        self._total = 0
        self._ended = 0
        self._lost_root = ""

    def run(self, tasks: Sequence[Task]) -> None:
        """Runs until every task has ended and every folder is published, or the channel says stop.

        What the ledger holds as unpublished or losing is published too. Raises UserError if a registered folder went away
        or the workspace cannot be written; what was finished until then is published all the same.
        """
        self._total = len(tasks)
        for task in tasks:
            self._add(task)
        for path, placed in self._ledger.unpublished.items():
            folder, name = split_stored(path)
            self._folders.setdefault(folder, _Folder()).records[name] = placed.position
        for folder, name in self._ledger.removals | set(map(split_stored, self._ledger.losing)):
            self._folders.setdefault(folder, _Folder()).removals.add(name)
        for folder in list(self._folders):
            self._publish_if_complete(folder)
        self._tell("")
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
        self._queues[task.lane].append(task)
        self._folders.setdefault(split_stored(task.stored)[0], _Folder()).open_tasks += 1

    def _loop(self) -> None:
        while self._waiting or self._pool.busy or self._publisher.under_way:
            if self._channel.stopped():
                self._summary.cancelled = True
                self._summary.skipped += self._waiting + self._pool.busy
                return
            if self._lost_root:
                self._summary.skipped += self._waiting
                for queue in self._queues.values():
                    queue.clear()
            if not self._channel.paused():
                self._hand_out()
            for outcome in self._pool.outcomes(_POLL_SECONDS, (self._publisher.bell,)):
                self._take(outcome)
            self._take_published(self._publisher.results())

    @property
    def _waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    def _hand_out(self) -> None:
        for lane, queue in self._queues.items():
            while queue and self._pool.has_room(lane):
                task = queue.popleft()
                self._ledger.start(task.stored)
                self._pool.submit(task)

    def _take(self, outcome: Outcome) -> None:
        task = self._tasks.pop(outcome.number)
        if outcome.fatal:
            raise UserError("The workspace cannot be written: {detail}", detail=outcome.fatal)
        lane = OFFICE_LANES.get(task.kind)
        if outcome.reason is Reason.NEEDS_OFFICE and task.lane is Lane.READERS and lane and self._pool.offers(lane):
            self._reroute(replace(task, lane=lane))
            return
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

    def _reroute(self, task: Task) -> None:
        """What the readers cannot read goes to the owner of its office application; it is still under way."""
        self._ledger.give_back(task.stored)
        self._tasks[task.number] = task
        self._queues[task.lane].append(task)

    def _take_read(self, task: Task, outcome: Outcome, work: _Folder, name: str) -> None:
        assert outcome.position is not None
        for warning in outcome.warnings:
            self._channel.log("{path}: a part could not be read: {detail}", path=task.stored, detail=warning)
        if outcome.more_warnings:
            self._channel.log("{path}: {count} more warnings", path=task.stored, count=outcome.more_warnings)
        made = (outcome.mtime_ns, outcome.size, outcome.places)
        self._ledger.place(Placed(task.stored, outcome.position, *made, now(), task.version, task.locale))
        work.records[name] = outcome.position
        work.removals.discard(name)

    def _take_unread(self, task: Task, outcome: Outcome, work: _Folder, name: str) -> None:
        reason = outcome.reason or Reason.DAMAGED
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
        self._channel.log("{path}: {sentence}", path=task.stored, sentence=message_of(reason, outcome.detail))

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
        folders = []
        for result in results:
            if result.error is not None:
                self._not_published(result)
                continue
            done = result.publication
            for name in self._ledger.to_reread(result.folder, done):
                self._read_again(f"{result.folder}\\{name}")
            folders.append(PublishedFolder(result.folder, frozenset(done.published), frozenset(done.removed)))
            self._summary.done += len(done.published)
        self._ledger.published(folders)

    def _not_published(self, result: Published) -> None:
        """A folder's content files could not be written: what was read waits in the spool for the next run."""
        detail = result.error.strerror or str(result.error) if result.error else ""
        message = note(
            "The text of folder “{folder}” could not be written: {detail}", folder=result.folder, detail=detail
        )
        self._summary.notes.append(message)
        self._channel.log(message[0], **message[1])
        self._summary.postponed += sum(split_stored(path)[0] == result.folder for path in self._ledger.unpublished)

    def _read_again(self, stored: str) -> None:
        """A text that was lost on the way is read again by the next run: its row says so."""
        if stored in self._ledger.rows:
            self._ledger.read_again(stored)
            self._summary.postponed += 1
            self._channel.log("{path}: its text was lost and is read again by the next update", path=stored)

    def _publish_rest(self) -> None:
        """At the end, also after a cancel: what is finished is published, whole folder or not.

        After a cancel the user does not wait long for it: what is left then, the next run publishes.
        """
        end = time.monotonic() + _CANCEL_SECONDS
        for folder, work in self._folders.items():
            if work.records or work.removals:
                self._publisher.publish(folder, work.records, work.removals)
        self._folders.clear()
        while self._publisher.under_way:
            if self._summary.cancelled and time.monotonic() > end:
                self._publisher.drop_waiting()
            self._publisher.bell.poll(_POLL_SECONDS)
            self._take_published(self._publisher.results())

    def _tell(self, current: str) -> None:
        s = self._summary
        self._channel.progress(Progress(Phase.INGEST, self._ended, self._total, s.failed, s.postponed, current))
