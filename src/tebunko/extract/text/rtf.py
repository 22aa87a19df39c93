r"""RTF: its paragraphs and table rows (Rich Text Format Specification 1.9.1).

Text is bytes in the code page of the font or of the document, ``\uN`` in Unicode. Groups that hold no text of the document
(fonts, styles, pictures, whatever begins with ``\*``) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tebunko.extract.text.rows import Row
from tebunko.model.errors import ExtractError, Reason

_TOKEN = re.compile(
    rb"(?P<brace>[{}])"
    rb"|(?P<hex>(?:\\'[0-9A-Fa-f]{2})+)"
    rb"|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|\\(?P<symbol>[^A-Za-z])"
    rb"|[\r\n\0]+"
    rb"|(?P<text>[^\\{}\r\n\0]+)",
    re.DOTALL,
)
_DEEPEST = 10_000

_PASSED_OVER = frozenset(
    {
        *(b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"themedata", b"colorschememapping"),
        *(b"datastore", b"latentstyles", b"listtable", b"listoverridetable", b"rsidtbl", b"fldinst", b"generator"),
        *(
            b"xmlnstbl",
            b"filetbl",
            b"revtbl",
            b"private",
            b"template",
            b"bkmkstart",
            b"bkmkend",
            b"atnid",
            b"atnauthor",
        ),
        *(b"annotation", b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf"),
    }
)
_CHARACTERS = {
    b"tab": " ",
    b"line": " ",
    b"emdash": "—",
    b"endash": "–",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"bullet": "•",
    b"emspace": " ",
    b"enspace": " ",
    b"qmspace": " ",
}
_SYMBOLS = {b"~": " ", b"_": "-"}
_PARAGRAPH_ENDS = frozenset({b"par", b"sect", b"page", b"column"})

_CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    134: "cp936",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
"""Code pages of ``\\fcharset``; the others are the document's own."""

