"""Reads .ppt (PowerPoint 97-2003)."""

from __future__ import annotations

import ppt2pptx  # type: ignore[import-untyped]

from tebunko.extract.compound import CompoundFile
from tebunko.extract.embedded import EmbeddedReader, embedded_unit, is_office_object
from tebunko.extract.legacy import read_converted
from tebunko.extract.powerpoint.ppt_objects import embedded_objects
from tebunko.extract.powerpoint.ppt_records import Repeated, repeated_texts
from tebunko.extract.powerpoint.pptx import read_converted_pptx
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError
from tebunko.model.place import HEADER_FOOTER, PlaceKey, PlaceKind, part, slide
from tebunko.model.unit import Extraction, Unit, make_unit

_STREAM = "powerpoint document"
_SLIDE_TEXTS = frozenset({PlaceKind.BODY, PlaceKind.NOTES})


def read_ppt(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .ppt to the places of a .pptx (see `read_pptx`).

    Raises ExtractError as `read_converted` does.
    """
    del options
    stream = presentation_stream(source)
    extraction = gathered(read_converted(source, ".ppt", ppt2pptx.convert, read_converted_pptx), repeated_texts(stream))
    if read_embedded is not None:
        _add_embedded(extraction, stream, read_embedded)
    return extraction


def presentation_stream(source: Source) -> bytes:
    """The stream of a .ppt that holds its records, as far as it can be read; empty if there is none."""
    try:
        with CompoundFile(source) as compound:
            entry = compound.root_entries.get(_STREAM)
            return b"" if entry is None else compound.head(entry, entry.size)
    except ExtractError:
        return b""


def _add_embedded(extraction: Extraction, stream: bytes, reader: EmbeddedReader) -> None:
    """Adds the Office files among the presentation's OLE objects; other objects take no number."""
    hidden = {unit.place.number for unit in extraction.units if unit.place.hidden}
    files = ((number, data) for number, data in embedded_objects(stream) if is_office_object(data))
    for embed, (number, data) in enumerate(files, start=1):
        place = slide(number, PlaceKind.EMBEDDED, hidden=number in hidden, embed=embed)
        unit = embedded_unit(place, f"object {embed}", data, reader, extraction.warnings)
        if unit is not None:
            extraction.units.append(unit)


def gathered(extraction: Extraction, repeated: Repeated) -> Extraction:
    """The extraction with what the converter copied onto every slide taken out and gathered once (extraction.md section 4).

    The converter puts the texts of the master first on a slide, its footer last; the notes' header and footer
    stand among the notes. A slide that says the same in its own words as well keeps that.
    """
    taken: dict[str, None] = {}
    units: list[Unit] = []
    for unit in extraction.units:
        if unit.place.key is PlaceKey.SLIDE and unit.place.target in _SLIDE_TEXTS:
            kept = _without(unit.lines, repeated.master, taken) if unit.place.target is PlaceKind.BODY else unit.lines
            kept = _without(kept[::-1], repeated.footers, taken)[::-1]
            left = make_unit(unit.place, kept)
            if left is not None:
                units.append(left)
        else:
            units.append(unit)
    footers = [unit for unit in units if unit.place == part(HEADER_FOOTER)]
    taken.update(dict.fromkeys(line for unit in footers for line in unit.lines))
    gathered_unit = make_unit(part(HEADER_FOOTER), list(taken))
    units = [unit for unit in units if unit not in footers] + ([gathered_unit] if gathered_unit else [])
    return Extraction(units, extraction.warnings)


def _without(lines: list[str], repeated: list[str], taken: dict[str, None]) -> list[str]:
    """The lines without the first occurrence of each repeated one, which goes to ``taken``."""
    kept = list(lines)
    for line in repeated:
        if line in kept:
            kept.remove(line)
            taken[line] = None
    return kept
