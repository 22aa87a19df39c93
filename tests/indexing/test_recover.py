"""What a journal says is to be made good: the reading rules of ja-ingest-list and ARCHITECTURE's 置, 除, 返."""

from __future__ import annotations

from pathlib import Path

import pytest

from tebunko.indexing.recover import Leftover, leftover, parse_ingesting, rows_of_run
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import IngestList, Row, parse_list
from tebunko.store.journal import Placed, encode_record, parse_journal, placed_record
from tebunko.store.spool import RecordPosition
from tebunko.store.tsv import encode_lines

SPOOL = Path("/w/store/spool")
TIME = 1_700_000_000_000_000_000
A, B = "営業\\d\\a.txt", "営業\\e\\b.txt"


def row(path: str, state: FileState = FileState.PENDING, mtime: int = TIME, size: int = 7) -> Row:
    return Row(path, format_file_time(mtime), size, state, 1 if state is FileState.DONE else None)


def placed(path: str, mtime: int = TIME, size: int = 7) -> Placed:
    return Placed(
        path, RecordPosition(SPOOL / "1" / "w0.seg", 5, 10, 99), mtime, size, 1, "2026/01/01 00:00:00", 4, "ja-JP"
    )


def line(path: str, mtime: int = TIME, size: int = 7) -> str:
    return encode_record(placed_record(placed(path, mtime, size), SPOOL))


def read(lines: list[str], *rows: Row) -> Leftover:
    """Reads a journal against a list that holds the rows; those are the rows that the run itself appended."""
    records = parse_journal(encode_lines(["版\t2", *lines]))
    whole = IngestList()
    for each in rows:
        whole.put(each)
    return leftover(records, parse_list(whole.to_bytes(), rows_of_run(records)), SPOOL)


@pytest.mark.parametrize(
    ("lines", "rows", "redo"),
    [
        (["回\tt\t0", f"始\t{A}\t1"], [], {A: 1}),
        (["回\tt\t0", f"始\t{A}\t2"], [], {A: 2}),
        (["回\tt\t0", f"始\t{A}\t1", f"始\t{A}\t2"], [], {A: 2}),
        (["回\tt\t0", f"始\t{A}\t1"], [row(A, FileState.FAILED)], {}),
        (["回\tt\t1", f"始\t{A}\t1"], [row(A)], {A: 1}),
        (["回\tt\t0", f"始\t{A}\t1", f"返\t{A}"], [], {}),
        (["回\tt\t0", f"始\t{A}\t1", f"返\t{A}", f"始\t{A}\t1"], [], {A: 1}),
        (["回\tt\t0", f"始\t{A}\t1", line(A)], [row(A)], {}),
        (["回\tt\t0", line(A), f"始\t{A}\t1"], [], {A: 1}),
        (["回\tt\t0", f"始\t{A}\t1", f"除\t{A}"], [], {}),
        (["回\tt\t0", f"始\t{A}\t1", "終"], [], {}),
        (["回\tt\t0", f"始\t{A}\t1", "書"], [row(A, FileState.FAILED)], {A: 1}),
        (["回\tt\t0", f"始\t{A}\t1", "書", "終"], [], {}),
        # More rows than there are: the list was changed from outside, nothing is taken from it.
        (["回\tt\t5", f"始\t{A}\t1"], [row(A, FileState.FAILED)], {A: 1}),
        (["回\tt\t0", f"新種\t{A}\t1", f"始\t{A}\t1\t余分な列"], [], {A: 1}),
        (["回\tt\t0", "始\t..\\x\t1", "始\tC:\\x\t1"], [], {}),
    ],
)
def test_interrupted_work(lines: list[str], rows: list[Row], redo: dict[str, int]) -> None:
    assert read(lines, *rows).redo == redo


def test_carried_work_keeps_its_count_until_it_is_begun() -> None:
    assert read(["回\tt\t0", f"持\t{A}\t1", f"持\t{B}\t1", f"始\t{B}\t2"]).carried == {A: 1}


def test_finished_work_is_published_if_the_row_is_of_the_same_reading() -> None:
    assert read(["回\tt\t0", f"始\t{A}\t1", line(A)], row(A)).finished == {"営業\\d": {"a.txt": placed(A)}}


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row(A, FileState.DONE)],
        [row(A, FileState.FAILED)],
        [row(A, size=8)],
        [row(A, mtime=TIME + 10**9)],
    ],
)
def test_finished_work_of_another_state_of_the_list_is_ignored(rows: list[Row]) -> None:
    left = read(["回\tt\t0", f"始\t{A}\t1", line(A)], *rows)
    assert left.finished == {} and left.redo == {}


def test_the_newest_of_placed_and_removed_counts() -> None:
    assert read([line(A), f"除\t{A}"], row(A)).gone == {"営業\\d": {"a.txt"}}
    assert read([f"除\t{A}", line(A)], row(A)).finished == {"営業\\d": {"a.txt": placed(A)}}
    newer = read([line(A), line(A, TIME + 5, 8)], row(A, mtime=TIME + 5, size=8))
    assert newer.finished == {"営業\\d": {"a.txt": placed(A, TIME + 5, 8)}}


def test_a_published_folder_is_done_with() -> None:
    left = read([f"始\t{A}\t1", line(A), f"始\t{B}\t1", line(B), "出\t営業\\d"], row(A), row(B))
    assert set(left.finished) == {"営業\\e"}
    assert left.folders == {"営業\\e"}
    again = read([line(A), "出\t営業\\d", line(A)], row(A))
    assert set(again.finished) == {"営業\\d"}


def test_folders_carried_over_are_published_anew_even_after_the_end() -> None:
    assert read(["未\t営業\\d", "終"]).folders == {"営業\\d"}
    assert read(["未\t営業\\d", "出\t営業\\d", "終"]).folders == set()


@pytest.mark.parametrize("data", [b"", b"\xff", "版\t1\r\n始\ta\\b\t1\r\n".encode(), "始\ta\\b\t1\r\n".encode()])
def test_a_journal_of_another_version_is_not_read(data: bytes) -> None:
    assert parse_journal(data) is None
    assert leftover(parse_journal(data), IngestList(), SPOOL) == Leftover(readable=False)


def test_a_torn_last_line_does_not_count() -> None:
    data = encode_lines(["版\t2", f"始\t{A}\t1"])
    for cut in range(len(data) - 1, len(data) - 6, -1):
        assert len(parse_journal(data[:cut]) or []) == (1 if cut < len(data) else 2)


@pytest.mark.parametrize("segment", ["../x.seg", "/x.seg", "a/../../x", "C:/x", "a\\b", ""])
def test_a_segment_elsewhere_is_not_believed(segment: str) -> None:
    columns = line(A).split("\t")
    columns[2] = segment
    assert read(["\t".join(columns)], row(A)).finished == {}


def test_the_old_journal_is_read() -> None:
    data = "\ufeff1\t営業\\a.xls\r\n2\t開発\\b.doc\n1\t..\\c\r\nx\ty\r\n".encode()
    assert parse_ingesting(data) == {"営業\\a.xls": 1, "開発\\b.doc": 2}
