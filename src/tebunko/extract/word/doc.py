"""Reads .doc (Word 97-2003 natively, Word 6 and 95 where a second converter is installed)."""

from __future__ import annotations

import doc2docx  # type: ignore[import-untyped]

from tebunko.extract.compound import CompoundFile
from tebunko.extract.embedded import EmbeddedReader
from tebunko.extract.legacy import read_converted
from tebunko.extract.source import Options, Source
from tebunko.extract.word.docx import read_converted_docx
from tebunko.extract.word.word_6 import code_page_of, font_charsets, in_code_page, in_script_of_fonts, is_word_6
from tebunko.model.errors import ExtractError
from tebunko.model.unit import Extraction, Unit, make_unit

_STREAM = "worddocument"
_OBJECT = "\ufffc"


def read_doc(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .doc to the places of a .docx (see `read_docx`).

    Raises ExtractError as `read_converted` does.
    """
    del options
    extraction = without_object_marks(
        read_converted(source, ".doc", doc2docx.convert, lambda new: read_converted_docx(new, read_embedded))
    )
    stream = _stream(source)
    if not is_word_6(stream):
        return extraction
    code_page = code_page_of(stream)
    if code_page is not None:
        return in_code_page(extraction, code_page)
    return in_script_of_fonts(extraction, font_charsets(stream))


def _stream(source: Source) -> bytes:
    try:
        with CompoundFile(source) as compound:
            entry = compound.root_entries.get(_STREAM)
            return b"" if entry is None else compound.head(entry, entry.size)
    except ExtractError:
        return b""


def without_object_marks(extraction: Extraction) -> Extraction:
    """The extraction without the characters that stand for pictures and other objects in the text."""
    units: list[Unit] = []
    for unit in extraction.units:
        if any(_OBJECT in line for line in unit.lines):
            lines = [line.replace(_OBJECT, "").strip(" ") for line in unit.lines]
            left = make_unit(unit.place, [line for line in lines if line])
            units += [left] if left else []
        else:
            units.append(unit)
    return Extraction(units, extraction.warnings)
