"""What a search is asked, as plain text and switches: the options of the command line and the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A query as typed and what narrows and shapes its answer (cli.md, search).

    ``kinds``, ``names`` and ``scopes`` are written as on the command line: ``excel,word``, ``*.xlsx;!*old*``,
    ``NAME/FOLDER``. ``terms`` are the words of a list; then ``query`` may be "". ``rows`` is a value of
    `tebunko.search.request.Output`, ``sort`` one of `Sort` or None for the order of the index. Without ``narrowed`` every
    content file is read, as if there were no 2-gram index: the rows are the same.
    """

    query: str
    regex: bool = False
    literal: bool = False
    case: bool = False
    forgiving: bool = False
    across: bool = False
    whole_file: bool = False
    terms: tuple[str, ...] = ()
    kinds: str = ""
    names: str = ""
    scopes: tuple[str, ...] = ()
    shapes: bool = True
    comments: bool = True
    context: int = 0
    sort: str | None = None
    limit: int | None = None
    rows: str = "lines"
    narrowed: bool = True
