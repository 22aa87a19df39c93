"""Raw values on disk: the numbers of one source file that differ from what its cells show, packed small.

zlib over, for each place (little-endian): name length (u32), name (UTF-8), count (u32), then as columns: rows (u32 each), columns
(u16), numbers (IEEE double), date marks (one byte). Rows stand as differences to the row before, which packs better.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from tebunko.model.unit import RawValues, Unit

_NAME = struct.Struct("<I")
_COUNT = struct.Struct("<I")
_COLUMN = struct.Struct("<H")
_NUMBER = struct.Struct("<d")
_CELL_BYTES = 4 + 2 + 8 + 1
_LEVEL = 1
_LARGEST = 1 << 30


class ValueRange(NamedTuple):
    """Numbers from ``low`` to ``high``, both included, of dates or of anything else."""

    low: float
    high: float
    dates: bool


class _Sheet(NamedTuple):
    """Where the columns of one place begin in the unpacked bytes, and how long they are."""

    name: bytes
    cells: int
    rows: int

    @property
    def columns(self) -> int:
        return self.rows + 4 * self.cells

    @property
    def numbers(self) -> int:
        return self.columns + 2 * self.cells

    @property
    def dates(self) -> int:
        return self.numbers + 8 * self.cells


def encode_values(units: Iterable[Unit]) -> bytes:
    """The packed raw values of a source file's units; b"" if it has none."""
    pieces: list[bytes] = []
    for unit in units:
        values = unit.values
        if not values:
            continue
        name = unit.place.name.encode("utf-8", "surrogatepass")
        pieces += [_NAME.pack(len(name)), name, _COUNT.pack(len(values))]
        pieces += [_little(_differences(values.rows)), _little(values.columns), _little(values.numbers)]
        pieces.append(bytes(values.dates))
    return zlib.compress(b"".join(pieces), _LEVEL) if pieces else b""


def decode_values(data: bytes) -> dict[str, RawValues]:
    """The raw values by place name: the inverse of `encode_values`. Raises ValueError if the bytes are damaged."""
    plain = _unpacked(data)
    found = {}
    for sheet in _sheets(plain):
        values = RawValues()
        values.rows = _sums(_column("I", plain[sheet.rows : sheet.columns]))
        values.columns = _column("H", plain[sheet.columns : sheet.numbers])
        values.numbers = _column("d", plain[sheet.numbers : sheet.dates])
        values.dates = bytearray(plain[sheet.dates : sheet.dates + sheet.cells])
        found[_name(sheet)] = values
    return found


def find_cells(data: bytes, sought: Mapping[str, ValueRange]) -> Iterator[tuple[str, str, int, tuple[int, ...]]]:
    """The cells with a sought number: (key of ``sought``, name of the place, row, columns), both from 1.

    Numbers that lie close together begin with the same bytes, so these are looked for at the speed of memory; only what they
    find is compared. Damaged bytes hold nothing.
    """
    try:
        plain = _unpacked(data)
        likely = {key: wanted for key, wanted in sought.items() if _shared_bytes(wanted) in plain}
        sheets = [(sheet, _name(sheet)) for sheet in _sheets(plain)] if likely else []
    except ValueError:
        return
    for sheet, name in sheets:
        for key, wanted in likely.items():
            for row, columns in _rows_with(plain, sheet, wanted):
                yield key, name, row, columns


def _rows_with(plain: bytes, sheet: _Sheet, wanted: ValueRange) -> Iterator[tuple[int, tuple[int, ...]]]:
    found = list(_places_of(plain, sheet, wanted))
    if not found:
        return
    rows = _sums(_column("I", plain[sheet.rows : sheet.columns]))
    columns: dict[int, list[int]] = {}
    for at in found:
        columns.setdefault(rows[at], []).append(_COLUMN.unpack_from(plain, sheet.columns + 2 * at)[0])
    for row, here in columns.items():
        yield row, tuple(here)


def _places_of(plain: bytes, sheet: _Sheet, wanted: ValueRange) -> Iterator[int]:
    """The positions among a sheet's numbers of those that are wanted, in order."""
    shared = _shared_bytes(wanted)
    for at in _aligned(plain, sheet, shared) if shared else range(sheet.cells):
        (number,) = _NUMBER.unpack_from(plain, sheet.numbers + 8 * at)
        if wanted.low <= number <= wanted.high and bool(plain[sheet.dates + at]) is wanted.dates:
            yield at


def _aligned(plain: bytes, sheet: _Sheet, shared: bytes) -> Iterator[int]:
    """The positions of the numbers that end with these bytes."""
    first = sheet.numbers + _NUMBER.size - len(shared)
    found = plain.find(shared, first, sheet.dates)
    while found >= 0:
        at, rest = divmod(found - first, _NUMBER.size)
        if not rest:
            yield at
        found = plain.find(shared, first + (at + 1) * _NUMBER.size, sheet.dates)


def _shared_bytes(wanted: ValueRange) -> bytes:
    """The last bytes that all numbers of the range have in common as they are stored; zero is stored in two ways."""
    if wanted.low <= 0 <= wanted.high:
        return b""
    low, high = struct.pack(">d", wanted.low), struct.pack(">d", wanted.high)
    length = next((n for n in range(8) if low[n] != high[n]), 8)
    return low[:length][::-1]


def _unpacked(data: bytes) -> bytes:
    if not data:
        return b""
    try:
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(data, _LARGEST)
    except zlib.error as error:
        raise ValueError("raw values are damaged") from error
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("raw values are cut off or too large")
    return plain


def _sheets(plain: bytes) -> Iterator[_Sheet]:
    position = 0
    while position < len(plain):
        try:
            (length,) = _NAME.unpack_from(plain, position)
            position += _NAME.size
            name = plain[position : position + length]
            (count,) = _COUNT.unpack_from(plain, position + length)
        except struct.error as error:
            raise ValueError("raw values are damaged") from error
        position += length + _COUNT.size
        sheet = _Sheet(name, count, position)
        position += count * _CELL_BYTES
        if position > len(plain):
            raise ValueError("raw values are damaged")
        yield sheet


def _name(sheet: _Sheet) -> str:
    return sheet.name.decode("utf-8", "surrogatepass")


def _column(typecode: str, data: bytes) -> array[Any]:
    column = array(typecode, data)
    if sys.byteorder == "big":
        column.byteswap()
    return column


def _differences(rows: array[int]) -> array[int]:
    return array("I", (b - a & 0xFFFFFFFF for a, b in zip(array("I", [0]) + rows, rows, strict=False)))


def _sums(differences: array[int]) -> array[int]:
    return array("I", map(0xFFFFFFFF.__and__, accumulate(differences)))


def _little(column: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()
