"""Shift_JIS, EUC-JP and ISO-2022-JP as they occur: with the vendors' extensions, and judged for being natural.

Python's ``cp932`` has the NEC and IBM extensions; its ``euc_jp`` and ``iso2022_jp`` lack them, so they are added here
(rows 13 and 89 to 92 of Microsoft's code pages 51932 and 50220 to 50222).
"""

from __future__ import annotations

import codecs
import re

_HALF_WIDTH_SHARE = 0.30
_SEPARATOR_SHARE = 0.25
_FEWEST_RUNS = 4
_MOST_SEEMING_UTF_8 = 0.05
_FEWEST_HALF_WIDTH = 4
_FIRST_ROWS_SHARE = 0.05
_ENOUGH_FOR_A_SHARE = 20

_UNNATURAL = re.compile("[\x00-\x08\x0e-\x19\x1b-\x1f\x7f-\xa0\ue000-\uf8ff]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]+")
_HALF_WIDTH_SEPARATORS = re.compile("[､･]+")
_FIRST_ROWS = re.compile("[ｱ-ｿ]+")
_MISPLACED_MARK = re.compile("(?<![ｳｶ-ﾄﾊ-ﾎ])ﾞ|(?<![ﾊ-ﾎ])ﾟ")
_SEEMS_UTF_8 = re.compile("[縺繧繝]+")
"""What the first bytes of kana in UTF-8 seem to be in Shift_JIS: characters that no text has many of."""

_SEEMS_EUC_HALF_WIDTH = re.compile(rb"(?:\x8e[\xa1-\xdf]){4}")
"""A word of half-width kana in EUC-JP; in Shift_JIS four kanji of one narrow range in a row."""

_MARKS = re.compile("[ﾞﾟ]")
_FULL_WIDTH_KANA = re.compile("[ぁ-んァ-ヶ]")
_COMMON_IN_SHIFT_JIS = re.compile(rb"[\x81-\x9f]|[\xa1-\xdf]{2}")
_RUNS = re.compile(rb"[\x80-\xff]+")


def decode_shift_jis(data: bytes) -> str | None:
    """The data as Shift_JIS (code page 932) if that reads naturally, else None.

    Natural: no control characters, no private use (the user-defined area), not made of rare kanji alone (as accented
    Latin letters seem to be), no broken UTF-8 or EUC-JP, and half-width kana that are few or plausible.
    """
    text = _strict(data, "cp932")
    if text is None or _UNNATURAL.search(text) or not _COMMON_IN_SHIFT_JIS.search(data):
        return None
    if _SEEMS_EUC_HALF_WIDTH.search(data) or _count(_SEEMS_UTF_8, text) > 1 + _MOST_SEEMING_UTF_8 * len(text):
        return None
    return text if _half_width_is_natural(text) and not _is_rather_euc_jp(data, text) else None


def decode_euc_jp(data: bytes) -> str | None:
    """The data as EUC-JP if that reads naturally, else None.

    Natural: no control characters, no private use, half-width kana that are few or plausible, and some kana (facts.md):
    without them Chinese and Korean text would pass.
    """
    text = _strict(data, "euc_jp", _EXTENDED)
    if text is None or _UNNATURAL.search(text):
        return None
    if not _FULL_WIDTH_KANA.search(text) and not _has_half_width_words(text):
        return None
    return text if _half_width_is_natural(text) else None


def _strict(data: bytes, codec: str, errors: str = "strict") -> str | None:
    """The data decoded, without half a character at the very end; None if anything else does not decode."""
    try:
        return data.decode(codec, errors)
    except UnicodeDecodeError as error:
        if error.start < len(data) - 2 or "incomplete" not in error.reason:
            return None
        return data[: error.start].decode(codec, errors)


def _half_width_is_natural(text: str) -> bool:
    """True if half-width kana are few, or stand as they do in half-width text: marks only after kana that take them.

    EUC-JP read as Shift_JIS is full of ､ and ･ (the first bytes of its full-width kana); Russian in KOI8 seems to know
    none of the kana ｱ to ｿ, which are half of any Japanese text.
    """
    half_width = _count(_HALF_WIDTH, text)
    if half_width <= _HALF_WIDTH_SHARE * (len(text) - len(text.encode("ascii", "ignore"))):
        return True
    if _MISPLACED_MARK.search(text) or _count(_HALF_WIDTH_SEPARATORS, text) > _SEPARATOR_SHARE * half_width:
        return False
    return half_width < _ENOUGH_FOR_A_SHARE or _count(_FIRST_ROWS, text) >= _FIRST_ROWS_SHARE * half_width


def _has_half_width_words(text: str) -> bool:
    """True if the text has enough half-width kana, marks well placed, for none of it to be chance."""
    return _count(_HALF_WIDTH, text) >= _FEWEST_HALF_WIDTH and not _MISPLACED_MARK.search(text)


