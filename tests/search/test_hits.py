"""Result rows: JSON and shown places (search.md, Result rows; cli.md, JSON)."""

from __future__ import annotations

import json

import pytest

from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKind, page, part, pdf_page, sheet, slide
from tebunko.search.hits import (
    Coverage,
    FileCount,
    FileMatch,
    FileTerms,
    Hit,
    Skipped,
    SourceRef,
    Summary,
    column_letters,
    json_line,
    kind_name,
    shown_place,
    to_json,
)

EXCEL = SourceRef("営業", "2024/見積/A社.xlsx", "/data/営業/2024/見積/A社.xlsx", FileKind.EXCEL)
WORD = SourceRef("営業", "報告書.docx", None, FileKind.WORD)
PDF = SourceRef("営業", "a.pdf", None, FileKind.PDF)
POWERPOINT = SourceRef("営業", "a.pptx", None, FileKind.POWERPOINT)
TEXT = SourceRef("営業", "a.txt", None, FileKind.TEXT)


def hit(source: SourceRef, place: Place, text: str, *spans: tuple[int, int], line: int = 12) -> Hit:
    return Hit(source, place, line, text, list(spans))


@pytest.mark.parametrize(
    ("found", "place", "kind", "cell"),
    [
        (hit(EXCEL, sheet("売上"), "a\tb", (2, 3)), "[シート] 売上!B12", "セル", "B12"),
        (hit(EXCEL, sheet("売上"), "b\tb\tc\tb b", (0, 1), (2, 3), (6, 7), (8, 9)), "[シート] 売上!A12 ほか 2", "セル", "A12"),
        (hit(EXCEL, sheet("売上"), "b b", (0, 1), (2, 3)), "[シート] 売上!A12", "セル", "A12"),
        (hit(EXCEL, sheet("売\t上"), "b", (0, 1)), "[シート] 売 上!A12", "セル", "A12"),
        (hit(EXCEL, sheet("売上"), ""), "[シート] 売上!A12", "セル", "A12"),
        (hit(EXCEL, sheet("売上", PlaceKind.SHAPE), "B2\t確定版", (3, 5)), "[シート] 売上!B2", "図形", "B2"),
        (hit(EXCEL, sheet("売上", PlaceKind.COMMENT), "C3\tx\ty", (5, 6)), "[シート] 売上!C3", "コメント", "C3"),
        (hit(EXCEL, sheet("売上", PlaceKind.HEADER_FOOTER), "社外秘", (0, 1)), "[シート] 売上", "ヘッダー・フッター", None),
        (hit(WORD, page(3), "a", (0, 1)), "[ページ] 3（目安）", "本文", None),
        (hit(WORD, page(3, PlaceKind.EMBEDDED, embed=2), "a"), "[ページ] 3（目安）", "埋め込み", None),
        (hit(WORD, part("ヘッダー・フッター"), "a"), "[ヘッダー・フッター]", "ヘッダー・フッター", None),
        (hit(WORD, part("脚注"), "a"), "[脚注]", "本文", None),
        (hit(WORD, part("文書", PlaceKind.COMMENT), "a"), "[文書]", "コメント", None),
        (hit(PDF, pdf_page(3), "a"), "[ページ] 3", "本文", None),
        (hit(POWERPOINT, slide(2, hidden=True), "a"), "[スライド] 2（非表示）", "本文", None),
        (hit(POWERPOINT, slide(2, target=PlaceKind.NOTES), "a"), "[スライド] 2", "ノート", None),
        (hit(TEXT, part("本文"), "a"), "[本文]", "本文", None),
    ],
)  # fmt: skip
def test_places_as_people_see_them(found: Hit, place: str, kind: str, cell: str | None) -> None:
    assert (shown_place(found), kind_name(found.place), found.cell) == (place, kind, cell)


def test_a_hit_as_json() -> None:
    found = hit(EXCEL, sheet("見積"), "りんご\tみかん", (4, 6), line=13)
    assert to_json(found) == {
        "type": "hit",
        "index": "営業",
        "file": "2024/見積/A社.xlsx",
        "path": "/data/営業/2024/見積/A社.xlsx",
        "place": "見積",
        "kind": "body",
        "line": 13,
        "cell": "B13",
        "locator": "営業/2024/見積/A社.xlsx#見積!B13",
        "by_value": False,
        "as_of": None,
        "text": "りんご\tみかん",
        "spans": [[4, 6]],
    }
    assert list(json.loads(json_line(found))) == list(to_json(found))


def test_context_stands_beside_the_hit() -> None:
    found = hit(WORD, page(3), "b", (0, 1), line=2)
    found.before, found.after = ["a"], []
    value = to_json(found)
    assert (value["before"], value["after"]) == (["a"], [])
    assert value["locator"] == "営業/報告書.docx#ページ003:2"


def test_other_rows_as_json() -> None:
    assert to_json(FileMatch(WORD)) == {"type": "file", "index": "営業", "file": "報告書.docx", "path": None}
    assert to_json(FileCount(WORD, 3)) == {"type": "count", "index": "営業", "file": "報告書.docx", "hits": 3}
    terms = to_json(FileTerms(WORD, {"a": 1}))
    assert terms == {"type": "terms", "index": "営業", "file": "報告書.docx", "hits": {"a": 1}}


UPDATED = (("営業", "2024/05/01 10:00:00"), ("新", ""))


def test_the_summary_as_json() -> None:
    summary = Summary(
        2,
        1,
        4096,
        3,
        0.01234,
        False,
        (Skipped("営業/x.tsv", "It is over 64 MB"),),
        Coverage(5, 1, 2, left_out=("旧",), stale=1, updated=UPDATED),
    )
    assert to_json(summary) == {
        "type": "summary",
        "hits": 2,
        "files": 1,
        "searched_bytes": 4096,
        "candidate_files": 3,
        "skipped": [{"file": "営業/x.tsv", "reason": "It is over 64 MB"}],
        "coverage": {
            "files": 5,
            "failed": 1,
            "postponed": 2,
            "pending": 0,
            "cloud_only": 0,
            "without_values": 0,
            "without_record": 0,
            "left_out": ["旧"],
            "stale": 1,
            "updated": [{"index": "営業", "last_update": "2024/05/01 10:00:00"}, {"index": "新", "last_update": None}],
        },
        "seconds": 0.012,
        "truncated": False,
    }


def test_json_is_utf_8_and_names_that_do_not_decode_survive() -> None:
    assert "報告書".encode() in json_line(FileMatch(WORD))
    odd = json_line(FileMatch(SourceRef("i", "\udce3.txt", None, FileKind.TEXT)))
    assert json.loads(odd)["file"] == "\udce3.txt"


@pytest.mark.parametrize(
    ("index", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16383, "XFD")]
)
def test_column_letters(index: int, letters: str) -> None:
    assert column_letters(index) == letters
