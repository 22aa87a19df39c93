"""The least that any reader of workbooks must do: what a result can be held against."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import python_calamine


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
