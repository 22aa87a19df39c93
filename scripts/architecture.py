"""The rule of imports of docs/architecture.md and the sizes that the project keeps to, checked from the source alone.

Everything here is pure: a tree of sources (dotted module name -> text) in, sentences about what breaks a rule out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "tebunko"

MAY_IMPORT: Mapping[str, tuple[str, ...]] = {
    "model": (),
    "locale": ("model",),
    "extract": ("model",),
    "store": ("model",),
    "indexing": ("model", "extract", "store"),
    "search": ("model", "store"),
    "api": ("model", "locale", "extract", "store", "indexing", "search"),
    "cli": ("api", "locale", "model.errors"),
    "web": ("api", "locale", "model.errors"),
    "__main__": ("cli", "api", "locale", "indexing"),
    "": ("api",),
}
"""What each room may import of ours beside itself and the package's own version; "" is the package's ``__init__``."""

MAY_IMPORT_LATE = ("cli", "api", "extract.registry", "__main__", "")
"""Where an import of ours may stand inside a function, so that starting stays cheap."""

FILE_LINES = 500
FUNCTION_LINES = 50


@dataclass(frozen=True, slots=True)
class Import:
    """One import of ours: the dotted name without the package, its line, and whether it stands in a function."""

    target: str
    line: int
    late: bool
    star: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """The modules of the package by dotted name without the package ("model.place"), packages by their own name."""

    modules: Mapping[str, ast.Module]
    packages: frozenset[str]


def read_tree(folder: Path) -> Tree:
    """Parses every module below the package's folder; raises SyntaxError for a broken one."""
    sources = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.py")}
    return parse_tree(sources)


def parse_tree(sources: Mapping[str, str]) -> Tree:
    """The tree of sources named by their path in the package ("model/place.py", "model/__init__.py")."""
    modules = {}
    packages = set()
    for path, text in sources.items():
        name = path.removesuffix(".py").replace("/", ".")
        if name == "__init__" or name.endswith(".__init__"):
            name = name.removesuffix("__init__").removesuffix(".")
            packages.add(name)
        modules[name] = ast.parse(text, path)
    return Tree(modules, frozenset(packages))


def broken_rules(tree: Tree) -> list[str]:
    """A sentence for each import that breaks a rule, and for each circle; empty if the house stands."""
    found = []
    for name in sorted(tree.modules):
        for item in imports_of(tree, name):
            found += [f"{name or PACKAGE}:{item.line}: {fault}" for fault in _faults(name, item)]
    return found + [f"imports run in a circle: {' -> '.join(circle)}" for circle in circles(tree)]


def _faults(name: str, item: Import) -> Iterator[str]:
    room, target_room = _room(name), _room(item.target)
    if room not in MAY_IMPORT:
        yield f"the room {room!r} is in no list of rooms"
    elif target_room not in ("", room) and not any(_within(item.target, allowed) for allowed in MAY_IMPORT[room]):
        yield f"{room or PACKAGE} may not import {item.target}"
    if item.late and not any(_within(name, allowed) if allowed else not name for allowed in MAY_IMPORT_LATE):
        yield f"imports {item.target} inside a function"
    if item.star:
        yield f"imports everything of {item.target}"


def _room(name: str) -> str:
    return name.partition(".")[0]


def _within(name: str, ancestor: str) -> bool:
    return name == ancestor or name.startswith(ancestor + ".")


def imports_of(tree: Tree, name: str) -> list[Import]:
    """The imports of ours in a module, those under ``if TYPE_CHECKING`` too."""
    found: list[Import] = []
    pending: list[tuple[ast.AST, bool]] = [(tree.modules[name], False)]
    while pending:
        node, late = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            star = any(alias.name == "*" for alias in node.names)
            found += [Import(target, node.lineno, late, star) for target in _targets(tree, name, node)]
        inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        pending += [(child, inside) for child in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda item: (item.line, item.target))


def _targets(tree: Tree, name: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if _within(alias.name, PACKAGE):
                yield alias.name.removeprefix(PACKAGE).removeprefix(".")
        return
    base = _absolute(tree, name, node)
    if not _within(base, PACKAGE):
        return
    base = base.removeprefix(PACKAGE).removeprefix(".")
    for alias in node.names:
        module = f"{base}.{alias.name}".removeprefix(".")
        yield module if module in tree.modules else base


def _absolute(tree: Tree, name: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = [PACKAGE, *(name.split(".") if name else [])]
    up = node.level - (name in tree.packages)
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def circles(tree: Tree) -> list[list[str]]:
    """Every shortest circle of imports at module level, once each, starting at its first name."""
    reached = {
        name: sorted({item.target for item in imports_of(tree, name) if not item.late and item.target != name})
        for name in tree.modules
    }
    found: dict[frozenset[str], list[str]] = {}
    for start in sorted(reached):
        circle = _way_back(start, reached)
        if circle and start == min(circle):
            found.setdefault(frozenset(circle), circle)
    return list(found.values())


def _way_back(start: str, reached: Mapping[str, list[str]]) -> list[str]:
    """The shortest way from a module to itself, breadth first; empty if there is none."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for target in reached.get(way[-1], ()):
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def too_long(sources: Mapping[str, str]) -> list[str]:
    """A sentence for each file and function that is longer than the project keeps to."""
    found = []
    for path, text in sorted(sources.items()):
        lines = text.count("\n")
        if lines > FILE_LINES:
            found.append(f"{path} has {lines} lines, more than {FILE_LINES}")
        for node in ast.walk(ast.parse(text, path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES:
                    found.append(f"{path}:{node.lineno}: {node.name} has {length} lines, more than {FUNCTION_LINES}")
    return found
