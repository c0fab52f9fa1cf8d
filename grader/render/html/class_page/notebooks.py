"""The notebooks that a teaching assistant should read first, and what a column shows of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model.counted import counted, listed_up_to
from grader.model.notebook import Notebook, NotebookFinding
from grader.notebook.shared_tables import shared_tables
from grader.render.html.class_page.submission_row import SubmissionRow
from grader.render.views.notebooks import missing, to_look_at

MAX_READ_FIRST = 20
MAX_REASONS = 3
MAX_NAMED = 3


@dataclass(frozen=True)
class NotebookToRead:
    """A notebook with why it should be read; `shared` are the submissions that have one of its tables."""

    row: SubmissionRow
    problems: tuple[NotebookFinding, ...]
    shared: tuple[str, ...]

    @property
    def reasons(self) -> list[str]:
        """The reasons, in sentences."""
        sentences = [finding.message for finding in self.problems[:MAX_REASONS]]
        if len(self.problems) > MAX_REASONS:
            sentences.append(f"And {counted(len(self.problems) - MAX_REASONS, 'more problem')}.")
        if self.shared:
            names = listed_up_to(MAX_NAMED, self.shared)
            sentences.insert(0, f"A table is also, digit for digit and with its seconds, in the notebook of {names}.")
        return sentences


@dataclass(frozen=True)
class NotebookTable:
    """The notebooks of a class: the texts of a column by name, and those to read first."""

    cells: Mapping[str, str]
    first: tuple[NotebookToRead, ...]
    more: int


def notebook_table(rows: Sequence[SubmissionRow]) -> NotebookTable | None:
    """Return what the page shows of notebooks, None if there are none."""
    found = {row.entry.name: row.report.notebook for row in rows if row.report.notebook is not None}
    if not found:
        return None
    shared = shared_tables(found)
    candidates = [
        NotebookToRead(row, _problems(found[row.entry.name]), shared.get(row.entry.name, ()))
        for row in rows
        if row.entry.name in found
    ]
    wanted = [one for one in candidates if one.problems or one.shared]
    wanted.sort(key=lambda one: (not one.shared, -len(one.problems), one.row.name))
    cells = {row.entry.name: _cell(found.get(row.entry.name)) for row in rows}
    return NotebookTable(cells, tuple(wanted[:MAX_READ_FIRST]), max(0, len(wanted) - MAX_READ_FIRST))


def _problems(notebook: Notebook) -> tuple[NotebookFinding, ...]:
    return tuple(finding for finding in to_look_at(notebook) if finding.weight == "problem")


def _cell(notebook: Notebook | None) -> str:
    if notebook is None:
        return "none"
    problems, lacking = len(_problems(notebook)), len(missing(notebook))
    words = [counted(problems, "problem")] if problems else []
    words += [f"{lacking} of {len(notebook.coverage)} not met"] if lacking else []
    return ", ".join(words) or "nothing to report"
