"""``store/intent.json`` (ours): an operation on a whole index that is under way, so that a kill leaves it to be finished."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from tebunko.model.names import is_stored_index_name
from tebunko.store.fs import patiently, replace_file
from tebunko.store.workspace import Layout

REMOVE = "remove"
RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Intent:
    """What is under way: ``do`` is REMOVE or RENAME, ``name`` the index, ``new`` its new name ("" for REMOVE)."""

    do: str
    name: str
    new: str = ""


def read_intent(layout: Layout) -> Intent | None:
    """The operation that a killed process left unfinished; None if there is none."""
    try:
        fields = json.loads(patiently((layout.store / "intent.json").read_bytes).decode("utf-8"))
        intent = Intent(str(fields["do"]), str(fields["name"]), str(fields["new"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    names = [intent.name] if intent.do == REMOVE else [intent.name, intent.new]
    return intent if intent.do in (REMOVE, RENAME) and all(map(is_stored_index_name, names)) else None


def write_intent(layout: Layout, intent: Intent) -> None:
    """Writes down what is about to be done. Raises OSError."""
    replace_file(layout.store / "intent.json", json.dumps(asdict(intent), ensure_ascii=False).encode())


def clear_intent(layout: Layout) -> None:
    """It is done. Raises OSError."""
    patiently(lambda: (layout.store / "intent.json").unlink(missing_ok=True))
