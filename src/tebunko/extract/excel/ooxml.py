"""The way through a workbook package that XML (``.xlsx``) and binary parts (``.xlsb``) share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tebunko.extract.excel.header_footer import HeaderFooter
from tebunko.extract.excel.objects import Placed, comments, object_lines, shapes
from tebunko.extract.excel.shared_strings import SharedStrings
from tebunko.extract.excel.styles import Styles
from tebunko.extract.excel.workbook import SheetEntry, Workbook
from tebunko.extract.package import Package
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import PlaceKind, sheet
from tebunko.model.unit import Extraction, RawValues, make_unit

_CELLS = frozenset({"worksheet", "xlMacrosheet", "xlIntlMacrosheet"})


@dataclass(slots=True)
class Sheet:
    """What a worksheet part holds; ``damage`` says what stopped the reading before its end, "" if nothing did.

    ``lost`` counts cells that point outside of the sheet or to a string that is not there.
    """

    lines: list[str]
    values: RawValues
    header_footer: HeaderFooter
    damage: str = ""
    lost: int = 0


class Parts(Protocol):
    """How the parts of a workbook are written. Each function takes the name of its part and raises ExtractError."""

    def workbook(self, package: Package) -> Workbook:
        """The workbook part."""

    def styles(self, package: Package, part: str, locale: str, *, date1904: bool) -> Styles:
        """The cell styles, in a display locale."""

    def strings(self, package: Package, part: str) -> SharedStrings:
        """The shared strings."""

    def sheet(self, package: Package, part: str, strings: SharedStrings, styles: Styles) -> Sheet:
        """A worksheet; what stands before a damage is kept."""

    def header_footer(self, package: Package, part: str) -> HeaderFooter:
        """The header and footer of a sheet without cells."""

    def notes(self, package: Package, part: str) -> list[Placed]:
        """The notes of a comments part."""


def read_workbook_package(source: Source, options: Options, parts: Parts) -> Extraction:
    """Reads a workbook: per visible sheet its cells, shapes, comments, header and footer (extraction.md section 1).

    A part that cannot be read becomes a warning. Raises ExtractError: DAMAGED if no sheet can be read, TOO_LARGE.
    """
    with Package(source) as package:
        return _Reader(package, parts, options).read()


class _Reader:
    """One workbook being read."""

    def __init__(self, package: Package, parts: Parts, options: Options) -> None:
        self._package = package
        self._parts = parts
        self._workbook = parts.workbook(package)
        self._result = Extraction()
        self._styles = self._read_styles(options)
        self._strings = self._read_strings()

    def read(self) -> Extraction:
        readable = 0
        errors: list[ExtractError] = []
        for entry in self._workbook.sheets:
            if not entry.visible:
                continue
            try:
                self._sheet(entry)
                readable += 1
            except ExtractError as error:
                if error.reason is Reason.TOO_LARGE:
                    raise
                errors.append(error)
                self._warn(f"{entry.name}: {error.detail}")
        if errors and not readable:
            raise errors[0]
        if self._styles.failures:
            self._warn(f"{self._styles.failures} numbers are shown as they are stored: their format cannot be applied")
        return self._result

    def _read_styles(self, options: Options) -> Styles:
        date1904 = self._workbook.date1904
        for relationship in self._package.related(self._workbook.part, "styles"):
            try:
                return self._parts.styles(self._package, relationship.target, options.locale, date1904=date1904)
            except ExtractError as error:
                self._warn(f"{relationship.target}: {error.detail}")
        return Styles([], {}, options.locale, date1904=date1904)

    def _read_strings(self) -> SharedStrings:
        for relationship in self._package.related(self._workbook.part, "sharedStrings"):
            try:
                return self._parts.strings(self._package, relationship.target)
            except ExtractError as error:
                if error.reason is Reason.TOO_LARGE:
                    raise
                self._warn(f"{relationship.target}: {error.detail}")
        return SharedStrings()

    def _sheet(self, entry: SheetEntry) -> None:
        if not entry.part or entry.part not in self._package:
            raise ExtractError(Reason.DAMAGED, "its part is missing")
        package, part, warnings = self._package, entry.part, self._result.warnings
        header_footer = self._cells(entry) if entry.kind in _CELLS else self._parts.header_footer(package, part)
        self._add(entry.name, PlaceKind.SHAPE, object_lines(shapes(package, part, warnings)))
        self._add(entry.name, PlaceKind.COMMENT, object_lines(comments(package, part, self._parts.notes, warnings)))
        self._add(entry.name, PlaceKind.HEADER_FOOTER, header_footer.lines())

    def _cells(self, entry: SheetEntry) -> HeaderFooter:
        found = self._parts.sheet(self._package, entry.part, self._strings, self._styles)
        if found.damage:
            self._warn(f"{entry.name}: read in part only: {found.damage}")
        if found.lost:
            self._warn(f"{entry.name}: {found.lost} cells refer to nothing")
        self._add(entry.name, PlaceKind.BODY, found.lines, found.values)
        return found.header_footer

    def _add(self, name: str, kind: PlaceKind, lines: list[str], values: RawValues | None = None) -> None:
        unit = make_unit(sheet(name, kind), lines, values)
        if unit is not None:
            self._result.units.append(unit)

    def _warn(self, sentence: str) -> None:
        self._result.warnings.append(sentence)
