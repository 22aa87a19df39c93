"""A run seen from a terminal: its progress as a bar, as JSON or not at all, and its plan to be approved."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from types import FrameType
from typing import TYPE_CHECKING

from tebunko.api import Approval, Channel, Phase, PlanRow, Progress, RootKind
from tebunko.cli.output import Output, human_size

if TYPE_CHECKING:
    from tebunko.cli.bar import ProgressBar

_JSON_SECONDS = 0.5

PHASES = {Phase.CRAWL: "looking", Phase.CONFIRM: "waiting for you", Phase.INGEST: "reading", Phase.FINISH: "finishing"}
"""What people read of a phase."""


class TerminalChannel(Channel):
    """The channel between a run and this terminal.

    With ``json`` progress and plan are printed as JSON; with ``asks`` the user is asked whether to go on. ``approval`` is
    what the options allow.
    """

    def __init__(self, output: Output, approval: Approval, *, json: bool, asks: bool) -> None:
        self._output = output
        self._approval = approval
        self._json = json
        self._asks = asks
        self._stop = False
        self._asking = False
        self._last = 0.0
        self._bar: ProgressBar | None = None

    def interrupted(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C: the first stops the run in good order, the second kills. While a question waits it is the answer no."""
        again, self._stop = self._stop, True
        if again or self._asking:
            raise KeyboardInterrupt

    def stopped(self) -> bool:
        """True after Ctrl-C."""
        return self._stop

    def progress(self, progress: Progress) -> None:
        """Shows how far the run is."""
        if self._json:
            self._print(progress)
        elif sys.stderr.isatty():
            self._show(progress)

    def _print(self, progress: Progress) -> None:
        now = time.monotonic()
        final = progress.phase is not Phase.INGEST or progress.done == progress.total
        if final or now - self._last > _JSON_SECONDS:
            self._last = now
            self._output.json({"type": "progress", **asdict(progress)})
            self._output.flush()

    def _show(self, progress: Progress) -> None:
        from tebunko.cli.bar import ProgressBar

        if progress.phase is Phase.CONFIRM:
            self.close()
            return
        if self._bar is None:
            self._bar = ProgressBar()
        what, current = self._output.t(PHASES[progress.phase]), self._output.safe(progress.current)
        self._bar.show(what, progress.done, progress.total, current)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def approve(self, plan: Sequence[PlanRow]) -> Approval | None:
        """Prints the plan, and asks if there is somebody to ask and something to decide."""
        if self._json:
            self._output.json({"type": "plan", "indexes": [asdict(row) | {"targets": row.targets} for row in plan]})
        elif self._asks and any(_has_work(row) for row in plan):
            _show_plan(self._output, plan)
            return self._ask(plan)
        return self._approval

    def _ask(self, plan: Sequence[PlanRow]) -> Approval | None:
        """Asks whether to go on, and for each index that is not registered any more whether it is to be deleted."""
        self._asking = True
        t = self._output.t
        try:
            drop = []
            for row in plan:
                if row.kind is RootKind.DROPPED and _answer(t("Delete the index “{name}”? [y/N] ", name=row.index), ""):
                    drop.append(row.index)
            if not _answer(t("Go on? [Y/n] "), "y"):
                return None
        except (KeyboardInterrupt, EOFError):
            return None
        finally:
            self._asking = False
        return replace(self._approval, drop=frozenset(drop))


def _answer(question: str, default: str) -> bool:
    return (input(question).strip().lower() or default) in ("y", "yes", "はい")


def _has_work(row: PlanRow) -> bool:
    return bool(row.targets or row.removed or row.failed or row.cloud or row.kind is RootKind.DROPPED)


def _show_plan(output: Output, plan: Sequence[PlanRow]) -> None:
    t = output.t
    head = [
        t("name"),
        t("files"),
        t("to read"),
        t("new"),
        t("changed"),
        t("unfinished"),
        t("failed before"),
        t("in the cloud"),
    ]
    head += [t("gone"), t("kept though not found")]
    rows = []
    for row in plan:
        cloud = f"{row.cloud} ({human_size(row.cloud_bytes)})" if row.cloud else "0"
        counts = (row.files, row.targets, row.new, row.changed, row.unfinished + row.missing, row.failed)
        rows.append((row.index, *counts, cloud, row.removed, row.kept_missing))
    output.table(head, rows, right=frozenset(range(1, 10)))
