"""Which content files need not be read at all: what a search asks of the 2-gram index (`tebunko.store.ngram`).

From a query the grams are derived that a content file must have to give any row. Whatever could be found without a text of its own (a
field, an exclusion, a number by its value, an expression of which nothing is known) asks for nothing, so that narrowing never
changes the rows, nor their order.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from tebunko.search.by_value import sought_values
from tebunko.search.expression import outline_of
from tebunko.search.folders import ContentFolder
from tebunko.search.query import Clause, Query, Word
from tebunko.search.request import Output, SearchRequest
from tebunko.store.content import PartFile
from tebunko.store.ngram.keys import Wanted, all_of, any_of, wanted_text
from tebunko.store.ngram.lookup import gram_index
from tebunko.store.workspace import Layout

_QUIET_NS = 2_000_000_000  # the coarsest clock of a file system


class Narrowing:
    """One search's view of the 2-gram index; lives in one thread."""

    def __init__(self, layout: Layout, request: SearchRequest) -> None:
        wanted = wanted_of(request) if request.narrowed else None
        index = gram_index(layout) if wanted is not None else None
        self._answer = index.answer(wanted) if index is not None else None

    def candidates(self, folder: ContentFolder, parts: Sequence[PartFile]) -> list[PartFile]:
        """The content files of a folder, as they were listed, that may give rows."""
        if self._answer is None:
            return list(parts)
        known = self._answer.in_folder(folder.path)
        return [part for part in parts if known.may_hold(part)]


def last_change(folder: ContentFolder) -> int | None:
    """The time of the last change of a folder (ns), if another one now would show as another time; else None."""
    try:
        changed = os.stat(folder.path).st_mtime_ns
    except OSError:
        return None
    return changed if abs(time.time_ns() - changed) > _QUIET_NS else None


def wanted_of(request: SearchRequest) -> Wanted:
    """What a content file must have to give a row of the request's output."""
    if request.output is Output.WITHOUT:
        return None
    query = request.query or Query(())
    conditions = [_wanted_clause(clause, query) for clause in query.clauses]
    if request.terms:
        conditions.append(any_of(_wanted_word(Word(term), query) for term in request.terms))
    return all_of(conditions)


def _wanted_clause(clause: Clause, query: Query) -> Wanted:
    words = [item.what for item in clause if isinstance(item.what, Word) and not item.excluded]
    return any_of(_wanted_word(word, query) for word in words) if len(words) == len(clause) else None


def _wanted_word(word: Word, query: Query) -> Wanted:
    if word.is_regex:
        outline = outline_of(word.text, query.case)
        needs = outline.needs if outline is not None else ()
        return all_of(any_of(map(wanted_text, strings)) for strings in needs)
    return None if sought_values(word.text) is not None else wanted_text(word.text)
