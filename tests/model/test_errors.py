"""Reasons and their sentences."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.errors import (
    LOSES_TEXT,
    MESSAGES,
    POSTPONING,
    ExtractError,
    Reason,
    UserError,
    one_line,
    reason_of,
    sentence_on_disk,
)

SENTENCES = {reason: sentence_on_disk(reason) for reason in Reason}


def test_every_reason_has_a_sentence_and_a_message() -> None:
    assert set(MESSAGES) == set(SENTENCES) == set(Reason)
    assert all(SENTENCES.values()) and all(MESSAGES.values())
    assert all(not any(c in text for c in "\t\r\n") for text in SENTENCES.values())


def test_no_sentence_is_the_beginning_of_another() -> None:
    for reason, sentence in SENTENCES.items():
        assert not any(other.startswith(sentence) for r, other in SENTENCES.items() if r is not reason)


@given(st.sampled_from(list(Reason)), st.text().map(one_line))
def test_the_sentence_tells_the_reason_again(reason: Reason, detail: str) -> None:
    assert reason_of(sentence_on_disk(reason, detail)) == (reason, detail)


def test_a_reason_lies_in_the_content_or_in_the_world() -> None:
    assert set(Reason) == LOSES_TEXT | POSTPONING
    assert not LOSES_TEXT & POSTPONING
    # facts.md, States: these are 失敗
    assert {
        Reason.PASSWORD,
        Reason.RIGHTS,
        Reason.DAMAGED,
        Reason.NOT_TEXT,
        Reason.TOO_LARGE,
        Reason.TIME_LIMIT,
        Reason.MEMORY,
        Reason.KILLED_TWICE,
    } == LOSES_TEXT


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        # what the documents quote of the other program
        (
            "読み取りパスワードが設定されているため開けません（パスワード付きのファイルは取り込めません）",
            Reason.PASSWORD,
        ),
        (
            "10 分以内に取り込みが終わらなかったため中止しました（Officeアプリを強制終了しました）",
            Reason.TIME_LIMIT,
        ),
        ("取り込み中に 2 回続けて強制終了されたため、取り込みを中止しました（…）", Reason.KILLED_TWICE),
    ],
)
def test_sentences_of_the_other_program(sentence: str, reason: Reason) -> None:
    found = reason_of(sentence)
    assert found is not None and found[0] is reason


@pytest.mark.parametrize("sentence", ["", "知らない理由", "（）", "時間", "ファイルが大きすぎる"])
def test_sentences_nobody_knows(sentence: str) -> None:
    assert reason_of(sentence) is None


@given(st.text(), st.integers(1, 400))
def test_one_line_fits_a_field(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit and line.isprintable() and line == line.strip()


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(ExtractError(Reason.DAMAGED, "bad\nzip")))
    assert (error.reason, error.detail, str(error)) == (Reason.DAMAGED, "bad zip", "damaged: bad zip")
    told = pickle.loads(pickle.dumps(UserError("no {name}", name="営業")))
    assert str(told) == "no 営業"
