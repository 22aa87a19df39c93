"""What README, guide, lock and Makefile promise is what the project holds."""

from __future__ import annotations

import argparse
import ast
import gettext
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import catalogs, environment
from tebunko.api import Failure, IndexInfo
from tebunko.cli.parser import build_parser
from tebunko.cli.status import failure_json, info_json
from tebunko.indexing import channel
from tebunko.locale import translator
from tebunko.model.errors import LOSES_TEXT, Reason
from tebunko.model.kinds import FileKind
from tebunko.model.place import part
from tebunko.model.states import FileState, IndexState
from tebunko.search import hits
from tebunko.store import workspace
from tebunko.store.coverage import IndexCoverage

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
GUIDES = [ROOT / "docs" / "guide.md", ROOT / "docs" / "guide.ja.md"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- documents ------------------------------------------------------------------------------------------------------


def oldest_python() -> str:
    return PROJECT["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_python_versions_in_documents_are_that_of_the_build_file(path: Path) -> None:
    assert set(re.findall(r"Python (3\.\d+)", path.read_text("utf-8"))) <= {oldest_python()}


def test_the_oldest_python_is_named_the_same_everywhere() -> None:
    for name in ("README.md", "README.ja.md", "CONTRIBUTING.md"):
        assert f"Python {oldest_python()}" in (ROOT / name).read_text("utf-8"), name
    assert ".".join(map(str, environment.OLDEST)) == oldest_python()
    assert f'"{oldest_python()}"' in (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")


LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    for target, anchor in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        there = path.parent / target if target else path
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there.read_text("utf-8")), f"{target}#{anchor}"


def test_readme_leads_to_the_documents() -> None:
    linked = {target for target, _ in LINK.findall((ROOT / "README.md").read_text("utf-8"))}
    assert {"docs/guide.md", "docs/architecture.md", "docs/speed.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= linked


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_make_targets_in_documents_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", path.read_text("utf-8"), re.MULTILINE)) <= targets


def test_every_module_named_in_documents_exists() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", path.read_text("utf-8")):
            places = [ROOT / name, ROOT / "src" / "tebunko" / name, *(ROOT / "src" / "tebunko").glob(f"*/{name}")]
            assert any(place.is_file() for place in places), f"{path.name}: {name}"


def test_every_file_of_a_workspace_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    for name in re.findall(r"^    ([a-z_/.]+\.[a-z]+)\b", workspace.__doc__ or "", re.MULTILINE):
        assert f"`{name}`" in text, name


# --- the guide ------------------------------------------------------------------------------------------------------


def commands(parser: argparse.ArgumentParser, names: str = "") -> Iterator[tuple[str, set[str]]]:
    """A parser and every command below it, by its names, with its long options."""
    yield names, {option for action in parser._actions for option in action.option_strings if option[:2] == "--"}
    for group in (action for action in parser._actions if isinstance(action, argparse._SubParsersAction)):
        for name, child in group.choices.items():
            yield from commands(child, f"{names} {name}".strip())


COMMANDS = dict(commands(build_parser(translator("en"))))


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_every_command_and_option_is_in_the_guide(guide: Path) -> None:
    text = guide.read_text("utf-8")
    missing = []
    for names, options in COMMANDS.items():
        missing += [names] if not re.search(rf"\b{re.escape(names)}\b", text) else []
        missing += [f"{names} {option}" for option in sorted(options) if not re.search(rf"[` ]{option}\b", text)]
    assert missing == []


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_the_guide_names_no_option_that_does_not_exist(guide: Path) -> None:
    # The third chapter describes the commands.
    chapter = re.split(r"^## ", guide.read_text("utf-8"), flags=re.MULTILINE)[3]
    assert set(re.findall(r"--[a-z][a-z-]+", chapter)) <= set().union(*COMMANDS.values())


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_every_reason_is_in_the_guide_with_its_state(guide: Path) -> None:
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| ([^|]+?) \|", guide.read_text("utf-8"), re.MULTILINE))
    failed = "失敗" if guide.stem.endswith(".ja") else "failed"
    for reason in Reason:
        assert (rows[reason.value] == failed) == (reason in LOSES_TEXT), reason


def keys_of(guide: Path, english: str, japanese: str) -> list[str]:
    """The keys in the first column of the guide's table with that heading."""
    heading = japanese if guide.stem.endswith(".ja") else english
    table = guide.read_text("utf-8").partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.split("\n")[2:]]
    return [key for cell in first_cells for key in re.findall(r"`([a-z_]+)`", cell)]


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_json_fields_are_those_of_the_guide(guide: Path) -> None:
    index = IndexInfo("n", "f", True, True, IndexState.CURRENT, IndexCoverage(), 0)
    failure = Failure("n", "f", FileState.FAILED, None, "", "", "")
    summary = hits.to_json(hits.Summary(0, 0, 0, 0, 0.0, False))
    assert keys_of(guide, "key of an index", "インデックスのキー") == list(info_json(index, size=True))
    assert keys_of(guide, "key of a failure", "失敗のキー") == list(failure_json(failure))
    assert keys_of(guide, "key of the run's summary", "更新のまとめのキー") == list(channel.Summary().to_json())
    assert keys_of(guide, "key of the summary", "まとめのキー") == list(summary)
    assert keys_of(guide, "key of `coverage`", "`coverage` のキー") == list(summary["coverage"])
    source = hits.SourceRef("n", "f", None, FileKind.TEXT)
    hit = hits.to_json(hits.Hit(source, part("本文"), 1, "x", [(0, 1)], before=[], after=[]))
    assert keys_of(guide, "key", "キー") == list(hit)


def test_both_guides_have_the_same_tables() -> None:
    def codes(path: Path) -> list[str]:
        rows = re.findall(r"^\| (`.+?`) \|", path.read_text("utf-8"), re.MULTILINE)
        return [re.sub(r"[^`]*(`[^`]*`)[^`]*", r"\1", row) for row in rows]

    assert codes(GUIDES[0]) == codes(GUIDES[1])


# --- the lock and the environment -----------------------------------------------------------------------------------


def locked() -> dict[str, Requirement]:
    lines = (ROOT / "requirements-dev.txt").read_text("utf-8").split("\n")
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith(("#", " "))]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def test_every_locked_version_is_exact() -> None:
    for requirement in locked().values():
        assert re.fullmatch(r"==[0-9][^*]*", str(requirement.specifier)), requirement


def test_every_dependency_is_locked_at_a_version_it_allows() -> None:
    versions = locked()
    for text in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]:
        wanted = Requirement(text)
        version = next(iter(versions[canonicalize_name(wanted.name)].specifier)).version
        assert wanted.specifier.contains(version, prereleases=True), text


