"""Binary workbooks, made record by record ([MS-XLSB])."""

from __future__ import annotations

import struct

import pytest
from excel_builder import relationships, zipped

from tebunko.extract.excel import bin_records as records_module
from tebunko.extract.excel.xlsb import read_xlsb
from tebunko.extract.source import Options, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction


def record(kind: int, data: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length = len(data)
    while length >= 0x80:
        head += bytes([length & 0x7F | 0x80])
        length >>= 7
    return head + bytes([length]) + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text.encode("utf-16-le")) // 2) + text.encode("utf-16-le")


def row(number: int) -> bytes:
    return record(0, struct.pack("<I", number) + bytes(13))


def cell(kind: int, column: int, value: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<II", column, style) + value)


def short(kind: int, value: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<I", style) + value)


def workbook(*sheets: tuple[str, int], date1904: bool = False) -> bytes:
    bundle = b"".join(
        record(156, struct.pack("<II", state, i + 1) + wide(f"s{i}") + wide(name))
        for i, (name, state) in enumerate(sheets)
    )
    return record(131) + record(153, struct.pack("<I", date1904)) + bundle + record(132)


def styles(*codes: str | int) -> bytes:
    formats, cells = b"", record(47, struct.pack("<HH", 0xFFFF, 0) + bytes(12))
    for index, code in enumerate(codes):
        number = code if isinstance(code, int) else 164 + index
        if isinstance(code, str):
            formats += record(44, struct.pack("<H", number) + wide(code))
        cells += record(47, struct.pack("<HH", 0, number) + bytes(12))
    parents = record(626) + record(47, struct.pack("<HH", 0xFFFF, 9) + bytes(12)) + record(627)
    return formats + parents + record(617) + cells + record(618)


def book(
    sheets: list[tuple[str, int, bytes]], parts: dict[str, str | bytes] | None = None, date1904: bool = False
) -> bytes:
    entries = [(f"s{i}", "worksheet", f"worksheets/sheet{i}.bin") for i in range(len(sheets))]
    entries += [("st", "styles", "styles.bin"), ("ss", "sharedStrings", "sharedStrings.bin")]
    made: dict[str, str | bytes] = {
        "_rels/.rels": relationships(("r", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": workbook(*[(name, state) for name, state, _ in sheets], date1904=date1904),
        "xl/_rels/workbook.bin.rels": relationships(*entries),
    }
    made |= {f"xl/worksheets/sheet{i}.bin": content for i, (_, _, content) in enumerate(sheets)}
    return zipped(made | (parts or {}))


def read(data: bytes) -> Extraction:
    return read_xlsb(source_of("b.xlsb", data), Options())


CELLS = (
    row(1)
    + cell(7, 1, struct.pack("<I", 0))
    + short(13, struct.pack("<I", 1234 << 2 | 3))
    + short(12, b"")
    + short(16, struct.pack("<d", 1234567.0), 1)
    + row(3)
    + cell(4, 0, b"\x01")
    + cell(3, 1, b"\x07")
    + cell(6, 2, wide("a,b"))
    + cell(8, 3, wide("式") + bytes(8))
    + cell(9, 4, struct.pack("<d", 45413.0) + bytes(8), 2)
    + cell(62, 6, b"\x01" + wide("太字") + bytes(8))
    + cell(11, 7, b"\x2a" + bytes(8))
)


@pytest.mark.parametrize("block", [8, 64, 1 << 18])
def test_cells_as_excel_shows_them(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "_BLOCK", block)
    strings = record(159, bytes(8)) + record(19, b"\x00" + wide("共有")) + record(160)
    parts: dict[str, str | bytes] = {"xl/styles.bin": styles("#,##0", 14), "xl/sharedStrings.bin": strings}
    (unit,) = read(book([("表", 0, CELLS), ("隠", 1, CELLS)], parts)).units
    assert unit.place.name == "表"
    assert unit.lines == [
        "",
        '\t共有\t12.34\t\t"1,234,567"',
        "",
        'TRUE\t#DIV/0!\t"a,b"\t式\t2024/5/1\t\t太字\t#N/A',
    ]
    assert unit.values is not None
    assert [tuple(value) for value in unit.values] == [(2, 5, 1234567.0, False), (4, 5, 45413.0, True)]


def test_date_system_1904() -> None:
    cells = row(0) + cell(5, 0, struct.pack("<d", 43951.0), 1)
    (unit,) = read(book([("S", 0, cells)], {"xl/styles.bin": styles(14)}, date1904=True)).units
    assert unit.lines == ["2024/5/1"]


def test_notes_and_header() -> None:
    texts = b"".join(map(wide, ["&L左", "&R右", "偶数", "", "初", ""]))
    sheet = row(0) + cell(5, 0, struct.pack("<d", 1.0)) + record(479, struct.pack("<H", 2) + texts)
    note = record(635, struct.pack("<IIIII", 0, 4, 4, 2, 2) + bytes(16)) + record(637, b"\x00" + wide("メモ\n二行"))
    parts: dict[str, str | bytes] = {
        "xl/worksheets/_rels/sheet0.bin.rels": relationships(("c", "comments", "../comments1.bin")),
        "xl/comments1.bin": note,
    }
    places = {unit.place.name: unit.lines for unit in read(book([("S", 0, sheet)], parts)).units}
    assert places == {
        "S": ["1"],
        "S[コメント]": ['C5\t"メモ\u2028二行"'],
        "S[ヘッダー・フッター]": ["左", "右", "初"],
    }


def test_damage_costs_what_is_behind_it() -> None:
    good = row(0) + cell(5, 0, struct.pack("<d", 1.0)) + row(1)
    for rest in (
        cell(5, 0, b"\x00"),
        record(5, bytes(30))[:-9],
        b"\x05\xff\xff\xff\xff",
        cell(6, 0, struct.pack("<I", 1 << 30)),
    ):
        result = read(book([("S", 0, good + rest)]))
        assert result.units[0].lines == ["1"]
        assert len(result.warnings) == 1
    with pytest.raises(ExtractError) as caught:
        read(book([("S", 0, row(0) + b"\x05\x10")]))
    assert caught.value.reason is Reason.DAMAGED


def test_rows_in_any_order_and_beyond_the_sheet() -> None:
    one = cell(5, 0, struct.pack("<d", 1.0))
    result = read(
        book([("S", 0, row(2) + one + row(0) + one + row(1_048_576) + one + row(5) + cell(5, 16_384, bytes(8)))])
    )
    assert result.units[0].lines == ["1", "", "1"]
    assert result.warnings == ["S: 2 cells refer to nothing"]
