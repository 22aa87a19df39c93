"""The sample Word documents: pages, a header, a footnote, a table, a text box, a remark."""

from __future__ import annotations

from pathlib import Path

from scripts.docx_writer import Document, Paragraph, Table, TextBox


def minutes(path: Path) -> None:
    """Japanese minutes of a meeting, two pages."""
    Document(
        [
            Paragraph("営業会議 議事録", bold=True),
            Paragraph("日時：2024年5月1日（水）10:00〜11:30　場所：本社 第2会議室"),
            Table([["出席者", "所属"], ["佐藤", "営業部"], ["髙橋", "開発部"], ["鈴木", "総務部"]]),
            Paragraph("1. 4月の売上", bold=True),
            Paragraph("4月の売上高は前年比97.4%となった。", footnote="売上高は税抜。返品は翌月に計上する。"),
            Paragraph("青葉商事への見積は有効期限を30日とする。", comment="金額は5月10日までに確定"),
            TextBox("持ち出し禁止"),
            Paragraph("2. 決定事項", bold=True, new_page=True),
            Paragraph("新製品の発表は6月20日とし、発表資料は開発部が作成する。"),
            Paragraph("次回の会議は6月5日（水）に開催する。"),
        ],
        header="社外秘　営業部",
        footer="営業会議 議事録",
    ).write(path)


def design(path: Path) -> None:
    """A Japanese design document."""
    Document(
        [
            Paragraph("受発注システム 基本設計書", bold=True),
            Paragraph("本書は受発注システムの画面、帳票、外部接続の仕様を定める。"),
            Table(
                [
                    ["画面ID", "画面名", "概要"],
                    ["SC-001", "受注入力", "受注の登録と変更"],
                    ["SC-002", "出荷指示", "出荷日と倉庫の指定"],
                ]
            ),
            Paragraph("外部接続", bold=True, new_page=True, footnote="接続先の証明書は毎年3月に更新する。"),
            Paragraph("倉庫管理システムとは1時間ごとにCSVファイルで連携する。文字コードはShift_JISとする。"),
        ],
        header="仕様書 第1.2版",
    ).write(path)


def agreement(path: Path) -> None:
    """English meeting notes, two pages."""
    Document(
        [
            Paragraph("Project kickoff: meeting notes", bold=True),
            Paragraph("The delivery date is June 28.", footnote="Subject to the warehouse being ready."),
            Table([["Task", "Owner", "Due"], ["Data migration", "Grace", "May 17"], ["Training", "Alan", "June 7"]]),
            TextBox("Internal use only"),
            Paragraph("Open questions", bold=True, new_page=True),
            Paragraph("Who signs the maintenance contract?", comment="Ask the legal team"),
        ],
        header="Confidential",
        footer="Project kickoff",
    ).write(path)