def imported() -> set[str]:
    """The distributions that the source imports."""
    known = packages_distributions()
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            else:
                continue
            tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"tebunko"}
            found |= {canonicalize_name(dist) for top in tops for dist in known.get(top, [f"the unknown {top}"])}
    return found


def test_the_dependencies_are_what_the_source_imports() -> None:
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert imported() == declared


@pytest.mark.parametrize(
    ("version", "modules", "words"),
    [
        ((3, 11), ["venv", "ensurepip"], []),
        ((3, 14), ["venv", "ensurepip"], []),
        ((4, 0), ["venv", "ensurepip"], []),
        ((3, 10), ["venv", "ensurepip"], ["needs Python 3.11", "/usr/bin/python3 is Python 3.10"]),
        ((3, 10), [], ["needs Python 3.11"]),
        ((3, 12), ["venv"], ["without ensurepip", "apt install python3-venv", "python3.12-venv"]),
        ((3, 11), [], ["without venv and ensurepip", "PYTHON="]),
    ],
)
def test_a_python_that_will_not_do_is_told_what_to_install(
    version: tuple[int, int], modules: list[str], words: list[str]
) -> None:
    sentence = environment.complaint(version, modules, "/usr/bin/python3")
    assert bool(sentence) == bool(words)
    for word in words:
        assert word in sentence


def test_the_setup_script_is_readable_by_old_pythons() -> None:
    ast.parse((ROOT / "scripts" / "environment.py").read_text("utf-8"), feature_version=(3, 6))


needs_make = pytest.mark.skipif(
    shutil.which("make") is None or os.name == "nt", reason="needs make (Debian: apt install make)"
)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The tests themselves may run under make, whose flags would reach this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


@needs_make
def test_make_alone_prints_every_target() -> None:
    shown = set(re.findall(r"^make ([a-z]+)", make().stdout, re.MULTILINE))
    assert {"run", "test", "lint", "bench", "format", "catalogs", "help"} <= shown


@needs_make
def test_a_missing_python_is_told_in_a_sentence(tmp_path: Path) -> None:
    done = make(f"VENV={tmp_path}/none", "PYTHON=no-such-python", "catalogs")
    assert done.returncode != 0
    assert "There is no 'no-such-python'" in done.stdout


@needs_make
@pytest.mark.parametrize(
    "query", ["$(touch {mark})", "`touch {mark}`", "';touch {mark};'", '"; touch {mark}; "', "$$x"]
)
def test_no_shell_and_no_make_reads_folder_or_query(query: str, tmp_path: Path) -> None:
    asked = query.replace("{mark}", str(tmp_path / "mark"))
    fake = tmp_path / "venv"
    (fake / "bin").mkdir(parents=True)
    (fake / ".installed").touch()
    os.utime(fake / ".installed", (2**31, 2**31))
    recorder = fake / "bin" / "python"
    recorder.write_text('#!/bin/sh\nprintf "%s\\n%s\\n" "$TEBUNKO_RUN_FOLDER" "$TEBUNKO_RUN_QUERY"\n')
    recorder.chmod(0o700)
    done = make(f"VENV={fake}", "run", "FOLDER=営業 部", f"QUERY={asked}")
    assert not (tmp_path / "mark").exists()
    assert done.stdout == f"営業 部\n{asked}\n"


# --- catalogues -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", catalogs.sources(), ids=name_of)
def test_compiled_catalogues_are_those_of_their_sources(path: Path) -> None:
    assert path.with_suffix(".mo").read_bytes() == catalogs.compiled(path.read_bytes()), "run: make catalogs"


def test_a_catalogue_compiles_to_what_gettext_reads() -> None:
    source = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Done"\nmsgstr "済"\n'
    content = catalogs.compiled(source.encode())
    assert gettext.GNUTranslations(io.BytesIO(content)).gettext("Done") == "済"
    assert b"2000-01-01" in content
