"""Real workbooks against what Excel itself showed: the CSV files it saved, and the texts that workbooks record."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tebunko.extract.excel.number_format import compile_format, format_code, show_number
from tebunko.extract.registry import extract
from tebunko.extract.source import Options, open_source


def dump(files: list[Path], locale: str, target: Path) -> Path:
    """The body places of some workbooks as JSON lines, as the scoring tools read them."""
    with target.open("w", encoding="utf-8") as out:
        for path in files:
            with open_source(path) as source:
                units = extract(source, Options(locale)).units
            for unit in units:
                row = {"file": str(path), "place": unit.place.name, "kind": unit.place.kind, "lines": unit.lines}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return target


def score(tool: Path, truth: Path, jsonl: Path, folder: Path) -> str:
    command = [sys.executable, "-W", "ignore", str(tool), str(truth), str(jsonl), "--worst", "20"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout


@pytest.mark.parametrize("extensions", [(".xlsx", ".xlsm"), (".xls",), (".xlsb",)])
def test_cells_are_what_excel_saved(extensions: tuple[str, ...], shared: Path, tmp_path: Path) -> None:
    folder = shared / "corpus" / "excel-truth"
    pairs = (folder / "pairs.tsv").read_text(encoding="utf-8").split("\n")
    mine = [line for line in pairs if line and Path(line.split("\t")[0]).suffix in extensions]
    truth = tmp_path / "pairs.tsv"
    truth.write_text("\n".join(mine), encoding="utf-8")
    books = sorted({folder / line.split("\t")[0] for line in mine})
    report = score(shared / "tools" / "excel_truth.py", truth, dump(books, "en-US", tmp_path / "j"), folder)
    found = re.search(r"sheets (\d+)/(\d+) exact .*, cells (\d+)/(\d+) ", report)
    assert found, report
    sheets, all_sheets, cells, all_cells = map(int, found.groups())
    assert sheets >= 0.97 * all_sheets, report
    assert cells >= 0.997 * all_cells, report


def test_japanese_formats_are_what_excel_shows(shared: Path, tmp_path: Path) -> None:
    folder = shared / "corpus" / "ja-formats"
    books = sorted(path for path in folder.iterdir() if path.suffix.startswith(".xls"))
    report = score(
        shared / "tools" / "ja_format_truth.py", folder / "truth.tsv", dump(books, "ja-JP", tmp_path / "j"), folder
    )
    found = re.search(r"(\d+)/(\d+) right", report)
    assert found, report
    assert int(found[1]) >= 0.99 * int(found[2]), report


def test_tables_of_commas_and_exponents(corpus: Path) -> None:
    for name in ("comma.tsv", "exp.tsv"):
        lines = (corpus / "numfmt" / name).read_text(encoding="utf-8").strip("\n").split("\n")
        codes = lines[0].split("\t")[1:]
        for line in lines[1:]:
            value, *expected = line.split("\t")
            shown = [show_number(compile_format(code, "en-US"), float(value)) for code in codes]
            assert shown == [text.strip("|") for text in expected], value


def test_table_of_built_in_formats(corpus: Path) -> None:
    """Ids 14 and 22 depend on the system; an empty expectation is a date that cannot be shown."""
    for value, *rest in json.loads((corpus / "numfmt" / "implied.json").read_text(encoding="utf-8")):
        for number, expected in rest[0] if len(rest) == 1 else [rest]:
            if expected and number not in (14, 22):
                compiled = compile_format(format_code(number, {}, "en-US"), "en-US")
                assert show_number(compiled, value) == expected, (value, number)
