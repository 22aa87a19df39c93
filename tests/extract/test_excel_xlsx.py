"""Workbooks in Office Open XML, as extraction.md sections 1 to 4 say they are read."""

from __future__ import annotations

import tracemalloc
from unittest.mock import patch

import pytest
from excel_builder import (
    MAIN,
    STRICT_MAIN,
    STRICT_RELATIONSHIPS,
    Book,
    relationships,
    shared_strings,
    styles,
    worksheet,
    zipped,
)

from tebunko.extract.excel import sheet_text, sheet_xml
from tebunko.extract.excel.xlsx import read_xlsx
from tebunko.extract.source import Options, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction


def read(book: Book, locale: str = "ja-JP") -> Extraction:
    return read_xlsx(book.source(), Options(locale))


def lines(book: Book, locale: str = "ja-JP") -> list[str]:
    (unit,) = read(book, locale).units
    return unit.lines


def of_sheet(rows: str, *strings: str, codes: tuple[str | int, ...] = ()) -> list[str]:
    book = Book().sheet("S", worksheet(rows))
    book.part("xl/sharedStrings.xml", shared_strings(*strings)).part("xl/styles.xml", styles(*codes))
    return lines(book)


def test_kinds_of_cells() -> None:
    rows = (
        '<row r="1"><c r="A1"><v>12.5</v></c><c r="B1" t="s"><v>0</v></c><c r="C1" t="b"><v>1</v></c>'
        '<c r="D1" t="b"><v>0</v></c><c r="E1" t="e"><v>#DIV/0!</v></c><c r="F1" t="str"><f>A1&amp;"x"</f><v>12.5x</v></c>'
        '<c r="G1" t="inlineStr"><is><t>中</t></is></c><c r="H1"><f>1+1</f><v>2</v></c></row>'
    )
    assert of_sheet(rows, "<t>文字</t>") == ["12.5\t文字\tTRUE\tFALSE\t#DIV/0!\t12.5x\t中\t2"]


def test_leading_blanks_stay_and_trailing_ones_go() -> None:
    rows = (
        '<row r="1" spans="1:5"/><row r="3"><c r="A3" s="1"/><c r="C3"><v>1</v></c><c r="E3" s="1"/></row>'
        '<row r="5"><c r="A5" t="str"><v> </v></c></row><row r="6"><c r="B6"><v>2</v></c></row><row r="9"><c r="A9" s="1"/></row>'
    )
    assert of_sheet(rows) == ["", "", "\t\t1", "", " ", "\t2"]


def test_quoting_and_line_breaks() -> None:
    strings = (
        "<t>a,b</t>",
        "<t>a&#10;b</t>",
        '<t>say "x"</t>',
        "<t>tab&#9;</t>",
        "<t>_x000D_\n_x005F_x0041_</t>",
        "<t>plain</t>",
    )
    row = "".join(f'<c r="{column}1" t="s"><v>{i}</v></c>' for i, column in enumerate("ABCDEF"))
    assert of_sheet(f'<row r="1">{row}</row>', *strings) == [
        '"a,b"\t"a\u2028b"\t"say ""x"""\t"tab\t"\t"\u2028_x0041_"\tplain'
    ]


def test_rich_runs_joined_and_phonetic_left_out() -> None:
    rich = "<r><rPr><b/></rPr><t>東</t></r><r><t>京</t></r><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/>"
    rows = '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s"><v>2</v></c><c r="C1" t="s"><v>0</v></c></row>'
    assert of_sheet(rows, "<t>x</t>", rich, "<t>&lt;y&gt;</t>") == ["東京\t<y>\tx"]
    inline = f'<row r="1"><c r="A1" t="inlineStr"><is>{rich}</is></c></row>'
    assert of_sheet(inline) == ["東京"]


def test_number_formats_and_raw_values() -> None:
    rows = (
        '<row r="2"><c r="B2" s="1"><v>1234567</v></c><c r="C2" s="2"><v>45413</v></c><c r="D2" s="3"><v>0.5</v></c>'
        '<c r="E2"><v>4901234567894</v></c><c r="F2"><v>42</v></c></row>'
    )
    book = Book().sheet("S", worksheet(rows)).part("xl/styles.xml", styles("#,##0", 14, '[<1]"half";0'))
    (unit,) = read(book).units
    assert unit.lines == ["", '\t"1,234,567"\t2024/5/1\thalf\t4.90123E+12\t42']
    assert unit.values is not None
    assert [tuple(value) for value in unit.values] == [
        (2, 2, 1234567.0, False),
        (2, 3, 45413.0, True),
        (2, 4, 0.5, False),
        (2, 5, 4901234567894.0, False),
    ]
    assert lines(book, "en-US")[1].split("\t")[2] == "5/1/2024"


