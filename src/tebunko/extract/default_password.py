"""Workbooks that Excel encrypts with a password it knows itself, so that everyone can open them ([MS-OFFCRYPTO] 2.4.2.3)."""

from __future__ import annotations

import io
import re

import msoffcrypto  # type: ignore[import-untyped]

from tebunko.extract.compound import CompoundFile
from tebunko.extract.source import Source
from tebunko.model.errors import ExtractError, Reason

_PASSWORD = "VelvetSweatshop"
_ROUNDS_LIMIT = 1_000_000
"""Excel hashes 100,000 times; a file that asks for far more only wants to be slow."""

_ROUNDS = re.compile(rb'spinCount="(\d+)"')
_ENCRYPTION_INFO_HEAD = 16 * 1024


def without_default_password(source: Source) -> Source:
    """The workbook decrypted, in memory, if its password is Excel's default. Raises ExtractError(PASSWORD) if not."""
    with CompoundFile(source) as compound:
        info = compound.root_entries.get("encryptioninfo")
        head = compound.head(info, _ENCRYPTION_INFO_HEAD) if info else b""
        if not compound.is_sound or any(len(n) > 9 or int(n) > _ROUNDS_LIMIT for n in _ROUNDS.findall(head)):
            raise ExtractError(Reason.PASSWORD)
    decrypted = io.BytesIO()
    with source.open() as reader:
        try:
            file = msoffcrypto.OfficeFile(reader)
            file.load_key(password=_PASSWORD, verify_password=True)
            file.decrypt(decrypted)
        except MemoryError:
            raise
        except Exception as error:
            # Another password, or any of the many ways in which the library stumbles over a damaged file.
            raise ExtractError(Reason.PASSWORD) from error
    data = decrypted.getvalue()
    return Source(source.name, len(data), source.mtime_ns, data, None)
