"""Content of another format that a document takes in when it is opened (``w:altChunk``, ECMA-376 part 1, 17.17.2)."""

from __future__ import annotations

from tebunko.extract.embedded import EmbeddedReader, body_lines
from tebunko.extract.html import html_lines, html_rows
from tebunko.extract.package import Package
from tebunko.extract.text.encoding import decode_text
from tebunko.extract.text.mhtml import archive_pages
from tebunko.extract.text.reader import text_lines
from tebunko.extract.text.rows import page_lines
from tebunko.extract.text.rtf import rtf_rows
from tebunko.model.errors import ExtractError, Reason

_ZIP = b"PK\x03\x04"
_RTF = b"{\\rtf"
_HTML_MARKS = (b"<!doctype html", b"<html", b"<body")
_HTML_HEAD = 1024


def alternative_lines(package: Package, part: str, read_embedded: EmbeddedReader | None) -> list[str]:
    """The lines of an alternative part: a document's body, an HTML page (also as MHTML), RTF, or plain text without
    its empty lines.

    Raises ExtractError: UNSUPPORTED for a document without ``read_embedded``, else as those who read it do.
    """
    data = package.read(part)
    kind = package.content_type(part).lower()
    if data.startswith(_ZIP):
        if read_embedded is None:
            raise ExtractError(Reason.UNSUPPORTED, "a document in a document")
        return body_lines(read_embedded(part.rpartition("/")[2], data))
    if kind == "message/rfc822" or data[:64].lower().startswith((b"mime-version:", b"from:")):
        return page_lines(html_rows(next(iter(archive_pages(data).values()))))
    if "html" in kind or any(mark in data[:_HTML_HEAD].lower() for mark in _HTML_MARKS):
        return html_lines(data)
    if data.startswith(_RTF):
        return page_lines(rtf_rows(data))
    return [line for line in text_lines(decode_text(data)) if line and not line.isspace()]
