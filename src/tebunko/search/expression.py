r"""Regular expressions: checking them, and what can be known of their matches without running them.

The dialect is that of the `regex` package, version 0. An expression is *meant* to be run on one line at a time, which costs
a call per line. `outline_of` makes it cheap to find the few lines that are worth that call: from the expression it derives

* ``pattern``: an expression that whole text can be searched with. It finds something in every line in which the original
  finds something (and perhaps in more), and never reaches over a line's end.
* ``literals``: strings of which every match contains at least one.

Why that holds. The outline is built from the expression's tree by changes that only ever let more match:

1. whatever could match a line feed is made not to (``.`` and ``[^a]`` become ``[^\n]`` and ``[^\na]``, ``\s`` becomes
   ``[^\S\n]``). A line holds no line feed, so no match inside a line is lost;
2. assertions that look around are left out, ``^`` and ``$`` become "at a line's beginning, or behind a tab" (the text of a
   shape or comment begins behind its address and a tab) and "at a line's end"; back references become "anything";
3. atomic groups and possessive quantifiers become plain ones: with the assertions gone they could otherwise commit to a
   way that the original does not take. A plain backtracking search finds a match if there is any way at all.

Anything that is not understood for certain (verbose mode, fuzzy matching, recursion, conditionals, set operations, verbs,
``\K``, ``\X`` …) gives no outline, and every line is tried. An expression that can match nothing at all (``a*``) matches every
line and has no outline either.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import regex

from tebunko.model.errors import UserError

Pattern = Any
"""A compiled pattern of the `regex` package, which has no types."""

_MAX_DEPTH = 40
_MAX_LITERALS = 12
_MAX_LITERAL = 40
_MAX_NEEDS = 20
_NOT_LF = r"[^\n]"


def compile_expression(text: str, case: bool) -> Pattern:
    """The compiled expression. Raises UserError that names the position (from 1) if it is invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(text, regex.VERSION0 if case else regex.VERSION0 | regex.IGNORECASE)
    except regex.error as error:
        position = getattr(error, "pos", None)
        raise UserError(
            "The regular expression is invalid at position {position}: {detail}",
            position=1 if position is None else position + 1,
            detail=getattr(error, "msg", None) or str(error),
        ) from error
    except (RecursionError, OverflowError, MemoryError, ValueError, KeyError, IndexError, TypeError) as error:
        # The package's parser is recursive, and some malformed properties escape its own error class.
        raise UserError("The regular expression is too deeply nested or malformed") from error


@dataclass(frozen=True, slots=True)
class Outline:
    """What every match of an expression fulfils; see the module's text. ``literals`` may be empty: nothing is known.

    ``needs`` are all such sets that are known: of each of them every match contains at least one string.
    """

    pattern: Pattern
    literals: tuple[str, ...]
    ignores_case: bool
    needs: tuple[tuple[str, ...], ...] = ()


def outline_of(text: str, case: bool) -> Outline | None:
    """The outline of a valid expression, None if it has none.

    >>> outline_of("^(売上|仕入)高?\\\\s", False).literals
    ('売上', '仕入')
    >>> outline_of("a*", False) is None
    True
    """
    parser = _Parser(text)
    try:
        tree = parser.whole()
    except _NotUnderstood:
        return None
    if tree.may_be_empty:
        return None
    ignores_case = parser.ignores_case or not case
    try:
        pattern = compile_expression(tree.source, not ignores_case)
    except UserError:
        return None
    return Outline(pattern, tree.literals(), ignores_case, tree.all_needs())


class _NotUnderstood(Exception):
    """Something whose effect on matching is not known for certain."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of the outline.

    ``source`` is its expression, safe to be quantified and joined. ``exact`` are all strings it matches if they are few,
    ``needed`` strings of which every match contains one (None: unknown), ``others`` further sets of that sort.
    """

    source: str
    may_be_empty: bool
    exact: tuple[str, ...] | None = None
    needed: tuple[str, ...] | None = None
    others: tuple[tuple[str, ...], ...] = ()

    def literals(self) -> tuple[str, ...]:
        """The better of the two sets, or ()."""
        return _better(self.needed, self.exact) or ()

    def all_needs(self) -> tuple[tuple[str, ...], ...]:
        """All sets of strings of which every match contains one."""
        known = (strings for strings in (self.exact, self.needed, *self.others) if strings and all(strings))
        return tuple(dict.fromkeys(known))[:_MAX_NEEDS]


_EMPTY = _Node("", True, ("",))
_ANYTHING = _Node(f"(?:{_NOT_LF}*)", True)


