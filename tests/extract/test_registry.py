"""Which reader reads what, by content first and extension second, and what failures become (extraction.md section 5)."""

from __future__ import annotations

import base64
import io
import signal
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import openpyxl
import pytest
from compound_files import compound_file
from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from hypothesis import given
from hypothesis import strategies as st
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas
from test_protection import encrypted

from tebunko.extract import registry
from tebunko.extract.recognise import Form, form_of, form_of_compound, form_of_main_type, form_of_parts
from tebunko.extract.registry import READERS, extract, recognise
from tebunko.extract.source import Options, Source, open_source, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.unit import Extraction

SECONDS_A_FILE = 20


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def xlsx() -> bytes:
    workbook = openpyxl.Workbook()
    workbook.active.title = "売上"
    workbook.active["B2"] = "in a cell"
    return saved(workbook.save)


def docx() -> bytes:
    document = Document()
    document.add_paragraph("in a paragraph")
    return saved(document.save)


def pptx() -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "in a title"
    return saved(presentation.save)


def pdf() -> bytes:
    def save(out: io.BytesIO) -> None:
        canvas = Canvas(out)
        canvas.drawString(72, 700, "on a page")
        canvas.save()

    return saved(save)


def zipped(**parts: str) -> bytes:
    def save(out: io.BytesIO) -> None:
        with zipfile.ZipFile(out, "w") as archive:
            for name, text in parts.items():
                archive.writestr(name, text)

    return saved(save)


def flat_package(data: bytes) -> bytes:
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        types = archive.read("[Content_Types].xml").decode()
        for name in archive.namelist():
            if name == "[Content_Types].xml":
                continue
            kind = types.partition(f'PartName="/{name}"')[2].partition('ContentType="')[2].partition('"')[0]
            content = base64.b64encode(archive.read(name)).decode()
            parts.append(
                f'<pkg:part pkg:name="/{name}" pkg:contentType="{kind}"><pkg:binaryData>{content}</pkg:binaryData></pkg:part>'
            )
    inside = "".join(parts)
    return (
        '<?xml version="1.0"?><?mso-application progid="Word.Document"?>'
        f'<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">{inside}</pkg:package>'
    ).encode()


XLSX, DOCX, PPTX, PDF = xlsx(), docx(), pptx(), pdf()
BINARY = bytes(range(256)) * 20
ODT = zipped(mimetype="application/vnd.oasis.opendocument.text", **{"content.xml": "<a/>"})
THEME = zipped(**{"[Content_Types].xml": "<Types/>", "theme/theme.xml": "<a/>"})
VISIO = compound_file({"VisioDocument": b"v" * 5000})


def read(name: str, data: bytes) -> dict[str, list[str]]:
    return {unit.place.name: unit.lines for unit in extract(source_of(name, data), Options()).units}


def reason(name: str, data: bytes) -> Reason:
    with pytest.raises(ExtractError) as caught:
        extract(source_of(name, data), Options())
    return caught.value.reason


