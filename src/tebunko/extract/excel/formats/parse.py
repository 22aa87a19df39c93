"""A number format code as sections of tokens (ECMA-376 part 1, 18.8.30 and 18.8.31).

Parsing never fails: what Excel would have refused to store is taken as literal text.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from tebunko.extract.excel.formats.kanji import CHINESE, JAPANESE, KOREAN
from tebunko.extract.excel.formats.locales import locale_id, system_code

LONGEST_CODE = 1000
"""Excel stores at most 255 characters; a code beyond this is not read."""


class Kind(Enum):
    """What a token is."""

    LITERAL = auto()
    DIGIT = auto()
    POINT = auto()
    GROUP = auto()
    SCALE = auto()
    PERCENT = auto()
    EXPONENT = auto()
    SLASH = auto()
    TEXT = auto()
    GENERAL = auto()
    DATE = auto()
    HALF = auto()
    ELAPSED = auto()
    FRACTION_OF_SECOND = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token; ``text`` is its normalised spelling (``yyyy``, ``0``), for a literal what it shows.

    DATE tokens are lower case; ``mi`` and ``mimi`` are minutes. FRACTION_OF_SECOND holds one 0 per digit.
    """

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of the number, as ``[>=100]``."""

    compare: Callable[[float, float], bool]
    operator: str
    limit: float

    def holds(self, value: float) -> bool:
        """True if the number fulfils it."""
        return self.compare(value, self.limit)

    @property
    def only_negative(self) -> bool:
        """True if no number that fulfils it is positive or zero."""
        below = self.operator == "<" and self.limit <= 0
        return below or (self.operator in ("<=", "=") and self.limit < 0)


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a code.

    ``locale`` is the Windows locale id that it names (0 if none), ``calendar`` and ``script`` what the code says before
    that id of the calendar and of the digits, ``first_year`` whether the first year of an era is written 元, ``dbnum`` the number of ``[DBNum]`` (0 if none).
    """

    tokens: tuple[Token, ...] = ()
    condition: Condition | None = None
    locale: int = 0
    calendar: int = 0
    script: int = 0
    first_year: bool = False
    dbnum: int = 0

    def has(self, *kinds: Kind) -> bool:
        """True if a token of one of these kinds is in it."""
        return any(token.kind in kinds for token in self.tokens)

    @property
    def is_date(self) -> bool:
        """True if the section shows a date or time."""
        return self.has(Kind.DATE, Kind.ELAPSED, Kind.HALF)

    @property
    def is_text(self) -> bool:
        """True if the section shows a text and has no place for a number."""
        return self.has(Kind.TEXT) and not self.has(Kind.DIGIT, Kind.GENERAL) and not self.is_date


