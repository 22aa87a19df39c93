"""Records of the old workbook stream that its reader passes over: the list of sheets, headers and footers.

Structures by [MS-XLS]: BoundSheet8, Header, Footer, HeaderFooter.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tebunko.extract.compound import SIGNATURE, CompoundFile
from tebunko.extract.excel.header_footer import HeaderFooter
from tebunko.extract.source import Source
from tebunko.model.errors import ExtractError, Reason

WORKSHEET, CHART_SHEET = 0, 2
"""Types of sheets in `SheetRecord.kind`."""

NAMES = frozenset({0x18, 0x218})
"""Records of defined names."""

NOTES = frozenset({0x1C, 0x5D, 0x1B6})
"""Records of notes and of the objects that hold their text."""

_BIFF8 = 80

_EOF = 0x0A
_HEADER = 0x14
_FOOTER = 0x15
_BOUND_SHEET = 0x85
_HEADER_FOOTER = 0x89C
_CONTINUE = 0x3C
_UNKNOWN = 0xFFFE
_END = struct.pack("<HH", _EOF, 0)
_BOF = frozenset({0x009, 0x209, 0x409, 0x809})

_ODD_EVEN, _FIRST = 0x1, 0x2
_EXTRA_PARTS = ("evenHeader", "evenFooter", "firstHeader", "firstFooter")


@dataclass(frozen=True, slots=True)
class SheetRecord:
    """A sheet as the workbook's globals list it; ``position`` is where its records start in the stream."""

    name: str
    position: int
    visible: bool
    kind: int


def records(stream: bytes, position: int) -> Iterator[tuple[int, bytes]]:
    """The records (type, data) of the substream at a position, without those of substreams in it; ends with the data."""
    depth = 0
    while 0 <= position <= len(stream) - 4:
        kind, length = struct.unpack_from("<HH", stream, position)
        position += 4
        if kind in _BOF:
            depth += 1
        elif kind == _EOF:
            depth -= 1
            if depth <= 0:
                return
        elif depth <= 1:
            yield kind, stream[position : position + length]
        position += length


def workbook_stream(source: Source) -> bytes:
    """The records of a workbook: its stream in the compound file, or the whole file if that is none (BIFF 2 to 4).

    An end is put behind them, so that a stream that was cut off still has one. Raises ExtractError(DAMAGED).
    """
    if not source.head(len(SIGNATURE)).startswith(SIGNATURE):
        return source.read() + _END
    with CompoundFile(source) as compound:
        entries = compound.root_entries
        entry = entries.get("workbook") or entries.get("book")
        if entry is None:
            raise ExtractError(Reason.DAMAGED, "no workbook in the compound file")
        return compound.head(entry, entry.size) + _END


def without(stream: bytes, kinds: frozenset[int]) -> bytes:
    """The stream with the records of some types, and what continues them, made ones that no reader knows."""
    blanked = bytearray(stream)
    position = 0
    inside = False
    while position <= len(stream) - 4:
        kind, length = struct.unpack_from("<HH", stream, position)
        inside = kind in kinds or (inside and kind == _CONTINUE)
        if inside:
            struct.pack_into("<H", blanked, position, _UNKNOWN)
        position += 4 + length
    return bytes(blanked)


def sheet_records(stream: bytes, start: int, version: int, encoding: str) -> list[SheetRecord]:
    """The sheets listed at ``start``; ``version`` is 10 times that of BIFF, from 5 on."""
    found: list[SheetRecord] = []
    for kind, data in records(stream, start):
        if kind == _BOUND_SHEET and len(data) >= 8:
            offset, hidden, sheet_kind = struct.unpack_from("<IBB", data)
            name = _text(data[6:], 1, version, encoding)
            found.append(SheetRecord(name, start + offset, hidden & 3 == 0, sheet_kind))
    return found


def read_header_footer(stream: bytes, position: int, version: int, encoding: str) -> HeaderFooter:
    """The header and footer among the records of the sheet at a position."""
    found = HeaderFooter()
    for kind, data in records(stream, position):
        if kind in (_HEADER, _FOOTER):
            text = _text(data, 2 if version >= _BIFF8 else 1, version, encoding)
            found.set("oddHeader" if kind == _HEADER else "oddFooter", text)
        elif kind == _HEADER_FOOTER and len(data) >= 38 and not any(data[12:28]):
            _take_extra(found, data)
    return found


def _take_extra(found: HeaderFooter, data: bytes) -> None:
    flags, *lengths = struct.unpack_from("<5H", data, 28)
    on = {"differentOddEven": flags & _ODD_EVEN, "differentFirst": flags & _FIRST}
    found.start({name: "1" if value else "0" for name, value in on.items()})
    position = 38
    for part, length in zip(_EXTRA_PARTS, lengths, strict=True):
        if length:
            wide = data[position + 2 : position + 3] == b"\x01"
            found.set(part, _text(data[position:], 2, _BIFF8, ""))
            position += 3 + length * (2 if wide else 1)


def _text(data: bytes, length_size: int, version: int, encoding: str) -> str:
    """A string with its length before it; in BIFF8 a byte says whether its characters have one byte or two."""
    if len(data) < length_size:
        return ""
    length = int.from_bytes(data[:length_size], "little")
    if version < _BIFF8:
        return data[length_size : length_size + length].decode(encoding or "latin-1", "replace")
    wide = data[length_size : length_size + 1] == b"\x01"
    body = data[length_size + 1 :]
    if wide:
        return body[: 2 * length].decode("utf-16-le", "replace")
    return body[:length].decode("latin-1")
