"""Old Word and PowerPoint files: what is done with what the converters give or refuse."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from ooxml_builder import by_place, docx

from tebunko.extract import legacy
from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.word.docx import read_docx
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import page
from tebunko.model.unit import Extraction, Unit

OLD = source_of("a.doc", b"old")
NEW = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>")


def read(source: Source) -> Extraction:
    assert source.name == "a.doc"
    return read_docx(source, Options())


def converting(old: Path, new: Path) -> None:
    assert old.read_bytes() == b"old" and new.suffix == ".docx"
    new.write_bytes(NEW.read())


def refusing(error: Exception) -> Callable[[Path, Path], object]:
    def convert(old: Path, new: Path) -> None:
        raise error

    return convert


class EncryptedDocumentError(Exception):
    """Named as the converter names its own."""


def test_what_the_converter_gives_is_read() -> None:
    assert by_place(legacy.read_converted(OLD, ".doc", converting, read)) == {"ページ001": ["text"]}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (EncryptedDocumentError("locked"), Reason.PASSWORD),
        (ValueError("compound file sector chain is invalid"), Reason.DAMAGED),
        (IndexError(), Reason.NEEDS_OFFICE),
        (RecursionError("deep"), Reason.NEEDS_OFFICE),
    ],
)
def test_refusals(error: Exception, reason: Reason, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", None)
    with pytest.raises(ExtractError) as caught:
        legacy.read_converted(OLD, ".doc", refusing(error), read)
    assert caught.value.reason is reason
    assert caught.value.detail == (str(error) or "IndexError")


def test_converted_file_that_cannot_be_read_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", None)
    with pytest.raises(ExtractError) as caught:
        legacy.read_converted(OLD, ".doc", lambda old, new: new.write_bytes(b"no zip"), read)
    assert caught.value.reason is Reason.DAMAGED


def test_no_memory_is_not_the_files_fault() -> None:
    with pytest.raises(MemoryError):
        legacy.read_converted(OLD, ".doc", refusing(MemoryError()), read)


class PanicException(BaseException):
    """Named as native code's panics are."""


class Second:
    """Stands for the second converter: ``text`` is what it finds."""

    def __init__(self, text: str) -> None:
        self.Document = self
        self._text = text

    def open(self, path: str) -> Second:
        return self

    def plain_text(self) -> str:
        if self._text == "panic":
            raise PanicException
        return self._text

    def save_as(self, path: str) -> None:
        Path(path).write_bytes(NEW.read())


@pytest.mark.parametrize("found", ["panic", "\0\0ÿÿ", ""])
def test_second_try_that_is_no_use(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", Second(found))
    with pytest.raises(ExtractError) as caught:
        legacy.read_converted(OLD, ".doc", refusing(ValueError("Word 6")), read)
    assert (caught.value.reason, caught.value.detail) == (Reason.NEEDS_OFFICE, "Word 6")


def test_second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", Second("text"))
    extraction = legacy.read_converted(OLD, ".doc", refusing(ValueError("Word 6")), read)
    assert by_place(extraction) == {"ページ001": ["text"]}


def fib(magic: int, version: int, language: int) -> bytes:
    return bytes(512) + struct.pack("<HHHH", magic, version, 0, language) + bytes(600)


@pytest.mark.parametrize(
    ("data", "language"),
    [
        (fib(0xA5DC, 101, 0x411), 0x411),
        (fib(0xA5DC, 104, 0x409), 0x409),
        (fib(0xA5EC, 193, 0x411), None),
        (b"\xdc\xa5\x65\x00\x00\x00\x11\x04" + bytes(2000), None),
        (b"", None),
    ],
)
def test_language_of_word_6(data: bytes, language: int | None) -> None:
    doc = pytest.importorskip("tebunko.extract.word.doc", exc_type=ImportError)
    assert doc.word_6_language(data) == language


@pytest.mark.parametrize(
    ("text", "code_page", "language"),
    [("日本語の文書ソ能 text", "cp932", 0x411), ("Договор", "cp1251", 0x419), ("한국어", "cp949", 0x412)],
)
def test_word_6_text_in_the_code_page_of_its_language(text: str, code_page: str, language: int) -> None:
    doc = pytest.importorskip("tebunko.extract.word.doc", exc_type=ImportError)
    western = "".join(
        bytes([byte]).decode("cp1252", "replace") if byte not in b"\x81\x8d\x8f\x90\x9d" else chr(byte)
        for byte in text.encode(code_page)
    )
    extraction = Extraction([Unit(page(1), ["ascii", western])])
    assert doc.in_code_page(extraction, language).units[0].lines == ["ascii", text]


def test_word_6_text_that_does_not_decode_is_refused() -> None:
    doc = pytest.importorskip("tebunko.extract.word.doc", exc_type=ImportError)
    with pytest.raises(ExtractError) as caught:
        doc.in_code_page(Extraction([Unit(page(1), ["\x81\x20"])]), 0x411)
    assert caught.value.reason is Reason.NEEDS_OFFICE
    assert doc.in_code_page(Extraction([Unit(page(1), ["é"])]), 0x40C).units[0].lines == ["é"]
