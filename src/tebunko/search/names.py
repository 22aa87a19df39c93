"""Name patterns: what ``--name``, ``name:``, ``sheet:`` and ``folder:`` compare names with (search.md, Matching)."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_WILDCARDS = "*?"
_SEPARATORS = re.compile("[;；]")
_EXCLUDERS = ("!", "！")


def name_matches(pattern: str, name: str) -> bool:
    """True if ``name`` is what the pattern says, without regard to case.

    ``*`` stands for any characters, ``?`` for one, and the pattern then covers the whole name; a pattern without either
    is contained anywhere in it. Both sides are compared in NFC, since some systems keep names decomposed.

    >>> name_matches("見積", "A社_見積書.xlsx"), name_matches("*.XLSX", "a.xlsx"), name_matches("a?", "[a]")
    (True, True, False)
    """
    return _compiled(pattern).search(unicodedata.normalize("NFC", name).casefold()) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    folded = unicodedata.normalize("NFC", pattern).casefold()
    if not any(c in folded for c in _WILDCARDS):
        return re.compile(re.escape(folded))
    # fnmatch builds atomic groups, so that many stars cost no more than one; only its brackets are not ours.
    return re.compile(r"\A" + fnmatch.translate(folded.replace("[", "[[]")))


@dataclass(frozen=True, slots=True)
class NamePatterns:
    """A list of patterns: a name passes if it matches one of ``wanted`` (or there are none) and none of ``unwanted``."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    def passes(self, name: str) -> bool:
        """True if a file of this name is searched."""
        if any(name_matches(p, name) for p in self.unwanted):
            return False
        return not self.wanted or any(name_matches(p, name) for p in self.wanted)


def parse_name_patterns(text: str) -> NamePatterns:
    """The patterns of ``*.xlsx;見積;!*old*``: ``;`` separates, ``!`` excludes, full-width ``；！`` likewise.

    Blanks around a pattern and empty patterns do not count.

    >>> parse_name_patterns("*.xlsx；見積; ！*old*;")
    NamePatterns(wanted=('*.xlsx', '見積'), unwanted=('*old*',))
    """
    wanted, unwanted = [], []
    for piece in _SEPARATORS.split(text):
        pattern = piece.strip()
        if pattern.startswith(_EXCLUDERS):
            if rest := pattern[1:].strip():
                unwanted.append(rest)
        elif pattern:
            wanted.append(pattern)
    return NamePatterns(tuple(wanted), tuple(unwanted))
