"""Reads .docx and .docm (ECMA-376 part 1, WordprocessingML): which text stands in which place (extraction.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from lxml import etree

from tebunko.extract.drawing import R, graphic_lines, shape_paragraphs, tidy
from tebunko.extract.embedded import EmbeddedReader, EmbeddedTarget, embedded_units, object_target, package_target
from tebunko.extract.package import Package
from tebunko.extract.source import Options, Source
from tebunko.extract.word.alternative import alternative_lines
from tebunko.extract.word.markup import ID, SECTION, TEXT_BOX, TYPE, W, prepare, text_box_index
from tebunko.extract.word.pages import BreakingStyles
from tebunko.extract.word.story import (
    ALTERNATIVE,
    COMMENT_REFERENCE,
    DRAWING_TEXT,
    OLE_OBJECT,
    TEXT_PATH,
    Anchored,
    Story,
)
from tebunko.model.errors import ExtractError, Reason
from tebunko.model.place import FOOTNOTES, HEADER_FOOTER, WHOLE_DOCUMENT, Place, PlaceKind, page, part
from tebunko.model.unit import Extraction, make_unit

_USUAL_MAIN_PART = "word/document.xml"
_NOTES = (("footnotes", W + "footnote"), ("endnotes", W + "endnote"))
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_COMMENT = W + "comment"
_NOT_SHAPES = frozenset({COMMENT_REFERENCE, OLE_OBJECT, ALTERNATIVE})


def read_docx(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .docx or .docm to its pages, header and footer, notes, shapes, comments and embedded files.

    ``read_embedded`` reads embedded Office files; without it they are left out. Units come in the order of the
    document, kind after kind. Raises ExtractError if the package or its main part cannot be read; any other part that
    cannot be is a warning.
    """
    del options  # nothing in a document's text depends on the display locale
    with Package(source) as package:
        return _Document(package, read_embedded).read()


