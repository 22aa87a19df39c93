"""What a search says of how complete its answer is: counts of an index, and whose text is older than its file.

``store/coverage.json`` (ours) keeps the counts that the ingest list gives, so that a search need not read a list of a
million rows, and the counts that only a run knows. It names size and mtime (ns) of the list; where they differ (a run is
under way, or the other program wrote the list), the list itself is read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field

from tebunko.model.states import FileState
from tebunko.store.fs import replace_file
from tebunko.store.ingest_list import IngestList, Row, parse_row, read_list
from tebunko.store.workspace import Layout


@dataclass(slots=True)
class IndexCoverage:
    """Counts of one index.

    ``done``, ``failed``, ``postponed`` (未取り込み with a reason) and ``pending`` (not yet read) are disjoint and count
    rows. ``cloud_only`` are files left in the cloud by the last run, ``kept_missing`` files whose rows it kept although it
    did not find them; both are 0 if no run told. ``last_update`` is the time (list format) of the last run that ended,
    "" for none. ``stale`` maps stored paths whose text is of an earlier reading to the time of that reading.
    """

    done: int = 0
    failed: int = 0
    postponed: int = 0
    pending: int = 0
    cloud_only: int = 0
    kept_missing: int = 0
    last_update: str = ""
    stale: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> int:
        """All source files of the index that have a row."""
        return self.done + self.failed + self.postponed + self.pending


def count_rows(rows: IngestList) -> dict[str, IndexCoverage]:
    """The counts that the list gives, by index name as it stands in the rows."""
    found: defaultdict[str, IndexCoverage] = defaultdict(IndexCoverage)
    for line in rows.lines():
        path, _, _, state, _ = line.split("\t", 4)
        coverage = found[path[: path.index("\\")]]
        if state == FileState.DONE:
            coverage.done += 1
        else:
            _count(coverage, parse_row(line))
    return dict(found)


def _count(coverage: IndexCoverage, row: Row) -> None:
    if row.state is FileState.FAILED:
        coverage.failed += 1
    elif row.postponed:
        coverage.postponed += 1
    else:
        coverage.pending += 1
    if row.has_old_text:
        coverage.stale[row.path] = row.ingested


def read_coverage(layout: Layout) -> dict[str, IndexCoverage]:
    """The counts by index name, from the kept file if it is of the list as it is now, else from the list. Raises OSError."""
    kept, matches = _read_kept(layout)
    if matches:
        return kept
    counts = count_rows(read_list(layout.ingest_list))
    for name, coverage in counts.items():
        if name in kept:
            coverage.cloud_only = kept[name].cloud_only
            coverage.kept_missing = kept[name].kept_missing
            coverage.last_update = kept[name].last_update
    return counts


def _list_state(layout: Layout) -> list[int] | None:
    try:
        info = layout.ingest_list.stat()
    except FileNotFoundError:
        return None
    return [info.st_size, info.st_mtime_ns]


def _read_kept(layout: Layout) -> tuple[dict[str, IndexCoverage], bool]:
    try:
        kept = json.loads(layout.coverage.read_bytes().decode("utf-8", "surrogatepass"))
        counts = {name: IndexCoverage(**fields) for name, fields in kept["indexes"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, False
    return counts, kept.get("list") == _list_state(layout)


def write_coverage(layout: Layout, counts: dict[str, IndexCoverage]) -> None:
    """Keeps the counts beside the list as it is now. Raises OSError."""
    kept = {"list": _list_state(layout), "indexes": {name: asdict(c) for name, c in counts.items()}}
    replace_file(layout.coverage, json.dumps(kept, ensure_ascii=False).encode("utf-8", "surrogatepass"), sync=False)
