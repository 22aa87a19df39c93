"""Work spread over threads whose results come out in the order of the work, with bounded memory and a quick cancel."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tebunko.model.errors import Cancelled

T = TypeVar("T")
R = TypeVar("R")

_POLL_SECONDS = 0.02
_BATCHES_AHEAD = 4


@dataclass(slots=True)
class _Done:
    error: BaseException | None


@dataclass(slots=True)
class _Channel(Generic[T, R]):
    """What one task has given so far; its worker waits while it is full."""

    task: T
    results: queue.Queue[R | _Done] = field(default_factory=lambda: queue.Queue(_BATCHES_AHEAD))


def run_in_order(
    tasks: Iterable[T], work: Callable[[T], Iterator[R]], threads: int, cancel: threading.Event | None = None
) -> Iterator[tuple[T, R | None]]:
    """Runs ``work`` on every task in ``threads`` threads and gives ``(task, result)`` in the order of the tasks.

    A task's end is told by ``(task, None)``. ``tasks`` is drawn from the caller's thread, a few tasks ahead. Raises what a task
    raised, when its turn comes, and Cancelled within some 20 ms of ``cancel`` being set; what a thread is doing then
    ends by itself, unheard. The threads are daemons: none of them keeps the process alive.
    """
    stop = threading.Event()
    inbox: queue.SimpleQueue[_Channel[T, R] | None] = queue.SimpleQueue()
    started = 0
    waiting: deque[_Channel[T, R]] = deque()
    source = iter(tasks)
    try:
        while True:
            while len(waiting) < 2 * threads + 2 and (task := next(source, None)) is not None:
                channel: _Channel[T, R] = _Channel(task)
                waiting.append(channel)
                inbox.put(channel)
                if started < threads:
                    started += 1
                    threading.Thread(target=_serve, args=(inbox, work, stop), daemon=True).start()
            if not waiting:
                return
            yield from _drained(waiting.popleft(), cancel)
    finally:
        stop.set()
        for _ in range(started):
            inbox.put(None)


def _drained(channel: _Channel[T, R], cancel: threading.Event | None) -> Iterator[tuple[T, R | None]]:
    while True:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        try:
            result = channel.results.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if isinstance(result, _Done):
            if result.error is not None:
                raise result.error
            yield channel.task, None
            return
        yield channel.task, result


def _serve(
    inbox: queue.SimpleQueue[_Channel[T, R] | None], work: Callable[[T], Iterator[R]], stop: threading.Event
) -> None:
    while (channel := inbox.get()) is not None and not stop.is_set():
        error: BaseException | None = None
        try:
            for result in work(channel.task):
                if not _put(channel, result, stop):
                    return
        except BaseException as raised:  # handed to the caller, who is in another thread
            error = raised
        if not _put(channel, _Done(error), stop):
            return


def _put(channel: _Channel[T, R], result: R | _Done, stop: threading.Event) -> bool:
    """Waits for room; False if nobody listens any more."""
    while not stop.is_set():
        try:
            channel.results.put(result, timeout=_POLL_SECONDS)
        except queue.Full:
            continue
        return True
    return False
