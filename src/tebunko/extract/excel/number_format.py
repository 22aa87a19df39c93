"""Number formats: a compiler from a format code to what Excel shows (extraction.md section 3).

`compile_format` never raises, and what it returns never raises and never loops, whatever the code and the number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from tebunko.extract.excel.formats.dates import DAYS_1904, FILL, date_section
from tebunko.extract.excel.formats.decimals import general, plain
from tebunko.extract.excel.formats.fraction import fraction_section, is_fraction
from tebunko.extract.excel.formats.locales import built_in_code, locale_id
from tebunko.extract.excel.formats.numeric import (
    Render,
    general_section,
    literal_section,
    number_section,
    numerals_of,
    whole_numbers,
)
from tebunko.extract.excel.formats.parse import Condition, Kind, Section, parse

_LOCALISED_IDS = frozenset({0, 14, 22})
_COMPUTED_DIGITS = 14


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A compiled format.

    ``number`` shows a number; ``text`` a text, None if it shows every text as it is. ``is_date``: numbers are dates or
    times of day; ``is_general``: numbers are shown by the General rule alone.
    """

    number: Callable[[float], str]
    text: Callable[[str], str] | None
    is_date: bool
    is_general: bool


def format_code(number: int, custom: dict[int, str], tag: str) -> str:
    """The code of a number format id: a built-in one in the display locale ``tag``, else the workbook's own.

    The ids of General, the short date and the short date with time follow the locale whatever the workbook says.

    >>> format_code(14, {14: "d.m.yy"}, "ja-JP"), format_code(6, {6: "0.0"}, "ja-JP"), format_code(200, {}, "ja-JP")
    ('yyyy/m/d', '0.0', 'General')
    """
    if number in custom and number not in _LOCALISED_IDS:
        return custom[number]
    return built_in_code(number, tag)


@lru_cache(maxsize=4096)
def compile_format(code: str, tag: str = "ja-JP", date1904: bool = False) -> NumberFormat:
    """Compiles a format code for the display locale ``tag`` and the date system from 1900 or 1904.

    >>> compile_format('#,##0;[Red]"▲ "#,##0').number(-1234.5), compile_format("[$-411]ggge.m.d").number(45413)
    ('▲ 1,235', '令和6.5.1')
    """
    sections = parse(code, tag)
    text = None
    if len(sections) == 4 or sections[-1].is_text:
        text = _text_renderer(sections[-1])
        numeric = sections[:-1] if len(sections) == 4 or len(sections) > 1 else sections
    else:
        numeric = sections
    if len(numeric) == 1 and not numeric[0].tokens and not code.strip(";"):
        numeric = numeric if ";" in code else [Section(tokens=parse("General", tag)[0].tokens)]
    cases = _cases(numeric, tag, date1904=date1904)
    is_general = len(numeric) == 1 and [t.kind for t in numeric[0].tokens] in ([Kind.GENERAL], [Kind.TEXT])
    is_general = is_general and not numeric[0].dbnum and not numeric[0].script and numeric[0].condition is None
    return NumberFormat(
        general if is_general else _quick(numeric, _choose(cases)),
        text,
        any(section.is_date for section in numeric),
        is_general,
    )


def _quick(sections: list[Section], show: Render) -> Render:
    """A short way for positive whole numbers, which are most cells, around all that ``show`` must look at."""
    parts = None if sections[0].condition or sections[0].is_date else whole_numbers(sections[0])
    if parts is None:
        return show
    before, spec, after, least = parts
    first = max(1, 10 ** (least - 1)) if least <= 15 else math.inf

    def quick(value: float) -> str:
        if first <= value < 1e15:
            number = int(value)
            if number == value:
                return f"{before}{number:{spec}}{after}"
        return show(value)

    return quick


def _text_renderer(section: Section) -> Callable[[str], str] | None:
    tokens = section.tokens
    if [token.kind for token in tokens] == [Kind.TEXT]:
        return None
    at_kinds = (Kind.TEXT, Kind.GENERAL)
    pieces = [None if t.kind in at_kinds else t.text for t in tokens]
    return lambda text: "".join([text if piece is None else piece for piece in pieces])


