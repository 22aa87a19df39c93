"""From a source file to its text: which reader is right, and what every failure of one becomes.

This is the one place where readers are imported, each when it is first needed: starting must stay cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from tebunko.extract.compound import CompoundFile
from tebunko.extract.package import Package, part_key
from tebunko.extract.protection import protection_in
from tebunko.extract.recognise import (
    HEAD_BYTES,
    OFFICE_KINDS,
    Form,
    form_of,
    form_of_compound,
    form_of_main_type,
    form_of_parts,
)
from tebunko.extract.source import Options, Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.unit import Extraction

Reader = Callable[[Source, Options], Extraction]

READERS: dict[Form, tuple[str, str]] = {
    Form.XLSX: ("tebunko.extract.excel.xlsx", "read_xlsx"),
    Form.XLSB: ("tebunko.extract.excel.xlsb", "read_xlsb"),
    Form.XLS: ("tebunko.extract.excel.xls", "read_xls"),
    Form.DOCX: ("tebunko.extract.word.docx", "read_docx"),
    Form.DOC: ("tebunko.extract.word.doc", "read_doc"),
    Form.PPTX: ("tebunko.extract.powerpoint.pptx", "read_pptx"),
    Form.PPT: ("tebunko.extract.powerpoint.ppt", "read_ppt"),
    Form.PDF: ("tebunko.extract.pdf", "read_pdf"),
    Form.TEXT: ("tebunko.extract.text.reader", "read_text"),
    Form.FLAT_TEXT: ("tebunko.extract.text.flat", "read_flat"),
    Form.HTML: ("tebunko.extract.text.flat", "read_html"),
    Form.RTF: ("tebunko.extract.text.flat", "read_rtf"),
    Form.MHTML: ("tebunko.extract.text.mhtml", "read_mhtml"),
    Form.EXCEL_XML: ("tebunko.extract.excel.excel_xml", "read_excel_xml"),
    Form.WORD_XML: ("tebunko.extract.word.word_xml", "read_word_xml"),
}
"""Module and function of each form's reader; a form whose module does not exist is not supported."""

_EMBEDDING_FORMS = frozenset({Form.DOCX, Form.DOC, Form.PPTX, Form.PPT})
_EMBEDDABLE_FORMS = _EMBEDDING_FORMS | {Form.XLSX, Form.XLSB, Form.XLS}

_DEFAULT_PASSWORD = ("tebunko.extract.default_password", "without_default_password")
_FLAT_PACKAGE = ("tebunko.extract.word.word_xml", "package_of")

_SHEET_OR_PAGE = frozenset({Form.FLAT_TEXT, Form.HTML, Form.RTF, Form.MHTML})
"""Forms that are read under an Excel or a Word name, where it is known what place they are."""

_OFFICE_ALONE = frozenset({*_SHEET_OR_PAGE, Form.EXCEL_XML, Form.WORD_XML, Form.OPEN_DOCUMENT, Form.OLD_WORD})
"""Forms that are wrong under any name but that of an Office file."""

_FAULTS = {
    Form.EMPTY: "the file is empty",
    Form.ZIP: "a ZIP that is no Office document",
    Form.COMPOUND: "a compound file without a workbook, document or presentation",
    Form.UNKNOWN: "neither a ZIP nor a compound file",
}


def extract(source: Source, options: Options) -> Extraction:
    """The units of a source file, by the reader that its content asks for.

    Raises ExtractError and nothing else, but for KeyboardInterrupt and the like: MEMORY when memory ran out, DAMAGED for
    whatever a reader stumbled over, UNSUPPORTED where there is no reader, NEEDS_OFFICE for what only a suite reads.
    """
    try:
        return _read(source, options)
    except ExtractError:
        raise
    except MemoryError as error:
        raise ExtractError(Reason.MEMORY) from error
    except ImportError as error:
        raise ExtractError(Reason.UNSUPPORTED, error) from error
    except Exception as error:
        raise ExtractError(Reason.DAMAGED, f"{type(error).__name__}: {error}") from error


