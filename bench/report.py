"""The report of a run: a plain table, Markdown for docs/speed.md, and JSON. All pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from bench.measurement import Measurement

_COLUMNS = ("program", "seconds", "CPU", "files/s", "MB", "times", "note")


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured and on what; ``machine`` and ``facts`` are (name, value) lines for people."""

    machine: Sequence[tuple[str, str]]
    facts: Sequence[tuple[str, str]]
    measurements: Sequence[Measurement]


def as_json(report: Report) -> bytes:
    """One JSON object: machine, facts and the measurements with every round's seconds."""
    return msgspec.json.format(
        msgspec.json.encode(
            {
                "machine": dict(report.machine),
                "facts": dict(report.facts),
                "measurements": [
                    {
                        "task": m.task,
                        "program": m.program,
                        "seconds": list(m.seconds),
                        "cpu_seconds": list(m.cpu),
                        "median": m.median,
                        "files": m.files,
                        "bytes": m.size,
                        "times_reference": times_reference(m, report.measurements),
                        "note": m.note,
                    }
                    for m in report.measurements
                ],
            }
        )
    )


def times_reference(measurement: Measurement, others: Iterable[Measurement]) -> float | None:
    """How many times the reference's time of the same task this took; None if either was not measured."""
    reference = next((o.median for o in others if o.task == measurement.task and o.reference), None)
    median = measurement.median
    return median / reference if median is not None and reference else None


def as_text(report: Report) -> str:
    """Aligned columns for a terminal."""
    parts = ["\n".join(f"{name}: {value}" for name, value in [*report.machine, *report.facts])]
    for task, rows in _tables(report.measurements):
        widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
        lines = ["  ".join(_pad(row, widths)).rstrip() for row in rows]
        parts.append("\n".join([task, *lines]))
    return "\n\n".join(parts) + "\n"


def as_markdown(report: Report) -> str:
    """The same as Markdown tables."""
    parts = ["\n".join(f"- {name}: {value}" for name, value in [*report.machine, *report.facts])]
    for task, (head, *rows) in _tables(report.measurements):
        lines = [_markdown_row(head), "|---|" + "---:|" * (len(head) - 2) + "---|", *map(_markdown_row, rows)]
        parts.append("\n".join([f"### {task}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def _tables(measurements: Sequence[Measurement]) -> Iterable[tuple[str, list[tuple[str, ...]]]]:
    for task, group in groupby(measurements, key=lambda m: m.task):
        yield task, [_COLUMNS, *(_cells(m, times_reference(m, measurements)) for m in group)]


def _cells(measurement: Measurement, times: float | None) -> tuple[str, ...]:
    median = measurement.median
    speed = measurement.files / median if measurement.files is not None and median else None
    return (
        measurement.program,
        _seconds(measurement.seconds, median),
        f"{statistics.median(measurement.cpu):.2f}" if any(measurement.cpu) else "",
        "" if speed is None else f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}",
        "" if measurement.size is None else f"{measurement.size / 1e6:,.1f}",
        "" if times is None else f"{times:.2f}",
        measurement.note,
    )


def _seconds(rounds: Sequence[float], median: float | None) -> str:
    if median is None:
        return "–"
    spread = f" ({min(rounds):.2f}–{max(rounds):.2f})" if len(rounds) > 1 else ""
    return f"{median:.3f}{spread}"


def _pad(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The program and the note stand on the left of their columns, figures on the right."""
    last = len(row) - 1
    return [
        cell.ljust(width) if column in (0, last) else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
