"""What a measurement is, and how one is taken."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of the report: what one program needed for one task.

    ``seconds`` has one entry a round and is empty if it was not measured; ``note`` then says why. ``files`` is how
    many source files the task takes, ``size`` what it left on disk or read, in bytes; None where that means nothing.
    ``reference`` marks the row of a task that the others are compared with. ``cpu`` are the seconds of processor time
    of each round, all child processes included: unlike the seconds on the clock they hardly change when other programs
    keep the machine busy. Zeros where the system does not tell them of children (Windows).
    """

    task: str
    program: str
    seconds: tuple[float, ...] = ()
    files: int | None = None
    size: int | None = None
    note: str = ""
    reference: bool = False
    cpu: tuple[float, ...] = ()

    @property
    def median(self) -> float | None:
        """The median of the rounds in seconds, None if not measured."""
        return statistics.median(self.seconds) if self.seconds else None


@dataclass(frozen=True, slots=True)
class Contender:
    """A program and a way to run it once; ``run`` returns what it left on disk in bytes, or None.

    ``prepare`` runs before each ``run`` and is not timed.
    ``missing`` says why it cannot be measured ("" if it can); ``rounds`` caps how often a slow one is run.
    """

    program: str
    run: Callable[[], int | None]
    prepare: Callable[[], None] = lambda: None
    note: str = ""
    missing: str = ""
    rounds: int = 99
    reference: bool = False


class BenchError(Exception):
    """A program failed, so its time would mean nothing."""


def race(task: str, contenders: Sequence[Contender], rounds: int, files: int | None = None) -> list[Measurement]:
    """Runs the contenders in turn, ``rounds`` times over, so that a slow moment of the machine meets all of them."""
    times: dict[str, list[tuple[float, float]]] = {c.program: [] for c in contenders}
    sizes: dict[str, int | None] = {}
    failed: dict[str, str] = {}
    for turn in range(rounds):
        for contender in contenders:
            if contender.missing or turn >= contender.rounds or contender.program in failed:
                continue
            try:
                contender.prepare()
                before = _clocks()
                sizes[contender.program] = contender.run()
                after = _clocks()
            except BenchError as error:
                failed[contender.program] = f"not measured: {error}"
                times[contender.program].clear()
                continue
            times[contender.program].append((after[0] - before[0], after[1] - before[1]))
    return [
        Measurement(
            task,
            c.program,
            tuple(seconds for seconds, _ in times[c.program]),
            files,
            sizes.get(c.program) if c.program not in failed else None,
            failed.get(c.program) or (f"not measured: {c.missing}" if c.missing else c.note),
            c.reference,
            tuple(cpu for _, cpu in times[c.program]),
        )
        for c in contenders
    ]


def _clocks() -> tuple[float, float]:
    """The clock, and the processor time of this process and of its children that have ended; seconds."""
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system


def run_program(
    command: Sequence[str | Path], environment: Mapping[str, str] | None = None, accept: Sequence[int] = (0,)
) -> str:
    """Runs a program to its end and returns its standard output; an unexpected exit code raises `BenchError`."""
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode not in accept:
        said = done.stderr.decode("utf-8", "replace").strip() or output.strip()
        raise BenchError(f"{Path(str(command[0])).name} ended with {done.returncode}: {said[-300:]}")
    return output


def folder_size(folder: Path) -> int:
    """The bytes of all regular files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def count_lines(output: str) -> int:
    """The sum of the counts that end the lines of a search's output, ``<file>:<count>``."""
    return sum(int(line.rpartition(":")[2]) for line in output.split("\n") if line)
