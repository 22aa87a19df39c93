"""``python -m scripts.terminal_picture``: draws docs/images/terminal.svg from what the program really prints.

Needs a pseudo-terminal, so Linux or macOS. The picture refers to no font on the network.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from scripts.samples import write_samples

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "terminal.svg"
WIDTH = 92
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "青葉商事"),
    ("search", "令和6年5月1日"),
    ("search", "--kind", "powerpoint", "TB-500 OR 競合"),
)

_FONT_FACES = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
_FORMAT = (
    _FONT_FACES.sub("", CONSOLE_SVG_FORMAT)
    .replace("Fira Code, monospace", "Menlo, Consolas, 'Noto Sans Mono CJK JP', 'MS Gothic', monospace")
    # Fonts that obey it draw Latin letters as wide as kanji.
    .replace("font-variant-east-asian: full-width;", "")
)


def main() -> int:
    """Writes the picture; returns the exit code."""
    console = Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO())
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "samples"
        write_samples(folder)
        environment = {
            **os.environ,
            "TEBUNKO_WORKSPACE": str(Path(work) / "workspace"),
            "TERM": "xterm-256color",
            "COLUMNS": str(WIDTH),
        }
        on_terminal(("index", "add", str(folder), "--name", "文書"), environment)
        on_terminal(("update", "--yes"), environment)
        for number, command in enumerate(COMMANDS):
            prompt = Text.assemble(("$ ", "bold green"), " ".join(["tebunko", *map(_shown, command)]))
            console.print(Text("\n") + prompt if number else prompt)
            console.print(Text.from_ansi(on_terminal(command, environment).rstrip("\n")))
    svg = console.export_svg(title="tebunko", code_format=_FORMAT, unique_id="terminal")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.split("\n")), encoding="utf-8", newline="\n")
    return 0


def _shown(argument: str) -> str:
    return f'"{argument}"' if " " in argument else argument


def on_terminal(arguments: tuple[str, ...], environment: dict[str, str]) -> str:
    """What one command prints on a terminal of our width, with its colours; its exit code is not asked."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    command = [sys.executable, "-m", "tebunko", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        pieces = []
        # Linux ends the reading with an error when the other side is closed.
        try:
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        except OSError:
            pass
    os.close(ours)
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
