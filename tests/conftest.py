"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
