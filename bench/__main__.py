"""``python -m bench [--size SIZE]``: generates the corpus, measures, prints the tables and writes the JSON."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from bench.corpus import SIZES, generate
from bench.machine import describe
from bench.report import Report, as_json, as_markdown, as_text
from bench.tasks import Setting, run_all

ROOT = Path(__file__).resolve().parents[1]
_MEASURED = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    asked = _parser().parse_args(arguments)
    kept = asked.work.resolve()
    size = SIZES[asked.size]
    print(f"Generating the corpus of size {asked.size} below {kept}", file=sys.stderr)
    books, mixed = generate(kept / f"corpus-{asked.size}", size)
    print("Measuring", file=sys.stderr)
    setting = Setting(size, books, mixed, kept / "work", asked.rounds, not asked.no_peers)
    facts, measurements = run_all(setting)
    report = Report([*describe(), ("size", asked.size)], facts, measurements)
    result = kept / f"result-{asked.size}.json"
    result.write_bytes(as_json(report))
    print(as_text(report))
    print(f"The same as JSON: {result}", file=sys.stderr)
    if asked.into:
        _insert(asked.into, as_markdown(report))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    size = os.environ.get("TEBUNKO_BENCH_SIZE") or "small"
    parser.add_argument("--size", choices=SIZES, default=size, help="how many files (default: small)")
    parser.add_argument("--rounds", type=int, default=3, help="how often the fast programs are run (default: 3)")
    parser.add_argument("--no-peers", action="store_true", help="leave out the slow indexers of others")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench", help="where corpus and results are kept")
    parser.add_argument("--into", type=Path, help="a Markdown file whose measured part is replaced")
    return parser


def _insert(document: Path, tables: str) -> None:
    text = document.read_text(encoding="utf-8")
    if not _MEASURED.search(text):
        sys.exit(f"{document} has no part between <!-- measured --> and <!-- end -->")
    document.write_text(_MEASURED.sub(lambda m: f"{m[1]}\n{tables}\n{m[2]}", text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
