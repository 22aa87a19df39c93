"""The folders of content files that a search goes through, in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tebunko.model.paths import WINDOWS, decode_segment, fold
from tebunko.search.hits import Skipped
from tebunko.search.request import SearchedIndex, SearchRequest
from tebunko.store.content import PartFile, list_parts
from tebunko.store.fs import is_link
from tebunko.store.workspace import Layout


@dataclass(frozen=True, slots=True, eq=False)
class ContentFolder:
    r"""One folder of content files.

    ``stored`` is its stored path with the index (``営業\2024``), ``real`` its real path relative to the index, ``/`` between the
    names and "" for the index itself.
    """

    index: SearchedIndex
    stored: str
    real: str
    path: Path

    def parts(self) -> list[PartFile]:
        """Its content files now, by extension and number. Raises OSError."""
        return list_parts(self.path)


def searched_folders(layout: Layout, index: SearchedIndex, request: SearchRequest) -> Iterator[ContentFolder | Skipped]:
    """The folders of an index that the request lets in, each before those below it, these by name without case.

    A folder that cannot be listed is given as skipped; one that vanished is not given. Links are not followed.
    """
    stack = [ContentFolder(index, index.name, "", layout.content_folder(index.name))]
    while stack:
        folder = stack.pop()
        if request.searches_folder(index.name, folder.real):
            yield folder
        try:
            names = _subfolders(folder.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Skipped(folder.stored.replace("\\", "/"), error.strerror or str(error))
            continue
        below = [_subfolder(folder, name) for name in names]
        stack += [b for b in reversed(below) if request.descends_into(index.name, b.real)]


def _subfolders(path: Path) -> list[str]:
    with os.scandir(path) as entries:
        names = [e.name for e in entries if e.is_dir(follow_symlinks=False) and not (WINDOWS and is_link(Path(e.path)))]
    return sorted(names, key=lambda name: (fold(name), name))


def _subfolder(folder: ContentFolder, disk_name: str) -> ContentFolder:
    stored = folder.index.long_names.get(disk_name, disk_name)
    real = decode_segment(stored)
    return ContentFolder(
        folder.index,
        f"{folder.stored}\\{stored}",
        f"{folder.real}/{real}" if folder.real else real,
        folder.path / disk_name,
    )
