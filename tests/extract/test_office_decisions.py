"""Finding LibreOffice, deciding how it opens a file, and how it is started: tables, and a few fake programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath
from xml.etree import ElementTree

import pytest

from tebunko.extract.office.conversions import Opening, opening_of
from tebunko.extract.office.helper_process import answer_in
from tebunko.extract.office.installation import (
    OfficeInstallation,
    configured_programs,
    find_office,
    knows_uno,
    python_candidates,
    usual_programs,
)
from tebunko.extract.office.launch import arguments_of, environment_of, leftovers_of, program_of
from tebunko.extract.office.user_profile import SETTINGS, configuration
from tebunko.extract.source import source_of
from tebunko.model.errors import ExtractError, Reason
from tests.extract.remote_documents import open_document

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="the fake programs are shell scripts")


# --- finding it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "environment", "places"),
    [
        (
            "win32",
            {"ProgramW6432": r"C:\Program Files", "ProgramFiles": r"C:\Program Files", "ProgramFiles(x86)": r"D:\x86"},
            [r"C:\Program Files\LibreOffice\program\soffice.exe", r"D:\x86\LibreOffice\program\soffice.exe"],
        ),
        ("win32", {}, []),
        (
            "darwin",
            {"HOME": "/Users/me"},
            [
                "/Applications/LibreOffice.app/Contents/MacOS/soffice",
                "/Users/me/Applications/LibreOffice.app/Contents/MacOS/soffice",
            ],
        ),
        ("darwin", {}, ["/Applications/LibreOffice.app/Contents/MacOS/soffice"]),
    ],
)
def test_usual_places(system: str, environment: dict[str, str], places: list[str]) -> None:
    assert usual_programs(system, environment) == places


def test_usual_places_on_linux_are_those_of_the_distributions() -> None:
    places = usual_programs("linux", {})
    assert "/usr/lib/libreoffice/program/soffice" in places  # Debian, Arch
    assert "/usr/lib64/libreoffice/program/soffice" in places  # Fedora, openSUSE


@pytest.mark.parametrize(
    ("soffice", "system", "first"),
    [
        (PureWindowsPath(r"C:\LO\program\soffice.exe"), "win32", r"C:\LO\program\python.exe"),
        (
            PurePosixPath("/A/LibreOffice.app/Contents/MacOS/soffice"),
            "darwin",
            "/A/LibreOffice.app/Contents/Resources/python",
        ),
        (PurePosixPath("/opt/libreoffice24.8/program/soffice"), "linux", "/opt/libreoffice24.8/program/python"),
    ],
)
def test_the_python_that_comes_with_it_is_asked_first(
    soffice: PureWindowsPath | PurePosixPath, system: str, first: str
) -> None:
    candidates = python_candidates(soffice, system, ["/usr/bin/python3", "/usr/bin/python3"])
    assert candidates[0] == first
    assert candidates[-1] == "/usr/bin/python3"
    assert len(candidates) == len(set(candidates))


def program(path: Path, text: str = "exit 0") -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


@POSIX_ONLY
@pytest.mark.parametrize("setting", ["program/soffice", "program", "."])
def test_the_setting_names_the_program_or_its_folder(tmp_path: Path, setting: str) -> None:
    soffice = program(tmp_path / "program" / "soffice")
    python = program(tmp_path / "program" / "python")
    found = find_office(str(tmp_path / setting))
    assert found is not None
    assert found.soffice.samefile(soffice)
    # The Python beside the program, where a system has it there.
    assert sys.platform == "darwin" or found.python.samefile(python)


def test_an_app_bundle_may_be_the_setting() -> None:
    bundle = Path("/Applications/LibreOffice.app")
    assert str(bundle / "Contents" / "MacOS" / "soffice") in set(configured_programs(str(bundle)))


@POSIX_ONLY
def test_a_setting_that_leads_nowhere_finds_nothing(tmp_path: Path) -> None:
    assert find_office(str(tmp_path / "missing")) is None
    plain = tmp_path / "soffice"
    plain.write_text("not to be run")
    assert find_office(str(plain)) is None


@POSIX_ONLY
def test_a_python_is_asked_and_not_for_long(tmp_path: Path) -> None:
    assert knows_uno(program(tmp_path / "yes", "exit 0"))
    assert not knows_uno(program(tmp_path / "no", "exit 1"))
    assert not knows_uno(program(tmp_path / "hangs", "exec sleep 600"), seconds=0.2)
    assert not knows_uno(tmp_path / "missing")


def test_nothing_of_it_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, tebunko.api, tebunko.extract.registry as r; from tebunko.extract.source import source_of, Options;"
        "r.extract(source_of('a.txt', b'text'), Options());"
        "print([m for m in sys.modules if 'extract.office' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- opening a file -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "opening"),
    [
        ("a.doc", b"{\\rtf1 x}", Opening(".rtf", "Rich Text Format")),
        ("a.doc", b"\xdb\xa5\x2d\0" + bytes(60), Opening(".doc")),
        ("a.xls", b"\x09\x08\x10\x00" + bytes(60), Opening(".xls")),
        ("a.xls", b"<html><table>", Opening(".html", "HTML (StarCalc)", "0")),
        ("a.doc", b"<html><table>", Opening(".html", "HTML (StarWriter)")),
        ("a.ppt", b"<html><table>", Opening(".html", "HTML (StarWriter)")),
        ("a.xls", open_document("text", ""), Opening(".odt")),
        ("a.doc", open_document("spreadsheet", ""), Opening(".ods")),
        ("a.doc", open_document("presentation", ""), Opening(".odp")),
        ("a.docx", b"PK\3\4" + bytes(60), Opening(".docx")),
        ("a.doc", b"\0\1\2\3 unknown", Opening(".doc")),
        ("a", b"\0\1\2\3 unknown", Opening(".doc")),
    ],
)
def test_content_decides_how_a_file_is_opened(name: str, data: bytes, opening: Opening) -> None:
    assert opening_of(source_of(name, data)) == opening


def test_an_empty_file_is_not_opened() -> None:
    with pytest.raises(ExtractError) as error:
        opening_of(source_of("a.doc", b""))
    assert error.value.reason is Reason.DAMAGED


# --- starting it ----------------------------------------------------------------------------------------------------


def test_it_starts_without_a_window_and_with_a_profile_and_a_pipe_of_ours(tmp_path: Path) -> None:
    arguments = arguments_of(tmp_path / "作業", "p1")
    wanted = {"--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nofirststartwizard"}
    assert wanted < set(arguments)
    assert f"-env:UserInstallation={(tmp_path / '作業').as_uri()}" in arguments
    assert "--accept=pipe,name=p1;urp;StarOffice.ComponentContext" in arguments


def test_on_linux_the_program_behind_the_starter_is_started(tmp_path: Path) -> None:
    starter, real = tmp_path / "soffice", tmp_path / "soffice.bin"
    starter.touch()
    installation = OfficeInstallation(starter, tmp_path / "python")
    assert program_of(installation, "linux") == starter
    real.touch()
    assert program_of(installation, "linux").samefile(real)
    assert program_of(installation, "darwin") == starter


def test_the_environment_has_no_display_and_our_folder_for_temporary_files(tmp_path: Path) -> None:
    environment = environment_of({"DISPLAY": ":0", "PYTHONHOME": "/x", "LANG": "ja_JP.UTF-8", "TMPDIR": "/y"}, tmp_path)
    assert environment.keys().isdisjoint({"DISPLAY", "PYTHONHOME"})
    assert environment["LANG"] == "ja_JP.UTF-8"
    assert {environment["TMPDIR"], environment["TEMP"], environment["TMP"]} == {str(tmp_path)}


@POSIX_ONLY
def test_leftovers_are_named_as_libreoffice_names_its_sockets() -> None:
    # The second name is what LibreOffice 7.4 made for this profile.
    assert leftovers_of(Path("/tmp/lo-exp/p1"), "tebexp", 0) == [
        "/tmp/OSL_PIPE_0_tebexp",
        "/tmp/OSL_PIPE_0_SingleOfficeIPC_2bed1f38e84fe826bbe6fe63e57dd31",
    ]
    assert leftovers_of(Path("/tmp/lo-exp/p1"), "tebexp", None) == []


def test_the_profile_is_xml_with_every_setting() -> None:
    root = ElementTree.fromstring(configuration(SETTINGS))
    assert len(root) == len(SETTINGS) == len({(path, name) for path, name, _ in SETTINGS})


@pytest.mark.parametrize("line", [b"", b"\n", b"nonsense\n", b"[]\n", b"1\n", b"\xff\n", b'{"a"'])
def test_what_is_no_answer_is_told(line: bytes) -> None:
    assert answer_in(line) is None
