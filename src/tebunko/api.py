"""The one door to tebunko, for the command line, the page and people who ``import tebunko.api``.

>>> import tempfile, pathlib
>>> home = pathlib.Path(tempfile.mkdtemp())
>>> _ = (home / "docs").mkdir(), (home / "docs" / "memo.txt").write_text("会議は 10:30 から\\n", "utf-8")
>>> workspace = Workspace(home / "workspace")
>>> workspace.add(home / "docs", name="資料").name
'資料'
>>> workspace.update().done
1
>>> [(hit.place.name, hit.line, hit.text) for hit in workspace.hits("10:30")]
[('本文', 1, '会議は 10:30 から')]
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tebunko.indexing.channel import Approval, Channel, Phase, PlanRow, Progress, RootKind, Summary
from tebunko.locale import system_language, translator
from tebunko.model.errors import Cancelled, Reason, UserError, message_of, reason_of
from tebunko.model.names import is_index_name, name_key, new_index_name
from tebunko.model.paths import real_relative
from tebunko.model.states import SEARCHED_STATES, FileState, IndexState
from tebunko.search.options import SearchOptions
from tebunko.store.catalog import index_state, read_catalog
from tebunko.store.coverage import IndexCoverage, read_coverage
from tebunko.store.fs import make_private_folder
from tebunko.store.indexes import carry_out, content_indexes, finish_intent, index_size
from tebunko.store.ingest_list import Row as ListRow
from tebunko.store.ingest_list import read_list
from tebunko.store.intent import REMOVE, RENAME, Intent
from tebunko.store.lock import workspace_lock
from tebunko.store.long_names import read_long_names
from tebunko.store.progress import RunState, read_state, request_stop
from tebunko.store.settings import Settings, TargetFolder, adopt, load_settings, save_settings
from tebunko.store.source_folder import read_source_folder, write_source_folder
from tebunko.store.workspace import Layout

if TYPE_CHECKING:
    import threading

    from tebunko.indexing.dispatch import Limits
    from tebunko.indexing.reading import ReadFile, ReadPlace
    from tebunko.search.engine import Event
    from tebunko.search.export.results import write_results
    from tebunko.search.hits import (
        FileCount,
        FileMatch,
        FileTerms,
        Hit,
        Row,
        Skipped,
        json_line,
        shown_place,
    )
    from tebunko.search.hits import Summary as SearchSummary
    from tebunko.search.opening import Questions
    from tebunko.search.request import SearchedIndex

__all__ = [
    "AddedIndex",
    "Approval",
    "Cancelled",
    "Channel",
    "Event",
    "Failure",
    "FileCount",
    "FileMatch",
    "FileState",
    "FileTerms",
    "Hit",
    "IndexInfo",
    "IndexState",
    "Phase",
    "PlanRow",
    "Progress",
    "Questions",
    "ReadPlace",
    "Reason",
    "RootKind",
    "Row",
    "RunState",
    "SearchOptions",
    "SearchSummary",
    "Skipped",
    "Summary",
    "UserError",
    "Workspace",
    "default_workspace",
    "json_line",
    "message_of",
    "shown_place",
    "write_results",
]

_RESULTS = "tebunko.search.hits"
_LATE = {
    "Event": ("tebunko.search.engine", "Event"),
    "FileCount": (_RESULTS, "FileCount"),
    "FileMatch": (_RESULTS, "FileMatch"),
    "FileTerms": (_RESULTS, "FileTerms"),
    "Hit": (_RESULTS, "Hit"),
    "ReadPlace": ("tebunko.indexing.reading", "ReadPlace"),
    "Questions": ("tebunko.search.opening", "Questions"),
    "Row": (_RESULTS, "Row"),
    "SearchSummary": (_RESULTS, "Summary"),
    "Skipped": (_RESULTS, "Skipped"),
    "json_line": (_RESULTS, "json_line"),
    "shown_place": (_RESULTS, "shown_place"),
    "write_results": ("tebunko.search.export.results", "write_results"),
}


def __getattr__(name: str) -> object:
    """Names of the search room, loaded when first used: other commands start without it."""
    if name not in _LATE:
        raise AttributeError(name)
    module, attribute = _LATE[name]
    return getattr(importlib.import_module(module), attribute)


ENVIRONMENT = "TEBUNKO_WORKSPACE"


def default_workspace() -> Path:
    """The workspace when none is named: $TEBUNKO_WORKSPACE, else the platform's user data folder."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("tebunko", appauthor=False)


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


