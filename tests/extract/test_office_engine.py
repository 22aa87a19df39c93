"""The engine against the LibreOffice that is installed: conversions, restarts, deaths and hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tebunko.extract.office.engine import Limits, OfficeEngine
from tebunko.extract.office.installation import OfficeInstallation
from tebunko.extract.office.launch import arguments_of, leftovers_of
from tebunko.extract.registry import extract
from tebunko.extract.source import Options, Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tests.extract.processes import PATIENCE, is_gone, wait_until
from tests.extract.remote_documents import open_document, protected_spreadsheet

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills processes by signals")

RTF = source_of("a.doc", rb"{\rtf1\ansi plain words\par}")


@pytest.fixture(scope="module")
def shared_engine(office: OfficeInstallation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfficeEngine]:
    engine = OfficeEngine(office, tmp_path_factory.mktemp("作業 folder"))
    yield engine
    engine.close()


@pytest.fixture
def engine(shared_engine: OfficeEngine) -> Iterator[OfficeEngine]:
    """One engine for most tests, which mends by itself whatever a test does to it: starts take their time."""
    yield shared_engine
    shared_engine.limits = Limits()


def lines_of(source: Source) -> list[str]:
    return [line for unit in extract(source, Options()).units for line in unit.lines]


def words_of(source: Source) -> set[str]:
    return set(" ".join(lines_of(source)).split())


def office_of(engine: OfficeEngine) -> psutil.Process:
    """The LibreOffice that an engine's helper runs."""
    assert engine.process_id is not None
    return psutil.Process(engine.process_id).children()[0]


def family_of(engine: OfficeEngine) -> list[psutil.Process]:
    assert engine.process_id is not None
    helper = psutil.Process(engine.process_id)
    return [helper, *helper.children(recursive=True)]


def our_sockets() -> set[str]:
    return {name for name in os.listdir("/tmp") if name.startswith("OSL_PIPE_") and "tebunko-" in name}


# --- conversions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "new_name", "line"),
    [
        ("月報.doc", RTF.read(), "月報.docx", "plain words"),
        ("a.doc", open_document("text", "<text:p>日本語の文</text:p>"), "a.docx", "日本語の文"),
        (
            "b.xls",
            open_document(
                "spreadsheet",
                '<table:table table:name="表"><table:table-row><table:table-cell office:value-type="string">'
                "<text:p>値</text:p></table:table-cell></table:table-row></table:table>",
            ),
            "b.xlsx",
            "値",
        ),
        (
            "c.ppt",
            open_document(
                "presentation",
                '<draw:page draw:name="a"><draw:frame svg:width="9cm" svg:height="2cm"><draw:text-box>'
                "<text:p>題</text:p></draw:text-box></draw:frame></draw:page>",
            ),
            "c.pptx",
            "題",
        ),
        ("page.xls", b"<html><body><table><tr><td>left<td>right</table></body></html>", "page.xlsx", "left\tright"),
        ("page.doc", b"<html><body><p>a paragraph</body></html>", "page.docx", "a paragraph"),
        ("no extension", b"{\\rtf1 words}", "no extension.docx", "words"),
    ],
)
def test_small_documents(engine: OfficeEngine, name: str, data: bytes, new_name: str, line: str) -> None:
    source = Source(name, len(data), 123, data, None)
    converted = engine.convert(source)
    assert (converted.name, converted.mtime_ns) == (new_name, 123)
    assert converted.size == len(converted.read())
    assert line in lines_of(converted)


