"""Protected files told without opening them; the flags and names are those of [MS-OFFCRYPTO], [MS-XLS], [MS-DOC], [MS-PPT]."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping

import msoffcrypto
import olefile
import pytest
import xlsxwriter
from compound_files import SECTOR, compound_file
from hypothesis import given
from hypothesis import strategies as st
from msoffcrypto.format.ooxml import OOXMLFile

from tebunko.extract.compound import CompoundFile
from tebunko.extract.default_password import without_default_password
from tebunko.extract.protection import protection_of
from tebunko.extract.source import Source, source_of
from tebunko.model.errors import ExtractError, Reason


def record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


BOF = record(0x0809, bytes(16))
OLD_BOF = record(0x0809, bytes(8))
FILEPASS = record(0x2F, bytes(54))
WRITE_PROTECT = record(0x86)
INTERFACE = record(0xE1, b"\xb0\x04")


def fib(flags: int) -> bytes:
    return struct.pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0x411, 0, flags).ljust(1500, b"\0")


def current_user(token: int) -> bytes:
    return struct.pack("<HHIIII", 0, 0x0FF6, 0x20, 0x14, token, 0).ljust(60, b"\0")


PLAIN = b"x" * 5000


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ({"EncryptionInfo": b"i" * 300, "EncryptedPackage": PLAIN}, Reason.PASSWORD),
        ({"EncryptedPackage": PLAIN, "\x06DataSpaces": {"StrongEncryptionDataSpace": b"s"}}, Reason.PASSWORD),
        ({"EncryptedPackage": PLAIN, "\x06DataSpaces": {"DRMEncryptedDataSpace": b"s"}}, Reason.RIGHTS),
        ({"\x06DataSpaces": {"DRMEncryptedTransform": b"s"}, "WordDocument": PLAIN}, Reason.RIGHTS),
        ({"\tDRMContent": PLAIN, "WordDocument": PLAIN}, Reason.RIGHTS),
        ({"\x06DataSpaces": {"Version": b"v"}}, Reason.RIGHTS),
        ({"Workbook": BOF + FILEPASS + PLAIN}, Reason.PASSWORD),
        ({"Workbook": BOF + WRITE_PROTECT + FILEPASS + PLAIN}, Reason.PASSWORD),
        ({"Book": OLD_BOF + FILEPASS + PLAIN}, Reason.PASSWORD),
        ({"Workbook": BOF + INTERFACE + PLAIN}, None),
        ({"Workbook": BOF + FILEPASS}, Reason.PASSWORD),
        ({"Workbook": b""}, None),
        ({"WordDocument": fib(0x0100)}, Reason.PASSWORD),
        ({"WordDocument": fib(0x8100) + PLAIN}, Reason.PASSWORD),
        ({"WordDocument": fib(0x0200) + PLAIN}, None),
        ({"PowerPoint Document": PLAIN, "Current User": current_user(0xF3D1C4DF)}, Reason.PASSWORD),
        ({"PowerPoint Document": PLAIN, "Current User": current_user(0xE391C05F)}, None),
        ({"PowerPoint Document": PLAIN}, None),
        ({"Workbook": BOF + PLAIN, "MBD1": {"WordDocument": fib(0x0100)}}, None),
    ],
)
def test_by_names_and_flags(streams: Mapping[str, bytes | Mapping[str, bytes]], expected: Reason | None) -> None:
    plain = {name: data for name, data in streams.items() if isinstance(data, bytes)}
    storages = {name: data for name, data in streams.items() if not isinstance(data, bytes)}
    assert protection_of(source_of("a", compound_file(plain, storages))) is expected


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"text", b"\xd0\xcf\x11\xe0"])
def test_other_files_are_not_protected(data: bytes) -> None:
    assert protection_of(source_of("a", data)) is None


def test_a_bare_header_is_damaged() -> None:
    with pytest.raises(ExtractError) as caught:
        protection_of(source_of("a", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)))
    assert caught.value.reason is Reason.DAMAGED


# --- damaged and looped compound files -------------------------------------------------------------------------------

SAMPLE = compound_file(
    {"WordDocument": fib(0x0200) + PLAIN, "Current User": b"c" * 200}, {"Store": {"In": b"i" * 100, "Big": PLAIN}}
)


def words_of(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def test_the_builder_makes_what_another_reader_reads() -> None:
    with olefile.OleFileIO(io.BytesIO(SAMPLE)) as other:
        assert other.openstream("Store/In").read() == b"i" * 100
        assert other.parsing_issues == []
    with CompoundFile(source_of("a", SAMPLE)) as compound:
        assert set(compound.root_entries) == {"worddocument", "current user", "store"}
        assert compound.head(compound.root_entries["current user"], 150) == b"c" * 150
        assert compound.head(compound.root_entries["worddocument"], 9999) == fib(0x0200) + PLAIN


def looped(padding_sectors: int) -> bytes:
    """A file of many sectors in which every chain of the FAT returns to its beginning."""
    data = bytearray(SAMPLE)
    (fat_sector,) = struct.unpack_from("<I", data, 76)
    fat = SECTOR * (fat_sector + 1)
    for number, following in enumerate(words_of(bytes(data[fat : fat + SECTOR]))):
        if following == 0xFFFFFFFE:
            struct.pack_into("<I", data, fat + 4 * number, max(number - 2, 0))
    return bytes(data) + bytes(SECTOR * padding_sectors)


class CountingReader(io.BytesIO):
    """Counts the bytes that are read from it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        block = super().read(size)
        self.count += len(block)
        return block


