"""A worksheet part as a stream: cells to text, and the header and footer behind them.

Sheets that are written as usual programs write them are read by one regular expression over whole stretches of rows. It
must cover every character; at the first that it does not, the sheet is read again by the XML parser, which knows
everything: other attribute orders, prefixes, missing addresses, rich inline strings, UTF-16.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import regex

from tebunko.extract.excel.cells import COLUMNS, LAST_COLUMN, LAST_ROW, cell_text, unescape
from tebunko.extract.excel.header_footer import PARTS, HeaderFooter
from tebunko.extract.excel.ooxml import Sheet
from tebunko.extract.excel.shared_strings import SharedStrings
from tebunko.extract.excel.sheet_text import OutOfOrder, SheetText
from tebunko.extract.excel.styles import PLAIN_DIGITS, CellStyle, Styles, iso_serial
from tebunko.extract.excel.xml_stream import NotSimple, decode_references, is_utf8, new_parser, parsing_errors
from tebunko.extract.package import LimitedStream, Package
from tebunko.model.errors import ExtractError, Reason

_BLOCK = 256 * 1024
_LONGEST_HEAD = 4 * 1024 * 1024
_LONGEST_ROW = 16 * 1024 * 1024
_LONGEST_HEADER = 256 * 1024


@dataclass(slots=True)
class _Context:
    """What all attempts at a sheet share, and what the last one found."""

    strings: SharedStrings
    styles: Styles
    text: SheetText = field(default_factory=SheetText)
    header_footer: HeaderFooter = field(default_factory=HeaderFooter)
    lost: int = 0

    def begin(self, *, keep_all: bool = False) -> None:
        self.text = SheetText(keep_all=keep_all)
        self.header_footer = HeaderFooter()
        self.lost = 0


def read_sheet(package: Package, part: str, strings: SharedStrings, styles: Styles) -> Sheet:
    """Reads a worksheet part; what stands before a damage is kept.

    Raises ExtractError: TOO_LARGE, or DAMAGED if nothing at all could be read.
    """
    context = _Context(strings, styles)
    damage = ""
    try:
        try:
            with package.stream(part) as stream:
                _PatternReader(context, stream).read()
        except NotSimple:
            context.begin()
            with package.stream(part) as stream:
                _XmlReader(context).read(stream)
    except OutOfOrder:
        damage = _read_any_order(package, part, context)
    except ExtractError as error:
        if error.reason is Reason.TOO_LARGE:
            raise
        damage = str(error.detail)
    lines, values = context.text.finish()
    if damage and not lines:
        raise ExtractError(Reason.DAMAGED, damage)
    return Sheet(lines, values, context.header_footer, damage, context.lost + context.text.lost)


def _read_any_order(package: Package, part: str, context: _Context) -> str:
    context.begin(keep_all=True)
    try:
        with package.stream(part) as stream:
            _XmlReader(context).read(stream)
    except ExtractError as error:
        if error.reason is Reason.TOO_LARGE:
            raise
        return str(error.detail)
    return ""


# --- by pattern -----------------------------------------------------------------------------------------------------

# Every repetition is possessive: no character is ever looked at twice, whatever the sheet holds. By the regex package:
# before 3.11.5 a possessive group of Python's own engine does not go back to where it began when it fails (gh-106052).
_CELL = regex.compile(
    r"(?:</row><row [^<>]*+>)?+"
    r'<c r="([A-Z]++)([0-9]++)"([^<>]*+)>'
    r"(?:(?:<f[^<>]*+>(?:[^<]*+</f>)?+)?+"
    r"(?:<v>|<v [^<>]*+>|<is><t>|<is><t [^<>]*+>)([^<]*+)(?:</v>|</t></is>)</c>|</c>)?+"
)
_GROUPS = 5
_FIRST_DIGITS = "123456789"
# Kinds of our own beside those of the attribute: numbers in General, shared strings that the style changes.
_PLAIN = "plain"
_THROUGH_STYLE = "through style"
_MOST_KINDS = 65_536
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"<>&]*)"')
_BETWEEN = regex.compile(r"\s*+(?:</row>\s*+)?+(?:<row\b[^<>]*+>\s*+(?:</row>\s*+)?+)*+")
_SHEET_DATA = re.compile(rb"<sheetData\s*(/?)>")
_END_OF_ROW = b"</row>"
_END_OF_DATA = b"</sheetData>"


class _CellKinds(dict[str, tuple[str, CellStyle]]):
    """The type and style of cells by the text of their attributes behind the address, which are few in a workbook."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._styles = styles

    def __missing__(self, attributes: str) -> tuple[str, CellStyle]:
        found = _ATTRIBUTE.findall(attributes)
        known = "".join(f' {name}="{value}"' for name, value in found)
        if known != attributes.rstrip(" /") or len(self) > _MOST_KINDS:
            raise NotSimple
        named = dict(found)
        index = named.get("s", "0")
        style = self._styles[int(index) if _is_number(index) else 0]
        kind = named.get("t", "n")
        if kind == "n" and style.plain_digits:
            kind = _PLAIN
        elif kind == "s" and style.text is not None:
            kind = _THROUGH_STYLE
        self[attributes] = kind, style
        return kind, style


