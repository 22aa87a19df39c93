"""The helper as a child process: JSON lines over its standard input and output, and never a wait without end."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

if sys.platform == "win32":
    import psutil

Answer = Mapping[str, Any]

_LONGEST_LINE = 65_536
_SLICE_SECONDS = 1.0
_LONGEST_SLICE = 2.0
_END_SECONDS = 5.0
_DETAIL_BYTES = 1000


class HelperEnded(Exception):
    """The helper or its LibreOffice is gone, or talks nonsense; the message says what is known."""


class OutOfTime(Exception):
    """No answer in time."""


class HelperProcess:
    """A running helper, in a session of its own so that it and LibreOffice can be killed together."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Starts it; what it says on standard error goes to the file ``log``. Raises OSError if it cannot be started."""
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                creationflags=_CREATION_FLAGS,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()

    @property
    def process_id(self) -> int:
        """The process id, which is that of its process group too on POSIX systems."""
        return self._process.pid

    def ask(self, message: Mapping[str, object], seconds: float) -> Answer:
        """Sends one message and gives the answer to it. Raises HelperEnded, OutOfTime."""
        try:
            self._input.write(json.dumps(message).encode("ascii") + b"\n")
            self._input.flush()
        except OSError as error:
            raise HelperEnded(self._last_words()) from error
        line = self._wait(seconds)
        if not line:
            raise HelperEnded(self._last_words())
        answer = answer_in(line)
        if answer is None:
            raise HelperEnded(f"the helper answered {line[:80]!r}")
        return answer

    def _wait(self, seconds: float) -> bytes:
        """The next line, b"" if there will be none. Time in which the machine slept does not count."""
        left = seconds
        while left > 0:
            begun = time.monotonic()
            try:
                return self._lines.get(timeout=min(left, _SLICE_SECONDS))
            except queue.Empty:
                left -= min(time.monotonic() - begun, _LONGEST_SLICE)
        raise OutOfTime

    def _last_words(self) -> str:
        with self._log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _DETAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").strip().split("\n")
        return lines[-1] or "LibreOffice's helper ended"

    def end(self) -> None:
        """Ends helper and LibreOffice: first by closing the input, and what is left after some seconds is killed."""
        try:
            self._input.close()
        except OSError:
            # What could not be sent to a helper that is gone.
            pass
        self._reader.join(_END_SECONDS)
        _kill(self._process)
        self._process.wait()
        self._reader.join(_END_SECONDS)
        if not self._reader.is_alive() and self._process.stdout is not None:
            self._process.stdout.close()


def answer_in(line: bytes) -> Answer | None:
    r"""The object in a line, None if it is none.

    >>> answer_in(b'{"ready": 1}\n'), answer_in(b"oops\n"), answer_in(b"[1]\n")
    ({'ready': 1}, None, None)
    """
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _read_lines(output: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    """Hands on each line, then b"" at the end. A line longer than any answer comes in pieces, which make no sense."""
    while line := output.readline(_LONGEST_LINE):
        lines.put(line)
    lines.put(b"")


if sys.platform == "win32":
    _CREATION_FLAGS = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP

    def _kill(process: subprocess.Popen[bytes]) -> None:
        """Kills a process and all that it started: the Python that comes with LibreOffice starts another one."""
        try:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
        except psutil.Error:
            # It ended by itself, and so did what it started: they share a job.
            pass
        process.kill()

else:
    _CREATION_FLAGS = 0

    def _kill(process: subprocess.Popen[bytes]) -> None:
        """Kills the process group: it is there as long as one of its processes is, or the first is not waited for."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # Nobody is left in it; macOS says so of a group of zombies.
            pass
