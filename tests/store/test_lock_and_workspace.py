"""The lock of the one writer, and where things lie."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tebunko.model.errors import UserError
from tebunko.model.paths import disk_segment
from tebunko.store.lock import workspace_lock
from tebunko.store.long_names import read_long_names, record_long_names
from tebunko.store.workspace import Layout, is_workspace

HOLDER = """
import sys, pathlib
from tebunko.store.lock import workspace_lock
from tebunko.store.workspace import Layout
with workspace_lock(Layout(pathlib.Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_is_refused_until_the_holder_is_killed(layout: Layout) -> None:
    command = [sys.executable, "-c", HOLDER, str(layout.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(UserError, match="Another update"), workspace_lock(layout):
            pass
        holder.kill()
        holder.wait()
        with workspace_lock(layout, wait=10):
            second = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            assert second.returncode != 0 and b"UserError" in second.stderr
    with workspace_lock(layout):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
def test_the_workspace_is_for_its_owner_alone(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "a" / "ws")
    layout.create()
    for folder in (layout.root, layout.store, layout.content, layout.sources, layout.spool):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    layout.create()


def test_where_the_documents_say_it_lies(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    found = {
        str(p.relative_to(tmp_path)).replace(os.sep, "/")
        for p in (layout.settings, layout.catalog, layout.ingest_list, layout.pending_remove, layout.old_content)
    }
    assert found == {
        "setting.config",
        "store/format.tsv",
        "store/ingest_status.tsv",
        "store/pending_remove.tsv",
        "content_index",
    }
    assert layout.content_folder("営業\\2024") == tmp_path / "store" / "content" / "営業" / "2024"


def test_long_names_have_short_folders_that_lead_back(layout: Layout) -> None:
    long = "報告書" * 40
    folder = layout.content_folder(f"営業\\{long}")
    assert folder.name == disk_segment(long) != long
    record_long_names(layout, [f"営業\\{long}", "営業\\2024"])
    assert read_long_names(layout) == {disk_segment(long): long}
    before = (layout.store / "long_names.json").stat().st_mtime_ns
    record_long_names(layout, [f"営業\\{long}"])
    assert (layout.store / "long_names.json").stat().st_mtime_ns == before
    (layout.store / "long_names.json").write_text('{"x": "営業", "y": 1}', encoding="utf-8")
    assert read_long_names(layout) == {}  # an entry that its name does not prove is not believed
    (layout.store / "long_names.json").write_text("[", encoding="utf-8")
    assert read_long_names(layout) == {}


def test_a_folder_that_the_other_program_named_in_full_is_found(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "報告書" * 40
    full = layout.content / "営業" / long
    real = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: path == full or real(path))
    assert layout.content_folder(f"営業\\{long}") == full


def test_workspaces_of_either_program_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "new" / "store").mkdir(parents=True)
    (tmp_path / "new" / "store" / "format.tsv").touch()
    assert is_workspace(str(tmp_path / "new"), set(), {"store"})
    assert is_workspace(str(tmp_path), {"ingest_status.tsv"}, set())
    (tmp_path / "shop" / "store").mkdir(parents=True)
    assert not is_workspace(str(tmp_path / "shop"), {"a.txt"}, {"store"})
    assert not is_workspace(str(tmp_path), set(), set())
