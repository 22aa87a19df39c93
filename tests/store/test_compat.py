"""What other versions and the other program wrote is read for ever: golden files, made by hand, only ever added to."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tebunko.model.kinds import FileKind
from tebunko.model.place import name_from_tsv, tsv_file_name
from tebunko.model.unit import Unit
from tebunko.store.catalog import index_state, read_catalog
from tebunko.store.content import (
    HEADER,
    build_block,
    decode_part,
    list_parts,
    parse_part_name,
    parse_places,
    read_part,
    split_blocks,
)
from tebunko.store.ingest_list import IngestList, parse_list, read_list
from tebunko.store.journal import read_journal
from tebunko.store.pending import read_pending, write_pending
from tebunko.store.settings import load_settings, save_settings
from tebunko.store.source_folder import read_source_folder
from tebunko.store.tsv import whole_lines
from tebunko.store.workspace import Layout

COMPAT = Path(__file__).resolve().parents[1] / "data" / "compat"
SUMS = dict(reversed(line.split("  ", 1)) for line in (COMPAT / "SHA256SUMS").read_text("utf-8").splitlines())
UNLISTED = {"SHA256SUMS", "README.md", ".gitattributes"}

# How many golden files there are at least: the list of digests, too, is only ever added to.
AT_LEAST = 28


def expected(name: str) -> Any:
    return json.loads((COMPAT / name / "expected.json").read_text("utf-8"))


STORE = expected("v2-store")
LISTS = expected("v2-lists")


@pytest.fixture
def golden(tmp_path: Path) -> Layout:
    shutil.copytree(COMPAT / "v2-store" / "ws", tmp_path / "ws")
    return Layout(tmp_path / "ws")


def test_no_golden_file_has_changed_or_vanished() -> None:
    found = {
        path.relative_to(COMPAT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in COMPAT.rglob("*")
        if path.is_file()
    }
    assert {name: found.get(name) for name in SUMS} == SUMS
    assert found.keys() - SUMS.keys() == UNLISTED, "add the digest of a new golden file to SHA256SUMS"
    assert len(SUMS) >= AT_LEAST


def as_json(found: IngestList) -> dict[str, Any]:
    return {
        "folders": [list(folder) for folder in found.folders],
        "legacyFolders": [list(folder) for folder in found.legacy_folders],
        "rejected": found.rejected,
        "rowCount": found.row_count,
        "rows": [list(row) for row in found.rows()],
    }


@pytest.mark.parametrize("name", sorted(LISTS))
def test_ingest_lists(name: str) -> None:
    assert as_json(parse_list((COMPAT / "v2-lists" / name).read_bytes())) == LISTS[name]


def test_settings(golden: Layout) -> None:
    settings = load_settings(golden)
    before = json.loads(golden.settings.read_bytes())
    assert {
        "folders": [[f.name, f.path, f.enabled] for f in settings.folders],
        "excludes": [[e.path, e.subfolders] for e in settings.search_excludes],
        "downloadCloudFiles": settings.download_cloud_files,
        "ingestThreads": settings.ingest_threads,
        "displayLocale": settings.display_locale,
    } == STORE["settings"]
    save_settings(golden, settings)
    assert json.loads(golden.settings.read_bytes()) == before


def test_catalogue_and_states(golden: Layout) -> None:
    catalog = read_catalog(golden)
    assert {"version": catalog.version, "rows": catalog.rows} == STORE["catalog"]
    states = {
        name: index_state(catalog, name, in_current=(golden.content / name).is_dir(), in_old=False)
        for name in catalog.rows
    }
    assert states == STORE["states"]


def test_the_list_of_the_store(golden: Layout) -> None:
    assert as_json(read_list(golden.ingest_list)) == STORE["list"]


def test_removals_journal_and_source_folders(golden: Layout) -> None:
    assert sorted(map(list, read_pending(golden))) == STORE["pendingRemove"]
    before = golden.pending_remove.read_bytes()
    write_pending(golden, read_pending(golden))
    assert sorted(whole_lines(golden.pending_remove.read_bytes())) == sorted(whole_lines(before))
    assert [[r.kind, *r.columns] for r in read_journal(golden) or ()] == STORE["journal"]
    for index, folder in STORE["sourceFolders"].items():
        assert list(read_source_folder(golden.content / index) or ()) == folder


def places_of(data: bytes) -> list[dict[str, Any]]:
    text = decode_part(data)
    return [
        {"source": p.source, "kind": p.kind, "place": p.place.name, "lines": text[p.start : p.end].split("\n")[:-1]}
        for p in parse_places(text)
    ]


def test_all_content_files_are_found(golden: Layout) -> None:
    folders = [golden.content, *(path for path in golden.content.rglob("*") if path.is_dir())]
    found = [part.path.relative_to(golden.content).as_posix() for folder in folders for part in list_parts(folder)]
    assert sorted(found) == sorted(STORE["content"])


@pytest.mark.parametrize("name", sorted(STORE["content"]))
def test_content_files(golden: Layout, name: str) -> None:
    data = read_part(golden.content / name)
    assert places_of(data) == STORE["content"][name]
    sources = list(dict.fromkeys(place["source"] for place in STORE["content"][name]))
    assert [block.name for block in split_blocks(data)] == sources
    parsed = parse_part_name(name.rpartition("/")[2])
    assert parsed is not None and {s.rpartition(".")[2].lower() for s in sources} == {parsed[0]}


@pytest.mark.parametrize("name", sorted(STORE["content"].keys() - set(STORE["notAsWeWriteIt"])))
def test_we_write_the_same_bytes(golden: Layout, name: str) -> None:
    data = read_part(golden.content / name)
    text = decode_part(data)
    units: dict[tuple[str, FileKind], list[Unit]] = {}
    for p in parse_places(text):
        # the order that they come in must not matter
        units.setdefault((p.source, p.kind), []).insert(0, Unit(p.place, text[p.start : p.end].split("\n")[:-1]))
    assert HEADER + b"".join(build_block(s, kind, made) for (s, kind), made in units.items()) == data


def test_files_left_between_reading_and_publishing(golden: Layout) -> None:
    for folder, files in STORE["unpublished"].items():
        found = {path.name: name_from_tsv(path.name) for path in (golden.content / folder).iterdir()}
        assert found == files
        assert {name: tsv_file_name(place) for name, place in files.items()} == {name: name for name in files}
