"""Documents that point elsewhere cause no connection, and their macros do not run; without our settings they would."""

from __future__ import annotations

import io
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tebunko.extract.office import engine as engine_module
from tebunko.extract.office.engine import HELPER, OfficeEngine
from tebunko.extract.office.installation import OfficeInstallation
from tebunko.extract.office.user_profile import write_profile
from tebunko.extract.source import Source, source_of
from tests.extract.remote_documents import DOCUMENTS, open_document_with_macro


class Listener:
    """A server on a local port that notes the first line of whatever comes, and turns it away."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._server.accept()
            with connection:
                connection.settimeout(10)
                self.heard.append(connection.recv(1000).partition(b"\r\n")[0])
                if self.heard[-1] == b"end":
                    return
                connection.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    def close(self) -> list[bytes]:
        """Stops and gives what was heard: connections are served in order, so all that came before are in it."""
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"end\r\n")
            self._thread.join(60)
        self._server.close()
        return self.heard[:-1]


@pytest.fixture
def engine(office: OfficeInstallation, tmp_path: Path) -> Iterator[OfficeEngine]:
    """An engine as it is."""
    engine = OfficeEngine(office, tmp_path)
    yield engine
    engine.close()


@pytest.fixture
def careless(office: OfficeInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OfficeEngine]:
    """An engine with factory settings but for the lowest level of macro security, that lets macros run."""
    lowest = [("/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", 0)]
    monkeypatch.setattr(engine_module, "write_profile", lambda folder: write_profile(folder, lowest))
    allowing = HELPER.read_text("utf-8").replace("NEVER_EXECUTE", "ALWAYS_EXECUTE_NO_WARN")
    engine = OfficeEngine(office, tmp_path, helper=showing(allowing, tmp_path))
    yield engine
    engine.close()


def showing(helper: str, folder: Path) -> Path:
    """A helper that does not load documents hidden: LibreOffice calls the macros of shown ones alone."""
    path = folder / "helper.py"
    path.write_text(helper.replace('("Hidden", True)', '("Hidden", False)'), "utf-8")
    return path


def text_of(source: Source) -> str:
    with zipfile.ZipFile(io.BytesIO(source.read())) as package:
        return "".join(package.read(name).decode("utf-8", "replace") for name in package.namelist())


def convert_all(engine: OfficeEngine, documents: dict[str, Callable[[str], bytes]], scheme: str) -> list[bytes]:
    """Converts documents that point at a listener; gives what that heard."""
    listener = Listener()
    for name, make in documents.items():
        data = make(f"{scheme}://127.0.0.1:{listener.port}")
        assert "words of" in text_of(engine.convert(source_of(name, data)))
    return listener.close()


def test_no_document_makes_libreoffice_connect(engine: OfficeEngine) -> None:
    for scheme in ("http", "https", "ftp", "vnd.sun.star.webdav"):
        assert convert_all(engine, DOCUMENTS, scheme) == [], scheme


def test_no_macro_runs_even_in_a_shown_document(office: OfficeInstallation, tmp_path: Path) -> None:
    engine = OfficeEngine(office, tmp_path, helper=showing(HELPER.read_text("utf-8"), tmp_path))
    trace = tmp_path / "trace"
    assert "words of" in text_of(engine.convert(source_of("a.doc", open_document_with_macro(trace.as_uri()))))
    engine.close()
    assert not trace.exists()


def test_without_our_settings_it_would_connect_and_run_macros(careless: OfficeEngine, tmp_path: Path) -> None:
    some = {name: DOCUMENTS[name] for name in ("page.doc", "new.docx")}
    heard = b"\n".join(convert_all(careless, some, "http"))
    for target in (b"GET /a.css", b"GET /bg.png", b"GET /i.png"):
        assert target in heard
    trace = tmp_path / "trace"
    careless.convert(source_of("a.doc", open_document_with_macro(trace.as_uri())))
    assert trace.exists()
