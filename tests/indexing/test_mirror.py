"""A run as others see it: the mirrored state, the wish to stop, and the log."""

from __future__ import annotations

import time

import pytest

from tebunko.indexing.channel import Phase
from tebunko.locale import translator
from tebunko.model.errors import UserError
from tebunko.store.progress import RunState, read_state, request_stop, write_state
from tests.indexing.conftest import House, Recorder


def test_a_run_that_ended_says_how(house: House) -> None:
    house.write("a.txt", "一")
    house.write("bad.docx", b"PK\x03\x04")
    house.update()
    state = read_state(house.layout)
    assert state is not None and state.ended and not state.alive
    assert (state.exit_code, state.error) == (0, "")
    assert state.summary is not None and (state.summary["done"], state.summary["failed"]) == (1, 1)
    assert any("bad.docx" in line for line in state.lines)


def test_a_run_under_way_is_seen_with_its_plan_and_can_be_stopped(house: House) -> None:
    for number in range(30):
        house.write(f"f{number}.txt", "一")
    seen: list[RunState] = []

    class Watcher(Recorder):
        def approve(self, plan):  # type: ignore[no-untyped-def]
            state = read_state(house.layout)
            assert state is not None
            seen.append(state)
            request_stop(house.layout)
            time.sleep(0.3)  # longer than the run waits between two looks
            return super().approve(plan)

    assert house.update(Watcher()).cancelled
    (state,) = seen
    assert state.alive and state.phase == Phase.CONFIRM.value
    assert state.plan is not None and state.plan[0]["targets"] == 30
    last = read_state(house.layout)
    assert last is not None and last.exit_code == 2
    assert house.update().done == 30


def test_a_run_that_was_killed_is_not_alive(house: House) -> None:
    house.layout.create()
    write_state(house.layout, RunState(process=2**22 + 5, created=1.0, phase="ingest"))
    state = read_state(house.layout)
    assert state is not None and not state.alive and not state.ended


def test_an_error_is_told(house: House) -> None:
    house.layout.create()
    with pytest.raises(UserError):
        house.update(names=("無い",))
    state = read_state(house.layout)
    assert state is not None and state.exit_code == 1 and "unknown or disabled" in state.error


def test_the_log_speaks_the_users_language_and_the_one_before_is_kept(house: House) -> None:
    house.write("bad.docx", b"PK\x03\x04")
    house.update(translate=translator("ja"))
    first = house.layout.log.read_bytes()
    assert first.startswith(b"\xef\xbb\xbf") and first.count(b"\r\n") == first.count(b"\n")
    lines = first.decode("utf-8-sig").split("\r\n")
    assert "tebunko" in lines[0] and any("bad.docx: 壊れている" in line for line in lines)
    house.update(translate=translator("en"))
    assert house.layout.previous_log.read_bytes() == first


def test_a_damaged_mirror_is_no_state(house: House) -> None:
    house.layout.create()
    for data in (b"", b"[]", b"{", b'{"nonsense": 1}'):
        (house.layout.store / "progress.json").write_bytes(data)
        assert read_state(house.layout) is None
