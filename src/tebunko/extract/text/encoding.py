"""The text of a file whose encoding nothing names: the rules of extraction.md section 5, first match wins.

A wrong decoding is worse than none: it is found by nobody and looks like success. So what is undecided is refused.
"""

from __future__ import annotations

import codecs
import re

from tebunko.extract.text.japanese_codecs import decode_euc_jp, decode_iso_2022_jp, decode_shift_jis, looks_iso_2022_jp
from tebunko.model.errors import ExtractError, Reason

SAMPLE_BYTES = 64 * 1024
"""How much of the beginning decides whether a text without BOM is UTF-16; even, so that it holds whole code units."""

_NUL_SHARE = 0.20
_KANA_SHARE = 0.20
_KANA_SHARE_7_BIT = 0.90
_FOREIGN_SHARE = 0.05
_FEWEST_UTF_16_UNITS = 4

_CUT_UTF_16_BYTES = 8
"""From this length on a text may be UTF-16 that ends within a code unit."""

_FLAW_SHARE = 0.01
_FLAWS_ALLOWED = 2
"""A text that says or shows its encoding may have this many or this share of characters that do not decode."""

_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF_16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_FLAWS = re.compile("[\0\ufffd\ufffe\uffff\ud800-\udfff]+")
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]+")
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f]+")
_FOREIGN = re.compile(
    "[^\t-\r\\x20-\\x7e\xa0-\xff\u0370-\u04ff\u2000-\u27bf\u3000-\u30ff\u31f0-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0001ffff\U00020000-\U0003ffff]+"
)
_HEX_DIGITS = re.compile(rb"[0-9A-Fa-f]+")

_CONTINUED = 4
"""So many continuation bytes make it certain that a text with a cut last character is UTF-8."""


def decode_text(data: bytes) -> str:
    """The text of a whole file, its byte order mark removed; half a character at its very end is left out.

    Raises ExtractError(NOT_TEXT) for UTF-32, for what holds NULs and is not UTF-16, and for what no rule decides.
    """
    text = _by_bom(data)
    if text is None:
        text = _utf_16_without_bom(data)
    if text is not None:
        return text
    if b"\0" in data:
        raise ExtractError(Reason.NOT_TEXT, "it holds NUL bytes")
    if looks_iso_2022_jp(data):
        text = decode_iso_2022_jp(data)
        if text is None:
            raise ExtractError(Reason.NOT_TEXT, "it has the escapes of ISO-2022-JP but is broken")
        return text
    text = _utf_8(data)
    return text if text is not None else _shift_jis_or_euc_jp(data)


def _by_bom(data: bytes) -> str | None:
    """The text that a byte order mark announces, None if there is no mark."""
    if data.startswith(_UTF_32):
        raise ExtractError(Reason.NOT_TEXT, "UTF-32 is not read")
    if data.startswith(codecs.BOM_UTF8):
        text = data[len(codecs.BOM_UTF8) : _end_of_utf_8(data)].decode("utf-8", "replace")
        return _sound(text, "UTF-8")
    for mark, codec in _UTF_16:
        if data.startswith(mark):
            return _sound(_decode_utf_16(data[len(mark) :], codec), "UTF-16")
    return None


def _sound(text: str, name: str) -> str:
    """The text, if no more of it than a slip here and there fails to be what its mark announces."""
    flaws = _count(_FLAWS, text)
    if flaws > max(_FLAWS_ALLOWED, len(text) * _FLAW_SHARE):
        raise ExtractError(Reason.NOT_TEXT, f"it begins with the mark of {name} but is not {name}")
    return _LONE_SURROGATES.sub("\ufffd", text)


def _end_of_utf_8(data: bytes) -> int:
    """Where the last whole UTF-8 character of the data ends: before a sequence that the end of the data cuts off."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if back < needed else len(data)
        if byte < 0x80:
            break
    return len(data)


def _decode_utf_16(data: bytes, codec: str) -> str:
    """UTF-16 with lone surrogates left as such, and without half a code unit or half a pair at the end."""
    text = data[: len(data) & ~1].decode(codec, "surrogatepass")
    return text[:-1] if text and "\ud800" <= text[-1] <= "\udbff" else text


def _utf_16_without_bom(data: bytes) -> str | None:
    """UTF-16 told by its NULs or, for Japanese, by its kana; None if it is not that."""
    sample = data[:SAMPLE_BYTES]
    if len(sample) < (_CUT_UTF_16_BYTES if len(data) % 2 else 2):
        return None
    codec = _utf_16_by_nuls(sample) or _utf_16_by_kana(sample)
    if codec is None:
        return None
    text = _decode_utf_16(data, codec)
    flaws = _count(_FLAWS, text) + _count(_CONTROLS, text)
    if flaws > len(text) * _FLAW_SHARE:
        return None
    return _LONE_SURROGATES.sub("\ufffd", text)


def _utf_16_by_nuls(sample: bytes) -> str | None:
    """The byte order in which NULs stand on one side of the pairs: the high bytes of ASCII."""
    pairs = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd >= pairs * _NUL_SHARE and even <= odd / 10:
        return "utf-16-le"
    if even >= pairs * _NUL_SHARE and odd <= even / 10:
        return "utf-16-be"
    return None


def _utf_16_by_kana(sample: bytes) -> str | None:
    """The byte order in which the pairs are Japanese text with kana.

    The high byte of kana is an ASCII ``0``: in pure 7-bit input nearly all must be kana, and a row of hexadecimal
    digits never counts.
    """
    share = _KANA_SHARE
    if sample.isascii():
        if _HEX_DIGITS.fullmatch(sample):
            return None
        share = _KANA_SHARE_7_BIT
    for codec in ("utf-16-le", "utf-16-be"):
        text = _decode_utf_16(sample, codec)
        if (
            len(text) >= _FEWEST_UTF_16_UNITS
            and _count(_KANA, text) >= len(text) * share
            and _count(_FOREIGN, text) <= len(text) * _FOREIGN_SHARE
        ):
            return codec
    return None


def _utf_8(data: bytes) -> str | None:
    """Strict UTF-8, but for a character that the end cuts off after enough whole ones; None if it is not that."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        end = _end_of_utf_8(data)
        if error.start != end:
            return None
    text = data[:end].decode()
    return text if end - len(text) >= _CONTINUED else None


def _shift_jis_or_euc_jp(data: bytes) -> str:
    """Shift_JIS or EUC-JP, whichever alone reads naturally."""
    shift_jis, euc_jp = decode_shift_jis(data), decode_euc_jp(data)
    if shift_jis is not None and euc_jp is not None:
        raise ExtractError(Reason.NOT_TEXT, "it could be Shift_JIS or EUC-JP")
    text = euc_jp if shift_jis is None else shift_jis
    if text is None:
        raise ExtractError(Reason.NOT_TEXT, "it is neither UTF-8 nor natural Shift_JIS or EUC-JP")
    return text


def _count(pattern: re.Pattern[str], text: str) -> int:
    """How many characters of the text match; the pattern matches runs of them."""
    return len(text) - len(pattern.sub("", text))
