"""Old workbooks (``.xls``, BIFF 2 to 8) as units, through `xlrd`: cells as Excel shows them, notes, header and footer."""

from __future__ import annotations

import io

import xlrd  # type: ignore[import-untyped]

from tebunko.extract.excel.biff import (
    CHART_SHEET,
    NAMES,
    NOTES,
    WORKSHEET,
    SheetRecord,
    read_header_footer,
    sheet_records,
    without,
    workbook_stream,
)
from tebunko.extract.excel.cells import cell_text
from tebunko.extract.excel.objects import object_lines
from tebunko.extract.excel.sheet_text import SheetText
from tebunko.extract.excel.styles import Styles
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import PlaceKind, sheet
from tebunko.model.unit import Extraction, RawValues, make_unit

_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5

_BIFF5, _BIFF8 = 50, 80
_LONGEST_NAME = 31


def read_xls(source: Source, options: Options) -> Extraction:
    """Reads an old workbook: per visible sheet its cells, notes, header and footer.

    A sheet that cannot be read becomes a warning. Raises ExtractError: PASSWORD, DAMAGED if nothing can be read,
    TOO_LARGE.
    """
    return _Reader(source, options).read()


# With styles first; a workbook that does not name its code page is most likely Japanese, and Latin-1 reads anything.
_ATTEMPTS = ((None, True), ("cp932", True), ("latin-1", True), (None, False), ("latin-1", False))


def _open(stream: bytes) -> xlrd.Book:
    """The workbook of a stream, its sheets not yet read; without its styles if those are damaged. Raises ExtractError."""
    first: Exception | None = None
    for encoding, styles in _ATTEMPTS:
        try:
            book = xlrd.open_workbook(
                logfile=io.StringIO(),
                file_contents=stream,
                encoding_override=encoding,
                formatting_info=styles,
                on_demand=True,
                ragged_rows=True,
            )
        except MemoryError:
            raise
        except Exception as error:  # a parser of untrusted bytes fails in every way there is
            if isinstance(error, xlrd.XLRDError) and "encrypted" in str(error).lower():
                raise ExtractError(Reason.PASSWORD) from error
            first = first or error
            continue
        if encoding or book.codepage or book.biff_version >= _BIFF8:
            return book
    raise ExtractError(Reason.DAMAGED, f"{type(first).__name__}: {first}") from first


class _Reader:
    """One workbook being read."""

    def __init__(self, source: Source, options: Options) -> None:
        self._result = Extraction()
        # Names are formulas, which no cell needs and the library stumbles over.
        self._stream = without(workbook_stream(source), NAMES)
        self._book = _open(self._stream)
        self._with_notes = True
        self._encoding = self._book.encoding or "latin-1"
        self._one_sheet_name = source.stem[:_LONGEST_NAME]
        self._styled = bool(self._book.formatting_info)
        if not self._styled:
            self._warn("the cell styles are damaged: numbers are shown without their formats")
        ids = [xf.format_key for xf in self._book.xf_list] if self._styled else []
        codes = {known.format_key: known.format_str or "" for known in self._book.format_list}
        self._styles = Styles(ids, codes, options.locale, date1904=self._book.datemode == 1)

    def read(self) -> Extraction:
        readable = 0
        errors: list[ExtractError] = []
        index = -1
        for record in self._sheets():
            index += record.kind == WORKSHEET
            if not record.visible:
                continue
            try:
                self._sheet(record, index)
                readable += 1
            except ExtractError as error:
                if error.reason is Reason.TOO_LARGE:
                    raise
                errors.append(error)
                self._warn(f"{record.name}: {error.detail}")
        if errors and not readable:
            raise errors[0]
        if self._styles.failures:
            self._warn(f"{self._styles.failures} numbers are shown as they are stored: their format cannot be applied")
        return self._result

    def _sheets(self) -> list[SheetRecord]:
        """All sheets in the order of their tabs; those of `xlrd` alone where the list of sheets cannot be read."""
        book = self._book
        names: list[str] = book.sheet_names()
        if book.biff_version < _BIFF5:
            if len(names) == 1:
                names = [self._one_sheet_name]
            return [SheetRecord(name, book.base, True, WORKSHEET) for name in names]
        found = sheet_records(self._stream, book.base, book.biff_version, self._encoding)
        if [record.name for record in found if record.kind == WORKSHEET] != names:
            return [SheetRecord(name, -1, not book._sheet_visibility[i], WORKSHEET) for i, name in enumerate(names)]
        return found

    def _sheet(self, record: SheetRecord, index: int) -> None:
        if record.kind == WORKSHEET:
            self._cells(record.name, index)
        if record.kind in (WORKSHEET, CHART_SHEET) and record.position >= 0:
            found = read_header_footer(self._stream, record.position, self._book.biff_version, self._encoding)
            self._add(record.name, PlaceKind.HEADER_FOOTER, found.lines())

    def _cells(self, name: str, index: int) -> None:
        found = self._load(name, index)
        text = SheetText()
        for row in range(found.nrows):
            self._row(found, row, text)
        lines, values = text.finish()
        self._add(name, PlaceKind.BODY, lines, values)
        notes = [(row + 1, column + 1, note.text or "") for (row, column), note in found.cell_note_map.items()]
        self._add(name, PlaceKind.COMMENT, object_lines(notes))
        self._book.unload_sheet(index)

    def _load(self, name: str, index: int) -> xlrd.sheet.Sheet:
        """A sheet of the library; a second time without notes, for the sake of the cells. Raises ExtractError."""
        try:
            return self._book.sheet_by_index(index)
        except MemoryError:
            raise
        except Exception as error:  # a parser of untrusted bytes fails in every way there is
            if self._with_notes:
                self._with_notes = False
                self._book = _open(without(self._stream, NOTES))
                found = self._load(name, index)
                self._warn(f"{name}: read without its notes, which are damaged")
                return found
            raise ExtractError(Reason.DAMAGED, f"{type(error).__name__}: {error}") from error

    def _row(self, found: xlrd.sheet.Sheet, row: int, text: SheetText) -> None:
        cells: list[str] = []
        for column, (kind, value) in enumerate(zip(found.row_types(row), found.row_values(row), strict=True)):
            if kind in (_NUMBER, _DATE):
                style = self._styles[found.cell_xf_index(row, column) if self._styled else -1]
                shown, raw, is_date = style.number(float(value))
                if raw is not None:
                    text.values.append(row + 1, column + 1, raw, is_date)
            elif kind == _TEXT:
                style = self._styles[found.cell_xf_index(row, column) if self._styled else -1]
                shown = cell_text(style.text(value) if style.text else value)
            elif kind == _BOOLEAN:
                shown = "TRUE" if value else "FALSE"
            elif kind == _ERROR:
                shown = xlrd.error_text_from_code.get(value, "#N/A")
            else:
                continue
            cells.extend([""] * (column - len(cells)))
            cells.append(shown)
        if cells:
            text.add_row(row + 1, cells)

    def _add(self, name: str, kind: PlaceKind, lines: list[str], values: RawValues | None = None) -> None:
        unit = make_unit(sheet(name, kind), lines, values)
        if unit is not None:
            self._result.units.append(unit)

    def _warn(self, sentence: str) -> None:
        self._result.warnings.append(sentence)
