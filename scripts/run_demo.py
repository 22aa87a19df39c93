"""``make run``: shows the program at work, on the sample documents or on a folder of one's own.

Folder and query come in the environment variables TEBUNKO_RUN_FOLDER and TEBUNKO_RUN_QUERY or as options, and go to the
program as arguments of their own: no shell sees them. The samples live in a throw-away workspace; for a folder of one's
own the user's workspace is kept, so that a second run only reads what changed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.samples import write_samples
from tebunko.locale import system_language


@dataclass(frozen=True, slots=True)
class Search:
    """One search of the tour: the arguments of the command, and what it shows."""

    shows: str
    arguments: tuple[str, ...]


TOUR = {
    "ja": (
        Search("どのファイルの、どのセル・ページにあるか", ("青葉商事",)),
        Search("2 つの語がどちらもある行", ("売上高 前年比",)),
        Search("セルに見えているとおりの値（和暦の日付）", ("令和6年5月1日",)),
        Search("図形（テキストボックス）の中", ("発行日より30日間",)),
        Search("スライドのノート", ("競合製品",)),
        Search("PDF だけ", ("--kind", "pdf", "休暇")),
        Search("正規表現", ("--regex", r"TB-\d+")),
        Search("英語の文書", ("delivery date",)),
    ),
    "en": (
        Search("In which file, and where in it", ("printer",)),
        Search("Lines that hold both words", ("delivery june",)),
        Search("Values as the cell shows them", ("$980,310.25",)),
        Search("A remark on a cell", ("next quarter",)),
        Search("What the speaker says", ("Welcome the guests",)),
        Search("PDFs only", ("--kind", "pdf", "terminate")),
        Search("A regular expression", ("--regex", r"INV-\d+")),
        Search("Japanese, whatever its encoding", ("髙橋",)),
    ),
}

_SENTENCES = {
    "ja": {
        "samples": "見本の文書 {count} 個を作りました：{folder}",
        "next": "自分のフォルダで試す：make run FOLDER='フォルダ' QUERY='探す語'",
        "no_folder": "フォルダがありません：{folder}",
        "kept": "インデックスは残してあります。続けて探す：{command}",
    },
    "en": {
        "samples": "Wrote {count} sample documents to {folder}",
        "next": "Try it on a folder of your own: make run FOLDER='folder' QUERY='words'",
        "no_folder": "There is no folder {folder}",
        "kept": "The index is kept. To search it again: {command}",
    },
}


class StepFailed(Exception):
    """A command of the tour ended with an exit code that is an error."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs tebunko as a user does, in one workspace (None: the user's own), and shows each command before its output."""

    workspace: Path | None

    def run(self, *arguments: str, accept: Sequence[int] = (0,)) -> None:
        """Runs one command; its output goes where ours goes. Raises `StepFailed` on an exit code not in ``accept``."""
        print(f"\n$ {shlex.join(['tebunko', *arguments])}", flush=True)
        code = subprocess.run(self._command(arguments), env=self._environment(), check=False).returncode
        if code not in accept:
            raise StepFailed(code)

    def read(self, *arguments: str) -> str:
        """Runs one command quietly and returns its standard output."""
        done = subprocess.run(self._command(arguments), env=self._environment(), stdout=subprocess.PIPE, check=False)
        if done.returncode:
            raise StepFailed(done.returncode)
        return done.stdout.decode("utf-8")

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "tebunko", *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **({"TEBUNKO_WORKSPACE": str(self.workspace)} if self.workspace else {})}


def show_samples(query: str, language: str) -> None:
    """Writes the samples, indexes them in a throw-away workspace, and searches for ``query`` or goes on the tour."""
    with tempfile.TemporaryDirectory(prefix="tebunko-") as work:
        folder = Path(work) / "samples"
        count = len(write_samples(folder))
        say(language, "samples", count=count, folder=folder)
        shell = Shell(Path(work) / "workspace")
        shell.run("index", "add", str(folder), "--name", "samples")
        shell.run("update", "--yes")
        if query:
            shell.run("search", "--", query, accept=(0, 1))
        for search in () if query else TOUR[language]:
            print(f"\n# {search.shows}", end="")
            shell.run("search", *search.arguments)
    print()
    say(language, "next")


def show_own(folder: Path, query: str, language: str) -> None:
    """Indexes a folder of the user's own in the user's workspace, and searches it if there is a query."""
    shell = Shell(None)
    name = registered_name(shell.read("index", "list", "--json"), folder)
    if name is None:
        shell.run("index", "add", str(folder))
        name = registered_name(shell.read("index", "list", "--json"), folder)
    if name is None:
        raise StepFailed(1)
    shell.run("update", "--yes", name)
    if query:
        shell.run("search", "--in", name, "--", query, accept=(0, 1))
    print()
    program = Path(sys.executable).with_name("tebunko")
    say(language, "kept", command=shlex.join([str(program), "search", "--in", name, "…"]))


def registered_name(listing: str, folder: Path) -> str | None:
    """The name of the index of a folder in the output of ``tebunko index list --json``; None if there is none."""
    for line in listing.split("\n"):
        rows = json.loads(line) if line.strip() else []
        for row in rows if isinstance(rows, list) else [rows]:
            if row.get("folder") and Path(row["folder"]).resolve() == folder.resolve():
                return str(row["name"])
    return None


def say(language: str, sentence: str, **values: object) -> None:
    """Prints one of our own sentences at once, so that it stays before what the next command prints."""
    print(_SENTENCES[language][sentence].format(**values), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code of the first command that failed, or 0."""
    parser = argparse.ArgumentParser(prog="python -m scripts.run_demo", description=__doc__)
    parser.add_argument("--folder", default=os.environ.get("TEBUNKO_RUN_FOLDER", ""), help="a folder of your own")
    parser.add_argument("--query", default=os.environ.get("TEBUNKO_RUN_QUERY", ""), help="what to look for")
    asked = parser.parse_args(arguments)
    language = system_language()
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        if not asked.folder:
            show_samples(asked.query, language)
            return 0
        folder = Path(asked.folder).expanduser()
        if not folder.is_dir():
            say(language, "no_folder", folder=folder)
            return 1
        show_own(folder.absolute(), asked.query, language)
    except StepFailed as failed:
        return failed.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
