"""Small documents that point at something on a server in every way that their formats have for it."""

from __future__ import annotations

import base64
import io
import zipfile

from tests.extract.ooxml_builder import xml

_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF_PREFIXES = " ".join(
    [
        *(f'xmlns:{p}="{_ODF}{p}:1.0"' for p in ("office", "text", "table", "style", "presentation", "form", "script")),
        f'xmlns:draw="{_ODF}drawing:1.0"',
        f'xmlns:svg="{_ODF}svg-compatible:1.0"',
        f'xmlns:fo="{_ODF}xsl-fo-compatible:1.0"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"',
    ]
)


def open_document(kind: str, body: str, automatic_styles: str = "", fonts: str = "") -> bytes:
    """An OpenDocument file; ``kind`` is text, spreadsheet or presentation."""
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    content = (
        f'<?xml version="1.0"?><office:document-content {_ODF_PREFIXES} office:version="1.2">'
        f"<office:font-face-decls>{fonts}</office:font-face-decls>"
        f"<office:automatic-styles>{automatic_styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in (("/", media_type), ("content.xml", "text/xml"))
    )
    manifest = (
        f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0" manifest:version="1.2">{entries}</manifest:manifest>'
    )
    return _zip({"mimetype": media_type, "content.xml": content, "META-INF/manifest.xml": manifest})


def open_document_with_macro(trace: str) -> bytes:
    """A flat OpenDocument text whose Basic macro writes the file at the URL ``trace`` as soon as it is loaded."""
    code = f'Sub Main\nOpen "{trace}" For Output As #1\nPrint #1, "ran"\nClose #1\nEnd Sub'.replace('"', "&quot;")
    return (
        f'<?xml version="1.0"?><office:document {_ODF_PREFIXES} xmlns:ooo="http://openoffice.org/2004/office" '
        'xmlns:dom="http://www.w3.org/2001/xml-events" office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:scripts>'
        '<office:script script:language="ooo:Basic"><ooo:libraries><ooo:library-embedded ooo:name="Standard">'
        f'<ooo:module ooo:name="M"><ooo:source-code>{code}</ooo:source-code></ooo:module></ooo:library-embedded>'
        '</ooo:libraries></office:script><office:event-listeners><script:event-listener script:language="ooo:script" '
        'script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" '
        'xlink:type="simple"/></office:event-listeners></office:scripts>'
        "<office:body><office:text><text:p>words of a document with a macro</text:p></office:text></office:body>"
        "</office:document>"
    ).encode()


def protected_spreadsheet() -> bytes:
    """An OpenDocument spreadsheet whose manifest says that its content is encrypted (OpenDocument 1.2, part 3, 4)."""
    media_type = "application/vnd.oasis.opendocument.spreadsheet"
    digest = base64.b64encode(bytes(range(20))).decode()
    manifest = (
        f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media_type}" manifest:version="1.2"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="999">'
        f'<manifest:encryption-data manifest:checksum-type="SHA1/1K" manifest:checksum="{digest}">'
        '<manifest:algorithm manifest:algorithm-name="Blowfish CFB" manifest:initialisation-vector="AAECAwQFBgc="/>'
        '<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="16" '
        f'manifest:iteration-count="1024" manifest:salt="{digest}"/><manifest:start-key-generation '
        'manifest:start-key-generation-name="SHA1" manifest:key-size="20"/></manifest:encryption-data>'
        "</manifest:file-entry></manifest:manifest>"
    )
    return _zip({"mimetype": media_type, "content.xml": "\x00\x01 noise " * 50, "META-INF/manifest.xml": manifest})


def _zip(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def ooxml(main_type: str, main: str, parts: dict[str, str], links: dict[str, dict[str, tuple[str, str]]]) -> bytes:
    """A package with whole content types, as LibreOffice wants them.

    ``links`` are a part's relationships: id -> (type, target), external if the target is a URL.
    """
    types = {main: main_type, "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet+xml"}
    types |= {"ppt/slides/slide1.xml": "presentationml.slide+xml", "word/settings.xml": "wordprocessingml.settings+xml"}
    types |= {
        "ppt/slideMasters/m.xml": "presentationml.slideMaster+xml",
        "ppt/slideLayouts/l.xml": "presentationml.slideLayout+xml",
    }
    types |= {"xl/externalLinks/e.xml": "spreadsheetml.externalLink+xml"}
    overrides = "".join(
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{types[part]}"/>'
        for part in parts
        if part in types
    )
    all_parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    }
    for owner, entries in {"": {"r1": ("officeDocument", main)}, **links}.items():
        folder, _, name = owner.rpartition("/")
        rows = "".join(_relationship(name, kind, target) for name, (kind, target) in entries.items())
        all_parts[f"{folder}/_rels/{name}.rels".lstrip("/")] = (
            f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'
        )
    return _zip(all_parts | parts)


def _relationship(name: str, kind: str, target: str) -> str:
    mode = ' TargetMode="External"' if "://" in target else ""
    kind = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
    return f'<Relationship Id="{name}" Type="{kind}" Target="{target}"{mode}/>'


