"""Operations on a whole index: rename and remove, in everything that names it. The workspace lock must be held."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from tebunko.model.names import name_key
from tebunko.model.paths import disk_segment
from tebunko.store.catalog import read_catalog, write_catalog
from tebunko.store.coverage import IndexCoverage, read_coverage, write_coverage
from tebunko.store.fs import patiently, remove_tree
from tebunko.store.ingest_list import ListWriter, read_list
from tebunko.store.intent import REMOVE, Intent, clear_intent, read_intent, write_intent
from tebunko.store.pending import read_pending, write_pending
from tebunko.store.settings import Settings, load_settings, save_settings
from tebunko.store.source_folder import read_source_folder, write_source_folder
from tebunko.store.workspace import Layout


def carry_out(layout: Layout, settings: Settings, intent: Intent) -> None:
    """Does what is intended, so that a kill on the way leaves it to `finish_intent`. Raises OSError."""
    write_intent(layout, intent)
    _do(layout, settings, intent)
    clear_intent(layout)


def finish_intent(layout: Layout) -> None:
    """Finishes what a killed process left unfinished, if anything. Raises UserError, OSError."""
    intent = read_intent(layout)
    if intent is not None:
        _do(layout, load_settings(layout), intent)
        clear_intent(layout)


def _do(layout: Layout, settings: Settings, intent: Intent) -> None:
    if intent.do == REMOVE:
        remove_index(layout, settings, intent.name)
    else:
        rename_index(layout, settings, intent.name, intent.new)


def remove_index(layout: Layout, settings: Settings, name: str) -> None:
    """Deletes an index: list rows, content, our records, catalogue row, and last its registration.

    The sources are not touched. Killed on the way, it can be repeated. Raises OSError.
    """
    counts = read_coverage(layout)
    writer = ListWriter(layout.ingest_list)
    rows = read_list(layout.ingest_list)
    rows.remove_index(name)
    writer.rewrite(rows)
    write_pending(layout, ((f, n) for f, n in read_pending(layout) if not _is_of(f, name)))
    for top in (layout.content, layout.sources):
        remove_tree(_on_disk(top, name), layout.root)
    _change_catalog(layout, lambda catalog_name: None if name_key(catalog_name) == name_key(name) else catalog_name)
    write_coverage(layout, {n: coverage for n, coverage in counts.items() if not _is_of(n, name)})
    left = tuple(f for f in settings.folders if name_key(f.name) != name_key(name))
    save_settings(layout, replace(settings, folders=left))


def rename_index(layout: Layout, settings: Settings, old: str, new: str) -> None:
    """Gives an index another name in settings, content, our records, list and catalogue.

    Killed on the way, it can be repeated. Raises OSError.
    """
    folders = tuple(replace(f, name=new) if name_key(f.name) == name_key(old) else f for f in settings.folders)
    counts = read_coverage(layout)
    writer = ListWriter(layout.ingest_list)
    rows = read_list(layout.ingest_list)
    for top in (layout.content, layout.sources):
        source, target = _on_disk(top, old), top / disk_segment(new)
        if source.is_dir():
            patiently(lambda source=source, target=target: source.rename(target))  # type: ignore[misc]
    rows.rename_index(old, new)
    writer.rewrite(rows)
    write_pending(layout, ((_renamed(f, old, new), n) for f, n in read_pending(layout)))
    _change_catalog(layout, lambda name: _renamed(name, old, new))
    write_coverage(layout, _renamed_counts(counts, old, new))
    save_settings(layout, replace(settings, folders=folders))
    path = next((f.path for f in folders if f.name == new), None)
    if path is not None and (layout.content / disk_segment(new)).is_dir():
        write_source_folder(layout.content / disk_segment(new), new, path)


def _is_of(stored: str, name: str) -> bool:
    """True if a stored path is that index or lies in it."""
    return name_key(stored.partition("\\")[0]) == name_key(name)


def _renamed(stored: str, old: str, new: str) -> str:
    """A stored path with the index ``old`` named ``new``."""
    return new + stored[len(stored.partition("\\")[0]) :] if _is_of(stored, old) else stored


def _renamed_counts(counts: Mapping[str, IndexCoverage], old: str, new: str) -> dict[str, IndexCoverage]:
    return {
        _renamed(name, old, new): replace(
            coverage, stale={_renamed(path, old, new): at for path, at in coverage.stale.items()}
        )
        for name, coverage in counts.items()
    }


def content_indexes(layout: Layout) -> list[str]:
    """The names of the indexes that have a content folder, sorted; they need not be registered. Raises OSError."""
    try:
        with os.scandir(layout.content) as entries:
            return sorted(_index_name(entry) for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []


def _index_name(entry: os.DirEntry[str]) -> str:
    """The index name of a content folder; a name too long for the disk stands in full in ``source_folder.txt``."""
    recorded = read_source_folder(Path(entry.path)) if "~" in entry.name else None
    return recorded[0] if recorded and disk_segment(recorded[0]) == entry.name else entry.name


def index_size(layout: Layout, name: str) -> int:
    """The bytes that an index's content files and our records of it take."""
    total = 0
    for top in (layout.content, layout.sources):
        for folder, _, files in os.walk(_on_disk(top, name)):
            for file in files:
                try:
                    total += (Path(folder) / file).stat().st_size
                except OSError:
                    continue
    return total


def _on_disk(top: Path, name: str) -> Path:
    """The folder of an index as it is spelled on disk: names are compared without case."""
    short = disk_segment(name)
    try:
        entries = {entry.name for entry in os.scandir(top)}
    except FileNotFoundError:
        entries = set()
    exact = [entry for entry in (name, short) if entry in entries]
    alike = sorted(entry for entry in entries if name_key(entry) in (name_key(name), name_key(short)))
    return top / next(iter(exact + alike), short)


def _change_catalog(layout: Layout, renamed: Callable[[str], str | None]) -> None:
    catalog = read_catalog(layout)
    rows = {new: progress for name, progress in catalog.rows.items() if (new := renamed(name)) is not None}
    if not catalog.damaged and rows != catalog.rows:
        catalog.rows = rows
        write_catalog(layout, catalog)
