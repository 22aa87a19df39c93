"""Workers as the conductor sees them: limits, sleep, pause, priority, death of the conductor."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from tebunko.indexing import dispatch
from tebunko.indexing.channel import Phase
from tebunko.indexing.dispatch import Limits, WorkerPool
from tebunko.indexing.worker import Lane, Outcome, Task
from tebunko.model.errors import Reason
from tebunko.model.kinds import FileKind
from tests.indexing import faulty_worker
from tests.indexing.conftest import House, Recorder

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and priorities")


def task(path: Path, number: int = 0) -> Task:
    return Task(number, str(path), path.name, "", FileKind.TEXT, 1, "ja-JP")


def first(pool: WorkerPool) -> Outcome:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for outcome in pool.outcomes(0.2):
            return outcome
    raise AssertionError("no outcome")


def wait_until_it_runs(pool: WorkerPool) -> None:
    end = time.monotonic() + 60
    while not all(w.ready for w in pool._workers if w is not None):
        assert list(pool.outcomes(0.2)) == [] and time.monotonic() < end


def test_a_worker_is_used_again_and_its_segment_grows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("一")
    with WorkerPool(2, tmp_path, Limits(60)) as pool:
        positions = []
        for number in range(3):
            pool.submit(task(tmp_path / "a.txt", number))
            outcome = first(pool)
            assert outcome.number == number and outcome.position is not None
            positions.append(outcome.position)
    assert len({p.segment for p in positions}) == 1
    assert [p.offset for p in positions] == sorted({p.offset for p in positions})


@posix
def test_a_sleep_of_the_machine_expires_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"HANG")
    shift = [0.0]
    real = time.monotonic
    monkeypatch.setattr(dispatch.time, "monotonic", lambda: real() + shift[0])
    with WorkerPool(1, tmp_path, Limits(seconds=40), faulty_worker.main) as pool:
        pool.submit(task(tmp_path / "a.txt"))
        wait_until_it_runs(pool)
        for _ in range(5):
            assert list(pool.outcomes(0.05)) == []
        shift[0] += 3600
        for _ in range(5):
            assert list(pool.outcomes(0.05)) == []
        found = []
        for _ in range(6):
            shift[0] += 9
            found += pool.outcomes(0.05)
        assert [outcome.reason for outcome in found] == [Reason.TIME_LIMIT]


@posix
def test_workers_stand_back(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"HANG")
    with WorkerPool(1, tmp_path, Limits(60), faulty_worker.main) as pool:
        pool.submit(task(tmp_path / "a.txt"))
        wait_until_it_runs(pool)
        (worker,) = [c for c in psutil.Process().children() if "spawn_main" in " ".join(c.cmdline())]
        assert worker.nice() > psutil.Process().nice() or psutil.Process().nice() >= 10


def test_a_paused_run_begins_no_file(house: House) -> None:
    for number in range(6):
        house.write(f"f{number}.txt", "一")

    class Pauser(Recorder):
        asked = 0

        def paused(self) -> bool:
            self.asked += 1
            return self.asked < 10

    channel = Pauser()
    assert house.update(channel).done == 6
    assert channel.asked >= 10


def test_a_cancel_leaves_no_process_whatever_the_worker_does(house: House) -> None:
    for number in range(4):
        house.write(f"f{number}.txt", b"HANG")
    house.write("good.txt", "一")
    channel = Recorder(stop=lambda r: any(t.phase is Phase.INGEST for t in r.told))
    started = time.monotonic()
    summary = house.update(channel, worker=faulty_worker.main, workers=3)
    assert summary.cancelled and time.monotonic() - started < 60
    assert set(house.states().values()) <= {"未取り込み", "済"}
    assert not [c for c in psutil.Process().children() if "spawn_main" in " ".join(c.cmdline())]


@posix
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_no_worker_outlives_the_conductor(house: House, tmp_path: Path, signal_name: str) -> None:
    house.write("a.txt", b"HANG")
    house.register()
    script = tmp_path / "conductor.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {str(Path(__file__).parents[2])!r})
            from pathlib import Path
            from tebunko.indexing.channel import Channel
            from tebunko.indexing.conductor import UpdateOptions, run_update
            from tebunko.store.workspace import Layout
            from tests.indexing import faulty_worker

            class Printer(Channel):
                def log(self, message, **params):
                    print(message, flush=True)

            if __name__ == "__main__":
                run_update(Layout(Path({str(house.layout.root)!r})), UpdateOptions(worker=faulty_worker.main), Printer())
            """
        )
    )
    conductor = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert conductor.stdout is not None
    conductor.stdout.readline()
    end = time.monotonic() + 60
    children: list[psutil.Process] = []
    while time.monotonic() < end and not any("spawn_main" in " ".join(c.cmdline()) for c in children):
        children = psutil.Process(conductor.pid).children(recursive=True)
    import signal

    os.kill(conductor.pid, getattr(signal, signal_name))
    conductor.stdout.close()
    conductor.wait(60)
    _, alive = psutil.wait_procs(children, timeout=30)
    assert children and alive == []


def test_lanes_without_an_office_suite_do_not_open(tmp_path: Path) -> None:
    asked = []

    def office() -> None:
        asked.append(1)

    with WorkerPool(1, tmp_path, Limits(60), office=office) as pool:
        assert not pool.offers(Lane.WORD)
        assert pool.offers(Lane.READERS)
    assert asked == [1]
