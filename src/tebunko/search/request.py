"""What a search is asked: the query and everything besides (cli.md, search)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tebunko.model.errors import UserError
from tebunko.model.kinds import FileKind
from tebunko.model.paths import WINDOWS, fold
from tebunko.model.place import Place, PlaceKind
from tebunko.search.fields import parse_kinds
from tebunko.search.names import NamePatterns, parse_name_patterns
from tebunko.search.options import SearchOptions
from tebunko.search.query import Mode, Query, parse_query
from tebunko.store.coverage import IndexCoverage


class Output(StrEnum):
    """What the rows are: lines, files with a match, their counts, files without one, counts per word of a list."""

    LINES = "lines"
    FILES = "files"
    COUNT = "count"
    WITHOUT = "files_without_match"
    TERMS = "terms"


class Sort(StrEnum):
    """Orders besides that of the index: by path, by date (newest first), by number of hits (most first)."""

    PATH = "path"
    DATE = "date"
    HITS = "hits"


@dataclass(frozen=True, slots=True)
class Scope:
    """A folder of an index, real names with ``/`` between them, "" for all of it; with what lies below or alone."""

    index: str
    folder: str = ""
    subfolders: bool = True

    def covers(self, index: str, folder: str) -> bool:
        """True if that folder is in the scope."""
        if self.index != index:
            return False
        own, other = _comparable(self.folder), _comparable(folder)
        return own == other or (self.subfolders and (not own or other.startswith(own + "/")))

    def lies_below(self, index: str, folder: str) -> bool:
        """True if the scope begins somewhere below that folder."""
        other = _comparable(folder)
        return self.index == index and (not other or _comparable(self.folder).startswith(other + "/"))


def _comparable(folder: str) -> str:
    return fold(folder) if WINDOWS else folder


def parse_scope(text: str) -> Scope:
    r"""The scope of ``--in NAME[/FOLDER]``; ``\`` separates too. Raises UserError if there is no name.

    >>> parse_scope("営業\\2024/見積/")
    Scope(index='営業', folder='2024/見積', subfolders=True)
    """
    index, _, folder = text.replace("\\", "/").strip("/").partition("/")
    if not index:
        raise UserError('"{text}" does not name an index, or a folder of one as NAME/FOLDER', text=text)
    return Scope(index, folder)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query and what narrows and shapes its answer.

    ``terms`` are the words of a list, each a literal; a line counts for a word if the query (which may then have no
    clauses, or be None) holds on it too. ``kinds`` and ``scopes`` mean everything if empty. Without ``shapes`` embedded objects are left out
    too. ``whole_file``: all clauses hold somewhere in one source file instead of on one line. ``context``: lines
    around each hit. ``limit``: rows at most. ``narrowed``: content files that cannot have rows are told by the 2-gram index.
    """

    query: Query | None
    kinds: frozenset[FileKind] = frozenset()
    names: NamePatterns = field(default_factory=NamePatterns)
    scopes: tuple[Scope, ...] = ()
    unsearched: tuple[Scope, ...] = ()
    shapes: bool = True
    comments: bool = True
    whole_file: bool = False
    output: Output = Output.LINES
    terms: tuple[str, ...] = ()
    context: int = 0
    sort: Sort | None = None
    limit: int | None = None
    narrowed: bool = True

    def searches_place(self, place: Place) -> bool:
        """False for shapes, embedded objects and comments that were switched off."""
        if place.target in (PlaceKind.SHAPE, PlaceKind.EMBEDDED):
            return self.shapes
        return self.comments or place.target is not PlaceKind.COMMENT

    def searches_folder(self, index: str, folder: str) -> bool:
        """True if the content files of that folder are searched."""
        if any(scope.covers(index, folder) for scope in self.unsearched):
            return False
        return not self.scopes or any(scope.covers(index, folder) for scope in self.scopes)

    def descends_into(self, index: str, folder: str) -> bool:
        """True if that folder or one below it may be searched."""
        return not self.scopes or any(s.covers(index, folder) or s.lies_below(index, folder) for s in self.scopes)


@dataclass(frozen=True, slots=True)
class SearchedIndex:
    """An index to be searched.

    ``source_folder`` is the absolute path of its sources, None if unknown. ``coverage`` counts what it lacks.
    ``long_names`` maps folder names on disk that were shortened to the stored names they stand for (`disk_segment`).
    """

    name: str
    source_folder: str | None = None
    coverage: IndexCoverage = field(default_factory=IndexCoverage)
    long_names: Mapping[str, str] = field(default_factory=dict)


def make_request(options: SearchOptions) -> SearchRequest:
    """The request that plain options mean. Raises UserError where one of them has no meaning."""
    mode = Mode.REGEX if options.regex else Mode.LITERAL if options.literal else Mode.LANGUAGE
    rows = Output.TERMS if options.terms else Output(options.rows)
    _check(options)
    asked = bool(options.query) or not options.terms
    query = parse_query(options.query, mode, case=options.case) if asked else Query(())
    return SearchRequest(
        query=replace(query, case=options.case, forgiving=options.forgiving, across=options.across),
        kinds=parse_kinds(options.kinds) if options.kinds else frozenset(),
        names=parse_name_patterns(options.names),
        scopes=tuple(map(parse_scope, options.scopes)),
        shapes=options.shapes,
        comments=options.comments,
        whole_file=options.whole_file,
        output=rows,
        terms=options.terms,
        context=max(0, options.context),
        sort=Sort(options.sort) if options.sort else None,
        limit=options.limit,
        narrowed=options.narrowed,
    )


def _check(options: SearchOptions) -> None:
    if options.regex and (options.forgiving or options.across):
        raise UserError(
            "A regular expression is matched as it is: --regex goes neither with --forgiving nor with --across"
        )
