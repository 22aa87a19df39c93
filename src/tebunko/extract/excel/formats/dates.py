"""Sections that show a date, a time or an elapsed time, in the date systems from 1900 and 1904."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from tebunko.extract.excel.formats.kanji import CHINESE, JAPANESE, KOREAN, TAIWANESE, Numerals
from tebunko.extract.excel.formats.locales import names_of, unnamed_names
from tebunko.extract.excel.formats.numeric import Render
from tebunko.extract.excel.formats.parse import Kind, Section, Token, half_locale

LAST_SERIAL = 2_958_465
"""9999-12-31 in the 1900 date system."""

DAYS_1904 = 1462
"""What a serial of the 1904 date system lacks to one of 1900."""

FILL = "########"
"""What a date that cannot be shown becomes; Excel fills the cell, whatever its width."""

_BEFORE_MARCH_1900 = 693_595
_FROM_MARCH_1900 = 693_594
_PHANTOM = 60

# First day in the 1900 date system, letter, one character, whole name. Excel's dates start in Meiji 33.
_ERAS = (
    (43586, "R", "令", "令和", 2018),
    (32516, "H", "平", "平成", 1988),
    (9856, "S", "昭", "昭和", 1925),
    (4595, "T", "大", "大正", 1911),
    (0, "M", "明", "明治", 1867),
)

_BUDDHIST = 543
_REPUBLIC_OF_CHINA = 1911
_THAI_CALENDAR = 7


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time as the parts of a section show it; ``ticks`` are the units of the section since serial 0."""

    serial: int
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    fraction: int
    ticks: int


Piece = Callable[[Moment], str]


def civil(serial: int) -> tuple[int, int, int]:
    """Year, month and day of a serial of the 1900 date system, with its 1900-02-29 and its day 0.

    >>> civil(0), civil(59), civil(60), civil(61), civil(45413)
    ((1900, 1, 0), (1900, 2, 28), (1900, 2, 29), (1900, 3, 1), (2024, 5, 1))
    """
    if serial == 0:
        return 1900, 1, 0
    if serial == _PHANTOM:
        return 1900, 2, 29
    found = date.fromordinal(serial + (_BEFORE_MARCH_1900 if serial < _PHANTOM else _FROM_MARCH_1900))
    return found.year, found.month, found.day


def era(serial: int, year: int) -> tuple[str, str, str, int]:
    """The Japanese era of a day: its letter, its first character, its name, and the year of the era.

    >>> era(45413, 2024), era(32515, 1989)
    (('R', '令', '令和', 6), ('S', '昭', '昭和', 64))
    """
    for first, letter, short, name, before in _ERAS:
        if serial >= first:
            return letter, short, name, year - before
    return "", "", "", year


def date_section(section: Section, locale: int, numerals: Numerals | None, *, date1904: bool) -> Render:
    """A section with date or time parts, for numbers that are not negative.

    ``locale`` is the Windows locale id of the display. A number that is no date gives `FILL`.
    """
    tokens = section.tokens
    places = min(max((len(t.text) for t in tokens if t.kind is Kind.FRACTION_OF_SECOND), default=0), 9)
    per_second = 10**places
    has_time = section.has(Kind.ELAPSED, Kind.HALF) or any(
        t.text[0] in "hs" or t.text.startswith("mi") for t in tokens if t.kind is Kind.DATE
    )
    pieces = _Pieces(section, locale, numerals, per_second).build()
    offset = DAYS_1904 if date1904 else 0

    def show(value: float) -> str:
        if not value < LAST_SERIAL + 1 - offset:
            return FILL
        moment = _moment(value, offset, per_second, has_time=has_time)
        if moment is None:
            return FILL
        return "".join([piece(moment) for piece in pieces])

    return show


