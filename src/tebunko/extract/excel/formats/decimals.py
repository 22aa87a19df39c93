"""Numbers as Excel shows them: 15 significant decimal digits, halves rounded away from zero, and the General format."""

from __future__ import annotations

PRECISION = 15
"""Excel shows at most this many significant digits, which is its precision."""

GENERAL_WIDTH = 11
"""General shows a number in at most this many characters, its minus sign not counted (extraction.md section 3)."""


def significant(value: float) -> tuple[str, int]:
    """The 15 digits of a finite number that is not negative, and where its point stands: value = 0.digits x 10^point.

    >>> significant(12.5), significant(0.0)
    (('125000000000000', 2), ('000000000000000', 1))
    """
    mantissa, _, exponent = f"{value:.14e}".partition("e")
    return mantissa[0] + mantissa[2:], int(exponent) + 1


def rounded(digits: str, point: int, decimals: int) -> tuple[str, str]:
    """Digits before and after the point, rounded half up to ``decimals``; no leading zeros, so the first may be "".

    >>> rounded("12345", 2, 2), rounded("9996", 1, 2), rounded("4", 0, 0)
    (('12', '35'), ('10', '00'), ('', ''))
    """
    keep = point + decimals
    if keep < 0:
        head = ""
    elif keep >= len(digits):
        head = digits + "0" * (keep - len(digits))
    elif digits[keep] >= "5":
        head = str(int(digits[:keep] or "0") + 1)
    else:
        head = digits[:keep]
    if not decimals:
        return head.lstrip("0"), ""
    head = head.rjust(decimals, "0")
    return head[:-decimals].lstrip("0"), head[-decimals:]


def plain(value: float) -> str:
    """A finite number in plain decimal notation with its 15 significant digits, as a person would type it.

    >>> plain(4901234567894.0), plain(-0.1), plain(1e-7), plain(1 / 3)
    ('4901234567894', '-0.1', '0.0000001', '0.333333333333333')
    """
    if -1e15 < value < 1e15 and value == int(value):
        return str(int(value))
    digits, point = significant(abs(value))
    digits = digits.rstrip("0")
    whole, part = rounded(digits, point, max(0, len(digits) - point))
    return ("-" if value < 0 else "") + (whole or "0") + (f".{part}" if part else "")


def general(value: float) -> str:
    """The General format: fixed notation while it fits in 11 characters, else an exponent and at most 6 digits.

    >>> general(4901234567894), general(123456789.123), general(0.00001234567), general(1e-9), general(-1 / 3)
    ('4.90123E+12', '123456789.1', '1.23457E-05', '0.000000001', '-0.333333333')
    """
    if -1e11 < value < 1e11 and value == int(value):
        return str(int(value))
    sign = "-" if value < 0 else ""
    digits, point = significant(abs(value))
    if -4 < point <= GENERAL_WIDTH or (point > -9 and len(digits.rstrip("0")) - point <= GENERAL_WIDTH - 2):
        decimals = GENERAL_WIDTH - 2 - max(0, point - 1)
        whole, part = rounded(digits, point, max(0, decimals))
        if len(whole) <= GENERAL_WIDTH:
            part = part.rstrip("0")
            return sign + (whole or "0") + (f".{part}" if part else "")
    return sign + _exponential(digits, point)


def _exponential(digits: str, point: int) -> str:
    """Exponential notation in 11 characters: 1.23457E+12, but 1.2346E+100."""
    exponent = point - 1
    decimals = 5 if abs(exponent) < 100 else 4
    whole, part = rounded(digits, 1, decimals)
    if len(whole) > 1:
        exponent += 1
        whole, part = "1", ""
    part = part.rstrip("0")
    return f"{whole}{'.' if part else ''}{part}E{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
