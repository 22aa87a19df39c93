"""What a real LibreOffice cannot be made to do: programs that stand in for helper or office and misbehave."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import pytest

from tebunko.extract.office import helper_process
from tebunko.extract.office.engine import Limits, OfficeEngine
from tebunko.extract.office.installation import OfficeInstallation
from tebunko.extract.source import Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tests.extract.processes import is_pid_gone, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake programs are scripts for POSIX systems")

RTF = source_of("a.doc", b"{\\rtf1 words}")
SHORT = Limits(start_seconds=0.3, convert_seconds=0.3, grace_seconds=0.1)
LONG = Limits()

READY = """
    import json, os, signal, sys, time
    def order():
        return json.loads(sys.stdin.readline())
    def say(**answer):
        print(json.dumps(answer), flush=True)
    order()
    say(ready=1)
"""
DONE = """
        from urllib.parse import unquote, urlsplit
        target = unquote(urlsplit(order()["convert"]["target"]).path)
        open(target + ".docx", "wb").write(b"result")
        say(done=".docx")
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper that does not end by itself is killed soon."""
    monkeypatch.setattr(helper_process, "_END_SECONDS", 0.2)


def engine_of(folder: Path, code: str, limits: Limits, python: Path = Path(sys.executable)) -> OfficeEngine:
    """An engine whose helper is this Python code, indented as in the tests; a file ``starts`` gets a dot per start."""
    script = folder / "fake_helper.py"
    count = f"open({str(folder / 'starts')!r}, 'a').write('.')\n"
    script.write_text(count + textwrap.dedent(code), "utf-8")
    return OfficeEngine(OfficeInstallation(folder / "soffice", python), folder, limits, script)


def starts(folder: Path) -> int:
    return len((folder / "starts").read_text()) if (folder / "starts").exists() else 0


def convert(engine: OfficeEngine) -> Source | Reason:
    """What a conversion comes to; whatever ran is then ended."""
    try:
        return engine.convert(RTF)
    except ExtractError as error:
        assert engine.process_id is None
        return error.reason


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("raise SystemExit('no such module')", LONG),
        ("print('Garbage!', flush=True)", LONG),
        ("print('{}', flush=True)", LONG),
        ("print('x' * 999999, flush=True)", LONG),
        ("import json; print(json.dumps({'failed': 'start', 'detail': 'no'}), flush=True)", LONG),
        ("import time; time.sleep(600)", SHORT),
    ],
    ids=["ends", "garbage", "no answer", "endless line", "says no", "hangs"],
)
def test_a_start_that_fails_is_tried_twice_and_then_never_again(tmp_path: Path, code: str, limits: Limits) -> None:
    engine = engine_of(tmp_path, code, limits)
    for _ in range(3):
        assert convert(engine) is Reason.NEEDS_OFFICE
    assert starts(tmp_path) == 2
    engine.close()


def test_the_last_words_of_a_helper_are_kept(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, "raise SystemExit('no module named uno')", LONG)
    with pytest.raises(ExtractError, match="no module named uno"):
        engine.convert(RTF)
    engine.close()


def test_a_python_that_is_gone(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, "", LONG, tmp_path / "gone")
    assert convert(engine) is Reason.NEEDS_OFFICE
    engine.close()


@pytest.mark.parametrize(
    ("code", "limits", "reason", "count"),
    [
        ("order(); time.sleep(600)", SHORT, Reason.TIME_LIMIT, 1),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); order(); time.sleep(600)", SHORT, Reason.TIME_LIMIT, 1),
        ("order(); os._exit(1)", LONG, Reason.DAMAGED, 2),
        ("order(); say(failed='died', detail='crash')", LONG, Reason.DAMAGED, 2),
        ("order(); print('Garbage', flush=True)", LONG, Reason.DAMAGED, 2),
        ("order(); say(done='.exe')", LONG, Reason.DAMAGED, 1),
        ("order(); say(done='.docx')", LONG, Reason.UNREACHABLE, 1),
        ("order(); say(failed='load')", LONG, Reason.DAMAGED, 1),
    ],
    ids=["hangs", "hangs on", "ends", "office dies", "garbage", "wrong extension", "no result", "cannot load"],
)
def test_a_conversion_that_fails(tmp_path: Path, code: str, limits: Limits, reason: Reason, count: int) -> None:
    engine = engine_of(tmp_path, READY + "    " + code, limits)
    assert convert(engine) is reason
    assert starts(tmp_path) == count
    engine.close()


def test_a_second_try_may_succeed(tmp_path: Path) -> None:
    once = f"""
    if len(open({str(tmp_path / "starts")!r}).read()) == 1:
        order(); os._exit(1)
    while True:
"""
    engine = engine_of(tmp_path, READY + once + DONE, LONG)
    for _ in range(2):
        converted = engine.convert(RTF)
        assert (converted.name, converted.read()) == ("a.docx", b"result")
    assert starts(tmp_path) == 2
    engine.close()


def test_a_full_disk_is_not_the_documents_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of(tmp_path, READY + "    order(); say(failed='store', detail='write error')", LONG)
    monkeypatch.setattr("tebunko.extract.office.engine._LEAST_FREE_BYTES", 1 << 80)
    assert convert(engine) is Reason.UNREACHABLE
    engine.close()


def test_what_a_helper_started_ends_with_it(tmp_path: Path) -> None:
    code = """
    import subprocess
    order()
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL)
    open("CHILD", "w").write(str(child.pid))
    os._exit(1)
    """
    engine = engine_of(tmp_path, READY + code.replace("CHILD", str(tmp_path / "child")), LONG)
    assert convert(engine) is Reason.DAMAGED
    child = int((tmp_path / "child").read_text())
    assert wait_until(lambda: is_pid_gone(child))
    engine.close()


def test_a_libreoffice_that_never_listens_is_given_up(tmp_path: Path, office: OfficeInstallation) -> None:
    soffice = tmp_path / "soffice"
    soffice.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 600\n", "utf-8")
    soffice.chmod(0o755)
    engine = OfficeEngine(OfficeInstallation(soffice, office.python), tmp_path, Limits(start_seconds=1))
    with pytest.raises(ExtractError, match="no connection to LibreOffice in time") as error:
        engine.convert(RTF)
    assert error.value.reason is Reason.NEEDS_OFFICE
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert wait_until(lambda: all(map(is_pid_gone, pids)))
    engine.close()


@pytest.mark.parametrize(("code", "count"), [(0, 1), (1, 1), (81, 4)])
def test_a_libreoffice_that_ends_is_started_again_if_it_asks_for_that(
    tmp_path: Path, office: OfficeInstallation, code: int, count: int
) -> None:
    soffice = tmp_path / "soffice"
    soffice.write_text(f"#!/bin/sh\necho >> {tmp_path}/runs\nexit {code}\n", "utf-8")
    soffice.chmod(0o755)
    engine = OfficeEngine(OfficeInstallation(soffice, office.python), tmp_path)
    with pytest.raises(ExtractError, match=f"ended with code {code}"):
        engine.convert(RTF)
    assert len((tmp_path / "runs").read_text()) == 2 * count
    engine.close()
    assert os.listdir(tmp_path).count("runs") == 1
