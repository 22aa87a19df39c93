"""The conductor of an update run: the only writer of a workspace while it holds the lock.

What the run before left → crawl → plan → approval → ingest (read, publish) → list, catalogue and counts. The order of writes is
that of docs/architecture.md: the list never says 済 of text that is not in the content files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from tebunko.extract.office.installation import OfficeInstallation, find_office
from tebunko.indexing.channel import Approval, Channel, Phase, PlanRow, Progress, RootKind, Summary
from tebunko.indexing.crawl_phase import CrawlPhase
from tebunko.indexing.decide import Conditions
from tebunko.indexing.dispatch import Limits, WorkerMain, WorkerPool, default_worker_count
from tebunko.indexing.ingest import Ingest
from tebunko.indexing.ledger import Ledger, now, pending_row, unread_row
from tebunko.indexing.mirror import MirroredChannel
from tebunko.indexing.publisher import Publisher
from tebunko.indexing.recover import INTERRUPT_LIMIT
from tebunko.indexing.recovery import make_good, sweep_spool
from tebunko.indexing.roots import Selection, select_roots, write_devices
from tebunko.indexing.survey import Candidate, dropped_rows, is_read
from tebunko.indexing.worker import Task, worker_main
from tebunko.model.errors import Cancelled, Reason, UserError
from tebunko.model.kinds import FileKind, extension_of, extract_version, kind_of
from tebunko.model.names import name_key
from tebunko.model.paths import real_relative
from tebunko.model.states import FileState, IndexProgress
from tebunko.store.catalog import FORMAT_VERSION, Catalog, read_catalog, repaired, write_catalog
from tebunko.store.content import list_parts
from tebunko.store.coverage import IndexCoverage, count_rows, write_coverage
from tebunko.store.fs import make_private_folder
from tebunko.store.indexes import carry_out, finish_intent
from tebunko.store.ingest_list import Row
from tebunko.store.intent import REMOVE, Intent
from tebunko.store.lock import workspace_lock
from tebunko.store.long_names import record_long_names
from tebunko.store.ngram.update import update_grams
from tebunko.store.settings import Settings, adopt, load_settings, save_settings
from tebunko.store.source_folder import write_source_folder
from tebunko.store.spool import run_folder_name
from tebunko.store.workspace import Layout


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """What an update is asked to do.

    ``names`` limits it to these indexes; ``workers`` 0 means the settings' number; ``locale`` becomes the workspace's
    display locale; ``worker`` is what a worker process runs; ``translate`` turns catalogue ids into the log's language.
    """

    names: tuple[str, ...] = ()
    workers: int = 0
    limits: Limits = field(default_factory=Limits)
    locale: str | None = None
    worker: WorkerMain = worker_main
    translate: Callable[..., str] = str.format


def run_update(layout: Layout, options: UpdateOptions, channel: Channel) -> Summary:
    """Runs one update and gives how it ended.

    Raises UserError if it cannot run or must stop (no folder, another update is running, a registered folder went away);
    a cancel is no error: the summary says so. What was finished is kept in any case.
    """
    make_private_folder(layout.root)
    with workspace_lock(layout):
        layout.create()
        mirrored = MirroredChannel(layout, channel, options.translate, now())
        try:
            finish_intent(layout)
            summary = _Run(layout, options, mirrored).run()
        except BaseException as error:
            mirrored.failed(error)
            raise
        mirrored.ended(summary)
        return summary


class _Run:
    def __init__(self, layout: Layout, options: UpdateOptions, channel: Channel) -> None:
        self._layout = layout
        self._options = options
        self._channel = channel
        self._summary = Summary()
        self._started = time.monotonic()
        self._catalog = _checked_catalog(layout)
        self._ledger, self._left = Ledger.open(layout)
        self._open_folders: set[str] = set()
        self._dropped: list[PlanRow] = []
        self._settings = self._load_settings()
        self._conditions = Conditions(self._settings.display_locale, lambda: self._office() is not None)
        self._crawl = CrawlPhase(layout, self._ledger.rows, self._settings, self._conditions)

    def _load_settings(self) -> Settings:
        settings = adopt(load_settings(self._layout), self._ledger.rows.folders)
        if self._options.locale and self._options.locale != settings.display_locale:
            settings = replace(settings, display_locale=self._options.locale)
            save_settings(self._layout, settings)
        return settings

    def run(self) -> Summary:
        selection = select_roots(self._layout, self._settings, self._options.names)
        for message, params in selection.notes:
            self._note(message, **params)
        if self._ledger.rows.rejected:
            self._note(
                "{count} rows of the ingest list lead out of the workspace and were dropped.",
                count=self._ledger.rows.rejected,
            )
        self._open_folders = make_good(self._ledger, self._left, self._channel)
        sweep_spool(self._ledger)
        try:
            return self._run_on(selection)
        finally:
            self._ledger.close()

    def _run_on(self, selection: Selection) -> Summary:
        approval = None
        try:
            self._crawl.run(selection.roots, self._channel, self._options.limits.seconds)
            approval = self._ask(selection.rows)
        except Cancelled:
            pass
        for message, params in self._crawl.notes:
            self._note(message, **params)
        if approval is None:
            self._summary.cancelled = True
        else:
            self._carry_out(approval)
        self._summary.seconds = time.monotonic() - self._started
        return self._summary

    def _office(self) -> OfficeInstallation | None:
        return find_office(self._settings.office_path or None)

    def _note(self, message: str, **params: object) -> None:
        self._summary.notes.append((message, params))
        self._channel.log(message, **params)

    def _ask(self, others: list[PlanRow]) -> Approval | None:
        if self._channel.stopped():
            return None
        self._channel.progress(Progress(Phase.CONFIRM))
        self._dropped = dropped_rows(self._ledger.rows, {name_key(f.name) for f in self._settings.folders})
        plan = others + [survey.row for survey in self._crawl.surveys] + self._dropped
        for row in plan:
            self._summary.kept_missing += row.kept_missing
            if row.kept_because:
                self._channel.log(
                    "“{name}”: {count} files were not found, but their rows are kept ({reason})",
                    name=row.index,
                    count=row.kept_missing,
                    reason=row.kept_because,
                )
        return self._channel.approve(plan)

    # --- ingest --------------------------------------------------------------------------------------------------

    def _carry_out(self, approval: Approval) -> None:
        self._drop(approval)
        surveys = self._crawl.surveys
        candidates = [c for survey in surveys for c in survey.to_read(approval)]
        removed = [path for survey in surveys for path in survey.to_remove(approval)]
        left = [c for survey in surveys for c in survey.candidates if not is_read(c, approval)]
        self._summary.removed = len(removed)
        self._summary.kept_missing = sum(len(s.missing) + len(s.moved) for s in surveys) - len(removed)
        self._summary.cloud_only = sum(c.found.cloud_only for c in left)
        self._summary.skipped = len(left) - self._summary.cloud_only
        removed += [c.stored for c in left if c.found.cloud_only and self._is_unfinished(c)]
        hopeless, candidates = self._in_order(candidates)
        rows = [self._row_of(c) for c in candidates] + [self._killed_row(c) for c in hopeless]
        self._record_indexes()
        record_long_names(self._layout, {c.folder for c in candidates})
        self._ledger.begin(rows, removed, (c.stored for c in hopeless), sorted(self._open_folders))
        try:
            self._ingest(list(self._tasks(candidates)))
        finally:
            self._finish()

    def _drop(self, approval: Approval) -> None:
        """Deletes the indexes that nobody has registered any more and whose deletion was ticked."""
        for row in self._dropped:
            if row.index in approval.drop:
                carry_out(self._layout, self._settings, Intent(REMOVE, row.index))
                self._ledger.forget_index(row.index)
                self._catalog.remove(row.index)

    def _in_order(self, candidates: list[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """The files that stopped two runs in a row, and the others: those that stopped the last one come last."""
        strikes = self._ledger.strikes
        interrupted = {path for path in self._left.redo if strikes.get(path, 0) > 0}
        wanted = {c.stored for c in candidates}
        self._ledger.strikes = {path: n for path, n in strikes.items() if path in wanted and n < INTERRUPT_LIMIT}
        hopeless = [c for c in candidates if strikes.get(c.stored, 0) >= INTERRUPT_LIMIT and c.stored in interrupted]
        others = [c for c in candidates if c not in hopeless]
        self._summary.failed += len(hopeless)
        for candidate in others:
            if candidate.stored in interrupted:
                self._channel.log(
                    "{path}: it was being read when the last run was killed; it comes last", path=candidate.stored
                )
        return hopeless, sorted(others, key=lambda c: c.stored in interrupted)

    def _is_unfinished(self, candidate: Candidate) -> bool:
        row = self._ledger.rows.get(candidate.stored)
        return row is not None and row.state is FileState.PENDING

    def _row_of(self, candidate: Candidate) -> Row:
        found = candidate.found
        return pending_row(self._ledger.rows.get(candidate.stored), candidate.stored, found.mtime_ns, found.size)

    def _killed_row(self, candidate: Candidate) -> Row:
        version = extract_version(extension_of(candidate.found.name))
        return unread_row(self._row_of(candidate), Reason.KILLED_TWICE, "", version)

    def _tasks(self, candidates: Iterable[Candidate]) -> Iterable[Task]:
        for number, candidate in enumerate(candidates):
            index, _, relative = candidate.stored.partition("\\")
            root = self._crawl.real_roots[index]
            path = os.path.join(root, *real_relative(relative).split("/"))
            kind = kind_of(candidate.found.name) or FileKind.TEXT
            version = extract_version(extension_of(candidate.found.name))
            yield Task(number, path, candidate.stored, root, kind, version, self._settings.display_locale)

    def _ingest(self, tasks: list[Task]) -> None:
        if not (tasks or self._ledger.unpublished or self._ledger.losing or self._ledger.removals):
            return
        run_folder = self._layout.spool / run_folder_name()
        make_private_folder(run_folder)
        asked = self._options.workers or self._settings.ingest_threads
        limits = self._options.limits
        count = default_worker_count(os.cpu_count() or 1, psutil.virtual_memory().total, limits, asked)
        self._channel.log("{count} files are read by {workers} processes.", count=len(tasks), workers=count)
        with (
            Publisher(self._layout, self._ledger.is_done) as publisher,
            WorkerPool(max(1, min(count, len(tasks))), run_folder, limits, self._options.worker, self._office) as pool,
        ):
            Ingest(self._ledger, pool, publisher, self._channel, self._summary).run(tasks)

    # --- end -----------------------------------------------------------------------------------------------------

    def _record_indexes(self) -> None:
        """Before anything is read: folder rows of the list, ``source_folder.txt``, and 作成中 for new indexes."""
        registered = {name_key(f.name) for f in self._settings.folders}
        others = [(path, name) for path, name in self._ledger.rows.folders if name_key(name) not in registered]
        self._ledger.rows.folders = [(f.path, f.name) for f in self._settings.folders] + others
        for survey in self._crawl.surveys:
            if survey.row.kind is RootKind.INGEST and survey.row.files:
                write_source_folder(self._layout.content_folder(survey.row.index), survey.row.index, survey.row.folder)
            if self._catalog.progress(survey.row.index) is None:
                self._catalog.set(survey.row.index, IndexProgress.BUILDING)
                write_catalog(self._layout, self._catalog)

    def _finish(self) -> None:
        self._channel.progress(Progress(Phase.FINISH))
        self._ledger.finish()
        if not self._summary.cancelled:
            self._complete_indexes()
        write_devices(self._layout, self._crawl.devices)
        self._write_counts()
        sweep_spool(self._ledger)
        if not self._summary.cancelled:
            self._update_grams()

    def _update_grams(self) -> None:
        """Last, since nothing depends on it: a search only scans the content files that the index is not true of."""
        try:
            update_grams(self._layout, self._channel.stopped)
        except OSError as error:
            self._channel.log("The 2-gram index could not be brought up to date: {detail}", detail=str(error))

    def _complete_indexes(self) -> None:
        changed = False
        for survey in self._crawl.surveys:
            name = survey.row.index
            if survey.row.kind is RootKind.INGEST and self._catalog.progress(name) is IndexProgress.BUILDING:
                self._catalog.set(name, IndexProgress.COMPLETE)
                changed = True
        if changed:
            write_catalog(self._layout, self._catalog)

    def _write_counts(self) -> None:
        counts = count_rows(self._ledger.rows)
        for survey in self._crawl.surveys:
            coverage = counts.setdefault(survey.row.index, IndexCoverage())
            coverage.cloud_only = survey.row.cloud + survey.row.cloud_failed
            coverage.kept_missing = survey.row.kept_missing
            coverage.last_update = now()
        write_coverage(self._layout, counts)


def _checked_catalog(layout: Layout) -> Catalog:
    """The catalogue, repaired if it is damaged. Raises UserError for a workspace of a newer version."""
    catalog = read_catalog(layout)
    if catalog.version is not None and catalog.version > FORMAT_VERSION:
        raise UserError("This workspace was made by a newer version of tebunko and cannot be updated by this one.")
    if catalog.damaged:
        holds = {entry.name: _holds_content(Path(entry.path)) for entry in os.scandir(layout.content) if entry.is_dir()}
        catalog = repaired(catalog, holds)
        write_catalog(layout, catalog)
    return catalog


def _holds_content(folder: Path) -> bool:
    return any(list_parts(Path(path)) for path, _, _ in os.walk(folder))
