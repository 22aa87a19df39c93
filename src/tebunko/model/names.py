"""Index names: the folder under ``store/content`` that an index has (ja-index-format 配置・命名規則, ja-ingest-list)."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME = 255
"""Characters (UTF-16 units) of a file or folder name on Windows."""

STORED_NAME = rf'(?! )[^<>:"/\\|?*\x00-\x1f]{{1,{MAX_NAME}}}+(?<![. ])'
"""Pattern of an index name as it may stand in a list (testStoredIndexName), but for the count in UTF-16 units."""

_REPLACED = str.maketrans(
    {">": "＞", "<": "＜", "\\": "￥", "*": "＊", '"': "”", ":": "：", "?": "？", "|": "｜", "/": "／"}
)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_STORED_NAME = re.compile(STORED_NAME)
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
    return name.strip(". ") != "" and not _FORBIDDEN.search(name) and _length(name) <= MAX_NAME


def _length(name: str) -> int:
    """The length of a name as Windows counts it: in UTF-16 units."""
    return len(name) if name.isascii() else len(name.encode("utf-16-le", "surrogatepass")) // 2


def is_stored_index_name(name: str) -> bool:
    """testStoredIndexName: an index name as it may stand in a list; reserved names that exist already pass.

    >>> is_stored_index_name("aux.backup"), is_stored_index_name("名前."), is_stored_index_name("a:b")
    (True, False, False)
    """
    return _STORED_NAME.fullmatch(name) is not None and _length(name) <= MAX_NAME


def is_index_name(name: str) -> bool:
    """testIndexName: a name that a new index may take.

    >>> is_index_name("営業"), is_index_name("aux.backup"), is_index_name("")
    (True, False, False)
    """
    return is_stored_index_name(name) and not is_reserved(name)


def name_key(name: str) -> str:
    """The form in which two names are equal that Windows takes for the same: it tells names apart without case.

    What a letter becomes does not depend on those around it, so the key of a path is its names' keys, joined.

    >>> name_key("ΟΔΟΣ.TXT") == name_key("οδοσ.txt") == name_key("οδος.txt")
    True
    """
    return name.lower().replace("ς", "σ")


def new_index_name(wanted: str, taken: Iterable[str]) -> str:
    """newIndexName: ``wanted`` made safe, or with ``(2)``, ``(3)`` … behind it if it is taken (without case).

    >>> new_index_name("営業", ["営業", "営業(2)"]), new_index_name("C:", []), new_index_name("con", []), new_index_name(" ", [])
    ('営業(3)', 'C：', 'con_', 'index')
    """
    base = _cut(safe_file_name(wanted).strip(" "), MAX_NAME).rstrip(". ") or "index"
    if is_reserved(base):
        stem, dot, rest = base.partition(".")
        base = _cut(f"{stem}_{dot}{rest}", MAX_NAME).rstrip(". ")
    used = {name_key(name) for name in taken}
    name, number = base, 2
    while name_key(name) in used:
        suffix = f"({number})"
        name = _cut(base, MAX_NAME - len(suffix)) + suffix
        number += 1
    return name


def _cut(name: str, length: int) -> str:
    """The beginning of a name, of at most ``length`` UTF-16 units."""
    return name.encode("utf-16-le", "surrogatepass")[: 2 * length].decode("utf-16-le", "ignore")
