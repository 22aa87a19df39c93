"""``store/progress.json`` (ours): the state of the update run, so that any window sees a run that any other started.

Written beside and moved over, without sync: it tells of a process, and is worth nothing after a power cut. A run that was killed
leaves it unended; whether its process still lives tells the two apart. ``store/stop`` is the wish of another window that the
run stop.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tebunko.store.fs import patiently, replace_file
from tebunko.store.workspace import Layout


@dataclass(slots=True)
class RunState:
    """The state of a run as plain data.

    ``process`` and ``created`` (seconds since 1970) identify its process, ``started`` is the time it began (list format).
    ``phase`` … ``current`` are those of its progress, ``plan`` its rows while they wait for approval. At the end ``ended`` is
    true, ``exit_code`` as on the command line, ``error`` the message that stopped it or "", ``summary`` its counts.
    ``lines`` are the last lines of its log.
    """

    process: int = 0
    created: float = 0.0
    started: str = ""
    phase: str = ""
    done: int = 0
    total: int = 0
    failed: int = 0
    postponed: int = 0
    current: str = ""
    plan: list[dict[str, Any]] | None = None
    lines: list[str] = field(default_factory=list)
    ended: bool = False
    exit_code: int | None = None
    error: str = ""
    summary: dict[str, Any] | None = None

    @property
    def alive(self) -> bool:
        """True while the run goes on: it has not ended and its process lives."""
        return not self.ended and _created(self.process) == self.created


def own_state(started: str) -> RunState:
    """The state of a run that begins now in this process."""
    return RunState(os.getpid(), _created(os.getpid()) or 0.0, started)


def _created(process: int) -> float | None:
    import psutil  # here, since a search needs it only beside a run and loading it takes a while

    try:
        return float(psutil.Process(process).create_time())
    except (psutil.Error, ValueError):
        return None


def read_state(layout: Layout) -> RunState | None:
    """The state of the last run; None if none told of itself."""
    try:
        fields = json.loads(patiently(_path(layout).read_bytes).decode("utf-8", "surrogatepass"))
        return RunState(**fields) if isinstance(fields, Mapping) else None
    except (OSError, ValueError, TypeError):
        return None


def write_state(layout: Layout, state: RunState) -> None:
    """Puts the state in place of the last one. Raises OSError."""
    text = json.dumps(asdict(state), ensure_ascii=False)
    replace_file(_path(layout), text.encode("utf-8", "surrogatepass"), sync=False)


def _path(layout: Layout) -> Path:
    return layout.store / "progress.json"


def request_stop(layout: Layout) -> None:
    """Asks the run to stop. Raises OSError."""
    _stop_path(layout).touch(mode=0o600)


def stop_requested(layout: Layout) -> bool:
    """True if somebody asked the run to stop."""
    return _stop_path(layout).exists()


def clear_stop(layout: Layout) -> None:
    """Forgets an old wish to stop. Raises OSError."""
    patiently(lambda: _stop_path(layout).unlink(missing_ok=True))


def _stop_path(layout: Layout) -> Path:
    return layout.store / "stop"
