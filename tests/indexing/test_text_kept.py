"""What a run does about text of earlier readings: it keeps what still holds, and reads again what was lost."""

from __future__ import annotations

import pytest

from tebunko.indexing.ledger import Ledger
from tebunko.model.states import FileState
from tebunko.store.ingest_list import ListWriter, Row
from tests.indexing.conftest import House


def test_text_of_a_postponed_file_stays_when_its_neighbours_are_published(house: House) -> None:
    house.write("a.txt", "前の本文")
    house.write("b.txt", "一")
    house.update()
    # the next run found a.txt in use: 未取り込み with the reason, and what tells of the earlier reading
    row = house.rows().get("資料\\a.txt")
    assert row is not None
    rows = house.rows()
    rows.put(row._replace(state=FileState.PENDING, error="この形式の読み取りにはまだ対応していません"))
    ListWriter(house.layout.ingest_list).rewrite(rows)
    house.write("b.txt", "二つ目の本文")
    house.update()
    assert house.text() == {"資料\\a.txt": ["前の本文"], "資料\\b.txt": ["二つ目の本文"]}


@pytest.mark.parametrize(
    ("row", "stands"),
    [
        (Row("資料\\a.txt", "", 1, FileState.DONE, 1, "2026/01/01 00:00:00"), True),
        (Row("資料\\a.txt", "", 1, FileState.PENDING, 1, "2026/01/01 00:00:00", "使用中"), True),
        (Row("資料\\a.txt", "", 1, FileState.PENDING, 1, "2026/01/01 00:00:00"), True),
        (Row("資料\\a.txt", "", 1, FileState.PENDING), False),
        (Row("資料\\a.txt", "", 1, FileState.FAILED, None, "2026/01/01 00:00:00", "壊れ"), False),
        (Row("資料\\b.txt", "", 1, FileState.DONE, 1, "2026/01/01 00:00:00"), False),
    ],
)
def test_which_rows_let_a_text_stand(house: House, row: Row, stands: bool) -> None:
    house.layout.create()
    ListWriter(house.layout.ingest_list).append([row])
    ledger, _ = Ledger.open(house.layout)
    assert ledger.is_done("資料\\a.txt") is stands


def test_all_that_a_broken_content_file_may_have_held_is_read_again(house: House) -> None:
    for name in ("a.txt", "b.txt", "c.txt", "d.md", "下/a.txt"):
        house.write(name, name)
    house.update()
    (house.layout.content / "資料" / "content_index.txt.001.tsv").write_bytes(b"broken")
    house.write("b.txt", "b.txt, changed")
    house.update()
    states = house.states()
    assert [path for path in states if states[path] == "未取り込み"] == ["資料\\a.txt", "資料\\c.txt"]
    house.update()
    assert set(house.states().values()) == {"済"}
    assert house.text() == {
        "資料\\a.txt": ["a.txt"],
        "資料\\b.txt": ["b.txt, changed"],
        "資料\\c.txt": ["c.txt"],
        "資料\\d.md": ["d.md"],
        "資料\\下\\a.txt": ["下/a.txt"],
    }
    assert (house.layout.content / "資料" / "content_index.txt.001.tsv.broken").read_bytes() == b"broken"


def test_twins_whose_stems_have_no_case_keep_their_kind(house: House) -> None:
    house.write("見積.TXT", "大文字")
    if (house.sources / "見積.txt").exists():
        pytest.skip("the file system tells no case apart")
    house.write("見積.txt", "小文字")
    house.update()
    assert sorted(house.text().values()) == [["大文字"], ["小文字"]]
    assert {path.rpartition(".")[2].lower() for path in house.states()} == {"txt"}
    assert set(house.states().values()) == {"済"}
