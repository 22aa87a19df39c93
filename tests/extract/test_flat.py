"""Text and markup under Office file names (facts.md, 種類); expectations follow from the formats' specifications."""

from __future__ import annotations

from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.extract.excel.excel_xml import read_excel_xml
from tebunko.extract.html import html_rows
from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.text.flat import delimited_rows, read_flat, read_html, read_rtf
from tebunko.extract.text.foreign import MARKUP_LIMIT
from tebunko.extract.text.mhtml import read_mhtml
from tebunko.extract.text.rtf import rtf_rows
from tebunko.extract.word.word_xml import package_of, read_word_xml
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction


def by_place(extraction: Extraction) -> dict[str, list[str]]:
    return {unit.place.name: unit.lines for unit in extraction.units}


# --- plain text ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("売上.xls", 'a,"1,234"\r\n\r\n"x\ny",z', {"売上": ['a\t"1,234"', "", '"x\u2028y"\tz']}),
        ("売上.xls", "a\tb,c\n\td", {"売上": ['a\t"b,c"', "\td"]}),
        ("長" * 40 + ".xlsx", "a", {"長" * 31: ["a"]}),
        ("a.doc", "一\t二\n\n三  四　五\n", {"ページ001": ["一 二", "三 四　五"]}),
        ("a.xls", " \n", {}),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "utf-16"])
def test_plain_text(name: str, text: str, expected: dict[str, list[str]], encoding: str) -> None:
    assert by_place(read_flat(source_of(name, text.encode(encoding)), Options())) == expected


def test_a_quotation_mark_without_end_is_no_hindrance() -> None:
    assert len(delimited_rows('"' + "x\n" * 200_000)) == 200_001


@pytest.mark.parametrize("data", [b"\x80\x81\xff", b"a\0b"])
def test_what_is_no_text_either_is_damaged(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        read_flat(source_of("a.doc", data), Options())
    assert caught.value.reason is Reason.DAMAGED


@pytest.mark.parametrize("read", [read_flat, read_html, read_rtf, read_mhtml, read_excel_xml, read_word_xml])
def test_a_large_file_is_refused_unread(read) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ExtractError) as caught:
        read(Source("a.doc", MARKUP_LIMIT + 1, 0, None, None), Options())
    assert caught.value.reason is Reason.TOO_LARGE


# --- HTML ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("<table><tr><td>a<td colspan=2>b<td>c</table>", [["a", "b", "", "c"]]),
        ("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", [["a", "b"], ["", "c"]]),
        ("<table><tr><td>a<td rowspan=3 colspan=2>b<tr><td>c<td>d</table>", [["a", "b", ""], ["c", "", "", "d"]]),
        ("<table><tr></tr><tr><td>a</table>", [[], ["a"]]),
        ("<table><tr><td>a<br>b<td>&nbsp;</table>", [["a\nb", ""]]),
        ("<h1>t</h1><table><tr><td>a</table>end", [["t"], ["a"], ["end"]]),
        ("<table><tr><td>x<table><tr><td>i<td>j</table>y</table>", [["x\ni j\ny"]]),
        ("<table><tr><td colspan=99999999>a<td>b</table>", [["a", *[""] * 16383]]),
        ("<td>loose</td>", [["loose"]]),
    ],
)
def test_html_rows(page: str, rows: list[list[str]]) -> None:
    assert html_rows(page) == rows


def test_html_under_an_excel_and_a_word_name() -> None:
    page = (
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><title>no</title></head>'
        "<body><table><tr><td>氏名</td><td>①1,234</td></tr></table></body></html>"
    ).encode("cp932")
    assert by_place(read_html(source_of("名簿.xls", page), Options())) == {"名簿": ['氏名\t"①1,234"']}
    assert by_place(read_html(source_of("名簿.doc", page), Options())) == {"ページ001": ["氏名\t①1,234"]}


# --- RTF -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rtf", "rows"),
    [
        (rb"{\rtf1 a\par b\line c\tab d}", [["a"], ["b c d"]]),
        (rb"{\rtf1\ansi\ansicpg932 \'93\'fa\'96\{\'8c\'ea\par}", [["日本語"]]),
        (rb"{\rtf1{\fonttbl{\f1\fcharset128 M;}}\f1\'83\'65{\f0 \'e9}\'83\'58}", [["テéス"]]),
        (rb"{\rtf1\uc1\u26085?\u26412\'96{\uc2\u-10179ab}{\uc0\u-8694}}", [["日本😊"]]),
        (rb"{\rtf1 a{\*\unknown hidden}{\info{\title t}}{\pict 0102}b{\header h}}", [["ab"]]),
        (rb"{\rtf1{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}{\deleted gone}{\v hidden}}", [["shownhidden"]]),
        (rb"{\rtf1\pard\intbl a\par b\cell c\cell\row\pard after\par}", [["a\nb", "c"], ["after"]]),
        (rb"{\rtf1 \{\}\\\~x\_y}", [["{}\\ x-y"]]),
        (b"{\\rtf1 a\\bin5 }}}{{b}", [["ab"]]),
        (b"{\\rtf1 a\\\nb}", [["a"], ["b"]]),
        (rb"{\rtf1 unclosed {\b text", [["unclosed text"]]),
        (rb"{\rtf1}}}} after", [[" after"]]),
    ],
)
def test_rtf_rows(rtf: bytes, rows: list[list[str]]) -> None:
    assert rtf_rows(rtf) == rows


