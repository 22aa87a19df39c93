"""Plain text, HTML and RTF under an Office file name: a sheet or a page (facts.md, 種類)."""

from __future__ import annotations

import csv
import io

from tebunko.extract.html import html_rows, html_text
from tebunko.extract.source import Options, Source
from tebunko.extract.text.foreign import decoded, extraction_of, is_workbook_name, whole
from tebunko.extract.text.reader import TEXT_LIMIT, text_lines
from tebunko.extract.text.rows import Row, page_lines
from tebunko.extract.text.rtf import Story, rtf_stories
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import FOOTNOTES, HEADER_FOOTER, WHOLE_DOCUMENT, PlaceKind, part
from tebunko.model.unit import Extraction, make_unit

_SAMPLE = 64 * 1024

_STORY_PLACES = {
    Story.HEADER_FOOTER: part(HEADER_FOOTER),
    Story.FOOTNOTES: part(FOOTNOTES),
    Story.COMMENTS: part(WHOLE_DOCUMENT, PlaceKind.COMMENT),
}


def read_flat(source: Source, options: Options) -> Extraction:
    """Text under an Excel name as one sheet, under a Word name as ページ001.

    Raises ExtractError: TOO_LARGE, and DAMAGED if it is no text.
    """
    if source.size > TEXT_LIMIT:
        raise ExtractError(Reason.TOO_LARGE, f"{source.size:,} bytes of text; the limit is {TEXT_LIMIT:,}")
    text = decoded(source.read())
    return extraction_of(source, delimited_rows(text) if is_workbook_name(source) else _paragraphs(text))


def read_html(source: Source, options: Options) -> Extraction:
    """HTML, as many programs export it as a workbook or document. Raises ExtractError: TOO_LARGE, DAMAGED."""
    return extraction_of(source, html_rows(decoded(whole(source), html_text)))


def read_rtf(source: Source, options: Options) -> Extraction:
    """RTF; under a Word name with its headers and footers, notes and comments in their places.

    Raises ExtractError: TOO_LARGE, DAMAGED.
    """
    stories = rtf_stories(whole(source))
    extraction = extraction_of(source, stories[Story.BODY])
    if not is_workbook_name(source):
        for story, place in _STORY_PLACES.items():
            lines = page_lines(stories[story])
            unit = make_unit(place, list(dict.fromkeys(lines)) if story is Story.HEADER_FOOTER else lines)
            extraction.units += [unit] if unit else []
    return extraction


def delimited_rows(text: str) -> list[Row]:
    r"""The rows of CSV or of tab-separated text, told apart by whether its beginning has tabs.

    >>> delimited_rows('a,"b\nc"\r\n1,2'), delimited_rows("a\tb,c")
    ([['a', 'b\nc'], ['1', '2']], [['a', 'b,c']])
    """
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text[:_SAMPLE] else ","))
    except csv.Error:
        # A quotation mark that nothing closes swallows the rest; the lines as they are still show where things stand.
        return _paragraphs(text)


def _paragraphs(text: str) -> list[Row]:
    return [[line] for line in text_lines(text)]
