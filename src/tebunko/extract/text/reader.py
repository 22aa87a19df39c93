"""Text files: one place, one line per line of the file."""

from __future__ import annotations

from tebunko.extract.source import Options, Source
from tebunko.extract.text.encoding import decode_text
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import TEXT_BODY, part
from tebunko.model.unit import Extraction, make_unit

TEXT_LIMIT = 10 * 1024 * 1024
"""A text file over this many bytes is refused (extraction.md section 5)."""


def read_text(source: Source, options: Options) -> Extraction:
    """A text file as the place 本文; no unit if it holds no visible text.

    Raises ExtractError: TOO_LARGE over `TEXT_LIMIT` (by the size alone), NOT_TEXT as `decode_text` does.
    """
    if source.size > TEXT_LIMIT:
        raise ExtractError(Reason.TOO_LARGE, f"{source.size:,} bytes of text; the limit is {TEXT_LIMIT:,}")
    unit = make_unit(part(TEXT_BODY), text_lines(decode_text(source.read())))
    return Extraction([unit] if unit else [])


def text_lines(text: str) -> list[str]:
    r"""The lines of a text: CRLF, LF or CR ends one, empty ones are kept, blanks at the end of each are cut.

    >>> text_lines("a \r\n\r\n\tb\rc\u2028d\n")
    ['a', '', '\tb', 'c\u2028d', '']
    """
    return [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
