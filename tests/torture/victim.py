"""Runs one operation of tebunko and kills itself at the n-th file operation on the workspace: `python victim.py N LOG COMMAND…`.

The operations are those that Python reports to audit hooks: opening for writing, renaming, deleting, making and removing
folders, truncating. N 0 kills never; the number of operations is written to LOG at the end.
"""

from __future__ import annotations

import os
import signal
import sys

OPERATIONS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Executioner:
    """Counts the operations of this process below the workspace, and kills it when the count is reached."""

    def __init__(self, workspace: str, at: int) -> None:
        self.count = 0
        self._workspace = workspace
        self._at = at
        self._process = os.getpid()

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & WRITING:
                return
        elif event in OPERATIONS:
            path = arguments[0]
        else:
            return
        if not isinstance(path, str | bytes | os.PathLike) or not os.fspath(path).startswith(self._workspace):  # type: ignore[arg-type]
            return
        self.count += 1
        if self.count == self._at:
            os.kill(self._process, signal.SIGKILL)


def main() -> int:
    from tebunko.cli.main import run

    at, log, *command = sys.argv[1:]
    executioner = Executioner(os.environ["TEBUNKO_WORKSPACE"], int(at))
    sys.addaudithook(executioner)
    code = run(command)
    with open(log, "w") as file:
        file.write(str(executioner.count))
    return code


if __name__ == "__main__":
    sys.exit(main())
