"""Places: where in a source file a text stands, and the three spellings of a place on disk.

A place has one *name* (``売上[図形]``, ``スライド002（非表示）``), used everywhere people and JSON see it; *meta lines*
in a content file (``シート=売上`` / ``対象=図形``); and a *TSV file name* (``売上[shape].tsv``), which also fixes the order of
the places of one source file. The tables are those of the Japanese document on index files (配置・命名規則,
本文インデックスの形式, 図形・コメントの場所, 場所の符号化).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tebunko.model.kinds import FileKind


class PlaceKind(StrEnum):
    """What the text of a place is; the values are those of the JSON output."""

    BODY = "body"
    SHAPE = "shape"
    COMMENT = "comment"
    NOTES = "notes"
    EMBEDDED = "embedded"
    HEADER_FOOTER = "header_footer"


class PlaceKey(StrEnum):
    """The meta key that starts a place in a content file."""

    SHEET = "シート"
    PAGE = "ページ"
    SLIDE = "スライド"
    PART = "部分"


TARGET_KEY = "対象"
HIDDEN_KEY = "非表示"
EMBED_KEY = "埋め込み"
HIDDEN_VALUE = "はい"

_TARGET_NAMES = {
    PlaceKind.BODY: "本文",
    PlaceKind.SHAPE: "図形",
    PlaceKind.COMMENT: "コメント",
    PlaceKind.NOTES: "ノート",
    PlaceKind.EMBEDDED: "埋め込み",
    PlaceKind.HEADER_FOOTER: "ヘッダー・フッター",
}
_TARGETS = {name: kind for kind, name in _TARGET_NAMES.items()}

HEADER_FOOTER = "ヘッダー・フッター"
FOOTNOTES = "脚注"
WHOLE_DOCUMENT = "文書"
TEXT_BODY = "本文"


@dataclass(frozen=True, slots=True)
class Place:
    """One place of one source file.

    ``key`` and ``value`` are the meta line that starts the place: a sheet's name, a page or slide number from 1 in
    decimal without padding, or the name of another part. ``target`` is what of it: for Word's and PowerPoint's own
    ヘッダー・フッター it is BODY, as on disk; `kind` says what the text is. ``embed`` (from 1) is set if and only if
    ``target`` is EMBEDDED.
    """

    key: PlaceKey
    value: str
    target: PlaceKind = PlaceKind.BODY
    hidden: bool = False
    embed: int | None = None

    @property
    def kind(self) -> PlaceKind:
        """What the text is, as the JSON output names it: Word's ヘッダー・フッター is HEADER_FOOTER."""
        if self.key is PlaceKey.PART and self.value == HEADER_FOOTER and self.target is PlaceKind.BODY:
            return PlaceKind.HEADER_FOOTER
        return self.target

    @property
    def has_addresses(self) -> bool:
        """True if each line is ``<cell address> TAB <text>``: shapes and comments of a sheet."""
        return self.key is PlaceKey.SHEET and self.target in (PlaceKind.SHAPE, PlaceKind.COMMENT)

    @property
    def is_cells(self) -> bool:
        """True if line N, column k of the place is row N, column k of a sheet."""
        return self.key is PlaceKey.SHEET and self.target is PlaceKind.BODY

    @property
    def number(self) -> int | None:
        """The page or slide number, also of a PDF's page (stored as 部分=ページ001); None for other places."""
        if self.key in (PlaceKey.PAGE, PlaceKey.SLIDE):
            return int(self.value)
        if self.key is PlaceKey.PART:
            match = _PAGE_NAME.fullmatch(self.value)
            return int(match[1]) if match else None
        return None

    @property
    def name(self) -> str:
        """The name of the place as people and JSON see it.

        >>> slide(2, hidden=True, target=PlaceKind.SHAPE).name, page(3, PlaceKind.EMBEDDED, embed=2).name
        ('スライド002（非表示）[図形]', 'ページ003[埋め込み2]')
        """
        if self.key is PlaceKey.PAGE:
            base = f"ページ{int(self.value):03d}"
        elif self.key is PlaceKey.SLIDE:
            base = f"スライド{int(self.value):03d}" + ("（非表示）" if self.hidden else "")
        else:
            base = self.value
        if self.target is PlaceKind.NOTES:
            return base + "_ノート"
        if self.target is PlaceKind.BODY:
            return base
        return f"{base}[{_TARGET_NAMES[self.target]}{self.embed if self.embed is not None else ''}]"


def sheet(name: str, target: PlaceKind = PlaceKind.BODY) -> Place:
    """A sheet, or with ``target`` its shapes, comments or header and footer."""
    return Place(PlaceKey.SHEET, name, target)


