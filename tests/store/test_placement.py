"""Which content file a block goes to."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebunko.store import placement
from tebunko.store.content import HEADER
from tebunko.store.placement import Placement, place_blocks

MB = 1024 * 1024
Parts = dict[int, dict[str, int]]


@pytest.mark.parametrize(
    ("old", "new", "gone", "parts", "removed"),
    [
        ({}, {"b": 1, "a": 1, "C": 1}, set(), {1: ["a", "b", "C"]}, []),
        ({}, {}, set(), {}, []),
        # 4MB 以上になったら、それ以上元のファイルを足さず、次の番号のファイルに足す
        ({1: {"a": 4 * MB}}, {"b": 1}, set(), {2: ["b"]}, []),
        ({1: {"a": 4 * MB - len(HEADER)}}, {"b": 1}, set(), {2: ["b"]}, []),
        ({1: {"a": 4 * MB - len(HEADER) - 1}}, {"b": 1}, set(), {1: ["a", "b"]}, []),
        ({1: {"a": 3 * MB}}, {"b": 9 * MB}, set(), {1: ["a", "b"]}, []),
        ({1: {"a": 5 * MB}, 2: {"b": 1}}, {"c": 1}, set(), {2: ["b", "c"]}, []),
        ({}, {"a": 3 * MB, "b": 3 * MB, "c": 1}, set(), {1: ["a", "b"], 2: ["c"]}, []),
        # 更新した元のファイルは今入っているファイルの中で入れ替える
        ({1: {"a": 1, "b": 1, "c": 1}}, {"b": 9}, set(), {1: ["a", "b", "c"]}, []),
        ({1: {"a": 5 * MB, "b": 1}}, {"b": 2 * MB}, set(), {1: ["a", "b"]}, []),
        # … if it stays under 8 MB, else it goes to another one with room or a new one
        ({1: {"a": 5 * MB, "b": 1}}, {"b": 3 * MB}, set(), {1: ["a"], 2: ["b"]}, []),
        ({1: {"a": 5 * MB, "b": 1}, 2: {"c": 1}}, {"b": 3 * MB}, set(), {1: ["a"], 2: ["c", "b"]}, []),
        ({1: {"a": 3 * MB, "b": 1}}, {"b": 6 * MB}, set(), {1: ["a"], 2: ["b"]}, []),
        ({1: {"a": 7 * MB, "b": 9 * MB}}, {"b": 8 * MB}, set(), {1: ["a", "b"]}, []),  # it does not grow
        ({1: {"a": 1}}, {"a": 20 * MB}, set(), {1: ["a"]}, []),  # nothing else is there
        ({1: {"a": 1, "b": 5 * MB}}, {"a": 20 * MB}, {"b"}, {1: ["a"]}, []),
        ({1: {"a": 6 * MB, "b": 1 * MB}}, {"a": 1 * MB, "b": 6 * MB}, set(), {1: ["a", "b"]}, []),
        # 無くなった元のファイルは外す。番号は詰めない
        ({1: {"a": 1}, 2: {"b": 1}, 3: {"c": 1}}, {}, {"b"}, {}, [2]),
        ({1: {"a": 1, "b": 1}}, {}, {"a", "z"}, {1: ["b"]}, []),
        ({2: {"b": 5 * MB}}, {"c": 1}, set(), {3: ["c"]}, []),
        ({1: {"a": 1}}, {"b": 1}, {"a"}, {1: ["b"]}, []),
        # no file passes 64 MB
        ({1: {"a": 3 * MB}}, {"b": 62 * MB}, set(), {2: ["b"]}, []),
        ({1: {"a": 1}}, {"b": 63 * MB, "c": 2 * MB}, set(), {1: ["a", "b"], 2: ["c"]}, []),
    ],
)  # fmt: skip
def test_where_blocks_go(
    old: Parts, new: dict[str, int], gone: set[str], parts: dict[int, list[str]], removed: list[int]
) -> None:
    assert place_blocks(old, new, gone) == Placement(parts, removed)


def test_files_that_changed_otherwise_are_written_too() -> None:
    assert place_blocks({1: {"a": 1}, 2: {}, 3: {"c": 1}}, {}, set(), {1, 2}) == Placement({1: ["a"]}, [2])


NAMES = st.sampled_from("abcdefghij")
SIZES = st.integers(0, 60)


@st.composite
def situations(draw: st.DrawFn) -> tuple[Parts, dict[str, int], set[str]]:
    where = draw(st.dictionaries(NAMES, st.tuples(st.integers(1, 4), SIZES)))
    old: Parts = {}
    for name, (number, size) in where.items():
        old.setdefault(number, {})[name] = size
    for number in list(old):
        while sum(old[number].values()) + len(HEADER) > 100:
            old[number].popitem()
    new = draw(st.dictionaries(NAMES, SIZES))
    return old, new, draw(st.sets(NAMES)) - new.keys()


@given(situations())
def test_what_holds_of_every_plan(situation: tuple[Parts, dict[str, int], set[str]]) -> None:
    old, new, gone = situation
    with mock.patch.multiple(placement, FULL_BYTES=40, GROWN_BYTES=60, LARGEST_BYTES=100):
        plan = place_blocks(old, new, gone)
        again = place_blocks(old, dict(reversed(list(new.items()))), gone)
    assert plan == again
    after = {n: list(blocks) for n, blocks in old.items()} | plan.parts
    for number in plan.removed:
        del after[number]
    before = {name: number for number, blocks in old.items() for name in blocks}
    sizes = {name: size for blocks in old.values() for name, size in blocks.items()} | new
    # every name exactly once
    assert sorted(name for names in after.values() for name in names) == sorted((before.keys() | new.keys()) - gone)
    # no file too large, no file empty, none written that does not change
    for number, names in after.items():
        assert names or not old[number]
        assert sum(sizes[name] for name in names) + len(HEADER) <= 100
    for number, names in plan.parts.items():
        assert set(names) & new.keys() or set(names) != old[number].keys()
    # a new number comes behind all others
    assert all(number > max(old, default=0) for number in plan.parts.keys() - old.keys())
    # what stays keeps its order, and a block that moves goes to a file that no block leaves
    for number, names in plan.parts.items():
        stays = [n for n in old.get(number, {}) if n in names]
        assert names[: len(stays)] == stays
    moved = {
        name: number for number, names in plan.parts.items() for name in names if before.get(name, number) != number
    }
    assert not {before[name] for name in moved} & set(moved.values())
    assert moved.keys() <= new.keys()
