"""Stories of a Word document (body, header, footer, note, comment, text box): their paragraphs and tables as lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from tebunko.extract.drawing import DGM, A, C, M, tidy
from tebunko.extract.word.markup import (
    CELL,
    FIELD_CHAR,
    FIELD_CHAR_TYPE,
    PARAGRAPH,
    ROW,
    SECTION,
    TEXT_BOX,
    TYPE,
    VALUE,
    O,
    V,
    W,
)
from tebunko.extract.word.pages import BreakingStyles, PageCounter, has_break_before, section_breaks
from tebunko.extract.word.symbols import symbol_text

_TEXTS = (W + "t", M + "t")
_BREAK = W + "br"
_RENDERED_BREAK = W + "lastRenderedPageBreak"
_SYMBOL = W + "sym"
COMMENT_REFERENCE = W + "commentReference"
OLE_OBJECT = O + "OLEObject"
TEXT_PATH = V + "textpath"
DRAWING_TEXT = A + "txBody"
ALTERNATIVE = W + "altChunk"

_FIXED = {W + "tab": " ", W + "ptab": " ", W + "cr": " ", W + "noBreakHyphen": "-"}
_OBJECTS = (TEXT_BOX, TEXT_PATH, DRAWING_TEXT, C + "chart", DGM + "relIds", OLE_OBJECT, COMMENT_REFERENCE)
_NODES = (
    *_TEXTS,
    PARAGRAPH,
    ROW,
    CELL,
    _BREAK,
    _RENDERED_BREAK,
    _SYMBOL,
    FIELD_CHAR,
    SECTION,
    ALTERNATIVE,
    *_FIXED,
    *_OBJECTS,
)


class Anchored(NamedTuple):
    """Something that is not running text (a text box, a chart, a comment reference), and the page of its anchor."""

    page: int
    node: etree._Element


class Line(NamedTuple):
    """A paragraph or table row: the page of its first character, its text (may be ""), and what is anchored in it."""

    page: int
    text: str
    anchored: tuple[Anchored, ...]


@dataclass(slots=True)
class _Field:
    """An open field; ``choice`` is what it shows in place of a result."""

    choice: str
    in_code: bool = True


class _Row:
    """A row of an outermost table; rows of tables in its cells are part of those cells."""

    __slots__ = ("cells", "element", "first_page", "last_page", "start_page")

    def __init__(self, element: etree._Element, page: int) -> None:
        self.element = element
        self.start_page = self.last_page = page
        self.first_page = 0
        self.cells: list[list[str]] = []

    def add(self, page: int, text: str) -> None:
        """Adds a paragraph to the last cell; text that stands outside of any cell gets one."""
        if text:
            if not self.cells:
                self.cells.append([])
            self.cells[-1].append(text)
            self.first_page = self.first_page or page


class Story:
    """Reads one story of a prepared tree (see `markup.prepare`). One instance a reading.

    One flat pass over the story's tags: nested tables, content controls and whatever else lies between cost no stack,
    and a paragraph asks only whether a row is among its ancestors.
    """

    def __init__(self, element: etree._Element, styles: BreakingStyles | None = None) -> None:
        """``styles`` is given for the body alone: elsewhere no page begins."""
        self._element = element
        self._pages = PageCounter()
        self._styles = styles if styles is not None and (styles.any or has_break_before(element)) else None
        self._sections = section_breaks(element) if styles is not None else []
        self._sections_seen = 0
        self._section_ends = False
        self._fields: list[_Field] = []
        self._in_code = 0
        self._anchored: list[Anchored] = []
        self._pieces: list[str] = []
        self._first_page = 0
        self._begun = False
        self._row: _Row | None = None
        self._lines: list[Line] = []

    def lines(self) -> list[Line]:
        """The lines in order; those without text are given too if something is anchored in them."""
        self._read()
        return self._lines

    def text(self) -> tuple[str, list[Anchored]]:
        """All paragraphs and cells joined by spaces, and what is anchored in them."""
        lines = self.lines()
        text = " ".join(line.text.replace("\t", " ") for line in lines if line.text)
        return text, [found for line in lines for found in line.anchored]

    def _read(self) -> None:
        pages = self._pages
        for node in self._element.iter(*_NODES):
            tag = node.tag
            if tag in _TEXTS:
                piece = node.text
            elif tag == PARAGRAPH:
                self._begin_paragraph(node)
                continue
            else:
                piece = self._other(tag, node)
            if piece and not self._in_code:
                self._pieces.append(piece)
                if not piece.isspace():
                    self._first_page = self._first_page or pages.page
                    pages.text()
        self._end_paragraph()
        self._end_row()

    def _begin_paragraph(self, paragraph: etree._Element) -> None:
        self._end_paragraph()
        if self._row is not None and next(paragraph.iterancestors(ROW), None) is None:
            self._end_row()
        self._begun = True
        if self._styles is not None and self._styles.begins_page(paragraph):
            self._pages.before_paragraph()

    def _end_paragraph(self) -> None:
        """Gives the paragraph just read to the row it stands in, else to the lines."""
        pieces = self._pieces
        page = self._first_page or self._pages.page
        text = ""
        if pieces:
            text = tidy(pieces[0] if len(pieces) == 1 else "".join(pieces))
            text = "" if text.isspace() else text
            self._pieces = []
            self._first_page = 0
        if self._row is not None:
            self._row.add(page, text)
        elif text or self._anchored:
            self._add_line(page, text)
        if self._begun:
            self._pages.paragraph_ended()
        if self._section_ends:
            self._end_section()

    def _begin_row(self, row: etree._Element) -> None:
        self._end_paragraph()
        if next(row.iterancestors(ROW), None) is None:
            self._end_row()
            self._row = _Row(row, self._pages.page)

    def _begin_cell(self, cell: etree._Element) -> None:
        row = self._row
        if row is not None and next(cell.iterancestors(ROW), None) is row.element:
            self._end_paragraph()
            row.last_page = max(row.last_page, self._pages.page)
            self._pages.rewind(row.start_page)
            row.cells.append([])

    def _end_row(self) -> None:
        row, self._row = self._row, None
        if row is not None:
            self._pages.rewind(max(row.last_page, self._pages.page))
            text = "\t".join(map(" ".join, row.cells)).rstrip("\t")
            if text or self._anchored:
                self._add_line(row.first_page or row.start_page, text)

    def _add_line(self, page: int, text: str) -> None:
        anchored = self._anchored
        self._lines.append(Line(page, text, tuple(anchored) if anchored else ()))
        anchored.clear()

    def _other(self, tag: str, node: etree._Element) -> str:
        """What an element that is not plain text adds to the line; keeps count of pages, fields and anchors."""
        if tag in _FIXED:
            return _FIXED[tag]
        if tag == FIELD_CHAR:
            return self._field(node)
        if tag == _BREAK:
            if node.get(TYPE) == "page":
                self._pages.manual()
            return " "
        if tag == _RENDERED_BREAK:
            self._pages.rendered()
        elif tag == _SYMBOL:
            return symbol_text(node.get(W + "font", ""), node.get(W + "char", ""))
        elif tag == ROW:
            self._begin_row(node)
        elif tag == CELL:
            self._begin_cell(node)
        elif tag == SECTION:
            self._section_ends = True
        elif tag == ALTERNATIVE:
            self._end_paragraph()
            self._anchored.append(Anchored(self._pages.page, node))
            self._end_paragraph()
        else:
            self._anchored.append(Anchored(self._pages.page, node))
        return ""

    def _field(self, char: etree._Element) -> str:
        """Follows a field: its code is not read, its result is; a drop-down list has its choice in its data."""
        kind = char.get(FIELD_CHAR_TYPE)
        if kind == "begin":
            self._fields.append(_Field(_drop_down_choice(char)))
            self._in_code += 1
        elif kind == "separate" and self._fields and self._fields[-1].in_code:
            self._fields[-1].in_code = False
            self._in_code -= 1
        elif kind == "end" and self._fields:
            field = self._fields.pop()
            self._in_code -= field.in_code
            return field.choice
        return ""

    def _end_section(self) -> None:
        self._section_ends = False
        seen = self._sections_seen
        self._sections_seen += 1
        if seen < len(self._sections) and self._sections[seen]:
            self._pages.manual()


def _drop_down_choice(begin: etree._Element) -> str:
    """The entry that a drop-down form field shows (ECMA-376 part 1, 17.16.9), "" for any other field."""
    choices = begin.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return ""
    entries = choices.findall(W + "listEntry")
    chosen = choices.find(W + "result")
    if chosen is None:
        chosen = choices.find(W + "default")
    number = "0" if chosen is None else chosen.get(VALUE, "0")
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    return entries[at].get(VALUE, "") if at < len(entries) else ""
