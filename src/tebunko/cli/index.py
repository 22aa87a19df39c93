"""``tebunko index``: the registered folders."""

from __future__ import annotations

import argparse
from typing import Any

from tebunko.api import Workspace
from tebunko.cli.output import Output
from tebunko.cli.status import info_json, state_name
from tebunko.locale import Translate


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``index`` and its subcommands to the parser."""
    group = commands.add_parser("index", help=t("register folders, and what to do with their indexes"))
    actions = group.add_subparsers(title=t("commands"), metavar=t("COMMAND"), required=True)

    def action(name: str, command: Any, text: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text, parents=[common])
        parser.set_defaults(command=command)
        return parser

    add = action("add", _add, t("register a folder (nothing is read yet)"))
    add.add_argument("folder", metavar=t("FOLDER"))
    add.add_argument("--name", metavar=t("NAME"), help=t("name of the index (default: the folder's name)"))
    listing = action("list", _list, t("show the registered folders"))
    listing.add_argument("--json", action="store_true", help=t("print JSON"))
    for name, command, text in (
        ("remove", _remove, t("delete an index; the documents are not touched")),
        ("enable", _enable, t("let updates read an index's folder")),
        ("disable", _disable, t("let updates pass over an index; it stays searchable")),
    ):
        action(name, command, text).add_argument("name", metavar=t("NAME"))
    rename = action("rename", _rename, t("give an index another name"))
    rename.add_argument("name", metavar=t("NAME"))
    rename.add_argument("new", metavar=t("NEW"))
    move = action("move", _move, t("say where an index's documents lie now; they are not read again"))
    move.add_argument("name", metavar=t("NAME"))
    move.add_argument("folder", metavar=t("FOLDER"))


def _add(options: argparse.Namespace, output: Output) -> int:
    added = Workspace(options.workspace).add(options.folder, options.name)
    if added.overlaps:
        names = ", ".join(added.overlaps)
        output.error(
            "This folder lies inside, or contains, that of {names}. Files in the inner one belong to it alone.",
            names=names,
        )
    output.line(added.name)
    return 0


def _list(options: argparse.Namespace, output: Output) -> int:
    infos = Workspace(options.workspace).indexes()
    if options.json:
        output.json([info_json(info) for info in infos])
        return 0
    t = output.t
    head = [t("name"), t("folder"), t("enabled"), t("state"), t("files")]
    rows = [
        (i.name, i.folder or "-", t("yes") if i.enabled else t("no"), state_name(t, i.state), i.coverage.files)
        for i in infos
    ]
    if rows:
        output.table(head, rows, right=frozenset({4}))
    else:
        output.say("No folder is registered. Add one with “tebunko index add FOLDER”.")
    return 0


def _remove(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).remove(options.name)
    return 0


def _enable(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).set_enabled(options.name, True)
    return 0


def _disable(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).set_enabled(options.name, False)
    return 0


def _rename(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).rename(options.name, options.new)
    return 0


def _move(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).move(options.name, options.folder)
    return 0
