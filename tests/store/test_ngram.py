"""The 2-gram index: never a content file left out that holds what is looked for; and whatever happens, usable or ignored."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tebunko.model.folding import folding
from tebunko.store.content import HEADER, PartFile, list_parts, part_name
from tebunko.store.ngram import update as update_module
from tebunko.store.ngram.build import grams_of
from tebunko.store.ngram.fold import RULES, SKIPPED, class_table, classes_of, fold_identity, plain_table, units_of
from tebunko.store.ngram.keys import All, AnyOf, Wanted, all_of, any_of, wanted_text
from tebunko.store.ngram.lookup import gram_index
from tebunko.store.ngram.manifest import manifest_path, read_manifest, segment_files
from tebunko.store.ngram.segment import DamagedSegment, Segment
from tebunko.store.ngram.segment_writer import Group, write_segment
from tebunko.store.ngram.update import choose_segments, update_grams
from tebunko.store.workspace import Layout
from tests.store.conftest import Faults

ODD = (
    "aAzZ0９ｚ見積髙高𠮷吉がガｶﾞか\u3099ｶ゛㈱Ⅲ①½…ß\u1e9eſsKk\u212aıİiÅ\u212bσςΣ-ー—\xad ~\u3000\t\n\u2028\ufeff\ufe0f\U000e0100"
    "한\u1112\u1161\u11ab\u3131é\u0301e\ufb01\U0001d400😀\U0002f81a\ufffd%=()"
)
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=30)


def fulfils(keys: set[int], wanted: Wanted) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, int):
        return wanted in keys
    assert isinstance(wanted, All | AnyOf)
    return (all if isinstance(wanted, All) else any)(fulfils(keys, part) for part in wanted.of)


def keys_of(text: str) -> set[int]:
    return set(map(int, grams_of(text.encode("utf-16-le"))))


@given(texts, texts, texts)
@settings(max_examples=300, deadline=None)
def test_a_part_of_a_text_has_no_gram_that_the_text_lacks(before: str, part: str, after: str) -> None:
    assert fulfils(keys_of(before + part + after), wanted_text(part))


@given(texts, texts, texts, st.sampled_from(["\n", "\u2028", " \n ", "-\n"]))
@settings(max_examples=200, deadline=None)
def test_a_part_may_be_broken_anywhere(before: str, first: str, second: str, mark: str) -> None:
    assert fulfils(keys_of(before + first + mark + second), wanted_text(first + second))


@given(texts, st.booleans())
@settings(max_examples=300, deadline=None)
def test_what_folds_to_the_same_has_the_same_grams(text: str, keeps_case: bool) -> None:
    folded = folding(keeps_case=keeps_case).fold(text)
    assert fulfils(keys_of(text), wanted_text(folded))
    if "\ufffd" not in text:
        assert fulfils(keys_of(folded), wanted_text(text))


@given(st.lists(st.sampled_from("aAkK\u212asSſiIıİéÉåÅ\u212bσςΣßẞ"), min_size=1, max_size=6).map("".join), texts)
@settings(max_examples=200, deadline=None)
def test_what_matches_without_case_has_the_same_grams(word: str, around: str) -> None:
    twins = "aAkK\u212asSſiIıİéÉåÅ\u212bσςΣßẞ"
    other = "".join(next(t for t in reversed(twins) if regex.fullmatch(regex.escape(c), t, regex.I)) for c in word)
    assert regex.search(regex.escape(word), around + other, regex.V0 | regex.I)
    assert fulfils(keys_of(around + other), wanted_text(word))


def test_every_character_has_the_class_of_its_skeleton_or_is_expanding() -> None:
    classes, expanding = class_table()
    plain = plain_table()
    for code in [*range(0xD800), *range(0xE000, 0x10000)]:
        if not expanding[code]:
            assert [c for c in [classes[code]] if c != SKIPPED] == classes_of(chr(code)), hex(code)
    for code in range(0x10000, 0x110000, 7):
        units = units_of(chr(code))
        if not expanding[units[0]]:
            assert [plain[unit] for unit in units] == classes_of(chr(code)), hex(code)


def test_conditions_that_are_not_known_ask_for_nothing() -> None:
    assert all_of([None, 5, None, 5]) == 5
    assert any_of([5, None]) is None and any_of([]) is None and all_of([]) is None
    assert wanted_text("\ufffd") is None and wanted_text("- ー") is None and wanted_text("") is None
    assert wanted_text("見\t積") == All((ord("見"), ord("積")))
    assert wanted_text("見\ufffd積") == All((ord("見"), ord("積")))


# --- segments ---------------------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.sets(st.integers(1, 2**32 - 1), max_size=40), st.sampled_from([10, 300, 100_000])), max_size=12
    ),
    st.lists(st.integers(1, 2**32 - 1), max_size=10),
)
@settings(max_examples=60, deadline=None)
def test_a_segment_finds_every_group_with_a_key(
    tmp_path_factory: pytest.TempPathFactory, groups: list[tuple[set[int], int]], others: list[int]
) -> None:
    import numpy as np

    path = tmp_path_factory.mktemp("s") / "1.seg"
    write_segment(path, 7, (Group(np.array(sorted(keys), np.uint32), size) for keys, size in groups))
    segment = Segment(path, 7)
    segment.check()
    for key in {key for keys, _ in groups for key in keys} | set(others):
        found = segment.groups_with(key)
        for number, (keys, size) in enumerate(groups):
            if key in keys:
                assert found >> number & 1
            elif len(keys) * 2 <= size * 0.1:
                assert not found >> number & 1
        assert found < 1 << len(groups)
    assert segment.groups_with(None) == (1 << len(groups)) - 1
    segment.close()


def test_a_segment_of_other_rules_or_with_a_byte_changed_is_not_believed(tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "1.seg"
    keys = np.arange(1, 5000, dtype=np.uint32)
    write_segment(path, 7, [Group(keys, 1_000_000), Group(keys, 100)])
    with pytest.raises(DamagedSegment):
        Segment(path, 8)
    whole = path.read_bytes()
    for at in [*range(0, len(whole), 997), len(whole) - 1]:
        damaged = bytearray(whole)
        damaged[at] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(DamagedSegment):
            Segment(path, 7).check()
    for length in (0, 1, 40, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedSegment):
            Segment(path, 7)


# --- update -----------------------------------------------------------------------------------------------------------


def put(layout: Layout, folder: str, number: int, *lines: str) -> PartFile:
    """A content file of these lines, over and over: of some 3,000 bytes and few grams, so that these are kept exactly."""
    path = layout.content_folder(folder) / part_name("txt", number)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_bytes(HEADER + ("".join(f"{line}\n" for line in lines) * 750)[:1500].encode("utf-16-le"))
    os.replace(beside, path)
    return next(part for part in list_parts(path.parent) if part.number == number)


def possible(layout: Layout, word: str) -> list[str]:
    """The content files that may hold the word, all if there is no index."""
    index = gram_index(layout)
    found = []
    for folder in sorted(p for p in layout.content.rglob("*") if p.is_dir()):
        answer = index.answer(wanted_text(word)).in_folder(folder) if index else None
        found += [f"{folder.name}/{p.number}" for p in list_parts(folder) if answer is None or answer.may_hold(p)]
    return found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update_module, "GROUP_BYTES", 2000)
    monkeypatch.setattr(update_module, "SEGMENT_BYTES", 20_000)


@pytest.mark.usefixtures("small")
def test_the_index_follows_the_content_files(layout: Layout) -> None:
    assert possible(layout, "売上") == []
    for number in range(1, 13):
        put(layout, "営業", number, f"第{number}期の売上" * 10, chr(0x4E00 + number))
    put(layout, "営業\\東京", 1, "請求書" * 30)
    assert update_grams(layout).files == 13
    assert possible(layout, "請求書") == ["東京/1"]
    assert possible(layout, chr(0x4E05)) == ["営業/5"]
    assert possible(layout, "存在") == []
    again = update_grams(layout)
    assert (again.files, again.complete) == (0, True)

    put(layout, "営業", 5, "請求書" * 40)
    assert possible(layout, "存在") == ["営業/5"], "a changed content file is scanned until it is indexed"
    update_grams(layout)
    assert possible(layout, "請求書") == ["営業/5", "東京/1"]
    (layout.content_folder("営業") / part_name("txt", 6)).unlink()
    assert update_grams(layout).files == 0
    manifest = read_manifest(layout)
    assert manifest is not None and part_name("txt", 6) not in manifest.files["営業"]


@pytest.mark.usefixtures("small")
def test_many_small_changes_leave_few_segments(layout: Layout) -> None:
    pick = random.Random(1)
    read = 0
    for turn in range(120):
        put(layout, "営業", turn % 40 + 1, *(chr(pick.randrange(0x4E00, 0x9000)) * 20 for _ in range(3)))
        result = update_grams(layout)
        read += result.files
        assert result.segments <= 18
    assert set(segment_files(layout)) == set((read_manifest(layout) or pytest.fail("no manifest")).segments)
    assert read < 120 * 12, "each content file is read again a few times, not each time"


def test_which_segments_are_written_anew() -> None:
    full = update_module.SEGMENT_BYTES
    assert choose_segments({}, {}, 10) == set()
    assert choose_segments({1: 10}, {1: 10}, 0) == set()
    assert choose_segments({1: 4}, {1: 10}, 0) == {1}
    assert choose_segments({1: 10, 2: 20, 3: 900}, {1: 10, 2: 20, 3: 900}, 10) == {1, 2}
    assert choose_segments({1: full}, {1: full}, full) == set()
    assert choose_segments({1: full // 3}, {1: full}, 0) == {1}


@pytest.mark.usefixtures("small")
def test_what_was_finished_when_it_is_stopped_stays(layout: Layout) -> None:
    for number in range(1, 30):
        put(layout, "営業", number, "売上" * 60)
    answers: Iterator[bool] = iter([False] * 12 + [True] * 100)
    stopped: Callable[[], bool] = lambda: next(answers)  # noqa: E731
    first = update_grams(layout, stopped)
    assert 0 < first.files < 29 and not first.complete
    assert set(possible(layout, "請求")) == {f"営業/{n}" for n in range(first.files + 1, 30)}
    assert update_grams(layout).complete
    assert possible(layout, "請求") == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("harm", ["manifest", "segment", "no segment", "foreign"])
def test_damage_is_ignored_and_mended(layout: Layout, harm: str) -> None:
    put(layout, "営業", 1, "売上" * 300)
    put(layout, "営業", 2, "請求" * 300)
    update_grams(layout)
    segment = next(iter(segment_files(layout).values()))
    if harm == "manifest":
        manifest_path(layout).write_bytes(manifest_path(layout).read_bytes()[:-3] + b"9]}")
    elif harm == "foreign":
        manifest_path(layout).write_text("{}", encoding="utf-8")
    elif harm == "no segment":
        segment.unlink()
    else:
        data = bytearray(segment.read_bytes())
        data[40:60] = bytes(20)
        segment.write_bytes(data)
    os.utime(manifest_path(layout), ns=(1, 1))  # so that what this process has open is opened anew
    assert set(possible(layout, "売上")) >= {"営業/1"}
    update_grams(layout)
    assert possible(layout, "売上") == ["営業/1"]


def test_an_unreadable_content_file_is_never_left_out(layout: Layout) -> None:
    part = put(layout, "営業", 1, "売上")
    part.path.write_bytes(b"\xff\xfe\x00\x00")
    assert update_grams(layout).files == 0
    assert possible(layout, "請求") == ["営業/1"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("for_good", [False, True])
def test_a_failure_at_any_file_operation_leaves_what_a_next_run_completes(
    layout: Layout, faults: Faults, for_good: bool
) -> None:
    for number in range(1, 12):
        put(layout, "営業", number, f"売上{chr(0x4E00 + number)}" * 20)
    update_grams(layout)
    operation = 0
    while True:
        put(layout, "営業", 3, f"請求{operation}" * 60)
        put(layout, "営業", 7, f"見積{operation}" * 60)
        with faults.at(operation, layout.ngram, for_good=for_good):
            try:
                update_grams(layout)
            except OSError:
                pass
            seen = faults.seen
        assert {"営業/3"} <= set(possible(layout, "請求")) <= {"営業/3", "営業/7"}
        assert "営業/7" in possible(layout, "見積")
        if seen <= operation:
            break
        update_grams(layout)
        assert possible(layout, "請求") == ["営業/3"]
        operation += 1
    assert operation > 4


def test_the_identity_of_the_folding_is_raised_with_its_rules() -> None:
    """Should this fail, raise `RULES` and put the new numbers here: old indexes must not be asked with new classes."""
    assert RULES == 1
    assert isinstance(fold_identity(), int)
