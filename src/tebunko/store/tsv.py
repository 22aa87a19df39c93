"""What the tables of a workspace have in common: UTF-8 with BOM, CRLF written, LF also read (facts.md, File formats)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

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


def append_lines(path: Path, lines: Sequence[str], first: str, *, sync: bool) -> None:
    """Appends lines in one write, after cutting off a torn last line; ``sync`` makes them last.

    A file that is missing or holds no whole line begins with the line ``first``. Raises OSError.
    """
    with open(path, "r+b" if path.exists() else "xb") as file:
        if file.readable() and _cut_torn_line(file.fileno()):
            data = encode_lines(lines).removeprefix(BOM)
        else:
            data = encode_lines([first, *lines])
        file.seek(0, os.SEEK_END)
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())


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