def read_converted_docx(source: Source, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads what a converter made of a .doc: like `read_docx`, with the Office files in its OLE objects."""
    with Package(source) as package:
        return _Document(package, read_embedded, object_target).read()


class _Part:
    """One part of the document with its prepared tree and text boxes."""

    def __init__(self, package: Package, name: str, warnings: list[str]) -> None:
        self.name = name
        self.root = package.xml(name)
        self._boxes = prepare(self.root)
        self._package = package
        self._warnings = warnings

    def story_lines(self, element: etree._Element) -> list[str]:
        """The lines of a header, footer or note, with those of the shapes in it after the line of their anchor."""
        lines = []
        for line in Story(element).lines():
            if line.text:
                lines.append(line.text)
            lines.extend(text for _, text in self.shapes(line.anchored))
        return lines

    def shapes(
        self, anchored: Iterable[Anchored], other: Callable[[Anchored], None] | None = None
    ) -> Iterator[tuple[int, str]]:
        """The page and the one line of each shape that shows text, a text box before those inside it.

        What is not a shape (comment references, files of other formats) goes to ``other``.
        """
        waiting = deque(anchored)
        while waiting:
            found = waiting.popleft()
            tag = found.node.tag
            if tag in _NOT_SHAPES:
                if other is not None:
                    other(found)
                continue
            if tag == TEXT_BOX:
                text, inside = Story(self._boxes[text_box_index(found.node)]).text()
                waiting.extendleft(Anchored(found.page, inner.node) for inner in reversed(inside))
            else:
                text = self._object_text(found.node)
            if text:
                yield found.page, text

    def _object_text(self, node: etree._Element) -> str:
        if node.tag == TEXT_PATH:
            return tidy(node.get("string", ""))
        if node.tag == DRAWING_TEXT:
            return " ".join(shape_paragraphs(node))
        return " ".join(
            line for lines in graphic_lines(self._package, self.name, node, self._warnings) for line in lines
        )


class _Document:
    def __init__(
        self, package: Package, read_embedded: EmbeddedReader | None, target: EmbeddedTarget = package_target
    ) -> None:
        self._package = package
        self._read_embedded = read_embedded
        self._embedded_target = target
        self._result = Extraction()
        self._pages: dict[int, list[str]] = {}
        self._shapes: dict[int, list[str]] = {}
        self._comment_pages: dict[str, int] = {}
        self._embedded: list[tuple[str, Callable[[int], Place]]] = []
        self._main = self._main_part()

    def _main_part(self) -> _Part:
        package = self._package
        name = package.main_part() or _USUAL_MAIN_PART
        main = _Part(package, name, self._result.warnings)
        if main.root.tag != W + "document":
            raise ExtractError(Reason.DAMAGED, f"{name} is not a Word document")
        return main

    def read(self) -> Extraction:
        body = self._main.root.find(W + "body")
        if body is not None:
            self._read_body(body)
        self._add_pages(self._pages, PlaceKind.BODY)
        self._add(part(HEADER_FOOTER), self._header_lines())
        self._add(part(FOOTNOTES), self._note_lines())
        self._add_pages(self._shapes, PlaceKind.SHAPE)
        self._add_comments()
        if self._read_embedded is not None:
            units = embedded_units(self._package, self._embedded, self._read_embedded, self._result.warnings)
            self._result.units.extend(units)
        return self._result

    def _add(self, place: Place, lines: list[str]) -> None:
        unit = make_unit(place, lines)
        if unit is not None:
            self._result.units.append(unit)

    def _add_pages(self, pages: dict[int, list[str]], target: PlaceKind) -> None:
        for number in sorted(pages):
            self._add(page(number, target), pages[number])

    def _read_body(self, body: etree._Element) -> None:
        for line in Story(body, self._styles()).lines():
            if line.text:
                self._pages.setdefault(line.page, []).append(line.text)
            if line.anchored:
                for number, text in self._main.shapes(line.anchored, self._note_anchor):
                    self._shapes.setdefault(number, []).append(text)

    def _note_anchor(self, found: Anchored) -> None:
        if found.node.tag == COMMENT_REFERENCE:
            self._comment_pages.setdefault(found.node.get(ID, ""), found.page)
            return
        reference = found.node.get(R + "id", "")
        if found.node.tag == ALTERNATIVE:
            self._pages.setdefault(found.page, []).extend(self._alternative(reference))
            return
        target = self._embedded_target(self._package, self._main.name, reference)
        if target is not None:
            self._embedded.append((target, partial(_embedded_place, found.page)))

    def _alternative(self, reference: str) -> list[str]:
        relationship = self._package.relationships(self._main.name).get(reference)
        if relationship is None or relationship.external:
            return []
        try:
            return alternative_lines(self._package, relationship.target, self._read_embedded)
        except ExtractError as error:
            self._warn(relationship.target, error)
            return []

    def _styles(self) -> BreakingStyles:
        for relationship in self._package.related(self._main.name, "styles"):
            try:
                return BreakingStyles(self._package.xml(relationship.target))
            except ExtractError as error:
                self._warn(relationship.target, error)
        return BreakingStyles(None)

    def _part(self, name: str) -> _Part | None:
        """A part beside the main one; None with a warning if it cannot be read."""
        try:
            return _Part(self._package, name, self._result.warnings)
        except ExtractError as error:
            self._warn(name, error)
            return None

    def _warn(self, name: str, error: ExtractError) -> None:
        self._result.warnings.append(f"{name}: {error}")

    def _header_lines(self) -> list[str]:
        """The headers and footers that sections refer to, in order, each line once."""
        relationships = self._package.relationships(self._main.name)
        targets: dict[str, None] = {}
        for section in self._main.root.iter(SECTION):
            for reference in section.iterchildren(W + "headerReference", W + "footerReference"):
                relationship = relationships.get(reference.get(R + "id", ""))
                if relationship is not None and not relationship.external:
                    targets[relationship.target] = None
        lines: dict[str, None] = {}
        for name in targets:
            header = self._part(name)
            if header is not None:
                lines.update(dict.fromkeys(header.story_lines(header.root)))
        return list(lines)

    def _note_lines(self) -> list[str]:
        lines: list[str] = []
        for kind, tag in _NOTES:
            for relationship in self._package.related(self._main.name, kind):
                notes = self._part(relationship.target)
                if notes is None:
                    continue
                for note in notes.root.iterchildren(tag):
                    if note.get(TYPE) not in _SEPARATORS:
                        lines.extend(notes.story_lines(note))
        return lines

    def _add_comments(self) -> None:
        """Comments in the order of their references; those without one, in the order of the part, to 文書."""
        texts: dict[str, str] = {}
        for relationship in self._package.related(self._main.name, "comments"):
            comments = self._part(relationship.target)
            if comments is not None:
                for comment in comments.root.iterchildren(_COMMENT):
                    texts.setdefault(comment.get(ID, ""), " ".join(comments.story_lines(comment)))
        pages: dict[int, list[str]] = {}
        for name, number in self._comment_pages.items():
            text = texts.pop(name, "")
            if text:
                pages.setdefault(number, []).append(text)
        self._add_pages(pages, PlaceKind.COMMENT)
        self._add(part(WHOLE_DOCUMENT, PlaceKind.COMMENT), [text for text in texts.values() if text])


def _embedded_place(number: int, embed: int) -> Place:
    return page(number, PlaceKind.EMBEDDED, embed)
