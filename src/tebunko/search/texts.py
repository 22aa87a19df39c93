"""Decoded content files, kept for the next search in the same process."""

from __future__ import annotations

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tebunko.store.content import PartFile, PartReader, PlaceSpan, decode_part, parse_places

DEFAULT_BYTES = 256 * 1024 * 1024
_IDLE_SECONDS = 120.0
_PLACE_BYTES = 400  # what a parsed place takes in memory, roughly


class PartText:
    """The text of a content file and, once asked for, its places; immutable to its users, shared by threads."""

    __slots__ = ("_places", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._places: list[PlaceSpan] | None = None

    def places(self) -> Sequence[PlaceSpan]:
        """The places of the text, parsed at the first call."""
        places = self._places
        if places is None:
            places = self._places = parse_places(self.text)
        return places

    @property
    def bytes(self) -> int:
        """What it takes in memory, nearly."""
        return sys.getsizeof(self.text) + _PLACE_BYTES * len(self._places or ())


Lacks = Callable[[memoryview], bool]
"""Says of a content file's bytes that they hold nothing of what is looked for, for certain."""

_own = threading.local()


def read_current(part: PartFile, lacks: Lacks | None = None) -> tuple[PartText | None, bool]:
    """The text of a content file, and whether the file is still the one that was listed; no text if it `lacks` all.

    Either way the text is whole: content files are only ever replaced. Raises ContentError, OSError.
    """
    reader: PartReader | None = getattr(_own, "reader", None)
    if reader is None:
        reader = _own.reader = PartReader()
    data = reader.read(part.path)
    text = None if lacks is not None and lacks(data) else PartText(decode_part(data))
    info = part.path.stat()
    return text, (info.st_size, info.st_mtime_ns) == (part.size, part.mtime_ns)


@dataclass(slots=True)
class _Entry:
    size: int
    mtime_ns: int
    text: PartText
    used: float


class TextCache:
    """At most ``limit`` bytes of decoded content files, for searches that follow one another.

    A search reads all content files in the same order, which would empty a cache that drops the least recently used ones
    before it ever helps. So what is in stays in while it is used; only entries idle for two minutes make room.
    """

    def __init__(self, limit: int = DEFAULT_BYTES) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._entries: OrderedDict[Path, _Entry] = OrderedDict()

    def get(self, part: PartFile) -> PartText | None:
        """The text of a content file as it was listed, None if it is not kept."""
        with self._lock:
            entry = self._entries.get(part.path)
            if entry is None:
                return None
            if (entry.size, entry.mtime_ns) != (part.size, part.mtime_ns):
                del self._entries[part.path]
                return None
            entry.used = time.monotonic()
            self._entries.move_to_end(part.path)
            return entry.text

    def put(self, part: PartFile, text: PartText) -> None:
        """Keeps a text that is that of the content file as it was listed, if there is room."""
        now = time.monotonic()
        with self._lock:
            room = self._limit - text.bytes - sum(entry.text.bytes for entry in self._entries.values())
            while room < 0 and self._entries:
                path, oldest = next(iter(self._entries.items()))
                if now - oldest.used < _IDLE_SECONDS:
                    return
                room += oldest.text.bytes
                del self._entries[path]
            if room >= 0:
                self._entries[part.path] = _Entry(part.size, part.mtime_ns, text, now)

    @property
    def bytes(self) -> int:
        """What the kept texts take in memory, nearly."""
        with self._lock:
            return sum(entry.text.bytes for entry in self._entries.values())
