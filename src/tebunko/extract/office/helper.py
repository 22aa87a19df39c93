"""Drives one LibreOffice for `tebunko.extract.office.engine`; run as a program, never imported by it.

It runs under LibreOffice's own Python or a system's, so it keeps to Python 3.5, imports nothing of ours and
leaves every decision to the engine. JSON objects, one a line: from standard input
``{"start": {soffice, arguments, url, seconds, leftovers, own_group}}`` and then any number of
``{"convert": {source, target, filter, options, refused, exports}}``; to standard output one answer to each:
``{"ready": pid}``, ``{"done": extension, "filter": name}`` or ``{"failed": what, "detail": text}`` with *what* one of
start, password, load, kind, store, died. When standard input ends, LibreOffice is killed and so is this process;
when LibreOffice ends, this process says so and ends as well.
"""

# ruff: noqa: UP006, UP031, UP035 - newer ways to write these are not known to Python 3.5

import ctypes
import importlib
import json
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List

RESTART_CODES = (79, 81)
"""With these codes LibreOffice asks to be started again; it does so when it has set up a new profile."""

MOST_STARTS = 4
POLL_SECONDS = 0.05
PR_SET_PDEATHSIG = 1
JOB_KILL_ON_CLOSE = 0x2000
JOB_EXTENDED_LIMITS = 9
"""JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE and JobObjectExtendedLimitInformation of winnt.h."""

PASSWORD = "XInteractionPassword"
ANSWERS = (PASSWORD, "XInteractionAbort", "XInteractionDisapprove", "XInteractionApprove")
"""Answers to LibreOffice's questions in the order in which they are looked for; a password is noted, not given."""

Settings = Dict[str, Any]


class Refused(Exception):
    """Why a start or a conversion came to nothing: `what` is a word of the protocol."""

    def __init__(self, what: str, detail: object) -> None:
        super().__init__(what, detail)
        self.answer = {"failed": what, "detail": str(detail)[:1000]}


class Office:
    """One running LibreOffice and the connection to it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process = None  # type: Any
        self._uno = None  # type: Any
        self._desktop = None  # type: Any
        self._ending = threading.Lock()

    def start(self) -> int:
        """Starts and connects; gives LibreOffice's process id. Raises Refused("start")."""
        end = time.monotonic() + self._settings["seconds"]
        try:
            self._uno = importlib.import_module("uno")
            resolver = _service(self._uno.getComponentContext(), "com.sun.star.bridge.UnoUrlResolver")
        except Exception as error:
            raise Refused("start", error) from error
        for _ in range(MOST_STARTS):
            self._process = _launch(self._settings)
            context = self._connect(resolver, end)
            if context is not None:
                self._desktop = _service(context, "com.sun.star.frame.Desktop")
                return int(self._process.pid)
            if self._process.returncode not in RESTART_CODES:
                break
        raise Refused("start", "LibreOffice ended with code %s" % self._process.returncode)

    def _connect(self, resolver: Any, end: float) -> Any:
        """The office's component context; None if it ended. Raises Refused("start") when the time is over."""
        while self._process.poll() is None:
            try:
                return resolver.resolve(self._settings["url"])
            except Exception as error:
                if time.monotonic() > end:
                    raise Refused("start", "no connection to LibreOffice in time: %s" % error) from error
            time.sleep(POLL_SECONDS)
        return None

    def wait(self) -> int:
        """Waits until LibreOffice has ended; gives its exit code (POSIX: minus the signal)."""
        return int(self._process.wait())

    def convert(self, order: Settings) -> Settings:
        """Loads, stores and closes one document. Raises Refused."""
        asked = []  # type: List[str]
        document = self._load(order, asked)
        try:
            used = {p.Name: p.Value for p in document.getArgs()}.get("FilterName", "")
            if used in order["refused"]:
                raise Refused("kind", "LibreOffice takes it for plain text")
            for service, name, extension in order["exports"]:
                if document.supportsService(service):
                    self._store(document, order["target"] + extension, name)
                    return {"done": extension, "filter": used}
            raise Refused("kind", "it is no text, sheet or presentation")
        finally:
            _close(document)

    def _load(self, order: Settings, asked: List[str]) -> Any:
        values = [
            ("Hidden", True),
            ("ReadOnly", True),
            ("MacroExecutionMode", self._number("com.sun.star.document.MacroExecMode.NEVER_EXECUTE")),
            ("UpdateDocMode", self._number("com.sun.star.document.UpdateDocMode.NO_UPDATE")),
            ("InteractionHandler", _refuser(self._uno, asked)),
        ]
        for name, value in (("FilterName", order["filter"]), ("FilterOptions", order["options"])):
            if value:
                values.append((name, value))
        try:
            document = self._desktop.loadComponentFromURL(order["source"], "_blank", 0, self._properties(values))
        except Exception as error:
            self._check_alive()
            document, asked = None, [*asked, str(error)]
        if document is None:
            raise Refused("password" if PASSWORD in asked else "load", "; ".join(asked) or "LibreOffice cannot load it")
        return document

    def _store(self, document: Any, url: str, name: str) -> None:
        try:
            document.storeToURL(url, self._properties([("FilterName", name), ("Overwrite", True)]))
        except Exception as error:
            self._check_alive()
            raise Refused("store", error) from error

    def _check_alive(self) -> None:
        """Raises Refused("died") if the connection is gone: then an error says nothing about the document."""
        try:
            self._desktop.getImplementationName()
        except Exception as error:
            raise Refused("died", "LibreOffice ended") from error

    def _properties(self, values: Any) -> Any:
        properties = []
        for name, value in values:
            one = self._uno.createUnoStruct("com.sun.star.beans.PropertyValue")
            one.Name, one.Value = name, value
            properties.append(one)
        return tuple(properties)

    def _number(self, constant: str) -> Any:
        return self._uno.getConstantByName(constant)

    def end(self, answer: Any = None) -> None:
        """Says ``answer`` if there is one, then ends LibreOffice, what is left of it, and this process. Never returns."""
        self._ending.acquire()
        try:
            if answer is not None:
                _say(answer)
        finally:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            for path in self._settings.get("leftovers", ()):
                _remove(path)
            if sys.platform != "win32" and self._settings.get("own_group"):
                os.killpg(0, signal.SIGKILL)
            os._exit(0)


