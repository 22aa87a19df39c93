"""The ``tebunko`` command. Kept bare: every worker process imports the main module anew."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    from tebunko.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
