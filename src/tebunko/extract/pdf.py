"""PDF: the text of each page in reading order, through PDFium, as a person who searches would type it."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import pdf_page
from tebunko.model.unit import Extraction, make_unit

PAGE_LIMIT = 100_000
CHARACTER_LIMIT = 100_000_000
_BROKEN_PAGES_IN_A_ROW = 200

_NEAR = 0.7
"""A gap this wide, in sizes of a character, may lie between two pieces of one line."""

_SPACE = 0.25
"""A gap this wide, in sizes of a character, is a space."""

_OVERLAP = 0.5
"""Two characters stand on one line if this share of the lower one's height is common to both."""

_LINE_BREAK = "\r\n"
_HYPHEN = "\ufffe"
_BROKEN_WORD = re.compile(rf"(\S?){_HYPHEN}(\S*)[ ]?")
_FLATTEN_DONE = pdfium.FLATTEN_SUCCESS


def read_pdf(source: Source, options: Options) -> Extraction:
    """One unit a page that has text, form fields and other visible annotations included.

    Raises ExtractError: PASSWORD if it needs one to be read, RIGHTS for a security scheme that PDFium does not know,
    DAMAGED, TOO_LARGE. A page that cannot be read is a warning, if there is another that can.
    """
    document = _open(source)
    try:
        return _read_pages(document)
    finally:
        document.close()


def _open(source: Source) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(source.data if source.copy is None else source.copy)
    except pypdfium2.PdfiumError as error:
        message = str(error).lower()
        if "password" in message:
            raise ExtractError(Reason.PASSWORD) from error
        if "security" in message:
            raise ExtractError(Reason.RIGHTS, error) from error
        raise ExtractError(Reason.DAMAGED, error) from error


def _read_pages(document: pypdfium2.PdfDocument) -> Extraction:
    count = len(document)
    if count > PAGE_LIMIT:
        raise ExtractError(Reason.TOO_LARGE, f"{count:,} pages")
    extraction = Extraction()
    broken: list[int] = []
    characters = 0
    for number in range(1, count + 1):
        try:
            lines = _page_lines(document, number - 1)
        except pypdfium2.PdfiumError:
            broken.append(number)
            if broken[-_BROKEN_PAGES_IN_A_ROW:][0] == number - _BROKEN_PAGES_IN_A_ROW + 1:
                break
            continue
        characters += sum(map(len, lines))
        if characters > CHARACTER_LIMIT:
            raise ExtractError(Reason.TOO_LARGE, f"more than {CHARACTER_LIMIT:,} characters of text")
        if unit := make_unit(pdf_page(number), lines):
            extraction.units.append(unit)
    if broken and len(broken) == number:
        raise ExtractError(Reason.DAMAGED, "no page can be read")
    if broken:
        extraction.warnings.append(f"{len(broken)} of {count} pages cannot be read, the first is page {broken[0]}")
    return extraction


def _page_lines(document: pypdfium2.PdfDocument, index: int) -> list[str]:
    """The lines of the page with that index (from 0). Raises PdfiumError if it cannot be loaded."""
    page = document[index]
    try:
        if pdfium.FPDFPage_GetAnnotCount(page.raw) > 0 and pdfium.FPDFPage_Flatten(page.raw, 0) == _FLATTEN_DONE:
            # Only a page loaded anew shows what became part of it.
            page.close()
            page = document[index]
        text_page = page.get_textpage()
        try:
            return lines_of(_joined(text_page, text_page.get_text_range()))
        finally:
            text_page.close()
    finally:
        page.close()


# --- lines ----------------------------------------------------------------------------------------------------------


def _joined(text_page: pypdfium2.PdfTextPage, text: str) -> str:
    """The text without the line breaks that PDFium sees within a line: where fonts change, boxes do not align."""
    pieces = text.split(_LINE_BREAK)
    if len(pieces) == 1:
        return text
    joined = [pieces[0]]
    boxes = _Boxes(text_page, text)
    end = 0
    for before, after in itertools.pairwise(pieces):
        end += len(before)
        start = end + len(_LINE_BREAK)
        gap = None
        if before and after:
            gap = boxes.gap(end - 1 - (len(before) - len(before.rstrip(" ") or before)), start)
        if gap is None:
            joined.append("\n")
        elif gap > _SPACE and not before.endswith(" "):
            joined.append(" ")
        joined.append(after)
        end = start
    return "".join(joined)


