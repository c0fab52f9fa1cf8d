"""A notebook for readers: what follows from it, what the lab asks for, and its lines with what was found there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model.counted import counted
from grader.model.notebook import CoverageItem, LineRange, Notebook, NotebookFinding, Weight

MAX_RANGES = 4
WEIGHTS: tuple[Weight, ...] = ("problem", "notice", "fact")
"""The weights of findings, the most important first."""


@dataclass(frozen=True)
class NotebookLine:
    """A line as it was written, and the findings about what begins there."""

    number: int
    text: str
    findings: tuple[NotebookFinding, ...]


def by_weight(notebook: Notebook) -> list[NotebookFinding]:
    """Return the findings, problems first."""
    return sorted(notebook.findings, key=lambda finding: WEIGHTS.index(finding.weight))


def to_look_at(notebook: Notebook) -> list[NotebookFinding]:
    """Return the problems and what is worth a look."""
    return [finding for finding in by_weight(notebook) if finding.weight != "fact"]


def missing(notebook: Notebook) -> list[CoverageItem]:
    """Return what the lab asks for, and the notebook lacks for certain."""
    return [item for item in notebook.coverage if item.met is False]


def in_short(notebook: Notebook) -> str:
    """Return how much was found: `4 tables, 2 times, n = 5,000,000, B = 8,192`."""
    parts = [counted(len(notebook.tables), "table")]
    parts += [counted(len(notebook.logs), "log")] if notebook.logs else []
    parts += [counted(len(notebook.line_counts), "line count")] if notebook.line_counts else []
    parts += [counted(len(notebook.times), "time")]
    if notebook.n_bytes is not None:
        parts.append(f"n = {notebook.n_bytes:,}")
    if notebook.buffer_bytes is not None:
        parts.append(f"B = {notebook.buffer_bytes:,}")
    return ", ".join(parts)


def lines_words(lines: Sequence[LineRange]) -> str:
    """Return `line 3`, `lines 3-18`, `lines 3-18, 20-35`; empty for no lines."""
    if not lines:
        return ""
    shown = [f"{first}-{last}" if last > first else f"{first}" for first, last in lines[:MAX_RANGES]]
    more = f" and {len(lines) - MAX_RANGES} more" if len(lines) > MAX_RANGES else ""
    noun = "line" if len(lines) == 1 and lines[0][0] == lines[0][1] else "lines"
    return f"{noun} {', '.join(shown)}{more}"


def annotated(notebook: Notebook, limit_chars: int) -> list[NotebookLine]:
    """Return the lines of a notebook, up to a number of characters, each with the findings that begin there."""
    at: dict[int, list[NotebookFinding]] = {}
    for finding in notebook.findings:
        for first in dict.fromkeys(first for first, _ in finding.lines):
            at.setdefault(first, []).append(finding)
    return [
        NotebookLine(number, text, tuple(at.get(number, ())))
        for number, text in enumerate(_beginning(notebook.text, limit_chars), 1)
    ]


def _beginning(lines: Iterable[str], limit_chars: int) -> list[str]:
    shown: list[str] = []
    for line in lines:
        limit_chars -= len(line) + 1
        if limit_chars < 0:
            break
        shown.append(line)
    return shown
