"""Publishing: spool records and removals of one folder become its new content files.

Order (ARCHITECTURE.md): a content file that gets a block from another one is written before that one, each beside, synced, moved
over; then the mirrors of our catalogue. A kill in between leaves a source file twice at worst, which the next publishing of
its folder mends. Content files that do not change keep inode and time.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tebunko.model.kinds import extension_of
from tebunko.store.content import (
    HEADER,
    LARGEST_BYTES,
    Block,
    ContentError,
    PartFile,
    list_parts,
    part_name,
    read_part,
    split_blocks,
)
from tebunko.store.fs import make_private_folder, patiently, replace_file, set_aside, sync_folder
from tebunko.store.placement import Placement, place_blocks
from tebunko.store.sources import SourceFile, SourceRecord, read_sources, recover_sources, remove_mirror, write_sources
from tebunko.store.spool import Record, RecordPosition, read_record
from tebunko.store.workspace import Layout

_LINE_END = b"\n\x00"


@dataclass(slots=True)
class Publication:
    """What publishing one folder did.

    ``published`` and ``removed`` are stored names. ``reread`` are names that must be read again: their record was lost
    (CRC-32), or the content file that held them could not be understood and was set aside. Of the extensions in ``lost``
    (without their dot) such a file held nobody knows what, so every source file of the folder that has one is meant.
    """

    published: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Old:
    """A content file as it was found: its bytes, its blocks by stored name, and what its mirror truly says.

    ``mirrored``: its mirror is of the file as it is now.
    """

    part: PartFile
    data: bytes
    blocks: dict[str, Block]
    mirror: SourceFile | None
    mirrored: bool


def publish_folder(
    layout: Layout,
    stored_folder: str,
    records: Mapping[str, RecordPosition],
    removals: Iterable[str],
    is_done: Callable[[str], bool],
) -> Publication:
    """Publishes one folder and gives what was done.

    ``records`` maps stored names to spool records, ``removals`` are names whose text leaves; ``is_done`` says of a name
    that is neither whether its row lets its text stand (済, or postponed with the text of an earlier reading): a block
    without such a row is dropped when its content file is rewritten.
    Raises OSError if a file cannot be written; what was written until then stands, and publishing again ends it.
    """
    result = Publication()
    by_extension: defaultdict[str, dict[str, RecordPosition | None]] = defaultdict(dict)
    for name in removals:
        by_extension[extension_of(name)[1:]][name] = None
    for name, position in records.items():
        by_extension[extension_of(name)[1:]][name] = position
    folder = layout.content_folder(stored_folder)
    found: defaultdict[str, list[PartFile]] = defaultdict(list)
    for part in list_parts(folder):
        found[part.extension].append(part)
    for extension, changes in sorted(by_extension.items()):
        work = _ExtensionWork(folder, layout.sources_folder(stored_folder), extension, result)
        work.publish(found[extension], changes, is_done)
    return result


_Placed = tuple[str, int, bytes, SourceRecord | None, bytes]
"""A block in its content file: stored name, offset, bytes, what it was read with, its packed values."""


class _ExtensionWork:
    """Publishing one extension of one folder."""

    def __init__(self, folder: Path, mirrors: Path, extension: str, result: Publication) -> None:
        self._folder = folder
        self._mirrors = mirrors
        self._extension = extension
        self._result = result
        self._old: dict[int, _Old] = {}
        self._new: dict[str, Record] = {}
        self._lost_twins: set[int] = set()
        self._broken: list[PartFile] = []

    def publish(
        self, parts: list[PartFile], changes: Mapping[str, RecordPosition | None], is_done: Callable[[str], bool]
    ) -> None:
        for part in parts:
            self._read_old(part)
        gone = {name for name, position in changes.items() if position is None}
        for name, position in changes.items():
            if position is not None:
                record = read_record(position)
                if record is None:
                    self._result.reread.add(name)
                else:
                    self._new[name] = record
        empty = {name for name, record in self._new.items() if not record.block}
        stale = {n for old in self._old.values() for n in old.blocks if n not in changes and not is_done(n)}
        self._drop_twins(set(changes))
        sizes = {number: {b.name: b.end - b.start for b in old.blocks.values()} for number, old in self._old.items()}
        # Their numbers are taken and nothing goes to them: they are set aside only when all else is written, so that a
        # publishing that fails on the way leaves them to be found again.
        sizes |= {part.number: {"": LARGEST_BYTES} for part in self._broken}
        new = {name: len(record.block) for name, record in self._new.items() if record.block}
        kept = gone - set(self._new)
        self._write(place_blocks(sizes, new, (kept | stale | empty) - set(new), self._lost_twins))
        for part in self._broken:
            set_aside(part.path)
            remove_mirror(self._mirrors, part.extension, part.number)
        self._result.published |= set(self._new)
        self._result.removed |= kept
        self._result.reread -= set(self._new) | kept

    def _read_old(self, part: PartFile) -> None:
        """Reads a content file; of one that cannot be understood, what it held is read again."""
        try:
            data = read_part(part.path)
            found = split_blocks(data)
        except ContentError:
            mirror = read_sources(self._mirrors, part)
            if mirror is None:
                self._result.lost.add(part.extension)
            else:
                self._result.reread |= set(mirror.records) | mirror.others
            self._broken.append(part)
            return
        if found and not data.endswith(_LINE_END):
            data += _LINE_END
            found[-1] = found[-1]._replace(end=len(data))
        blocks = {block.name: block for block in found}
        mirror = read_sources(self._mirrors, part)
        mirrored = mirror is not None
        if not mirrored:
            crcs = {b.name: zlib.crc32(memoryview(data)[b.start : b.end]) for b in blocks.values()}
            mirror = recover_sources(self._mirrors, part, crcs)
        self._old[part.number] = _Old(part, data, blocks, mirror, mirrored)

    def _drop_twins(self, changing: set[str]) -> None:
        """A name found in two content files (a kill between two writes): the one that our catalogue knows stays.

        If it knows neither or both, both go and the source file is read again.
        """
        where: defaultdict[str, list[int]] = defaultdict(list)
        for number, old in self._old.items():
            for name in old.blocks:
                where[name].append(number)
        for name, numbers in where.items():
            if len(numbers) == 1:
                continue
            known = [n for n in numbers if (m := self._old[n].mirror) and name in m.records]
            stays = known[0] if len(known) == 1 else None
            if name in changing:
                stays = numbers[0]
            elif stays is None:
                self._result.reread.add(name)
            for number in numbers:
                if number != stays:
                    del self._old[number].blocks[name]
                    self._lost_twins.add(number)

    def _write(self, plan: Placement) -> None:
        if plan.parts:
            make_private_folder(self._folder)
        held = {name: number for number, old in self._old.items() for name in old.blocks}
        # A block that changes its file is written to its new one before it leaves the old one.
        left = {held[n] for number, names in plan.parts.items() for n in names if held.get(n, number) != number}
        for number in sorted(plan.parts, key=lambda n: (n in left, n)):
            self._write_part(number, plan.parts[number])
        for number in plan.removed:
            patiently(self._old[number].part.path.unlink)
            remove_mirror(self._mirrors, self._extension, number)
        if plan.removed:
            sync_folder(self._folder)
        for number, old in self._old.items():
            if not old.mirrored and number not in plan.parts and number not in plan.removed:
                self._write_mirror(old.part, [(b.name, b.start, *_old_block(old, b.name)) for b in old.blocks.values()])

    def _write_part(self, number: int, names: list[str]) -> None:
        old = self._old.get(number)
        pieces = [HEADER]
        blocks: list[_Placed] = []
        offset = len(HEADER)
        for name in names:
            block, record, values = self._new_block(name) if name in self._new else _old_block(old, name)
            blocks.append((name, offset, block, record, values))
            pieces.append(block)
            offset += len(block)
        path = self._folder / part_name(self._extension, number)
        info = replace_file(path, pieces)
        self._write_mirror(PartFile(path, self._extension, number, info.st_size, info.st_mtime_ns), blocks)

    def _write_mirror(self, part: PartFile, blocks: Iterable[_Placed]) -> None:
        files: list[tuple[SourceRecord, bytes]] = []
        others: list[str] = []
        for name, start, block, record, values in blocks:
            if record is None:
                others.append(name)
            else:
                files.append((record._replace(start=start, end=start + len(block), crc=zlib.crc32(block)), values))
        write_sources(self._mirrors, part, files, others)

    def _new_block(self, name: str) -> tuple[bytes, SourceRecord | None, bytes]:
        record = self._new[name]
        h = record.head
        source = SourceRecord(name, h.mtime_ns, h.size, h.places, h.version, h.locale, h.read_at_ns)
        return record.block, source, record.values


def _old_block(old: _Old | None, name: str) -> tuple[bytes, SourceRecord | None, bytes]:
    """A block that stays, what its source file was read with (None if nobody knows), and its packed values."""
    if old is None:
        raise KeyError(name)
    block = old.blocks[name]
    data = old.data[block.start : block.end]
    known = old.mirror.records.get(name) if old.mirror else None
    return data, known, old.mirror.packed_values(name) if old.mirror and known else b""
