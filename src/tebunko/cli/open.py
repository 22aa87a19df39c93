"""``tebunko open``: a document at its place, in the application that opens such documents."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tebunko.api import Workspace
from tebunko.cli.output import Output
from tebunko.locale import Translate


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``open`` to the parser."""
    text = t("open a document at its cell or page, in the application for such documents")
    parser = commands.add_parser("open", help=text, description=text, parents=[common])
    parser.add_argument("locator", metavar=t("LOCATOR"), help=t("as search shows it: INDEX/FILE#SHEET!B13"))
    parser.add_argument("--yes", action="store_true", help=t("trust the folder of an index that is not registered"))
    parser.set_defaults(command=_open)


def _open(options: argparse.Namespace, output: Output) -> int:
    Workspace(options.workspace).open(options.locator, _Prompts(output, options.yes))
    return 0


class _Prompts:
    """Asks on the terminal; without one nothing is trusted and nothing is known."""

    def __init__(self, output: Output, yes: bool) -> None:
        self._output = output
        self._yes = yes

    def trusts(self, index: str, folder: str) -> bool:
        """Asks whether a folder that an index names is to be looked at."""
        if self._yes:
            return True
        self._output.error(
            "“{name}” was not registered here. It says that its documents lie in “{path}”.", name=index, path=folder
        )
        answer = self._asked(self._output.t("Open documents from there? [y/N] "))
        return answer is not None and answer.strip().lower() in ("y", "yes", "はい")

    def new_folder(self, index: str, folder: str | None) -> str | None:
        """Asks where the documents of an index lie now."""
        if folder is not None:
            self._output.error("The documents of “{name}” are not in “{path}”.", name=index, path=folder)
        answer = self._asked(self._output.t("Where do the documents of “{name}” lie now? ", name=index))
        return (answer or "").strip() or None

    @staticmethod
    def _asked(question: str) -> str | None:
        if not sys.stdin.isatty():
            return None
        sys.stderr.write(question)
        sys.stderr.flush()
        return sys.stdin.readline()