def test_raw_dates_of_1904_are_serials_of_1900() -> None:
    book = Book(date1904=True).sheet("S", worksheet('<row r="1"><c r="A1" s="1"><v>43951</v></c></row>'))
    (unit,) = read(book.part("xl/styles.xml", styles(14))).units
    assert unit.lines == ["2024/5/1"]
    assert unit.values is not None
    assert [value.number for value in unit.values] == [45413.0]


def test_numbers_of_absurd_length() -> None:
    rows = '<row r="1"><c r="A1"><v>{0}</v></c><c r="B1" s="1"><v>{0}</v></c><c r="C1" s="1"><v>x</v></c></row>'
    assert of_sheet(rows.format("9" * 400), codes=("0.00",)) == ["#NUM!\t#NUM!\tx"]


def test_iso_dates() -> None:
    rows = '<row r="1"><c r="A1" s="1" t="d"><v>2024-05-01T13:30:00</v></c><c r="B1" s="1" t="d"><v>soon</v></c></row>'
    assert of_sheet(rows, codes=("yyyy/m/d h:mm",)) == ["2024/5/1 13:30\tsoon"]


def test_text_sections() -> None:
    rows = '<row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" s="2" t="s"><v>0</v></c><c r="C1" s="1" t="str"><v>c</v></c></row>'
    assert of_sheet(rows, "<t>a,b</t>", codes=('"様: "@', ";;;")) == ['"様: a,b"\t\t様: c']


def test_hidden_sheets_are_not_read_and_tabs_give_the_order() -> None:
    row = '<row r="1"><c r="A1"><v>{}</v></c></row>'
    book = Book()
    for number, (name, state) in enumerate(
        [("後", "visible"), ("H", "hidden"), ("V", "veryHidden"), ("先", "visible")]
    ):
        book.sheet(name, worksheet(row.format(number)), state)
    book.sheet("empty", worksheet(""))
    assert [(unit.place.name, unit.lines) for unit in read(book).units] == [("後", ["0"]), ("先", ["3"])]


def test_missing_addresses() -> None:
    rows = "<row><c><v>1</v></c><c><v>2</v></c></row><row><c/><c><v>3</v></c></row><row r='5'><c><v>4</v></c></row>"
    assert of_sheet(rows) == ["1\t2", "\t3", "", "", "4"]


