"""``python -m bench.fidelity FOLDER``: the words of .doc and .ppt files against those that LibreOffice shows.

LibreOffice makes a PDF of each file and pdftotext (poppler) takes the text from it, so that no reader of ours is in the
reference. A PDF breaks lines where the page ends and words where letters stand apart, so a line whose words are not
all there still counts if its letters, run together, are. Slide numbers are left out of the reference, and so are slides
with OLE objects: the preview of an object is a picture, and its text no text of the slide.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from tebunko.extract.powerpoint.ppt import presentation_stream
from tebunko.extract.powerpoint.ppt_objects import embedded_objects
from tebunko.extract.registry import extract
from tebunko.extract.source import Options, open_source
from tebunko.model.errors import ExtractError
from tebunko.model.place import PlaceKind

FEWEST_WORDS = 20
"""A file in which the reference has fewer words is left out of the pool."""

KEPT = Path(__file__).resolve().parents[1] / ".bench" / "fidelity"
"""Where PDFs are kept from run to run: LibreOffice takes minutes over a large folder."""

FILE_SECONDS = 60
BATCH = 12

_PAGES = "pdf:writer_pdf_Export"
_SLIDES = 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}'
_NOTES = (
    'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"},'
    '"ExportNotesPages":{"type":"boolean","value":"true"}}'
)
_NOT_ON_A_PAGE = frozenset({PlaceKind.COMMENT, PlaceKind.EMBEDDED})

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_IDEOGRAPHS}]|(?:(?![{_IDEOGRAPHS}])\\w)+")
_NO_LETTER = re.compile(r"[\W_]+")
_LETTERS_TO_COMPARE = 4


@dataclass(frozen=True, slots=True)
class Score:
    """One file: words of the reference and how many of them are ours, words of ours and how many the reference has.

    ``missing`` are reference words that we do not have, ``error`` why we refuse the file ("" if we read it).
    """

    file: str
    seconds: float
    theirs: int = 0
    theirs_found: int = 0
    ours: int = 0
    ours_found: int = 0
    missing: tuple[str, ...] = ()
    error: str = ""

    @property
    def recall(self) -> float:
        """The share of the reference's words that we have; 1 if it has none."""
        return self.theirs_found / self.theirs if self.theirs else 1.0

    @property
    def precision(self) -> float:
        """The share of our words that the reference has; 1 if we have none."""
        return self.ours_found / self.ours if self.ours else 1.0


def missing_programs() -> list[str]:
    """The programs of the reference that are not installed."""
    return [name for name in ("soffice", "pdftotext") if shutil.which(name) is None]


def measure(files: Sequence[Path], work: Path) -> list[Score]:
    """Scores of .doc and .ppt files, in their order; PDFs in ``work`` from an earlier run are taken again."""
    by_extension = {kind: [f for f in files if f.suffix.lower() == kind] for kind in (".doc", ".ppt")}
    pages = convert(by_extension[".doc"], work / "pages", _PAGES)
    slides = convert(by_extension[".ppt"], work / "slides", _SLIDES)
    notes = convert(by_extension[".ppt"], work / "notes", _NOTES)
    return [_score(f, _reference(f, pages, slides), _text_of(notes.get(f) or slides.get(f))) for f in files]


def pooled(scores: Iterable[Score], extension: str) -> tuple[float, float]:
    """Recall and precision over all files of an extension that we read and that have words enough."""
    pool = [s for s in scores if s.file.lower().endswith(extension) and not s.error and s.theirs >= FEWEST_WORDS]
    found, theirs = sum(s.theirs_found for s in pool), sum(s.theirs for s in pool)
    right, ours = sum(s.ours_found for s in pool), sum(s.ours for s in pool)
    return found / theirs if theirs else 1.0, right / ours if ours else 1.0


# --- the reference ---------------------------------------------------------------------------------------------------


