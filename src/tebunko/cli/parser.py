"""The command line's grammar: every command and option, with help in the user's language."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from tebunko import __version__
from tebunko.cli import cat, index, search, status, update
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
        self.print_usage(__import__("sys").stderr)
        self.exit(USAGE_ERROR, f"{self.prog}: {message}\n")


Command = Callable[[argparse.Namespace], int]


def build_parser(t: Translate) -> Parser:
    """The parser of the whole command line; the namespace's ``command`` is the function to run."""
    parser = Parser(prog="tebunko", description=t("Finds the cell, page or slide in folders of office documents."))
    parser.add_argument("--version", action="version", version=f"tebunko {__version__}")
    commands = parser.add_subparsers(title=t("commands"), metavar=t("COMMAND"), required=True)
    common = Parser(add_help=False)
    group = common.add_argument_group(t("for every command"))
    group.add_argument(
        "--workspace",
        metavar=t("DIR"),
        help=t("the workspace (default: $TEBUNKO_WORKSPACE, else the user data folder)"),
    )
    group.add_argument("--lang", choices=LANGUAGES, help=t("language of messages (default: the system's)"))
    for module in (index, update, status, search, cat):
        module.add_commands(commands, common, t)
    return parser
