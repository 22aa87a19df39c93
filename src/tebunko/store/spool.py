"""Spool segments: work that is finished but not yet published, one append-only file a worker (ARCHITECTURE.md).

``store/spool/<run>/w<n>.seg``. A record, little-endian:

====== ====== ================================================================
offset size   what
====== ====== ================================================================
0      4      ``TBKR``
4      4      CRC-32 of all that follows
8      4      length of the head in bytes
12     4      length of the block
16     4      length of the values
20     …      head: JSON, UTF-8 (`RecordHead`); block (`content.build_block`); values (`values.encode_values`)
====== ====== ================================================================

A record is believed only if its mark, lengths and CRC-32 agree with what the conductor was told of it, so a torn or dropped
write only means that the source file is read again.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

_MARK = b"TBKR"
_HEAD = struct.Struct("<4sIIII")


@dataclass(frozen=True, slots=True)
class RecordHead:
    """What one source file was read with.

    ``path`` is the stored path, ``mtime_ns`` and ``size`` those of the bytes that were read, ``places`` the number of places,
    ``version`` the 抽出版, ``locale`` the display locale, ``read_at_ns`` the time of reading.
    """

    path: str
    mtime_ns: int
    size: int
    places: int
    version: int
    locale: str
    read_at_ns: int


class RecordPosition(NamedTuple):
    """Where a record lies: segment file, offset and length in bytes, CRC-32."""

    segment: Path
    offset: int
    length: int
    crc: int


class Record(NamedTuple):
    """A record that proved itself."""

    head: RecordHead
    block: bytes
    values: bytes


class SegmentWriter:
    """Appends records to a new segment; used by one worker process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 - it lives as long as the worker

    def append(self, head: RecordHead, block: bytes | bytearray, values: bytes) -> RecordPosition:
        """Writes one record and gives its position; it is in the system's hands, not synced. Raises OSError."""
        text = json.dumps(asdict(head), ensure_ascii=False).encode("utf-8", "surrogatepass")
        lengths = struct.pack("<III", len(text), len(block), len(values))
        crc = zlib.crc32(values, zlib.crc32(block, zlib.crc32(text, zlib.crc32(lengths))))
        # What a failed write left behind is passed over, so that the position is true whatever happened before.
        offset = self._file.seek(0, os.SEEK_END)
        length = 0
        for piece in (b"".join((_MARK, crc.to_bytes(4, "little"), lengths, text)), block, values):
            length += len(piece)
            view = memoryview(piece)
            while view:
                view = view[self._file.write(view) :]
        return RecordPosition(self._path, offset, length, crc)

    def close(self) -> None:
        """Closes the segment."""
        self._file.close()


def read_record(position: RecordPosition) -> Record | None:
    """The record at a position; None if it is missing, torn or not the one that was announced."""
    try:
        with open(position.segment, "rb") as reader:
            size = os.fstat(reader.fileno()).st_size
            if position.offset < 0 or position.length < _HEAD.size or position.offset + position.length > size:
                return None
            reader.seek(position.offset)
            data = reader.read(position.length)
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return None
    mark, crc, head_length, block_length, values_length = _HEAD.unpack_from(data)
    if mark != _MARK or crc != position.crc or len(data) != _HEAD.size + head_length + block_length + values_length:
        return None
    if zlib.crc32(memoryview(data)[8:]) != crc:
        return None
    block_start = _HEAD.size + head_length
    values_start = block_start + block_length
    try:
        head = RecordHead(**json.loads(data[_HEAD.size : block_start].decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError):  # of another version of tebunko
        return None
    return Record(head, data[block_start:values_start], data[values_start:])


def segment_path(run_folder: Path, worker: int, incarnation: int) -> Path:
    """The segment of a worker's incarnation: a worker started anew never appends to what a killed one left."""
    name = f"w{worker}.seg" if incarnation == 0 else f"w{worker}-{incarnation}.seg"
    return run_folder / name


def run_folder_name() -> str:
    """A new folder name for this process's run: process numbers come again, and a killed run's folder may still be needed."""
    return f"{os.getpid()}-{time.time_ns():x}"
