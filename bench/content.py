"""Content files by the gigabyte for measuring searches, written without an update run; the same for the same size.

Two indexes: ``random`` holds rows of random kanji as the workbooks of `bench.corpus` do (every bigram is rare, the hardest case for
an index by bigrams), ``natural`` lines recombined from samples of Japanese office text. In each, `RARE` stands on three
lines, `COMMON` on about every tenth, `LATIN` on three, `ABSENT` nowhere.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.corpus import ABSENT, COMMON, RARE, Words
from tebunko.model.kinds import FileKind
from tebunko.model.place import sheet
from tebunko.model.states import IndexProgress
from tebunko.model.unit import Unit
from tebunko.store.catalog import Catalog, write_catalog
from tebunko.store.content import FULL_BYTES, HEADER, build_block, list_parts, part_name, read_text
from tebunko.store.workspace import Layout

LATIN = "Quixotic Zephyr"
KINDS = ("random", "natural")

_SEED = 11
_FOLDERS = 20
_ROWS = 250
_PIECE = re.compile(r"[^\t\u2028。、,.；;：:（）()「」\s]{2,60}")
_JOINTS = ("", "", "の", "、", " ", "・", "について、", "（", "）", "：")


def generate(folder: Path, kind: str, size: int, samples: Sequence[Path]) -> Layout:
    """A workspace of about ``size`` bytes of content of that kind; one that is there complete is kept.

    ``samples`` are text files or workspaces' content folders, needed for ``natural``.
    """
    layout = Layout((folder / f"{kind}-{size // 1_000_000}").resolve())
    mark = layout.root / "complete.txt"
    if mark.is_file():
        return layout
    layout.create()
    pick = random.Random(_SEED)
    row = _random_row(pick) if kind == "random" else _natural_row(pick, _sample_pieces(samples))
    files = _planted_files(pick, size)
    for number, chunk in enumerate(_parts(pick, row, size, files)):
        name = f"索引{number % _FOLDERS:02d}"
        path = layout.content_folder(f"{kind}\\{name}") / part_name("xlsx", number // _FOLDERS + 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chunk)
    write_catalog(layout, Catalog(rows={kind: IndexProgress.COMPLETE}))
    mark.write_text("", encoding="utf-8")
    return layout


def _planted_files(pick: random.Random, size: int) -> set[int]:
    """The numbers of the content files that hold the rare words: three, spread over all."""
    count = max(size // (2 * FULL_BYTES), 3)
    return {part * count // 3 + pick.randrange(max(count // 3, 1)) for part in range(3)}


def _parts(pick: random.Random, row: Callable[[], str], size: int, planted: set[int]) -> Iterator[bytes]:
    """Content files of 1 to 4 MB, until ``size`` is reached."""
    made = number = 0
    while made < size:
        wanted = pick.randrange(FULL_BYTES // 4, FULL_BYTES)
        blocks = [HEADER]
        length = len(HEADER)
        while length < wanted:
            first = number in planted and len(blocks) == 1
            blocks.append(_block(pick, row, f"資料{number}-{len(blocks)}.xlsx", first))
            length += len(blocks[-1])
        yield b"".join(blocks)
        made += length
        number += 1


def _block(pick: random.Random, row: Callable[[], str], name: str, planted: bool) -> bytes:
    units = []
    for number in range(pick.randint(1, 4)):
        lines = [row() for _ in range(_ROWS)]
        if planted and number == 0:
            lines[7] += f"\t{RARE}"
            lines[9] += f"\t{LATIN}"
        units.append(Unit(sheet(f"シート{number + 1}"), lines))
    return bytes(build_block(name, FileKind.EXCEL, units))


def _random_row(pick: random.Random) -> Callable[[], str]:
    words = Words(_SEED)

    def row() -> str:
        common = COMMON if pick.random() < 0.1 else ""
        return (
            f"{pick.randint(1, 99_999)}\t{words.word()}{common}\t{words.word() if pick.random() < 0.7 else ''}"
            f"\t{pick.randint(1, 999_999):,}\t{words.word()}の{words.word()}"
        )

    return row


def _natural_row(pick: random.Random, pieces: Sequence[str]) -> Callable[[], str]:
    def cell() -> str:
        return "".join(pick.choice(pieces) + pick.choice(_JOINTS) for _ in range(pick.randint(1, 3)))

    def row() -> str:
        common = COMMON if pick.random() < 0.1 else ""
        date = f"{pick.randint(2015, 2026)}/{pick.randint(1, 12)}/{pick.randint(1, 28)}"
        return f"{pick.randint(1, 99_999)}\t{date}\t{common}{cell()}\t{cell()}\t{pick.randint(1, 999_999):,}"

    return row


def _sample_pieces(samples: Sequence[Path]) -> list[str]:
    """Phrases of the samples, each once, without those that hold a planted word."""
    found: dict[str, None] = {}
    for path in samples:
        for text in _texts(path):
            found |= dict.fromkeys(_PIECE.findall(text))
    planted = re.compile("|".join((RARE[:2], ABSENT, COMMON, *LATIN.split())), re.IGNORECASE)
    return [piece for piece in found if "\x1e" not in piece and not planted.search(piece)]


def _texts(path: Path) -> Iterator[str]:
    if path.is_file():
        yield path.read_text(encoding="utf-8")
        return
    for folder in sorted(p for p in (path, *path.rglob("*")) if p.is_dir()):
        yield from (read_text(part.path) for part in list_parts(folder))
