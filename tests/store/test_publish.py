"""Publishing a folder: whatever goes wrong on the way, each source file has its old text or its new one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tebunko.model.kinds import FileKind, kind_of
from tebunko.model.place import part
from tebunko.model.unit import Unit
from tebunko.store import placement
from tebunko.store.content import HEADER, build_block, decode_part, list_parts, parse_places, read_part, split_blocks
from tebunko.store.publish import Publication, publish_folder
from tebunko.store.sources import mirror_name, read_sources
from tebunko.store.spool import RecordHead, RecordPosition, SegmentWriter
from tebunko.store.workspace import Layout
from tests.store.conftest import Faults

FOLDER = "営業\\2024"


def always(name: str) -> bool:
    return True


class Folder:
    """One folder of a workspace, as the tests see it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.path = layout.content_folder(FOLDER)
        self.mirrors = layout.sources_folder(FOLDER)
        self._segments = itertools.count()

    def record(self, name: str, text: str, mtime_ns: int = 1) -> RecordPosition:
        """A spool record of a source file with this text; "" means one without places."""
        writer = SegmentWriter(self.layout.spool / f"w{next(self._segments)}.seg")
        units = [Unit(part("本文"), [text])] if text else []
        block = build_block(name, kind_of(name) or FileKind.TEXT, units) if units else b""
        head = RecordHead(f"{FOLDER}\\{name}", mtime_ns, len(text), len(units), 4, "ja-JP", 2)
        try:
            return writer.append(head, block, f"values of {name}".encode())
        finally:
            writer.close()

    def publish(
        self, new: Mapping[str, str], gone: tuple[str, ...] = (), is_done: Callable[[str], bool] = always
    ) -> Publication:
        records = {name: self.record(name, text) for name, text in new.items()}
        return publish_folder(self.layout, FOLDER, records, gone, is_done)

    def texts(self) -> dict[str, list[str]]:
        """The texts of each source file, from every content file."""
        found: dict[str, list[str]] = {}
        for file in list_parts(self.path):
            text = decode_part(read_part(file.path))
            for place in parse_places(text):
                found.setdefault(place.source, []).append(text[place.start : place.end - 1])
        return found

    def names(self) -> dict[str, list[str]]:
        """The source files of each content file, in order."""
        return {f.path.name[14:-4]: [b.name for b in split_blocks(read_part(f.path))] for f in list_parts(self.path)}

    def write(self, file: str, *blocks: bytes) -> Path:
        """A content file as another program would write it."""
        self.path.mkdir(parents=True, exist_ok=True)
        path = self.path / f"content_index.{file}.tsv"
        path.write_bytes(HEADER + b"".join(blocks))
        return path

    def check_mirrors(self) -> None:
        """Every content file has a true mirror, and what it says of each block is so."""
        for file in list_parts(self.path):
            mirror = read_sources(self.mirrors, file)
            assert mirror is not None
            blocks = {b.name: (b.start, b.end) for b in split_blocks(read_part(file.path))}
            assert blocks.keys() == mirror.records.keys() | mirror.others
            for name, record in mirror.records.items():
                assert blocks[name] == (record.start, record.end)
                assert mirror.packed_values(name) == f"values of {name}".encode()


