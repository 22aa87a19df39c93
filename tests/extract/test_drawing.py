"""Shapes, charts and SmartArt: ECMA-376 part 1 (DrawingML) and extraction.md section 4."""

from __future__ import annotations

import pytest
from lxml import etree
from ooxml_builder import package, xml

from tebunko.extract import drawing
from tebunko.extract.package import Package
from tebunko.extract.source import source_of


def element(content: str) -> etree._Element:
    root = etree.fromstring(xml("p:sp", content))
    drawing.keep_one_choice(root)
    return root


def run(text: str) -> str:
    return f"<a:r><a:t>{text}</a:t></a:r>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"<a:p>{run('one ')}{run('two')}</a:p><a:p/><a:p>{run('three')}</a:p>", ["one two", "three"]),
        (f"<a:p>{run('a')}<a:br/>{run('b')}</a:p>", ["a/b"]),
        (f"<a:p>{run('a')}<a:br/><a:br/></a:p>", ["a"]),
        ("<a:p><a:fld type='slidenum'><a:rPr/><a:t>12</a:t></a:fld></a:p>", ["12"]),
        (f"<a:p>{run('  a&#9;b ')}</a:p>", ["a b"]),
        (f"<a:p>{run('a_x000B_b')}</a:p>", ["a/b"]),
        (f"<a:p>{run('   ')}</a:p>", []),
        ("<a:p><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></a:p>", ["x+1"]),
    ],
)
def test_paragraphs_of_a_shape(content: str, expected: list[str]) -> None:
    assert drawing.shape_paragraphs(element(content), "/") == expected


def test_first_choice_is_read_and_nothing_beside_it() -> None:
    branches = "".join(
        f"<mc:{name}><a:p>{run(text)}</a:p></mc:{name}>"
        for name, text in [("Choice", "first"), ("Choice", "second"), ("Fallback", "fallback")]
    )
    assert drawing.shape_paragraphs(element(f"<mc:AlternateContent>{branches}</mc:AlternateContent>")) == ["first"]


def test_fallback_is_read_if_there_is_no_choice() -> None:
    content = f"<mc:AlternateContent><mc:Fallback><a:p>{run('old')}</a:p></mc:Fallback></mc:AlternateContent>"
    assert drawing.shape_paragraphs(element(content)) == ["old"]


CHART = xml(
    "c:chartSpace",
    f"""<c:chart>
    <c:title><c:tx><c:rich><a:p>{run("売上の")}{run("推移")}</a:p></c:rich></c:tx></c:title>
    <c:plotArea><c:barChart>
      <c:ser><c:tx><c:strRef><c:f>A!B1</c:f><c:strCache><c:pt idx="0"><c:v>東京</c:v></c:pt></c:strCache></c:strRef></c:tx>
        <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>category</c:v></c:pt></c:strCache></c:strRef></c:cat>
        <c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>42</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
      <c:ser><c:tx><c:v>大阪</c:v></c:tx></c:ser><c:ser/></c:barChart>
      <c:catAx><c:title><c:tx><c:rich><a:p>{run("月")}</a:p></c:rich></c:tx></c:title></c:catAx>
      <c:valAx><c:title><c:layout/></c:title></c:valAx></c:plotArea></c:chart>""",
)
SMARTART = xml(
    "dgm:dataModel",
    f"<dgm:ptLst><dgm:pt><dgm:t><a:p>{run('計画')}</a:p><a:p>{run('実行')}</a:p></dgm:t></dgm:pt>"
    f"<dgm:pt type='pres'/><dgm:pt><dgm:t><a:p>{run('評価')}</a:p></dgm:t></dgm:pt></dgm:ptLst>",
)


@pytest.fixture
def graphics() -> Package:
    rels = {"owner.xml": {"c": ("chart", "c.xml"), "s": ("diagramData", "/s.xml"), "b": ("chart", "broken.xml")}}
    return Package(source_of("a", package({"c.xml": CHART, "s.xml": SMARTART, "broken.xml": "<a"}, rels)))


def test_chart_gives_title_axis_titles_and_series_names(graphics: Package) -> None:
    with graphics:
        assert drawing.chart_lines(graphics, "c.xml") == ["売上の推移", "月", "東京", "大阪"]


def test_smartart_gives_its_points(graphics: Package) -> None:
    with graphics:
        assert drawing.smartart_lines(graphics, "s.xml") == ["計画", "実行", "評価"]


def test_graphics_that_cannot_be_read_are_warnings(graphics: Package) -> None:
    warnings: list[str] = []
    references = '<dgm:relIds r:dm="s"/><c:chart r:id="b"/><c:chart r:id="none"/><c:chart r:id="c"/>'
    with graphics:
        found = drawing.graphic_lines(graphics, "owner.xml", element(references), warnings)
    assert found == [["計画", "実行", "評価"], ["売上の推移", "月", "東京", "大阪"]]
    assert len(warnings) == 1 and warnings[0].startswith("broken.xml: damaged")
