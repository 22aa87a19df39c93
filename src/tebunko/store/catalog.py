"""``store/format.tsv``: the format version and how far each index is (ja-index-format, 目録).

::

    版=2
    アプリの版=<version that wrote it>
    <index name> TAB 作成中 | 作り終えた

UTF-8 with BOM, CRLF. Unknown keys, columns and lines are skipped when read and not kept when written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tebunko import __version__
from tebunko.model.names import is_stored_index_name, name_key
from tebunko.model.states import IndexProgress, IndexState
from tebunko.store.fs import patiently, replace_file
from tebunko.store.tsv import encode_lines
from tebunko.store.workspace import Layout

FORMAT_VERSION = 2
_VERSION_KEY = "版="
_APP_KEY = "アプリの版="


@dataclass(slots=True)
class Catalog:
    """The catalogue as it was read.

    ``version`` is None if the file is missing or damaged (``damaged`` tells which); ``rows`` maps index names to progress.
    """

    version: int | None = None
    rows: dict[str, IndexProgress] = field(default_factory=dict)
    damaged: bool = False

    def progress(self, name: str) -> IndexProgress | None:
        """How far the index of that name (without case) is, None if it has no row."""
        return next((p for n, p in self.rows.items() if name_key(n) == name_key(name)), None)

    def set(self, name: str, progress: IndexProgress) -> None:
        """Puts the row of an index, in place of one that differs only by case."""
        self.remove(name)
        self.rows[name] = progress

    def remove(self, name: str) -> None:
        """Removes the row of an index, if it has one."""
        self.rows = {n: p for n, p in self.rows.items() if name_key(n) != name_key(name)}


def read_catalog(layout: Layout) -> Catalog:
    """Reads the catalogue; damage is told by ``damaged``, not raised."""
    try:
        text = patiently(layout.catalog.read_bytes).decode("utf-8-sig")
    except FileNotFoundError:
        return Catalog()
    except (OSError, UnicodeDecodeError):
        return Catalog(damaged=True)
    return parse_catalog(text)


def parse_catalog(text: str) -> Catalog:
    r"""The catalogue that the text holds; a damaged one (no version) has no rows: nothing it says is believed.

    >>> parse_catalog("版=2\r\n新しい鍵=1\r\n営業\t作り終えた\t列\r\n").rows
    {'営業': <IndexProgress.COMPLETE: '作り終えた'>}
    """
    catalog = Catalog(damaged=True)
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if line.startswith(_VERSION_KEY) and catalog.version is None:
            number = line.removeprefix(_VERSION_KEY)
            if number.isascii() and number.isdigit() and len(number) < 10:
                catalog.version = int(number)
                catalog.damaged = False
            continue
        name, *columns = line.split("\t")
        if columns and is_stored_index_name(name) and columns[0] in list(IndexProgress):
            catalog.set(name, IndexProgress(columns[0]))
    if catalog.damaged:
        catalog.rows = {}
    return catalog


def write_catalog(layout: Layout, catalog: Catalog) -> None:
    """Writes the catalogue in today's version, beside and moved over."""
    lines = [f"{_VERSION_KEY}{FORMAT_VERSION}", f"{_APP_KEY}{__version__}"]
    lines += [f"{name}\t{progress.value}" for name, progress in catalog.rows.items()]
    replace_file(layout.catalog, encode_lines(lines))


def repaired(catalog: Catalog, current: Mapping[str, bool]) -> Catalog:
    """repairIndexFormat: a damaged catalogue made anew: every index that has content files is 作成中.

    ``current`` maps index names to whether today's store holds content files of theirs.
    """
    if not catalog.damaged:
        return catalog
    return Catalog(FORMAT_VERSION, {name: IndexProgress.BUILDING for name, has in current.items() if has})


def index_state(catalog: Catalog, name: str, *, in_current: bool, in_old: bool) -> IndexState:
    """getIndexFormatState for one index, a pure decision.

    ``in_current`` and ``in_old`` say whether today's store and that of format 1 hold content files of it.
    """
    if catalog.version is not None and catalog.version > FORMAT_VERSION:
        return IndexState.NEWER
    if catalog.version is not None and catalog.version < FORMAT_VERSION:
        return IndexState.OLD if in_current or in_old else IndexState.EMPTY
    if in_current and in_old:
        return IndexState.REBUILDING
    if in_old:
        return IndexState.OLD
    progress = catalog.progress(name)
    if progress is IndexProgress.COMPLETE:
        return IndexState.CURRENT
    if in_current or progress is IndexProgress.BUILDING:
        return IndexState.BUILDING
    return IndexState.EMPTY


def workspace_state(catalog: Catalog, states: Mapping[str, IndexState]) -> IndexState:
    """getIndexFormatState for the workspace: NEWER, BROKEN, EMPTY, or the state of its indexes that needs most attention."""
    if catalog.version is not None and catalog.version > FORMAT_VERSION:
        return IndexState.NEWER
    if catalog.damaged:
        return IndexState.BROKEN
    found = set(states.values())
    for state in (IndexState.OLD, IndexState.REBUILDING, IndexState.BUILDING, IndexState.CURRENT):
        if state in found:
            return state
    return IndexState.EMPTY
