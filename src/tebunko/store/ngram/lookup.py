"""Asking the 2-gram index; needs no numpy."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tebunko.store.content import PartFile
from tebunko.store.ngram.keys import Wanted
from tebunko.store.ngram.manifest import Covered, Manifest, manifest_path, read_manifest, segment_path
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

    def files_of(self, folder: Path) -> dict[str, Covered]:
        """What is known of the content files of a folder, by name."""
        return self._manifest.files.get(str(folder)[self._top :].replace(os.sep, "/"), {})

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

    def in_folder(self, folder: Path) -> FolderAnswer:
        """The answer for the content files of a folder."""
        return FolderAnswer(self._index.files_of(folder), self._groups_of)

    def _groups_of(self, segment: int) -> int | None:
        if segment not in self._groups:
            self._groups[segment] = self._index.groups_with(segment, self._wanted)
        return self._groups[segment]


@dataclass(frozen=True, slots=True)
class FolderAnswer:
    """Which content files of one folder may fulfil a condition."""

    _files: Mapping[str, Covered]
    _groups_of: Callable[[int], int | None]

    def may_hold(self, part: PartFile) -> bool:
        """False if it is certain that the content file, as it was listed, does not fulfil the condition."""
        known = self._files.get(part.path.name)
        if known is None or known.size != part.size or known.mtime_ns != part.mtime_ns:
            return True
        groups = self._groups_of(known.segment)
        return groups is None or bool(groups >> known.group & 1)


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
