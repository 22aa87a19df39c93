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


def place_blocks(
    old: Mapping[int, Mapping[str, int]], new: Mapping[str, int], gone: Set[str], changed: Set[int] = frozenset()
) -> Placement:
    """Plans the content files of a folder and extension.

    ``old`` gives for each content file's number its blocks' sizes in bytes, by stored name and in the order in which they
    stand; a name stands in one file only. ``new`` are the sizes of blocks to be put in or replaced, ``gone`` the names to be
    taken out, ``changed`` the numbers of files to be written in any case. A changed block stays in its file if that stays
    under `GROWN_BYTES`, does not grow, or holds nothing else; otherwise it goes to the first file that is not full and that
    no changed block leaves, or to a new file, so that it can be written there before it leaves. A new block goes to the
    first file that is not full. No file passes `LARGEST_BYTES`. Numbers are never closed up.

    >>> place_blocks({1: {"a": 10, "b": 10}}, {"c": 5}, {"a"}).parts
    {1: ['b', 'c']}
    """
    left = {number: {n: size for n, size in blocks.items() if n not in gone} for number, blocks in old.items()}
    touched = set(changed) | {number for number, blocks in old.items() if len(left[number]) < len(blocks)}
    sizes = {number: sum(blocks.values()) + len(HEADER) for number, blocks in left.items()}
    names = {number: list(blocks) for number, blocks in left.items()}
    touched |= {number for number, blocks in left.items() if not new.keys().isdisjoint(blocks)}
    moved = {name: number for number, blocks in left.items() for name in _outgrown(blocks, new, sizes, number)}
    for name, number in moved.items():
        names[number].remove(name)
    known = {name for blocks in left.values() for name in blocks}
    fresh = [name for name in new if name not in known]
    for homeless, avoided in ((moved, set(moved.values())), (fresh, set[int]())):
        for name in sorted(homeless, key=source_order):
            number = _with_room(sizes, new[name], avoided)
            names.setdefault(number, []).append(name)
            sizes[number] = sizes.get(number, len(HEADER)) + new[name]
            touched.add(number)
    return Placement(
        {number: names[number] for number in sorted(touched) if names[number]},
        [number for number in sorted(touched) if not names[number]],
    )


def _outgrown(blocks: Mapping[str, int], new: Mapping[str, int], sizes: dict[int, int], number: int) -> list[str]:
    """The changed blocks of a file that must leave it; its size becomes what stays, with what changes in it."""
    moved = []
    # Those that shrink first: they make room for those that grow.
    for name in sorted(new.keys() & blocks.keys(), key=lambda n: (new[n] - blocks[n], source_order(n))):
        rest = sizes[number] - blocks[name]
        grown = rest + new[name]
        alone = rest == len(HEADER)
        if new[name] <= blocks[name] or grown < GROWN_BYTES or (alone and grown <= LARGEST_BYTES):
            sizes[number] = grown
        else:
            sizes[number] = rest
            moved.append(name)
    return moved


def _with_room(sizes: Mapping[int, int], size: int, avoided: Set[int]) -> int:
    for number in sorted(sizes.keys() - avoided):
        if sizes[number] < FULL_BYTES and sizes[number] + size <= LARGEST_BYTES:
            return number
    return max(sizes, default=FIRST_NUMBER - 1) + 1
