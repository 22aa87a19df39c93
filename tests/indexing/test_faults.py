"""Files that crash, hang or swallow memory in a parser each end as their own failure, and nothing else's."""

from __future__ import annotations

import sys

import psutil
import pytest

from tebunko.indexing.dispatch import Limits
from tebunko.model.errors import Reason, UserError, reason_of
from tebunko.model.states import FileState
from tests.indexing import faulty_worker
from tests.indexing.conftest import House

FAULTS = {
    "crash.txt": (b"CRASH", Reason.DAMAGED),
    "exit.txt": (b"EXIT", Reason.DAMAGED),
    "explode.txt": (b"EXPLODE", Reason.MEMORY),
    "hang.txt": (b"HANG", Reason.TIME_LIMIT),
    "recurse.txt": (b"RECURSE", Reason.DAMAGED),
    "swallow.txt": (b"SWALLOW", Reason.MEMORY),
}


@pytest.mark.skipif(sys.platform == "win32", reason="the faulty worker kills itself by a POSIX signal")
@pytest.mark.parametrize("workers", [1, 3])
def test_each_fault_costs_its_own_file(house: House, workers: int) -> None:
    for name, (head, _) in FAULTS.items():
        house.write(f"a/{name}", head)
    for number in range(8):
        house.write(f"a/good{number}.txt", f"本文 {number}")
        house.write(f"b{number}/good.txt", f"別の本文 {number}")

    limits = Limits(seconds=3, memory=300 * 1024**2)
    summary = house.update(worker=faulty_worker.main, workers=workers, limits=limits)

    assert (summary.done, summary.failed, summary.postponed) == (16, len(FAULTS), 0)
    rows = {row.path: row for row in house.rows().rows()}
    for name, (_, reason) in FAULTS.items():
        row = rows[f"資料\\a\\{name}"]
        known = reason_of(row.error)
        assert row.state is FileState.FAILED
        assert known is not None and known[0] is reason, row.error
    assert house.text() == {
        **{f"資料\\a\\good{n}.txt": [f"本文 {n}"] for n in range(8)},
        **{f"資料\\b{n}\\good.txt": [f"別の本文 {n}"] for n in range(8)},
    }
    assert not [p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())]


@pytest.mark.skipif(sys.platform == "win32", reason="the faulty worker kills itself by a POSIX signal")
def test_a_file_that_fails_after_it_was_read_loses_its_old_text(house: House) -> None:
    house.write("a.txt", "古い本文")
    house.write("b.txt", "残る本文")
    house.update()
    house.write("a.txt", b"CRASH now")

    assert house.update(worker=faulty_worker.main).failed == 1

    assert house.text() == {"資料\\b.txt": ["残る本文"]}
    assert house.states() == {"資料\\a.txt": "失敗", "資料\\b.txt": "済"}


def test_a_worker_that_cannot_start_is_no_files_fault(house: House) -> None:
    house.write("a.txt", "本文")

    with pytest.raises(UserError, match="could not be started"):
        house.update(worker=faulty_worker.never_starts)

    assert house.states() == {"資料\\a.txt": "未取り込み"}
    assert house.update().done == 1
