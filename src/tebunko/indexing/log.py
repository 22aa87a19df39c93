"""``indexing_log.txt``: what a run did, for people (UTF-8 with BOM, CRLF)."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from io import TextIOWrapper

from tebunko import __version__
from tebunko.model.errors import one_line
from tebunko.store.fs import patiently
from tebunko.store.workspace import Layout

_LINE_LIMIT = 2000


class RunLog:
    """The log of one run. Opened under the lock, so that a running update never loses its log.

    ``translate`` turns a catalogue id and its parameters into text. A log that cannot be written ends no run.
    """

    def __init__(self, layout: Layout, translate: Callable[..., str]) -> None:
        self._translate = translate
        self._file: TextIOWrapper | None = None
        try:
            if layout.log.exists():
                patiently(lambda: layout.log.replace(layout.previous_log))
            self._file = open(layout.log, "w", encoding="utf-8-sig", errors="replace", newline="\r\n")  # noqa: SIM115
        except OSError:
            return
        self._line(f"tebunko {__version__} / Python {platform.python_version()} / {platform.platform()}")

    def write(self, message: str, **params: object) -> str:
        """Adds a line and gives its text."""
        return self._line(self._translate(message, **params))

    def _line(self, text: str) -> str:
        line = one_line(text, _LINE_LIMIT)
        try:
            if self._file is not None:
                self._file.write(f"{time.strftime('%Y/%m/%d %H:%M:%S')} {line}\n")
                self._file.flush()
        except OSError:
            self._file = None
        return line

    def close(self) -> None:
        """Closes the log."""
        if self._file is not None:
            self._file.close()
            self._file = None
