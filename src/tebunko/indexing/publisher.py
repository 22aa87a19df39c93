"""Publishing beside the run: one thread that writes content files while the conductor serves the workers."""

from __future__ import annotations

import multiprocessing
import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tebunko.store.publish import Publication, publish_folder
from tebunko.store.spool import RecordPosition
from tebunko.store.workspace import Layout


@dataclass(frozen=True, slots=True)
class Published:
    """The end of publishing one folder: what was done, or the error that kept its files from being written."""

    folder: str
    publication: Publication
    error: OSError | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    folder: str
    records: Mapping[str, RecordPosition]
    removals: frozenset[str]


class Publisher:
    """Takes folders to publish and gives back what became of them, in order. Use as a context manager.

    ``is_done`` says of a stored path whether its row is 済; it is called from the publishing thread.
    """

    def __init__(self, layout: Layout, is_done: Callable[[str], bool]) -> None:
        self._layout = layout
        self._is_done = is_done
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Published | BaseException] = queue.SimpleQueue()
        self.bell, self._ring = multiprocessing.Pipe(duplex=False)
        self._under_way = 0
        self._thread = threading.Thread(target=self._work, name="tebunko-publisher", daemon=True)
        self._thread.start()

    bell: Connection
    """Has something to read when a result is waiting."""

    @property
    def under_way(self) -> int:
        """Folders handed over whose result has not been taken."""
        return self._under_way

    def publish(self, folder: str, records: Mapping[str, RecordPosition], removals: Iterable[str]) -> None:
        """Hands a folder over: spool records by stored name, and names whose text leaves."""
        self._under_way += 1
        self._jobs.put(_Job(folder, dict(records), frozenset(removals)))

    def results(self) -> list[Published]:
        """The results that are there; raises what an unexpected error in the thread raised."""
        found: list[Published] = []
        while self.bell.poll():
            self.bell.recv_bytes()
            result = self._results.get()
            self._under_way -= 1
            if isinstance(result, BaseException):
                raise result
            found.append(result)
        return found

    def drop_waiting(self) -> None:
        """Gives up the folders that have not been begun; what they hold stays in the spool."""
        try:
            while True:
                if self._jobs.get_nowait() is not None:
                    self._under_way -= 1
        except queue.Empty:
            pass

    def __enter__(self) -> Publisher:
        return self

    def __exit__(self, *_: object) -> None:
        self._jobs.put(None)
        self._thread.join()
        self.bell.close()
        self._ring.close()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._results.put(self._publish(job))
            except BaseException as error:  # it must reach the conductor, whatever it is
                self._results.put(error)
            self._ring.send_bytes(b".")

    def _publish(self, job: _Job) -> Published:
        try:
            done = publish_folder(
                self._layout, job.folder, job.records, job.removals, lambda name: self._is_done(f"{job.folder}\\{name}")
            )
        except OSError as error:
            return Published(job.folder, Publication(), error)
        return Published(job.folder, done)
