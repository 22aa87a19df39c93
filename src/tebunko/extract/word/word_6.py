"""The text of Word 6 and 95, which is bytes in a code page: which one, when a reader took it for Western text."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable

from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction

_MAGIC = 0xA5DC
_VERSIONS = range(100, 106)
_FONTS_AT = 0xD0

# By primary language; only those where Western letters would be garbage.
_LANGUAGES = {
    "cp932": (0x11,),
    "cp949": (0x12,),
    "cp936": (0x04,),
    "cp1250": (0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x24),
    "cp1251": (0x02, 0x19, 0x22, 0x23),
    "cp1253": (0x08,),
    "cp1254": (0x1F,),
    "cp1255": (0x0D,),
    "cp1256": (0x01,),
    "cp874": (0x1E,),
}
_BY_LANGUAGE = {language: page for page, languages in _LANGUAGES.items() for language in languages}
# By the character set of a font; only scripts whose words hold no ASCII letters, so that their words tell.
_BY_CHARSET = {204: "cp1251", 161: "cp1253"}

_WORD = re.compile(r"[^\W\d_]{2,}")
_NOT_ASCII = re.compile("[^\0-\x7f]")
_OTHER_SCRIPT = re.compile(r"(?<![A-Za-z])[^\0-\x7f\u2000-\u206f]+(?![A-Za-z])")
_SHARE = 0.5


def code_page_of(stream: bytes) -> str | None:
    """The code page that the language of a Word 6 or 95 document asks for, None if Western or another version.

    ``stream`` is the beginning of its "WordDocument" stream: a magic number (Word 97 has another), the version, and at
    byte 6 the language.
    """
    return _BY_LANGUAGE.get(struct.unpack_from("<H", stream, 6)[0] & 0x3FF) if is_word_6(stream) else None


def is_word_6(stream: bytes) -> bool:
    """True for the "WordDocument" stream of Word 6 or 95."""
    return len(stream) >= 8 and struct.unpack_from("<HH", stream)[0] == _MAGIC and stream[2] in _VERSIONS


def font_charsets(stream: bytes) -> set[int]:
    """The character sets of the fonts of a Word 6 or 95 document.

    The table of fonts is at the position and of the length that stand at byte 0xD0: two bytes, then for each font a
    byte with its length without that byte, and at byte 4 of it its character set.
    """
    if len(stream) < _FONTS_AT + 8:
        return set()
    start, length = struct.unpack_from("<II", stream, _FONTS_AT)
    table = stream[start + 2 : start + length]
    found: set[int] = set()
    at = 0
    while at + 4 < len(table):
        found.add(table[at + 4])
        at += table[at] + 1
    return found


def in_code_page(extraction: Extraction, code_page: str) -> Extraction:
    """The lines of a document that were read as Western text, in the code page they are in.

    Raises ExtractError(NEEDS_OFFICE) if they do not decode: refused rather than garbled.
    """
    try:
        for unit in extraction.units:
            unit.lines = [_again(line, code_page) if _NOT_ASCII.search(line) else line for line in unit.lines]
    except UnicodeError as error:
        raise ExtractError(Reason.NEEDS_OFFICE, error) from error
    return extraction


def in_script_of_fonts(extraction: Extraction, charsets: Iterable[int]) -> Extraction:
    """The lines with words of another script read in it, if a font is for such a script and most words look like it.

    The language of a document says nothing of its fonts: Russian was mostly written with an English one set. Words of
    Western languages have an accent here and there, those of another script nothing but such letters.
    """
    code_page = next((page for charset, page in _BY_CHARSET.items() if charset in charsets), None)
    if code_page is None or not _is_other_script(line for unit in extraction.units for line in unit.lines):
        return extraction
    for unit in extraction.units:
        unit.lines = [_OTHER_SCRIPT.sub(lambda word: _or_same(word[0], code_page), line) for line in unit.lines]
    return extraction


def _is_other_script(lines: Iterable[str]) -> bool:
    words = [word for line in lines for word in _WORD.findall(line) if _NOT_ASCII.search(word)]
    whole = sum(not any("a" <= c.lower() <= "z" for c in word) for word in words)
    return whole > len(words) * _SHARE


def _or_same(text: str, code_page: str) -> str:
    try:
        return _again(text, code_page)
    except UnicodeError:
        return text


def _again(text: str, code_page: str) -> str:
    # Bytes that the Western code page leaves undefined come as the control characters of the same number.
    data = b"".join(c.encode("latin-1" if "\x80" <= c < "\xa0" else "cp1252") for c in text)
    return data.decode(code_page)
