"""The records of a "PowerPoint Document" stream, and the texts in it that many slides show ([MS-PPT]).

A record ([MS-PPT] 2.3.1) has a header of 8 bytes, little-endian: 4 bits version (15: it holds records), 12 bits
instance, 16 bits type, 32 bits length of what follows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tebunko.extract.drawing import tidy

HEADER_BYTES = 8
_CONTAINER = 0x0F
_DEEPEST = 64

_MAIN_MASTER = 0x03F8
_HEADERS_FOOTERS = 0x0FD9
_SHAPE = 0xF004
_PLACEHOLDER = 0x0BC3
_LATER_PLACEHOLDER = 0x0420
_TEXT_CHARS = 0x0FA0
_TEXT_BYTES = 0x0FA8
_STRING = 0x0FBA

_HEADER_OR_FOOTER_STRING = (1, 2)
_FOOTER_PLACEHOLDERS = frozenset({9, 10})


class Record(NamedTuple):
    """One record: ``start`` and ``end`` bound what follows its header."""

    kind: int
    instance: int
    is_container: bool
    start: int
    end: int


def record_at(stream: bytes, position: int, limit: int) -> Record | None:
    """The record whose header is at a position; None if there is no room for a header before ``limit``."""
    if position < 0 or position + HEADER_BYTES > limit:
        return None
    head, kind, length = struct.unpack_from("<HHI", stream, position)
    start = position + HEADER_BYTES
    return Record(kind, head >> 4, head & _CONTAINER == _CONTAINER, start, min(start + length, limit))


def walk(stream: bytes, start: int, end: int) -> Iterator[Record]:
    """Every record between two positions, a container before what it holds; none reaches beyond the one it is in."""
    limits = [end]
    position = start
    while limits:
        record = record_at(stream, position, limits[-1])
        if record is None:
            position = limits.pop()
            continue
        yield record
        if record.is_container and len(limits) < _DEEPEST:
            limits.append(record.end)
            position = record.start
        else:
            position = record.end


@dataclass(slots=True)
class Repeated:
    """Texts that PowerPoint shows on many slides: paragraphs of the masters' own shapes, and headers and footers."""

    master: list[str] = field(default_factory=list)
    footers: list[str] = field(default_factory=list)


def repeated_texts(stream: bytes) -> Repeated:
    """The repeated texts in a "PowerPoint Document" stream, each once, also of versions that an edit left behind.

    Footers are the strings of headers and footers, and the text of shapes that hold their place ([MS-PPT] 2.13.24:
    9 and 10) on a slide or on notes.
    """
    gathering = _Gathering(stream)
    for record in walk(stream, 0, len(stream)):
        gathering.take(record)
    gathering.end_shape()
    return Repeated(list(gathering.master), list(gathering.footers))


class _Gathering:
    """What was seen so far; ``shape_end`` bounds the shape that is being read."""

    def __init__(self, stream: bytes) -> None:
        self.master: dict[str, None] = {}
        self.footers: dict[str, None] = {}
        self._stream = stream
        self._master_end = self._strings_end = self._shape_end = 0
        self._in_master = False
        self._placeholder: int | None = None
        self._text = ""

    def take(self, record: Record) -> None:
        if record.kind == _MAIN_MASTER:
            self._master_end = record.end
        elif record.kind == _HEADERS_FOOTERS:
            self._strings_end = record.end
        elif record.kind == _STRING:
            if record.instance in _HEADER_OR_FOOTER_STRING and record.start < self._strings_end:
                self.footers.update(dict.fromkeys(_paragraphs(self._utf_16(record))))
        elif record.kind == _SHAPE:
            self.end_shape()
            self._shape_end = record.end
            self._in_master = record.start < self._master_end
        elif record.start < self._shape_end:
            self._take_of_shape(record)

    def _take_of_shape(self, record: Record) -> None:
        if record.kind == _TEXT_CHARS:
            self._text = self._utf_16(record)
        elif record.kind == _TEXT_BYTES:
            self._text = self._stream[record.start : record.end].decode("latin-1")
        elif record.kind == _PLACEHOLDER and record.end - record.start > 4:
            self._placeholder = self._stream[record.start + 4]
        elif record.kind == _LATER_PLACEHOLDER and record.end > record.start:
            self._placeholder = self._stream[record.start]

    def end_shape(self) -> None:
        """Files the text of the shape that was being read."""
        if self._in_master and self._placeholder is None:
            self.master.update(dict.fromkeys(_paragraphs(self._text)))
        elif not self._in_master and self._placeholder in _FOOTER_PLACEHOLDERS:
            self.footers.update(dict.fromkeys(_paragraphs(self._text)))
        self._placeholder = None
        self._text = ""

    def _utf_16(self, record: Record) -> str:
        return self._stream[record.start : record.end].decode("utf-16-le", "replace")


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text as the readers' lines spell them."""
    lines = (tidy(line.replace("\v", "\n")) for line in text.split("\r"))
    return [line for line in lines if line and not line.isspace()]
