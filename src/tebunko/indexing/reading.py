"""Reading single files without an index, each in a worker with its limits: what ``tebunko cat`` stands on."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from tebunko.indexing.dispatch import Limits, WorkerPool, default_worker_count
from tebunko.indexing.worker import Lane, Outcome, Task
from tebunko.model.errors import Reason
from tebunko.model.kinds import FileKind, extension_of, extract_version, kind_of
from tebunko.model.place import Place
from tebunko.model.unit import RawValues
from tebunko.store.content import parse_places
from tebunko.store.spool import read_record
from tebunko.store.values import decode_values

_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """A place and its content lines as the index would hold them, with the raw values of its cells."""

    place: Place
    lines: list[str]
    values: RawValues


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What reading one file gave; ``reason`` is set if it could not be read, with the library's word in ``detail``."""

    path: str
    places: list[ReadPlace]
    reason: Reason | None = None
    detail: str = ""
    warnings: tuple[str, ...] = ()


def read_files(paths: Iterable[str], locale: str, limits: Limits) -> Iterator[ReadFile]:
    """Reads files in worker processes and gives them in their order; a bad one ends nothing but itself.

    Raises UserError if a worker cannot be started, OSError if the temporary folder cannot be written.
    """
    readers = default_worker_count(os.cpu_count() or 1, psutil.virtual_memory().total, limits)
    with tempfile.TemporaryDirectory(prefix="tebunko-") as folder, WorkerPool(readers, Path(folder), limits) as pool:
        yield from _in_order(pool, (_task(number, path, locale) for number, path in enumerate(paths)), readers)


def _in_order(pool: WorkerPool, tasks: Iterator[Task], readers: int) -> Iterator[ReadFile]:
    """The workers read on while the caller uses what is there, but not further ahead than a few files."""
    under_way: deque[Task] = deque()
    outcomes: dict[int, Outcome] = {}
    while True:
        while len(under_way) <= 2 * readers and pool.has_room(Lane.READERS) and (task := next(tasks, None)):
            pool.submit(task)
            under_way.append(task)
        if not under_way:
            return
        if under_way[0].number in outcomes:
            first = under_way.popleft()
            yield _result(first.path, outcomes.pop(first.number))
        else:
            outcomes |= {outcome.number: outcome for outcome in pool.outcomes(_POLL_SECONDS)}


def _task(number: int, path: str, locale: str) -> Task:
    name = os.path.basename(path)
    return Task(number, path, name, "", kind_of(name) or FileKind.TEXT, extract_version(extension_of(name)), locale)


def _result(path: str, outcome: Outcome) -> ReadFile:
    if outcome.fatal:
        raise OSError(outcome.fatal)
    if outcome.position is None:
        return ReadFile(path, [], outcome.reason or Reason.DAMAGED, outcome.detail)
    record = read_record(outcome.position)
    if record is None:
        return ReadFile(path, [], Reason.DAMAGED, "what was read was lost")
    text = record.block.decode("utf-16-le", "surrogatepass")
    values = decode_values(record.values)
    del record
    places = [
        ReadPlace(span.place, text[span.start : span.end - 1].split("\n"), values.get(span.place.name, RawValues()))
        for span in parse_places(text)
    ]
    return ReadFile(path, places, warnings=outcome.warnings)
