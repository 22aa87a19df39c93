"""Real documents and presentations: the words that other readers find in visible places are found here too."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import pptx
import pytest

from tebunko.extract.powerpoint.pptx import read_pptx
from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.word.docx import read_docx
from tebunko.model.errors import ExtractError
from tebunko.model.unit import Extraction

_WORD = re.compile(r"\w+")
_FOOTERS = ("SLIDE_NUMBER", "DATE", "FOOTER", "HEADER")


def words_of_document(data: bytes) -> set[str]:
    document = docx.Document(io.BytesIO(data))
    texts = [paragraph.text for paragraph in document.paragraphs]
    texts += [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return set(_WORD.findall("\n".join(texts)))


def words_of_presentation(data: bytes) -> set[str]:
    texts = []
    for slide in pptx.Presentation(io.BytesIO(data)).slides:
        for shape in _shapes(slide.shapes):
            if shape.is_placeholder and shape.placeholder_format.type.name in _FOOTERS:
                continue
            if shape.has_text_frame:
                texts.append(shape.text_frame.text)
            if shape.has_table:
                texts += [cell.text for row in shape.table.rows for cell in row.cells]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            texts.append(slide.notes_slide.notes_text_frame.text)
    return set(_WORD.findall("\n".join(texts)))


def _shapes(shapes: object) -> Iterator[object]:
    waiting = list(shapes)
    while waiting:
        shape = waiting.pop()
        if hasattr(shape, "shapes"):
            waiting += shape.shapes
        else:
            yield shape


@pytest.mark.parametrize(
    ("extensions", "read", "words_by_another"),
    [
        ((".docx", ".docm"), read_docx, words_of_document),
        ((".pptx", ".pptm"), read_pptx, words_of_presentation),
    ],
)
def test_words_that_another_reader_finds(
    corpus: Path,
    extensions: tuple[str, ...],
    read: Callable[[Source, Options], Extraction],
    words_by_another: Callable[[bytes], set[str]],
) -> None:
    there = found = files = 0
    for path in sorted(corpus.rglob("*")):
        if path.suffix not in extensions:
            continue
        data = path.read_bytes()
        try:
            extraction = read(source_of(path.name, data), Options())
        except ExtractError:
            continue
        try:
            words = words_by_another(data)
        except Exception:  # the other reader is stricter than any office program about what it takes
            continue
        ours = _WORD.findall("\n".join(line for unit in extraction.units for line in unit.lines))
        files += 1
        there += len(words)
        found += len(words.intersection(ours))
    assert files > 30
    assert found / there >= 0.99
