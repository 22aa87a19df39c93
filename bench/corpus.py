"""The generated corpus: folders of random documents, the same for the same size on every machine.

Two folders are written apart, since the programs differ by kind: ``books`` holds workbooks of rows with two numbers and
random words of kanji (no two words alike, the hardest text for an index), ``mixed`` documents, slides, PDFs
and texts. Three workbooks hold `RARE`, about every tenth row of a workbook `COMMON`, none holds `ABSENT`.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
import xlsxwriter

from scripts.docx_writer import Document, Paragraph, Table
from scripts.samples import pdf, powerpoint

RARE = "青葉商事見積"
COMMON = "株式会社"
ABSENT = "存在しない語句"

_SEED = 7
_VERSION = 2
"""Raise it when the corpus of the same size changes, so that kept ones are made anew."""

_KANJI = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
_DEPARTMENTS, _YEARS = 52, 10


@dataclass(frozen=True, slots=True)
class Size:
    """How many files of each kind."""

    workbooks: int
    documents: int
    slides: int
    pdfs: int
    texts: int

    @property
    def mixed(self) -> int:
        """The number of files that are no workbooks."""
        return self.documents + self.slides + self.pdfs + self.texts


SIZES = {
    "smoke": Size(workbooks=6, documents=2, slides=1, pdfs=2, texts=3),
    "small": Size(workbooks=300, documents=60, slides=20, pdfs=40, texts=120),
    "full": Size(workbooks=1500, documents=300, slides=100, pdfs=200, texts=600),
}


class Words:
    """A source of random words and sentences, repeatable by its seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def word(self) -> str:
        """4 to 12 random kanji."""
        return "".join(self.random.choices(_KANJI, k=self.random.randint(4, 12)))

    def sentence(self) -> str:
        """A sentence of five words."""
        return "の".join(self.word() for _ in range(5)) + "。"

    def lines(self, least: int, most: int) -> list[str]:
        """Between ``least`` and ``most`` sentences."""
        return [self.sentence() for _ in range(self.random.randint(least, most))]


def generate(folder: Path, size: Size) -> tuple[Path, Path]:
    """Writes the corpus below ``folder`` unless it is there complete; returns the folders (books, mixed)."""
    books, mixed = folder / "books", folder / "mixed"
    mark = folder / "corpus.json"
    wanted = msgspec.json.encode({"version": _VERSION, "seed": _SEED, **asdict(size)})
    if mark.is_file() and mark.read_bytes() == wanted:
        return books, mixed
    words = Words(_SEED)
    rare = set(words.random.sample(range(size.workbooks), min(3, size.workbooks)))
    for index in range(size.workbooks):
        _workbook(_place(books, index, "xlsx"), words, index in rare)
    kinds: Sequence[tuple[str, int, Callable[[Path, Words], None]]] = (
        ("docx", size.documents, _document),
        ("pptx", size.slides, _slides),
        ("pdf", size.pdfs, _pdf),
        ("txt", size.texts, _text),
    )
    for extension, count, write in kinds:
        for index in range(count):
            write(_place(mixed, index, extension), words)
    mark.write_bytes(wanted)
    return books, mixed


def _place(folder: Path, index: int, extension: str) -> Path:
    year = index // _DEPARTMENTS % _YEARS
    below = folder / f"部署{index % _DEPARTMENTS}" / f"年度{year}"
    below.mkdir(parents=True, exist_ok=True)
    return below / f"資料{index}.{extension}"


def _workbook(path: Path, words: Words, rare: bool) -> None:
    """One to five sheets whose numbers of rows are log-normal, as those of office workbooks are."""
    book = xlsxwriter.Workbook(path)
    amount = book.add_format({"num_format": "#,##0"})
    date = book.add_format({"num_format": "yyyy/m/d"})
    pick = words.random
    for number in range(pick.randint(1, 5)):
        sheet = book.add_worksheet(f"シート{number + 1}")
        for row in range(min(300, max(5, int(pick.lognormvariate(4.2, 0.7))))):
            sheet.write_number(row, 0, pick.randint(1, 99_999))
            sheet.write_string(row, 1, words.word() + (COMMON if pick.random() < 0.1 else ""))
            if pick.random() < 0.7:
                sheet.write_string(row, 2, words.word())
            sheet.write_number(row, 3, pick.randint(1, 999_999), amount)
            sheet.write_string(row, 4, words.word() + "の" + words.word())
        sheet.write_datetime(0, 6, dt.datetime(2020, 1, 1) + dt.timedelta(pick.randint(0, 2000)), date)
        if rare and number == 0:
            sheet.write_string(3, 6, RARE)
    book.close()


def _document(path: Path, words: Words) -> None:
    pages = words.random.randint(1, 6)
    blocks: list[Paragraph | Table] = []
    for page in range(pages):
        first, *rest = words.lines(8, 20)
        blocks.append(Paragraph(first, new_page=page > 0, footnote=words.sentence() if page == 0 else ""))
        blocks += [Paragraph(line) for line in rest]
        blocks.append(Table([[words.word() for _ in range(4)] for _ in range(5)]))
    Document(blocks, header=words.word()).write(path)


def _slides(path: Path, words: Words) -> None:
    count = words.random.randint(5, 20)
    powerpoint.write(
        path, [powerpoint.Slide(words.word(), words.lines(3, 6), notes=words.sentence()) for _ in range(count)]
    )


def _pdf(path: Path, words: Words) -> None:
    pdf.write(path, [words.lines(15, 35) for _ in range(words.random.randint(1, 8))])


def _text(path: Path, words: Words) -> None:
    # Kana tell Shift_JIS from other encodings; random kanji outside of it would not encode.
    encoding = words.random.choice(["utf-8", "utf-16", "cp932"])
    lines = [f"{number}行目です、{line}" for number, line in enumerate(words.lines(50, 400), 1)]
    path.write_bytes("\r\n".join(lines).encode(encoding, "replace"))
