"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tebunko.extract.office.installation import OfficeInstallation, find_office

SHARED = Path(os.environ.get("TEBUNKO_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real documents and measuring tools beside the checkout; skips where it is not there."""
    if not (SHARED / "corpus").is_dir():
        pytest.skip(f"needs the real documents in {SHARED} (set TEBUNKO_SHARED to their folder)")
    return SHARED


@pytest.fixture(scope="session")
def corpus(shared: Path) -> Path:
    """Real office documents, PDFs and texts, many damaged on purpose."""
    return shared / "corpus"


@pytest.fixture(scope="session")
def office() -> OfficeInstallation:
    """The LibreOffice of this machine; skips where there is none."""
    found = find_office()
    if found is None:
        pytest.skip(
            "needs LibreOffice and a Python that drives it (Debian, Ubuntu: apt-get install --no-install-recommends "
            "libreoffice-core libreoffice-writer libreoffice-calc libreoffice-impress python3-uno)"
        )
    return found
