"""Result files, read back with other readers than the writers' own."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKind, page, part, sheet
from tebunko.search.export.cells import cells_of
from tebunko.search.export.csv_file import CsvWriter
from tebunko.search.export.html_page import HtmlWriter, file_url
from tebunko.search.export.results import write_results
from tebunko.search.export.xlsx_file import XlsxWriter
from tebunko.search.hits import Coverage, FileCount, FileMatch, FileTerms, Hit, Row, SourceRef, Summary
from tebunko.search.options import SearchOptions

EXCEL = SourceRef("営業", "2024/見積/A社.xlsx", "/data/営業/2024/見積/A社.xlsx", FileKind.EXCEL)
WORD = SourceRef("営業", "報告書.docx", None, FileKind.WORD)
TEXT = SourceRef("営業", "<b>&.txt", "/data/a b#<&>%.txt", FileKind.TEXT)
SUMMARY = Summary(3, 2, 0, 0, 0.0, False, (), Coverage(left_out=("旧<",)))


def hit(source: SourceRef, place: Place, text: str, *spans: tuple[int, int], line: int = 12) -> Hit:
    return Hit(source, place, line, text, list(spans))


ROWS = [
    hit(EXCEL, sheet("売上"), 'りんご\t"a\u2028b"\t10', (0, 3)),
    hit(EXCEL, sheet("売上", PlaceKind.SHAPE), "B2\t確定版", (3, 5), line=1),
    hit(WORD, page(3), '"引用"と言った\tx', (0, 1), line=2),
]


def written(path: Path, given_rows: Sequence[Row], query: str = "りんご OR 引用", **options: object) -> bytes:
    asked = SearchOptions(query, **options)  # type: ignore[arg-type]
    batches = [[row] for row in given_rows]
    assert write_results(path, asked, [*batches, SUMMARY]) is SUMMARY
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return path.read_bytes()


@pytest.mark.parametrize("name", ["a.txt", "a.tsv", "a", "a.doc"])
def test_the_text_file(tmp_path: Path, name: str) -> None:
    data = written(tmp_path / name, ROWS)
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.decode("utf-8-sig") == (
        "【検索文字列　りんご OR 引用】 3 件\r\n"
        "ファイル名\t場所\t種別\t行\tA\tB\tC\r\n"
        '営業\\2024\\見積\\A社.xlsx\t[シート] 売上!A12\tセル\t12\tりんご\t"a\nb"\t10\r\n'
        "営業\\2024\\見積\\A社.xlsx\t[シート] 売上!B2\t図形\t1\t確定版\r\n"
        '営業\\報告書.docx\t[ページ] 3（目安）\t本文\t2\t"""引用""と言った"\tx\r\n'
    )


def test_the_text_file_pastes_into_cells(tmp_path: Path) -> None:
    rows = [hit(WORD, page(1), '"a\u2028b\tc', (0, 1)), hit(TEXT, part("本文"), "a\u2028b", (0, 1))]
    text = written(tmp_path / "a.txt", rows).decode("utf-8-sig")
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
    assert [row[4:] for row in read[2:]] == [['"a\nb', "c"], ["a\nb"]]


def test_csv_shows_what_cells_show_and_starts_no_formula(tmp_path: Path) -> None:
    rows = [*ROWS, hit(EXCEL, sheet("=1"), '=1\t"=cmd|""x"""\t+1\t-1\t@x\t＝1\t1-1', (0, 1))]
    data = written(tmp_path / "a.CSV", rows)
    assert data.startswith(b"\xef\xbb\xbf") and b"\r\n" in data
    read = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert read[0] == ["ファイル名", "場所", "種別", "行", "内容"]
    assert read[1] == ["営業\\2024\\見積\\A社.xlsx", "[シート] 売上!A12", "セル", "12", "りんご", "a\nb", "10"]
    assert read[4][4:] == ["'=1", '\'=cmd|"x"', "'+1", "'-1", "'@x", "'＝1", "1-1"]


@given(st.lists(st.text(max_size=5), max_size=4))
def test_csv_cells_come_back(cells: list[str]) -> None:
    writer = io.BytesIO()
    table = CsvWriter(writer)
    table.begin("x", ["a"])
    table.add(ROWS[0], ["f", *cells])
    table.end(1, None)
    read = list(csv.reader(io.StringIO(writer.getvalue().decode("utf-8-sig"), newline="")))[1]
    for cell, back in zip(["f", *cells], read, strict=True):
        assert back.removeprefix("'") == cell.encode("utf-8", "replace").decode().removeprefix("'")
        assert not back.startswith(("=", "+", "-", "@", "\t", "\r"))


