"""The shared strings of an OOXML workbook (ECMA-376 part 1, 18.4): runs joined, phonetic text left out."""

from __future__ import annotations

import re
from xml.parsers import expat

from tebunko.extract.excel.cells import cell_text, unescape
from tebunko.extract.excel.xml_stream import NotSimple, decode_references, is_utf8, new_parser, parsing_errors
from tebunko.extract.package import PART_LIMIT, LimitedStream, Package

_BLOCK = 512 * 1024
_LONGEST_ITEM = 16 * 1024 * 1024

_PLAIN_ITEM = re.compile(r'<si><t(?: xml:space="preserve")?>([^<]*)</t></si>')
_OPENING = re.compile(rb"<sst\b[^<>]*>\s*")
_END_OF_ITEM = b"</si>"


class SharedStrings:
    """Texts by index: ``lines`` as they stand in a line, `original` as they are."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._originals: dict[int, str] = {}

    def add(self, text: str) -> None:
        """Adds the next text."""
        line = cell_text(text)
        if line is not text:
            self._originals[len(self.lines)] = text
        self.lines.append(line)

    def original(self, index: int) -> str:
        """The text with this index, without quoting."""
        return self._originals.get(index, self.lines[index])


def read_shared_strings(package: Package, part: str) -> SharedStrings:
    """Reads a ``sharedStrings`` part, at most `PART_LIMIT` bytes. Raises ExtractError."""
    try:
        with package.stream(part, PART_LIMIT) as stream:
            return _read_simple(stream)
    except NotSimple:
        strings = SharedStrings()
        with package.stream(part, PART_LIMIT) as stream:
            _feed(stream, strings)
        return strings


def _read_simple(stream: LimitedStream) -> SharedStrings:
    """Reads by pattern what every usual program writes; raises NotSimple for anything else.

    Items with runs are left to the XML parser, one stretch of them at a time.
    """
    strings = SharedStrings()
    buffer = stream.read(_BLOCK)
    opening = _OPENING.search(buffer[:4096])
    if opening is None or opening[0].rstrip().endswith(b"/>") or not is_utf8(buffer):
        raise NotSimple
    if b"<!" in buffer[: opening.start()]:
        raise NotSimple
    buffer = buffer[opening.end() :]
    while True:
        cut = buffer.rfind(_END_OF_ITEM) + len(_END_OF_ITEM)
        if cut >= len(_END_OF_ITEM):
            _take(buffer[:cut], strings)
            buffer = buffer[cut:]
        elif len(buffer) > _LONGEST_ITEM:
            raise NotSimple
        block = stream.read(_BLOCK)
        if not block:
            break
        buffer += block
    if not buffer.lstrip().startswith((b"</sst>", b"<extLst")):
        raise NotSimple
    return strings


def _take(data: bytes, strings: SharedStrings) -> None:
    try:
        parts = _PLAIN_ITEM.split(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotSimple from error
    add = strings.add
    if not any(parts[::2]) and "_x" not in (joined := "".join(parts[1::2])) and "&" not in joined:
        lines = parts[1::2]
        if not _any_quoted(joined):
            strings.lines.extend(lines)
        else:
            for text in lines:
                add(text)
        return
    for index, text in enumerate(parts):
        if index % 2:
            add(unescape(decode_references(text)))
        elif text and not text.isspace():
            _take_items(text, strings)


def _any_quoted(text: str) -> bool:
    return "," in text or "\n" in text or '"' in text or "\t" in text or "\r" in text


def _take_items(text: str, strings: SharedStrings) -> None:
    """Whole items that have more than one plain text."""
    parser = _parser(strings)
    try:
        parser.Parse("<sst xmlns:x='x'>" + text + "</sst>", True)
    except expat.ExpatError as error:
        raise NotSimple from error


def _feed(stream: LimitedStream, strings: SharedStrings) -> None:
    parser = _parser(strings)
    with parsing_errors():
        while block := stream.read(_BLOCK):
            parser.Parse(block, False)
        parser.Parse(b"", True)


def _parser(strings: SharedStrings) -> expat.XMLParserType:
    parser = new_parser()
    pieces: list[str] = []
    phonetic = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal phonetic
        name = name.rpartition(":")[2]
        if name == "t":
            if not phonetic:
                parser.CharacterDataHandler = pieces.append
        elif name == "si":
            pieces.clear()
        elif name == "rPh":
            phonetic += 1

    def end(name: str) -> None:
        nonlocal phonetic
        name = name.rpartition(":")[2]
        if name == "t":
            parser.CharacterDataHandler = None
        elif name == "si":
            strings.add(unescape("".join(pieces)))
        elif name == "rPh":
            phonetic -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    return parser
