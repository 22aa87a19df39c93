"""What the figures were measured on."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from bench.peers import find_ripgrep


def describe() -> list[tuple[str, str]]:
    """The machine and the versions of everything measured, as (name, value); names nobody's computer."""
    memory = psutil.virtual_memory().total / 2**30
    programs = {
        "recollindex": shutil.which("recollindex") and _first_version([str(shutil.which("recollindex")), "-v"]),
        "omindex": shutil.which("omindex") and _first_version([str(shutil.which("omindex")), "--version"]),
        "ripgrep": find_ripgrep() and _first_version([str(find_ripgrep()), "--version"]),
        "python-calamine": _package("python-calamine"),
        "tebunko": _package("tebunko"),
    }
    return [
        ("system", f"{platform.system()} {platform.machine()}"),
        ("processor", f"{_processor()}, {psutil.cpu_count()} logical cores"),
        ("memory", f"{memory:.0f} GiB"),
        ("Python", platform.python_version()),
        ("programs", ", ".join(f"{name} {number}" for name, number in programs.items() if number)),
    ]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        match = re.search(r"^model name\s*:\s*(.+)$", info.read_text(errors="replace"), re.MULTILINE)
        if match:
            return match[1]
    return platform.processor() or "unknown processor"


def _first_version(command: list[str]) -> str | None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    match = re.search(rb"\d+(?:\.\d+)+", done.stdout + done.stderr)
    return match[0].decode() if match else None


def _package(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
