"""Result rows as the cells of a table, which all file formats share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tebunko.search.hits import FileCount, FileTerms, Hit, Row, Summary, kind_name, shown_place
from tebunko.search.request import Output

HIT_HEADINGS = ("ファイル名", "場所", "種別", "行")
CONTENT = "内容"
COUNT = "件数"
_BREAK = "\u2028"


class TableWriter(Protocol):
    """Writes one table to a file; used once."""

    def begin(self, words: str, headings: Sequence[str]) -> None:
        """Begins; ``words`` is the query as typed. Rows of hits may have more cells than there are headings."""

    def add(self, row: Row, cells: Sequence[str | int]) -> None:
        """Writes a row, whose cells are given too. Raises OSError."""

    def end(self, count: int, summary: Summary | None) -> None:
        """Ends; ``count`` is the number of rows. Raises OSError."""


def headings_of(output: Output, terms: Sequence[str], *, lists_files: bool) -> list[str]:
    """The headings of the rows that a search gives; those of hits end with the first cell of their line."""
    if output is Output.TERMS:
        return [HIT_HEADINGS[0], *terms]
    if output is Output.LINES and not lists_files:
        return [*HIT_HEADINGS, CONTENT]
    return [HIT_HEADINGS[0], COUNT] if output is Output.COUNT and not lists_files else [HIT_HEADINGS[0]]


def cells_of(row: Row, terms: Sequence[str]) -> list[str | int]:
    """The cells of a row: numbers are counts and line numbers, everything else is text and stays text."""
    name = file_name(row)
    if isinstance(row, Hit):
        return [name, shown_place(row), kind_name(row.place), row.line, *shown_cells(row)]
    if isinstance(row, FileCount):
        return [name, row.hits]
    if isinstance(row, FileTerms):
        return [name, *(row.hits.get(term, 0) for term in terms)]
    return [name]


def file_name(row: Row) -> str:
    """The file as the documents' result list writes it: with its index, and a backslash between names."""
    return f"{row.source.index}/{row.source.file}".replace("/", "\\")


def shown_cells(hit: Hit) -> list[str]:
    """The cells of a hit's line as they show: without the quotes they are stored in, inner line breaks as line feeds."""
    text = hit.text.partition("\t")[2] if hit.place.has_addresses else hit.text
    cells = text.split("\t")
    if hit.place.is_cells:
        cells = [_unquoted(cell) for cell in cells]
    return [cell.replace(_BREAK, "\n") for cell in cells]


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell
