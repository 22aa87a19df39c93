"""The main job on real documents: every file accounted for, the words that other programs find, hits at their places."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import office_oxide
import pypdfium2
import pytest
import python_calamine
from lxml import etree

from tebunko.api import Hit, Reason, SearchOptions, Workspace
from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.states import FileState
from tebunko.search.locator import parse_locator
from tebunko.store.content import list_parts, parse_places, read_text

KINDS = {
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".docx": "docx",
    ".docm": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".pdf": "pdf",
}
WORD = re.compile(r"\w+")
LONG_ENOUGH = 2


@dataclass(frozen=True)
class Corpus:
    """An updated workspace over the real documents."""

    folder: Path
    workspace: Workspace
    states: dict[str, FileState]
    words: dict[str, Counter[str]]


@pytest.fixture(scope="module")
def indexed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    workspace = Workspace(tmp_path_factory.mktemp("first light") / "workspace")
    workspace.add(corpus, "corpus")
    workspace.update(locale="en-US")
    from tebunko.store.ingest_list import read_list

    rows = read_list(workspace.layout.ingest_list).rows()
    states = {row.path.partition("\\")[2].replace("\\", "/"): row.state for row in rows}
    return Corpus(corpus, workspace, states, dict(indexed_words(workspace)))


def indexed_words(workspace: Workspace) -> Iterator[tuple[str, Counter[str]]]:
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    top = workspace.layout.content_folder("corpus")
    for folder in [top, *(p for p in top.rglob("*") if p.is_dir())]:
        for part in list_parts(folder):
            text = read_text(part.path)
            for span in parse_places(text):
                name = (folder.relative_to(top) / span.source).as_posix()
                words[name].update(WORD.findall(text[span.start : span.end]))
    yield from words.items()


def by_calamine(path: Path) -> str:
    book = python_calamine.CalamineWorkbook.from_path(str(path))
    visible = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible == python_calamine.SheetVisibleEnum.Visible
        and sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
    ]
    cells = (c for name in visible for row in book.get_sheet_by_name(name).to_python() for c in row)
    return "\n".join(c for c in cells if isinstance(c, str))


def by_office_oxide(path: Path) -> str:
    return str(office_oxide.extract_text(str(path)))


def left_out(path: Path) -> Counter[str]:
    """Words of a package that office-oxide gives and extraction.md leaves out.

    The points' names and numbers of charts, texts of masters and layouts, authors of comments, alternative texts and file
    names of pictures, slide numbers and dates.
    """
    words: Counter[str] = Counter()
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            if not name.endswith(".xml"):
                continue
            root = etree.fromstring(package.read(name))
            found: list[str] = []
            if "/charts/" in name:
                found = [v.text for v in root.iterfind(".//{*}pt/{*}v")]
            elif "slideMaster" in name or "slideLayout" in name:
                found = [t.text for t in root.iterfind(".//{*}t")]
            elif "slides/" in name or "notesSlides/" in name:
                found = [a for p in root.iterfind(".//{*}cNvPr") for a in (p.get("descr"), p.get("name"))]
                for shape in root.iterfind(".//{*}sp"):
                    placeholder = shape.find(".//{*}nvPr/{*}ph")
                    if placeholder is not None and placeholder.get("type") in ("dt", "sldNum", "ftr", "hdr"):
                        found += [t.text for t in shape.iterfind(".//{*}t")]
            elif "omment" in name:
                found = [a for e in root.iter("{*}*") for k, a in e.attrib.items() if k.endswith(("author", "name"))]
            words.update(w for text in found if text for w in WORD.findall(text))
    return words


def by_pdfium(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


def by_strict_decoder(path: Path) -> str:
    data = path.read_bytes()
    if len(data) > 10_000_000 or b"\0" in data:
        raise ValueError("no text")
    return data.decode("utf-8-sig")


SECOND_TOOLS: dict[str, Callable[[Path], str]] = {
    "xlsx": by_calamine,
    "docx": by_office_oxide,
    "pptx": by_office_oxide,
    "pdf": by_pdfium,
    "text": by_strict_decoder,
}


def of_kind(files: dict[str, FileState], kind: str) -> list[str]:
    if kind == "text":
        return [f for f in files if kind_of(f) is FileKind.TEXT]
    return [f for f in files if KINDS.get(Path(f).suffix.lower()) == kind]


@pytest.mark.parametrize("kind", SECOND_TOOLS)
def test_what_a_second_tool_opens_is_read_with_its_words(indexed: Corpus, kind: str) -> None:
    opened = read = theirs_total = found = 0
    for file in of_kind(indexed.states, kind):
        try:
            theirs = Counter(
                w for w in WORD.findall(SECOND_TOOLS[kind](indexed.folder / file)) if len(w) >= LONG_ENOUGH
            )
            if kind in ("docx", "pptx"):
                theirs -= left_out(indexed.folder / file)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        opened += 1
        if indexed.states[file] is not FileState.DONE:
            continue
        read += 1
        theirs_total += theirs.total()
        found += (theirs & indexed.words.get(file, Counter())).total()
    print(f"{kind}: {read}/{opened} read, {found}/{theirs_total} words")
    assert opened > 0
    assert read >= 0.95 * opened
    assert found >= 0.90 * theirs_total


def test_every_other_file_has_its_reason(indexed: Corpus) -> None:
    failures = indexed.workspace.failures()
    unread = {file for file, state in indexed.states.items() if state is not FileState.DONE}
    assert {f.file for f in failures} == unread
    for failure in failures:
        assert failure.reason in set(Reason), failure
        assert "\n" not in failure.text and "Traceback" not in failure.text
        assert "process ended" not in failure.text, failure


def test_a_second_update_takes_nothing(indexed: Corpus) -> None:
    summary = indexed.workspace.update()
    assert (summary.done, summary.failed, summary.postponed, summary.removed) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", ["excel", "word", "powerpoint", "pdf", "text"])
def test_hits_are_where_they_say(indexed: Corpus, kind: str) -> None:
    """A hundred hits and more a kind: reading the source anew shows that text at that place and line."""
    hits = spread(indexed, kind)
    assert len(hits) >= 100
    paths = sorted({hit.source.path or "" for hit in hits})
    lines: dict[tuple[str, str], list[str]] = {}
    for read in indexed.workspace.cat(paths, locale="en-US"):
        assert read.reason is None, (read.path, read.reason)
        for found in read.places:
            lines[read.path, found.place.name] = found.lines
    for hit in hits:
        source = hit.source.path or ""
        assert lines[source, hit.place.name][hit.line - 1] == hit.text
        where = parse_locator(hit.locator)
        assert (where.index, where.file, where.place) == (hit.source.index, hit.source.file, hit.place.name)
        if hit.place.is_cells:
            assert where.cell is not None
            column, row = re.fullmatch(r"([A-Z]+)([0-9]+)", where.cell).groups()  # type: ignore[union-attr]
            cell = lines[source, hit.place.name][int(row) - 1].split("\t")[number_of(column)]
            assert hit.text[slice(*hit.spans[0])] in cell
        elif hit.place.has_addresses:
            assert hit.text.startswith(f"{where.cell}\t")
        else:
            assert where.line == hit.line


def spread(indexed: Corpus, kind: str) -> list[Hit]:
    """Hits of common words and of Japanese, a few a file so that many files are seen."""
    taken: list[Hit] = []
    per_file: Counter[str] = Counter()
    for event in indexed.workspace.search(SearchOptions(r"[ぁ-んァ-ヶ一-龠]{2,}|[A-Za-z]{4,}", regex=True, kinds=kind)):
        if isinstance(event, list):
            for row in event:
                if isinstance(row, Hit) and per_file[row.source.file] < 12 and row.line % 3 != 2:
                    per_file[row.source.file] += 1
                    taken.append(row)
    return taken


def number_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
