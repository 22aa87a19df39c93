"""``setting.config``: what others put there stays, and nothing that cannot be understood is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tebunko.model.errors import UserError
from tebunko.store.settings import SearchExclude, Settings, TargetFolder, adopt, load_settings, save_settings
from tebunko.store.workspace import Layout

FOREIGN = {
    "windowWidth": 1200,
    "targetFolders": [
        {"name": "営業", "path": "C:\\data\\営業", "enabled": True, "color": "red"},
        {"name": "2019年度", "path": "D:\\old\\2019年度", "enabled": False, "order": 2},
        {"name": "古い名前.", "path": "D:\\x"},
        {"name": "道の無いもの"},
    ],
    "indexSources": [{"name": "写し", "path": "E:\\src"}],
    "searchExcludes": [{"path": "営業\\旧", "subfolders": False, "since": "2024"}, {"comment": "x"}],
    "cloudFiles": "download",
    "ingestThreads": 3,
    "displayLocale": "en-US",
    "null": None,
}


def put(layout: Layout, value: object) -> None:
    layout.settings.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def raw(layout: Layout) -> dict[str, object]:
    data = layout.settings.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    found = json.loads(data.decode("utf-8"))
    assert isinstance(found, dict)
    return found


def test_without_a_file_there_are_defaults(layout: Layout) -> None:
    settings = load_settings(layout)
    assert (settings.folders, settings.display_locale, settings.ingest_threads) == ((), "ja-JP", 0)
    assert not settings.download_cloud_files and settings.search_excludes == ()


def test_what_the_other_program_wrote_is_read(layout: Layout) -> None:
    put(layout, FOREIGN)
    settings = load_settings(layout)
    assert settings.folders == (
        TargetFolder("営業", "C:\\data\\営業", True),
        TargetFolder("2019年度", "D:\\old\\2019年度", False),
    )
    assert settings.search_excludes == (SearchExclude("営業\\旧", False),)
    assert (settings.download_cloud_files, settings.ingest_threads, settings.display_locale) == (True, 3, "en-US")
    assert settings.folder("営業").path == "C:\\data\\営業"
    with pytest.raises(UserError):
        settings.folder("無い")


def test_unknown_keys_stay_also_inside_entries(layout: Layout) -> None:
    put(layout, FOREIGN)
    save_settings(layout, load_settings(layout))
    assert raw(layout) == FOREIGN


def test_changes_touch_what_they_change(layout: Layout) -> None:
    put(layout, FOREIGN)
    settings = load_settings(layout)
    folders = (replace(settings.folders[0], name="販売"), TargetFolder("新", "/new"))  # one renamed, one gone, one new
    save_settings(layout, replace(settings, folders=folders, search_excludes=(), ingest_threads=0))
    assert raw(layout) == FOREIGN | {
        "targetFolders": [
            {"name": "販売", "path": "C:\\data\\営業", "enabled": True, "color": "red"},
            {"name": "新", "path": "/new", "enabled": True},
            {"name": "古い名前.", "path": "D:\\x"},
            {"name": "道の無いもの"},
        ],
        "searchExcludes": [{"comment": "x"}],
        "ingestThreads": 0,
    }


def test_defaults_are_not_written(layout: Layout) -> None:
    save_settings(layout, Settings((TargetFolder("a", "/a"),)))
    assert raw(layout) == {"targetFolders": [{"name": "a", "path": "/a", "enabled": True}]}


def test_a_path_whose_bytes_do_not_decode_comes_back(layout: Layout) -> None:
    settings = Settings((TargetFolder("été", "/data/\udce9t\udce9"),))
    save_settings(layout, settings)
    assert load_settings(layout).folders == settings.folders
    raw(layout)  # it is UTF-8 and JSON all the same


def test_a_bom_is_accepted(layout: Layout) -> None:
    layout.settings.write_bytes(b"\xef\xbb\xbf" + b'{"ingestThreads": 2}')
    assert load_settings(layout).ingest_threads == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{\x00}\x00",
        b'{"targetFolders": 1}',
        b'{"targetFolders": ["a"]}',
        b'{"searchExcludes": {}}',
        b"[" * 100_000,
    ],
)
def test_a_broken_file_is_set_aside_and_never_overwritten(layout: Layout, data: bytes) -> None:
    layout.settings.write_bytes(data)
    with pytest.raises(UserError) as caught:
        load_settings(layout)
    kept = layout.root / "setting.config.broken"
    assert kept.read_bytes() == data and not layout.settings.exists()
    assert str(kept) in str(caught.value)
    assert load_settings(layout).folders == ()


def test_an_adopted_workspace_has_the_folders_of_its_list(tmp_path: Path) -> None:
    rows = [(str(tmp_path), "営業"), ("C:\\data", "旧"), (str(tmp_path), "営業"), ("tests", "相対")]
    adopted = adopt(Settings(), rows)
    assert adopted.folders == (
        TargetFolder("営業", str(tmp_path), True),
        TargetFolder("旧", "C:\\data", False),
        TargetFolder("相対", "tests", False),  # it would depend on where the program is started
    )
    own = Settings((TargetFolder("a", "/a"),))
    assert adopt(own, rows) is own


def test_two_entries_of_one_name(layout: Layout) -> None:
    put(layout, {"targetFolders": [{"name": "A", "path": "/1"}, {"name": "a", "path": "/2"}]})
    assert load_settings(layout).folders == (TargetFolder("A", "/1"),)