def convert(files: Sequence[Path], folder: Path, filter_name: str) -> dict[Path, Path]:
    """PDFs by LibreOffice, some files at a time; those that take it down or too long with them are tried alone.

    What it cannot read leaves an empty file, so that the next run does not try again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = {file: folder / f"{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}.pdf" for file in files}
    waiting = [file for file in files if not made[file].exists()]
    for start in range(0, len(waiting), BATCH):
        _convert_some(waiting[start : start + BATCH], made, filter_name)
    for file in waiting:
        if not made[file].exists():
            _convert_some([file], made, filter_name)
        if not made[file].exists():
            made[file].touch()
    return {file: pdf for file, pdf in made.items() if pdf.stat().st_size}


def _convert_some(files: Sequence[Path], made: dict[Path, Path], filter_name: str) -> None:
    """Runs LibreOffice once, on copies named after their PDFs, which are named after the content of their files."""
    with tempfile.TemporaryDirectory() as name:
        inputs = [Path(name, made[file].stem + file.suffix) for file in files]
        for file, copy in zip(files, inputs, strict=True):
            copy.write_bytes(file.read_bytes())
        folder = made[files[0]].parent
        command = ["soffice", "--headless", "--norestore", f"-env:UserInstallation={Path(name, 'profile').as_uri()}"]
        command += ["--convert-to", filter_name, "--outdir", str(folder), *map(str, inputs)]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            process.wait(FILE_SECONDS + 5 * len(files))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _reference(file: Path, pages: Mapping[Path, Path], slides: Mapping[Path, Path]) -> str:
    if file not in slides:
        return _text_of(pages.get(file))
    with open_source(file) as source:
        left_out = {number for number, _ in embedded_objects(presentation_stream(source))}
    return own_text(_text_of(slides[file]), left_out)


def own_text(text: str, left_out: Set[int]) -> str:
    r"""The text of slides, one a form feed, without those left out and without lines that are but the slide's number.

    >>> own_text("one\n1\n\ftwo\n\fthree\n", {2})
    'one\n\nthree\n'
    """
    kept = (
        "\n".join(line for line in page.split("\n") if line.strip() != str(number))
        for number, page in enumerate(text.split("\f"), start=1)
        if number not in left_out
    )
    return "\n".join(kept)


def _text_of(pdf: Path | None) -> str:
    if pdf is None:
        return ""
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(pdf), "-"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


# --- the comparison --------------------------------------------------------------------------------------------------


def _score(file: Path, reference: str, notes: str) -> Score:
    started = time.perf_counter()
    try:
        with open_source(file) as source:
            units = extract(source, Options("en-US")).units
    except ExtractError as error:
        return Score(str(file), time.perf_counter() - started, error=str(error))
    seconds = time.perf_counter() - started
    lines = [line for unit in units for line in unit.lines]
    shown = [line for unit in units if unit.place.kind not in _NOT_ON_A_PAGE for line in unit.lines]
    theirs, missing = compare(reference.split("\n"), "\n".join(lines))
    ours, extra = compare(shown, f"{reference}\n{notes}")
    return Score(str(file), seconds, theirs, theirs - len(missing), ours, ours - len(extra), tuple(missing))


def compare(lines: Iterable[str], other: str) -> tuple[int, list[str]]:
    """How many words lines have, and which of them another text lacks; letter case and forms of width do not count.

    >>> compare(["Total SUM", "l e t t e r s"], "the sum of letters")
    (9, ['total'])
    """
    other = _folded(other)
    words, letters = set(_WORD.findall(other)), _NO_LETTER.sub("", other)
    count = 0
    lost: list[str] = []
    for line in map(_folded, lines):
        found = _WORD.findall(line)
        count += len(found)
        absent = [word for word in found if word not in words]
        run = _NO_LETTER.sub("", line)
        if absent and not (len(run) >= _LETTERS_TO_COMPARE and run in letters):
            lost += absent
    return count, lost


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


# --- the report ------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.fidelity", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the .doc and .ppt files are")
    parser.add_argument("--work", type=Path, default=KEPT, help="where PDFs are kept")
    asked = parser.parse_args(arguments)
    absent = missing_programs()
    if absent:
        print(f"Not installed: {', '.join(absent)} (Debian: apt install libreoffice poppler-utils)", file=sys.stderr)
        return 1
    files = sorted(f for f in asked.folder.rglob("*") if f.suffix.lower() in (".doc", ".ppt") and f.is_file())
    scores = measure(files, asked.work)
    for score in scores:
        low = score.theirs >= FEWEST_WORDS and min(score.recall, score.precision) < 0.9
        if score.error or low:
            name = Path(score.file).name
            figures = (
                score.error or f"recall {score.recall:.3f} precision {score.precision:.3f} of {score.theirs} words"
            )
            print(f"{name}: {figures} {json.dumps(score.missing[:12], ensure_ascii=False)}")
    for extension in (".doc", ".ppt"):
        recall, precision = pooled(scores, extension)
        print(f"{extension}: recall {recall:.4f}, precision {precision:.4f}")
    print(f"slowest file: {max((s.seconds for s in scores), default=0):.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
