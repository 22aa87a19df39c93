"""Runs one command: language, errors, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tebunko.api import Cancelled, UserError
from tebunko.cli.output import Output
from tebunko.cli.parser import build_parser
from tebunko.locale import LANGUAGES, speak, system_language

OK = 0
FAILED = 1
CANCELLED = 2


def run(arguments: Sequence[str]) -> int:
    """Runs the command line and gives its exit code (cli.md). Wrong usage ends the process with 64."""
    t = speak(_language(arguments))
    options = build_parser(t).parse_args(arguments)
    output = Output(t)
    # For grep and for search 1 means that nothing was found.
    failed = getattr(options, "failed", FAILED)
    try:
        code: int = options.command(options, output)
        output.flush()
        return code
    except UserError as error:
        output.error(error.message, **error.params)
        return failed
    except (Cancelled, KeyboardInterrupt):
        output.error("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        # The reader has seen enough; the interpreter must not complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        output.error("{detail}", detail=f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))
        return failed


def _language(arguments: Sequence[str]) -> str:
    """The language, looked up before parsing so that help and usage errors speak it too."""
    for i, argument in enumerate(arguments):
        value = argument.removeprefix("--lang=") if argument.startswith("--lang=") else None
        if argument == "--lang" and i + 1 < len(arguments):
            value = arguments[i + 1]
        if value in LANGUAGES:
            return value
    return system_language()
