"""``tebunko search``: hits grouped by file on a terminal, grep-like when piped, or JSON."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tebunko.api import SearchOptions, Workspace
from tebunko.cli.output import Output
from tebunko.cli.update import positive_count
from tebunko.locale import Translate

NOTHING_FOUND = 1
ERROR = 2


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``search`` to the parser."""
    text = t("find lines in the indexes, with the place where each stands")
    parser = commands.add_parser("search", help=text, description=text, parents=[common])
    parser.add_argument(
        "query",
        nargs="?",
        default="",
        metavar=t("QUERY"),
        help=t('words (all must be on one line), "a phrase", OR, -excluded, sheet: page: name: …'),
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--regex", action="store_true", help=t("the query is one regular expression"))
    mode.add_argument("--literal", action="store_true", help=t("the query is one text, as it stands"))
    parser.add_argument("--case", action="store_true", help=t("capital and small letters differ"))
    parser.add_argument(
        "--forgiving",
        action="store_true",
        help=t("width, kana, dashes, blanks and variant kanji (髙 高) do not matter"),
    )
    parser.add_argument(
        "--across", action="store_true", help=t("also where the end of a line, a line break or a hyphen splits a word")
    )
    parser.add_argument("--whole-file", action="store_true", help=t("all words anywhere in one file, not on one line"))
    parser.add_argument(
        "--terms", metavar=t("FILE"), help=t("count each word of this list (one a line, UTF-8) per file")
    )
    _add_narrowing(parser, t)
    _add_shaping(parser, t)
    parser.set_defaults(command=_search, failed=ERROR)


def _add_narrowing(parser: argparse.ArgumentParser, t: Translate) -> None:
    parser.add_argument("--kind", metavar="excel,word,powerpoint,pdf,text", help=t("only files of these kinds"))
    parser.add_argument("--name", metavar=t("PATTERNS"), help=t("only files so named: *.xlsx;estimate;!*old*"))
    parser.add_argument(
        "--in",
        dest="scopes",
        action="append",
        default=[],
        metavar=t("NAME[/FOLDER]"),
        help=t("only this index, or this folder of it (may be repeated)"),
    )
    parser.add_argument("--no-shapes", action="store_true", help=t("leave out shapes and embedded files"))
    parser.add_argument("--no-comments", action="store_true", help=t("leave out comments"))


def _add_shaping(parser: argparse.ArgumentParser, t: Translate) -> None:
    parser.add_argument("--context", type=int, default=0, metavar="N", help=t("show N lines around each hit"))
    parser.add_argument(
        "--sort", choices=("path", "date", "hits"), help=t("order of the files (default: that of the index)")
    )
    parser.add_argument("--limit", type=positive_count, metavar="N", help=t("stop after N rows"))
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--files", action="store_true", help=t("only the files with a hit"))
    shown.add_argument("--files-without-match", action="store_true", help=t("only the files without a hit"))
    shown.add_argument("--count", action="store_true", help=t("only the number of hits per file"))
    parser.add_argument(
        "--no-gram", action="store_true", help=t("read everything instead of asking the 2-gram index (same rows)")
    )
    parser.add_argument("--json", action="store_true", help=t("print JSON, one object a hit, the last the summary"))
    parser.add_argument(
        "--out", metavar=t("FILE"), help=t("write the rows to this file: .xlsx, .csv, .html, else text")
    )


def _search(options: argparse.Namespace, output: Output) -> int:
    from tebunko.cli.rows import JsonRows, PlainRows, Rows, TerminalRows

    asked = make_options(options)
    events = Workspace(options.workspace).search(asked)
    if options.out:
        from tebunko.api import write_results

        summary = write_results(Path(options.out), asked, events)
        output.say("{count} hits were written to “{path}”.", count=summary.hits, path=options.out)
        notes = Rows(output)
        for skipped in summary.skipped:
            notes.skipped(skipped)
        notes.summary(summary)
        return 0 if summary.files else NOTHING_FOUND
    rows = JsonRows(output) if options.json else TerminalRows(output) if output.terminal else PlainRows(output)
    return 0 if rows.show(events) else NOTHING_FOUND


def make_options(options: argparse.Namespace) -> SearchOptions:
    """The search that the command line means. Raises OSError if the list of terms cannot be read."""
    rows = "lines"
    if options.files or options.count:
        rows = "files" if options.files else "count"
    elif options.files_without_match:
        rows = "files_without_match"
    return SearchOptions(
        query=options.query,
        regex=options.regex,
        literal=options.literal,
        case=options.case,
        forgiving=options.forgiving,
        across=options.across,
        whole_file=options.whole_file,
        terms=_terms(Path(options.terms)) if options.terms else (),
        kinds=options.kind or "",
        names=options.name or "",
        scopes=tuple(options.scopes),
        shapes=not options.no_shapes,
        comments=not options.no_comments,
        context=options.context,
        sort=options.sort,
        limit=options.limit,
        rows=rows,
        narrowed=not options.no_gram,
    )


def _terms(path: Path) -> tuple[str, ...]:
    """The words of a list, one a line; empty lines do not count."""
    lines = path.read_bytes().decode("utf-8-sig", "replace").split("\n")
    return tuple(dict.fromkeys(line.removesuffix("\r") for line in lines if line.strip()))
