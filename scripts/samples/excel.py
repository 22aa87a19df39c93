"""The sample workbooks: sheets, number formats, a comment, a text box, a hidden sheet."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import xlsxwriter

_ERA = '[$-411]ggge"年"m"月"d"日"'
_YEN = '"¥"#,##0'


def quotation(path: Path) -> None:
    """A Japanese quotation: era date, yen, a remark on a cell, a text box, and a hidden sheet of costs."""
    book = xlsxwriter.Workbook(path)
    era, yen = book.add_format({"num_format": _ERA}), book.add_format({"num_format": _YEN})
    percent = book.add_format({"num_format": "0.0%"})
    sheet = book.add_worksheet("見積書")
    sheet.write("B2", "御見積書")
    sheet.write("B4", "株式会社青葉商事 御中")
    sheet.write("E4", "発行日")
    sheet.write_datetime("F4", dt.datetime(2024, 5, 1), era)
    sheet.write_row("B6", ["品名", "数量", "単価", "値引", "金額"])
    items = [
        ("業務用プリンター", 3, 128_000, 0.05),
        ("保守契約（1年）", 3, 24_000, 0.0),
        ("設置作業費", 1, 35_000, 0.0),
    ]
    for row, (name, count, price, discount) in enumerate(items, 6):
        sheet.write(row, 1, name)
        sheet.write(row, 2, count)
        sheet.write(row, 3, price, yen)
        sheet.write(row, 4, discount, percent)
        sheet.write_formula(
            row, 5, f"=C{row + 1}*D{row + 1}*(1-E{row + 1})", yen, round(count * price * (1 - discount))
        )
    sheet.write("B11", "合計（税抜）")
    sheet.write_formula("F11", "=SUM(F7:F9)", yen, round(sum(c * p * (1 - d) for _, c, p, d in items)))
    sheet.write_comment("D7", "単価は4月改定後のもの。次回の見積で再確認すること。")
    sheet.insert_textbox("B13", "有効期限：発行日より30日間")
    terms = book.add_worksheet("取引条件")
    terms.write_column("A1", ["納期：ご発注後3週間", "支払条件：月末締め翌月末払い", "納入場所：貴社指定場所"])
    costs = book.add_worksheet("原価（社外秘）")
    costs.write_row("A1", ["業務用プリンター", 96_500])
    costs.hide()
    book.close()


def sales(path: Path) -> None:
    """Sales of a year: months, shares in percent, and 13-digit product codes that Excel shows as 4.90123E+12."""
    book = xlsxwriter.Workbook(path)
    number = book.add_format({"num_format": "#,##0;[Red]-#,##0"})
    percent, month = book.add_format({"num_format": "0.0%"}), book.add_format({"num_format": 'yyyy"年"m"月"'})
    sheet = book.add_worksheet("月次売上")
    sheet.write_row("A1", ["月", "売上高", "前年比", "備考"])
    for index in range(12):
        year, calendar = (2024, index + 4) if index < 9 else (2025, index - 8)
        sheet.write_datetime(index + 1, 0, dt.datetime(year, calendar, 1), month)
        sheet.write(index + 1, 1, 1_234_567 + index * 98_765, number)
        sheet.write(index + 1, 2, 0.974 + index * 0.012, percent)
    sheet.write("D3", "大型連休のため減少")
    sheet.write("D9", "青葉商事の大口受注")
    goods = book.add_worksheet("商品別")
    goods.write_row("A1", ["商品コード", "商品名", "売上高", "返品"])
    rows = [
        (4901234567894, "業務用プリンター", 8_640_000, -128_000),
        (4909876543212, "トナーカートリッジ 黒", 2_415_300, 0),
    ]
    for row, (code, name, amount, returned) in enumerate(rows, 1):
        goods.write(row, 0, code)
        goods.write(row, 1, name)
        goods.write(row, 2, amount, number)
        goods.write(row, 3, returned, number)
    book.close()


def quarter(path: Path) -> None:
    """An English workbook: dollars, dates, percent, a remark, a text box."""
    book = xlsxwriter.Workbook(path)
    dollars, date = book.add_format({"num_format": "$#,##0.00"}), book.add_format({"num_format": "mmm d, yyyy"})
    percent = book.add_format({"num_format": "0.0%"})
    sheet = book.add_worksheet("Summary")
    sheet.write_row("A1", ["Region", "Revenue", "Change", "Closed on"])
    for row, (region, amount, change) in enumerate([("Americas", 1_250_400.5, 0.062), ("EMEA", 980_310.25, -0.014)], 1):
        sheet.write(row, 0, region)
        sheet.write(row, 1, amount, dollars)
        sheet.write(row, 2, change, percent)
        sheet.write_datetime(row, 3, dt.datetime(2024, 6, 28), date)
    sheet.write_comment("B3", "EMEA: two invoices moved into the next quarter")
    sheet.insert_textbox("F2", "Draft for the board, not audited")
    detail = book.add_worksheet("Invoices")
    detail.write_row("A1", ["Invoice", "Customer", "Amount"])
    detail.write_row("A2", ["INV-2024-0117", "Northwind Traders"])
    detail.write("C2", 48_210, dollars)
    book.close()