def html(server: str) -> bytes:
    """A page with a style sheet, pictures, a frame and a script."""
    return (
        f'<html><head><link rel="stylesheet" href="{server}/a.css"><base href="{server}/b/"></head>'
        f'<body background="{server}/bg.png"><p>words of the page</p><img src="{server}/i.png"><img src="relative.png">'
        f'<table background="{server}/t.png"><tr><td background="{server}/c.png">cell of the page</td></tr></table>'
        f'<iframe src="{server}/f.html"></iframe><object data="{server}/o.swf"></object><script src="{server}/s.js"></script>'
        "</body></html>"
    ).encode()


def rtf(server: str) -> bytes:
    """A text with a linked picture, a linked document and a template on the server."""
    return (
        rf"{{\rtf1\ansi{{\*\template {server}/t.dot}}words of the text\par "
        rf'{{\field{{\*\fldinst INCLUDEPICTURE "{server}/i.png" \\d}}{{\fldrslt}}}}'
        rf'{{\field{{\*\fldinst INCLUDETEXT "{server}/i.doc"}}{{\fldrslt here}}}}\par}}'
    ).encode()


def text(server: str) -> bytes:
    """An OpenDocument text: pictures, a linked section, a frame, an object, a plug-in, a font."""
    link = f'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" xlink:href="{server}'
    frame = '<draw:frame text:anchor-type="paragraph" svg:width="2cm" svg:height="2cm">'
    return open_document(
        "text",
        f'<text:p text:style-name="P">words of the document</text:p><text:p>{frame}<draw:image {link}/i.png"/></draw:frame>'
        f'{frame}<draw:floating-frame {link}/f.html"/></draw:frame>{frame}<draw:object {link}/o.ods"/></draw:frame>'
        f'{frame}<draw:plugin {link}/v.mp4" draw:mime-type="application/vnd.sun.star.media"/></draw:frame></text:p>'
        f'<text:section text:name="S"><text:section-source {link}/s.odt"/><text:p>linked</text:p></text:section>',
        '<style:style style:name="P" style:family="paragraph"><style:paragraph-properties>'
        f'<style:background-image {link}/b.png"/></style:paragraph-properties></style:style>',
        '<style:font-face style:name="F" svg:font-family="F"><svg:font-face-src><svg:font-face-uri '
        f'xlink:type="simple" xlink:href="{server}/f.ttf"/></svg:font-face-src></style:font-face>',
    )


def spreadsheet(server: str) -> bytes:
    """An OpenDocument spreadsheet: a web function, links to other workbooks, a picture."""
    link = f'xlink:type="simple" xlink:href="{server}'
    return open_document(
        "spreadsheet",
        '<table:table table:name="S"><table:shapes><draw:frame svg:width="2cm" svg:height="2cm">'
        f'<draw:image {link}/i.png" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></table:shapes><table:table-row>'
        '<table:table-cell office:value-type="string"><text:p>words of the sheet</text:p></table:table-cell>'
        f'<table:table-cell table:formula="of:=WEBSERVICE(&quot;{server}/w.xml&quot;)"/>'
        f"<table:table-cell table:formula=\"of:=['{server}/x.ods'#$A.A1]\"/>"
        '<table:table-cell office:value-type="string"><table:cell-range-source table:name="a" table:filter-name="calc8" '
        f'table:last-column-spanned="1" table:last-row-spanned="1" {link}/r.ods"/><text:p>r</text:p></table:table-cell>'
        f'</table:table-row></table:table><table:table table:name="T"><table:table-source {link}/t.ods" '
        'table:filter-name="calc8" table:table-name="A"/><table:table-row><table:table-cell/></table:table-row></table:table>',
    )


def presentation(server: str) -> bytes:
    """An OpenDocument presentation: a picture, a sound, a linked object."""
    link = f'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" xlink:href="{server}'
    frame = '<draw:frame svg:width="2cm" svg:height="2cm">'
    return open_document(
        "presentation",
        f'<draw:page draw:name="a" draw:style-name="D">{frame}<draw:text-box><text:p>words of the slide</text:p></draw:text-box>'
        f'</draw:frame>{frame}<draw:image {link}/i.png"/></draw:frame>{frame}<draw:object {link}/o.ods"/></draw:frame>'
        "</draw:page>",
        f'<style:style style:name="D" style:family="drawing-page"><style:drawing-page-properties draw:fill="none">'
        f'<presentation:sound {link}/s.wav"/></style:drawing-page-properties></style:style>',
    )


