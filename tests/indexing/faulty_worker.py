"""A worker whose readers crash, hang or swallow memory, as the first bytes of a file say."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection

from tebunko.extract.registry import extract
from tebunko.extract.source import Options, Source
from tebunko.indexing import worker
from tebunko.model.unit import Extraction


def faulty_extract(source: Source, options: Options) -> Extraction:
    head = source.head(16)
    if head.startswith(b"CRASH"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if head.startswith(b"EXIT"):
        os._exit(3)
    if head.startswith(b"HANG"):
        while True:
            time.sleep(0.01)
    if head.startswith(b"SWALLOW"):
        # In pieces, and touched: what counts is memory that is really taken.
        eaten = []
        while True:
            eaten.append(bytearray(os.urandom(1)) * (16 * 1024 * 1024))
            time.sleep(0.02)
    if head.startswith(b"EXPLODE"):
        return Extraction([], [bytes(64 * 1024**3).decode()])
    if head.startswith(b"RECURSE"):
        return faulty_extract(source, options)
    return extract(source, options)


def main(pipe: Connection, settings: worker.WorkerSettings) -> None:
    worker.extract = faulty_extract
    worker.worker_main(pipe, settings)


def never_starts(pipe: Connection, settings: worker.WorkerSettings) -> None:
    os._exit(7)
