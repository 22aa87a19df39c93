"""Updates, renames and removals killed at any moment: the next run makes everything good, without a hand.

The short form runs in the suite; ``make torture`` sets TEBUNKO_TORTURE to the number of kills.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.torture.harness import Patient

KILLS = int(os.environ.get("TEBUNKO_TORTURE", "0"))
FILES = 2000 if KILLS else 60

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signals")


def test_killed_at_file_operations(tmp_path: Path) -> None:
    """Evenly over all operations of an update, so that each kind of write point is met."""
    patient = Patient(tmp_path, FILES, seed=1)
    operations = patient.update()
    patient.check()
    patient.change()
    operations = max(patient.run("update", "--yes", "--allow-removal"), operations // 4)
    kills = KILLS or 14
    for number in range(kills):
        patient.change()
        patient.run_and_die("update", "--yes", "--allow-removal", at=1 + number * operations // kills)
        patient.update()
        patient.check()


def test_killed_at_random_moments(tmp_path: Path) -> None:
    patient = Patient(tmp_path, FILES, seed=2)
    for _ in range(KILLS or 6):
        patient.run_and_die("update", "--yes", "--allow-removal", after=patient.random.uniform(0.2, 2.5))
        patient.update()
        patient.check()
        patient.change()


def test_killed_while_an_index_is_renamed(tmp_path: Path) -> None:
    patient = Patient(tmp_path, 20, seed=3)
    patient.update()
    operations = patient.run("index", "rename", "資料", "新")
    patient.index = "新"
    patient.update()
    patient.check()
    step = 1 if KILLS else 3
    for at in range(1, operations + 1, step):
        old, new = patient.index, f"名前{at}"
        patient.change()
        assert patient.run_and_die("index", "rename", old, new, at=at)
        patient.index = settled_name(patient, old, new)
        patient.update()
        patient.check()


def settled_name(patient: Patient, old: str, new: str) -> str:
    """What the index is called once a killed rename is finished, or as if it had never begun."""
    from tebunko.api import Workspace
    from tebunko.store.indexes import finish_intent
    from tebunko.store.lock import workspace_lock

    with workspace_lock(patient.layout):
        finish_intent(patient.layout)
    (name,) = {info.name for info in Workspace(patient.layout.root).indexes()}
    assert name in (old, new)
    return name


def test_killed_while_an_index_is_removed(tmp_path: Path) -> None:
    patient = Patient(tmp_path, 20, seed=4)
    patient.update()
    operations = patient.run("index", "remove", patient.index)
    step = 1 if KILLS else 4
    for at in range(1, operations + 1, step):
        patient.run("index", "add", str(patient.sources), "--name", patient.index)
        patient.update()
        patient.check()
        assert patient.run_and_die("index", "remove", patient.index, at=at)
        code = remove_if_there(patient)
        assert code == 0
        assert not patient.layout.content_folder(patient.index).exists()
        assert patient.layout.ingest_list.read_bytes().count(b"\n") == 1


def remove_if_there(patient: Patient) -> int:
    """A killed removal is finished by the next operation; if it had not begun, the index is still there."""
    from tebunko.api import Workspace
    from tebunko.model.errors import UserError

    workspace = Workspace(patient.layout.root)
    try:
        workspace.remove(patient.index)
    except UserError:
        pass
    return len(workspace.indexes())


def test_killed_again_and_again_before_it_is_made_good(tmp_path: Path) -> None:
    patient = Patient(tmp_path, FILES, seed=5)
    operations = patient.update()
    for _ in range(max(2, KILLS // 10)):
        patient.change()
        for _ in range(4):
            patient.run_and_die("update", "--yes", "--allow-removal", at=patient.random.randrange(1, operations))
        patient.update()
        patient.check()
