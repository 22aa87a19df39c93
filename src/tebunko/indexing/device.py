"""Which file system a folder lies on, by an identity that survives a remount (facts.md, Devices)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_BY_UUID = Path("/dev/disk/by-uuid")


def device_identity(path: str) -> str | None:
    """The identity of the file system that holds a folder: a volume serial, a UUID or a network share's name.

    None if the system gives none that would last; then nothing is judged by it.
    """
    try:
        if sys.platform == "win32":
            return f"serial:{os.stat(path).st_dev:x}"
        if _MOUNTS.exists():
            return identity_of_mount(_MOUNTS.read_text("utf-8", "surrogateescape"), os.path.realpath(path), _uuids())
    except OSError:
        return None
    return None


def identity_of_mount(mounts: str, path: str, uuids: dict[str, str]) -> str | None:
    """The identity of the mount that holds ``path``, from the text of Linux's mountinfo (proc(5)).

    ``uuids`` maps real device paths to file system UUIDs.

    >>> identity_of_mount("1 0 8:1 / / rw - ext4 /dev/sda1 rw\\n2 1 0:5 / /mnt rw - cifs //nas/share rw", "/mnt/x", {})
    'share:cifs //nas/share'
    """
    best, identity = "", None
    for line in mounts.split("\n"):
        left, dash, right = line.partition(" - ")
        fields, behind = left.split(" "), right.split(" ")
        if not dash or len(fields) < 5 or len(behind) < 2:
            continue
        point = _unescape(fields[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, identity = point, _identity(behind[0], _unescape(behind[1]), uuids)
    return identity


def _identity(kind: str, source: str, uuids: dict[str, str]) -> str | None:
    if source in uuids:
        return f"uuid:{uuids[source]}"
    if kind in ("cifs", "smb3", "nfs", "nfs4", "sshfs", "fuse.sshfs", "9p", "davfs"):
        return f"share:{kind} {source}"
    return None


def _unescape(field: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field


def _uuids() -> dict[str, str]:
    try:
        return {os.path.realpath(entry.path): entry.name for entry in os.scandir(_BY_UUID)}
    except OSError:
        return {}
