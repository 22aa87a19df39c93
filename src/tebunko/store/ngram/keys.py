"""What is looked for in the 2-gram index: keys of grams, and conditions made of them.

A key is a number of 32 bits: of one class its value, of two neighbouring classes ``first << 16 | second``, of three
neighbouring ASCII letters or digits ``LETTERS | 1 + number in base 36``, since two of those say too little. (The last may
be the key of another gram too; that only makes a file look possible that is not.)

A condition is a key, `All` or `AnyOf` conditions, or None, which every content file fulfils. Whatever is not known for certain asks
for nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from tebunko.store.ngram.fold import SEPARATOR, classes_of

LETTERS = 0xE000_0000
LETTERS_BASE = 36
LETTER_VALUES = {ord(char): value for value, char in enumerate("0123456789abcdefghijklmnopqrstuvwxyz")}
"""The value of each class that is an ASCII letter or digit."""

_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class All:
    """Every one of these conditions."""

    of: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these conditions."""

    of: tuple[Wanted, ...]


Wanted = int | All | AnyOf | None


def all_of(conditions: Iterable[Wanted]) -> Wanted:
    """The condition that all of these hold."""
    known = tuple(dict.fromkeys(c for c in conditions if c is not None))
    if len(known) < 2:
        return known[0] if known else None
    return All(known)


def any_of(conditions: Iterable[Wanted]) -> Wanted:
    """The condition that one of these holds: none at all if one of them is None, or if there are none."""
    known = tuple(dict.fromkeys(conditions))
    if None in known or not known:
        return None
    return known[0] if len(known) == 1 else AnyOf(known)


def wanted_text(text: str) -> Wanted:
    """The condition that a text, or one that any comparison takes for it, may stand somewhere.

    >>> wanted_text("見") == ord("見"), wanted_text("-") is None
    (True, True)
    """
    # What is damaged in a content file becomes this character only when it is decoded.
    pieces = text.split(_REPLACEMENT)
    return all_of(key for piece in pieces for run in _runs(classes_of(piece)) for key in _keys(run))


def _runs(classes: list[int]) -> Iterable[list[int]]:
    for is_separator, group in itertools.groupby(classes, key=lambda c: c == SEPARATOR):
        if not is_separator:
            yield list(group)


def _keys(run: list[int]) -> list[int]:
    if len(run) == 1:
        return run
    keys = [first << 16 | second for first, second in itertools.pairwise(run)]
    values = [LETTER_VALUES.get(c, -1) for c in run]
    for a, b, c in zip(values, values[1:], values[2:], strict=False):
        if min(a, b, c) >= 0:
            keys.append(LETTERS | 1 + (a * LETTERS_BASE + b) * LETTERS_BASE + c)
    return keys
