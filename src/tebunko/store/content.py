"""Content files: the text of all source files of one folder and extension (ja-index-format, 本文インデックスの形式).

``content_index.<extension>.<number>.tsv``, UTF-16LE with BOM, LF::

    RS 版=2
    RS ファイル名=<stored name>           a new source file: its *block* runs to the next such line
    RS 種類=Excel
    RS シート=見積                        a new place; then 対象, 非表示, 埋め込み
    RS 対象=本文
    品名 TAB 数量                         content lines; the first is line 1 of the place

RS is U+001E and one blank follows it. Content lines hold no U+001C-U+001F, so a line that begins with RS is a meta line.
Values of meta lines have ``%`` and control characters (but tab) as ``%XX``. Unknown keys are skipped. A source file never
spans two content files. Files over 64 MB are neither written nor read.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TypeVar

from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.place import PLACE_KEYS, Place, meta_of, place_from_meta
from tebunko.model.unit import Unit, in_index_order
from tebunko.store.fs import patiently

VERSION = 2
FULL_BYTES = 4 * 1024 * 1024
"""A content file of this size takes no further source file."""
GROWN_BYTES = 8 * 1024 * 1024
"""A changed source file stays in its content file while that stays under this size."""
LARGEST_BYTES = 64 * 1024 * 1024
"""No content file passes this size; larger ones are not read."""

_STRETCH = 10_000
"""Lines that are encoded at once."""

RS = "\x1e"
MARK = RS + " "
VERSION_KEY = "版"
FILE_KEY = "ファイル名"
KIND_KEY = "種類"

_BOM = b"\xff\xfe"
_HEAD = f"{MARK}{VERSION_KEY}={VERSION}"
HEADER = _BOM + f"{_HEAD}\n".encode("utf-16-le")
"""The bytes that every content file begins with, as we write it."""
_HEADERS = (HEADER, _BOM + f"{_HEAD}\r\n".encode("utf-16-le"))

_FILE_MARK = f"{MARK}{FILE_KEY}=".encode("utf-16-le")
_LINE_END = "\n".encode("utf-16-le")
_NAME = re.compile(r"content_index\.([^.\x00-\x1f]+)\.([0-9]{3,9})\.tsv")
_ENCODED = str.maketrans({chr(c): f"%{c:02X}" for c in range(0x20) if chr(c) != "\t"} | {"%": "%25"})
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")

B = TypeVar("B", bytes, memoryview)


class ContentError(Exception):
    """A content file that cannot be used; ``reason`` is a catalogue id."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


TOO_LARGE = "It is over 64 MB"
OTHER_VERSION = "It has another format version"
NOT_CONTENT = "It is not a content file or it is damaged"


class PartFile(NamedTuple):
    """A content file on disk; ``extension`` is without its dot."""

    path: Path
    extension: str
    number: int
    size: int
    mtime_ns: int


class PlaceSpan(NamedTuple):
    """A place in a content file's text: its content lines are ``text[start:end]``, each with its LF.

    ``first`` is the number of the first of them in the place; it is 1 unless a meta line stands between the place's lines.
    """

    source: str
    kind: FileKind
    place: Place
    start: int
    end: int
    first: int = 1


class Block(NamedTuple):
    """One source file's part of a content file: its stored name and its bytes ``data[start:end]``."""

    name: str
    start: int
    end: int


def part_name(extension: str, number: int) -> str:
    """The name of a content file; ``extension`` without its dot.

    >>> part_name("XLSX", 1)
    'content_index.xlsx.001.tsv'
    """
    return f"content_index.{extension.lower()}.{number:03d}.tsv"


@lru_cache(maxsize=4096)
def parse_part_name(name: str) -> tuple[str, int] | None:
    """(extension, number) of a content file's name, None for any other name.

    >>> parse_part_name("content_index.xlsx.001.tsv"), parse_part_name("content_index.xlsx.٠٠١.tsv")
    (('xlsx', 1), None)
    """
    match = _NAME.fullmatch(name)
    if not match or part_name(match[1], int(match[2])) != name:
        return None
    return match[1], int(match[2])