NAMES = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def read_sheets(data: bytes) -> list[list[dict[str, object]]]:
    """The sheets of a workbook in order, each row as cell texts and numbers by column letters."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        assert book.testzip() is None
        names = {f"{info.filename}" for info in book.infolist()}
        assert {"[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= names
        count = len(ET.fromstring(book.read("xl/workbook.xml")).findall("m:sheets/m:sheet", NAMES))
        found = []
        for number in range(1, count + 1):
            root = ET.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
            rows = []
            for row in root.findall("m:sheetData/m:row", NAMES):
                cells: dict[str, object] = {}
                for cell in row.findall("m:c", NAMES):
                    assert cell.find("m:f", NAMES) is None
                    text, value = cell.find("m:is/m:t", NAMES), cell.find("m:v", NAMES)
                    address = (cell.get("r") or "").rstrip("0123456789")
                    assert cell.get("r") == f"{address}{row.get('r')}"
                    cells[address] = (
                        (text.text or "") if text is not None else int(value.text or "") if value is not None else None
                    )
                rows.append(cells)
            found.append(rows)
    return found


def test_a_workbook_holds_texts_as_texts(tmp_path: Path) -> None:
    rows = [*ROWS, hit(EXCEL, sheet("s"), "=1+1\t007\t<&> ]]>\t\t x ", (0, 1), line=1)]
    [sheet1] = read_sheets(written(tmp_path / "a.xlsx", rows))
    assert sheet1[0] == {"A": "ファイル名", "B": "場所", "C": "種別", "D": "行", "E": "内容"}
    assert sheet1[1]["F"] == "a\nb" and sheet1[1]["D"] == 12
    assert list(sheet1[4].values())[3:] == [1, "=1+1", "007", "<&> ]]>", " x "]


def test_what_a_workbook_cannot_hold_is_escaped_or_cut(tmp_path: Path) -> None:
    long = "𠮷" * 20_000
    [sheet1] = read_sheets(
        written(tmp_path / "a.xlsx", [hit(TEXT, part("本文"), f"a\x01\x0b_x0041_\ud800\t{long}", (0, 1))])
    )
    assert sheet1[1]["E"] == "a_x0001__x000B__x005F_x0041_\ufffd".replace("_x005F_x0041_", "_x005F_x0041_")
    assert sheet1[1]["F"] == "𠮷" * 16_383


def test_rows_beyond_the_last_go_to_another_sheet() -> None:
    writer = io.BytesIO()
    table = XlsxWriter(writer, last_row=3)
    table.begin("x", ["h"])
    for number in range(5):
        table.add(ROWS[0], [str(number)])
    table.end(5, None)
    sheets = read_sheets(writer.getvalue())
    assert sheets == [
        [{"A": "h"}, {"A": "0"}, {"A": "1"}],
        [{"A": "h"}, {"A": "2"}, {"A": "3"}],
        [{"A": "h"}, {"A": "4"}],
    ]


PAGE_TAGS = frozenset(
    (
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "table",
        "thead",
        "tr",
        "th",
        "tbody",
        "td",
        "br",
        "small",
        "p",
        "mark",
        "a",
    )
)


class Page(HTMLParser):
    """What a browser would see: tags, attributes, marked text and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.marks: list[str] = []
        self.shown = ""
        self._marking = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._marking = tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._marking = False

    def handle_data(self, data: str) -> None:
        self.shown += data
        if self._marking:
            self.marks.append(data)


def test_a_page_marks_and_links_and_runs_nothing(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'&amp;"
    rows = [hit(TEXT, part(evil), f"{evil} x", (0, 8)), *ROWS]
    text = written(tmp_path / "a.html", rows, query=evil).decode("utf-8")
    page = Page(text)
    assert {"script", "iframe", "img", "link", "b"}.isdisjoint(page.tags)
    assert {name for name, _ in page.attributes if name.startswith("on")} == set()
    assert page.marks[0] == "<script>"
    links = [value for name, value in page.attributes if name == "href"]
    assert links == [file_url("/data/a b#<&>%.txt"), *[file_url(EXCEL.path or "")] * 2]
    assert links[0] == "file:///data/a%20b%23%3C%26%3E%25.txt"
    assert "営業/2024/見積/A社.xlsx#売上!A12" in page.shown and "旧<" in page.shown


@given(st.text(max_size=8), st.text(max_size=8))
def test_any_text_is_shown_and_never_markup(words: str, line: str) -> None:
    writer = io.BytesIO()
    table = HtmlWriter(writer)
    table.begin(words, ["a"])
    table.add(hit(WORD, part("本文"), line), [])
    table.end(1, SUMMARY)
    tags = Page(writer.getvalue().decode("utf-8")).tags
    assert set(tags) <= PAGE_TAGS
    assert tags.count("tr") == 2


def test_files_counts_and_words_are_tables(tmp_path: Path) -> None:
    def table(given: Sequence[Row], **options: object) -> list[list[str]]:
        data = written(tmp_path / "a.csv", given, **options).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(data, newline="")))

    assert table([FileMatch(WORD)], rows="files") == [["ファイル名"], ["営業\\報告書.docx"]]
    assert table([FileCount(WORD, 3)], rows="count") == [["ファイル名", "件数"], ["営業\\報告書.docx", "3"]]
    terms = table([FileTerms(WORD, {"b": 2})], query="", terms=("a", "b"))
    assert terms == [["ファイル名", "a", "b"], ["営業\\報告書.docx", "0", "2"]]
    assert table([FileMatch(WORD)], query="name:x") == [["ファイル名"], ["営業\\報告書.docx"]]
    assert table([], query="x") == [["ファイル名", "場所", "種別", "行", "内容"]]


def test_a_failing_search_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")

    def events() -> object:
        yield [ROWS[0]]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        write_results(path, SearchOptions("x"), events())  # type: ignore[arg-type]
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_cells_of_rows_with_addresses_leave_the_address_out() -> None:
    assert cells_of(ROWS[1], ())[4:] == ["確定版"]
