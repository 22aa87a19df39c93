"""Locators: one spelling of a place that the page, the command line, JSON and links share (search.md, Beyond).

``<index>/<relative path>#<place>!<cell>`` for what has a cell address, ``…#<place>:<line>`` for the rest,
``<index>/<relative path>`` for a file. In names ``%``, ``#``, ``!``, ``:`` and control characters are ``%XX`` (the code
point in two hexadecimal digits). It names no folder of this machine, so it outlives a move of the sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tebunko.model.errors import UserError

_ENCODED = str.maketrans({c: f"%{ord(c):02X}" for c in ["%", "#", "!", ":", "\x7f", *map(chr, range(0x20))]})
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_CELL = re.compile(r"[A-Za-z]{1,7}[1-9][0-9]{0,9}")
_LINE = re.compile(r"[1-9][0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class Locator:
    """``file`` is relative to the index, ``/`` between its names; ``place`` is a place's name.

    Of ``cell`` (an A1 address) and ``line`` (from 1) one is set if ``place`` is, neither otherwise.
    """

    index: str
    file: str
    place: str | None = None
    cell: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        r"""The locator as it is shown and typed.

        >>> str(Locator("営業", "2024/見積/A社.xlsx", "見積", cell="B13"))
        '営業/2024/見積/A社.xlsx#見積!B13'
        >>> str(Locator("営業", "50%#1.docx", "ページ003", line=2))
        '営業/50%25%231.docx#ページ003:2'
        """
        text = f"{encode_name(self.index)}/{encode_name(self.file)}"
        if self.place is None:
            return text
        end = f":{self.line}" if self.cell is None else f"!{self.cell}"
        return f"{text}#{encode_name(self.place)}{end}"


def encode_name(name: str) -> str:
    """A name as it stands in a locator; ``/`` stays."""
    return name.translate(_ENCODED)


def parse_locator(text: str) -> Locator:
    """The locator that was written so; cell addresses become capitals. Raises UserError if it is none.

    >>> parse_locator("営業/50%25%231.docx#ページ003:2")
    Locator(index='営業', file='50%#1.docx', place='ページ003', cell=None, line=2)
    """
    path, has_place, rest = text.partition("#")
    index, slash, file = path.partition("/")
    if not index or not slash or not file:
        raise _not_a_locator(text)
    if not has_place:
        return Locator(_decode(index, text), _decode(file, text))
    place, mark, position = _split_place(rest)
    if mark == "!" and place and _CELL.fullmatch(position):
        return Locator(_decode(index, text), _decode(file, text), _decode(place, text), cell=position.upper())
    if mark == ":" and place and _LINE.fullmatch(position):
        return Locator(_decode(index, text), _decode(file, text), _decode(place, text), line=int(position))
    raise _not_a_locator(text)


def _split_place(rest: str) -> tuple[str, str, str]:
    for mark in "!:":
        place, found, position = rest.partition(mark)
        if found:
            return place, mark, position
    return rest, "", ""


def _decode(name: str, text: str) -> str:
    def char(match: re.Match[str]) -> str:
        if match[1] is None:
            raise _not_a_locator(text)
        return chr(int(match[1], 16))

    return _ESCAPE.sub(char, name)


def _not_a_locator(text: str) -> UserError:
    return UserError(
        '"{text}" is not a locator. One looks like {sheet} or {other}',
        text=text,
        sheet="営業/2024/A社.xlsx#見積!B13",
        other="営業/報告書.docx#ページ003:12",
    )
