"""OOXML packages: a ZIP whose declared sizes are not believed, its relationships, and XML without DTD or entities.

Limits (extraction.md section 4) count bytes actually inflated: 100 MB a part, 300 MB a file in all, 1,000 MB a
streamed part. Part names compare without case (ECMA-376 part 2, 6.2.2.3).
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO
from urllib.parse import unquote

from lxml import etree

from tebunko.extract.source import Source
from tebunko.model.errors import ExtractError, Reason

PART_LIMIT = 100 * 1024 * 1024
TOTAL_LIMIT = 300 * 1024 * 1024
STREAM_LIMIT = 1000 * 1024 * 1024
ENTRY_LIMIT = 65_536

_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    KeyError,
)

_STRICT = "http://purl.oclc.org/ooxml/"
_TRANSITIONAL = "http://schemas.openxmlformats.org/"


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship of a part.

    ``type`` is the last segment of the relationship type (``worksheet``, ``comments``), so that the strict and the
    transitional namespace agree. ``target`` is a part name without leading slash, or the URI of an external one.
    """

    id: str
    type: str
    target: str
    external: bool


class LimitedStream:
    """A part's inflated bytes as a read-only stream that raises ExtractError past its limit."""

    def __init__(self, reader: BinaryIO, limit: int) -> None:
        self._reader = reader
        self._left = limit

    def read(self, size: int = 65536) -> bytes:
        """At most ``size`` bytes (a negative size means up to the limit), b"" at the end.

        Raises ExtractError: TOO_LARGE past the limit, DAMAGED for bad data.
        """
        try:
            block = self._reader.read(size if size >= 0 else self._left + 1)
        except _ZIP_ERRORS as error:
            raise ExtractError(Reason.DAMAGED, error) from error
        self._left -= len(block)
        if self._left < 0:
            raise ExtractError(Reason.TOO_LARGE, "a part inflates beyond the limit")
        return block

    def close(self) -> None:
        """Closes the part."""
        self._reader.close()

    def __enter__(self) -> LimitedStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Package:
    """An open OOXML package. Use as a context manager; raises ExtractError(DAMAGED) if the ZIP cannot be opened."""

    def __init__(self, source: Source) -> None:
        self._file = source.open()
        try:
            self._zip = zipfile.ZipFile(self._file)
        except _ZIP_ERRORS as error:
            self._file.close()
            raise ExtractError(Reason.DAMAGED, error) from error
        self._left = TOTAL_LIMIT
        infos = self._zip.infolist()
        if len(infos) > ENTRY_LIMIT:
            self.__exit__(None, None, None)
            raise ExtractError(Reason.TOO_LARGE, f"{len(infos)} parts")
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            self._entries.setdefault(part_key(info.filename), info)
        self._relationships: dict[str, dict[str, Relationship]] = {}
        self._types: tuple[dict[str, str], dict[str, str]] | None = None

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, part: str) -> bool:
        return part_key(part) in self._entries

    @property
    def parts(self) -> Iterable[str]:
        """The names of all parts as the ZIP has them, without a leading slash."""
        return [info.filename.lstrip("/\\") for info in self._entries.values()]

    def stream(self, part: str, limit: int = STREAM_LIMIT) -> LimitedStream:
        """Opens a part for streaming. Raises ExtractError(DAMAGED) if it is missing, encrypted or broken."""
        info = self._entries.get(part_key(part))
        if info is None:
            raise ExtractError(Reason.DAMAGED, f"{part} is missing")
        try:
            return LimitedStream(self._zip.open(info), limit)  # type: ignore[arg-type]
        except _ZIP_ERRORS as error:
            raise ExtractError(Reason.DAMAGED, error) from error

    def read(self, part: str) -> bytes:
        """The whole part, counted against both limits. Raises ExtractError (DAMAGED, TOO_LARGE)."""
        with self.stream(part, min(PART_LIMIT, self._left)) as stream:
            data = stream.read(-1)
        self._left -= len(data)
        return data

    def xml(self, part: str) -> etree._Element:
        """The root element of an XML part, strict namespaces turned into transitional ones. Raises ExtractError."""
        return parse_xml(self.read(part))

    def relationships(self, part: str = "") -> dict[str, Relationship]:
        """The relationships of a part by id; of the package itself for "". Empty if there are none or they are broken."""
        key = part_key(part)
        if key not in self._relationships:
            self._relationships[key] = self._read_relationships(part)
        return self._relationships[key]

    def related(self, part: str, kind: str) -> list[Relationship]:
        """The internal relationships of one type whose target exists, in the order of the file."""
        return [r for r in self.relationships(part).values() if r.type == kind and not r.external and r.target in self]

    def content_type(self, part: str) -> str:
        """The content type of a part from ``[Content_Types].xml``, "" if it has none."""
        if self._types is None:
            self._types = self._read_types()
        defaults, overrides = self._types
        key = part_key(part)
        return overrides.get(key) or defaults.get(key.rpartition(".")[2], "")

    def main_part(self) -> str | None:
        """The part that the package's officeDocument relationship names; None if it has none that exists."""
        return next((r.target for r in self.related("", "officeDocument")), None)

    def _read_types(self) -> tuple[dict[str, str], dict[str, str]]:
        defaults: dict[str, str] = {}
        overrides: dict[str, str] = {}
        try:
            root = self.xml("[Content_Types].xml")
        except ExtractError:
            return defaults, overrides
        for element in root.iterchildren(tag=etree.Element):
            name = etree.QName(element).localname
            if name == "Default":
                defaults[element.get("Extension", "").lower()] = element.get("ContentType", "")
            elif name == "Override":
                overrides[part_key(element.get("PartName", ""))] = element.get("ContentType", "")
        return defaults, overrides

    def _read_relationships(self, part: str) -> dict[str, Relationship]:
        folder, name = posixpath.split(part.lstrip("/"))
        source = posixpath.join(folder, "_rels", name + ".rels")
        if source not in self:
            return {}
        try:
            root = self.xml(source)
        except ExtractError:
            return {}
        found: dict[str, Relationship] = {}
        for element in root.iterchildren(tag=etree.Element):
            target = element.get("Target", "")
            external = element.get("TargetMode") == "External"
            if not external:
                target = resolve_target(folder, target)
            kind = element.get("Type", "").rpartition("/")[2]
            found[element.get("Id", "")] = Relationship(element.get("Id", ""), kind, target, external)
        return found


