"""How LibreOffice is to open a file, and what it is to make of it: decided by content, as everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from tebunko.extract.compound import CompoundFile
from tebunko.extract.protection import protection_in
from tebunko.extract.recognise import HEAD_BYTES, Form, form_of, form_of_compound
from tebunko.extract.source import Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind, extension_of, kind_of


@dataclass(frozen=True, slots=True)
class Opening:
    """``extension`` names the copy that LibreOffice gets, ``filter`` is the import filter, "" to let it look itself.

    ``options`` are the filter's; a filter that has some asks for them if there are none.
    """

    extension: str
    filter: str = ""
    options: str = ""


EXPORTS = (
    ("com.sun.star.sheet.SpreadsheetDocument", "Calc MS Excel 2007 XML", ".xlsx"),
    ("com.sun.star.presentation.PresentationDocument", "Impress MS PowerPoint 2007 XML", ".pptx"),
    ("com.sun.star.text.TextDocument", "MS Word 2007 XML", ".docx"),
)
"""What a document is to LibreOffice, the filter that stores it and the extension of what that gives."""

PLAIN_TEXT_FILTERS = ("Text", "Text (encoded)", "Text (StarWriter/Web)", "Text - txt - csv (StarCalc)")
"""Import filters that read any bytes whatever as text: what only they take is no document."""

_OPENINGS = {
    Form.XLS: Opening(".xls"),
    Form.DOC: Opening(".doc"),
    Form.OLD_WORD: Opening(".doc"),
    Form.PPT: Opening(".ppt"),
    Form.RTF: Opening(".rtf", "Rich Text Format"),
    Form.EXCEL_XML: Opening(".xml", "MS Excel 2003 XML"),
    Form.WORD_XML: Opening(".xml", "MS Word 2003 XML"),
}
_HTML_TABLE = Opening(".html", "HTML (StarCalc)", options="0")
_HTML_TEXT = Opening(".html", "HTML (StarWriter)")
_MEDIA_TYPES = {b"text": ".odt", b"spreadsheet": ".ods", b"presentation": ".odp"}
_MEDIA_TYPE = b"application/vnd.oasis.opendocument."


def opening_of(source: Source) -> Opening:
    """How a file is opened, by its first bytes and, for a compound file, by the names of its streams.

    Raises ExtractError: PASSWORD or RIGHTS if it says so itself, DAMAGED if it is empty or a broken compound file.
    """
    kind = kind_of(source.name)
    head = source.head(HEAD_BYTES)
    form = form_of(head, kind)
    if form is Form.EMPTY:
        raise ExtractError(Reason.DAMAGED, "the file is empty")
    if form is Form.COMPOUND:
        form = _form_of_compound(source, kind)
    return opening_of_form(form, kind, extension_of(source.name), head)


def _form_of_compound(source: Source, kind: FileKind | None) -> Form:
    with CompoundFile(source) as compound:
        protection = protection_in(compound)
        form = form_of_compound(frozenset(compound.root_entries), kind)
    # Workbooks are commonly encrypted with Excel's own password, which LibreOffice knows too.
    if protection is not None and not (protection is Reason.PASSWORD and form is Form.XLS):
        raise ExtractError(protection)
    return form


def opening_of_form(form: Form, kind: FileKind | None, extension: str, head: bytes) -> Opening:
    """How content of a form is opened under a kind and extension (lower case, with its dot, or "").

    >>> opening_of_form(Form.HTML, FileKind.EXCEL, ".xls", b"<table>")
    Opening(extension='.html', filter='HTML (StarCalc)', options='0')
    >>> opening_of_form(Form.UNKNOWN, FileKind.WORD, ".doc", b"\\x00")
    Opening(extension='.doc', filter='', options='')
    """
    if form in _OPENINGS:
        return _OPENINGS[form]
    if form is Form.HTML:
        return _HTML_TABLE if kind is FileKind.EXCEL else _HTML_TEXT
    if form is Form.ZIP:
        return Opening(open_document_extension(head) or extension or ".zip")
    return Opening(extension or ".doc")


def open_document_extension(head: bytes) -> str:
    """The extension of an OpenDocument file, "" if it says nowhere near its beginning that it is one.

    Its first entry is an uncompressed ``mimetype`` (OpenDocument 1.2, part 3, 3.3).

    >>> open_document_extension(b"PK..mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK")
    '.ods'
    """
    _, found, media_type = head.partition(_MEDIA_TYPE)
    return next((end for kind, end in _MEDIA_TYPES.items() if media_type.startswith(kind)), "") if found else ""


def converted_name(name: str, extension: str) -> str:
    """The name of what a file becomes: its own, with the new extension in place of the old.

    >>> converted_name("月報.xls", ".xlsx"), converted_name("月報", ".docx")
    ('月報.xlsx', '月報.docx')
    """
    return (name.rpartition(".")[0] or name) + extension
