"""The crawl: which source files lie below the registered folders (ja-target-decision, クロールで列挙するファイルの条件).

`crawl` is a generator over plain events, so it can be run in a process of its own that may be killed: a hung share must not
hang the conductor. It opens no file and follows no link (but a registered folder may itself be one).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tebunko.model.kinds import kind_of
from tebunko.model.paths import encode_folder
from tebunko.store.content import parse_part_name
from tebunko.store.workspace import is_workspace

_CLOUD_ATTRIBUTES = 0x400000 | 0x40000 | 0x1000
"""RECALL_ON_DATA_ACCESS, RECALL_ON_OPEN, OFFLINE: opening such a file downloads it."""
_SF_DATALESS = 0x40000000
_LINK_TAGS = (0xA000000C, 0xA0000003)
"""Reparse tags of a symbolic link and a junction; what has another tag (OneDrive) is not proved to be a link."""
_BATCH_FILES = 1000


class FoundFile(NamedTuple):
    """A source file: its stored name, size in bytes, time of change (ns), and whether it lies only in the cloud."""

    name: str
    size: int
    mtime_ns: int
    cloud_only: bool


@dataclass(frozen=True, slots=True)
class CrawlRoot:
    """A registered folder to crawl.

    ``skip`` are absolute real paths of folders to leave out: the workspace, and registered folders inside this one.
    """

    index: str
    path: str
    skip: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RootStarted:
    """The crawl of a registered folder begins."""

    index: str


@dataclass(frozen=True, slots=True)
class FolderFound:
    """Source files of one folder (large folders come in several events); ``stored`` is its stored path."""

    stored: str
    files: tuple[FoundFile, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder or file below a root that could not be looked at."""

    stored: str
    detail: str


@dataclass(frozen=True, slots=True)
class LinkSkipped:
    """A link that was not followed."""

    stored: str


@dataclass(frozen=True, slots=True)
class RootEnded:
    """The crawl of a registered folder ended.

    ``listed`` is false if the folder itself could not be listed (then ``detail`` says why); ``empty`` is true if it holds no
    entry at all, as the mount point of a share that is away.
    """

    index: str
    listed: bool
    empty: bool
    detail: str = ""


CrawlEvent = RootStarted | FolderFound | Unreadable | LinkSkipped | RootEnded


def crawl(roots: Iterable[CrawlRoot]) -> Iterator[CrawlEvent]:
    """Crawls registered folders one after the other; errors are events, none is raised."""
    for root in roots:
        yield RootStarted(root.index)
        yield from _crawl_root(root)


def _crawl_root(root: CrawlRoot) -> Iterator[CrawlEvent]:
    top = os.path.realpath(root.path)
    waiting = [(top, root.index)]
    empty = False
    while waiting:
        folder, stored = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listing = list(entries)
        except OSError as error:
            if folder == top:
                yield RootEnded(root.index, False, False, error.strerror or str(error))
                return
            yield Unreadable(stored, error.strerror or str(error))
            continue
        empty = empty or (folder == top and not listing)
        events, below = _look_at(folder, stored, listing, root.skip)
        yield from events
        waiting.extend(reversed(below))
    yield RootEnded(root.index, True, empty)


def _look_at(
    folder: str, stored: str, listing: list[os.DirEntry[str]], skip: frozenset[str]
) -> tuple[list[CrawlEvent], list[tuple[str, str]]]:
    """The events of one folder, and its subfolders as (path, stored path) in order."""
    names = encode_folder(entry.name for entry in listing)
    events: list[CrawlEvent] = []
    folders: list[tuple[str, os.DirEntry[str]]] = []
    files: list[tuple[str, os.DirEntry[str]]] = []
    for entry in listing:
        name = names[entry.name]
        if _is_link(entry):
            if kind_of(entry.name) or _leads_to_folder(entry):
                events.append(LinkSkipped(f"{stored}\\{name}"))
        elif entry.is_dir(follow_symlinks=False):
            folders.append((name, entry))
        elif is_source_name(entry.name):
            files.append((name, entry))
    if is_workspace(folder, {e.name for e in listing}, {e.name for _, e in folders}):
        return [], []
    found: list[FoundFile] = []
    for name, entry in sorted(files, key=lambda item: item[0]):
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError as error:
            events.append(Unreadable(f"{stored}\\{name}", error.strerror or str(error)))
            continue
        if stat.S_ISREG(info.st_mode):
            found.append(FoundFile(name, info.st_size, info.st_mtime_ns, is_cloud_only(info)))
    for start in range(0, len(found), _BATCH_FILES):
        events.append(FolderFound(stored, tuple(found[start : start + _BATCH_FILES])))
    below = [(e.path, f"{stored}\\{name}") for name, e in sorted(folders, key=lambda f: f[0]) if e.path not in skip]
    return events, below


def is_source_name(name: str) -> bool:
    """True for the name of a file that is taken: a known extension, no Office lock file, no content file of ours.

    >>> is_source_name("a.xlsx"), is_source_name("~$a.xlsx"), is_source_name("content_index.txt.001.tsv")
    (True, False, False)
    """
    return kind_of(name) is not None and not name.startswith("~$") and parse_part_name(name) is None


def is_cloud_only(info: os.stat_result) -> bool:
    """True for a file that lies only in the cloud: Windows marks it by attributes, macOS by SF_DATALESS."""
    attributes, flags = getattr(info, "st_file_attributes", 0), getattr(info, "st_flags", 0)
    return bool(attributes & _CLOUD_ATTRIBUTES or flags & _SF_DATALESS)


def _is_link(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():
        return True
    if os.name != "nt":
        return False
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return getattr(info, "st_reparse_tag", 0) in _LINK_TAGS


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
