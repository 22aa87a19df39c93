"""Words as matchers: which lines of a whole text may hold a word, and where in a line it stands.

Every matcher has the two halves that make whole-text searching equal to line-by-line searching: `lines` gives, fast, every
line in which the word *may* be, and `spans` says of one line whether and where it is. Only the second decides, so the first
may give too much, but never too little:

* A literal cannot reach over a line feed (one that holds a line feed is in no line at all), so the lines in which a
  search of the whole text finds it are exactly those that hold it. Case is ignored as the `regex` package does it: by simple
  case folding, character by character. Where no character of a literal has another case, `str.find` gives the same.
* For expressions see `tebunko.search.expression`; where nothing is known of one, every line is given.

A match that begins in a meta line or an address is dropped, or looked for again in the text behind the address, by the
caller, which asks `spans` for the searched part of the line alone.
"""

from __future__ import annotations

import heapq
import re
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

import regex

from tebunko.model.errors import UserError
from tebunko.search.expression import Outline, Pattern, compile_expression, outline_of
from tebunko.search.query import Word

LINE_SECONDS = 5.0
"""What one line's match may take (search.md)."""
_QUICK_SECONDS = 0.03
_TEXT_SECONDS = 5.0
_SELECTIVE = 2  # characters that make a literal worth looking for before the expression itself
_PROBED_LINES = 32
_DENSE_CHARACTERS = (
    4096  # fewer than these between two lines with a literal, and a call a line costs more than a search
)

Line = tuple[int, int]
"""Where a line begins and ends in the text; its line feed is not part of it."""
Span = tuple[int, int]
NOTHING: Span = (0, 0)
"""The only span of a word that matches a line but nothing of it (``^``)."""


class Matcher(Protocol):
    """One word, ready to be looked for; used by many threads at once."""

    @property
    def weight(self) -> int:
        """How rare the word promises to be: the least number of characters a match has, 0 if nothing is known."""

    @property
    def exact(self) -> bool:
        """True if `lines` gives only lines that hold the word (of lines without an address)."""

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        """The lines of ``text[low:high]`` that may hold the word, in order; ``low`` begins a line, ``high`` ends one."""

    def spans(self, line: str) -> list[Span]:
        """Where the word stands in a line; ``[NOTHING]`` if it matches but nothing of the line."""

    def found(self, line: str) -> bool:
        """True if the word is in the line."""


def matcher_of(word: Word, case: bool) -> Matcher:
    """The matcher of a word. Raises UserError for an invalid expression."""
    if word.is_regex:
        return _Expression(word.text, case)
    if "\n" in word.text:
        return _Nothing()
    if case or has_no_case(word.text):
        return _Literal(word.text)
    return _CaselessLiteral(word.text)


# ASCII but letters; CJK punctuation, kana, bopomofo, hangul, ideographs; half-width katakana; ideographs beyond the BMP.
_CASELESS = re.compile("[\t -@\\[-`{-~\u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff61-\uffdc\U00020000-\U0003ffff]*")


def has_no_case(text: str) -> bool:
    """True if it is certain that no character of the text equals another one without case.

    Said only of scripts that have no case: which letters have one changes with the version of Unicode, and that of the `regex`
    package is not Python's.

    >>> has_no_case("見積1,000ー"), has_no_case("A社"), has_no_case("ａ")
    (True, False, False)
    """
    return _CASELESS.fullmatch(text) is not None


def lines_of(text: str, low: int, high: int) -> Iterator[Line]:
    """All lines of ``text[low:high]``; text behind the last line feed is a line, nothing behind it is none."""
    while low < high:
        end = text.find("\n", low, high)
        if end < 0:
            end = high
        yield low, end
        low = end + 1


def merged_lines(streams: list[Iterator[Line]]) -> Iterator[Line]:
    """The lines of several ordered streams, in order, each once."""
    if len(streams) == 1:
        yield from streams[0]
        return
    last = -1
    for line in heapq.merge(*streams):
        if line[0] > last:
            last = line[0]
            yield line


def lines_where(find: Callable[[int], int], text: str, low: int, high: int) -> Iterator[Line]:
    """The lines of ``text[low:high]`` in which ``find(from)`` finds something; it gives the match's position or -1."""
    while low < high and (found := find(low)) >= 0:
        start = text.rfind("\n", low, found) + 1 or low
        end = text.find("\n", found, high)
        if end < 0:
            end = high
        yield start, end
        low = end + 1


class _Nothing:
    """A literal with a line feed: in no line."""

    weight = 1
    exact = True

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        return iter(())

    def spans(self, line: str) -> list[Span]:
        return []

    def found(self, line: str) -> bool:
        return False


_NEAR = 4096  # characters in which the next hit is looked for without letting other threads run, which costs more


def _far(pattern: Pattern, text: str, at: int, high: int) -> int:
    """The next match, looked for beside the other threads; -1 for none."""
    match = pattern.search(text, at, high, concurrent=True) if at < high else None
    return match.start() if match else -1


