"""``source_folder.txt`` in each index's content folder: where its sources lie, for an index that was copied by hand.

UTF-8 with BOM; lines that begin with ``#`` are comments; then ``<index name> TAB <folder>`` (facts.md).
"""

from __future__ import annotations

from pathlib import Path

from tebunko.store.fs import make_private_folder, replace_file
from tebunko.store.tsv import decode_text, encode_lines

FILE_NAME = "source_folder.txt"
_COMMENT = "# tebunko: このインデックスの元のフォルダ (where the sources of this index lie)"


def read_source_folder(content_folder: Path) -> tuple[str, str] | None:
    """(index name, folder) that the file in an index's content folder names; None if there is none or it is no such file."""
    try:
        text = decode_text((content_folder / FILE_NAME).read_bytes())
    except OSError:
        return None
    for line in text.split("\n"):
        name, tab, folder = line.removesuffix("\r").partition("\t")
        if tab and folder and not line.startswith("#"):
            return name, folder
    return None


def write_source_folder(content_folder: Path, name: str, folder: str) -> None:
    """Writes the file, unless it says the same already. Raises OSError."""
    if read_source_folder(content_folder) == (name, folder):
        return
    make_private_folder(content_folder)
    replace_file(content_folder / FILE_NAME, encode_lines([_COMMENT, f"{name}\t{folder}"]))
