"""``journal/ingest.tsv``: the records of the documents' table and ours, byte for byte, and nothing believed that is torn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import UserError
from tebunko.store.journal import (
    JournalWriter,
    Kind,
    Placed,
    Record,
    count_record,
    parse_journal,
    parse_placed,
    path_record,
    placed_record,
    read_journal,
    run_record,
)
from tebunko.store.spool import RecordPosition, read_record
from tebunko.store.workspace import Layout

BOM = b"\xef\xbb\xbf"
SPOOL = Path("/ws/store/spool")
PLACED = Placed(
    "営業\\A社.xlsx",
    RecordPosition(SPOOL / "12-ab" / "w0.seg", 100, 2000, 4_000_000_000),
    1_736_480_096_123_456_789,
    10420,
    3,
    "2026/09/19 10:00:35",
    4,
    "ja-JP",
)
RECORDS = [
    run_record("2026/09/19 10:00:00", 4),
    path_record(Kind.UNPUBLISHED, "営業\\2024"),
    count_record(Kind.CARRIED, "営業\\古い.doc", 1),
    count_record(Kind.STARTED, "営業\\A社.xlsx", 2),
    path_record(Kind.RETURNED, "営業\\古い.doc"),
    placed_record(PLACED, SPOOL),
    path_record(Kind.REMOVED, "営業\\消.txt"),
    path_record(Kind.PUBLISHED, "営業"),
    Record(Kind.WRITING, ()),
    Record(Kind.ENDED, ()),
]
LINES = [
    "版\t2",
    "回\t2026/09/19 10:00:00\t4",
    "未\t営業\\2024",
    "持\t営業\\古い.doc\t1",
    "始\t営業\\A社.xlsx\t2",
    "返\t営業\\古い.doc",
    "置\t営業\\A社.xlsx\t12-ab/w0.seg\t100\t2000\t4000000000\t1736480096123456789\t10420\t3\t2026/09/19 10:00:35\t4\tja-JP",
    "除\t営業\\消.txt",
    "出\t営業",
    "書",
    "終",
]
WHOLE = BOM + "".join(f"{line}\r\n" for line in LINES).encode()


@pytest.mark.parametrize("begin", ["append", "replace"])
def test_it_is_written_byte_for_byte(layout: Layout, begin: str) -> None:
    writer = JournalWriter(layout)
    if begin == "append":
        writer.append(RECORDS[:3])
    else:
        writer.replace(RECORDS[:3])
    writer.append([])
    writer.append(RECORDS[3:], sync=True)
    assert layout.journal.read_bytes() == WHOLE
    assert read_journal(layout) == [Record(Kind.VERSION, ("2",)), *RECORDS]
    writer.replace([])
    assert layout.journal.read_bytes() == BOM + "版\t2\r\n".encode()


@pytest.mark.parametrize("bom", [BOM, b""])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_unknown_kinds_and_columns_are_passed_over(bom: bytes, end: str) -> None:
    lines = ["版\t2\t新しい列", "新\tx", "", "出\t営業", "始", "出\t切れ"]
    data = bom + end.join(lines).encode()
    assert parse_journal(data) == [
        Record(Kind.VERSION, ("2", "新しい列")),
        Record(Kind.PUBLISHED, ("営業",)),
        Record(Kind.STARTED, ()),
    ]


@pytest.mark.parametrize(
    "data", [b"", BOM, "版\t1\r\n出\ta\r\n".encode(), "出\ta\r\n版\t2\r\n".encode(), "版\t2".encode()]
)
def test_one_of_another_version_is_not_read(data: bytes) -> None:
    assert parse_journal(data) is None


@pytest.mark.parametrize("torn", ["除\t営業\\途", "\x00" * 5000, "x" * 200_000])
def test_a_torn_last_line_is_cut_off_before_the_next_append(layout: Layout, torn: str) -> None:
    layout.journal.parent.mkdir()
    layout.journal.write_bytes(WHOLE + torn.encode())
    found = read_journal(layout)
    assert found is not None and found[1:] == RECORDS
    JournalWriter(layout).append([path_record(Kind.REMOVED, "営業\\次.txt")])
    assert layout.journal.read_bytes() == WHOLE + "除\t営業\\次.txt\r\n".encode()


def test_one_whose_first_line_was_torn_is_begun_anew(layout: Layout) -> None:
    layout.journal.parent.mkdir()
    layout.journal.write_bytes(BOM + "版".encode())
    JournalWriter(layout).append(RECORDS[:1])
    assert layout.journal.read_bytes() == BOM + "".join(f"{line}\r\n" for line in LINES[:2]).encode()


def test_another_writer_is_noticed(layout: Layout) -> None:
    writer = JournalWriter(layout)
    writer.append(RECORDS[:1])
    with layout.journal.open("ab") as other:
        other.write(b"x")
    with pytest.raises(UserError, match="journal"):
        writer.append(RECORDS[:1])
    with pytest.raises(UserError, match="journal"):
        writer.replace([])


def test_where_a_record_lies_comes_back() -> None:
    assert parse_placed(placed_record(PLACED, SPOOL), SPOOL) == PLACED
    assert parse_placed(Record(Kind.PLACED, (*placed_record(PLACED, SPOOL).columns, "新しい列")), SPOOL) == PLACED


def test_a_path_that_would_break_its_line_is_made_blank(layout: Layout) -> None:
    JournalWriter(layout).append([path_record(Kind.PUBLISHED, "a\tb\nc")])
    found = read_journal(layout)
    assert found is not None and found[1].columns == ("a b c",)


@pytest.mark.parametrize("segment", ["../w0.seg", "a/../../w0.seg", "/etc/passwd", "C:/x", "a\\b", "", "a//b", "."])
def test_segments_outside_the_spool_are_not_looked_at(segment: str) -> None:
    columns = placed_record(PLACED, SPOOL).columns
    assert parse_placed(Record(Kind.PLACED, (columns[0], segment, *columns[2:])), SPOOL) is None


@given(st.lists(st.text("0123456789-x１ ", max_size=40), min_size=9, max_size=9), st.text(max_size=8))
def test_no_columns_break_the_reader(numbers: list[str], segment: str) -> None:
    placed = parse_placed(Record(Kind.PLACED, ("a\\b", segment, *numbers)), SPOOL)
    if placed is not None:
        assert read_record(placed.position) is None


@pytest.mark.parametrize("offset", [-1, 10**30])
@pytest.mark.parametrize("length", [-1, 0, 20, 10**30])
def test_positions_no_file_has(tmp_path: Path, offset: int, length: int) -> None:
    (tmp_path / "s").write_bytes(b"x" * 100)
    assert read_record(RecordPosition(tmp_path / "s", offset, length, 0)) is None
    assert read_record(RecordPosition(tmp_path / "s\0", 0, 20, 0)) is None
