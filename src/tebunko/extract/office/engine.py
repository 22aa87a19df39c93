"""Converts files that no reader here can read to OOXML with LibreOffice, one at a time, and survives its every mood."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tebunko.extract.office.conversions import EXPORTS, PLAIN_TEXT_FILTERS, Opening, converted_name, opening_of
from tebunko.extract.office.helper_process import Answer, HelperEnded, HelperProcess, OutOfTime
from tebunko.extract.office.installation import OfficeInstallation
from tebunko.extract.office.launch import arguments_of, environment_of, leftovers_of, program_of, url_of
from tebunko.extract.office.user_profile import write_profile
from tebunko.extract.source import IN_MEMORY_BYTES, Source
from tebunko.model.errors import ExtractError, Reason

HELPER = Path(__file__).with_name("helper.py")

_ATTEMPTS = 2
_LEAST_FREE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in seconds of a start and of one conversion, and the number of files after which it is started anew.

    ``grace_seconds`` is how much longer than LibreOffice's start the helper may take to say that it failed.
    """

    start_seconds: float = 60.0
    convert_seconds: float = 600.0
    files: int = 100
    grace_seconds: float = 5.0


class OfficeEngine:
    """One LibreOffice of our own: started when the first file comes, restarted after so many files and every failure.

    Use it from one thread, and `close` it. It ends with this process however that ends: the helper between notices.
    ``limits`` may be replaced between two files. ``work_folder`` holds a folder of ours with profile, copies and LibreOffice's temporary files, gone after `close`.
    """

    def __init__(
        self,
        installation: OfficeInstallation,
        work_folder: Path,
        limits: Limits = Limits(),
        helper: Path = HELPER,
    ) -> None:
        self._installation = installation
        self._work_folder = work_folder
        self.limits = limits
        self._script = helper
        self._folder: Path | None = None
        self._helper: HelperProcess | None = None
        self._leftovers: list[str] = []
        self._converted = 0
        self._starts = 0
        self._refusal: ExtractError | None = None

    @property
    def process_id(self) -> int | None:
        """The helper's process id, which is its process group's too on POSIX systems; None if nothing runs."""
        return self._helper.process_id if self._helper else None

    def convert(self, source: Source) -> Source:
        """What the file becomes: OOXML under the same name with the new extension.

        A result over `IN_MEMORY_BYTES` lies in a file that lives until the next call. Raises ExtractError: PASSWORD,
        RIGHTS, DAMAGED (LibreOffice refuses it, or died of it twice), TIME_LIMIT, UNREACHABLE (the disk is full), and
        NEEDS_OFFICE if LibreOffice cannot be started; then no file after it tries again.
        """
        if self._refusal is not None:
            raise self._refusal
        opening = opening_of(source)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._attempt(source, opening)
            except HelperEnded as error:
                self.stop()
                if attempt == _ATTEMPTS:
                    raise ExtractError(Reason.DAMAGED, error) from error
            except OutOfTime as error:
                self.stop()
                raise ExtractError(Reason.TIME_LIMIT) from error
            except OSError as error:
                self.stop()
                raise ExtractError(Reason.UNREACHABLE, error.strerror or error) from error
        raise AssertionError("unreachable")

    def stop(self) -> None:
        """Ends LibreOffice if it runs; the next file starts it anew."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.end()
        for path in self._leftovers:
            Path(path).unlink(missing_ok=True)
        self._leftovers = []

    def close(self) -> None:
        """Ends LibreOffice and removes our folder."""
        self.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _attempt(self, source: Source, opening: Opening) -> Source:
        helper = self._helper or self._start()
        folder = self._clear()
        copy = folder / f"source{opening.extension}"
        with source.open() as reader, copy.open("xb") as writer:
            shutil.copyfileobj(reader, writer, 1024 * 1024)
        order = {
            "source": copy.as_uri(),
            "target": (folder / "target").as_uri(),
            "filter": opening.filter,
            "options": opening.options,
            "refused": PLAIN_TEXT_FILTERS,
            "exports": EXPORTS,
        }
        answer = helper.ask({"convert": order}, self.limits.convert_seconds)
        return self._taken(source, folder, answer)

    def _taken(self, source: Source, folder: Path, answer: Answer) -> Source:
        """The result of an answer; counts it, and stops LibreOffice where it is due."""
        failed, detail = answer.get("failed"), str(answer.get("detail", ""))
        if failed == "died":
            raise HelperEnded(detail)
        if failed == "password":
            raise ExtractError(Reason.PASSWORD)
        extension = answer.get("done")
        if failed is not None or extension not in {known for _, _, known in EXPORTS}:
            full = failed == "store" and shutil.disk_usage(folder).free < _LEAST_FREE_BYTES
            self.stop()
            raise ExtractError(Reason.UNREACHABLE if full else Reason.DAMAGED, detail)
        result = folder / f"target{extension}"
        size = result.stat().st_size
        data = result.read_bytes() if size <= IN_MEMORY_BYTES else None
        self._converted += 1
        if self._converted >= self.limits.files:
            self.stop()
        name = converted_name(source.name, str(extension))
        return Source(name, size, source.mtime_ns, data, None if data is not None else result)

    def _start(self) -> HelperProcess:
        """Starts LibreOffice, with a new profile if it would not start with the one it had.

        Raises ExtractError(NEEDS_OFFICE).
        """
        for _ in range(_ATTEMPTS):
            try:
                return self._start_once()
            except (HelperEnded, OutOfTime, OSError) as error:
                self.stop()
                detail = str(error) or type(error).__name__
                if self._folder is not None:
                    shutil.rmtree(self._folder / "profile", ignore_errors=True)
        self._refusal = ExtractError(Reason.NEEDS_OFFICE, detail)
        raise self._refusal

    def _start_once(self) -> HelperProcess:
        folder = self._own_folder()
        profile, temporary = folder / "profile", folder / "temporary"
        if not profile.exists():
            write_profile(profile)
        temporary.mkdir(exist_ok=True)
        pipe = f"tebunko-{os.urandom(12).hex()}"
        self._leftovers = leftovers_of(profile, pipe, os.getuid() if hasattr(os, "getuid") else None)
        self._converted = 0
        command = [str(self._installation.python), str(self._script)]
        self._helper = HelperProcess(command, environment_of(os.environ, temporary), folder / "helper.log")
        order = {
            "soffice": str(program_of(self._installation)),
            "arguments": arguments_of(profile, pipe),
            "url": url_of(pipe),
            "seconds": self.limits.start_seconds,
            "leftovers": self._leftovers,
            "own_group": os.name == "posix",
        }
        answer = self._helper.ask({"start": order}, self.limits.start_seconds + self.limits.grace_seconds)
        if "ready" not in answer:
            raise HelperEnded(str(answer.get("detail", "")))
        return self._helper

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="office-", dir=self._work_folder)).resolve()
        return self._folder

    def _clear(self) -> Path:
        """The folder for one conversion, empty: LibreOffice may have left lock files or half a result."""
        folder = self._own_folder() / "conversion"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        return folder
