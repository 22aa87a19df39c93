"""What lies over the cells of a sheet: shapes, charts and SmartArt of its drawings, notes and threaded comments.

Each line is ``<cell address> TAB <text>``, ordered by row, then column (extraction.md section 2).
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from tebunko.extract.drawing import graphic_lines, read_part, shape_paragraphs
from tebunko.extract.excel.cells import LAST_COLUMN, LAST_ROW, address, cell_text, parse_address, unescape
from tebunko.extract.package import Package
from tebunko.model.errors import ExtractError, Reason

_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_ANCHORS = (_XDR + "twoCellAnchor", _XDR + "oneCellAnchor", _XDR + "absoluteAnchor")

Placed = tuple[int, int, str]
"""Row and column of a cell, from 1, and the text at it, its paragraphs on lines of their own."""


def object_lines(found: list[Placed]) -> list[str]:
    r"""The lines of shapes or comments; what shows nothing is left out.

    >>> object_lines([(2, 1, "b"), (1, 3, "x\ny"), (1, 1, " ")])
    ['C1\t"x\u2028y"', 'A2\tb']
    """
    ordered = sorted(found, key=lambda placed: placed[:2])
    texts = ((row, column, text.strip()) for row, column, text in ordered)
    return [f"{address(row, column)}\t{cell_text(text)}" for row, column, text in texts if text]


def shapes(package: Package, part: str, warnings: list[str]) -> list[Placed]:
    """The shapes, charts and SmartArt of the drawings of a sheet; a group is one text.

    A drawing, chart or SmartArt that cannot be read gets a sentence in ``warnings``. Raises ExtractError(TOO_LARGE).
    """
    found: list[Placed] = []
    for relationship in package.related(part, "drawing"):
        try:
            root = read_part(package, relationship.target)
        except ExtractError as error:
            _warn(warnings, relationship.target, error)
            continue
        for anchor in root.iter(*_ANCHORS):
            row, column = _corner(anchor)
            paragraphs = shape_paragraphs(anchor, "\n")
            if paragraphs:
                found.append((row, column, "\n".join(paragraphs)))
            for lines in graphic_lines(package, relationship.target, anchor, warnings):
                found.append((row, column, "\n".join(lines)))
    return found


def _corner(anchor: etree._Element) -> tuple[int, int]:
    """The cell of an anchor's upper left corner; A1 for one that is tied to no cell."""
    start = anchor.find(_XDR + "from")
    if start is None:
        return 1, 1
    row, column = (_whole(start.findtext(_XDR + name)) for name in ("row", "col"))
    return min(row + 1, LAST_ROW), min(column + 1, LAST_COLUMN)


def _whole(text: str | None) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def comments(
    package: Package, part: str, read_notes: Callable[[Package, str], list[Placed]], warnings: list[str]
) -> list[Placed]:
    """The comments of a sheet: its threads, each comment and reply by itself, and the notes of all other cells.

    ``read_notes`` reads a part of notes. A part that cannot be read gets a sentence in ``warnings``. Raises
    ExtractError(TOO_LARGE).
    """
    threads = _comments_of(package, part, "threadedComment", notes_of, warnings)
    threaded = {placed[:2] for placed in threads}
    notes = _comments_of(package, part, "comments", read_notes, warnings)
    return threads + [note for note in notes if note[:2] not in threaded]


def _comments_of(
    package: Package,
    part: str,
    kind: str,
    read: Callable[[Package, str], list[Placed]],
    warnings: list[str],
) -> list[Placed]:
    found: list[Placed] = []
    for relationship in package.related(part, kind):
        try:
            found += read(package, relationship.target)
        except ExtractError as error:
            _warn(warnings, relationship.target, error)
    return found


def notes_of(package: Package, part: str) -> list[Placed]:
    """The notes or threaded comments of a part in XML. Raises ExtractError."""
    found: list[Placed] = []
    for element in package.xml(part).iter("{*}comment", "{*}threadedComment"):
        row, column = parse_address(element.get("ref", "")) or (1, 1)
        found.append((row, column, unescape(_note_text(element))))
    return found


def _note_text(comment: etree._Element) -> str:
    """The text of a note, runs joined and phonetic text left out, or of a threaded comment."""
    pieces: list[str] = []
    for element in comment.iter("{*}t", "{*}text"):
        parent = element.getparent()
        if element.text and (parent is None or etree.QName(parent).localname != "rPh"):
            pieces.append(element.text)
    return "".join(pieces).strip()


def _warn(warnings: list[str], part: str, error: ExtractError) -> None:
    if error.reason is Reason.TOO_LARGE:
        raise error
    warnings.append(f"{part}: {error.detail}")
