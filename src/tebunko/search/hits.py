"""Result rows: what a search gives, as JSON (cli.md) and as people see it (search.md, Result rows)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from tebunko.model.kinds import FileKind
from tebunko.model.place import Place, PlaceKey, PlaceKind
from tebunko.search.locator import Locator


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A source file of a result.

    ``file`` is relative to the index, ``/`` between its names, which are real ones; ``path`` is the source's absolute path,
    None if unknown. ``as_of`` is the time (as the ingest list writes it) of the reading that the text is of, if the file has
    changed since and could not be read again; None otherwise.
    """

    index: str
    file: str
    path: str | None
    kind: FileKind
    as_of: str | None = None
    mtime_ns: int | None = None

    @property
    def locator(self) -> str:
        """The locator of the file itself."""
        return str(Locator(self.index, self.file))


@dataclass(slots=True)
class Hit:
    """One hit: one line of one place.

    ``text`` is the line as stored, ``line`` its number from 1 in the place; ``spans`` are half-open, in code points of
    ``text``, in order and apart; none if the query matches the line without a text of it. ``before`` and ``after`` are the
    neighbouring lines of the same place if they were asked for.
    """

    source: SourceRef
    place: Place
    line: int
    text: str
    spans: list[tuple[int, int]]
    before: list[str] | None = None
    after: list[str] | None = None
    by_value: bool = False

    @property
    def cell(self) -> str | None:
        """The address of the first matching cell, or of the shape or comment; None where lines have no cells."""
        if self.place.is_cells:
            first = self.spans[0][0] if self.spans else 0
            return f"{column_letters(self.text.count(chr(9), 0, first))}{self.line}"
        if self.place.has_addresses:
            return self.text.partition("\t")[0] or None
        return None

    @property
    def more_cells(self) -> int:
        """How many cells of the line match besides the first."""
        if not self.place.is_cells:
            return 0
        return max(len({self.text.count("\t", 0, start) for start, _ in self.spans}) - 1, 0)

    @property
    def locator(self) -> str:
        """The locator of the hit."""
        cell = self.cell
        line = self.line if cell is None else None
        return str(Locator(self.source.index, self.source.file, self.place.name, cell, line))


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A source file that a query lists."""

    source: SourceRef


@dataclass(frozen=True, slots=True)
class FileCount:
    """How many lines of a source file match."""

    source: SourceRef
    hits: int


@dataclass(frozen=True, slots=True)
class FileTerms:
    """How many lines of a source file hold each word of a list; words that it does not hold are left out."""

    source: SourceRef
    hits: Mapping[str, int]


Row = Hit | FileMatch | FileCount | FileTerms


@dataclass(frozen=True, slots=True)
class Skipped:
    """A content file that could not be searched: its path under the content folder, and a catalogue id."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How complete an answer is: counts over the searched indexes, and the names of those left out.

    ``postponed`` and ``pending`` (not yet read) are without text so far unless an older one stands; ``stale`` counts the files whose
    older text stands. ``updated`` says of each index when its last update ended (as the ingest list writes times), "" for never.
    ``without_values`` counts files whose raw values are not known, ``without_record`` those (seen by this search) that a
    field for date or size could not judge.
    """

    files: int = 0
    failed: int = 0
    postponed: int = 0
    pending: int = 0
    cloud_only: int = 0
    without_values: int = 0
    without_record: int = 0
    left_out: tuple[str, ...] = ()
    stale: int = 0
    updated: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The last thing a search gives. ``files`` are source files with rows; ``truncated``: a limit held rows back."""

    hits: int
    files: int
    searched_bytes: int
    candidate_files: int
    seconds: float
    truncated: bool
    skipped: tuple[Skipped, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)


