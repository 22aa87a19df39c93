r"""Relative paths and their segments across systems (facts.md, POSIX names).

A *real* name is what the system that holds the sources calls a file; a *stored* name is what the list and the content
files hold. On Windows both are the same. Elsewhere a stored name escapes as ``%XX`` what Windows could not hold, so that an
index can move between systems. A *stored path* joins stored names with ``\`` behind the index name.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable

from tebunko.model.names import is_reserved, name_key

WINDOWS = sys.platform == "win32"

_ESCAPED = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f]|%(?=[0-9A-Fa-f]{2})|[\udc80-\udcff]|[. ]\Z')
_ESCAPE_RUN = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MAX_SEGMENT_BYTES = 255
_DIGEST_LENGTH = 16

SAFE_SEGMENT = r'(?![. ]+(?:[\\\t]|\Z))[^<>:"/\\|?*\x00-\x1f]++'
"""Pattern of a segment of a stored path that cannot leave its folder (`is_safe_segment`)."""
_SAFE_SEGMENT = re.compile(SAFE_SEGMENT)


def _escape(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def encode_segment(name: str, windows: bool = WINDOWS) -> str:
    r"""The stored name of a real name, without regard to others in its folder.

    ``name`` may hold surrogate escapes for bytes that do not decode (os.fsdecode).

    >>> encode_segment("a:b.", windows=False), encode_segment("con.txt", windows=False), encode_segment("100%41", windows=False)
    ('a%3Ab%2E', '%63on.txt', '100%2541')
    """
    if windows:
        return name
    name = _ESCAPED.sub(lambda m: _escape(m[0]), name)
    return _escape(name[0]) + name[1:] if is_reserved(name) else name


def decode_segment(stored: str, windows: bool = WINDOWS) -> str:
    """The real name of a stored name: the inverse of `encode_segment` and `encode_folder`.

    A name that could only come from a list made to lead elsewhere (``%2F``, ``..``) is left as it is.

    >>> decode_segment("a%3Ab%2E", windows=False), decode_segment("%e3", windows=False) == "\\udce3"
    ('a:b.', True)
    """
    if windows or "%" not in stored:
        return stored
    real = _ESCAPE_RUN.sub(lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "surrogateescape"), stored)
    return stored if real in (".", "..") or "/" in real or "\0" in real else real


def fold(path: str) -> str:
    """The form in which two stored names or paths that Windows takes for the same are equal."""
    return name_key(path)


def encode_folder(names: Iterable[str], windows: bool = WINDOWS) -> dict[str, str]:
    """The stored names of all entries of one folder, by real name; names equal but for case are told apart.

    The first of such twins (by code point) keeps its name, of each other one letter is escaped (more if one letter
    does not tell them apart), so the result does not depend on the order in which the system lists the folder.

    >>> encode_folder(["readme", "README", "b"], windows=False)
    {'readme': '%72eadme', 'README': 'README', 'b': 'b'}
    """
    stored = {name: encode_segment(name, windows) for name in names}
    if windows:
        return stored
    twins: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in stored.items():
        twins[fold(text)].append(name)
    if len(twins) == len(stored):
        return stored
    used = set(twins)
    for group in twins.values():
        for name in sorted(group)[1:]:
            stored[name] = _told_apart(name, used)
            used.add(fold(stored[name]))
    return stored


def _told_apart(name: str, used: set[str]) -> str:
    """A stored name of ``name`` that equals none of ``used`` without case.

    The extension is escaped last: programs tell the kind of a file by it.
    """
    dot = name.rfind(".")
    stem = range(dot if dot >= 0 else len(name))
    letters = [i for i in stem if name[i].lower() != name[i].upper()]
    for i in [*letters, *(i for i in range(len(name)) if i not in letters)]:
        candidate = encode_segment(name[:i], False) + _escape(name[i]) + encode_segment(name[i + 1 :], False)
        if fold(candidate) not in used and decode_segment(candidate, False) == name:
            return candidate
    return _escape(name)


def disk_segment(stored: str) -> str:
    """The folder name under ``store/content`` for a stored name.

    It is the stored name itself unless its UTF-8 form passes 255 bytes, which POSIX file systems refuse: then it is the
    beginning and a digest, which anyone can compute from the name (facts.md).
    """
    data = stored.encode("utf-8", "surrogatepass")
    if len(data) <= _MAX_SEGMENT_BYTES:
        return stored
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]
    head = data[: _MAX_SEGMENT_BYTES - _DIGEST_LENGTH - 1].decode("utf-8", "ignore").rstrip(". ")
    return f"{head}~{digest}"


def is_safe_segment(segment: str) -> bool:
    """True if a segment of a stored path cannot leave its folder.

    It is not empty, holds no character that Windows forbids, and is not made of dots and blanks alone (Windows drops
    these at the end, so that ``.. `` is ``..``).
    """
    return _SAFE_SEGMENT.fullmatch(segment) is not None


def split_stored(path: str) -> tuple[str, str]:
    r"""A stored path as (folder, file name); the folder is "" for the first level.

    >>> split_stored("営業\\2024\\a.xlsx")
    ('営業\\2024', 'a.xlsx')
    """
    folder, _, name = path.rpartition("\\")
    return folder, name


def real_relative(stored: str, windows: bool = WINDOWS) -> str:
    r"""The real relative path, ``/`` between its names, of a stored path that is relative to its index.

    >>> real_relative("2024\\a%3Ab.txt", windows=False)
    '2024/a:b.txt'
    """
    return "/".join(decode_segment(s, windows) for s in stored.split("\\"))
