"""A page of results for any browser: one file, no script, nothing loaded; its links lead to the documents on this machine."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import BinaryIO

from tebunko.search.hits import Hit, Row, Summary, kind_name, shown_place

_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "�") | {
    0x2028: "\n",
    0x2029: "\n",
}
_STYLE = (
    "body{font-family:sans-serif;margin:1.5em}table{border-collapse:collapse}"
    "td,th{border:1px solid #ccc;padding:.3em .5em;text-align:left;vertical-align:top}"
    "td.text{white-space:pre-wrap}td.number{text-align:right}mark{background:#fd6}small{color:#555}"
)


class HtmlWriter:
    """A `TableWriter`."""

    def __init__(self, writer: BinaryIO) -> None:
        self._writer = writer

    def begin(self, words: str, headings: Sequence[str]) -> None:
        """As `TableWriter.begin`."""
        title = _text(words)
        policy = "default-src 'none'; style-src 'unsafe-inline'"
        columns = "".join(f"<th>{_text(heading)}</th>" for heading in headings)
        self._write(
            f'<!DOCTYPE html>\n<html lang="ja">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n'
            f"<body>\n<h1>{title}</h1>\n<table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n"
        )

    def add(self, row: Row, cells: Sequence[str | int]) -> None:
        """As `TableWriter.add`."""
        first = f"<td>{_link(row)}</td>"
        if isinstance(row, Hit):
            facts = [_text(shown_place(row)), kind_name(row.place), str(row.line)]
            content = f'<td class="text">{"".join(_marked(row))}</td>'
            rest = "".join(f"<td>{fact}</td>" for fact in facts) + content
        else:
            rest = "".join(f'<td class="number">{_text(str(cell))}</td>' for cell in cells[1:])
        self._write(f"<tr>{first}{rest}</tr>\n")

    def end(self, count: int, summary: Summary | None) -> None:
        """As `TableWriter.end`."""
        left_out = "、".join(summary.coverage.left_out) if summary else ""
        note = f"<p>検索できなかったインデックス: {_text(left_out)}</p>\n" if left_out else ""
        self._write(f"</tbody>\n</table>\n<p>{count} 件</p>\n{note}</body>\n</html>\n")

    def _write(self, text: str) -> None:
        self._writer.write(text.encode("utf-8", "replace"))


def _text(text: str) -> str:
    return html.escape(text.translate(_CONTROL))


def _link(row: Row) -> str:
    """The file with a link to it if its path is known, and the locator."""
    source = row.source
    name = _text(f"{source.index}/{source.file}")
    locator = f"<br><small>{_text(row.locator)}</small>" if isinstance(row, Hit) else ""
    url = file_url(source.path) if source.path is not None else None
    return (name if url is None else f'<a href="{html.escape(url)}">{name}</a>') + locator


def file_url(path: str) -> str | None:
    """The ``file:`` URL of an absolute path of this system, None for any other path."""
    try:
        return PurePath(path).as_uri()
    except ValueError:
        return None


def _marked(hit: Hit) -> Iterator[str]:
    position = 0
    for start, end in hit.spans:
        yield _text(hit.text[position:start])
        yield f"<mark>{_text(hit.text[start:end])}</mark>"
        position = end
    yield _text(hit.text[position:])