CELL = {"売上": ["", "\tin a cell"]}
PARAGRAPH = {"ページ001": ["in a paragraph"]}
SLIDE = {"スライド001": ["in a title"]}
PAGE = {"ページ001": ["on a page"]}


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        *((f"a.{e}", XLSX, CELL) for e in ("xlsx", "xlsm", "xls", "xlsb", "docx", "ppt", "pdf", "csv", "txt")),
        *((f"a.{e}", DOCX, PARAGRAPH) for e in ("docx", "docm", "doc", "xlsx", "pptx", "txt")),
        *((f"a.{e}", PPTX, SLIDE) for e in ("pptx", "pptm", "ppt", "doc")),
        *((f"a.{e}", PDF, PAGE) for e in ("pdf", "docx", "xls")),
        ("a.pdf", b"\r\n" * 400 + PDF, PAGE),
        ("a.txt", "本文".encode("cp932"), {"本文": ["本文"]}),
        ("a.html", b"<html>x</html>", {"本文": ["<html>x</html>"]}),
        ("a.xml", flat_package(DOCX)[:21], {"本文": ['<?xml version="1.0"?>']}),
        ("a.txt", b"{\\rtf1 x}", {"本文": ["{\\rtf1 x}"]}),
        ("a.txt", b"%PDF-1.4 is how a PDF begins", {"本文": ["%PDF-1.4 is how a PDF begins"]}),
        ("a.csv", b"", {}),
        ("a.xlsx", encrypted("VelvetSweatshop"), {"Sheet1": ["hello"]}),
        ("a.docx", flat_package(DOCX), PARAGRAPH),
        ("a.doc", b"{\\rtf1 from rtf}", {"ページ001": ["from rtf"]}),
        ("売上.xls", b"<html><table><tr><td>a<td>b</table>", {"売上": ["a\tb"]}),
        ("a.xls", b"a,b\r\n1,2\r\n", {"a": ["a\tb", "1\t2"]}),
        ("a.doc", "ただの文章".encode("cp932"), {"ページ001": ["ただの文章"]}),
    ],
)
def test_what_a_file_is_decides(name: str, data: bytes, expected: dict[str, list[str]]) -> None:
    assert read(name, data) == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.xlsx", b"", Reason.DAMAGED),
        ("a.doc", BINARY, Reason.DAMAGED),
        ("a.pdf", BINARY, Reason.DAMAGED),
        ("a.pdf", b"plain text", Reason.DAMAGED),
        ("a.pdf", b"<html>", Reason.DAMAGED),
        ("a.ppt", b"plain text", Reason.DAMAGED),
        ("a.ppt", b"<html><p>x", Reason.NEEDS_OFFICE),
        ("a.doc", ODT, Reason.NEEDS_OFFICE),
        ("a.doc", b"\xdb\xa5\x2d\x00" + BINARY, Reason.NEEDS_OFFICE),
        ("a.pdf", ODT, Reason.DAMAGED),
        ("a.docx", THEME, Reason.DAMAGED),
        ("a.docx", DOCX[:2000], Reason.DAMAGED),
        ("a.xls", VISIO, Reason.DAMAGED),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Reason.DAMAGED),
        ("a.docx", b"\x82\xff\x80 no text and no NUL", Reason.DAMAGED),
        ("a.txt", BINARY, Reason.NOT_TEXT),
        ("a.txt", THEME, Reason.NOT_TEXT),
        ("a.txt", VISIO, Reason.NOT_TEXT),
        ("a.xlsx", encrypted("secret"), Reason.PASSWORD),
        ("a.docx", encrypted("VelvetSweatshop"), Reason.PASSWORD),
        ("a.docx", compound_file({"\tDRMContent": b"x" * 5000}), Reason.RIGHTS),
    ],
)
def test_refusals(name: str, data: bytes, expected: Reason) -> None:
    assert reason(name, data) is expected


@pytest.mark.parametrize(
    ("streams", "kind", "expected"),
    [
        ({"workbook"}, FileKind.WORD, Form.XLS),
        ({"book"}, FileKind.EXCEL, Form.XLS),
        ({"worddocument", "1table"}, FileKind.EXCEL, Form.DOC),
        ({"powerpoint document"}, None, Form.PPT),
        ({"worddocument", "workbook"}, FileKind.WORD, Form.DOC),
        ({"worddocument", "workbook"}, FileKind.EXCEL, Form.XLS),
        ({"contents"}, FileKind.WORD, Form.COMPOUND),
    ],
)
def test_compound_files_by_their_streams(streams: set[str], kind: FileKind | None, expected: Form) -> None:
    assert form_of_compound(frozenset(streams), kind) is expected


