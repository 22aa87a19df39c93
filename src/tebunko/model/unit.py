"""Units: what a reader makes of a source file, one per place."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tebunko.model.place import Place, tsv_file_name


class RawValue(NamedTuple):
    """A cell's number where it differs from what the cell shows.

    ``row`` and ``column`` count from 1. A date or time (``is_date``) is a serial of the 1900 date system, whatever
    system the workbook has.
    """

    row: int
    column: int
    number: float
    is_date: bool


class RawValues:
    """The raw values of one sheet, as columns of equal length, in the order in which they were added (row, then column)."""

    __slots__ = ("columns", "dates", "numbers", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.columns = array("H")
        self.numbers = array("d")
        self.dates = bytearray()

    def append(self, row: int, column: int, number: float, is_date: bool = False) -> None:
        """Adds a cell; ``row`` from 1 to 2^32-1, ``column`` from 1 to 65,535."""
        self.rows.append(row)
        self.columns.append(column)
        self.numbers.append(number)
        self.dates.append(is_date)

    def extend(self, cells: Sequence[tuple[int, int, float, bool]]) -> None:
        """Adds many cells, each as `append` takes it."""
        if cells:
            rows, columns, numbers, dates = zip(*cells, strict=True)
            self.rows.extend(rows)
            self.columns.extend(columns)
            self.numbers.extend(numbers)
            self.dates.extend(dates)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RawValue]:
        for row, column, number, is_date in zip(self.rows, self.columns, self.numbers, self.dates, strict=True):
            yield RawValue(row, column, number, bool(is_date))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RawValues) and all(getattr(self, a) == getattr(other, a) for a in self.__slots__)

    __hash__ = None  # type: ignore[assignment]


@dataclass(slots=True)
class Unit:
    """One place and its lines.

    ``lines`` holds no line feed, carriage return, U+001C-U+001F or lone surrogate, and its last line is not empty;
    line numbers count from 1. ``values`` is set for sheets with numbers that show differently.
    """

    place: Place
    lines: list[str]
    values: RawValues | None = None


@dataclass(slots=True)
class Extraction:
    """What reading one source file gave: its units and a sentence for each part that could not be read."""

    units: list[Unit] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


# Lines are looked through so many at once: together is fast, all of them would be a second copy of a large sheet.
_AT_ONCE = 4096

_FORBIDDEN = re.compile("[\x1c-\x1f\r\n\ud800-\udfff]")


def _mend(match: re.Match[str]) -> str:
    char = match[0]
    if char in "\r\n":
        return "\u2028"
    return "" if char < " " else "\ufffd"


def make_unit(place: Place, lines: Sequence[str], values: RawValues | None = None) -> Unit | None:
    r"""A unit of these lines, or None if they hold no visible text (such a place is not written).

    Trailing empty lines are dropped, U+001C-U+001F removed, lone surrogates replaced by U+FFFD, and a stray line
    break inside a line becomes U+2028, so that line numbers hold whatever a reader lets through.

    >>> from tebunko.model.place import part
    >>> make_unit(part("本文"), ["a\x1fb", " ", "", ""]).lines
    ['ab', ' ']
    >>> make_unit(part("本文"), [" ", "\t"]) is None
    True
    """
    kept = list(lines)
    if any(_FORBIDDEN.search("\0".join(kept[i : i + _AT_ONCE])) for i in range(0, len(kept), _AT_ONCE)):
        kept = [_FORBIDDEN.sub(_mend, line) for line in kept]
    end = len(kept)
    while end and not kept[end - 1]:
        end -= 1
    del kept[end:]
    if not any(line and not line.isspace() for line in kept):
        return None
    return Unit(place, kept, values if values else None)


def in_index_order(units: Sequence[Unit]) -> list[Unit]:
    """The units as they stand in the index: by TSV file name, code point order."""
    return sorted(units, key=lambda unit: tsv_file_name(unit.place.name))
