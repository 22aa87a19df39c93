"""Asking the 2-gram index; needs no numpy."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from tebunko.store.content import PartFile
from tebunko.store.ngram.keys import Wanted
from tebunko.store.ngram.manifest import Manifest, manifest_path, read_manifest, segment_path
from tebunko.store.ngram.segment import DamagedSegment, Segment
from tebunko.store.workspace import Layout

_MOST_OPEN = 8


class GramIndex:
    """The index of a workspace as one manifest has it; immutable to its users, shared by threads."""

    def __init__(self, layout: Layout, manifest: Manifest) -> None:
        self._layout = layout
        self._manifest = manifest
        self._segments: dict[int, Segment | None] = {}
        self._lock = threading.Lock()
        self._top = len(str(layout.content)) + 1

    def answer(self, wanted: Wanted) -> GramAnswer:
        """The content files that may fulfil a condition."""
        return GramAnswer(self, wanted)

    def files_of(self, folder: Path) -> dict[str, tuple[int, int, int, int]]:
        """What is known of the content files of a folder: size, mtime_ns, segment and group by name."""
        key = str(folder)[self._top :].replace(os.sep, "/")
        return self._manifest.files.get(key, {})  # type: ignore[return-value]

    def groups_with(self, number: int, wanted: Wanted) -> int | None:
        """The groups of a segment that may fulfil a condition, one bit each; None if the segment cannot be used."""
        with self._lock:
            segment = self._segment(number)
            if segment is None:
                return None
            try:
                return segment.groups_with(wanted)
            except DamagedSegment:
                self._segments[number] = None
                return None

    def _segment(self, number: int) -> Segment | None:
        if number not in self._segments:
            try:
                segment = Segment(segment_path(self._layout, number), self._manifest.fold)
            except (OSError, DamagedSegment):
                self._segments[number] = None
            else:
                usable = segment.size == self._manifest.segments[number].size
                self._segments[number] = segment if usable else None
        return self._segments[number]


class GramAnswer:
    """Which content files may fulfil one condition; lives in one thread."""

    def __init__(self, index: GramIndex, wanted: Wanted) -> None:
        self._index = index
        self._wanted = wanted
        self._groups: dict[int, int | None] = {}

    def may_hold(self, folder: Path, part: PartFile) -> bool:
        """False if it is certain that the content file, as it was listed, does not fulfil the condition."""
        known = self._index.files_of(folder).get(part.path.name)
        if known is None or known[:2] != (part.size, part.mtime_ns):
            return True
        _, _, segment, group = known
        if segment not in self._groups:
            self._groups[segment] = self._index.groups_with(segment, self._wanted)
        groups = self._groups[segment]
        return groups is None or bool(groups >> group & 1)


_opened: dict[Path, tuple[tuple[int, int, int], GramIndex]] = {}
_opened_lock = threading.Lock()


def gram_index(layout: Layout) -> GramIndex | None:
    """The index of a workspace as it is now, None if it has none; kept open for the next search in this process."""
    try:
        info = os.stat(manifest_path(layout))
    except OSError:
        return None
    state = (info.st_size, info.st_mtime_ns, info.st_ino)
    with _opened_lock:
        kept = _opened.get(layout.root)
        if kept is not None and kept[0] == state:
            return kept[1]
        manifest = read_manifest(layout)
        if manifest is None:
            return None
        index = GramIndex(layout, manifest)
        if len(_opened) >= _MOST_OPEN:
            _opened.clear()
        _opened[layout.root] = (state, index)
        return index
