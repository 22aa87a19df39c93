"""Compound files ([MS-CFB]), read no further than needed to tell what a file is: its directory and heads of streams.

Nothing in the file is believed: chains are followed at most once through the sectors that the file really has, so a
damaged or looped file costs no more than a sound one.

Header (512 bytes, little-endian), [MS-CFB] 2.2:

| offset | size | field                              |
|--------|------|------------------------------------|
| 0      | 8    | signature                          |
| 30     | 2    | log2 of the sector size: 9 or 12   |
| 32     | 2    | log2 of the mini sector size: 6    |
| 44     | 4    | number of sectors of the FAT       |
| 48     | 4    | first sector of the directory      |
| 56     | 4    | streams smaller than this are mini |
| 60     | 4    | first sector of the mini FAT       |
| 68     | 4    | first sector of the DIFAT          |
| 76     | 436  | the first 109 sectors of the FAT   |
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType

from tebunko.extract.source import Source
from tebunko.model.errors import ExtractError, Reason

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DIRECTORY_LIMIT = 4 * 1024 * 1024
"""Bytes of the directory that are looked at: 32,768 entries."""

_HEADER_BYTES = 512
_ENTRY_BYTES = 128
_MINI_SECTOR_SHIFT = 6
_LAST_SECTOR = 0xFFFFFFFA
"""Sector numbers from here on are marks, not sectors."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the directory. ``left``, ``right`` and ``child`` are positions in the directory."""

    name: str
    type: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """An open compound file. Use as a context manager; raises ExtractError(DAMAGED) if its header is none."""

    def __init__(self, source: Source) -> None:
        self._file = source.open()
        header = self._file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(SIGNATURE):
            self._file.close()
            raise ExtractError(Reason.DAMAGED, "no header of a compound file")
        shift = struct.unpack_from("<H", header, 30)[0]
        # A wrong size is taken as the usual one, as other readers do.
        self._shift = shift if shift in (9, 12) else 9
        self._sectors = -(-source.size // (1 << self._shift))
        directory, self._mini_cutoff, self._mini_fat_start = struct.unpack_from("<I4xII", header, 48)
        self._fat_count = int.from_bytes(header[44:48], "little")
        self._fat_cache: dict[int, bytes] = {}
        self._fat_sectors = self._read_fat_sectors(header)
        self.entries = self._read_directory(directory)

    def __enter__(self) -> CompoundFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    # --- what is in it ---

    @property
    def is_sound(self) -> bool:
        """True if the header claims no larger FAT than the file can have: what other libraries believe."""
        return self._fat_count <= self._most_fat_sectors

    @property
    def root_entries(self) -> dict[str, Entry]:
        """The entries directly below the root by name in lower case; all entries if the root's tree is broken."""
        found: dict[str, Entry] = {}
        waiting = [self.entries[0].child] if self.entries else []
        seen: set[int] = set()
        while waiting:
            position = waiting.pop()
            if position in seen or position >= len(self.entries):
                continue
            seen.add(position)
            entry = self.entries[position]
            found.setdefault(entry.name.lower(), entry)
            waiting += (entry.left, entry.right)
        return found or {entry.name.lower(): entry for entry in reversed(self.entries[1:])}

    def head(self, entry: Entry, length: int) -> bytes:
        """The first ``length`` bytes of a stream; fewer if it is shorter or broken."""
        length = min(length, entry.size)
        if entry.size < self._mini_cutoff:
            return self._mini_head(entry.start, length)
        return self._chain_head(entry.start, length)

    # --- sectors ---

    @property
    def _most_fat_sectors(self) -> int:
        return -(-self._sectors * 4 // (1 << self._shift)) + 1

    def _sector(self, number: int) -> bytes:
        self._file.seek((number + 1) << self._shift)
        return self._file.read(1 << self._shift)

    def _read_fat_sectors(self, header: bytes) -> list[int]:
        """The sectors of the FAT in order: 109 in the header, the others in the DIFAT's chain."""
        most = self._most_fat_sectors
        sectors = list(struct.unpack_from("<109I", header, 76))
        links = (1 << self._shift) // 4 - 1
        number = struct.unpack_from("<I", header, 68)[0]
        seen: set[int] = set()
        while number < self._sectors and number not in seen and len(sectors) < most:
            seen.add(number)
            block = self._sector(number)
            if len(block) < (links + 1) * 4:
                break
            *more, number = struct.unpack(f"<{links + 1}I", block)
            sectors += more
        return sectors[:most]

    def _next(self, number: int) -> int:
        """The sector after this one in its chain, or a mark."""
        position, offset = divmod(number * 4, 1 << self._shift)
        if position >= len(self._fat_sectors) or self._fat_sectors[position] >= self._sectors:
            return _LAST_SECTOR
        if position not in self._fat_cache:
            self._fat_cache[position] = self._sector(self._fat_sectors[position])
        return _number_at(self._fat_cache[position], offset)

    def _chain(self, number: int) -> Iterator[int]:
        """The sectors of a chain from this one on; it ends where it would repeat itself or leave the file."""
        seen: set[int] = set()
        while number < self._sectors and number not in seen:
            seen.add(number)
            yield number
            number = self._next(number)

    def _chain_head(self, start: int, length: int) -> bytes:
        blocks: list[bytes] = []
        have = 0
        for number in self._chain(start):
            if have >= length:
                break
            blocks.append(self._sector(number))
            have += len(blocks[-1])
        return b"".join(blocks)[:length]

    def _mini_head(self, start: int, length: int) -> bytes:
        """The head of a stream that lies in the root's stream in pieces of 64 bytes."""
        if not self.entries or not length:
            return b""
        size = 1 << _MINI_SECTOR_SHIFT
        root = self.entries[0]
        home = list(self._chain(root.start))
        table = list(self._chain(self._mini_fat_start))
        blocks: list[bytes] = []
        seen: set[int] = set()
        number = start
        while number not in seen and len(blocks) * size < length:
            seen.add(number)
            position, offset = divmod(number << _MINI_SECTOR_SHIFT, 1 << self._shift)
            if position >= len(home):
                break
            blocks.append(self._sector(home[position])[offset : offset + size])
            position, offset = divmod(number * 4, 1 << self._shift)
            number = _number_at(self._sector(table[position]), offset) if position < len(table) else _LAST_SECTOR
        return b"".join(blocks)[:length]

    def _read_directory(self, start: int) -> list[Entry]:
        data = self._chain_head(start, DIRECTORY_LIMIT)
        return [
            _entry(data[offset : offset + _ENTRY_BYTES])
            for offset in range(0, len(data) - _ENTRY_BYTES + 1, _ENTRY_BYTES)
        ]


def _number_at(block: bytes, offset: int) -> int:
    return int.from_bytes(block[offset : offset + 4], "little") if offset + 4 <= len(block) else _LAST_SECTOR


def _entry(data: bytes) -> Entry:
    """A directory entry ([MS-CFB] 2.6.1). Of the size only the lower four bytes count: a stream here is below 4 GB."""
    length = min(struct.unpack_from("<H", data, 64)[0], 64)
    name = data[: max(length - 2, 0)].decode("utf-16-le", "replace").partition("\0")[0]
    left, right, child = struct.unpack_from("<III", data, 68)
    start, size = struct.unpack_from("<II", data, 116)
    return Entry(name, data[66], left, right, child, start, size)
