"""``source_folder.txt``, ``pending_remove.tsv`` and the counts that a search tells."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tebunko.model.states import FileState
from tebunko.store.coverage import IndexCoverage, count_rows, read_coverage, write_coverage
from tebunko.store.ingest_list import IngestList, ListWriter, Row
from tebunko.store.pending import read_pending, write_pending
from tebunko.store.source_folder import read_source_folder, write_source_folder
from tebunko.store.workspace import Layout

BOM = b"\xef\xbb\xbf"


# --- source_folder.txt ----------------------------------------------------------------------------------------------


def test_the_source_folder_is_written_as_facts_say(tmp_path: Path) -> None:
    folder = tmp_path / "営業"
    write_source_folder(folder, "営業", "C:\\data\\営業")
    data = (folder / "source_folder.txt").read_bytes()
    assert data.startswith(BOM + b"#") and data.endswith("\r\n営業\tC:\\data\\営業\r\n".encode())
    assert read_source_folder(folder) == ("営業", "C:\\data\\営業")
    before = (folder / "source_folder.txt").stat().st_ino
    write_source_folder(folder, "営業", "C:\\data\\営業")
    assert (folder / "source_folder.txt").stat().st_ino == before
    write_source_folder(folder, "営業", "/data/\udce9")
    assert read_source_folder(folder) == ("営業", "/data/\udce9")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# 説明\r\n営業\tC:\\data\r\n", ("営業", "C:\\data")),
        ("営業\tC:\\data", ("営業", "C:\\data")),
        ("#a\tb\n\n営業\tC:\\data\n次\tD:\\\n", ("営業", "C:\\data")),
        ("# 説明だけ\r\n", None),
        ("営業\r\n", None),
        ("", None),
    ],
)
def test_the_source_folder_is_read(tmp_path: Path, text: str, found: tuple[str, str] | None) -> None:
    for bom in (BOM, b""):
        (tmp_path / "source_folder.txt").write_bytes(bom + text.encode())
        assert read_source_folder(tmp_path) == found
    assert read_source_folder(tmp_path / "nowhere") is None


# --- pending_remove.tsv ---------------------------------------------------------------------------------------------


def test_removals_are_written_as_facts_say(layout: Layout) -> None:
    assert read_pending(layout) == set()
    removals = {("営業\\2024", "b.xlsx"), ("営業", "a.xlsx")}
    write_pending(layout, removals)
    assert layout.pending_remove.read_bytes() == BOM + "営業\ta.xlsx\r\n営業\\2024\tb.xlsx\r\n".encode()
    assert read_pending(layout) == removals
    write_pending(layout, set())
    assert not layout.pending_remove.exists()
    write_pending(layout, set())


def test_removals_that_would_leave_the_store_are_dropped(layout: Layout) -> None:
    lines = [
        "営業\ta.xlsx\t知らない列",
        "営業\\..\\..\tb.xlsx",
        "\tc.xlsx",
        "営業\t..",
        "営業\td/e.xlsx",
        "営業",
        "営業\t",
        "",
    ]
    layout.pending_remove.write_bytes("".join(line + "\n" for line in lines).encode() + "営業\t切れた".encode())
    assert read_pending(layout) == {("営業", "a.xlsx")}
    layout.pending_remove.write_bytes(b"\x93\xfa\ta.txt\r\n" + "営業\tb.txt\r\n".encode())
    assert ("営業", "b.txt") in read_pending(layout)


# --- counts ---------------------------------------------------------------------------------------------------------


def rows_of(*rows: tuple[str, FileState, str, str]) -> IngestList:
    found = IngestList()
    for path, state, ingested, error in rows:
        found.put(Row(path, "", 1, state, 1 if ingested else None, ingested, error))
    return found


DONE, FAILED, PENDING = FileState.DONE, FileState.FAILED, FileState.PENDING
ROWS = rows_of(
    ("営業\\a.txt", DONE, "1", ""),
    ("営業\\b.txt", DONE, "1", ""),
    ("営業\\c.txt", FAILED, "1", "壊れ"),
    ("営業\\d.txt", PENDING, "", ""),
    ("営業\\e.txt", PENDING, "", "使用中"),
    ("営業\\f.txt", PENDING, "2026/01/01 00:00:00", "使用中"),
    ("他\\a.txt", DONE, "1", ""),
)
COUNTS = {
    "営業": IndexCoverage(done=2, failed=1, postponed=2, pending=1, stale={"営業\\f.txt": "2026/01/01 00:00:00"}),
    "他": IndexCoverage(done=1),
}


def test_the_counts_of_a_list() -> None:
    assert count_rows(ROWS) == COUNTS
    assert COUNTS["営業"].files == 6


def test_kept_counts_hold_as_long_as_the_list_is_the_same(layout: Layout) -> None:
    assert read_coverage(layout) == {}
    writer = ListWriter(layout.ingest_list)
    writer.rewrite(ROWS)
    kept = {n: replace(c, cloud_only=3, kept_missing=4, last_update="2026/02/02 00:00:00") for n, c in COUNTS.items()}
    kept["空"] = IndexCoverage(last_update="2026/02/02 00:00:00")
    write_coverage(layout, kept)
    assert read_coverage(layout) == kept
    writer.append([Row("他\\b.txt", "", 1, DONE, 1, "1")])
    counted = read_coverage(layout)
    assert counted["他"] == replace(kept["他"], done=2)  # what only a run knows is that of the last run
    assert counted["営業"] == kept["営業"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"indexes": []}', b'{"indexes": {"a": {"new": 1}}}', b"\xff"])
def test_damaged_counts_are_counted_again(layout: Layout, data: bytes) -> None:
    ListWriter(layout.ingest_list).rewrite(ROWS)
    layout.coverage.write_bytes(data)
    assert read_coverage(layout) == COUNTS


def test_counts_name_the_list_they_are_of(layout: Layout) -> None:
    ListWriter(layout.ingest_list).rewrite(ROWS)
    write_coverage(layout, COUNTS)
    info = layout.ingest_list.stat()
    assert json.loads(layout.coverage.read_bytes())["list"] == [info.st_size, info.st_mtime_ns]
