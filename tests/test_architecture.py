"""The house stands as docs/architecture.md says; and the check of it notices when it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.architecture import FILE_LINES, FUNCTION_LINES, broken_rules, parse_tree, read_tree, too_long

ROOT = Path(__file__).resolve().parents[1]


def test_no_import_breaks_the_rules_of_the_house() -> None:
    assert broken_rules(read_tree(ROOT / "src" / "tebunko")) == []


def test_no_file_or_function_is_longer_than_we_keep_to() -> None:
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for folder in ("src", "bench", "scripts")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert too_long(sources) == []


ROOMS = {f"{room}/__init__.py": "" for room in ("model", "extract", "store", "indexing", "search", "cli", "locale")}
BASE = {"__init__.py": '__version__ = "1"', "api/__init__.py": "", "model/errors.py": "", "model/place.py": "", **ROOMS}


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("extract/pdf.py", "from tebunko.model.place import Place", None),
        ("extract/pdf.py", "from tebunko import __version__", None),
        ("extract/pdf.py", "import os, lxml.etree", None),
        ("extract/pdf.py", "import tebunko_other", None),
        ("extract/pdf.py", "from tebunko.store import x", "extract may not import store"),
        ("extract/pdf.py", "import tebunko.store", "extract may not import store"),
        ("extract/pdf.py", "from tebunko import store", "extract may not import store"),
        ("extract/pdf.py", "from ..store import x", "extract may not import store"),
        ("extract/__init__.py", "from ..store import x", "extract may not import store"),
        ("extract/excel/xlsx.py", "from ...store import x", "extract may not import store"),
        ("extract/excel/xlsx.py", "from .. import source", None),
        ("model/unit.py", "from tebunko.model import place", None),
        ("model/unit.py", "from tebunko.extract import x", "model may not import extract"),
        ("store/list.py", "from tebunko.extract import x", "store may not import extract"),
        ("store/list.py", "if TYPE_CHECKING:\n    from tebunko.indexing import x", "store may not import indexing"),
        ("search/scan.py", "from tebunko.store import x", None),
        ("search/scan.py", "from tebunko.extract import x", "search may not import extract"),
        ("indexing/plan.py", "from tebunko.extract import x\nfrom tebunko.store import y", None),
        ("indexing/plan.py", "from tebunko.search import x", "indexing may not import search"),
        ("search/scan.py", "from tebunko.api import x", "search may not import api"),
        ("cli/show.py", "from tebunko.api import x\nfrom tebunko.locale import y", None),
        ("cli/show.py", "from tebunko.model.errors import UserError", None),
        ("cli/show.py", "from tebunko.model.place import Place", "cli may not import model.place"),
        ("cli/show.py", "from tebunko.model import place", "cli may not import model.place"),
        ("cli/show.py", "from tebunko.store import x", "cli may not import store"),
        ("cli/show.py", "def f():\n    from tebunko.api import x", None),
        ("extract/registry.py", "def f():\n    from tebunko.extract import pdf", None),
        ("search/scan.py", "def f():\n    from tebunko.store import x", "imports store inside a function"),
        ("search/scan.py", "async def f():\n    import tebunko.store", "imports store inside a function"),
        ("search/scan.py", "class C:\n    def f(self):\n        from tebunko.store import x", "inside a function"),
        ("search/scan.py", "def f():\n    import numpy", None),
        ("search/scan.py", "from tebunko.store import *", "imports everything of store"),
        ("cellar/x.py", "import tebunko.model", "the room 'cellar' is in no list"),
    ],
)
def test_the_check_tells_right_from_wrong(path: str, source: str, fault: str | None) -> None:
    found = broken_rules(parse_tree({**BASE, path: source}))
    if fault is None:
        assert found == []
    else:
        assert len(found) == 1
        assert fault in found[0]


@pytest.mark.parametrize(
    ("modules", "circle"),
    [
        ({"a": "from tebunko.model import b", "b": "from tebunko.model.a import x"}, "model.a -> model.b -> model.a"),
        (
            {"a": "import tebunko.model.b", "b": "from . import c", "c": "from .a import x"},
            "model.a -> model.b -> model.c -> model.a",
        ),
        ({"a": "from tebunko.model import b", "b": ""}, None),
        ({"a": "from tebunko.model import b, c", "b": "from tebunko.model import c", "c": ""}, None),
    ],
)
def test_circles_are_found(modules: dict[str, str], circle: str | None) -> None:
    tree = parse_tree(BASE | {f"model/{name}.py": source for name, source in modules.items()})
    assert broken_rules(tree) == ([f"imports run in a circle: {circle}"] if circle else [])


def test_lengths_are_counted_at_the_limit() -> None:
    function = "def f():\n" + "    x = 1\n" * (FUNCTION_LINES - 1)
    assert too_long({"a.py": function}) == []
    assert too_long({"a.py": function + "    x = 1\n"}) == [
        f"a.py:1: f has {FUNCTION_LINES + 1} lines, more than {FUNCTION_LINES}"
    ]
    assert too_long({"a.py": "\n" * FILE_LINES}) == []
    assert too_long({"a.py": "\n" * (FILE_LINES + 1)}) == [f"a.py has {FILE_LINES + 1} lines, more than {FILE_LINES}"]
