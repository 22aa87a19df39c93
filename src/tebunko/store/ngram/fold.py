"""Which characters the 2-gram index takes for one, so that one index serves exact, case-blind and forgiving search.

The index is of *skeletons* (`tebunko.model.folding`): whatever stands in a text under any comparison of ours has its skeleton in the
skeleton of the text. Each UTF-16 unit of a skeleton has a *class*:

* `SKIPPED` for what a phrase may be broken by: blanks, dashes, line ends. They count as not there, so that grams reach over
  them and phrases across breaks can be looked for too;
* `SEPARATOR` for tabs and other control characters: no gram reaches over them;
* else the unit itself.

`class_table` goes from a unit of the text itself to its class in one step. That is right for all but *expanding* units, whose skeleton
is several characters, and for surrogates; the lines in which these stand are indexed once more, from their written out
skeleton.
"""

from __future__ import annotations

import sys
import unicodedata
import zlib
from array import array
from functools import cache

from tebunko.model.folding import changed_skeletons, skeleton
from tebunko.model.variants import variant_groups

SEPARATOR = 0
SKIPPED = 1

RULES = 1
"""Raise it with every change of these rules or of `tebunko.model.folding` that gives any character another class."""

_SKIPPED_CHARACTERS = " -~\n\r\x0b\x0c\x85\u2028\u2029"
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_HIGH_SURROGATES = range(0xD800, 0xDC00)


@cache
def plain_table() -> array[int]:
    """The class of each of the 65,536 UTF-16 units of a skeleton."""
    table = array("H", range(0x10000))
    for code in _CONTROLS:
        table[code] = SEPARATOR
    for char in _SKIPPED_CHARACTERS:
        table[ord(char)] = SKIPPED
    return table


def classes_of(text: str) -> list[int]:
    """The classes of a text's skeleton in order, without what is skipped.

    >>> classes_of("Ａ-が") == classes_of("a ｶﾞ") == [ord("a"), ord("カ")]
    True
    """
    table = plain_table()
    return [c for unit in units_of(skeleton(text)) if (c := table[unit]) != SKIPPED]


def units_of(text: str) -> array[int]:
    """The UTF-16 units of a text."""
    units = array("H")
    units.frombytes(text.encode("utf-16-le" if sys.byteorder == "little" else "utf-16-be", "surrogatepass"))
    return units


@cache
def class_table() -> tuple[array[int], bytes]:
    """For each of the 65,536 UTF-16 units of a text its class, and 1 if it is expanding, else 0."""
    classes = array("H", plain_table())
    expanding = bytearray(0x10000)
    for char, written in changed_skeletons().items():
        units = units_of(written)
        if char > "\uffff":
            expanding[units_of(char)[0]] = 1
        elif len(units) == 1:
            classes[ord(char)] = plain_table()[units[0]]
        elif not units:
            classes[ord(char)] = SKIPPED
        else:
            expanding[ord(char)] = 1
    return classes, bytes(expanding)


def fold_identity() -> int:
    """Says how texts are folded: grams are only comparable with those folded under the same number.

    Skeletons follow the version of Unicode that Python brings and the table of variants.
    """
    rules = f"{RULES} {unicodedata.unidata_version} {' '.join(variant_groups())}"
    return zlib.crc32(rules.encode("utf-8"))
