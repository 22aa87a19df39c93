"""``tebunko status`` and ``tebunko failures``: how complete the indexes are, and what is missing from them."""

from __future__ import annotations

import argparse
from typing import Any

from tebunko.api import Failure, FileState, IndexInfo, IndexState, Phase, Reason, Workspace, message_of
from tebunko.cli.output import Output, human_size
from tebunko.cli.progress import PHASES
from tebunko.locale import Translate

STATES = {
    IndexState.CURRENT: "complete",
    IndexState.BUILDING: "being built",
    IndexState.REBUILDING: "being rebuilt; update to go on",
    IndexState.OLD: "old format; update to rebuild it",
    IndexState.EMPTY: "not built yet",
    IndexState.BROKEN: "catalogue damaged",
    IndexState.NEWER: "made by a newer tebunko",
}


def add_commands(commands: Any, common: argparse.ArgumentParser, t: Translate) -> None:
    """Adds ``status`` and ``failures`` to the parser."""
    text = t("show counts per index and the last update")
    status = commands.add_parser("status", help=text, description=text, parents=[common])
    status.add_argument("--json", action="store_true", help=t("print JSON"))
    status.set_defaults(command=_status)
    text = t("show the files that could not be read, and why")
    failures = commands.add_parser("failures", help=text, description=text, parents=[common])
    failures.add_argument("name", nargs="?", metavar=t("NAME"), help=t("only of this index"))
    failures.add_argument("--json", action="store_true", help=t("print JSON"))
    failures.set_defaults(command=_failures)


def state_name(t: Translate, state: IndexState) -> str:
    """What people read of a state of an index."""
    return t(STATES[state])


def info_json(info: IndexInfo, *, size: bool = False) -> dict[str, object]:
    """The flat object of an index in ``index list`` and ``status``."""
    c = info.coverage
    fields: dict[str, object] = {
        "name": info.name,
        "folder": info.folder,
        "enabled": info.enabled,
        "registered": info.registered,
        "state": info.state.value,
        "files": c.files,
        "done": c.done,
        "failed": c.failed,
        "postponed": c.postponed,
        "pending": c.pending,
        "cloud_only": c.cloud_only,
        "kept_missing": c.kept_missing,
        "last_update": c.last_update or None,
    }
    return fields | {"size": info.size} if size else fields


def _status(options: argparse.Namespace, output: Output) -> int:
    workspace = Workspace(options.workspace)
    infos = workspace.indexes(sizes=True)
    if options.json:
        output.json([info_json(info, size=True) for info in infos])
        return 0
    t = output.t
    run = workspace.run_state()
    if run is not None and run.alive:
        phase = t(PHASES[Phase(run.phase)]) if run.phase else ""
        output.say("An update is running: {phase} {done}/{total}", phase=phase, done=run.done, total=run.total or "?")
    head = [
        t("name"),
        t("state"),
        t("files"),
        t("read"),
        t("failed"),
        t("postponed"),
        t("waiting"),
        t("size"),
        t("last update"),
    ]
    rows = []
    for info in infos:
        c = info.coverage
        counts = (c.files, c.done, c.failed, c.postponed, c.pending)
        rows.append((info.name, state_name(t, info.state), *counts, human_size(info.size), c.last_update or "-"))
    if rows:
        output.table(head, rows, right=frozenset(range(2, 8)))
    else:
        output.say("No folder is registered. Add one with “tebunko index add FOLDER”.")
    return 0


def _failures(options: argparse.Namespace, output: Output) -> int:
    found = Workspace(options.workspace).failures(options.name)
    if options.json:
        output.json([failure_json(failure) for failure in found])
        return 0
    for failure in found:
        output.line(
            f"{output.paint(output.safe(f'{failure.index}/{failure.file}'), 'file')}: {sentence(output.t, failure)}"
        )
    return 0


def failure_json(failure: Failure) -> dict[str, object]:
    """The flat object of a failed or postponed file."""
    return {
        "index": failure.index,
        "file": failure.file,
        "state": "failed" if failure.state is FileState.FAILED else "postponed",
        "reason": failure.reason,
        "detail": failure.detail or None,
        "message": failure.text,
        "time": failure.time or None,
    }


def sentence(t: Translate, failure: Failure) -> str:
    """Why a file is not in the index, in the user's language; another program's sentence as it stands."""
    if failure.reason is None:
        return failure.text
    message = message_of(Reason(failure.reason), failure.detail)
    return t(message.message, **message.params)
