"""Excel 2003 XML ("XML Spreadsheet"): cells as they show, comments; streamed, without DTD or entities."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

from lxml import etree

from tebunko.extract.excel.cells import LAST_COLUMN, LAST_ROW, LINE_BREAK, address, cell_text
from tebunko.extract.excel.formats.locales import built_in_code
from tebunko.extract.excel.number_format import compile_format
from tebunko.extract.excel.sheet_text import OutOfOrder, SheetText
from tebunko.extract.excel.styles import CellStyle, iso_serial
from tebunko.extract.source import Options, Source
from tebunko.extract.text.foreign import whole
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import PlaceKind, sheet
from tebunko.model.unit import Extraction, make_unit

_SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
_X = "{urn:schemas-microsoft-com:office:excel}"
_HEAD_BYTES = 4096
_BREAKS = re.compile("[\r\n]+")

_BUILT_IN_FORMATS = {
    "General Date": 22,
    "Short Date": 14,
    "Medium Date": 15,
    "Short Time": 20,
    "Medium Time": 18,
    "Long Time": 21,
    "Fixed": 2,
    "Standard": 4,
    "Percent": 10,
    "Scientific": 11,
    "Currency": 7,
}
_FORMATS = {
    "General": "General",
    "General Number": "General",
    "Long Date": "[$-F800]",
    "Euro Currency": "[$€-2] #,##0.00",
    "Yes/No": '"Yes";"Yes";"No"',
    "True/False": '"True";"True";"False"',
    "On/Off": '"On";"On";"Off"',
}


def read_excel_xml(source: Source, options: Options) -> Extraction:
    """The visible sheets of an XML Spreadsheet. Raises ExtractError: TOO_LARGE, DAMAGED."""
    data = whole(source)
    if b"<!DOCTYPE" in data[:_HEAD_BYTES] or b"<!ENTITY" in data[:_HEAD_BYTES]:
        raise ExtractError(Reason.DAMAGED, "XML with a document type")
    events = etree.iterparse(
        io.BytesIO(data),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    reading = _Reading(options.locale)
    try:
        for event, element in events:
            reading.start(element) if event == "start" else reading.end(element)
    except (etree.XMLSyntaxError, OutOfOrder) as error:
        if not reading.extraction.units:
            raise ExtractError(Reason.DAMAGED, error) from error
        reading.extraction.warnings.append(f"it is cut off or damaged after {len(reading.extraction.units)} units")
    return reading.extraction


@dataclass(slots=True)
class _Sheet:
    name: str
    text: SheetText = field(default_factory=SheetText)
    comments: list[str] = field(default_factory=list)
    hidden: bool = False
    row: int = 0
    column: int = 0
    cells: list[str] = field(default_factory=list)


class _Reading:
    def __init__(self, locale: str) -> None:
        self.extraction = Extraction()
        self._locale = locale
        self._date1904 = False
        self._codes: dict[str, str] = {}
        self._styles: dict[str, CellStyle] = {}
        self._sheet: _Sheet | None = None

    def start(self, element: etree._Element) -> None:
        tag = element.tag
        sheet_ = self._sheet
        if tag == _SS + "Worksheet":
            self._sheet = _Sheet(element.get(_SS + "Name", ""))
        elif sheet_ is None:
            return
        elif tag == _SS + "Row":
            sheet_.row = _index(element, sheet_.row + 1, LAST_ROW)
            sheet_.column = 0
            sheet_.cells = []
        elif tag == _SS + "Cell":
            sheet_.column = _index(element, sheet_.column + 1, LAST_COLUMN)

    def end(self, element: etree._Element) -> None:
        tag = element.tag
        sheet_ = self._sheet
        if tag == _SS + "Style":
            self._add_style(element)
        elif tag == _X + "Date1904":
            self._date1904 = True
        elif sheet_ is None:
            return
        elif tag == _SS + "Cell":
            self._end_cell(element, sheet_)
            sheet_.column += _number(element, "MergeAcross")
        elif tag == _SS + "Row":
            if any(sheet_.cells):
                sheet_.text.add_row(sheet_.row, sheet_.cells)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        elif tag == _X + "Visible":
            sheet_.hidden = (element.text or "").strip() in ("SheetHidden", "SheetVeryHidden")
        elif tag == _SS + "Worksheet":
            self._end_sheet(sheet_)

    def _end_sheet(self, sheet_: _Sheet) -> None:
        self._sheet = None
        if sheet_.hidden:
            return
        lines, values = sheet_.text.finish()
        units = (
            make_unit(sheet(sheet_.name), lines, values),
            make_unit(sheet(sheet_.name, PlaceKind.COMMENT), sheet_.comments),
        )
        self.extraction.units += [unit for unit in units if unit]

    def _add_style(self, element: etree._Element) -> None:
        code = element.find(_SS + "NumberFormat")
        parent = self._codes.get(element.get(_SS + "Parent", "Default"), "General")
        given = code.get(_SS + "Format") if code is not None else None
        self._codes[element.get(_SS + "ID", "")] = parent if given is None else self._code(given)

    def _code(self, name: str) -> str:
        number = _BUILT_IN_FORMATS.get(name)
        return built_in_code(number, self._locale) if number is not None else _FORMATS.get(name, name)

    def _style(self, name: str) -> CellStyle:
        code = self._codes.get(name, "General")
        if code not in self._styles:
            compiled = compile_format(code, self._locale, self._date1904)
            self._styles[code] = CellStyle(compiled, self._date1904)
        return self._styles[code]

    def _end_cell(self, element: etree._Element, sheet_: _Sheet) -> None:
        if sheet_.column > LAST_COLUMN or sheet_.row > LAST_ROW:
            return
        data = element.find(_SS + "Data")
        if data is not None:
            text = self._shown(data, element.get(_SS + "StyleID", "Default"), sheet_)
            if text:
                sheet_.cells += [""] * (sheet_.column - len(sheet_.cells))
                sheet_.cells[sheet_.column - 1] = text
        comment = element.find(f"{_SS}Comment/{_SS}Data")
        if comment is not None and (text := LINE_BREAK.join(_lines(comment))):
            sheet_.comments.append(f"{address(sheet_.row, sheet_.column)}\t{cell_text(text)}")

    def _shown(self, data: etree._Element, style_name: str, sheet_: _Sheet) -> str:
        """What a cell shows; a number that shows differently is kept among the sheet's values."""
        kind, stored = data.get(_SS + "Type", ""), "".join(data.itertext())
        if kind == "Boolean":
            return "TRUE" if stored.strip() == "1" else "FALSE"
        style = self._style(style_name)
        if kind == "DateTime":
            serial = iso_serial(stored, date1904=self._date1904)
            if serial is None:
                return cell_text(stored)
            text, raw, is_date = style.number(serial)
        elif kind == "Number":
            text, raw, is_date = style[stored.strip()]
        else:
            return cell_text(style.text(stored) if style.text else stored)
        if raw is not None:
            sheet_.text.values.append(sheet_.row, sheet_.column, raw, is_date)
        return text


def _lines(element: etree._Element) -> list[str]:
    return [line.strip() for line in _BREAKS.split("".join(element.itertext())) if line.strip()]


def _number(element: etree._Element, attribute: str) -> int:
    text = element.get(_SS + attribute, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0


def _index(element: etree._Element, following: int, last: int) -> int:
    """The position that an element says it has, else the one after its forerunner; past the last if it is none."""
    return min(_number(element, "Index") or following, last + 1)
