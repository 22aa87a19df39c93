"""The query language (search.md), sentence by sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import UserError
from tebunko.search.fields import FieldName, Range, parse_field
from tebunko.search.query import BLANKS, Item, Mode, Query, Word, parse_query


def said(query: Query) -> list[list[str]]:
    """A query as short text: words as they are, fields as ``name:``, exclusions with a leading ``-``."""

    def item(i: Item) -> str:
        text = i.what.text if isinstance(i.what, Word) else f"{i.what.name}:"
        return f"-{text}" if i.excluded else text

    return [[item(i) for i in clause] for clause in query.clauses]


@pytest.mark.parametrize(
    "text",
    [
        "(株)", "1.5", "C++", "10:30", r"C:\data", "a*b?", "OR", "-", "－", "見積", "a|b", "AND", "NOT", "(a)", '5"', r"\"",
        '""', '"', "“見積", "sheet:", "name:", "note:x", "Sheet:売上", "sheet：売上", "a-b", "!x", "a;b", "http://x/y",
        '"a"b', "“a“b", 'sheet"x"',
    ],
)  # fmt: skip
def test_one_word_is_literal_as_it_stands(text: str) -> None:
    assert parse_query(text).clauses == ((Item(Word(text)),),)
    assert parse_query(f" {text}　\t").clauses == ((Item(Word(text)),),)


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('"株式会社 山田"', "株式会社 山田"),
        ("“株式会社 山田”", "株式会社 山田"),
        ("”株式会社 山田”", "株式会社 山田"),
        ("＂株式会社　山田＂", "株式会社　山田"),
        ('"-a OR b"', "-a OR b"),
        ('"sheet:売上"', "sheet:売上"),
        ('"(a) *"', "(a) *"),
        (r'"a \"b\" c"', 'a "b" c'),
        ('"„a“ b"', "„a“ b"),
        ('“say "hi"”', 'say "hi"'),
        ('"OR"', "OR"),
        (r'"C:\my data\"', "C:\\my data\\"),
        ('" a "', " a "),
    ],
)
def test_one_phrase_is_literal_as_it_stands(text: str, literal: str) -> None:
    assert parse_query(text).clauses == ((Item(Word(literal)),),)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("a b", [["a"], ["b"]]),
        ("a　b\tc", [["a"], ["b"], ["c"]]),
        ("  a   b  ", [["a"], ["b"]]),
        ("a OR b", [["a", "b"]]),
        ("a b OR c", [["a"], ["b", "c"]]),
        ("a OR b c OR d", [["a", "b"], ["c", "d"]]),
        ("a OR b OR c", [["a", "b", "c"]]),
        ("a or b", [["a"], ["or"], ["b"]]),
        ("OR a", [["OR"], ["a"]]),
        ("a OR", [["a"], ["OR"]]),
        ("a OR OR b", [["a", "OR"], ["b"]]),
        ('a "OR" b', [["a"], ["OR"], ["b"]]),
        ("ＯＲ a", [["ＯＲ"], ["a"]]),
        ("a -b", [["a"], ["-b"]]),
        ("a －b", [["a"], ["-b"]]),
        ('a -"b c"', [["a"], ["-b c"]]),
        ("-a", [["-a"]]),
        ("－a", [["-a"]]),
        ("-OR", [["-OR"]]),
        ("--a", [["--a"]]),
        ("a - b", [["a"], ["-"], ["b"]]),
        ("a b-c", [["a"], ["b-c"]]),
        ("a OR -b", [["a", "-b"]]),
        ("(a OR b)", [["(a", "b)"]]),
        ("(a b)", [["(a"], ["b)"]]),
        ("10:30 C:\\data", [["10:30"], ["C:\\data"]]),
        ('"a b" c', [["a b"], ["c"]]),
        ("“a b” ＂c d＂ ”e f”", [["a b"], ["c d"], ["e f"]]),
        (r"5\" disk", [['5"'], ["disk"]]),
        ('5" disk', [['5"'], ["disk"]]),
        ('"a b', [['"a'], ["b"]]),
        ('a "b"c', [["a"], ['"b"c']]),
        (r'a "b \"c"', [["a"], ['b "c']]),
        ("sheet:売上", [["sheet:"]]),
        ('sheet:"売上 2024" a', [["sheet:"], ["a"]]),
        ("a -sheet:売上", [["a"], ["-sheet:"]]),
        ("a sheet:x OR page:3", [["a"], ["sheet:", "page:"]]),
        ("page:3 slide:2-5 in:comment name:*.xlsx folder:2024", [["page:"], ["slide:"], ["in:"], ["name:"], ["folder:"]]),
        ("kind:excel after:2024-04-01 before:2025 size:>1MB", [["kind:"], ["after:"], ["before:"], ["size:"]]),
        ("a sheet:", [["a"], ["sheet:"]]),
        ("a title:b", [["a"], ["title:b"]]),
    ],
)  # fmt: skip
def test_words_phrases_and_operators(text: str, clauses: list[list[str]]) -> None:
    assert said(parse_query(text)) == clauses


def test_a_field_has_the_value_behind_its_colon() -> None:
    query = parse_query('sheet:"売上 2024" slide:2-5 sheet:（x）')
    assert [f.value for f in query.fields] == ["売上 2024", Range(2, 5), "（x）"]


def test_a_field_s_name_alone_is_a_word() -> None:
    assert isinstance(parse_query("a sheet:").clauses[1][0].what, Word)


@pytest.mark.parametrize("text", ["", " ", "　\t "])
def test_nothing_is_no_query(text: str) -> None:
    with pytest.raises(UserError, match="empty"):
        parse_query(text)


@pytest.mark.parametrize("text", [" a ", "a OR b", '"a"', "-x", "sheet:a", "  ", "("])
def test_a_literal_takes_everything(text: str) -> None:
    assert parse_query(text, Mode.LITERAL).clauses == ((Item(Word(text)),),)


@pytest.mark.parametrize("text", ["a|b", " a", "-x", "sheet:a", "^(売上|仕入)"])
def test_an_expression_takes_everything(text: str) -> None:
    assert parse_query(text, Mode.REGEX, case=True) == Query(((Item(Word(text, True)),),), True)


@pytest.mark.parametrize(
    ("text", "position"), [("(", 2), ("a**", 3), ("[z-a]", 5), ("ab\\", None), (r"\p{Foo}", None), ("x{2,1}", None)]
)
def test_an_invalid_expression_is_an_error_with_its_position(text: str, position: int | None) -> None:
    with pytest.raises(UserError) as caught:
        parse_query(text, Mode.REGEX)
    assert 1 <= int(str(caught.value.params["position"])) <= len(text) + 1
    if position is not None:
        assert caught.value.params["position"] == position
    assert str(caught.value.params["position"]) in str(caught.value)


@pytest.mark.parametrize("text", ["(" * 3000 + ")" * 3000, "a" * 20_001])
def test_a_monstrous_query_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_query(text, Mode.REGEX)


@pytest.mark.parametrize(
    ("text", "lists"), [("a", False), ("-a", True), ("sheet:x", True), ("sheet:x -a", True), ("sheet:x OR a", False)]
)
def test_only_exclusions_and_fields_list_files(text: str, lists: bool) -> None:
    assert parse_query(text).lists_files is lists


def test_words_are_those_looked_for() -> None:
    assert parse_query("b a OR b -c sheet:d").words == (Word("b"), Word("a"))


def test_queries_are_values() -> None:
    assert hash(parse_query("a -b sheet:c in:notes name:x")) == hash(parse_query("a -b sheet:c in:notes name:x"))
    assert parse_field(FieldName.SHEET, "x") != parse_field(FieldName.FOLDER, "x")


FRAGMENTS = [
    *["sheet:", "page:", "slide:", "in:", "name:", "folder:", "kind:", "after:", "before:", "size:"],
    *[
        "OR",
        "-",
        "－",
        '"',
        "“",
        "”",
        "＂",
        "\\",
        '\\"',
        " ",
        "　",
        "\t",
        "a",
        "見積",
        "2",
        ">1MB",
        "notes",
        "*",
        "(",
        ":",
        "\n",
    ],
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join), st.sampled_from(list(Mode)), st.booleans())
def test_parsing_raises_nothing_but_user_errors(text: str, mode: Mode, case: bool) -> None:
    try:
        query = parse_query(text, mode, case=case)
    except UserError as error:
        assert str(error)
        return
    assert query.clauses
    assert all(clause for clause in query.clauses)


@given(st.text(max_size=30), st.sampled_from(list(Mode)))
def test_any_text_can_be_typed(text: str, mode: Mode) -> None:
    try:
        parse_query(text, mode)
    except UserError as error:
        assert str(error)


@given(st.text(min_size=1, max_size=20).filter(lambda text: text.strip(BLANKS) and '"' not in text))
def test_a_quoted_literal_comes_back(text: str) -> None:
    assert parse_query(f'"{text}"').clauses == ((Item(Word(text)),),)


@given(st.text(st.characters(exclude_characters=BLANKS + '"“”＂'), min_size=1, max_size=20))
def test_any_word_alone_comes_back_unless_it_is_a_field_or_an_exclusion(text: str) -> None:
    try:
        query = parse_query(text)
    except UserError:
        return  # a field with a value that it does not take
    (item,) = (item for clause in query.clauses for item in clause)
    assert item.excluded or not isinstance(item.what, Word) or item.what.text == text


@given(st.text(min_size=1, max_size=30))
def test_a_literal_query_round_trips(text: str) -> None:
    assert parse_query(text, Mode.LITERAL).words == (Word(text),)
