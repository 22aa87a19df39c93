"""Comments, shapes, headers and footers of sheets (extraction.md sections 2 and 4)."""

from __future__ import annotations

import pytest
from excel_builder import MAIN, Book, relationships, worksheet

from tebunko.extract.excel.header_footer import plain_sections
from tebunko.extract.excel.xlsx import read_xlsx
from tebunko.extract.source import Options
from tebunko.model.place import PlaceKind

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
THREADED = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"


def places(book: Book) -> dict[str, list[str]]:
    return {unit.place.name: unit.lines for unit in read_xlsx(book.source(), Options()).units}


def with_parts(*entries: tuple[str, str, str]) -> Book:
    return Book().sheet("S", worksheet("")).part("xl/worksheets/_rels/sheet0.xml.rels", relationships(*entries))


def comment(ref: str, text: str) -> str:
    return f'<comment ref="{ref}" authorId="0"><text>{text}</text></comment>'


def comments(*items: str) -> str:
    return f'<comments xmlns="{MAIN}"><authors><author>誰か</author></authors><commentList>{"".join(items)}</commentList></comments>'


def test_notes_in_the_order_of_cells() -> None:
    book = with_parts(("c", "comments", "../comments1.xml"))
    phonetic = "<rPh sb='0' eb='1'><t>ヨミ</t></rPh>"
    book.part(
        "xl/comments1.xml",
        comments(
            comment("B2", "<r><t>二行\n</t></r><r><t>目</t></r>" + phonetic),
            comment("C1", "<t>one</t>"),
            comment("A2", "<t>a</t>"),
            comment("D9", "<t> </t>"),
        ),
    )
    assert places(book) == {"S[コメント]": ["C1\tone", "A2\ta", 'B2\t"二行\u2028目"']}


def test_threads_win_over_notes() -> None:
    book = with_parts(("c", "comments", "../comments1.xml"), ("t", "threadedComment", "../threadedComments/t1.xml"))
    book.part(
        "xl/comments1.xml", comments(comment("A1", "<t>[Threaded comment] ...</t>"), comment("B1", "<t>note</t>"))
    )
    threads = "".join(
        f'<threadedComment ref="A1" id="{i}" dT="2024-05-01T00:00:00.00"><text>{text}</text></threadedComment>'
        for i, text in enumerate(["question", "answer"])
    )
    book.part("xl/threadedComments/t1.xml", f'<ThreadedComments xmlns="{THREADED}">{threads}</ThreadedComments>')
    assert places(book) == {"S[コメント]": ["A1\tquestion", "A1\tanswer", "B1\tnote"]}


def shape(*paragraphs: str) -> str:
    body = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<xdr:sp><xdr:txBody>{body}</xdr:txBody></xdr:sp>"


def anchor(row: int, column: int, inside: str) -> str:
    start = f"<xdr:from><xdr:col>{column}</xdr:col><xdr:row>{row}</xdr:row></xdr:from>"
    return f"<xdr:twoCellAnchor>{start}{inside}</xdr:twoCellAnchor>"


def drawing(*anchors: str) -> str:
    spaces = f'xmlns:xdr="{XDR}" xmlns:a="{A}" xmlns:r="{R}" xmlns:c="{C}" xmlns:mc="{MC}"'
    return f"<xdr:wsDr {spaces}>{''.join(anchors)}</xdr:wsDr>"


def test_shapes_groups_and_alternatives() -> None:
    book = with_parts(("d", "drawing", "../drawings/drawing1.xml"))
    group = "<xdr:grpSp>" + shape("g1") + "<xdr:grpSp>" + shape("g2", "g3") + "</xdr:grpSp></xdr:grpSp>"
    choice = f"<mc:AlternateContent><mc:Choice Requires='a14'>{anchor(0, 5, shape('new'))}</mc:Choice>"
    fallback = f"<mc:Fallback>{anchor(0, 5, shape('old'))}</mc:Fallback></mc:AlternateContent>"
    absolute = f"<xdr:absoluteAnchor>{shape('free')}</xdr:absoluteAnchor>"
    book.part(
        "xl/drawings/drawing1.xml",
        drawing(
            anchor(4, 1, shape("二", "段,落")),
            anchor(2, 2, group),
            choice + fallback,
            absolute,
            anchor(0, 0, shape(" ")),
        ),
    )
    assert places(book) == {
        "S[図形]": [
            "A1\tfree",
            "F1\tnew",
            'C3\t"g1\u2028g2\u2028g3"',
            'B5\t"二\u2028段,落"',
        ]
    }


