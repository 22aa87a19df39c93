r"""RTF: its paragraphs and table rows (Rich Text Format Specification 1.9.1).

Text is bytes in the code page of the font or of the document, ``\uN`` in Unicode. Groups that hold no text of the document
(fonts, styles, pictures, whatever begins with ``\*``) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

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
    }
)


class Story(StrEnum):
    """The texts of a document that stand apart from each other."""

    BODY = "body"
    HEADER_FOOTER = "header and footer"
    FOOTNOTES = "footnotes"
    COMMENTS = "comments"


_STORIES = {
    **dict.fromkeys((b"header", b"headerl", b"headerr", b"headerf"), Story.HEADER_FOOTER),
    **dict.fromkeys((b"footer", b"footerl", b"footerr", b"footerf"), Story.HEADER_FOOTER),
    b"footnote": Story.FOOTNOTES,
    b"annotation": Story.COMMENTS,
}
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
    """What holds within a group: its story, whether it is passed over, its font, and how many bytes stand in for a ``\\uN``."""

    story: Story = Story.BODY
    unseen: bool = False
    hidden_deletion: bool = False
    fonts: bool = False
    font: int = -1
    stand_in: int = 1


@dataclass(slots=True)
class _Text:
    """What was read of a story: its rows, the cells of the row and the pieces of the paragraph that are being read."""

    rows: list[Row] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    in_table: bool = False


def rtf_rows(data: bytes) -> list[Row]:
    r"""The rows of the body of RTF: a table row its cells, any other paragraph a row of one cell.

    Raises ExtractError(DAMAGED) if its groups are nested without end.

    >>> rtf_rows(rb"{\rtf1\ansi\ansicpg932{\fonttbl{\f0 X;}}\'93\'fa\u26412?\par a\cell b\cell\row}")
    [['日本'], ['a', 'b']]
    """
    return rtf_stories(data)[Story.BODY]


def rtf_stories(data: bytes) -> dict[Story, list[Row]]:
    """The rows of each story of RTF, as `rtf_rows` gives those of the body. Raises ExtractError(DAMAGED) as it does."""
    return _Reading().read(data)


class _Reading:
    def __init__(self) -> None:
        self._stories = {story: _Text() for story in Story}
        self._story = self._stories[Story.BODY]
        self._bytes = bytearray()
        self._codec = "cp1252"
        self._font_codecs: dict[int, str] = {}
        self._group = _Group()
        self._outer: list[_Group] = []
        self._skip = 0
        self._starred = False

    def read(self, data: bytes) -> dict[Story, list[Row]]:
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
        self._flush()
        for story in self._stories.values():
            self._story = story
            self._end_story()
        return {story: text.rows for story, text in self._stories.items()}

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip = 0
        self._starred = False
        if brace == b"{":
            if len(self._outer) >= _DEEPEST:
                raise ExtractError(Reason.DAMAGED, "RTF with groups too deep")
            self._outer.append(self._group)
        elif self._outer:
            ended, self._group = self._group, self._outer.pop()
            if ended.story is not self._group.story:
                self._end_story()
                self._story = self._stories[self._group.story]

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
        if word in _STORIES:
            self._begin_story(_STORIES[word])
        elif word in _PASSED_OVER or (self._starred and word != b"shppict"):
            self._group = replace(self._group, unseen=True, fonts=self._group.fonts or word == b"fonttbl")
        elif word in _CHARACTERS:
            self._add(_CHARACTERS[word])
        elif not self._group.unseen and self._structure(word):
            pass
        else:
            self._setting(word, number, digits)
        self._starred = False

    def _begin_story(self, story: Story) -> None:
        if not self._group.unseen:
            self._group = replace(self._group, story=story)
            self._story = self._stories[story]

    def _end_story(self) -> None:
        self._story.in_table = False
        self._end_row()
        self._end_paragraph()

    def _structure(self, word: bytes) -> bool:
        """Ends a paragraph, cell or row, or enters or leaves a table; False if the word does none of these."""
        if word in _PARAGRAPH_ENDS:
            self._end_paragraph()
        elif word in (b"cell", b"nestcell"):
            self._story.row.append(self._taken())
        elif word in (b"row", b"nestrow"):
            self._taken()
            self._end_row()
        elif word in (b"intbl", b"pard"):
            self._story.in_table = word == b"intbl"
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
        elif word in _DOCUMENT_CHARSETS and not self._story.rows and not self._story.pieces:
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
            self._story.pieces.append(text)

    def _flush(self) -> None:
        """Decodes the bytes gathered since the font may last have changed: a character may be several tokens."""
        if self._bytes:
            codec = self._font_codecs.get(self._group.font, self._codec)
            self._story.pieces.append(self._bytes.decode(codec, "replace"))
            self._bytes.clear()

    def _taken(self) -> str:
        self._flush()
        text = "".join(self._story.pieces)
        self._story.pieces.clear()
        # Pairs of surrogates come as two words.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _end_paragraph(self) -> None:
        if self._story.row or self._story.in_table:
            # A paragraph within a cell: the cell goes on.
            self._flush()
            self._story.pieces.append("\n")
        elif text := self._taken():
            self._story.rows.append([text])

    def _end_row(self) -> None:
        if self._story.row:
            self._story.rows.append(self._story.row)
            self._story.row = []


def _tokens(data: bytes) -> Iterator[re.Match[bytes]]:
    """The tokens of RTF in order; the raw bytes after ``\\binN`` are none of them."""
    position = 0
    while token := _TOKEN.match(data, position):
        position = token.end()
        if token["word"] == b"bin" and token["number"]:
            position += max(0, int(token["number"]))
        yield token
