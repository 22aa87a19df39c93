"""From a locator to the document it names: which index, where its folder lies, which file there, which spot in it.

Where the sources of an index lie is said by the settings, else by the ingest list, else by ``source_folder.txt``, in that order. Only
the settings are the user's own word; what an imported or copied index says of itself must be confirmed before
anything there is touched. Everything here but `existing_path` is free of I/O.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tebunko.model.errors import UserError
from tebunko.model.kinds import MACRO_EXTENSIONS, SCRIPT_EXTENSIONS, extension_of, kind_of
from tebunko.model.names import name_key
from tebunko.model.paths import WINDOWS
from tebunko.search.locator import Locator

_TARGET = re.compile(r"\[(?:図形|コメント|ヘッダー・フッター|埋め込み[0-9]*)\]$")
_NUMBER = re.compile(r"(?:ページ|スライド)([0-9]{3,9})")


@dataclass(frozen=True, slots=True)
class KnownFolder:
    """Where something says that the sources of an index lie; ``registered`` if it is the settings."""

    index: str
    folder: str
    registered: bool


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in a document to go: a sheet's name and cell, or a page or slide from 1; None where there is nothing to say."""

    sheet: str | None = None
    cell: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A document to be opened: its index, the folder that this one's sources lie in (None if nothing says), its names there."""

    index: str
    folder: str | None
    registered: bool
    names: tuple[str, ...]
    spot: Spot

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.names[-1]

    @property
    def is_script(self) -> bool:
        """True if a double click would run it: it is opened in a plain editor only."""
        return extension_of(self.name) in SCRIPT_EXTENSIONS

    @property
    def needs_copy(self) -> bool:
        """True for what may hold macros and comes from an index that the user did not register: opened as a read-only copy."""
        return not self.registered and extension_of(self.name) in MACRO_EXTENSIONS


def source_of(locator: Locator, known: Sequence[KnownFolder], indexes: Sequence[str]) -> Source:
    """The document of a locator; ``known`` is in order of precedence, ``indexes`` are the names of all indexes.

    Raises UserError for an unknown index, a file of a kind that is never indexed, and a path that leaves its folder.
    """
    key = name_key(locator.index)
    index = next((name for name in indexes if name_key(name) == key), None)
    if index is None:
        raise UserError("There is no index named “{name}”. See “tebunko index list”.", name=locator.index)
    names = tuple(locator.file.split("/"))
    if kind_of(names[-1]) is None or not all(map(_stays_inside, names)):
        raise UserError("“{name}” is no document of an index.", name=locator.file)
    found = next((k for k in known if name_key(k.index) == key), None)
    folder, registered = (found.folder, found.registered) if found else (None, False)
    return Source(index, folder, registered, names, spot_of(locator))


def _stays_inside(name: str) -> bool:
    if name in ("", ".", "..") or "\0" in name:
        return False
    return not WINDOWS or not (set(name) & set('\\:/*?"<>|') or name.rstrip(". ") != name)


def spot_of(locator: Locator) -> Spot:
    """The spot that a locator names.

    >>> spot_of(Locator("i", "a.xlsx", "売上[図形]", cell="B2")), spot_of(Locator("i", "a.pdf", "ページ012", line=3)).page
    (Spot(sheet='売上', cell='B2', page=None), 12)
    """
    if locator.place is None:
        return Spot()
    place = _TARGET.sub("", locator.place)
    if locator.cell is not None:
        return Spot(sheet=place, cell=locator.cell)
    number = _NUMBER.match(place)
    return Spot(page=int(number[1])) if number else Spot()


def existing_path(folder: str, names: Sequence[str]) -> str | None:
    """The path of a file as the system spells it, None if there is none.

    Names that differ in Unicode form or in case from the recorded ones are found if they are the only such names: systems
    change both when files are copied.
    """
    path = folder
    for name in names:
        direct = os.path.join(path, name)
        if not os.path.lexists(direct):
            spelled = _only_twin(path, name)
            if spelled is None:
                return None
            direct = os.path.join(path, spelled)
        path = direct
    return path if os.path.isfile(path) else None


def _only_twin(folder: str, name: str) -> str | None:
    key = _comparable(name)
    try:
        twins = [entry for entry in os.listdir(folder) if _comparable(entry) == key]
    except OSError:
        return None
    return twins[0] if len(twins) == 1 else None


def _comparable(name: str) -> str:
    return name_key(unicodedata.normalize("NFC", name))
