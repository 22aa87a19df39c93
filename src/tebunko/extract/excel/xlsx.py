"""Workbooks in Office Open XML (``.xlsx``, ``.xlsm``) as units: the visible sheets, in the order of their tabs."""

from __future__ import annotations

from tebunko.extract.excel.header_footer import HeaderFooter
from tebunko.extract.excel.objects import Placed, notes_of
from tebunko.extract.excel.ooxml import Sheet, read_workbook_package
from tebunko.extract.excel.shared_strings import SharedStrings, read_shared_strings
from tebunko.extract.excel.sheet_xml import read_sheet
from tebunko.extract.excel.styles import Styles, read_styles
from tebunko.extract.excel.workbook import Workbook, read_workbook
from tebunko.extract.package import Package
from tebunko.extract.source import Options, Source
from tebunko.model.unit import Extraction


def read_xlsx(source: Source, options: Options) -> Extraction:
    """Reads a workbook: per visible sheet its cells, shapes, comments, header and footer (extraction.md section 1).

    A part that cannot be read becomes a warning. Raises ExtractError: DAMAGED if no sheet can be read, TOO_LARGE.
    """
    return read_workbook_package(source, options, _XmlParts())


class _XmlParts:
    """The parts of a workbook in XML."""

    def workbook(self, package: Package) -> Workbook:
        return read_workbook(package)

    def styles(self, package: Package, part: str, locale: str, *, date1904: bool) -> Styles:
        return read_styles(package.xml(part), locale, date1904=date1904)

    def strings(self, package: Package, part: str) -> SharedStrings:
        return read_shared_strings(package, part)

    def sheet(self, package: Package, part: str, strings: SharedStrings, styles: Styles) -> Sheet:
        return read_sheet(package, part, strings, styles)

    def header_footer(self, package: Package, part: str) -> HeaderFooter:
        found = HeaderFooter()
        for element in package.xml(part).iterchildren("{*}headerFooter"):
            found.take(element)
        return found

    def notes(self, package: Package, part: str) -> list[Placed]:
        return notes_of(package, part)
