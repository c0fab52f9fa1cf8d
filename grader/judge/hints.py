"""Hints that follow from how a case failed, independent of its check."""

from __future__ import annotations

from grader.model.evidence import Exited, LimitReached, Signalled
from grader.model.report import CaseResult

ENDLESS = (
    "Does the loop end when the input ends? getchar returns EOF, read returns 0; and a loop over the operands has to"
    " end with them."
)
CRASH = "Compile with -g -fsanitize=address and run this very case: it names the line where memory is misused."
WRONG_STREAM = "The message went to standard output, which is for data: use fprintf(stderr, …) or perror."
SUCCESS = "Whoever calls the program sees only its exit status: end with exit(1), or return 1 from main."
TOO_MUCH = "All bytes are right and then more follow: look at what is written when the end of the input is reached."


def hint_for(result: CaseResult) -> str | None:  # noqa: PLR0911 - one return per hint
    """Return a hint from the way a case failed, None if the check's own hint is better."""
    match result.ending:
        case LimitReached(limit="memory"):
            return None
        case LimitReached():
            return ENDLESS
        case Signalled():
            return CRASH
        case Exited(code=0) if result.stderr and not result.stdout and result.difference is None:
            return SUCCESS
        case _ if result.stdout and not result.stderr:
            return WRONG_STREAM
        case _ if result.difference and result.difference.offset == result.difference.expected_size_bytes:
            return TOO_MUCH
        case _:
            return None
