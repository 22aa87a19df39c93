"""Folding: what is taken for the same, and that skeletons hold whatever any comparison finds."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.folding import FOLDING, changed_skeletons, folding, skeleton, skeleton_of
from tebunko.model.variants import variant_groups

ALPHABET = "aAéÉe\u0301\u0323ßẞİıſkK\u212aかカｶガが゛ﾞ\u3099ハﾊﾟパぱヶケーｰ-－―−〜～ 　\xa0\t\n\u2028㈱(株)①1½…高髙﨑崎邉辺葛\U000e0100\u200b\xad𠮷吉가각ᄀ"
texts = st.one_of(st.text(st.sampled_from(ALPHABET), max_size=12), st.text(max_size=8))

SAME = [
    ("ＡＢＣ１２３", "abc123"),
    ("ﾀﾞｲﾔ", "ダイヤ"),
    ("だいや", "ダイヤ"),
    ("た\u3099いや", "ダイヤ"),
    ("タ゛イヤ", "ダイヤ"),
    ("パ", "は\u309a"),
    ("サーバー", "サ－バ―"),
    ("090-1234", "０９０−１２３４"),
    ("10〜20", "10～20"),
    ("山田　太郎", "山田 太郎"),
    ("山田\xa0太郎", "山田\u2003太郎"),
    ("㈱青葉", "(株)青葉"),
    ("髙橋", "高橋"),
    ("宮﨑", "宮崎"),
    ("渡邊", "渡邉"),
    ("渡邉", "渡辺"),
    ("齋藤", "斉藤"),
    ("德川", "徳川"),
    ("濵田", "濱田"),
    ("濱田", "浜田"),
    ("葛\U000e0100城", "葛城"),
    ("霞ヶ関", "霞ケ関"),
    ("Straße", "STRASSE"),
    ("⽇本", "日本"),
    ("神", "神"),
]
DIFFERENT = [("か", "が"), ("は", "ぱ"), ("ッ", "ツ"), ("坂", "阪"), ("a\tb", "a b"), ("a\u2028b", "a b"), ("é", "e")]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_people_take_for_the_same_is_the_same(one: str, other: str) -> None:
    assert FOLDING.fold(one) == FOLDING.fold(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert FOLDING.fold(one) != FOLDING.fold(other)


def test_case_is_kept_on_request() -> None:
    keeping = folding(keeps_case=True)
    assert keeping.fold("Ａｐｐｌｅ") == "Apple"
    assert keeping.fold("髙ﾀﾞ") == "高ダ"


def test_every_variant_is_in_one_group_only() -> None:
    groups = variant_groups()
    assert len(groups) >= 100
    assert len("".join(groups)) == len(set("".join(groups)))
    assert all(len(group) > 1 for group in groups)
    assert all(len({FOLDING.fold(c) for c in group}) == 1 for group in groups)


def test_the_table_of_variants_is_in_the_documents() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "variants.md").read_text("utf-8")
    listed = [group for line in text.split("\n") if not line.startswith("#") for group in line.split()]
    assert [group for group in variant_groups() if group not in listed] == []


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert FOLDING.fold(FOLDING.fold(text)) == FOLDING.fold(text)


@given(texts)
def test_canonically_equal_texts_of_kana_and_latin_fold_alike(text: str) -> None:
    if any("\u1100" <= c <= "\u11ff" or "\uac00" <= c <= "\ud7a3" or unicodedata.combining(c) > 240 for c in text):
        return
    if all(ord(c) < 0x3100 and (ord(c) < 0x530 or ord(c) > 0x3040) for c in text):
        assert FOLDING.fold(unicodedata.normalize("NFD", text)) == FOLDING.fold(unicodedata.normalize("NFC", text))


@given(texts, st.booleans())
def test_a_traced_fold_is_the_fold_and_leads_back(text: str, keeps_case: bool) -> None:
    how = folding(keeps_case=keeps_case)
    traced = how.fold_traced(text)
    assert traced.text == how.fold(text)
    last = 0
    for at, char in enumerate(traced.text):
        start, end = traced.original(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last or (at and traced.original(at - 1, at)[0] == start)
        assert char in how.fold(text[start:end])
        last = start


@given(texts, texts, st.booleans())
def test_skeletons_of_parts_are_parts_of_skeletons(one: str, other: str, keeps_case: bool) -> None:
    assert skeleton(one + other) == skeleton(one) + skeleton(other)
    assert skeleton(folding(keeps_case=keeps_case).fold(one)) == skeleton(one)


def test_skeletons_are_the_same_where_the_regex_package_ignores_case() -> None:
    everything = "".join(chr(c) for c in range(0x20000) if not 0xD800 <= c < 0xE000)
    cased = "".join(regex.findall(r"[\p{Lu}\p{Ll}\p{Lt}\u0345\u2160-\u217f\u24b6-\u24e9]", everything))
    for char in cased:
        for twin in regex.findall(char, cased, regex.IGNORECASE | regex.VERSION0):
            assert skeleton_of(twin) == skeleton_of(char), (char, twin)


def test_all_characters_that_change_are_listed() -> None:
    everything = [chr(c) for c in [*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE0200)]]
    assert changed_skeletons() == {c: s for c in everything if (s := skeleton_of(c)) != c}
    assert dict(FOLDING.changed_characters()) == {c: f for c in everything if (f := FOLDING.character(c)) != c}
