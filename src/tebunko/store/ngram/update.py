"""Bringing the 2-gram index up to date with the content files; the caller holds the workspace's lock.

Content files that no segment is true of are read, and their grams written to new segments of up to `SEGMENT_BYTES` of content. Small
segments, and those of whose content half has changed, are written anew together with them, from the content files
themselves: that costs little more than the changes did, and the number of segments grows only with the logarithm of the
content (and with its size beyond `SEGMENT_BYTES`).

A kill at any moment leaves the manifest as it was or as it will be: segments are written before the manifest that names
them, and deleted after it. Whatever no manifest names is deleted at the next run; so is what another process still has open
(Windows).
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from tebunko.store.content import ContentError, PartFile, list_parts, read_part
from tebunko.store.fs import TEMPORARY_SUFFIX, is_link, make_private_folder
from tebunko.store.ngram.build import grams_of, union
from tebunko.store.ngram.manifest import (
    Covered,
    Manifest,
    SegmentInfo,
    read_manifest,
    segment_files,
    segment_path,
    write_manifest,
)
from tebunko.store.ngram.segment import DamagedSegment, Segment
from tebunko.store.ngram.segment_writer import MOST_GROUPS, Group, write_segment
from tebunko.store.workspace import Layout

if TYPE_CHECKING:
    from tebunko.store.ngram.build import Keys

GROUP_BYTES = 1024 * 1024
"""Content files that are smaller share a group with others until they have this size together."""
SEGMENT_BYTES = 256 * 1024 * 1024
"""A segment of this much content takes no more, and is not written anew because it is small."""


_THREADS = 2
_AHEAD = 4

_Part = tuple[str, PartFile]
"""A content file and its folder under ``store/content``, with ``/`` between names."""


@dataclass(slots=True)
class GramUpdate:
    """What an update did: content files read, their bytes, and how many segments there are now.

    ``complete`` is false if it was stopped before the index was up to date.
    """

    files: int = 0
    content_bytes: int = 0
    segments: int = 0
    complete: bool = True


def update_grams(layout: Layout, stopped: Callable[[], bool] = lambda: False) -> GramUpdate:
    """Makes the index true of all content files that can be read; ``stopped`` is asked between them.

    What was finished when it is stopped stays. Done again with nothing changed it reads no content file. Raises OSError.
    """
    make_private_folder(layout.ngram)
    read = read_manifest(layout)
    manifest = read or Manifest()
    present = _content_files(layout)
    changed = _forget(manifest, present, _unusable(layout, manifest)) or read is None
    wanted = _to_read(manifest, present)
    result = GramUpdate()
    for number, batch in _segments(layout, manifest.fold, iter(wanted), stopped):
        result.files += len(batch.places)
        result.content_bytes += batch.content
        for (folder, part), group in batch.places:
            covered = Covered(part.size, part.mtime_ns, number, group)
            manifest.files.setdefault(folder, {})[part.path.name] = covered
        manifest.segments[number] = SegmentInfo(batch.file_size, batch.content)
        _drop_dead(manifest)
        write_manifest(layout, manifest)
        changed = False
    if changed:
        write_manifest(layout, manifest)
    _sweep(layout, manifest)
    result.segments = len(manifest.segments)
    result.complete = not stopped() or not _to_read(manifest, present)
    return result


def choose_segments(live: Mapping[int, int], content: Mapping[int, int], new: int) -> set[int]:
    """The segments that are written anew together with ``new`` bytes of content.

    ``live`` are the bytes of content of which each is still true, ``content`` those that it was built of. Those that are true of less than
    half are chosen, and then, if anything is written at all, every small one that is not much larger than all that.

    >>> sorted(choose_segments({1: 900, 2: 40, 3: 10}, {1: 900, 2: 50, 3: 10}, 20))
    [2, 3]
    """
    chosen = {number for number in live if live[number] * 2 < content[number]}
    pool = new + sum(live[number] for number in chosen)
    for number in sorted(live.keys() - chosen, key=lambda n: (live[n], n)):
        if not pool or live[number] >= SEGMENT_BYTES or live[number] > 2 * pool:
            break
        chosen.add(number)
        pool += live[number]
    return chosen


# --- what there is ---------------------------------------------------------------------------------------------------


def _content_files(layout: Layout) -> dict[tuple[str, str], PartFile]:
    """All content files by folder and name, in order. Folders that cannot be listed hold none."""
    top = str(layout.content)
    found: dict[tuple[str, str], PartFile] = {}
    for path, folders, _ in os.walk(top):
        folders[:] = sorted(name for name in folders if not is_link(Path(path, name)))
        folder = path[len(top) + 1 :].replace(os.sep, "/")
        try:
            found |= {(folder, part.path.name): part for part in list_parts(Path(path))}
        except OSError:
            continue
    return found


def _unusable(layout: Layout, manifest: Manifest) -> set[int]:
    """The segments that are gone or damaged; one of them, another each time, is read in full to find out."""
    read_whole = random.choice(list(manifest.segments) or [0])
    unusable = set()
    for number, info in manifest.segments.items():
        try:
            segment = Segment(segment_path(layout, number), manifest.fold)
            try:
                if segment.size != info.size:
                    raise DamagedSegment(number)
                if number == read_whole:
                    segment.check()
            finally:
                segment.close()
        except (OSError, DamagedSegment):
            unusable.add(number)
    return unusable


def _forget(manifest: Manifest, present: Mapping[tuple[str, str], PartFile], unusable: set[int]) -> bool:
    """Takes out of the manifest what is not true any more; gives whether that was anything."""
    forgotten = False
    for folder, names in manifest.files.items():
        for name, covered in list(names.items()):
            part = present.get((folder, name))
            if part is None or (part.size, part.mtime_ns) != covered[:2] or covered.segment in unusable:
                del names[name]
                forgotten = True
    _drop_dead(manifest)
    return forgotten


def _drop_dead(manifest: Manifest) -> None:
    for number, live in manifest.live_bytes().items():
        if not live:
            del manifest.segments[number]


def _to_read(manifest: Manifest, present: Mapping[tuple[str, str], PartFile]) -> list[_Part]:
    """The content files whose grams are to be written, in order."""
    holders = {(f, n): c.segment for f, names in manifest.files.items() for n, c in names.items()}
    new = sum(part.size for place, part in present.items() if place not in holders)
    content = {number: info.content for number, info in manifest.segments.items()}
    chosen = choose_segments(manifest.live_bytes(), content, new)
    return [(p[0], part) for p, part in present.items() if holders.get(p) is None or holders[p] in chosen]


# --- writing ---------------------------------------------------------------------------------------------------------


class _Batch:
    """The content files of one segment, read as it is written."""

    def __init__(self) -> None:
        self.places: list[tuple[_Part, int]] = []
        self.content = 0
        self.file_size = 0
        self._waiting: list[tuple[_Part, Keys]] = []
        self._groups = 0

    def groups(self, parts: Iterator[tuple[_Part, Keys]]) -> Iterator[Group]:
        """The groups of the segment, drawn from the content files until it is full."""
        for part, keys in parts:
            self._waiting.append((part, keys))
            if sum(waiting.size for (_, waiting), _ in self._waiting) >= GROUP_BYTES:
                yield self._group()
                if self.content >= SEGMENT_BYTES or self._groups >= MOST_GROUPS:
                    return
        if self._waiting:
            yield self._group()

    def _group(self) -> Group:
        size = sum(part.size for (_, part), _ in self._waiting)
        keys = union([keys for _, keys in self._waiting])
        self.places += [(part, self._groups) for part, _ in self._waiting]
        self.content += size
        self._groups += 1
        self._waiting = []
        return Group(keys, size)


def _segments(
    layout: Layout, fold: int, wanted: Iterator[_Part], stopped: Callable[[], bool]
) -> Iterator[tuple[int, _Batch]]:
    """Writes the content files wanted to segments, one after the other."""
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = _read_ahead(pool, wanted, stopped)
        while True:
            batch = _Batch()
            groups = batch.groups(parts)
            first = next(groups, None)
            if first is None:
                return
            number = max(segment_files(layout), default=0) + 1
            batch.file_size = write_segment(segment_path(layout, number), fold, chain([first], groups))
            yield number, batch


def _read_ahead(
    pool: ThreadPoolExecutor, wanted: Iterator[_Part], stopped: Callable[[], bool]
) -> Iterator[tuple[_Part, Keys]]:
    """The grams of content files, in order; those that cannot be read, or change meanwhile, are left out."""
    ahead = deque((part, pool.submit(_grams, part[1])) for part in islice(wanted, _AHEAD))
    while ahead:
        part, future = ahead.popleft()
        if not stopped() and (following := next(wanted, None)) is not None:
            ahead.append((following, pool.submit(_grams, following[1])))
        keys = future.result()
        if keys is not None:
            yield part, keys


def _grams(part: PartFile) -> Keys | None:
    try:
        data = read_part(part.path)
        info = part.path.stat()
    except (OSError, ContentError):
        return None
    return grams_of(data) if (info.st_size, info.st_mtime_ns) == (part.size, part.mtime_ns) else None


def _sweep(layout: Layout, manifest: Manifest) -> None:
    """Deletes the segments that no manifest names; what is open elsewhere stays for the next time (Windows)."""
    for number, path in segment_files(layout).items():
        if number not in manifest.segments:
            _delete(path)
    for path in layout.ngram.glob(f"*{TEMPORARY_SUFFIX}"):
        _delete(path)


def _delete(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        pass
