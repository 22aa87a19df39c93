"""The documents' result text (search.md, Result rows): UTF-8 with BOM, CRLF, fit to be pasted into Excel."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from typing import IO, BinaryIO

from tebunko.search.export.cells import HIT_HEADINGS
from tebunko.search.hits import Hit, Row, Summary, column_letters

_SPOOLED_BYTES = 16 * 1024 * 1024
_BREAK = "\u2028"
_BLANKED = str.maketrans(dict.fromkeys("\t\r\n", " "))


class TextWriter:
    """A `TableWriter`; the number of rows and columns stands at the head, so rows wait in a temporary file."""

    def __init__(self, writer: BinaryIO) -> None:
        self._writer = writer
        self._rows: IO[bytes] = tempfile.SpooledTemporaryFile(_SPOOLED_BYTES)  # noqa: SIM115 - closed by `end`
        self._words = ""
        self._headings: Sequence[str] = ()
        self._columns = 1

    def begin(self, words: str, headings: Sequence[str]) -> None:
        """As `TableWriter.begin`."""
        self._words, self._headings = words, headings

    def add(self, row: Row, cells: Sequence[str | int]) -> None:
        """As `TableWriter.add`."""
        fields = [str(cell).translate(_BLANKED) for cell in cells]
        if isinstance(row, Hit):
            content = _content_fields(row)
            self._columns = max(self._columns, len(content))
            fields = [*fields[: len(HIT_HEADINGS)], *content]
        self._rows.write(("\t".join(fields) + "\r\n").encode("utf-8", "replace"))

    def end(self, count: int, summary: Summary | None) -> None:
        """As `TableWriter.end`."""
        headings = [heading.translate(_BLANKED) for heading in self._headings]
        if len(headings) > len(HIT_HEADINGS) and headings[: len(HIT_HEADINGS)] == list(HIT_HEADINGS):
            headings = [*HIT_HEADINGS, *map(column_letters, range(self._columns))]
        head = f"\ufeff【検索文字列　{self._words.translate(_BLANKED)}】 {count} 件\r\n"
        self._writer.write((head + "\t".join(headings) + "\r\n").encode("utf-8", "replace"))
        with self._rows as rows:
            rows.seek(0)
            shutil.copyfileobj(rows, self._writer)


def _content_fields(hit: Hit) -> list[str]:
    """The line's cells, fit to be pasted into a sheet: one field each, inner line breaks as line feeds."""
    text = hit.text
    if hit.place.has_addresses:
        text = text.partition("\t")[2]
    fields = text.split("\t")
    if not hit.place.is_cells and not hit.place.has_addresses:
        # The lines of a sheet are stored quoted where needed, all others plain.
        fields = [_quoted(f) if f.startswith('"') or _BREAK in f else f for f in fields]
    return [f.replace(_BREAK, "\n") for f in fields]


def _quoted(field_text: str) -> str:
    return '"' + field_text.replace('"', '""') + '"'
