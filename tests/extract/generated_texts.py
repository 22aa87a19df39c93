"""Japanese texts of many kinds, encodings and sizes, whole, cut, mixed or binary, for the rates of right decoding.

The bytes are made by Python's codecs, so the text that must come back is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

PROSE = (
    "会議は予定どおり午後三時から始まり、来期の計画について話し合った。",
    "ご注文の商品は本日発送いたしました。到着まで今しばらくお待ちください。",
    "この設定を変えると、サーバーを再起動するまで古い値が使われます。",
    "昨夜からの雨で川の水が増え、橋の手前で通行止めになっている。",
    "契約を更新するときは、期限の三十日前までに書面で知らせるものとする。",
    "ファイルを開けないときは、ほかのアプリケーションで使っていないか確かめてください。",
    "売上は前年より12.5％増え、1,234百万円になった。",
    "窓を開けると、パンを焼くにおいがした。",
)
FAMILY_NAMES = [
    "佐藤",
    "鈴木",
    "高橋",
    "田中",
    "伊藤",
    "渡辺",
    "山本",
    "中村",
    "小林",
    "加藤",
    "吉田",
    "佐々木",
    "山口",
    "松本",
    "井上",
    "木村",
    "斎藤",
    "清水",
]
GIVEN_NAMES = [
    "太郎",
    "花子",
    "一郎",
    "美咲",
    "健太",
    "陽子",
    "さくら",
    "翔",
    "大輔",
    "直樹",
    "恵子",
    "ひろし",
    "マリ",
    "みどり",
]
NARROW_NAMES = [
    "ｻﾄｳ",
    "ｽｽﾞｷ",
    "ﾀｶﾊｼ",
    "ﾀﾅｶ",
    "ﾜﾀﾅﾍﾞ",
    "ﾔﾏﾓﾄ",
    "ﾅｶﾑﾗ",
    "ｺﾊﾞﾔｼ",
    "ﾖｼﾀﾞ",
    "ﾔﾏｸﾞﾁ",
    "ﾏﾂﾓﾄ",
    "ﾊﾅｺ",
    "ﾀﾛｳ",
    "ｹﾝﾀ",
    "ﾖｳｺ",
    "ｶ)ｻﾝﾌﾟﾙ",
    "ﾄｳｷﾖｳﾄ",
]
TOWNS = ["東京都港区", "大阪府堺市", "札幌市", "あきる野市", "つくば市", "さいたま市", "福岡県"]
CODE = (
    "// 値を読み込んでから検査する",
    "int main(int argc, char **argv) {",
    '    fprintf(stderr, "ファイルがありません: %s\\n", name);',
    "    return 0; /* ここまで */",
    "}",
    "# 既定の設定",
    "def load(path):",
    '    """設定を読む。"""',
    "SELECT 氏名, 住所 FROM 顧客 WHERE 削除 = 0;",
    '<td class="total">合計金額</td>',
    "copy C:\\共有\\資料~1.txt D:\\temp",
)
CHINESE_LIKE = [
    "東京",
    "京都",
    "大阪",
    "会社",
    "取引",
    "銀行",
    "契約",
    "更新",
    "期限",
    "書面",
    "売上",
    "前年",
    "増加",
    "計画",
    "会議",
    "予定",
    "発送",
    "注文",
    "商品",
    "到着",
]


def _prose(dice: Random) -> str:
    return "".join(dice.choices(PROSE, k=dice.randint(1, 3)))


def _name(dice: Random) -> str:
    return dice.choice(FAMILY_NAMES) + dice.choice(("", " ", "　")) + dice.choice(GIVEN_NAMES)


def _code(dice: Random) -> str:
    return dice.choice(CODE)


def _csv(dice: Random) -> str:
    kana = f"{dice.choice(NARROW_NAMES)} {dice.choice(NARROW_NAMES)}"
    return f"{dice.randrange(10000):05d},{_name(dice)},{kana},{dice.randrange(99999)},{dice.choice(TOWNS)}"


def _kanji(dice: Random) -> str:
    return "".join(dice.choices(CHINESE_LIKE, k=dice.randint(2, 6)))


LINES: dict[str, Callable[[Random], str]] = {"prose": _prose, "names": _name, "code": _code, "csv": _csv}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "UTF-8 with mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16LE with mark": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16BE with mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16LE": lambda text: text.encode("utf-16-le"),
    "UTF-16BE": lambda text: text.encode("utf-16-be"),
    "Shift_JIS": lambda text: text.encode("cp932"),
    "EUC-JP": lambda text: text.encode("euc_jp"),
    "ISO-2022-JP": lambda text: text.encode("iso2022_jp_ext"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Bytes, how they came about, and the text that they must decode to (None: they are no one text)."""

    data: bytes
    encoding: str
    kind: str
    text: str | None
    cut: bool = False


def text_of(kind: str, length: int, dice: Random) -> str:
    """About ``length`` characters of that kind; beyond some thousand they repeat."""
    make, end = (_kanji if kind == "kanji" else LINES[kind]), dice.choice(("\n", "\r\n"))
    lines, size = [], 0
    while size < min(length, 4000):
        lines.append(make(dice))
        size += len(lines[-1]) + len(end)
    text = end.join(lines) + end
    return (text * (length // len(text) + 1))[:length]


def sample(dice: Random, largest: int) -> Sample:
    """One of the mixture: nine encodings, sizes from 10 bytes to ``largest``, a tenth cut, a tenth mixed or binary."""
    kind, encoding = dice.choice(list(LINES)), dice.choice(list(ENCODINGS))
    size = int(10 ** dice.uniform(1, dice.uniform(1.3, len(str(largest)) - 1)))
    text = text_of(kind, max(4, size // 2), dice)
    data = ENCODINGS[encoding](text)
    fate = dice.random()
    if fate < 0.05:
        return Sample(dice.randbytes(size), "binary", "binary", None)
    if fate < 0.10 and len(data) > 200 and "mark" not in encoding:
        other = dice.choice([e for e in ("UTF-8", "Shift_JIS", "EUC-JP") if e != encoding])
        return Sample(data + ENCODINGS[other](text_of("prose", 200, dice)), f"{encoding} then {other}", kind, None)
    if fate < 0.20 and len(data) > 12:
        return Sample(data[: len(data) - dice.randint(1, 3)], encoding, kind, text, cut=True)
    return Sample(data, encoding, kind, text)
