"""Reads .pptx and .pptm (ECMA-376 part 1, PresentationML): which text stands in which place (extraction.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lxml import etree

from tebunko.extract.drawing import A, R, graphic_lines, read_part, shape_paragraphs, tidy
from tebunko.extract.embedded import EmbeddedReader, embedded_units, package_target
from tebunko.extract.package import Package
from tebunko.extract.source import Options, Source
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import HEADER_FOOTER, Place, PlaceKind, part, slide
from tebunko.model.unit import Extraction, make_unit

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
P188 = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"

_USUAL_MAIN_PART = "ppt/presentation.xml"
_TEXT_BODIES = (P + "txBody", A + "txBody")
_ROW = A + "tr"
_CELL = A + "tc"
_SHAPES = (P + "sp", P + "pic", P + "graphicFrame")
_PLACEHOLDER = P + "ph"
_NOT_CONTENT = frozenset({"sldNum", "dt", "hdr", "ftr", "sldImg"})
_GATHERED = frozenset({"hdr", "ftr"})
_OFF = frozenset({"0", "false"})


def read_pptx(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .pptx or .pptm to its slides in the order of presentation, notes, footers, shapes, comments and
    embedded files.

    ``read_embedded`` reads embedded Office files; without it they are left out. Raises ExtractError if the package or
    its main part cannot be read; any other part that cannot be is a warning, and a slide keeps its number.
    """
    del options  # nothing in a presentation's text depends on the display locale
    with Package(source) as package:
        return _Presentation(package).read(read_embedded)


def read_converted_pptx(source: Source) -> Extraction:
    """Reads what a converter made of a .ppt: like `read_pptx`, without slide numbers and automatic dates, and without
    embedded files, of which a converter keeps only some.

    A converter fills these fields in when it runs, so that the text would be another at each reading.
    """
    with Package(source) as package:
        return _Presentation(package, drop_fields=True).read(None)


class _Presentation:
    def __init__(self, package: Package, drop_fields: bool = False) -> None:
        self._package = package
        self._drop_fields = drop_fields
        self._result = Extraction()
        self._footers: dict[str, None] = {}
        self._behind: set[str] = set()
        self._embedded: list[tuple[str, Callable[[int], Place]]] = []

    def read(self, read_embedded: EmbeddedReader | None) -> Extraction:
        main = self._package.main_part() or _USUAL_MAIN_PART
        root = self._package.xml(main)
        if root.tag != P + "presentation":
            raise ExtractError(Reason.DAMAGED, f"{main} is not a presentation")
        relationships = self._package.relationships(main)
        for number, entry in enumerate(root.iterfind(f"{P}sldIdLst/{P}sldId"), start=1):
            relationship = relationships.get(entry.get(R + "id", ""))
            if relationship is None or relationship.external:
                self._result.warnings.append(f"{main}: slide {number} is missing")
            else:
                self._read_slide(number, relationship.target)
        self._add(part(HEADER_FOOTER), list(self._footers))
        if read_embedded is not None:
            units = embedded_units(self._package, self._embedded, read_embedded, self._result.warnings)
            self._result.units.extend(units)
        return self._result

    def _read_slide(self, number: int, name: str) -> None:
        root = self._content(name)
        if root is None:
            return
        hidden = root.get("show", "1").lower() in _OFF
        self._add(slide(number, hidden=hidden), text_lines(root))
        self._gather_from_behind(name, root, ("slideLayout", "slideMaster"))
        for relationship in self._package.related(name, "notesSlide"):
            notes = self._content(relationship.target)
            if notes is not None:
                self._add(slide(number, PlaceKind.NOTES), text_lines(notes))
        graphics = graphic_lines(self._package, name, root, self._result.warnings)
        self._add(slide(number, PlaceKind.SHAPE, hidden=hidden), [" ".join(lines) for lines in graphics])
        self._add(slide(number, PlaceKind.COMMENT, hidden=hidden), self._comments(name))
        for node in root.iter(P + "oleObj"):
            target = package_target(self._package, name, node.get(R + "id", ""))
            if target is not None:
                self._embedded.append((target, partial(_embedded_place, number, hidden)))

    def _gather_from_behind(self, name: str, root: etree._Element, kinds: Sequence[str]) -> None:
        """Gathers what a slide's layout and master show on it: they lie behind many slides, so once, as footers are."""
        if not kinds or root.get("showMasterSp", "1").lower() in _OFF:
            return
        for relationship in self._package.related(name, kinds[0]):
            target = relationship.target
            if target not in self._behind:
                self._behind.add(target)
                behind = self._part(target)
                if behind is not None:
                    self._footers.update(dict.fromkeys(own_lines(behind)))
                    self._gather_from_behind(target, behind, kinds[1:])

    def _content(self, name: str) -> etree._Element | None:
        """The tree of a slide or notes page without its footer placeholders, whose text is gathered."""
        root = self._part(name)
        if root is not None:
            self._footers.update(dict.fromkeys(take_footers(root)))
            if self._drop_fields:
                drop_generated_fields(root)
        return root

    def _part(self, name: str) -> etree._Element | None:
        try:
            return read_part(self._package, name)
        except ExtractError as error:
            self._result.warnings.append(f"{name}: {error}")
            return None

    def _comments(self, name: str) -> list[str]:
        lines: list[str] = []
        for relationship in self._package.related(name, "comments"):
            root = self._part(relationship.target)
            if root is not None:
                lines.extend(comment_lines(root))
        return lines

    def _add(self, place: Place, lines: list[str]) -> None:
        unit = make_unit(place, lines)
        if unit is not None:
            self._result.units.append(unit)


