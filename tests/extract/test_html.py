"""HTML as lines: what a browser shows, block by block."""

from __future__ import annotations

import pytest

from tebunko.extract.html import html_lines


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>a<p>b", ["a", "b"]),
        ("a<br>b <i>c</i>d<div>e</div>f", ["a", "b cd", "e", "f"]),
        ("<p> many \n\t blanks　全角 </p>", ["many blanks　全角"]),
        ("<title>t</title><style>s</style><p>x<script>y</script>z<!-- no -->!</p>", ["xz!"]),
        ("<table><tr><th>a<td>b<tr><td><td>c<td></table>after", ["a\tb", "\tc", "after"]),
        ("<table><tr><td><p>a<table><tr><td>x<td>y</table>z<td>b</table>", ["a x y z\tb"]),
        ("<ul><li>&lt;1&gt;<li>&eacute;&#x3042;</ul>", ["<1>", "éあ"]),
        ("<p></p>", []),
    ],
)
def test_lines(page: str, expected: list[str]) -> None:
    assert html_lines(page.encode()) == expected


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "utf-8", "iso-2022-jp"])
def test_declared_and_undeclared_encodings(encoding: str) -> None:
    for head in (f'<meta charset="{encoding}">', ""):
        assert html_lines(f"<html>{head}<p>これは日本語です</p>".encode(encoding)) == ["これは日本語です"]


def test_declared_encoding_that_is_wrong_is_not_believed() -> None:
    assert html_lines('<meta charset="utf-8"><p>日本語の文書</p>'.encode("cp932")) == ["日本語の文書"]


def test_deep_nesting_costs_no_stack() -> None:
    assert html_lines(b"<div>" * 1500 + b"x") == ["x"]
