"""Files that others read while we write, and deletions that stay where they belong."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tebunko.store.fs import is_link, make_private_folder, patiently, remove_tree, replace_file, set_aside
from tests.store.conftest import Faults

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows; modes mean nothing there")


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_a_failed_replacement_leaves_the_old_file(tmp_path: Path, faults: Faults, number: int, for_good: bool) -> None:
    target = tmp_path / "list.tsv"
    target.write_bytes(b"old")
    failed = False
    with faults.at(number, tmp_path, for_good=for_good):
        try:
            replace_file(target, [b"ne", b"w"])
        except OSError:
            failed = True
    # the operations: removing a left-over temporary file, opening a new one, moving it over
    assert failed == (number < 3)
    assert target.read_bytes() == (b"old" if failed else b"new")
    assert for_good or os.listdir(tmp_path) == ["list.tsv"]
    assert replace_file(target, b"newer").st_size == 5
    assert os.listdir(tmp_path) == ["list.tsv"] and target.read_bytes() == b"newer"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "list.tsv"
    target.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        replace_file(target, b"new")
    assert os.listdir(tmp_path) == ["list.tsv"] and target.read_bytes() == b"old"


def test_an_error_of_the_caller_leaves_the_old_file(tmp_path: Path) -> None:
    def chunks() -> object:
        yield b"half"
        raise KeyboardInterrupt

    target = tmp_path / "f"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        replace_file(target, chunks())  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == ["f"] and target.read_bytes() == b"old"


def test_size_and_time_are_those_of_the_file_that_is_there(tmp_path: Path) -> None:
    info = replace_file(tmp_path / "f", b"abc")
    now = (tmp_path / "f").stat()
    assert (info.st_size, info.st_mtime_ns, info.st_ino) == (now.st_size, now.st_mtime_ns, now.st_ino)


@posix
def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "f.tmp").symlink_to(outside)
    replace_file(tmp_path / "ws" / "f", b"ours")
    assert outside.read_bytes() == b"theirs" and (tmp_path / "ws" / "f").read_bytes() == b"ours"


def test_what_cannot_be_understood_is_kept(tmp_path: Path) -> None:
    names = []
    for text in ("1", "2", "3"):
        (tmp_path / "setting.config").write_text(text)
        names.append(set_aside(tmp_path / "setting.config").name)
    assert names == ["setting.config.broken", "setting.config.broken-2", "setting.config.broken-3"]
    assert [(tmp_path / name).read_text() for name in names] == ["1", "2", "3"]


@posix
def test_not_even_a_dangling_link_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "f.broken").symlink_to(tmp_path / "nowhere")
    assert set_aside(tmp_path / "f").name == "f.broken-2"
    assert (tmp_path / "f.broken").is_symlink()


@posix
def test_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        make_private_folder(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(old)
    for folder in ("a", "a/b", "a/b/c"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700


@posix
def test_removing_a_folder_removes_links_and_not_what_they_lead_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    top = tmp_path / "ws" / "content" / "営業"
    (top / "2024" / "deep").mkdir(parents=True)
    (top / "2024" / "deep" / "f").write_text("x")
    (top / "folder link").symlink_to(outside)
    (top / "2024" / "file link").symlink_to(outside / "kept")
    (top / "dangling").symlink_to(tmp_path / "nowhere")
    remove_tree(top, tmp_path / "ws")
    assert not top.exists() and (outside / "kept").read_text() == "x"
    remove_tree(top, tmp_path / "ws")  # a missing one is fine
    (tmp_path / "ws" / "content" / "link").symlink_to(outside)
    assert is_link(tmp_path / "ws" / "content" / "link")
    remove_tree(tmp_path / "ws" / "content" / "link", tmp_path / "ws")
    assert (outside / "kept").exists() and os.listdir(tmp_path / "ws" / "content") == []


@posix
def test_nothing_is_removed_behind_a_link_or_outside(tmp_path: Path) -> None:
    ws, outside = tmp_path / "ws", tmp_path / "outside"
    (outside / "x").mkdir(parents=True)
    ws.mkdir()
    (ws / "content").symlink_to(outside)
    for path in (ws / "content" / "x", outside / "x", ws, tmp_path, ws / ".." / "outside" / "x", ws / "a" / ".."):
        with pytest.raises(ValueError, match="lie"):
            remove_tree(path, ws)
    assert (outside / "x").is_dir()


def test_very_deep_folders(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("ws", *["d"] * 1200)
    make_private_folder(deep)
    remove_tree(tmp_path / "ws" / "d", tmp_path / "ws")
    assert os.listdir(tmp_path / "ws") == []


def test_patience_is_for_windows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def held() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise PermissionError
        return "done"

    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(PermissionError):
        patiently(held)
    assert len(tries) == 1
    monkeypatch.setattr(sys, "platform", "win32")
    assert patiently(held) == "done" and len(tries) == 3
    tries.clear()
    with pytest.raises(PermissionError):
        patiently(held, patience=0)
