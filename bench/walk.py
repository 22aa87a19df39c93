"""``python -m bench.walk FOLDER``: the least that an update which finds nothing new must do.

The same libraries imported, one child spawned, the tree walked with one stat a file.
"""

from __future__ import annotations

import multiprocessing
import os
import sys

_UPDATE_IMPORTS = ("filelock", "lxml.etree", "psutil")


def walk(folder: str) -> int:
    """The number of files below a folder, each asked for its size and time once."""
    count = 0
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


if __name__ == "__main__":
    for library in _UPDATE_IMPORTS:
        __import__(library)
    child = multiprocessing.get_context("spawn").Process(target=walk, args=(sys.argv[1],))
    child.start()
    child.join()
    sys.exit(child.exitcode)
