"""A segment of the 2-gram index: which of its *groups* of content files hold a gram. Written once, never changed.

All numbers are little-endian::

    MAGIC
    rows            groups with very many grams, 1, 2, 4 or 8 to a row: `bucket_of` gives each key a bucket, and each bucket
                    has one bit for each group of the row, the first in the lowest bit
    keys            all other groups: the keys that any of them has, in order (u32)
    starts          where the postings of each key begin, counted in postings; one more for the end (u32)
    postings        the numbers of the groups that have the key, in order (u16)
    page CRCs       CRC-32 of each 4,096 bytes of all that stands before (u32)
    head            JSON: "fold" (`fold_identity`), "groups" (their number), "rows" ([offset, buckets, [group, …]]),
                    "exact" ([offset of keys, of starts, of postings, number of keys]), "fences" (every 512th key)
    trailer         bytes before the CRCs (u64), of the CRCs (u32), of the head (u32), CRC-32 of both (u32), MAGIC

It is read by its pages, each checked when it is first touched: a search touches few of them.
"""

from __future__ import annotations

import json
import mmap
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from pathlib import Path

from tebunko.store.fs import patiently
from tebunko.store.ngram.keys import All, AnyOf, Wanted

MAGIC = b"tebunko 2-gram 1"
TRAILER = struct.Struct("<QIII16s")
PAGE_BYTES = 4096
FENCE_KEYS = 512

HASH_FACTOR = 0x9E37_79B1
"""What `bucket_of` multiplies with."""
_WORD = 0xFFFF_FFFF


class DamagedSegment(Exception):
    """A segment that is not one, was made by other rules, or has a page that is not what was written."""


def bucket_of(key: int, buckets: int) -> int:
    """The bucket of a key."""
    return ((key * HASH_FACTOR & _WORD) * buckets) >> 32


class Segment:
    """An open segment; to be used by one thread at a time. Raises DamagedSegment, OSError when opened.

    A lookup raises DamagedSegment too: then nothing that the segment says may be believed.
    """

    def __init__(self, path: Path, fold: int) -> None:
        with patiently(lambda: open(path, "rb")) as reader:
            try:
                self._map = mmap.mmap(reader.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:  # an empty file
                raise DamagedSegment(path) from error
        self.size = len(self._map)
        try:
            self._read_head(fold)
        except (struct.error, ValueError, LookupError, TypeError) as error:
            self._map.close()
            raise DamagedSegment(path) from error

    def _read_head(self, fold: int) -> None:
        data = self._map
        length, crcs_length, head_length, crc, magic = TRAILER.unpack(data[-TRAILER.size :])
        if magic != MAGIC or length + crcs_length + head_length + TRAILER.size != len(data):
            raise ValueError
        tail = data[length : length + crcs_length + head_length]
        if zlib.crc32(tail) != crc:
            raise ValueError
        head = json.loads(tail[crcs_length:])
        if head["fold"] != fold or crcs_length != -(-length // PAGE_BYTES) * 4:
            raise ValueError
        self._length = length
        self._crcs = numbers("I", tail[:crcs_length])
        self._checked = bytearray(len(self._crcs))
        self._rows: list[tuple[int, int, list[int]]] = [(at, buckets, groups) for at, buckets, groups in head["rows"]]
        self._keys_at, self._starts_at, self._postings_at, self._count = head["exact"]
        self._fences: list[int] = head["fences"]
        self.groups: int = head["groups"]
        self._found: dict[int, int] = {}

    def close(self) -> None:
        """Lets the file go; nothing may be looked up any more."""
        self._map.close()

    def check(self) -> None:
        """Reads every page. Raises DamagedSegment."""
        self._read(0, self._length)

    def groups_with(self, wanted: Wanted) -> int:
        """The groups that may fulfil the condition, one bit each: bit n for group n. Raises DamagedSegment."""
        everything = (1 << self.groups) - 1
        if wanted is None:
            return everything
        if isinstance(wanted, int):
            return self._groups_of(wanted)
        if isinstance(wanted, AnyOf):
            found = 0
            for condition in wanted.of:
                found |= self.groups_with(condition)
            return found
        assert isinstance(wanted, All)
        for condition in wanted.of:
            everything &= self.groups_with(condition)
            if not everything:
                break
        return everything

    def _groups_of(self, key: int) -> int:
        if key not in self._found:
            self._found[key] = self._exact_groups(key) | self._hashed_groups(key)
        return self._found[key]

    def _exact_groups(self, key: int) -> int:
        fence = bisect_right(self._fences, key) - 1
        if fence < 0:
            return 0
        first = fence * FENCE_KEYS
        keys = numbers("I", self._read(self._keys_at + 4 * first, 4 * min(FENCE_KEYS, self._count - first)))
        at = bisect_left(keys, key)
        if at == len(keys) or keys[at] != key:
            return 0
        start, end = numbers("I", self._read(self._starts_at + 4 * (first + at), 8))
        found = bytearray(self.groups // 8 + 1)
        for group in numbers("H", self._read(self._postings_at + 2 * start, 2 * (end - start))):
            found[group >> 3] |= 1 << (group & 7)
        return int.from_bytes(found, "little")

    def _hashed_groups(self, key: int) -> int:
        found = 0
        for at, buckets, groups in self._rows:
            bit = bucket_of(key, buckets) * row_width(len(groups))
            bits = self._read(at + (bit >> 3), 1)[0] >> (bit & 7)
            for number, group in enumerate(groups):
                if bits >> number & 1:
                    found |= 1 << group
        return found

    def _read(self, at: int, length: int) -> bytes:
        """Bytes of the checked part. Raises DamagedSegment."""
        if length <= 0:
            return b""
        if at + length > self._length:
            raise DamagedSegment
        for page in range(at // PAGE_BYTES, (at + length - 1) // PAGE_BYTES + 1):
            if not self._checked[page]:
                start = page * PAGE_BYTES
                if zlib.crc32(self._map[start : min(start + PAGE_BYTES, self._length)]) != self._crcs[page]:
                    raise DamagedSegment
                self._checked[page] = 1
        return self._map[at : at + length]


def row_width(groups: int) -> int:
    """How many bits each bucket of a row has: 1, 2, 4 or 8."""
    return 1 << (groups - 1).bit_length()


def numbers(kind: str, data: bytes) -> array[int]:
    """Little-endian numbers as an array of the kind ``H`` or ``I``."""
    found = array(kind)
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
