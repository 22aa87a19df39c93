r"""The query language: what is typed becomes a `Query` (search.md, The query language).

A query of one word or one quoted phrase is that text, symbols included. Otherwise blanks separate words, all of which
must be found; ``OR`` joins the words on its two sides and binds tighter than the blank (``a b OR c`` is a and one of b, c);
``-`` before a word excludes it; parentheses mean themselves. A phrase begins at the start of a word (after ``-`` and a
field's colon too) and ends at the next quote of its sort with a blank or the end behind it; quotes anywhere else, and quotes
around nothing, mean themselves. ``\"`` is a quote, in a phrase and in a word among others; only if no other quote ends the
phrase does it end it, so that ``"C:\my data\"`` is what it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tebunko.model.errors import UserError
from tebunko.search.expression import compile_expression
from tebunko.search.fields import Field, FieldName, parse_field

LONGEST_QUERY = 20_000
"""Characters; far beyond what one types, so that a pasted document is refused at once."""

BLANKS = " \u3000\t"
_EXCLUDERS = ("-", "－")
_OR = "OR"
_FIELD = re.compile(rf"({'|'.join(FieldName)}):(?=[^{BLANKS}])")
_WORD = re.compile(rf"[^{BLANKS}]+")
_QUOTES = (('"', '"'), ("“”", "“”"), ("＂", "＂"))
_PHRASES = [
    re.compile(rf'[{opener}]((?:\\["{closer}]|[^{closer}])+)[{closer}](?![^{BLANKS}])') for opener, closer in _QUOTES
]
_ESCAPED_QUOTE = re.compile(r'\\(["“”＂])')


class Mode(StrEnum):
    """How the input is read: the query language, all of it one literal, or all of it one regular expression."""

    LANGUAGE = "language"
    LITERAL = "literal"
    REGEX = "regex"


@dataclass(frozen=True, slots=True)
class Word:
    """Something to be found in a line: a literal, or a regular expression in the dialect of the `regex` package."""

    text: str
    is_regex: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A word or field, or with ``excluded`` its opposite."""

    what: Word | Field
    excluded: bool = False


Clause = tuple[Item, ...]
"""Items of which one must hold."""


@dataclass(frozen=True, slots=True)
class Query:
    """Clauses that must all hold, in the order in which they were typed.

    ``case`` makes capitals count, ``forgiving`` compares literals by their folded text (`tebunko.model.folding`), ``across``
    lets them reach over breaks (`tebunko.search.across`). Expressions stay what they are.
    """

    clauses: tuple[Clause, ...]
    case: bool = False
    forgiving: bool = False
    across: bool = False

    @property
    def words(self) -> tuple[Word, ...]:
        """The words that are looked for, each once; excluded ones are not among them."""
        found = (i.what for c in self.clauses for i in c if isinstance(i.what, Word) and not i.excluded)
        return tuple(dict.fromkeys(found))

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, also excluded ones."""
        return tuple(i.what for c in self.clauses for i in c if isinstance(i.what, Field))

    @property
    def lists_files(self) -> bool:
        """True if there are only exclusions and fields: the answer then is files, not lines."""
        return not self.words


def parse_query(text: str, mode: Mode = Mode.LANGUAGE, *, case: bool = False) -> Query:
    """The query that a person typed.

    Raises UserError for an empty or overlong query, an invalid regular expression (with its position) and a field
    value that the field does not take.

    >>> parse_query("(株)").clauses
    ((Item(what=Word(text='(株)', is_regex=False), excluded=False),),)
    >>> [[i.what.text for i in clause] for clause in parse_query('見積 A社 OR "B 社"').clauses]
    [['見積'], ['A社', 'B 社']]
    """
    if len(text) > LONGEST_QUERY:
        raise UserError(
            "The query is too long: {length} characters, {limit} at most", length=len(text), limit=LONGEST_QUERY
        )
    if mode is Mode.LANGUAGE:
        text = text.strip(BLANKS)
    if not text:
        raise UserError("The query is empty")
    if mode is Mode.LANGUAGE:
        return Query(_clauses(list(_tokens(text))), case)
    if mode is Mode.REGEX:
        compile_expression(text, case)
    return Query(((Item(Word(text, mode is Mode.REGEX)),),), case)


@dataclass(frozen=True, slots=True)
class _Token:
    """One word as typed (``raw``), and what it is without its mark, field and quotes (``body``)."""

    raw: str
    body: str
    quoted: bool
    excluded: bool
    field: FieldName | None

    @property
    def is_or(self) -> bool:
        return self.raw == _OR


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while start := _WORD.search(text, position):
        token, position = _token(text, start.start())
        yield token


def _token(text: str, start: int) -> tuple[_Token, int]:
    position = start
    excluded = text.startswith(_EXCLUDERS, position) and _WORD.match(text, position + 1) is not None
    position += excluded
    field = _FIELD.match(text, position)
    name = FieldName(field[1]) if field else None
    position = field.end() if field else position
    phrase = next((m for p in _PHRASES if (m := p.match(text, position))), None)
    if phrase:
        end, body = phrase.end(), phrase[1]
    else:
        word = _WORD.match(text, position)
        assert word is not None
        end, body = word.end(), word[0]
    body = _ESCAPED_QUOTE.sub(r"\1", body)
    return _Token(text[start:end], body, phrase is not None, excluded, name), end


def _clauses(tokens: list[_Token]) -> tuple[Clause, ...]:
    if len(tokens) == 1 and not tokens[0].excluded and tokens[0].field is None:
        only = tokens[0]
        return ((Item(Word(only.body if only.quoted else only.raw)),),)
    clauses: list[Clause] = []
    joins = False
    for number, token in enumerate(tokens):
        if token.is_or and clauses and not joins and number + 1 < len(tokens):
            joins = True
            continue
        item = _item(token)
        if joins:
            clauses[-1] += (item,)
        else:
            clauses.append((item,))
        joins = False
    return tuple(clauses)


def _item(token: _Token) -> Item:
    if token.field is None:
        return Item(Word(token.body), token.excluded)
    return Item(parse_field(token.field, token.body), token.excluded)
