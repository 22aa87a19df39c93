"""Protected files, told without opening them: by names in the compound file's directory and flags of the old formats."""

from __future__ import annotations

import struct

from tebunko.extract.compound import SIGNATURE, CompoundFile, Entry
from tebunko.extract.source import Source
from tebunko.model.errors import Reason

_PASSWORD_NAMES = frozenset({"encryptioninfo", "strongencryptiondataspace"})
_RIGHTS_NAMES = frozenset({"drmencrypteddataspace", "drmencryptedtransform", "\tdrmcontent", "\x06dataspaces"})

_BOF = frozenset({0x0009, 0x0209, 0x0409, 0x0809})
_FILEPASS = 0x002F
_RECORDS_BEFORE_FILEPASS = 16
_WORKBOOK_HEAD = 4096

_FIB_HEAD = 12
_FIB_FLAGS_AT = 10
_FIB_ENCRYPTED = 0x0100

_CURRENT_USER_HEAD = 16
_HEADER_TOKEN_AT = 12
_ENCRYPTED_TOKEN = 0xF3D1C4DF


def protection_of(source: Source) -> Reason | None:
    """PASSWORD or RIGHTS if the file is a compound file that says so, None otherwise.

    Cheap and bounded: reads the directory and a few kilobytes of streams. Raises ExtractError(DAMAGED) if the file begins
    like a compound file but is none.
    """
    if source.head(len(SIGNATURE)) != SIGNATURE:
        return None
    with CompoundFile(source) as compound:
        return protection_in(compound)


def protection_in(compound: CompoundFile) -> Reason | None:
    """What `protection_of` says, of an open compound file."""
    names = {entry.name.lower() for entry in compound.entries}
    if names & _PASSWORD_NAMES:
        return Reason.PASSWORD
    if names & _RIGHTS_NAMES:
        return Reason.RIGHTS
    return Reason.PASSWORD if _has_old_password(compound) else None


def _has_old_password(compound: CompoundFile) -> bool:
    root = compound.root_entries

    def head(name: str, length: int) -> bytes:
        entry: Entry | None = root.get(name)
        return compound.head(entry, length) if entry else b""

    return (
        workbook_is_encrypted(head("workbook", _WORKBOOK_HEAD) or head("book", _WORKBOOK_HEAD))
        or document_is_encrypted(head("worddocument", _FIB_HEAD))
        or presentation_is_encrypted(head("current user", _CURRENT_USER_HEAD))
    )


def workbook_is_encrypted(head: bytes) -> bool:
    """True if the head of a workbook stream has a FILEPASS record soon after its BOF ([MS-XLS] 2.1.7.20.3, 2.4.117)."""
    position = 0
    for count in range(_RECORDS_BEFORE_FILEPASS):
        if position + 4 > len(head):
            return False
        kind, length = struct.unpack_from("<HH", head, position)
        if count == 0 and kind not in _BOF:
            return False
        if kind == _FILEPASS:
            return True
        position += 4 + length
    return False


def document_is_encrypted(head: bytes) -> bool:
    """True if the FIB at the head of a WordDocument stream has fEncrypted set ([MS-DOC] 2.5.2)."""
    return len(head) >= _FIB_HEAD and bool(struct.unpack_from("<H", head, _FIB_FLAGS_AT)[0] & _FIB_ENCRYPTED)


def presentation_is_encrypted(head: bytes) -> bool:
    """True if the CurrentUserAtom at the head of a Current User stream has the encrypted token ([MS-PPT] 2.3.2)."""
    return len(head) >= _CURRENT_USER_HEAD and struct.unpack_from("<I", head, _HEADER_TOKEN_AT)[0] == _ENCRYPTED_TOKEN