def test_prefixes_on_every_element() -> None:
    sheet = (
        f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>7</x:v></x:c>'
        '<x:c r="B1" t="s"><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    strings = f'<x:sst xmlns:x="{MAIN}"><x:si><x:t>p</x:t></x:si></x:sst>'
    assert lines(Book().sheet("S", sheet).part("xl/sharedStrings.xml", strings)) == ["7\tp"]


def test_utf_16_and_byte_order_mark() -> None:
    sheet = '<?xml version="1.0" encoding="UTF-16"?>' + worksheet('<row r="1"><c r="A1" t="str"><v>漢</v></c></row>')
    assert lines(Book().sheet("S", sheet.encode("utf-16"))) == ["漢"]
    marked = worksheet('<row r="1"><c r="A1" t="str"><v>漢</v></c></row>').encode("utf-8-sig")
    assert lines(Book().sheet("S", marked)) == ["漢"]


def test_strict_namespaces_and_odd_part_names() -> None:
    sheet = worksheet('<row r="1"><c r="A1" t="d"><v>2024-05-01</v></c></row>').replace(MAIN, STRICT_MAIN)
    workbook = (
        f'<workbook xmlns="{STRICT_MAIN}" xmlns:r="{STRICT_RELATIONSHIPS}"><sheets>'
        '<sheet name="S" sheetId="9" r:id="x"/></sheets></workbook>'
    )
    book = zipped(
        {
            "_rels/.rels": relationships(("r", "officeDocument", "/Odd/Book.xml"), base=STRICT_RELATIONSHIPS),
            "Odd/Book.xml": workbook,
            "Odd/_rels/Book.xml.rels": relationships(
                ("x", "worksheet", "/data/Tab%20one.XML"), base=STRICT_RELATIONSHIPS
            ),
            "data/tab one.xml": sheet,
        }
    )
    (unit,) = read_xlsx(source_of("a.xlsx", book), Options()).units
    assert unit.lines == ["45413"]


def test_rows_and_cells_out_of_order() -> None:
    rows = (
        '<row r="3"><c r="B3"><v>6</v></c><c r="A3"><v>5</v></c></row><row r="1"><c r="A1" s="1"><v>1000</v></c></row>'
        '<row r="3"><c r="D3"><v>8</v></c></row>'
    )
    book = Book().sheet("S", worksheet(rows)).part("xl/styles.xml", styles("#,##0"))
    (unit,) = read(book).units
    assert unit.lines == ['"1,000"', "", "5\t6\t\t8"]
    assert unit.values is not None
    assert [value.row for value in unit.values] == [1]


def test_a_blown_up_used_range_costs_its_data() -> None:
    styled = "".join(f'<row r="{row}"><c r="XFD{row}" s="1"/></row>' for row in (2, 1_048_576))
    assert of_sheet('<row r="1"><c r="A1"><v>1</v></c></row>' + styled) == ["1"]
    far = of_sheet('<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>2</v></c></row>')
    assert len(far) == 1_048_576
    assert far[0] == "\t" * 16_383 + "1"
    assert far[-1] == "2"


def test_cells_beyond_the_sheet_are_dropped_with_a_warning() -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="XFE1"><v>2</v></c></row><row r="1048577"><c r="A1048577"><v>3</v></c></row>'
    result = read(Book().sheet("S", worksheet(rows)))
    assert result.units[0].lines == ["1"]
    assert result.warnings == ["S: 2 cells refer to nothing"]


def test_text_that_explodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_text, "TEXT_LIMIT", 1_000_000)
    rows = "".join(f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>' for row in range(1, 70))
    with pytest.raises(ExtractError) as caught:
        read(Book().sheet("S", worksheet(rows)))
    assert caught.value.reason is Reason.TOO_LARGE


def test_a_string_that_is_not_there() -> None:
    result = read(Book().sheet("S", worksheet('<row r="1"><c r="A1" t="s"><v>5</v></c><c r="B1"><v>1</v></c></row>')))
    assert result.units[0].lines == ["\t1"]
    assert result.warnings == ["S: 1 cells refer to nothing"]


@pytest.mark.parametrize(
    "entity",
    [
        "<!DOCTYPE a [<!ENTITY e 'x'>]>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>",
        "<!--" + "x" * 10_000 + "--><!DOCTYPE a>",
    ],
)
def test_document_types_are_refused(entity: str) -> None:
    good = worksheet('<row r="1"><c r="A1"><v>1</v></c></row>')
    bad = entity + worksheet('<row r="1"><c r="A1"><v>1</v></c></row>')
    result = read(Book().sheet("bad", bad).sheet("good", good))
    assert [unit.place.name for unit in result.units] == ["good"]
    assert len(result.warnings) == 1
    with pytest.raises(ExtractError) as caught:
        read(Book().sheet("bad", bad))
    assert caught.value.reason is Reason.DAMAGED


def test_a_damaged_sheet_costs_only_itself() -> None:
    cut = worksheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>')[:-20]
    result = read(Book().sheet("cut", cut).sheet("good", worksheet('<row r="1"><c r="A1"><v>3</v></c></row>')))
    assert [(unit.place.name, unit.lines) for unit in result.units] == [("cut", ["1", "2"]), ("good", ["3"])]
    assert len(result.warnings) == 1


def test_nothing_readable_is_damaged() -> None:
    for data in (b"", b"PK\x03\x04 nothing", zipped({"a": "b"}), Book().sheet("S", "<worksheet").bytes()):
        with pytest.raises(ExtractError) as caught:
            read_xlsx(source_of("a.xlsx", data), Options())
        assert caught.value.reason is Reason.DAMAGED


def test_damaged_styles_and_strings_are_warnings() -> None:
    book = Book().sheet("S", worksheet('<row r="1"><c r="A1" s="1"><v>1000</v></c></row>'))
    book.part("xl/styles.xml", "<styleSheet").part("xl/sharedStrings.xml", "<sst")
    result = read(book)
    assert result.units[0].lines == ["1000"]
    assert len(result.warnings) == 2


@pytest.mark.parametrize("break_here", range(4))
def test_both_ways_of_reading_agree(break_here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet over several blocks; in it, at different places, something that the pattern does not know."""
    odd = '<row r="{0}"><c t="str" r="A{0}"><v>odd</v></c></row>'
    rows = [
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="C{n}" t="str"><v>x&amp;{n}</v></c></row>' for n in range(1, 400)
    ]
    expected = [f"{n}\t\tx&{n}" for n in range(1, 400)]
    at = [1, 150, 399][break_here % 3]
    if break_here < 3:
        rows[at - 1] = odd.format(at)
        expected[at - 1] = "odd"
    monkeypatch.setattr(sheet_xml, "_BLOCK", 1024)
    assert of_sheet("\n".join(rows)) == expected


def test_memory_does_not_grow_with_empty_cells() -> None:
    """60,000 styled empty cells are 1.5 MB of XML and no text."""
    row = "".join(f'<c r="{a}{b}{{0}}" s="1"/>' for a in "ABC" for b in "ABCDEFGHIJ")
    rows = "".join(f'<row r="{n}">{row.format(n)}</row>' for n in range(1, 2_000))
    source = Book().sheet("S", worksheet(rows + '<row r="2000"><c r="A2000"><v>1</v></c></row>')).source()
    with patch.object(sheet_xml, "_BLOCK", 16 * 1024):
        tracemalloc.start()
        try:
            (unit,) = read_xlsx(source, Options()).units
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert unit.lines[-1] == "1"
    assert peak < 1_000_000
