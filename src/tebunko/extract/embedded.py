"""Office files embedded in a document or a slide, read one level deep (extraction.md section 4).

The reader of an embedded file is handed in by whoever knows all readers, so that this room has no circle: it decides
by content and reads nothing embedded in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tebunko.extract.package import Package
from tebunko.model.errors import ExtractError
from tebunko.model.place import Place, PlaceKey, PlaceKind
from tebunko.model.unit import Extraction, Unit, make_unit

EmbeddedReader = Callable[[str, bytes], Extraction]
"""Reads an embedded file from its part's name and bytes; raises ExtractError if it is none that can be read."""

_BODY_KEYS = frozenset({PlaceKey.SHEET, PlaceKey.PAGE, PlaceKey.SLIDE})


def package_target(package: Package, owner: str, relationship_id: str) -> str | None:
    """The part of the embedded Office file that a relationship of the part ``owner`` names, None if it names none."""
    relationship = package.relationships(owner).get(relationship_id)
    if relationship is None or relationship.external or relationship.type != "package":
        return None
    return relationship.target


def embedded_units(
    package: Package,
    references: Iterable[tuple[str, Callable[[int], Place]]],
    reader: EmbeddedReader,
    warnings: list[str],
) -> list[Unit]:
    """The text of embedded files, one unit each.

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
            extraction = reader(part.rpartition("/")[2], package.read(part))
        except ExtractError as error:
            warnings.append(f"{part}: {error}")
            continue
        warnings.extend(f"{part}: {warning}" for warning in extraction.warnings)
        unit = make_unit(place(number), body_lines(extraction))
        if unit is not None:
            units.append(unit)
    return units


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
