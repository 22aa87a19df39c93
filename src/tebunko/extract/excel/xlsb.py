"""Binary workbooks (``.xlsb``, [MS-XLSB]) as units: as XML workbooks, but for the form of the parts."""

from __future__ import annotations

import struct

from tebunko.extract.excel.bin_records import bin_records, number_of, rich_text, wide_text
from tebunko.extract.excel.cells import LAST_COLUMN, LAST_ROW, cell_text
from tebunko.extract.excel.header_footer import HeaderFooter
from tebunko.extract.excel.objects import Placed
from tebunko.extract.excel.ooxml import Sheet, read_workbook_package
from tebunko.extract.excel.shared_strings import SharedStrings
from tebunko.extract.excel.sheet_text import OutOfOrder, SheetText
from tebunko.extract.excel.styles import Styles
from tebunko.extract.excel.workbook import SheetEntry, Workbook, workbook_part
from tebunko.extract.package import PART_LIMIT, Package
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction

# Record types of [MS-XLSB].
_ROW, _BLANK, _RK, _ERROR, _BOOLEAN, _REAL, _STRING, _SHARED = 0, 1, 2, 3, 4, 5, 6, 7
_FORMULA_STRING, _FORMULA_NUMBER, _FORMULA_BOOLEAN, _FORMULA_ERROR = 8, 9, 10, 11
_SHORT_BLANK, _SHORT_SHARED = 12, 18
_SHARED_ITEM = 19
_FORMAT = 44
_CELL_FORMAT = 47
_RICH_STRING = 62
_WORKBOOK_PROPERTIES = 153
_SHEET = 156
_HEADER_FOOTER = 479
_BEGIN_CELL_FORMATS, _END_CELL_FORMATS = 617, 618
_BEGIN_COMMENT, _COMMENT_TEXT = 635, 637

_ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}
_HEADER_PARTS = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")

# A short record is the same without the column; what it holds is that of the type this much below.
_SHORT = 11
_SAME = {
    _FORMULA_STRING: _STRING,
    _FORMULA_NUMBER: _REAL,
    _FORMULA_BOOLEAN: _BOOLEAN,
    _FORMULA_ERROR: _ERROR,
}


def read_xlsb(source: Source, options: Options) -> Extraction:
    """Reads a binary workbook: per visible sheet its cells, shapes, comments, header and footer.

    A part that cannot be read becomes a warning. Raises ExtractError: DAMAGED if no sheet can be read, TOO_LARGE.
    """
    return read_workbook_package(source, options, _BinaryParts())


class _BinaryParts:
    """The parts of a workbook in binary form."""

    def workbook(self, package: Package) -> Workbook:
        part = workbook_part(package)
        relationships = package.relationships(part)
        sheets: list[SheetEntry] = []
        date1904 = False
        with package.stream(part, PART_LIMIT) as stream:
            for kind, data in bin_records(stream):
                if kind == _WORKBOOK_PROPERTIES and data:
                    date1904 = bool(data[0] & 1)
                elif kind == _SHEET and len(data) >= 8:
                    state = struct.unpack_from("<I", data)[0]
                    reference, end = wide_text(data, 8)
                    name, _ = wide_text(data, end)
                    found = relationships.get(reference)
                    target = found.target if found and not found.external else ""
                    sheets.append(SheetEntry(name, target, found.type if found else "", state == 0))
        return Workbook(part, sheets, date1904)

    def styles(self, package: Package, part: str, locale: str, *, date1904: bool) -> Styles:
        codes: dict[int, str] = {}
        ids: list[int] = []
        in_cells = False
        with package.stream(part, PART_LIMIT) as stream:
            for kind, data in bin_records(stream):
                if kind == _FORMAT and len(data) >= 2:
                    codes[struct.unpack_from("<H", data)[0]] = wide_text(data, 2)[0]
                elif kind in (_BEGIN_CELL_FORMATS, _END_CELL_FORMATS):
                    in_cells = kind == _BEGIN_CELL_FORMATS
                elif kind == _CELL_FORMAT and in_cells and len(data) >= 4:
                    ids.append(struct.unpack_from("<H", data, 2)[0])
        return Styles(ids, codes, locale, date1904=date1904)

    def strings(self, package: Package, part: str) -> SharedStrings:
        strings = SharedStrings()
        with package.stream(part, PART_LIMIT) as stream:
            for kind, data in bin_records(stream):
                if kind == _SHARED_ITEM:
                    strings.add(rich_text(data, 0))
        return strings

    def sheet(self, package: Package, part: str, strings: SharedStrings, styles: Styles) -> Sheet:
        try:
            return _read_sheet(package, part, _Cells(strings, styles, SheetText()))
        except OutOfOrder:
            return _read_sheet(package, part, _Cells(strings, styles, SheetText(keep_all=True)))

    def header_footer(self, package: Package, part: str) -> HeaderFooter:
        found = HeaderFooter()
        with package.stream(part, PART_LIMIT) as stream:
            for kind, data in bin_records(stream):
                if kind == _HEADER_FOOTER:
                    _take_header_footer(found, data)
        return found

    def notes(self, package: Package, part: str) -> list[Placed]:
        found: list[Placed] = []
        row = column = 0
        with package.stream(part, PART_LIMIT) as stream:
            for kind, data in bin_records(stream):
                if kind == _BEGIN_COMMENT and len(data) >= 20:
                    row, _, column = struct.unpack_from("<III", data, 4)
                elif kind == _COMMENT_TEXT:
                    found.append((min(row + 1, LAST_ROW), min(column + 1, LAST_COLUMN), rich_text(data, 0)))
        return found


