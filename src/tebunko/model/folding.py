"""Folding: the one comparison form under which texts that people take for the same become the same.

`Folding.fold` is what forgiving comparison compares (search.md, Beyond). It takes away, character by character,

* width and form: Unicode's NFKC (full and half width, ㈱ as (株), ① as 1, compatibility ideographs);
* case (full case folding), unless the folding keeps it; dotless ı is i;
* hiragana against katakana; small ヶ and ヵ as they stand in names (霞ヶ関) against ケ and カ;
* hyphens, dashes, minus and the long-vowel mark, which are all one; wave dashes and tildes, likewise;
* blanks of all widths; characters that nobody sees (variation selectors, zero-width blanks, soft hyphens) vanish;
* variant kanji (`tebunko.model.variants`).

Then marks that stand apart are joined to the character before them: か゛, ｶﾞ and U+304B U+3099 are ガ. Of all marks these are the
voiced marks, also as characters of their own (U+309B, U+309C), and the combining marks of Latin, Greek and
Cyrillic. Tabs, line feeds and U+2028 stay: they part cells and lines.

`skeleton` is coarser: folded, and every mark taken off. It works strictly character by character, so the skeleton of a part of a
text is a part of the text's skeleton: what stands in a text under *any* comparison of ours (as it is, without case as the
`regex` package sees it, folded) has its skeleton in the text's skeleton. An index of skeletons may therefore narrow them all.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache

from tebunko.model.variants import variant_table

_DASHES = "-\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2500\u2501\u30fc"
_TILDES = "~\u223c\u301c\u3030"
_BLANKS = frozenset(" \xa0\u1680\u202f\u205f\u3000\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a")
_UNSEEN = [0xAD, 0x34F, 0x61C, *range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F)]
_UNSEEN += [*range(0x2060, 0x2070), *range(0xFE00, 0xFE10), 0xFEFF, *range(0xE0100, 0xE01F0)]
_KANA = {chr(c): chr(c + 0x60) for c in [*range(0x3041, 0x3097), 0x309D, 0x309E]}
_NAME_KANA = {"ヶ": "ケ", "ヵ": "カ", "ゖ": "ケ", "ゕ": "カ"}
_APART = {"\u309b": "\u3099", "\u309c": "\u309a"}
_NEWER_TWINS = {0xA7CB: 0x264, 0xA7DC: 0x19B, 0xA7DD: 0x277, 0xA7E2: 0x27C, 0xAB6C: 0xAB4B, 0xAB6D: 0xAB4C}
_NEWER_TWINS |= {c: c + 0x20 for c in range(0x10D50, 0x10D66)} | {c: c + 0x1B for c in range(0x16EA0, 0x16EB9)}
_NEWER_TWINS |= {c: c + 1 for c in [0x1C89, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA, 0x1DF40, 0x1DF48, 0x1DF4A, 0x1DF4D]}
_NEWER_TWINS |= {c: c + 1 for c in [0x1DF51, *range(0x1DF68, 0x1DF70, 2), *range(0x1DF72, 0x1DF7F, 2)]}
"""Capitals that the `regex` package knows and the Unicode of Python 3.11 does not, with their small letters."""
_KEPT = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f"
"""The marks that join the character before them, as the inside of a character class."""

_MARK = re.compile(f"[{MARKS}]")
_MARKED = re.compile(f"[^{MARKS}][{MARKS}]+")
_RUNS = [*range(0, 0x20000, 64), *range(0x2F800, 0x2FA40, 64), *range(0xE0100, 0xE0200, 64)]
"""Where the code points stand that fold to something else, but for a few variants of kanji."""


def _single_characters() -> dict[str, str]:
    table = dict.fromkeys(_DASHES, "-") | dict.fromkeys(_TILDES, "~") | dict.fromkeys(map(chr, _UNSEEN), "")
    return table | variant_table() | _KANA | _NAME_KANA


class _Table(dict[int, str]):
    """A table for `str.translate` that works out a character when it first meets it."""

    def __init__(self, of: Callable[[str], str]) -> None:
        super().__init__()
        self._of = of

    def __missing__(self, code: int) -> str:
        value = self[code] = self._of(chr(code))
        return value


class FoldedText:
    """A folded text that knows where its characters come from."""

    __slots__ = ("_pieces", "_starts", "text")

    def __init__(self, text: str, pieces: list[tuple[int, int, int, int]]) -> None:
        """``pieces`` are (start, end) in the folded text and (start, end) in the original of all that is not one to one."""
        self.text = text
        self._pieces = pieces
        self._starts = [piece[0] for piece in pieces]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original text that became ``text[start:end]`` (not empty), whole characters with their marks."""
        if not self._pieces:
            return start, end
        return self._original(start)[0], self._original(end - 1)[1]

    def _original(self, at: int) -> tuple[int, int]:
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return at, at + 1
        _, folded_end, start, end = self._pieces[number]
        if at < folded_end:
            return start, end
        return end + at - folded_end, end + at - folded_end + 1


