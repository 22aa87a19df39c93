"""The header and footer of a sheet as lines (ECMA-376 part 1, 18.3.1.46; extraction.md section 4)."""

from __future__ import annotations

import re

from lxml import etree

from tebunko.extract.excel.cells import unescape
from tebunko.extract.package import parse_xml
from tebunko.model.errors import ExtractError

PARTS = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")
"""The children of ``headerFooter``."""

_ORDER = ("oddHeader", "oddFooter", "firstHeader", "firstFooter", "evenHeader", "evenFooter")
_NEEDS = {"first": "differentFirst", "even": "differentOddEven"}

_CODE = re.compile(
    r"""&(?:
        "[^"]*"?              # font
      | \[[^\]]*\]           # what Excel never writes itself, such as &[TAB]
      | K(?:[0-9A-Fa-f]{6}|[0-9]{2}[+-][0-9]{3})
      | [0-9]+                # size
      | (?P<section>[LCR])
      | (?P<field>[PNDTZFAGBIUESXYOH])(?:(?<=[PN])[+-][0-9]+(?![0-9.]))?
      | (?P<ampersand>&)
      | (?P<other>.?)
    )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_BREAK = re.compile("\r\n|[\r\n\u2028]")
_SECTIONS = {"L": 0, "C": 1, "R": 2}


class HeaderFooter:
    """A ``headerFooter`` element as it is read: its attributes and texts."""

    def __init__(self) -> None:
        self._flags: dict[str, bool] = {}
        self._texts: dict[str, str] = {}

    def start(self, attributes: dict[str, str]) -> None:
        """Takes the attributes of the element."""
        self._flags = {name: value in ("1", "true", "on") for name, value in attributes.items()}

    def set(self, part: str, text: str) -> None:
        """Takes the text of one of `PARTS`, with its codes and escapes."""
        self._texts[part] = unescape(text)

    def parse(self, fragment: bytes) -> None:
        """Takes a whole element from its text in UTF-8; one that is no XML is ignored."""
        try:
            self.take(parse_xml(fragment))
        except ExtractError:
            return

    def take(self, element: etree._Element) -> None:
        """Takes a whole parsed element."""
        self.start({str(name): str(value) for name, value in element.attrib.items()})
        for child in element.iterchildren(tag=etree.Element):
            name = etree.QName(child).localname
            if name in PARTS:
                self.set(name, child.text or "")

    def lines(self) -> list[str]:
        """The texts without codes: header then footer, the first and even pages' own only where they are used.

        Left, centre, right; split on line breaks, trimmed, empty ones dropped, the same line once.
        """
        found: dict[str, None] = {}
        for part in _ORDER:
            needed = next((flag for prefix, flag in _NEEDS.items() if part.startswith(prefix)), None)
            if needed is not None and not self._flags.get(needed):
                continue
            for section in plain_sections(self._texts.get(part, "")):
                for line in _BREAK.split(section):
                    line = line.replace("\t", " ").strip()
                    if line:
                        found[line] = None
        return list(found)


def plain_sections(text: str) -> tuple[str, str, str]:
    r"""The left, centre and right text of a header or footer, its codes taken out and ``&&`` read as ``&``.

    Text before the first ``&L &C &R`` stands in the centre.

    >>> plain_sections('&L&"Arial,Bold"&12Report &A&CR&&D&RPage &P of &N')
    ('Report ', 'R&D', 'Page  of ')
    """
    sections = ["", "", ""]
    current = 1
    position = 0
    for match in _CODE.finditer(text):
        sections[current] += text[position : match.start()]
        position = match.end()
        if match["section"]:
            current = _SECTIONS[match["section"].upper()]
        elif match["ampersand"]:
            sections[current] += "&"
    sections[current] += text[position:]
    return sections[0], sections[1], sections[2]
