"""Text files as one place (extraction.md sections 2 and 5)."""

from __future__ import annotations

import pytest

from tebunko.extract.source import Options, Source, source_of
from tebunko.extract.text.reader import TEXT_LIMIT, read_text
from tebunko.model.errors import ExtractError, Reason


def lines_of(data: bytes) -> list[str]:
    extraction = read_text(source_of("a.txt", data), Options())
    assert [unit.place.name for unit in extraction.units] == ["本文"]
    return extraction.units[0].lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\r\nc\rd", ["a", "b", "c", "d"]),
        (b"\n\n a\n\nb\n", ["", "", " a", "", "b"]),
        (b"a \t\r\nb\n \n\n", ["a", "b"]),
        ("a\u3000\nb".encode(), ["a", "b"]),
        ("a\u2028b\x85c\x0bd\x0ce".encode(), ["a\u2028b\x85c\x0bd\x0ce"]),
        (b"a\x1cb", ["ab"]),
        (b"\xef\xbb\xbfa", ["a"]),
    ],
)
def test_lines(data: bytes, lines: list[str]) -> None:
    assert lines_of(data) == lines


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \r\n\t\n"])
def test_no_visible_text_no_unit(data: bytes) -> None:
    assert read_text(source_of("a.txt", data), Options()).units == []


def test_a_large_file_is_refused_unread() -> None:
    with pytest.raises(ExtractError) as caught:
        read_text(Source("a.log", TEXT_LIMIT + 1, 0, None, None), Options())
    assert caught.value.reason is Reason.TOO_LARGE


def test_the_limit_itself_is_read() -> None:
    assert len(lines_of(b"a" * TEXT_LIMIT)[0]) == TEXT_LIMIT
