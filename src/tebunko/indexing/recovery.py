"""Making good what a killed run left, first thing in the next: finished work is published, text that is to go goes."""

from __future__ import annotations

import os
from pathlib import Path

from tebunko.indexing.channel import Channel
from tebunko.indexing.foreign import folders_with_tsv, take_over, tsv_folders
from tebunko.indexing.ledger import Ledger, PublishedFolder
from tebunko.indexing.recover import Leftover
from tebunko.store.fs import make_private_folder, remove_tree
from tebunko.store.publish import publish_folder
from tebunko.store.spool import SegmentWriter, run_folder_name
from tebunko.store.workspace import Layout


def make_good(ledger: Ledger, left: Leftover, channel: Channel) -> set[str]:
    """Publishes what the run before left, and gives the stored folders for which that was not possible.

    Those stay as they are for the next run. Without a journal to read, TSV folders are looked for everywhere.
    """
    for folder, finished in left.finished.items():
        for name, placed in finished.items():
            ledger.unpublished[f"{folder}\\{name}"] = placed
    ledger.losing |= {f"{folder}\\{name}" for folder, names in left.gone.items() for name in names}
    for folder, name in ledger.removals:
        left.gone.setdefault(folder, set()).add(name)
    ledger.strikes = left.carried | left.redo
    folders = left.folders | set(left.gone)
    if not left.readable:
        folders |= folders_with_tsv(ledger.layout)
    open_folders = set()
    with _Tsv(ledger) as tsv:
        for folder in sorted(folders):
            try:
                if channel.stopped():
                    open_folders.add(folder)
                else:
                    _publish(ledger, folder, left, tsv)
            except OSError as error:
                open_folders.add(folder)
                detail = error.strerror or str(error)
                channel.log(
                    "The text of folder “{folder}” could not be written: {detail}", folder=folder, detail=detail
                )
    return open_folders


def settle(layout: Layout) -> None:
    """Makes good what is left and forgets the rest: before an index is renamed or removed. The lock must be held.

    Raises UserError, OSError. Files whose reading was interrupted lose their strikes, no more.
    """
    if not layout.store.is_dir():
        return
    layout.create()
    ledger, left = Ledger.open(layout)
    try:
        make_good(ledger, left, Channel())
        ledger.forget()
    finally:
        ledger.close()
    sweep_spool(ledger)


class _Tsv:
    """The spool segment for TSV folders, opened when the first one is found."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._segment: SegmentWriter | None = None

    def __enter__(self) -> _Tsv:
        return self

    def __exit__(self, *_: object) -> None:
        if self._segment is not None:
            self._segment.close()

    def take(self, folder: str) -> dict[str, Path]:
        """Takes over the TSV folders of a stored folder, by stored name; what is not whole is read again."""
        found = tsv_folders(self._ledger.layout, folder)
        for name, path in found.items():
            if self._segment is None:
                run_folder = self._ledger.layout.spool / run_folder_name()
                make_private_folder(run_folder)
                self._segment = SegmentWriter(run_folder / "tsv.seg")
            stored = f"{folder}\\{name}"
            if stored in self._ledger.unpublished:
                continue  # what we read ourselves is newer
            placed = take_over(path, self._ledger.rows.get(stored), self._segment)
            if placed is not None:
                self._ledger.unpublished[stored] = placed
            elif stored in self._ledger.rows:
                self._ledger.read_again(stored)
        return found


def _publish(ledger: Ledger, folder: str, left: Leftover, tsv: _Tsv) -> None:
    left_over = tsv.take(folder)
    names = {*left.finished.get(folder, ()), *left_over}
    placed = {name: p for name in names if (p := ledger.unpublished.get(f"{folder}\\{name}"))}
    removals = left.gone.get(folder, set()) - set(placed)
    if not (placed or removals or left_over):
        return
    done = publish_folder(
        ledger.layout,
        folder,
        {name: p.position for name, p in placed.items()},
        removals,
        lambda name: ledger.is_done(f"{folder}\\{name}"),
    )
    for name in ledger.to_reread(folder, done):
        ledger.read_again(f"{folder}\\{name}")
    ledger.published([PublishedFolder(folder, frozenset(done.published), frozenset(done.removed))])
    for path in left_over.values():
        remove_tree(path, ledger.layout.root)


def sweep_spool(ledger: Ledger) -> None:
    """Deletes the segments that no unpublished reading needs. What cannot be deleted stays for the next run."""
    needed = {placed.position.segment for placed in ledger.unpublished.values()}
    try:
        runs = [Path(entry.path) for entry in os.scandir(ledger.layout.spool)]
    except FileNotFoundError:
        return
    for run in runs:
        try:
            if not any(run in segment.parents for segment in needed):
                remove_tree(run, ledger.layout.root)
                continue
            for path in run.iterdir():
                if path not in needed and path.is_file():
                    path.unlink()
        except (OSError, ValueError):
            continue
