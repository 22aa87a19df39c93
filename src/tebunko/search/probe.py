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


def _plain_words(clause: Clause, case: bool) -> list[str]:
    """The words of a clause if one of them must stand in a line as it is, else none."""
    words = [item.what for item in clause if isinstance(item.what, Word) and not item.excluded]
    texts = [word.text for word in words if _is_plain(word, case)]
    return texts if len(texts) == len(clause) else []


def _is_plain(word: Word, case: bool) -> bool:
    text = word.text
    if word.is_regex or "\ufffd" in text or sought_values(text) is not None or not (case or has_no_case(text)):
        return False
    return (
        len(text) > 1 and not re.search("[\ud800-\udfff]", text) and (not text.isascii() or len(text) >= _LONG_ENOUGH)
    )
