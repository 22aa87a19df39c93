"""Presentations: what is read of PresentationML and in which place (ECMA-376 part 1, 19; extraction.md)."""

from __future__ import annotations

import pytest
from ooxml_builder import by_place, package, pptx, rels, xml

from tebunko.extract.powerpoint.pptx import read_pptx
from tebunko.extract.source import Options, Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import page
from tebunko.model.unit import Extraction, Unit


def read(source: Source) -> dict[str, list[str]]:
    extraction = read_pptx(source, Options())
    assert extraction.warnings == []
    return by_place(extraction)


def paragraphs(*texts: str) -> str:
    return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)


def shape(*texts: str, placeholder: str = "") -> str:
    kind = f'<p:nvSpPr><p:nvPr><p:ph type="{placeholder}"/></p:nvPr></p:nvSpPr>' if placeholder else ""
    return f"<p:sp>{kind}<p:txBody>{paragraphs(*texts)}</p:txBody></p:sp>"


def slide(*shapes: str, root: str = "p:sld") -> str:
    return xml(root, f"<p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld>")


def test_slides_come_in_the_order_of_the_presentation() -> None:
    source = pptx([slide(shape("one", "", "two")), slide(), slide(shape("three"))])
    assert read(source) == {"スライド001": ["one", "two"], "スライド003": ["three"]}


def test_hidden_slide_keeps_its_mark_but_not_on_its_notes() -> None:
    parts = {"n.xml": slide(shape("note", placeholder="body"), shape("7", placeholder="sldNum"), root="p:notes")}
    source = pptx([slide(shape("x"), root='p:sld show="0"')], parts, {1: {"n": ("notesSlide", "../n.xml")}})
    assert read(source) == {"スライド001（非表示）": ["x"], "スライド001_ノート": ["note"]}


def test_footer_placeholders_are_gathered_once() -> None:
    repeated = [shape("社外秘", placeholder="ftr"), shape("1", placeholder="sldNum"), shape("2024", placeholder="dt")]
    notes = slide(shape("配布用", placeholder="hdr"), root="p:notes")
    source = pptx(
        [slide(shape("a", placeholder="title"), *repeated), slide(shape("b"), *repeated)],
        {"n.xml": notes},
        {2: {"n": ("notesSlide", "../n.xml")}},
    )
    assert read(source) == {"スライド001": ["a"], "スライド002": ["b"], "ヘッダー・フッター": ["社外秘", "配布用"]}


def test_what_layout_and_master_show_is_gathered_once() -> None:
    parts = {
        "slideLayouts/l.xml": slide(shape("部外秘"), shape("Click to edit", placeholder="title"), root="p:sldLayout"),
        "slideLayouts/_rels/l.xml.rels": rels({"m": ("slideMaster", "../slideMasters/m.xml")}),
        "slideMasters/m.xml": slide(
            shape("Example Ltd."),
            "<p:sp><p:txBody><a:p><a:fld type='slidenum'><a:t>9</a:t></a:fld></a:p></p:txBody></p:sp>",
            shape("footer of the master", placeholder="ftr"),
            root="p:sldMaster",
        ),
    }
    layout = {"l": ("slideLayout", "../slideLayouts/l.xml")}
    source = pptx([slide(shape("a")), slide(shape("b"))], parts, {1: layout, 2: layout})
    assert read(source) == {
        "スライド001": ["a"],
        "スライド002": ["b"],
        "ヘッダー・フッター": ["部外秘", "Example Ltd."],
    }
    source = pptx([slide(shape("a"), root='p:sld showMasterSp="0"')], parts, {1: layout})
    assert read(source) == {"スライド001": ["a"]}


def test_tables_groups_and_connectors_are_slide_text() -> None:
    cells = [paragraphs("a", "b"), "<a:p/>", paragraphs("c"), "<a:p/>"]
    row = "".join(f"<a:tc><a:txBody>{cell}</a:txBody></a:tc>" for cell in cells)
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>{row}</a:tr></a:tbl></a:graphicData></a:graphic>"
    group = f"<p:grpSp><p:grpSp>{shape('in')}</p:grpSp>{shape('side')}</p:grpSp>"
    assert read(pptx([slide(group, frame + "</p:graphicFrame>", shape("after"))])) == {
        "スライド001": ["in", "side", "a b\t\tc", "after"]
    }


