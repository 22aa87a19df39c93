"""MHTML (RFC 2557): the "single file web page" of Excel and Word, also under an Office file name."""

from __future__ import annotations

import html
import re
from email import message_from_bytes

from tebunko.extract.html import html_rows, html_text
from tebunko.extract.source import Options, Source
from tebunko.extract.text.foreign import extraction_of, is_workbook_name, whole
from tebunko.extract.text.rows import sheet_lines
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import sheet
from tebunko.model.unit import Extraction, make_unit

_WORKSHEET = re.compile(r"<x:ExcelWorksheet>(.*?)</x:ExcelWorksheet>", re.DOTALL)
_NAME = re.compile(r"<x:Name>(.*?)</x:Name>", re.DOTALL)
_ADDRESS = re.compile(r"<x:WorksheetSource\s+HRef=\"([^\"]*)\"")
_HIDDEN = re.compile(r"<x:Visible>\s*Sheet(?:Very)?Hidden")


def read_mhtml(source: Source, options: Options) -> Extraction:
    """The visible sheets that Excel listed in the first page; without such a list the first page as one place.

    Raises ExtractError: TOO_LARGE, DAMAGED if it has no page.
    """
    pages = archive_pages(whole(source))
    first = next(iter(pages.values()))
    sheets = _sheets(first, pages) if is_workbook_name(source) else []
    if not sheets:
        return extraction_of(source, html_rows(first))
    units = (make_unit(sheet(name), sheet_lines(html_rows(text))) for name, text in sheets)
    return Extraction([unit for unit in units if unit])


def archive_pages(data: bytes) -> dict[str, str]:
    """The HTML parts by the last piece of their location, in order. Raises ExtractError(DAMAGED) if there is none."""
    pages: dict[str, str] = {}
    for number, part in enumerate(message_from_bytes(data.lstrip()).walk()):
        page = part.get_payload(decode=True)
        if part.get_content_type() == "text/html" and isinstance(page, bytes):
            location = str(part.get("Content-Location", "")).rpartition("/")[2] or str(number)
            pages.setdefault(location, html_text(page, part.get_content_charset()))
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