def column_letters(index: int) -> str:
    """The letters of a column counted from 0.

    >>> column_letters(0), column_letters(25), column_letters(26), column_letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


# --- JSON -----------------------------------------------------------------------------------------------------------


def to_json(item: Row | Summary) -> dict[str, object]:
    """The object of the command line's JSON Lines (cli.md); keys are never renamed, only added."""
    if isinstance(item, Summary):
        return _summary_json(item)
    source = item.source
    head: dict[str, object] = {"index": source.index, "file": source.file, "path": source.path}
    if isinstance(item, FileMatch):
        return {"type": "file", **head}
    if isinstance(item, FileCount):
        return {"type": "count", "index": source.index, "file": source.file, "hits": item.hits}
    if isinstance(item, FileTerms):
        return {"type": "terms", "index": source.index, "file": source.file, "hits": dict(item.hits)}
    hit: dict[str, object] = {
        "type": "hit",
        **head,
        "place": item.place.name,
        "kind": item.place.kind.value,
        "line": item.line,
        "cell": item.cell,
        "locator": item.locator,
        "by_value": item.by_value,
        "as_of": source.as_of,
        "text": item.text,
        "spans": [list(span) for span in item.spans],
    }
    if item.before is not None and item.after is not None:
        hit |= {"before": item.before, "after": item.after}
    return hit


def _summary_json(summary: Summary) -> dict[str, object]:
    coverage = summary.coverage
    return {
        "type": "summary",
        "hits": summary.hits,
        "files": summary.files,
        "searched_bytes": summary.searched_bytes,
        "candidate_files": summary.candidate_files,
        "skipped": [{"file": s.file, "reason": s.reason} for s in summary.skipped],
        "coverage": {
            "files": coverage.files,
            "failed": coverage.failed,
            "postponed": coverage.postponed,
            "pending": coverage.pending,
            "cloud_only": coverage.cloud_only,
            "without_values": coverage.without_values,
            "without_record": coverage.without_record,
            "left_out": list(coverage.left_out),
            "stale": coverage.stale,
            "updated": [{"index": index, "last_update": time or None} for index, time in coverage.updated],
        },
        "seconds": round(summary.seconds, 3),
        "truncated": summary.truncated,
    }


def json_line(item: Row | Summary) -> bytes:
    """One line of JSON Lines in UTF-8 with its line feed.

    Bytes of a file name that do not decode are surrogates, which UTF-8 cannot hold: such a line is written in ASCII.
    """
    value = to_json(item)
    try:
        return msgspec.json.encode(value) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


# --- for people -----------------------------------------------------------------------------------------------------

_KIND_NAMES = {
    PlaceKind.BODY: "本文",
    PlaceKind.SHAPE: "図形",
    PlaceKind.COMMENT: "コメント",
    PlaceKind.NOTES: "ノート",
    PlaceKind.EMBEDDED: "埋め込み",
    PlaceKind.HEADER_FOOTER: "ヘッダー・フッター",
}
_BLANKED = str.maketrans(dict.fromkeys("\t\r\n", " "))


def kind_name(place: Place) -> str:
    """The kind of a place as the result list shows it: セル for the cells of a sheet, else 本文, 図形, コメント …"""
    return "セル" if place.is_cells else _KIND_NAMES[place.kind]


def shown_place(hit: Hit) -> str:
    """The place as the result list shows it.

    A page of a Word document is a guide only (目安): the file does not say where its pages end.
    """
    place = hit.place
    if place.key is PlaceKey.SHEET:
        cell = f"!{hit.cell}" if hit.cell else ""
        more = f" ほか {hit.more_cells}" if hit.more_cells else ""
        return f"[シート] {place.value.translate(_BLANKED)}{cell}{more}"
    if place.key is PlaceKey.SLIDE:
        return f"[スライド] {place.value}" + ("（非表示）" if place.hidden else "")
    if place.number is not None:
        return f"[ページ] {place.number}" + ("（目安）" if hit.source.kind is FileKind.WORD else "")
    return f"[{place.value.translate(_BLANKED)}]"
