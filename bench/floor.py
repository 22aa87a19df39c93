"""The least that any program of this kind must do: what a result can be held against.

``python -m bench.floor FOLDER`` is the floor of an update that finds nothing new: the same libraries imported, one
child spawned, the tree walked with one stat a file.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import python_calamine

_UPDATE_IMPORTS = ("filelock", "msgspec", "platformdirs", "psutil", "rich.console", "typer")


def inflate(files: Sequence[Path]) -> None:
    """Reads every part of every package, as ``unzip`` would."""
    for path in files:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                archive.read(name)


def read_cells(files: Sequence[Path]) -> int:
    """Reads every sheet into lists with python-calamine; returns the size of its text in UTF-16, in bytes.

    The text is that of a content file without its meta lines: cells joined by tabs, rows by line feeds.
    """
    characters = 0
    for path in files:
        book = python_calamine.CalamineWorkbook.from_path(path)
        for name in book.sheet_names:
            for row in book.get_sheet_by_name(name).to_python(skip_empty_area=False):
                characters += len("\t".join(map(_shown, row)).rstrip("\t")) + 1
    return 2 * characters


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def walk(folder: str) -> int:
    """The number of files below a folder, each asked for its size and time once."""
    count = 0
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


if __name__ == "__main__":
    for library in _UPDATE_IMPORTS:
        __import__(library)
    child = multiprocessing.get_context("spawn").Process(target=walk, args=(sys.argv[1],))
    child.start()
    child.join()
    sys.exit(child.exitcode)
