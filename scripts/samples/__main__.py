"""``python -m scripts.samples FOLDER`` writes the sample documents."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.samples import write_samples

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m scripts.samples FOLDER")
    for path in write_samples(Path(sys.argv[1])):
        print(path)