def test_rtf_with_headers_notes_and_comments() -> None:
    data = (
        rb"{\rtf1{\header\pard Confidential\par}{\footer page}a{\chftn{\footnote{\b note} one\par}} b"
        rb"{\*\atnid JS}{\*\atnauthor John}{\*\annotation{\*\atndate 1}a comment}\par"
        rb"\intbl x\cell{\footnote note two}y\cell\row\pard\sect{\header Confidential}c{\*\unknown{\footnote gone}}}"
    )
    assert by_place(read_rtf(source_of("n.doc", data), Options())) == {
        "ページ001": ["a b", "x\ty", "c"],
        "ヘッダー・フッター": ["Confidential", "page"],
        "脚注": ["note one", "note two"],
        "文書[コメント]": ["a comment"],
    }
    assert by_place(read_rtf(source_of("n.xls", data), Options())) == {"n": ["a b", "x\ty", "c"]}


def test_rtf_under_an_excel_and_a_word_name() -> None:
    data = rb"{\rtf1 a,b\par  c \par\par}"
    assert by_place(read_rtf(source_of("n.xls", data), Options())) == {"n": ['"a,b"', " c "]}
    assert by_place(read_rtf(source_of("n.doc", data), Options())) == {"ページ001": ["a,b", "c"]}


def test_groups_without_end_are_damaged() -> None:
    with pytest.raises(ExtractError):
        rtf_rows(b"{\\rtf1" + b"{" * 100_000)


@given(
    st.lists(st.sampled_from([b"{", b"}", b"\\", b"par ", b"'8", b"u99999 ", b"bin99", b"cell", b"row", b"*", b"x"]))
)
def test_any_rtf_ends(pieces: list[bytes]) -> None:
    for row in rtf_rows(b"{\\rtf1" + b"".join(pieces)):
        "".join(row).encode()


# --- MHTML -----------------------------------------------------------------------------------------------------------


def archive(*pages: tuple[str, str], charset: str = "utf-8") -> bytes:
    message = MIMEMultipart("related")
    for location, page in pages:
        part = MIMEText(page, "html", charset)
        part["Content-Location"] = "file:///C:/x/" + location
        message.attach(part)
    return message.as_bytes()


BOOK = """<html><head><!--[if gte mso 9]><xml><x:ExcelWorkbook><x:ExcelWorksheets>
<x:ExcelWorksheet><x:Name>売上 &amp; 原価</x:Name><x:WorksheetSource HRef="b_files/sheet001.htm"/></x:ExcelWorksheet>
<x:ExcelWorksheet><x:Name>秘</x:Name><x:WorksheetSource HRef="b_files/sheet002.htm"/>
<x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions></x:ExcelWorksheet>
</x:ExcelWorksheets></x:ExcelWorkbook></xml><![endif]--></head><body>frames</body></html>"""


def test_a_workbook_saved_as_one_page() -> None:
    data = archive(
        ("b.htm", BOOK),
        ("b_files/sheet001.htm", "<table><tr><td>a<td>b</table>"),
        ("b_files/sheet002.htm", "<table><tr><td>hidden</table>"),
    )
    assert by_place(read_mhtml(source_of("b.xls", data), Options())) == {"売上 & 原価": ["a\tb"]}


@pytest.mark.parametrize("charset", ["utf-8", "shift_jis", "iso-2022-jp"])
def test_a_document_saved_as_one_page(charset: str) -> None:
    data = archive(("d.htm", "<p>本文です</p>"), ("d_files/header.htm", "<p>社外秘</p>"), charset=charset)
    assert by_place(read_mhtml(source_of("d.doc", data), Options())) == {
        "ページ001": ["本文です"],
        "ヘッダー・フッター": ["社外秘"],
    }


def test_an_archive_of_several_pages() -> None:
    data = archive(("frames.htm", "<p>one</p>"), ("empty.htm", ""), ("two.htm", "<p>two</p>"))
    assert by_place(read_mhtml(source_of("d.doc", data), Options())) == {"ページ001": ["one", "two"]}


def test_an_archive_without_a_page_is_damaged() -> None:
    with pytest.raises(ExtractError) as caught:
        read_mhtml(source_of("a.doc", b"MIME-Version: 1.0\r\n\r\nplain"), Options())
    assert caught.value.reason is Reason.DAMAGED


# --- Excel 2003 XML --------------------------------------------------------------------------------------------------

