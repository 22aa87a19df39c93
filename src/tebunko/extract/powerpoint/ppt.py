"""Reads .ppt (PowerPoint 97-2003)."""

from __future__ import annotations

import ppt2pptx  # type: ignore[import-untyped]

from tebunko.extract.embedded import EmbeddedReader
from tebunko.extract.legacy import read_converted
from tebunko.extract.powerpoint.pptx import read_converted_pptx
from tebunko.extract.source import Options, Source
from tebunko.model.unit import Extraction


def read_ppt(source: Source, options: Options, read_embedded: EmbeddedReader | None = None) -> Extraction:
    """Reads a .ppt to the places of a .pptx (see `read_pptx`).

    Raises ExtractError as `read_converted` does.
    """
    del options
    return read_converted(
        source, ".ppt", ppt2pptx.convert, lambda converted: read_converted_pptx(converted, read_embedded)
    )