def page(number: int, target: PlaceKind = PlaceKind.BODY, embed: int | None = None) -> Place:
    """A page of a Word document, from 1."""
    return Place(PlaceKey.PAGE, str(number), target, embed=embed)


def slide(number: int, target: PlaceKind = PlaceKind.BODY, *, hidden: bool = False, embed: int | None = None) -> Place:
    """A slide, from 1, in presentation order. Notes carry no hidden mark (facts.md)."""
    return Place(PlaceKey.SLIDE, str(number), target, hidden and target is not PlaceKind.NOTES, embed)


def part(name: str, target: PlaceKind = PlaceKind.BODY) -> Place:
    """Any other place by its name: ヘッダー・フッター, 脚注, 文書, 本文."""
    return Place(PlaceKey.PART, name, target)


def pdf_page(number: int) -> Place:
    """A page of a PDF, from 1: named like a Word page but stored as 部分=ページ001."""
    return Place(PlaceKey.PART, f"ページ{number:03d}")


_PAGE_NAME = re.compile(r"ページ([0-9]{3,9})")
_PAGE = re.compile(r"ページ(?P<number>[0-9]{3,9})")
_SLIDE = re.compile(r"スライド(?P<number>[0-9]{3,9})(?P<hidden>（非表示）)?(?P<notes>_ノート)?")
_OBJECT = re.compile(
    r"(?P<base>.*)\[(?:(?P<kind>図形|コメント|ヘッダー・フッター)|埋め込み(?P<embed>[1-9][0-9]{0,8}))\]", re.DOTALL
)


def parse_place(name: str, kind: FileKind) -> Place:
    """The place with that name in a source file of that kind: the inverse of `Place.name`.

    A name that would not be rebuilt the same (``ページ01``) is a 部分 of its own.

    >>> parse_place("ページ003[図形]", FileKind.WORD) == page(3, PlaceKind.SHAPE)
    True
    >>> parse_place("ページ01", FileKind.WORD)
    Place(key=<PlaceKey.PART: '部分'>, value='ページ01', target=<PlaceKind.BODY: 'body'>, hidden=False, embed=None)
    """
    base, target, embed = _split_object(name)
    place = _parse_base(base, target, embed, kind)
    return place if place.name == name else part(name)


def _split_object(name: str) -> tuple[str, PlaceKind, int | None]:
    match = _OBJECT.fullmatch(name)
    if not match or not match["base"]:
        return name, PlaceKind.BODY, None
    if match["embed"]:
        return match["base"], PlaceKind.EMBEDDED, int(match["embed"])
    return match["base"], _TARGETS[match["kind"]], None


def _parse_base(base: str, target: PlaceKind, embed: int | None, kind: FileKind) -> Place:
    if kind is FileKind.EXCEL:
        return Place(PlaceKey.SHEET, base, target, embed=embed)
    if kind is FileKind.WORD and (match := _PAGE.fullmatch(base)):
        return Place(PlaceKey.PAGE, str(int(match["number"])), target, embed=embed)
    if kind is FileKind.POWERPOINT and (match := _SLIDE.fullmatch(base)):
        if match["notes"]:
            target = PlaceKind.NOTES if target is PlaceKind.BODY else target
        return Place(PlaceKey.SLIDE, str(int(match["number"])), target, bool(match["hidden"]), embed)
    return Place(PlaceKey.PART, base, target, embed=embed)


# --- meta lines -----------------------------------------------------------------------------------------------------


def meta_of(place: Place) -> list[tuple[str, str]]:
    """The meta lines of a place as (key, value), in the order in which they are written (facts.md), not yet escaped.

    >>> meta_of(slide(2, PlaceKind.SHAPE, hidden=True))
    [('スライド', '2'), ('対象', '図形'), ('非表示', 'はい')]
    """
    lines = [(place.key.value, place.value), (TARGET_KEY, _TARGET_NAMES[place.target])]
    if place.hidden:
        lines.append((HIDDEN_KEY, HIDDEN_VALUE))
    if place.embed is not None:
        lines.append((EMBED_KEY, str(place.embed)))
    return lines


PLACE_KEYS = frozenset(key.value for key in PlaceKey)


def place_from_meta(meta: Mapping[str, str]) -> Place:
    """The place that the meta lines (unescaped, without 版, ファイル名 and 種類) describe.

    Unknown keys are ignored, absent ones have their default, and a number that is none makes a 部分, since content
    files may be written by other versions. Needs one of `PLACE_KEYS`; raises KeyError otherwise.
    """
    key = next((k for k in PlaceKey if k.value in meta), None)
    if key is None:
        raise KeyError("no place key")
    value = meta[key.value]
    target = _TARGETS.get(meta.get(TARGET_KEY, ""), PlaceKind.BODY)
    embed = None
    if target is PlaceKind.EMBEDDED:
        text = meta.get(EMBED_KEY, "")
        embed = int(text) if _is_number(text) and int(text) else 1
    if key in (PlaceKey.PAGE, PlaceKey.SLIDE):
        if not _is_number(value):
            return Place(PlaceKey.PART, f"{key.value}{value}", target, embed=embed)
        value = str(int(value))
    return Place(key, value, target, key is PlaceKey.SLIDE and meta.get(HIDDEN_KEY) == HIDDEN_VALUE, embed)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


