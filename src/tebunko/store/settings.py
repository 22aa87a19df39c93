"""``setting.config``: JSON without BOM, shared with the other program (facts.md).

Keys that are not ours are kept as they are. A file that cannot be understood is set aside, never overwritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tebunko.model.errors import UserError
from tebunko.model.names import is_stored_index_name, name_key
from tebunko.store.fs import make_private_folder, patiently, replace_file, set_aside
from tebunko.store.workspace import Layout

DEFAULT_LOCALE = "ja-JP"


@dataclass(frozen=True, slots=True)
class TargetFolder:
    """A registered folder: index name, path of the sources, and whether updates crawl it."""

    name: str
    path: str
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class SearchExclude:
    """A folder whose hits are left out; ``subfolders`` says whether all below it too."""

    path: str
    subfolders: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that we know; ``raw`` is the whole file as it was read, with keys that only others know."""

    folders: tuple[TargetFolder, ...] = ()
    search_excludes: tuple[SearchExclude, ...] = ()
    download_cloud_files: bool = False
    ingest_threads: int = 0
    display_locale: str = DEFAULT_LOCALE
    office_path: str = ""
    raw: Mapping[str, object] = field(default_factory=dict)

    def folder(self, name: str) -> TargetFolder:
        """The registered folder of that index name (without case); raises UserError if there is none."""
        for folder in self.folders:
            if name_key(folder.name) == name_key(name):
                return folder
        raise UserError("There is no index named “{name}”. See “tebunko index list”.", name=name)


def load_settings(layout: Layout) -> Settings:
    """Reads the settings; defaults if there is no file. A broken file is set aside and a UserError says where it is."""
    try:
        data = patiently(layout.settings.read_bytes)
    except FileNotFoundError:
        return Settings()
    try:
        raw = json.loads(data.decode("utf-8-sig"))
        if not isinstance(raw, dict):
            raise ValueError("not an object")
        return _from_raw(raw)
    except (ValueError, RecursionError) as error:
        aside = set_aside(layout.settings)
        raise UserError(
            "The settings file could not be understood ({detail}). It was kept as “{path}”;"
            " register your folders again with “tebunko index add”, or mend that file and move it back.",
            detail=error,
            path=aside,
        ) from error


def save_settings(layout: Layout, settings: Settings) -> None:
    """Writes the settings beside and moves them over; keys that are not ours stay."""
    raw = dict(settings.raw)
    raw["targetFolders"] = _merge_folders(raw.get("targetFolders"), settings.folders)
    _put(raw, "searchExcludes", _merge_excludes(raw.get("searchExcludes"), settings.search_excludes))
    _put(raw, "cloudFiles", "download" if settings.download_cloud_files else "keep", "keep")
    _put(raw, "ingestThreads", settings.ingest_threads, 0)
    _put(raw, "displayLocale", settings.display_locale, DEFAULT_LOCALE)
    _put(raw, "officePath", settings.office_path)
    make_private_folder(layout.root)
    text = json.dumps(raw, ensure_ascii=False, indent=2) + "\n"
    # Only bytes of a POSIX path that do not decode are unencodable, and JSON spells them as Python does: \udcXX.
    replace_file(layout.settings, text.encode("utf-8", "backslashreplace"))


def _put(raw: dict[str, object], key: str, value: object, default: object = None) -> None:
    """Sets a key, but does not add one that only repeats the default."""
    if key in raw or (value and value != default):
        raw[key] = value


def _merge_folders(old: object, folders: Sequence[TargetFolder]) -> list[dict[str, object]]:
    """The folder list, with unknown keys of entries that stay, and at its end the entries that we cannot use."""
    by_name: dict[str, dict[str, object]] = {}
    by_path: dict[str, dict[str, object]] = {}
    unusable: list[dict[str, object]] = []
    for entry in old if isinstance(old, list) else []:
        folder = _target_folder(entry)
        if folder is None:
            unusable.append(entry)
        else:
            by_name.setdefault(name_key(folder.name), entry)
            by_path.setdefault(folder.path, entry)  # for one that is renamed
    merged = []
    for f in folders:
        entry = by_name.get(name_key(f.name)) or by_path.get(f.path) or {}
        merged.append(entry | {"name": f.name, "path": f.path, "enabled": f.enabled})
    return merged + unusable


def _merge_excludes(old: object, excludes: Sequence[SearchExclude]) -> list[dict[str, object]]:
    """The exclude list, with unknown keys of entries that stay, and at its end the entries that we cannot use."""
    entries = old if isinstance(old, list) else []
    known = {entry["path"]: entry for entry in entries if isinstance(entry.get("path"), str)}
    merged = [known.get(e.path, {}) | {"path": e.path, "subfolders": e.subfolders} for e in excludes]
    return merged + [entry for entry in entries if not isinstance(entry.get("path"), str)]


def _target_folder(entry: Mapping[str, object]) -> TargetFolder | None:
    """The registered folder of an entry, None if we cannot use it: no path, or a name that is none for a folder."""
    name, path = entry.get("name"), entry.get("path")
    if not (isinstance(name, str) and isinstance(path, str) and path and is_stored_index_name(name)):
        return None
    return TargetFolder(name, path, entry.get("enabled") is not False)


def _from_raw(raw: dict[str, object]) -> Settings:
    folders: list[TargetFolder] = []
    seen: set[str] = set()
    for entry in _entries(raw, "targetFolders"):
        folder = _target_folder(entry)
        if folder is not None and name_key(folder.name) not in seen:
            seen.add(name_key(folder.name))
            folders.append(folder)
    excludes = tuple(
        SearchExclude(path, entry.get("subfolders") is not False)
        for entry in _entries(raw, "searchExcludes")
        if isinstance(path := entry.get("path"), str)
    )
    threads, locale = raw.get("ingestThreads"), raw.get("displayLocale")
    return Settings(
        folders=tuple(folders),
        search_excludes=excludes,
        download_cloud_files=raw.get("cloudFiles") == "download",
        ingest_threads=threads if isinstance(threads, int) and threads > 0 else 0,
        office_path=office if isinstance(office := raw.get("officePath"), str) else "",
        display_locale=locale if isinstance(locale, str) and locale else DEFAULT_LOCALE,
        raw=raw,
    )


def _entries(raw: dict[str, object], key: str) -> list[dict[str, object]]:
    value = raw.get(key, [])
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError(key)
    return value


def adopt(settings: Settings, list_folders: Sequence[tuple[str, str]]) -> Settings:
    """The settings of an adopted workspace (facts.md): if none is registered, the folders that the ingest list names.

    ``list_folders`` are its 「クロール対象フォルダ」 rows as (path, index name); those that exist are enabled.
    """
    if settings.folders or not list_folders:
        return settings
    folders: dict[str, TargetFolder] = {}
    for path, name in list_folders:
        exists = os.path.isabs(path) and os.path.isdir(path)
        folders.setdefault(name_key(name), TargetFolder(name, path, exists))
    return replace(settings, folders=tuple(folders.values()))
