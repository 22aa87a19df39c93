"""Words across breaks: a phrase that the end of a line, a cell's line break or a hyphen splits (search.md, Beyond).

Between two characters of a word the text may have one break, with blanks around it: a line feed or U+2028. Two letters or digits
of a script that is written with blanks need a hyphen before the break, which is dropped; a blank of the word may be the
break itself. Everything else (Japanese) is joined with nothing.

These matchers are given a line and, behind a line feed, as much of the following lines of its place as a word may reach over.
What they find begins in the line; the marked part ends with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from tebunko.model.folding import folding
from tebunko.search.forgiving import candidates_of, folded_line, original_spans, pattern_lines
from tebunko.search.matchers import Line, Span, lines_of, merged_lines

_BLANK = "[ \u3000\xa0\u2000-\u200a]"
_BREAK = f"{_BLANK}{{0,99}}[\n\u2028]{_BLANK}{{0,99}}"
_HYPHENS = "-\u2010\u2011\xad"
_DROPPED = f"[{_HYPHENS}]{_BREAK}"
_SPACED = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{Nd}]", regex.VERSION0)
_QUERY = regex.compile(f"(?P<blanks>{_BLANK}+)|(?P<char>.)", regex.VERSION0 | regex.DOTALL)
_SOFT_HYPHEN = regex.compile(f"\xad(?={_BREAK})", regex.VERSION0)


def joined_pattern(word: str) -> str:
    """The expression for a word with breaks anywhere in it.

    >>> bool(regex.search(joined_pattern("請求書"), "請求\\n書")), bool(regex.search(joined_pattern("ab cd"), "a-\\nb\\ncd"))
    (True, True)
    """
    pieces: list[str] = []
    before = ""
    for match in _QUERY.finditer(word):
        text = match[0]
        if match["blanks"]:
            pieces.append(f"(?:{regex.escape(text)}|{_BREAK})")
            before = ""
            continue
        if before:
            pieces.append(f"(?:{_DROPPED if _SPACED.match(before) and _SPACED.match(text) else _BREAK})?")
        pieces.append(regex.escape(text))
        before = text
    return "".join(pieces)


def reach_of(word: str) -> int:
    """How many following lines a word may reach into, at most; also how many characters of each."""
    return len(folding(keeps_case=True).fold(word)) + len(word)


class AcrossLiteral:
    """A `Matcher` of a literal without a line feed, given lines with what follows them."""

    exact = False

    def __init__(self, literal: str, *, case: bool) -> None:
        flags = regex.VERSION0 if case else regex.VERSION0 | regex.IGNORECASE
        self._pattern = regex.compile(joined_pattern(literal), flags)
        self.weight = len(literal)

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        """As `Matcher.lines`: the lines in which a match begins, whatever places are."""
        return pattern_lines(self._pattern, text, low, high)

    def spans(self, line: str) -> list[Span]:
        """As `Matcher.spans`."""
        return list(_in_line(self._matches(line), _end_of(line)))

    def _matches(self, line: str) -> Iterator[Span]:
        return (match.span() for match in self._pattern.finditer(line, concurrent=False))

    def found(self, line: str) -> bool:
        """As `Matcher.found`."""
        match = self._pattern.search(line, concurrent=False)
        return match is not None and match.start() < _end_of(line)


class ForgivingAcross:
    """The same compared forgivingly; the literal's folded text is not empty."""

    exact = False

    def __init__(self, literal: str, *, case: bool) -> None:
        self._how = folding(keeps_case=case)
        folded = self._how.fold(literal)
        self._pattern = regex.compile(joined_pattern(folded), regex.VERSION0)
        self._candidates = candidates_of(folded, self._how, across=True)
        self._reach = reach_of(literal)
        self.weight = len(folded) if self._candidates.plain is not None else 0

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        """As `Matcher.lines`."""
        plain, several = self._candidates
        if plain is None:
            return lines_of(text, low, high)
        lines = pattern_lines(plain, text, low, high)
        return lines if several is None else merged_lines([lines, self._lines_up_to(several, text, low, high)])

    def _lines_up_to(self, several: regex.Pattern[str], text: str, low: int, high: int) -> Iterator[Line]:
        """The lines in which a word may begin that takes several characters at once from one of a later line."""
        done = low
        for start, end in pattern_lines(several, text, low, high):
            first = start
            for _ in range(self._reach):
                if first <= done:
                    break
                first = text.rfind("\n", done, first - 1) + 1 or done
            yield from lines_of(text, max(first, done), end)
            done = end + 1

    def spans(self, line: str) -> list[Span]:
        """As `Matcher.spans`; the spans are of the line as it stands."""
        folded = folded_line(_SOFT_HYPHEN.sub("-", line), self._how)
        matches = (match.span() for match in self._pattern.finditer(folded.text, concurrent=False))
        return list(_in_line(iter(original_spans(folded, matches)), _end_of(line)))

    def found(self, line: str) -> bool:
        """As `Matcher.found`."""
        return bool(self.spans(line))


def _end_of(line: str) -> int:
    end = line.find("\n")
    return len(line) if end < 0 else end


def _in_line(spans: Iterator[Span], end: int) -> Iterator[Span]:
    for start, stop in spans:
        if start >= end:
            return
        yield start, min(stop, end)
