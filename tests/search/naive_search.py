"""A reference for the search engine: line by line, place by place, with nothing clever in it; and generators for both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex
from hypothesis import strategies as st

from tebunko.model.place import PLACE_KEYS, Place, place_from_meta
from tebunko.search.fields import Field, SourceFacts, field_holds
from tebunko.search.query import Item, Query, Word

RS = "\x1e"


class NaiveLine(NamedTuple):
    """A content line: its source file, its place, its number in the place from 1."""

    source: str
    place: Place
    number: int
    text: str


def naive_lines(text: str) -> Iterator[NaiveLine]:
    """The content lines of a content file, read as the format's description says, line by line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    source = ""
    meta: dict[str, str] = {}
    number = 0
    for line in lines:
        if not line.startswith(RS):
            if meta:
                number += 1
                yield NaiveLine(source, place_from_meta(meta), number, line)
            continue
        name, _, content = line[2:].partition("=")
        if name == "ファイル名":
            source, meta = content, {}
        elif name in PLACE_KEYS:
            meta, number = {name: content}, 0
        elif meta:
            meta[name] = content


def naive_searched(line: NaiveLine) -> tuple[int, str] | None:
    """Where the searched part of a line begins, and that part; None for a shape or comment of a sheet without address."""
    if line.place.key == "シート" and line.place.target in ("shape", "comment"):
        address, tab, text = line.text.partition("\t")
        return (len(address) + 1, text) if tab else None
    return 0, line.text


def naive_found(word: Word, line: str, case: bool) -> bool:
    """True if the word is in the line."""
    flags = regex.VERSION0 if case else regex.VERSION0 | regex.IGNORECASE
    pattern = word.text if word.is_regex else regex.escape(word.text, special_only=False)
    return regex.search(pattern, line, flags) is not None


def naive_spans(word: Word, line: str, case: bool) -> list[tuple[int, int]]:
    """Where the word stands in the line, empty matches left out."""
    flags = regex.VERSION0 if case else regex.VERSION0 | regex.IGNORECASE
    pattern = word.text if word.is_regex else regex.escape(word.text, special_only=False)
    return [m.span() for m in regex.finditer(pattern, line, flags) if m.start() < m.end()]


def naive_item(item: Item, line: str, case: bool, facts: SourceFacts, place: Place) -> bool:
    """True if one item of a clause holds on a line."""
    if isinstance(item.what, Field):
        holds = field_holds(item.what, facts, place)
        return holds is not None and holds != item.excluded
    return naive_found(item.what, line, case) != item.excluded


def naive_holds(query: Query, line: str, facts: SourceFacts, place: Place) -> bool:
    """True if every clause of a query holds on a line."""
    return all(any(naive_item(i, line, query.case, facts, place) for i in clause) for clause in query.clauses)


# --- generators -----------------------------------------------------------------------------------------------------

# Twins without case that are far apart (Kelvin sign, long s, final sigma, dotted i), line ends that are none here, a
# character beyond the BMP, and what the format itself is made of.
ALPHABET = 'aAbBkK\u212asSſσςΣiIıİéÉßẞ見積ｶＡａ1２,.-"\\ \u3000\t\u2028\u2029\u0085\x0b\x0c\r𠮷😀=%(['
INNER = ALPHABET + "\x1e\x1f"

texts = st.text(st.sampled_from(ALPHABET), max_size=8)
content_lines = st.text(st.sampled_from(INNER), max_size=10).filter(lambda line: not line.startswith(RS))
addressed_lines = st.one_of(
    st.builds("{}\t{}".format, st.sampled_from(["A1", "B2", "見"]), content_lines), content_lines
)
PLACES = [
    "シート=売上\n\x1e 対象=本文",
    "シート=a\n\x1e 対象=図形",
    "シート=a\n\x1e 対象=コメント",
    "シート=見積\n\x1e 対象=ヘッダー・フッター",
    "ページ=2\n\x1e 対象=本文",
    "ページ=12\n\x1e 対象=コメント",
    "スライド=3\n\x1e 対象=本文\n\x1e 非表示=はい",
    "スライド=3\n\x1e 対象=ノート",
    "部分=本文\n\x1e 対象=本文",
    "部分=ページ007\n\x1e 対象=本文",
]


@st.composite
def content_texts(draw: st.DrawFn) -> str:
    """The text of a content file with any lines, empty places, source files without a place, and a torn end."""
    pieces = [f"{RS} 版=2\n"]
    for number in range(draw(st.integers(0, 3))):
        pieces.append(f"{RS} ファイル名=見積{number}.xlsx\n{RS} 種類=Excel\n")
        for head in draw(st.lists(st.sampled_from(PLACES), max_size=3)):
            addressed = "シート" in head and ("図形" in head or "コメント" in head)
            line = st.one_of(addressed_lines if addressed else content_lines, st.just(f"{RS} 未知=見積"))
            lines = draw(st.lists(line, max_size=5))
            pieces.append(f"{RS} {head}\n" + "".join(f"{line}\n" for line in lines))
    text = "".join(pieces)
    return text.removesuffix("\n") if draw(st.booleans()) else text


_ATOMS = st.one_of(
    st.sampled_from(
        ["a", "B", "k", "s", "σ", "i", "é", "見", "積", "1", "-", ",", "𠮷", " ", "\\t", "\\.", "\\u2028", "\\xdf"]
    ),
    st.sampled_from(
        [".", "\\s", "\\S", "\\d", "\\D", "\\w", "\\W", "^", "$", "\\A", "\\Z", "\\b", "\\B", "\\n", "\\1"]
    ),
    st.sampled_from(
        ["[ab]", "[^a]", "[^\\n]", "[a-k]", "[\\s,]", "[^\\S]", "[]a]", "[^]a]", "[^-a]", "[\\x00-\\x20]", "[\\W]"]
    ),
    st.sampled_from(["(?i)", "(?s)", "(?m)", "(?=a)", "(?!a)", "(?<=a)", "(?<!積)", "\\p{Han}", "\\P{L}", "(?x) "]),
)
_QUANTIFIERS = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{,2}", "*?", "+?", "*+", "?+", "{1,2}+"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("{}|{}".format, inner, inner),
        st.builds("(?:{}){}".format, inner, _QUANTIFIERS),
        st.builds("{}{}".format, _ATOMS, _QUANTIFIERS),
        st.builds("({})".format, inner),
        st.builds("(?>{})".format, inner),
        st.builds("(?={})".format, inner),
        st.builds("(?i:{})".format, inner),
        st.builds("(?P<n>{})(?P=n)".format, inner),
    )


expressions = st.recursive(_ATOMS, _grown, max_leaves=6)


def is_valid(word: Word) -> bool:
    """False for an expression that is none; asked in a test's body, since compiling draws random numbers."""
    try:
        regex.compile(word.text if word.is_regex else "", regex.VERSION0)
    except (regex.error, KeyError, IndexError, ValueError):
        return False
    return True