def list_parts(folder: Path) -> list[PartFile]:
    """The content files of a folder by extension and number; none if there is no such folder. Raises OSError."""
    parts = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                parsed = parse_part_name(entry.name)
                if parsed and entry.is_file(follow_symlinks=False):
                    info = entry.stat(follow_symlinks=False)
                    parts.append(PartFile(folder / entry.name, *parsed, info.st_size, info.st_mtime_ns))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(parts, key=lambda part: (part.extension, part.number))


def read_part(path: Path) -> bytes:
    """The bytes of a content file, checked for size and version; half a UTF-16 unit at its end is left out.

    Raises ContentError, OSError. The file is open only while it is read.
    """

    return _checked(patiently(lambda: _whole(path)))


def _checked(data: B) -> B:
    head = bytes(data[:200])
    if head.startswith(_HEADERS):
        return data[: len(data) & ~1]
    if not head.startswith(_BOM):
        raise ContentError(NOT_CONTENT)
    first = head[2:].decode("utf-16-le", "replace").partition("\n")[0].removesuffix("\r")
    raise ContentError(OTHER_VERSION if first.startswith(f"{MARK}{VERSION_KEY}=") else NOT_CONTENT)


class PartReader:
    """Reads content files one after the other into the same memory, which is much faster than new memory each time.

    For one thread.
    """

    def __init__(self) -> None:
        self._memory = bytearray()

    def read(self, path: Path) -> memoryview:
        """As `read_part`; what it gives is true only until the next call. Raises ContentError, OSError."""
        return _checked(patiently(lambda: self._whole(path)))

    def _whole(self, path: Path) -> memoryview:
        with open(path, "rb", buffering=0) as reader:
            size = _size_of(reader)
            if len(self._memory) < size:
                self._memory = bytearray(size * 5 // 4)
            view = memoryview(self._memory)[:size]
            done = 0
            while done < size and (count := reader.readinto(view[done:])):
                done += count
            return view[:done]


def _size_of(reader: FileIO) -> int:
    size = os.fstat(reader.fileno()).st_size
    if size > LARGEST_BYTES:
        raise ContentError(TOO_LARGE)
    return size


def _whole(path: Path) -> bytes:
    """All bytes of a file. It is asked for as many as there are, unbuffered: what is cut to size is copied."""
    with open(path, "rb", buffering=0) as reader:
        size = _size_of(reader)
        data = reader.read(size)
        while len(data) < size and (more := reader.read(size - len(data))):
            data += more
        return data


def read_text(path: Path) -> str:
    """The text of a content file without BOM. Raises ContentError, OSError."""
    return decode_part(read_part(path))


def decode_part(data: bytes | memoryview) -> str:
    """The text of a content file's bytes without BOM; half a surrogate pair (a file cut off) becomes U+FFFD."""
    return str(data, "utf-16", "replace")


def encode_value(value: str) -> str:
    r"""encodeContentIndexValue: a meta line's value with ``%`` and control characters (but tab) as ``%XX``.

    >>> encode_value("100%\n")
    '100%25%0A'
    """
    return value.translate(_ENCODED)


def decode_value(text: str) -> str:
    """decodeContentIndexValue: the inverse of `encode_value`."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if "%" in text else text


def build_block(name: str, kind: FileKind, units: Iterable[Unit]) -> bytearray:
    """The block of one source file: UTF-16LE without BOM, places in index order.

    ``name`` is the stored name. The text is put together a stretch at a time, so that it is not in memory as text too.
    Raises ExtractError(TOO_LARGE) if no content file could hold it.
    """
    block = bytearray()

    def add(text: str) -> None:
        block.extend(text.encode("utf-16-le", "surrogatepass"))
        if len(block) + len(HEADER) > LARGEST_BYTES:
            raise ExtractError(Reason.TOO_LARGE, f"more than {LARGEST_BYTES // 1_000_000} MB of text")

    add(f"{MARK}{FILE_KEY}={encode_value(name)}\n{MARK}{KIND_KEY}={kind.value}\n")
    for unit in in_index_order(list(units)):
        add("".join(f"{MARK}{key}={encode_value(value)}\n" for key, value in meta_of(unit.place)))
        for start in range(0, len(unit.lines), _STRETCH):
            add("\n".join([*unit.lines[start : start + _STRETCH], ""]))
    return block


def split_blocks(data: bytes) -> list[Block]:
    """The blocks of a content file's bytes, found without decoding the rest.

    Raises ContentError if the file line of a block has no end.
    """
    blocks = []
    for start, end in itertools.pairwise([*_file_marks(data), len(data)]):
        name_start = start + len(_FILE_MARK)
        name_end = _find_aligned(data, _LINE_END, name_start, end)
        if name_end < 0:
            raise ContentError(NOT_CONTENT)
        name = data[name_start:name_end].decode("utf-16-le", "surrogatepass").removesuffix("\r")
        blocks.append(Block(decode_value(name), start, end))
    return blocks


def _file_marks(data: bytes) -> Iterator[int]:
    """Where the file lines begin: after a line end (the version line is always before the first)."""
    position = len(HEADER) - len(_LINE_END)
    while (position := _find_aligned(data, _LINE_END + _FILE_MARK, position, len(data))) >= 0:
        position += len(_LINE_END)
        yield position


def _find_aligned(data: bytes, wanted: bytes, start: int, end: int) -> int:
    """Like bytes.find, but only at even offsets: between two UTF-16 units."""
    while True:
        found = data.find(wanted, start, end)
        if found % 2 == 0 or found < 0:
            return found
        start = found + 1


def parse_places(text: str) -> list[PlaceSpan]:
    """The places of a content file's text, in file order, also those without lines.

    Unknown keys are skipped, and so are meta lines without ``=``; content lines before the first place of a source file
    belong to none. Should a meta line stand between content lines, the place is given once for the lines before it and once
    for those behind, which go on counting.
    """
    spans: list[PlaceSpan] = []
    source, kind = "", FileKind.TEXT
    meta: dict[str, str] = {}
    opened, first = -1, 1  # where the lines of the place under way begin, and the number of the first of them
    for start, end in _meta_lines(text):
        name, equals, value = text[start + 1 : end].partition("=")
        key = name.removeprefix(" ") if equals else ""
        starts = key == FILE_KEY or key in PLACE_KEYS
        if opened >= 0 and (starts or opened < start):
            spans.append(PlaceSpan(source, kind, place_from_meta(meta), opened, start, first))
            first += 0 if starts else text.count("\n", opened, start)
        if starts:
            meta, opened, first = {}, -1, 1
        if key == FILE_KEY:
            source = decode_value(value.removesuffix("\r"))
            kind = kind_of(source) or FileKind.TEXT
        elif key == KIND_KEY:
            kind = _kind(value.removesuffix("\r")) or kind
        elif key in PLACE_KEYS or opened >= 0:
            meta[key] = decode_value(value.removesuffix("\r"))
        if key in PLACE_KEYS or opened >= 0:
            opened = min(end + 1, len(text))
    if opened >= 0:
        spans.append(PlaceSpan(source, kind, place_from_meta(meta), opened, len(text), first))
    return spans


def _meta_lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each meta line begins and ends (its line feed left out)."""
    # Of all ways to find them, looking for this one character is faster by far.
    start = text.find(RS)
    while start >= 0:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if not start or text[start - 1] == "\n":
            yield start, end
        start = text.find(RS, end)


def _kind(value: str) -> FileKind | None:
    try:
        return FileKind(value)
    except ValueError:
        return None
