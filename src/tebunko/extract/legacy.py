"""Word and PowerPoint 97-2003 files: converted to the new formats, then read by the readers of those.

Two converters in pure Python do nearly all of them (`msdoc2docx`, `ppt2pptx`); what they refuse, Word 6 and 95 among
it, goes to `office-oxide` where that is installed (it has no wheel for every platform), else to an office suite.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tebunko.extract.source import Source, source_of
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.unit import Extraction, Unit, make_unit

Converter = Callable[[Path, Path], object]
"""Converts the file at the first path to a new one at the second; raises what it likes if it cannot."""

_oxide: Any = importlib.import_module("office_oxide") if importlib.util.find_spec("office_oxide") else None

# What the converters say of a container that is broken itself: no office suite makes a document of that.
_BROKEN_CONTAINER = re.compile(r"compound file|CFB|directory entry|required stream", re.IGNORECASE)

# What a run of equal filler bytes becomes, and characters that no document holds.
_BYTES_AS_TEXT = re.compile("[ÿþ\x80-\x9f]")
_NO_TEXT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ufffe\uffff]")

_PASSWORD_ERRORS = frozenset({"EncryptedDocumentError", "EncryptedPresentationError"})


def read_converted(
    source: Source, extension: str, convert: Converter, read: Callable[[Source], Extraction]
) -> Extraction:
    """Reads an old file (``extension`` is ``.doc`` or ``.ppt``) with the reader of what it is converted to.

    Raises ExtractError: PASSWORD if it is encrypted, DAMAGED if its container is broken, NEEDS_OFFICE if the
    converters here do not read what is in it.
    """
    with tempfile.TemporaryDirectory(prefix="convert-", dir=source.copy and source.copy.parent) as name:
        old, new = Path(name, "old" + extension), Path(name, f"new{extension}x")
        old.write_bytes(source.read())
        try:
            return read(_converted(convert, old, new, source.name))
        except ExtractError as refusal:
            if refusal.reason is Reason.PASSWORD:
                raise
            return _second_try(old, Path(name, f"second{extension}x"), read, source.name, refusal)


def _converted(convert: Converter, old: Path, new: Path, name: str) -> Source:
    try:
        convert(old, new)
        return source_of(name, new.read_bytes())
    except MemoryError:
        raise
    except Exception as error:
        # Whatever a damaged file makes a converter stumble over is the file's fault, and the next one may cope.
        message = str(error) or type(error).__name__
        raise ExtractError(_reason_of(type(error).__name__, message), message) from error


def _reason_of(error_name: str, message: str) -> Reason:
    if error_name in _PASSWORD_ERRORS:
        return Reason.PASSWORD
    return Reason.DAMAGED if _BROKEN_CONTAINER.search(message) else Reason.NEEDS_OFFICE


def _second_try(
    old: Path, new: Path, read: Callable[[Source], Extraction], name: str, refusal: ExtractError
) -> Extraction:
    """Reads by office-oxide; raises the first converter's refusal if that is no use either."""
    if _oxide is None:
        raise refusal
    try:
        document = _oxide.Document.open(str(old))
        text = document.plain_text()
        if not is_text(text.partition("\0")[0]):
            raise refusal
        document.save_as(str(new))
        extraction = read(source_of(name, new.read_bytes()))
        return before_damage(extraction) if "\0" in text else extraction
    except (ExtractError, OSError, ValueError, RuntimeError) as error:
        raise refusal from error
    except BaseException as error:
        # A panic in its native code arrives as an exception that is none of Exception's kind.
        if type(error).__name__ not in ("PanicException", "OfficeOxideError"):
            raise
        raise refusal from error


def is_text(text: str) -> bool:
    r"""False for bytes of a damaged file that were taken for characters: many are filler, or none is a letter.

    >>> is_text("Dear Sir,\rthank you."), is_text("ÿÿÿÿÿÿ"), is_text("")
    (True, False, False)
    """
    letters = [c for c in text if c.isalnum()]
    return len(_BYTES_AS_TEXT.findall(text)) * 10 < len(letters)


def before_damage(extraction: Extraction) -> Extraction:
    """The extraction up to where bytes of other parts of a damaged file were taken for characters, and a warning."""
    sound: list[Unit] = []
    for unit in extraction.units:
        lines = list(unit.lines)
        at = next((number for number, line in enumerate(lines) if _NO_TEXT.search(line)), None)
        if at is None:
            sound.append(unit)
            continue
        lines[at:] = [_NO_TEXT.split(lines[at], maxsplit=1)[0]]
        last = make_unit(unit.place, lines)
        sound += [last] if last else []
        return Extraction(sound, [*extraction.warnings, f"{unit.place.name}: damaged from line {at + 1} on"])
    return extraction
