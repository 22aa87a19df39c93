"""What all parts of the door share: the workspace's place, its settings, and writing under the lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tebunko.model.errors import UserError
from tebunko.model.names import name_key
from tebunko.store.fs import make_private_folder
from tebunko.store.indexes import content_indexes, finish_intent
from tebunko.store.ingest_list import read_list
from tebunko.store.lock import workspace_lock
from tebunko.store.settings import Settings, TargetFolder, adopt, load_settings, save_settings
from tebunko.store.workspace import Layout

ENVIRONMENT = "TEBUNKO_WORKSPACE"


def default_workspace() -> Path:
    """The workspace when none is named: $TEBUNKO_WORKSPACE, else the platform's user data folder."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("tebunko", appauthor=False)


class Base:
    """A workspace by its folder; the parts of the door build on it."""

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        """Opens a workspace (it need not exist yet); the default one if no folder is named."""
        self.layout = Layout(Path(os.path.abspath(root if root is not None else default_workspace())))

    def settings(self) -> Settings:
        """The settings; of an adopted workspace with the folders that its list names. Raises UserError, OSError."""
        settings = load_settings(self.layout)
        return settings if settings.folders else adopt(settings, read_list(self.layout.ingest_list).folders)

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
