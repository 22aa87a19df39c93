"""The crawl in a process of its own, as a stream of events that can be stopped at once.

A folder that hangs (a share whose server is gone) ends the crawl of its root after a time without any event: the child is
killed, the root counts as one that could not be listed, and a new child goes on with the next.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection

from tebunko.indexing.child import die_with_parent
from tebunko.indexing.crawl import CrawlEvent, CrawlRoot, RootEnded, RootStarted, crawl
from tebunko.model.errors import Cancelled

_POLL_SECONDS = 0.1
_BATCH_EVENTS = 50
_BATCH_SECONDS = 0.1


def crawl_main(pipe: Connection, roots: Sequence[CrawlRoot]) -> None:
    """The child's main: sends lists of events, then an empty list."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    batch: list[CrawlEvent] = []
    sent = time.monotonic()
    try:
        for event in crawl(roots):
            batch.append(event)
            if len(batch) >= _BATCH_EVENTS or time.monotonic() - sent > _BATCH_SECONDS:
                pipe.send(batch)
                batch, sent = [], time.monotonic()
        if batch:
            pipe.send(batch)
        pipe.send([])
    except (BrokenPipeError, ConnectionError):
        pass


def crawl_in_child(roots: Sequence[CrawlRoot], patience: float, stopped: Callable[[], bool]) -> Iterator[CrawlEvent]:
    """The events of a crawl that runs in a child process.

    ``patience`` is how many seconds may pass without an event. Raises Cancelled soon after ``stopped`` says so. Closing the
    generator kills the child.
    """
    left = list(roots)
    while left:
        ended = 0
        for event in _one_child(left, patience, stopped):
            ended += isinstance(event, RootEnded)
            yield event
        left = left[ended:]


def _one_child(roots: Sequence[CrawlRoot], patience: float, stopped: Callable[[], bool]) -> Iterator[CrawlEvent]:
    """The events of one child until it ends; if it dies or hangs, the root it was at counts as not listed."""
    context = multiprocessing.get_context("spawn")
    pipe, child = context.Pipe(duplex=False)
    process = context.Process(target=crawl_main, args=(child, roots), name="tebunko-crawl", daemon=True)
    process.start()
    child.close()
    current = roots[0].index
    try:
        last = time.monotonic()
        while True:
            if stopped():
                raise Cancelled
            if not pipe.poll(_POLL_SECONDS):
                if time.monotonic() - last > patience:
                    yield RootEnded(current, False, False, f"no answer for {patience:g} s")
                    return
                continue
            batch: list[CrawlEvent] = pipe.recv()
            last = time.monotonic()
            if not batch:
                return
            for event in batch:
                if isinstance(event, RootStarted):
                    current = event.index
                yield event
    except EOFError:
        process.join(1)
        yield RootEnded(current, False, False, f"the crawling process ended with code {process.exitcode}")
    finally:
        process.kill()
        process.join()
        pipe.close()
