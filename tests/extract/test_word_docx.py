"""Word documents: what is read of WordprocessingML and in which place (ECMA-376 part 1, 17; extraction.md)."""

from __future__ import annotations

from base64 import b64encode

import pytest
from ooxml_builder import by_place, docx, package, xml

from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.word.docx import read_docx
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import PlaceKind, page
from tebunko.model.place import sheet as sheet_place
from tebunko.model.unit import Extraction, Unit


def read(source: Source) -> dict[str, list[str]]:
    extraction = read_docx(source, Options())
    assert extraction.warnings == []
    return by_place(extraction)


def t(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>" if properties else f"<w:p>{content}</w:p>"


def char(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def field(code: str, result: str) -> str:
    return f"{char('begin')}{code}{char('separate')}{result}{char('end')}"


CODE = "<w:r><w:instrText>PAGE</w:instrText></w:r>"
DROP_DOWN = (
    '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="春"/>'
    f'<w:listEntry w:val="秋"/></w:ddList></w:ffData></w:fldChar></w:r>{CODE}{char("end")}'
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (t("one ") + t("two"), "one two"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r>", "a b c d"),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>", "a-bc"),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="MS Mincho" w:char="2460"/></w:r>', "α①"),
        (f"<w:ins>{t('new')}</w:ins><w:del><w:r><w:delText>old</w:delText><w:t>x</w:t></w:r></w:del>", "new"),
        (f"<w:moveTo>{t('here')}</w:moveTo><w:moveFrom>{t('there')}</w:moveFrom>", "here"),
        (f"<w:hyperlink r:id='x'>{t('link')}</w:hyperlink><w:smartTag>{t('!')}</w:smartTag>", "link!"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{t('control')}</w:sdtContent></w:sdt>", "control"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>", "hidden"),
        (f"<w:r><w:ruby><w:rt>{t('かんじ')}</w:rt><w:rubyBase>{t('漢字')}</w:rubyBase></w:ruby></w:r>", "漢字"),
        (f"p.{field(CODE, t('7'))}", "7"),
        (f"<w:fldSimple w:instr='PAGE'>{t('7')}</w:fldSimple>", "7"),
        (field(CODE + field(CODE, t("inner")) + t("code"), t("outer")), "outer"),
        (char("begin") + CODE + t("never ended"), "never ended"),
        (char("separate") + t("a") + char("end") + t("b"), "ab"),
        (DROP_DOWN, "秋"),
        ("<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>", "E=mc"),
        (t("　字下げ "), "　字下げ"),
    ],
)
def test_text_of_a_paragraph(content: str, expected: str) -> None:
    assert read(docx(p(content))) == {"ページ001": [expected]}


def test_field_over_several_paragraphs() -> None:
    body = p(t("a") + char("begin") + CODE) + p(t("code")) + p(char("separate") + t("b")) + p(t("c") + char("end"))
    assert read(docx(body)) == {"ページ001": ["a", "b", "c"]}


def test_paragraphs_whose_mark_is_deleted_are_one() -> None:
    deleted = "<w:rPr><w:del w:id='1'/></w:rPr>"
    body = p(t("a"), deleted) + p(t("b"), deleted) + p(t("c")) + p(t("d"))
    assert read(docx(body)) == {"ページ001": ["abc", "d"]}


def cell(*paragraphs: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(paragraphs)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (table(cell(p(t("a"))) + cell(p(t("b"))), cell(p(t("c"))) + cell(p(""))), ["a\tb", "c"]),
        (table(cell(p("")) + cell(p(t("b")))), ["\tb"]),
        (table(cell(p(t("a")), p(""), p(t("b")))), ["a b"]),
        (table(cell(p(""))), []),
        (table(cell(p(t("a"))) + cell(table(cell(p(t("x"))) + cell(p(t("y")))), p(t("z")))), ["a\tx y z"]),
        (table(cell(table(cell(p(t("x"))))), cell(p(t("next")))) + p(t("after")), ["x", "next", "after"]),
        (table(cell(p(t("wide")), properties='<w:gridSpan w:val="2"/>') + cell(p(t("c")))), ["wide\tc"]),
        (f"<w:sdt><w:sdtContent>{table(cell(p(t('a'))))}</w:sdtContent></w:sdt>", ["a"]),
        (table(f"<w:sdt><w:sdtContent>{cell(p(t('a')))}</w:sdtContent></w:sdt>{cell(p(t('b')))}"), ["a\tb"]),
        (table(f"<w:trPr><w:del/></w:trPr>{cell(p(t('gone')))}", cell(p(t("here")))), ["here"]),
        (table(cell(p(t("gone")), properties="<w:cellDel/>") + cell(p(t("here")))), ["here"]),
    ],
)
def test_table_rows_are_lines(body: str, expected: list[str]) -> None:
    assert read(docx(body)).get("ページ001", []) == expected


