"""PDF to pages. Files are made with reportlab or by hand; what is expected follows from what was put into them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from tebunko.extract.pdf import lines_of, read_pdf
from tebunko.extract.source import Options, Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction

MINCHO = "HeiseiMin-W3"


@pytest.fixture(scope="module", autouse=True)
def fonts() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(MINCHO))


def pdf(*pages: list[tuple[int, int, str]], **options: object) -> bytes:
    """A PDF whose pages show strings at (x, y) in points."""
    file = io.BytesIO()
    canvas = Canvas(file, **options)
    for texts in pages:
        for x, y, text in texts:
            canvas.setFont("Helvetica" if text.isascii() else MINCHO, 12)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def mapped_pdf(texts: list[str], shown: bytes) -> bytes:
    """A PDF that shows the bytes ``shown`` in a font whose ToUnicode map reads byte 0x41 + i as ``texts[i]``."""
    rows = "".join(f"<{0x41 + i:02X}> <{text.encode('utf-16-be').hex()}>\n" for i, text in enumerate(texts))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(texts)} beginbfchar\n{rows}endbfchar\nendcmap end end"
    ).encode()
    content = b"BT /F 12 Tf 72 700 Td <" + shown.hex().encode() + b"> Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap),
    ]
    return assembled(objects)


def assembled(objects: list[bytes]) -> bytes:
    """A PDF file of these objects, numbered from 1; the first is the catalog."""
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(data))
    )


def read(data: bytes) -> Extraction:
    return read_pdf(source_of("a.pdf", data), Options())


def lines(data: bytes) -> list[str]:
    extraction = read(data)
    assert len(extraction.units) == 1
    return extraction.units[0].lines


def failure(data: bytes) -> ExtractError:
    with pytest.raises(ExtractError) as caught:
        read(data)
    return caught.value


def test_pages_and_lines_in_order_and_pages_without_text_left_out() -> None:
    data = pdf([(72, 700, "First line"), (72, 680, "二行目です")], [], [(72, 700, "Third page")])
    units = read(data).units
    assert [(unit.place.name, unit.place.key.value, unit.lines) for unit in units] == [
        ("ページ001", "部分", ["First line", "二行目です"]),
        ("ページ003", "部分", ["Third page"]),
    ]


def test_a_line_of_several_fonts_is_one_line() -> None:
    parts = [
        ("Order", 72, "Helvetica"),
        ("の一覧と", 101, MINCHO),
        ("S2Form", 149, "Helvetica"),
        ("を使う", 191, MINCHO),
    ]
    file = io.BytesIO()
    canvas = Canvas(file)
    for rise, (text, x, font) in zip((0, 3, -2, 4), parts, strict=True):
        canvas.setFont(font, 12)
        canvas.drawString(x, 700 + rise, text)
    canvas.save()
    assert lines(file.getvalue()) == ["Orderの一覧とS2Formを使う"]


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turned_lines(angle: int) -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.translate(300, 400)
    canvas.rotate(angle)
    canvas.drawString(0, 0, "First")
    canvas.drawString(0, -20, "Second line")
    canvas.save()
    assert sorted(lines(file.getvalue())) == ["First", "Second line"]


def test_vertical_writing() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.setFont(MINCHO, 12)
    for column, text in enumerate(["縦書きの文章です。", "二行目"]):
        for row, character in enumerate(text):
            canvas.drawString(300 - 20 * column, 700 - 12 * row, character)
    canvas.save()
    assert lines(file.getvalue()) == ["縦書きの文章です。", "二行目"]


def test_words_parted_by_a_hyphen_stand_whole() -> None:
    texts = ["an inter-", "national office", "in 2019-", "2020, May-", "December"]
    assert lines(pdf([(72, 700 - 14 * i, text) for i, text in enumerate(texts)])) == [
        "an international",
        "office",
        "in 2019-",
        "2020, May-December",
    ]


def test_ligatures_radicals_and_invisible_characters() -> None:
    mapped = ["ﬁ", "n", "⽇", "本", "⻑", "\xad", "\u200b", "\x07", "\xa0", "𠮷"]
    assert lines(mapped_pdf(mapped, b"ABFGHABICDEIJ")) == ["finfin 日本長 𠮷"]


def test_text_beyond_the_basic_plane_before_a_break_keeps_lines_apart() -> None:
    assert lines(mapped_pdf(["𠮷", "野"], b"ABAB")) == ["𠮷野𠮷野"]


def test_form_fields_are_text() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 700, "Name")
    canvas.acroForm.textfield(name="n", value="Filled in", x=120, y=690, width=200, height=20)
    canvas.save()
    assert lines(file.getvalue()) == ["Name", "Filled in"] or lines(file.getvalue()) == ["Name Filled in"]


@pytest.mark.parametrize("strength", [40, 128])
def test_an_empty_user_password_is_no_hindrance(strength: int) -> None:
    lock = StandardEncryption("", "owner", canPrint=0, canCopy=0, strength=strength)
    assert lines(pdf([(72, 700, "Readable")], encrypt=lock)) == ["Readable"]


@pytest.mark.parametrize("strength", [40, 128])
def test_a_user_password_is_told(strength: int) -> None:
    lock = StandardEncryption("secret", "owner", strength=strength)
    assert failure(pdf([(72, 700, "Hidden")], encrypt=lock)).reason is Reason.PASSWORD


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"%PDF-1.4\n" + b"garbage " * 50, b"no pdf"])
def test_damaged(data: bytes) -> None:
    assert failure(data).reason is Reason.DAMAGED


def test_what_stands_before_the_header_does_no_harm() -> None:
    assert lines(b"\r\n\r\n" + pdf([(72, 700, "Late")])) == ["Late"]


PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"


@pytest.mark.parametrize("count", [100_001, 2_000_000_000])
def test_pages_that_are_only_claimed_end_in_bounded_time(count: int) -> None:
    tree = b"<</Type/Pages/Kids[3 0 R]/Count %d>>" % count
    try:
        assert read(assembled([b"<</Type/Catalog/Pages 2 0 R>>", tree, PAGE])).units == []
    except ExtractError as error:
        assert error.reason in (Reason.DAMAGED, Reason.TOO_LARGE)


def test_a_loop_in_the_page_tree_is_a_warning() -> None:
    tree = b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 3>>"
    try:
        extraction = read(assembled([b"<</Type/Catalog/Pages 2 0 R>>", tree, PAGE]))
    except ExtractError as error:
        assert error.reason is Reason.DAMAGED
    else:
        assert extraction.warnings


def test_a_large_file_is_read_from_its_copy(tmp_path: Path) -> None:
    data = pdf([(72, 700, "Copied")])
    copy = tmp_path / "コピー.pdf"
    copy.write_bytes(data)
    extraction = read_pdf(Source("a.pdf", len(data), 0, None, copy), Options())
    assert extraction.units[0].lines == ["Copied"]
    copy.unlink()


SAMPLE = mapped_pdf(["ﬁ", "n"], b"ABAB")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(st.integers(0, len(SAMPLE) - 1), st.binary(min_size=1, max_size=8), st.booleans())
def test_changed_and_cut_files_give_text_or_a_reason(at: int, new: bytes, cut: bool) -> None:
    data = SAMPLE[:at] + new + (b"" if cut else SAMPLE[at + len(new) :])
    try:
        read(data)
    except ExtractError as error:
        assert error.reason in (Reason.DAMAGED, Reason.PASSWORD, Reason.RIGHTS, Reason.TOO_LARGE)


@given(st.text(max_size=80))
def test_lines_hold_no_control_characters(text: str) -> None:
    for line in lines_of(text):
        assert line == line.rstrip() != ""
        assert not any(c < " " or "\x7f" <= c < "\xa0" or c in "\xad\ufffe\uffff" for c in line)
