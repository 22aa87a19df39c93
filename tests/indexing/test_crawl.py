"""What the crawl finds, passes over and reports (ja-target-decision; facts.md)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tebunko.indexing.crawl import (
    CrawlEvent,
    CrawlRoot,
    FolderFound,
    LinkSkipped,
    RootEnded,
    Unreadable,
    crawl,
    is_cloud_only,
)
from tebunko.indexing.crawler import crawl_in_child
from tebunko.model.errors import Cancelled

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file names, links and pipes")


def events(root: Path, **options: frozenset[str]) -> list[CrawlEvent]:
    return list(crawl([CrawlRoot("営業", str(root), **options)]))


def found(root: Path, **options: frozenset[str]) -> list[str]:
    folders = [e for e in events(root, **options) if isinstance(e, FolderFound)]
    return [f"{e.stored}\\{f.name}" for e in folders for f in e.files]


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def test_known_extensions_are_taken_in_order_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path, "b.XLSX", "a.docx", "z.exe", "t.xltx", "~$a.docx", "none", "2024/見積/A社.pdf", "2024/c.ps1")
    assert found(tmp_path) == ["営業\\a.docx", "営業\\b.XLSX", "営業\\2024\\c.ps1", "営業\\2024\\見積\\A社.pdf"]


def test_size_and_time_come_from_one_look(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    os.utime(tmp_path / "a.txt", ns=(1, 1_700_000_000_123_456_700))
    (folder,) = [e for e in events(tmp_path) if isinstance(e, FolderFound)]
    assert (folder.files[0].size, folder.files[0].mtime_ns) == (1, 1_700_000_000_123_456_700)


def test_our_own_files_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        "content_index.txt.001.tsv",
        "real.tsv",
        "other workspace/store/ingest_status.tsv",
        "other workspace/store/content/x/content_index.txt.001.tsv",
        "other workspace/notes.txt",
        "new workspace/store/format.tsv",
        "new workspace/b.txt",
        "old workspace/ingest_status.tsv",
        "old workspace/c.txt",
        "shop/store/stock.txt",
    )
    assert found(tmp_path) == ["営業\\real.tsv", "営業\\shop\\store\\stock.txt"]


def test_folders_of_others_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "inner/b.txt", "inner2/c.txt")
    assert found(tmp_path, skip=frozenset({os.path.realpath(tmp_path / "inner")})) == [
        "営業\\a.txt",
        "営業\\inner2\\c.txt",
    ]


@posix
def test_links_are_reported_and_not_followed_but_a_root_may_be_one(tmp_path: Path) -> None:
    write(tmp_path, "real/a.txt", "elsewhere/b.txt")
    (tmp_path / "real" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "real" / "file.txt").symlink_to(tmp_path / "elsewhere" / "b.txt")
    (tmp_path / "real" / "loop").symlink_to(tmp_path / "real")
    (tmp_path / "root").symlink_to(tmp_path / "real")

    assert found(tmp_path / "root") == ["営業\\a.txt"]
    links = sorted(e.stored for e in events(tmp_path / "root") if isinstance(e, LinkSkipped))
    assert links == ["営業\\file.txt", "営業\\link", "営業\\loop"]


@posix
def test_what_is_no_regular_file_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    write(tmp_path, "a.txt")
    assert found(tmp_path) == ["営業\\a.txt"]


@posix
def test_names_that_windows_forbids_are_escaped_and_twins_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "a:b.txt", "Memo.txt", "memo.txt")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))).write_bytes(b"x")
    assert sorted(found(tmp_path)) == sorted(["営業\\a%3Ab.txt", "営業\\Memo.txt", "営業\\%6Demo.txt", "営業\\%FF.txt"])


@posix
def test_an_unreadable_folder_is_reported_and_the_rest_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.txt", "closed/b.txt", "open/c.txt")
    scandir = os.scandir

    def refuse(path: str):  # type: ignore[no-untyped-def]
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert [e for e in events(tmp_path) if isinstance(e, Unreadable)] == [
        Unreadable("営業\\closed", "Permission denied")
    ]
    assert found(tmp_path) == ["営業\\a.txt", "営業\\open\\c.txt"]


def test_a_root_that_is_gone_and_one_that_is_empty_are_told_apart(tmp_path: Path) -> None:
    (gone,) = [e for e in events(tmp_path / "gone") if isinstance(e, RootEnded)]
    (empty,) = [e for e in events(tmp_path) if isinstance(e, RootEnded)]
    assert (gone.listed, empty.listed, empty.empty) == (False, True, True)


def test_the_child_process_gives_the_same_events(tmp_path: Path) -> None:
    write(tmp_path, *(f"d{n % 70}/f{n}.txt" for n in range(400)))
    roots = [CrawlRoot("営業", str(tmp_path)), CrawlRoot("無し", str(tmp_path / "gone"))]
    assert list(crawl_in_child(roots, 60, lambda: False)) == list(crawl(roots))


def test_a_stop_ends_the_child(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    with pytest.raises(Cancelled):
        list(crawl_in_child([CrawlRoot("営業", str(tmp_path))], 60, lambda: True))


def test_a_very_deep_tree_is_read_without_recursion(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_bytes(b"x")
    assert len(found(tmp_path)) == 1


class Info:
    """A stat result as another system gives it."""

    def __init__(self, **fields: int) -> None:
        self.__dict__ |= fields


@pytest.mark.parametrize(
    ("info", "cloud"),
    [
        (Info(), False),
        (Info(st_file_attributes=0x20), False),
        (Info(st_file_attributes=0x400000), True),
        (Info(st_file_attributes=0x40000), True),
        (Info(st_file_attributes=0x1000), True),
        (Info(st_file_attributes=0x80000), False),
        (Info(st_file_attributes=0x100000), False),
        (Info(st_file_attributes=0x400), False),
        (Info(st_flags=0x40000000), True),
        (Info(st_flags=0x20), False),
    ],
)
def test_files_that_lie_only_in_the_cloud_are_told_by_attributes(info: Info, cloud: bool) -> None:
    assert is_cloud_only(info) is cloud  # type: ignore[arg-type]
