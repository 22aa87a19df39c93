"""Which registered folders a run crawls, and on which devices they lay last time (``store/roots.json``, ours)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from tebunko.indexing.channel import Note, PlanRow, RootKind, note
from tebunko.indexing.crawl import CrawlRoot
from tebunko.model.errors import UserError
from tebunko.model.names import name_key
from tebunko.store.fs import replace_file
from tebunko.store.settings import Settings, TargetFolder
from tebunko.store.workspace import Layout


@dataclass(slots=True)
class Selection:
    """The roots to crawl, the plan's rows of those that are not, and what the user should know."""

    roots: list[CrawlRoot] = field(default_factory=list)
    rows: list[PlanRow] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def select_roots(layout: Layout, settings: Settings, names: Sequence[str]) -> Selection:
    """The registered folders that a run crawls: the enabled ones, of them only ``names`` if any are given.

    Unknown and disabled names become notes. Raises UserError if nothing is left.
    """
    if not settings.folders:
        raise UserError("No folder is registered. Add one with “tebunko index add FOLDER”.")
    selection = Selection()
    wanted = _wanted(settings, names, selection.notes)
    real = {folder.name: os.path.realpath(folder.path) for folder in settings.folders}
    enabled = [folder for folder in settings.folders if folder.enabled]
    seen: dict[str, str] = {}
    for folder in settings.folders:
        key = os.path.normcase(real[folder.name])
        if folder.enabled and key in seen:
            selection.notes.append(
                note("“{name}” is the same folder as “{other}” and is not read.", name=folder.name, other=seen[key])
            )
            continue
        if folder.enabled:
            seen[key] = folder.name
        if name_key(folder.name) not in wanted:
            if not names:
                selection.rows.append(PlanRow(folder.name, folder.path, RootKind.DISABLED))
            continue
        skip = {real[other.name] for other in enabled if other is not folder} | {os.path.realpath(layout.root)}
        selection.roots.append(CrawlRoot(folder.name, folder.path, frozenset(skip)))
    if not selection.roots:
        raise UserError("None of the indexes can be updated: they are unknown or disabled. See “tebunko index list”.")
    return selection


def _wanted(settings: Settings, names: Sequence[str], notes: list[Note]) -> set[str]:
    enabled = {name_key(folder.name) for folder in settings.folders if folder.enabled}
    if not names:
        return enabled
    known = {name_key(folder.name) for folder in settings.folders}
    for name in names:
        if name_key(name) not in known:
            notes.append(note("There is no index named “{name}”; it was passed over.", name=name))
        elif name_key(name) not in enabled:
            notes.append(note("The index “{name}” is disabled; it was passed over.", name=name))
    return {name_key(name) for name in names} & enabled


def nested_in(folders: Sequence[TargetFolder], path: str) -> list[str]:
    """The names of registered folders that contain ``path`` or lie inside it (by their real paths)."""
    real = os.path.normcase(os.path.realpath(path))
    found = []
    for folder in folders:
        other = os.path.normcase(os.path.realpath(folder.path))
        if _inside(real, other) or _inside(other, real):
            found.append(folder.name)
    return found


def same_folder(folders: Sequence[TargetFolder], path: str) -> str | None:
    """The name of the registered folder that is the same as ``path`` under any spelling, link or mount; None if none is."""
    for folder in folders:
        try:
            if os.path.samefile(folder.path, path):
                return folder.name
        except OSError:
            pass
        if os.path.normcase(os.path.realpath(folder.path)) == os.path.normcase(os.path.realpath(path)):
            return folder.name
    return None


def _inside(inner: str, outer: str) -> bool:
    return inner != outer and inner.startswith(outer.rstrip(os.sep) + os.sep)


def read_devices(layout: Layout) -> dict[str, str]:
    """The device identity of each index's folder at its last update, by index name; {} if nothing is known."""
    try:
        found = json.loads((layout.store / "roots.json").read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: device for name, device in found.items() if isinstance(device, str)}


def write_devices(layout: Layout, devices: dict[str, str]) -> None:
    """Keeps the device identities. Raises OSError."""
    if devices != read_devices(layout):
        replace_file(layout.store / "roots.json", json.dumps(devices, ensure_ascii=False).encode("utf-8", "replace"))
