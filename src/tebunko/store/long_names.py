"""``store/long_names.json`` (ours): folder names on disk that were shortened, and the stored names they stand for.

A stored name whose UTF-8 form passes 255 bytes has a shorter folder name under ``store/content`` (`model.paths.disk_segment`),
which cannot be turned back; a search needs the full one to name its hits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tebunko.model.paths import disk_segment
from tebunko.store.fs import replace_file
from tebunko.store.workspace import Layout


def read_long_names(layout: Layout) -> dict[str, str]:
    """Stored names by the folder name that stands for them; {} if there are none."""
    try:
        found = json.loads((layout.store / "long_names.json").read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {disk: stored for disk, stored in found.items() if isinstance(stored, str) and disk_segment(stored) == disk}


def record_long_names(layout: Layout, stored_folders: Iterable[str]) -> None:
    """Records the shortened names among the segments of these stored folders, before anything is written there."""
    segments = {segment for folder in stored_folders for segment in folder.split("\\")}
    new = {disk: segment for segment in segments if (disk := disk_segment(segment)) != segment}
    known = read_long_names(layout)
    if new.items() <= known.items():
        return
    text = json.dumps(known | new, ensure_ascii=False)
    replace_file(layout.store / "long_names.json", text.encode("utf-8", "surrogatepass"))
