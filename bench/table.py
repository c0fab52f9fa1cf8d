"""The table as Markdown, and the notes below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.figures import BOTH, Line, Outcome, Target

HEAD = ("", "CPU s", "wall s", "CPU ÷ alone", "wall ÷ alone", "target", "met")
FIGURES = (False, True, True, True, True, False, False)
"""Columns with figures, which are aligned on the right."""

MEASURES = {"cpu": "CPU", "wall": "wall"}
ANSWERS = {True: "yes", False: "NO", None: "?"}
LARGE = 100
MAX_IDLE_PROCESSORS = 0.1
"""Processors that may be busy on a machine that counts as idle."""


@dataclass(frozen=True)
class Conditions:
    """What was measured, and where."""

    rounds: int
    main_case: str
    size_bytes: int
    part_bytes: int
    processors: int
    system: str
    idle: float | None
    """Processors that were busy while the bench did nothing; None if that does not matter."""

    @property
    def quiet(self) -> bool:
        """Whether the CPU time of the whole machine is the bench's."""
        return self.idle is None or self.idle <= MAX_IDLE_PROCESSORS


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table, its columns aligned."""
    cells = [HEAD, *(_cells(line) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [[_aligned(*cell) for cell in zip(row, widths, FIGURES, strict=True)] for row in cells]
    ruler = ["-" * (width - is_figure) + ":" * is_figure for width, is_figure in zip(widths, FIGURES, strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (texts[0], ruler, *texts[1:]))


def _aligned(cell: str, width: int, is_figure: bool) -> str:  # noqa: FBT001 - one of a table's columns
    return cell.rjust(width) if is_figure else cell.ljust(width)


def _cells(line: Line) -> tuple[str, ...]:
    seconds = [_number(line.cost.of(measure)) if measure in line.row.measures else "" for measure in BOTH]
    ratios = [_number(line.ratios[measure]) if measure in line.ratios else "" for measure in BOTH]
    return (line.row.title, *seconds, *ratios, _targets(line.row.targets), _met(line.outcomes))


def _number(value: float) -> str:
    """Return a figure without digits that mean nothing."""
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:.2f}"


def _targets(targets: Sequence[Target]) -> str:
    """Return targets in words, once if CPU and wall have the same."""
    words = {one.measure: f"≤ {one.factor}" + (f" times + {one.plus_s} s" if one.plus_s else "") for one in targets}
    if len(words) > 1 and len(set(words.values())) == 1:
        return f"both {words['cpu']}"
    return ", ".join(f"{MEASURES[measure]} {text}" for measure, text in words.items())


def _met(outcomes: Sequence[Outcome]) -> str:
    answers = [ANSWERS[one.met] for one in outcomes]
    return answers[0] if len(set(answers)) == 1 else ", ".join(answers)


def notes(lines: Sequence[Line], conditions: Conditions) -> str:
    """Return the paragraph below the table."""
    one = conditions
    rounds = "One round" if one.rounds == 1 else f"Medians of {one.rounds} rounds, ratios within a round"
    sentences = [
        f"{rounds}; {one.main_case} is {one.size_bytes:,} bytes; {one.processors} processors, {one.system}.",
    ]
    if any("scaled" in line.row.title for line in lines):
        sentences.append(
            f"Scaled: from an empty input and one of {one.part_bytes:,} bytes, along the line through both."
        )
    peaks = [line.cost.peak_memory_bytes for line in lines if line.row.key == "grading process"]
    sentences += [f"The grader's process takes at most {peak / 1e6:.0f} MB of memory." for peak in peaks if peak]
    if one.idle is not None:
        sentences.append(
            "CPU of grading is everything the machine did, including the engine, less the idle machine's share"
            f" ({one.idle:.2f} processors)."
        )
        if not one.quiet:
            sentences.append("The machine was NOT quiet, so that CPU means nothing: measure again.")
    return " ".join(sentences)