@pytest.fixture
def folder(layout: Layout) -> Folder:
    return Folder(layout)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of a hundredth: a content file is full at 400 bytes, and changed blocks stay up to 800."""
    monkeypatch.setattr(placement, "FULL_BYTES", 400)
    monkeypatch.setattr(placement, "GROWN_BYTES", 800)


def block(name: str, text: str) -> bytes:
    return build_block(name, kind_of(name) or FileKind.TEXT, [Unit(part("本文"), [text])])


def test_blocks_are_added_replaced_and_removed(folder: Folder) -> None:
    done = folder.publish({"b.txt": "B", "a.TXT": "A", "c.md": "C"})
    assert done == Publication({"a.TXT", "b.txt", "c.md"})
    assert folder.names() == {"txt.001": ["a.TXT", "b.txt"], "md.001": ["c.md"]}
    folder.check_mirrors()
    done = folder.publish({"b.txt": "B2", "0.txt": "0"}, gone=("c.md", "無い.txt"))
    assert done == Publication({"b.txt", "0.txt"}, {"c.md", "無い.txt"})
    # a file that is there already is replaced where it stands
    assert folder.names() == {"txt.001": ["a.TXT", "b.txt", "0.txt"]}
    assert folder.texts() == {"a.TXT": ["A"], "b.txt": ["B2"], "0.txt": ["0"]}
    folder.check_mirrors()
    assert os.listdir(folder.mirrors) == [mirror_name("txt", 1)]


def test_what_is_written_is_the_blocks_and_nothing_else(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B", "c.txt": "C"})
    assert (folder.path / "content_index.txt.001.tsv").read_bytes() == HEADER + b"".join(
        block(n, t) for n, t in (("a.txt", "A"), ("b.txt", "B"), ("c.txt", "C"))
    )
    folder.publish({"b.txt": "長い本文"})
    assert (folder.path / "content_index.txt.001.tsv").read_bytes() == HEADER + b"".join(
        block(n, t) for n, t in (("a.txt", "A"), ("b.txt", "長い本文"), ("c.txt", "C"))
    )


def test_publishing_twice_gives_the_same(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    data = (folder.path / "content_index.txt.001.tsv").read_bytes()
    folder.publish({"b.txt": "B", "a.txt": "A"})
    assert (folder.path / "content_index.txt.001.tsv").read_bytes() == data


@pytest.mark.usefixtures("small")
def test_a_content_file_that_does_not_change_is_not_touched(folder: Folder) -> None:
    folder.publish({"a.txt": "a" * 250, "b.txt": "b" * 250, "c.txt": "c", "d.md": "d"})
    assert folder.names() == {"md.001": ["d.md"], "txt.001": ["a.txt"], "txt.002": ["b.txt"], "txt.003": ["c.txt"]}
    before = {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.path.iterdir()}
    folder.publish({"c.txt": "C"}, gone=("b.txt",))
    after = {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.path.iterdir()}
    kept = {"content_index.md.001.tsv", "content_index.txt.001.tsv"}
    assert {name for name in after if after[name] == before.get(name)} == kept
    assert folder.names() == {"md.001": ["d.md"], "txt.001": ["a.txt"], "txt.003": ["c.txt"]}
    folder.publish({"e.txt": "e" * 300, "f.txt": "f"})
    # numbers are not closed up, and the first that has room is taken
    assert folder.names()["txt.003"] == ["c.txt", "e.txt"] and folder.names()["txt.004"] == ["f.txt"]


@pytest.mark.usefixtures("small")
def test_a_block_that_outgrows_its_file_goes_to_another(folder: Folder) -> None:
    folder.publish({"a.txt": "a" * 100, "b.txt": "b" * 10})
    folder.publish({"b.txt": "b" * 400})
    assert folder.names() == {"txt.001": ["a.txt"], "txt.002": ["b.txt"]}
    assert folder.texts() == {"a.txt": ["a" * 100], "b.txt": ["b" * 400]}
    folder.check_mirrors()


def test_a_source_file_without_places_has_no_block(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    assert folder.publish({"a.txt": "", "c.txt": ""}).published == {"a.txt", "c.txt"}
    assert folder.texts() == {"b.txt": ["B"]}
    folder.publish({"b.txt": ""})
    assert folder.names() == {} and os.listdir(folder.path) == []


def test_a_block_whose_row_lets_no_text_stand_is_dropped_with_the_next_change(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B", "c.md": "C"})
    folder.publish({"d.txt": "D"}, is_done=lambda name: name != "a.txt")
    assert folder.texts() == {"b.txt": ["B"], "c.md": ["C"], "d.txt": ["D"]}


def test_a_lost_record_is_read_again_and_its_old_text_stays(folder: Folder, layout: Layout) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    lost = folder.record("a.txt", "A2")
    lost.segment.write_bytes(b"\0" * lost.length)
    good = folder.record("b.txt", "B2")
    done = publish_folder(layout, FOLDER, {"a.txt": lost, "b.txt": good}, (), always)
    assert done == Publication({"b.txt"}, reread={"a.txt"})
    assert folder.texts() == {"a.txt": ["A"], "b.txt": ["B2"]}


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff\xfe" + "\x1e 版=1\n".encode("utf-16-le"), b"\xff\xfe\x00"])
def test_a_content_file_that_cannot_be_read_is_set_aside(folder: Folder, data: bytes) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B", "c.md": "C"})
    (folder.path / "content_index.txt.001.tsv").write_bytes(data)
    done = folder.publish({"b.txt": "B2"})
    # Nobody knows what it held: every source file with this extension must be read again.
    assert done == Publication({"b.txt"}, lost={"txt"})
    assert folder.names() == {"md.001": ["c.md"], "txt.002": ["b.txt"]} and folder.texts()["b.txt"] == ["B2"]
    assert (folder.path / "content_index.txt.001.tsv.broken").read_bytes() == data
    folder.check_mirrors()


def test_if_its_mirror_is_still_true_it_says_what_was_lost(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    path = folder.path / "content_index.txt.001.tsv"
    info = path.stat()
    path.write_bytes(b"\0" * info.st_size)  # as a disk may do
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert folder.publish({"b.txt": "B2"}) == Publication({"b.txt"}, reread={"a.txt"})


def test_a_content_file_with_its_version_alone_is_taken(folder: Folder) -> None:
    folder.write("txt.001")
    assert folder.publish({"a.txt": "A"}) == Publication({"a.txt"})
    assert folder.names() == {"txt.001": ["a.txt"]}


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_content_file_that_was_cut_off_does_not_spoil_what_is_added(folder: Folder, cut: int) -> None:
    path = folder.write("txt.001", block("a.txt", "AAA"), block("b.txt", "BBB"))
    path.write_bytes(path.read_bytes()[:-cut])
    folder.publish({"c.txt": "C"})
    texts = folder.texts()
    assert texts.keys() == {"a.txt", "b.txt", "c.txt"} and texts["c.txt"] == ["C"]
    assert texts["b.txt"] == ["BBB" if cut <= 2 else "BB"]


def test_the_other_programs_files_are_kept_and_their_records_are_unknown(folder: Folder) -> None:
    folder.write("txt.001", block("b.txt", "B"), block("a.txt", "A"))
    folder.publish({"c.txt": "C"})
    assert folder.names() == {"txt.001": ["b.txt", "a.txt", "c.txt"]}
    (file,) = list_parts(folder.path)
    mirror = read_sources(folder.mirrors, file)
    assert mirror is not None and mirror.others == {"a.txt", "b.txt"} and set(mirror.records) == {"c.txt"}


def test_records_of_blocks_that_another_program_kept_are_recovered(folder: Folder) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    folder.write("txt.001", block("b.txt", "geändert"), block("a.txt", "A"))
    folder.publish({"c.txt": "C"})
    (file,) = list_parts(folder.path)
    mirror = read_sources(folder.mirrors, file)
    assert mirror is not None
    assert mirror.others == {"b.txt"} and set(mirror.records) == {"a.txt", "c.txt"}
    assert mirror.packed_values("a.txt") == b"values of a.txt"


# --- one name in two content files ----------------------------------------------------------------------------------


def twins(folder: Folder, known: tuple[int, ...]) -> None:
    """``a.txt`` in two files, of which our catalogue knows those named."""
    folder.publish({"a.txt": "known"})
    path = folder.path / "content_index.txt.001.tsv"
    mirror = folder.mirrors / mirror_name("txt", 1)
    if known == (2,):
        info = path.stat()
        path.rename(folder.path / "content_index.txt.002.tsv")
        mirror.rename(folder.mirrors / mirror_name("txt", 2))
        os.utime(folder.path / "content_index.txt.002.tsv", ns=(info.st_atime_ns, info.st_mtime_ns))
        folder.write("txt.001", block("a.txt", "unknown"), block("b.txt", "B"))
    else:
        folder.write("txt.002", block("a.txt", "unknown"), block("b.txt", "B"))
    if not known:
        (folder.mirrors / mirror_name("txt", 1)).unlink()


@pytest.mark.parametrize("known", [(1,), (2,)])
@pytest.mark.parametrize("also", ["c.txt", "b.txt"])
def test_of_twins_the_one_that_we_know_stays(folder: Folder, known: tuple[int, ...], also: str) -> None:
    twins(folder, known)
    assert folder.publish({also: "new"}) == Publication({also})
    assert folder.texts() == {"a.txt": ["known"], "b.txt": ["B"]} | {also: ["new"]}
    folder.check_mirrors()


def test_of_twins_that_nobody_knows_both_go_and_the_file_is_read_again(folder: Folder) -> None:
    twins(folder, ())
    assert folder.publish({"c.txt": "C"}) == Publication({"c.txt"}, reread={"a.txt"})
    assert folder.texts() == {"b.txt": ["B"], "c.txt": ["C"]}


def test_twins_that_are_replaced_or_removed(folder: Folder) -> None:
    twins(folder, (1,))
    folder.publish({"a.txt": "new"})
    assert folder.texts() == {"a.txt": ["new"], "b.txt": ["B"]}
    folder.write("txt.003", block("b.txt", "B3"))
    folder.publish({}, gone=("b.txt",))
    assert folder.texts() == {"a.txt": ["new"]} and list(folder.names()) == ["txt.001"]


# --- failures -------------------------------------------------------------------------------------------------------

BEFORE = {"a.txt": "a" * 100, "b.txt": "b" * 10, "c.txt": "c" * 400, "d.txt": "d", "e.md": "e", "f.md": "f"}
NEW = {"b.txt": "B" * 400, "d.txt": "D", "g.txt": "G", "f.md": "F"}
GONE = ("c.txt", "e.md")
AFTER = {name: text for name, text in (BEFORE | NEW).items() if name not in GONE}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("for_good", [False, True], ids=["error", "kill"])
def test_whatever_fails_publishing_again_mends_it(tmp_path: Path, faults: Faults, for_good: bool) -> None:
    for number in itertools.count():
        folder = Folder(Layout(tmp_path / f"{for_good}-{number}"))
        folder.layout.create()
        folder.publish(BEFORE)
        records = {name: folder.record(name, text, mtime_ns=9) for name, text in NEW.items()}
        failed = False
        with faults.at(number, folder.layout.root, for_good=for_good):
            try:
                publish_folder(folder.layout, FOLDER, records, GONE, always)
            except OSError:
                failed = True
        # No source file is without a text, and each text is the old one or the new one, whole.
        for name, text in AFTER.items():
            assert set(folder.texts().get(name, [])) <= {text, BEFORE.get(name)}
            assert name in folder.texts() or name not in BEFORE
        done = publish_folder(folder.layout, FOLDER, records, GONE, always)
        assert done == Publication(set(NEW), set(GONE))
        assert folder.texts() == {name: [text] for name, text in AFTER.items()}
        assert not [name for name in os.listdir(folder.path) if name.endswith(".tmp")]
        folder.check_mirrors()
        if not failed:
            break
    assert number > 15  # there were that many operations


def test_a_broken_file_is_told_again_if_publishing_fails(folder: Folder, faults: Faults) -> None:
    folder.publish({"a.txt": "A", "b.txt": "B"})
    path = folder.path / "content_index.txt.001.tsv"
    for number in itertools.count():
        path.write_bytes(b"broken")
        record = folder.record("b.txt", "B2")
        with faults.at(number, folder.layout.root, for_good=True):
            try:
                done = publish_folder(folder.layout, FOLDER, {"b.txt": record}, (), always)
            except OSError:
                done = None
        if path.exists():
            done = publish_folder(folder.layout, FOLDER, {"b.txt": record}, (), always)
            assert done == Publication({"b.txt"}, lost={"txt"})
        assert folder.texts() == {"b.txt": ["B2"]}
        if number > 12:
            break


@pytest.mark.usefixtures("small")
def test_a_failed_sync_is_an_error_and_is_mended(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.publish(BEFORE)
    real = os.fsync
    for number in range(6):
        count = itertools.count()

        def fail(handle: int, count: itertools.count[int] = count, number: int = number) -> None:
            if next(count) == number:
                raise OSError(5, "injected")
            real(handle)

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="injected"):
            folder.publish(NEW, GONE)
        monkeypatch.setattr(os, "fsync", real)
        folder.publish(NEW, GONE)
        assert folder.texts() == {name: [text] for name, text in AFTER.items()}
        folder.publish(BEFORE, gone=("g.txt",))


STEPS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"]), st.integers(0, 500)),
        st.sets(st.sampled_from(["a.txt", "b.txt", "c.txt", "d.txt", "x.txt"])),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_any_sequence_of_changes_and_failures(
    tmp_path_factory: pytest.TempPathFactory, faults: Faults, steps: list[tuple[dict[str, int], set[str], int]]
) -> None:
    folder = Folder(Layout(tmp_path_factory.mktemp("ws")))
    folder.layout.create()
    expected: dict[str, list[str]] = {}
    with (
        mock.patch.multiple(placement, FULL_BYTES=400, GROWN_BYTES=800),
        mock.patch.object(os, "fsync", lambda handle: None),
    ):
        for step, (sizes, gone, number) in enumerate(steps):
            new = {name: (f"{step}" * size) for name, size in sizes.items()}
            records = {name: folder.record(name, text) for name, text in new.items()}
            try:
                with faults.at(number, folder.layout.root, for_good=True):
                    publish_folder(folder.layout, FOLDER, records, gone, always)
            except OSError:
                publish_folder(folder.layout, FOLDER, records, gone, always)
            for name in gone - new.keys():
                expected.pop(name, None)
            for name, text in new.items():
                expected.pop(name, None)
                if text:
                    expected[name] = [text]
            assert folder.texts() == expected
            folder.check_mirrors()
