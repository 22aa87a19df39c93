"""The worker processes as the conductor sees them: free or busy, each within its time and memory, killed beyond.

No queue threads: the conductor waits on the pipes themselves. A worker that crashes, hangs or swallows memory costs the
file it was reading and is started anew.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from tebunko.extract.office.installation import OfficeInstallation
from tebunko.indexing.child import kill_tree, memory_of
from tebunko.indexing.worker import Lane, Outcome, Task, WorkerSettings, worker_main
from tebunko.model.errors import Reason, UserError
from tebunko.store.spool import segment_path

DEFAULT_TIME_LIMIT = 600.0
"""Seconds that one source file may take."""
DEFAULT_MEMORY_LIMIT = 2 * 1024**3
"""Bytes that one worker may take."""
MAX_WORKERS = 28
"""Windows waits for at most 63 handles at once."""

START_SECONDS = 120.0
"""Seconds in which a worker must have started."""

_TWO_CORES = 2
_WATCH_SECONDS = 0.2
_ASLEEP_SECONDS = 10.0

WorkerMain = Callable[[Connection, WorkerSettings], None]
"""The main of a worker process; it must be importable by name."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one source file may cost: ``seconds`` and ``memory`` in bytes."""

    seconds: float = DEFAULT_TIME_LIMIT
    memory: int = DEFAULT_MEMORY_LIMIT


