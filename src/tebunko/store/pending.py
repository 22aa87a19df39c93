r"""``store/pending_remove.tsv``: removed source files whose text is not yet out of the content files.

``<relative path of the folder under content> TAB <source file name>``, UTF-8 with BOM, CRLF; further columns are ignored
(facts.md). It is written before the rows leave the ingest list, so that a kill in between loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from tebunko.model.paths import is_safe_segment
from tebunko.store.fs import patiently, replace_file
from tebunko.store.tsv import encode_lines, whole_lines
from tebunko.store.workspace import Layout


def read_pending(layout: Layout) -> set[tuple[str, str]]:
    """The removals to be carried out as (stored folder, stored file name); rows that would leave the store are dropped."""
    try:
        data = patiently(layout.pending_remove.read_bytes)
    except FileNotFoundError:
        return set()
    found = set()
    for line in whole_lines(data):
        folder, tab, rest = line.partition("\t")
        name = rest.partition("\t")[0]
        if tab and all(map(is_safe_segment, folder.split("\\"))) and is_safe_segment(name):
            found.add((folder, name))
    return found


def write_pending(layout: Layout, removals: Iterable[tuple[str, str]]) -> None:
    """Writes the removals, or deletes the file if there are none. Raises OSError."""
    lines = [f"{folder}\t{name}" for folder, name in sorted(removals)]
    if lines:
        replace_file(layout.pending_remove, encode_lines(lines))
    else:
        patiently(lambda: layout.pending_remove.unlink(missing_ok=True))
