"""What a killed run left: pure reading of its journal against the list (ja-ingest-list, 強制終了・時間切れからの再開)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tebunko.model.names import is_stored_index_name
from tebunko.model.paths import fold, is_safe_segment, split_stored
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import IngestList
from tebunko.store.journal import Kind, Placed, Record, parse_placed

INTERRUPT_LIMIT = 2
"""Kills in a row after which a file is taken for one that stops the run."""


@dataclass(slots=True)
class Leftover:
    """What is to be made good.

    ``finished`` are records to be published, ``gone`` stored paths whose text must leave, by stored folder (folders that
    are only to be published anew are there too, with nothing). ``redo`` maps stored paths that a kill interrupted to how
    often in a row that happened; ``carried`` those that were never handed out, with their count. ``readable`` is false if
    there was no journal to read.
    """

    finished: dict[str, dict[str, Placed]] = field(default_factory=dict)
    gone: dict[str, set[str]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    redo: dict[str, int] = field(default_factory=dict)
    carried: dict[str, int] = field(default_factory=dict)
    readable: bool = True


def rows_of_run(records: Sequence[Record] | None) -> int | None:
    """How many data rows the list had when the run of this journal began; None if it does not say."""
    for record in reversed(records or ()):
        if record.kind is Kind.RUN and len(record.columns) > 1:
            return int(record.columns[1]) if record.columns[1].isdecimal() else None
    return None


def leftover(records: Sequence[Record] | None, rows: IngestList, spool: Path) -> Leftover:
    """What a journal says is to be made good, given the list read with ``late_after`` = `rows_of_run`.

    Later records win; paths that would leave the workspace are passed over.
    """
    if records is None:
        return Leftover(readable=False)
    left = Leftover()
    latest: dict[str, Placed | None] = {}
    started: dict[str, tuple[str, int]] = {}
    carried: dict[str, tuple[str, int]] = {}
    begun: set[str] = set()
    writing = ended = False
    for record in records:
        kind, path = record.kind, record.columns[0] if record.columns else ""
        if kind is Kind.WRITING:
            writing = True
        elif kind is Kind.ENDED:
            ended = True
        elif kind is Kind.PUBLISHED:
            left.folders.discard(path)
            latest = {p: placed for p, placed in latest.items() if split_stored(p)[0] != path}
        elif kind is Kind.UNPUBLISHED and _is_safe(path):
            left.folders.add(path)
        elif _is_safe(path) and "\\" in path:
            _take(record, path, spool, (latest, started, carried, left.folders))
            if kind is Kind.STARTED:
                begun.add(fold(path))
    _sort_out(left, latest, rows)
    if not ended:
        left.redo = {path: n for key, (path, n) in started.items() if writing or key not in rows.late}
        left.carried = {path: n for key, (path, n) in carried.items() if key not in begun}
    return left


_Tables = tuple[dict[str, Placed | None], dict[str, tuple[str, int]], dict[str, tuple[str, int]], set[str]]


def _take(record: Record, path: str, spool: Path, tables: _Tables) -> None:
    latest, started, carried, folders = tables
    key = fold(path)
    if record.kind is Kind.STARTED:
        started[key] = path, _count(record)
        folders.add(split_stored(path)[0])
    elif record.kind is Kind.CARRIED:
        carried[key] = path, _count(record)
    elif record.kind is Kind.RETURNED:
        started.pop(key, None)
    elif record.kind is Kind.REMOVED:
        started.pop(key, None)
        latest[path] = None
    elif record.kind is Kind.PLACED:
        started.pop(key, None)
        placed = parse_placed(record, spool)
        if placed is not None:
            latest[path] = placed


def _sort_out(left: Leftover, latest: dict[str, Placed | None], rows: IngestList) -> None:
    """Of each path the newest 置 or 除 counts; a 置 only if the row still is of the same reading."""
    for path, placed in latest.items():
        folder, name = split_stored(path)
        if placed is None:
            left.gone.setdefault(folder, set()).add(name)
        elif _is_of_row(placed, rows):
            left.finished.setdefault(folder, {})[name] = placed
        else:
            continue
        left.folders.add(folder)


def _is_of_row(placed: Placed, rows: IngestList) -> bool:
    row = rows.get(placed.path)
    return (
        row is not None
        and row.state is FileState.PENDING
        and row.size == placed.size
        and row.modified == format_file_time(placed.mtime_ns)
    )


def _count(record: Record) -> int:
    text = record.columns[1] if len(record.columns) > 1 else ""
    return int(text) if text.isdecimal() and len(text) < 6 else 1


def _is_safe(path: str) -> bool:
    index, *rest = path.split("\\")
    return is_stored_index_name(index) and all(map(is_safe_segment, rest))


def parse_ingesting(data: bytes) -> dict[str, int]:
    r"""The interrupted work that ``ingesting.txt`` of old versions names: count by stored path.

    >>> parse_ingesting("\ufeff1\t営業\\a.xls\r\n2\t..\\b\r\nx".encode())
    {'営業\\a.xls': 1}
    """
    found = {}
    for line in data.decode("utf-8-sig", "replace").split("\n"):
        count, tab, path = line.removesuffix("\r").partition("\t")
        if tab and count.isdecimal() and len(count) < 6 and "\\" in path and _is_safe(path):
            found[path] = int(count)
    return found
