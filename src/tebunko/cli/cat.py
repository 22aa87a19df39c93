"""``tebunko cat``: what is in a file, place by place, without an index."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tebunko.api import Workspace, message_of
from tebunko.cli.output import Output
from tebunko.cli.update import add_limits, limits
from tebunko.locale import Translate

if TYPE_CHECKING:
    from tebunko.api import ReadPlace

_STRETCH = 10_000


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``cat`` to the parser."""
    text = t("show every place of files and its lines, without an index")
    parser = commands.add_parser("cat", help=text, description=text, parents=[common])
    parser.add_argument("files", nargs="+", metavar=t("FILE"))
    parser.add_argument("--json", action="store_true", help=t("print JSON, one object a place"))
    parser.add_argument(
        "--locale", metavar="ja-JP", help=t("locale of dates and currencies (default: the workspace's)")
    )
    add_limits(parser, t)
    parser.set_defaults(command=_cat)


def _cat(options: argparse.Namespace, output: Output) -> int:
    code = 0
    workspace = Workspace(options.workspace)
    for read in workspace.cat(options.files, locale=options.locale, **limits(options)):
        if read.reason is not None:
            code = 1
            message = message_of(read.reason, read.detail)
            text = output.t(message.message, **message.params)
            if options.json:
                output.json({"file": read.path, "error": text, "reason": read.reason.value})
            else:
                output.error("{path}: {sentence}", path=read.path, sentence=text)
            continue
        for warning in read.warnings:
            output.error("{path}: a part could not be read: {detail}", path=read.path, detail=warning)
        for found in read.places:
            if options.json:
                _print_place(output, read.path, found)
            else:
                output.line(output.paint(f"{output.safe(read.path)}#{output.safe(found.place.name)}", "file"))
                for line in found.lines:
                    output.line(output.safe(line))
    return code


def _print_place(output: Output, path: str, found: ReadPlace) -> None:
    """Prints the object of a place; a long one a stretch at a time, so that it is not in memory twice."""
    head = {"file": path, "place": found.place.name, "kind": found.place.kind.value}
    output.open_json(head, "lines")
    for start in range(0, len(found.lines), _STRETCH):
        output.json_items(found.lines[start : start + _STRETCH], first=start == 0)
    output.close_json()
