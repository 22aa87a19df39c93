"""Which matcher looks for a word of a query."""

from __future__ import annotations

from tebunko.model.folding import folding
from tebunko.search.across import AcrossLiteral, ForgivingAcross
from tebunko.search.forgiving import ForgivingLiteral
from tebunko.search.matchers import Matcher, matcher_of
from tebunko.search.query import Query, Word


def matcher_for(word: Word, query: Query) -> Matcher:
    """The matcher of a word as its query says it is compared. Raises UserError for an invalid expression.

    A word of which nothing is left when folded (a variation selector) is compared as it stands.
    """
    if word.is_regex or "\n" in word.text:
        return matcher_of(word, query.case)
    forgiving = query.forgiving and folding(keeps_case=query.case).fold(word.text) != ""
    if query.across:
        kind = ForgivingAcross if forgiving else AcrossLiteral
        return kind(word.text, case=query.case)
    return ForgivingLiteral(word.text, case=query.case) if forgiving else matcher_of(word, query.case)
