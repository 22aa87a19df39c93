"""A small folder of office documents of our own making, for the demonstration, the tests and the pictures.

They are written when they are needed rather than kept in the repository: what a document holds can then be read here,
a change shows in a diff, and the repository carries no binaries.
"""

from __future__ import annotations

from pathlib import Path

from scripts.samples import excel, pdf, powerpoint, word

_NOTICE = """\
社内通達
総務部より：5月1日から入館証の様式が変わります。
旧い入館証は5月31日までに総務部（内線 1234）へ返却してください。
"""
_ADDRESSES = """\
会社名,担当者,電話番号,備考
株式会社青葉商事,佐々木,03-1234-5678,"見積書は郵送, 請求書はメール"
ミナト物流㈱,髙橋,045-987-6543,
"""
_README = """\
Overseas office
Ask Grace for the keys to the archive.
Quotations are kept for seven years.
"""
_ORDERS = """\
order,customer,item,quantity
1001,Northwind Traders,TB-500 printer,2
1002,Contoso,"Toner, black",12
"""

_WRITERS = {
    "営業部/見積/見積書_青葉商事.xlsx": excel.quotation,
    "営業部/売上/2024年度 売上.xlsx": excel.sales,
    "営業部/議事録/2024-05-01 営業会議.docx": word.minutes,
    "開発部/仕様書/受発注システム 基本設計書.docx": word.design,
    "開発部/新製品発表会.pptx": powerpoint.launch_ja,
    "総務部/就業規則.pdf": pdf.rules,
    "overseas/Quarterly report.xlsx": excel.quarter,
    "overseas/Meeting notes.docx": word.agreement,
    "overseas/Product launch.pptx": powerpoint.launch_en,
    "overseas/Service agreement.pdf": pdf.service_agreement,
}
_TEXTS = {
    "総務部/通達.txt": (_NOTICE, "cp932", "\r\n"),
    "総務部/住所録.csv": (_ADDRESSES, "cp932", "\r\n"),
    "overseas/README.txt": (_README, "utf-8", "\n"),
    "overseas/orders.csv": (_ORDERS, "utf-8", "\n"),
    "開発部/接続手順.txt": ("倉庫管理システムへの接続手順\n1. 証明書を更新する。\n", "utf-8", "\n"),
}


def write_samples(folder: Path) -> list[Path]:
    """Writes all samples below ``folder``, which is made if need be; returns their paths in writing order."""
    written = []
    for name, writer in _WRITERS.items():
        writer(_below(folder, name))
        written.append(folder / name)
    for name, (text, encoding, line_end) in _TEXTS.items():
        _below(folder, name).write_bytes(text.replace("\n", line_end).encode(encoding))
        written.append(folder / name)
    return written


def _below(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
