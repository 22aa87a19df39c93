"""Raw values on disk: the numbers of one source file that differ from what its cells show, packed small.

zlib over, for each place (little-endian): name length (u32), name (UTF-8), count (u32), then as columns: rows (u32 each), columns
(u16), numbers (IEEE double), date marks (one byte). Rows stand as differences to the row before, which packs better.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections.abc import Iterable

from tebunko.model.unit import RawValues, Unit

_NAME = struct.Struct("<I")
_COUNT = struct.Struct("<I")
_LEVEL = 1
_LARGEST = 1 << 30


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
    if not data:
        return {}
    try:
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(data, _LARGEST)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("raw values are cut off or too large")
        return dict(_places(plain))
    except (zlib.error, struct.error, UnicodeDecodeError) as error:
        raise ValueError("raw values are damaged") from error


def _places(plain: bytes) -> Iterable[tuple[str, RawValues]]:
    position = 0
    while position < len(plain):
        (length,) = _NAME.unpack_from(plain, position)
        position += _NAME.size
        name = plain[position : position + length].decode("utf-8", "surrogatepass")
        position += length
        (count,) = _COUNT.unpack_from(plain, position)
        position += _COUNT.size
        if position + count * 15 > len(plain):
            raise ValueError("raw values are damaged")
        values = RawValues()
        for column in (values.rows, values.columns, values.numbers):
            end = position + count * column.itemsize
            column.frombytes(plain[position:end])
            if sys.byteorder == "big":
                column.byteswap()
            position = end
        values.rows = _sums(values.rows)
        values.dates = bytearray(plain[position : position + count])
        position += count
        yield name, values


def _differences(rows: array[int]) -> array[int]:
    return array("I", (b - a & 0xFFFFFFFF for a, b in zip(array("I", [0]) + rows, rows, strict=False)))


def _sums(differences: array[int]) -> array[int]:
    total, rows = 0, array("I")
    for difference in differences:
        total = total + difference & 0xFFFFFFFF
        rows.append(total)
    return rows


def _little(column: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()