_TOKEN = re.compile(
    r"""
      "(?P<quoted>[^"]*)"?
    | \\(?P<escaped>.?)
    | _(?P<pad>.?)
    | \*(?P<fill>.?)
    | \[(?P<bracket>[^\]]*)\]
    | (?P<general>General|G/標準|G/通用格式|G/표준)
    | (?P<half>AM/PM|A/P|上午/下午|午前/午後|오전/오후)
    | (?P<exponent>E[+-])
    | (?P<date>y+|m+|d+|h+|s+|g+|e+|a{3,}|b{2,}|r+)
    | (?P<digit>[0-9\#?])
    | (?P<sign>[.,%/@])
    | (?P<end>;)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)

_SIGNS = {
    ".": Kind.POINT,
    ",": Kind.GROUP,
    "%": Kind.PERCENT,
    "/": Kind.SLASH,
    "@": Kind.TEXT,
}

_CONDITION = re.compile(r"\s*(<=|>=|<>|<|>|=)\s*([+-]?[0-9]*\.?[0-9]+(?:E[+-]?[0-9]+)?)\s*", re.IGNORECASE)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_DBNUM = re.compile(r"DBNum([1-3])", re.IGNORECASE)
_LONGEST = {"y": 4, "m": 5, "d": 4, "h": 2, "s": 2, "g": 3, "e": 2, "a": 4, "b": 4, "r": 2}
# Letters that stand for dates in some languages only; in a section with digits they are most likely text.
_WEAK = frozenset("gearb")
_HALF_LOCALES = {"上": CHINESE, "午": JAPANESE, "오": KOREAN}


def parse(code: str, tag: str) -> list[Section]:
    r"""The sections of a code, at most four, as Excel with the display locale ``tag`` reads them.

    >>> [len(section.tokens) for section in parse('#,##0_);[Red]\\(0\\)', "en-US")]
    [6, 3]
    """
    sections: list[Section] = []
    rough = _Rough()
    # Japanese Excel also takes "!" for a backslash.
    japanese = locale_id(tag) == JAPANESE
    position = 0
    code = code[:LONGEST_CODE]
    while position < len(code) and len(sections) < 4:
        if japanese and code[position] == "!" and position + 1 < len(code):
            rough.tokens.append(Token(Kind.LITERAL, code[position + 1]))
            position += 2
            continue
        match = _TOKEN.match(code, position)
        assert match is not None
        position = match.end()
        if match.lastgroup == "end":
            sections.append(rough.finish(tag))
            rough = _Rough()
        else:
            rough.take(match)
    if len(sections) < 4:
        sections.append(rough.finish(tag))
    return sections


class _Rough:
    """A section being read."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.section = Section()

    def take(self, match: re.Match[str]) -> None:
        kind = match.lastgroup
        text = match[0]
        if kind in ("quoted", "escaped"):
            self._literal(match[kind])
        elif kind == "pad":
            self._literal(" ")
        elif kind == "bracket":
            self._bracket(match["bracket"])
        elif kind == "general":
            self.tokens.append(Token(Kind.GENERAL, text))
        elif kind == "half":
            self.tokens.append(Token(Kind.HALF, text))
        elif kind == "exponent":
            self._exponent(text)
        elif kind == "date":
            letter = text[0].lower()
            self.tokens.append(Token(Kind.DATE, _date_text(letter, len(text))))
        elif kind == "digit":
            self.tokens.append(Token(Kind.DIGIT, text))
        elif kind == "sign":
            self.tokens.append(Token(_SIGNS[text], text))
        elif kind == "other":
            self._literal(text)

    def finish(self, tag: str) -> Section:
        system = system_code(self.section.locale, tag)
        if system is not None:
            self.tokens = list(parse(system, tag)[0].tokens)
            self.section = replace(self.section, locale=0)
        tokens = _settle_dates(self.tokens) if self._is_date() else _settle_numbers(self.tokens)
        return replace(self.section, tokens=tuple(_joined(tokens)))

    def _literal(self, text: str) -> None:
        if text:
            self.tokens.append(Token(Kind.LITERAL, text))

    def _exponent(self, text: str) -> None:
        if any(token.kind is Kind.DIGIT for token in self.tokens):
            self.tokens.append(Token(Kind.EXPONENT, text[1]))
        else:
            self.tokens.append(Token(Kind.DATE, "e"))
            self._literal(text[1])

    def _bracket(self, inside: str) -> None:
        if inside.startswith("$"):
            self._currency(inside[1:])
        elif _ELAPSED.fullmatch(inside):
            self.tokens.append(Token(Kind.ELAPSED, inside.lower()))
        elif match := _CONDITION.fullmatch(inside):
            condition = Condition(_COMPARE[match[1]], match[1], float(match[2]))
            self.section = replace(self.section, condition=condition)
        elif match := _DBNUM.fullmatch(inside.strip()):
            self.section = replace(self.section, dbnum=int(match[1]))

    def _currency(self, inside: str) -> None:
        """``[$symbol-locale]``: the locale is hexadecimal nnccllll (numerals, calendar, language) or a language tag."""
        symbol, dash, name = inside.partition("-")
        self._literal(symbol)
        if not dash:
            return
        name = name.partition(",")[0]
        try:
            number = int(name, 16)
        except ValueError:
            code, calendar, script = locale_id(name), 0, 0
        else:
            code, calendar, script = number & 0xFFFF, number >> 16 & 0xFF, number >> 24 & 0xFF
        first_year = name.lower().endswith("-x-gannen")
        self.section = replace(self.section, locale=code, calendar=calendar, script=script, first_year=first_year)

    def _is_date(self) -> bool:
        kinds = {token.kind for token in self.tokens}
        if kinds & {Kind.ELAPSED, Kind.HALF}:
            return True
        letters = {token.text[0] for token in self.tokens if token.kind is Kind.DATE}
        return bool(letters - _WEAK or (letters and Kind.DIGIT not in kinds and Kind.GENERAL not in kinds))


def _date_text(letter: str, length: int) -> str:
    if letter == "y":
        length = 2 if length <= 2 else 4
    elif letter == "b":
        length = 2 if length < 4 else 4
    elif letter == "m" and length > 5:
        # Only five letters stand for the first one of the month's name.
        length = 4
    return letter * min(length, _LONGEST[letter])


def _settle_dates(tokens: list[Token]) -> list[Token]:
    """Minutes told from months, ``.000`` after seconds taken as their fraction, all other signs as text."""
    settled: list[Token] = []
    last = ""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.kind is Kind.POINT and last == "s":
            end = index
            while end < len(tokens) and tokens[end].kind is Kind.DIGIT and tokens[end].text == "0":
                end += 1
            if end > index:
                settled.append(Token(Kind.FRACTION_OF_SECOND, "0" * (end - index)))
                index = end
                continue
        elif token.kind in (Kind.DATE, Kind.ELAPSED):
            if (
                token.text in ("m", "mm")
                and token.kind is Kind.DATE
                and (last == "h" or _next_is_seconds(tokens, index))
            ):
                token = Token(Kind.DATE, token.text.replace("m", "mi"))
            last = token.text[0] if token.text[:2] != "mi" else "mi"
        elif token.kind not in (Kind.LITERAL, Kind.HALF):
            token = Token(Kind.LITERAL, token.text)
        settled.append(token)
    return settled


def _next_is_seconds(tokens: list[Token], index: int) -> bool:
    following = (t for t in tokens[index:] if t.kind in (Kind.DATE, Kind.ELAPSED))
    token = next(following, None)
    return token is not None and token.text[0] == "s"


def _settle_numbers(tokens: list[Token]) -> list[Token]:
    """Commas told apart (thousands, scaling, text), a second point and stray letters taken as text."""
    settled = [Token(Kind.LITERAL, t.text) if t.kind is Kind.DATE else t for t in tokens]
    settled = _settle_points(_settle_digits(settled))
    if any(t.kind in (Kind.DIGIT, Kind.GENERAL) for t in settled):
        settled = _settle_commas(settled)
    else:
        settled = [
            Token(Kind.LITERAL, t.text) if t.kind in (Kind.GROUP, Kind.POINT, Kind.SLASH) else t for t in settled
        ]
    return settled


def _settle_digits(tokens: list[Token]) -> list[Token]:
    """The digits 1 to 9 are text, but for those of a denominator that the code fixes (``?/16``)."""
    settled: list[Token] = []
    denominator = False
    for token in tokens:
        denominator = token.kind is Kind.SLASH or (denominator and token.kind is Kind.DIGIT)
        if token.kind is Kind.DIGIT and token.text.isdecimal() and token.text != "0" and not denominator:
            token = Token(Kind.LITERAL, token.text)
        settled.append(token)
    return settled


def _settle_points(tokens: list[Token]) -> list[Token]:
    settled: list[Token] = []
    seen = False
    for token in tokens:
        if token.kind is Kind.POINT and seen:
            token = Token(Kind.LITERAL, ".")
        elif token.kind in (Kind.POINT, Kind.EXPONENT):
            seen = True
        settled.append(token)
    return settled


def _settle_commas(tokens: list[Token]) -> list[Token]:
    """A comma between two digits of the whole part groups, one right after the last digit scales, others are text."""
    digits = [index for index, token in enumerate(tokens) if token.kind is Kind.DIGIT]
    stop = next((i for i, t in enumerate(tokens) if t.kind in (Kind.POINT, Kind.EXPONENT)), len(tokens))
    whole = [index for index in digits if index < stop]
    settled = list(tokens)
    for index, token in enumerate(tokens):
        if token.kind is not Kind.GROUP:
            continue
        before = index - 1
        while before >= 0 and tokens[before].kind is Kind.GROUP:
            before -= 1
        if whole and whole[0] < index < whole[-1]:
            continue
        if before >= 0 and tokens[before].kind in (Kind.DIGIT, Kind.POINT):
            settled[index] = Token(Kind.SCALE, ",")
        else:
            settled[index] = Token(Kind.LITERAL, ",")
    return settled


def _joined(tokens: list[Token]) -> list[Token]:
    """The tokens with neighbouring literals made one."""
    joined: list[Token] = []
    for token in tokens:
        if joined and token.kind is Kind.LITERAL and joined[-1].kind is Kind.LITERAL:
            joined[-1] = Token(Kind.LITERAL, joined[-1].text + token.text)
        else:
            joined.append(token)
    return joined


def half_locale(text: str) -> int:
    """The locale whose words a half-day token spells out (``午前/午後``); 0 for ``AM/PM`` and ``A/P``."""
    return _HALF_LOCALES.get(text[0], 0)
