"""A child process that reads source files, one task at a time, and appends what it read to its spool segment.

It is started with ``spawn`` and driven over one pipe; it writes nothing but its segment. It may be killed at any moment,
and ends by itself when the pipe closes because the conductor died.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path

from tebunko.extract.office.engine import OfficeEngine
from tebunko.extract.office.installation import OfficeInstallation
from tebunko.extract.registry import extract
from tebunko.extract.source import Options, Source, open_source
from tebunko.indexing.child import die_with_parent, stand_back
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind
from tebunko.model.unit import Extraction
from tebunko.store.content import build_block
from tebunko.store.spool import RecordHead, RecordPosition, SegmentWriter
from tebunko.store.values import encode_values

MAX_WARNINGS = 20
"""Warnings of one file that travel to the log; messages stay small whatever the file."""

_HEADROOM = 1.25


class Lane(StrEnum):
    """Who reads a file: the readers, or the owner of one office application's LibreOffice."""

    READERS = "readers"
    WORD = "word"
    EXCEL = "excel"
    POWERPOINT = "powerpoint"


OFFICE_LANES = {FileKind.WORD: Lane.WORD, FileKind.EXCEL: Lane.EXCEL, FileKind.POWERPOINT: Lane.POWERPOINT}
"""The lane to which a file of each kind goes when the readers find that it needs an office suite."""


@dataclass(frozen=True, slots=True)
class Task:
    """One source file to read.

    ``path`` is where it really is, ``stored`` its stored path, ``root`` the registered folder it belongs to (to tell a
    vanished file from a vanished folder; "" for none), ``kind`` its 種類, ``version`` the 抽出版 to record.
    """

    number: int
    path: str
    stored: str
    root: str
    kind: FileKind
    version: int
    locale: str
    lane: Lane = Lane.READERS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task.

    ``position`` is where the record lies, None if the file could not be read: then ``reason`` and ``detail`` say why.
    ``root_lost`` says that the registered folder itself is gone. ``mtime_ns`` and ``size`` are those of what was read.
    ``fatal`` is an error that is no file's fault: the segment cannot be written.
    """

    number: int
    position: RecordPosition | None
    mtime_ns: int = 0
    size: int = 0
    places: int = 0
    reason: Reason | None = None
    detail: str = ""
    root_lost: bool = False
    fatal: str = ""
    warnings: tuple[str, ...] = ()
    more_warnings: int = 0


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker needs to know.

    ``segment`` is its spool segment, ``work_folder`` takes copies of large sources, ``memory_limit`` is in bytes; ``office``
    is the LibreOffice of an office lane's owner, None for a reader.
    """

    segment: Path
    work_folder: Path
    memory_limit: int
    office: OfficeInstallation | None = None


READY = "ready"
"""The first message of a worker: it has started and begins with its first task."""


def worker_main(pipe: Connection, settings: WorkerSettings) -> None:
    """The child's main: says `READY`, then answers each `Task` with an `Outcome` until the pipe closes or None comes."""
    _prepare(settings.memory_limit if settings.office is None else 0)
    segment = SegmentWriter(settings.segment)
    with _Reader(settings) as reader:
        try:
            pipe.send(READY)
            while (task := pipe.recv()) is not None:
                pipe.send(run_task(task, segment, reader))
        except (EOFError, BrokenPipeError, ConnectionError):
            pass
        finally:
            segment.close()


class _Reader:
    """Reads one file after another, in an office lane through that lane's LibreOffice."""

    def __init__(self, settings: WorkerSettings) -> None:
        self.work_folder = settings.work_folder
        self._office = settings.office
        self._engine: OfficeEngine | None = None

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            self._engine.close()

    def extract(self, source: Source, options: Options) -> Extraction:
        """The units of a file. Raises ExtractError."""
        if self._office is None:
            return extract(source, options)
        if self._engine is None:
            self._engine = OfficeEngine(self._office, self.work_folder)
        return extract(self._engine.convert(source), options)


def run_task(task: Task, segment: SegmentWriter, reader: _Reader) -> Outcome:
    """Reads one source file into the segment; whatever goes wrong is in the outcome."""
    try:
        return _read(task, segment, reader)
    except ExtractError as error:
        lost = error.reason is Reason.VANISHED and task.root != "" and not os.path.isdir(task.root)
        return Outcome(task.number, None, reason=error.reason, detail=error.detail, root_lost=lost)
    except MemoryError:
        return Outcome(task.number, None, reason=Reason.MEMORY)
    except RecursionError as error:
        return Outcome(task.number, None, reason=Reason.DAMAGED, detail=str(error))
    except OSError as error:
        return Outcome(task.number, None, fatal=error.strerror or str(error))


def _read(task: Task, segment: SegmentWriter, reader: _Reader) -> Outcome:
    for attempt in (1, 2):
        read_at = time.time_ns()
        try:
            with open_source(task.path, reader.work_folder) as source:
                extraction = reader.extract(source, Options(locale=task.locale))
            after = os.stat(task.path)
            if (after.st_size, after.st_mtime_ns) != (source.size, source.mtime_ns):
                raise ExtractError(Reason.CHANGING)
        except FileNotFoundError as error:
            raise ExtractError(Reason.VANISHED) from error
        except ExtractError as error:
            if error.reason is Reason.CHANGING and attempt == 1:
                continue
            raise
        return _spool(task, extraction, segment, (source.mtime_ns, source.size, read_at))
    raise ExtractError(Reason.CHANGING)


def _spool(task: Task, extraction: Extraction, segment: SegmentWriter, read: tuple[int, int, int]) -> Outcome:
    mtime_ns, size, read_at = read
    units = extraction.units
    name = task.stored.rpartition("\\")[2]
    block = build_block(name, task.kind, units) if units else b""
    for unit in units:
        unit.lines.clear()  # they are in the block now, and a large sheet's take more memory than that
    head = RecordHead(task.stored, mtime_ns, size, len(units), task.version, task.locale, read_at)
    position = segment.append(head, block, encode_values(units))
    warnings = tuple(extraction.warnings[:MAX_WARNINGS])
    more = len(extraction.warnings) - len(warnings)
    return Outcome(task.number, position, mtime_ns, size, len(units), warnings=warnings, more_warnings=more)


def _prepare(memory_limit: int) -> None:
    """Leaves Ctrl-C to the conductor, dies with it, stands back behind the user's work, and takes no more memory than allowed.

    0 sets no wall: an office suite maps far more than it uses, and the conductor watches it too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    stand_back()
    if sys.platform == "linux" and memory_limit:
        import resource

        # A wall behind the conductor's own watch: it looks a few times a second, an explosion is faster.
        wall = int(memory_limit * _HEADROOM)
        resource.setrlimit(resource.RLIMIT_DATA, (wall, wall))