BREAK = '<w:r><w:br w:type="page"/></w:r>'
RENDERED = "<w:r><w:lastRenderedPageBreak/></w:r>"
BEFORE = "<w:pageBreakBefore/>"


def section(kind: str = "") -> str:
    return "<w:sectPr>" + (f'<w:type w:val="{kind}"/>' if kind else "") + "</w:sectPr>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (p(t("a")) + p(BREAK + t("b")), [(1, "a"), (2, "b")]),
        (p(t("a") + BREAK + t("b")) + p(t("c")), [(1, "a b"), (2, "c")]),
        (p(t("a")) + p(RENDERED + t("b")), [(1, "a"), (2, "b")]),
        (p(t("a") + BREAK) + p(RENDERED + t("b")) + p(RENDERED + t("c")), [(1, "a"), (2, "b"), (3, "c")]),
        (p(t("a") + BREAK + t("b")) + p(RENDERED + t("c")), [(1, "a b"), (3, "c")]),
        (p(t("a")) + p(t("b"), BEFORE) + p(t("c")), [(1, "a"), (2, "b"), (2, "c")]),
        (p(t("a")) + p(RENDERED + t("b"), BEFORE), [(1, "a"), (2, "b")]),
        (p(t("a")) + p(t("b"), '<w:pageBreakBefore w:val="0"/>'), [(1, "a"), (1, "b")]),
        (p(t("a"), BEFORE), [(1, "a")]),
        (p(t("a"), section()) + p(t("b")) + section(), [(1, "a"), (2, "b")]),
        (p(t("a"), section()) + p(t("b")) + section("continuous"), [(1, "a"), (1, "b")]),
        (p(t("a"), section("continuous")) + p(t("b")) + section("oddPage"), [(1, "a"), (2, "b")]),
        (p(t("a"), section()) + p(RENDERED + t("b")) + section(), [(1, "a"), (2, "b")]),
        (p(t("a")) + table(cell(p(RENDERED + t("b"))) + cell(p(RENDERED + t("c")))), [(1, "a"), (2, "b\tc")]),
        (
            p(t("a")) + "<w:p><w:pPr><w:pPrChange><w:pPr><w:pageBreakBefore/></w:pPr></w:pPrChange></w:pPr></w:p>",
            [(1, "a")],
        ),
    ],
)
def test_pages(body: str, expected: list[tuple[int, str]]) -> None:
    units = read_docx(docx(body), Options()).units
    assert [(unit.place.number, line) for unit in units for line in unit.lines] == expected


STYLES = xml(
    "w:styles",
    """<w:style w:type="paragraph" w:styleId="Chapter"><w:pPr><w:pageBreakBefore/></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Part"><w:basedOn w:val="Chapter"/></w:style>
    <w:style w:type="paragraph" w:styleId="Off"><w:basedOn w:val="Part"/><w:pPr>
      <w:pageBreakBefore w:val="false"/></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>""",
)


@pytest.mark.parametrize(("style", "number"), [("Chapter", 2), ("Part", 2), ("Off", 1), ("Loop", 1), ("Unknown", 1)])
def test_page_break_before_by_style(style: str, number: int) -> None:
    body = p(t("a")) + p(t("b"), f'<w:pStyle w:val="{style}"/>')
    units = read_docx(docx(body, {"styles.xml": STYLES}, {"s": ("styles", "styles.xml")}), Options()).units
    assert units[-1].place == page(number)


def text_box(content: str) -> str:
    return f"<w:r><w:drawing><wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx></w:drawing></w:r>"


def vml_box(content: str) -> str:
    return f"<w:r><w:pict><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox></w:pict></w:r>"


def test_text_boxes_are_shapes_of_the_page_of_their_anchor() -> None:
    body = p(t("a")) + p(BREAK + t("b") + text_box(p(t("one")) + p(t("two"))) + t("c")) + p(vml_box(p(t("vml"))))
    assert read(docx(body)) == {"ページ001": ["a"], "ページ002": ["bc"], "ページ002[図形]": ["one two", "vml"]}


def test_choice_wins_over_fallback() -> None:
    new, old = text_box(p(t("new"))), vml_box(p(t("old")))
    both = f"<mc:AlternateContent><mc:Choice>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    assert read(docx(p(both))) == {"ページ001[図形]": ["new"]}


def test_box_in_a_box_and_word_art() -> None:
    body = p(
        text_box(p(t("outer") + text_box(p(t("inner"))))) + '<w:r><w:pict><v:textpath string="Art"/></w:pict></w:r>'
    )
    assert read(docx(body)) == {"ページ001[図形]": ["outer", "inner", "Art"]}


