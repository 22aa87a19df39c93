"""The grams of a content file, by numpy.

It is imported within functions, here and in `segment_writer`: an update that finds nothing to do shall not load it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tebunko.model.folding import skeleton
from tebunko.store.ngram.fold import SEPARATOR, SKIPPED, class_table, plain_table
from tebunko.store.ngram.keys import LETTER_VALUES, LETTERS, LETTERS_BASE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint32]
    """Sorted keys, each once."""
    _Units = npt.NDArray[np.uint16]


@cache
def _tables() -> tuple[_Units, npt.NDArray[np.bool_], _Units, npt.NDArray[np.int8]]:
    """By UTF-16 unit: its class, whether it is expanding, its class in a skeleton; by class: its value as a letter, or -1."""
    import numpy as np

    classes, expanding = class_table()
    letters = np.full(0x10000, -1, np.int8)
    for code, value in LETTER_VALUES.items():
        letters[code] = value
    return (
        np.array(classes, np.uint16),
        np.frombuffer(expanding, np.bool_),
        np.array(plain_table(), np.uint16),
        letters,
    )


def grams_of(data: bytes) -> Keys:
    """The keys of all grams of a content file's bytes (UTF-16LE, an even number of them)."""
    import numpy as np

    table, _, plain, _ = _tables()
    units: _Units = np.frombuffer(data, "<u2").astype(np.uint16, copy=False)
    keys = _keys_of(table[units])
    written = _expanded_lines(data, units)
    return union([keys, _keys_of(plain[written])]) if len(written) else keys


def union(sets: Sequence[Keys]) -> Keys:
    """The keys that are in any of the sets."""
    import numpy as np

    return sets[0] if len(sets) == 1 else sorted_once(np.concatenate(sets))


def _keys_of(classes: _Units) -> Keys:
    import numpy as np

    classes = classes[classes != SKIPPED]
    pairs = classes[:-1].astype(np.uint32)
    pairs <<= 16
    pairs |= classes[1:]
    found = sorted_once(pairs)
    seconds = found.astype(np.uint16)
    present = np.zeros(0x10000, np.bool_)
    present[seconds] = True
    present[classes[:1]] = True
    present[SEPARATOR] = False
    # What ends before a separator is no gram, and what begins behind one looks like the key of a single class.
    found = found[seconds != SEPARATOR]
    found = found[np.searchsorted(found, 0x10000) :]
    behind = np.searchsorted(found, LETTERS)
    last = sorted_once(np.concatenate([found[behind:], _letter_keys(classes)]))
    return np.concatenate([np.flatnonzero(present).astype(np.uint32), found[:behind], last])


def _letter_keys(classes: _Units) -> Keys:
    import numpy as np

    values = _tables()[3][classes]
    at = np.flatnonzero((values[:-2] | values[1:-1] | values[2:]) >= 0)
    numbers = values[at].astype(np.int32)
    for offset in (1, 2):
        numbers *= LETTERS_BASE
        numbers += values[at + offset]
    present = np.zeros(LETTERS_BASE**3, np.bool_)
    present[numbers] = True
    return (np.flatnonzero(present) + (LETTERS + 1)).astype(np.uint32)


def sorted_once(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values in order, each once; they are sorted in place."""
    import numpy as np

    values.sort()
    if len(values) < 2:
        return values
    kept = np.empty(len(values), np.bool_)
    kept[0] = True
    np.not_equal(values[1:], values[:-1], out=kept[1:])
    return values[kept]


def _expanded_lines(data: bytes, units: _Units) -> _Units:
    """The skeletons of the lines in which an expanding character stands, and of the lines beside: grams reach over line ends."""
    import numpy as np

    positions = np.flatnonzero(_tables()[1][units])
    if not len(positions):
        return units[:0]
    ends = np.flatnonzero(units == ord("\n"))
    holding = sorted_once(np.searchsorted(ends, positions))
    lines = sorted_once(np.concatenate([holding - 1, holding, holding + 1]))
    lines = lines[(lines >= 0) & (lines <= len(ends))]
    starts = np.concatenate([[0], ends + 1])
    stops = np.concatenate([ends + 1, [len(units)]])
    stretches = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1)
    pieces = [data[2 * int(starts[s[0]]) : 2 * int(stops[s[-1]])] for s in stretches]
    text = skeleton(b"\t\0".join(pieces).decode("utf-16-le", "replace"))
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint16, copy=False)