class _Boxes:
    """Where the characters of a page stand, by their position in its text."""

    def __init__(self, text_page: pypdfium2.PdfTextPage, text: str) -> None:
        self._raw = text_page.raw
        self._corners = [ctypes.c_double() for _ in range(4)]
        self._wide = None if text.isascii() or max(text) <= "\uffff" else text

    def gap(self, before: int, after: int) -> float | None:
        """The gap between two characters of one line, in sizes of the larger; None if they are not on one line."""
        first, second = self._index(before), self._index(after)
        turns = self._turns(first)
        if min(first, second) < 0 or turns != self._turns(second):
            return None
        one, other = self._box(first, turns), self._box(second, turns)
        overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
        size = max(one.size, other.size)
        if size <= 0 or overlap < _OVERLAP * min(one.top - one.bottom, other.top - other.bottom):
            return None
        gap = (other.left - one.right) / size
        return gap if -_NEAR / 2 <= gap <= _NEAR and other.left > one.left else None

    def _index(self, position: int) -> int:
        """PDFium's index of the character at a position in the text, -1 if there is none."""
        if self._wide is not None:
            position = len(self._wide[:position].encode("utf-16-le", "surrogatepass")) // 2
        return int(pdfium.FPDFText_GetCharIndexFromTextIndex(self._raw, position))

    def _turns(self, index: int) -> int:
        """By how many quarter turns, clockwise, the character is turned (0 to 3)."""
        return round(float(pdfium.FPDFText_GetCharAngle(self._raw, index)) / (math.pi / 2)) % 4

    def _box(self, index: int, turns: int) -> _Box:
        """The box of a character in points, turned so that its line runs from left to right."""
        pdfium.FPDFText_GetCharBox(self._raw, index, *map(ctypes.byref, self._corners))
        left, right, bottom, top = (corner.value for corner in self._corners)
        return (
            _Box(left, right, bottom, top),
            _Box(-top, -bottom, left, right),
            _Box(-right, -left, -top, -bottom),
            _Box(bottom, top, -right, -left),
        )[turns]


class _Box(NamedTuple):
    left: float
    right: float
    bottom: float
    top: float

    @property
    def size(self) -> float:
        return max(self.right - self.left, self.top - self.bottom)


def lines_of(text: str) -> list[str]:
    r"""The lines of a page's text that show something, spelled as one types them.

    A word that a hyphen (U+FFFE, as PDFium marks it) parts at a line's end stands whole on the first line.

    >>> lines_of("an inter\ufffenational of\ufb01ce\r\n \r\nMay\ufffe2020 a\xadb\x01")
    ['an international', 'office', 'May-2020', 'ab']
    """
    if _HYPHEN in text:
        text = _BROKEN_WORD.sub(_mend_word, text)
    lines = (line.rstrip() for line in text.translate(_SPELLING).replace("\r", "\n").split("\n"))
    return [line for line in lines if line]


def _mend_word(match: re.Match[str]) -> str:
    before, after = match.groups()
    hyphen = "" if before.islower() and after[:1].islower() else "-"
    return f"{before}{hyphen}{after}\n"


def _normal_forms(first: int, last: int) -> Iterator[tuple[int, str]]:
    for code in range(first, last + 1):
        yield code, unicodedata.normalize("NFKC", chr(code))


_RADICALS = "⺝月⺠民⻁虎⻄西⻆角⻑長⻘青⻝食⻤鬼⻨麦⻩黄⻫斉⻭歯⻯竜⻲亀"
"""Radicals (Unicode's CJK Radicals Supplement) that fonts give instead of the character after them."""

_SPELLING = {
    **dict.fromkeys((*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0)), None),
    **dict.fromkeys((0xAD, 0x200B, 0xFEFF, 0xFFFE, 0xFFFF), None),
    **dict.fromkeys((0x09, 0x0B, 0x0C, 0xA0), " "),
    **dict(_normal_forms(0xFB00, 0xFB06)),
    **dict(_normal_forms(0x2F00, 0x2FD5)),
    **dict(_normal_forms(0x2E9F, 0x2E9F)),
    **dict(_normal_forms(0x2EF3, 0x2EF3)),
    **dict(zip(map(ord, _RADICALS[::2]), _RADICALS[1::2], strict=True)),
}
"""Ligatures taken apart, radicals as characters, soft hyphens and control characters out, any blank a space."""
