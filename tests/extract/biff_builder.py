"""Makes small BIFF8 workbook streams record by record, by [MS-XLS]."""

from __future__ import annotations

import struct

BOF, EOF, FORMAT, XF, FONT, BOUND_SHEET, DATE_MODE, CODE_PAGE = 0x809, 0x0A, 0x41E, 0xE0, 0x31, 0x85, 0x22, 0x42
NUMBER, LABEL, BOOLEAN_OR_ERROR, HEADER, FOOTER, HEADER_FOOTER, NAME, NOTE = (
    0x203,
    0x204,
    0x205,
    0x14,
    0x15,
    0x89C,
    0x18,
    0x1C,
)

Record = tuple[int, bytes]


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def short_text(text: str) -> bytes:
    """A ShortXLUnicodeString: one byte of length, two bytes a character."""
    return struct.pack("<BB", len(text), 1) + text.encode("utf-16-le")


def text(value: str) -> bytes:
    """An XLUnicodeString: two bytes of length, two bytes a character."""
    return struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")


def number(row: int, column: int, value: float, style: int = 0) -> Record:
    return NUMBER, struct.pack("<HHHd", row, column, style, value)


def label(row: int, column: int, value: str, style: int = 0) -> Record:
    return LABEL, struct.pack("<HHH", row, column, style) + text(value)


def boolean(row: int, column: int, value: bool) -> Record:
    return BOOLEAN_OR_ERROR, struct.pack("<HHHBB", row, column, 0, value, 0)


def error(row: int, column: int, code: int) -> Record:
    return BOOLEAN_OR_ERROR, struct.pack("<HHHBB", row, column, 0, code, 1)


def substream(kind: int, records: list[Record]) -> bytes:
    """A substream of records: kind 5 for the globals, 0x10 for a worksheet, 0x20 for a chart."""
    body = b"".join(record(number, data) for number, data in records)
    return record(BOF, struct.pack("<HHHHII", 0x600, kind, 0, 1997, 0, 6)) + body + record(EOF, b"")


def stream(
    sheets: list[tuple[str, int, int, list[Record]]],
    codes: tuple[str | int, ...] = (),
    date1904: bool = False,
    more: tuple[Record, ...] = (),
) -> bytes:
    """A workbook of sheets (name, hidden state, kind, records); its styles are General and then these codes or ids."""
    globals_: list[Record] = [(CODE_PAGE, struct.pack("<H", 1200)), (DATE_MODE, struct.pack("<H", date1904))]
    font = struct.pack("<HHHHHBBBB", 200, 0, 8, 400, 0, 0, 0, 0, 0) + short_text("Arial")
    globals_ += [(FONT, font)] * 4
    ids = [0]
    for index, code in enumerate(codes):
        ids.append(code if isinstance(code, int) else 164 + index)
        if isinstance(code, str):
            globals_.append((FORMAT, struct.pack("<H", 164 + index) + text(code)))
    globals_ += [(XF, struct.pack("<HHH14x", 0, number, 0)) for number in ids]
    globals_ += more
    bound = [(BOUND_SHEET, struct.pack("<IBB", 0, hidden, kind) + short_text(name)) for name, hidden, kind, _ in sheets]
    position = len(substream(5, globals_ + bound))
    bodies = []
    for index, (name, hidden, kind, records) in enumerate(sheets):
        bound[index] = (BOUND_SHEET, struct.pack("<IBB", position, hidden, kind) + short_text(name))
        bodies.append(substream(0x20 if kind == 2 else 0x10, records))
        position += len(bodies[-1])
    return substream(5, globals_ + bound) + b"".join(bodies)
