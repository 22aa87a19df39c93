"""Makes small OOXML workbooks part by part, also ones that no program would write."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

from tebunko.extract.source import Source, source_of

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_RELATIONSHIPS = "http://purl.oclc.org/ooxml/officeDocument/relationships"


def relationships(*entries: tuple[str, str, str], base: str = RELATIONSHIPS) -> str:
    """A relationships part of (id, last segment of the type, target)."""
    items = "".join(f'<Relationship Id="{i}" Type="{base}/{kind}" Target="{target}"/>' for i, kind, target in entries)
    return f'<Relationships xmlns="{PACKAGE}">{items}</Relationships>'


def worksheet(rows: str, after: str = "", before: str = "") -> str:
    """A worksheet part with these rows, and what stands before and behind the sheet data."""
    return (
        f'<worksheet xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'
    )


def shared_strings(*items: str) -> str:
    """A sharedStrings part of the inner XML of each item."""
    return f'<sst xmlns="{MAIN}">' + "".join(f"<si>{item}</si>" for item in items) + "</sst>"


def styles(*codes: str | int) -> str:
    """A styles part whose cell formats are General and then these: a built-in id or a code."""
    formats, cells = "", '<xf numFmtId="0"/>'
    for index, code in enumerate(codes):
        number = code if isinstance(code, int) else 164 + index
        if isinstance(code, str):
            escaped = code.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
            formats += f'<numFmt numFmtId="{number}" formatCode="{escaped}"/>'
        cells += f'<xf numFmtId="{number}"/>'
    return f'<styleSheet xmlns="{MAIN}"><numFmts>{formats}</numFmts><cellXfs>{cells}</cellXfs></styleSheet>'


@dataclass
class Book:
    """A workbook in the making: (name, part content, state) of its sheets, and other parts by name."""

    sheets: list[tuple[str, str | bytes, str]] = field(default_factory=list)
    parts: dict[str, str | bytes] = field(default_factory=dict)
    date1904: bool = False
    kinds: dict[int, str] = field(default_factory=dict)

    def sheet(self, name: str, content: str | bytes, state: str = "visible", kind: str = "worksheet") -> Book:
        """Adds a sheet; returns the book."""
        self.kinds[len(self.sheets)] = kind
        self.sheets.append((name, content, state))
        return self

    def part(self, name: str, content: str | bytes) -> Book:
        """Adds a part; returns the book."""
        self.parts[name] = content
        return self

    def source(self, name: str = "book.xlsx") -> Source:
        """The workbook as a source."""
        return source_of(name, self.bytes())

    def bytes(self) -> bytes:
        """The workbook's bytes."""
        entries = [(f"s{i}", self.kinds[i], f"worksheets/sheet{i}.xml") for i in range(len(self.sheets))]
        tabs = "".join(
            f'<sheet name="{name}" sheetId="{i + 1}" state="{state}" r:id="s{i}"/>'
            for i, (name, _, state) in enumerate(self.sheets)
        )
        flag = f'<workbookPr date1904="{int(self.date1904)}"/>'
        workbook = f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}">{flag}<sheets>{tabs}</sheets></workbook>'
        entries += [("st", "styles", "styles.xml"), ("ss", "sharedStrings", "sharedStrings.xml")]
        parts: dict[str, str | bytes] = {
            "_rels/.rels": relationships(("r", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": workbook,
            "xl/_rels/workbook.xml.rels": relationships(*entries),
        }
        for i, (_, content, _) in enumerate(self.sheets):
            parts[f"xl/worksheets/sheet{i}.xml"] = content
        return zipped(parts | self.parts)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """A package of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return buffer.getvalue()