OOXML = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        (OOXML + "spreadsheetml.sheet.main+xml", Form.XLSX),
        ("application/vnd.ms-excel.sheet.macroenabled.main+xml", Form.XLSX),
        (OOXML + "spreadsheetml.template.main+xml", Form.XLSX),
        ("application/vnd.ms-excel.sheet.binary.macroenabled.main", Form.XLSB),
        (OOXML + "wordprocessingml.document.main+xml", Form.DOCX),
        ("application/vnd.ms-word.document.macroenabled.main+xml", Form.DOCX),
        (OOXML + "presentationml.slideshow.main+xml", Form.PPTX),
        ("application/vnd.ms-powerpoint.presentation.macroenabled.main+xml", Form.PPTX),
        ("application/xml", None),
        ("", None),
    ],
)
def test_packages_by_their_main_part(content_type: str, expected: Form | None) -> None:
    assert form_of_main_type(content_type) is expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"xl/workbook.xml"}, Form.XLSX),
        ({"xl/workbook.bin"}, Form.XLSB),
        ({"word/document.xml"}, Form.DOCX),
        ({"ppt/presentation.xml"}, Form.PPTX),
        ({"mimetype", "content.xml"}, Form.OPEN_DOCUMENT),
        ({"content.xml"}, Form.ZIP),
    ],
)
def test_packages_by_their_parts(parts: set[str], expected: Form) -> None:
    assert form_of_parts(frozenset(parts)) is expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"\x09\x08\x10\x00\x00\x06\x05\x00", Form.XLS),
        (b"\x09\x00\x04\x00\x02\x00\x10\x00", Form.XLS),
        (b"\x09\x00text that begins with a tab", Form.UNKNOWN),
        (b"\xef\xbb\xbf{\\rtf1", Form.RTF),
        (b" \r\n<!DOCTYPE html><p>", Form.HTML),
        ("\ufeff<html>".encode("utf-16-le"), Form.HTML),
        (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">', Form.EXCEL_XML),
        (b'<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">', Form.WORD_XML),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related", Form.MHTML),
        (b"<no markup we know>", Form.FLAT_TEXT),
        ("\ufeff文".encode("utf-16-le"), Form.FLAT_TEXT),
        (b"\x01\x02\x00", Form.UNKNOWN),
        (b"", Form.EMPTY),
    ],
)
def test_heads_under_an_office_name(head: bytes, expected: Form) -> None:
    assert form_of(head, FileKind.EXCEL) is expected


@given(st.binary(max_size=300), st.sampled_from([*FileKind, None]))
def test_any_head_has_a_form(head: bytes, kind: FileKind | None) -> None:
    assert form_of(head, kind) in Form


# --- the table, embedded files, failures -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", READERS)
def test_every_reader_of_the_table_that_exists_can_be_imported(form: Form) -> None:
    module, function = READERS[form]
    if find_spec(module) is not None:
        assert callable(getattr(import_module(module), function))


def test_a_form_whose_reader_does_not_exist_is_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, Form.PDF, ("tebunko.extract.nothing", "read"))
    assert reason("a.pdf", PDF) is Reason.UNSUPPORTED


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (MemoryError(), Reason.MEMORY),
        (RecursionError("too deep"), Reason.DAMAGED),
        (ZeroDivisionError("division by zero"), Reason.DAMAGED),
        (ImportError("no library"), Reason.UNSUPPORTED),
        (ExtractError(Reason.TOO_LARGE, "x"), Reason.TOO_LARGE),
    ],
)
def test_what_a_reader_raises_has_a_reason(
    raised: Exception, expected: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "reader_of", lambda form, options: _raiser(raised))
    with pytest.raises(ExtractError) as caught:
        extract(source_of("a.txt", b"x"), Options())
    assert caught.value.reason is expected
    assert "\n" not in caught.value.detail


