"""Names of POSIX systems as they are stored (facts.md, POSIX names), and what a stored path may be."""

from __future__ import annotations

import hashlib
import itertools
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.model.kinds import extension_of
from tebunko.model.names import is_reserved
from tebunko.model.paths import (
    decode_segment,
    disk_segment,
    encode_folder,
    encode_segment,
    fold,
    is_safe_segment,
    real_relative,
    split_stored,
)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        (b"plain.txt", "plain.txt"),
        ("見積書（最終）.xlsx".encode(), "見積書（最終）.xlsx"),
        *((f"a{c}b".encode(), f"a%{ord(c):02X}b") for c in '\\:*?"<>|'),
        (b"a\tb\nc\x01d\x7f", "a%09b%0Ac%01d%7F"),
        (b"end.", "end%2E"),
        (b"end..", "end.%2E"),
        (b"end ", "end%20"),
        (b"a.b c", "a.b c"),
        (b"\xe9t\xe9", "%E9t%E9"),
        (b"\x93\xfa.txt", "%93%FA.txt"),  # Shift_JIS
        (b"\xe3\x81", "%E3%81"),  # cut off within a character
        (b"100%41", "100%2541"),
        (b"100%ab", "100%25ab"),
        (b"100%", "100%"),
        (b"100% sure", "100% sure"),
        (b"%%41", "%%2541"),
        (b"con", "%63on"),
        (b"Aux.h", "%41ux.h"),
        ("COM¹".encode(), "%43OM¹"),
        (b"con.", "con%2E"),
        (b"nul.txt.", "%6Eul.txt%2E"),
        (b".hidden", ".hidden"),
        (b"end.\n", "end.%0A"),
    ],
)
def test_what_is_written_otherwise(name: bytes, stored: str) -> None:
    real = os.fsdecode(name)
    assert encode_segment(real, windows=False) == stored
    assert decode_segment(stored, windows=False) == real


def test_on_windows_a_name_is_stored_as_it_is() -> None:
    assert encode_segment("100%41.txt", windows=True) == "100%41.txt"
    assert decode_segment("100%41.txt", windows=True) == "100%41.txt"
    assert encode_folder(["a", "b%20"], windows=True) == {"a": "a", "b%20": "b%20"}


@pytest.mark.parametrize("stored", ["..%2F..%2Fetc", "%2E%2E", "%2E", ".%2E", "a%00b", "%2Fetc", "x%2F", "%E3%2F"])
def test_decoding_never_leads_elsewhere(stored: str) -> None:
    assert decode_segment(stored, windows=False) == stored
    assert ".." not in real_relative(f"a\\{stored}", windows=False).split("/")


NAMES = st.binary(min_size=1, max_size=20).map(lambda b: b.replace(b"/", b"").replace(b"\0", b"")).filter(
    lambda b: b not in (b"", b".", b"..")
) | st.text(st.sampled_from("aAé%4. :ﾆßKçΣσς"), min_size=1).map(str.encode).filter(lambda b: b not in (b".", b".."))


@given(NAMES)
def test_any_name_of_bytes_comes_back(name: bytes) -> None:
    real = os.fsdecode(name)
    stored = encode_segment(real, windows=False)
    assert decode_segment(stored, windows=False) == real
    stored.encode()  # it is text
    assert is_safe_segment(stored)
    assert stored[-1] not in ". " and not is_reserved(stored)


@given(st.sets(NAMES, min_size=1, max_size=30), st.randoms())
def test_a_folder_of_any_names(names: set[bytes], random: object) -> None:
    real = [os.fsdecode(name) for name in names]
    stored = encode_folder(real, windows=False)
    assert all(decode_segment(stored[name], windows=False) == name for name in real)
    assert len({fold(text) for text in stored.values()}) == len(real)
    assert encode_folder(reversed(real), windows=False) == stored


def test_twins_are_told_apart_by_one_letter() -> None:
    assert encode_folder(["Readme.txt", "README.TXT", "readme.txt"], windows=False) == {
        "README.TXT": "README.TXT",
        "Readme.txt": "%52eadme.txt",
        "readme.txt": "%72eadme.txt",
    }


@pytest.mark.parametrize("name", ["見積.xlsx", "2024.xlsx", "2024.見積.xlsx"])
def test_twins_keep_their_extension(name: str) -> None:
    twin = name.upper()
    stored = encode_folder([name, twin], windows=False)
    assert {extension_of(text) for text in stored.values()} == {".xlsx"}
    assert len({fold(text) for text in stored.values()}) == 2


def test_all_spellings_of_one_word() -> None:
    spellings = ["".join(letters) for letters in itertools.product(*zip("readme", "README", strict=True))]
    stored = encode_folder(spellings, windows=False)
    assert len({fold(text) for text in stored.values()}) == len(spellings) == 64
    assert all(decode_segment(text, windows=False) == name for name, text in stored.items())


def test_a_twin_of_an_escaped_name_is_no_twin() -> None:
    stored = encode_folder(["a:b", "a%3Ab", "A:B"], windows=False)
    assert len({fold(text) for text in stored.values()}) == 3


LONG = "報告書" * 40


def test_long_segments_are_shortened_as_anyone_can_compute() -> None:
    short = disk_segment(LONG)
    assert len(short.encode()) <= 255
    assert short.startswith("報告書報告書") and short == disk_segment(LONG) != disk_segment(LONG + "2")
    # its beginning (238 bytes, whole characters), a tilde and the first 16 digits of SHA-256
    assert short == "報告書" * 26 + "報~" + hashlib.sha256(LONG.encode()).hexdigest()[:16]
    assert disk_segment("a" * 255) == "a" * 255
    assert disk_segment("あ" * 85) == "あ" * 85


@given(st.text(min_size=1, max_size=300))
def test_every_stored_name_fits_on_the_disk(name: str) -> None:
    assert len(disk_segment(name).encode("utf-8", "surrogatepass")) <= 255


@pytest.mark.parametrize(
    "segment", ["", ".", "..", "...", ".. ", " ", "a/b", "a\\b", "C:", "a\0", "a\tb", "a|b", "a\n"]
)
def test_segments_that_could_leave_their_folder(segment: str) -> None:
    assert not is_safe_segment(segment)


@pytest.mark.parametrize("segment", ["a", "..a", "...a", " a", ".git", "aux", "a.", "報告書 (2).xlsx", "%2F", "~$a"])
def test_segments_that_stay(segment: str) -> None:
    assert is_safe_segment(segment)


def test_stored_paths() -> None:
    assert split_stored("a.xlsx") == ("", "a.xlsx")
    assert real_relative("2024\\a%3Ab.txt", windows=True) == "2024/a%3Ab.txt"


def test_folding_is_that_of_windows_for_letters_whose_lower_case_hangs_on_their_neighbours() -> None:
    assert fold("ΑΣ") == fold("ας") == fold("ασ")
