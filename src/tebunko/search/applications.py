"""With what a document is opened, as a list of arguments; no text of a document ever passes through a shell.

Pure but for what it is told of the system. The system's own choice of an application is respected: only where that is known to
take a page or a cell is it called by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

from tebunko.model.errors import UserError
from tebunko.search.open_source import Spot

Which = Callable[[str], str | None]
"""Finds a program by name, as `shutil.which` does."""

_EDITORS = (
    "gnome-text-editor",
    "gedit",
    "kate",
    "kwrite",
    "xed",
    "pluma",
    "mousepad",
    "featherpad",
    "leafpad",
    "l3afpad",
)
_WINDOWS_EDITOR = r"C:\Windows\System32\notepad.exe"
# Desktop entries of viewers by the beginning of their names; {page} counts from 1, {path} and {url} are the document.
_PAGED: tuple[tuple[str, Sequence[str]], ...] = (
    ("org.gnome.Evince", ("evince", "--page-index={page}", "{path}")),
    ("evince", ("evince", "--page-index={page}", "{path}")),
    ("org.gnome.Papers", ("papers", "--page-index={page}", "{path}")),
    ("atril", ("atril", "--page-index={page}", "{path}")),
    ("xreader", ("xreader", "--page-index={page}", "{path}")),
    ("okularApplication_pdf", ("okular", "--page={page}", "{path}")),
    ("org.kde.okular", ("okular", "--page={page}", "{path}")),
    ("org.pwmt.zathura", ("zathura", "--page={page}", "{path}")),
    ("mupdf", ("mupdf", "{path}", "{page}")),
    ("qpdfview", ("qpdfview", "{path}#{page}")),
    ("firefox", ("firefox", "{url}#page={page}")),
    ("google-chrome", ("google-chrome", "{url}#page={page}")),
    ("chromium", ("chromium", "{url}#page={page}")),
    ("microsoft-edge", ("microsoft-edge", "{url}#page={page}")),
)


@dataclass(frozen=True, slots=True)
class Opening:
    """What is to be opened: an absolute path, where in it, and whether it is a script or must not be changed."""

    path: str
    spot: Spot
    is_script: bool = False
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Desktop:
    """The system: ``platform`` as `sys.platform`, how programs are found, and the desktop entry of a document's application.

    ``default`` is "" where that is not known; it matters on desktops of freedesktop.org only.
    """

    platform: str
    which: Which
    default: str = ""


SYSTEM_DEFAULT: tuple[str, ...] = ()
"""Instead of arguments: Windows opens it by itself (`os.startfile`)."""


def arguments_of(opening: Opening, desktop: Desktop) -> Sequence[str]:
    """The program and its arguments, or `SYSTEM_DEFAULT`. Raises UserError if there is nothing to open it with.

    A script is only ever given to a plain editor.
    """
    if opening.is_script:
        return _editor(opening.path, desktop)
    if desktop.platform == "win32":
        return SYSTEM_DEFAULT
    if desktop.platform == "darwin":
        return ("/usr/bin/open", opening.path)
    return _at_spot(opening, desktop) or _by_system(opening.path, desktop)


def _editor(path: str, desktop: Desktop) -> Sequence[str]:
    if desktop.platform == "win32":
        return (_WINDOWS_EDITOR, path)
    if desktop.platform == "darwin":
        return ("/usr/bin/open", "-e", path)
    for name in _EDITORS:
        if program := desktop.which(name):
            return (program, path)
    raise UserError(
        "There is no plain editor here, and “{path}” is a script, which is never opened otherwise.", path=path
    )


def _by_system(path: str, desktop: Desktop) -> Sequence[str]:
    program = desktop.which("xdg-open")
    if program is None:
        raise UserError("There is no xdg-open here to open “{path}” with.", path=path)
    return (program, path)


def _at_spot(opening: Opening, desktop: Desktop) -> Sequence[str] | None:
    url = PurePath(opening.path).as_uri()
    if desktop.default.startswith("libreoffice"):
        program = desktop.which("soffice") or desktop.which("libreoffice")
        return None if program is None else (program, *(["--view"] * opening.read_only), url + _jump(opening.spot))
    if opening.spot.page is None:
        return None
    for entry, pattern in _PAGED:
        if desktop.default.startswith(entry) and (program := desktop.which(pattern[0])):
            return (program, *_filled(pattern[1:], opening.path, url, opening.spot.page))
    return None


def _filled(pattern: Sequence[str], path: str, url: str, page: int) -> list[str]:
    # One replacement each, so that a path with braces in it is not looked into.
    gaps = {"{path}": path, "{url}": url}
    filled = []
    for argument in pattern:
        gap = next((gap for gap in gaps if argument.startswith(gap)), "")
        filled.append(gaps.get(gap, "") + argument[len(gap) :].replace("{page}", str(page)))
    return filled


def _jump(spot: Spot) -> str:
    """The mark with which LibreOffice goes to a cell: ``#'sheet'.B13``.

    >>> _jump(Spot(sheet="a'b", cell="B13")), _jump(Spot(page=2))
    ('#%27a%27%27b%27.B13', '')
    """
    if spot.sheet is None or spot.cell is None:
        return ""
    name = spot.sheet.replace("'", "''")
    return "#" + quote(f"'{name}'.{spot.cell}", errors="surrogatepass")
