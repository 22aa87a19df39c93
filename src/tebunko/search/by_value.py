"""Numbers and dates by value: which cells hold what a word says, whatever they show (search.md, Beyond).

A word that is a number (``1234567``, ``1,234,567``, ``-0.5``, ``4.9E12``) or a date (``2024-05-01``, ``2024/5/1``, ``2024年5月1日``,
``令和6年5月1日``, ``R6.5.1``) also finds the cells whose raw value is that number or falls on that day. Numbers are the
same if their first 15 digits are, all that Excel keeps. A number does not find dates, nor a date numbers. Cells that show nothing
are not found: there would be nothing to mark.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from tebunko.store.content import PlaceSpan
from tebunko.store.sources import SourceFile
from tebunko.store.values import ValueRange, find_cells

_NUMBER = re.compile(r"([+-]?)((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?)")
_DATES = (
    re.compile(r"(?P<year>[0-9]{4})(?P<by>[-/.])(?P<month>[0-9]{1,2})(?P=by)(?P<day>[0-9]{1,2})"),
    re.compile(r"(?P<year>[0-9]{4})年(?P<month>[0-9]{1,2})月(?P<day>[0-9]{1,2})日"),
    re.compile(
        r"(?P<era>明治|大正|昭和|平成|令和)(?P<year>[0-9]{1,2}|元)年(?P<month>[0-9]{1,2})月(?P<day>[0-9]{1,2})日"
    ),
    re.compile(
        r"(?P<era>[MTSHRmtshr])(?P<year>[0-9]{1,2})(?P<by>[-/.])(?P<month>[0-9]{1,2})(?P=by)(?P<day>[0-9]{1,2})"
    ),
)
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_ERAS |= {"M": 1867, "T": 1911, "S": 1925, "H": 1988, "R": 2018}
_FIRST_DAY = date(1900, 3, 1)
_FIRST_SERIAL = 61  # Excel counts a 29 February 1900, so serials of the days before it are one less
_DIGITS = 15
_LINE_END = re.compile("\n")


@dataclass(frozen=True, slots=True)
class CellMatch:
    """Cells of one row whose value is that of a word; ``columns`` from 1."""

    word: str
    columns: tuple[int, ...]


FoundValues = Mapping[tuple[str, str], Mapping[int, Sequence[CellMatch]]]
"""By stored name of a source file and name of a place: the matches by row, from 1, in order."""


class ValuedLine(NamedTuple):
    """A line of a text on which words stand by value, each with what its cells show (spans of the line)."""

    start: int
    end: int
    words: dict[str, list[tuple[int, int]]]


def sought_values(word: str) -> ValueRange | None:
    """The values that a word means, None if it is neither a number nor a date.

    >>> sought_values("1,234,567") == sought_values("１２３４５６７"), sought_values("A1")
    (True, None)
    >>> sought_values("令和6年5月1日") == sought_values("2024-05-01") == ValueRange(45413.0, math.nextafter(45414.0, 0), True)
    True
    """
    text = _narrow(word)
    number = _number(text)
    if number is not None:
        return _around(number)
    for pattern in _DATES:
        if match := pattern.fullmatch(text):
            return _day_of(match.groupdict())
    return None


def plain_number(word: str) -> str | None:
    """What a cell without a format shows for the number that a word is, None if that is the word itself.

    The values of such cells are not kept, since they are what they show.

    >>> plain_number("1,234,567"), plain_number("0.50"), plain_number("12"), plain_number("x")
    ('1234567', '0.5', None, None)
    """
    number = _number(_narrow(word))
    text = "" if number is None else f"{number:.15g}"
    return text if text not in ("", word) and "e" not in text else None


def _narrow(word: str) -> str:
    return unicodedata.normalize("NFKC", word).replace("\u2212", "-").strip()


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text.replace(",", ""))
    return number if math.isfinite(number) else None


def _around(number: float) -> ValueRange:
    """All numbers that show the same first 15 digits."""
    if number == 0:
        return ValueRange(0.0, 0.0, False)
    exponent = math.floor(math.log10(abs(number)))
    half = 0.5 * 10.0 ** (exponent - _DIGITS + 1)
    return ValueRange(number - half, number + half, False)


def _day_of(parts: Mapping[str, str | None]) -> ValueRange | None:
    year = 1 if parts["year"] == "元" else int(parts["year"] or 0)
    era = parts.get("era")
    try:
        day = date(year + (_ERAS[era.upper()] if era else 0), int(parts["month"] or 0), int(parts["day"] or 0))
    except ValueError:
        return None
    serial = (day - _FIRST_DAY).days + _FIRST_SERIAL
    if day < _FIRST_DAY:
        serial -= 1
    return ValueRange(float(serial), math.nextafter(serial + 1.0, 0.0), True) if serial > 0 else None


def find_values(sources: SourceFile, sought: Mapping[str, ValueRange]) -> FoundValues:
    """The cells of a content file's source files with a sought value; ``sought`` maps words to values.

    Packed values that cannot be read hold nothing.
    """
    found: dict[tuple[str, str], dict[int, list[CellMatch]]] = {}
    for name, packed in sources.all_packed():
        for word, place, row, columns in find_cells(packed, sought):
            found.setdefault((name, place), {}).setdefault(row, []).append(CellMatch(word, columns))
    return {key: dict(sorted(rows.items())) for key, rows in found.items()}


def valued_lines(
    text: str, places: Sequence[PlaceSpan], found: FoundValues, words: Container[str], plain: Mapping[str, str]
) -> Iterator[ValuedLine]:
    """The lines of a text that hold one of ``words`` by value and show something there, in order.

    ``plain`` are words with what cells without a format show for them (`plain_number`).
    """
    for place in places:
        if not place.place.is_cells:
            continue
        lines: dict[int, ValuedLine] = {}
        rows = found.get((place.source, place.place.name), {})
        for start, end, matches in _lines_of_rows(text, place, rows):
            spans = {m.word: _cell_spans(text[start:end], m.columns) for m in matches if m.word in words}
            lines[start] = ValuedLine(start, end, {word: cells for word, cells in spans.items() if cells})
        for word, shown in plain.items():
            for start, end, span in _cells_showing(text, place, shown):
                cells = lines.setdefault(start, ValuedLine(start, end, {})).words.setdefault(word, [])
                cells += [span] if span not in cells else []
        yield from (line for _, line in sorted(lines.items()) if line.words)


def _lines_of_rows(
    text: str, place: PlaceSpan, rows: Mapping[int, Sequence[CellMatch]]
) -> Iterator[tuple[int, int, Sequence[CellMatch]]]:
    """Where the rows of a sheet stand in the text; rows behind its last line are left out."""
    if not rows:
        return
    ends = [match.start() for match in _LINE_END.finditer(text, place.start, place.end)]
    for row, matches in rows.items():
        at = row - place.first
        if 0 <= at < len(ends):
            yield ends[at - 1] + 1 if at else place.start, ends[at], matches


def _cells_showing(text: str, place: PlaceSpan, shown: str) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """The cells of a sheet that show exactly this: where their line begins and ends, and their span in it."""
    at = text.find(shown, place.start, place.end)
    while at >= 0:
        behind = at + len(shown)
        if (at == place.start or text[at - 1] in "\t\n") and text[behind : behind + 1] in ("\t", "\n", ""):
            start = text.rfind("\n", place.start, at) + 1 or place.start
            end = text.find("\n", behind, place.end)
            yield start, place.end if end < 0 else end, (at - start, behind - start)
        at = text.find(shown, behind, place.end)


def _cell_spans(line: str, columns: Sequence[int]) -> list[tuple[int, int]]:
    return [span for column in columns if (span := cell_span(line, column)) is not None]


def cell_span(line: str, column: int) -> tuple[int, int] | None:
    """Where the text that a cell shows stands in the line of its row, without the quotes it may be stored in.

    None if it shows nothing.

    >>> cell_span('a\\t"1,234"\\tb', 2), cell_span("a", 2)
    ((3, 8), None)
    """
    start = 0
    for _ in range(column - 1):
        start = line.find("\t", start) + 1
        if not start:
            return None
    end = line.find("\t", start)
    end = len(line) if end < 0 else end
    if end - start > 2 and line[start] == line[end - 1] == '"':
        return start + 1, end - 1
    return (start, end) if end > start else None