def default_worker_count(cores: int, memory: int, limits: Limits, asked: int = 0) -> int:
    """How many readers a run has: ``asked`` or cores - 1, and no more than half of the machine's memory allows.

    On two cores it is two: the conductor needs little, and the readers stand back behind what the user does.

    >>> [default_worker_count(cores, 16 * 2**30, Limits()) for cores in (1, 2, 4, 16)]
    [1, 2, 3, 4]
    """
    wanted = asked if asked > 0 else cores - 1 if cores != _TWO_CORES else _TWO_CORES
    return max(1, min(wanted, MAX_WORKERS, memory // 2 // max(1, limits.memory)))


class _Worker:
    """One worker process and what it is doing."""

    def __init__(self, number: int, settings: WorkerSettings, main: WorkerMain) -> None:
        self.number = number
        self.task: Task | None = None
        self.ready = False
        self._has_children = settings.office is not None
        self._look_again = 0.0
        self.deadline = 0.0
        context = multiprocessing.get_context("spawn")
        self.pipe, child = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=main, args=(child, settings), name=f"tebunko-worker-{number}", daemon=True
        )
        self.process.start()
        child.close()

    def submit(self, task: Task, seconds: float) -> None:
        self.task = task
        self.deadline = time.monotonic() + (seconds if self.ready else START_SECONDS)
        self.pipe.send(task)

    def started(self, seconds: float) -> None:
        """It has come up: the time of its first task begins."""
        self.ready = True
        self.deadline = time.monotonic() + seconds

    def is_over(self, memory: int) -> bool:
        """True if it and what it started take more than so many bytes; looks a few times a second."""
        now = time.monotonic()
        if now < self._look_again or self.process.pid is None:
            return False
        self._look_again = now + _WATCH_SECONDS
        return memory_of(self.process.pid, with_children=self._has_children) > memory

    def kill(self) -> None:
        if self.process.pid is not None:
            kill_tree(self.process.pid)
        self.process.join()
        self.pipe.close()


class WorkerPool:
    """The readers, and one owner for each office application, each started when it is first needed.

    Use as a context manager. A worker has one file at a time, so none waits behind a slow one.
    """

    def __init__(
        self,
        readers: int,
        run_folder: Path,
        limits: Limits,
        main: WorkerMain = worker_main,
        office: Callable[[], OfficeInstallation | None] = lambda: None,
    ) -> None:
        """``main`` is what a worker runs; ``office`` finds the office suite and is asked when a file first needs it."""
        self._run_folder = run_folder
        self._limits = limits
        self._main = main
        self._office = office
        self._suite: OfficeInstallation | None = None
        self._lanes: list[Lane] = []
        self._workers: list[_Worker | None] = []
        self._incarnations: list[int] = []
        for _ in range(readers):
            self._add(Lane.READERS)
        self._looked = time.monotonic()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers at once; what they were reading is lost."""
        for worker in self._workers:
            if worker is not None:
                worker.kill()
        self._workers = [None] * len(self._workers)

    def _add(self, lane: Lane) -> None:
        self._lanes.append(lane)
        self._workers.append(None)
        self._incarnations.append(0)

    def offers(self, lane: Lane) -> bool:
        """True if files of that lane can be read; an office lane is opened if there is an office suite."""
        if lane not in self._lanes:
            self._suite = self._suite or self._office()
            if self._suite is None:
                return False
            self._add(lane)
        return True

    @property
    def busy(self) -> int:
        """How many workers are reading a file."""
        return sum(1 for w in self._workers if w is not None and w.task is not None)

    def has_room(self, lane: Lane) -> bool:
        """True if a task of that lane can be submitted."""
        return self._free_slot(lane) is not None

    def _free_slot(self, lane: Lane) -> int | None:
        """A free worker of the lane that is running, else one that is to be started."""
        slots = [slot for slot, own in enumerate(self._lanes) if own is lane]
        workers = [(slot, self._workers[slot]) for slot in slots]
        running = [slot for slot, worker in workers if worker is not None and worker.task is None]
        stopped = [slot for slot, worker in workers if worker is None]
        return next(iter(running + stopped), None)

    def submit(self, task: Task) -> None:
        """Hands a task to a free worker of its lane (there must be one), which is started if need be."""
        slot = self._free_slot(task.lane)
        assert slot is not None
        worker = self._workers[slot] or self._start(slot)
        try:
            worker.submit(task, self._limits.seconds)
        except (BrokenPipeError, ConnectionError, OSError):
            # It died while idle: no file's fault.
            worker.kill()
            self._start(slot).submit(task, self._limits.seconds)

    def _start(self, slot: int) -> _Worker:
        segment = segment_path(self._run_folder, slot, self._incarnations[slot])
        self._incarnations[slot] += 1
        office = self._suite if self._lanes[slot] is not Lane.READERS else None
        settings = WorkerSettings(segment, self._run_folder, self._limits.memory, office)
        worker = _Worker(slot, settings, self._main)
        self._workers[slot] = worker
        return worker

    def outcomes(self, timeout: float, also: tuple[Connection, ...] = ()) -> Iterator[Outcome]:
        """Waits up to ``timeout`` seconds for outcomes and gives those that are there.

        Returns early when a connection of ``also`` has something to read. Enforces the limits on the way.
        """
        busy = [w for w in self._workers if w is not None and w.task is not None]
        pipes: list[Connection] = [w.pipe for w in busy]
        if not pipes and not also:
            return
        self._forgive_sleep(busy)
        ready = set(wait([*pipes, *also], min(timeout, _WATCH_SECONDS) if busy else timeout))
        self._looked = time.monotonic()
        for worker in busy:
            if worker.pipe in ready:
                yield from self._receive(worker)
            elif time.monotonic() > worker.deadline:
                yield self._give_up(worker, Reason.TIME_LIMIT, f"{self._limits.seconds:g} s")
            elif worker.is_over(self._limits.memory):
                yield self._give_up(worker, Reason.MEMORY, f"{self._limits.memory // 1024**2} MB")

    def _forgive_sleep(self, busy: list[_Worker]) -> None:
        """If nobody looked for long (the machine slept), that time counts against no file."""
        gap = time.monotonic() - self._looked
        if gap > _ASLEEP_SECONDS:
            for worker in busy:
                worker.deadline += gap

    def _receive(self, worker: _Worker) -> Iterator[Outcome]:
        try:
            message: Outcome | str = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(1)
            code = worker.process.exitcode
            yield self._give_up(worker, Reason.DAMAGED, f"the reading process ended with code {code}")
            return
        if isinstance(message, Outcome):
            worker.task = None
            yield message
        else:
            worker.started(self._limits.seconds)

    def _give_up(self, worker: _Worker, reason: Reason, detail: str) -> Outcome:
        """Kills a worker; its next incarnation starts with the next task and a new segment.

        One that never started is no file's fault but ours: UserError.
        """
        assert worker.task is not None
        if not worker.ready:
            raise UserError("A reading process could not be started ({detail}).", detail=detail)
        number = worker.task.number
        worker.kill()
        self._workers[worker.number] = None
        return Outcome(number, None, reason=reason, detail=detail)
