"""What a file is, by its content first and its extension second (extraction.md section 5)."""

from __future__ import annotations

import re
import struct
from enum import StrEnum

from tebunko.extract.compound import SIGNATURE as COMPOUND_SIGNATURE
from tebunko.model.kinds import FileKind

HEAD_BYTES = 4096
"""How much of a file's beginning decides."""

_PDF_WITHIN = 1024
"""A PDF's header may stand anywhere in so many bytes (ISO 32000-1, annex H, note 13 to 7.5.2)."""


class Form(StrEnum):
    """The form of a file's content."""

    XLSX = "xlsx"
    XLSB = "xlsb"
    XLS = "xls"
    DOCX = "docx"
    DOC = "doc"
    PPTX = "pptx"
    PPT = "ppt"
    PDF = "pdf"
    TEXT = "text"
    RTF = "rtf"
    HTML = "html"
    MHTML = "mhtml"
    EXCEL_XML = "excel xml"
    WORD_XML = "word xml"
    FLAT_PACKAGE = "flat package"
    FLAT_TEXT = "flat text"
    OPEN_DOCUMENT = "open document"
    OLD_WORD = "old word"
    ZIP = "zip"
    COMPOUND = "compound file"
    EMPTY = "empty"
    UNKNOWN = "unknown"


OFFICE_KINDS = frozenset({FileKind.EXCEL, FileKind.WORD, FileKind.POWERPOINT})

_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_BIFF_BOF_LENGTHS = {0x0009: (4,), 0x0209: (6,), 0x0409: (6,), 0x0809: (8, 16)}
_OLD_WORD_SIGNATURES = (b"\xdb\xa5", b"\x9b\xa5", b"\x31\xbe\x00\x00\x00\xab", b"\xfe\x37\x00")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_EXCEL_XML = re.compile(rb"urn:schemas-microsoft-com:office:spreadsheet|progid=[\"']Excel\.Sheet")
_FLAT_PACKAGE = re.compile(rb"schemas\.microsoft\.com/office/2006/xmlPackage")
_WORD_XML = re.compile(rb"schemas\.microsoft\.com/office/word/2003/wordml|progid=[\"']Word\.Document")
_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|table|meta|style|div|span|p|center|font|pre|title)\b", re.IGNORECASE
)
_MHTML = re.compile(rb"^(?:MIME-Version:|Content-Type:\s*multipart/related)", re.IGNORECASE | re.MULTILINE)


def form_of(head: bytes, kind: FileKind | None) -> Form:
    """The form of a file from the first `HEAD_BYTES` of its content and its kind by extension (None: not known).

    ZIP and COMPOUND need a further look, by `form_of_main_type`, `form_of_parts` and `form_of_compound`. Under a text extension only what no
    text begins with is taken for another form.
    """
    if head.startswith(_ZIP_SIGNATURES):
        return Form.ZIP
    if head.startswith(COMPOUND_SIGNATURE):
        return Form.COMPOUND
    if kind is FileKind.TEXT:
        return Form.PDF if head.startswith(b"%PDF-") and b"\0" in head else Form.TEXT
    if not head:
        return Form.EMPTY
    if b"%PDF" in head[:_PDF_WITHIN]:
        return Form.PDF
    if _is_bare_workbook(head):
        return Form.XLS
    if head.startswith(_OLD_WORD_SIGNATURES):
        return Form.OLD_WORD
    return _form_of_markup(head)


def _is_bare_workbook(head: bytes) -> bool:
    """True for a BIFF stream without a compound file, as Excel 2 to 4 wrote it."""
    if len(head) < 8:
        return False
    record, length = struct.unpack_from("<HH", head)
    return length in _BIFF_BOF_LENGTHS.get(record, ())


def _form_of_markup(head: bytes) -> Form:
    """The form of what might be text; FLAT_TEXT for what has no markup, UNKNOWN for what cannot be text."""
    plain = head
    if head.startswith(_MARKS[1:]) or b"\0" in head[:4]:
        plain = head.replace(b"\0", b"")
    begin = plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if begin.startswith(b"{\\rtf"):
        return Form.RTF
    if begin.startswith(b"<"):
        if _EXCEL_XML.search(plain):
            return Form.EXCEL_XML
        if _FLAT_PACKAGE.search(plain):
            return Form.FLAT_PACKAGE
        if _WORD_XML.search(plain):
            return Form.WORD_XML
        if _HTML.search(plain):
            return Form.HTML
    elif _MHTML.search(plain[:_PDF_WITHIN]):
        return Form.MHTML
    if b"\0" in head and not head.startswith(_MARKS[1:]):
        return Form.UNKNOWN
    return Form.FLAT_TEXT


_MAIN_TYPES = (
    ("ms-excel.sheet.binary", Form.XLSB),
    ("spreadsheetml", Form.XLSX),
    ("ms-excel", Form.XLSX),
    ("wordprocessingml", Form.DOCX),
    ("ms-word", Form.DOCX),
    ("presentationml", Form.PPTX),
    ("ms-powerpoint", Form.PPTX),
)
_MAIN_PARTS = (
    ("xl/workbook.bin", Form.XLSB),
    ("xl/workbook.xml", Form.XLSX),
    ("word/document.xml", Form.DOCX),
    ("ppt/presentation.xml", Form.PPTX),
)


def form_of_main_type(content_type: str) -> Form | None:
    """The form of a package by the content type of its main part in lower case; None if that says nothing.

    >>> form_of_main_type("application/vnd.ms-excel.sheet.binary.macroenabled.main")
    <Form.XLSB: 'xlsb'>
    """
    return next((form for piece, form in _MAIN_TYPES if piece in content_type), None)


def form_of_parts(parts: frozenset[str]) -> Form:
    """The form of a ZIP by the names of its parts in lower case, for packages whose content types are broken."""
    for part, form in _MAIN_PARTS:
        if part in parts:
            return form
    return Form.OPEN_DOCUMENT if {"mimetype", "content.xml"} <= parts else Form.ZIP


_STREAMS = {
    Form.XLS: ("workbook", "book"),
    Form.DOC: ("worddocument",),
    Form.PPT: ("powerpoint document", "pp40"),
}
_OLD_FORM = {FileKind.EXCEL: Form.XLS, FileKind.WORD: Form.DOC, FileKind.POWERPOINT: Form.PPT}


def form_of_compound(names: frozenset[str], kind: FileKind | None) -> Form:
    """The form of a compound file from the names below its root in lower case; the kind decides if several fit."""
    fitting = [form for form, streams in _STREAMS.items() if not names.isdisjoint(streams)]
    wanted = _OLD_FORM.get(kind) if kind else None
    if wanted in fitting:
        return wanted
    return fitting[0] if fitting else Form.COMPOUND
