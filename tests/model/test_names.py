"""Index names: the replacement table, what a list may hold, reserved names, 名前(2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.names import (
    is_index_name,
    is_plain_folder_name,
    is_reserved,
    is_stored_index_name,
    name_key,
    new_index_name,
    safe_file_name,
)


def test_the_replacement_table() -> None:
    assert safe_file_name('><\\*":?|/') == "＞＜￥＊”：？｜／"
    assert safe_file_name("営業(1) 2024.xlsx") == "営業(1) 2024.xlsx"
    assert safe_file_name("a\tb\x00c\n") == "a b c "


@pytest.mark.parametrize(
    "name",
    [
        *("con", "PRN", "Aux", "nul", "COM1", "com9", "LPT1", "lpt9", "COM¹", "com²", "Lpt³", "CONIN$", "conout$"),
        *("con.txt", "aux.backup", "nul.tar.gz", "com1 .x", "con ", "COM¹.txt", "con."),
    ],
)
def test_reserved(name: str) -> None:
    assert is_reserved(name)
    assert not is_index_name(name)


@pytest.mark.parametrize("name", ["console", "com", "com10", "lpt⁴", "xcon", "a.con", "con_", "", "aux-1", "con(2)"])
def test_not_reserved(name: str) -> None:
    assert not is_reserved(name)


# name, plain folder name, stored index name, index name
NAMES = [
    ("営業", True, True, True),
    ("2019年度", True, True, True),
    (".git", True, True, True),
    ("a b", True, True, True),
    ("a" * 255, True, True, True),
    ("あ" * 255, True, True, True),
    ("a" * 256, False, False, False),
    ("𠮟" * 127, True, True, True),  # two UTF-16 units each
    ("𠮟" * 128, False, False, False),
    ("aux.backup", True, True, False),  # reserved, but it may exist already
    ("aux", True, True, False),
    ("名前.", True, False, False),  # an older version could make these
    ("名前 ", True, False, False),
    (" 名前", True, False, False),
    ("", False, False, False),
    (" ", False, False, False),
    (".", False, False, False),
    ("..", False, False, False),
    (".. ", False, False, False),
    ("...", False, False, False),
    ("a/b", False, False, False),
    ("a\\b", False, False, False),
    ("C:", False, False, False),
    ("a\tb", False, False, False),
    ("a\n", False, False, False),
    ("a?", False, False, False),
]


@pytest.mark.parametrize(("name", "plain", "stored", "new"), NAMES, ids=lambda v: repr(v)[:20])
def test_which_names_are_allowed(name: str, plain: bool, stored: bool, new: bool) -> None:
    assert (is_plain_folder_name(name), is_stored_index_name(name), is_index_name(name)) == (plain, stored, new)


@pytest.mark.parametrize(
    ("wanted", "taken", "name"),
    [
        ("営業", [], "営業"),
        ("営業", ["営業"], "営業(2)"),
        ("営業", ["営業", "営業(2)"], "営業(3)"),
        ("Sales", ["SALES"], "Sales(2)"),
        ("営業(2)", ["営業(2)"], "営業(2)(2)"),
        ("売上/2024", [], "売上／2024"),
        ("C:\\", [], "C：￥"),
        ("名前.", [], "名前"),
        (" 名前 . ", [], "名前"),
        ("", [], "index"),
        ("...", ["index"], "index(2)"),
        ("aux.backup", [], "aux_.backup"),
        ("con", ["con_"], "con_(2)"),
        ("a" * 300, [], "a" * 255),
        ("a" * 300, ["a" * 255], "a" * 252 + "(2)"),
        ("𠮟" * 200, [], "𠮟" * 127),
        ("." * 255 + "a", [], "index"),
        ("con" + " " * 300 + "x", [], "con_"),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_new_names(wanted: str, taken: list[str], name: str) -> None:
    assert new_index_name(wanted, taken) == name


@given(st.text(st.characters() | st.sampled_from(' .:"con1¹'), max_size=300), st.integers(0, 3))
def test_a_new_name_is_always_one_and_always_free(wanted: str, others: int) -> None:
    taken: list[str] = []
    for _ in range(others + 1):
        name = new_index_name(wanted, taken)
        assert is_index_name(name)
        assert name_key(name) not in {name_key(t) for t in taken}
        taken.append(name.upper() if len(name.upper()) == len(name) else name)


@given(st.lists(st.text(st.sampled_from("aAΣσςİé.x"), min_size=1), min_size=1))
def test_the_key_of_a_path_is_the_keys_of_its_names(names: list[str]) -> None:
    assert name_key("\\".join(names)) == "\\".join(map(name_key, names))