class Folding:
    """One way of folding; immutable to its users, shared by threads."""

    def __init__(self, *, keeps_case: bool = False) -> None:
        self._keeps_case = keeps_case
        self._single = _single_characters()
        if not keeps_case:
            self._single |= {"ı": "i", "\U0001df95": "ss"} | {chr(c): chr(d) for c, d in _NEWER_TWINS.items()}
        self._table = _Table(self._character)

    def character(self, char: str) -> str:
        """What one character becomes by itself: mostly one character, sometimes several or none."""
        return self._table[ord(char)]

    def fold(self, text: str) -> str:
        """The folded text; a few megabytes take a fraction of a second.

        >>> FOLDING.fold("㈱ﾀﾞｲﾔ－髙﨑　Ｓｈｏｐ"), FOLDING.fold("か\u3099き")
        ('(株)ダイヤ-高崎 shop', 'ガキ')
        """
        return _joined(text.translate(self._table))

    def fold_traced(self, text: str) -> FoldedText:
        """`fold`, with the way back. The lengths of the two texts differ where a character becomes several or none."""
        odd = [c for c in set(text) if len(e := self.character(c)) != 1 or _MARK.match(e)]
        if not odd:
            return FoldedText(text.translate(self._table), [])
        pieces: list[tuple[int, int, int, int]] = []
        folded: list[str] = []
        done = length = 0
        for match in _clusters("".join(sorted(odd)), "".join(sorted(c for c in odd if self._joins(c)))).finditer(text):
            start, end = match.span()
            folded.append(text[done:start].translate(self._table))
            length += start - done
            folded.append(self.fold(match[0]))
            pieces.append((length, length + len(folded[-1]), start, end))
            length += len(folded[-1])
            done = end
        folded.append(text[done:].translate(self._table))
        return FoldedText("".join(folded), pieces)

    def _joins(self, char: str) -> bool:
        """True for what belongs to the character before it: marks, and what vanishes."""
        expanded = self.character(char)
        return not expanded or _MARK.match(expanded) is not None

    def changed_characters(self) -> Iterator[tuple[str, str]]:
        """All characters that do not stay what they are, with what they become."""
        special = _BLANKS | set(self._single)
        for first in _RUNS:
            run = "".join(chr(c) for c in range(first, first + 64) if not 0xD800 <= c < 0xE000)
            if not special.isdisjoint(run) or not self._is_stable(run):
                yield from ((c, e) for c in run if (e := self.character(c)) != c)
        yield from ((c, self.character(c)) for c in special if 0x20000 <= ord(c) < 0x2F800)

    def _is_stable(self, run: str) -> bool:
        cased = run if self._keeps_case else run.casefold()
        return cased == run and unicodedata.is_normalized("NFKC", run)

    def _character(self, char: str) -> str:
        if char in _KEPT or (char not in self._single and self._is_stable(char) and char not in _BLANKS):
            return char
        text = _APART.get(char, char)
        for _ in range(4):
            step = unicodedata.normalize("NFC", self._step(text))
            if step in ("", text):
                return step
            text = step
        return text

    def _step(self, text: str) -> str:
        normal = unicodedata.normalize("NFKC", text)
        if len(normal) > 1 and normal[0] == " ":
            return text  # a mark drawn on a blank (´ ¨ ¸) is a sign of its own
        if text in _BLANKS:
            return " "
        if not self._keeps_case:
            normal = normal.casefold()
        return "".join(self._single.get(c, c) for c in normal)


FOLDING = Folding()
"""The folding that ignores case."""


@cache
def folding(*, keeps_case: bool) -> Folding:
    """The folding with or without case."""
    return Folding(keeps_case=True) if keeps_case else FOLDING


def _joined(text: str) -> str:
    if text.isascii() or not _MARK.search(text):
        return text
    return _MARKED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)


@cache
def _class(characters: str) -> str:
    return "".join(map(re.escape, characters))


def _clusters(odd: str, joining: str) -> re.Pattern[str]:
    """Finds whatever does not become one character by itself, with what joins it."""
    if not joining:
        return re.compile(f"[{_class(odd)}]")
    joins = _class(joining)
    return re.compile(f"(?s:.[{joins}]+|[{_class(odd)}])")


def _skeleton_character(char: str) -> str:
    return "".join(map(without_marks, FOLDING.character(char)))


def without_marks(char: str) -> str:
    """A character without the marks on it, "" for a mark.

    >>> without_marks("ガ"), without_marks("é"), without_marks("가")
    ('カ', 'e', '가')
    """
    if "\uac00" <= char <= "\ud7a3":
        return char  # a Hangul syllable would fall into its letters
    return _MARK.sub("", unicodedata.normalize("NFD", char))


_SKELETONS = _Table(_skeleton_character)


def skeleton_of(char: str) -> str:
    """The skeleton of one character: mostly one character, sometimes several or none."""
    return _SKELETONS[ord(char)]


def skeleton(text: str) -> str:
    """The skeleton of a text: those of its characters, one behind the other.

    >>> skeleton("㈱ガス・Éclair"), skeleton("か\u3099す") == skeleton("ガス")
    ('(株)カス・eclair', True)
    """
    return text.translate(_SKELETONS)


def changed_skeletons() -> dict[str, str]:
    """The skeletons of all characters that are not their own, for those who build tables of them."""
    changed = {c: skeleton_of(c) for c, _ in FOLDING.changed_characters()}
    for first in _RUNS:
        run = "".join(chr(c) for c in range(first, first + 64) if not 0xD800 <= c < 0xE000)
        if not unicodedata.is_normalized("NFD", run) or _MARK.search(run):
            changed |= {c: skeleton_of(c) for c in run}
    return {c: s for c, s in changed.items() if s != c}
