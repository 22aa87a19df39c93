"""The crawl phase of a run: the registered folders, crawled in a child process and held against the list."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tebunko.indexing.channel import Channel, Note, Phase, PlanRow, Progress, RootKind, note
from tebunko.indexing.crawl import CrawlRoot, FolderFound, LinkSkipped, RootEnded, RootStarted, Unreadable
from tebunko.indexing.crawler import crawl_in_child
from tebunko.indexing.decide import Conditions
from tebunko.indexing.device import device_identity
from tebunko.indexing.roots import read_devices
from tebunko.indexing.survey import IndexSurvey, Surveyor
from tebunko.model.paths import real_relative
from tebunko.store.ingest_list import IngestList
from tebunko.store.settings import Settings
from tebunko.store.workspace import Layout


class CrawlPhase:
    """Crawls roots and collects what was found.

    ``real_roots`` are the real paths of all enabled folders by index name, ``devices`` the identities of the file systems
    that they lie on, ``notes`` what the user should know.
    """

    def __init__(self, layout: Layout, rows: IngestList, settings: Settings, conditions: Conditions) -> None:
        self._layout = layout
        self._rows = rows
        self._conditions = conditions
        self.real_roots = {f.name: os.path.realpath(f.path) for f in settings.folders if f.enabled}
        self.devices = read_devices(layout)
        self.surveys: list[IndexSurvey] = []
        self.notes: list[Note] = []

    def run(self, roots: Sequence[CrawlRoot], channel: Channel, patience: float) -> None:
        """Crawls; ``patience`` is how many seconds a folder may give no sign of life. Raises Cancelled."""
        by_name = {root.index: root for root in roots}
        surveyor: Surveyor | None = None
        for event in crawl_in_child(roots, patience, channel.stopped):
            if isinstance(event, RootStarted):
                channel.progress(Progress(Phase.CRAWL, current=event.index))
                root = by_name[event.index]
                row = PlanRow(root.index, root.path, RootKind.INGEST)
                surveyor = Surveyor(self._layout, self._rows, self._conditions, row)
            elif isinstance(event, LinkSkipped):
                channel.log("{path}: a link, not followed", path=event.stored)
            elif surveyor is not None:
                self._survey(surveyor, event, by_name)

    def _survey(
        self, surveyor: Surveyor, event: FolderFound | Unreadable | RootEnded, roots: dict[str, CrawlRoot]
    ) -> None:
        if isinstance(event, FolderFound):
            surveyor.folder_found(event)
        elif isinstance(event, Unreadable):
            surveyor.unreadable(event)
            self.notes.append(note("“{path}” could not be looked at: {detail}", path=event.stored, detail=event.detail))
        else:
            same = self._same_device(roots[event.index]) if event.listed else True
            self.surveys.append(surveyor.ended(event, same, self._elsewhere(event.index)))
            if not event.listed:
                self.notes.append(
                    note(
                        "The folder of “{name}” cannot be read ({detail}); its index stays as it is.",
                        name=event.index,
                        detail=event.detail,
                    )
                )

    def _same_device(self, root: CrawlRoot) -> bool:
        identity = device_identity(root.path)
        before = self.devices.get(root.index)
        if before is None and identity is not None:
            self.devices[root.index] = identity
        return before is None or identity is None or before == identity

    def _elsewhere(self, index: str) -> Callable[[str], bool]:
        """Whether a stored path of this index now belongs to another enabled index whose folder lies inside."""
        top = self.real_roots[index]
        inner = [real + os.sep for name, real in self.real_roots.items() if name != index and real.startswith(top)]

        def elsewhere(stored: str) -> bool:
            relative = real_relative(stored.partition("\\")[2]).replace("/", os.sep)
            return any(os.path.join(top, relative).startswith(folder) for folder in inner)

        return elsewhere
