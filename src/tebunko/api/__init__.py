"""The one door to tebunko, for the command line, the page and people who ``import tebunko.api``.

>>> import tempfile, pathlib
>>> home = pathlib.Path(tempfile.mkdtemp())
>>> _ = (home / "docs").mkdir(), (home / "docs" / "memo.txt").write_text("会議は 10:30 から\\n", "utf-8")
>>> workspace = Workspace(home / "workspace")
>>> workspace.add(home / "docs", name="資料").name
'資料'
>>> workspace.update().done
1
>>> [(hit.place.name, hit.line, hit.text) for hit in workspace.hits("10:30")]
[('本文', 1, '会議は 10:30 から')]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tebunko.api.base import default_workspace
from tebunko.api.indexes import AddedIndex, Failure, IndexInfo
from tebunko.api.runs import Runs
from tebunko.api.searching import Searches
from tebunko.indexing.channel import Approval, Channel, Phase, PlanRow, Progress, RootKind, Summary
from tebunko.model.errors import Cancelled, Reason, UserError, message_of
from tebunko.model.states import FileState, IndexState
from tebunko.search.options import SearchOptions
from tebunko.store.progress import RunState

if TYPE_CHECKING:
    from tebunko.indexing.reading import ReadPlace
    from tebunko.search.engine import Event
    from tebunko.search.export.results import write_results
    from tebunko.search.hits import (
        FileCount,
        FileMatch,
        FileTerms,
        Hit,
        Row,
        Skipped,
        json_line,
        shown_place,
    )
    from tebunko.search.hits import Summary as SearchSummary
    from tebunko.search.opening import Questions

__all__ = [
    "AddedIndex",
    "Approval",
    "Cancelled",
    "Channel",
    "Event",
    "Failure",
    "FileCount",
    "FileMatch",
    "FileState",
    "FileTerms",
    "Hit",
    "IndexInfo",
    "IndexState",
    "Phase",
    "PlanRow",
    "Progress",
    "Questions",
    "ReadPlace",
    "Reason",
    "RootKind",
    "Row",
    "RunState",
    "SearchOptions",
    "SearchSummary",
    "Skipped",
    "Summary",
    "UserError",
    "Workspace",
    "default_workspace",
    "json_line",
    "message_of",
    "shown_place",
    "write_results",
]

_RESULTS = "tebunko.search.hits"
_LATE = {
    "Event": ("tebunko.search.engine", "Event"),
    "FileCount": (_RESULTS, "FileCount"),
    "FileMatch": (_RESULTS, "FileMatch"),
    "FileTerms": (_RESULTS, "FileTerms"),
    "Hit": (_RESULTS, "Hit"),
    "ReadPlace": ("tebunko.indexing.reading", "ReadPlace"),
    "Questions": ("tebunko.search.opening", "Questions"),
    "Row": (_RESULTS, "Row"),
    "SearchSummary": (_RESULTS, "Summary"),
    "Skipped": (_RESULTS, "Skipped"),
    "json_line": (_RESULTS, "json_line"),
    "shown_place": (_RESULTS, "shown_place"),
    "write_results": ("tebunko.search.export.results", "write_results"),
}


def __getattr__(name: str) -> object:
    """Names of the search room, loaded when first used: other commands start without it."""
    if name not in _LATE:
        raise AttributeError(name)
    module, attribute = _LATE[name]
    return getattr(importlib.import_module(module), attribute)


class Workspace(Runs, Searches):
    """A workspace: registered folders and the index of what they hold."""
