"""A workspace for the tests of the store, and file operations that fail when they are told to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tebunko.store.workspace import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "ws")
    made.create()
    return made


class Faults:
    """Makes the n-th file operation below a folder fail, as a full disk or a kill would."""

    _WRITES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir"})

    def __init__(self) -> None:
        self._top = ""
        self._at = -1
        self._for_good = False
        self.seen = 0
        sys.addaudithook(self._hook)  # it cannot be taken away again, but it sleeps

    @contextmanager
    def at(self, number: int, top: Path, *, for_good: bool) -> Iterator[None]:
        """While the block runs, operation ``number`` raises OSError; ``for_good``: all later ones too, as after a kill."""
        self._top, self._at, self._for_good, self.seen = str(top), number, for_good, 0
        try:
            yield
        finally:
            self._top = ""

    def _hook(self, event: str, args: tuple[object, ...]) -> None:
        if not self._top or not self._is_write(event, args):
            return
        self.seen += 1
        if self.seen - 1 == self._at or (self._for_good and self.seen - 1 > self._at):
            raise OSError(28, "injected")

    def _is_write(self, event: str, args: tuple[object, ...]) -> bool:
        if not args or not str(args[0]).startswith(self._top):
            return False
        if event == "open":
            return isinstance(args[2], int) and bool(args[2] & (os.O_WRONLY | os.O_RDWR))
        return event in self._WRITES


_FAULTS: list[Faults] = []


@pytest.fixture
def faults() -> Faults:
    if not _FAULTS:
        _FAULTS.append(Faults())
    return _FAULTS[0]
