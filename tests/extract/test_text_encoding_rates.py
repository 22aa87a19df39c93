"""How often a text of unknown encoding is read right, refused, or read wrong, over a generated mixture.

The mixture is the same at every run. By default it is short; TEBUNKO_LONG_TESTS=1 in the environment runs the full
one, of 20,000 texts up to 1 MB.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from tebunko.extract.text.encoding import decode_text
from tebunko.model.errors import ExtractError
from tests.extract.generated_texts import ENCODINGS, Sample, sample, text_of

LONG = os.environ.get("TEBUNKO_LONG_TESTS") == "1"
TEXTS, LARGEST = (20_000, 1_000_000) if LONG else (900, 10_000)
ENOUGH = 40
KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
LOST_TO_A_CUT = 3


def outcome(data: bytes, text: str | None, cut: bool = False) -> str:
    """What became of a text: right, wrong or refused. A cut one may lack its last characters."""
    try:
        got = decode_text(data)
    except ExtractError:
        return "refused"
    if text is not None and (got == text or (cut and text.startswith(got) and len(text) - len(got) <= LOST_TO_A_CUT)):
        return "right"
    return "wrong"


def is_promised(made: Sample) -> bool:
    """True if the rules of extraction.md section 5 decode it: 40 characters and what each encoding is told by."""
    if made.text is None or len(made.text) < ENOUGH:
        return False
    kana = len(KANA.findall(made.text))
    if made.encoding == "EUC-JP":
        return kana >= 5
    if made.encoding in ("UTF-16LE", "UTF-16BE"):
        high_nuls = sum(c < "\u0100" for c in made.text)
        low_nuls = sum(ord(c) & 0xFF == 0 for c in made.text)
        return kana >= len(made.text) * 0.2 or (high_nuls >= len(made.text) * 0.2 and low_nuls <= high_nuls / 10)
    return True


@pytest.fixture(scope="module")
def outcomes() -> Counter[tuple[str, str]]:
    """How many samples there were by what they are and what became of them."""
    dice = Random(20_261_130)
    counts: Counter[tuple[str, str]] = Counter()
    for made in (sample(dice, LARGEST) for _ in range(TEXTS)):
        kind = "promised" if is_promised(made) else made.kind if made.text is None else "other"
        counts[kind, outcome(made.data, made.text, made.cut)] += 1
    return counts


def share(counts: Counter[tuple[str, str]], kind: str, result: str) -> float:
    return counts[kind, result] / sum(n for (k, _), n in counts.items() if k == kind)


def test_what_the_rules_promise_is_read_right(outcomes: Counter[tuple[str, str]]) -> None:
    assert share(outcomes, "promised", "right") >= 0.995
    assert share(outcomes, "promised", "wrong") == 0


def test_binary_is_refused(outcomes: Counter[tuple[str, str]]) -> None:
    assert share(outcomes, "binary", "refused") >= 0.98


def test_what_nothing_promises_is_seldom_wrong(outcomes: Counter[tuple[str, str]]) -> None:
    """Short texts, EUC-JP without kana, names in UTF-16 without mark."""
    assert share(outcomes, "other", "wrong") <= 0.06


@pytest.mark.parametrize("first", ["UTF-8", "Shift_JIS", "EUC-JP"])
@pytest.mark.parametrize("second", ["UTF-8", "Shift_JIS", "EUC-JP"])
def test_a_text_in_two_encodings_is_refused(first: str, second: str) -> None:
    if first == second:
        return
    dice = Random(7)
    for _ in range(20):
        one, other = text_of("prose", 100, dice), text_of("prose", 100, dice)
        assert outcome(ENCODINGS[first](one) + ENCODINGS[second](other), None) == "refused"


def texts(kind: str, lengths: tuple[int, int], seed: int) -> Iterator[str]:
    dice = Random(seed)
    for _ in range(1000 if LONG else 200):
        yield text_of(kind, dice.randint(*lengths), dice)


FOREIGN = {
    "gbk": "本合同由双方签订，自签字之日起生效。请先修改配置文件，然后重新启动服务。错误信息会显示在屏幕上。",
    "big5": "本合約由雙方簽訂，自簽字之日起生效。請先修改設定檔，然後重新啟動服務。錯誤訊息會顯示在螢幕上。",
    "euc_kr": "이 계약은 서명한 날부터 효력이 있다. 먼저 설정 파일을 고치고 서비스를 다시 시작한다.",
    "cp1251": "Договор вступает в силу со дня подписания. Сначала измените настройки и перезапустите службу.",
    "koi8-r": "Договор вступает в силу со дня подписания. Сначала измените настройки и перезапустите службу.",
    "cp1252": "Le contrat a été signé à l'été. Après avoir modifié le fichier, redémarrez le système.",
}


@pytest.mark.parametrize(("codec", "text"), FOREIGN.items(), ids=FOREIGN)
def test_other_encodings_are_refused_from_forty_characters(codec: str, text: str) -> None:
    for start in range(len(text)):
        piece = (text * 2)[start : start + ENOUGH]
        if not piece.isascii():
            assert outcome(piece.encode(codec), piece) in ("refused", "right")


def test_euc_jp_without_kana_is_refused_from_forty_characters() -> None:
    results = Counter(outcome(text.encode("euc_jp"), text) for text in texts("kanji", (40, 400), 11))
    assert results["refused"] >= 0.98 * results.total()
