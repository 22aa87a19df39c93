r"""``store/ingest_status.tsv``: one row a source file (ja-ingest-list).

::

    クロール対象フォルダ TAB <path> TAB <index name>          one line a registered folder
    相対パス TAB 更新日時 TAB サイズ TAB 状態 TAB TSV数 TAB 取り込み日時 TAB エラー TAB 抽出版
    営業\2024\A社.xlsx TAB 2025/01/10 12:34:56 TAB 10420 TAB 済 TAB 3 TAB 2026/09/19 10:00:35 TAB  TAB 4

UTF-8 with BOM, CRLF written, LF also read. During a run rows are appended, and the last row of a path counts; rewriting
leaves one row a path. A last line without its line end was torn by a kill: it is ignored, and cut off before the next append.
The file can be written by others, so rows whose path would leave the workspace are dropped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tebunko.model.errors import UserError
from tebunko.model.names import STORED_NAME, is_plain_folder_name, is_stored_index_name
from tebunko.model.paths import SAFE_SEGMENT, fold
from tebunko.model.states import FileState
from tebunko.store.fs import patiently
from tebunko.store.tsv import BOM, Table, decode_text, encode_lines

FOLDER_KEY = "クロール対象フォルダ"
HEADER = "相対パス\t更新日時\tサイズ\t状態\tTSV数\t取り込み日時\tエラー\t抽出版"

# A row: a path of an index name and safe segments, time, size, one of the three states, and four more columns.
# No possessive groups: before 3.11.5 Python does not go back to where such a group began when it fails.
_PATH = rf"{STORED_NAME}(?:\\{SAFE_SEGMENT})+"
_REST = rf"\t[^\t\n]*+\t[0-9]{{0,19}}+\t(?:{'|'.join(FileState)})(?:\t[^\t\n]*+){{4}}"
_ROW = re.compile(_PATH + _REST)
_ROWS = re.compile(f"(?:{_PATH}{_REST}\n)*")
_OUTSIDE = re.compile(rf"[^\t\n]*+{_REST}")
_CHUNK = 4 << 20
_CLEAN = str.maketrans(dict.fromkeys("\t\r\n", " "))


class Row(NamedTuple):
    r"""One row.

    ``path`` is the stored path (``<index>\<stored names>``), ``modified`` the time of change as text (local time to the
    second), ``size`` in bytes (None if blank), ``places`` the TSV数 (None if blank), ``ingested`` when it was read as text,
    ``error`` the sentence of a failure or of what postponed it, ``version`` the 抽出版 (blank counts as 1).
    """

    path: str
    modified: str
    size: int | None
    state: FileState
    places: int | None = None
    ingested: str = ""
    error: str = ""
    version: int = 1

    @property
    def postponed(self) -> bool:
        """True if the world was in the way of reading it (testStatusRowFailed): 未取り込み with a reason."""
        return self.state is FileState.PENDING and bool(self.error)

    @property
    def has_old_text(self) -> bool:
        """True if the index may still hold the text of an earlier reading although the row is not 済."""
        return self.state is FileState.PENDING and bool(self.ingested) and bool(self.places)


def parse_row(line: str) -> Row:
    """The row of a line that `_ROW` matched."""
    path, modified, size, state, places, ingested, error, version = line.split("\t")
    return Row(
        path,
        modified,
        int(size) if size else None,
        FileState(state),
        int(places) if _is_number(places) else None,
        ingested,
        error,
        int(version) if _is_number(version) else 1,
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def format_row(row: Row) -> str:
    """The line of a row, without its line end."""
    version = str(row.version) if row.version != 1 or row.state is not FileState.PENDING else ""
    columns = (
        row.path,
        row.modified,
        "" if row.size is None else str(row.size),
        row.state.value,
        "" if row.places is None else str(row.places),
        row.ingested,
        row.error.translate(_CLEAN),
        version,
    )
    return "\t".join(columns)


@dataclass(slots=True)
class IngestList:
    """The list in memory: one line of text a path, parsed when asked for, so that a million rows stay small.

    ``folders`` are the registered folders as (path, index name). ``rejected`` counts rows dropped because they would leave
    the workspace, ``legacy_folders`` are index names that only older versions could give (used for removal alone).
    ``row_count`` is the number of data rows in the file, repeated paths included; ``late`` are the folded paths of those
    behind the number of rows that `parse_list` was given.
    """

    folders: list[tuple[str, str]] = field(default_factory=list)
    rejected: int = 0
    legacy_folders: list[tuple[str, str]] = field(default_factory=list)
    row_count: int = 0
    late: set[str] = field(default_factory=set)
    _lines: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, path: str) -> bool:
        return fold(path) in self._lines

    def get(self, path: str) -> Row | None:
        """The row of a stored path (compared without case), None if it has none."""
        line = self._lines.get(fold(path))
        return None if line is None else parse_row(line)

    def rows(self) -> Iterator[Row]:
        """All rows, in the order in which their paths first came."""
        return map(parse_row, self._lines.values())

    def lines_of(self, index: str) -> dict[str, str]:
        """The lines of one index's rows, unparsed, by folded path."""
        prefix = fold(index) + "\\"
        return {key: line for key, line in self._lines.items() if key.startswith(prefix)}

    def lines(self) -> Iterable[str]:
        """The lines of all rows, unparsed."""
        return self._lines.values()

    def put(self, row: Row) -> None:
        """Sets the row of its path."""
        self._lines[fold(row.path)] = format_row(row)

    def remove(self, path: str) -> None:
        """Removes the row of a path, if there is one."""
        self._lines.pop(fold(path), None)

    def remove_index(self, index: str) -> None:
        """Removes all rows of an index and its folder row."""
        prefix = fold(index) + "\\"
        self._lines = {key: line for key, line in self._lines.items() if not key.startswith(prefix)}
        self.folders = [(path, name) for path, name in self.folders if fold(name) != fold(index)]
        self.legacy_folders = [(path, name) for path, name in self.legacy_folders if fold(name) != fold(index)]

    def rename_index(self, old: str, new: str) -> None:
        """Gives all rows of an index, and its folder row, another index name."""
        prefix = fold(old) + "\\"
        renamed: dict[str, str] = {}
        for key, line in self._lines.items():
            if key.startswith(prefix):
                line = new + line[line.index("\\") :]
                key = fold(line[: line.index("\t")])
            renamed[key] = line
        self._lines = renamed
        self.folders = [(path, new if fold(name) == fold(old) else name) for path, name in self.folders]

    def to_bytes(self) -> bytes:
        """The whole file as it is written; folders that only older versions could name stay until they are removed."""
        folders = self.folders + self.legacy_folders
        lines = [f"{FOLDER_KEY}\t{path.translate(_CLEAN)}\t{name}" for path, name in folders]
        lines.append(HEADER)
        lines.extend(self._lines.values())
        return encode_lines(lines)


