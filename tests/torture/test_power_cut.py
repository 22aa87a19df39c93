"""Power cuts: at many moments of a run, what was not synced is dropped, torn or kept at random; the next run ends right.

The recorder follows the conductor's file operations and knows for each path what would certainly survive a cut: content that was synced
under a name whose folder was synced after. At a cut each path gets either that or what stands there now; a file that was written without
a sync may also be torn. Workers never sync, so their segments are always at risk.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tebunko.indexing.channel import Approval
from tebunko.indexing.conductor import UpdateOptions, run_update
from tebunko.store.workspace import Layout
from tests.indexing.conftest import Recorder as QuietChannel
from tests.torture.harness import Patient

CUTS = int(os.environ.get("TEBUNKO_TORTURE", "0"))

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="tells files from their handles by /proc, and folders can be synced"
)


class PowerCutter:
    """Follows file operations below a folder and takes pictures of what a cut would leave."""

    def __init__(self, top: Path, pictures: Path, seed: int) -> None:
        self.top = top
        self.taken: list[Path] = []
        self._pictures = pictures
        self._random = random.Random(seed)
        self._durable: dict[Path, bytes] = {p: p.read_bytes() for p in top.rglob("*") if p.is_file()}
        self._synced: dict[Path, bytes] = {}
        self._atomic: set[Path] = set()
        self._gone: set[Path] = set()
        self.every = 1
        self._count = 0

    def synced(self, handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if self.top not in (path, *path.parents):
            return
        if path.is_dir():
            self._folder_synced(path)
        else:
            self._synced[path] = path.read_bytes()
            if path in self._durable:
                self._durable[path] = self._synced[path]
        self._maybe_cut()

    def _folder_synced(self, folder: Path) -> None:
        for path in [p for p in self._synced if p.parent == folder]:
            if path.exists():
                self._durable[path] = self._synced.pop(path)
                self._atomic.discard(path)
        for path in [p for p in self._gone if p.parent == folder]:
            self._gone.discard(path)
            self._durable.pop(path, None)

    def moved(self, source: Path, target: Path) -> None:
        if self.top not in target.parents:
            return
        if source in self._synced:
            self._synced[target] = self._synced.pop(source)
            self._atomic.add(target)
        else:
            self._synced.pop(target, None)
            self._atomic.discard(target)
        for path in [p for p in self._durable if source in p.parents]:
            # A folder was renamed: its files go along, whatever the cut.
            self._durable[target / path.relative_to(source)] = self._durable.pop(path)
        self._maybe_cut()

    def removed(self, path: Path) -> None:
        if self.top in path.parents:
            self._gone.add(path)
            self._synced.pop(path, None)
            self._maybe_cut()

    def _maybe_cut(self) -> None:
        self._count += 1
        if self._count % self.every == 0:
            self.cut()

    def cut(self) -> None:
        """Takes a picture of the folder as a cut at this moment may leave it."""
        picture = self._pictures / str(self._count)
        copy_tree(self.top, picture)
        now = {self.top / p.relative_to(picture): p.read_bytes() for p in picture.rglob("*") if p.is_file()}
        for path in now.keys() | self._durable.keys():
            self._settle(
                picture / path.relative_to(self.top), now.get(path), self._durable.get(path), path in self._atomic
            )
        self.taken.append(picture)

    def _settle(self, target: Path, now: bytes | None, durable: bytes | None, atomic: bool) -> None:
        if now == durable:
            return
        choices = [now, durable]
        if now is not None and not atomic:
            kept = len(durable) if durable is not None and now.startswith(durable) else 0
            torn = now[: self._random.randrange(kept, len(now) + 1)]
            choices += [torn, torn + bytes(min(64, len(now) - len(torn)))]
        chosen = self._random.choice(choices)
        if chosen is None:
            target.unlink(missing_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(chosen)


def copy_tree(top: Path, target: Path) -> None:
    """Copies a folder that others are writing in: what vanishes meanwhile is left out."""
    for folder, _, files in os.walk(top):
        place = target / Path(folder).relative_to(top)
        place.mkdir(parents=True, exist_ok=True)
        for name in files:
            try:
                if name != "tebunko.lock":
                    shutil.copy2(Path(folder, name), place / name)
            except FileNotFoundError:
                continue


@contextmanager
def followed(cutter: PowerCutter) -> Iterator[None]:
    """Runs the block with the operations of this process reported to the cutter."""
    with pytest.MonkeyPatch.context() as patch:
        fsync, replace, rename, unlink = os.fsync, Path.replace, Path.rename, Path.unlink

        def synced(handle: int) -> None:
            fsync(handle)
            cutter.synced(handle)

        def moving(move: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
            def moved(self: Path, target: Path) -> Path:
                result = move(self, target)
                cutter.moved(self, Path(target))
                return result

            return moved

        def removed(self: Path, missing_ok: bool = False) -> None:
            there = self.exists()
            unlink(self, missing_ok)
            if there:
                cutter.removed(self)

        patch.setattr(os, "fsync", synced)
        patch.setattr(Path, "replace", moving(replace))
        patch.setattr(Path, "rename", moving(rename))
        patch.setattr(Path, "unlink", removed)
        yield


def update(layout: Layout) -> None:
    run_update(layout, UpdateOptions(), QuietChannel(Approval(retry_failed=True, allow_removal=True)))


@pytest.mark.parametrize("seed", range(max(1, CUTS // 50)))
def test_a_cut_at_any_moment_is_made_good(tmp_path: Path, seed: int) -> None:
    patient = Patient(tmp_path, 40, seed)
    update(patient.layout)
    patient.check()
    patient.change()
    original = patient.layout
    cutter = PowerCutter(original.root, tmp_path / "cuts", seed)
    cutter.every = 1 if CUTS else 6
    with followed(cutter):
        update(original)
    patient.check()
    assert len(cutter.taken) >= 5
    for picture in cutter.taken:
        patient.layout = Layout(picture)
        update(patient.layout)
        patient.check(mirrors=False)
