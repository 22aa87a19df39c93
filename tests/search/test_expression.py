"""What can be known of an expression's matches; that nothing is missed is tested against lines in test_scan.py."""

from __future__ import annotations

import pytest

from tebunko.search.expression import outline_of


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("見積", ("見積",)),
        ("見積.*株式会社", ("株式会社",)),
        ("(売上|仕入)高", ("売上高", "仕入高")),
        ("^(売上|仕入)高?\\s", ("売上", "仕入")),
        ("a|見積", ("a", "見積")),
        ("見?積算", ("積算",)),
        ("(見積)+書", ("見積",)),
        ("(見積){0,3}書", ("書",)),
        ("[ab]c", ("ac", "bc")),
        (r"\d+件", ("件",)),
        (r"\d+", ()),
        (r"(?<=円)\d+", ()),
        (r"\u898b\u7a4d", ("見積",)),
        (r"a\.b", ("a.b",)),
        ("(?i)abc", ("abc",)),
        ("(?P<n>foo)(?P=n)", ("foo",)),
    ],
)
def test_literals_that_every_match_contains(pattern: str, literals: tuple[str, ...]) -> None:
    outline = outline_of(pattern, case=True)
    assert outline is not None
    assert outline.literals == literals


@pytest.mark.parametrize(
    "pattern",
    [
        "a*", "a?|b", "^", "$", r"\b", "(?=a)", "a{0}", "(a|)",  # they match every line, or none of its text
        "(?x)a b", "a{e<=1}", "(?|a|b)", "(?R)?a", "(?(1)a|b)", r"\Ka", r"\X", "(*FAIL)", "[[:alpha:]]", "[a--b]", r"[\p{L}]",
        r"\n", r"a\10", "(?V1)a", "(?f)ss", "(" * 60 + "a" + ")" * 60,
    ],
)  # fmt: skip
def test_what_is_not_known_for_certain_has_no_outline(pattern: str) -> None:
    assert outline_of(pattern, case=False) is None


@pytest.mark.parametrize(
    "pattern", [r"a\sb", "a[^x]b", "a.b", "(?s)a.b", r"a\Wb", r"a[\s,]b", r"a[\x00-\x20]b", r"a\D+b", r"a[^]x]b"]
)
def test_outlines_stay_in_a_line(pattern: str) -> None:
    outline = outline_of(pattern, case=False)
    assert outline is not None
    assert outline.pattern.search("a\nb") is None
    assert outline.pattern.search("a\u2028b") or "," in pattern or "\\x20" in pattern