def _better(a: tuple[str, ...] | None, b: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The set whose shortest string is longer; of two alike the smaller one. A set with an empty string says nothing."""
    known = [s for s in (a, b) if s and all(s)]
    return max(known, key=lambda s: (min(map(len, s)), -len(s)), default=None)


def _joined(nodes: list[_Node]) -> _Node:
    """One after the other."""
    if len(nodes) == 1:
        return nodes[0]
    needed: tuple[str, ...] | None = None
    run: tuple[str, ...] | None = ("",)
    whole = True
    needs: list[tuple[str, ...]] = []
    for node in nodes:
        needs += node.all_needs() if node.exact is None else ()
        product = None
        if run is not None and node.exact is not None and len(run) * len(node.exact) <= _MAX_LITERALS:
            product = tuple(dict.fromkeys(a + b for a in run for b in node.exact))
        if product is not None and max(map(len, product)) <= _MAX_LITERAL:
            run = product
            continue
        whole = False
        needed = _better(_better(needed, run), node.needed)
        needs += [run] if run else []
        run = node.exact
    needed = _better(needed, run)
    needs += [run] if run else []
    source = "".join(node.source for node in nodes)
    others = tuple(strings for strings in dict.fromkeys(needs) if all(strings))[:_MAX_NEEDS]
    return _Node(source, all(n.may_be_empty for n in nodes), run if whole else None, needed, others)


def _either(nodes: list[_Node]) -> _Node:
    """One of these."""
    if len(nodes) == 1:
        return nodes[0]
    exact: tuple[str, ...] | None = None
    if all(node.exact is not None for node in nodes):
        strings = tuple(dict.fromkeys(s for node in nodes for s in node.exact or ()))
        exact = strings if len(strings) <= _MAX_LITERALS else None
    sets = [node.literals() for node in nodes]
    needed = tuple(dict.fromkeys(s for strings in sets for s in strings)) if all(sets) else None
    if needed is not None and len(needed) > _MAX_LITERALS:
        needed = None
    return _Node(f"(?:{'|'.join(n.source for n in nodes)})", any(n.may_be_empty for n in nodes), exact, needed)


def _repeated(node: _Node, low: int, quantifier: str) -> _Node:
    """``node`` with a quantifier whose least count is ``low``."""
    source = f"(?:{node.source}){quantifier}"
    if low == 0:
        return _Node(source, True)
    return _Node(source, node.may_be_empty, None, _better(node.needed, node.exact), node.all_needs())


_PLAIN_ESCAPES = {"t": "\t", "f": "\f", "v": "\v", "a": "\a", "r": "\r"}
_CLASS_ESCAPES = {
    "d": r"\d",
    "w": r"\w",
    "S": r"\S",
    "D": r"[^\d\n]",
    "W": r"[^\w\n]",
    "s": r"[^\S\n]",
}
_HEX_LENGTHS = {"x": 2, "u": 4, "U": 8}
_QUANTIFIER = regex.compile(r"(?:[*+?]|\{(?P<low>[0-9]{0,6})(?P<comma>,)?(?P<high>[0-9]{0,6})\})")
_GROUP_NAME = regex.compile(r"\?P?<[^\W\d]\w*>")
_FLAGS = regex.compile(r"\?(?P<on>[ims]*)(?P<off>-[ims]+)?(?P<end>[:)])")
_REFERENCE = regex.compile(r"\?P=\w+\)")
_PROPERTY = regex.compile(r"[pP]\{[^{}\n]+\}")
_LOOKS = ("?=", "?!", "?<=", "?<!")


class _Parser:
    """A recursive descent over the part of the syntax whose effect is certain."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self.ignores_case = False

    def whole(self) -> _Node:
        node = self._alternatives()
        if self._at < len(self._text):
            raise _NotUnderstood
        return node

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: Pattern) -> Any:
        match = pattern.match(self._text, self._at)
        if match:
            self._at = match.end()
        return match

    def _alternatives(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _NotUnderstood
        branches = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence())
        self._depth -= 1
        return _either(branches)

    def _sequence(self) -> _Node:
        nodes = [_EMPTY]
        while self._peek() not in ("", "|", ")"):
            node = self._atom()
            nodes.append(self._quantified(node))
        return _joined(nodes)

    def _quantified(self, node: _Node) -> _Node:
        match = self._take(_QUANTIFIER)
        if not match:
            return node
        quantifier = match[0]
        low = 1 if quantifier == "+" else 0
        if quantifier[0] == "{":
            if not (match["low"] or match["high"]) or (match["high"] and not match["comma"]):
                raise _NotUnderstood
            low = int(match["low"] or 0)
        if self._peek() == "?":
            quantifier += "?"
            self._at += 1
        elif self._peek() == "+":
            self._at += 1
        if self._peek() in ("*", "+", "?", "{"):
            raise _NotUnderstood
        return _repeated(node, low, quantifier)

    def _atom(self) -> _Node:
        char = self._peek()
        self._at += 1
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == ".":
            return _Node(_NOT_LF, False)
        if char == "^":
            return _Node(r"(?<![^\n\t])", True, ("",))
        if char == "$":
            return _Node(r"(?![^\n])", True, ("",))
        if char in "*+?{":
            raise _NotUnderstood
        return _literal(char)

    def _group(self) -> _Node:
        rest = self._text[self._at : self._at + 3]
        if rest.startswith("*"):
            raise _NotUnderstood
        if not rest.startswith("?") or self._take(_GROUP_NAME):
            return self._inside()
        if rest.startswith("?>"):
            self._at += 2
            return self._inside()
        look = next((mark for mark in _LOOKS if rest.startswith(mark)), None)
        if look:
            self._at += len(look)
            self._inside()
            return _EMPTY
        if self._take(_REFERENCE):
            return _ANYTHING
        return self._flagged()

    def _flagged(self) -> _Node:
        match = self._take(_FLAGS)
        if not match:
            raise _NotUnderstood
        if "i" in (match["on"] or ""):
            self.ignores_case = True
        return self._inside() if match["end"] == ":" else _EMPTY

    def _inside(self) -> _Node:
        node = self._alternatives()
        if self._peek() != ")":
            raise _NotUnderstood
        self._at += 1
        return _Node(f"(?:{node.source})", node.may_be_empty, node.exact, node.needed, node.others)

    def _escape(self) -> _Node:
        char = self._peek()
        if self._take(_PROPERTY):
            start = self._text.rindex("\\", 0, self._at)
            return _Node(rf"(?:(?!\n){self._text[start : self._at]})", False)
        self._at += 1
        if char in _CLASS_ESCAPES:
            return _Node(_CLASS_ESCAPES[char], False)
        if char in _PLAIN_ESCAPES:
            return _literal(_PLAIN_ESCAPES[char])
        if char in _HEX_LENGTHS:
            return _literal(self._hex(_HEX_LENGTHS[char]))
        if char in ("b", "B"):
            return _Node(rf"\{char}", True, ("",))
        if char == "A":
            return _Node(r"(?<![^\n\t])", True, ("",))
        if char == "Z":
            return _Node(r"(?![^\n])", True, ("",))
        if char and char in "123456789":
            if self._peek().isdigit():
                raise _NotUnderstood
            return _ANYTHING
        if not char or char.isalnum():
            raise _NotUnderstood
        return _literal(char)

    def _hex(self, length: int) -> str:
        digits = self._text[self._at : self._at + length]
        self._at += length
        try:
            return chr(int(digits, 16)) if digits.isalnum() and digits.isascii() and len(digits) == length else ""
        except (ValueError, OverflowError):
            raise _NotUnderstood from None

    def _set(self) -> _Node:
        """A set in brackets: its end is found, and a line feed taken out of what it matches."""
        negated = self._peek() == "^"
        self._at += negated
        members: list[str] = []
        first = True
        while first or self._peek() != "]":
            first = False
            char = self._peek()
            if char == "" or char == "[" or self._text[self._at : self._at + 2] in ("--", "&&", "||", "~~"):
                raise _NotUnderstood
            self._at += 1
            if char == "\\":
                char += self._peek()
                self._at += 1
            members.append(char)
        self._at += 1
        if any(m[0] == "\\" and m[1:] in ("p", "P", "N", "L", "") for m in members):
            raise _NotUnderstood
        return _set_node(members, negated)


def _set_node(members: list[str], negated: bool) -> _Node:
    inner = "".join(members)
    if negated:
        if members[0] in ("]", "-"):
            return _Node(rf"(?:(?!\n)[^{inner}])", False)
        return _Node(rf"[^\n{inner}]", False)
    if all(len(m) == 1 and m not in ("-", "\n") for m in members) and len(members) <= _MAX_LITERALS:
        return _Node(f"[{inner}]", False, tuple(dict.fromkeys(members)))
    if all(m > "\n" if len(m) == 1 else m[1] in "dwS" or not m[1].isalnum() for m in members):
        return _Node(f"[{inner}]", False)
    return _Node(rf"(?:(?!\n)[{inner}])", False)


def _literal(char: str) -> _Node:
    if char in ("", "\n"):
        raise _NotUnderstood
    return _Node(regex.escape(char, special_only=True, literal_spaces=True), False, (char,))
