"""The decision per source file: the table of ja-target-decision and the rulings of facts.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tebunko.indexing.crawl import FoundFile
from tebunko.indexing.decide import (
    Absence,
    Conditions,
    Knowledge,
    RootFindings,
    Verdict,
    absence,
    approvable,
    judge,
)
from tebunko.model.errors import Reason, sentence_on_disk
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import Row
from tebunko.store.sources import SourceRecord

NS = 1_000_000_000
TIME = 1_700_000_000 * NS + 123
FOUND = FoundFile("a.xlsx", 100, TIME, False)
DONE = Row("営業\\a.xlsx", format_file_time(TIME), 100, FileState.DONE, 3, "2026/09/19 10:00:35", "", 4)
FAILED = DONE._replace(state=FileState.FAILED, places=None, error=sentence_on_disk(Reason.DAMAGED), version=4)
PENDING = Row("営業\\a.xlsx", format_file_time(TIME), 100, FileState.PENDING)
RECORD = SourceRecord("a.xlsx", TIME, 100, 3, 4, "ja-JP", TIME + 60 * NS)
HERE = Knowledge(True)
GONE = Knowledge(False)


def postponed(reason: Reason, **changes: object) -> Row:
    return PENDING._replace(error=sentence_on_disk(reason), version=4, **changes)


@pytest.mark.parametrize(
    ("row", "knowledge", "verdict"),
    [
        (None, GONE, Verdict.NEW),
        (None, HERE, Verdict.NEW),
        (DONE, HERE, Verdict.CURRENT),
        (DONE._replace(size=101), HERE, Verdict.CHANGED),
        (DONE._replace(modified=format_file_time(TIME - NS)), HERE, Verdict.CHANGED),
        (DONE._replace(modified=format_file_time(TIME + NS)), HERE, Verdict.CHANGED),
        (DONE._replace(version=3), HERE, Verdict.CHANGED),
        (DONE._replace(version=5), HERE, Verdict.CURRENT),
        (DONE, GONE, Verdict.MISSING),
        (DONE._replace(places=0), GONE, Verdict.CURRENT),
        (DONE._replace(places=None), GONE, Verdict.MISSING),
        (FAILED, GONE, Verdict.FAILED),
        (FAILED._replace(size=99), GONE, Verdict.CHANGED),
        (FAILED._replace(version=1), GONE, Verdict.CHANGED),
        (PENDING, GONE, Verdict.UNFINISHED),
        (PENDING, HERE, Verdict.UNFINISHED),
        (postponed(Reason.IN_USE), HERE, Verdict.UNFINISHED),
        (postponed(Reason.NO_PERMISSION), HERE, Verdict.UNFINISHED),
        (postponed(Reason.NEEDS_OFFICE), HERE, Verdict.WAITING),
        (postponed(Reason.UNSUPPORTED), HERE, Verdict.WAITING),
        (postponed(Reason.UNSUPPORTED)._replace(version=1), HERE, Verdict.UNFINISHED),
        (postponed(Reason.NEEDS_OFFICE, size=99), HERE, Verdict.UNFINISHED),
        (PENDING._replace(error="利用者が PowerPoint を使っています"), HERE, Verdict.UNFINISHED),
    ],
)
def test_the_verdict_follows_row_and_content(row: Row | None, knowledge: Knowledge, verdict: Verdict) -> None:
    assert judge(FOUND, row, knowledge, Conditions("ja-JP")) is verdict


def test_a_file_that_needs_an_office_suite_is_tried_once_one_is_there() -> None:
    assert (
        judge(FOUND, postponed(Reason.NEEDS_OFFICE), HERE, Conditions("ja-JP", has_office=lambda: True))
        is Verdict.UNFINISHED
    )


@pytest.mark.parametrize(
    ("record", "found", "verdict"),
    [
        (RECORD, FOUND, Verdict.CURRENT),
        # The list's local time is of another zone, our record knows the moment itself.
        (RECORD, FOUND._replace(mtime_ns=TIME + 3600 * NS), Verdict.CHANGED),
        (RECORD._replace(mtime_ns=TIME + 5), FOUND, Verdict.CURRENT),
        # Read within two seconds of a change: the same second may hold another one.
        (RECORD._replace(mtime_ns=TIME + 5, read_at_ns=TIME + NS), FOUND, Verdict.CHANGED),
        (RECORD._replace(locale="en-US"), FOUND, Verdict.CHANGED),
    ],
)
def test_our_own_record_counts_before_the_list(record: SourceRecord, found: FoundFile, verdict: Verdict) -> None:
    row = DONE._replace(modified="2001/01/01 00:00:00")
    assert judge(found, row, Knowledge(True, record), Conditions("ja-JP")) is verdict


def test_only_workbooks_depend_on_the_locale() -> None:
    found = FOUND._replace(name="a.docx")
    record = RECORD._replace(name="a.docx", locale="en-US")
    assert judge(found, DONE, Knowledge(True, record), Conditions("ja-JP")) is Verdict.CURRENT


ALL_THERE = RootFindings(listed=True, empty=False, same_device=True, unreadable_folders=0, rows=500, missing=0)


@pytest.mark.parametrize(
    ("findings", "reason"),
    [
        (ALL_THERE, None),
        (replace(ALL_THERE, missing=250), None),
        (replace(ALL_THERE, missing=251), Absence.MANY),
        (replace(ALL_THERE, rows=99, missing=99), None),
        (replace(ALL_THERE, rows=100, missing=51), Absence.MANY),
        (replace(ALL_THERE, rows=100, missing=50), None),
        (replace(ALL_THERE, rows=3, missing=3, empty=True), Absence.EMPTY),
        (replace(ALL_THERE, rows=3, missing=1, same_device=False), Absence.OTHER_DEVICE),
        (replace(ALL_THERE, same_device=False), None),
        (replace(ALL_THERE, rows=3, missing=1, unreadable_folders=1), Absence.UNREADABLE_FOLDERS),
        (replace(ALL_THERE, listed=False, rows=0), Absence.UNLISTED),
    ],
)
def test_absence_is_not_taken_for_deletion(findings: RootFindings, reason: Absence | None) -> None:
    assert absence(findings) is reason


def test_what_nobody_could_look_at_cannot_be_approved() -> None:
    assert {reason for reason in Absence if not approvable(reason)} == {Absence.UNLISTED}
