"""``make catalogs``: compiles the translations, ``locale/<language>/LC_MESSAGES/tebunko.po`` to ``.mo`` beside it.

The compiled files are kept in the repository, so that a clone and an installed package work without a build step; a test
compares them with their sources.
"""

from __future__ import annotations

import datetime as dt
import io
import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

LOCALES = Path(__file__).resolve().parents[1] / "src" / "tebunko" / "locale"


_NO_DATE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def sources(folder: Path = LOCALES) -> list[Path]:
    """The catalogues of all languages, by path."""
    return sorted(folder.glob("*/LC_MESSAGES/*.po"))


def compiled(source: bytes) -> bytes:
    """The .mo file of a .po file, both as they lie on disk; fuzzy entries are left out.

    Raises `babel.messages.pofile.PoFileError` for a catalogue that does not parse.
    """
    catalog = read_po(io.BytesIO(source), abort_invalid=True)
    # Babel fills in the present time for a date that the source lacks; the same source must give the same bytes.
    catalog.creation_date = catalog.revision_date = _NO_DATE
    target = io.BytesIO()
    write_mo(target, catalog)
    return target.getvalue()


def main() -> int:
    """Compiles every catalogue; returns the exit code."""
    for source in sources():
        try:
            content = compiled(source.read_bytes())
        except PoFileError as error:
            print(f"{source}: {error}", file=sys.stderr)
            return 1
        target = source.with_suffix(".mo")
        if not target.is_file() or target.read_bytes() != content:
            target.write_bytes(content)
            print(f"{target.relative_to(LOCALES)}: {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
