"""The real command, run as a user runs it, in a workspace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


class Shell:
    """Runs ``tebunko`` with a private workspace; messages are English unless a test says otherwise."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.documents = root / "資料"
        self.documents.mkdir()
        self.environment = os.environ | {
            "TEBUNKO_WORKSPACE": str(root / "workspace"),
            "LC_ALL": "en_US.UTF-8",
            "PYTHONUTF8": "1",
            "COLUMNS": "100",
        }

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tebunko", *arguments]

    def run(self, *arguments: str, code: int | None = 0) -> str:
        """Standard output of a command, which must end with this code."""
        done = self.result(*arguments)
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout

    def result(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )

    def lines(self, *arguments: str, code: int | None = 0) -> list[Any]:
        """The JSON values that a command prints, one a line."""
        return [json.loads(line) for line in self.run(*arguments, code=code).split("\n") if line]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
