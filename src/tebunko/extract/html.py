"""What an HTML page shows: a table row as its cells, any other block as a line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from lxml import etree

from tebunko.extract.excel.cells import LAST_COLUMN
from tebunko.extract.text.encoding import decode_text
from tebunko.extract.text.rows import Row, page_lines
from tebunko.model.errors import ExtractError, Reason

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_CHARSET_WITHIN = 4096
_SAME_AS_CP932 = frozenset({"shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j"})
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_BLANKS = re.compile("[ \t\r\n\f\xa0]+")

_UNSEEN = frozenset({"head", "script", "style", "title", "xml", "noscript", "template", "object"})
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4"
    " h5 h6 header hr html li main nav ol p pre section table tbody tfoot thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset({"td", "th"})
_MOST_ROWS_SPANNED = 65_534


def html_lines(data: bytes) -> list[str]:
    """The lines of a page that show something, a table row's cells separated by tabs.

    Raises ExtractError: NOT_TEXT if the bytes do not decode, DAMAGED if there is no page in them.
    """
    return page_lines(html_rows(html_text(data)))


def html_text(data: bytes, charset: str | None = None) -> str:
    """HTML decoded as ``charset`` or its own ``meta`` says if that holds, else by the rules for texts.

    Raises ExtractError(NOT_TEXT) if neither gives a text.
    """
    declared = _CHARSET.search(data[:_CHARSET_WITHIN])
    name = charset or (declared[1].decode("ascii") if declared else "")
    codec = "cp932" if name.lower() in _SAME_AS_CP932 else name
    if codec and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode(codec)
        except (LookupError, ValueError):
            pass
    return decode_text(data)


def html_rows(text: str) -> list[Row]:
    """The rows of HTML: each table row its cells, each other block a row of one cell.

    Nothing of its head, scripts and styles; blanks folded. A cell that spans columns or rows leaves the places it covers empty. A table in a cell is text of that cell.

    Raises ExtractError(DAMAGED) if there is no page in the text.
    """
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(_XML_DECLARATION.sub("", text).replace("\0", ""), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ExtractError(Reason.DAMAGED, error) from error
    if root is None:
        raise ExtractError(Reason.DAMAGED, "an empty page")
    rows = _Rows()
    for event, element in _walk(root):
        rows.start(element) if event == "start" else rows.end(element)
    rows.end_block()
    return rows.rows


def _walk(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Start and end of every element that is seen."""
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        if isinstance(element.tag, str):
            if event == "start" and _local(element) in _UNSEEN:
                walker.skip_subtree()
            yield event, element


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()


class _Rows:
    """Gathers rows while the elements go by."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._text: list[str] = []
        self._row: list[str] | None = None
        self._depth = 0
        self._spanned: dict[int, int] = {}

    def start(self, element: etree._Element) -> None:
        name = _local(element)
        if name in _CELLS:
            if self._depth == 0:
                self.end_block()
                self._row = [] if self._row is None else self._row
            else:
                self._text.append(" ")
            self._depth += 1
        elif name == "tr" and self._depth == 0:
            self.end_block()
            self._row = []
        elif name == "table" and self._depth == 0:
            self._spanned.clear()
        if name in _BLOCKS:
            self.end_block()
        elif name == "br":
            self._break()
        if element.text and name not in _UNSEEN:
            self._text.append(_BLANKS.sub(" ", element.text))

    def end(self, element: etree._Element) -> None:
        name = _local(element)
        if name in _CELLS and self._depth:
            self._depth -= 1
            if self._depth == 0 and self._row is not None:
                self._end_cell(element)
        elif name in ("tr", "table", "body") and self._depth == 0 and self._row is not None:
            self._cover()
            self.rows.append(self._row)
            self._row = None
            self._text.clear()
        elif name in _BLOCKS:
            self.end_block()
        if element.tail:
            self._text.append(_BLANKS.sub(" ", element.tail))

    def end_block(self) -> None:
        """Ends a line of text: within a cell a line break, outside of tables a row."""
        if self._depth:
            self._break()
        elif self._row is None:
            text = self._taken()
            self.rows.extend([line] for line in text.split("\n") if line)

    def _break(self) -> None:
        self._text.append("\n")

    def _taken(self) -> str:
        """The text gathered so far, its lines trimmed and no empty ones at its ends or in a row."""
        lines = [_BLANKS.sub(" ", line).strip() for line in "".join(self._text).split("\n")]
        self._text.clear()
        return "\n".join(line for line in lines if line)

    def _end_cell(self, element: etree._Element) -> None:
        assert self._row is not None
        self._cover()
        column = len(self._row)
        if column >= LAST_COLUMN:
            self._text.clear()
            return
        width = _span(element, "colspan", LAST_COLUMN - column)
        height = _span(element, "rowspan", _MOST_ROWS_SPANNED)
        self._row += [self._taken(), *[""] * (width - 1)]
        if height > 1:
            self._spanned.update(dict.fromkeys(range(column, column + width), height - 1))

    def _cover(self) -> None:
        """Leaves empty what cells of the rows above cover at this point of the row."""
        assert self._row is not None
        while left := self._spanned.get(len(self._row), 0):
            if left == 1:
                del self._spanned[len(self._row)]
            else:
                self._spanned[len(self._row)] = left - 1
            self._row.append("")


def _span(element: etree._Element, attribute: str, most: int) -> int:
    text = element.get(attribute, "").strip()
    return max(1, min(int(text), most)) if text.isascii() and text.isdecimal() and len(text) < 10 else 1
