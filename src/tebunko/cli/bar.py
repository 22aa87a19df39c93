"""The progress bar of an update; apart, so that only a run on a terminal loads what draws it."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_LONGEST_NAME = 50


class ProgressBar:
    """A bar on standard error that goes away when it is closed."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        current = TextColumn("{task.fields[current]}")
        self._bar = Progress(*columns, current, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=None, current="")
        self._bar.start()

    def show(self, what: str, done: int, total: int, current: str) -> None:
        """Shows a state; ``total`` 0 means that it is not known yet."""
        name = escape(current[-_LONGEST_NAME:])
        self._bar.update(self._task, description=what, completed=done, total=total or None, current=name)

    def close(self) -> None:
        """Takes the bar away."""
        self._bar.stop()
