"""The rows of a search into a file, whose extension says in which format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from tebunko.search.engine import Event
from tebunko.search.export.cells import TableWriter, cells_of, headings_of
from tebunko.search.export.csv_file import CsvWriter
from tebunko.search.export.html_page import HtmlWriter
from tebunko.search.export.text_file import TextWriter
from tebunko.search.export.xlsx_file import XlsxWriter
from tebunko.search.hits import FileMatch, Row, Summary
from tebunko.search.options import SearchOptions
from tebunko.search.request import Output

_WRITERS: dict[str, Callable[[BinaryIO], TableWriter]] = {
    ".csv": CsvWriter,
    ".xlsx": XlsxWriter,
    ".html": HtmlWriter,
    ".htm": HtmlWriter,
}


def write_results(path: Path, asked: SearchOptions, events: Iterable[Event]) -> Summary:
    """Writes the rows of a search beside ``path`` and moves them over it once all are written; gives the search's summary.

    ``.csv``, ``.xlsx``, ``.html`` and ``.htm`` are those formats, anything else the documents' text. Raises OSError and what
    the search raises; then the file stays as it was.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            summary = _write(_WRITERS.get(path.suffix.lower(), TextWriter)(file), asked, events)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return summary


def _write(writer: TableWriter, asked: SearchOptions, events: Iterable[Event]) -> Summary:
    output = Output.TERMS if asked.terms else Output(asked.rows)
    summary: Summary | None = None
    begun = False
    count = 0

    def begin(row: Row | None) -> None:
        writer.begin(asked.query, headings_of(output, asked.terms, lists_files=isinstance(row, FileMatch)))

    for event in events:
        if isinstance(event, Summary):
            summary = event
        elif isinstance(event, list):
            if not begun:
                begin(event[0])
                begun = True
            for row in event:
                writer.add(row, cells_of(row, asked.terms))
            count += len(event)
    if not begun:
        begin(None)
    writer.end(count, summary)
    assert summary is not None  # every search ends with one
    return summary
