"""tebunko itself, run from the shell as a user runs it."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.measurement import BenchError, Contender, count_lines, folder_size, run_program


@dataclass(frozen=True, slots=True)
class Ours:
    """A workspace and the one folder that it indexes."""

    folder: Path
    workspace: Path

    def run(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> str:
        """Runs one command in the workspace and returns what it prints."""
        environment = {"TEBUNKO_WORKSPACE": str(self.workspace)}
        return run_program([sys.executable, "-m", "tebunko", *arguments], environment, accept)

    def register(self) -> None:
        """Starts over with an empty workspace in which the folder is registered."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.run("index", "add", str(self.folder))

    def updater(self, files: int) -> Contender:
        """One update in a fresh workspace that must take ``files`` files; gives the size of the workspace."""

        def run() -> int:
            done = self._summary()["done"]
            if done != files:
                raise BenchError(f"{done} of {files} files were taken")
            return folder_size(self.workspace)

        return Contender("tebunko update", run, self.register, reference=True)

    def update_again(self) -> None:
        """One update that must find nothing to do."""
        if self._summary()["done"]:
            raise BenchError("files were taken again")

    def _summary(self) -> dict[str, int]:
        last = self.run("update", "--yes", "--json").rstrip("\n").rpartition("\n")[2]
        summary: dict[str, int] = json.loads(last)
        return summary

    def searcher(self, query: str, *options: str) -> Contender:
        """One search from the shell that counts the hits of each file, as ``rg --count`` does."""
        arguments = ("search", "--count", *options, "--", query)

        def run() -> None:
            self.run(*arguments, accept=(0, 1))

        lines = count_lines(self.run(*arguments, accept=(0, 1)))
        return Contender("tebunko search", run, note=f"{lines:,} lines", reference=True)

    @property
    def content(self) -> Path:
        """The folder of the content files (ja-index-format, 置き場と目録)."""
        return self.workspace / "store" / "content"

    def sizes(self) -> dict[str, int]:
        """The bytes of each folder and file directly below ``store``, by name."""
        below = (self.workspace / "store").iterdir()
        return {path.name: folder_size(path) if path.is_dir() else path.stat().st_size for path in below}
