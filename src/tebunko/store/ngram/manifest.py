"""The manifest of the 2-gram index: which segments there are, and of which content files they are true.

``store/ngram/manifest.json``: the CRC-32 of the rest in 8 hexadecimal digits and a line feed; then JSON: "version", "fold"
(`tebunko.store.ngram.fold.fold_identity`), "segments" (number: [size of its file, bytes of the content it was built of]), "files"
(folder under ``store/content`` with ``/``: {file name: [size, mtime_ns, segment, group]}). The segments are
``store/ngram/<number>.seg``. A manifest that is damaged, of another version or folded otherwise counts as missing.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tebunko.store.fs import make_private_folder, patiently, replace_file
from tebunko.store.ngram.fold import fold_identity
from tebunko.store.workspace import Layout

VERSION = 1
_NAME = re.compile(r"([1-9][0-9]{0,8})\.seg")


class Covered(NamedTuple):
    """A content file as it was when its grams were taken, and the group of a segment that has them."""

    size: int
    mtime_ns: int
    segment: int
    group: int


class SegmentInfo(NamedTuple):
    """The size of a segment's file, and of all content that it was built of, in bytes."""

    size: int
    content: int


@dataclass(slots=True)
class Manifest:
    """Segments by number; content files by folder (as on disk, ``/`` between names) and name."""

    fold: int = field(default_factory=fold_identity)
    segments: dict[int, SegmentInfo] = field(default_factory=dict)
    files: dict[str, dict[str, Covered]] = field(default_factory=dict)

    def live_bytes(self) -> dict[int, int]:
        """The bytes of content of which each segment is still true."""
        live = dict.fromkeys(self.segments, 0)
        for folder in self.files.values():
            for covered in folder.values():
                live[covered.segment] += covered.size
        return live


def segment_path(layout: Layout, number: int) -> Path:
    """The file of a segment."""
    return layout.ngram / f"{number}.seg"


def segment_files(layout: Layout) -> dict[int, Path]:
    """The segment files that lie there, by number, whether the manifest knows them or not. Raises OSError."""
    try:
        with os.scandir(layout.ngram) as entries:
            found = [(match, entry.path) for entry in entries if (match := _NAME.fullmatch(entry.name))]
    except FileNotFoundError:
        return {}
    return {int(match[1]): Path(path) for match, path in found}


def manifest_path(layout: Layout) -> Path:
    """The manifest."""
    return layout.ngram / "manifest.json"


def read_manifest(layout: Layout) -> Manifest | None:
    """The manifest, None if there is none that can be used."""
    path = manifest_path(layout)
    try:
        head, _, body = patiently(path.read_bytes).partition(b"\n")
        if head != _crc(body):
            return None
        content = json.loads(body)
        if content["version"] != VERSION or content["fold"] != fold_identity():
            return None
        segments = {int(number): SegmentInfo(*info) for number, info in content["segments"].items()}
        files = {
            folder: {name: Covered(*covered) for name, covered in names.items()}
            for folder, names in content["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    if any(c.segment not in segments for names in files.values() for c in names.values()):
        return None
    return Manifest(content["fold"], segments, files)


def write_manifest(layout: Layout, manifest: Manifest) -> None:
    """Puts the manifest in place of the one that is there. Raises OSError."""
    content = {
        "version": VERSION,
        "fold": manifest.fold,
        "segments": manifest.segments,
        "files": {folder: names for folder, names in manifest.files.items() if names},
    }
    body = json.dumps(content, separators=(",", ":")).encode("ascii")
    make_private_folder(layout.ngram)
    replace_file(manifest_path(layout), [_crc(body), b"\n", body])


def _crc(body: bytes) -> bytes:
    return f"{zlib.crc32(body):08x}".encode("ascii")
