"""Our catalogue of source files: beside each content file, what each of its source files was read with, and its raw values.

``store/sources/<index>/…/sources.<extension>.<number>.bin`` mirrors ``store/content/<index>/…/content_index.<extension>.
<number>.tsv``. Little-endian:

====== ====== ==============================================================
offset size   what
====== ====== ==============================================================
0      8      ``TBKSRC1`` LF
8      4      CRC-32 of the head
12     4      length of the head in bytes
16     …      head: JSON, UTF-8; then the packed values (`values`), end to end
====== ====== ==============================================================

The head holds size and mtime (ns) of the content file it was written for, a list of source files, and the names of those of
which nobody knows what they were read with. The other program may
rewrite a content file, so a mirror whose size or mtime differs is not believed: the content file then counts as one whose
source files were read with nobody knows what. It is written without sync, since its CRC-32 proves it.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tebunko.store.content import PartFile
from tebunko.store.fs import make_private_folder, replace_file

_MARK = b"TBKSRC1\n"
_HEAD = struct.Struct("<8sII")
_NO_VALUES = (0, 0)


class SourceRecord(NamedTuple):
    """What one source file was read with.

    ``name`` is its stored name. ``start`` and ``end`` bound its block in the content file, in bytes; ``crc`` is the block's
    CRC-32. ``values`` is (offset, length) of its packed values, in bytes from the end of the head; length 0 means none.
    """

    name: str
    mtime_ns: int
    size: int
    places: int
    version: int
    locale: str
    read_at_ns: int
    start: int = 0
    end: int = 0
    crc: int = 0
    values: Sequence[int] = _NO_VALUES


@dataclass(slots=True)
class SourceFile:
    """A mirror as it was read: the records by stored name, and where the values begin in ``path``.

    ``others`` are the source files that the content file holds besides, of which nobody knows what they were read with.
    """

    path: Path
    records: dict[str, SourceRecord]
    others: set[str]
    values_start: int

    def packed_values(self, name: str) -> bytes:
        """The packed raw values of a source file, b"" if it has none or they cannot be read."""
        record = self.records.get(name)
        if record is None or not record.values[1]:
            return b""
        try:
            with open(self.path, "rb") as reader:
                reader.seek(self.values_start + record.values[0])
                data = reader.read(record.values[1])
        except OSError:
            return b""
        return data if len(data) == record.values[1] else b""

    def all_packed(self) -> Iterator[tuple[str, bytes]]:
        """The stored names of all source files with raw values, with these, packed; none if they cannot be read."""
        try:
            with open(self.path, "rb") as reader:
                for record in self.records.values():
                    offset, length = record.values
                    if length:
                        reader.seek(self.values_start + offset)
                        data = reader.read(length)
                        if len(data) == length:
                            yield record.name, data
        except OSError:
            return


def mirror_name(extension: str, number: int) -> str:
    """The name of the mirror of a content file; ``extension`` without its dot."""
    return f"sources.{extension.lower()}.{number:03d}.bin"


def read_sources(folder: Path, part: PartFile) -> SourceFile | None:
    """The mirror, in ``folder``, of a content file as it is now; None if there is none or it does not mirror it."""
    found = _read(folder, part)
    return found[0] if found and found[1] == [part.size, part.mtime_ns] else None


def recover_sources(folder: Path, part: PartFile, block_crcs: Mapping[str, int]) -> SourceFile | None:
    """The mirror of a content file that may have changed since: of its records only those whose block is the same.

    ``block_crcs`` are the CRC-32 of the content file's blocks by stored name. A kill between the two writes leaves such
    a mirror.
    """
    found = _read(folder, part)
    if found is None:
        return None
    file, content = found
    if content != [part.size, part.mtime_ns]:
        file.records = {n: r for n, r in file.records.items() if n in block_crcs and block_crcs[n] == r.crc}
        file.others = set(block_crcs) - set(file.records)
    return file


def _read(folder: Path, part: PartFile) -> tuple[SourceFile, object] | None:
    """A mirror whole in itself, and the size and time of the content file it was written for."""
    path = folder / mirror_name(part.extension, part.number)
    try:
        with open(path, "rb") as reader:
            mark, crc, length = _HEAD.unpack(reader.read(_HEAD.size))
            head = reader.read(min(length, os.fstat(reader.fileno()).st_size))
    except (OSError, struct.error):
        return None
    if mark != _MARK or len(head) != length or zlib.crc32(head) != crc:
        return None
    try:
        content = json.loads(head.decode("utf-8", "surrogatepass"))
        records = {}
        for fields in content["files"]:
            records[fields[0]] = SourceRecord._make(fields)
        return SourceFile(path, records, set(content["others"]), _HEAD.size + length), content["content"]
    except (ValueError, TypeError, LookupError):  # of another version of tebunko
        return None


def write_sources(
    folder: Path, part: PartFile, files: Iterable[tuple[SourceRecord, bytes]], others: Iterable[str]
) -> None:
    """Writes the mirror of a content file: its source files with their packed values, and the names of `others`.

    Raises OSError.
    """
    rows: list[list[object]] = []
    blobs: list[bytes] = []
    offset = 0
    for r, values in files:
        place = [offset, len(values)] if values else list(_NO_VALUES)
        rows.append(
            [r.name, r.mtime_ns, r.size, r.places, r.version, r.locale, r.read_at_ns, r.start, r.end, r.crc, place]
        )
        blobs.append(values)
        offset += len(values)
    content = {"content": [part.size, part.mtime_ns], "files": rows, "others": sorted(others)}
    head = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    make_private_folder(folder)
    chunks = [_HEAD.pack(_MARK, zlib.crc32(head), len(head)), head, *blobs]
    replace_file(folder / mirror_name(part.extension, part.number), chunks, sync=False)


def remove_mirror(folder: Path, extension: str, number: int) -> None:
    """Deletes the mirror of a content file that is gone."""
    (folder / mirror_name(extension, number)).unlink(missing_ok=True)
