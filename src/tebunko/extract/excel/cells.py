"""What all Excel readers share about cells: addresses, the quoting rule, escapes in texts."""

from __future__ import annotations

import re

LAST_ROW = 1_048_576
LAST_COLUMN = 16_384

LINE_BREAK = "\u2028"

_QUOTED = re.compile('[\t\r\n",]')
_BREAKS = re.compile("\r\n|[\r\n]")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")


def cell_text(text: str) -> str:
    r"""A cell's text as it stands in a line: a line break becomes U+2028; a text with a tab, line break, `"` or `,` is quoted.

    extraction.md section 2, as Excel's "Unicode text" does it.

    >>> cell_text("1,234"), cell_text('a"b'), cell_text("a\r\nb\nc"), cell_text("a b")
    ('"1,234"', '"a""b"', '"a\u2028b\u2028c"', 'a b')
    """
    if _QUOTED.search(text) is None:
        return text
    if "\n" in text or "\r" in text:
        text = _BREAKS.sub(LINE_BREAK, text)
    return '"' + text.replace('"', '""') + '"'


def unescape(text: str) -> str:
    r"""A text with its ``_xHHHH_`` escapes decoded (ECMA-376 part 1, 22.9.2.19); control characters but tab and line breaks go.

    >>> unescape("a_x000D__x000A_b"), unescape("_x005F_x000D_"), unescape("_xD83D__xDE00_"), unescape("a_x0007_")
    ('a\r\nb', '_x000D_', '😀', 'a')
    """
    if "_x" not in text:
        return text
    decoded = _ESCAPE.sub(_unescape_one, text)
    if _SURROGATE.search(decoded):
        decoded = decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return decoded


def _unescape_one(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code >= 32 or code in (9, 10, 13) else ""


class _Columns(dict[str, int]):
    """Column numbers from 1 by their letters, filled as they are met; 0 for a column beyond the last."""

    def __missing__(self, letters: str) -> int:
        number = 0
        for letter in letters[:4]:
            number = number * 26 + ord(letter) - 64
        if number > LAST_COLUMN:
            return 0
        self[letters] = number
        return number


COLUMNS = _Columns()
"""Column number by upper-case letters: ``COLUMNS["AA"] == 27``."""

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})")


def column_letters(column: int) -> str:
    """The letters of a column number from 1.

    >>> column_letters(1), column_letters(27), column_letters(16384)
    ('A', 'AA', 'XFD')
    """
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def address(row: int, column: int) -> str:
    """The address of a cell; both count from 1."""
    return f"{column_letters(column)}{row}"


def parse_address(text: str) -> tuple[int, int] | None:
    """Row and column, from 1, of the first cell of an address or range; None if it is none.

    >>> parse_address("C10"), parse_address("$B$2:D4"), parse_address("ZZZ1"), parse_address("")
    ((10, 3), (2, 2), None, None)
    """
    match = _ADDRESS.match(text)
    if match is None:
        return None
    row, column = int(match[2]), COLUMNS[match[1].upper()]
    return (row, column) if column and row <= LAST_ROW else None
