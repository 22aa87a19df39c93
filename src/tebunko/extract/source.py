"""A source file as the readers get it: opened once, read whole or copied, closed before any parsing (facts.md)."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tebunko.model.errors import ExtractError, Reason

IN_MEMORY_BYTES = 64 * 1024 * 1024
"""A source up to this size is held in memory, a larger one is copied to the work folder."""

_COPY_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Options:
    """How to read: ``locale`` is the display locale (``ja-JP``, ``en-US``, …) of dates and currencies."""

    locale: str = "ja-JP"


@dataclass(slots=True)
class Source:
    """The bytes of one source file.

    ``name`` is its file name, ``size`` its length in bytes, ``mtime_ns`` its time of change when it was opened. The
    bytes are in ``data``, or for a file over `IN_MEMORY_BYTES` in a private copy at ``copy``: exactly one is set.
    """

    name: str
    size: int
    mtime_ns: int
    data: bytes | None
    copy: Path | None

    @property
    def stem(self) -> str:
        """The file name without its last extension."""
        return self.name.rpartition(".")[0] or self.name

    def open(self) -> BinaryIO:
        """A new seekable reader from the beginning; the caller closes it."""
        if self.data is not None:
            return io.BytesIO(self.data)
        assert self.copy is not None
        return self.copy.open("rb")

    def head(self, length: int) -> bytes:
        """The first ``length`` bytes, or all if there are fewer."""
        if self.data is not None:
            return self.data[:length]
        with self.open() as reader:
            return reader.read(length)

    def read(self) -> bytes:
        """All bytes; for kinds whose reader needs the whole file anyway."""
        if self.data is not None:
            return self.data
        with self.open() as reader:
            return reader.read()


def source_of(name: str, data: bytes) -> Source:
    """A source made of bytes at hand (an embedded file, a test)."""
    return Source(name, len(data), 0, data, None)


@contextmanager
def open_source(path: str | os.PathLike[str], work_folder: Path | None = None) -> Iterator[Source]:
    """Reads a source file and gives it closed; the copy of a large one lives until the block ends.

    Raises ExtractError with IN_USE, NO_PERMISSION, VANISHED, UNREACHABLE, CHANGING (its size or time changed while it was
    read) or UNSUPPORTED (no regular file). ``work_folder`` holds the copy (default: the system's temporary folder).
    """
    copy: Path | None = None
    try:
        with _open_shared(path) as reader:
            before = os.fstat(reader.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise ExtractError(Reason.UNSUPPORTED, "not a regular file")
            if before.st_size <= IN_MEMORY_BYTES:
                data = reader.read(before.st_size + 1)
                length = len(data)
            else:
                handle, name = tempfile.mkstemp(prefix="source-", dir=work_folder)
                copy, data = Path(name), None
                with open(handle, "wb") as writer:
                    length = _copy(reader, writer, before.st_size)
            after = os.fstat(reader.fileno())
        if length != before.st_size or (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise ExtractError(Reason.CHANGING)
        yield Source(Path(path).name, before.st_size, before.st_mtime_ns, data, copy)
    except OSError as error:
        raise ExtractError(reason_of_os_error(error), error.strerror or error) from error
    finally:
        if copy is not None:
            copy.unlink(missing_ok=True)


def _copy(reader: BinaryIO, writer: BinaryIO, size: int) -> int:
    """Copies at most one byte more than ``size``, so that a file that grows without end does not fill the disk."""
    done = 0
    while done <= size and (block := reader.read(min(_COPY_BYTES, size + 1 - done))):
        writer.write(block)
        done += len(block)
    return done


def extended_path(path: str) -> str:
    r"""The ``\\?\`` form of an absolute Windows path, which has no length limit; other paths as they are.

    >>> extended_path("C:/data/x.txt") == "\\\\?\\C:\\data\\x.txt"
    True
    >>> extended_path("\\\\server\\share\\x") == "\\\\?\\UNC\\server\\share\\x"
    True
    """
    flat = path.replace("/", "\\")
    if flat.startswith("\\\\?\\"):
        return flat
    if flat.startswith("\\\\"):
        return "\\\\?\\UNC" + flat[1:]
    return "\\\\?\\" + flat if flat[1:3] == ":\\" else path


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    def _open_shared(path: str | os.PathLike[str]) -> BinaryIO:
        """Opens for reading so that nobody else is kept from writing, renaming or deleting the file."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateFileW.restype = wintypes.HANDLE
        kernel.CreateFileW.argtypes = [
            wintypes.LPCWSTR,
            wintypes.DWORD,
            wintypes.DWORD,
            wintypes.LPVOID,
            wintypes.DWORD,
            wintypes.DWORD,
            wintypes.HANDLE,
        ]
        read, share_all, existing, sequential = 0x80000000, 0x7, 3, 0x08000000
        handle = kernel.CreateFileW(extended_path(os.fspath(path)), read, share_all, None, existing, sequential, None)
        if handle is None or handle == wintypes.HANDLE(-1).value:
            raise ctypes.WinError(ctypes.get_last_error())
        return open(msvcrt.open_osfhandle(int(handle), os.O_RDONLY | os.O_BINARY), "rb")

else:

    def _open_shared(path: str | os.PathLike[str]) -> BinaryIO:
        """Opens for reading; a FIFO or a device in a share must not block the open."""
        return open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY), "rb")


_SHARING_VIOLATIONS = (32, 33)


def reason_of_os_error(error: OSError) -> Reason:
    """The reason that an operating system's error on a source file stands for."""
    if getattr(error, "winerror", None) in _SHARING_VIOLATIONS or error.errno in (errno.EBUSY, errno.ETXTBSY):
        return Reason.IN_USE
    if isinstance(error, FileNotFoundError):
        return Reason.VANISHED
    if isinstance(error, PermissionError):
        return Reason.NO_PERMISSION
    if error.errno in (errno.ENXIO, errno.EISDIR):
        return Reason.UNSUPPORTED
    return Reason.UNREACHABLE
