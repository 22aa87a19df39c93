"""Which content file each source file's block goes to (ja-index-format 分け方; ARCHITECTURE.md "Where blocks go")."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from tebunko.store.content import FULL_BYTES, GROWN_BYTES, HEADER, LARGEST_BYTES

FIRST_NUMBER = 1


@dataclass(slots=True)
class Placement:
    """Where blocks go, a plan for the content files of one folder and extension.

    ``parts`` maps the number of each content file to be written to the stored names it will hold, in order.
    ``removed`` are the numbers of content files that will hold nothing and are deleted. All others stay untouched.
    """

    parts: dict[int, list[str]] = field(default_factory=dict)
    removed: list[int] = field(default_factory=list)


def source_order(name: str) -> tuple[str, str]:
    """The order in which new source files are added: casefolded name, then name, by code point (facts.md)."""
    return name.casefold(), name


def place_blocks(old: Mapping[int, Mapping[str, int]], new: Mapping[str, int], gone: Set[str]) -> Placement:
    """Plans the content files of a folder and extension.

    ``old`` gives for each content file's number its blocks' sizes in bytes, by stored name and in the order in which they
    stand; a name stands in one file only. ``new`` are the sizes of blocks to be put in or replaced, ``gone`` the names to be
    taken out. A changed block stays in its file if that stays under `GROWN_BYTES`, does not grow, or holds nothing else;
    otherwise it goes, like a new one, to the first file that is not full, or to a new file. No file passes
    `LARGEST_BYTES`. Numbers are never closed up.

    >>> place_blocks({1: {"a": 10, "b": 10}}, {"c": 5}, {"a"}).parts
    {1: ['b', 'c']}
    """
    names = {number: list(blocks) for number, blocks in old.items()}
    sizes = {number: sum(blocks.values()) + len(HEADER) for number, blocks in old.items()}
    touched: set[int] = set()
    homeless = set(new)
    for number, blocks in old.items():
        for name, size in blocks.items():
            if name in new:
                touched.add(number)
                grown = sizes[number] - size + new[name]
                if grown < GROWN_BYTES or (grown <= LARGEST_BYTES and (new[name] <= size or len(blocks) == 1)):
                    sizes[number] = grown
                    homeless.discard(name)
                    continue
            if name in gone or name in new:
                touched.add(number)
                sizes[number] -= size
                names[number].remove(name)
    for name in sorted(homeless, key=source_order):
        number = _with_room(sizes, new[name])
        names.setdefault(number, []).append(name)
        sizes[number] = sizes.get(number, len(HEADER)) + new[name]
        touched.add(number)
    plan = Placement()
    for number in sorted(touched):
        if names[number]:
            plan.parts[number] = names[number]
        else:
            plan.removed.append(number)
    return plan


def _with_room(sizes: Mapping[int, int], size: int) -> int:
    for number in sorted(sizes):
        if sizes[number] < FULL_BYTES and sizes[number] + size <= LARGEST_BYTES:
            return number
    return max(sizes, default=FIRST_NUMBER - 1) + 1
