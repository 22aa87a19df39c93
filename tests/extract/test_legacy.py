"""Old Word and PowerPoint files: what is done with what the converters give or refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ooxml_builder import by_place, docx

from tebunko.extract import legacy
from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.word.docx import read_docx
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction

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

    def __init__(self, text: str, document: Source = NEW) -> None:
        self.Document = self
        self._text = text
        self._document = document

    def open(self, path: str) -> Second:
        return self

    def plain_text(self) -> str:
        if self._text == "panic":
            raise PanicException
        return self._text

    def save_as(self, path: str) -> None:
        Path(path).write_bytes(self._document.read())


@pytest.mark.parametrize("found", ["panic", "\0\0ÿÿ", "ÿþÿÿÿÿ", ""])
def test_second_try_that_is_no_use(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", Second(found))
    with pytest.raises(ExtractError) as caught:
        legacy.read_converted(OLD, ".doc", refusing(ValueError("Word 6")), read)
    assert (caught.value.reason, caught.value.detail) == (Reason.NEEDS_OFFICE, "Word 6")


def test_second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "_oxide", Second("text"))
    extraction = legacy.read_converted(OLD, ".doc", refusing(ValueError("Word 6")), read)
    assert by_place(extraction) == {"ページ001": ["text"]}


def test_text_before_the_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = docx("".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in ("one", "two\uf00d", "three")))
    second = Second("one\ntwo\0\uf00d\0\uf004\nthree", damaged)
    monkeypatch.setattr(legacy, "_oxide", second)
    extraction = legacy.read_converted(OLD, ".doc", refusing(ValueError("odd byte count")), read)
    assert by_place(extraction) == {"ページ001": ["one", "two"]}
    assert extraction.warnings == ["ページ001: damaged from line 2 on"]
