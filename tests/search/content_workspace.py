"""A workspace with content files made for a test, without an update run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tebunko.model.kinds import extension_of, kind_of
from tebunko.model.place import Place, part
from tebunko.model.unit import Unit
from tebunko.store.content import HEADER, PartFile, build_block, part_name
from tebunko.store.sources import SourceRecord, write_sources
from tebunko.store.values import encode_values
from tebunko.store.workspace import Layout

Places = Sequence[tuple[Place, list[str]]]


def plain(*lines: str) -> Places:
    """The places of a text file."""
    return [(part("本文"), list(lines))]


def write_part(
    layout: Layout,
    folder: str,
    sources: Mapping[str, Places],
    number: int = 1,
    records: Mapping[str, tuple[int, int]] | None = None,
    values: Mapping[str, list[Unit]] | None = None,
) -> Path:
    r"""Writes one content file of ``folder`` (``営業\2024``) and, with (mtime_ns, size) per name, its mirror.

    ``values`` are units with the raw values of a source file.
    """
    extension = extension_of(next(iter(sources)))[1:]
    blocks = []
    for name, places in sources.items():
        kind = kind_of(name)
        assert kind is not None
        blocks.append(build_block(name, kind, [Unit(place, lines) for place, lines in places]))
    path = layout.content_folder(folder) / part_name(extension, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_bytes(HEADER + b"".join(blocks))
    os.replace(beside, path)
    if records is not None:
        info = path.stat()
        packed = {name: encode_values(units) for name, units in (values or {}).items()}
        rows = [
            (SourceRecord(name, mtime, size, 1, 1, "ja-JP", 0), packed.get(name, b""))
            for name, (mtime, size) in records.items()
        ]
        mirror = PartFile(path, extension, number, info.st_size, info.st_mtime_ns)
        write_sources(layout.sources_folder(folder), mirror, rows, [])
    return path