def _embedded_place(number: int, hidden: bool, embed: int) -> Place:
    return slide(number, PlaceKind.EMBEDDED, hidden=hidden, embed=embed)


def take_footers(root: etree._Element) -> list[str]:
    """Takes the placeholders that are not part of a slide out of its tree; returns the text of headers and footers."""
    lines: list[str] = []
    for placeholder in list(root.iter(_PLACEHOLDER)):
        kind = placeholder.get("type", "")
        shape = next(placeholder.iterancestors(*_SHAPES), None)
        if kind not in _NOT_CONTENT or shape is None:
            continue
        if kind in _GATHERED:
            lines.extend(shape_paragraphs(shape))
        holder = shape.getparent()
        if holder is not None:
            holder.remove(shape)
    return lines


def own_lines(root: etree._Element) -> list[str]:
    """The text of a layout or master that slides show as it is: not that of placeholders, which stand for a slide's own."""
    for placeholder in list(root.iter(_PLACEHOLDER)):
        shape = next(placeholder.iterancestors(*_SHAPES), None)
        holder = None if shape is None else shape.getparent()
        if holder is not None:
            holder.remove(shape)
    drop_generated_fields(root)
    return text_lines(root)


def drop_generated_fields(root: etree._Element) -> None:
    """Removes the fields whose text says when or where it was made: slide numbers and automatic dates."""
    for field in list(root.iter(A + "fld")):
        paragraph = field.getparent()
        if paragraph is not None and field.get("type", "").startswith(("slidenum", "datetime")):
            paragraph.remove(field)


def text_lines(root: etree._Element) -> list[str]:
    """The paragraphs of all shapes of a slide, and the rows of its tables, in the order of the file."""
    lines: list[str] = []
    for node in root.iter(*_TEXT_BODIES, _ROW):
        if next(node.iterancestors(*_TEXT_BODIES, _ROW), None) is not None:
            continue
        if node.tag == _ROW:
            row = "\t".join(" ".join(shape_paragraphs(cell)) for cell in node.iterchildren(_CELL)).rstrip("\t")
            if row:
                lines.append(row)
        else:
            lines.extend(shape_paragraphs(node))
    return lines


def comment_lines(root: etree._Element) -> list[str]:
    """One line for each comment and reply of a comments part, a reply after what it answers.

    Legacy comments (ECMA-376 part 1, 19.4.1) hold plain text, with replies as comments of their own; modern ones
    (MS-PPTX 2.6) hold paragraphs and a list of replies, which stands before the text it belongs to.
    """
    lines = []
    for comment in root.iterchildren(P + "cm", P188 + "cm"):
        lines.append(tidy(comment.findtext(P + "text", "")))
        for holder in _comment_and_replies(comment):
            lines.extend(" ".join(shape_paragraphs(body)) for body in holder.iterchildren(P188 + "txBody"))
    return [line for line in lines if line and not line.isspace()]


def _comment_and_replies(comment: etree._Element) -> Iterator[etree._Element]:
    yield comment
    for replies in comment.iterchildren(P188 + "replyLst"):
        yield from replies.iterchildren(P188 + "reply")
