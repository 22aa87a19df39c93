"""Units: what a reader may hand over, mended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.kinds import ALL_EXTENSIONS, TEXT_EXTENSIONS, extract_version, kind_of
from tebunko.model.place import part
from tebunko.model.unit import RawValue, RawValues, make_unit

BODY = part("本文")


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["a", "", "b", "", ""], ["a", "", "b"]),
        (["", "a"], ["", "a"]),
        (["a\r\nb"], ["a\u2028\u2028b"]),
        (["a\x1cb\x1dc\x1ed\x1fe"], ["abcde"]),
        (["\ud800a"], ["\ufffda"]),
        (["a", "\x1f"], ["a"]),  # empty only when it is mended
        (["a\x0bb\x0cc\x85d\u2028e"], ["a\x0bb\x0cc\x85d\u2028e"]),  # none of these ends a line
    ],
)
def test_lines_are_mended(lines: list[str], kept: list[str]) -> None:
    unit = make_unit(BODY, lines)
    assert unit is not None and unit.lines == kept


@pytest.mark.parametrize("lines", [[], [""], [" ", "\t", "\u3000"], ["\x1e"], ["\u2028"]])
def test_places_without_visible_text_are_none(lines: list[str]) -> None:
    assert make_unit(BODY, lines) is None


@given(st.lists(st.text(st.characters() | st.sampled_from("\x1e\r\n\ud800"))))
def test_whatever_a_reader_gives_keeps_the_promise(lines: list[str]) -> None:
    unit = make_unit(BODY, lines)
    if unit is not None:
        text = "\n".join(unit.lines)
        text.encode("utf-16-le")
        assert unit.lines[-1] and not set(text) & set("\r\x1c\x1d\x1e\x1f") and text.count("\n") == len(unit.lines) - 1


def test_raw_values() -> None:
    values = RawValues()
    values.append(1, 2, 0.5)
    values.append(1_048_576, 16_384, 45_000.0, True)
    assert list(values) == [RawValue(1, 2, 0.5, False), RawValue(1_048_576, 16_384, 45_000.0, True)]
    unit = make_unit(BODY, ["a"], RawValues())
    assert unit is not None and unit.values is None


def test_the_extensions_of_the_documents() -> None:
    assert len(TEXT_EXTENSIONS) == 75
    assert len(ALL_EXTENSIONS) == 75 + 10 + 1
    assert kind_of("テンプレート.xltx") is None and kind_of("a.DOCX") is not None and kind_of("xlsx") is None
    versions = {e: extract_version(e) for e in ALL_EXTENSIONS}
    # raised whenever a reader gains text, never lowered below the documents' numbers
    assert all(versions[e] >= 4 for e in (".xlsx", ".xlsm", ".docx", ".docm", ".doc", ".pptx", ".pptm"))
    assert versions[".ppt"] >= 2 and all(v >= 1 for v in versions.values())
