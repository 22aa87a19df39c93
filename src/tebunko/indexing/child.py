"""How a child process is tied to the one that started it."""

from __future__ import annotations

import signal
import sys


def die_with_parent() -> None:
    """Asks Linux to kill this process when the thread that started it ends; elsewhere the closing pipe does."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
