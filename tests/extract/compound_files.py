"""Compound files for tests, built by [MS-CFB] 2: 512-byte sectors, streams directly below the root or in one storage."""

from __future__ import annotations

import struct
from collections.abc import Mapping

SECTOR = 512
MINI = 64
END, FREE, NO_ENTRY = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


def compound_file(streams: Mapping[str, bytes], storages: Mapping[str, Mapping[str, bytes]] | None = None) -> bytes:
    """A compound file with these streams below the root, and storages that hold streams."""
    return _Builder(streams, storages or {}).build()


class _Builder:
    def __init__(self, streams: Mapping[str, bytes], storages: Mapping[str, Mapping[str, bytes]]) -> None:
        self.sectors: list[bytes] = []
        self.fat: list[int] = []
        self.mini = b""
        self.mini_fat: list[int] = []
        self.entries: list[bytes] = [b""]
        self.top: list[int] = []
        for name, data in streams.items():
            self.top.append(self.add_entry(name, 2, NO_ENTRY, NO_ENTRY, *self.place(data)))
        for name, inner in storages.items():
            child = NO_ENTRY
            for inner_name, data in inner.items():
                child = self.add_entry(inner_name, 2, child, NO_ENTRY, *self.place(data))
            self.top.append(self.add_entry(name, 1, NO_ENTRY, child, 0, 0))

    def add_entry(self, name: str, kind: int, right: int, child: int, start: int, size: int) -> int:
        self.entries.append(entry(name, kind, NO_ENTRY, right, child, start, size))
        return len(self.entries) - 1

    def place(self, data: bytes) -> tuple[int, int]:
        """Puts a stream's data somewhere; gives its first sector (or mini sector) and its size."""
        if not data:
            return END, 0
        if len(data) >= 4096:
            return self.chain(data), len(data)
        start = len(self.mini) // MINI
        self.mini += data + bytes(-len(data) % MINI)
        last = len(self.mini) // MINI
        self.mini_fat += [*range(start + 1, last), END]
        return start, len(data)

    def chain(self, data: bytes) -> int:
        start = len(self.sectors)
        self.sectors += [data[i : i + SECTOR].ljust(SECTOR, b"\0") for i in range(0, len(data), SECTOR)]
        self.fat += [*range(start + 1, len(self.sectors)), END]
        return start

    def build(self) -> bytes:
        root_start = self.chain(self.mini) if self.mini else END
        mini_fat = self.chain(struct.pack(f"<{len(self.mini_fat)}I", *self.mini_fat)) if self.mini_fat else END
        for before, after in zip(self.top, self.top[1:], strict=False):
            data = bytearray(self.entries[before])
            struct.pack_into("<I", data, 72, after)
            self.entries[before] = bytes(data)
        child = self.top[0] if self.top else NO_ENTRY
        self.entries[0] = entry("Root Entry", 5, NO_ENTRY, NO_ENTRY, child, root_start, len(self.mini))
        directory = self.chain(b"".join(self.entries))
        fat_start = len(self.sectors)
        count = 1
        while (fat_start + count) * 4 > count * SECTOR:
            count += 1
        fat = self.fat + [0xFFFFFFFD] * count
        table = struct.pack(f"<{len(fat)}I", *fat).ljust(count * SECTOR, b"\xff")
        difat = [*range(fat_start, fat_start + count)][:109]
        header = struct.pack(
            "<8s16xHHHHH6xIIIIIIIIII",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            0x3E,
            3,
            0xFFFE,
            9,
            6,
            0,
            count,
            directory,
            0,
            4096,
            mini_fat,
            1 if self.mini_fat else 0,
            END,
            0,
            difat[0],
        )
        header += struct.pack(f"<{len(difat) - 1}I", *difat[1:])
        return header.ljust(SECTOR, b"\xff") + b"".join(self.sectors) + table


def entry(name: str, kind: int, left: int, right: int, child: int, start: int, size: int) -> bytes:
    """A directory entry of 128 bytes."""
    raw = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ", raw, len(raw) + 2, kind, 1, left, right, child, 0, start & 0xFFFFFFFF, size
    )
