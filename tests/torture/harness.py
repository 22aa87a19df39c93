"""A workspace that is killed again and again, the sources it should agree with, and the check that it does."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tebunko.indexing.recover import leftover, rows_of_run
from tebunko.model.states import FileState
from tebunko.model.times import format_file_time
from tebunko.store.catalog import read_catalog
from tebunko.store.content import list_parts, parse_places, read_text
from tebunko.store.ingest_list import read_list
from tebunko.store.journal import read_journal
from tebunko.store.pending import read_pending
from tebunko.store.sources import read_sources
from tebunko.store.workspace import Layout

VICTIM = Path(__file__).with_name("victim.py")


class Patient:
    """Sources that change from round to round, and the workspace over them."""

    def __init__(self, root: Path, files: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.sources = root / "sources"
        self.layout = Layout(root / "workspace")
        self.texts: dict[str, str] = {}
        self.index = "資料"
        self._clock = 1_600_000_000
        self._log = root / "operations"
        self.environment = os.environ | {"TEBUNKO_WORKSPACE": str(self.layout.root), "LC_ALL": "C.UTF-8"}
        for number in range(files):
            self.write(f"d{number % max(3, files // 12)}/f{number}.{'txt' if number % 3 else 'csv'}")
        self.run("index", "add", str(self.sources), "--name", self.index)

    def write(self, name: str) -> None:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"{name} {self.random.random()}\n" + "本文の行\n" * self.random.randrange(1, 60)
        path.write_bytes(text.encode())
        self._clock += 10  # so that no two versions of a file look alike
        os.utime(path, (self._clock, self._clock))
        self.texts[name] = text

    def change(self) -> None:
        """A tenth of the files change, a few go, a few come."""
        names = sorted(self.texts)
        for name in self.random.sample(names, max(1, len(names) // 10)):
            self.write(name)
        for name in self.random.sample(names, max(1, len(names) // 50)):
            (self.sources / name).unlink()
            del self.texts[name]
        for _ in range(max(1, len(names) // 50)):
            self.write(f"d{self.random.randrange(3)}/n{self.random.randrange(10**9)}.txt")

    def command(self, *arguments: str, at: int = 0) -> list[str]:
        return [sys.executable, str(VICTIM), str(at), str(self._log), *arguments]

    def run(self, *arguments: str) -> int:
        """Runs to the end; gives how many file operations it took."""
        done = subprocess.run(self.command(*arguments), env=self.environment, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return int(self._log.read_text())

    def run_and_die(self, *arguments: str, at: int = 0, after: float = 0) -> bool:
        """Runs and is killed at an operation or after some seconds; False if it ended before that."""
        victim = subprocess.Popen(
            self.command(*arguments, at=at), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        children: list[psutil.Process] = []
        try:
            if after:
                time.sleep(after)
                children = psutil.Process(victim.pid).children(recursive=True) if victim.poll() is None else []
                victim.kill()
            return victim.wait() < 0
        finally:
            assert_gone(children)

    def update(self) -> int:
        return self.run("update", "--yes", "--allow-removal", "--retry-failed")

    def check(self, *, mirrors: bool = True) -> None:
        """List, catalogue, content and sources agree, and nothing is left over.

        Our records beside the content files are written without a sync: a power cut may cost them (``mirrors`` false), but
        what is believed of them must still be right.
        """
        found: dict[str, str] = {}
        for folder in [self.layout.content, *(p for p in self.layout.content.rglob("*") if p.is_dir())]:
            stored = "\\".join(folder.relative_to(self.layout.content).parts)
            for part in list_parts(folder):
                text = read_text(part.path)
                mirror = read_sources(self.layout.sources_folder(stored), part)
                names = []
                for span in parse_places(text):
                    path = f"{stored}\\{span.source}"
                    assert path not in found, f"{path} stands twice"
                    found[path] = text[span.start : span.end]
                    names.append(span.source)
                assert mirror is not None or not mirrors
                assert mirror is None or sorted([*mirror.records, *mirror.others]) == sorted(names)
        wanted = {f"{self.index}\\" + name.replace("/", "\\"): text for name, text in self.texts.items()}
        assert found == wanted
        rows = {row.path: row for row in read_list(self.layout.ingest_list).rows()}
        assert rows.keys() == wanted.keys()
        for path, row in rows.items():
            info = (self.sources / path.partition("\\")[2].replace("\\", "/")).stat()
            assert row.state is FileState.DONE, row
            assert (row.size, row.modified) == (info.st_size, format_file_time(info.st_mtime_ns))
        assert read_catalog(self.layout).rows == {self.index: "作り終えた"}
        assert read_pending(self.layout) == set()
        records = read_journal(self.layout)
        left = leftover(records, read_list(self.layout.ingest_list, rows_of_run(records)), self.layout.spool)
        assert not (left.finished or left.gone or left.redo or left.folders)
        leftovers = [p for p in self.layout.root.rglob("*") if p.suffix == ".tmp" or ".broken" in p.name]
        assert leftovers == [] and list(self.layout.spool.iterdir()) == []


def assert_gone(processes: list[psutil.Process]) -> None:
    """The children of a killed conductor end by themselves."""
    end = time.monotonic() + 30
    for process in processes:
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < end, f"orphan: {process}"
            time.sleep(0.02)