def test_an_interrupt_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "reader_of", lambda form, options: _raiser(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        extract(source_of("a.txt", b"x"), Options())


def _raiser(error: BaseException) -> Callable[[Source, Options], Extraction]:
    def read_nothing(source: Source, options: Options) -> Extraction:
        raise error

    return read_nothing


def with_embedded(inner: bytes) -> bytes:
    document = Document()
    run = document.add_paragraph("outer").add_run()
    embedded = Part(PackURI("/word/embeddings/inner.bin"), "application/octet-stream", inner, document.part.package)
    number = document.part.relate_to(embedded, RELATIONSHIP_TYPE.PACKAGE)
    run._r.append(
        parse_xml(
            '<w:object xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
            'xmlns:o="urn:schemas-microsoft-com:office:office" '
            'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
            f'<o:OLEObject Type="Embed" ProgID="Excel.Sheet.12" r:id="{number}"/></w:object>'
        )
    )
    return saved(document.save)


def test_embedded_files_are_read_by_their_content_one_level_deep() -> None:
    assert read("a.docx", with_embedded(XLSX)) == {"ページ001": ["outer"], "ページ001[埋め込み1]": ["in a cell"]}
    twice = with_embedded(with_embedded(XLSX))
    assert read("a.docx", twice) == {"ページ001": ["outer"], "ページ001[埋め込み1]": ["outer"]}


@pytest.mark.parametrize("inner", [b"no Office file", PDF, ODT, b"", encrypted("secret"), XLSX[:500]])
def test_an_embedded_file_that_cannot_be_read_is_a_warning(inner: bytes) -> None:
    extraction = extract(source_of("a.docx", with_embedded(inner)), Options())
    assert [unit.lines for unit in extraction.units] == [["outer"]]
    assert len(extraction.warnings) == 1


# --- the real documents ----------------------------------------------------------------------------------------------


@contextmanager
def time_limit(seconds: int, name: str) -> Iterator[None]:
    def stop(*_: object) -> None:
        pytest.fail(f"{name} takes longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcomes(paths: list[Path]) -> dict[str, str]:
    found = {}
    for path in paths:
        with time_limit(SECONDS_A_FILE, path.name):
            try:
                with open_source(path) as source:
                    extraction = extract(source, Options())
                found[path.name] = "units" if extraction.units else "no unit"
            except ExtractError as error:
                found[path.name] = error.reason
    return found


# What `file`, `unzip -l`, `olefile` and `pdftotext` say of these files.
KNOWN = {
    "protect.xlsx": "units",
    "protected_sha512.xlsx": Reason.PASSWORD,
    "invalid.xlsx": Reason.DAMAGED,
    "PasswordProtected.doc": Reason.PASSWORD,
    "password_tika_binaryrc4.doc": Reason.PASSWORD,
    "bug53475-password-is-solrcell.docx": Reason.PASSWORD,
    "testPPT_protected_passtika.pptx": Reason.PASSWORD,
    "testPassword4Spaces.pdf": Reason.PASSWORD,
    "testUnicodePassword.pdf": Reason.PASSWORD,
    "testPDF_no_extract_yes_accessibility_owner_user.pdf": Reason.PASSWORD,
    "testPDF_no_extract_no_accessibility_owner_empty.pdf": "units",
    "file1.pdf": Reason.DAMAGED,
    "REDHAT-1531897-0.pdf": Reason.DAMAGED,
    "stress025.docx": Reason.DAMAGED,
    "truncated62886.docx": Reason.DAMAGED,
    "Pages-tree-refs.pdf": "units",
    "90ms_rksj_h_sample.pdf": "units",
}


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs an alarm that stops a reader")
@pytest.mark.parametrize("folder", ["excel", "word", "powerpoint", "pdf"])
def test_every_real_document_ends_with_units_or_a_reason(corpus: Path, folder: str) -> None:
    paths = sorted(path for path in (corpus / folder).iterdir() if kind_of(path.name))
    # Sound files of the old formats go through converters, which takes long; they are tested with their readers.
    quick = [p for p in paths if p.suffix not in (".doc", ".ppt") or p.name in KNOWN or "fuzz" in p.name]
    found = outcomes(quick)
    assert found
    assert {name: found[name] for name in KNOWN if name in found} == {n: r for n, r in KNOWN.items() if n in found}
    odd = set(found.values()) - {"units", "no unit", Reason.PASSWORD, Reason.DAMAGED, Reason.NEEDS_OFFICE}
    assert odd <= {Reason.UNSUPPORTED}, Counter(found.values())


@pytest.mark.parametrize("folder", ["excel", "word", "powerpoint"])
def test_real_documents_are_what_their_extensions_say_unless_damaged(corpus: Path, folder: str) -> None:
    wrong = {}
    for path in sorted((corpus / folder).iterdir()):
        with open_source(path) as source:
            try:
                form, _ = recognise(source, kind_of(path.name))
            except ExtractError:
                continue
        expected = {".xlsm": Form.XLSX, ".docm": Form.DOCX, ".pptm": Form.PPTX}.get(path.suffix, path.suffix[1:])
        if form != expected:
            wrong[path.name] = form
    assert wrong == {name: Form.ZIP for name in ("invalid.xlsx", "stress025.docx") if (corpus / folder / name).exists()}
