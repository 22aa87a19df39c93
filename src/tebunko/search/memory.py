"""Keeping freed memory for the next content file, where the system's allocator must be told to."""

from __future__ import annotations

import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
_KEPT_BYTES = 128 * 1024 * 1024
_LARGEST_MMAP = 32 * 1024 * 1024  # the most that glibc takes


@cache
def keep_freed_memory() -> None:
    """Has the C library keep some memory that was freed, once a process.

    A scan decodes one text of some megabytes after the other. glibc gives the memory of each back to the system and asks for it
    anew, page by page, which costs more than the search. Other systems are left as they are.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
