"""CSV that Excel opens as it stands: UTF-8 with BOM, commas, CRLF (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import BinaryIO

from tebunko.search.hits import Row, Summary

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe stands before what begins like one.

    >>> harmless("=HYPERLINK(1)"), harmless("1-2")
    ("'=HYPERLINK(1)", '1-2')
    """
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


class CsvWriter:
    """A `TableWriter`."""

    def __init__(self, writer: BinaryIO) -> None:
        self._text = io.TextIOWrapper(writer, "utf-8", "replace", newline="", write_through=True)
        self._csv = csv.writer(self._text, lineterminator="\r\n")

    def begin(self, words: str, headings: Sequence[str]) -> None:
        """As `TableWriter.begin`."""
        self._text.write("\ufeff")
        self._csv.writerow(map(harmless, headings))

    def add(self, row: Row, cells: Sequence[str | int]) -> None:
        """As `TableWriter.add`."""
        self._csv.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])

    def end(self, count: int, summary: Summary | None) -> None:
        """As `TableWriter.end`."""
        self._text.flush()
        self._text.detach()
