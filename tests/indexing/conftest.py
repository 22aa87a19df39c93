"""A workspace and a folder of sources for the tests of update runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tebunko.indexing.channel import Approval, Channel, PlanRow, Progress, Summary
from tebunko.indexing.conductor import UpdateOptions, run_update
from tebunko.indexing.dispatch import Limits
from tebunko.store.content import list_parts, parse_places, read_text
from tebunko.store.ingest_list import IngestList, read_list
from tebunko.store.settings import Settings, TargetFolder, load_settings, save_settings
from tebunko.store.workspace import Layout


class Recorder(Channel):
    """A channel that remembers what it was told, and stops when it is asked to."""

    def __init__(self, approval: Approval | None = Approval(), stop: Callable[[Recorder], bool] | None = None) -> None:  # noqa: B008
        self.plan: list[PlanRow] = []
        self.told: list[Progress] = []
        self.lines: list[str] = []
        self._approval = approval
        self._stop = stop

    def progress(self, progress: Progress) -> None:
        self.told.append(progress)

    def log(self, message: str, **params: object) -> None:
        self.lines.append(message.format(**params))

    def approve(self, plan: Sequence[PlanRow]) -> Approval | None:
        self.plan = list(plan)
        return self._approval

    def stopped(self) -> bool:
        return self._stop is not None and self._stop(self)


class House:
    """A workspace and its sources."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "sources"
        self.sources.mkdir()
        self.layout = Layout(root / "workspace")

    def register(self, *names: str) -> None:
        """Registers ``sources/<name>`` for each name; without names the sources themselves as ``資料``."""
        folders = [TargetFolder(name, str(self.sources / name)) for name in names]
        save_settings(self.layout, Settings(tuple(folders) or (TargetFolder("資料", str(self.sources)),)))

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def update(self, channel: Channel | None = None, **options: object) -> Summary:
        if not load_settings(self.layout).folders:
            self.register()
        options.setdefault("limits", Limits(60))
        return run_update(self.layout, UpdateOptions(**options), channel or Recorder())  # type: ignore[arg-type]

    def rows(self) -> IngestList:
        return read_list(self.layout.ingest_list)

    def states(self) -> dict[str, str]:
        return {row.path: row.state.value for row in self.rows().rows()}

    def text(self) -> dict[str, list[str]]:
        """All content lines by stored path of the source."""
        found: dict[str, list[str]] = {}
        for folder in [self.layout.content, *(p for p in self.layout.content.rglob("*") if p.is_dir())]:
            for part in list_parts(folder):
                text = read_text(part.path)
                stored = "\\".join(folder.relative_to(self.layout.content).parts)
                for span in parse_places(text):
                    lines = text[span.start : span.end].split("\n")[:-1]
                    found.setdefault(f"{stored}\\{span.source}", []).extend(lines)
        return found


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)
