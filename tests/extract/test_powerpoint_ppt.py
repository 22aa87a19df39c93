"""What a .ppt's own records say beside its conversion, on streams made record by record ([MS-PPT])."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.extract.powerpoint import ppt_objects
from tebunko.extract.powerpoint.ppt import gathered
from tebunko.extract.powerpoint.ppt_objects import embedded_objects
from tebunko.extract.powerpoint.ppt_records import Repeated, repeated_texts, walk
from tebunko.model.place import Place, PlaceKind, slide
from tebunko.model.unit import Extraction, Unit

MASTER, SLIDE, NOTES, DOCUMENT = 0x03F8, 0x03EE, 0x03F0, 0x03E8


def record(kind: int, data: bytes, version: int = 0, instance: int = 0) -> bytes:
    return struct.pack("<HHI", version | instance << 4, kind, len(data)) + data


def holding(kind: int, *records: bytes, instance: int = 0) -> bytes:
    return record(kind, b"".join(records), 0xF, instance)


def shape(text: str, placeholder: bytes = b"") -> bytes:
    box = holding(0xF00D, record(0x0FA0, text.encode("utf-16-le")))
    return holding(0xF002, holding(0xF003, holding(0xF004, holding(0xF011, placeholder), box)))


def placeholder(kind: int) -> bytes:
    return record(0x0BC3, struct.pack("<iBBH", -1, kind, 0, 0))


def headers_footers(*strings: tuple[int, str]) -> bytes:
    return holding(0x0FD9, *(record(0x0FBA, text.encode("utf-16-le"), instance=number) for number, text in strings))


def test_texts_of_masters_headers_and_footers() -> None:
    stream = b"".join(
        (
            holding(MASTER, shape("Confidential\rsecond\v line"), shape("Click to edit", placeholder(1))),
            holding(
                SLIDE, shape("own text"), shape("slide footer", record(0x0420, b"\x09")), shape("*", placeholder(8))
            ),
            holding(NOTES, shape("notes header", placeholder(10))),
            headers_footers((0, "a date"), (1, "header"), (2, "footer")),
            record(0x0FBA, "no footer".encode("utf-16-le"), instance=2),
        )
    )
    repeated = repeated_texts(stream)
    assert repeated.master == ["Confidential", "second  line"]
    assert sorted(repeated.footers) == ["footer", "header", "notes header", "slide footer"]


def test_text_in_the_single_byte_form() -> None:
    box = holding(0xF00D, record(0x0FA8, b"caf\xe9"))
    assert repeated_texts(holding(MASTER, holding(0xF004, box))).master == ["café"]


def unit(place: Place, *lines: str) -> Unit:
    return Unit(place, list(lines))


def by_place(extraction: Extraction) -> dict[str, list[str]]:
    return {found.place.name: found.lines for found in extraction.units}


def test_repeated_texts_are_gathered_once() -> None:
    extraction = Extraction(
        [
            unit(slide(1), "Confidential", "footer", "title", "footer"),
            unit(slide(2), "Confidential"),
            unit(slide(2, PlaceKind.NOTES), "Confidential", "header", "note"),
            unit(slide(1, PlaceKind.COMMENT), "footer"),
        ]
    )
    assert by_place(gathered(extraction, Repeated(["Confidential", "unused"], ["header", "footer"]))) == {
        "スライド001": ["footer", "title"],
        "スライド002_ノート": ["Confidential", "note"],
        "スライド001[コメント]": ["footer"],
        "ヘッダー・フッター": ["Confidential", "footer", "header"],
    }


def presentation(objects: list[bytes], slides: list[list[int]]) -> bytes:
    """A stream whose slides refer to objects by their numbers from 1."""
    parts = [holding(SLIDE, *(record(0x0BC1, struct.pack("<I", number)) for number in numbers)) for numbers in slides]
    first_object = len(slides) + 2
    parts += [record(0x1011, struct.pack("<I", len(data)) + zlib.compress(data), instance=1) for data in objects]
    persists = [record(0x03F3, struct.pack("<IIIII", 2 + n, 0, 0, 256 + n, 0)) for n in range(len(slides))]
    atoms = [
        holding(0x0FCC, record(0x0FC3, struct.pack("<6I", 1, 0, number, 0, first_object + number - 1, 0)))
        for number in range(1, len(objects) + 1)
    ]
    parts.insert(0, holding(DOCUMENT, holding(0x0409, *atoms), holding(0x0FF0, *persists)))
    offsets = [sum(map(len, parts[:n])) for n in range(len(parts))]
    directory = record(0x1772, struct.pack(f"<{len(parts) + 1}I", 1 | len(parts) << 20, *offsets))
    return b"".join(parts) + directory + record(0x0FF5, struct.pack("<IIIIIII", 0, 0, 0, 0, 1, 0, 0))


def test_objects_in_the_order_of_reference() -> None:
    stream = presentation([b"first", b"second", b"never shown"], [[], [2], [1, 2]])
    assert list(embedded_objects(stream)) == [(2, b"second"), (3, b"first")]


def test_objects_too_large_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = presentation([b"x" * 60, b"y" * 60, b"z" * 200], [[3, 1, 2]])
    monkeypatch.setattr(ppt_objects, "OBJECT_LIMIT", 100)
    monkeypatch.setattr(ppt_objects, "TOTAL_LIMIT", 110)
    assert list(embedded_objects(stream)) == [(1, b"x" * 60)]


def test_a_slide_named_again_and_again_costs_no_more_than_the_stream() -> None:
    one = holding(SLIDE, *[record(0x0BC1, struct.pack("<I", 1))] * 100)
    assert len(list(ppt_objects._references(one, [0] * 1000))) == 100


@given(st.binary(max_size=300), st.integers(0, 300))
def test_damage_is_no_crash_and_no_loop(data: bytes, at: int) -> None:
    sound = presentation([b"object"], [[1]]) + holding(MASTER, shape("text"))
    stream = sound[:at] + data + sound[at:]
    repeated_texts(stream)
    list(embedded_objects(stream))
    assert sum(1 for _ in walk(stream, 0, len(stream))) <= len(stream) // 8


def test_deep_nesting_ends() -> None:
    stream = b""
    for _ in range(2000):
        stream = holding(0xF003, stream)
    assert sum(1 for _ in walk(stream, 0, len(stream))) <= 2000