class _Literal:
    exact = True

    def __init__(self, literal: str) -> None:
        self._literal = literal
        self._pattern = regex.compile(regex.escape(literal), regex.VERSION0)
        self.to_line_end = regex.compile(f"{regex.escape(literal)}[^\n]*", regex.VERSION0)
        self.weight = len(literal)

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        literal, pattern = self._literal, self._pattern

        def find(at: int) -> int:
            near = text.find(literal, at, min(at + _NEAR, high))
            return near if near >= 0 else _far(pattern, text, at, high)

        return lines_where(find, text, low, high)

    def spans(self, line: str) -> list[Span]:
        spans = []
        length = len(self._literal)
        at = line.find(self._literal)
        while at >= 0:
            spans.append((at, at + length))
            at = line.find(self._literal, at + length)
        return spans

    def found(self, line: str) -> bool:
        return self._literal in line


class _CaselessLiteral:
    exact = True

    def __init__(self, literal: str) -> None:
        flags = regex.VERSION0 | regex.IGNORECASE
        self._pattern = regex.compile(regex.escape(literal), flags)
        self.to_line_end = regex.compile(f"{regex.escape(literal)}[^\n]*", flags)
        self.weight = len(literal)

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        pattern = self._pattern

        def find(at: int) -> int:
            near = pattern.search(text, at, min(at + _NEAR, high), concurrent=False)
            return near.start() if near else _far(pattern, text, at, high)

        return lines_where(find, text, low, high)

    def spans(self, line: str) -> list[Span]:
        return [match.span() for match in self._pattern.finditer(line, concurrent=False)]

    def found(self, line: str) -> bool:
        return self._pattern.search(line, concurrent=False) is not None


def count_lines(matcher: Matcher, text: str, low: int, high: int) -> int:
    """How many lines the matcher's `lines` gives."""
    if isinstance(matcher, _Literal | _CaselessLiteral):
        return len(matcher.to_line_end.findall(text, low, high, concurrent=True))
    return sum(1 for _ in matcher.lines(text, low, high))


class _Expression:
    exact = False

    def __init__(self, text: str, case: bool) -> None:
        self._pattern = compile_expression(text, case)
        self._outline = outline_of(text, case)
        self._literals = self._selective_literals()
        self._slow = threading.Lock()
        self._failure: UserError | None = None
        self.weight = min((m.weight for m in self._literals), default=0)

    def _selective_literals(self) -> list[Matcher]:
        outline = self._outline
        if outline is None or not outline.literals or min(map(len, outline.literals)) < _SELECTIVE:
            return []
        return [matcher_of(Word(literal), not outline.ignores_case) for literal in outline.literals]

    def lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        if self._literals:
            return self._literal_lines(text, low, high)
        if self._outline is not None:
            return self._outlined_lines(self._outline, text, low, high)
        return lines_of(text, low, high)

    def _literal_lines(self, text: str, low: int, high: int) -> Iterator[Line]:
        """Lines with a literal that every match contains; where they are many, the outline chooses among the rest."""
        begun = low
        for number, line in enumerate(merged_lines([m.lines(text, low, high) for m in self._literals]), 1):
            yield line
            if number % _PROBED_LINES == 0:
                if self._outline is not None and line[1] - begun < _PROBED_LINES * _DENSE_CHARACTERS:
                    yield from self._outlined_lines(self._outline, text, line[1] + 1, high)
                    return
                begun = line[1]

    def _outlined_lines(self, outline: Outline, text: str, low: int, high: int) -> Iterator[Line]:
        """Lines in which the outline finds something; where it does not come to an end, every line that is left."""

        def find(at: int) -> int:
            match = outline.pattern.search(text, at, high, concurrent=True, timeout=_TEXT_SECONDS)
            return match.start() if match else -1

        try:
            for line in lines_where(find, text, low, high):
                yield line
                low = line[1] + 1
        except (TimeoutError, MemoryError):
            self._outline = None  # not tried again on the next text
            yield from lines_of(text, low, high)

    def spans(self, line: str) -> list[Span]:
        found = [m.span() for m in self._run(lambda **limits: list(self._pattern.finditer(line, **limits)))]
        return [span for span in found if span[0] < span[1]] or ([NOTHING] if found else [])

    def found(self, line: str) -> bool:
        return bool(self._run(lambda **limits: [m] if (m := self._pattern.search(line, **limits)) else []))

    def _run(self, search: Callable[..., list[Pattern]]) -> list[Pattern]:
        """Runs a search of one line: first shortly, keeping Python's lock, since handing it on costs more than most
        lines; what takes longer runs beside the other threads, one line at a time: each may need a gigabyte.

        Raises UserError after `LINE_SECONDS` (of processor time of all threads, so that it may be sooner).
        """
        try:
            return search(concurrent=False, timeout=_QUICK_SECONDS)
        except TimeoutError:
            pass
        with self._slow:
            if self._failure is not None:
                raise self._failure
            try:
                return search(concurrent=True, timeout=LINE_SECONDS)
            except TimeoutError:
                self._failure = UserError(
                    "The regular expression takes more than {seconds} seconds on a single line. Make it simpler, for "
                    "example without a repetition inside a repetition",
                    seconds=int(LINE_SECONDS),
                )
            except MemoryError:
                self._failure = UserError(
                    "The regular expression needs too much memory on a single line. Make it simpler, for example "
                    "without a repetition inside a repetition"
                )
            raise self._failure
