"""Old workbooks, from streams made record by record."""

from __future__ import annotations

import struct

import pytest
from biff_builder import (
    FOOTER,
    HEADER,
    HEADER_FOOTER,
    NAME,
    NOTE,
    boolean,
    error,
    label,
    number,
    record,
    stream,
    substream,
    text,
)
from compound_files import compound_file

from tebunko.extract.excel.biff import records, without
from tebunko.extract.excel.xls import read_xls
from tebunko.extract.source import Options, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction


def read(data: bytes, locale: str = "ja-JP") -> Extraction:
    return read_xls(source_of("old.xls", data), Options(locale))


def places(result: Extraction) -> dict[str, list[str]]:
    return {unit.place.name: unit.lines for unit in result.units}


def test_cells_as_excel_shows_them() -> None:
    cells = [
        label(1, 1, "品名,数"),
        number(1, 2, 1234567.0, 1),
        number(1, 3, 45413.0, 2),
        boolean(3, 0, True),
        error(3, 1, 0x07),
        label(3, 2, "様", 3),
        number(3, 3, 0.1 + 0.2),
    ]
    data = stream([("表", 0, 0, cells)], ("#,##0", 14, '"["@"]"'))
    result = read(data)
    (unit,) = result.units
    assert unit.lines == ["", '\t"品名,数"\t"1,234,567"\t2024/5/1', "", "TRUE\t#DIV/0!\t[様]\t0.3"]
    assert unit.values is not None
    assert [tuple(value) for value in unit.values] == [(2, 3, 1234567.0, False), (2, 4, 45413.0, True)]
    assert read(data, "en-US").units[0].lines[1].endswith("5/1/2024")


def test_date_system_1904() -> None:
    (unit,) = read(stream([("S", 0, 0, [number(0, 0, 43951.0, 1)])], (14,), date1904=True)).units
    assert unit.lines == ["2024/5/1"]
    assert unit.values is not None
    assert [value.number for value in unit.values] == [45413.0]


def test_visible_sheets_and_headers() -> None:
    first = bytes(28) + struct.pack("<5H", 2, 0, 0, 2, 0) + text("初回")
    headed = [
        (HEADER, text("&L左&P&C&A中")),
        (FOOTER, text('&R右&"MS P明朝"&8小')),
        (HEADER_FOOTER, first),
        number(0, 0, 1.0),
    ]
    sheets = [
        ("一", 0, 0, headed),
        ("隠", 1, 0, headed),
        ("深", 2, 0, headed),
        ("図", 0, 2, [(HEADER, text("グラフ"))]),
        ("二", 0, 0, [number(0, 0, 2.0), (HEADER, b"")]),
    ]
    assert places(read(stream(sheets))) == {
        "一": ["1"],
        "一[ヘッダー・フッター]": ["左", "中", "右小", "初回"],
        "図[ヘッダー・フッター]": ["グラフ"],
        "二": ["2"],
    }


def test_records_of_charts_in_a_sheet_are_not_its_own() -> None:
    inner = substream(0x20, [(HEADER, text("inner"))])
    data = substream(0x10, [(HEADER, text("outer"))])
    joined = data[:-4] + inner + data[-4:]
    assert [kind for kind, _ in records(joined, 0)] == [HEADER]


def test_bad_names_and_notes_do_not_cost_the_cells() -> None:
    bad_name = (NAME, struct.pack("<HBBHHHBBBB", 0, 0, 1, 5, 0, 0, 0, 0, 0, 0) + b"\x00x" + b"\x2d" + bytes(4))
    bad_note = (NOTE, struct.pack("<HHHHH", 0, 0, 0, 1, 1) + bytes(9))
    result = read(stream([("S", 0, 0, [number(0, 0, 1.0), bad_note])], more=(bad_name,)))
    assert places(result) == {"S": ["1"]}
    assert len(result.warnings) == 1


def test_a_record_and_its_continuation_are_blanked_together() -> None:
    data = record(0x18, b"ab") + record(0x3C, b"c") + record(0x203, b"d") + record(0x3C, b"e")
    assert without(data, frozenset({0x18})) == record(0xFFFE, b"ab") + record(0xFFFE, b"c") + data[11:]


def test_cut_off_streams_keep_their_rows() -> None:
    data = stream([("S", 0, 0, [number(row, 0, float(row + 1)) for row in range(5)])])
    assert places(read(data[: -4 - 18])) == {"S": ["1", "2", "3", "4"]}


@pytest.mark.parametrize("name", ["Workbook", "Book", "WORKBOOK"])
def test_the_stream_of_a_compound_file(name: str) -> None:
    data = stream([("S", 0, 0, [number(0, 0, 7.0)])])
    assert places(read(compound_file({name: data}))) == {"S": ["7"]}


def test_a_code_page_that_is_not_named() -> None:
    """BIFF5: strings of bytes; cp932 where the workbook names no code page, since it is most likely Japanese."""
    name, value = "売上".encode("cp932"), "東京".encode("cp932")
    cells = record(0x204, struct.pack("<4H", 0, 0, 0, len(value)) + value) + record(HEADER, bytes([len(value)]) + value)
    start = record(0x809, struct.pack("<4H", 0x500, 0x10, 0, 1993))
    sheet = start + cells + record(0x0A, b"")

    def globals_(position: int) -> bytes:
        bound = record(0x85, struct.pack("<IBB", position, 0, 0) + bytes([len(name)]) + name)
        return record(0x809, struct.pack("<4H", 0x500, 5, 0, 1993)) + bound + record(0x0A, b"")

    data = globals_(len(globals_(0))) + sheet
    assert places(read(data)) == {"売上": ["東京"], "売上[ヘッダー・フッター]": ["東京"]}


@pytest.mark.parametrize("data", [b"", b"\x09\x08", b"no workbook at all", stream([("S", 0, 0, [])])[:40]])
def test_what_is_no_workbook_is_damaged(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        read(data)
    assert caught.value.reason is Reason.DAMAGED


def test_an_encrypted_workbook_asks_for_its_password() -> None:
    with pytest.raises(ExtractError) as caught:
        read(stream([("S", 0, 0, [])], more=((0x2F, bytes(54)),)))
    assert caught.value.reason is Reason.PASSWORD
