"""Real files against a table of what must be found in them, and the whole corpus against other readers.

`expected_outcomes.tsv` was written by looking at each file with the tool in its last column, never at our output. Its
columns: the file; the kind of the text, or ``refused`` or ``none`` (a sound file that shows nothing); the place; the
cell (Excel) or the number of the line (text); the text, or the reason of the refusal. ``…`` at an end of a text stands
for anything more, ``\\t`` for a tab.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import office_oxide
import pypdfium2
import pytest
import python_calamine

from tebunko.extract.registry import extract
from tebunko.extract.source import Options, open_source
from tebunko.model.errors import ExtractError
from tebunko.model.kinds import kind_of
from tebunko.model.unit import Extraction

TABLE = Path(__file__).with_name("expected_outcomes.tsv")
_CELL = re.compile(r"([A-Z]+)([0-9]+)")


@dataclass(frozen=True)
class Expected:
    """One row of the table."""

    file: str
    kind: str
    place: str
    at: str
    text: str
    judged_by: str


def table() -> list[Expected]:
    _, *rows = TABLE.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [Expected(*(field.replace("\\t", "\t") for field in row.split("\t"))) for row in rows]


@cache
def outcome(path: Path) -> Extraction | str:
    """What we make of a file: its extraction, or the reason of our refusal."""
    try:
        with open_source(path) as source:
            return extract(source, Options("en-US"))
    except ExtractError as error:
        return str(error.reason)


def fits(text: str, pattern: str) -> bool:
    """True if a text is a pattern of the table."""
    before, after = pattern.startswith("…") and len(pattern) > 1 and pattern.endswith("…"), pattern.endswith("…")
    if before:
        return pattern.strip("…") in text
    return text.startswith(pattern[:-1]) if after else text == pattern


def candidates(lines: list[str], at: str) -> list[str]:
    """The texts of a place that a row of the table may mean."""
    if not at:
        return lines
    if at.isdecimal():
        return lines[int(at) - 1 : int(at)]
    match = _CELL.fullmatch(at)
    assert match
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    rows = list(csv.reader(lines, delimiter="\t"))
    return rows[int(match[2]) - 1][column - 1 : column] if len(rows) >= int(match[2]) else []


def test_the_table_is_large_enough() -> None:
    assert len({row.file for row in table()}) >= 100


@pytest.mark.parametrize("row", table(), ids=lambda row: f"{Path(row.file).name}-{row.kind}-{row.place}-{row.at}")
def test_expected_outcome(corpus: Path, row: Expected) -> None:
    found = outcome(corpus / row.file)
    if row.kind == "refused":
        assert found == row.text
        return
    assert isinstance(found, Extraction)
    if row.kind == "none":
        assert found.units == []
        return
    units = [unit for unit in found.units if unit.place.name == row.place]
    assert [unit.place.kind for unit in units] == [row.kind]
    assert any(fits(text, row.text) for text in candidates(units[0].lines, row.at))


# --- the whole corpus ------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]{2,}")
# What office-oxide shows of a document that has none of it: a note that there is an object.
_PLACEHOLDERS = frozenset({"Embedded", "OLE", "Object"})


def words_by_another(path: Path) -> set[str]:
    """The words that another reader finds in a file; none if it cannot read it."""
    try:
        return set(_WORD.findall(_text_by_another(path)))
    except BaseException as error:
        # Native code panics with exceptions of its own kind.
        if isinstance(error, KeyboardInterrupt):
            raise
        return set()


def _text_by_another(path: Path) -> str:
    extension = path.suffix.lower()
    if extension == ".pdf":
        document = pypdfium2.PdfDocument(path)
        try:
            return "\n".join(page.get_textpage().get_text_range() for page in document)
        finally:
            document.close()
    if extension.startswith(".xls"):
        book = python_calamine.CalamineWorkbook.from_path(str(path))
        names = [s.name for s in book.sheets_metadata if s.visible == python_calamine.SheetVisibleEnum.Visible]
        return "\n".join(str(c) for name in names for row in book.get_sheet_by_name(name).to_python() for c in row)
    if extension in (".doc", ".docx", ".docm", ".ppt", ".pptx", ".pptm"):
        return str(office_oxide.extract_text(str(path)))
    return path.read_bytes().decode("utf-8-sig")


def test_the_whole_corpus(corpus: Path) -> None:
    """No file crashes a reader, and none whose text another reader finds shows nothing here."""
    silent = []
    for path in sorted(corpus.rglob("*")):
        if kind_of(path.name) is None or not path.is_file():
            continue
        found = outcome(path)
        if isinstance(found, Extraction) and not found.units and words_by_another(path) - _PLACEHOLDERS:
            silent.append(path.name)
    assert silent == []
