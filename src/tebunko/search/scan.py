"""Scanning one content file's text for a query: hits in order, equal to trying every line of every place.

A query's clauses must all hold on one line. One clause of nothing but words, the rarest by its look, says which lines are worth
a look (`Matcher.lines` over the whole text); places are parsed only if there is such a line, and each such line is then
judged by itself: is it in a place that is searched, and does every clause hold on its searched part? Without such a
clause every line is judged.

Lines on which a word stands by value only (`tebunko.search.by_value`) are candidates besides. Where words reach across breaks, a
line is judged with as much of what follows it in its place as they may reach over.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import NamedTuple

from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKey
from tebunko.search.across import reach_of
from tebunko.search.by_value import FoundValues, plain_number, sought_values, valued_lines
from tebunko.search.fields import Field, SourceFacts, field_holds
from tebunko.search.matchers import NOTHING, Line, Matcher, Span, count_lines, lines_of, merged_lines
from tebunko.search.query import Clause, Query, Word
from tebunko.search.words import matcher_for
from tebunko.store.content import RS, PlaceSpan

Facts = Callable[[PlaceSpan], SourceFacts | None]
"""What is known of a place's source file; None if the place is not searched (kind, name, shapes …)."""


Valued = Mapping[Matcher, Sequence[Span]]
"""The words that stand on a line by value, with what their cells show."""

_NO_VALUES: Valued = {}
_LONGEST_TAIL = 1024  # characters of a following line that are looked at, besides eight for each of a word


class RawHit(NamedTuple):
    """One hit: the number of its place in the text, its line (from 1 in the place), and where that line is.

    ``by_value``: the text alone would not have been one.
    """

    place: int
    line: int
    start: int
    end: int
    spans: list[Span]
    by_value: bool = False


