"""Opens a document with an application of the system, in a process of its own that outlives ours."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

from tebunko.model.kinds import PDF_EXTENSIONS, FileKind, extension_of, kind_of
from tebunko.search.applications import SYSTEM_DEFAULT, Desktop, Opening, arguments_of
from tebunko.store.fs import make_private_folder

_QUERY_SECONDS = 5.0
_KEPT_SECONDS = 24 * 3600.0
_OFFICE = "application/vnd.openxmlformats-officedocument"
_TYPES = {
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    ".xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    ".xls": "application/vnd.ms-excel",
    ".pdf": "application/pdf",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".docm": "application/vnd.ms-word.document.macroEnabled.12",
    ".doc": "application/msword",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    ".ppt": "application/vnd.ms-powerpoint",
}


def launch(opening: Opening) -> None:
    """Opens it and does not wait. Raises UserError if there is no application, OSError if it does not start."""
    arguments = arguments_of(opening, Desktop(sys.platform, shutil.which, _default_application(opening)))
    if arguments is SYSTEM_DEFAULT and sys.platform == "win32":
        os.startfile(opening.path)
        return
    quiet = subprocess.DEVNULL
    subprocess.Popen(list(arguments), stdin=quiet, stdout=quiet, stderr=quiet, close_fds=True, start_new_session=True)


def _default_application(opening: Opening) -> str:
    """The desktop entry that opens documents of this type; "" if nobody says, or it would make no difference."""
    extension = extension_of(opening.path)
    needed = kind_of(opening.path) is FileKind.EXCEL or extension in PDF_EXTENSIONS or opening.read_only
    program = shutil.which("xdg-mime") if sys.platform not in ("win32", "darwin") else None
    if not needed or program is None or extension not in _TYPES or opening.is_script:
        return ""
    try:
        done = subprocess.run(
            [program, "query", "default", _TYPES[extension]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_QUERY_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def private_copy(path: str, folder: Path) -> str:
    """A copy of a document without the right to write it, in a folder of its own below ``folder``, which only its owner enters.

    Copies of more than a day ago are deleted. Raises OSError.
    """
    make_private_folder(folder)
    _delete_old(folder)
    place = folder / uuid4().hex
    make_private_folder(place)
    copy = place / os.path.basename(path)
    shutil.copyfile(path, copy)
    copy.chmod(stat.S_IRUSR)
    return str(copy)


def _delete_old(folder: Path) -> None:
    limit = time.time() - _KEPT_SECONDS
    for entry in list(folder.iterdir()):
        try:
            if entry.is_dir() and entry.stat().st_mtime < limit:
                for copy in entry.iterdir():
                    copy.chmod(stat.S_IRUSR | stat.S_IWUSR)
                shutil.rmtree(entry)
        except OSError:
            continue  # still open somewhere: next time
