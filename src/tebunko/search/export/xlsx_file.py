"""A workbook (.xlsx, ECMA-376) of texts and counts, written row by row.

Texts are inline strings (part 1, 18.3.1.53), which nothing ever takes for a formula or a number. A sheet takes 1,048,576 rows; what
is more goes to further sheets. A cell takes 32,767 UTF-16 units; what is more is cut off.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import IO, BinaryIO

from tebunko.search.hits import Row, Summary, column_letters

LAST_ROW = 1_048_576
LAST_COLUMN = 16_384
CELL_UNITS = 32_767

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_DATE = (1980, 1, 1, 0, 0, 0)

# What XML 1.0 cannot hold, and what would be read as an escape of such a character (22.9.2.19).
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


class XlsxWriter:
    """A `TableWriter`."""

    def __init__(self, writer: BinaryIO, *, last_row: int = LAST_ROW) -> None:
        """``last_row`` is how many rows a sheet takes."""
        self._zip = zipfile.ZipFile(writer, "w", zipfile.ZIP_DEFLATED)
        self._last_row = last_row
        self._headings: Sequence[str] = ()
        self._sheets = 0
        self._row = 0
        self._sheet: IO[bytes] | None = None

    def begin(self, words: str, headings: Sequence[str]) -> None:
        """As `TableWriter.begin`."""
        self._headings = headings
        self._begin_sheet()

    def add(self, row: Row, cells: Sequence[str | int]) -> None:
        """As `TableWriter.add`."""
        if self._row == self._last_row:
            self._end_sheet()
            self._begin_sheet()
        self._write_row(cells)

    def end(self, count: int, summary: Summary | None) -> None:
        """As `TableWriter.end`."""
        self._end_sheet()
        for name, content in _other_parts(self._sheets).items():
            self._zip.writestr(zipfile.ZipInfo(name, _DATE), _HEAD + content, zipfile.ZIP_DEFLATED)
        self._zip.close()

    def _begin_sheet(self) -> None:
        self._sheets += 1
        self._row = 0
        info = zipfile.ZipInfo(f"xl/worksheets/sheet{self._sheets}.xml", _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        self._sheet = self._zip.open(info, "w", force_zip64=True)
        self._write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">')
        self._write('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>')
        self._write("</sheetViews><sheetData>")
        self._write_row(self._headings)

    def _end_sheet(self) -> None:
        self._write("</sheetData></worksheet>")
        assert self._sheet is not None
        self._sheet.close()

    def _write_row(self, cells: Sequence[str | int]) -> None:
        self._row += 1
        kept = cells if len(cells) <= LAST_COLUMN else cells[:LAST_COLUMN]
        pieces = (_cell(cell, f"{column_letters(number)}{self._row}") for number, cell in enumerate(kept))
        self._write(f'<row r="{self._row}">{"".join(pieces)}</row>')

    def _write(self, text: str) -> None:
        assert self._sheet is not None
        self._sheet.write(text.encode("utf-8"))


def _cell(cell: str | int, address: str) -> str:
    if isinstance(cell, int):
        return f'<c r="{address}"><v>{cell}</v></c>'
    if not cell:
        return ""
    return f'<c r="{address}" t="inlineStr"><is><t xml:space="preserve">{_text(cell)}</t></is></c>'


def _text(cell: str) -> str:
    if len(cell) * 2 > CELL_UNITS:  # only then may it be too long
        cell = cell.encode("utf-16-le", "replace")[: 2 * CELL_UNITS].decode("utf-16-le", "ignore")
    return html.escape(_FORBIDDEN.sub(_escaped, cell), quote=False)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\ufffd" if code >= 0xD800 else f"_x{code:04X}_"


def _other_parts(sheets: int) -> dict[str, str]:
    numbers = range(1, sheets + 1)
    overrides = _all(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/>' for n in numbers
    )
    listed = _all(f'<sheet name="検索結果{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
    related = _all(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    document = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    return {
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{related}</Relationships>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">{document}</Relationships>',
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>{overrides}</Types>',
    }


def _all(pieces: Iterable[str]) -> str:
    return "".join(pieces)
