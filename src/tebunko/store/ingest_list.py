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

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tebunko.model.errors import UserError
from tebunko.model.names import is_plain_folder_name, is_stored_index_name
from tebunko.model.paths import fold
from tebunko.model.states import FileState
from tebunko.store.fs import patiently, replace_file

FOLDER_KEY = "クロール対象フォルダ"
HEADER = "相対パス\t更新日時\tサイズ\t状態\tTSV数\t取り込み日時\tエラー\t抽出版"
BOM = b"\xef\xbb\xbf"
_COLUMNS = HEADER.count("\t") + 1

# A row with eight columns, a path of two or more safe segments, and one of the three states.
_ROW = re.compile(
    r"(?P<index>[^\t\\]+)(?:\\(?!\.{1,2}[\\\t])[^<>:\"/\\|?*\x00-\x1f]+)+\t[^\t]*\t[0-9]{0,19}\t"
    rf"(?:{'|'.join(FileState)})\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*"
)
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
        int(places) if places.isascii() and places.isdigit() else None,
        ingested,
        error,
        int(version) if version.isascii() and version.isdigit() and len(version) < 10 else 1,
    )


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
    ``row_count`` is the number of data rows in the file, repeated paths included.
    """

    folders: list[tuple[str, str]] = field(default_factory=list)
    rejected: int = 0
    legacy_folders: list[tuple[str, str]] = field(default_factory=list)
    row_count: int = 0
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

    def lines_of(self, index: str) -> Iterator[str]:
        """The lines of one index's rows, unparsed."""
        prefix = fold(index) + "\\"
        return (line for key, line in self._lines.items() if key.startswith(prefix))

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

    def rename_index(self, old: str, new: str) -> None:
        """Gives all rows of an index, and its folder row, another index name."""
        prefix, length = fold(old) + "\\", len(old)
        self._lines = {
            (fold(new) + key[length:] if key.startswith(prefix) else key): (
                new + line[length:] if key.startswith(prefix) else line
            )
            for key, line in self._lines.items()
        }
        self.folders = [(path, new if fold(name) == fold(old) else name) for path, name in self.folders]

    def to_bytes(self) -> bytes:
        """The whole file as it is written."""
        lines = [f"{FOLDER_KEY}\t{path}\t{name}" for path, name in self.folders]
        lines.append(HEADER)
        lines.extend(self._lines.values())
        lines.append("")
        return BOM + "\r\n".join(lines).encode("utf-8", "surrogatepass")


def read_list(path: Path) -> IngestList:
    """Reads the list; an empty one if there is no file. Raises OSError."""
    try:
        data = patiently(path.read_bytes)
    except FileNotFoundError:
        return IngestList()
    return parse_list(data)


def parse_list(data: bytes) -> IngestList:
    """The list that the bytes hold; bytes that are no UTF-8 become U+FFFD, and so spoil only their own row."""
    whole = data[: data.rfind(b"\n") + 1].removeprefix(BOM)
    lines = whole.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    lines.pop()
    found = IngestList()
    start = _read_head(lines, found)
    accepted: dict[str, bool] = {}
    table = found._lines
    for line in lines[start:]:
        match = _ROW.fullmatch(line)
        if match is None:
            found.rejected += _is_outside(line)
            continue
        index = match["index"]
        if index not in accepted:
            accepted[index] = is_stored_index_name(index)
        if not accepted[index]:
            found.rejected += 1
            continue
        found.row_count += 1
        table[line[: line.index("\t")].lower()] = line
    return found


def _read_head(lines: list[str], found: IngestList) -> int:
    """Reads the folder rows; gives the index of the first line after the header line (or of the first data row)."""
    for number, line in enumerate(lines):
        columns = line.split("\t")
        if columns[0] == FOLDER_KEY and len(columns) == 3:
            _, path, name = columns
            if is_stored_index_name(name):
                found.folders.append((path, name))
            elif is_plain_folder_name(name):
                found.legacy_folders.append((path, name))
            else:
                found.rejected += 1
        elif columns[0] == "相対パス":
            return number + 1
        elif _ROW.fullmatch(line):
            return number
    return len(lines)


def _is_outside(line: str) -> bool:
    """True for a whole row whose path or index name is not allowed (a torn or foreign line is just ignored)."""
    columns = line.split("\t")
    return len(columns) == _COLUMNS and "\\" in columns[0] and columns[3] in list(FileState)


class ListWriter:
    """Appends to the list and rewrites it, and notices when somebody else has written it in between.

    Used by the one writer under the workspace lock. Each write first checks that size and time of the file are as the last
    one left them; if not, UserError ends the run (another program is writing this workspace).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._look()

    def _look(self) -> tuple[int, int] | None:
        try:
            info = self._path.stat()
        except FileNotFoundError:
            return None
        return info.st_size, info.st_mtime_ns

    def check(self) -> None:
        """Raises UserError if the file is not as we left it."""
        if self._look() != self._seen:
            raise UserError("Another program has changed the ingest list of this workspace. Run the update again.")

    def append(self, rows: Iterable[Row], *, sync: bool = False) -> None:
        """Appends rows, after cutting off a torn last line; ``sync`` makes them last. Raises OSError, UserError."""
        data = "".join(format_row(row) + "\r\n" for row in rows).encode("utf-8", "surrogatepass")
        if not data:
            return
        self.check()
        with open(self._path, "r+b" if self._seen else "wb") as file:
            if self._seen:
                _cut_torn_line(file.fileno(), self._seen[0])
                file.seek(0, os.SEEK_END)
            else:
                file.write(BOM + HEADER.encode() + b"\r\n")
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
            info = os.fstat(file.fileno())
        self._seen = info.st_size, info.st_mtime_ns

    def rewrite(self, whole: IngestList) -> None:
        """Puts the whole list in place of the file, unless it says the same already. Raises OSError, UserError."""
        self.check()
        data = whole.to_bytes()
        if self._seen and self._seen[0] == len(data) and self._path.read_bytes() == data:
            return
        info = replace_file(self._path, data)
        self._seen = info.st_size, info.st_mtime_ns


def _cut_torn_line(handle: int, size: int) -> None:
    """Truncates the open file behind its last line feed."""
    end, block = size, 65536
    while end > 0:
        start = max(0, end - block)
        os.lseek(handle, start, os.SEEK_SET)
        found = os.read(handle, end - start).rfind(b"\n")
        if found >= 0:
            if start + found + 1 < size:
                os.ftruncate(handle, start + found + 1)
            return
        end = start
    os.ftruncate(handle, 0)
