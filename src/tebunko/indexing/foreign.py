"""TSV folders that the other program left between extraction and publishing (ja-index-format, facts.md).

``store/content/<index>/<folder>/<source file name>/<place>.tsv``, UTF-8 with BOM, CRLF. A folder is whole if its row is
済 and it holds as many files as the row says, none of them empty; then it becomes a spool record like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.place import name_from_tsv, parse_place
from tebunko.model.states import FileState
from tebunko.model.times import parse_file_time
from tebunko.model.unit import Unit, make_unit
from tebunko.store.content import build_block, parse_part_name
from tebunko.store.ingest_list import Row
from tebunko.store.journal import Placed
from tebunko.store.spool import RecordHead, SegmentWriter
from tebunko.store.tsv import decode_text
from tebunko.store.workspace import Layout

UNKNOWN_LOCALE = ""
"""The display locale of what another program read."""


def tsv_folders(layout: Layout, stored_folder: str) -> dict[str, Path]:
    """The TSV folders in one folder of the store, by stored name of their source file."""
    found = {}
    try:
        entries = sorted(os.scandir(layout.content_folder(stored_folder)), key=lambda e: e.name)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and kind_of(entry.name) and any(_tsv_files(Path(entry.path))):
            found[entry.name] = Path(entry.path)
    return found


def folders_with_tsv(layout: Layout) -> set[str]:
    """All stored folders that hold TSV folders; walks the whole content."""
    found = set()
    for path, names, _ in os.walk(layout.content):
        relative = Path(path).relative_to(layout.content)
        for name in names:
            if kind_of(name) and any(_tsv_files(Path(path, name))):
                found.add("\\".join(relative.parts))
    return found


def _tsv_files(folder: Path) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.name.endswith(".tsv") and parse_part_name(entry.name) is None and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def take_over(folder: Path, row: Row | None, segment: SegmentWriter) -> Placed | None:
    """Puts what a TSV folder holds into the spool; None if it is not whole, so that its source must be read again."""
    if row is None or row.state is not FileState.DONE or row.size is None:
        return None
    kind = kind_of(folder.name) or FileKind.TEXT
    files = list(_tsv_files(folder))
    units = [_unit(path, kind) for path in files]
    if len(files) < (row.places or 0) or any(path.stat().st_size == 0 for path in files):
        return None
    kept = [unit for unit in units if unit is not None]
    mtime = parse_file_time(row.modified)
    if mtime is None:
        return None
    read_at = parse_file_time(row.ingested) or 0
    head = RecordHead(row.path, mtime, row.size, len(files), row.version, UNKNOWN_LOCALE, read_at)
    position = segment.append(head, build_block(folder.name, kind, kept) if kept else b"", b"")
    return Placed(row.path, position, mtime, row.size, row.places or 0, row.ingested, row.version, UNKNOWN_LOCALE)


def _unit(path: Path, kind: FileKind) -> Unit | None:
    text = decode_text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    return make_unit(parse_place(name_from_tsv(path.name), kind), text.split("\n"))
