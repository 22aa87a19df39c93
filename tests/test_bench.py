"""The benchmark's own machinery, on the smallest corpus; no test looks at a clock."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from bench.corpus import ABSENT, COMMON, RARE, SIZES, generate
from bench.floor import read_cells
from bench.measurement import BenchError, Contender, Measurement, folder_size, race, run_program
from bench.peers import omega, recoll, ripgrep
from bench.report import Report, as_json, as_markdown, as_text, times_reference
from bench.walk import walk

SIZE = SIZES["smoke"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return generate(tmp_path_factory.mktemp("corpus"), SIZE)


def test_the_corpus_has_the_files_it_promises(folders: tuple[Path, Path]) -> None:
    books, mixed = folders
    assert walk(str(books)) == SIZE.workbooks
    assert Counter(path.suffix for path in mixed.rglob("*.*")) == {
        ".docx": SIZE.documents,
        ".pptx": SIZE.slides,
        ".pdf": SIZE.pdfs,
        ".txt": SIZE.texts,
    }
    assert SIZE.mixed == SIZE.documents + SIZE.slides + SIZE.pdfs + SIZE.texts


def test_the_planted_words_stand_where_the_corpus_says(folders: tuple[Path, Path]) -> None:
    texts = []
    for path in folders[0].rglob("*.xlsx"):
        book = openpyxl.load_workbook(path)
        texts.append([str(cell.value) for sheet in book for row in sheet for cell in row if cell.value is not None])
        book.close()
    assert sum(cell == RARE for cells in texts for cell in cells) == 3
    assert sum(COMMON in cell for cells in texts for cell in cells) > SIZE.workbooks
    assert not any(ABSENT in cell for cells in texts for cell in cells)


def test_a_complete_corpus_is_kept_and_an_incomplete_one_made_anew(tmp_path: Path) -> None:
    books, _ = generate(tmp_path, SIZE)
    one = min(books.rglob("*.xlsx"))
    one.write_bytes(b"")
    generate(tmp_path, SIZE)
    assert one.read_bytes() == b""
    (tmp_path / "corpus.json").unlink()
    generate(tmp_path, SIZE)
    assert one.read_bytes() != b""


def test_the_same_size_gives_the_same_corpus(folders: tuple[Path, Path], tmp_path: Path) -> None:
    for first, second in zip(folders, generate(tmp_path, SIZE), strict=True):
        texts = {path.relative_to(first): path.read_bytes() for path in first.rglob("*.txt")}
        assert texts == {path.relative_to(second): path.read_bytes() for path in second.rglob("*.txt")}
        assert read_cells(sorted(first.rglob("*.xlsx"))) == read_cells(sorted(second.rglob("*.xlsx")))


def test_the_text_of_the_floor_is_counted_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["品名", 12])
    sheet.write_row(1, 0, ["x"])
    book.close()
    # "品名 TAB 12 LF" and "x LF", two bytes each
    assert read_cells([path]) == 2 * (6 + 2)


def _fails() -> None:
    raise BenchError("it broke")


def test_a_race_runs_in_turn_and_tells_why_something_was_not_measured() -> None:
    order: list[str] = []

    def runner(name: str) -> int:
        order.append(name)
        return len(order)

    rows = race(
        "task",
        [
            Contender("a", lambda: runner("a"), note="fine", reference=True),
            Contender("slow", lambda: runner("slow"), rounds=1),
            Contender("absent", _fails, missing="nobody has it"),
            Contender("broken", _fails),
            Contender("b", lambda: runner("b"), lambda: order.append("before b")),
        ],
        rounds=2,
        files=5,
    )
    assert order == ["a", "slow", "before b", "b", "a", "before b", "b"]
    assert [(row.program, len(row.seconds), row.note) for row in rows] == [
        ("a", 2, "fine"),
        ("slow", 1, ""),
        ("absent", 0, "not measured: nobody has it"),
        ("broken", 0, "not measured: it broke"),
        ("b", 2, ""),
    ]
    assert [row.size for row in rows] == [5, 2, None, None, 7]
    assert all(row.files == 5 for row in rows)


ROWS = [
    Measurement("update", "ours", (2.0, 1.0, 4.0), 300, 12_345_678, reference=True, cpu=(3.0, 2.5, 2.0)),
    Measurement("update", "theirs", (20.0,), files=300, size=569_000_000),
    Measurement("update", "absent", note="not measured: a | b"),
    Measurement("search", "other", (0.5,)),
]
REPORT = Report([("memory", "8 GiB")], [("books", "300")], ROWS)


def test_ratios_are_of_medians_within_a_task() -> None:
    assert [times_reference(row, ROWS) for row in ROWS] == [1.0, 10.0, None, None]


def test_the_report_as_text() -> None:
    assert as_text(REPORT) == (
        "memory: 8 GiB\n"
        "books: 300\n"
        "\n"
        "update\n"
        "program            seconds   CPU  files/s     MB  times  note\n"
        "ours     2.000 (1.00–4.00)  2.50      150   12.3   1.00\n"
        "theirs              20.000             15  569.0  10.00\n"
        "absent                   –                               not measured: a | b\n"
        "\n"
        "search\n"
        "program  seconds  CPU  files/s  MB  times  note\n"
        "other      0.500\n"
    )


def test_the_report_as_markdown() -> None:
    lines = as_markdown(REPORT).split("\n")
    assert lines[:2] == ["- memory: 8 GiB", "- books: 300"]
    assert "| program | seconds | CPU | files/s | MB | times | note |" in lines
    assert "|---|---:|---:|---:|---:|---:|---|" in lines
    assert "| ours | 2.000 (1.00–4.00) | 2.50 | 150 | 12.3 | 1.00 |  |" in lines
    assert "| absent | – |  |  |  |  | not measured: a \\| b |" in lines


def test_the_report_as_json() -> None:
    report = json.loads(as_json(REPORT))
    assert report["machine"] == {"memory": "8 GiB"}
    assert report["measurements"][1] == {
        "task": "update",
        "program": "theirs",
        "seconds": [20.0],
        "cpu_seconds": [],
        "median": 20.0,
        "files": 300,
        "bytes": 569_000_000,
        "times_reference": 10.0,
        "note": "",
    }


def test_programs_that_are_not_installed_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    for contender in (recoll(tmp_path, tmp_path, 1), omega(tmp_path, tmp_path), ripgrep("x", tmp_path)):
        assert "is not installed" in contender.missing


def test_a_program_that_fails_is_told_with_its_words() -> None:
    with pytest.raises(BenchError, match=r"ended with 3: oh no"):
        run_program([sys.executable, "-c", "import sys; sys.stderr.write('oh no'); sys.exit(3)"])
    assert run_program([sys.executable, "-c", "print(1); exit(1)"], accept=(1,)).strip() == "1"


def test_the_size_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").write_bytes(b"123")
    (tmp_path / "y").write_bytes(b"4567")
    assert folder_size(tmp_path) == 7
