"""Text of drawings, the same in the three OOXML formats: shape paragraphs, charts, SmartArt (extraction.md section 4).

All functions work on trees from `read_part`, in one forward pass over the tags they need: no recursion, so that depth
and width of a hostile part cost no more than its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from tebunko.extract.package import Package
from tebunko.model.errors import ExtractError

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_ALTERNATE = MC + "AlternateContent"
_CHOICE = MC + "Choice"

_PARAGRAPH = A + "p"
_BREAK = A + "br"
_TEXTS = frozenset({A + "t", M + "t"})

_CHART_REFERENCE = C + "chart"
_SMARTART_REFERENCE = DGM + "relIds"

_ANY_BREAK = re.compile("[\r\n]+")
# PowerPoint writes control characters of pasted text as _x000B_; the vertical tab is its line break.
_ESCAPED_CONTROL = re.compile("_x00[01][0-9A-Fa-f]_")


def read_part(package: Package, part: str) -> etree._Element:
    """The root of an XML part, reduced by `keep_one_choice`. Raises ExtractError if it cannot be read."""
    root = package.xml(part)
    keep_one_choice(root)
    return root


def keep_one_choice(root: etree._Element) -> None:
    """Removes from each ``mc:AlternateContent`` that has a ``mc:Choice`` all branches but the first Choice.

    So everything that walks the tree later reads each text once (ECMA-376 part 3, 7.6; extraction.md section 4: a
    Fallback is never read when a Choice exists).
    """
    for alternate in list(root.iter(_ALTERNATE)):
        choice = alternate.find(_CHOICE)
        if choice is not None:
            for branch in list(alternate):
                if branch is not choice:
                    alternate.remove(branch)


def shape_paragraphs(element: etree._Element, line_break: str = " ") -> list[str]:
    r"""The text of each ``a:p`` below an element, in document order, without those that show nothing.

    Runs, fields (their cached text) and formulas are joined; ``a:br`` and line breaks in the text become
    ``line_break``, a tab becomes a space, and blanks at both ends are cut.

    >>> p = f'<a:p xmlns:a="{A[1:-1]}"><a:r><a:t>one</a:t></a:r><a:br/><a:fld><a:t>2</a:t></a:fld></a:p>'
    >>> shape_paragraphs(etree.fromstring(p))
    ['one 2']
    """
    paragraphs: list[list[str]] = []
    pieces: list[str] = []
    for node in element.iter(_PARAGRAPH, _BREAK, *_TEXTS):
        tag = node.tag
        if tag == _PARAGRAPH:
            pieces = []
            paragraphs.append(pieces)
        elif tag == _BREAK:
            pieces.append("\n")
        elif node.text:
            pieces.append(node.text)
    texts = (tidy("".join(p), line_break) for p in paragraphs if p)
    return [text for text in texts if text and not text.isspace()]


def tidy(text: str, line_break: str = " ") -> str:
    r"""One line of what a paragraph holds: line breaks become ``line_break``, tabs a space, outer ASCII blanks are cut.

    >>> tidy(" a\tb\r\nc_x000B_d ", " / ")
    'a b / c / d'
    """
    if "_x00" in text:
        text = _ESCAPED_CONTROL.sub("\n", text)
    text = text.replace("\t", " ").strip(" \r\n")
    return _ANY_BREAK.sub(line_break, text) if "\n" in text or "\r" in text else text


def chart_lines(package: Package, part: str) -> list[str]:
    """What is read of a chart part: its title, the axis titles, the series names, in this order; one string each.

    Category labels and numbers are not read (extraction.md section 4). Raises ExtractError if the part cannot be read.
    """
    titles: list[str] = []
    axes: list[str] = []
    series: list[str] = []
    for node in read_part(package, part).iter(C + "title", C + "ser"):
        if node.tag == C + "ser":
            series.append(_chart_text(node))
        elif (parent := node.getparent()) is not None and parent.tag == _CHART_REFERENCE:
            titles.append(_chart_text(node))
        else:
            axes.append(_chart_text(node))
    return [text for text in titles + axes + series if text]


def _chart_text(owner: etree._Element) -> str:
    """The ``c:tx`` of a title or series: its rich text, or the cached cells it refers to, or a literal value."""
    holder = owner.find(C + "tx")
    if holder is None:
        return ""
    rich = shape_paragraphs(holder)
    if rich:
        return " ".join(rich)
    cached = (tidy(value.text or "") for value in holder.iter(C + "v"))
    return " ".join(text for text in cached if text)


def smartart_lines(package: Package, part: str) -> list[str]:
    """The paragraphs of a SmartArt data part (``dgm:dataModel``), in the order of its points.

    Raises ExtractError if the part cannot be read.
    """
    return shape_paragraphs(read_part(package, part))


def graphic_parts(package: Package, owner: str, nodes: Iterable[etree._Element]) -> Iterator[tuple[str, bool]]:
    """The parts that ``c:chart`` and ``dgm:relIds`` elements among ``nodes`` refer to, as (part name, is SmartArt).

    ``owner`` is the part the nodes stand in. Other nodes and references that lead nowhere are passed over.
    """
    relationships = package.relationships(owner)
    for node in nodes:
        smartart = node.tag == _SMARTART_REFERENCE
        if not smartart and node.tag != _CHART_REFERENCE:
            continue
        relationship = relationships.get(node.get(R + ("dm" if smartart else "id"), ""))
        if relationship is not None and not relationship.external:
            yield relationship.target, smartart


def graphic_lines(package: Package, owner: str, element: etree._Element, warnings: list[str]) -> list[list[str]]:
    """The lines of each chart and SmartArt that an element of the part ``owner`` shows, in document order.

    One that cannot be read is left out and gets a sentence in ``warnings``; one without text is left out.
    """
    found: list[list[str]] = []
    nodes = element.iter(_CHART_REFERENCE, _SMARTART_REFERENCE)
    for part, smartart in graphic_parts(package, owner, nodes):
        try:
            lines = smartart_lines(package, part) if smartart else chart_lines(package, part)
        except ExtractError as error:
            warnings.append(f"{part}: {error}")
            continue
        if lines:
            found.append(lines)
    return found
