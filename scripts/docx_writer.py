"""Writes small Word documents as WordprocessingML (ECMA-376 part 1, clause 17), by hand.

Written out because python-docx has no footnotes and no text boxes, and because it is fast enough for a benchmark's
thousands of files. Everything is text in, bytes out; the documents open in Word.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{_RELATIONS}" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph; ``footnote`` and ``comment`` hang on its end, ``new_page`` starts a page before it."""

    text: str
    footnote: str = ""
    comment: str = ""
    new_page: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the texts of its cells, row by row."""

    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class TextBox:
    """A floating box with one paragraph."""

    text: str


@dataclass(slots=True)
class Document:
    """The body in order, and the lines printed above and below each page ("" for none)."""

    blocks: Sequence[Paragraph | Table | TextBox]
    header: str = ""
    footer: str = ""
    _footnotes: list[str] = field(default_factory=list)
    _comments: list[str] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Writes the document; footnotes and comments are numbered from 1 in the order of the body."""
        self._footnotes, self._comments = [], []
        body = "".join(map(self._block, self.blocks))
        parts = {
            "word/footnotes.xml": _notes(self._footnotes),
            "word/comments.xml": _comments(self._comments),
            "word/header1.xml": _tagged("hdr", _paragraph(_run(self.header))),
            "word/footer1.xml": _tagged("ftr", _paragraph(_run(self.footer))),
        }
        section = '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/>'
        section += '<w:footerReference w:type="default" r:id="rId4"/></w:sectPr>'
        parts["word/document.xml"] = _tagged("document", f"<w:body>{body}{section}</w:body>")
        _package(path, parts)

    def _block(self, block: Paragraph | Table | TextBox) -> str:
        if isinstance(block, TextBox):
            content = f"<w:txbxContent>{_paragraph(_run(block.text))}</w:txbxContent>"
            shape = f'<v:rect style="width:200pt;height:40pt"><v:textbox>{content}</v:textbox></v:rect>'
            return _paragraph(f"<w:r><w:pict>{shape}</w:pict></w:r>")
        if isinstance(block, Table):
            return _table(block)
        runs = _run(block.text, block.bold)
        if block.footnote:
            self._footnotes.append(block.footnote)
            runs += f'<w:r><w:footnoteReference w:id="{len(self._footnotes)}"/></w:r>'
        if block.comment:
            self._comments.append(block.comment)
            runs += f'<w:r><w:commentReference w:id="{len(self._comments)}"/></w:r>'
        return _paragraph(('<w:r><w:br w:type="page"/></w:r>' if block.new_page else "") + runs)


def _run(text: str, bold: bool = False) -> str:
    properties = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _paragraph(runs: str) -> str:
    return f"<w:p>{runs}</w:p>"


def _table(table: Table) -> str:
    rows = "".join(
        "<w:tr>" + "".join(f"<w:tc><w:tcPr/>{_paragraph(_run(cell))}</w:tc>" for cell in row) + "</w:tr>"
        for row in table.rows
    )
    grid = "<w:gridCol/>" * max(map(len, table.rows))
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"


def _tagged(tag: str, content: str) -> str:
    return f"{_HEAD}<w:{tag} {_NAMESPACES}>{content}</w:{tag}>"


def _notes(texts: Sequence[str]) -> str:
    # Word needs the two separators, which are not notes of the document.
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{element}/></w:r></w:p></w:footnote>'
        for kind, number, element in (
            ("separator", -1, "separator"),
            ("continuationSeparator", 0, "continuationSeparator"),
        )
    )
    notes = "".join(
        f'<w:footnote w:id="{number}">{_paragraph("<w:r><w:footnoteRef/></w:r>" + _run(text))}</w:footnote>'
        for number, text in enumerate(texts, 1)
    )
    return _tagged("footnotes", separators + notes)


def _comments(texts: Sequence[str]) -> str:
    return _tagged(
        "comments",
        "".join(
            f'<w:comment w:id="{number}" w:author="tebunko">{_paragraph(_run(text))}</w:comment>'
            for number, text in enumerate(texts, 1)
        ),
    )


def _package(path: Path, parts: dict[str, str]) -> None:
    kinds = ["footnotes", "comments", "header", "footer"]
    overrides = f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/>'
    relations = ""
    for number, (name, kind) in enumerate(zip(list(parts)[:4], kinds, strict=True), 1):
        overrides += f'<Override PartName="/{name}" ContentType="{_MAIN}.{kind}+xml"/>'
        target = name.removeprefix("word/")
        relations += f'<Relationship Id="rId{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
    package = "http://schemas.openxmlformats.org/package/2006"
    defaults = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    root = f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="word/document.xml"/>'
    whole = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{package}/content-types">{defaults}{overrides}</Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{package}/relationships">{root}</Relationships>',
        **parts,
        "word/_rels/document.xml.rels": (
            f'{_HEAD}<Relationships xmlns="{package}/relationships">{relations}</Relationships>'
        ),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in whole.items():
            archive.writestr(zipfile.ZipInfo(name), content.encode(), zipfile.ZIP_DEFLATED)