class CountedSource(Source):
    """A source whose last reader can be asked how much was read."""

    def open(self) -> CountingReader:
        assert self.data is not None
        self.reader = CountingReader(self.data)
        return self.reader


def patched(data: bytes, *changes: tuple[int, int]) -> bytes:
    changed = bytearray(data)
    for offset, value in changes:
        struct.pack_into("<I", changed, offset, value)
    return bytes(changed)


@pytest.mark.parametrize(
    "data",
    [
        looped(0),
        looped(100_000),
        patched(SAMPLE, (68, 0), (72, 0xFFFFFFFF)),
        patched(SAMPLE, (44, 0xFFFFFFFF), (68, 1), (72, 0xFFFFFFF0)) + bytes(SECTOR * 50_000),
        patched(SAMPLE, (48, 0xFFFFFFFE)),
        patched(SAMPLE, (48, 0)),
        patched(SAMPLE, (60, 0)),
        patched(SAMPLE, *((76 + 4 * i, 0) for i in range(109))),
        SAMPLE[:SECTOR],
        SAMPLE[: SECTOR * 3 + 7],
    ],
    ids=[
        "loops",
        "loops in a large file",
        "difat",
        "difat loop",
        "no directory",
        "wrong directory",
        "mini",
        "fat",
        "0",
        "3",
    ],
)
def test_damage_is_read_no_further_than_soundness(data: bytes) -> None:
    source = CountedSource("a", len(data), 0, data, None)
    protection_of(source)
    assert source.reader.count < 100 * SECTOR


def test_a_directory_tree_that_is_a_loop_or_a_long_line() -> None:
    line = compound_file({f"stream {number}": b"" for number in range(5000)})
    with CompoundFile(source_of("a", line)) as compound:
        assert len(compound.root_entries) == 5000
    directory = line.index("Root Entry".encode("utf-16-le"))
    loop = patched(line, *((directory + 128 * number + 72, 1) for number in range(1, 5001)))
    with CompoundFile(source_of("a", loop)) as compound:
        assert "stream 0" in compound.root_entries


@given(st.integers(0, len(SAMPLE) - 1), st.binary(min_size=1, max_size=16), st.booleans())
def test_any_change_gives_an_answer(at: int, new: bytes, cut: bool) -> None:
    data = SAMPLE[:at] + new + (b"" if cut else SAMPLE[at + len(new) :])
    try:
        protection_of(source_of("a", data))
    except ExtractError as error:
        assert error.reason is Reason.DAMAGED


# --- Excel's default password ----------------------------------------------------------------------------------------


def book() -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as workbook:
        workbook.add_worksheet().write(0, 0, "hello")
    return out.getvalue()


BOOK = book()


def encrypted(password: str) -> bytes:
    out = io.BytesIO()
    OOXMLFile(io.BytesIO(BOOK)).encrypt(password, out)
    return out.getvalue()


DEFAULT = encrypted("VelvetSweatshop")


def with_rounds(rounds: bytes) -> bytes:
    with olefile.OleFileIO(io.BytesIO(DEFAULT)) as file:
        info = file.openstream("EncryptionInfo").read()
        data = file.openstream("EncryptedPackage").read()
    changed = info.replace(b'spinCount="100000"', b'spinCount="%s"' % rounds)
    return compound_file({"EncryptionInfo": changed, "EncryptedPackage": data})


def test_a_workbook_with_the_default_password_is_decrypted() -> None:
    data = with_rounds(b"100000")
    assert msoffcrypto.OfficeFile(io.BytesIO(data)).is_encrypted()
    assert protection_of(source_of("a.xlsx", data)) is Reason.PASSWORD
    plain = without_default_password(source_of("a.xlsx", data))
    assert (plain.name, plain.data, plain.size) == ("a.xlsx", BOOK, len(BOOK))


@pytest.mark.parametrize(
    "data",
    [
        encrypted("secret"),
        with_rounds(b"99999999999999999999"),
        with_rounds(b"9999999"),
        patched(DEFAULT, (44, 0xFFFFFFF0)),
        compound_file({"EncryptionInfo": b"\x04\0\x04\0\x40\0\0\0<encryption/>", "EncryptedPackage": PLAIN}),
        compound_file({"Workbook": BOF + FILEPASS + PLAIN}),
    ],
)
def test_any_other_password_or_damage_is_a_password(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        without_default_password(source_of("a.xlsx", data))
    assert caught.value.reason is Reason.PASSWORD
