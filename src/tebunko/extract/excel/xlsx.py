"""Workbooks in Office Open XML (``.xlsx``, ``.xlsm``) as units: the visible sheets, in the order of their tabs."""

from __future__ import annotations

from tebunko.extract.excel.header_footer import HeaderFooter
from tebunko.extract.excel.objects import comments, object_lines, shapes
from tebunko.extract.excel.shared_strings import SharedStrings, read_shared_strings
from tebunko.extract.excel.sheet_xml import read_sheet
from tebunko.extract.excel.styles import Styles, read_styles
from tebunko.extract.excel.workbook import SheetEntry, Workbook, read_workbook
from tebunko.extract.package import Package
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import PlaceKind, sheet
from tebunko.model.unit import Extraction, make_unit

_CELLS = frozenset({"worksheet", "xlMacrosheet", "xlIntlMacrosheet"})


def read_xlsx(source: Source, options: Options) -> Extraction:
    """Reads a workbook: per visible sheet its cells, shapes, comments, header and footer (extraction.md section 1).

    A part that cannot be read becomes a warning. Raises ExtractError: DAMAGED if no sheet can be read, TOO_LARGE.
    """
    with Package(source) as package:
        return _Reader(package, read_workbook(package), options).read()


class _Reader:
    """One workbook being read."""

    def __init__(self, package: Package, workbook: Workbook, options: Options) -> None:
        self._package = package
        self._workbook = workbook
        self._result = Extraction()
        self._readable = 0
        self._styles = self._read_styles(options)
        self._strings = self._read_strings()

    def read(self) -> Extraction:
        entries = [entry for entry in self._workbook.sheets if entry.visible]
        errors: list[ExtractError] = []
        for entry in entries:
            try:
                self._sheet(entry)
                self._readable += 1
            except ExtractError as error:
                if error.reason is Reason.TOO_LARGE:
                    raise
                errors.append(error)
                self._warn(f"{entry.name}: {error.detail}")
        if errors and not self._readable:
            raise errors[0]
        if self._styles.failures:
            self._warn(f"{self._styles.failures} numbers are shown as they are stored: their format cannot be applied")
        return self._result

    def _read_styles(self, options: Options) -> Styles:
        date1904 = self._workbook.date1904
        for relationship in self._package.related(self._workbook.part, "styles"):
            try:
                return read_styles(self._package.xml(relationship.target), options.locale, date1904=date1904)
            except ExtractError as error:
                self._warn(f"{relationship.target}: {error.detail}")
        return Styles([], {}, options.locale, date1904=date1904)

    def _read_strings(self) -> SharedStrings:
        for relationship in self._package.related(self._workbook.part, "sharedStrings"):
            try:
                return read_shared_strings(self._package, relationship.target)
            except ExtractError as error:
                if error.reason is Reason.TOO_LARGE:
                    raise
                self._warn(f"{relationship.target}: {error.detail}")
        return SharedStrings()

    def _sheet(self, entry: SheetEntry) -> None:
        if not entry.part or entry.part not in self._package:
            raise ExtractError(Reason.DAMAGED, "its part is missing")
        header_footer = self._cells(entry) if entry.kind in _CELLS else self._without_cells(entry)
        warnings = self._result.warnings
        self._add(entry.name, PlaceKind.SHAPE, object_lines(shapes(self._package, entry.part, warnings)))
        self._add(entry.name, PlaceKind.COMMENT, object_lines(comments(self._package, entry.part, warnings)))
        self._add(entry.name, PlaceKind.HEADER_FOOTER, header_footer.lines())

    def _without_cells(self, entry: SheetEntry) -> HeaderFooter:
        """A chart sheet or dialog sheet: it has a header and footer, and a drawing."""
        header_footer = HeaderFooter()
        for element in self._package.xml(entry.part).iterchildren("{*}headerFooter"):
            header_footer.take(element)
        return header_footer

    def _cells(self, entry: SheetEntry) -> HeaderFooter:
        found = read_sheet(self._package, entry.part, self._strings, self._styles)
        if found.damage:
            self._warn(f"{entry.name}: read in part only: {found.damage}")
        if found.lost:
            self._warn(f"{entry.name}: {found.lost} cells refer to nothing")
        unit = make_unit(sheet(entry.name), found.lines, found.values)
        if unit is not None:
            self._result.units.append(unit)
        return found.header_footer

    def _add(self, name: str, kind: PlaceKind, lines: list[str]) -> None:
        unit = make_unit(sheet(name, kind), lines)
        if unit is not None:
            self._result.units.append(unit)

    def _warn(self, sentence: str) -> None:
        self._result.warnings.append(sentence)
