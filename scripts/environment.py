"""Makes the project's own environment ``.venv``: ``python scripts/environment.py [FOLDER]``.

Runs under whatever Python a machine has, before anything is installed: standard library alone, and no syntax newer than
Python 3.6, so that an older Python is told what to do instead of stopping at a syntax error.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 11)
STAMP = ".installed"
"""The file in the environment that is written last: it is as new as the newest complete installation."""


def complaint(version: "tuple[int, int]", modules: "list[str]", executable: str) -> str:
    """Why this Python cannot serve, as a sentence with what to install, or "".

    ``version`` is (major, minor), ``modules`` the names among venv and ensurepip that it has.
    """
    oldest = "{}.{}".format(*OLDEST)
    own = "{}.{}".format(*version)
    if version < OLDEST:
        return (
            f"tebunko needs Python {oldest} or newer, and {executable} is Python {own}. Install a newer one (Debian, "
            f"Ubuntu: apt install python3 python3-venv; Windows, macOS: python.org) and name it: make run PYTHON=python{oldest}"
        )
    missing = [name for name in ("venv", "ensurepip") if name not in modules]
    if missing:
        return (
            f"{executable} comes without {' and '.join(missing)}, which making an environment needs. Install it (Debian, "
            f"Ubuntu: apt install python3-venv, or python{own}-venv for a second Python) and try again, or name another "
            f"Python: make run PYTHON=/path/to/python3"
        )
    return ""


def available_modules() -> "list[str]":
    """Which of venv and ensurepip this Python has; Debian ships the first without the second."""
    found = []
    for name in ("venv", "ensurepip"):
        try:
            __import__(name)
        except ImportError:
            continue
        found.append(name)
    return found


def python_of(folder: str) -> str:
    """The path of the Python inside an environment."""
    parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(folder, *parts)


def build(folder: str) -> None:
    """Makes the environment anew and installs the locked requirements and the project (editable) into it.

    Raises subprocess.CalledProcessError if a step fails; the stamp is then absent, so the next try starts over.
    """
    pip = [python_of(folder), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    locked = os.path.join(ROOT, "requirements-dev.txt")
    subprocess.check_call([sys.executable, "-m", "venv", "--clear", folder])
    subprocess.check_call([*pip, "--requirement", locked])
    # The build tools are in the lock too, so nothing unlocked is fetched for the build.
    subprocess.check_call([*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT])
    with open(os.path.join(folder, STAMP), "w"):
        pass


def main(arguments: "list[str]") -> int:
    """Entry point; returns the exit code: 0, or 1 after a sentence on what is missing."""
    problem = complaint((sys.version_info[0], sys.version_info[1]), available_modules(), sys.executable)
    if problem:
        sys.stderr.write(problem + "\n")
        return 1
    folder = os.path.abspath(arguments[0]) if arguments else os.path.join(ROOT, ".venv")
    sys.stderr.write(f"Setting up {folder} (about a minute, only when the requirements changed)\n")
    try:
        build(folder)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"This step failed: {' '.join(error.cmd)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
