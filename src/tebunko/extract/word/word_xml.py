"""Word 2003 XML ("WordprocessingML" of that version) and packages written as one XML file ("Flat OPC")."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from collections.abc import Iterable, Iterator

from lxml import etree

from tebunko.extract.package import parse_xml
from tebunko.extract.source import Options, Source
from tebunko.extract.text.foreign import whole
from tebunko.extract.text.rows import Row, page_lines
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import FOOTNOTES, HEADER_FOOTER, page, part
from tebunko.model.unit import Extraction, make_unit

_W = "{http://schemas.microsoft.com/office/word/2003/wordml}"
_PKG = "{http://schemas.microsoft.com/office/2006/xmlPackage}"

_MARGINS = frozenset({_W + "hdr", _W + "ftr"})
_NOTES = frozenset({_W + "footnote", _W + "endnote"})
_STORIES = _MARGINS | _NOTES
_CHARACTERS = {_W + "tab": " ", _W + "br": " ", _W + "noBreakHyphen": "-"}


def read_word_xml(source: Source, options: Options) -> Extraction:
    """A Word 2003 XML document: its text as ページ001, headers and footers, notes. Raises ExtractError."""
    root = parse_xml(whole(source))
    body = root.find(_W + "body")
    if body is None:
        raise ExtractError(Reason.DAMAGED, "no body")
    stories = {
        page(1): [body],
        part(HEADER_FOOTER): root.iter(*_MARGINS),
        part(FOOTNOTES): root.iter(*_NOTES),
    }
    extraction = Extraction()
    for place, elements in stories.items():
        lines = page_lines(row for element in elements for row in _rows(element))
        if unit := make_unit(place, list(dict.fromkeys(lines)) if place.value == HEADER_FOOTER else lines):
            extraction.units.append(unit)
    return extraction


def _rows(story: etree._Element) -> Iterator[Row]:
    """The paragraphs and table rows of a story, without those of stories within it."""
    for element in _outermost(story, (_W + "p", _W + "tr")):
        if element.tag == _W + "p":
            yield [_text([element])]
        else:
            yield [_text(_outermost(cell, (_W + "p",))) for cell in _outermost(element, (_W + "tc",))]


def _outermost(story: etree._Element, tags: tuple[str, ...]) -> Iterator[etree._Element]:
    """The elements with these tags below an element that lie in no other such one and in no inner story."""
    walker = etree.iterwalk(story, events=("start",))
    for _, element in walker:
        if element is story:
            continue
        if element.tag in tags:
            yield element
        elif element.tag not in _STORIES:
            continue
        walker.skip_subtree()


def _text(paragraphs: Iterable[etree._Element]) -> str:
    pieces: list[str] = []
    for paragraph in paragraphs:
        walker = etree.iterwalk(paragraph, events=("start",))
        for _, element in walker:
            if element.tag == _W + "t":
                pieces.append(element.text or "")
            elif element.tag in _STORIES:
                walker.skip_subtree()
            else:
                pieces.append(_CHARACTERS.get(element.tag, ""))
        pieces.append(" ")
    return "".join(pieces)


def package_of(source: Source) -> Source:
    """A package that was written as one XML file (``pkg:package``) as the ZIP it stands for, in memory.

    Raises ExtractError: TOO_LARGE, DAMAGED.
    """
    root = parse_xml(whole(source))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        types = []
        for element in root.iterchildren(_PKG + "part"):
            name = element.get(_PKG + "name", "").lstrip("/")
            file.writestr(name, _content(element))
            types.append((name, element.get(_PKG + "contentType", "")))
        file.writestr("[Content_Types].xml", _content_types(types))
    data = archive.getvalue()
    return Source(source.name, len(data), source.mtime_ns, data, None)


def _content(element: etree._Element) -> bytes:
    inline = element.find(_PKG + "xmlData")
    if inline is not None:
        return bytes(etree.tostring(inline[0], encoding="utf-8")) if len(inline) else b""
    try:
        return base64.b64decode(element.findtext(_PKG + "binaryData", ""))
    except binascii.Error as error:
        raise ExtractError(Reason.DAMAGED, error) from error


def _content_types(types: list[tuple[str, str]]) -> str:
    root = etree.Element("Types")
    for name, content_type in types:
        etree.SubElement(root, "Override", PartName="/" + name, ContentType=content_type)
    return str(etree.tostring(root, encoding="unicode"))