def test_charts_and_smartart() -> None:
    chart = xml("c:chartSpace", "<c:chart><c:ser><c:tx><c:v>系列</c:v></c:tx></c:ser></c:chart>")
    data = xml("dgm:dataModel", "<dgm:pt><dgm:t><a:p><a:r><a:t>点</a:t></a:r></a:p></dgm:t></dgm:pt>")
    body = p('<w:r><w:drawing><c:chart r:id="c"/></w:drawing><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r>')
    source = docx(body, {"c.xml": chart, "d.xml": data}, {"c": ("chart", "c.xml"), "d": ("diagramData", "d.xml")})
    assert read(source) == {"ページ001[図形]": ["系列", "点"]}


def test_headers_and_footers_once_with_their_text_boxes() -> None:
    header = xml("w:hdr", p(t("社外秘") + text_box(p(t("箱")))) + table(cell(p(t("a"))) + cell(p(t("b")))))
    footer = xml("w:ftr", p(t("社外秘")) + p(t("1 ページ")))
    first = "<w:sectPr><w:headerReference r:id='h'/><w:footerReference r:id='f'/></w:sectPr>"
    body = (
        p(t("x"), first) + p(t("y")) + "<w:sectPr><w:type w:val='continuous'/><w:headerReference r:id='h'/></w:sectPr>"
    )
    parts = {"h.xml": header, "f.xml": footer, "unused.xml": xml("w:hdr", p(t("unused")))}
    rels = {"h": ("header", "h.xml"), "f": ("footer", "f.xml"), "u": ("header", "unused.xml")}
    assert read(docx(body, parts, rels)) == {
        "ページ001": ["x", "y"],
        "ヘッダー・フッター": ["社外秘", "箱", "a\tb", "1 ページ"],
    }


def test_notes() -> None:
    footnotes = xml(
        "w:footnotes",
        f"<w:footnote w:type='separator' w:id='0'>{p(t('---'))}</w:footnote>"
        f"<w:footnote w:id='2'>{p('<w:r><w:footnoteRef/></w:r>' + t(' 注一'))}{p(t('続き'))}</w:footnote>",
    )
    endnotes = xml("w:endnotes", f"<w:endnote w:id='2'>{p(t('文末') + text_box(p(t('箱'))))}</w:endnote>")
    body = p(t("本文") + "<w:r><w:footnoteReference w:id='2'/></w:r>")
    source = docx(
        body, {"f.xml": footnotes, "e.xml": endnotes}, {"e": ("endnotes", "e.xml"), "f": ("footnotes", "f.xml")}
    )
    assert read(source) == {"ページ001": ["本文"], "脚注": ["注一", "続き", "文末", "箱"]}


def test_comments_stand_on_the_page_of_their_reference() -> None:
    comments = "".join(
        f"<w:comment w:id='{number}' w:author='Nobody'>{p('<w:r><w:annotationRef/></w:r>' + t(text))}{p(t('続'))}</w:comment>"
        for number, text in [(1, "いち"), (2, "に"), (3, "さん"), (4, "よん")]
    )
    refer = "<w:r><w:commentReference w:id='{}'/></w:r>"
    body = p(t("a") + refer.format(3)) + p(BREAK + t("b") + refer.format(1))
    body += p(f"<w:del>{refer.format(2)}<w:r><w:delText>old</w:delText></w:r></w:del>")
    source = docx(body, {"c.xml": xml("w:comments", comments)}, {"c": ("comments", "c.xml")})
    assert read(source) == {
        "ページ001": ["a"],
        "ページ002": ["b"],
        "ページ001[コメント]": ["さん 続"],
        "ページ002[コメント]": ["いち 続", "に 続"],
        "文書[コメント]": ["よん 続"],
    }


def embedded_reader(name: str, data: bytes) -> Extraction:
    if data == b"bad":
        raise ExtractError(Reason.DAMAGED, "no file of ours")
    units = [
        Unit(sheet_place("S"), ["", "\ta\t\tb", '"1,5"']),
        Unit(sheet_place("S", PlaceKind.SHAPE), ["A1\tshape"]),
    ]
    return Extraction(units, ["a chart"])


def test_embedded_files_are_numbered_in_order_of_reference() -> None:
    ole = '<w:r><w:object><o:OLEObject r:id="{}"/></w:object></w:r>'
    body = p(t("x") + ole.format("b") + ole.format("o")) + p(BREAK + ole.format("a") + ole.format("missing"))
    rels = {
        "a": ("package", "embeddings/a.xlsx"),
        "b": ("package", "embeddings/b.xlsx"),
        "o": ("oleObject", "embeddings/o.bin"),
    }
    parts = {"embeddings/a.xlsx": b"good", "embeddings/b.xlsx": b"bad", "embeddings/o.bin": b"ole"}
    extraction = read_docx(docx(body, parts, rels), Options(), embedded_reader)
    assert by_place(extraction) == {"ページ001": ["x"], "ページ002[埋め込み2]": ["a\tb", '"1,5"']}
    assert extraction.warnings == [
        "word/embeddings/b.xlsx: damaged: no file of ours",
        "word/embeddings/a.xlsx: a chart",
    ]


