"""The text of an HTML page as lines: a block is a line, a table row is a line with its cells separated by tabs."""

from __future__ import annotations

import re

from lxml import etree

from tebunko.extract.text.encoding import decode_text
from tebunko.model.errors import ExtractError, Reason

_DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_HEAD_BYTES = 4096
_BLANKS = re.compile("[ \t\r\n\f]+")
_NOT_SHOWN = ("head", "script", "style", "template", "noscript")
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_CELLS = frozenset({"td", "th"})


def html_lines(data: bytes) -> list[str]:
    """The visible text of a page: blanks folded, nothing of its head, scripts and styles.

    The bytes are decoded as a BOM or the page itself says, else as text of unknown encoding. Raises ExtractError:
    NOT_TEXT if they do not decode, DAMAGED if there is no page in them.
    """
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(_decoded(data), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ExtractError(Reason.DAMAGED, error) from error
    if root is None:
        raise ExtractError(Reason.DAMAGED, "an empty page")
    etree.strip_elements(root, *_NOT_SHOWN, with_tail=False)
    return _Lines().of(root)


def _decoded(data: bytes) -> str:
    declared = _DECLARED.search(data[:_HEAD_BYTES])
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeError):
            pass
    return decode_text(data)


class _Lines:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._cells: list[list[str]] = []
        self._rows_open = 0

    def of(self, root: etree._Element) -> list[str]:
        for event, node in etree.iterwalk(root, events=("start", "end")):
            tag = node.tag
            if tag in _BLOCKS:
                self._end_line()
            if event == "start":
                self._start(tag)
                self._add(node.text)
            else:
                self._end(tag)
                self._add(node.tail)
        self._end_line()
        return self._lines

    def _add(self, text: str | None) -> None:
        if text:
            self._pieces.append(text)

    def _start(self, tag: str) -> None:
        if tag == "tr":
            self._rows_open += 1
        elif tag in _CELLS and self._rows_open == 1:
            self._cells.append([])

    def _end(self, tag: str) -> None:
        if tag != "tr":
            return
        self._rows_open -= 1
        if not self._rows_open:
            row = "\t".join(map(" ".join, self._cells)).rstrip("\t")
            self._cells = []
            if row:
                self._lines.append(row)

    def _end_line(self) -> None:
        text = _BLANKS.sub(" ", "".join(self._pieces)).strip(" ")
        self._pieces = []
        if text and self._rows_open:
            if not self._cells:
                self._cells.append([])
            self._cells[-1].append(text)
        elif text:
            self._lines.append(text)
