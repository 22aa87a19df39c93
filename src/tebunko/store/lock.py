"""The lock of a workspace: one writer at a time, released by the system if its process dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tebunko.model.errors import UserError
from tebunko.store.workspace import Layout


@contextmanager
def workspace_lock(layout: Layout, wait: float = 0) -> Iterator[None]:
    """Holds the lock while the block runs; waits up to ``wait`` seconds for it.

    Raises UserError if another process has it.
    """
    from filelock import FileLock, Timeout  # here, since a search needs no lock and loading it takes a while

    lock = FileLock(layout.lock, mode=0o600)
    try:
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise UserError("Another update is running in this workspace. Try again when it has ended.") from error
    try:
        yield
    finally:
        lock.release()
