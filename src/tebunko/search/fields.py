"""Fields of a query: ``sheet: page: slide: in: name: folder: kind: after: before: size:`` (search.md, The query language)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tebunko.model.errors import UserError
from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKey, PlaceKind
from tebunko.search.names import NamePatterns, name_matches, parse_name_patterns


class FieldName(StrEnum):
    """The words that a colon makes a field; after anything else a colon is literal."""

    SHEET = "sheet"
    PAGE = "page"
    SLIDE = "slide"
    IN = "in"
    NAME = "name"
    FOLDER = "folder"
    KIND = "kind"
    AFTER = "after"
    BEFORE = "before"
    SIZE = "size"


class InPlace(StrEnum):
    """What ``in:`` takes: the kinds of the JSON output, and cells apart from other bodies."""

    BODY = "body"
    CELL = "cell"
    SHAPE = "shape"
    COMMENT = "comment"
    NOTES = "notes"
    EMBEDDED = "embedded"
    HEADER_FOOTER = "header_footer"


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``low`` to ``high``, both included: pages, slides, bytes, or ns since 1970."""

    low: float = -math.inf
    high: float = math.inf

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high


FieldValue = str | NamePatterns | Range | frozenset[InPlace] | frozenset[FileKind]
"""A pattern (sheet, folder), patterns (name), a range (page, slide, size, and after and before in ns), or kinds."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field and its parsed value."""

    name: FieldName
    value: FieldValue


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What fields ask of a source file; ``folder`` is ``index/relative/folder``; None where nothing is recorded."""

    name: str
    folder: str
    kind: FileKind
    mtime_ns: int | None
    size: int | None


IN_VALUES = {value.value: value for value in InPlace} | {
    "セル": InPlace.CELL,
    "図形": InPlace.SHAPE,
    "コメント": InPlace.COMMENT,
    "本文": InPlace.BODY,
    "ノート": InPlace.NOTES,
    "埋め込み": InPlace.EMBEDDED,
    "ヘッダー・フッター": InPlace.HEADER_FOOTER,
}
KIND_VALUES = {
    "excel": FileKind.EXCEL,
    "word": FileKind.WORD,
    "powerpoint": FileKind.POWERPOINT,
    "pdf": FileKind.PDF,
    "text": FileKind.TEXT,
    "テキスト": FileKind.TEXT,
}
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}
_NUMBERS = re.compile(r"(?P<low>[0-9]{1,9})?(?P<dash>-)?(?P<high>[0-9]{1,9})?")
_DATE = re.compile(r"(?P<y>[0-9]{4})(?:[-/](?P<m>[0-9]{1,2})(?:[-/](?P<d>[0-9]{1,2}))?)?")
_BYTES = r"([0-9]{1,12}(?:\.[0-9]{1,3})?) *([kmg]?b?)"
_COMPARED = re.compile(rf"(<=|>=|<|>) *{_BYTES}")
_BETWEEN = re.compile(rf"{_BYTES} *- *{_BYTES}")
_NS = 1_000_000_000


def parse_field(name: FieldName, text: str) -> Field:
    """The field of this name and value as typed. Raises UserError that says what the field takes."""
    parse, allowed = _PARSERS[name]
    value = parse(text)
    if value is None:
        raise UserError(
            'The field {field}: does not take "{value}". It takes {allowed}',
            field=name.value,
            value=text,
            allowed=allowed,
        )
    return Field(name, value)


def parse_kinds(text: str) -> frozenset[FileKind]:
    """The kinds of ``excel,word``, as ``--kind`` and ``kind:`` take them. Raises UserError."""
    field = parse_field(FieldName.KIND, text)
    assert isinstance(field.value, frozenset)
    return frozenset(kind for kind in field.value if isinstance(kind, FileKind))


def _folder(text: str) -> FieldValue | None:
    return text.replace("\\", "/").strip("/") or None


def _numbers(text: str) -> FieldValue | None:
    match = _NUMBERS.fullmatch(_narrow(text))
    if not match or (match["low"] is None and match["high"] is None):
        return None
    if match["dash"] is None:
        number = int((match["low"] or "") + (match["high"] or ""))
        return Range(number, number)
    low = int(match["low"]) if match["low"] else 0
    high = int(match["high"]) if match["high"] else math.inf
    return Range(low, high) if low <= high else None


def _after(text: str) -> FieldValue | None:
    start = _day(text)
    return None if start is None else Range(low=start)


def _before(text: str) -> FieldValue | None:
    start = _day(text)
    return None if start is None else Range(high=start - 1)


def _day(text: str) -> int | None:
    """The first moment of a day, month or year in local time, in ns since 1970."""
    match = _DATE.fullmatch(_narrow(text))
    if not match:
        return None
    try:
        moment = datetime(int(match["y"]), int(match["m"] or 1), int(match["d"] or 1))
        return int(moment.timestamp()) * _NS
    except (ValueError, OverflowError, OSError):
        return None


def _size(text: str) -> FieldValue | None:
    narrow = _narrow(text)
    if match := _COMPARED.fullmatch(narrow):
        number = _bytes(match[2], match[3])
        return {
            ">": Range(low=math.floor(number) + 1),
            ">=": Range(low=number),
            "<": Range(high=math.ceil(number) - 1),
            "<=": Range(high=number),
        }[match[1]]
    if match := _BETWEEN.fullmatch(narrow):
        low, high = _bytes(match[1], match[2]), _bytes(match[3], match[4])
        return Range(low, high) if low <= high else None
    return None


def _bytes(number: str, unit: str) -> float:
    return float(number) * _UNITS[unit]


def _narrow(text: str) -> str:
    """Full-width digits and signs, as an input method types them, in their ASCII form."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def _places(text: str) -> FieldValue | None:
    values = [IN_VALUES.get(part.strip().lower()) for part in text.split(",")]
    found = frozenset(value for value in values if value)
    return found if None not in values else None


