"""Characters of symbol fonts (``w:sym``), where the font has its own encoding and Unicode has the sign."""

from __future__ import annotations

_PRIVATE_USE = range(0xE000, 0xF900)

# The encoding of the Adobe font Symbol, as far as letters, figures and common signs go.
_SYMBOL = (
    dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True))
    | dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
    | {code: chr(code) for code in b"!#%&()+,./0123456789:;<=>?[]_{|}"}
    | dict(zip(b"\xa3\xa5\xac\xad\xae\xaf\xb0\xb1\xb3\xb4\xb7\xb8\xb9\xbb\xd6\xe5", "≤∞←↑→↓°±≥×•÷≠≈√∑", strict=True))
)


def symbol_text(font: str, code: str) -> str:
    """The text of a ``w:sym``: its character; a code of a symbol font (private use) as Unicode, or a space if unknown.

    ``code`` is a hexadecimal number (ECMA-376 part 1, 17.3.3.30); a broken one gives "".

    >>> symbol_text("Symbol", "F061"), symbol_text("MS Gothic", "2611"), symbol_text("Wingdings", "F0FC")
    ('α', '☑', ' ')
    """
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    if number in _PRIVATE_USE or font == "Symbol":
        return _SYMBOL.get(number & 0xFF, " ") if font == "Symbol" else " "
    return chr(number) if 0x20 <= number < 0xD800 or 0xE000 <= number < 0x110000 else ""
