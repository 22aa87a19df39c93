"""The time format of the ingest list."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pytest

from tebunko.model.times import format_file_time, parse_file_time

NS = 10**9


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if sys.platform == "win32":
        pytest.skip("the time zone of a process cannot be set there")
    yield
    monkeypatch.undo()
    time.tzset()


def set_zone(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TZ", name)
    if sys.platform != "win32":
        time.tzset()


# seconds since 1970 (UTC), time zone, text; the rules are those of POSIX TZ strings, so no zone files are needed
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"


@pytest.mark.parametrize(
    ("seconds", "zone_name", "text"),
    [
        (1_736_480_096, "JST-9", "2025/01/10 12:34:56"),  # the documents' example
        (0, "UTC0", "1970/01/01 00:00:00"),
        (-1, "UTC0", "1969/12/31 23:59:59"),
        (1_704_067_200, BERLIN, "2024/01/01 01:00:00"),  # winter
        (1_719_792_000, BERLIN, "2024/07/01 02:00:00"),  # summer
    ],
)
@pytest.mark.usefixtures("zone")
def test_times_are_local_at_their_own_moment(
    seconds: int, zone_name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_zone(monkeypatch, zone_name)
    assert format_file_time(seconds * NS + 999_999_999) == text
    assert parse_file_time(text) == seconds * NS


@pytest.mark.usefixtures("zone")
def test_where_the_clock_was_put_back_the_earlier_time_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    set_zone(monkeypatch, BERLIN)
    # 2024-10-27 02:30 came twice: at 00:30 and at 01:30 UTC
    assert format_file_time(1_729_989_000 * NS) == format_file_time(1_729_992_600 * NS) == "2024/10/27 02:30:00"
    assert parse_file_time("2024/10/27 02:30:00") == 1_729_989_000 * NS


def test_times_no_calendar_holds() -> None:
    assert format_file_time(2**80) == "9999/12/31 23:59:59"
    assert format_file_time(-(2**80)) == "0001/01/01 00:00:00"
    assert format_file_time(400_000_000_000 * NS) == "9999/12/31 23:59:59"


@pytest.mark.parametrize(
    "text", ["", "2025-01-10 12:34:56", "2025/01/10", "2025/02/30 00:00:00", "x", "2025/01/10 25:00:00"]
)
def test_text_that_is_no_time(text: str) -> None:
    assert parse_file_time(text) is None