def _moment(value: float, offset: int, per_second: int, *, has_time: bool) -> Moment | None:
    """The moment, rounded to the smallest part that the section shows, a second at most."""
    if not has_time:
        # A hair before midnight is midnight: a tenth of a millisecond, the noise of a sum of times.
        serial = int(value + 1e-9) + offset
        if serial > LAST_SERIAL:
            return None
        return Moment(serial, *civil(serial), 0, 0, 0, 0, 0)
    days = int(value)
    in_day = int((value - days) * 86400 * per_second + 0.5 + 1e-6 * per_second)
    ticks = days * 86400 * per_second + in_day
    seconds, fraction = divmod(ticks, per_second)
    days, seconds = divmod(seconds, 86400)
    serial = days + offset
    if serial > LAST_SERIAL:
        return None
    hour, rest = divmod(seconds, 3600)
    return Moment(serial, *civil(serial), hour, rest // 60, rest % 60, fraction, ticks)


class _Pieces:
    """Turns the tokens of a date section into functions of a moment."""

    def __init__(self, section: Section, locale: int, numerals: Numerals | None, per_second: int) -> None:
        self.section = section
        self.numerals = numerals
        self.per_second = per_second
        self.display = locale
        self.names = names_of(section.locale) if section.locale else unnamed_names(locale)
        self.east_asian = names_of(section.locale or locale)
        self.calendar = section.locale or locale
        self.twelve = section.has(Kind.HALF)

    def build(self) -> list[Piece]:
        tokens = self.section.tokens
        following = (*tokens[1:], Token(Kind.LITERAL, ""))
        return [self._piece(token, after) for token, after in zip(tokens, following, strict=True)]

    def _piece(self, token: Token, after: Token) -> Piece:
        text = token.text
        if token.kind is Kind.DATE:
            if text == "e" and self.section.first_year and after.text.startswith("年"):
                return self._first_year
            return self._date(text)
        if token.kind is Kind.ELAPSED:
            return self._elapsed(text)
        if token.kind is Kind.HALF:
            return self._half(text)
        if token.kind is Kind.FRACTION_OF_SECOND:
            return lambda m: f".{m.fraction:0{len(text)}d}"
        return lambda m: text

    def _date(self, text: str) -> Piece:
        letter = text[0]
        if text in ("mi", "mimi"):
            return self._number(lambda m: m.minute, len(text) // 2)
        if letter == "h":
            if self.twelve:
                return self._number(lambda m: (m.hour - 1) % 12 + 1 if m.hour else 12, len(text))
            return self._number(lambda m: m.hour, len(text))
        if letter == "s":
            return self._number(lambda m: m.second, len(text))
        if letter in "yb":
            return self._year(text)
        if letter in "ger":
            return self._era(text)
        return self._day_or_month(text)

    def _day_or_month(self, text: str) -> Piece:
        names = self.names
        if text in ("d", "dd"):
            return self._number(lambda m: m.day, len(text))
        if text in ("m", "mm"):
            return self._number(lambda m: m.month, len(text))
        if text == "ddd":
            return lambda m: names.short_days[(m.serial - 1) % 7]
        if text == "dddd":
            return lambda m: names.days[(m.serial - 1) % 7]
        if text == "mmm":
            return lambda m: names.short_months[m.month - 1]
        if text == "mmmm":
            return lambda m: names.months[m.month - 1]
        if text == "mmmmm":
            return lambda m: names.months[m.month - 1][0]
        asian = self.east_asian
        if text == "aaa":
            return lambda m: asian.short_days[(m.serial - 1) % 7]
        return lambda m: asian.days[(m.serial - 1) % 7]

    def _year(self, text: str) -> Piece:
        buddhist = text[0] == "b" or self.section.calendar == _THAI_CALENDAR
        more = _BUDDHIST if buddhist else 0
        if len(text) == 2:
            return self._positional(lambda m: f"{(m.year + more) % 100:02d}")
        return self._positional(lambda m: str(m.year + more))

    def _era(self, text: str) -> Piece:
        if self.calendar & 0x3FF != JAPANESE & 0x3FF:
            return self._foreign_era(text)
        if text[0] == "g":
            which = len(text) - 1
            return lambda m: str(era(m.serial, m.year)[which])
        year = self._number(lambda m: era(m.serial, m.year)[3], 1 if text == "e" else 2)
        if text == "rr":
            return lambda m: era(m.serial, m.year)[2] + year(m)
        return year

    def _foreign_era(self, text: str) -> Piece:
        """Taiwan counts from 1911; elsewhere ``e`` is the year and there is no name for the era."""
        taiwan = self.calendar == TAIWANESE
        if text[0] == "g":
            name = "中華民國" if len(text) == 3 else "民國"
            return (lambda m: name) if taiwan else (lambda m: "")
        if taiwan:
            return self._number(lambda m: m.year - _REPUBLIC_OF_CHINA * (m.year > _REPUBLIC_OF_CHINA), len(text))
        return self._positional(lambda m: str(m.year))

    def _first_year(self, moment: Moment) -> str:
        number = era(moment.serial, moment.year)[3]
        return "元" if number == 1 else self._number(lambda m: number, 1)(moment)

    def _half(self, text: str) -> Piece:
        own = half_locale(text)
        if own:
            before, after = text.split("/")
        elif len(text) == 3:
            before, after = text[0], text[2]
        else:
            before, after = "AM", "PM"
        if self.section.locale in (JAPANESE, CHINESE, TAIWANESE, KOREAN):
            before, after = self.names.halves
        return lambda m: after if m.hour >= 12 else before

    def _elapsed(self, text: str) -> Piece:
        size = self.per_second * {"h": 3600, "m": 60, "s": 1}[text[0]]
        width = len(text)
        return self._positional(lambda m: f"{m.ticks // size:0{width}d}")

    def _number(self, part: Callable[[Moment], int], width: int) -> Piece:
        """A part of one or two digits, spelled out where the section asks for East Asian digits."""
        numerals = self.numerals
        if numerals is None:
            return (lambda m: str(part(m))) if width == 1 else (lambda m: f"{part(m):02d}")
        if self.section.dbnum == 3 or not numerals.small:
            return lambda m: numerals.translate(f"{part(m):0{width}d}")
        return lambda m: numerals.spell(str(part(m)))

    def _positional(self, show: Piece) -> Piece:
        numerals = self.numerals
        return (lambda m: numerals.translate(show(m))) if numerals else show
