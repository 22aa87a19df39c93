"""The tasks of a run: who takes part in each, and on what."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.corpus import ABSENT, COMMON, RARE, Size
from bench.floor import inflate, read_cells
from bench.measurement import Contender, Measurement, race, run_program
from bench.ours import Ours


@dataclass(frozen=True, slots=True)
class Setting:
    """The corpus, a folder for everything that the programs write, and how often each is run."""

    size: Size
    books: Path
    mixed: Path
    work: Path
    rounds: int
    with_peers: bool = True


def run_all(setting: Setting) -> tuple[list[tuple[str, str]], list[Measurement]]:
    """All tasks, one after the other; returns facts about sizes and the measurements."""
    shutil.rmtree(setting.work, ignore_errors=True)
    setting.work.mkdir(parents=True)
    books = Ours(setting.books, setting.work / "books")
    mixed = Ours(setting.mixed, setting.work / "mixed")
    files = sorted(setting.books.rglob("*.xlsx"))
    measurements = [
        *_update_books(setting, books, files),
        *_update_mixed(setting, mixed),
        *_update_nothing(setting, books),
        *_searches(setting, books),
    ]
    return _sizes(setting, books, files), measurements


def _peers(setting: Setting, folder: Path, files: int) -> list[Contender]:
    if not setting.with_peers:
        return []
    return [peers.recoll(folder, setting.work, files), peers.omega(folder, setting.work)]


def _update_books(setting: Setting, books: Ours, files: list[Path]) -> list[Measurement]:
    def inflate_all() -> None:
        inflate(files)

    def read_all() -> None:
        read_cells(files)

    return race(
        f"First update of {setting.size.workbooks:,} workbooks",
        [
            books.updater(setting.size.workbooks),
            Contender("unzip alone", inflate_all, note="the floor; writes nothing"),
            Contender("python-calamine to lists", read_all, note="the floor; writes nothing, raw values"),
            *_peers(setting, setting.books, setting.size.workbooks),
        ],
        setting.rounds,
        setting.size.workbooks,
    )


def _update_mixed(setting: Setting, mixed: Ours) -> list[Measurement]:
    return race(
        f"First update of {setting.size.mixed:,} documents, slides, PDFs and texts",
        [
            mixed.updater(setting.size.mixed),
            *_peers(setting, setting.mixed, setting.size.mixed),
        ],
        setting.rounds,
        setting.size.mixed,
    )


def _update_nothing(setting: Setting, books: Ours) -> list[Measurement]:
    def floor() -> None:
        run_program([sys.executable, "-m", "bench.walk", setting.books])

    return race(
        f"Second update of {setting.size.workbooks:,} workbooks, nothing changed",
        [
            Contender("tebunko update", books.update_again),
            Contender("floor", floor, note="same imports, one child, scandir and stat", reference=True),
        ],
        max(setting.rounds, 3),
        setting.size.workbooks,
    )


_QUERIES: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("a rare word (3 hits)", RARE, (), ("--fixed-strings",)),
    ("an absent word", ABSENT, (), ("--fixed-strings",)),
    ("a common word", COMMON, (), ("--fixed-strings",)),
    ("a regular expression", f"{RARE[:2]}.+{RARE[-2:]}", ("--regex",), ()),
)


def _searches(setting: Setting, books: Ours) -> Iterator[Measurement]:
    """From the shell, start of the process included on both sides."""
    for name, query, ours, theirs in _QUERIES:
        yield from race(
            f"Search for {name}, from the shell",
            [
                books.searcher(query, *ours),
                peers.ripgrep(query, books.content, *theirs),
            ],
            max(setting.rounds, 5),
        )


def _sizes(setting: Setting, books: Ours, files: list[Path]) -> list[tuple[str, str]]:
    parts = books.sizes()
    text = read_cells(files)
    whole = sum(parts.values())
    beside_values = whole - parts.get("sources", 0)
    listed = ", ".join(f"{name} {size / 1e6:,.2f}" for name, size in sorted(parts.items()))
    return [
        ("workbooks", f"{setting.size.workbooks:,} files, {sum(f.stat().st_size for f in files) / 1e6:,.1f} MB"),
        ("their text by python-calamine", f"{text / 1e6:,.1f} MB in UTF-16"),
        (
            "workspace",
            f"{whole / 1e6:,.1f} MB, {beside_values / text:.2f} times that text without the raw values ({listed} MB)",
        ),
    ]