def _read_sheet(package: Package, part: str, cells: _Cells) -> Sheet:
    """A worksheet part. Raises OutOfOrder, and ExtractError: TOO_LARGE, or DAMAGED if it has not one whole row."""
    header_footer = HeaderFooter()
    damage = ""
    try:
        with package.stream(part) as stream:
            for kind, data in bin_records(stream):
                if kind <= _SHORT_SHARED or kind == _RICH_STRING:
                    cells.take(kind, data)
                elif kind == _HEADER_FOOTER:
                    _take_header_footer(header_footer, data)
    except ExtractError as error:
        if error.reason is Reason.TOO_LARGE:
            raise
        damage = str(error.detail)
    cells.flush()
    lines, values = cells.text.finish()
    if damage and not lines:
        raise ExtractError(Reason.DAMAGED, damage)
    return Sheet(lines, values, header_footer, damage, cells.lost + cells.text.lost)


def _take_header_footer(found: HeaderFooter, data: bytes) -> None:
    if len(data) < 2:
        return
    flags = struct.unpack_from("<H", data)[0]
    found.start({"differentOddEven": str(flags & 1), "differentFirst": str(flags >> 1 & 1)})
    position = 2
    for part in _HEADER_PARTS:
        text, position = wide_text(data, position)
        found.set(part, text)


class _Cells:
    """The cells of a sheet being read."""

    def __init__(self, strings: SharedStrings, styles: Styles, text: SheetText) -> None:
        self.text = text
        self.lost = 0
        self._strings = strings
        self._styles = styles
        self._row = 0
        self._column = -1
        self._cells: list[str] = []

    def take(self, kind: int, data: bytes) -> None:
        """A record of a row or cell; one that is too short for its type is damage. Raises ExtractError, OutOfOrder."""
        try:
            if kind == _ROW:
                self.flush()
                self._row = struct.unpack_from("<I", data)[0] + 1
                self._column = -1
            elif _SHORT_BLANK <= kind <= _SHORT_SHARED:
                self._column += 1
                self._cell(kind - _SHORT, data, 0)
            else:
                self._column = struct.unpack_from("<I", data)[0]
                self._cell(_SAME.get(kind, kind), data, 4)
        except (struct.error, IndexError) as error:
            raise ExtractError(Reason.DAMAGED, "a cell is cut off") from error

    def flush(self) -> None:
        """Ends the row. Raises OutOfOrder, ExtractError(TOO_LARGE)."""
        if self._cells:
            cells, self._cells = self._cells, []
            self.text.add_row(self._row, cells)

    def _cell(self, kind: int, data: bytes, position: int) -> None:
        if kind == _BLANK:
            return
        if self._column >= LAST_COLUMN:
            self.lost += 1
            return
        style = int.from_bytes(data[position : position + 3], "little")
        shown = self._shown(kind, data, position + 4, style)
        if shown is None:
            self.lost += 1
            return
        missing = self._column + 1 - len(self._cells)
        if missing > 0:
            self._cells.extend([""] * missing)
        self._cells[self._column] = shown

    def _shown(self, kind: int, data: bytes, position: int, index: int) -> str | None:
        """What a cell shows whose value stands at a position; None if it refers to nothing."""
        if kind in (_REAL, _RK):
            stored = number_of(struct.unpack_from("<I", data, position)[0]) if kind == _RK else None
            value = struct.unpack_from("<d", data, position)[0] if stored is None else stored
            shown, raw, is_date = self._styles[index].number(value)
            if raw is not None and self._row <= LAST_ROW:
                self.text.values.append(self._row, self._column + 1, raw, is_date)
            return shown
        if kind == _BOOLEAN:
            return "TRUE" if data[position] else "FALSE"
        if kind == _ERROR:
            return _ERRORS.get(data[position], "#N/A")
        if kind == _SHARED:
            number = struct.unpack_from("<I", data, position)[0]
            if number >= len(self._strings.lines):
                return None
            style = self._styles[index]
            return cell_text(style.text(self._strings.original(number))) if style.text else self._strings.lines[number]
        text = rich_text(data, position) if kind == _RICH_STRING else wide_text(data, position)[0]
        style = self._styles[index]
        return cell_text(style.text(text) if style.text else text)
