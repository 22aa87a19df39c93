"""The sample presentations: notes, a table, a hidden slide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pptx import Presentation
from pptx.util import Cm


class Slide(NamedTuple):
    """One slide: its title, the lines below, what the speaker says, a table, and whether a show skips it."""

    title: str
    lines: Sequence[str]
    notes: str = ""
    table: Sequence[Sequence[str]] = ()
    hidden: bool = False


def write(path: Path, slides: Sequence[Slide]) -> None:
    """Writes a presentation of these slides with python-pptx's own template."""
    deck = Presentation()
    for content in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = content.title
        slide.placeholders[1].text = "\n".join(content.lines)
        if content.notes:
            slide.notes_slide.notes_text_frame.text = content.notes
        if content.table:
            columns = len(content.table[0])
            frame = slide.shapes.add_table(len(content.table), columns, Cm(2), Cm(11), Cm(20), Cm(4))
            for row, cells in enumerate(content.table):
                for column, text in enumerate(cells):
                    frame.table.cell(row, column).text = text
        if content.hidden:
            slide._element.set("show", "0")
    deck.save(str(path))


def launch_ja(path: Path) -> None:
    """A Japanese product launch."""
    write(
        path,
        [
            Slide("新製品発表会", ["高速プリンター TB-500", "開発部"], notes="挨拶のあと、開発の経緯を1分で話す。"),
            Slide(
                "特長",
                ["毎分60枚の高速印刷", "消費電力を40%削減"],
                notes="競合製品との比較は質問が出たときだけ見せる。",
                table=[["項目", "TB-400", "TB-500"], ["印刷速度", "40枚/分", "60枚/分"]],
            ),
            Slide("想定問答", ["価格はいつ決まるか → 6月上旬"], hidden=True),
        ],
    )


def launch_en(path: Path) -> None:
    """An English product launch."""
    write(
        path,
        [
            Slide("Product launch", ["TB-500 high-speed printer"], notes="Welcome the guests, then show the video."),
            Slide("Roadmap", ["Color model in autumn"], table=[["Quarter", "Milestone"], ["Q3", "Field test"]]),
            Slide("Backup", ["Price list under discussion"], hidden=True),
        ],
    )