def test_charts_and_smartart_are_shapes() -> None:
    chart = xml("c:chartSpace", "<c:chart><c:ser><c:tx><c:v>売上</c:v></c:tx></c:ser></c:chart>")
    data = xml("dgm:dataModel", f"<dgm:pt><dgm:t>{paragraphs('計画', '実行')}</dgm:t></dgm:pt>")
    frames = (
        '<p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame><p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>'
    )
    rels = {"d": ("diagramData", "../d.xml"), "c": ("chart", "../c.xml")}
    source = pptx([slide(frames, root='p:sld show="false"')], {"c.xml": chart, "d.xml": data}, {1: rels})
    assert read(source) == {"スライド001（非表示）[図形]": ["計画 実行", "売上"]}


def test_legacy_and_modern_comments_with_replies() -> None:
    legacy = xml("p:cmLst", "<p:cm><p:text>旧\nコメント</p:text></p:cm><p:cm><p:text/></p:cm>")
    replies = "".join(
        f"<p188:reply><p188:txBody>{paragraphs(text)}</p188:txBody></p188:reply>" for text in ("返一", "返二")
    )
    modern = f"<p188:cm><p188:replyLst>{replies}</p188:replyLst><p188:txBody>{paragraphs('新', '続')}</p188:txBody></p188:cm>"
    rels = {
        "l": ("comments", "../l.xml"),
        "m": ("http://schemas.microsoft.com/office/2018/10/relationships/comments", "/ppt/m.xml"),
    }
    source = pptx([slide(shape("x"))], {"l.xml": legacy, "m.xml": xml("p188:cmLst", modern)}, {1: rels})
    assert read(source) == {"スライド001": ["x"], "スライド001[コメント]": ["旧 コメント", "新 続", "返一", "返二"]}


def test_embedded_files() -> None:
    ole = '<p:graphicFrame><p:oleObj r:id="{}"/></p:graphicFrame>'
    both = f"<mc:AlternateContent><mc:Choice>{ole.format('a')}</mc:Choice><mc:Fallback>{ole.format('a')}</mc:Fallback></mc:AlternateContent>"
    source = pptx(
        [slide(both), slide(ole.format("b"), root='p:sld show="0"')],
        {"e/a.docx": b"A", "e/b.docx": b"B"},
        {1: {"a": ("package", "../e/a.docx")}, 2: {"b": ("package", "../e/b.docx")}},
    )
    extraction = read_pptx(source, Options(), lambda name, data: Extraction([Unit(page(1), [f"{name} {data!r}"])]))
    assert by_place(extraction) == {
        "スライド001[埋め込み1]": ["a.docx b'A'"],
        "スライド002（非表示）[埋め込み2]": ["b.docx b'B'"],
    }


def test_slide_that_cannot_be_read_keeps_its_number() -> None:
    extraction = read_pptx(pptx(["<broken", slide(shape("x"))], {}, {2: {"n": ("notesSlide", "no.xml")}}), Options())
    assert by_place(extraction) == {"スライド002": ["x"]}
    assert [warning.split(":")[0] for warning in extraction.warnings] == ["ppt/slides/slide2.xml"]


def test_slide_without_relationship_is_a_warning() -> None:
    main = xml("p:presentation", '<p:sldIdLst><p:sldId r:id="nowhere"/></p:sldIdLst>')
    data = package({"ppt/presentation.xml": main}, {"": {"r": ("officeDocument", "ppt/presentation.xml")}})
    assert read_pptx(source_of("a.pptx", data), Options()).warnings == ["ppt/presentation.xml: slide 1 is missing"]


@pytest.mark.parametrize("main", ["<broken", xml("w:document")])
def test_main_part_that_cannot_be_read_is_an_error(main: str) -> None:
    data = package({"ppt/presentation.xml": main}, {})
    with pytest.raises(ExtractError) as caught:
        read_pptx(source_of("a.pptx", data), Options())
    assert caught.value.reason is Reason.DAMAGED


def test_nested_text_bodies_are_read_once() -> None:
    nested = "<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p>" * 500 + "</p:txBody></p:sp>" * 500
    assert read(pptx([slide(nested)])) == {"スライド001": ["a"] * 500}