# --- TSV file names -------------------------------------------------------------------------------------------------

_FIXED_NAMES = {
    HEADER_FOOTER: "header_footer",
    FOOTNOTES: "doc_footnotes",
    WHOLE_DOCUMENT: "doc_whole",
    TEXT_BODY: "doc_body",
}
_FIXED_PLACES = {file: name for name, file in _FIXED_NAMES.items()}
_SUFFIXES = {"図形": "shape", "コメント": "comment", "ヘッダー・フッター": "header_footer"}
_SUFFIX_PLACES = {file: name for name, file in _SUFFIXES.items()}
_FIXED_FILE = re.compile(r"(?P<what>page|slide)_(?P<number>[0-9]+)(?P<rest>_hidden|_notes)?")
_FILE_OBJECT = re.compile(
    r"(?P<base>.*)\[(?:(?P<kind>shape|comment|header_footer)|embed(?P<embed>[1-9][0-9]{0,8}))\]", re.DOTALL
)
_NUMBERED = re.compile(r"(?P<what>ページ|スライド)(?P<number>[0-9]+)(?P<rest>（非表示）|_ノート)?")

_ENCODED = str.maketrans({c: f"%{ord(c):02X}" for c in '"%*/:<>?\\_|' + "".join(map(chr, range(0x20)))})
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")


def encode_place(text: str) -> str:
    r"""場所の符号化: the characters that a Windows file name forbids, ``%`` and ``_`` as ``%XX``.

    >>> encode_place("記号<>"), encode_place("2024_上期")
    ('記号%3C%3E', '2024%5F上期')
    """
    return text.translate(_ENCODED)


def decode_place(text: str) -> str:
    """The inverse of `encode_place`."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)


def tsv_file_name(name: str) -> str:
    """The TSV file name of a place name; places of one source file stand in the code point order of these.

    >>> tsv_file_name("ページ001"), tsv_file_name("2024_上期[図形]"), tsv_file_name("ページ003[埋め込み2]")
    ('page_001.tsv', '2024%5F上期[shape].tsv', 'page_003[embed2].tsv')
    """
    base, target, embed = _split_object(name)
    suffix = ""
    if target is PlaceKind.EMBEDDED:
        suffix = f"[embed{embed}]"
    elif target is not PlaceKind.BODY:
        suffix = f"[{_SUFFIXES[_TARGET_NAMES[target]]}]"
    return (_fixed_name(base) or encode_place(base)) + suffix + ".tsv"


def _fixed_name(base: str) -> str | None:
    if base in _FIXED_NAMES:
        return _FIXED_NAMES[base]
    match = _NUMBERED.fullmatch(base)
    if not match or (match["what"] == "ページ" and match["rest"]):
        return None
    what = "page" if match["what"] == "ページ" else "slide"
    rest = {None: "", "（非表示）": "_hidden", "_ノート": "_notes"}[match["rest"]]
    return f"{what}_{match['number']}{rest}"


def name_from_tsv(file_name: str) -> str:
    """The place name of a TSV file name (with or without ``.tsv``): the inverse of `tsv_file_name`.

    >>> name_from_tsv("slide_002_hidden[comment].tsv"), name_from_tsv("2024%5F上期.tsv")
    ('スライド002（非表示）[コメント]', '2024_上期')
    """
    stem = file_name.removesuffix(".tsv")
    match = _FILE_OBJECT.fullmatch(stem)
    suffix = ""
    if match and match["base"]:
        stem = match["base"]
        suffix = f"[埋め込み{match['embed']}]" if match["embed"] else f"[{_SUFFIX_PLACES[match['kind']]}]"
    return (_fixed_place(stem) or decode_place(stem)) + suffix


def _fixed_place(stem: str) -> str | None:
    if stem in _FIXED_PLACES:
        return _FIXED_PLACES[stem]
    match = _FIXED_FILE.fullmatch(stem)
    if not match or (match["what"] == "page" and match["rest"]):
        return None
    what = "ページ" if match["what"] == "page" else "スライド"
    rest = {None: "", "_hidden": "（非表示）", "_notes": "_ノート"}[match["rest"]]
    return f"{what}{match['number']}{rest}"
