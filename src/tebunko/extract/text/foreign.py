"""What readers of text and markup under an Office file name share: decoding, limits, and the one place it becomes.

Under an Excel name it is one sheet named as the file, under any other ページ001 (facts.md, 種類).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tebunko.extract.source import Source
from tebunko.extract.text.encoding import decode_text
from tebunko.extract.text.rows import Row, page_lines, sheet_lines
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.place import page, sheet
from tebunko.model.unit import Extraction, make_unit

MARKUP_LIMIT = 64 * 1024 * 1024
"""A file of markup over this many bytes is refused: it is held as a whole, several times over."""

SHEET_NAME_LENGTH = 31


def whole(source: Source) -> bytes:
    """All bytes of a file of markup. Raises ExtractError(TOO_LARGE) over `MARKUP_LIMIT`."""
    if source.size > MARKUP_LIMIT:
        raise ExtractError(Reason.TOO_LARGE, f"{source.size:,} bytes of markup; the limit is {MARKUP_LIMIT:,}")
    return source.read()


def decoded(data: bytes, decode: Callable[[bytes], str] = decode_text) -> str:
    """The text of a file that should have been an Office file. Raises ExtractError(DAMAGED) if it is no text either."""
    try:
        return decode(data)
    except ExtractError as error:
        raise ExtractError(Reason.DAMAGED, f"no Office file, and no text: {error.detail}") from error


def is_workbook_name(source: Source) -> bool:
    """True if the file has an Excel name."""
    return kind_of(source.name) is FileKind.EXCEL


def sheet_name(source: Source) -> str:
    """The name of the only sheet of a workbook that has no sheets of its own."""
    return source.stem[:SHEET_NAME_LENGTH]


def extraction_of(source: Source, rows: Iterable[Row]) -> Extraction:
    """The rows as the one unit that the file's name asks for; no unit if nothing in them shows."""
    if is_workbook_name(source):
        unit = make_unit(sheet(sheet_name(source)), sheet_lines(rows))
    else:
        unit = make_unit(page(1), page_lines(rows))
    return Extraction([unit] if unit else [])
