"""Which document a locator names, and with what it is opened; nothing is started but a recorder."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tebunko.api import Workspace
from tebunko.model.errors import Cancelled, UserError
from tebunko.model.kinds import MACRO_EXTENSIONS, SCRIPT_EXTENSIONS
from tebunko.search import launch as launch_module
from tebunko.search.applications import SYSTEM_DEFAULT, Desktop, Opening, arguments_of
from tebunko.search.launch import private_copy
from tebunko.search.locator import parse_locator
from tebunko.search.open_source import KnownFolder, Spot, existing_path, source_of
from tebunko.store.source_folder import read_source_folder, write_source_folder

KNOWN = [
    KnownFolder("営業", "/data/営業", True),
    KnownFolder("営業", "/old", False),
    KnownFolder("開発", "//server/x", False),
    KnownFolder("開発", "/copied", False),
]


@pytest.mark.parametrize(
    ("text", "folder", "registered", "names", "spot"),
    [
        ("営業/2024/a.xlsx#売上!b13", "/data/営業", True, ("2024", "a.xlsx"), Spot("売上", "B13")),
        ("営業/a.xlsx#売上[コメント]!C3", "/data/営業", True, ("a.xlsx",), Spot("売上", "C3")),
        ("営業/a.pdf#ページ012:3", "/data/営業", True, ("a.pdf",), Spot(page=12)),
        ("営業/a.pptx#スライド003（非表示）[図形]:1", "/data/営業", True, ("a.pptx",), Spot(page=3)),
        ("営業/a.docx#脚注:1", "/data/営業", True, ("a.docx",), Spot()),
        ("開発/a%23.txt", "//server/x", False, ("a#.txt",), Spot()),
        ("DEV/a.txt", None, False, ("a.txt",), Spot()),
    ],
)
def test_a_locator_names_a_document(
    text: str, folder: str | None, registered: bool, names: tuple[str, ...], spot: Spot
) -> None:
    source = source_of(parse_locator(text), KNOWN, ["営業", "開発", "dev"])
    assert (source.folder, source.registered, source.names, source.spot) == (folder, registered, names, spot)


@pytest.mark.parametrize(
    "text",
    ["営業/../a.txt", "営業/x/../../a.txt", "営業//etc/a.txt", "営業/./a.txt", "営業/a.exe", "営業/a", "ない/a.txt"],
)
def test_what_is_no_document_of_an_index_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        source_of(parse_locator(text), KNOWN, ["営業", "開発"])


@pytest.mark.parametrize("registered", [True, False])
def test_scripts_and_macros_are_told_by_their_extensions(registered: bool) -> None:
    known = [KnownFolder("営業", "/data", registered)]
    for extension in SCRIPT_EXTENSIONS:
        assert source_of(parse_locator(f"営業/a{extension.upper()}"), known, ["営業"]).is_script
    for extension in MACRO_EXTENSIONS:
        assert source_of(parse_locator(f"営業/a{extension}"), known, ["営業"]).needs_copy is not registered
    assert not source_of(parse_locator("営業/a.xlsx"), known, ["営業"]).needs_copy


def test_another_spelling_of_the_same_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "か\u3099").mkdir()
    (tmp_path / "か\u3099" / "A社.TXT").write_text("x")
    found = existing_path(str(tmp_path), ("が", "a社.txt"))
    assert found is not None and os.path.samefile(found, tmp_path / "か\u3099" / "A社.TXT")
    assert existing_path(str(tmp_path), ("が", "b.txt")) is None
    assert existing_path(str(tmp_path), ("か\u3099",)) is None


# --- with what ------------------------------------------------------------------------------------------------------

PROGRAMS = {"xdg-open", "soffice", "evince", "okular", "firefox", "mousepad", "qpdfview", "mupdf"}


def found(name: str) -> str | None:
    return f"/usr/bin/{name}" if name in PROGRAMS else None


def linux(default: str = "") -> Desktop:
    return Desktop("linux", found, default)


BOOK = Opening("/d/売 上.xlsx", Spot("見積 '1", "B13"))
PDF = Opening("/d/a b{page}.pdf", Spot(page=3))


@pytest.mark.parametrize(
    ("opening", "desktop", "arguments"),
    [
        (BOOK, linux(), ["/usr/bin/xdg-open", "/d/売 上.xlsx"]),
        (
            BOOK,
            linux("libreoffice-calc.desktop"),
            ["/usr/bin/soffice", "file:///d/%E5%A3%B2%20%E4%B8%8A.xlsx#%27%E8%A6%8B%E7%A9%8D%20%27%271%27.B13"],
        ),
        (
            Opening("/d/a.xls", Spot("s", "A1"), read_only=True),
            linux("libreoffice-calc.desktop"),
            ["/usr/bin/soffice", "--view", "file:///d/a.xls#%27s%27.A1"],
        ),
        (PDF, linux(), ["/usr/bin/xdg-open", "/d/a b{page}.pdf"]),
        (PDF, linux("org.gnome.Evince.desktop"), ["/usr/bin/evince", "--page-index=3", "/d/a b{page}.pdf"]),
        (PDF, linux("okularApplication_pdf.desktop"), ["/usr/bin/okular", "--page=3", "/d/a b{page}.pdf"]),
        (PDF, linux("firefox.desktop"), ["/usr/bin/firefox", "file:///d/a%20b%7Bpage%7D.pdf#page=3"]),
        (PDF, linux("qpdfview.desktop"), ["/usr/bin/qpdfview", "/d/a b{page}.pdf#3"]),
        (PDF, linux("mupdf.desktop"), ["/usr/bin/mupdf", "/d/a b{page}.pdf", "3"]),
        (PDF, linux("atril.desktop"), ["/usr/bin/xdg-open", "/d/a b{page}.pdf"]),
        (PDF, linux("unknown.desktop"), ["/usr/bin/xdg-open", "/d/a b{page}.pdf"]),
        (PDF, Desktop("darwin", found), ["/usr/bin/open", "/d/a b{page}.pdf"]),
        (PDF, Desktop("win32", found), []),
        (Opening("/d/a.sh", Spot(), is_script=True), linux(), ["/usr/bin/mousepad", "/d/a.sh"]),
        (Opening("/d/a.sh", Spot(), is_script=True), Desktop("darwin", found), ["/usr/bin/open", "-e", "/d/a.sh"]),
        (
            Opening("C:\\a.bat", Spot(), is_script=True),
            Desktop("win32", found),
            ["C:\\Windows\\System32\\notepad.exe", "C:\\a.bat"],
        ),
    ],
)
def test_what_opens_a_document(opening: Opening, desktop: Desktop, arguments: list[str]) -> None:
    assert list(arguments_of(opening, desktop)) == arguments


def test_a_script_is_opened_by_nothing_but_an_editor() -> None:
    for default in ("", "libreoffice-writer.desktop", "firefox.desktop"):
        desktop = Desktop("linux", lambda name: "/x" if name == "xdg-open" else None, default)
        with pytest.raises(UserError, match="plain editor"):
            arguments_of(Opening("/d/a.sh", Spot(page=1), is_script=True), desktop)
    assert SYSTEM_DEFAULT == ()


def test_a_private_copy_cannot_be_written_and_goes_after_a_day(tmp_path: Path) -> None:
    source = tmp_path / "a.xlsm"
    source.write_bytes(b"x")
    first = Path(private_copy(str(source), tmp_path / "opened"))
    assert first.name == "a.xlsm" and first.read_bytes() == b"x"
    assert not first.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    if os.name == "posix":
        assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
    os.utime(first.parent, (0, 0))
    second = Path(private_copy(str(source), tmp_path / "opened"))
    assert not first.exists() and second.exists()


# --- a whole opening ------------------------------------------------------------------------------------------------


class Answers:
    """Answers questions as a test says, and notes them."""

    def __init__(self, trusts: bool = False, folder: Path | None = None) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self._trusts = trusts
        self._folder = folder

    def trusts(self, index: str, folder: str) -> bool:
        self.asked.append((index, folder))
        return self._trusts

    def new_folder(self, index: str, folder: str | None) -> str | None:
        self.asked.append((index, folder))
        return None if self._folder is None else str(self._folder)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Opening]:
    openings: list[Opening] = []
    monkeypatch.setattr("tebunko.search.opening.launch", openings.append)
    return openings


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "資料"
    folder.mkdir()
    for name in ("a.xlsx", "m.xlsm", "s.sh"):
        (folder / name).write_bytes(b"x")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace")


def test_a_registered_folder_is_opened_without_a_question(
    workspace: Workspace, documents: Path, opened: list[Opening]
) -> None:
    workspace.add(documents, "営業")
    answers = Answers()
    for name in ("a.xlsx#売上!B2", "m.xlsm", "s.sh"):
        workspace.open(f"営業/{name}", answers)
    assert answers.asked == []
    assert opened == [
        Opening(str(documents / "a.xlsx"), Spot("売上", "B2")),
        Opening(str(documents / "m.xlsm"), Spot()),
        Opening(str(documents / "s.sh"), Spot(), is_script=True),
    ]
    with pytest.raises(UserError, match="any more"):
        workspace.open("営業/gone.xlsx", answers)


def test_a_moved_folder_is_asked_for_once(
    workspace: Workspace, documents: Path, tmp_path: Path, opened: list[Opening]
) -> None:
    workspace.add(documents, "営業")
    moved = documents.rename(tmp_path / "moved")
    with pytest.raises(UserError, match="are not in"):
        workspace.open("営業/a.xlsx", Answers())
    with pytest.raises(UserError, match="no folder"):
        workspace.open("営業/a.xlsx", Answers(folder=tmp_path / "none"))
    answers = Answers(folder=moved)
    workspace.open("営業/a.xlsx", answers)
    workspace.open("営業/a.xlsx", answers)
    assert len(answers.asked) == 1
    assert [o.path for o in opened] == [str(moved / "a.xlsx")] * 2


def test_an_index_that_was_copied_here_is_not_trusted_before_it_is_confirmed(
    workspace: Workspace, documents: Path, tmp_path: Path, opened: list[Opening], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = workspace.layout.content_folder("もらった")
    write_source_folder(content, "もらった", str(documents))
    refused = Answers()
    with monkeypatch.context() as patch:
        patch.setattr("tebunko.search.opening.os.path.isdir", lambda path: pytest.fail(f"{path} was looked at"))
        with pytest.raises(Cancelled):
            workspace.open("もらった/m.xlsm", refused)
    assert refused.asked == [("もらった", str(documents))]
    workspace.open("もらった/m.xlsm", Answers(trusts=True))
    workspace.open("もらった/a.xlsx", Answers(trusts=True))
    assert opened[0].read_only and Path(opened[0].path).is_relative_to(workspace.layout.opened)
    assert opened[1] == Opening(str(documents / "a.xlsx"), Spot())
    moved = documents.rename(tmp_path / "moved")
    workspace.open("もらった/a.xlsx", Answers(trusts=True, folder=moved))
    assert read_source_folder(content) == ("もらった", str(moved))


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="desktops of freedesktop.org only")
def test_the_system_s_own_programs_get_exactly_their_arguments(
    workspace: Workspace, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    record = tmp_path / "record"

    def program(name: str, body: str) -> None:
        path = programs / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o700)

    odd = documents / "$(touch x);`y` 'q' \"d\".pdf"
    odd.write_bytes(b"%PDF")
    program(
        "xdg-mime",
        f'case "$3" in application/pdf) echo okularApplication_pdf.desktop;; esac; echo "$@" >> {record}.mime',
    )
    program("xdg-open", f'printf "%s\\n" "$0" "$@" > {record}.part; mv {record}.part {record}')
    program("okular", f'printf "%s\\n" "$0" "$@" > {record}.part; mv {record}.part {record}')
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    started: list[object] = []
    popen = launch_module.subprocess.Popen
    monkeypatch.setattr(
        launch_module.subprocess, "Popen", lambda *a, **k: started.append(process := popen(*a, **k)) or process
    )
    workspace.add(documents, "営業")
    expected = {
        "a.xlsx": [str(programs / "xdg-open"), str(documents / "a.xlsx")],
        f"{odd.name}#ページ007:1": [str(programs / "okular"), "--page=7", str(odd)],
    }
    for name, arguments in expected.items():
        workspace.open(f"営業/{name}", Answers())
        started[-1].wait()  # type: ignore[attr-defined]
        assert record.read_text("utf-8").split("\n")[:-1] == arguments
        record.unlink()
    assert not (Path.cwd() / "x").exists()