class SourceBlock(NamedTuple):
    """The places ``first`` to ``last`` (excluded) of one source file."""

    name: str
    kind: FileKind
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause with its words as matchers; it holds if one word is found, one excluded word is not, or one field says so."""

    found: tuple[Matcher, ...]
    absent: tuple[Matcher, ...]
    fields: tuple[tuple[Field, bool], ...]

    def holds_on(self, line: str, valued: Valued = _NO_VALUES) -> bool:
        return any(m in valued or m.found(line) for m in self.found) or any(
            m not in valued and not m.found(line) for m in self.absent
        )

    def field_says_yes(self, facts: SourceFacts, place: Place) -> bool:
        return any(_says(field, excluded, facts, place) for field, excluded in self.fields)

    @property
    def only_fields(self) -> bool:
        return not self.found and not self.absent

    @property
    def only_words(self) -> bool:
        return bool(self.found) and not self.absent and not self.fields


def _says(field: Field, excluded: bool, facts: SourceFacts, place: Place) -> bool:
    holds = field_holds(field, facts, place)
    return holds is not None and holds is not excluded


class Plan:
    """A query ready to be run on texts; used by many threads at once. Raises UserError for an invalid expression."""

    def __init__(self, query: Query) -> None:
        matchers: dict[Word, Matcher] = {}

        def matcher(word: Word) -> Matcher:
            if word not in matchers:
                matchers[word] = matcher_for(word, query)
            return matchers[word]

        self.query = query
        self.clauses = tuple(_compiled(clause, matcher) for clause in query.clauses)
        self.words = tuple(matcher(word) for word in query.words)
        literals = {word.text: m for word, m in matchers.items() if not word.is_regex}
        self.sought = {text: values for text in literals if (values := sought_values(text)) is not None}
        self.plain_numbers = {text: plain for text in self.sought if (plain := plain_number(text)) is not None}
        self.valued = {text: literals[text] for text in self.sought}
        self.reach = max(map(reach_of, literals), default=0) if query.across else 0
        sure = [clause for clause in self.clauses if clause.only_words]
        self._anchor = max(sure, key=lambda c: min(m.weight for m in c.found), default=None)
        self._lone_word = self.words[0] if len(self.clauses) == 1 and sure and len(self.words) == 1 else None

    @property
    def candidates_are_hits(self) -> bool:
        """True if every candidate line without an address is a hit: the query is one literal."""
        return self._lone_word is not None and self._lone_word.exact

    def candidates(self, text: str, low: int, high: int) -> Iterator[Line]:
        """The lines on which all clauses may hold, in order."""
        if self._anchor is None:
            return lines_of(text, low, high)
        return merged_lines([m.lines(text, low, high) for m in self._anchor.found])

    def may_hold_on(self, line: str) -> bool:
        """False if the clauses of words do not all hold on a content line, wherever it stands."""
        behind = line.partition("\t")[2]
        return all(
            any(m.found(line) or m.found(behind) for m in clause.found) for clause in self.clauses if clause.only_words
        )

    def may_be_in(self, text: str, valued: Valued) -> bool:
        """False if some clause of words holds on no line of the text; ``valued`` are words that are in it by value."""
        return all(
            any(m in valued or next(m.lines(text, 0, len(text)), None) is not None for m in clause.found)
            for clause in self.clauses
            if clause.only_words
        )

    def clauses_at(self, facts: SourceFacts, place: Place) -> tuple[_Clause, ...] | None:
        """The clauses that are left to words at a place, None if its fields rule it out."""
        left = tuple(clause for clause in self.clauses if not clause.field_says_yes(facts, place))
        return None if any(clause.only_fields for clause in left) else left

    def judged(self, line: str, clauses: tuple[_Clause, ...], valued: Valued) -> Judged | None:
        """Where the words stand in a line on which the clauses hold, None where they do not hold."""
        if self._lone_word is not None and not valued:
            spans = self._lone_word.spans(line)
            return ([] if spans == [NOTHING] else spans, False) if spans else None
        if not all(clause.holds_on(line, valued) for clause in clauses):
            return None
        by_value = bool(valued) and not all(clause.holds_on(line) for clause in clauses)
        return self.all_spans(line, valued), by_value

    def all_spans(self, line: str, valued: Valued) -> list[Span]:
        """Where any of the words stands in a line; what overlaps is one span."""
        if len(self.words) == 1 and not valued:
            return _marked(self.words[0], line)
        spans = [span for m in self.words for span in (*_marked(m, line), *valued.get(m, ()))]
        merged: list[Span] = []
        for start, end in sorted(spans):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


Judged = tuple[list[Span], bool]
"""What is marked on a line that is a hit, and whether it is one by value only."""


def _marked(matcher: Matcher, line: str) -> list[Span]:
    """What is marked for a word: its spans, without the one that says that it matches nothing of the line."""
    spans = matcher.spans(line)
    return [] if spans == [NOTHING] else spans


def _compiled(clause: Clause, matcher: Callable[[Word], Matcher]) -> _Clause:
    words = [(item.what, item.excluded) for item in clause if isinstance(item.what, Word)]
    return _Clause(
        tuple(matcher(word) for word, excluded in words if not excluded),
        tuple(matcher(word) for word, excluded in words if excluded),
        tuple((item.what, item.excluded) for item in clause if isinstance(item.what, Field)),
    )


def blocks_of(places: Sequence[PlaceSpan]) -> list[SourceBlock]:
    """The source files of a text in its order; a source file without a place is not among them."""
    blocks = []
    first = 0
    for (name, kind), group in groupby(places, key=lambda place: (place.source, place.kind)):
        last = first + sum(1 for _ in group)
        blocks.append(SourceBlock(name, kind, first, last))
        first = last
    return blocks


class PartScan:
    """One text under one plan; lives in one thread.

    ``places`` gives the text's places and is called only if needed. ``values`` are cells that hold what a word means. Without
    ``marked`` hits may come without their spans, for those who only count.
    """

    def __init__(
        self,
        plan: Plan,
        text: str,
        places: Callable[[], Sequence[PlaceSpan]],
        facts: Facts,
        values: FoundValues | None = None,
        *,
        marked: bool = True,
    ) -> None:
        self._plan = plan
        self._text = text
        self._read_places = places
        self._facts = facts
        self._values = values
        self._sure = not marked and plan.candidates_are_hits

    @cached_property
    def places(self) -> Sequence[PlaceSpan]:
        """The places of the text."""
        return self._read_places()

    @cached_property
    def _valued(self) -> dict[int, tuple[int, Valued]]:
        """By where they begin, in order: the lines on which words stand by value, where they end, and these words."""
        words = self._plan.valued
        plain = {word: shown for word, shown in self._plan.plain_numbers.items() if shown in self._text}
        if not (self._values or plain) or not words:
            return {}
        return {
            line.start: (line.end, {words[word]: spans for word, spans in line.words.items()})
            for line in valued_lines(self._text, self.places, self._values or {}, words, plain)
        }

    def _valued_lines(self, low: int, high: int) -> Iterator[Line]:
        return ((start, end) for start, (end, _) in self._valued.items() if low <= start < high)

    def _valued_on(self, start: int) -> Valued:
        return self._valued[start][1] if start in self._valued else _NO_VALUES

    def _reading(self, at: int, start: int, end: int) -> str:
        """A line and, where words may reach across its end, what follows it in its place."""
        place = self.places[at]
        if not self._plan.reach or place.place.key is PlaceKey.SHEET:
            return self._text[start:end]
        longest = 8 * self._plan.reach + _LONGEST_TAIL
        stop = end
        for _ in range(self._plan.reach):
            if stop + 1 >= place.end:
                break
            following = self._text.find("\n", stop + 1, place.end)
            following = place.end if following < 0 else following
            if following - stop > longest:
                stop += longest
                break
            stop = following
        return self._text[start:stop]

    @cached_property
    def _starts(self) -> list[int]:
        return [place.start for place in self.places]

    @cached_property
    def blocks(self) -> list[SourceBlock]:
        """The source files of the text that have places."""
        return blocks_of(self.places)

    def block_of(self, place: int) -> int:
        """The number in `blocks` of the source file that has that place."""
        return bisect_right(self.blocks, place, key=lambda block: block.first) - 1

    def bounds(self, block: SourceBlock) -> tuple[int, int]:
        """Where the content of a source file begins and ends in the text."""
        return self.places[block.first].start, self.places[block.last - 1].end

    def line_hits(self, low: int = 0, high: int | None = None) -> Iterator[RawHit]:
        """The hits in ``text[low:high]``, in order; the bounds lie at lines."""
        text = self._text
        high = len(text) if high is None else high
        lines = self._plan.candidates(text, low, high)
        if self._valued:
            lines = merged_lines([lines, self._valued_lines(low, high)])
        first = next((line for line in lines if self._is_worth_places(*line)), None)
        if first is None:
            return
        starts = self._starts
        current, clauses, addressed = -1, None, False
        number = position = 0
        for start, end in chain((first,), lines):
            at = bisect_right(starts, start) - 1
            if at < 0 or start >= self.places[at].end:
                continue
            if at != current:
                current, number, position = at, self.places[at].first, self.places[at].start
                clauses = self._clauses_at(at)
                addressed = self.places[at].place.has_addresses
            if clauses is None:
                continue
            number += text.count("\n", position, start)
            position = start
            if self._sure and not addressed:
                yield RawHit(at, number, start, end, [])
            elif judged := self._judged(self._reading(at, start, end), clauses, addressed, self._valued_on(start)):
                yield RawHit(at, number, start, end, *judged)

    def line_counts(self) -> Iterator[tuple[SourceBlock, int]]:
        """How many hits each source file has that has any, in order."""
        if not self._sure or self._valued:
            yield from self._counted(self.line_hits())
            return
        if next(self._plan.candidates(self._text, 0, len(self._text)), None) is None:
            return
        for block in self.blocks:
            count = sum(self._sure_count(at) for at in range(block.first, block.last))
            if count:
                yield block, count

    def _sure_count(self, at: int) -> int:
        """The hits in a place, if every line that has the query's one word is one."""
        place = self.places[at]
        if self._clauses_at(at) is None:
            return 0
        if place.place.has_addresses:
            return sum(1 for _ in self.line_hits(place.start, place.end))
        return count_lines(self._plan.words[0], self._text, place.start, place.end)

    def _is_worth_places(self, start: int, end: int) -> bool:
        """False for a line that is no hit for certain: parsing the places costs more than many lines."""
        if self._text.startswith(RS, start):
            return False
        return self._plan.reach > 0 or start in self._valued or self._plan.may_hold_on(self._text[start:end])

    def _clauses_at(self, at: int) -> tuple[_Clause, ...] | None:
        place = self.places[at]
        facts = self._facts(place)
        return None if facts is None else self._plan.clauses_at(facts, place.place)

    def _judged(self, line: str, clauses: tuple[_Clause, ...], addressed: bool, valued: Valued) -> Judged | None:
        if not addressed:
            return self._plan.judged(line, clauses, valued)
        behind = line.find("\t") + 1
        judged = self._plan.judged(line[behind:], clauses, _NO_VALUES) if behind else None
        return None if judged is None else ([(start + behind, end + behind) for start, end in judged[0]], False)

    def searched(self, block: SourceBlock) -> bool:
        """True if any place of the source file is searched, whatever the query's own fields say."""
        return any(self._facts(self.places[at]) is not None for at in range(block.first, block.last))

    def whole_file_holds(self, block: SourceBlock) -> list[int]:
        """The places that the query's fields let in, if every clause holds somewhere in them; otherwise none.

        A word holds if any line of those places has it, an excluded one if none has, a field if it holds for one of them.
        """
        places = [at for at in range(block.first, block.last) if self._clauses_at(at) is not None]
        if not places:
            return []
        return places if all(self._clause_in(clause, places) for clause in self._plan.clauses) else []

    def _clause_in(self, clause: _Clause, places: list[int]) -> bool:
        return (
            any(self._field_in(clause, at) for at in places)
            or any(self._word_in(m, places) for m in clause.found)
            or any(not self._word_in(m, places) for m in clause.absent)
        )

    def _field_in(self, clause: _Clause, at: int) -> bool:
        facts = self._facts(self.places[at])
        return facts is not None and clause.field_says_yes(facts, self.places[at].place)

    def _word_in(self, matcher: Matcher, places: list[int]) -> bool:
        if self._valued and any(matcher in valued for at in places for valued in self._valued_in(at)):
            return True
        return any(matcher.found(line) for at in places for line in self._searched_lines([matcher], at))

    def _valued_in(self, at: int) -> Iterator[Valued]:
        place = self.places[at]
        return (self._valued[start][1] for start, _ in self._valued_lines(place.start, place.end))

    def _searched_lines(self, matchers: Sequence[Matcher], at: int) -> Iterator[str]:
        place = self.places[at]
        for start, end in merged_lines([m.lines(self._text, place.start, place.end) for m in matchers]):
            line = self._reading(at, start, end)
            if place.place.has_addresses:
                _, tab, line = line.partition("\t")
                if not tab:
                    continue
            yield line

    def whole_file_counts(self) -> Iterator[tuple[SourceBlock, int]]:
        """As `line_counts`, of `whole_file_hits`."""
        return self._counted(self.whole_file_hits())

    def _counted(self, hits: Iterator[RawHit]) -> Iterator[tuple[SourceBlock, int]]:
        for number, group in groupby(hits, lambda hit: self.block_of(hit.place)):
            yield self.blocks[number], sum(1 for _ in group)

    def whole_file_hits(self, low: int = 0, high: int | None = None) -> Iterator[RawHit]:
        """The lines with any of the words in source files in which every clause holds."""
        valued = {m: spans for _, words in self._valued.values() for m, spans in words.items()}
        if not self._plan.may_be_in(self._text, valued):
            return
        high = len(self._text) if high is None else high
        for block in self.blocks:
            start, end = self.bounds(block)
            if low <= start and end <= high:
                for at in self.whole_file_holds(block):
                    yield from self._word_hits(at)

    def _word_hits(self, at: int) -> Iterator[RawHit]:
        place = self.places[at]
        number, position = place.first, place.start
        bounds = place.start, place.end
        lines = [m.lines(self._text, *bounds) for m in self._plan.words]
        for start, end in merged_lines([*lines, self._valued_lines(*bounds)]):
            number += self._text.count("\n", position, start)
            position = start
            behind = 0
            if place.place.has_addresses:
                behind = self._text.find("\t", start, end) - start + 1
                if behind <= 0:
                    continue
            line = self._reading(at, start, end)[behind:]
            valued = self._valued_on(start)
            in_text = any(m.found(line) for m in self._plan.words)
            if in_text or any(m in valued for m in self._plan.words):
                spans = [(s + behind, e + behind) for s, e in self._plan.all_spans(line, valued)]
                yield RawHit(at, number, start, end, spans, not in_text)
