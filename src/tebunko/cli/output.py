"""What the command line writes, and how: JSON, plain text, colours on a terminal, text of documents made harmless."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import east_asian_width

from tebunko.locale import Translate

_CONTROL = {c: "\ufffd" for c in [*range(0x20), *range(0x7F, 0xA0)] if chr(c) != "\t"} | {0x2028: " ⏎ ", 0x2029: " ⏎ "}
_RESET = "\x1b[0m"
_COLOURS = {"file": "\x1b[35m", "place": "\x1b[32m", "match": "\x1b[1;31m", "dim": "\x1b[2m", "error": "\x1b[31m"}


class Output:
    """Standard output and error of one command, with the translation of its messages."""

    def __init__(self, translate: Translate) -> None:
        self.t = translate
        self.terminal = sys.stdout.isatty()
        self.colour = self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        if self.colour and sys.platform == "win32":
            os.system("")  # switches the console to escape sequences

    def json(self, value: object) -> None:
        """Writes one JSON value on a line, UTF-8 whatever the locale."""
        self._write_json(_dumps(value) + "\n")

    def open_json(self, head: Mapping[str, object], key: str) -> None:
        """Begins an object with these fields and a list ``key``, whose items follow by `json_items`."""
        self._write_json(f"{_dumps(head)[:-1]},{_dumps(key)}:[")

    def json_items(self, items: Sequence[object], *, first: bool) -> None:
        """Writes items of the list that `open_json` began."""
        self._write_json(("" if first else ",") + _dumps(items)[1:-1])

    def close_json(self) -> None:
        """Ends list, object and line."""
        self._write_json("]}\n")

    def _write_json(self, text: str) -> None:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Hands everything to the reader at once."""
        sys.stdout.flush()

    def line(self, text: str = "") -> None:
        """Writes a line of our own text."""
        sys.stdout.write(text + "\n")

    def say(self, message: str, **params: object) -> None:
        """Writes a message of the catalogue."""
        self.line(self.t(message, **params))

    def error(self, message: str, **params: object) -> None:
        """Writes a message of the catalogue to standard error."""
        sys.stdout.flush()
        text = self.t(message, **params)
        sys.stderr.write(f"tebunko: {text}\n")

    def paint(self, text: str, style: str) -> str:
        """The text in a colour, where colours are shown."""
        return f"{_COLOURS[style]}{text}{_RESET}" if self.colour else text

    def safe(self, text: str) -> str:
        """Text of a document: on a terminal its control characters are shown, not obeyed."""
        return text.translate(_CONTROL) if self.terminal else text

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]], right: frozenset[int] = frozenset()) -> None:
        """Writes a table with columns wide enough for full-width characters; ``right`` are columns of numbers."""
        cells = [list(head), *([str(cell) for cell in row] for row in rows)]
        widths = [max(width(row[i]) for row in cells) for i in range(len(head))]
        for number, row in enumerate(cells):
            padded = []
            for i, cell in enumerate(row):
                space = " " * (widths[i] - width(cell))
                padded.append(space + cell if i in right else cell + space)
            text = "  ".join(padded).rstrip()
            self.line(self.paint(text, "dim") if number == 0 else text)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def width(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> width("A社")
    3
    """
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def human_size(size: float) -> str:
    """A size in bytes as people read it.

    >>> human_size(999), human_size(1_500_000)
    ('999 B', '1.5 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
