"""Every message that people read has its Japanese, with the same gaps, and the catalogue holds nothing else."""

from __future__ import annotations

import ast
import io
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from scripts.catalogs import compiled, sources
from tebunko.cli.progress import PHASES
from tebunko.cli.status import STATES
from tebunko.cli.update import COUNTS
from tebunko.locale import system_language, translator
from tebunko.model.errors import MESSAGES
from tebunko.store import content

SOURCE = Path(__file__).resolve().parents[1] / "src" / "tebunko"
CALLS = {"UserError", "Message", "note", "_note", "log", "say", "error", "t", "_fail", "ContentError"}
TABLES = [*MESSAGES.values(), *STATES.values(), *PHASES.values(), *COUNTS.values()]
TABLES += [content.TOO_LARGE, content.OTHER_VERSION, content.NOT_CONTENT]
NOT_MESSAGES = {""}


def ids_in_source() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in CALLS:
                yield from _texts(node.args[0])
            elif isinstance(node, ast.For) and "cli" in path.parts:
                yield from _table(node)


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _table(loop: ast.For) -> Iterator[str]:
    """Messages of a table that a loop goes through: rows whose first item has a gap for the count."""
    if isinstance(loop.iter, ast.Tuple):
        for row in loop.iter.elts:
            if (
                isinstance(row, ast.Tuple)
                and isinstance(row.elts[0], ast.Constant)
                and "{count}" in str(row.elts[0].value)
            ):
                yield str(row.elts[0].value)


IDS = (set(ids_in_source()) | set(TABLES)) - NOT_MESSAGES


def japanese() -> dict[str, str]:
    (path,) = sources()
    catalog = read_po(io.BytesIO(path.read_bytes()))
    return {str(m.id): str(m.string) for m in catalog if m.id}


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_message_is_translated() -> None:
    catalog = japanese()
    assert sorted(message for message in IDS if not catalog.get(message)) == []


def test_the_catalogue_holds_nothing_else() -> None:
    ours = {
        message
        for message in japanese()
        if not re.search(r"%|^usage: $|^options$|^positional|^show |^expected ", message)
    }
    assert sorted(ours - IDS) == []


@pytest.mark.parametrize("message", sorted(IDS))
def test_a_translation_has_the_same_gaps(message: str) -> None:
    assert gaps(japanese().get(message, message)) == gaps(message)


def test_the_compiled_catalogue_is_that_of_the_source() -> None:
    for source in sources():
        assert source.with_suffix(".mo").read_bytes() == compiled(source.read_bytes())


def test_a_message_speaks_the_language_asked_for() -> None:
    message = "There is no folder “{path}”."
    assert translator("en")(message, path="x") == "There is no folder “x”."
    assert translator("ja")(message, path="x") == "フォルダ「x」がありません。"


@pytest.mark.parametrize(
    ("variable", "value", "language"), [("LANG", "ja_JP.UTF-8", "ja"), ("LANG", "de_DE", "en"), ("LC_ALL", "ja", "ja")]
)
def test_the_systems_language(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, language: str) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    assert system_language() == language
