"""How the rows of a search are written: JSON Lines, grep-like lines, or groups with colours."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tebunko.api import FileCount, FileMatch, FileTerms, Hit, SearchSummary, Skipped, json_line, shown_place
from tebunko.cli.output import Output

if TYPE_CHECKING:
    from tebunko.api import Event, Row


class Rows:
    """Writes what a search gives. `show` gives true if something was found."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def show(self, events: Iterable[Event]) -> bool:
        """Writes all events."""
        found = False
        for event in events:
            if isinstance(event, list):
                found = True
                for row in event:
                    self.row(row)
                self.output.flush()
            elif isinstance(event, Skipped):
                self.skipped(event)
            else:
                self.summary(event)
        return found

    def row(self, row: Row) -> None:
        """Writes one row."""
        raise NotImplementedError

    def skipped(self, skipped: Skipped) -> None:
        """Says that a content file could not be searched."""
        reason = self.output.t(skipped.reason)
        self.output.error("“{file}” was not searched: {reason}", file=skipped.file, reason=reason)

    def summary(self, summary: SearchSummary) -> None:
        """Says how complete the answer is, where it is not complete."""
        if summary.truncated:
            self.output.error("There are more hits; --limit held them back.")
        if summary.coverage.without_values:
            count = summary.coverage.without_values
            self.output.error("Of {count} workbooks the numbers behind the cells are not known.", count=count)
        if summary.coverage.left_out:
            names = ", ".join(summary.coverage.left_out)
            self.output.error("These indexes cannot be searched (old or newer format): {names}", names=names)


class JsonRows(Rows):
    """One JSON object a row, and the summary."""

    def row(self, row: Row) -> None:
        """Writes the row's object."""
        sys.stdout.buffer.write(json_line(row))

    def skipped(self, skipped: Skipped) -> None:
        """The summary names it."""

    def summary(self, summary: SearchSummary) -> None:
        """Writes the summary's object."""
        sys.stdout.buffer.write(json_line(summary))


class PlainRows(Rows):
    """One line a row, as grep writes them: where, a colon, what."""

    def row(self, row: Row) -> None:
        """Writes the row's line."""
        name = f"{row.source.index}/{row.source.file}"
        if isinstance(row, FileMatch):
            self.output.line(name)
        elif isinstance(row, FileCount):
            self.output.line(f"{name}:{row.hits}")
        elif isinstance(row, FileTerms):
            for word, hits in row.hits.items():
                self.output.line(f"{name}:{word}:{hits}")
        else:
            for line in row.before or ():
                self.output.line(f"{name}-{row.place.name}-{line}")
            at = f"!{row.cell}" if row.cell else f":{row.line}"
            self.output.line(f"{name}:{row.place.name}{at}:{row.text}")
            for line in row.after or ():
                self.output.line(f"{name}-{row.place.name}-{line}")


class TerminalRows(Rows):
    """Hits grouped by file, matches marked, and at the end how complete the answer is."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._file = ""

    def row(self, row: Row) -> None:
        """Writes the row, below its file."""
        out = self.output
        name = out.paint(out.safe(f"{row.source.index}/{row.source.file}"), "file")
        if isinstance(row, FileMatch):
            out.line(name)
        elif isinstance(row, FileCount):
            out.line(f"{name}: {row.hits}")
        elif isinstance(row, FileTerms):
            counts = ", ".join(f"{out.safe(word)} {hits}" for word, hits in row.hits.items())
            out.line(f"{name}: {counts}")
        else:
            self._hit(row, name)

    def _hit(self, hit: Hit, name: str) -> None:
        out = self.output
        if hit.source.locator != self._file:
            if self._file:
                out.line()
            self._file = hit.source.locator
            as_of = out.t("(text as of {time})", time=hit.source.as_of) if hit.source.as_of else ""
            out.line(f"{name} {out.paint(as_of, 'dim')}".rstrip())
        for line in hit.before or ():
            out.line("    " + out.paint(out.safe(line), "dim"))
        out.line(f"  {out.paint(out.safe(shown_place(hit)), 'place')}  {''.join(self._marked(hit))}")
        for line in hit.after or ():
            out.line("    " + out.paint(out.safe(line), "dim"))

    def _marked(self, hit: Hit) -> Iterator[str]:
        out, position = self.output, 0
        for start, end in hit.spans:
            yield out.safe(hit.text[position:start])
            yield out.paint(out.safe(hit.text[start:end]), "match")
            position = end
        yield out.safe(hit.text[position:])

    def summary(self, summary: SearchSummary) -> None:
        """Writes counts and coverage."""
        super().summary(summary)
        out, coverage = self.output, summary.coverage
        parts = [
            out.t(
                "hits: {hits}, files: {files}, {seconds} s",
                hits=summary.hits,
                files=summary.files,
                seconds=f"{summary.seconds:.2f}",
            )
        ]
        for message, count in (
            ("{count} files could not be read", coverage.failed + coverage.postponed),
            ("{count} not read yet", coverage.pending),
            ("{count} only in the cloud", coverage.cloud_only),
            ("{count} with older text", coverage.stale),
        ):
            if count:
                parts.append(out.t(message, count=count))
        if oldest := min((time for _, time in coverage.updated if time), default=""):
            parts.append(out.t("updated {time}", time=oldest))
        out.line(out.paint(" / ".join(parts), "dim"))