def _service(context: Any, name: str) -> Any:
    return context.ServiceManager.createInstanceWithContext(name, context)


def _refuser(uno: Any, asked: List[str]) -> Any:
    """An interaction handler that notes in ``asked`` what LibreOffice wants to know and cancels whatever it can.

    It tells a question by the answers that are offered: not every version of pyuno can hand on the question itself.
    """
    base = importlib.import_module("unohelper").Base
    interface = uno.getClass("com.sun.star.task.XInteractionHandler")

    def handle(_: Any, request: Any) -> None:
        offered = request.getContinuations()
        for name in ANSWERS:
            kind = uno.getTypeByName("com.sun.star.task." + name)
            for answer in offered:
                if answer.queryInterface(kind) is not None:
                    if name == PASSWORD:
                        asked.append(name)
                        break
                    answer.select()
                    return

    return type("Refuser", (base, interface), {"handle": handle})()


def _close(document: Any) -> None:
    try:
        document.close(True)
    except Exception:
        # One that is still busy goes with the office, which does not live for long; if the office died it is gone.
        pass


def _launch(settings: Settings) -> Any:
    """Starts LibreOffice with nothing of our pipes; on Linux it dies with this process, whatever ends that."""
    command = [settings["soffice"]] + settings["arguments"]
    if sys.platform.startswith("linux"):
        command = [sys.executable, os.path.abspath(__file__), "--launch", str(os.getpid()), *command]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)


def _become(parent: int, command: List[str]) -> None:
    """Ties this process to its parent and becomes ``command``: the tie outlives the exec (prctl(2))."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() == parent:
        os.execv(command[0], command)


def _tie_children() -> None:
    """On Windows: puts this process and all that it starts into a job that ends with it."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
        job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        limits = struct.pack("@qqLPPLPLL6Q4P", 0, 0, JOB_KILL_ON_CLOSE, *[0] * 16)
        kernel.SetInformationJobObject(job, JOB_EXTENDED_LIMITS, limits, len(limits))
        kernel.AssignProcessToJobObject(job, ctypes.c_void_p(kernel.GetCurrentProcess()))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


_speech = threading.Lock()


def _say(answer: Settings) -> None:
    line = json.dumps(answer).encode("ascii") + b"\n"
    with _speech:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def _watch_input(office: Office, orders: Any) -> None:
    """Hands on orders until the engine is gone, and then ends everything, whatever is under way."""
    try:
        for line in iter(sys.stdin.buffer.readline, b""):
            orders.put(json.loads(line.decode("ascii")))
    finally:
        office.end()


def _watch_office(office: Office) -> None:
    code = office.wait()
    office.end({"failed": "died", "detail": "LibreOffice ended with code %s" % code})


def _start_thread(target: Any, *arguments: Any) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _serve(office: Office, orders: Any) -> None:
    """Starts the office and converts what is ordered; returns only if the start fails, raises if nobody listens."""
    try:
        _say({"ready": office.start()})
    except Refused as refusal:
        _say(refusal.answer)
        return
    _start_thread(_watch_office, office)
    while True:
        try:
            answer = office.convert(orders.get()["convert"])
        except Refused as refusal:
            answer = refusal.answer
        except Exception as error:
            answer = {"failed": "died", "detail": str(error)[:1000]}
        _say(answer)


def main() -> None:
    """Starts the office as the first line says and converts until the input ends."""
    os.umask(0o077)
    _tie_children()
    settings = json.loads(sys.stdin.buffer.readline().decode("ascii") or '{"start": {}}')["start"]
    office = Office(settings)
    orders = queue.Queue()  # type: Any
    _start_thread(_watch_input, office, orders)
    try:
        _serve(office, orders)
    finally:
        office.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        _become(int(sys.argv[2]), sys.argv[3:])
    else:
        main()
