"""Makes small OOXML packages from hand-written XML, with as little around it as the formats allow."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

from tebunko.extract.source import Source, source_of
from tebunko.model.unit import Extraction

TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
PREFIXES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
}
Relationships = Mapping[str, tuple[str, str]]
"""Id -> (last segment of the type, or a whole type; target)."""


def xml(root: str, content: str = "") -> str:
    """An element with all prefixes declared; ``root`` is its name and may carry attributes: ``p:sld show="0"``."""
    name = root.split()[0]
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in PREFIXES.items())
    return f"<{root} {declared}>{content}</{name}>"


def package(parts: Mapping[str, str | bytes], relationships: Mapping[str, Relationships]) -> bytes:
    """A ZIP of the parts by name, and a ``.rels`` part for each key of ``relationships`` ("" is the package)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for owner, entries in relationships.items():
            folder, _, name = owner.rpartition("/")
            archive.writestr(f"{folder}/_rels/{name}.rels".lstrip("/"), rels(entries))
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def rels(entries: Relationships) -> str:
    """A ``.rels`` part."""
    rows = "".join(
        f'<Relationship Id="{name}" Type="{kind if "/" in kind else TYPES + kind}" Target="{target}"/>'
        for name, (kind, target) in entries.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def docx(
    body: str, parts: Mapping[str, str | bytes] | None = None, relationships: Relationships | None = None
) -> Source:
    """A document with this content of ``w:body``; other parts lie in ``word/`` and are related to the main one."""
    content = {"word/document.xml": xml("w:document", f"<w:body>{body}</w:body>")}
    others = {f"word/{name}": part for name, part in (parts or {}).items()}
    rels = {"": {"rId1": ("officeDocument", "word/document.xml")}, "word/document.xml": relationships or {}}
    return source_of("sample.docx", package(content | others, rels))


def pptx(
    slides: Sequence[str],
    parts: Mapping[str, str | bytes] | None = None,
    relationships: Mapping[int, Relationships] | None = None,
) -> Source:
    """A presentation of these ``p:sld`` parts, in this order; other parts lie in ``ppt/``.

    ``relationships`` are those of the slides by number, seen from ``ppt/slides/``.
    """
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    content: dict[str, str | bytes] = {"ppt/presentation.xml": xml("p:presentation", f"<p:sldIdLst>{ids}</p:sldIdLst>")}
    # Numbered against the order, as PowerPoint does after slides were moved.
    names = {n: f"slide{len(slides) + 1 - n}.xml" for n in range(1, len(slides) + 1)}
    content |= {f"ppt/slides/{names[n]}": slide for n, slide in enumerate(slides, start=1)}
    content |= {f"ppt/{name}": part for name, part in (parts or {}).items()}
    rels: dict[str, Relationships] = {
        "": {"rId1": ("officeDocument", "ppt/presentation.xml")},
        "ppt/presentation.xml": {f"rId{n}": ("slide", f"slides/{name}") for n, name in names.items()},
    }
    rels |= {f"ppt/slides/{names[n]}": entries for n, entries in (relationships or {}).items()}
    return source_of("sample.pptx", package(content, rels))


def by_place(extraction: Extraction) -> dict[str, list[str]]:
    """The lines of each place by its name."""
    return {unit.place.name: unit.lines for unit in extraction.units}
