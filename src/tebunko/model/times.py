"""The time format of the ingest list."""

from __future__ import annotations

import time
from datetime import datetime

_NS = 1_000_000_000
_EARLIEST = "0001/01/01 00:00:00"
_LATEST = "9999/12/31 23:59:59"


def format_file_time(mtime_ns: int) -> str:
    """A time (ns since 1970, UTC) as the list writes it: local time to the second, ``yyyy/MM/dd HH:mm:ss``.

    The offset is the one in force at that moment, so the text of a given file does not change with the season.
    Times outside what the system can convert (years 1-9999) are shown as the nearest it can.
    """
    seconds = mtime_ns // _NS
    try:
        t = time.localtime(seconds)
    except (OverflowError, OSError, ValueError):
        return _EARLIEST if seconds < 0 else _LATEST
    if not 1 <= t.tm_year <= 9999:
        return _EARLIEST if seconds < 0 else _LATEST
    return f"{t.tm_year:04d}/{t.tm_mon:02d}/{t.tm_mday:02d} {t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}"


def parse_file_time(text: str) -> int | None:
    """The ns since 1970 of a time in the list (the earlier one where the clock was put back), None if it is none.

    >>> parse_file_time(format_file_time(1_700_000_000_123_456_789)) == 1_700_000_000 * 10**9
    True
    >>> parse_file_time("2025/13/01 00:00:00") is None
    True
    """
    try:
        local = datetime.strptime(text, "%Y/%m/%d %H:%M:%S")
        return int(local.timestamp()) * _NS
    except (ValueError, OverflowError, OSError):
        return None
