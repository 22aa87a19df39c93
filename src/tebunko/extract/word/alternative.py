"""Content of another format that a document takes in when it is opened (``w:altChunk``, ECMA-376 part 1, 17.17.2)."""

from __future__ import annotations

import email
import email.policy

from tebunko.extract.embedded import EmbeddedReader, body_lines
from tebunko.extract.html import html_lines
from tebunko.extract.package import Package
from tebunko.extract.text.encoding import decode_text
from tebunko.extract.text.reader import text_lines
from tebunko.model.errors import ExtractError, Reason

_ZIP = b"PK\x03\x04"
_RTF = b"{\\rtf"
_HTML_MARKS = (b"<!doctype html", b"<html", b"<body")
_HTML_HEAD = 1024


def alternative_lines(package: Package, part: str, read_embedded: EmbeddedReader | None) -> list[str]:
    """The lines of an alternative part: a document's body, an HTML page (also as MHTML), or plain text without its
    empty lines.

    Raises ExtractError: UNSUPPORTED for RTF and for a document without ``read_embedded``, else as those who read it do.
    """
    data = package.read(part)
    kind = package.content_type(part).lower()
    if data.startswith(_ZIP):
        if read_embedded is None:
            raise ExtractError(Reason.UNSUPPORTED, "a document in a document")
        return body_lines(read_embedded(part.rpartition("/")[2], data))
    if kind == "message/rfc822" or data[:64].lower().startswith((b"mime-version:", b"from:")):
        return html_lines(_page_of_archive(data))
    if "html" in kind or any(mark in data[:_HTML_HEAD].lower() for mark in _HTML_MARKS):
        return html_lines(data)
    if data.startswith(_RTF):
        raise ExtractError(Reason.UNSUPPORTED, "RTF")
    return [line for line in text_lines(decode_text(data)) if line and not line.isspace()]


def _page_of_archive(data: bytes) -> bytes:
    """The first HTML part of an MHTML archive (RFC 2557)."""
    for part in email.message_from_bytes(data, policy=email.policy.compat32).walk():
        if part.get_content_type() == "text/html":
            page = part.get_payload(decode=True)
            if isinstance(page, bytes):
                return page
    raise ExtractError(Reason.DAMAGED, "a web archive without a page")
