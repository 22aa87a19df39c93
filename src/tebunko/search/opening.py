"""Opens the document that a locator names, asking the person what only a person can say."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

from tebunko.model.errors import Cancelled, UserError
from tebunko.search.applications import Opening
from tebunko.search.launch import launch, private_copy
from tebunko.search.locator import parse_locator
from tebunko.search.open_source import KnownFolder, Source, existing_path, source_of
from tebunko.store.indexes import content_indexes
from tebunko.store.ingest_list import read_list
from tebunko.store.settings import Settings
from tebunko.store.source_folder import read_source_folder
from tebunko.store.workspace import Layout


class Questions(Protocol):
    """What is asked before a document is opened."""

    def trusts(self, index: str, folder: str) -> bool:
        """True if the person takes this folder for the sources of an index that was imported or copied here."""

    def new_folder(self, index: str, folder: str | None) -> str | None:
        """Where the sources of an index lie now, since they are not in ``folder``; None if the person does not say."""


def find_document(layout: Layout, settings: Settings, locator: str) -> Source:
    """The document of a locator, without a look at its folder. Raises UserError, OSError."""
    indexes = [f.name for f in settings.folders] + content_indexes(layout)
    known = [KnownFolder(f.name, f.path, True) for f in settings.folders]
    known += [KnownFolder(name, path, False) for path, name in read_list(layout.ingest_list).folders]
    for name in content_indexes(layout):
        recorded = read_source_folder(layout.content_folder(name))
        if recorded is not None:
            known.append(KnownFolder(name, recorded[1], False))
    return source_of(parse_locator(locator), known, indexes)


def open_document(source: Source, layout: Layout, questions: Questions, remember: Callable[[str], None]) -> None:
    """Opens a document; ``remember`` is told where the person says that its folder lies now.

    A folder that an index names by itself is not even looked at before it is confirmed. Raises UserError, Cancelled, OSError.
    """
    folder = source.folder
    if folder is not None and not source.registered and not questions.trusts(source.index, folder):
        raise Cancelled
    if folder is None or not os.path.isdir(folder):
        chosen = questions.new_folder(source.index, folder)
        if chosen is None:
            raise UserError("The documents of “{name}” are not in “{path}”.", name=source.index, path=folder or "?")
        folder = os.path.abspath(os.path.expanduser(chosen))
        if not os.path.isdir(folder):
            raise UserError("There is no folder “{path}”.", path=folder)
        remember(folder)
    path = existing_path(folder, source.names)
    if path is None:
        raise UserError("“{name}” is not in “{path}” any more.", name="/".join(source.names), path=folder)
    if source.needs_copy:
        path = private_copy(path, layout.opened)
    launch(Opening(path, source.spot, source.is_script, source.needs_copy))
