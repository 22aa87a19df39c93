"""Errors for people, and the reasons for which a source file is not in the index.

Messages are ids of the catalogues in `tebunko.locale` (English text with ``{named}`` gaps); whoever shows one translates
it. The sentence in the ingest list is Japanese whatever the language of the user, as in the other program; `reason_of`
finds the reason again, so that it is shown in the reader's language.
"""

from __future__ import annotations

import re
from enum import StrEnum


class UserError(Exception):
    """An error that a person can act on: ``message`` is a catalogue id, ``params`` fill its gaps."""

    def __init__(self, message: str, **params: object) -> None:
        super().__init__(message)
        self.message = message
        self.params = params

    def __str__(self) -> str:
        return self.message.format(**self.params)


class Message:
    """A message for people that is not raised: a catalogue id and what fills its gaps, which may be messages again."""

    __slots__ = ("message", "params")

    def __init__(self, message: str, **params: object) -> None:
        self.message = message
        self.params = params

    def __str__(self) -> str:
        return self.message.format(**self.params)


class Cancelled(Exception):
    """The user asked to stop."""


class Reason(StrEnum):
    """Why a source file could not be read; the values are those of the JSON output."""

    PASSWORD = "password"
    RIGHTS = "rights"
    DAMAGED = "damaged"
    NOT_TEXT = "not_text"
    TOO_LARGE = "too_large"
    TIME_LIMIT = "time_limit"
    MEMORY = "memory"
    KILLED_TWICE = "killed_twice"
    IN_USE = "in_use"
    NO_PERMISSION = "no_permission"
    VANISHED = "vanished"
    UNREACHABLE = "unreachable"
    CHANGING = "changing"
    NEEDS_OFFICE = "needs_office"
    UNSUPPORTED = "unsupported"


POSTPONING = frozenset(
    {
        Reason.IN_USE,
        Reason.NO_PERMISSION,
        Reason.VANISHED,
        Reason.UNREACHABLE,
        Reason.CHANGING,
        Reason.NEEDS_OFFICE,
        Reason.UNSUPPORTED,
    }
)
"""Reasons that lie in the world, not in the content: the file stays 未取り込み and is tried again (facts.md, States)."""

LOSES_TEXT = frozenset(set(Reason) - POSTPONING)
"""Reasons that lie in the content: 失敗, and the old text leaves the index."""

_ON_DISK = {
    Reason.PASSWORD: "読み取りパスワードが設定されているため開けません（パスワード付きのファイルは取り込めません）",
    Reason.RIGHTS: "権限の管理（IRM・秘密度ラベル）で暗号化されているため開けません",
    Reason.DAMAGED: "ファイルが壊れているか、中身が拡張子と違うため読み取れません",
    Reason.NOT_TEXT: "テキストではないか、文字コードを判別できないため読み取れません",
    Reason.TOO_LARGE: "ファイルが大きすぎるため読み取れません",
    Reason.TIME_LIMIT: "制限時間内に取り込みが終わらなかったため中止しました",
    Reason.MEMORY: "読み取りに使うメモリが上限を超えたため中止しました",
    Reason.KILLED_TWICE: "取り込み中に 2 回続けて強制終了されたため、取り込みを中止しました",
    Reason.IN_USE: "ほかのアプリが使用中のため読み取れません。次の更新でもう一度取り込みます",
    Reason.NO_PERMISSION: "アクセス権が無いため読み取れません。次の更新でもう一度取り込みます",
    Reason.VANISHED: "取り込みの途中でファイルが無くなりました",
    Reason.UNREACHABLE: "ネットワークまたはディスクの読み取りエラーです。次の更新でもう一度取り込みます",
    Reason.CHANGING: "読み取り中にファイルが書き換えられました。次の更新でもう一度取り込みます",
    Reason.NEEDS_OFFICE: "このファイルの取り込みには LibreOffice が必要です",
    Reason.UNSUPPORTED: "この形式の読み取りにはまだ対応していません",
}

MESSAGES = {
    Reason.PASSWORD: "It is protected by a password; files with a password cannot be read",
    Reason.RIGHTS: "It is encrypted by rights management (IRM or a sensitivity label)",
    Reason.DAMAGED: "It is damaged, or its content is not what its extension says",
    Reason.NOT_TEXT: "It is not text, or its encoding cannot be told",
    Reason.TOO_LARGE: "It is too large to be read",
    Reason.TIME_LIMIT: "Reading it took longer than the time limit, so it was stopped",
    Reason.MEMORY: "Reading it needed more memory than the limit, so it was stopped",
    Reason.KILLED_TWICE: "The run was killed twice in a row while reading it, so it is left out",
    Reason.IN_USE: "Another application is using it; the next update tries again",
    Reason.NO_PERMISSION: "You have no permission to read it; the next update tries again",
    Reason.VANISHED: "It is not there, or not any more",
    Reason.UNREACHABLE: "The network or the disk gave an error; the next update tries again",
    Reason.CHANGING: "It changed while it was being read; the next update tries again",
    Reason.NEEDS_OFFICE: "Reading it needs LibreOffice",
    Reason.UNSUPPORTED: "Reading this format is not supported yet",
}
"""The sentence of each reason as a catalogue id."""


def message_of(reason: Reason, detail: str = "") -> Message:
    """The sentence of a reason, with the library's own message in brackets."""
    sentence = Message(MESSAGES[reason])
    return Message("{sentence} ({detail})", sentence=sentence, detail=detail) if detail else sentence


# What the other program writes for the same reasons, by how its sentences begin.
_FOREIGN = (
    (re.compile("読み取りパスワードが設定されている"), Reason.PASSWORD),
    (re.compile("取り込み中に [0-9]+ 回続けて強制終了された"), Reason.KILLED_TWICE),
    (re.compile("[0-9]+ 分以内に取り込みが終わらなかった"), Reason.TIME_LIMIT),
)


class ExtractError(Exception):
    """A source file cannot be read: the reason, and in ``detail`` the library's own message or a number, or ""."""

    def __init__(self, reason: Reason, detail: object = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = one_line(str(detail))

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)


def one_line(text: str, limit: int = 300) -> str:
    r"""Text fit for one field of the list: control characters and runs of blanks become one blank, cut at ``limit``.

    >>> one_line("a\r\n\tb  c")
    'a b c'
    """
    flat = " ".join("".join(c if c.isprintable() else " " for c in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def sentence_on_disk(reason: Reason, detail: str = "") -> str:
    """What the ingest list says of a reason; the library's message follows in brackets."""
    return _ON_DISK[reason] + (f"（{detail}）" if detail else "")


def reason_of(sentence: str) -> tuple[Reason, str] | None:
    """The reason and detail of a sentence in the ingest list; None if neither program's table has it.

    >>> reason_of(sentence_on_disk(Reason.DAMAGED, "bad zip"))
    (<Reason.DAMAGED: 'damaged'>, 'bad zip')
    """
    for reason, text in _ON_DISK.items():
        if sentence.startswith(text):
            rest = sentence[len(text) :]
            if not rest:
                return reason, ""
            if rest.startswith("（") and rest.endswith("）"):
                return reason, rest[1:-1]
    for beginning, reason in _FOREIGN:
        if beginning.match(sentence):
            return reason, ""
    return None
