"""Office files embedded in a .ppt as OLE objects ([MS-PPT] 2.10): which slide shows which.

A slide's shape names an object (ExObjRefAtom), the document's list of objects names where it is kept (ExOleObjAtom),
and the persist directory says at which offset that is.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from tebunko.extract.powerpoint.ppt_records import record_at, walk

OBJECT_LIMIT = 100 * 1024 * 1024
TOTAL_LIMIT = 300 * 1024 * 1024
"""Bytes of one object and of all of them that are read, as of the parts of a package (extraction.md section 4)."""

_USER_EDIT = 0x0FF5
_PERSIST_DIRECTORY = 0x1772
_SLIDE_LIST = 0x0FF0
_SLIDES_OF_LIST = 0
_SLIDE_PERSIST = 0x03F3
_OBJECT = 0x0FC3
_OBJECT_REFERENCE = 0x0BC1
_STORAGE = 0x1011
_COMPRESSED = 1


def embedded_objects(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """The number of the slide and the compound file of each object, in the order in which slides refer to them.

    ``stream`` is the "PowerPoint Document" stream. An object that is damaged or too large is left out; one that is
    referred to again counts once.
    """
    offsets, document = _persist_directory(stream)
    slides, objects = _document(stream, offsets.get(document, -1))
    seen: set[int] = set()
    left = TOTAL_LIMIT
    for number, reference in _references(stream, [offsets.get(slide, -1) for slide in slides]):
        if reference in seen:
            continue
        seen.add(reference)
        data = _storage(stream, offsets.get(objects.get(reference, -1), -1), min(OBJECT_LIMIT, left))
        if data is not None:
            left -= len(data)
            yield number, data


def _persist_directory(stream: bytes) -> tuple[dict[int, int], int]:
    """Offsets by persist number, a later edit's before an earlier one's, and the document's number."""
    offsets: dict[int, int] = {}
    document = -1
    position = 0
    while (record := record_at(stream, position, len(stream))) is not None:
        position = record.end
        if record.kind == _USER_EDIT and record.end - record.start >= 20:
            document = struct.unpack_from("<I", stream, record.start + 16)[0]
        elif record.kind == _PERSIST_DIRECTORY:
            numbers = struct.unpack_from(f"<{(record.end - record.start) // 4}I", stream, record.start)
            _add_entries(offsets, numbers)
    return offsets, document


def _add_entries(offsets: dict[int, int], numbers: tuple[int, ...]) -> None:
    """Adds runs of offsets, each after a number of which 20 bits are the first persist number and 12 their count."""
    position = 0
    while position < len(numbers):
        first, count = numbers[position] & 0xFFFFF, numbers[position] >> 20
        run = numbers[position + 1 : position + 1 + count]
        offsets.update(zip(range(first, first + len(run)), run, strict=True))
        position += 1 + count


def _document(stream: bytes, offset: int) -> tuple[list[int], dict[int, int]]:
    """The slides' persist numbers in the order of presentation, and the persist number of each object."""
    slides: list[int] = []
    objects: dict[int, int] = {}
    document = record_at(stream, offset, len(stream))
    if document is None:
        return slides, objects
    list_end = 0
    for record in walk(stream, document.start, document.end):
        length = record.end - record.start
        if record.kind == _SLIDE_LIST and record.instance == _SLIDES_OF_LIST:
            list_end = record.end
        elif record.kind == _SLIDE_PERSIST and record.start < list_end and length >= 4:
            slides.append(struct.unpack_from("<I", stream, record.start)[0])
        elif record.kind == _OBJECT and length >= 20:
            number, _, storage = struct.unpack_from("<III", stream, record.start + 8)
            objects[number] = storage
    return slides, objects


def _references(stream: bytes, slides: list[int]) -> Iterator[tuple[int, int]]:
    """Each object that a slide refers to, after the slide's number; ``slides`` are offsets.

    Sound slides lie side by side; those that lie within each other are read until they are more than the stream.
    """
    left = len(stream)
    for number, offset in enumerate(slides, start=1):
        slide = record_at(stream, offset, len(stream))
        if slide is None:
            continue
        left -= slide.end - offset
        if left < 0:
            return
        for record in walk(stream, slide.start, slide.end):
            if record.kind == _OBJECT_REFERENCE and record.end - record.start >= 4:
                yield number, struct.unpack_from("<I", stream, record.start)[0]


def _storage(stream: bytes, offset: int, limit: int) -> bytes | None:
    """The compound file at an offset; None if there is none, or one over ``limit`` bytes."""
    record = record_at(stream, offset, len(stream))
    if record is None or record.kind != _STORAGE:
        return None
    data = stream[record.start : record.end]
    if record.instance == _COMPRESSED:
        try:
            data = zlib.decompressobj().decompress(data[4:], limit + 1)
        except zlib.error:
            return None
    return data if len(data) <= limit else None