def docx(server: str) -> bytes:
    """A document with a linked picture, a template, a linked object and a frame."""
    picture = (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<wp:extent cx="99999" cy="99999"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData '
        'uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/>'
        '<pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="i"/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="99999" cy="99999"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r>"
    )
    shape = (
        '<w:r><w:pict><v:shape style="width:9pt;height:9pt"><v:imagedata r:id="v" o:href="x"/></v:shape></w:pict></w:r>'
    )
    field = (
        f'<w:fldSimple w:instr=" INCLUDEPICTURE &quot;{server}/f.png&quot; \\d "><w:r><w:t>f</w:t></w:r></w:fldSimple>'
    )
    return ooxml(
        "wordprocessingml.document.main+xml",
        "word/document.xml",
        {
            "word/document.xml": xml(
                "w:document", f"<w:body><w:p><w:r><w:t>words of docx</w:t></w:r>{picture}{shape}{field}</w:p></w:body>"
            ),
            "word/settings.xml": xml("w:settings", '<w:attachedTemplate r:id="t"/>'),
        },
        {
            "word/document.xml": {
                "i": ("image", f"{server}/i.png"),
                "v": ("image", f"{server}/v.png"),
                "s": ("settings", "settings.xml"),
            },
            "word/settings.xml": {"t": ("attachedTemplate", f"{server}/t.dotx")},
        },
    )


def xlsx(server: str) -> bytes:
    """A workbook with a web function, a link to another workbook and a picture behind its sheet."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    return ooxml(
        "spreadsheetml.sheet.main+xml",
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook xmlns="{main}" {office}><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets>'
            '<externalReferences><externalReference r:id="e"/></externalReferences><calcPr fullCalcOnLoad="1"/></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}" {office}><sheetData><row r="1">'
            '<c r="A1" t="inlineStr"><is><t>words of xlsx</t></is></c>'
            f'<c r="B1"><f>_xlfn.WEBSERVICE("{server}/w")</f></c><c r="C1"><f>[1]A!A1</f></c></row></sheetData>'
            '<picture r:id="p"/></worksheet>',
            "xl/externalLinks/e.xml": f'<externalLink xmlns="{main}"><externalBook {office} r:id="b"><sheetNames>'
            '<sheetName val="A"/></sheetNames></externalBook></externalLink>',
        },
        {
            "xl/workbook.xml": {
                "s": ("worksheet", "worksheets/sheet1.xml"),
                "e": ("externalLink", "externalLinks/e.xml"),
            },
            "xl/worksheets/sheet1.xml": {"p": ("image", f"{server}/p.png")},
            "xl/externalLinks/e.xml": {"b": ("externalLinkPath", f"{server}/b.xlsx")},
        },
    )


def pptx(server: str) -> bytes:
    """A presentation with a linked picture and a linked film."""
    tree = "<p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
    place = '<a:xfrm><a:off x="0" y="0"/><a:ext cx="999999" cy="999999"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
    words = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>'
        f"{place}</p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>words of pptx</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    picture = (
        '<p:pic><p:nvPicPr><p:cNvPr id="3" name="p"/><p:cNvPicPr/><p:nvPr><a:videoFile r:link="v"/></p:nvPr></p:nvPicPr>'
        f'<p:blipFill><a:blip r:link="i"/></p:blipFill><p:spPr>{place}</p:spPr></p:pic>'
    )
    slide = f"<p:cSld><p:spTree>{tree}{words}{picture}</p:spTree></p:cSld>"
    empty = f"<p:cSld><p:spTree>{tree}</p:spTree></p:cSld>"
    colours = 'bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" ' + " ".join(f'accent{n}="accent{n}"' for n in range(1, 7))
    return ooxml(
        "presentationml.presentation.main+xml",
        "ppt/presentation.xml",
        {
            "ppt/presentation.xml": xml(
                "p:presentation",
                '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="m"/></p:sldMasterIdLst><p:sldIdLst>'
                '<p:sldId id="256" r:id="s"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="1" cy="1"/>',
            ),
            "ppt/slides/slide1.xml": xml("p:sld", slide),
            "ppt/slideMasters/m.xml": xml(
                "p:sldMaster",
                f'{empty}<p:clrMap {colours} hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst>'
                '<p:sldLayoutId id="2147483649" r:id="l"/></p:sldLayoutIdLst>',
            ),
            "ppt/slideLayouts/l.xml": xml("p:sldLayout", empty),
        },
        {
            "ppt/presentation.xml": {"m": ("slideMaster", "slideMasters/m.xml"), "s": ("slide", "slides/slide1.xml")},
            "ppt/slides/slide1.xml": {
                "l": ("slideLayout", "../slideLayouts/l.xml"),
                "i": ("image", f"{server}/i.png"),
                "v": ("video", f"{server}/v.mp4"),
            },
            "ppt/slideMasters/m.xml": {"l": ("slideLayout", "../slideLayouts/l.xml")},
            "ppt/slideLayouts/l.xml": {"m": ("slideMaster", "../slideMasters/m.xml")},
        },
    )


DOCUMENTS = {
    "page.doc": html,
    "page.xls": html,
    "text.doc": rtf,
    "open text.doc": text,
    "open sheet.xls": spreadsheet,
    "open slides.ppt": presentation,
    "new.docx": docx,
    "new.xlsx": xlsx,
    "new.pptx": pptx,
}
"""Name -> what makes the document for a server's URL (``http://host:port``). Each says "words of …" in its text."""
