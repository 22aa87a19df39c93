"""Between a run and whoever started it: progress, the plan and its approval, the wish to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum

Note = tuple[str, dict[str, object]]
"""A message for the user: a catalogue id and its parameters."""


def note(message: str, **params: object) -> Note:
    """A message for the user."""
    return message, params


class Phase(StrEnum):
    """段階: クロール, 確認, 取り込み, 仕上げ."""

    CRAWL = "crawl"
    CONFIRM = "confirm"
    INGEST = "ingest"
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``total`` is 0 while it is not known; ``current`` is a stored path or an index name."""

    phase: Phase
    done: int = 0
    total: int = 0
    failed: int = 0
    postponed: int = 0
    current: str = ""


class RootKind(StrEnum):
    """区分 of an index in the plan; DROPPED is one that has rows but is not registered any more."""

    INGEST = "ingest"
    DISABLED = "disabled"
    NO_FOLDER = "no_folder"
    DROPPED = "dropped"


@dataclass(slots=True)
class PlanRow:
    """What a run would do with one index (取り込み予定). All counts are of files, but those named ``…_bytes``.

    ``targets`` = new + changed + unfinished + missing. ``failed`` and ``waiting`` are read only with ``retry_failed``;
    ``cloud`` and ``cloud_failed`` only with ``include_cloud`` and are not among the others. ``removed`` are rows whose
    files are gone; where ``kept_because`` names a reason they are ``kept_missing`` instead. ``target_bytes`` is what the
    targets take as they lie: their text will take less, or at worst about twice as much.
    """

    index: str
    folder: str
    kind: RootKind
    files: int = 0
    target_bytes: int = 0
    new: int = 0
    changed: int = 0
    unfinished: int = 0
    missing: int = 0
    failed: int = 0
    waiting: int = 0
    cloud: int = 0
    cloud_bytes: int = 0
    cloud_failed: int = 0
    cloud_failed_bytes: int = 0
    removed: int = 0
    kept_missing: int = 0
    kept_because: str = ""

    @property
    def targets(self) -> int:
        """Files that the run reads in any case."""
        return self.new + self.changed + self.unfinished + self.missing


@dataclass(frozen=True, slots=True)
class Approval:
    """What the user allowed beyond reading the targets. A plain ``--yes`` allows nothing of it (facts.md).

    ``drop`` names the DROPPED indexes of the plan that are to be deleted.
    """

    retry_failed: bool = False
    include_cloud: bool = False
    allow_removal: bool = False
    drop: frozenset[str] = frozenset()


@dataclass(slots=True)
class Summary:
    """How a run ended; the counts are disjoint and of this run alone.

    ``skipped`` are files that need reading but were not tried: earlier failures without ``retry_failed``, files that wait
    for an office suite or a reader, and what a cancel left over. ``notes`` are messages (catalogue id, parameters) on what
    the run passed over.
    """

    done: int = 0
    failed: int = 0
    postponed: int = 0
    removed: int = 0
    kept_missing: int = 0
    cloud_only: int = 0
    skipped: int = 0
    seconds: float = 0.0
    cancelled: bool = False
    notes: list[Note] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """The summary object of ``update --json``."""
        fields = asdict(self)
        notes = fields.pop("notes")
        fields["seconds"] = round(self.seconds, 3)
        return {"type": "summary", **fields, "notes": [message.format(**params) for message, params in notes]}


class Channel:
    """What a run tells and asks; this one tells nobody, approves the plan as it is, and never stops.

    All methods are called from the run's own thread. ``stopped`` is asked a few times a second.
    """

    def progress(self, progress: Progress) -> None:
        """Takes the state of the run; called often, must return at once."""

    def log(self, message: str, **params: object) -> None:
        """Takes a line for the log: a catalogue id and its parameters."""

    def approve(self, plan: Sequence[PlanRow]) -> Approval | None:
        """Asks whether to go on with the plan; None ends the run without reading anything."""
        return Approval()

    def stopped(self) -> bool:
        """True once the user wants the run to stop."""
        return False

    def paused(self) -> bool:
        """True while no new file shall be begun."""
        return False
