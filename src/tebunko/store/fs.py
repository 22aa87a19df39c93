"""Files that others read while we write: old or new, never half.

`replace_file` writes beside, syncs, and moves over; after a crash there is the old file or the new one. On Windows a
folder cannot be synced, so there a rename may be lost by a power cut (never torn), and a file that somebody has open cannot
be replaced: it is tried again for `PATIENCE` seconds.
"""

from __future__ import annotations

import itertools
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

PATIENCE = 5.0
"""Seconds for which a file that another program holds is tried again."""

OWNER_ONLY = 0o700
TEMPORARY_SUFFIX = ".tmp"

T = TypeVar("T")


def patiently(action: Callable[[], T], patience: float = PATIENCE) -> T:
    """Runs ``action`` until it raises no PermissionError or ``patience`` seconds have passed; then its error is raised.

    Only Windows gives such passing errors (an open file, a virus scanner); elsewhere the first error counts.
    """
    end = time.monotonic() + patience
    pause = 0.01
    while True:
        try:
            return action()
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() >= end:
                raise
            time.sleep(pause)
            pause = min(pause * 2, 0.5)


def make_private_folder(path: Path) -> None:
    """Creates the folder and its parents; what is created is for its owner alone: it holds the text of documents."""
    missing = list(itertools.takewhile(lambda folder: not folder.is_dir(), (path, *path.parents)))
    for folder in reversed(missing):
        folder.mkdir(mode=OWNER_ONLY, exist_ok=True)


def sync_folder(path: Path) -> None:
    """Makes renames in the folder last; does nothing where the system cannot."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(path: Path, chunks: bytes | Iterable[bytes], *, sync: bool = True) -> os.stat_result:
    """Puts the bytes in place of the file and gives the new file's size and times.

    The temporary file is ``<name>.tmp`` beside it. With ``sync`` file and folder are synced; without it a power cut may
    leave the old, the new or an empty file: for files that prove themselves by a checksum. Raises OSError; the old file
    is then as it was and the temporary one gone.
    """
    temporary = path.with_name(path.name + TEMPORARY_SUFFIX)
    # Whatever lies there is left over or planted; it may be a link that leads elsewhere.
    patiently(lambda: temporary.unlink(missing_ok=True))
    try:
        with open(temporary, "xb") as writer:
            writer.writelines([chunks] if isinstance(chunks, bytes) else chunks)
            writer.flush()
            if sync:
                os.fsync(writer.fileno())
        # Only when it is closed: some systems give the last time of change no earlier.
        written = temporary.stat()
        patiently(lambda: temporary.replace(path))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)
    return written


def set_aside(path: Path) -> Path:
    """Renames a file that cannot be understood to ``<name>.broken``, ``<name>.broken-2`` …; gives the new path.

    What it holds is never overwritten.
    """
    names = (path.name + (".broken" if n == 1 else f".broken-{n}") for n in itertools.count(1))
    target = next(t for name in names if not os.path.lexists(t := path.with_name(name)))
    patiently(lambda: path.rename(target))
    return target


def is_link(path: Path) -> bool:
    """True for a symbolic link or a Windows junction."""
    try:
        info = path.lstat()
    except OSError:
        return False
    if stat.S_ISLNK(info.st_mode):
        return True
    tag = getattr(info, "st_reparse_tag", 0)
    return tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)


def remove_tree(path: Path, under: Path) -> None:
    """Deletes a folder of a workspace; of links only the link.

    ``path`` must lie under ``under`` with no link on the way (removeDirectoryUnder of the documents); raises ValueError
    otherwise, OSError if something cannot be deleted. A missing folder is fine.
    """
    if under not in path.parents or ".." in path.parts:
        raise ValueError(f"{path} does not lie under {under}")
    if any(is_link(parent) for parent in path.parents if under in parent.parents):
        raise ValueError(f"{path} lies behind a link")
    if is_link(path):
        _remove_link(path)
    elif path.exists():
        _remove_folder(path)


def _remove_folder(top: Path) -> None:
    found = [top]
    for folder in found:  # it grows while it is gone through: folders come before those they hold
        for entry in list(os.scandir(folder)):
            child = Path(entry.path)
            if is_link(child):
                _remove_link(child)
            elif entry.is_dir(follow_symlinks=False):
                found.append(child)
            else:
                patiently(child.unlink)
    for folder in reversed(found):
        patiently(folder.rmdir)


def _remove_link(path: Path) -> None:
    try:
        path.unlink()
    except PermissionError:
        path.rmdir()  # a junction is removed like a folder
