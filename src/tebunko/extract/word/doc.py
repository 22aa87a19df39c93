"""Reads .doc (Word 97-2003 natively, Word 6 and 95 where a second converter is installed)."""

from __future__ import annotations

import re
import struct

import doc2docx  # type: ignore[import-untyped]

from tebunko.extract.embedded import EmbeddedReader
from tebunko.extract.legacy import read_converted
from tebunko.extract.source import Options, Source
from tebunko.extract.word.docx import read_docx
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction

_SECTOR = 512
_WORD_6 = b"\xdc\xa5"
_HEAD_BYTES = 4 * 1024 * 1024
_NOT_ASCII = re.compile("[^\0-\x7f]")

# The code page of text in Word 6 and 95 by primary language; only those where Western letters would be garbage.
_CODE_PAGES = {0x11: "cp932", 0x12: "cp949", 0x04: "cp936", 0x19: "cp1251", 0x08: "cp1253"}


def read_doc(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .doc to the places of a .docx (see `read_docx`).

    Raises ExtractError as `read_converted` does.
    """
    extraction = read_converted(
        source, ".doc", doc2docx.convert, lambda converted: read_docx(converted, options, read_embedded)
    )
    language = word_6_language(source.head(_HEAD_BYTES))
    return extraction if language is None else in_code_page(extraction, language)


def word_6_language(data: bytes) -> int | None:
    """The language id of a Word 6 or 95 document, None for any other file.

    ``data`` is the beginning of the compound file. The document's stream starts at a sector with its magic number
    (Word 97 has another), the version of the format and, at byte 6, the language.
    """
    at = data.find(_WORD_6, _SECTOR)
    while at >= 0:
        if at % _SECTOR == 0 and at + 8 <= len(data):
            version, _, language = struct.unpack_from("<HHH", data, at + 2)
            if 100 <= version <= 105:
                return int(language)
        at = data.find(_WORD_6, at + 1)
    return None


def in_code_page(extraction: Extraction, language: int) -> Extraction:
    """The lines of a Word 6 or 95 document, which were read as Western text, in the code page of its language.

    Raises ExtractError(NEEDS_OFFICE) if they do not decode: refused rather than garbled.
    """
    code_page = _CODE_PAGES.get(language & 0x3FF)
    if code_page is None:
        return extraction
    try:
        for unit in extraction.units:
            unit.lines = [_again(line, code_page) if _NOT_ASCII.search(line) else line for line in unit.lines]
    except UnicodeError as error:
        raise ExtractError(Reason.NEEDS_OFFICE, error) from error
    return extraction


def _again(line: str, code_page: str) -> str:
    # Bytes that the Western code page leaves undefined come as the control characters of the same number.
    data = b"".join(c.encode("latin-1" if "\x80" <= c < "\xa0" else "cp1252") for c in line)
    return data.decode(code_page)
