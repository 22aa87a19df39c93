"""Index names: the folder under ``store/content`` that an index has (ja-index-format 配置・命名規則, ja-ingest-list)."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME = 255
"""Characters of a file or folder name on Windows."""

_REPLACED = str.maketrans(
    {">": "＞", "<": "＜", "\\": "￥", "*": "＊", '"': "”", ":": "：", "?": "？", "|": "｜", "/": "／"}
)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\..*)?",
    re.IGNORECASE | re.DOTALL,
)


def is_reserved(name: str) -> bool:
    """True for a name that Windows keeps for a device, with or without an extension.

    >>> is_reserved("aux"), is_reserved("COM1.txt"), is_reserved("auxiliary")
    (True, True, False)
    """
    return _RESERVED.fullmatch(name) is not None


def safe_file_name(text: str) -> str:
    """toSafeFileName: characters that a Windows name forbids become their full-width twins, control characters blanks.

    >>> safe_file_name("売上/2024?")
    '売上／2024？'
    """
    replaced = text.translate(_REPLACED)
    return "".join(" " if c < " " else c for c in replaced)


def is_plain_folder_name(name: str) -> bool:
    """testPlainFolderName: true if the name, whatever else is wrong with it, stays inside its folder.

    >>> is_plain_folder_name("古い名前."), is_plain_folder_name(".."), is_plain_folder_name("a/b")
    (True, False, False)
    """
    return bool(name) and name.strip(". ") != "" and not _FORBIDDEN.search(name) and len(name) <= MAX_NAME


def is_stored_index_name(name: str) -> bool:
    """testStoredIndexName: an index name as it may stand in a list; reserved names that exist already pass.

    >>> is_stored_index_name("aux.backup"), is_stored_index_name("名前."), is_stored_index_name("a:b")
    (True, False, False)
    """
    return is_plain_folder_name(name) and name[-1] not in ". " and name[0] != " "


def is_index_name(name: str) -> bool:
    """testIndexName: a name that a new index may take.

    >>> is_index_name("営業"), is_index_name("aux.backup"), is_index_name("")
    (True, False, False)
    """
    return is_stored_index_name(name) and not is_reserved(name)


def name_key(name: str) -> str:
    """The form in which two names of the same index are equal: Windows tells names apart without case."""
    return name.lower()


def new_index_name(wanted: str, taken: Iterable[str]) -> str:
    """newIndexName: ``wanted`` made safe, or with ``(2)``, ``(3)`` … behind it if it is taken (without case).

    >>> new_index_name("営業", ["営業", "営業(2)"]), new_index_name("C:", []), new_index_name("con", []), new_index_name(" ", [])
    ('営業(3)', 'C：', 'con_', 'index')
    """
    base = safe_file_name(wanted).strip(" ").rstrip(". ") or "index"
    if is_reserved(base):
        stem, dot, rest = base.partition(".")
        base = f"{stem}_{dot}{rest}"
    base = base[:MAX_NAME].rstrip(". ")
    used = {name_key(name) for name in taken}
    name, number = base, 2
    while name_key(name) in used:
        suffix = f"({number})"
        name = base[: MAX_NAME - len(suffix)] + suffix
        number += 1
    return name