def _kinds(text: str) -> FieldValue | None:
    values = [KIND_VALUES.get(part.strip().lower()) for part in text.split(",")]
    found = frozenset(value for value in values if value)
    return found if None not in values else None


_DATES_ALLOWED = "2024-04-01, 2024/4/1, 2024-04, 2024"
_NUMBERS_ALLOWED = "3, 2-5, 2-, -5"
_PARSERS: dict[FieldName, tuple[Callable[[str], FieldValue | None], str]] = {
    FieldName.SHEET: (lambda text: text, "売上, 売上*"),
    FieldName.PAGE: (_numbers, _NUMBERS_ALLOWED),
    FieldName.SLIDE: (_numbers, _NUMBERS_ALLOWED),
    FieldName.IN: (_places, ", ".join(InPlace)),
    FieldName.NAME: (parse_name_patterns, "*.xlsx, 見積, !*old*"),
    FieldName.FOLDER: (_folder, "2024, 営業/*"),
    FieldName.KIND: (_kinds, "excel, word, powerpoint, pdf, text"),
    FieldName.AFTER: (_after, _DATES_ALLOWED),
    FieldName.BEFORE: (_before, _DATES_ALLOWED),
    FieldName.SIZE: (_size, ">1MB, >=1MB, <500KB, <=500KB, 1MB-5MB"),
}

RECORDED = frozenset({FieldName.AFTER, FieldName.BEFORE, FieldName.SIZE})
"""Fields that ask what is recorded of a source file; without a record neither they nor their exclusion hold."""


def field_holds(field: Field, facts: SourceFacts, place: Place) -> bool | None:
    """True if the field holds for a place of a source file, None if that is not recorded.

    ``after:`` means on that day or later, ``before:`` before that day began, both in local time.
    """
    value = field.value
    match field.name, value:
        case FieldName.SHEET, str():
            return place.key is PlaceKey.SHEET and name_matches(value, place.value)
        case FieldName.FOLDER, str():
            return name_matches(value, facts.folder)
        case FieldName.NAME, NamePatterns():
            return value.passes(facts.name)
        case FieldName.PAGE, Range():
            return place.key is not PlaceKey.SLIDE and place.number is not None and place.number in value
        case FieldName.SLIDE, Range():
            return place.key is PlaceKey.SLIDE and place.number in value if place.number is not None else False
        case FieldName.AFTER | FieldName.BEFORE, Range():
            return None if facts.mtime_ns is None else facts.mtime_ns in value
        case FieldName.SIZE, Range():
            return None if facts.size is None else facts.size in value
        case FieldName.IN, frozenset():
            return _in_place(place) in value or InPlace(place.kind.value) in value
        case _:
            return isinstance(value, frozenset) and facts.kind in value


def _in_place(place: Place) -> InPlace:
    return InPlace.CELL if place.is_cells else InPlace(PlaceKind(place.kind).value)