def _read(source: Source, options: Options) -> Extraction:
    kind = kind_of(source.name)
    form, source = recognise(source, kind)
    reason = refusal_of(form, kind)
    if reason is not None:
        raise ExtractError(reason, _FAULTS.get(form, f"it is {form}"))
    return reader_of(form, options)(source, options)


def refusal_of(form: Form, kind: FileKind | None) -> Reason | None:
    """Why a file of that kind by extension is not read if it has that form; None if its reader decides.

    >>> refusal_of(Form.HTML, FileKind.EXCEL), refusal_of(Form.HTML, FileKind.PDF)
    (None, <Reason.DAMAGED: 'damaged'>)
    """
    wrong = Reason.NOT_TEXT if kind is FileKind.TEXT else Reason.DAMAGED
    if form in _FAULTS:
        return wrong
    if form not in _OFFICE_ALONE:
        return None
    if kind not in OFFICE_KINDS or (form is Form.FLAT_TEXT and kind is FileKind.POWERPOINT):
        return wrong
    if form not in READERS or (form in _SHEET_OR_PAGE and kind is FileKind.POWERPOINT):
        return Reason.NEEDS_OFFICE
    return None


def recognise(source: Source, kind: FileKind | None) -> tuple[Form, Source]:
    """The form of a file and the source to read it from: another one if it was decrypted with Excel's own password.

    Raises ExtractError: PASSWORD, RIGHTS, DAMAGED.
    """
    form = form_of(source.head(HEAD_BYTES), kind)
    if form is Form.COMPOUND:
        return _recognise_compound(source, kind)
    if form is Form.FLAT_PACKAGE:
        source = _load_converter(*_FLAT_PACKAGE)(source)
        form = Form.ZIP
    return (_recognise_package(source) if form is Form.ZIP else form), source


def _recognise_package(source: Source) -> Form:
    with Package(source) as package:
        main = package.main_part()
        known = form_of_main_type(package.content_type(main).lower()) if main else None
        return known or form_of_parts(frozenset(map(part_key, package.parts)))


def _recognise_compound(source: Source, kind: FileKind | None) -> tuple[Form, Source]:
    with CompoundFile(source) as compound:
        names = frozenset(compound.root_entries)
        protection = protection_in(compound)
    form = form_of_compound(names, kind)
    if protection is Reason.PASSWORD and (kind is FileKind.EXCEL or form is Form.XLS):
        source = _load_converter(*_DEFAULT_PASSWORD)(source)
        return (form if form is Form.XLS else _recognise_package(source)), source
    if protection is not None:
        raise ExtractError(protection)
    return form, source


def reader_of(form: Form, options: Options) -> Reader:
    """The reader of a form, files embedded in it to be read with the same options.

    Raises ExtractError(UNSUPPORTED) if there is none.
    """
    place = READERS.get(form)
    if place is None or find_spec(place[0]) is None:
        raise ExtractError(Reason.UNSUPPORTED, form)
    reader = _load(*place)
    if form in _EMBEDDING_FORMS:
        reader = partial(reader, read_embedded=partial(_read_embedded, options))
    return cast(Reader, reader)


def _load(module: str, function: str) -> Callable[..., object]:
    return cast(Callable[..., object], getattr(import_module(module), function))


def _load_converter(module: str, function: str) -> Callable[[Source], Source]:
    return cast(Callable[[Source], Source], _load(module, function))


def _read_embedded(options: Options, name: str, data: bytes) -> Extraction:
    """Reads an embedded Office file, decided by its content alone; what is embedded in it in turn is left.

    Raises ExtractError if it is none, or none that can be read.
    """
    source = source_of(name, data)
    form, source = recognise(source, None)
    if form not in _EMBEDDABLE_FORMS:
        raise ExtractError(Reason.UNSUPPORTED, form)
    reader = READERS[form]
    if find_spec(reader[0]) is None:
        raise ExtractError(Reason.UNSUPPORTED, form)
    try:
        return cast(Reader, _load(*reader))(source, options)
    except (ExtractError, MemoryError):
        raise
    except Exception as error:
        raise ExtractError(Reason.DAMAGED, f"{type(error).__name__}: {error}") from error
