"""A sheet's cells becoming lines: line N is row N, column k of it column k (extraction.md section 2)."""

from __future__ import annotations

from tebunko.extract.excel.cells import LAST_ROW
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import RawValues

TEXT_LIMIT = 64 * 1024 * 1024
"""More characters than this in one sheet could not be published (facts.md, Large text), so they are not gathered."""


class OutOfOrder(Exception):
    """A row came after a later one; the sheet must be read again with `keep_all`."""


class SheetText:
    """Gathers the rows of one sheet.

    Rows are expected in rising order; with ``keep_all`` they may come in any order, at the price of holding their cells.
    ``lost`` counts the cells of rows beyond the last that Excel has.
    """

    def __init__(self, *, keep_all: bool = False) -> None:
        self.values = RawValues()
        self.lost = 0
        self._lines: list[str] = []
        self._size = 0
        self._rows: dict[int, list[str]] | None = {} if keep_all else None

    def add_row(self, row: int, cells: list[str]) -> None:
        """Adds a row (from 1) with the text of its columns from the first; the list is the caller's no more.

        Raises OutOfOrder, and ExtractError(TOO_LARGE) beyond `TEXT_LIMIT`.
        """
        if row > LAST_ROW:
            self.lost += len(cells)
            return
        if self._rows is not None:
            self._merge(row, cells)
            return
        lines = self._lines
        missing = row - len(lines) - 1
        if missing:
            if missing < 0:
                raise OutOfOrder
            lines.extend([""] * missing)
        line = "\t".join(cells)
        if not cells[-1]:
            line = line.rstrip("\t")
        lines.append(line)
        self._size += len(line) + missing + 1
        if self._size > TEXT_LIMIT:
            raise ExtractError(Reason.TOO_LARGE, "a sheet with more text than can be kept")

    def finish(self) -> tuple[list[str], RawValues]:
        """The lines and the raw values, both in order."""
        if self._rows is not None:
            rows, self._rows = self._rows, None
            for row in sorted(rows):
                self.add_row(row, rows[row])
            return self._lines, _in_order(self.values)
        return self._lines, self.values

    def _merge(self, row: int, cells: list[str]) -> None:
        assert self._rows is not None
        known = self._rows.get(row)
        self._size += len(cells) + sum(map(len, cells))
        if self._size > TEXT_LIMIT:
            raise ExtractError(Reason.TOO_LARGE, "a sheet with more text than can be kept")
        if known is None:
            self._rows[row] = cells
            return
        known.extend([""] * (len(cells) - len(known)))
        for index, text in enumerate(cells):
            if text:
                known[index] = text


def _in_order(values: RawValues) -> RawValues:
    ordered = RawValues()
    for value in sorted(values):
        ordered.append(*value)
    return ordered