def test_charts_and_chart_sheets() -> None:
    chart = (
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>売上</a:t></a:r></a:p>'
        "</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>東京</c:v></c:pt>"
        "</c:strCache></c:strRef></c:tx></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    frame = (
        '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></xdr:graphicFrame>'
    )
    sheet = f'<chartsheet xmlns="{MAIN}"><headerFooter><oddHeader>&amp;Lグラフ</oddHeader></headerFooter></chartsheet>'
    book = Book().sheet("G", sheet, kind="chartsheet")
    book.part("xl/worksheets/_rels/sheet0.xml.rels", relationships(("d", "drawing", "/xl/drawings/d.xml")))
    book.part("xl/drawings/d.xml", drawing(f"<xdr:absoluteAnchor>{frame}</xdr:absoluteAnchor>"))
    book.part("xl/drawings/_rels/d.xml.rels", relationships(("c", "chart", "../charts/c.xml")))
    book.part("xl/charts/c.xml", chart)
    assert places(book) == {"G[図形]": ['A1\t"売上\u2028東京"'], "G[ヘッダー・フッター]": ["グラフ"]}


def test_unreadable_parts_are_warnings() -> None:
    book = with_parts(("d", "drawing", "../d.xml"), ("c", "comments", "../c.xml"))
    book.part("xl/d.xml", "<broken").part("xl/c.xml", "<!DOCTYPE x><x/>")
    book.sheet("T", worksheet('<row r="1"><c r="A1"><v>1</v></c></row>'))
    result = read_xlsx(book.source(), Options())
    assert [unit.place.name for unit in result.units] == ["T"]
    assert len(result.warnings) == 2


@pytest.mark.parametrize(
    ("text", "left", "centre", "right"),
    [
        ("plain", "", "plain", ""),
        ("&LA&CB&RC", "A", "B", "C"),
        ('&L&"MS 明朝,標準"&10社外秘&R&P/&N', "社外秘", "", "/"),
        ("&C&K01+000色&KFF0000赤", "", "色赤", ""),
        ("&LR&&D &Z&F&A&D&T&G", "R&D ", "", ""),
        ("&L&B太&I斜&U下&E二&S消&X上&Y下&O外&H影", "太斜下二消上下外影", "", ""),
        ("&CPage &P+1 of", "", "Page  of", ""),
        ("&", "", "", ""),
    ],
)
def test_header_codes(text: str, left: str, centre: str, right: str) -> None:
    assert plain_sections(text) == (left, centre, right)


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_header_and_footer_of_a_sheet(prefix: str) -> None:
    inside = (
        "<oddHeader>&amp;L左&amp;C 中\n央 &amp;R右</oddHeader><oddFooter>&amp;C左</oddFooter>"
        "<evenHeader>偶数</evenHeader><firstFooter>&amp;C初</firstFooter>"
    )

    def sheet(attributes: str) -> str:
        text = worksheet("", f"<headerFooter{attributes}>{inside}</headerFooter>")
        if not prefix:
            return text
        text = text.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
        return text.replace("xmlns=", "xmlns:x=")

    name = "S[ヘッダー・フッター]"
    assert places(Book().sheet("S", sheet(""))) == {name: ["左", "中", "央", "右"]}
    flags = ' differentOddEven="1" differentFirst="true"'
    assert places(Book().sheet("S", sheet(flags))) == {name: ["左", "中", "央", "右", "初", "偶数"]}
    assert all(
        unit.place.target is PlaceKind.HEADER_FOOTER
        for unit in read_xlsx(Book().sheet("S", sheet("")).source(), Options()).units
    )