_DOCUMENT_CHARSETS = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850", b"ansi": "cp1252"}
_KNOWN_CODE_PAGES = frozenset(
    {437, 850, 852, 855, 857, 860, 861, 862, 863, 864, 865, 866, 869, 874, 932, 936, 949, 950, *range(1250, 1259)}
)


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within a group: whether it is passed over, its font, and how many bytes stand in for a ``\\uN``."""

    unseen: bool = False
    hidden_deletion: bool = False
    fonts: bool = False
    font: int = -1
    stand_in: int = 1


def rtf_rows(data: bytes) -> list[Row]:
    r"""The rows of RTF: a table row its cells, any other paragraph a row of one cell.

    Raises ExtractError(DAMAGED) if its groups are nested without end.

    >>> rtf_rows(rb"{\rtf1\ansi\ansicpg932{\fonttbl{\f0 X;}}\'93\'fa\u26412?\par a\cell b\cell\row}")
    [['日本'], ['a', 'b']]
    """
    return _Reading().read(data)


class _Reading:
    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._row: list[str] = []
        self._text: list[str] = []
        self._bytes = bytearray()
        self._codec = "cp1252"
        self._font_codecs: dict[int, str] = {}
        self._group = _Group()
        self._outer: list[_Group] = []
        self._skip = 0
        self._starred = False
        self._in_table = False

    def read(self, data: bytes) -> list[Row]:
        for token in _tokens(data):
            kind = token.lastgroup
            if kind == "brace":
                self._brace(token[0])
            elif token["word"] is not None:
                self._word(token["word"], token["number"])
            elif kind == "hex":
                self._add_bytes(bytes.fromhex(token["hex"].replace(b"\\'", b"").decode("ascii")))
            elif kind == "symbol":
                self._symbol(token["symbol"])
            elif kind == "text":
                self._add_bytes(token["text"])
        self._in_table = False
        self._end_row()
        self._end_paragraph()
        return self._rows

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip = 0
        self._starred = False
        if brace == b"{":
            if len(self._outer) >= _DEEPEST:
                raise ExtractError(Reason.DAMAGED, "RTF with groups too deep")
            self._outer.append(self._group)
        elif self._outer:
            self._group = self._outer.pop()

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in (b"\\", b"{", b"}"):
            # These may also be the second byte of a character.
            self._add_bytes(symbol)
        elif symbol in (b"\r", b"\n"):
            self._word(b"par", None)
        else:
            self._add(_SYMBOLS.get(symbol, ""))

    def _word(self, word: bytes, digits: bytes | None) -> None:
        number = int(digits) if digits else 0
        if word == b"bin":
            return
        if word == b"u" and digits is not None:
            self._add(chr(number % 0x10000))
            self._skip = self._group.stand_in
            return
        self._flush()
        self._skip = 0
        if word in _PASSED_OVER or (self._starred and word != b"shppict"):
            self._group = replace(self._group, unseen=True, fonts=self._group.fonts or word == b"fonttbl")
        elif word in _CHARACTERS:
            self._add(_CHARACTERS[word])
        elif not self._group.unseen and self._structure(word):
            pass
        else:
            self._setting(word, number, digits)
        self._starred = False

    def _structure(self, word: bytes) -> bool:
        """Ends a paragraph, cell or row, or enters or leaves a table; False if the word does none of these."""
        if word in _PARAGRAPH_ENDS:
            self._end_paragraph()
        elif word in (b"cell", b"nestcell"):
            self._row.append(self._taken())
        elif word in (b"row", b"nestrow"):
            self._taken()
            self._end_row()
        elif word in (b"intbl", b"pard"):
            self._in_table = word == b"intbl"
        else:
            return False
        return True

    def _setting(self, word: bytes, number: int, digits: bytes | None) -> None:
        """What changes how the following text is read."""
        if word == b"f":
            self._group = replace(self._group, font=number)
        elif word == b"uc":
            self._group = replace(self._group, stand_in=max(0, min(number, 16)))
        elif word == b"deleted":
            self._group = replace(self._group, hidden_deletion=digits is None or number != 0)
        elif word == b"plain":
            self._group = replace(self._group, font=-1, hidden_deletion=False)
        elif word == b"fcharset" and self._group.fonts and number in _CHARSETS:
            self._font_codecs[self._group.font] = _CHARSETS[number]
        elif word == b"ansicpg" and number in _KNOWN_CODE_PAGES:
            self._codec = f"cp{number}"
        elif word in _DOCUMENT_CHARSETS and not self._rows and not self._text:
            self._codec = _DOCUMENT_CHARSETS[word]

    def _add_bytes(self, data: bytes) -> None:
        if self._skip:
            left = data[self._skip :]
            self._skip = max(0, self._skip - len(data))
            data = left
        if data and not self._group.unseen and not self._group.hidden_deletion:
            self._bytes += data

    def _add(self, text: str) -> None:
        if self._skip and text:
            self._skip -= 1
            return
        self._flush()
        if text and not self._group.unseen and not self._group.hidden_deletion:
            self._text.append(text)

    def _flush(self) -> None:
        """Decodes the bytes gathered since the font may last have changed: a character may be several tokens."""
        if self._bytes:
            codec = self._font_codecs.get(self._group.font, self._codec)
            self._text.append(self._bytes.decode(codec, "replace"))
            self._bytes.clear()

    def _taken(self) -> str:
        self._flush()
        text = "".join(self._text)
        self._text.clear()
        # Pairs of surrogates come as two words.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _end_paragraph(self) -> None:
        if self._row or self._in_table:
            # A paragraph within a cell: the cell goes on.
            self._flush()
            self._text.append("\n")
        elif text := self._taken():
            self._rows.append([text])

    def _end_row(self) -> None:
        if self._row:
            self._rows.append(self._row)
            self._row = []


def _tokens(data: bytes) -> Iterator[re.Match[bytes]]:
    """The tokens of RTF in order; the raw bytes after ``\\binN`` are none of them."""
    position = 0
    while token := _TOKEN.match(data, position):
        position = token.end()
        if token["word"] == b"bin" and token["number"]:
            position += max(0, int(token["number"]))
        yield token
