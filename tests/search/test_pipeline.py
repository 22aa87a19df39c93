"""Work over threads comes out in order, bounded, and ends when told."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tebunko.model.errors import Cancelled
from tebunko.search.pipeline import run_in_order


def counted(task: int) -> Iterator[int]:
    for number in range(task % 4):
        yield task * 10 + number


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(threads: int) -> None:
    results = list(run_in_order(range(30), counted, threads))
    expected: list[tuple[int, int | None]] = []
    for task in range(30):
        expected += [(task, result) for result in counted(task)] + [(task, None)]
    assert results == expected


def test_no_more_is_drawn_than_is_needed_ahead() -> None:
    drawn = []

    def tasks() -> Iterator[int]:
        for task in range(1000):
            drawn.append(task)
            yield task

    results = run_in_order(tasks(), counted, 2)
    next(results)
    assert len(drawn) <= 7
    results.close()  # type: ignore[attr-defined]


def test_a_task_that_gives_much_waits_for_its_reader() -> None:
    given = []

    def endless(task: int) -> Iterator[int]:
        while True:
            given.append(task)
            yield task

    results = run_in_order([1], endless, 1)
    next(results)
    time.sleep(0.1)
    assert len(given) <= 7
    results.close()  # type: ignore[attr-defined]


def test_an_error_comes_when_its_task_s_turn_comes() -> None:
    def failing(task: int) -> Iterator[int]:
        if task == 2:
            raise ValueError(task)
        yield task

    results = run_in_order(range(5), failing, 3)
    assert [next(results) for _ in range(4)] == [(0, 0), (0, None), (1, 1), (1, None)]
    with pytest.raises(ValueError, match="2"):
        next(results)


def test_a_cancel_does_not_wait_for_what_runs() -> None:
    cancel, blocked = threading.Event(), threading.Event()

    def stuck(task: int) -> Iterator[int]:
        blocked.wait(60)
        yield task

    results = run_in_order(range(3), stuck, 2, cancel)
    threading.Timer(0.05, cancel.set).start()
    with pytest.raises(Cancelled):
        next(results)
    blocked.set()


def test_threads_end_with_the_reader() -> None:
    before = threading.active_count()
    results = run_in_order(range(100), counted, 4)
    next(results)
    results.close()  # type: ignore[attr-defined]
    for _ in range(200):
        if threading.active_count() <= before:
            break
        time.sleep(0.01)
    assert threading.active_count() <= before
