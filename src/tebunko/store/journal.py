r"""``store/journal/ingest.tsv``: what a run has begun and what it has finished, one record a line (ja-ingest-list, ジャーナルの形).

UTF-8 with BOM, CRLF. The first column is the kind; kinds and columns that are not known are skipped, and a last line without its end
was torn by a kill and does not count. A file that does not begin with today's 版 is not read at all.

==== ============================================================ ==========================================================
kind columns                                                      written
==== ============================================================ ==========================================================
版   format version                                               first line
回   time, data rows of the list                                  a run begins, after it rewrote the list
持   stored path, count                                           work carried over from the run before, not yet handed out
未   stored folder                                                a folder carried over, not yet published
始   stored path, count                                           a file is handed to a worker; how often in a row
返   stored path                                                  ours: its 始 does not count, it waits for another lane
置   path, segment, offset, length, CRC-32, mtime, size, places,  ours: a file was read, its record lies in the spool; the
     time of ingest, extract version, display locale              segment is relative to ``store/spool``, ``/`` between
除   stored path                                                  ours: the text of a file is to leave the content files
出   stored folder                                                a folder was published
書   –                                                            the list is about to be rewritten
終   –                                                            the list was rewritten, the run ended
==== ============================================================ ==========================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from tebunko.model.errors import UserError
from tebunko.store.fs import make_private_folder, patiently
from tebunko.store.spool import RecordPosition
from tebunko.store.tsv import Table, encode_lines, whole_lines
from tebunko.store.workspace import Layout

VERSION = "2"


class Kind(StrEnum):
    """The kinds of records."""

    VERSION = "版"
    RUN = "回"
    CARRIED = "持"
    UNPUBLISHED = "未"
    STARTED = "始"
    RETURNED = "返"
    PLACED = "置"
    REMOVED = "除"
    PUBLISHED = "出"
    WRITING = "書"
    ENDED = "終"


class Record(NamedTuple):
    """One record: its kind and its columns."""

    kind: Kind
    columns: tuple[str, ...]


class Placed(NamedTuple):
    """A 置: a file that was read at this time (ns) and size, with where its record lies in the spool."""

    path: str
    position: RecordPosition
    mtime_ns: int
    size: int
    places: int
    ingested: str
    version: int
    locale: str


_FIRST = f"{Kind.VERSION.value}\t{VERSION}"
_KINDS = {kind.value: kind for kind in Kind}
_CLEAN = str.maketrans(dict.fromkeys("\t\r\n", " "))


def run_record(time: str, rows: int) -> Record:
    """回."""
    return Record(Kind.RUN, (time, str(rows)))


def path_record(kind: Kind, path: str) -> Record:
    """未, 返, 除, 出."""
    return Record(kind, (path,))


def count_record(kind: Kind, path: str, count: int) -> Record:
    """持, 始."""
    return Record(kind, (path, str(count)))


def placed_record(placed: Placed, spool: Path) -> Record:
    """置; ``spool`` is the folder that its segment is relative to."""
    where = placed.position
    segment = where.segment.relative_to(spool).as_posix()
    numbers = (where.offset, where.length, where.crc, placed.mtime_ns, placed.size, placed.places)
    columns = (placed.path, segment, *map(str, numbers), placed.ingested, str(placed.version), placed.locale)
    return Record(Kind.PLACED, columns)


def parse_placed(record: Record, spool: Path) -> Placed | None:
    """The 置 of a record; None if its columns are not those of one, or its segment would lie elsewhere."""
    try:
        path, segment, offset, length, crc, mtime, size, places, ingested, version, locale = record.columns[:11]
        parts = segment.split("/")
        if any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts):
            return None
        position = RecordPosition(spool.joinpath(*parts), int(offset), int(length), int(crc))
        return Placed(path, position, int(mtime), int(size), int(places), ingested, int(version), locale)
    except ValueError:
        return None


def parse_journal(data: bytes) -> list[Record] | None:
    """The records that the bytes hold; None if they are no journal of today's version.

    >>> parse_journal("\\ufeff版\\t2\\r\\n始\\ta\\t1\\r\\n新\\tx\\r\\n出\\tb".encode())
    [Record(kind=<Kind.VERSION: '版'>, columns=('2',)), Record(kind=<Kind.STARTED: '始'>, columns=('a', '1'))]
    """
    records = []
    for line in whole_lines(data):
        name, *columns = line.split("\t")
        kind = _KINDS.get(name)
        if kind is not None:
            records.append(Record(kind, tuple(columns)))
    if not records or records[0].kind is not Kind.VERSION or records[0].columns[:1] != (VERSION,):
        return None
    return records


def read_journal(layout: Layout) -> list[Record] | None:
    """The records of the journal; None if there is none that can be read."""
    try:
        return parse_journal(patiently(layout.journal.read_bytes))
    except OSError:
        return None


def encode_record(record: Record) -> str:
    """The line of a record, without its end."""
    return "\t".join((record.kind.value, *(column.translate(_CLEAN) for column in record.columns)))


class JournalWriter:
    """Appends to the journal and replaces it, and notices when somebody else has written it in between."""

    def __init__(self, layout: Layout) -> None:
        self._folder = layout.journal.parent
        self._table = Table(layout.journal, _FIRST, _changed)

    def append(self, records: Iterable[Record], *, sync: bool = False) -> None:
        """Appends records in one write, after cutting off a torn last line; ``sync`` makes them last.

        A missing journal is begun. Raises OSError, UserError.
        """
        lines = [encode_record(record) for record in records]
        if lines:
            make_private_folder(self._folder)
            self._table.append(lines, sync=sync)

    def replace(self, records: Iterable[Record]) -> None:
        """Begins a new journal with these records behind 版, beside and moved over. Raises OSError, UserError."""
        make_private_folder(self._folder)
        self._table.replace(encode_lines([_FIRST, *map(encode_record, records)]))

    def close(self) -> None:
        """Lets go of the file."""
        self._table.close()


def _changed() -> UserError:
    return UserError("Another program has changed the journal of this workspace. Run the update again.")
