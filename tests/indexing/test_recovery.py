"""Runs after a kill, a cancel or another program: what was finished is published, what was interrupted comes last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tebunko.indexing.channel import Approval, Phase
from tebunko.model.errors import Reason, reason_of
from tebunko.model.times import format_file_time
from tebunko.store.ingest_list import ListWriter, Row
from tebunko.store.journal import JournalWriter, Kind, count_record, read_journal, run_record
from tebunko.store.tsv import encode_lines
from tests.indexing.conftest import House, Recorder


def interrupted(house: House, path: str, count: int) -> None:
    """As if a run had been killed while it read this file for the count-th time in a row."""
    JournalWriter(house.layout).replace(
        [run_record("2026/01/01 00:00:00", len(house.rows())), count_record(Kind.STARTED, path, count)]
    )


def test_a_file_that_stopped_a_run_comes_last(house: House) -> None:
    for name in ("a", "b", "c"):
        house.write(f"{name}.txt", "一")
    house.update(Recorder(approval=Approval()))
    for name in ("a", "b", "c"):
        house.write(f"{name}.txt", "二つめ")
    interrupted(house, "資料\\a.txt", 1)
    channel = Recorder()

    assert house.update(channel, workers=1).done == 3

    assert [t.current for t in channel.told if t.phase is Phase.INGEST and t.current][-1] == "資料\\a.txt"


def test_a_file_that_stopped_two_runs_is_a_failure_until_it_changes(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.txt", "二")
    house.update()
    house.write("a.txt", "一の改訂")
    interrupted(house, "資料\\a.txt", 2)

    summary = house.update()

    assert (summary.failed, summary.done) == (1, 0)
    row = house.rows().get("資料\\a.txt")
    assert row is not None
    known = reason_of(row.error)
    assert known is not None and known[0] is Reason.KILLED_TWICE
    assert house.text() == {"資料\\b.txt": ["二"]}
    assert house.update().skipped == 1
    house.write("a.txt", "一の再改訂")
    assert house.update().done == 1


def test_strikes_are_in_a_row_only(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    house.write("a.txt", "二つめ")
    interrupted(house, "資料\\a.txt", 1)
    assert house.update().done == 1
    house.write("a.txt", "三つめの")
    interrupted(house, "資料\\a.txt", 1)
    assert house.update().done == 1


def test_a_strike_survives_a_declined_plan(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    house.write("a.txt", "二つめ")
    interrupted(house, "資料\\a.txt", 2)
    before = house.layout.journal.read_bytes()
    assert house.update(Recorder(approval=None)).cancelled
    assert house.layout.journal.read_bytes() == before
    assert house.update().failed == 1


def test_the_journal_of_old_versions_is_read_once(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.txt", "二")
    house.layout.create()
    house.layout.old_journal.write_bytes(encode_lines(["2\t資料\\a.txt"]))
    summary = house.update()
    assert (summary.done, summary.failed) == (1, 1)
    assert not house.layout.old_journal.exists()


def test_a_cancelled_folder_is_published_and_nothing_counts_as_a_strike(house: House) -> None:
    for number in range(30):
        house.write(f"f{number:02}.txt", f"本文 {number}")
    channel = Recorder(stop=lambda r: any(t.phase is Phase.INGEST and t.done >= 5 for t in r.told))
    house.update(channel, workers=1)
    records = read_journal(house.layout)
    assert records is not None and records[-1].kind is Kind.ENDED
    assert house.update().failed == 0
    assert len(house.text()) == 30


def tsv_folder(house: House, name: str, places: dict[str, str]) -> Path:
    """A folder that the other program left between extraction and publishing."""
    folder = house.layout.content_folder("資料") / name
    folder.mkdir(parents=True)
    for place, text in places.items():
        (folder / place).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    return folder


def done_row(house: House, name: str, places: int) -> Row:
    from tebunko.model.states import FileState

    info = (house.sources / name).stat()
    time = format_file_time(info.st_mtime_ns)
    return Row(f"資料\\{name}", time, info.st_size, FileState.DONE, places, "2026/09/19 10:00:35", "", 4)


def test_tsv_folders_of_the_other_program_are_picked_up(house: House) -> None:
    os.utime(house.write("a.xlsx", b"not read again"), ns=(0, 1_700_000_000_500_000_000))
    house.register()
    house.layout.create()
    folder = tsv_folder(
        house, "a.xlsx", {"明細.tsv": "品名\t数量\nりんご\t10\n", "2024%5F上期[shape].tsv": "B2\t確定版\n"}
    )
    ListWriter(house.layout.ingest_list).append([done_row(house, "a.xlsx", 2)])

    assert house.update().done == 0

    assert not folder.exists()
    assert house.text() == {"資料\\a.xlsx": ["B2\t確定版", "品名\t数量", "りんご\t10"]}
    assert house.states() == {"資料\\a.xlsx": "済"}


@pytest.mark.parametrize("fault", ["empty", "too few", "no row"])
def test_a_tsv_folder_that_is_not_whole_is_read_again(house: House, fault: str) -> None:
    house.write("a.txt", "元の本文")
    house.register()
    house.layout.create()
    folder = tsv_folder(house, "a.txt", {"doc_body.tsv": "" if fault == "empty" else "古い本文\n"})
    if fault != "no row":
        ListWriter(house.layout.ingest_list).append([done_row(house, "a.txt", 2 if fault == "too few" else 1)])

    assert house.update().done == 1

    assert not folder.exists()
    assert house.text() == {"資料\\a.txt": ["元の本文"]}


def test_spool_segments_of_dead_processes_are_swept(house: House) -> None:
    house.write("a.txt", "一")
    house.layout.create()
    (house.layout.spool / "123").mkdir()
    (house.layout.spool / "123" / "w0.seg").write_bytes(b"left")
    house.update()
    assert list(house.layout.spool.iterdir()) == []


def test_a_list_written_by_another_program_during_the_run_stops_it(house: House) -> None:
    from tebunko.model.errors import UserError

    for number in range(20):
        house.write(f"f{number}.txt", "一")

    class Meddler(Recorder):
        def progress(self, progress):  # type: ignore[no-untyped-def]
            super().progress(progress)
            if progress.phase is Phase.INGEST and progress.done == 3:
                with open(house.layout.ingest_list, "ab") as file:
                    file.write("資料\\x.txt\t\t\t未取り込み\t\t\t\t\r\n".encode())

    with pytest.raises(UserError, match="changed the ingest list"):
        house.update(Meddler(), workers=1)
    assert house.update().failed == 0
    assert len(house.text()) == 20


@pytest.mark.parametrize("where", ["publish", "list"])
def test_a_disk_that_is_full_loses_nothing(house: House, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    house.write("d/a.txt", "一")
    house.write("b.txt", "二")
    full = [True]
    real = os.fsync

    def fsync(handle: int) -> None:
        name = os.readlink(f"/proc/self/fd/{handle}") if os.path.exists("/proc/self/fd") else ""
        if full[0] and (
            name.endswith("content_index.txt.001.tsv.tmp") if where == "publish" else "ingest_status" in name
        ):
            raise OSError(28, "No space left on device")
        real(handle)

    if not os.path.exists("/proc/self/fd"):
        pytest.skip("tells files apart by /proc")
    monkeypatch.setattr(os, "fsync", fsync)
    if where == "publish":
        summary = house.update()
        assert (summary.done, summary.postponed) == (0, 2)
        assert set(house.states().values()) == {"未取り込み"}
    else:
        with pytest.raises(OSError, match="No space"):
            house.update()
    full[0] = False
    assert house.update().failed == 0
    assert house.text() == {"資料\\d\\a.txt": ["一"], "資料\\b.txt": ["二"]}
    assert set(house.states().values()) == {"済"}
