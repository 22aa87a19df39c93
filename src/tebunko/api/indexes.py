"""The part of the door about indexes: registering folders, renaming, moving, listing, failures."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tebunko.api.base import Base
from tebunko.model.errors import UserError, reason_of
from tebunko.model.names import is_index_name, name_key, new_index_name
from tebunko.model.paths import real_relative
from tebunko.model.states import FileState, IndexState
from tebunko.store.catalog import index_state, read_catalog
from tebunko.store.coverage import IndexCoverage, read_coverage
from tebunko.store.indexes import carry_out, content_indexes, index_size
from tebunko.store.ingest_list import Row as ListRow
from tebunko.store.ingest_list import read_list
from tebunko.store.intent import REMOVE, RENAME, Intent
from tebunko.store.settings import TargetFolder, save_settings
from tebunko.store.workspace import Layout


@dataclass(frozen=True, slots=True)
class AddedIndex:
    """A newly registered folder: its index name, and names of registered folders that contain it or lie inside."""

    name: str
    folder: str
    overlaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """One index as ``index list`` and ``status`` show it.

    ``registered`` is false for an index that lies in the workspace without a registered folder. ``size`` is the bytes of
    its files in the workspace.
    """

    name: str
    folder: str | None
    enabled: bool
    registered: bool
    state: IndexState
    coverage: IndexCoverage
    size: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A source file that is not in the index with its present content.

    ``state`` is 失敗 (it waits for a change or ``--retry-failed``) or 未取り込み (tried again by the next update).
    ``reason`` is the value of a `Reason` or None if the sentence is another program's; ``text`` is the sentence on disk.
    """

    index: str
    file: str
    state: FileState
    reason: str | None
    detail: str
    text: str
    time: str


class Indexes(Base):
    """Registers folders and tells of what is indexed."""

    def add(self, folder: str | os.PathLike[str], name: str | None = None) -> AddedIndex:
        """Registers a folder; nothing is read yet.

        The index is named after the folder unless ``name`` is given. Raises UserError if there is no such folder, if it is
        registered already under any spelling or link, or if the name is taken or not allowed.
        """
        from tebunko.indexing.roots import nested_in, same_folder

        path = os.path.abspath(os.path.expanduser(folder))
        if not os.path.isdir(path):
            raise UserError("There is no folder “{path}”.", path=path)
        self._refuse_own_folder(path)
        with self._writing():
            settings = self.settings()
            twin = same_folder(settings.folders, path)
            if twin is not None:
                raise UserError("This folder is registered already, as “{name}”.", name=twin)
            taken = [f.name for f in settings.folders] + content_indexes(self.layout)
            chosen = _checked_name(name, taken) if name is not None else new_index_name(_leaf(path), taken)
            overlaps = tuple(nested_in(settings.folders, path))
            save_settings(self.layout, replace(settings, folders=(*settings.folders, TargetFolder(chosen, path))))
        return AddedIndex(chosen, path, overlaps)

    def remove(self, name: str) -> None:
        """Deletes an index, registered or not; the sources are not touched. Raises UserError if there is none."""
        with self._writing():
            settings = self.settings()
            known = self._known(settings, name)
            self._settle()
            carry_out(self.layout, settings, Intent(REMOVE, known))

    def rename(self, name: str, new: str) -> None:
        """Gives an index another name. Raises UserError if there is none, or the name is taken or not allowed."""
        with self._writing():
            settings = self.settings()
            old = self._known(settings, name)
            others = [f.name for f in settings.folders] + content_indexes(self.layout)
            taken = [other for other in others if name_key(other) != name_key(old)]
            intent = Intent(RENAME, old, _checked_name(new, taken))
            self._settle()
            carry_out(self.layout, settings, intent)

    def set_enabled(self, name: str, enabled: bool) -> None:
        """Says whether updates crawl an index. Raises UserError if no such folder is registered."""
        self._change(name, lambda folder: replace(folder, enabled=enabled))

    def move(self, name: str, folder: str | os.PathLike[str]) -> None:
        """Says where the sources of an index lie now; they are not read again. Raises UserError."""
        from tebunko.indexing.roots import read_devices, same_folder, write_devices

        path = os.path.abspath(os.path.expanduser(folder))
        if not os.path.isdir(path):
            raise UserError("There is no folder “{path}”.", path=path)
        self._refuse_own_folder(path)
        others = [f for f in self.settings().folders if name_key(f.name) != name_key(name)]
        twin = same_folder(others, path)
        if twin is not None:
            raise UserError("This folder is registered already, as “{name}”.", name=twin)
        self._change(name, lambda registered: replace(registered, path=path))
        with self._writing():
            devices = read_devices(self.layout)
            write_devices(self.layout, {n: d for n, d in devices.items() if name_key(n) != name_key(name)})

    def indexes(self, *, sizes: bool = False) -> list[IndexInfo]:
        """All indexes: the registered ones in their order, then what else lies in the workspace. Raises OSError."""
        settings = self.settings()
        counts = {name_key(name): coverage for name, coverage in read_coverage(self.layout).items()}
        catalog = read_catalog(self.layout)
        present = {name_key(name) for name in content_indexes(self.layout)}
        old = _old_indexes(self.layout)
        registered = {name_key(f.name) for f in settings.folders}
        extra = [n for n in content_indexes(self.layout) + old if name_key(n) not in registered]
        known = [(f.name, f) for f in settings.folders] + [(name, None) for name in dict.fromkeys(extra)]
        old_keys = {name_key(name) for name in old}
        found = []
        for name, folder in known:
            key = name_key(name)
            state = index_state(catalog, name, in_current=key in present, in_old=key in old_keys)
            size = index_size(self.layout, name) if sizes else 0
            path, enabled = (folder.path, folder.enabled) if folder else (None, False)
            coverage = counts.get(key, IndexCoverage())
            found.append(IndexInfo(name, path, enabled, folder is not None, state, coverage, size))
        return found

    def failures(self, name: str | None = None) -> list[Failure]:
        """The failed and postponed files, of one index if ``name`` is given. Raises UserError if there is no such index."""
        if name is not None:
            name = self._known(self.settings(), name)
        found = []
        for row in read_list(self.layout.ingest_list).rows():
            index = row.path.partition("\\")[0]
            if (row.state is FileState.FAILED or row.postponed) and (name is None or name_key(index) == name_key(name)):
                found.append(_failure(row))
        return found


def _leaf(path: str) -> str:
    return os.path.basename(path.rstrip("/\\")) or path


def _checked_name(name: str, taken: Iterable[str]) -> str:
    if not is_index_name(name):
        raise UserError("“{name}” cannot be the name of an index.", name=name)
    if name_key(name) in {name_key(other) for other in taken}:
        raise UserError("There is an index named “{name}” already.", name=name)
    return name


def _old_indexes(layout: Layout) -> list[str]:
    """The indexes that a program of format 1 left."""
    try:
        return sorted(entry.name for entry in os.scandir(layout.old_content) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _failure(row: ListRow) -> Failure:
    index, _, relative = row.path.partition("\\")
    reason = reason_of(row.error)
    known, detail = (reason[0].value, reason[1]) if reason else (None, "")
    return Failure(index, real_relative(relative), row.state, known, detail, row.error, row.ingested)