class Workspace:
    """A workspace: registered folders and the index of what they hold."""

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        """Opens a workspace (it need not exist yet); the default one if no folder is named."""
        self.layout = Layout(Path(os.path.abspath(root if root is not None else default_workspace())))

    # --- indexes -------------------------------------------------------------------------------------------------

    def settings(self) -> Settings:
        """The settings; of an adopted workspace with the folders that its list names. Raises UserError, OSError."""
        settings = load_settings(self.layout)
        return settings if settings.folders else adopt(settings, read_list(self.layout.ingest_list).folders)

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

    # --- runs ----------------------------------------------------------------------------------------------------

    def update(
        self,
        names: Sequence[str] = (),
        channel: Channel | None = None,
        *,
        workers: int = 0,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        locale: str | None = None,
        language: str | None = None,
    ) -> Summary:
        """Runs one update and gives its summary; ``channel`` is told of progress and asked for approval.

        ``names`` limits it to these indexes; ``workers`` 0 means one less than the machine has cores; ``time_limit`` is in
        seconds a file, ``memory_limit`` in bytes a worker; ``locale`` becomes the workspace's display locale; ``language`` is
        that of the log (default: the system's). Raises UserError if it cannot run.
        """
        from tebunko.indexing.conductor import UpdateOptions, run_update

        options = UpdateOptions(
            tuple(names),
            workers,
            _limits(time_limit, memory_limit),
            locale,
            translate=translator(language or system_language()),
        )
        return run_update(self.layout, options, channel or Channel())

    def run_state(self) -> RunState | None:
        """The state of the update run that is under way, whoever started it, or of the last one; None if there was none."""
        return read_state(self.layout)

    def stop_update(self) -> bool:
        """Asks the run that is under way, whoever started it, to stop in good order; false if there is none."""
        state = read_state(self.layout)
        if state is None or not state.alive:
            return False
        request_stop(self.layout)
        return True

    def cat(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        locale: str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> Iterator[ReadFile]:
        """Reads files without an index, in a worker process: places and lines as the index would hold them."""
        from tebunko.indexing.reading import read_files

        chosen = locale or load_settings(self.layout).display_locale
        return read_files((os.fspath(path) for path in paths), chosen, _limits(time_limit, memory_limit))

    # --- search --------------------------------------------------------------------------------------------------

    def search(
        self,
        options: SearchOptions,
        *,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Runs a search and yields batches of rows, skipped content files, and last a `SearchSummary`.

        Raises UserError (an invalid expression, an unknown index, an expression that takes too long on a line) and
        Cancelled soon after ``cancel`` is set.
        """
        from tebunko.search.engine import search
        from tebunko.search.request import make_request

        request = make_request(options)
        indexes, left_out = self._searched()
        return search(self.layout, indexes, request, left_out=left_out, cancel=cancel)

    def hits(self, query: str, *, regex: bool = False, literal: bool = False, case: bool = False) -> Iterator[Hit]:
        """The hits of a query over all indexes, one by one; for scripts. Raises UserError."""
        from tebunko.search.hits import Hit

        for event in self.search(SearchOptions(query, regex=regex, literal=literal, case=case)):
            if isinstance(event, list):
                yield from (row for row in event if isinstance(row, Hit))

    def open(self, locator: str, questions: Questions) -> None:
        """Opens the document that a locator names, at its cell or page where the application allows.

        ``questions`` is asked whether the folder of an index that is not registered is to be trusted, and where documents
        lie that were moved; the answer to that is remembered. Raises UserError, OSError, and Cancelled if it is not trusted.
        """
        from tebunko.search.opening import find_document, open_document

        source = find_document(self.layout, self.settings(), locator)

        def remember(folder: str) -> None:
            if source.registered:
                self.move(source.index, folder)
                return
            with self._writing():
                write_source_folder(self.layout.content_folder(source.index), source.index, folder)

        open_document(source, self.layout, questions, remember)

    def _searched(self) -> tuple[list[SearchedIndex], list[str]]:
        """The indexes that are searched, and the names of those that cannot be (old or newer format)."""
        from tebunko.search.request import SearchedIndex

        found, left_out = [], []
        long_names = read_long_names(self.layout)
        for info in self.indexes():
            if info.state in SEARCHED_STATES:
                recorded = read_source_folder(self.layout.content_folder(info.name)) if info.folder is None else None
                folder = info.folder or (recorded[1] if recorded else None)
                found.append(SearchedIndex(info.name, folder, info.coverage, long_names))
            elif info.state is not IndexState.EMPTY:
                left_out.append(info.name)
        return found, left_out

    # --- helpers -------------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the lock; an operation that a killed process left unfinished is finished first."""
        make_private_folder(self.layout.root)
        with workspace_lock(self.layout):
            finish_intent(self.layout)
            yield

    def _settle(self) -> None:
        """Publishes what a killed run left, so that no record of it names an index that changes."""
        from tebunko.indexing.recovery import settle

        settle(self.layout)

    def _change(self, name: str, change: Callable[[TargetFolder], TargetFolder]) -> None:
        with self._writing():
            settings = self.settings()
            folder = settings.folder(name)
            folders = tuple(change(f) if f is folder else f for f in settings.folders)
            save_settings(self.layout, replace(settings, folders=folders))

    def _known(self, settings: Settings, name: str) -> str:
        """The name, as it is spelled, of an index that is registered or lies in the workspace."""
        for known in [f.name for f in settings.folders] + content_indexes(self.layout):
            if name_key(known) == name_key(name):
                return known
        return settings.folder(name).name

    def _refuse_own_folder(self, path: str) -> None:
        own, real = os.path.realpath(self.layout.root), os.path.realpath(path)
        if real == own or real.startswith(own + os.sep):
            raise UserError("“{path}” lies inside the workspace itself.", path=path)


def _limits(seconds: float | None, memory: int | None) -> Limits:
    from tebunko.indexing.dispatch import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
    from tebunko.indexing.dispatch import Limits as LimitsOfOneFile

    return LimitsOfOneFile(seconds or DEFAULT_TIME_LIMIT, memory or DEFAULT_MEMORY_LIMIT)


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