@dataclass(frozen=True, slots=True)
class _Case:
    """A section ready to show: which numbers it is for, and whether it drops their minus sign."""

    holds: Callable[[float], bool]
    render: Render
    drops_sign: bool
    shows_negative: bool


def _cases(sections: list[Section], tag: str, *, date1904: bool) -> list[_Case]:
    """The sections in the order in which they are tried (ECMA-376 part 1, 18.8.31, sections and conditions)."""
    conditions = [section.condition for section in sections]
    cases: list[_Case] = []
    for index, section in enumerate(sections):
        condition = conditions[index]
        drops = condition.only_negative if condition else False
        holds: Callable[[float], bool] = condition.holds if condition else _always
        if condition is None and index < len(sections) - 1:
            holds = _default(index, len(sections))
        if condition is None and index == 1:
            drops = _first_leaves_negatives(conditions[0])
        render = _render(section, tag, date1904=date1904)
        cases.append(_Case(holds, render, drops, date1904 or not section.is_date))
    return cases


def _always(value: float) -> bool:
    return True


def _positive(value: float) -> bool:
    return value > 0


def _not_negative(value: float) -> bool:
    return value >= 0


def _negative(value: float) -> bool:
    return value < 0


def _default(index: int, count: int) -> Callable[[float], bool]:
    """The condition of a section that has none and is not the last."""
    if index == 1:
        return _negative
    return _not_negative if count == 2 else _positive


def _first_leaves_negatives(first: Condition | None) -> bool:
    """True if the second section shows negative numbers alone, so that it writes its own sign."""
    return first is None or (first.operator in (">", ">=") and first.limit == 0)


def _render(section: Section, tag: str, *, date1904: bool) -> Render:
    locale = locale_id(tag)
    numerals = numerals_of(section, locale)
    if section.is_date:
        return date_section(section, locale, numerals, date1904=date1904)
    if section.has(Kind.DIGIT):
        return fraction_section(section) if is_fraction(section) else number_section(section, numerals)
    if section.has(Kind.GENERAL, Kind.TEXT):
        return general_section(section, numerals)
    return literal_section(section)


def _choose(cases: list[_Case]) -> Callable[[float], str]:
    if len(cases) == 1 and cases[0].holds is _always:
        return _signed(cases[0])
    shown = [(case.holds, _signed(case)) for case in cases]
    # A single conditional section leaves the rest to General, two leave it unshown.
    otherwise = general if len(cases) == 1 else _fill

    def choose(value: float) -> str:
        for holds, show in shown:
            if holds(value):
                return show(value)
        return otherwise(value)

    return choose


def _fill(value: float) -> str:
    return FILL


def _signed(case: _Case) -> Callable[[float], str]:
    render, drops, shows = case.render, case.drops_sign, case.shows_negative

    def show(value: float) -> str:
        if value >= 0:
            return render(value)
        if not shows:
            return FILL
        return render(-value) if drops else "-" + render(-value)

    return show


def show_number(compiled: NumberFormat, value: float) -> str:
    """What a cell with this format shows for a number; a number that is not finite as Excel's error #NUM!.

    >>> show_number(compile_format("0.0"), 0.25), show_number(compile_format("0"), float("nan"))
    ('0.3', '#NUM!')
    """
    return compiled.number(value) if math.isfinite(value) else "#NUM!"


def raw_number(compiled: NumberFormat, value: float, shown: str, date1904: bool = False) -> float | None:
    """The number to keep beside a shown text because a person might search for it; None if the text is enough.

    A date is kept as a serial of the 1900 date system; a time of day is not kept. Another number is kept unless its
    plain digits stand in the text, or it was evidently computed (more digits than anyone types).

    >>> raw_number(compile_format("#,##0"), 1234567, "1,234,567"), raw_number(compile_format("0.00"), 1 / 3, "0.33")
    (1234567, None)
    >>> raw_number(compile_format("yyyy/m/d", "ja-JP", True), 1, "1904/1/2", True)
    1463
    """
    if compiled.is_date:
        serial = value + DAYS_1904 if date1904 else value
        return serial if serial >= 1 else None
    if value == 0 or not math.isfinite(value):
        return None
    digits = plain(value)
    if digits in shown:
        return None
    if "." in digits and len(digits.replace("-", "").replace(".", "").strip("0")) >= _COMPUTED_DIGITS:
        return None
    return value
