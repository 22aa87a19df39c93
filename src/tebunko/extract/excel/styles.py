"""What a cell shows, by its style: the bridge from stored values to text, with a memory of what was shown before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time

from lxml import etree

from tebunko.extract.excel.cells import cell_text
from tebunko.extract.excel.formats.dates import DAYS_1904
from tebunko.extract.excel.formats.parse import LONGEST_CODE
from tebunko.extract.excel.number_format import (
    NumberFormat,
    compile_format,
    format_code,
    raw_number,
)

Shown = tuple[str, float | None, bool]
"""A shown number: its text as it stands in a line, the raw number to keep or None, and whether that is a date."""

_REMEMBERED = 8192

_FAILURES = (ArithmeticError, ValueError, IndexError, TypeError)

_TYPED_DIGITS = 15

PLAIN_DIGITS = 11
"""A whole number of this many digits is shown by General as it is stored."""


class CellStyle(dict[str, Shown]):
    """One cell style: what numbers show, by their text in the file; filled as they are met.

    ``text`` is what the format makes of a text before it is quoted, None if it leaves it as it is. ``plain_digits`` is
    true if a whole number of at most `PLAIN_DIGITS` digits shows as it is. ``failures`` counts numbers that the format
    could not show and that stand as they are stored.
    """

    __slots__ = ("_compiled", "_date1904", "_is_date", "_show", "failures", "plain_digits", "text")

    def __init__(self, compiled: NumberFormat, date1904: bool) -> None:
        super().__init__()
        self._compiled = compiled
        self._date1904 = date1904
        self._is_date = compiled.is_date
        self._show = compiled.number
        self.text: Callable[[str], str] | None = compiled.text
        self.plain_digits = compiled.is_general
        self.failures = 0

    def __missing__(self, stored: str) -> Shown:
        """What a number shows that is met for the first time; a text that is no number as it is."""
        try:
            value = float(stored)
        except ValueError:
            return cell_text(stored), None, False
        if len(self) >= _REMEMBERED:
            self.clear()
        if self._is_date or len(stored) > _TYPED_DIGITS or not stored.isdecimal():
            found = self[stored] = self.number(value)
            return found
        # A whole number: its digits in the file are those that a person would type.
        try:
            shown = self._show(value)
        except _FAILURES:
            self.failures += 1
            return stored, None, False
        found = self[stored] = cell_text(shown), None if stored in shown or not value else value, False
        return found

    def number(self, value: float) -> Shown:
        """What a number shows. Never raises: a number that cannot be shown is given as it is, and counted."""
        if value - value != 0:
            return "#NUM!", None, False
        try:
            shown = self._show(value)
            raw = raw_number(self._compiled, value, shown, self._date1904)
        except _FAILURES:
            self.failures += 1
            return repr(value), None, False
        return cell_text(shown), raw, raw is not None and self._is_date


class Styles:
    """The cell styles of a workbook by index; an index beyond the last, or None, is General."""

    def __init__(self, format_ids: list[int], codes: dict[int, str], locale: str, *, date1904: bool) -> None:
        self._ids = format_ids
        self._codes = codes
        self._locale = locale
        self._date1904 = date1904
        self._by_format: dict[int, CellStyle] = {}

    def __getitem__(self, index: int) -> CellStyle:
        """The style with this index. Styles that share a number format are one."""
        number = self._ids[index] if 0 <= index < len(self._ids) else 0
        style = self._by_format.get(number)
        if style is None:
            # Cut before it becomes the key of a cache that outlives the workbook.
            code = format_code(number, self._codes, self._locale)[:LONGEST_CODE]
            style = CellStyle(compile_format(code, self._locale, self._date1904), self._date1904)
            self._by_format[number] = style
        return style

    @property
    def date1904(self) -> bool:
        """True if the workbook counts days from 1904."""
        return self._date1904

    @property
    def failures(self) -> int:
        """How many numbers no format could show."""
        return sum(style.failures for style in self._by_format.values())


def read_styles(root: etree._Element, locale: str, *, date1904: bool) -> Styles:
    """The styles of a ``styleSheet`` (ECMA-376 part 1, 18.8): number formats and the cell formats that use them."""
    codes: dict[int, str] = {}
    ids: list[int] = []
    for element in root.iterchildren(tag=etree.Element):
        name = etree.QName(element).localname
        if name == "numFmts":
            for child in element.iterchildren(tag=etree.Element):
                codes[_integer(child.get("numFmtId"))] = child.get("formatCode", "")
        elif name == "cellXfs":
            ids = [_integer(child.get("numFmtId")) for child in element.iterchildren(tag=etree.Element)]
    return Styles(ids, codes, locale, date1904=date1904)


def _integer(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0


_EPOCH = datetime(1899, 12, 30)
_MARCH_1900 = 61


def iso_serial(text: str, *, date1904: bool) -> float | None:
    """The serial of an ISO 8601 date, date with time, or time, as in cells with ``t="d"``; None if it is none.

    >>> iso_serial("2024-05-01T12:00:00", date1904=False), iso_serial("06:00:00", date1904=False)
    (45413.5, 0.25)
    >>> iso_serial("1900-01-01", date1904=False), iso_serial("1904-01-02", date1904=True), iso_serial("x", date1904=False)
    (1.0, 1.0, None)
    """
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            clock = time.fromisoformat(text)
        except ValueError:
            return None
        return (clock.hour * 3600 + clock.minute * 60 + clock.second + clock.microsecond / 1e6) / 86400
    delta = moment.replace(tzinfo=None) - _EPOCH
    serial = delta.days + (delta.seconds + delta.microseconds / 1e6) / 86400
    if serial < _MARCH_1900:
        serial -= 1
    return serial - DAYS_1904 if date1904 else serial
