"""Office files embedded in a document or a slide, read one level deep (extraction.md section 4).

The reader of an embedded file is handed in by whoever knows all readers, so that this room has no circle: it decides
by content and reads nothing embedded in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tebunko.extract.compound import SIGNATURE, CompoundFile
from tebunko.extract.package import Package
from tebunko.extract.source import source_of
from tebunko.model.errors import ExtractError
from tebunko.model.place import Place, PlaceKey, PlaceKind
from tebunko.model.unit import Extraction, Unit, make_unit

EmbeddedReader = Callable[[str, bytes], Extraction]
"""Reads an embedded file from its part's name and bytes; raises ExtractError if it is none that can be read."""

EmbeddedTarget = Callable[[Package, str, str], str | None]
"""The part of the embedded file that a part's relationship names: `package_target` or `object_target`."""

_PACKAGE_STREAM = "package"
_OFFICE_STREAMS = frozenset({"workbook", "book", "worddocument", "powerpoint document", _PACKAGE_STREAM})
_GRAPH_VERSION = b"\x80\x06"
"""The version in the first record (BOF) of a chart of Microsoft Graph ([MS-OGRAPH] 2.3.4)."""

_BODY_KEYS = frozenset({PlaceKey.SHEET, PlaceKey.PAGE, PlaceKey.SLIDE})


def package_target(package: Package, owner: str, relationship_id: str) -> str | None:
    """The part of the embedded Office file that a relationship of the part ``owner`` names, None if it names none."""
    relationship = package.relationships(owner).get(relationship_id)
    if relationship is None or relationship.external or relationship.type != "package":
        return None
    return relationship.target


def object_target(package: Package, owner: str, relationship_id: str) -> str | None:
    """Like `package_target`, in what an old file was converted to: there an embedded Office file is an OLE object.

    Objects of other programs (equations, pictures) are None, so that they take no number.
    """
    relationship = package.relationships(owner).get(relationship_id)
    if relationship is None or relationship.external or relationship.type != "oleObject":
        return package_target(package, owner, relationship_id)
    try:
        is_office = is_office_object(package.read(relationship.target))
    except ExtractError:
        return None
    return relationship.target if is_office else None


def is_office_object(data: bytes) -> bool:
    """True for the compound file of an OLE object that is, or holds, an Office file.

    A chart of Microsoft Graph also has a stream ``Workbook``, which says at its beginning that it is none.
    """
    if not data.startswith(SIGNATURE):
        return False
    with CompoundFile(source_of("object", data)) as compound:
        entries = compound.root_entries
        workbook = entries.get("workbook")
        if workbook is not None and compound.head(workbook, 6)[4:] == _GRAPH_VERSION:
            return False
        return not _OFFICE_STREAMS.isdisjoint(entries)


def unwrapped(data: bytes) -> bytes:
    """The Office file of 2007 and later that an OLE object holds in its stream ``Package``; other data as they are."""
    if not data.startswith(SIGNATURE):
        return data
    with CompoundFile(source_of("object", data)) as compound:
        entry = compound.root_entries.get(_PACKAGE_STREAM)
        return data if entry is None else compound.head(entry, entry.size)


def embedded_units(
    package: Package,
    references: Iterable[tuple[str, Callable[[int], Place]]],
    reader: EmbeddedReader,
    warnings: list[str],
) -> list[Unit]:
    """The text of the embedded files of a package, one unit each.

    ``references`` are the parts in order of reference, each with what makes the place of its number (from 1). A part
    that is referred to again is the same file and counts once. One that cannot be read leaves a gap in the numbers
    and a sentence in ``warnings``; one without text leaves a gap.
    """
    places: dict[str, Callable[[int], Place]] = {}
    for part, place in references:
        places.setdefault(part, place)
    units = []
    for number, (part, place) in enumerate(places.items(), start=1):
        try:
            data = package.read(part)
        except ExtractError as error:
            warnings.append(f"{part}: {error}")
            continue
        unit = embedded_unit(place(number), part, data, reader, warnings)
        if unit is not None:
            units.append(unit)
    return units


def embedded_unit(place: Place, part: str, data: bytes, reader: EmbeddedReader, warnings: list[str]) -> Unit | None:
    """The unit of one embedded file; None if it shows nothing, or cannot be read, which goes to ``warnings``."""
    try:
        extraction = reader(part.rpartition("/")[2], unwrapped(data))
    except ExtractError as error:
        warnings.append(f"{part}: {error}")
        return None
    warnings.extend(f"{part}: {warning}" for warning in extraction.warnings)
    return make_unit(place, body_lines(extraction))


def body_lines(extraction: Extraction) -> list[str]:
    """The lines of a file's sheets, pages or slides, in the order in which they were read.

    Of a sheet each row that shows something becomes its cells that do, tab-separated: where they stand is not kept.
    """
    lines: list[str] = []
    for unit in extraction.units:
        place = unit.place
        if place.key not in _BODY_KEYS or place.target is not PlaceKind.BODY:
            continue
        if place.is_cells:
            rows = ("\t".join(filter(None, line.split("\t"))) for line in unit.lines)
            lines.extend(row for row in rows if row)
        else:
            lines.extend(unit.lines)
    return lines
