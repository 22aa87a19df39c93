"""Writing a segment of the 2-gram index, whose format stands in `tebunko.store.ngram.segment`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tebunko.store.fs import replace_file
from tebunko.store.ngram.segment import FENCE_KEYS, HASH_FACTOR, MAGIC, PAGE_BYTES, TRAILER, row_width

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tebunko.store.ngram.build import Keys

MOST_GROUPS = 0xFFFF
"""Groups a segment can have."""

_POSTING_BYTES = 2
_EXACT_SHARE = 0.1
_HASHED_SHARE = 0.16
_ROW_GROUPS = 8


class Group(NamedTuple):
    """The grams of some content files, which have ``size`` bytes together."""

    keys: Keys
    size: int


def write_segment(path: Path, fold: int, groups: Iterable[Group]) -> int:
    """Writes a segment of these groups, numbered from 0 as they come; gives the file's size. Raises OSError.

    Of the content's size exact postings take a tenth at most; a group that needs more is hashed, into a sixth.
    """
    return replace_file(path, _Stream().chunks(fold, groups)).st_size


class _Stream:
    """The bytes of a segment in order, with the CRCs of their pages."""

    def __init__(self) -> None:
        self._length = 0
        self._crcs: list[int] = []
        self._page = bytearray()
        self._rows: list[tuple[int, int, list[int]]] = []

    def chunks(self, fold: int, groups: Iterable[Group]) -> Iterator[bytes]:
        yield self._noted(MAGIC)
        exact: list[tuple[int, Keys]] = []
        hashed: list[tuple[int, Group]] = []
        count = 0
        for number, group in enumerate(groups):
            count += 1
            if len(group.keys) * _POSTING_BYTES <= group.size * _EXACT_SHARE:
                exact.append((number, group.keys))
                continue
            hashed.append((number, group))
            if len(hashed) == _ROW_GROUPS:
                yield self._row(hashed)
                hashed = []
        while hashed:
            some = 1 << len(hashed).bit_length() - 1
            yield self._row(hashed[:some])
            hashed = hashed[some:]
        keys, starts, postings = _inverted(exact)
        places = []
        for column in (keys.astype("<u4"), starts.astype("<u4"), postings.astype("<u2")):
            places.append(self._length)
            yield self._noted(column.tobytes())
        head = {
            "fold": fold,
            "groups": count,
            "rows": self._rows,
            "exact": [*places, len(keys)],
            "fences": keys[::FENCE_KEYS].tolist(),
        }
        yield self._tail(json.dumps(head, separators=(",", ":")).encode("ascii"))

    def _noted(self, data: bytes) -> bytes:
        self._length += len(data)
        self._page += data
        whole = len(self._page) // PAGE_BYTES * PAGE_BYTES
        view = memoryview(self._page)
        self._crcs += [zlib.crc32(view[at : at + PAGE_BYTES]) for at in range(0, whole, PAGE_BYTES)]
        view.release()
        del self._page[:whole]
        return data

    def _row(self, groups: list[tuple[int, Group]]) -> bytes:
        import numpy as np

        width = row_width(len(groups))
        size = sum(group.size for _, group in groups)
        buckets = max(int(size * _HASHED_SHARE * 8 / width), 8) // 8 * 8
        bits = np.zeros(buckets, np.uint8)
        for bit, (_, group) in enumerate(groups):
            bits[_buckets_of(group.keys, buckets)] |= np.uint8(1 << bit)
        self._rows.append((self._length, buckets, [number for number, _ in groups]))
        while width < 8:
            bits = bits[0::2] | bits[1::2] << np.uint8(width)
            width *= 2
        return self._noted(bits.tobytes())

    def _tail(self, head: bytes) -> bytes:
        import numpy as np

        if self._page:
            self._crcs.append(zlib.crc32(self._page))
        crcs = np.array(self._crcs, "<u4").tobytes()
        return crcs + head + TRAILER.pack(self._length, len(crcs), len(head), zlib.crc32(crcs + head), MAGIC)


def _buckets_of(keys: Keys, buckets: int) -> npt.NDArray[np.int64]:
    """As `tebunko.store.ngram.segment.bucket_of`, of many keys."""
    import numpy as np

    spread = (keys * np.uint32(HASH_FACTOR)).astype(np.uint64)
    spread *= np.uint64(buckets)
    spread >>= np.uint64(32)
    return spread.view(np.int64)


def _inverted(groups: list[tuple[int, Keys]]) -> tuple[Keys, Keys, Keys]:
    """Keys in order, where the postings of each begin (and the last end), and the postings: numbers of groups."""
    import numpy as np

    if not any(len(keys) for _, keys in groups):
        return np.zeros(0, np.uint32), np.zeros(1, np.uint32), np.zeros(0, np.uint32)
    pairs = np.concatenate([keys.astype(np.uint64) << np.uint64(16) | np.uint64(number) for number, keys in groups])
    pairs.sort()
    keys = (pairs >> np.uint64(16)).astype(np.uint32)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.append(starts, len(keys)).astype(np.uint32), (pairs & np.uint64(0xFFFF)).astype(np.uint32)
