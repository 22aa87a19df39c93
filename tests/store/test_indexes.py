"""Renaming and removing a whole index, in everything that names it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from pathlib import Path

import pytest

from tebunko.model.paths import disk_segment
from tebunko.model.states import FileState, IndexProgress
from tebunko.store.catalog import Catalog, read_catalog, write_catalog
from tebunko.store.content import HEADER
from tebunko.store.coverage import IndexCoverage, read_coverage, write_coverage
from tebunko.store.indexes import content_indexes, index_size, remove_index, rename_index
from tebunko.store.ingest_list import IngestList, ListWriter, Row, read_list
from tebunko.store.pending import read_pending, write_pending
from tebunko.store.settings import load_settings
from tebunko.store.source_folder import read_source_folder, write_source_folder
from tebunko.store.workspace import Layout
from tests.store.conftest import Faults

LONG = "長い名前の索引" * 14


def build(root: Path, names: tuple[str, ...] = ("Sales", "Sales2", "営業")) -> Layout:
    """A workspace with indexes, each with one file of text, one row of a file, and a removal still to be done."""
    layout = Layout(root)
    layout.create()
    rows, counts, catalog = IngestList(), {}, Catalog()
    folders = [{"name": n, "path": f"/data/{n[:9]}", "enabled": True, "color": "red"} for n in names]
    layout.settings.write_text(json.dumps({"targetFolders": folders, "other": 1}), encoding="utf-8")
    for name in names:
        rows.put(Row(f"{name}\\2024\\a.txt", "", 1, FileState.PENDING, 1, "2026/01/01 00:00:00", "使用中"))
        rows.folders.append((f"/data/{name[:9]}", name))
        counts[name] = IndexCoverage(
            postponed=1, last_update="2026/02/02 00:00:00", stale={f"{name}\\2024\\a.txt": "2026/01/01 00:00:00"}
        )
        catalog.set(name, IndexProgress.COMPLETE)
        folder = layout.content_folder(f"{name}\\2024")
        folder.mkdir(parents=True)
        (folder / "content_index.txt.001.tsv").write_bytes(HEADER)
        layout.sources_folder(f"{name}\\2024").mkdir(parents=True)
        (layout.sources_folder(f"{name}\\2024") / "sources.txt.001.bin").write_bytes(b"x" * 100)
        write_source_folder(layout.content_folder(name), name, f"/data/{name[:9]}")
    ListWriter(layout.ingest_list).rewrite(rows)
    write_pending(layout, {(f"{name}\\2024", "gone.txt") for name in names})
    write_catalog(layout, catalog)
    write_coverage(layout, counts)
    return layout


def seen(layout: Layout) -> dict[str, object]:
    """Everything in a workspace that names an index."""
    return {
        "rows": [r.path for r in read_list(layout.ingest_list).rows()],
        "folders": read_list(layout.ingest_list).folders,
        "pending": read_pending(layout),
        "catalog": sorted(read_catalog(layout).rows),
        "content": content_indexes(layout),
        "sources": sorted(os.listdir(layout.sources)),
        "coverage": {n: (c.last_update, c.stale) for n, c in read_coverage(layout).items()},
        "settings": [(f.name, f.path) for f in load_settings(layout).folders],
    }


def expected(*names: str, paths: dict[str, str] | None = None) -> dict[str, object]:
    where = {n: (paths or {}).get(n, f"/data/{n}") for n in names}
    return {
        "rows": [f"{n}\\2024\\a.txt" for n in names],
        "folders": [(where[n], n) for n in names],
        "pending": {(f"{n}\\2024", "gone.txt") for n in names},
        "catalog": sorted(names),
        "content": sorted(names),
        "sources": sorted(names),
        "coverage": {n: ("2026/02/02 00:00:00", {f"{n}\\2024\\a.txt": "2026/01/01 00:00:00"}) for n in names},
        "settings": [(n, where[n]) for n in names],
    }


@pytest.mark.parametrize("name", ["Sales", "SALES"])
def test_an_index_is_removed_from_everything(tmp_path: Path, name: str) -> None:
    layout = build(tmp_path / "ws")
    remove_index(layout, load_settings(layout), name)
    assert seen(layout) == expected("Sales2", "営業")
    assert json.loads(layout.settings.read_bytes())["other"] == 1
    remove_index(layout, load_settings(layout), name)  # once more harms nothing
    assert seen(layout) == expected("Sales2", "営業")


@pytest.mark.parametrize("old", ["Sales", "sales"])
def test_an_index_is_renamed_in_everything(tmp_path: Path, old: str) -> None:
    layout = build(tmp_path / "ws")
    rename_index(layout, load_settings(layout), old, "販売")
    assert seen(layout) == expected("販売", "Sales2", "営業", paths={"販売": "/data/Sales"})
    assert read_source_folder(layout.content / "販売") == ("販売", "/data/Sales")
    folders = json.loads(layout.settings.read_bytes())["targetFolders"]
    assert folders[0] == {"name": "販売", "path": "/data/Sales", "enabled": True, "color": "red"}


def test_only_the_case_of_a_name_is_changed(tmp_path: Path) -> None:
    layout = build(tmp_path / "ws")
    rename_index(layout, load_settings(layout), "Sales", "SALES")
    assert seen(layout) == expected("SALES", "Sales2", "営業", paths={"SALES": "/data/Sales"})


@pytest.mark.parametrize("act", ["remove", "rename"])
def test_killed_on_the_way_it_can_be_repeated(tmp_path: Path, faults: Faults, act: str) -> None:
    build(tmp_path / "built")
    for number in itertools.count():
        shutil.copytree(tmp_path / "built", tmp_path / f"ws{number}")
        layout = Layout(tmp_path / f"ws{number}")
        counts = json.loads(layout.coverage.read_bytes())
        info = layout.ingest_list.stat()
        counts["list"] = [info.st_size, info.st_mtime_ns]
        layout.coverage.write_text(json.dumps(counts), encoding="utf-8")
        failed = False
        with faults.at(number, layout.root, for_good=True):
            try:
                carry_out(layout, act)
            except OSError:
                failed = True
        carry_out(layout, act)
        found, wanted = seen(layout), expected("Sales2", "営業")
        if act == "rename":
            wanted = expected("販売", "Sales2", "営業", paths={"販売": "/data/Sales"})
        if failed:
            # the last run's own counts may be lost on the way: the next run tells them again
            del found["coverage"], wanted["coverage"]
        assert found == wanted
        if not failed:
            break
    assert number > 8


def carry_out(layout: Layout, act: str) -> None:
    settings = load_settings(layout)
    if act == "remove":
        remove_index(layout, settings, "Sales")
    else:
        rename_index(layout, settings, "Sales", "販売")


def test_a_name_too_long_for_the_disk(tmp_path: Path) -> None:
    layout = build(tmp_path / "ws", (LONG, "営業"))
    assert disk_segment(LONG) != LONG
    assert content_indexes(layout) == sorted([LONG, "営業"])
    assert index_size(layout, LONG) > 100
    rename_index(layout, load_settings(layout), LONG, "短")
    assert content_indexes(layout) == sorted(["短", "営業"])
    rename_index(layout, load_settings(layout), "短", LONG)
    remove_index(layout, load_settings(layout), LONG)
    assert content_indexes(layout) == ["営業"] and os.listdir(layout.sources) == ["営業"]


def test_the_size_of_an_index_counts_content_and_our_records(tmp_path: Path) -> None:
    layout = build(tmp_path / "ws")
    note = (layout.content / "営業" / "source_folder.txt").stat().st_size
    assert index_size(layout, "営業") == len(HEADER) + 100 + note
    assert index_size(layout, "無い") == 0


def test_a_workspace_without_anything(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "ws")
    assert content_indexes(layout) == []
    layout.create()
    remove_index(layout, load_settings(layout), "無い")
    assert read_list(layout.ingest_list).folders == []
