"""Whole update runs on real folders: what is read, published, removed, kept, and what the rows say."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from tebunko.indexing.channel import Approval, Phase, RootKind
from tebunko.indexing.conductor import run_update
from tebunko.model.errors import UserError
from tebunko.store.catalog import read_catalog
from tebunko.store.content import list_parts
from tebunko.store.coverage import read_coverage
from tebunko.store.lock import workspace_lock
from tebunko.store.settings import Settings, save_settings
from tebunko.store.source_folder import read_source_folder
from tests.indexing.conftest import House, Recorder

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and names")


def test_first_light(house: House) -> None:
    house.write("memo.txt", "会議は 10:30 から\n場所は第二会議室\n")
    house.write("2024/見積/一覧.csv", "品名,単価\nりんご,100\n")
    channel = Recorder()

    summary = house.update(channel)

    assert (summary.done, summary.failed, summary.postponed, summary.removed) == (2, 0, 0, 0)
    assert house.text() == {
        "資料\\memo.txt": ["会議は 10:30 から", "場所は第二会議室"],
        "資料\\2024\\見積\\一覧.csv": ["品名,単価", "りんご,100"],
    }
    assert set(house.states().values()) == {"済"}
    assert read_catalog(house.layout).rows == {"資料": "作り終えた"}
    assert read_source_folder(house.layout.content_folder("資料")) == ("資料", str(house.sources))
    assert [row.kind for row in channel.plan] == [RootKind.INGEST]
    assert (channel.plan[0].new, channel.plan[0].targets, channel.plan[0].files) == (2, 2, 2)
    assert [p for p in Phase if p in {t.phase for t in channel.told}] == list(Phase)
    assert list(house.layout.spool.iterdir()) == []


def test_a_second_update_takes_nothing_and_touches_nothing(house: House) -> None:
    for number in range(20):
        house.write(f"d{number % 3}/f{number}.txt", f"本文 {number}")
    house.update()
    before = {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in house.layout.content.rglob("*") if p.is_file()}
    list_before = house.layout.ingest_list.stat().st_mtime_ns

    summary = house.update()

    assert (summary.done, summary.skipped) == (0, 0)
    assert {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in before} == before
    assert house.layout.ingest_list.stat().st_mtime_ns == list_before


def test_changes_are_followed_and_other_content_files_stay(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.txt", "二")
    house.write("other/c.txt", "三")
    house.write("d.csv", "四")
    house.update()
    untouched = [*list_parts(house.layout.content_folder("資料\\other"))]
    untouched += [p for p in list_parts(house.layout.content_folder("資料")) if p.extension == "csv"]
    house.write("a.txt", "一の改訂")
    house.write("e.txt", "五")
    (house.sources / "b.txt").unlink()

    summary = house.update()

    assert (summary.done, summary.removed) == (2, 1)
    assert house.text() == {
        "資料\\a.txt": ["一の改訂"],
        "資料\\d.csv": ["四"],
        "資料\\e.txt": ["五"],
        "資料\\other\\c.txt": ["三"],
    }
    assert house.states().keys() == house.text().keys()
    for part in untouched:
        info = part.path.stat()
        assert (info.st_size, info.st_mtime_ns) == (part.size, part.mtime_ns)


def test_the_last_file_of_a_folder_takes_its_content_file_along(house: House) -> None:
    house.write("x/a.txt", "一")
    house.write("b.txt", "二")
    house.update()
    shutil.rmtree(house.sources / "x")

    assert house.update().removed == 1

    assert list_parts(house.layout.content_folder("資料\\x")) == []
    assert not house.layout.pending_remove.exists()


def test_a_file_without_text_is_done_with_no_place(house: House) -> None:
    house.write("empty.txt", "\n\n")
    assert house.update().done == 1
    row = house.rows().get("資料\\empty.txt")
    assert row is not None and row.places == 0
    assert house.update().done == 0


def test_a_failure_waits_for_a_change_or_for_being_asked(house: House) -> None:
    house.write("bad.docx", b"PK\x03\x04 broken")
    assert house.update().failed == 1
    again = house.update()
    assert (again.failed, again.skipped) == (0, 1)
    assert house.update(Recorder(Approval(retry_failed=True))).failed == 1
    house.write("bad.docx", b"PK\x03\x04 broken in another way")
    assert house.update().failed == 1


def test_content_deleted_by_hand_is_read_again(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.csv", "二")
    house.update()
    for part in list_parts(house.layout.content_folder("資料")):
        if part.extension == "txt":
            part.path.unlink()

    channel = Recorder()
    assert house.update(channel).done == 1
    assert channel.plan[0].missing == 1
    assert house.text() == {"資料\\a.txt": ["一"], "資料\\b.csv": ["二"]}


def test_an_empty_root_deletes_nothing_unless_allowed(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    (house.sources / "a.txt").unlink()

    kept = house.update()
    assert (kept.removed, kept.kept_missing) == (0, 1)
    assert house.text() == {"資料\\a.txt": ["一"]}

    allowed = house.update(Recorder(Approval(allow_removal=True)))
    assert (allowed.removed, allowed.kept_missing) == (1, 0)
    assert house.text() == {} and house.states() == {}


def test_a_root_that_is_away_keeps_everything_even_if_removal_is_allowed(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    house.sources.rename(house.sources.with_name("away"))

    summary = house.update(Recorder(Approval(allow_removal=True)))

    assert (summary.removed, summary.kept_missing) == (0, 1)
    assert house.text() == {"資料\\a.txt": ["一"]}
    assert any("cannot be read" in message for message, _ in summary.notes)


def test_most_of_many_rows_gone_at_once_are_kept(house: House) -> None:
    for number in range(120):
        house.write(f"f{number:03}.txt", f"本文 {number}")
    house.update()
    for number in range(61):
        (house.sources / f"f{number:03}.txt").unlink()

    assert house.update().kept_missing == 61
    assert len(house.text()) == 120
    (house.sources / "f000.txt").write_text("back")
    assert house.update().removed == 60


@posix
def test_what_an_unreadable_folder_held_is_never_removed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.write("closed/a.txt", "一")
    house.write("b.txt", "二")
    house.write("c.txt", "三")
    house.update()
    (house.sources / "b.txt").unlink()
    # The tests may run as root, whom no permission stops: a name that is no folder any more has the same effect.
    shutil.rmtree(house.sources / "closed")
    os.symlink(house.sources / "closed", house.sources / "closed")
    monkeypatch.setattr("tebunko.indexing.crawl_phase.crawl_in_child", _with_unreadable)

    kept = house.update()
    assert (kept.removed, kept.kept_missing) == (0, 2)
    allowed = house.update(Recorder(Approval(allow_removal=True)))
    assert (allowed.removed, allowed.kept_missing) == (1, 1)
    assert set(house.text()) == {"資料\\closed\\a.txt", "資料\\c.txt"}


def _with_unreadable(roots, patience, stopped):  # type: ignore[no-untyped-def]
    from tebunko.indexing.crawl import RootEnded, Unreadable, crawl

    for event in crawl(roots):
        if isinstance(event, RootEnded):
            yield Unreadable("資料\\closed", "Permission denied")
        yield event


@posix
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_postponed_and_keeps_its_text(house: House) -> None:
    path = house.write("a.txt", "古い")
    house.update()
    house.write("a.txt", "新しい本文")
    path.chmod(0)
    assert house.update().postponed == 1
    assert house.text() == {"資料\\a.txt": ["古い"]}


def test_a_postponed_file_keeps_its_old_text_and_says_of_when(house: House) -> None:
    """As in the test before, but for every user: the file turns into one that only a missing reader could read."""
    house.write("a.txt", "古い")
    house.write("b.txt", "別")
    house.update()
    old = house.rows().get("資料\\a.txt")
    house.write("a.txt", b"POSTPONE")

    summary = house.update(worker=postponing_main)

    assert (summary.postponed, summary.failed) == (1, 0)
    row = house.rows().get("資料\\a.txt")
    assert row is not None and old is not None
    assert (row.state.value, row.ingested, row.places) == ("未取り込み", old.ingested, 1)
    assert house.text()["資料\\a.txt"] == ["古い"]
    assert read_coverage(house.layout)["資料"].stale == {"資料\\a.txt": old.ingested}
    assert house.update().done == 1
    assert read_coverage(house.layout)["資料"].stale == {}


def postponing_main(pipe, settings):  # type: ignore[no-untyped-def]
    from tebunko.extract.registry import extract
    from tebunko.indexing import worker
    from tebunko.model.errors import ExtractError, Reason

    def postponing(source, options):  # type: ignore[no-untyped-def]
        if source.head(8) == b"POSTPONE":
            raise ExtractError(Reason.IN_USE)
        return extract(source, options)

    worker.extract = postponing
    worker.worker_main(pipe, settings)


def test_a_file_that_vanishes_before_it_is_read_leaves_no_row(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.txt", "二")

    class Remover(Recorder):
        def approve(self, plan):  # type: ignore[no-untyped-def]
            (house.sources / "a.txt").unlink()
            return super().approve(plan)

    summary = house.update(Remover())
    assert (summary.done, summary.removed) == (1, 1)
    assert house.states() == {"資料\\b.txt": "済"}


def test_a_root_that_goes_away_during_the_run_fails_no_file(house: House) -> None:
    for number in range(10):
        house.write(f"f{number}.txt", "本文")

    class Unplugger(Recorder):
        def approve(self, plan):  # type: ignore[no-untyped-def]
            house.sources.rename(house.sources.with_name("away"))
            return super().approve(plan)

    with pytest.raises(UserError, match="can no longer be reached"):
        house.update(Unplugger())
    assert set(house.states().values()) == {"未取り込み"}
    house.sources.with_name("away").rename(house.sources)
    assert house.update().done == 10


def test_a_cancel_keeps_what_is_finished_and_leaves_the_rest(house: House) -> None:
    for number in range(40):
        house.write(f"d{number}/f.txt", f"本文 {number}")
    channel = Recorder(stop=lambda r: any(t.phase is Phase.INGEST and t.done >= 10 for t in r.told))

    summary = house.update(channel)

    assert summary.cancelled
    states = house.states()
    done = {path for path, state in states.items() if state == "済"}
    assert 10 <= len(done) < 40 and len(states) == 40
    assert set(house.text()) == done
    assert summary.done == len(done) and summary.skipped == 40 - len(done)
    assert house.update().done == 40 - len(done)


def test_a_declined_plan_changes_nothing(house: House) -> None:
    house.write("a.txt", "一")
    house.write("b.txt", "二")
    house.update()
    (house.sources / "b.txt").unlink()
    house.write("c.txt", "三")
    before = house.layout.ingest_list.read_bytes()

    assert house.update(Recorder(approval=None)).cancelled

    assert house.layout.ingest_list.read_bytes() == before
    assert set(house.text()) == {"資料\\a.txt", "資料\\b.txt"}


def test_one_worker_and_three_give_the_same_workspace(tmp_path: Path) -> None:
    results = []
    for workers in (1, 3):
        root = tmp_path / str(workers)
        root.mkdir()
        house = House(root)
        for number in range(60):
            path = house.write(f"d{number % 4}/f{number}.txt", f"本文 {number}\n" * 50)
            os.utime(path, ns=(0, 1_700_000_000_000_000_000))
        house.register()
        house.update(workers=workers)
        contents = {
            p.relative_to(house.layout.content): p.read_bytes() for p in house.layout.content.rglob("content_*")
        }
        rows = {(r.path, r.modified, r.size, r.state, r.places, r.version) for r in house.rows().rows()}
        results.append((contents, rows))
    assert results[0] == results[1]


def test_indexes_can_be_updated_by_name(house: House) -> None:
    house.write("営業/a.txt", "一")
    house.write("開発/b.txt", "二")
    house.register("営業", "開発")

    summary = house.update(names=("開発", "無い"))

    assert set(house.states()) == {"開発\\b.txt"}
    assert [params for _, params in summary.notes] == [{"name": "無い"}]
    with pytest.raises(UserError):
        house.update(names=("無い",))


def test_a_nested_folder_belongs_to_the_inner_index_while_that_is_enabled(house: House) -> None:
    from tebunko.store.settings import TargetFolder

    house.write("a.txt", "一")
    house.write("inner/b.txt", "二")
    outer, inner = TargetFolder("外", str(house.sources)), TargetFolder("内", str(house.sources / "inner"))
    save_settings(house.layout, Settings((outer,)))
    house.update()
    assert set(house.text()) == {"外\\a.txt", "外\\inner\\b.txt"}

    save_settings(house.layout, Settings((outer, inner)))
    house.update()
    assert set(house.text()) == {"外\\a.txt", "内\\b.txt"}

    save_settings(house.layout, Settings((outer, TargetFolder("内", inner.path, enabled=False))))
    house.update()
    assert set(house.text()) == {"外\\a.txt", "外\\inner\\b.txt", "内\\b.txt"}


def test_the_locale_is_kept_and_makes_workbooks_stale(house: House) -> None:
    from tebunko.store.settings import load_settings

    house.write("a.txt", "一")
    house.register()
    house.update(locale="en-US")
    assert load_settings(house.layout).display_locale == "en-US"
    assert house.update(locale="ja-JP").done == 0


def test_two_updates_do_not_run_at_once(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    with workspace_lock(house.layout), pytest.raises(UserError, match="Another update"):
        house.update()


def test_no_folder_is_an_error(house: House) -> None:
    house.layout.root.mkdir()
    with pytest.raises(UserError, match="No folder is registered"):
        run_update(house.layout, options(), Recorder())


def options():  # type: ignore[no-untyped-def]
    from tebunko.indexing.conductor import UpdateOptions

    return UpdateOptions()


def test_a_workspace_of_a_newer_version_is_not_written(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    house.layout.catalog.write_bytes("\ufeff版=3\r\n".encode())
    with pytest.raises(UserError, match="newer"):
        house.update()
    assert house.layout.catalog.read_bytes() == "\ufeff版=3\r\n".encode()


def test_a_damaged_catalogue_is_repaired(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    house.layout.catalog.write_bytes(b"\x00\x01")
    assert house.update().done == 0
    assert read_catalog(house.layout).rows == {"資料": "作り終えた"}


@posix
def test_the_workspace_is_for_its_owner_alone(house: House) -> None:
    house.write("a.txt", "一")
    house.update()
    for folder in (house.layout.root, house.layout.store, house.layout.content_folder("資料")):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@posix
def test_strange_names_come_through(house: House) -> None:
    names = [
        "a:b?.txt",
        "Memo.txt",
        "memo.txt",
        "con.txt",
        "改行\nを含む.txt",
        "%41.txt",
        "末尾. /x.txt",
        "日本語" * 27 + ".txt",
    ]
    names.append(":" * 80 + "長" * 40 + "/in a folder whose escaped name is too long for the disk.txt")
    for number, name in enumerate(names):
        house.write(name, f"本文{number}")
    (Path(os.fsdecode(os.fsencode(house.sources) + b"/\xff\xfe.txt"))).write_text("本文x")

    assert house.update().done == len(names) + 1
    assert sorted(line for lines in house.text().values() for line in lines) == sorted(
        [f"本文{n}" for n in range(len(names))] + ["本文x"]
    )
    assert house.update().done == 0


def test_sources_are_never_touched(house: House) -> None:
    for name in ("a.txt", "b/c.csv"):
        os.utime(house.write(name, "本文"), ns=(1_600_000_000_000_000_000, 1_600_000_000_000_000_000))
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in house.sources.rglob("*") if p.is_file()}
    house.update()
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in house.sources.rglob("*") if p.is_file()} == before


def test_an_index_that_nobody_registers_is_deleted_only_when_ticked(house: House) -> None:
    house.write("営業/a.txt", "一")
    house.write("開発/b.txt", "二")
    house.register("営業", "開発")
    house.update()
    house.register("営業")

    channel = Recorder()
    house.update(channel)
    assert [(row.index, row.files) for row in channel.plan if row.kind is RootKind.DROPPED] == [("開発", 1)]
    assert set(house.text()) == {"営業\\a.txt", "開発\\b.txt"}

    house.update(Recorder(Approval(drop=frozenset({"開発", "営業"}))))
    assert set(house.text()) == set(house.states()) == {"営業\\a.txt"}
    assert read_catalog(house.layout).rows == {"営業": "作り終えた"}
    assert house.update().done == 0


def test_files_in_the_cloud_are_left_with_the_three_row_rules(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """新規: no row; 済: the row before; 未完了: no row, and no text. Then all are read when that is approved."""
    house.write("done.txt", "一")
    house.write("unfinished.txt", "二")
    house.write("other.txt", "三")
    house.update()
    before = house.rows().get("資料\\done.txt")
    from tebunko.store.ingest_list import ListWriter

    row = house.rows().get("資料\\unfinished.txt")
    assert row is not None
    ListWriter(house.layout.ingest_list).append([row._replace(state=type(row.state).PENDING, places=None, ingested="")])
    for name in ("done.txt", "unfinished.txt", "new.txt"):
        house.write(name, "変わった本文")
    monkeypatch.setattr("tebunko.indexing.crawl_phase.crawl_in_child", _all_but_other_in_the_cloud)
    channel = Recorder()

    summary = house.update(channel)

    assert (summary.cloud_only, summary.done) == (3, 0)
    assert (channel.plan[0].cloud, channel.plan[0].targets) == (3, 0)
    assert house.rows().get("資料\\done.txt") == before
    assert set(house.states()) == set(house.text()) == {"資料\\done.txt", "資料\\other.txt"}
    assert read_coverage(house.layout)["資料"].cloud_only == 3
    assert house.update(Recorder(Approval(include_cloud=True))).done == 3


def _all_but_other_in_the_cloud(roots, patience, stopped):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    from tebunko.indexing.crawl import FolderFound, crawl

    for event in crawl(roots):
        if isinstance(event, FolderFound):
            files = tuple(f if f.name == "other.txt" else f._replace(cloud_only=True) for f in event.files)
            event = replace(event, files=files)
        yield event