class _PatternReader:
    """One attempt at a sheet by pattern; raises NotSimple where the pattern does not cover the text."""

    def __init__(self, context: _Context, stream: LimitedStream) -> None:
        self._context = context
        self._stream = stream
        self._kinds = _CellKinds(context.styles)
        self._row = 0
        self._row_digits = ""
        self._cells: list[str] = []

    def read(self) -> None:
        buffer = self._head()
        while True:
            end = buffer.find(_END_OF_DATA)
            if end >= 0:
                self._rows(buffer[:end])
                break
            cut = buffer.rfind(_END_OF_ROW)
            if cut >= 0:
                cut += len(_END_OF_ROW)
                self._rows(buffer[:cut])
                buffer = buffer[cut:]
            elif len(buffer) > _LONGEST_ROW:
                raise NotSimple
            block = self._stream.read(_BLOCK)
            if not block:
                raise NotSimple
            buffer += block
        if self._cells:
            self._context.text.add_row(self._row, self._cells)
        self._tail(buffer[end + len(_END_OF_DATA) :])

    def _head(self) -> bytes:
        """What follows the opening of the sheet data."""
        buffer = self._stream.read(_BLOCK)
        if not is_utf8(buffer):
            raise NotSimple
        while (match := _SHEET_DATA.search(buffer)) is None:
            block = self._stream.read(_BLOCK)
            if not block or len(buffer) > _LONGEST_HEAD:
                raise NotSimple
            buffer += block
        if b"<!" in buffer[: match.start()]:
            raise NotSimple
        rest = buffer[match.end() :]
        return _END_OF_DATA + rest if match[1] else rest

    def _rows(self, data: bytes) -> None:
        try:
            parts = _CELL.split(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise NotSimple from error
        last = parts.pop()
        if last and _BETWEEN.fullmatch(last) is None:
            raise NotSimple
        self._take(parts)

    def _take(self, parts: list[str]) -> None:
        """Turns the groups of the cell pattern into text: the one hot loop of the reader."""
        kinds = self._kinds
        lines = self._context.strings.lines
        raws: list[tuple[int, int, float, bool]] = []
        cells = self._cells
        number = self._row
        digits = self._row_digits
        add_row = self._context.text.add_row
        columns = COLUMNS
        fields = iter(parts)
        for gap, letters, row, attributes, value in zip(*[fields] * _GROUPS, strict=True):
            if gap and _BETWEEN.fullmatch(gap) is None:
                raise NotSimple
            if not value:
                continue
            if row != digits:
                if cells:
                    add_row(number, cells)
                    cells = []
                number, digits = _row_number(row), row
            kind, style = kinds[attributes]
            column = columns[letters]
            if kind == "s":
                try:
                    text = lines[int(value)]
                except (ValueError, IndexError):
                    self._context.lost += 1
                    continue
            elif kind == _PLAIN and value.isdecimal() and len(value) <= PLAIN_DIGITS and value[0] in _FIRST_DIGITS:
                text = value
            elif kind == "n" or kind == _PLAIN:
                text, raw, is_date = style[value]
                if raw is not None and column:
                    raws.append((number, column, raw, is_date))
            else:
                text = _other_text(kind, decode_references(value), style, self._context)
            missing = column - len(cells) - 1
            if missing > 0:
                cells.extend([""] * missing)
            if missing >= 0:
                cells.append(text)
            elif column:
                cells[column - 1] = text
            else:
                self._context.lost += 1
        self._context.text.values.extend(raws)
        self._row, self._row_digits, self._cells = number, digits, cells

    def _tail(self, buffer: bytes) -> None:
        """Looks for the header and footer in what follows the rows."""
        opening, closing = b"<headerFooter", b"</headerFooter>"
        while True:
            start = buffer.find(opening)
            if start >= 0 and (end := buffer.find(closing, start)) >= 0:
                self._context.header_footer.parse(buffer[start : end + len(closing)])
                return
            if start >= 0 and len(buffer) - start > _LONGEST_HEADER:
                return
            block = self._stream.read(_BLOCK)
            if not block:
                return
            buffer = buffer[start if start >= 0 else max(0, len(buffer) - len(opening)) :] + block


def _row_number(digits: str) -> int:
    """A row's number; one with a leading zero or of absurd length is left to the XML parser."""
    if digits[0] == "0" or len(digits) > 7:
        raise NotSimple
    return int(digits)


def _other_text(kind: str, stored: str, style: CellStyle, context: _Context) -> str:
    """The text of a cell that is neither a plain number nor a shared string (ECMA-376 part 1, 18.18.11)."""
    if kind in ("str", "inlineStr"):
        text = unescape(stored)
        return cell_text(style.text(text) if style.text else text)
    if kind == _THROUGH_STYLE:
        return _through_style(stored, style, context)
    if kind == "b":
        return "FALSE" if stored.strip() in ("0", "false", "") else "TRUE"
    if kind == "d":
        serial = iso_serial(stored, date1904=context.styles.date1904)
        if serial is not None:
            return style.number(serial)[0]
    return cell_text(stored)


def _through_style(stored: str, style: CellStyle, context: _Context) -> str:
    """A shared string as its style shows it; one that is not there is counted, and shows nothing."""
    stored = stored.strip()
    if not _is_number(stored) or int(stored) >= len(context.strings.lines):
        context.lost += 1
        return ""
    if style.text is None:
        return context.strings.lines[int(stored)]
    return cell_text(style.text(context.strings.original(int(stored))))


# --- by the XML parser ----------------------------------------------------------------------------------------------


class _XmlReader:
    """Reads a worksheet of any form; element names are compared without their prefix."""

    def __init__(self, context: _Context) -> None:
        self._context = context
        self._parser = new_parser()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._row = 0
        self._column = 0
        self._cells: list[str] = []
        self._in_cell = False
        self._kind = ""
        self._style = 0
        self._pieces: list[str] = []
        self._phonetic = 0
        self._seen = False

    def read(self, stream: LimitedStream) -> None:
        """Parses the whole part; what was read before an error stands in the context. Raises ExtractError."""
        try:
            with parsing_errors():
                while block := stream.read(_BLOCK):
                    self._parser.Parse(block, False)
                self._parser.Parse(b"", True)
        finally:
            self._flush()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if name == "c":
            self._start_cell(attributes)
        elif name in ("v", "t"):
            if self._in_cell and not self._phonetic:
                self._seen = True
                self._parser.CharacterDataHandler = self._pieces.append
        elif name == "row":
            self._flush()
            stated = attributes.get("r", "")
            self._row = int(stated) if _is_number(stated) else self._row + 1
            self._column = 0
        elif name == "rPh":
            self._phonetic += 1
        elif name == "headerFooter":
            self._context.header_footer.start(attributes)
        elif name in PARTS:
            self._pieces.clear()
            self._parser.CharacterDataHandler = self._pieces.append

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._in_cell = True
        self._seen = False
        self._pieces.clear()
        self._kind = attributes.get("t", "n")
        style = attributes.get("s", "")
        self._style = int(style) if _is_number(style) else 0
        match = _ADDRESS.fullmatch(attributes.get("r", ""))
        if match is None:
            self._column += 1
            return
        self._column = COLUMNS[match[1].upper()]
        row = int(match[2])
        if row != self._row:
            self._flush()
            self._row = row

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if name in ("v", "t"):
            self._parser.CharacterDataHandler = None
        elif name == "c":
            self._in_cell = False
            if self._seen:
                self._finish_cell("".join(self._pieces))
        elif name == "rPh":
            self._phonetic -= 1
        elif name in PARTS:
            self._parser.CharacterDataHandler = None
            self._context.header_footer.set(name, "".join(self._pieces))

    def _finish_cell(self, stored: str) -> None:
        column = self._column
        if not 0 < column <= LAST_COLUMN or not 0 < self._row <= LAST_ROW:
            self._context.lost += 1
            return
        text = self._text(stored)
        if text is None:
            return
        cells = self._cells
        if column > len(cells):
            cells.extend([""] * (column - len(cells)))
        cells[column - 1] = text

    def _text(self, stored: str) -> str | None:
        context = self._context
        style = context.styles[self._style]
        if self._kind == "s":
            return _through_style(stored, style, context)
        if self._kind == "n":
            stored = stored.strip()
            if not stored:
                return None
            text, raw, is_date = style[stored]
            if raw is not None:
                context.text.values.append(self._row, self._column, raw, is_date)
            return text
        return _other_text(self._kind, stored, style, context)

    def _flush(self) -> None:
        if self._cells:
            cells, self._cells = self._cells, []
            self._context.text.add_row(self._row, cells)


_ADDRESS = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]{0,6})")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
