"""What to look at first: the last line of a check, which stands where its reader looks when it ends."""

from __future__ import annotations

from grader.model.report import BuildEvidence, Check, Report
from grader.render.text.escape import one_line, short
from grader.render.text.gcc_messages import first_of
from grader.render.views.failures import unbuilt, with_status

WORDS_CHARS = 160


def next_step(report: Report) -> str:
    """Say which failed check to begin with, "" where there is nothing to choose.

    That is what does not compile, as nothing else of its program is judged; else the first that costs points.
    """
    for check in unbuilt(report):
        return f"Begin with {_first_words(check)}. Nothing else of {one_line(check.program)} is judged before."
    failed = with_status(report, "failed")
    if len(failed) <= 1:
        return ""
    check = next((check for check in failed if check.max_points), failed[0])
    name = one_line(check.id)
    title = next((cause.title for cause in report.causes if cause.name == check.cause), None)
    words = f": {short(one_line(title), WORDS_CHARS)}" if title else f" ({short(one_line(check.title), WORDS_CHARS)})"
    return f"Begin with {name}{words}. With `--only {name}` it is checked alone."


def _first_words(check: Check) -> str:
    first = first_of(check.evidence.messages) if isinstance(check.evidence, BuildEvidence) else None
    words = f"{first.place}: {first.words}" if first is not None else check.message
    return f"{one_line(check.id)}: {short(one_line(words), WORDS_CHARS)}"
