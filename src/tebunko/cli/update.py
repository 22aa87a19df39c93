"""``tebunko update``: one run, with its plan, progress and end."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Any

from tebunko.api import Approval, Summary, Workspace
from tebunko.cli.output import Output
from tebunko.cli.progress import TerminalChannel
from tebunko.locale import Translate

_STOPPING = (signal.SIGINT, signal.SIGTERM)
_MEGABYTE = 1024 * 1024


COUNTS = {
    "done": "read: {count}",
    "failed": "failed: {count}",
    "postponed": "postponed: {count}",
    "removed": "removed: {count}",
    "kept_missing": "kept though not found: {count}",
    "cloud_only": "left in the cloud: {count}",
    "skipped": "not tried: {count}",
}
"""What people read of the counts of a `Summary`."""


def add_limits(parser: argparse.ArgumentParser, t: Translate) -> None:
    """Adds the options that bound what one file may cost."""
    parser.add_argument(
        "--time-limit", type=_positive, metavar=t("SECONDS"), help=t("time that one file may take (default: 600)")
    )
    parser.add_argument(
        "--memory-limit",
        type=_positive,
        metavar=t("MB"),
        help=t("memory that one reading process may take (default: 2048)"),
    )


def limits(options: argparse.Namespace) -> dict[str, Any]:
    """The limits as `Workspace` takes them."""
    memory = int(options.memory_limit * _MEGABYTE) if options.memory_limit else None
    return {"time_limit": options.time_limit, "memory_limit": memory}


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(text)
    return value


def positive_count(text: str) -> int:
    """The type of an option that takes a whole number from 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(text)
    return value


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``update`` to the parser."""
    text = t("read what is new or changed in the registered folders")
    parser = commands.add_parser("update", help=text, description=text, parents=[common])
    parser.add_argument("names", nargs="*", metavar=t("NAME"), help=t("only these indexes"))
    parser.add_argument("--yes", action="store_true", help=t("do not ask; never approves a deletion"))
    parser.add_argument("--retry-failed", action="store_true", help=t("read earlier failures again"))
    parser.add_argument(
        "--include-cloud", action="store_true", help=t("download and read files that lie only in the cloud")
    )
    parser.add_argument(
        "--allow-removal", action="store_true", help=t("drop files that are gone even where that looks like a mistake")
    )
    parser.add_argument(
        "--workers", type=positive_count, metavar="N", default=0, help=t("reading processes (default: cores - 1)")
    )
    add_limits(parser, t)
    parser.add_argument("--locale", metavar="ja-JP", help=t("locale of dates and currencies, kept in the workspace"))
    parser.add_argument(
        "--json", action="store_true", help=t("print JSON, one progress object a line, the last the summary")
    )
    parser.set_defaults(command=_update)


def _update(options: argparse.Namespace, output: Output) -> int:
    workspace = Workspace(options.workspace)
    asks = not (options.yes or options.json) and sys.stdin.isatty() and output.terminal
    # Where nobody is asked, the settings say whether files that lie only in the cloud are downloaded.
    cloud = options.include_cloud or (not asks and workspace.settings().download_cloud_files)
    approval = Approval(options.retry_failed, cloud, options.allow_removal)
    channel = TerminalChannel(output, approval, json=options.json, asks=asks)
    before = [signal.signal(number, channel.interrupted) for number in _STOPPING]
    try:
        summary = workspace.update(
            options.names,
            channel,
            workers=options.workers,
            locale=options.locale,
            language=options.lang,
            **limits(options),
        )
    finally:
        for number, handler in zip(_STOPPING, before, strict=True):
            signal.signal(number, handler)
        channel.close()
    if options.json:
        output.json(summary.to_json())
    else:
        _report(output, summary)
    return 2 if summary.cancelled else 0


def _report(output: Output, summary: Summary) -> None:
    for message, params in summary.notes:
        output.error(message, **params)
    if summary.cancelled:
        output.say("Cancelled. What was finished is kept; the next update takes the rest.")
    elif not (summary.done or summary.failed or summary.postponed or summary.removed):
        output.say("Nothing to read: everything is up to date.")
    counts = [output.t(message, count=count) for name, message in COUNTS.items() if (count := getattr(summary, name))]
    counts.append(output.t("{seconds} seconds", seconds=f"{summary.seconds:.1f}"))
    output.line(" / ".join(counts))
    if summary.failed or summary.postponed:
        output.say("“tebunko failures” says which files and why.")
    if summary.kept_missing:
        output.say(
            "Files were not found where many, or a whole folder, went at once. If they are really gone: --allow-removal"
        )
