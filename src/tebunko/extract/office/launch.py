"""What is decided about a start of LibreOffice: its arguments, its environment, what it leaves behind if killed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

from tebunko.extract.office.installation import OfficeInstallation, python_environment

_ARGUMENTS = ("--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nofirststartwizard")

_DISPLAYS = frozenset({"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"})

_PIPE_FOLDER = "/tmp"
"""Where LibreOffice has its pipes on POSIX systems, whatever TMPDIR says."""


def program_of(installation: OfficeInstallation, system: str = sys.platform) -> Path:
    """What to start: on Linux the program behind the starter scripts, so that it is our own child and dies with us.

    The helper does what the starter would: it starts the program again when it asks for that.
    """
    program = installation.soffice.resolve().with_name("soffice.bin")
    return program if system == "linux" and program.is_file() else installation.soffice


def arguments_of(profile: Path, pipe: str) -> list[str]:
    """LibreOffice's arguments for a profile folder of its own and a pipe of that name to listen on."""
    return [
        f"-env:UserInstallation={profile.as_uri()}",
        *_ARGUMENTS,
        f"--accept=pipe,name={pipe};urp;StarOffice.ComponentContext",
    ]


def url_of(pipe: str) -> str:
    """Where the helper finds the LibreOffice that listens on that pipe."""
    return f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext"


def leftovers_of(profile: Path, pipe: str, user: int | None) -> list[str]:
    """The sockets that a killed LibreOffice leaves; none where pipes are no files (``user`` None).

    One is the pipe, the other tells a second start that this profile is in use: it is named by the MD5 of the profile's
    URL in UTF-16, each byte in hexadecimal without a leading zero.
    """
    if user is None:
        return []
    digest = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    names = (pipe, "SingleOfficeIPC_" + "".join(f"{byte:x}" for byte in digest))
    return [f"{_PIPE_FOLDER}/OSL_PIPE_{user}_{name}" for name in names]


def environment_of(environment: Mapping[str, str], temporary: Path) -> dict[str, str]:
    """The environment of helper and LibreOffice: no display, no media players, temporary files in a folder of ours.

    With GStreamer's plug-ins LibreOffice would wait up to 20 seconds for the first picture of each film.
    """
    kept = {k: v for k, v in python_environment(environment).items() if k not in _DISPLAYS}
    folders = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary))
    players = {"GST_PLUGIN_SYSTEM_PATH_1_0": "", "GST_REGISTRY_1_0": str(temporary / "gstreamer-registry")}
    return kept | folders | players | {"SAL_USE_VCLPLUGIN": "svp"}
