"""How a child process is tied to the one that started it."""

from __future__ import annotations

import os
import signal
import sys

import psutil


def die_with_parent() -> None:
    """Asks Linux to kill this process when the thread that started it ends; elsewhere the closing pipe does."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)


_NICENESS = 10


def stand_back() -> None:
    """Lowers this process's priority, so that what the user does comes first. Does nothing where that is refused."""
    try:
        if sys.platform == "win32":
            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(_NICENESS)
    except (OSError, psutil.Error):
        pass


def kill_tree(pid: int) -> None:
    """Kills a process and all below it (an office suite that it started), children first noted, then killed."""
    try:
        process = psutil.Process(pid)
        family = [*process.children(recursive=True), process]
    except psutil.Error:
        return
    for member in family:
        try:
            member.kill()
        except psutil.Error:
            continue


def memory_of(pid: int, *, with_children: bool) -> int:
    """The own memory, in bytes, of a process, and of all below it if it has any; 0 if it has ended.

    Looking for children means looking at every process of the machine, so it is left out where there are none.
    """
    total = 0
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)] if with_children else [process]
    except psutil.Error:
        return 0
    for member in family:
        try:
            total += int(member.memory_info().rss)
        except psutil.Error:
            continue
    return total
