"""Word documents that no word processor writes: whatever the nesting, each text is read once, in bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ooxml_builder import by_place, docx

from tebunko.extract.source import Options
from tebunko.extract.word.docx import read_docx

TAGS = ("w:p", "w:r", "w:tbl", "w:tr", "w:tc", "w:sdt", "w:sdtContent", "w:ins", "w:hyperlink", "w:txbxContent", "w:x")

trees = st.recursive(
    st.just("@"),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=3)),
    max_leaves=25,
)


def render(tree: object, numbers: list[int]) -> str:
    if isinstance(tree, tuple):
        return f"<{tree[0]}>{''.join(render(child, numbers) for child in tree[1])}</{tree[0]}>"
    numbers.append(len(numbers))
    return f"<w:p><w:t>t{numbers[-1]}t</w:t></w:p>"


@given(st.lists(trees, max_size=4))
def test_each_text_is_read_exactly_once(forest: list[object]) -> None:
    numbers: list[int] = []
    body = "".join(render(tree, numbers) for tree in forest)
    lines = [line for lines in by_place(read_docx(docx(body), Options())).values() for line in lines]
    assert all(sum(line.count(f"t{number}t") for line in lines) == 1 for number in numbers)


BREAKS = st.sampled_from(
    [
        '<w:r><w:br w:type="page"/></w:r>',
        "<w:r><w:lastRenderedPageBreak/></w:r>",
        '<w:fldChar w:fldCharType="begin"/>',
        '<w:fldChar w:fldCharType="separate"/>',
        '<w:fldChar w:fldCharType="end"/>',
        '<w:commentReference w:id="1"/>',
        "<w:pPr><w:pageBreakBefore/><w:sectPr/></w:pPr>",
        '<w:sym w:char="FFFFFFFFFF"/>',
        "<w:del><w:t>d</w:t></w:del>",
        "<w:rPr><w:del/></w:rPr>",
        "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>",
        "<w:trPr><w:del/></w:trPr>",
        "<w:p>",
        "</w:p>",
        "<w:t>x</w:t>",
    ]
)


@given(st.lists(BREAKS, max_size=30))
def test_no_order_of_marks_makes_it_fail(marks: list[str]) -> None:
    body, depth = "", 0
    for mark in marks:
        if mark == "</w:p>" and not depth:
            continue
        depth += (mark == "<w:p>") - (mark == "</w:p>")
        body += mark
    read_docx(docx(body + "</w:p>" * depth), Options())


def test_deep_nesting_costs_no_stack() -> None:
    nested = "<w:p><w:t>a</w:t><w:txbxContent>" * 900 + "</w:txbxContent></w:p>" * 900
    assert by_place(read_docx(docx(nested), Options())) == {"ページ001": ["a"], "ページ001[図形]": ["a"] * 899}
    tables = "<w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p>" * 600 + "</w:tc></w:tr></w:tbl>" * 600
    assert by_place(read_docx(docx(tables), Options())) == {"ページ001": [" ".join("a" * 600)]}