def test_a_large_source_is_read_from_its_copy(engine: OfficeEngine, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(RTF.read())
    assert lines_of(engine.convert(Source("a.doc", RTF.size, 0, None, copy))) == ["plain words"]


def test_a_large_result_stays_on_disk(engine: OfficeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tebunko.extract.office.engine.IN_MEMORY_BYTES", 10)
    converted = engine.convert(RTF)
    assert converted.data is None
    assert lines_of(converted) == ["plain words"]


@pytest.mark.parametrize(
    "name",
    ["word/Word6_sections.doc", "word/SimpleHeadThreeColFoot.doc", "powerpoint/52244.ppt", "excel/3dFormulas.xls"],
)
def test_real_documents_say_what_the_readers_without_libreoffice_find(
    engine: OfficeEngine, corpus: Path, name: str
) -> None:
    path = corpus / name
    source = source_of(path.name, path.read_bytes())
    converted = engine.convert(source)
    assert converted.name == path.name + "x"
    assert words_of(source)
    assert words_of(source) <= words_of(converted)


def test_a_password_is_told_and_does_not_end_libreoffice(engine: OfficeEngine) -> None:
    engine.convert(RTF)
    before = engine.process_id
    with pytest.raises(ExtractError) as error:
        engine.convert(source_of("secret.xls", protected_spreadsheet()))
    assert error.value.reason is Reason.PASSWORD
    assert engine.process_id == before
    assert lines_of(engine.convert(RTF)) == ["plain words"]


PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xff\xff?\0\5\xfe\2\xfe"
    b"\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82"
)


@pytest.mark.parametrize(("name", "data"), [("noise.xls", b"\0\1\xfe" * 999), ("picture.doc", PNG)])
def test_what_is_no_document_is_damaged_not_text(engine: OfficeEngine, name: str, data: bytes) -> None:
    with pytest.raises(ExtractError) as error:
        engine.convert(source_of(name, data))
    assert error.value.reason is Reason.DAMAGED


# --- starts and restarts --------------------------------------------------------------------------------------------


def test_it_starts_when_needed_and_anew_after_so_many_files(office: OfficeInstallation, tmp_path: Path) -> None:
    before = our_sockets()
    engine = OfficeEngine(office, tmp_path, Limits(files=2))
    assert engine.process_id is None
    engine.convert(RTF)
    first, processes, ours = engine.process_id, family_of(engine), our_sockets() - before
    assert first is not None
    assert ours
    engine.convert(RTF)
    assert engine.process_id is None
    engine.convert(RTF)
    assert engine.process_id not in (None, first)
    processes += family_of(engine)
    engine.close()
    engine.close()
    assert wait_until(lambda: all(map(is_gone, processes)))
    assert not our_sockets() & ours
    assert list(tmp_path.iterdir()) == []


def test_it_starts_anew_after_a_failure(engine: OfficeEngine) -> None:
    engine.convert(RTF)
    processes = family_of(engine)
    with pytest.raises(ExtractError):
        engine.convert(source_of("noise.doc", bytes(99)))
    assert engine.process_id is None
    assert wait_until(lambda: all(map(is_gone, processes)))
    assert lines_of(engine.convert(RTF)) == ["plain words"]


@pytest.mark.parametrize("victim", ["office", "helper"])
def test_a_death_is_noticed_and_mended(engine: OfficeEngine, victim: str) -> None:
    engine.convert(RTF)
    processes = family_of(engine)
    (office_of(engine) if victim == "office" else processes[0]).kill()
    assert wait_until(lambda: all(map(is_gone, processes)))
    assert lines_of(engine.convert(RTF)) == ["plain words"]


def test_a_death_in_a_conversion_is_noticed_and_mended(engine: OfficeEngine) -> None:
    engine.convert(RTF)
    stopped = office_of(engine)
    stopped.send_signal(signal.SIGSTOP)
    results: list[Source] = []
    thread = threading.Thread(target=lambda: results.append(engine.convert(RTF)))
    thread.start()
    thread.join(0.5)
    assert results == []
    stopped.kill()
    thread.join(PATIENCE)
    assert lines_of(results[0]) == ["plain words"]


def test_a_hang_ends_at_the_limit(engine: OfficeEngine) -> None:
    engine.convert(RTF)
    processes = family_of(engine)
    office_of(engine).send_signal(signal.SIGSTOP)
    engine.limits = Limits(convert_seconds=1)
    with pytest.raises(ExtractError) as error:
        engine.convert(RTF)
    assert error.value.reason is Reason.TIME_LIMIT
    assert wait_until(lambda: all(map(is_gone, processes)))
    engine.limits = Limits()
    assert lines_of(engine.convert(RTF)) == ["plain words"]


WORKER = """
    import signal, sys
    from pathlib import Path
    import psutil
    from tebunko.extract.office.engine import OfficeEngine
    from tebunko.extract.office.installation import OfficeInstallation
    from tebunko.extract.source import source_of

    soffice, python, folder, state = sys.argv[1:]
    engine = OfficeEngine(OfficeInstallation(Path(soffice), Path(python)), Path(folder))
    document = source_of("a.doc", b"{\\\\rtf1 words}")
    engine.convert(document)
    helper = psutil.Process(engine.process_id)
    children = helper.children(recursive=True)
    print(helper.pid, *(child.pid for child in children), flush=True)
    if state == "hanging":
        for child in children:
            child.send_signal(signal.SIGSTOP)
    while True:
        engine.convert(document)
"""


@pytest.mark.parametrize("state", ["hanging", "busy"])
def test_no_orphan_after_a_killed_worker(office: OfficeInstallation, tmp_path: Path, state: str) -> None:
    before = our_sockets()
    code = textwrap.dedent(WORKER)
    command = [sys.executable, "-c", code, str(office.soffice), str(office.python), str(tmp_path), state]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        processes = [psutil.Process(int(pid)) for pid in worker.stdout.readline().split()]
        assert len(processes) >= 2
        ours = our_sockets() - before
        worker.kill()
    assert wait_until(lambda: all(map(is_gone, processes)))
    assert wait_until(lambda: not our_sockets() & ours)


def test_an_instance_of_the_user_is_left_alone(
    office: OfficeInstallation, engine: OfficeEngine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("user")
    pipe = f"tebunko-user-{os.getpid()}"
    users = subprocess.Popen([str(office.soffice), *arguments_of(folder / "profile", pipe)], start_new_session=True)
    try:
        assert wait_until(lambda: any(pipe in name for name in our_sockets()))
        assert lines_of(engine.convert(RTF)) == ["plain words"]
        engine.stop()
        assert users.poll() is None
        assert any(pipe in name for name in our_sockets())
    finally:
        os.killpg(users.pid, signal.SIGKILL)
        users.wait()
        for path in leftovers_of(folder / "profile", pipe, os.getuid()):
            Path(path).unlink(missing_ok=True)
