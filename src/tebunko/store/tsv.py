"""What the tables of a workspace have in common: UTF-8 with BOM, CRLF written, LF also read (facts.md, File formats)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from io import FileIO
from pathlib import Path

from tebunko.store.fs import replace_file

BOM = b"\xef\xbb\xbf"


def decode_text(data: bytes) -> str:
    """The text of bytes that should be UTF-8, without BOM: half a surrogate pair (a Windows name may hold one) is kept.

    Bytes that are no UTF-8 become U+FFFD, and so spoil only their own row.
    """
    data = data.removeprefix(BOM)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def whole_lines(data: bytes) -> list[str]:
    r"""The lines of a table without their ends; a last line that has none was torn by a kill and is left out.

    >>> whole_lines(b"\xef\xbb\xbfa\tb\r\nc\nd")
    ['a\tb', 'c']
    """
    return decode_text(data).replace("\r\n", "\n").split("\n")[:-1]


def encode_lines(lines: Iterable[str]) -> bytes:
    r"""A table's bytes.

    >>> encode_lines(["a", "b"])
    b'\xef\xbb\xbfa\r\nb\r\n'
    """
    return BOM + "".join(f"{line}\r\n" for line in lines).encode("utf-8", "surrogatepass")


class Table:
    """A table file that one writer appends to and replaces, and that nobody else may write meanwhile.

    ``first`` is the line that a new file begins with, ``changed`` makes the error for when somebody else has written it. The
    file stays open between appends.
    """

    def __init__(self, path: Path, first: str, changed: Callable[[], Exception]) -> None:
        self._path = path
        self._file: FileIO | None = None
        self._first = first
        self._changed = changed
        self._seen = self._look()

    def _look(self) -> tuple[int, int, int] | None:
        try:
            info = os.stat(self._path)
        except FileNotFoundError:
            return None
        return info.st_size, info.st_mtime_ns, info.st_ino

    def check(self) -> None:
        """Raises the error if the file is not as we left it."""
        if self._look() != self._seen:
            raise self._changed()

    def append(self, lines: Sequence[str], *, sync: bool = False) -> None:
        """Appends lines in one write, after cutting off a torn last line; ``sync`` makes them last.

        A file that is missing or holds no whole line is begun. Raises OSError.
        """
        if not lines:
            return
        self.check()
        if self._file is None:
            self._file = open(self._path, "r+b" if self._seen else "xb", buffering=0)  # noqa: SIM115
            begun = self._seen is not None and _cut_torn_line(self._file.fileno()) > 0
            self._file.seek(0, os.SEEK_END)
            if not begun:
                lines = [self._first, *lines]
                self._write(BOM)
        self._write(encode_lines(lines).removeprefix(BOM))
        if sync:
            os.fsync(self._file.fileno())
        self._seen = self._look()

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError:
            # What was written of the line is cut off before the next append.
            self.close()
            self._seen = self._look()
            raise

    def replace(self, data: bytes) -> None:
        """Puts the bytes in place of the file, beside and moved over. Raises OSError."""
        self.check()
        self.close()
        info = replace_file(self._path, data)
        self._seen = info.st_size, info.st_mtime_ns, info.st_ino

    def holds(self, data: bytes) -> bool:
        """True if the file is these very bytes."""
        return self._seen is not None and self._seen[0] == len(data) and self._path.read_bytes() == data

    def close(self) -> None:
        """Lets go of the file; the next append opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()


def _cut_torn_line(handle: int) -> int:
    """Truncates the open file behind its last line feed; gives what size is left."""
    size = end = os.lseek(handle, 0, os.SEEK_END)
    block = 65536
    while end > 0:
        start = max(0, end - block)
        os.lseek(handle, start, os.SEEK_SET)
        found = os.read(handle, end - start).rfind(b"\n")
        if found >= 0:
            if start + found + 1 < size:
                os.ftruncate(handle, start + found + 1)
            return start + found + 1
        end = start
    os.ftruncate(handle, 0)
    return 0
