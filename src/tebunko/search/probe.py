"""Looking for a query's words in the bytes of a content file, before they are decoded.

Decoding a content file costs more than searching its bytes. Of a query whose lines must hold certain characters just as they
stand, those are looked for first; a content file without them is not decoded at all. Words that are found otherwise (without
case where they have one, by an expression, forgivingly, across breaks, by value) are looked for in the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import regex

from tebunko.search.by_value import sought_values
from tebunko.search.expression import outline_of
from tebunko.search.matchers import has_no_case
from tebunko.search.query import Clause, Query, Word

_LONG_ENOUGH = 6
"""Characters of ASCII that make looking in bytes, every other of which is 0, no slower than in text."""


def probe_of(query: Query) -> Callable[[memoryview], bool] | None:
    """What says of a content file's bytes that no line can fulfil the query; None if nothing can be said."""
    if query.forgiving or query.across:
        return None
    sure = [words for clause in query.clauses if (words := _plain_words(clause, query.case))]
    if not sure:
        return None
    rarest = max(sure, key=lambda words: min(map(len, words)))
    pattern = regex.compile(b"|".join(re.escape(word.encode("utf-16-le")) for word in rarest), regex.VERSION0)

    def lacks(data: memoryview) -> bool:
        return pattern.search(data, concurrent=True) is None

    return lacks


def _plain_words(clause: Clause, case: bool) -> tuple[str, ...]:
    """Texts of which one must stand as it is in a line on which the clause holds; none if nothing is known."""
    words = [item.what for item in clause if isinstance(item.what, Word) and not item.excluded]
    sets = [_texts_of(word, case) for word in words]
    return tuple(text for texts in sets for text in texts) if len(sets) == len(clause) and all(sets) else ()


def _texts_of(word: Word, case: bool) -> tuple[str, ...]:
    if not word.is_regex:
        return (word.text,) if sought_values(word.text) is None and _is_plain(word.text, case) else ()
    outline = outline_of(word.text, case)
    if outline is None:
        return ()
    plain = [texts for texts in outline.needs if all(_is_plain(text, not outline.ignores_case) for text in texts)]
    return max(plain, key=lambda texts: min(map(len, texts)), default=())


def _is_plain(text: str, case: bool) -> bool:
    if "\ufffd" in text or not (case or has_no_case(text)):
        return False
    return (
        len(text) > 1 and not re.search("[\ud800-\udfff]", text) and (not text.isascii() or len(text) >= _LONG_ENOUGH)
    )