def _is_rather_euc_jp(data: bytes, shift_jis: str) -> bool:
    """True if data that reads as Shift_JIS without full-width kana is more probably EUC-JP.

    Two cases: kanji of one narrow range alone are EUC-JP's half-width kana (two bytes each); and half-width words have odd
    lengths as often as even ones, so several runs of even length alone, with hardly a mark, are EUC-JP's kanji.
    """
    if _FULL_WIDTH_KANA.search(shift_jis) or (euc_jp := _strict(data, "euc_jp")) is None:
        return False
    if _has_half_width_words(euc_jp):
        return True
    runs = set(_RUNS.findall(data))
    return len(runs) >= _FEWEST_RUNS and not any(len(run) % 2 for run in runs) and len(_MARKS.findall(shift_jis)) < 2


def _count(pattern: re.Pattern[str], text: str) -> int:
    return len(text) - len(pattern.sub("", text))


# --- ISO-2022-JP ----------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(rb"\x1b(\$[@B]|\$\([@BDOPQ]|\([BJIH])")
_CHARACTER_SETS = {
    b"(B": "ascii",
    b"(J": "roman",
    b"(H": "roman",
    b"(I": "half_width",
    b"$@": "kanji",
    b"$B": "kanji",
    b"$(@": "kanji",
    b"$(B": "kanji",
    b"$(D": "supplement",
    b"$(O": "plane_1",
    b"$(Q": "plane_1",
    b"$(P": "plane_2",
}
_TWO_BYTE_ESCAPES = frozenset(escape for escape in _CHARACTER_SETS if escape.startswith(b"$"))
_CUT_ESCAPE = re.compile(rb"\x1b(?:\$\(?|\()?\Z")
_JAPANESE_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\$\([@BDOPQ]|\([JI])")
_SET_HIGH_BIT = bytes(b | 0x80 if 0x21 <= b <= 0x7E else b for b in range(256))
_PAIR = re.compile(rb"([\x21-\x7e]{2})")
_ROMAN = str.maketrans({"\\": "¥", "~": "‾"})


def looks_iso_2022_jp(data: bytes) -> bool:
    """True for 7-bit data with an escape to a Japanese character set (``ESC ( B`` alone is any terminal's log)."""
    return data.isascii() and _JAPANESE_ESCAPE.search(data) is not None


def decode_iso_2022_jp(data: bytes) -> str | None:
    """7-bit data with the escapes of ISO-2022-JP (RFC 1468), its extensions and half-width kana; None if it is broken.

    Half a character or escape at the very end is left out.
    """
    pieces = _ESCAPE.split(_CUT_ESCAPE.sub(b"", data))
    if len(pieces) > 1 and pieces[-2] in _TWO_BYTE_ESCAPES and _ends_within_character(pieces[-1]):
        pieces[-1] = pieces[-1][:-1]
    try:
        decoded = [pieces[0].decode("ascii")]
        for escape, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            decoded.append(_decode_piece(piece, _CHARACTER_SETS[escape]))
    except UnicodeDecodeError:
        return None
    return "".join(decoded)


def _decode_piece(piece: bytes, character_set: str) -> str:
    """The bytes between two escapes; a line end returns to ASCII (RFC 1468). Raises UnicodeDecodeError."""
    if character_set == "ascii":
        return piece.decode("ascii")
    if character_set == "roman":
        return piece.decode("ascii").translate(_ROMAN)
    first, end, rest = _split_at_line_end(piece)
    if character_set == "half_width":
        return first.translate(_SET_HIGH_BIT).decode("cp932") + (end + rest).decode("ascii")
    if character_set in ("supplement", "plane_2"):
        text = _PAIR.sub(b"\x8f\\1", first).translate(_SET_HIGH_BIT)
    else:
        text = first.translate(_SET_HIGH_BIT)
    codec = "euc_jis_2004" if character_set.startswith("plane") else "euc_jp"
    errors = "strict" if codec == "euc_jis_2004" else _EXTENDED
    return text.decode(codec, errors) + (end + rest).decode("ascii")


def _ends_within_character(piece: bytes) -> bool:
    return not re.search(rb"[\r\n]", piece) and len(piece.translate(None, b" \t")) % 2 == 1


def _split_at_line_end(piece: bytes) -> tuple[bytes, bytes, bytes]:
    """The piece before, at and after its first line feed or carriage return."""
    match = re.search(rb"[\r\n]", piece)
    return (piece, b"", b"") if match is None else (piece[: match.start()], match[0], piece[match.end() :])


# --- the vendors' rows of EUC-JP -----------------------------------------------------------------------------------

_EXTENDED = "tebunko.euc_jp_vendor_rows"
_VENDOR_ROWS = frozenset({13, *range(89, 93)})


def _vendor_character(error: UnicodeError) -> tuple[str, int]:
    """An error handler that decodes a character of a vendor row through its place in code page 932."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or pair[0] - 0xA0 not in _VENDOR_ROWS or not 0xA1 <= pair[1] <= 0xFE:
        raise error
    row, cell = pair[0] - 0xA0, pair[1] - 0xA0
    lead = (row + 1) // 2 + (0x80 if row < 63 else 0xC0)
    if row % 2:
        trail = cell + (0x3F if cell < 64 else 0x40)
    else:
        trail = cell + 0x9E
    try:
        return bytes((lead, trail)).decode("cp932"), error.start + 2
    except UnicodeDecodeError:
        raise error from None


codecs.register_error(_EXTENDED, _vendor_character)
