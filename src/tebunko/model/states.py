"""States of a source file (ingest list) and of an index (catalogue); the values are what stands on disk."""

from __future__ import annotations

from enum import StrEnum


class FileState(StrEnum):
    """状態 of a row of the ingest list."""

    PENDING = "未取り込み"
    DONE = "済"
    FAILED = "失敗"


class IndexProgress(StrEnum):
    """What the catalogue `format.tsv` says of an index."""

    BUILDING = "作成中"
    COMPLETE = "作り終えた"


class IndexState(StrEnum):
    """The state of an index or of a workspace, decided from the catalogue and what lies on disk (getIndexFormatState)."""

    CURRENT = "current"
    BUILDING = "building"
    REBUILDING = "rebuilding"
    OLD = "old"
    EMPTY = "empty"
    BROKEN = "broken"
    NEWER = "newer"


SEARCHED_STATES = frozenset({IndexState.CURRENT, IndexState.BUILDING, IndexState.REBUILDING})
"""The states of an index in which it is searched."""
