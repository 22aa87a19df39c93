"""Sections that show a number: digits, thousands, percent, exponents (ECMA-376 part 1, 18.8.31), and General."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tebunko.extract.excel.formats.decimals import general, plain, rounded, significant
from tebunko.extract.excel.formats.kanji import NUMERALS, Numerals, digits_of_script
from tebunko.extract.excel.formats.parse import Kind, Section, Token

Render = Callable[[float], str]
"""Shows a number that is not negative; the sign is not its business."""


def numerals_of(section: Section, locale: int) -> Numerals | None:
    """The digits that a section asks for: of a script, or East Asian in its own locale or else that of the display."""
    if not section.dbnum:
        return digits_of_script(section.script)
    return NUMERALS.get((section.locale or locale, section.dbnum)) or NUMERALS.get((locale, section.dbnum))


def literal_section(section: Section) -> Render:
    """A section without a place for the number: its text alone."""
    text = "".join(token.text for token in section.tokens if token.kind in (Kind.LITERAL, Kind.PERCENT))
    return lambda value: text


def general_section(section: Section, numerals: Numerals | None) -> Render:
    """A section with ``General``, or with ``@`` for a number: the General form between literals."""
    kinds = (Kind.GENERAL, Kind.TEXT)
    at = next(index for index, token in enumerate(section.tokens) if token.kind in kinds)
    before = "".join(t.text for t in section.tokens[:at] if t.kind is Kind.LITERAL)
    after = "".join(t.text for t in section.tokens[at + 1 :] if t.kind is Kind.LITERAL)
    show = _spelled(numerals) if numerals else general
    if not before and not after:
        return show
    return lambda value: before + show(value) + after


def _spelled(numerals: Numerals) -> Render:
    def show(value: float) -> str:
        if value >= 1e15 or not numerals.small:
            return numerals.translate(general(value))
        whole, point, part = plain(value).partition(".")
        return numerals.spell(whole) + point + numerals.translate(part)

    return show


class _Digits:
    """A run of digit placeholders and the text between them.

    ``whole`` says on which side of the point it stands; it decides from which end the digits fill it.
    """

    def __init__(self, tokens: Sequence[Token], *, whole: bool, group: bool = False, numerals: Numerals | None = None):
        kinds = (Kind.LITERAL, Kind.PERCENT, Kind.SLASH, Kind.TEXT)
        self.items = [(t.kind is Kind.DIGIT, t.text) for t in tokens if t.kind is Kind.DIGIT or t.kind in kinds]
        self.count = sum(is_digit for is_digit, _ in self.items)
        self.whole = whole
        self.group = group
        self.numerals = numerals
        self._settle_zeros()
        first = next((i for i, item in enumerate(self.items) if item[0]), len(self.items))
        last = next((i for i in range(len(self.items), 0, -1) if self.items[i - 1][0]), first)
        inside = self.items[first:last]
        self.before = "".join(text for _, text in self.items[:first])
        self.after = "".join(text for _, text in self.items[last:])
        self.simple = all(is_digit and text != "?" for is_digit, text in inside)
        self.least = sum(text == "0" for is_digit, text in inside if is_digit)

    def _settle_zeros(self) -> None:
        """Between a 0 and the point every placeholder shows a digit."""
        order = range(len(self.items)) if self.whole else range(len(self.items) - 1, -1, -1)
        zero = False
        for index in order:
            is_digit, text = self.items[index]
            if is_digit:
                zero = zero or text == "0"
                self.items[index] = (True, "0" if zero else text)

    def show_whole(self, digits: str) -> str:
        """The digits before the point ("" for none) in their places."""
        if not self.simple:
            return self._fill_whole(digits)
        if len(digits) < self.least:
            digits = digits.zfill(self.least)
        if self.group and len(digits) > 3:
            digits = _grouped(digits)
        if self.numerals:
            digits = self.numerals.translate(digits)
        return self.before + digits + self.after

    def _fill_whole(self, digits: str) -> str:
        pieces: list[str] = []
        left = len(digits)
        placed = 0
        places = self.count
        for is_digit, text in reversed(self.items):
            if not is_digit:
                pieces.append(text)
                continue
            places -= 1
            if places == 0 and left > 1:
                taken, left = digits[:left], 0
            elif left:
                taken, left = digits[left - 1], left - 1
            else:
                taken = {"0": "0", "?": " "}.get(text, "")
            for char in reversed(taken):
                if self.group and placed and placed % 3 == 0:
                    pieces.append("," if char != " " else " ")
                pieces.append(self._translate(char))
                placed += 1
        return "".join(reversed(pieces))

    def show_part(self, digits: str) -> str:
        """The digits after the point, as many as there are places."""
        if self.simple:
            if self.least < len(digits):
                digits = digits[: self.least] + digits[self.least :].rstrip("0")
            return self.before + self._translate(digits) + self.after
        kept = len(digits.rstrip("0"))
        pieces: list[str] = []
        place = 0
        for is_digit, text in self.items:
            if not is_digit:
                pieces.append(text)
                continue
            shown = place < kept or text == "0"
            pieces.append(self._translate(digits[place]) if shown else " " if text == "?" else "")
            place += 1
        return "".join(pieces)

    def _translate(self, text: str) -> str:
        return self.numerals.translate(text) if self.numerals else text


def _grouped(digits: str) -> str:
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    groups += [digits[index : index + 3] for index in range(head, len(digits), 3)]
    return ",".join(groups)


def number_section(section: Section, numerals: Numerals | None = None) -> Render:
    """A section with digit placeholders, with or without an exponent."""
    tokens = section.tokens
    exponent = next((i for i, t in enumerate(tokens) if t.kind is Kind.EXPONENT), None)
    mantissa = tokens if exponent is None else tokens[:exponent]
    point = next((i for i, t in enumerate(mantissa) if t.kind is Kind.POINT), None)
    group = any(t.kind is Kind.GROUP for t in mantissa)
    whole = _Digits(mantissa[:point], whole=True, group=group, numerals=numerals)
    part = None
    if point is not None:
        part = _Digits(mantissa[point + 1 :], whole=False, numerals=numerals)
    shift = 2 * sum(t.kind is Kind.PERCENT for t in tokens) - 3 * sum(t.kind is Kind.SCALE for t in tokens)
    if exponent is not None:
        signed = tokens[exponent].text == "+"
        power = _Digits(tokens[exponent + 1 :], whole=True, numerals=numerals)
        return _scientific(whole, part, power, shift, signed=signed)
    return _fixed(whole, part, shift)


def _fixed(whole: _Digits, part: _Digits | None, shift: int) -> Render:
    decimals = part.count if part else 0

    def show(value: float) -> str:
        digits, point = significant(value)
        before, after = rounded(digits, point + shift, decimals)
        shown = whole.show_whole(before)
        return f"{shown}.{part.show_part(after)}" if part else shown

    return show


def whole_numbers(section: Section) -> tuple[str, str, str, int] | None:
    """How a section shows most whole numbers, if that is simple: text before, format spec, text after, fewest digits."""
    tokens = section.tokens
    plain = (Kind.LITERAL, Kind.DIGIT, Kind.POINT, Kind.GROUP)
    if (
        section.dbnum
        or section.script
        or not all(token.kind in plain for token in tokens)
        or not section.has(Kind.DIGIT)
    ):
        return None
    point = next((i for i, t in enumerate(tokens) if t.kind is Kind.POINT), None)
    whole = _Digits(tokens[:point], whole=True)
    end = whole.after
    if point is not None:
        part = _Digits(tokens[point + 1 :], whole=False)
        end += "." + part.show_part("0" * part.count)
    if not whole.simple or not whole.count:
        return None
    return whole.before, "," if section.has(Kind.GROUP) else "", end, whole.least


def _scientific(whole: _Digits, part: _Digits | None, power: _Digits, shift: int, *, signed: bool) -> Render:
    """``0.00E+00``; with more than one place before the point the exponent is a multiple of their number."""
    decimals = part.count if part else 0
    step = max(1, whole.count)

    def show(value: float) -> str:
        digits, point = significant(value)
        exponent = 0
        if value:
            point += shift
            exponent = (point - 1) // step * step if whole.count else point
        before, after = rounded(digits, point - exponent, decimals)
        if len(before) > whole.count and value:
            exponent += step
            before, after = rounded(digits, point - exponent, decimals)
        sign = "-" if exponent < 0 else "+" if signed else ""
        shown = whole.show_whole(before) + (f".{part.show_part(after)}" if part else "")
        return f"{shown}E{sign}{power.show_whole(str(abs(exponent)).lstrip('0'))}"

    return show
