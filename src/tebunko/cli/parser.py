"""The command line's grammar: every command and option, with help in the user's language."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from tebunko import __version__
from tebunko.cli import cat, index, open, search, status, update
from tebunko.locale import LANGUAGES, Translate

USAGE_ERROR = 64
"""The exit code of wrong usage (cli.md); argparse's own is 2, which means something else here."""


class Parser(argparse.ArgumentParser):
    """A parser that ends with `USAGE_ERROR` and takes no abbreviated options."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Prints usage and message and ends."""
        self.print_usage(sys.stderr)
        self.exit(USAGE_ERROR, f"{self.prog}: {message}\n")


def build_parser(t: Translate) -> Parser:
    """The parser of the whole command line; the namespace's ``command`` is the function to run."""
    parser = Parser(prog="tebunko", description=t("Finds the cell, page or slide in folders of office documents."))
    parser.add_argument("--version", action="version", version=f"tebunko {__version__}")
    _add_common(parser, t, None)
    commands = parser.add_subparsers(title=t("commands"), metavar=t("COMMAND"), required=True)
    # A subcommand's own default would undo what stands before it on the line.
    common = Parser(add_help=False)
    _add_common(common.add_argument_group(t("for every command")), t, argparse.SUPPRESS)
    for module in (index, update, status, search, cat, open):
        module.add_commands(commands, common, t)
    return parser


def _add_common(group: argparse._ActionsContainer, t: Translate, default: str | None) -> None:
    workspace = t("the workspace (default: $TEBUNKO_WORKSPACE, else the user data folder)")
    group.add_argument("--workspace", metavar=t("DIR"), default=default, help=workspace)
    language = t("language of messages (default: the system's)")
    group.add_argument("--lang", choices=LANGUAGES, default=default, help=language)
