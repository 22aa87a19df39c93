"""The channel of a run, with what goes through it written to the log and mirrored for other windows."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict

from tebunko.indexing.channel import Approval, Channel, PlanRow, Progress, Summary
from tebunko.indexing.log import RunLog
from tebunko.model.errors import UserError
from tebunko.store.progress import RunState, clear_stop, own_state, stop_requested, write_state
from tebunko.store.workspace import Layout

_MIRROR_SECONDS = 0.5
_STOP_SECONDS = 0.2
_LINES = 50

DONE = 0
ERROR = 1
CANCELLED = 2


class MirroredChannel(Channel):
    """Passes everything on to ``inner``. Open it under the lock, and end it with `ended` or `failed`."""

    def __init__(self, layout: Layout, inner: Channel, translate: Callable[..., str], started: str) -> None:
        self._layout = layout
        self._inner = inner
        self._translate = translate
        self._log = RunLog(layout, translate)
        self._state: RunState = own_state(started)
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._written = 0.0
        self._asked = 0.0
        self._stop = False
        clear_stop(layout)
        self._mirror()

    def progress(self, progress: Progress) -> None:
        """Mirrors at once what changes the phase, the rest twice a second."""
        state = self._state
        turned = state.phase != progress.phase.value
        state.phase, state.done, state.total = progress.phase.value, progress.done, progress.total
        state.failed, state.postponed, state.current = progress.failed, progress.postponed, progress.current
        if turned or time.monotonic() - self._written > _MIRROR_SECONDS:
            self._mirror()
        self._inner.progress(progress)

    def log(self, message: str, **params: object) -> None:
        """Writes the line to the log of the run."""
        self._lines.append(self._log.write(message, **params))
        self._inner.log(message, **params)

    def approve(self, plan: Sequence[PlanRow]) -> Approval | None:
        """Mirrors the plan while it waits for an answer."""
        self._state.plan = [asdict(row) | {"targets": row.targets} for row in plan]
        self._mirror()
        try:
            return self._inner.approve(plan)
        finally:
            self._state.plan = None

    def stopped(self) -> bool:
        """True if the inner channel or another window wants the run to stop."""
        if not self._stop and time.monotonic() - self._asked > _STOP_SECONDS:
            self._asked = time.monotonic()
            self._stop = stop_requested(self._layout)
        return self._stop or self._inner.stopped()

    def paused(self) -> bool:
        """As the inner channel says."""
        return self._inner.paused()

    def ended(self, summary: Summary) -> None:
        """The run ended, of itself or by a cancel."""
        self._state.summary = summary.to_json()
        self._end(CANCELLED if summary.cancelled else DONE)

    def failed(self, error: BaseException) -> None:
        """An error ended the run."""
        known = isinstance(error, UserError)
        text = self._translate(error.message, **error.params) if isinstance(error, UserError) else repr(error)
        self._log.write("{detail}", detail=text)
        self._state.error = text if known else f"{type(error).__name__}: {error}"
        self._end(ERROR)

    def _end(self, code: int) -> None:
        self._state.ended, self._state.exit_code = True, code
        self._mirror()
        self._log.close()

    def _mirror(self) -> None:
        """A mirror that cannot be written ends no run."""
        self._written = time.monotonic()
        self._state.lines = list(self._lines)
        try:
            write_state(self._layout, self._state)
        except OSError:
            pass
