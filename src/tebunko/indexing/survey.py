"""The survey: the crawl held against the list, which gives the plan and what each file's row becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from tebunko.indexing.channel import Approval, PlanRow, RootKind
from tebunko.indexing.crawl import FolderFound, FoundFile, RootEnded, Unreadable
from tebunko.indexing.decide import (
    TARGETS,
    Conditions,
    Knowledge,
    RootFindings,
    Verdict,
    absence,
    approvable,
    is_plainly_current,
    judge,
)
from tebunko.model.kinds import extension_of
from tebunko.model.names import name_key
from tebunko.model.paths import fold
from tebunko.store.content import list_parts
from tebunko.store.ingest_list import IngestList
from tebunko.store.sources import SourceRecord, read_sources
from tebunko.store.workspace import Layout


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source file that is not current: its stored folder, what the crawl found, and the verdict."""

    folder: str
    found: FoundFile
    verdict: Verdict

    @property
    def stored(self) -> str:
        """The stored path."""
        return f"{self.folder}\\{self.found.name}"


@dataclass(slots=True)
class IndexSurvey:
    """What was found of one index.

    ``missing`` are stored paths of rows whose files were not found, ``moved`` such that another index has now, and
    ``unreadable`` stored paths of folders and files that could not be looked at.
    """

    row: PlanRow
    candidates: list[Candidate] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    may_allow_removal: bool = True

    def to_read(self, approval: Approval) -> list[Candidate]:
        """The candidates that an approval lets the run read, in the order of the crawl."""
        return [c for c in self.candidates if is_read(c, approval)]

    def to_remove(self, approval: Approval) -> list[str]:
        """The stored paths whose rows and text go; never what lies in a folder that could not be looked at."""
        if not self.row.kept_because:
            return self.moved + self.missing
        if not (approval.allow_removal and self.may_allow_removal):
            return self.moved
        hidden = tuple(fold(path) + "\\" for path in self.unreadable)
        return self.moved + [path for path in self.missing if not (fold(path) + "\\").startswith(hidden)]


def is_read(candidate: Candidate, approval: Approval) -> bool:
    """Whether an approval lets a candidate be read: pure."""
    if candidate.found.cloud_only and not approval.include_cloud:
        return False
    return candidate.verdict in TARGETS or approval.retry_failed


class Surveyor:
    """Holds the crawl of one index against the list; fed with the crawl's events, it gives an `IndexSurvey`."""

    def __init__(self, layout: Layout, rows: IngestList, conditions: Conditions, plan_row: PlanRow) -> None:
        self._layout = layout
        self._rows = rows
        self._conditions = conditions
        self._unseen = rows.lines_of(plan_row.index)
        self._row_count = len(self._unseen)
        self._survey = IndexSurvey(plan_row)
        self._folder = ""
        self._known = FolderKnowledge({}, set(), set())

    def folder_found(self, event: FolderFound) -> None:
        """Judges the files of one folder."""
        if event.stored != self._folder:
            self._folder = event.stored
            self._known = folder_knowledge(self._layout, event.stored)
        plan, records, folded = self._survey.row, self._known.records, fold(event.stored) + "\\"
        plan.files += len(event.files)
        for found in event.files:
            line = self._unseen.pop(folded + fold(found.name), None)
            record = records.get(found.name)
            if line is not None and record is not None and is_plainly_current(found, line, record, self._conditions):
                continue
            row = self._rows.get(f"{event.stored}\\{found.name}")
            verdict = judge(found, row, self._known.of(found.name), self._conditions)
            if verdict is not Verdict.CURRENT:
                self._survey.candidates.append(Candidate(event.stored, found, verdict))
                _count(plan, verdict, found)

    def unreadable(self, event: Unreadable) -> None:
        """Takes note of a folder or file that could not be looked at: what it holds is not missing."""
        self._survey.unreadable.append(event.stored)

    def ended(self, event: RootEnded, same_device: bool, elsewhere: Callable[[str], bool]) -> IndexSurvey:
        """Ends the survey. ``elsewhere`` says of a stored path that another enabled index has it now."""
        survey, plan = self._survey, self._survey.row
        paths = [line[: line.index("\t")] for line in self._unseen.values()]
        if event.listed:
            survey.moved = [path for path in paths if elsewhere(path)]
        survey.missing = [path for path in paths if not (event.listed and elsewhere(path))]
        findings = RootFindings(
            event.listed,
            event.empty,
            same_device,
            len(survey.unreadable),
            self._row_count - len(survey.moved),
            len(survey.missing),
        )
        reason = absence(findings)
        if not event.listed:
            plan.kind = RootKind.NO_FOLDER
        plan.removed = len(survey.moved)
        if reason is None:
            plan.removed += len(survey.missing)
        else:
            plan.kept_because = reason.value
            plan.kept_missing = len(survey.missing)
            survey.may_allow_removal = approvable(reason)
        return survey


def _count(plan: PlanRow, verdict: Verdict, found: FoundFile) -> None:
    if found.cloud_only:
        if verdict in (Verdict.FAILED, Verdict.WAITING):
            plan.cloud_failed += 1
            plan.cloud_failed_bytes += found.size
        else:
            plan.cloud += 1
            plan.cloud_bytes += found.size
    else:
        setattr(plan, verdict.value, getattr(plan, verdict.value) + 1)
        plan.target_bytes += found.size if verdict in TARGETS else 0


@dataclass(frozen=True, slots=True)
class FolderKnowledge:
    """What the store knows of the source files of one folder.

    ``records`` are our catalogue's by stored name, ``others`` names that its true mirrors hold without a record, and
    ``unsure`` extensions with a content file that has no true mirror.
    """

    records: dict[str, SourceRecord]
    others: set[str]
    unsure: set[str]

    def of(self, name: str) -> Knowledge:
        """What is known of one source file."""
        record = self.records.get(name)
        return Knowledge(record is not None or name in self.others or extension_of(name)[1:] in self.unsure, record)


def folder_knowledge(layout: Layout, stored_folder: str) -> FolderKnowledge:
    """Looks at the content files of one folder and their mirrors."""
    try:
        parts = list_parts(layout.content_folder(stored_folder))
    except OSError:
        parts = []
    mirrors = layout.sources_folder(stored_folder)
    known = FolderKnowledge({}, set(), set())
    for part in parts:
        if part.size == 0:
            continue
        mirror = read_sources(mirrors, part)
        if mirror is None:
            known.unsure.add(part.extension)
        else:
            known.records.update(mirror.records)
            known.others.update(mirror.others)
    return known


def dropped_rows(rows: IngestList, registered: Set[str]) -> list[PlanRow]:
    """The plan's rows of indexes that the list knows but nobody has registered; ``registered`` are name keys."""
    counts = Counter(line[: line.index("\\")] for line in rows.lines())
    folders = {name: path for path, name in [*rows.folders, *rows.legacy_folders]}
    names = [name for name in dict.fromkeys([*folders, *counts]) if name_key(name) not in registered]
    return [PlanRow(name, folders.get(name, ""), RootKind.DROPPED, files=counts[name]) for name in names]
