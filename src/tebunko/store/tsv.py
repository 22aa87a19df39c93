"""What the tables of a workspace have in common: UTF-8 with BOM, CRLF written, LF also read (facts.md, File formats)."""

from __future__ import annotations

from collections.abc import Iterable

BOM = b"\xef\xbb\xbf"


def decode_text(data: bytes) -> str:
    """The text of bytes that should be UTF-8, without BOM: half a surrogate pair (a Windows name may hold one) is kept.

    Bytes that are no UTF-8 become U+FFFD, and so spoil only their own row.
    """
    data = data.removeprefix(BOM)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def whole_lines(data: bytes) -> list[str]:
    r"""The lines of a table without their ends; a last line that has none was torn by a kill and is left out.

    >>> whole_lines(b"\xef\xbb\xbfa\tb\r\nc\nd")
    ['a\tb', 'c']
    """
    return decode_text(data).replace("\r\n", "\n").split("\n")[:-1]


def encode_lines(lines: Iterable[str]) -> bytes:
    r"""A table's bytes.

    >>> encode_lines(["a", "b"])
    b'\xef\xbb\xbfa\r\nb\r\n'
    """
    return BOM + "".join(f"{line}\r\n" for line in lines).encode("utf-8", "surrogatepass")