def read_list(path: Path, late_after: int | None = None) -> IngestList:
    """Reads the list; an empty one if there is no file. ``late_after`` as in `parse_list`. Raises OSError."""
    try:
        data = patiently(path.read_bytes)
    except FileNotFoundError:
        return IngestList()
    return parse_list(data, late_after)


def parse_list(data: bytes, late_after: int | None = None) -> IngestList:
    """The list that the bytes hold; bytes that are no UTF-8 become U+FFFD, and so spoil only their own row.

    ``late_after`` is the number of data rows behind which paths are noted in ``late``: those that a run appended.
    """
    found = IngestList()
    end = data.rfind(b"\n") + 1
    position = _read_head(data, len(BOM) if data.startswith(BOM) else 0, end, found)
    while position < end:
        # In pieces, so that only the rows themselves are in memory more than once.
        cut = data.rfind(b"\n", position, position + _CHUNK) + 1 or data.index(b"\n", position) + 1
        _read_rows(decode_text(data[position:cut].replace(b"\r\n", b"\n")), found, late_after)
        position = cut
    return found


def _read_head(data: bytes, position: int, end: int, found: IngestList) -> int:
    """Reads the folder rows; gives where the line after the header line (or the first data row) begins."""
    while position < end:
        after = data.index(b"\n", position) + 1
        line = decode_text(data[position:after]).rstrip("\r\n")
        columns = line.split("\t")
        if columns[0] == FOLDER_KEY and len(columns) == 3:
            _add_folder(columns[1], columns[2], found)
        elif columns[0] == "相対パス":
            return after
        elif _OUTSIDE.fullmatch(line):
            return position
        position = after
    return end


def _add_folder(path: str, name: str, found: IngestList) -> None:
    if is_stored_index_name(name):
        found.folders.append((path, name))
    elif is_plain_folder_name(name):
        found.legacy_folders.append((path, name))
    else:
        found.rejected += 1


def _read_rows(text: str, found: IngestList, late_after: int | None) -> None:
    """Reads whole lines: runs of good rows at once, between them single lines that are none."""
    position = 0
    while position < len(text):
        end = _ROWS.match(text, position).end()  # type: ignore[union-attr]  # it also matches nothing
        if end > position:
            lines = text[position : end - 1].split("\n")
            keys = fold("\n".join([line[: line.index("\t")] for line in lines])).split("\n")
            found._lines.update(zip(keys, lines, strict=True))
            if late_after is not None:
                found.late.update(keys[max(0, late_after - found.row_count) :])
            found.row_count += len(lines)
        if end == len(text):
            return
        position = text.index("\n", end) + 1
        # A whole row whose path would leave the workspace; a torn or foreign line is just passed over.
        found.rejected += _OUTSIDE.fullmatch(text, end, position - 1) is not None


class ListWriter:
    """Appends to the list and rewrites it, and notices when somebody else has written it in between.

    Used by the one writer under the workspace lock. Each write first checks that size and time of the file are as the last
    one left them; if not, UserError ends the run (another program is writing this workspace).
    """

    def __init__(self, path: Path) -> None:
        self._table = Table(path, HEADER, _changed)

    def check(self) -> None:
        """Raises UserError if the file is not as we left it."""
        self._table.check()

    def append(self, rows: Iterable[Row], *, sync: bool = False) -> None:
        """Appends rows, after cutting off a torn last line; ``sync`` makes them last. Raises OSError, UserError."""
        self._table.append([format_row(row) for row in rows], sync=sync)

    def rewrite(self, whole: IngestList) -> None:
        """Puts the whole list in place of the file, unless it says the same already. Raises OSError, UserError."""
        self._table.check()
        data = whole.to_bytes()
        if not self._table.holds(data):
            self._table.replace(data)

    def close(self) -> None:
        """Lets go of the file."""
        self._table.close()


def _changed() -> UserError:
    return UserError("Another program has changed the ingest list of this workspace. Run the update again.")
