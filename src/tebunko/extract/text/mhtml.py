"""MHTML (RFC 2557): the "single file web page" of Excel and Word, also under an Office file name."""

from __future__ import annotations

import html
import re
from email import message_from_bytes

from tebunko.extract.html import html_rows, html_text
from tebunko.extract.source import Options, Source
from tebunko.extract.text.foreign import extraction_of, is_workbook_name, whole
from tebunko.extract.text.rows import Row, page_lines, sheet_lines
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import HEADER_FOOTER, part, sheet
from tebunko.model.unit import Extraction, make_unit

_WORKSHEET = re.compile(r"<x:ExcelWorksheet>(.*?)</x:ExcelWorksheet>", re.DOTALL)
_NAME = re.compile(r"<x:Name>(.*?)</x:Name>", re.DOTALL)
_ADDRESS = re.compile(r"<x:WorksheetSource\s+HRef=\"([^\"]*)\"")
_WORD_HEADERS = frozenset({"header.htm", "header.html"})
_HIDDEN = re.compile(r"<x:Visible>\s*Sheet(?:Very)?Hidden")


def read_mhtml(source: Source, options: Options) -> Extraction:
    """The visible sheets that Excel listed in the first page; without such a list all pages as one place.

    Word keeps headers and footers in a page of its own, which becomes that place.

    Raises ExtractError: TOO_LARGE, DAMAGED if it has no page.
    """
    pages = archive_pages(whole(source))
    first = next(iter(pages.values()))
    sheets = _sheets(first, pages) if is_workbook_name(source) else []
    if not sheets:
        return _document(source, pages)
    units = (make_unit(sheet(name), sheet_lines(html_rows(text))) for name, text in sheets)
    return Extraction([unit for unit in units if unit])


def _document(source: Source, pages: dict[str, str]) -> Extraction:
    rows: list[Row] = []
    headers: list[Row] = []
    for number, (name, text) in enumerate(pages.items()):
        is_header = name.lower() in _WORD_HEADERS and not is_workbook_name(source)
        try:
            (headers if is_header else rows).extend(html_rows(text))
        except ExtractError:
            # An empty frame beside the first page is no fault of the archive.
            if number == 0:
                raise
    extraction = extraction_of(source, rows)
    unit = make_unit(part(HEADER_FOOTER), page_lines(headers))
    extraction.units += [unit] if unit else []
    return extraction


def archive_pages(data: bytes) -> dict[str, str]:
    """The HTML parts by the last piece of their location, in order. Raises ExtractError(DAMAGED) if there is none."""
    pages: dict[str, str] = {}
    for number, piece in enumerate(message_from_bytes(data.lstrip()).walk()):
        page = piece.get_payload(decode=True)
        if piece.get_content_type() == "text/html" and isinstance(page, bytes):
            location = str(piece.get("Content-Location", "")).rpartition("/")[2] or str(number)
            pages.setdefault(location, html_text(page, piece.get_content_charset()))
    if not pages:
        raise ExtractError(Reason.DAMAGED, "a web archive without a page")
    return pages


def _sheets(first: str, pages: dict[str, str]) -> list[tuple[str, str]]:
    """Name and page of each visible sheet that the first page lists and that is there."""
    found = []
    for listed in _WORKSHEET.findall(first):
        name, address = _NAME.search(listed), _ADDRESS.search(listed)
        page = pages.get(address[1].rpartition("/")[2]) if address else None
        if name and page is not None and not _HIDDEN.search(listed):
            found.append((html.unescape(name[1]).strip(), page))
    return found
