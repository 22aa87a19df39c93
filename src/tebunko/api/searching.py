"""The part of the door about searching and opening what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tebunko.api.indexes import Indexes
from tebunko.model.states import SEARCHED_STATES, IndexState
from tebunko.search.options import SearchOptions
from tebunko.store.long_names import read_long_names
from tebunko.store.source_folder import read_source_folder, write_source_folder

if TYPE_CHECKING:
    import threading

    from tebunko.search.engine import Event
    from tebunko.search.hits import Hit
    from tebunko.search.opening import Questions
    from tebunko.search.request import SearchedIndex


class Searches(Indexes):
    """Searches the indexes."""

    def search(
        self,
        options: SearchOptions,
        *,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Runs a search and yields batches of rows, skipped content files, and last a `SearchSummary`.

        Raises UserError (an invalid expression, an unknown index, an expression that takes too long on a line) and
        Cancelled soon after ``cancel`` is set.
        """
        from tebunko.search.engine import search
        from tebunko.search.request import make_request

        request = make_request(options)
        indexes, left_out = self._searched()
        return search(self.layout, indexes, request, left_out=left_out, cancel=cancel)

    def hits(self, query: str, *, regex: bool = False, literal: bool = False, case: bool = False) -> Iterator[Hit]:
        """The hits of a query over all indexes, one by one; for scripts. Raises UserError."""
        from tebunko.search.hits import Hit

        for event in self.search(SearchOptions(query, regex=regex, literal=literal, case=case)):
            if isinstance(event, list):
                yield from (row for row in event if isinstance(row, Hit))

    def open(self, locator: str, questions: Questions) -> None:
        """Opens the document that a locator names, at its cell or page where the application allows.

        ``questions`` is asked whether the folder of an index that is not registered is to be trusted, and where documents
        lie that were moved; the answer to that is remembered. Raises UserError, OSError, and Cancelled if it is not trusted.
        """
        from tebunko.search.opening import find_document, open_document

        source = find_document(self.layout, self.settings(), locator)

        def remember(folder: str) -> None:
            if source.registered:
                self.move(source.index, folder)
                return
            with self._writing():
                write_source_folder(self.layout.content_folder(source.index), source.index, folder)

        open_document(source, self.layout, questions, remember)

    def _searched(self) -> tuple[list[SearchedIndex], list[str]]:
        """The indexes that are searched, and the names of those that cannot be (old or newer format)."""
        from tebunko.search.request import SearchedIndex

        found, left_out = [], []
        long_names = read_long_names(self.layout)
        for info in self.indexes():
            if info.state in SEARCHED_STATES:
                recorded = read_source_folder(self.layout.content_folder(info.name)) if info.folder is None else None
                folder = info.folder or (recorded[1] if recorded else None)
                found.append(SearchedIndex(info.name, folder, info.coverage, long_names))
            elif info.state is not IndexState.EMPTY:
                left_out.append(info.name)
        return found, left_out
