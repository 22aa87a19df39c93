"""WordprocessingML: the names used here, and a tree reduced to what a reader of the document sees.

`prepare` takes out once, in C-speed passes over single tags, what must never be read, so that the readers after it
need no rule for it.
"""

from __future__ import annotations

from lxml import etree

from tebunko.extract.drawing import keep_one_choice

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
V = "{urn:schemas-microsoft-com:vml}"
O = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741 - the prefix that every document uses

PARAGRAPH = W + "p"
ROW = W + "tr"
CELL = W + "tc"
TEXT_BOX = W + "txbxContent"
FIELD_CHAR = W + "fldChar"
FIELD_CHAR_TYPE = W + "fldCharType"
SECTION = W + "sectPr"
VALUE = W + "val"
ID = W + "id"
TYPE = W + "type"

_DELETED = (W + "del", W + "moveFrom")
# Former properties hold page breaks and styles that no longer apply; ruby text is not read (extraction.md section 4).
_NEVER_READ = (W + "rt", W + "pPrChange", W + "sectPrChange", W + "tblPrChange", W + "trPrChange", W + "tcPrChange")
_PARAGRAPH_PROPERTIES = W + "pPr"
_RUN_PROPERTIES = W + "rPr"
_ROW_PROPERTIES = W + "trPr"
_COMMENT_REFERENCE = W + "commentReference"

_OFF = frozenset({"0", "false", "off"})


def is_on(element: etree._Element | None) -> bool:
    """The value of an on/off property (ECMA-376 part 1, 17.17.4): present without a value means on."""
    return element is not None and element.get(VALUE, "1").lower() not in _OFF


def prepare(root: etree._Element) -> list[etree._Element]:
    """Reduces the tree of a part to what is read, and takes the text boxes out of it.

    Gone afterwards: all but one branch of each ``mc:AlternateContent``, deleted and moved-away text (comment
    references in it stay), deleted rows and cells, ruby text, former properties, the parts of fields that lack their
    other half. Paragraphs whose mark is deleted are joined with the next one.

    Returns the content of each ``w:txbxContent``, under an element of its own; the emptied element stays where it was
    and `text_box_index` gives its place in the list.
    """
    keep_one_choice(root)
    for element in list(root.iter(*_NEVER_READ)):
        _remove(element)
    marks = [_drop_deleted(element) for element in list(root.iter(*_DELETED))]
    for paragraph in reversed(marks):
        if paragraph is not None:
            _join_with_next(paragraph)
    for element in list(root.iter(W + "cellDel")):
        cell = next(element.iterancestors(CELL), None)
        if cell is not None:
            _remove(cell)
    boxes = _take_text_boxes(root)
    for story in (root, *boxes):
        _drop_unmatched_fields(story)
    return boxes


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _drop_deleted(element: etree._Element) -> etree._Element | None:
    """Takes out what a deletion mark covers; returns the paragraph if it is the paragraph's mark that is deleted."""
    parent = element.getparent()
    if parent is None:
        return None
    if parent.tag == _ROW_PROPERTIES:
        row = parent.getparent()
        if row is not None and row.tag == ROW:
            _remove(row)
        return None
    if parent.tag == _RUN_PROPERTIES:
        properties = parent.getparent()
        if properties is not None and properties.tag == _PARAGRAPH_PROPERTIES:
            return properties.getparent()
        return None
    kept = list(element.iter(_COMMENT_REFERENCE))
    element.clear()
    element.extend(kept)
    return None


def _join_with_next(paragraph: etree._Element) -> None:
    """Moves the content of a paragraph to the beginning of the next; called from the last paragraph to the first."""
    following = paragraph.getnext()
    if following is None or following.tag != PARAGRAPH or next(paragraph.iter(SECTION), None) is not None:
        return
    content = [child for child in paragraph if child.tag != _PARAGRAPH_PROPERTIES]
    properties = following.find(_PARAGRAPH_PROPERTIES)
    at = 0 if properties is None else following.index(properties) + 1
    following[at:at] = content
    _remove(paragraph)


def _take_text_boxes(root: etree._Element) -> list[etree._Element]:
    markers = list(root.iter(TEXT_BOX))
    boxes = []
    for index, marker in enumerate(markers):
        marker.set(_BOX_INDEX, str(index))
        box = etree.Element("box")
        box.extend(list(marker))
        boxes.append(box)
    return boxes


_BOX_INDEX = "box"


def text_box_index(marker: etree._Element) -> int:
    """The place of an emptied ``w:txbxContent`` in the list that `prepare` returned."""
    return int(marker.get(_BOX_INDEX, "0"))


def _drop_unmatched_fields(story: etree._Element) -> None:
    """Removes field characters without their counterpart: a field that never ends must not swallow the document."""
    open_fields: list[list[etree._Element]] = []
    for char in list(story.iter(FIELD_CHAR)):
        kind = char.get(FIELD_CHAR_TYPE)
        if kind == "begin":
            open_fields.append([char])
        elif not open_fields:
            _remove(char)
        elif kind == "separate":
            open_fields[-1].append(char)
        elif kind == "end":
            open_fields.pop()
    for field in open_fields:
        for char in field:
            _remove(char)
