"""Records of the binary workbook parts ([MS-XLSB]) and the strings in them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tebunko.extract.package import LimitedStream
from tebunko.model.errors import ExtractError, Reason

_BLOCK = 256 * 1024
_LONGEST_RECORD = 16 * 1024 * 1024
_LONGEST_HEAD = 6


def bin_records(stream: LimitedStream) -> Iterator[tuple[int, bytes]]:
    """The records of a part as (type, data), to its end. Raises ExtractError(DAMAGED) where a record is cut off."""
    buffer = b""
    position = 0
    ended = False
    while True:
        if len(buffer) - position < _LONGEST_HEAD and not ended:
            buffer, position, ended = _more(stream, buffer, position)
            continue
        if position >= len(buffer):
            return
        kind, length, start = _head(buffer, position)
        if length > _LONGEST_RECORD:
            raise ExtractError(Reason.DAMAGED, "a record that is far too long")
        while len(buffer) - start < length and not ended:
            start -= position
            buffer, position, ended = _more(stream, buffer, position)
        if len(buffer) - start < length:
            raise ExtractError(Reason.DAMAGED, "a record is cut off")
        position = start + length
        yield kind, buffer[start:position]


def _more(stream: LimitedStream, buffer: bytes, position: int) -> tuple[bytes, int, bool]:
    block = stream.read(_BLOCK)
    return buffer[position:] + block, 0, not block


def _head(buffer: bytes, position: int) -> tuple[int, int, int]:
    """Type, length, and where the data starts: the type has one byte or two, the length one to four, 7 bits each."""
    try:
        kind = buffer[position]
        position += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (buffer[position] & 0x7F) << 7
            position += 1
        length = shift = 0
        while shift < 28:
            byte = buffer[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
    except IndexError as error:
        raise ExtractError(Reason.DAMAGED, "a record is cut off") from error
    return kind, length, position


def wide_text(data: bytes, position: int) -> tuple[str, int]:
    """A wide string (its length in characters, then UTF-16) and where it ends; a null string is "".

    Raises ExtractError(DAMAGED) if it does not fit.
    """
    if position + 4 > len(data):
        raise ExtractError(Reason.DAMAGED, "a string is cut off")
    (length,) = struct.unpack_from("<I", data, position)
    position += 4
    if length == 0xFFFF_FFFF:
        return "", position
    end = position + 2 * length
    if end > len(data):
        raise ExtractError(Reason.DAMAGED, "a string is cut off")
    return data[position:end].decode("utf-16-le", "replace"), end


def rich_text(data: bytes, position: int) -> str:
    """The characters of a rich string ([MS-XLSB], RichStr), without its runs and its phonetic text."""
    return wide_text(data, position + 1)[0]


def number_of(rk: int) -> float:
    """The number that the 32 bits of an RkNumber stand for ([MS-XLSB]).

    >>> number_of(0x3FF00000), number_of(5 << 2 | 2), number_of(1234 << 2 | 3), number_of(0xFFFFFFFE)
    (1.0, 5.0, 12.34, -1.0)
    """
    if rk & 2:
        whole = rk >> 2
        value = float(whole - (1 << 30) if whole & (1 << 29) else whole)
    else:
        value = float(struct.unpack("<d", struct.pack("<II", 0, rk & 0xFFFF_FFFC))[0])
    return value / 100 if rk & 1 else value