SPREADSHEET = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:x="urn:schemas-microsoft-com:office:excel"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:h="http://www.w3.org/TR/REC-html40">
<Styles><Style ss:ID="Default"/><Style ss:ID="n"><NumberFormat ss:Format="#,##0"/></Style>
<Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="p" ss:Parent="n"/>
<Style ss:ID="y"><NumberFormat ss:Format="Yes/No"/></Style></Styles>
<Worksheet ss:Name="一枚目"><Table>
<Row ss:Index="2"><Cell ss:Index="2" ss:MergeAcross="1"><Data ss:Type="String">結合</Data></Cell>
<Cell ss:StyleID="n"><Data ss:Type="Number">1234567</Data>
<Comment ss:Author="x"><ss:Data><h:B>x:</h:B>&#10;注記</ss:Data></Comment></Cell></Row>
<Row/>
<Row><Cell ss:StyleID="d"><Data ss:Type="DateTime">2024-05-01T00:00:00.000</Data></Cell>
<Cell><Data ss:Type="Boolean">1</Data></Cell><Cell><Data ss:Type="Error">#N/A</Data></Cell>
<Cell ss:StyleID="p"><Data ss:Type="Number">1000</Data></Cell><Cell ss:StyleID="y"><Data ss:Type="Number">0</Data></Cell>
<Cell><ss:Data ss:Type="String"><h:B>rich</h:B> text</ss:Data></Cell></Row>
</Table></Worksheet>
<Worksheet ss:Name="秘"><Table><Row><Cell><Data ss:Type="String">hidden</Data></Cell></Row></Table>
<x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions></Worksheet>
</Workbook>"""


def test_a_spreadsheet_in_xml() -> None:
    extraction = read_excel_xml(source_of("a.xls", SPREADSHEET.encode()), Options())
    assert by_place(extraction) == {
        "一枚目": ["", '\t結合\t\t"1,234,567"', "", '2024/5/1\tTRUE\t#N/A\t"1,000"\tNo\trich text'],
        "一枚目[コメント]": ["D2\tx:\u2028注記"],
    }
    values = extraction.units[0].values
    assert values is not None
    assert [(v.row, v.column, v.number, v.is_date) for v in values][:2] == [
        (2, 4, 1234567.0, False),
        (4, 1, 45413.0, True),
    ]


def test_a_spreadsheet_in_another_locale() -> None:
    lines = read_excel_xml(source_of("a.xls", SPREADSHEET.encode()), Options("en-US")).units[0].lines
    assert lines[3].startswith("5/1/2024\t")


def test_a_cut_spreadsheet_keeps_its_whole_sheets() -> None:
    extraction = read_excel_xml(source_of("a.xls", SPREADSHEET.partition("hidden")[0].encode()), Options())
    assert [unit.place.name for unit in extraction.units] == ["一枚目", "一枚目[コメント]"]
    assert len(extraction.warnings) == 1


@pytest.mark.parametrize(
    "text", [SPREADSHEET[:300], SPREADSHEET.replace("<Workbook", '<!DOCTYPE a [<!ENTITY b "c">]><Workbook', 1), "<"]
)
def test_a_broken_spreadsheet_is_damaged(text: str) -> None:
    with pytest.raises(ExtractError) as caught:
        read_excel_xml(source_of("a.xls", text.encode()), Options())
    assert caught.value.reason is Reason.DAMAGED


# --- Word 2003 XML ---------------------------------------------------------------------------------------------------

DOCUMENT = """<?xml version="1.0"?><?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"
 xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"><w:body><wx:sect>
<w:p><w:r><w:t>一行</w:t></w:r><w:r><w:tab/><w:t>目</w:t></w:r><w:r><w:footnote><w:p><w:r><w:t>脚注文</w:t></w:r></w:p></w:footnote></w:r></w:p>
<w:p/>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc><w:tc>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>
<w:p><w:r><w:delText>gone</w:delText></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>終</w:t></w:r></w:p>
<w:sectPr><w:hdr><w:p><w:r><w:t>見出し</w:t></w:r></w:p></w:hdr><w:ftr><w:p><w:r><w:t>見出し</w:t></w:r></w:p></w:ftr></w:sectPr>
</wx:sect></w:body></w:wordDocument>"""


def test_a_document_in_xml() -> None:
    assert by_place(read_word_xml(source_of("a.doc", DOCUMENT.encode()), Options())) == {
        "ページ001": ["一行 目", "a b\tinner", "終"],
        "ヘッダー・フッター": ["見出し"],
        "脚注": ["脚注文"],
    }


@pytest.mark.parametrize("text", ["<a/>", "<", DOCUMENT[:400]])
def test_a_broken_document_is_damaged(text: str) -> None:
    with pytest.raises(ExtractError) as caught:
        read_word_xml(source_of("a.doc", text.encode()), Options())
    assert caught.value.reason is Reason.DAMAGED


def test_a_broken_part_of_a_flat_package_is_damaged() -> None:
    text = (
        '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part pkg:name="/a">'
        "<pkg:binaryData>x</pkg:binaryData></pkg:part></pkg:package>"
    )
    with pytest.raises(ExtractError) as caught:
        package_of(source_of("a.doc", text.encode()))
    assert caught.value.reason is Reason.DAMAGED
