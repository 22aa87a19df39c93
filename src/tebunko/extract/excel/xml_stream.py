"""XML read as a stream: a parser that refuses document types, and what the readers by pattern share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers import expat

from tebunko.model.errors import ExtractError, Reason


class NotSimple(Exception):
    """A part is not written as usual programs do, so that it must go through the XML parser."""


def new_parser() -> expat.XMLParserType:
    """An expat parser that gathers text and raises ExtractError(DAMAGED) at a document type.

    Without a document type there are no entities to expand and nothing outside is referred to.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    return parser


def _refuse(*_: object) -> None:
    raise ExtractError(Reason.DAMAGED, "XML with a document type")


@contextmanager
def parsing_errors() -> Iterator[None]:
    """Turns what expat raises on bad XML into ExtractError(DAMAGED)."""
    try:
        yield
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise ExtractError(Reason.DAMAGED, error) from error


_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


def is_utf8(head: bytes) -> bool:
    """True if the beginning of an XML part says that it is UTF-8, or nothing.

    >>> is_utf8(b"<?xml version='1.0' encoding='utf-8'?><a>"), is_utf8(b"<a>"), is_utf8("<a>".encode("utf-16"))
    (True, True, False)
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    if head.lstrip()[:1] != b"<" or head[1:2] == b"\0":
        return False
    declared = _DECLARED.match(head)
    return declared is None or declared[1].lower() in (b"utf-8", b"us-ascii")


_REFERENCE = re.compile("&([^;&]*);?")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def decode_references(text: str) -> str:
    """A text with the five entities of XML and character references decoded. Raises NotSimple for any other.

    >>> decode_references("a&lt;b&amp;&#x41;&#66;")
    'a<b&AB'
    """
    return _REFERENCE.sub(_decode_one, text) if "&" in text else text


def _decode_one(match: re.Match[str]) -> str:
    name = match[1]
    if match[0].endswith(";"):
        if name in _NAMED:
            return _NAMED[name]
        try:
            if name.startswith("#"):
                return chr(int(name[2:], 16) if name[1:2] == "x" else int(name[1:]))
        except (ValueError, OverflowError) as error:
            raise NotSimple from error
    raise NotSimple
