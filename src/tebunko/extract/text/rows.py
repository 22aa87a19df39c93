"""Rows of cells, as markup and delimited text give them, becoming the lines of a page or of a sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tebunko.extract.excel.cells import cell_text

Row = Sequence[str]
"""The cells of a row; a paragraph is a row of one cell. A line feed in a cell is a line break within it."""

_BLANKS = re.compile("[\t-\r \xa0]+")


def page_lines(rows: Iterable[Row]) -> list[str]:
    """Rows as a Word document's lines: blanks within a cell folded, rows that show nothing dropped (extraction.md section 2)."""
    lines = ("\t".join(_BLANKS.sub(" ", cell).strip(" ") for cell in row).rstrip("\t") for row in rows)
    return [line for line in lines if line]


def sheet_lines(rows: Iterable[Row]) -> list[str]:
    """Rows as a sheet's lines: line N is row N, cells quoted where Excel does (extraction.md section 2)."""
    return ["\t".join(map(cell_text, row)).rstrip("\t") for row in rows]
