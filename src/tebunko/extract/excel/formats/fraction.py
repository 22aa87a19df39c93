"""Sections that show a fraction: ``# ?/?`` with a free denominator, ``# ??/16`` with a fixed one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tebunko.extract.excel.formats.decimals import significant
from tebunko.extract.excel.formats.numeric import Render
from tebunko.extract.excel.formats.parse import Kind, Section, Token

_MOST_PLACES = 15


def is_fraction(section: Section) -> bool:
    """True if a slash stands between two runs of digit placeholders."""
    kinds = [token.kind for token in section.tokens]
    return any(
        kinds[i - 1] is Kind.DIGIT and kinds[i] is Kind.SLASH and kinds[i + 1] is Kind.DIGIT
        for i in range(1, len(kinds) - 1)
    )


def fraction_section(section: Section) -> Render:
    """A fraction: the digits before the numerator, if there are any, show the whole part."""
    tokens = section.tokens
    slash = next(i for i, t in enumerate(tokens) if t.kind is Kind.SLASH and i and tokens[i - 1].kind is Kind.DIGIT)
    start = slash
    while start and tokens[start - 1].kind is Kind.DIGIT:
        start -= 1
    end = slash + 1
    while end < len(tokens) and tokens[end].kind is Kind.DIGIT:
        end += 1
    numerator = _text(tokens[start:slash])
    denominator = _text(tokens[slash + 1 : end])
    last = max((i for i in range(start) if tokens[i].kind is Kind.DIGIT), default=-1)
    whole = _text([t for t in tokens[: last + 1] if t.kind is Kind.DIGIT])
    before = _literals(tokens[: last + 1])
    gap = _literals(tokens[last + 1 : start])
    after = _literals(tokens[end:])

    def show(value: float) -> str:
        units, top, bottom = split(value, denominator, mixed=bool(whole))
        shown_top = _padded(str(top), numerator)
        shown_bottom = str(bottom)
        if bottom_is_free(denominator):
            shown_bottom = _padded_right(shown_bottom, denominator)
        fraction = f"{shown_top}/{shown_bottom}"
        if not whole:
            return before + gap + fraction + after
        shown_units = _padded(str(units) if units else "", whole)
        if top == 0 and "0" not in numerator:
            return before + _padded(str(units), whole) + " " * len(gap + fraction) + after
        return before + shown_units + gap + fraction + after

    return show


def bottom_is_free(denominator: str) -> bool:
    """True if the code leaves the denominator open: it has no digit from 1 to 9.

    >>> bottom_is_free("??"), bottom_is_free("16"), bottom_is_free("00")
    (True, False, True)
    """
    return not any(char in "123456789" for char in denominator)


def split(value: float, denominator: str, *, mixed: bool) -> tuple[int, int, int]:
    """Whole part, numerator and denominator of a number that is not negative; no whole part unless ``mixed``.

    >>> split(12.345, "??", mixed=True), split(0.25, "2", mixed=True), split(1.25, "?", mixed=False)
    ((12, 10, 29), (0, 1, 2), (0, 5, 4))
    """
    digits, point = significant(value)
    exact = Fraction(int(digits)) * Fraction(10) ** (point - len(digits))
    units = int(exact) if mixed else 0
    rest = exact - units
    if bottom_is_free(denominator):
        top, bottom = last_convergent(rest, 10 ** min(len(denominator), _MOST_PLACES) - 1)
    else:
        bottom = int("".join(char if char.isdecimal() else "0" for char in denominator))
        top = int(rest * bottom + Fraction(1, 2))
    if mixed and top == bottom:
        return units + 1, 0, bottom
    return units, top, bottom


def last_convergent(exact: Fraction, most: int) -> tuple[int, int]:
    """The last convergent of the continued fraction whose denominator is at most ``most``.

    Excel takes this, not the closest fraction there is.

    >>> last_convergent(Fraction(9, 10), 9), last_convergent(Fraction(1234, 10000), 999)
    ((1, 1), (106, 859))
    """
    top, bottom = exact.numerator, exact.denominator
    before, now = (0, 1), (1, 0)
    while bottom:
        quotient, rest = divmod(top, bottom)
        following = (quotient * now[0] + before[0], quotient * now[1] + before[1])
        if following[1] > most:
            break
        before, now = now, following
        top, bottom = bottom, rest
    return now


def _text(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)


def _literals(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens if t.kind in (Kind.LITERAL, Kind.PERCENT, Kind.SLASH))


def _padded(digits: str, places: str) -> str:
    """Digits right-aligned in their places: zeros for 0, blanks for ?, nothing for #."""
    missing = places[: max(0, len(places) - len(digits))]
    fill = ""
    for char in missing:
        fill += "0" if char == "0" or "0" in fill else " " if char == "?" else ""
    return fill + digits


def _padded_right(digits: str, places: str) -> str:
    """A denominator, left-aligned: blanks after it for ?."""
    if "0" in places:
        return digits.zfill(places.count("0"))
    return digits + " " * places[len(digits) :].count("?")
