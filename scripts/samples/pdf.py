"""The sample PDFs. The Japanese font is one of those that every PDF reader brings, so no font file is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

JAPANESE_FONT = "HeiseiKakuGo-W5"


def write(path: Path, pages: Sequence[Sequence[str]], font: str = JAPANESE_FONT) -> None:
    """Writes one page for each list of lines, from the top left corner of A4 paper."""
    if font == JAPANESE_FONT:
        pdfmetrics.registerFont(UnicodeCIDFont(JAPANESE_FONT))
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    for lines in pages:
        canvas.setFont(font, 11)
        for number, line in enumerate(lines):
            canvas.drawString(60, A4[1] - 72 - 18 * number, line)
        canvas.showPage()
    canvas.save()


def rules(path: Path) -> None:
    """An excerpt of Japanese work rules, two pages."""
    write(
        path,
        [
            [
                "就業規則（抜粋）",
                "第12条　始業は午前9時、終業は午後5時30分とする。",
                "第13条　休憩時間は正午から1時間とする。",
            ],
            [
                "第21条　年次有給休暇は、6か月継続勤務した者に10日を与える。",
                "第22条　休暇の申請は3日前までに行う。",
            ],
        ],
    )


def service_agreement(path: Path) -> None:
    """An English agreement, two pages."""
    write(
        path,
        [
            ["Service agreement", "1. The provider repairs the printers within two working days."],
            ["2. The agreement ends on March 31, 2026.", "3. Either party may terminate it with 30 days' notice."],
        ],
        font="Helvetica",
    )
