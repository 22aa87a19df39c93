"""The workbook part: which sheets there are, where they lie, and the date system (ECMA-376 part 1, 18.2)."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from tebunko.extract.package import Package
from tebunko.model.errors import ExtractError, Reason

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_USUAL_PART = "xl/workbook.xml"


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet of the workbook: its name, its part ("" if that cannot be found), and the type of its relationship.

    ``kind`` is ``worksheet``, ``chartsheet``, ``dialogsheet`` or ``xlMacrosheet``.
    """

    name: str
    part: str
    kind: str
    visible: bool


@dataclass(frozen=True, slots=True)
class Workbook:
    """What the workbook part says; ``part`` is its own name."""

    part: str
    sheets: list[SheetEntry]
    date1904: bool


def workbook_part(package: Package) -> str:
    """The name of the workbook part, by the package's relationship or else its usual name. Raises ExtractError."""
    part = package.main_part()
    if part is None and _USUAL_PART in package:
        part = _USUAL_PART
    if part is None:
        raise ExtractError(Reason.DAMAGED, "no workbook in the package")
    return part


def read_workbook(package: Package) -> Workbook:
    """Reads the workbook part; sheets in the order of their tabs. Raises ExtractError."""
    part = workbook_part(package)
    root = package.xml(part)
    if etree.QName(root).localname != "workbook":
        raise ExtractError(Reason.DAMAGED, "not a workbook")
    relationships = package.relationships(part)
    sheets: list[SheetEntry] = []
    date1904 = False
    for element in root.iter(tag=etree.Element):
        name = etree.QName(element).localname
        if name == "workbookPr":
            date1904 = element.get("date1904", "") in ("1", "true", "on")
        elif name == "sheet" and element.get("sheetId") is not None:
            relationship = relationships.get(element.get(_R + "id", ""))
            sheets.append(
                SheetEntry(
                    element.get("name", ""),
                    relationship.target if relationship and not relationship.external else "",
                    relationship.type if relationship else "",
                    element.get("state", "visible") == "visible",
                )
            )
    return Workbook(part, sheets, date1904)