def part_key(part: str) -> str:
    """The form of a part name in which two names of the same part are equal."""
    return part.replace("\\", "/").lstrip("/").lower()


def resolve_target(folder: str, target: str) -> str:
    """The part name that a relationship's target means, seen from the folder of its source part.

    >>> resolve_target("xl", "worksheets/sheet1.xml"), resolve_target("xl", "/xl/a%20b.xml"), resolve_target("xl/ws", "../c.xml")
    ('xl/worksheets/sheet1.xml', 'xl/a b.xml', 'xl/c.xml')
    """
    target = unquote(target.replace("\\", "/").partition("#")[0])
    joined = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(joined).lstrip("/")


def parse_xml(data: bytes) -> etree._Element:
    """Parses XML from a document: no DTD, no entities beyond the five, no network; strict namespaces made transitional.

    Raises ExtractError(DAMAGED) if it is not well-formed or has a document type.
    """
    if (
        b"<!DOCTYPE" in data[:4096]
        or "<!DOCTYPE".encode("utf-16-le") in data[:8192]
        or "<!DOCTYPE".encode("utf-16-be") in data[:8192]
    ):
        raise ExtractError(Reason.DAMAGED, "XML with a document type")
    if _STRICT.encode() in data[:8192] or b"purl.oclc.org" in data:
        data = _to_transitional(data)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ExtractError(Reason.DAMAGED, error) from error
    if root.getroottree().docinfo.doctype:
        raise ExtractError(Reason.DAMAGED, "XML with a document type")
    return root


def _to_transitional(data: bytes) -> bytes:
    """Rewrites the strict namespaces (ECMA-376 part 1, annex A) to those of part 4, so that readers know one set."""
    for strict, transitional in _NAMESPACES:
        data = data.replace(strict, transitional)
    return data


_NAMESPACES = tuple(
    (f"{_STRICT}{strict}".encode(), f"{_TRANSITIONAL}{transitional}".encode())
    for strict, transitional in (
        ("spreadsheetml/main", "spreadsheetml/2006/main"),
        ("wordprocessingml/main", "wordprocessingml/2006/main"),
        ("presentationml/main", "presentationml/2006/main"),
        ("drawingml/main", "drawingml/2006/main"),
        ("drawingml/chart", "drawingml/2006/chart"),
        ("drawingml/diagram", "drawingml/2006/diagram"),
        ("drawingml/picture", "drawingml/2006/picture"),
        ("drawingml/spreadsheetDrawing", "drawingml/2006/spreadsheetDrawing"),
        ("drawingml/wordprocessingDrawing", "drawingml/2006/wordprocessingDrawing"),
        ("officeDocument/relationships", "officeDocument/2006/relationships"),
        ("officeDocument/math", "officeDocument/2006/math"),
    )
)
