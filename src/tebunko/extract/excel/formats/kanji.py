"""Numbers in other digits: ``[DBNum1]`` to ``[DBNum3]`` of East Asia, and those that a locale code names."""

from __future__ import annotations

from dataclasses import dataclass

JAPANESE, CHINESE, TAIWANESE, KOREAN = 0x411, 0x804, 0x404, 0x412

_WIDE = "０１２３４５６７８９"


@dataclass(frozen=True, slots=True)
class Numerals:
    """One way of writing numbers.

    ``digits`` are 0 to 9; ``small`` the units 10, 100, 1000, "" if there are none; ``large`` those of 10^4, 10^8 ...; ``says_one`` whether a
    1 before a small unit is written; ``gap`` what stands for skipped places inside a number.
    """

    digits: str
    small: str
    large: str
    says_one: bool
    gap: str = ""

    def translate(self, text: str) -> str:
        """The text with its ASCII digits replaced one by one."""
        return text.translate({48 + n: digit for n, digit in enumerate(self.digits)})

    def spell(self, digits: str) -> str:
        """A whole number written with units; digit by digit if it is longer than the units reach.

        >>> NUMERALS[JAPANESE, 1].spell("12345"), NUMERALS[JAPANESE, 2].spell("12345"), NUMERALS[JAPANESE, 1].spell("0")
        ('一万二千三百四十五', '壱萬弐阡参百四拾伍', '〇')
        """
        if not self.small:
            return self.translate(digits)
        digits = digits.lstrip("0")
        if not digits:
            return self.digits[0]
        if len(digits) > 4 * (len(self.large) + 1):
            return self.translate(digits)
        groups = -(-len(digits) // 4)
        digits = digits.zfill(groups * 4)
        pieces: list[str] = []
        for index in range(groups):
            group = digits[index * 4 : index * 4 + 4]
            if group == "0000":
                continue
            if pieces and self.gap and group[0] == "0":
                pieces.append(self.gap)
            unit = groups - index - 1
            pieces.append(self._group(group) + (self.large[unit - 1] if unit else ""))
        return "".join(pieces)

    def _group(self, group: str) -> str:
        text = ""
        skipped = False
        for place, char in zip((3, 2, 1, 0), group, strict=True):
            if char == "0":
                skipped = bool(text)
                continue
            if skipped:
                text += self.gap
            skipped = False
            if not (char == "1" and place and not self.says_one):
                text += self.digits[int(char)]
            if place:
                text += self.small[place - 1]
        return text


NUMERALS = {
    (JAPANESE, 1): Numerals("〇一二三四五六七八九", "十百千", "万億兆京", False),
    (JAPANESE, 2): Numerals("〇壱弐参四伍六七八九", "拾百阡", "萬億兆京", True),
    (JAPANESE, 3): Numerals(_WIDE, "十百千", "万億兆京", False),
    (CHINESE, 1): Numerals("○一二三四五六七八九", "十百千", "万亿兆", True, "○"),
    (CHINESE, 2): Numerals("零壹贰叁肆伍陆柒捌玖", "拾佰仟", "万亿兆", True, "零"),
    (CHINESE, 3): Numerals(_WIDE, "十百千", "万亿兆", True),
    (TAIWANESE, 1): Numerals("○一二三四五六七八九", "十百千", "萬億兆", True, "○"),
    (TAIWANESE, 2): Numerals("零壹貳參肆伍陸柒捌玖", "拾佰仟", "萬億兆", True, "零"),
    (TAIWANESE, 3): Numerals(_WIDE, "十百千", "萬億兆", True),
    (KOREAN, 1): Numerals("０一二三四五六七八九", "十百千", "万億兆", True),
    (KOREAN, 2): Numerals("零壹貳參四伍六七八九", "拾百阡", "萬億兆", True),
    (KOREAN, 3): Numerals(_WIDE, "十百千", "万億兆", True),
}

# The zero of each script, by the first byte of a locale code: [$-D07041E] is Thai with Thai digits.
_ZEROS = {
    0x02: 0x0660,
    0x03: 0x06F0,
    0x04: 0x0966,
    0x05: 0x09E6,
    0x06: 0x0A66,
    0x07: 0x0AE6,
    0x08: 0x0B66,
    0x09: 0x0BE6,
    0x0A: 0x0C66,
    0x0B: 0x0CE6,
    0x0C: 0x0D66,
    0x0D: 0x0E50,
    0x0E: 0x0ED0,
    0x0F: 0x0F20,
    0x10: 0x1040,
    0x12: 0x17E0,
    0x13: 0x1810,
}


def digits_of_script(number: int) -> Numerals | None:
    """The digits that the first byte of a locale code asks for; None for the usual ones and for one we do not know.

    >>> digits_of_script(0x0D).translate("120"), digits_of_script(1)
    ('๑๒๐', None)
    """
    zero = _ZEROS.get(number)
    if zero is None:
        return None
    return Numerals("".join(chr(zero + n) for n in range(10)), "", "", True)