def test_parts_that_cannot_be_read_are_warnings() -> None:
    parts = dict.fromkeys(("styles.xml", "c.xml", "f.xml", "h.xml", "chart.xml"), "<broken")
    rels = {
        "s": ("styles", "styles.xml"),
        "c": ("comments", "c.xml"),
        "f": ("footnotes", "f.xml"),
        "h": ("header", "h.xml"),
        "g": ("chart", "chart.xml"),
        "m": ("endnotes", "missing.xml"),
    }
    body = p(t("kept") + "<w:r><w:drawing><c:chart r:id='g'/></w:drawing></w:r>")
    body += "<w:sectPr><w:headerReference r:id='h'/><w:footerReference r:id='nowhere'/></w:sectPr>"
    extraction = read_docx(docx(body, parts, rels), Options())
    assert by_place(extraction) == {"ページ001": ["kept"]}
    assert sorted(warning.split(":")[0] for warning in extraction.warnings) == sorted(f"word/{name}" for name in parts)


@pytest.mark.parametrize("main", ["<broken", xml("w:styles"), '<!DOCTYPE a><a xmlns="b"/>'])
def test_main_part_that_cannot_be_read_is_an_error(main: str) -> None:
    data = package({"word/document.xml": main}, {"": {"r": ("officeDocument", "word/document.xml")}})
    with pytest.raises(ExtractError) as caught:
        read_docx(source_of("a.docx", data), Options())
    assert caught.value.reason is Reason.DAMAGED


def test_strict_namespaces_unusual_names_and_absolute_targets() -> None:
    strict = "http://purl.oclc.org/ooxml/"
    document = (
        f'<x:document xmlns:x="{strict}wordprocessingml/main" xmlns:r="{strict}officeDocument/relationships"><x:body>'
        "<x:p><x:r><x:t>strict</x:t></x:r></x:p>"
        "<x:sectPr><x:headerReference r:id='h'/></x:sectPr></x:body></x:document>"
    )
    header = f'<hdr xmlns="{strict}wordprocessingml/main"><p><r><t>head</t></r></p></hdr>'
    rels = {
        "": {"r": (f"{strict}officeDocument/relationships/officeDocument", "/Odd Name/main.xml")},
        "Odd Name/main.xml": {"h": (f"{strict}officeDocument/relationships/header", "../elsewhere/H%20.XML")},
    }
    data = package({"Odd Name/main.xml": document, "elsewhere/h .xml": header}, rels)
    assert read(source_of("a.docx", data)) == {"ページ001": ["strict"], "ヘッダー・フッター": ["head"]}


def test_document_without_body_has_no_units() -> None:
    assert read(docx("")) == {}


HTML = "<html><head><title>no</title></head><body><p>頁 <b>一</b></p><table><tr><td>a</td><td>b</td></tr></table></body></html>"
MHTML = (
    b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + b64encode(HTML.encode())
    + b"\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.htm", HTML.encode("utf-8-sig"), ["頁 一", "a\tb"]),
        ("a.mht", MHTML, ["頁 一", "a\tb"]),
        ("a.txt", "一行\r\n\r\n二行".encode("cp932"), ["一行", "二行"]),
        ("a.rtf", rb"{\rtf1\ansi\ansicpg932 \'93\'fa\'96\'7b\par two}", ["日本", "two"]),
        ("a.docx", docx(p(t("inner"))).read(), ["inner"]),
    ],
)
def test_alternative_content_stands_where_it_is_taken_in(name: str, data: bytes, expected: list[str]) -> None:
    body = p(t("before") + BREAK) + '<w:altChunk r:id="x"/>' + p(t("after"))
    source = docx(body, {name: data}, {"x": ("aFChunk", name)})
    extraction = read_docx(source, Options(), lambda name, data: read_docx(source_of(name, data), Options()))
    assert by_place(extraction) == {"ページ001": ["before"], "ページ002": [*expected, "after"]}


def test_alternative_content_that_is_not_read_is_a_warning() -> None:
    source = docx('<w:altChunk r:id="x"/>', {"a.docx": b"PK\x03\x04"}, {"x": ("aFChunk", "a.docx")})
    assert read_docx(source, Options()).warnings == ["word/a.docx: unsupported: a document in a document"]
