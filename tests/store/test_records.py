"""What is ours beside the documents' files: spool records, raw values, mirrors of content files. Nothing unproved is believed."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.place import part, sheet
from tebunko.model.unit import RawValues, Unit
from tebunko.store.content import PartFile
from tebunko.store.sources import (
    SourceRecord,
    mirror_name,
    read_sources,
    recover_sources,
    remove_mirror,
    write_sources,
)
from tebunko.store.spool import RecordHead, RecordPosition, SegmentWriter, read_record, segment_path
from tebunko.store.values import decode_values, encode_values

HEAD = RecordHead("営業\\2024\\A社.xlsx", 1_736_480_096_123_456_789, 10420, 3, 4, "ja-JP", 1_736_480_100_000_000_000)


# --- spool ----------------------------------------------------------------------------------------------------------


def test_records_come_back(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path / "w0.seg")
    positions = [writer.append(HEAD, b"block" * n, b"v" * n) for n in range(3)]
    writer.close()
    for n, position in enumerate(positions):
        assert read_record(position) == (HEAD, b"block" * n, b"v" * n)
    assert positions[1].offset == positions[0].length


def test_a_record_is_as_the_module_says(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path / "w0.seg")
    writer.append(HEAD, b"BLOCK", b"VAL")
    writer.close()
    data = (tmp_path / "w0.seg").read_bytes()
    mark, crc, head, block, values = struct.unpack("<4s4I", data[:20])
    assert (mark, block, values, data[20 + head :]) == (b"TBKR", 5, 3, b"BLOCKVAL")
    assert crc == zlib.crc32(data[8:])


def test_damaged_records_are_not_believed(tmp_path: Path) -> None:
    segment = tmp_path / "w0.seg"
    writer = SegmentWriter(segment)
    writer.append(HEAD, b"first", b"")
    position = writer.append(HEAD, b"block", b"values")
    writer.close()
    whole = segment.read_bytes()
    for offset in range(position.offset, len(whole)):
        segment.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        assert read_record(position) is None
    for length in range(position.offset, len(whole)):
        segment.write_bytes(whole[:length])
        assert read_record(position) is None
    segment.write_bytes(whole)
    assert read_record(position) is not None
    for wrong in (
        position._replace(crc=position.crc ^ 1),
        position._replace(offset=0),
        position._replace(length=position.length - 1),
        position._replace(length=0),
        position._replace(offset=10**9),
        position._replace(segment=tmp_path / "nowhere"),
    ):
        assert read_record(wrong) is None
    segment.unlink()
    assert read_record(position) is None


def test_a_record_of_another_version_is_read_again(tmp_path: Path) -> None:
    body = struct.pack("<III", 12, 0, 0) + b'{"path":"a"}'
    (tmp_path / "s").write_bytes(b"TBKR" + zlib.crc32(body).to_bytes(4, "little") + body)
    assert read_record(RecordPosition(tmp_path / "s", 0, 8 + len(body), zlib.crc32(body))) is None


def test_a_segment_is_never_appended_to_by_another(tmp_path: Path) -> None:
    SegmentWriter(segment_path(tmp_path, 0, 0)).close()
    with pytest.raises(FileExistsError):
        SegmentWriter(segment_path(tmp_path, 0, 0))
    names = [segment_path(tmp_path, w, i).name for w, i in ((0, 0), (0, 1), (1, 0), (1, 12))]
    assert names == ["w0.seg", "w0-1.seg", "w1.seg", "w1-12.seg"]


def test_a_failed_write_does_not_shift_the_next_record(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path / "w0.seg")
    with (tmp_path / "w0.seg").open("ab") as other:
        other.write(b"half a rec")  # what a full disk leaves behind
    position = writer.append(HEAD, b"block", b"")
    writer.close()
    assert position.offset == 10 and read_record(position) is not None


# --- values ---------------------------------------------------------------------------------------------------------

CELLS = st.lists(
    st.tuples(
        st.integers(1, 2**32 - 1),
        st.integers(1, 65535),
        st.floats(allow_nan=False) | st.integers(-(2**40), 2**40).map(float),
        st.booleans(),
    ),
    max_size=20,
)


def values_of(cells: list[tuple[int, int, float, bool]]) -> RawValues:
    values = RawValues()
    for cell in cells:
        values.append(*cell)
    return values


@given(st.dictionaries(st.text(min_size=1, max_size=10), CELLS, max_size=4))
def test_raw_values_come_back(sheets: dict[str, list[tuple[int, int, float, bool]]]) -> None:
    units = [Unit(sheet(name), ["x"], values_of(cells)) for name, cells in sheets.items()]
    units.append(Unit(part("本文"), ["x"]))
    assert decode_values(encode_values(units)) == {name: values_of(cells) for name, cells in sheets.items() if cells}


def test_no_values_take_no_bytes() -> None:
    assert encode_values([Unit(sheet("a"), ["x"])]) == b"" and decode_values(b"") == {}


def test_values_are_as_the_module_says() -> None:
    units = [Unit(sheet("売上"), ["x"], values_of([(3, 2, 0.5, False), (5, 1, 45_000.0, True)]))]
    name = "売上".encode()
    columns = struct.pack("<2I", 3, 2) + struct.pack("<2H", 2, 1) + struct.pack("<2d", 0.5, 45_000.0) + b"\x00\x01"
    plain = struct.pack("<I", len(name)) + name + struct.pack("<I", 2) + columns
    assert zlib.decompress(encode_values(units)) == plain
    assert decode_values(zlib.compress(plain)) == {"売上": units[0].values}


@pytest.mark.parametrize("name", ["長" * 70_000, "\ud800"])
def test_values_of_sheets_with_hostile_names(name: str) -> None:
    packed = encode_values([Unit(sheet(name), ["x"], values_of([(1, 1, 1.0, False)]))])
    assert decode_values(packed) == {name: values_of([(1, 1, 1.0, False)])}


def test_damaged_values_are_refused() -> None:
    packed = encode_values([Unit(sheet(n), ["x"], values_of([(1, 1, 1.5, False)] * 50)) for n in ("a", "b")])
    for length in range(1, len(packed)):
        with pytest.raises(ValueError, match="raw values"):
            decode_values(packed[:length])
    for data in (
        packed + b"x",
        b"x",
        packed[:-1] + b"\0",
        zlib.compress(b"\xff\xff\xff\xff"),
        zlib.compress(b"\0" * 7),
    ):
        with pytest.raises(ValueError, match="raw values"):
            decode_values(data)
    huge = struct.pack("<I1sI", 1, b"a", 2**32 - 1)
    with pytest.raises(ValueError, match="raw values"):
        decode_values(zlib.compress(huge))


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reader(plain: bytes) -> None:
    try:
        decode_values(zlib.compress(plain))
    except ValueError:
        pass


# --- mirrors --------------------------------------------------------------------------------------------------------

PART = PartFile(Path("content_index.xlsx.001.tsv"), "xlsx", 1, 1000, 123_456_789_012_345_678)
RECORDS = [
    (SourceRecord("A社.xlsx", 1, 2, 3, 4, "ja-JP", 5, 14, 100, 111), b"values of A"),
    (SourceRecord("B社.xlsx", 6, 7, 8, 9, "en-US", 10, 100, 200, 222), b""),
    (SourceRecord("C社.xlsx", 1, 1, 1, 1, "ja-JP", 1, 200, 300, 333), b"values of C"),
]


def test_a_mirror_comes_back(tmp_path: Path) -> None:
    write_sources(tmp_path / "営業", PART, RECORDS, ["他.xlsx", "\ud800.xlsx"])
    found = read_sources(tmp_path / "営業", PART)
    assert found is not None and found.others == {"他.xlsx", "\ud800.xlsx"}
    assert [r._replace(values=(0, 0)) for r in found.records.values()] == [record for record, _ in RECORDS]
    assert [found.packed_values(r.name) for r, _ in RECORDS] == [b"values of A", b"", b"values of C"]
    assert found.packed_values("無い.xlsx") == b""
    found.path.unlink()
    assert found.packed_values("A社.xlsx") == b""
    remove_mirror(tmp_path / "営業", "xlsx", 1)
    assert read_sources(tmp_path / "営業", PART) is None


@pytest.mark.parametrize("changed", [PART._replace(size=1001), PART._replace(mtime_ns=PART.mtime_ns + 1)])
def test_a_mirror_of_a_file_that_changed_since_is_not_believed(tmp_path: Path, changed: PartFile) -> None:
    write_sources(tmp_path, PART, RECORDS, ["他.xlsx"])
    assert read_sources(tmp_path, changed) is None
    # but a block that is still the same proves its own record
    found = recover_sources(tmp_path, changed, {"A社.xlsx": 111, "B社.xlsx": 999, "D社.xlsx": 333})
    assert found is not None
    assert set(found.records) == {"A社.xlsx"} and found.others == {"B社.xlsx", "D社.xlsx"}
    assert found.packed_values("A社.xlsx") == b"values of A"
    assert recover_sources(tmp_path / "nowhere", changed, {}) is None


def test_a_damaged_mirror_is_not_believed(tmp_path: Path) -> None:
    write_sources(tmp_path, PART, [(r, b"") for r, _ in RECORDS], [])
    path = tmp_path / mirror_name("xlsx", 1)
    whole = path.read_bytes()
    for offset in range(len(whole)):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 0x10]) + whole[offset + 1 :])
        assert read_sources(tmp_path, PART) is None
        path.write_bytes(whole[:offset])
        assert read_sources(tmp_path, PART) is None


@pytest.mark.parametrize("head", [b"[]", b"{}", b'{"files": [["a"]]}', b'{"files": [], "others": []}', b"{"])
def test_a_mirror_of_another_version_is_not_believed(tmp_path: Path, head: bytes) -> None:
    data = struct.pack("<8sII", b"TBKSRC1\n", zlib.crc32(head), len(head)) + head
    (tmp_path / mirror_name("xlsx", 1)).write_bytes(data)
    assert read_sources(tmp_path, PART) is None
    assert recover_sources(tmp_path, PART, {"a": 1}) is None


def test_columns_are_as_wide_here_as_the_format_says() -> None:
    assert RawValues().rows.itemsize == 4 and RawValues().columns.itemsize == 2
