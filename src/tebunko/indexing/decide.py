"""What to do with each source file: pure decisions (ja-target-decision; facts.md, Rulings)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tebunko.indexing.crawl import FoundFile
from tebunko.model.errors import Reason, reason_of
from tebunko.model.kinds import FileKind, extension_of, extract_version, kind_of
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import Row
from tebunko.store.sources import SourceRecord

_NS = 1_000_000_000
_RACY_NS = 2 * _NS
_DONE = f"\t{FileState.DONE.value}\t"


class Verdict(StrEnum):
    """What the crawl found about one source file; the names are those of the plan."""

    CURRENT = "current"
    NEW = "new"
    CHANGED = "changed"
    UNFINISHED = "unfinished"
    MISSING = "missing"
    FAILED = "failed"
    WAITING = "waiting"


TARGETS = frozenset({Verdict.NEW, Verdict.CHANGED, Verdict.UNFINISHED, Verdict.MISSING})
"""The verdicts whose files are read in any case."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the store knows of one source file besides its row.

    ``has_content`` says whether its text can be in the index: the content file of its folder and extension exists and is
    not empty, and if our catalogue mirrors all of them truly, names it. ``record`` is our catalogue's record, or None.
    """

    has_content: bool
    record: SourceRecord | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for the whole run: the display locale, and whether an office suite is there (asked only if it matters)."""

    locale: str
    has_office: Callable[[], bool] = bool


def judge(found: FoundFile, row: Row | None, knowledge: Knowledge, conditions: Conditions) -> Verdict:
    """The verdict on one source file.

    Same size and time to the second mean the same content; where our catalogue holds the time in UTC that one counts, so a
    change of the time zone makes nothing stale. A failure waits for a change, for ``--retry-failed`` or for a newer
    reader; what needs a missing office suite or reader waits until it is there.
    """
    if row is None:
        return Verdict.NEW
    record = knowledge.record if row.state is FileState.DONE else None
    changed = not _is_same(found, row, record) or row.version < extract_version(extension_of(found.name))
    if row.state is FileState.FAILED:
        return Verdict.CHANGED if changed else Verdict.FAILED
    if row.state is FileState.PENDING:
        return Verdict.UNFINISHED if changed or not _waits(row, conditions) else Verdict.WAITING
    if changed or _other_locale(found, record, conditions.locale):
        return Verdict.CHANGED
    if row.places != 0 and not knowledge.has_content:
        return Verdict.MISSING
    return Verdict.CURRENT


def is_plainly_current(found: FoundFile, line: str, record: SourceRecord, conditions: Conditions) -> bool:
    """True if a file is CURRENT by its record and the unparsed line of its row alone: the case of nearly all files.

    False says nothing: `judge` decides.
    """
    return (
        record.mtime_ns == found.mtime_ns
        and record.size == found.size
        and _DONE in line
        and record.version >= extract_version(extension_of(found.name))
        and not _other_locale(found, record, conditions.locale)
        and line.split("\t", 3)[2] == str(found.size)
    )


def _is_same(found: FoundFile, row: Row, record: SourceRecord | None) -> bool:
    if row.size != found.size:
        return False
    if record is None:
        return row.modified == format_file_time(found.mtime_ns)
    if record.mtime_ns // _NS != found.mtime_ns // _NS:
        return False
    # A file that was written just before it was read may have been written again in the same second.
    racy = record.mtime_ns > record.read_at_ns - _RACY_NS
    return not racy or record.mtime_ns == found.mtime_ns


def _waits(row: Row, conditions: Conditions) -> bool:
    reason = reason_of(row.error) if row.error else None
    if reason is None:
        return False
    if reason[0] is Reason.NEEDS_OFFICE:
        return not conditions.has_office()
    return reason[0] is Reason.UNSUPPORTED


def _other_locale(found: FoundFile, record: SourceRecord | None, locale: str) -> bool:
    """True if the file was read with another display locale and its text depends on one; "" is one that nobody knows."""
    return record is not None and record.locale not in ("", locale) and kind_of(found.name) is FileKind.EXCEL


class Absence(StrEnum):
    """Why rows of files that were not found are kept all the same (facts.md, never mistake absence for deletion)."""

    UNLISTED = "unlisted"
    EMPTY = "empty"
    OTHER_DEVICE = "other_device"
    UNREADABLE_FOLDERS = "unreadable_folders"
    MANY = "many"


MANY_ROWS = 100


@dataclass(frozen=True, slots=True)
class RootFindings:
    """What the crawl of one registered folder came to: ``rows`` in the list before, ``missing`` of them not found."""

    listed: bool
    empty: bool
    same_device: bool
    unreadable_folders: int
    rows: int
    missing: int


def absence(findings: RootFindings) -> Absence | None:
    """Why the missing rows must be kept, or None if the files were deleted.

    >>> absence(RootFindings(True, False, True, 0, 200, 101))
    <Absence.MANY: 'many'>
    >>> absence(RootFindings(True, False, True, 0, 99, 99)) is None
    True
    """
    if not findings.listed:
        return Absence.UNLISTED
    if findings.missing == 0:
        return None
    if findings.empty:
        return Absence.EMPTY
    if not findings.same_device:
        return Absence.OTHER_DEVICE
    if findings.unreadable_folders:
        return Absence.UNREADABLE_FOLDERS
    if findings.rows >= MANY_ROWS and findings.missing * 2 > findings.rows:
        return Absence.MANY
    return None


def approvable(reason: Absence) -> bool:
    """True if a person may say that the missing files are deleted: not if nobody could look.

    >>> approvable(Absence.EMPTY), approvable(Absence.UNLISTED)
    (True, False)
    """
    return reason is not Absence.UNLISTED
