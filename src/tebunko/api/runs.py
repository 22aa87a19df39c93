"""The part of the door about runs: updating, watching and stopping an update, reading single files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tebunko.api.base import Base
from tebunko.indexing.channel import Channel, Summary
from tebunko.locale import system_language, translator
from tebunko.store.progress import RunState, read_state, request_stop
from tebunko.store.settings import load_settings

if TYPE_CHECKING:
    from tebunko.indexing.dispatch import Limits
    from tebunko.indexing.reading import ReadFile


class Runs(Base):
    """Runs updates."""

    def update(
        self,
        names: Sequence[str] = (),
        channel: Channel | None = None,
        *,
        workers: int = 0,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        locale: str | None = None,
        language: str | None = None,
    ) -> Summary:
        """Runs one update and gives its summary; ``channel`` is told of progress and asked for approval.

        ``names`` limits it to these indexes; ``workers`` 0 means one less than the machine has cores; ``time_limit`` is in
        seconds a file, ``memory_limit`` in bytes a worker; ``locale`` becomes the workspace's display locale; ``language`` is
        that of the log (default: the system's). Raises UserError if it cannot run.
        """
        from tebunko.indexing.conductor import UpdateOptions, run_update

        options = UpdateOptions(
            tuple(names),
            workers,
            _limits(time_limit, memory_limit),
            locale,
            translate=translator(language or system_language()),
        )
        return run_update(self.layout, options, channel or Channel())

    def run_state(self) -> RunState | None:
        """The state of the update run that is under way, whoever started it, or of the last one; None if there was none."""
        return read_state(self.layout)

    def stop_update(self) -> bool:
        """Asks the run that is under way, whoever started it, to stop in good order; false if there is none."""
        state = read_state(self.layout)
        if state is None or not state.alive:
            return False
        request_stop(self.layout)
        return True

    def cat(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        locale: str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> Iterator[ReadFile]:
        """Reads files without an index, in a worker process: places and lines as the index would hold them."""
        from tebunko.indexing.reading import read_files

        chosen = locale or load_settings(self.layout).display_locale
        return read_files((os.fspath(path) for path in paths), chosen, _limits(time_limit, memory_limit))


def _limits(seconds: float | None, memory: int | None) -> Limits:
    from tebunko.indexing.dispatch import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
    from tebunko.indexing.dispatch import Limits as LimitsOfOneFile

    return LimitsOfOneFile(seconds or DEFAULT_TIME_LIMIT, memory or DEFAULT_MEMORY_LIMIT)
