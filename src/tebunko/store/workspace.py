"""Where everything lies in a workspace (ja-index-format, 置き場と目録).

::

    setting.config                     settings
    indexing_log.txt                   log of the last update run (indexing_log_previous.txt: the one before)
    tebunko.lock                       the lock of the one writer
    store/format.tsv                   catalogue of indexes
    store/ingest_status.tsv            ingest list
    store/journal/ingest.tsv           journal of the run
    store/pending_remove.tsv           removals not yet carried out
    store/content/<index>/…            content files
    store/sources/<index>/…            ours: what each source file was read with, raw values
    store/spool/<run>/w<n>.seg         ours: work finished but not yet published
    store/ngram/                       ours: 2-gram index of the content files
    store/coverage.json                ours: counts of the last run
    store/progress.json, store/stop    ours: the state of the run for other windows, and their wish that it stop
    store/intent.json                  ours: a renaming or removal of an index that is under way
    store/roots.json                   ours: on which file systems the registered folders lay
    store/long_names.json              ours: shortened folder names
    opened/                            ours: read-only copies of documents, deleted after a day
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tebunko.model.paths import disk_segment
from tebunko.store.fs import make_private_folder


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one workspace; ``root`` is absolute."""

    root: Path

    @property
    def settings(self) -> Path:
        """``setting.config``."""
        return self.root / "setting.config"

    @property
    def lock(self) -> Path:
        """The lock file of the one writer."""
        return self.root / "tebunko.lock"

    @property
    def log(self) -> Path:
        """The log of the last update run."""
        return self.root / "indexing_log.txt"

    @property
    def opened(self) -> Path:
        """``opened/``."""
        return self.root / "opened"

    @property
    def previous_log(self) -> Path:
        """The log of the run before."""
        return self.root / "indexing_log_previous.txt"

    @property
    def store(self) -> Path:
        """``store/``."""
        return self.root / "store"

    @property
    def catalog(self) -> Path:
        """``store/format.tsv``."""
        return self.store / "format.tsv"

    @property
    def ingest_list(self) -> Path:
        """``store/ingest_status.tsv``."""
        return self.store / "ingest_status.tsv"

    @property
    def journal(self) -> Path:
        """``store/journal/ingest.tsv``."""
        return self.store / "journal" / "ingest.tsv"

    @property
    def old_journal(self) -> Path:
        """``ingesting.txt``, which old versions of the other program left of a killed run."""
        return self.root / "ingesting.txt"

    @property
    def pending_remove(self) -> Path:
        """``store/pending_remove.tsv``."""
        return self.store / "pending_remove.tsv"

    @property
    def coverage(self) -> Path:
        """``store/coverage.json``."""
        return self.store / "coverage.json"

    @property
    def content(self) -> Path:
        """``store/content/``."""
        return self.store / "content"

    @property
    def sources(self) -> Path:
        """``store/sources/``."""
        return self.store / "sources"

    @property
    def spool(self) -> Path:
        """``store/spool/``."""
        return self.store / "spool"

    @property
    def ngram(self) -> Path:
        """``store/ngram/``; ``store/gram/`` is the other program's."""
        return self.store / "ngram"

    @property
    def old_content(self) -> Path:
        """Where format 1 kept its content files."""
        return self.root / "content_index"

    def content_folder(self, stored_folder: str) -> Path:
        r"""The folder of content files of a stored folder (``営業`` or ``営業\2024``)."""
        folder = self.content
        for segment in stored_folder.split("\\"):
            short = disk_segment(segment)
            # On Windows the other program gives even a long name its folder in full.
            folder /= segment if short != segment and os.path.isdir(folder / segment) else short
        return folder

    def sources_folder(self, stored_folder: str) -> Path:
        """The folder of our source records that mirrors `content_folder`."""
        return self.sources.joinpath(*map(disk_segment, stored_folder.split("\\")))

    def create(self) -> None:
        """Creates the folders that a writer needs, for their owner alone."""
        for folder in (self.root, self.store, self.content, self.sources, self.spool):
            make_private_folder(folder)


_LIST_NAME = "ingest_status.tsv"
_CATALOG_NAME = "format.tsv"


def is_workspace(folder: str, files: Collection[str], folders: Collection[str]) -> bool:
    """True if a folder with these entries is a workspace of either program, which a crawl leaves out.

    The marks are an ingest list or a catalogue in ``store``, or the list itself in the folder (format 1).
    """
    if _LIST_NAME in files:
        return True
    if "store" not in folders:
        return False
    store = os.path.join(folder, "store")
    return any(os.path.isfile(os.path.join(store, name)) for name in (_LIST_NAME, _CATALOG_NAME))
