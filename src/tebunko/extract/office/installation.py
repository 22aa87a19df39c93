"""Where LibreOffice is on this machine, and which Python can talk to it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

PROBE_SECONDS = 20.0
"""How long one Python may take to show that it knows ``uno``: the first start after an installation is slow."""


@dataclass(frozen=True, slots=True)
class OfficeInstallation:
    """A LibreOffice: its program ``soffice``, and a Python that imports ``uno`` (for `tebunko.extract.office.helper`)."""

    soffice: Path
    python: Path


@functools.cache
def find_office(configured: str | None = None) -> OfficeInstallation | None:
    """The LibreOffice of this machine, or None if there is none or no Python that can drive it.

    ``configured`` (the setting ``officePath``) is the program soffice or a folder that it lies in; if it is given nothing
    else is looked at. Asks a few Pythons, each at most `PROBE_SECONDS`, once per process.
    """
    places = configured_programs(configured) if configured else _known_programs()
    for soffice in map(Path, places):
        if not soffice.is_file() or not os.access(soffice, os.X_OK):
            continue
        for python in python_candidates(soffice.resolve(), sys.platform, _system_pythons()):
            if Path(python).is_file() and knows_uno(Path(python)):
                return OfficeInstallation(soffice, Path(python))
    return None


def configured_programs(configured: str) -> Iterator[str]:
    """Where the program may be if the setting names it or its folder, its installation's root, or an app bundle."""
    yield configured
    root = PurePath(configured)
    for folder in (root, root / "program", root / "Contents" / "MacOS"):
        for name in ("soffice", "soffice.exe"):
            yield str(folder / name)


def _known_programs() -> Iterator[str]:
    yield from registered_programs() if sys.platform == "win32" else ()
    for name in ("soffice", "libreoffice"):
        if found := shutil.which(name):
            yield found
    yield from usual_programs(sys.platform, os.environ)
    if sys.platform == "linux":
        # Packages from libreoffice.org install each version into a folder of its own; the newest comes first.
        yield from sorted(map(str, Path("/opt").glob("libreoffice*/program/soffice")), reverse=True)


def usual_programs(system: str, environment: Mapping[str, str]) -> list[str]:
    r"""Where installers put the program, for a ``sys.platform`` and the environment's variables.

    >>> usual_programs("win32", {"ProgramFiles": "C:\\Program Files"})
    ['C:\\Program Files\\LibreOffice\\program\\soffice.exe']
    """
    if system == "win32":
        roots = (environment.get(name) for name in ("ProgramW6432", "ProgramFiles", "ProgramFiles(x86)"))
        programs = dict.fromkeys(root for root in roots if root)
        return [str(PureWindowsPath(root, "LibreOffice", "program", "soffice.exe")) for root in programs]
    if system == "darwin":
        homes = ["/", *filter(None, [environment.get("HOME")])]
        bundle = "Applications/LibreOffice.app/Contents/MacOS/soffice"
        return [str(PurePosixPath(home, bundle)) for home in homes]
    folders = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt")
    return [f"{folder}/libreoffice/program/soffice" for folder in folders]


def python_candidates(soffice: PurePath, system: str, others: Iterable[str]) -> list[str]:
    """Pythons to ask, in this order: the one that comes with the program, which ``soffice`` really is, then ``others``.

    >>> python_candidates(PurePosixPath("/opt/lo/program/soffice"), "linux", ["/usr/bin/python3"])
    ['/opt/lo/program/python', '/usr/bin/python3']
    """
    folder = soffice.parent
    if system == "win32":
        own = [folder / "python.exe"]
    elif system == "darwin":
        own = [folder.parent / "Resources" / "python", folder / "python"]
    else:
        own = [folder / "python"]
    return list(dict.fromkeys([*map(str, own), *others]))


def _system_pythons() -> list[str]:
    """The system's own Python comes first, for which distributions package ``uno``; then what the path names, then ours."""
    if sys.platform == "win32":
        return []
    named = (shutil.which("python3"), sys.executable, getattr(sys, "_base_executable", None))
    return ["/usr/bin/python3", *filter(None, named)]


def knows_uno(python: Path, seconds: float = PROBE_SECONDS) -> bool:
    """True if that Python imports ``uno`` within the time."""
    try:
        done = subprocess.run(
            [str(python), "-c", "import uno"],
            env=python_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def python_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for another Python: what steers ours (PYTHONPATH, PYTHONHOME, a virtual environment) is left out.

    >>> python_environment({"PATH": "/bin", "PYTHONPATH": "/x", "VIRTUAL_ENV": "/v"})
    {'PATH': '/bin', 'PYTHONNOUSERSITE': '1', 'PYTHONDONTWRITEBYTECODE': '1'}
    """
    kept = {k: v for k, v in environment.items() if not k.upper().startswith("PYTHON") and k != "VIRTUAL_ENV"}
    return kept | {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}


if sys.platform == "win32":
    import winreg

    def registered_programs() -> Iterator[str]:
        """Where the installer says in the registry that the program is."""
        key = r"SOFTWARE\LibreOffice\UNO\InstallPath"
        for hive in (winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE):
            for view in (winreg.KEY_WOW64_64KEY, winreg.KEY_WOW64_32KEY):
                try:
                    with winreg.OpenKey(hive, key, access=winreg.KEY_READ | view) as opened:
                        folder = str(winreg.QueryValueEx(opened, "")[0])
                except OSError:
                    continue
                yield str(PureWindowsPath(folder, "soffice.exe"))

else:

    def registered_programs() -> Iterator[str]:
        """Nowhere: there is no registry here."""
        return iter(())
