"""Waiting for what other processes do: a test asks again and again, and only a failure waits to the end."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil

PATIENCE = 60.0
"""Seconds after which what should happen soon has not happened."""


def is_gone(process: psutil.Process) -> bool:
    """True if it has ended, be it that nobody has asked for its exit code yet."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def is_pid_gone(pid: int) -> bool:
    """The same by process id, of a process that ended lately."""
    try:
        return is_gone(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return True


def wait_until(happened: Callable[[], bool]) -> bool:
    """True as soon as it has happened, False if it does not for `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
