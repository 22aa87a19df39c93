"""Words compared forgivingly: what `tebunko.model.folding` folds to the same is the same.

A word is in a line if its folded text is in the folded line. Folding whole content files would cost more than everything else,
so the lines worth folding are found by a pattern on the text as it stands: for each character of the folded word, the class of
all characters that can become it. It gives every line that folds to one with the word, since a match takes each
of the word's characters from another character of the text, in order, but for characters that become several (㈱): one of
these that could be two neighbours of the word makes its line a candidate by itself.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from tebunko.model.folding import MARKS, FoldedText, Folding, folding, skeleton, skeleton_of, without_marks
from tebunko.search.matchers import Line, Span, lines_where, merged_lines

_COMPOSED = [*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2300), *range(0x3040, 0x3100)]
_BREAKS = "\n\u2028"
_LEFT_OUT = " -"
# Where superscripts, enclosed and compatibility characters stand: each pair of bounds is such a zone.
_RARE = (0x2070, 0x2190, 0x2460, 0x2500, 0x3200, 0x3400, 0xF900, 0xFF00, 0x10000, 0x20000)
_RARE_ZONES = frozenset(range(1, len(_RARE), 2))
# What is common in folded Japanese office text; kanji and the rest count 1 each.
_COMMONNESS = (
    dict.fromkeys("ヵヌヱヰヴヅヂゼヘギペポピビプブホ", 2) | dict.fromkeys("jqxzkvw", 2) | dict.fromkeys("!?%&@#", 2)
)
_COMMONNESS |= dict.fromkeys(
    "アウエオキケコサセソチツネヒフマミムメモヤユヨレロワガグゲゴザジズダデドバベボパャュョッァィェォ", 3
)
_COMMONNESS |= dict.fromkeys("bcdfghlmpuy", 3) | dict.fromkeys("年月日人大会社部", 3) | dict.fromkeys("3456789", 3)
_COMMONNESS |= dict.fromkeys("イカクシスタテトナニノハヲンラリル", 4) | dict.fromkeys("aeinorst012 -./,()・、。", 4)


class _Origins:
    """Which characters can become which, under one folding."""

    def __init__(self, how: Folding) -> None:
        self._of: defaultdict[str, list[str]] = defaultdict(list)
        self._of_base: defaultdict[str, list[str]] = defaultdict(list)
        joining: list[str] = []
        left_out: list[str] = []
        self.several: list[str] = []
        for char, folded in how.changed_characters():
            for one in dict.fromkeys(folded):
                self._of[one].append(char)
            if not folded or re.match(f"[{MARKS}]", folded):
                joining.append(char)
            elif folded in _LEFT_OUT:
                left_out.append(char)
            if len(folded) > 1:
                self.several.append(char)
        self.joining = MARKS + _inside(joining)
        self.left_out = _inside(left_out)
        for char in map(chr, _COMPOSED):
            if (base := without_marks(char)) != char and base:
                self._of_base[base[0]].append(char)

    def of(self, char: str) -> str:
        """The characters that become this one by themselves, as the inside of a class."""
        return _inside([char, *self._of[char]])

    def unit(self, char: str) -> str:
        """An expression for what becomes this character, also together with marks."""
        marked = self._marked(char)
        if not marked:
            return f"[{self.of(char)}]"
        return f"(?:[{self.of(char)}]|[{_inside(marked)}][{self.joining}]+)"

    def first_unit(self, char: str) -> str:
        """The same in one class, which is looked for much faster; it also finds the character without its marks."""
        return f"[{_inside([char, *self._of[char], *self._marked(char)])}]"

    def _marked(self, char: str) -> list[str]:
        """The characters that become this one, or something like it, with marks behind them; none if it has no marks."""
        base = without_marks(char)
        if base in (char, ""):
            return []
        marked = [base[0], *self._of_base[base[0]]]
        return marked + [origin for one in marked for origin in self._of[one]]


def _inside(characters: Iterable[str]) -> str:
    """The inside of a class that holds these characters: neighbours are ranges, since a class is looked through piece by piece.

    Where characters are rare (`_RARE`) ranges go over what lies between; candidates are looked at again anyway.
    """
    pieces: list[list[int]] = []
    for code in sorted(set(map(ord, characters))):
        if pieces and (code == pieces[-1][1] + 1 or bisect(_RARE, code) == bisect(_RARE, pieces[-1][1]) in _RARE_ZONES):
            pieces[-1][1] = code
        else:
            pieces.append([code, code])
    return "".join(_range(chr(first), chr(last)) for first, last in pieces)


def _range(first: str, last: str) -> str:
    return re.escape(first) if first == last else f"{re.escape(first)}-{re.escape(last)}"


@lru_cache(maxsize=2)
def _origins(how: Folding) -> _Origins:
    return _Origins(how)


class Candidates(NamedTuple):
    """Patterns of which one finds something wherever a folded word is; ``plain`` is None if nothing can be said.

    ``plain`` takes each character of the word from another one; ``several`` are the characters that could be two of them.
    """

    plain: regex.Pattern[str] | None
    several: regex.Pattern[str] | None


def candidates_of(folded: str, how: Folding, *, across: bool = False) -> Candidates:
    """The patterns for a folded word; with ``across`` they look over breaks, blanks and dashes."""
    origins = _origins(how)
    between = origins.joining
    whole = skeleton(folded)
    first = folded[:1]
    if across:
        between += f"{origins.left_out}{_BREAKS} \\-"
        whole = _reduced(whole)
        folded = _reduced(folded)
    kept = [char for char in folded if not re.match(f"[{MARKS}]", char)]
    if not kept:
        return Candidates(None if across else regex.compile(f"[{origins.joining}]", regex.VERSION0), None)
    begin = 0 if across else _rarest(kept)
    units = [origins.first_unit(kept[begin]), *map(origins.unit, kept[begin + 1 :])]
    if across and first in _LEFT_OUT:  # the line is the one in which the word begins
        units.insert(0, f"[{origins.of(first)}{_BREAKS}]")
    pattern = f"[{between}]*".join(units)
    pairs = {whole[at : at + 2] for at in range(len(whole) - 1)}
    several = [char for char in origins.several if any(pair in _reduced_if(across, char) for pair in pairs)]
    return Candidates(
        regex.compile(pattern, regex.VERSION0),
        regex.compile(f"[{_inside(several)}]", regex.VERSION0) if several else None,
    )


def _rarest(characters: Sequence[str]) -> int:
    """Where in a word to begin to look: at the character that texts hold least often, with one behind it if there is any.

    A line with the end of the word from there is as good a candidate as one with all of it.
    """
    beginnings = range(max(len(characters) - 1, 1))
    return min(beginnings, key=lambda at: (_commonness(characters[at]), at))


def _commonness(char: str) -> int:
    """How common a character is, or what its first unit finds too: the character without its marks."""
    return max(_COMMONNESS.get(char, 1), _COMMONNESS.get(without_marks(char), 1))


def pattern_lines(pattern: regex.Pattern[str], text: str, low: int, high: int) -> Iterator[Line]:
    """The lines of ``text[low:high]`` in which the pattern finds something."""

    def find(at: int) -> int:
        match = pattern.search(text, at, high, concurrent=True)
        return match.start() if match else -1

    return lines_where(find, text, low, high)


def _reduced(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


def _reduced_if(across: bool, char: str) -> str:
    return _reduced(skeleton_of(char)) if across else skeleton_of(char)


@lru_cache(maxsize=16)
def folded_line(line: str, how: Folding) -> FoldedText:
    """The folded line; several words ask for the same one."""
    return how.fold_traced(line)


def original_spans(folded: FoldedText, spans: Iterator[Span]) -> list[Span]:
    """Spans of a folded text as spans of the original, in order and apart."""
    found: list[Span] = []
    for start, end in (folded.original(*span) for span in spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


class ForgivingLiteral:
    """A `Matcher` of a literal whose folded text is not empty."""

    exact = False

    def __init__(self, literal: str, *, case: bool) -> None:
        self._how = folding(keeps_case=case)
        self._folded = self._how.fold(literal)
        self._patterns = [p for p in candidates_of(self._folded, self._how) if p is not None]
        self.weight = len(self._folded)

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        """As `Matcher.lines`."""
        return merged_lines([pattern_lines(pattern, text, low, high) for pattern in self._patterns])

    def spans(self, line: str) -> list[Span]:
        """As `Matcher.spans`; the spans are of the line as it stands."""
        folded = folded_line(line, self._how)
        return original_spans(folded, self._found_in(folded.text))

    def _found_in(self, text: str) -> Iterator[Span]:
        at = text.find(self._folded)
        while at >= 0:
            yield at, at + len(self._folded)
            at = text.find(self._folded, at + len(self._folded))

    def found(self, line: str) -> bool:
        """As `Matcher.found`."""
        return self._folded in folded_line(line, self._how).text
