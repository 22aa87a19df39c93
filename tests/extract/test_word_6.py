"""The code pages of Word 6 and 95; expected texts are those the bytes were made from by Python's codecs."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.extract.word.word_6 import code_page_of, font_charsets, in_code_page, in_script_of_fonts, is_word_6
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import page
from tebunko.model.unit import Extraction, Unit


def stream(
    magic: int = 0xA5DC, version: int = 104, language: int = 0x409, fonts: tuple[tuple[int, str], ...] = ()
) -> bytes:
    """The beginning of a "WordDocument" stream with its table of fonts."""
    names = [bytes([5 + len(name) + 1, 0, 0, 0, charset, 0]) + name.encode() + b"\0" for charset, name in fonts]
    table = b"".join(names)
    head = struct.pack("<HHHH", magic, version, 0, language).ljust(0xD0, b"\0")
    return head + struct.pack("<II", 0xD8, len(table) + 2) + struct.pack("<H", len(table) + 2) + table


def western(text: str, code_page: str) -> str:
    """Text as a reader gives it that takes all bytes for Western letters."""
    undefined = b"\x81\x8d\x8f\x90\x9d"
    data = text.encode(code_page)
    return "".join(chr(byte) if byte in undefined else bytes([byte]).decode("cp1252") for byte in data)


def lines_of(*lines: str) -> Extraction:
    return Extraction([Unit(page(1), list(lines))])


@pytest.mark.parametrize(
    ("data", "word_6", "code_page"),
    [
        (stream(language=0x411), True, "cp932"),
        (stream(language=0x415), True, "cp1250"),
        (stream(version=101), True, None),
        (stream(magic=0xA5EC, version=193, language=0x411), False, None),
        (b"\xdc\xa5", False, None),
        (b"", False, None),
    ],
)
def test_version_and_language(data: bytes, word_6: bool, code_page: str | None) -> None:
    assert (is_word_6(data), code_page_of(data)) == (word_6, code_page)


def test_charsets_of_fonts() -> None:
    assert font_charsets(stream(fonts=((0, "Times New Roman"), (2, "Symbol"), (204, "Arial Cyr")))) == {0, 2, 204}


@given(st.binary(max_size=300))
def test_a_damaged_table_of_fonts_is_no_crash(data: bytes) -> None:
    font_charsets(stream()[:0xD0] + data)


@pytest.mark.parametrize(
    ("text", "code_page"),
    [("日本語の文書ソ能 text", "cp932"), ("Договор", "cp1251"), ("한국어", "cp949"), ("zażółć gęślą jaźń", "cp1250")],
)
def test_text_in_the_code_page_of_its_language(text: str, code_page: str) -> None:
    extraction = in_code_page(lines_of("ascii", western(text, code_page)), code_page)
    assert extraction.units[0].lines == ["ascii", text]


def test_text_that_does_not_decode_is_refused() -> None:
    with pytest.raises(ExtractError) as caught:
        in_code_page(lines_of("\x81\x20"), "cp932")
    assert caught.value.reason is Reason.NEEDS_OFFICE


@pytest.mark.parametrize(
    ("text", "code_page", "charset"),
    [
        ("Компания “Аскат” — вина, 0,7 л, MS Word 6.0 в офис", "cp1251", 204),
        ("Η σύμβαση υπογράφηκε στην Αθήνα", "cp1253", 161),
    ],
)
def test_words_of_the_script_of_a_font(text: str, code_page: str, charset: int) -> None:
    extraction = in_script_of_fonts(lines_of(western(text, code_page)), {0, 2, charset})
    assert extraction.units[0].lines == [text]


@pytest.mark.parametrize(
    ("text", "charsets"),
    [
        ("L'élève préféra l'été à Noël, où déjà", {0, 204}),
        ("Straße für schöne Mädchen", {0, 161}),
        ("plain", {204}),
        (western("Договор", "cp1251"), {0, 2, 238}),
    ],
)
def test_western_words_stay_whatever_fonts_there_are(text: str, charsets: set[int]) -> None:
    assert in_script_of_fonts(lines_of(text), charsets).units[0].lines == [text]
