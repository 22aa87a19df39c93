"""The sample documents, read by other programs' libraries, and the demonstration that shows them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdfium2
import pytest

from scripts.docx_writer import Document, Paragraph, Table, TextBox
from scripts.run_demo import TOUR, Search, registered_name, show_samples
from scripts.samples import write_samples
from tebunko.api import Workspace
from tebunko.cli.main import run

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample files by name."""
    return {path.name: path for path in write_samples(tmp_path_factory.mktemp("samples"))}


def test_every_kind_is_there_in_nested_folders(samples: dict[str, Path]) -> None:
    assert {path.suffix for path in samples.values()} == {".xlsx", ".docx", ".pptx", ".pdf", ".txt", ".csv"}
    assert len({path.parent for path in samples.values()}) > 4


def test_the_quotation_has_sheets_formats_a_comment_and_a_hidden_sheet(samples: dict[str, Path]) -> None:
    book = openpyxl.load_workbook(samples["見積書_青葉商事.xlsx"])
    assert [(sheet.title, sheet.sheet_state) for sheet in book] == [
        ("見積書", "visible"),
        ("取引条件", "visible"),
        ("原価（社外秘）", "hidden"),
    ]
    sheet = book["見積書"]
    assert "ggge" in sheet["F4"].number_format
    assert "¥" in sheet["D7"].number_format
    assert "%" in sheet["E7"].number_format
    assert "4月改定" in sheet["D7"].comment.text


def test_the_sales_have_codes_longer_than_excel_shows(samples: dict[str, Path]) -> None:
    book = openpyxl.load_workbook(samples["2024年度 売上.xlsx"])
    assert (book["商品別"]["A2"].value, book["商品別"]["A2"].number_format) == (4901234567894, "General")


def test_the_minutes_have_a_header_a_table_and_two_pages(samples: dict[str, Path]) -> None:
    document = docx.Document(str(samples["2024-05-01 営業会議.docx"]))
    assert document.sections[0].header.paragraphs[0].text == "社外秘　営業部"
    assert document.sections[0].footer.paragraphs[0].text == "営業会議 議事録"
    assert [cell.text for cell in document.tables[0].rows[0].cells] == ["出席者", "所属"]
    assert document.element.xml.count('w:type="page"') == 1


def test_the_slides_have_notes_and_one_is_hidden(samples: dict[str, Path]) -> None:
    slides = list(pptx.Presentation(str(samples["新製品発表会.pptx"])).slides)
    assert "競合製品" in slides[1].notes_slide.notes_text_frame.text
    assert [slide._element.get("show") for slide in slides] == [None, None, "0"]


def test_the_rules_have_two_pages_of_japanese(samples: dict[str, Path]) -> None:
    pages = pypdfium2.PdfDocument(samples["就業規則.pdf"])
    texts = [page.get_textpage().get_text_range() for page in pages]
    pages.close()
    assert "始業は午前9時" in texts[0]
    assert "年次有給休暇" in texts[1]


def test_texts_are_in_the_encodings_they_stand_for(samples: dict[str, Path]) -> None:
    assert "入館証" in samples["通達.txt"].read_bytes().decode("cp932")
    with pytest.raises(UnicodeDecodeError):
        samples["通達.txt"].read_bytes().decode("utf-8")
    assert "証明書" in samples["接続手順.txt"].read_bytes().decode("utf-8")


def test_a_written_document_opens_with_its_notes_and_boxes(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    Document(
        [
            Paragraph("a < b & c", footnote="foot <1>", comment="remark"),
            Paragraph("second", footnote="foot 2"),
            Table([["x", "y"]]),
            TextBox("in a box"),
        ],
        header="head & more",
    ).write(path)
    document = docx.Document(str(path))
    assert document.paragraphs[0].text == "a < b & c"
    assert document.sections[0].header.paragraphs[0].text == "head & more"
    parts = {part.partname: part.blob.decode() for part in document.part.package.iter_parts()}
    assert "foot &lt;1&gt;" in parts["/word/footnotes.xml"]
    assert parts["/word/footnotes.xml"].index('w:id="1"') < parts["/word/footnotes.xml"].index('w:id="2"')
    assert "remark" in parts["/word/comments.xml"]
    assert [comment.text for comment in document.comments] == ["remark"]
    assert "in a box" in document.element.xml


# --- the demonstration ----------------------------------------------------------------------------------------------


def demonstrate(language: str, workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "LC_ALL": language,
        "TEBUNKO_WORKSPACE": str(workspace),
        "TEBUNKO_RUN_FOLDER": "",
        "TEBUNKO_RUN_QUERY": "",
    }
    return subprocess.run(
        [sys.executable, "-m", "scripts.run_demo", *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def indexed(samples: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the samples in it."""
    root = tmp_path_factory.mktemp("workspace")
    workspace = Workspace(root)
    workspace.add(samples["通達.txt"].parents[1], "samples")
    assert workspace.update().done == len(samples)
    return root


@pytest.mark.parametrize("search", [*TOUR["ja"], *TOUR["en"]], ids=lambda search: search.shows)
def test_every_search_of_the_tour_finds_something(
    search: Search, indexed: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(["search", *search.arguments, "--workspace", str(indexed)]) == 0
    assert capfdbinary.readouterr().out.startswith(b"samples/")


def test_the_tour_goes_through_its_searches_in_a_throw_away_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEBUNKO_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setitem(TOUR, "ja", TOUR["ja"][:2])
    show_samples("", "ja")
    shown = capfd.readouterr().out
    order = [
        shown.index(text) for text in ("見本の文書", "$ tebunko update", f"# {TOUR['ja'][0].shows}", "$ tebunko search")
    ]
    assert order == sorted(order)
    assert shown.count("$ tebunko search") == 2
    assert "make run FOLDER=" in shown
    assert not (tmp_path / "workspace").exists()


def test_a_query_of_ones_own_takes_the_place_of_the_tour(tmp_path: Path) -> None:
    done = demonstrate("C.UTF-8", tmp_path / "workspace", "--query", "no such words anywhere")
    assert (done.returncode, done.stdout.count("$ tebunko search")) == (0, 1), done.stdout + done.stderr


def test_a_folder_of_ones_own_keeps_its_workspace(samples: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "営業 部 (1)"
    folder.mkdir()
    (folder / "a.txt").write_text("費用は $(id) と `id` です\n", encoding="utf-8")
    workspace = tmp_path / "workspace"
    for _ in range(2):
        done = demonstrate("ja_JP.UTF-8", workspace, "--folder", str(folder), "--query", "$(id) と `id`")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "費用は $(id) と `id` です" in done.stdout
    assert done.stdout.count("index add") == 0
    assert workspace.is_dir()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = demonstrate("C.UTF-8", tmp_path / "workspace", "--folder", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (1, f"There is no folder {tmp_path / 'none'}\n")


def test_the_index_of_a_folder_is_found_in_the_listing(tmp_path: Path) -> None:
    rows = [{"name": "old", "folder": None}, {"name": "x", "folder": str(tmp_path)}]
    for listing in ("\n".join(map(json.dumps, rows)), json.dumps(rows)):
        assert registered_name(listing, tmp_path) == "x"
        assert registered_name(listing, tmp_path / "other") is None
    assert registered_name("", tmp_path) is None
