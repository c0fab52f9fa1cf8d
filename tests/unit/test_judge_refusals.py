from __future__ import annotations

from itertools import product

import pytest

from grader.judge.cases import case_result, operand_error_problem
from grader.model.evidence import Ending, RunDone

from .facts import CRASH, FAILURE, SUCCESS, captured, facts, limit, run
from .lab import SPEC

LIMITS = SPEC.limits.small
ACCEPTED = "the operands were not refused"
EXIT_0 = "exit status is 0"
SILENT = "no message on standard error"
WROTE = "written to standard output"


def refusal(*, exits_0: bool, silent: bool, wrote: bool, ending: Ending | None = None) -> RunDone:
    return run(
        "many.refuse",
        b"copied" if wrote else b"",
        ending=ending or (SUCCESS if exits_0 else FAILURE),
        stderr=captured(b"" if silent else b"usage\n"),
    )


@pytest.mark.parametrize(("exits_0", "silent", "wrote"), list(product([False, True], repeat=3)))
def test_each_thing_that_is_wrong_about_a_refusal_is_named(exits_0: bool, silent: bool, wrote: bool) -> None:  # noqa: FBT001 - pytest passes parameters by name
    problem = operand_error_problem(refusal(exits_0=exits_0, silent=silent, wrote=wrote), LIMITS, "limits.small")
    if not (exits_0 or silent or wrote):
        assert problem is None
        return
    assert problem is not None
    if exits_0 and silent:
        also = ", 6 bytes on standard output" if wrote else ""
        assert problem == f"{ACCEPTED}: exit status 0, nothing on standard error{also}"
        return
    assert ACCEPTED not in problem
    said = {words for words in (EXIT_0, SILENT, WROTE) if words in problem}
    assert said == {words for words, wrong in ((EXIT_0, exits_0), (SILENT, silent), (WROTE, wrote)) if wrong}
    # What decides it is said both ways: the exit status, and whether there was a message.
    assert not exits_0 or "there is a message on standard error" in problem
    assert not silent or f"only exit status {FAILURE.code}" in problem


@pytest.mark.parametrize("ending", [CRASH, limit("wall"), limit("output")])
def test_a_refusal_does_not_crash_or_hang_whatever_it_said(ending: Ending) -> None:
    for silent, message in ((False, "a message"), (True, "nothing")):
        problem = operand_error_problem(
            refusal(exits_0=False, silent=silent, wrote=False, ending=ending), LIMITS, "limits.small"
        )
        assert problem is not None
        assert problem.startswith("the operands should be refused, but it ")
        assert problem.endswith(f", {message} on standard error")


def test_the_case_takes_the_refusal_s_verdict() -> None:
    right = case_result(facts(), "many", "refuse")
    assert (right.passed, right.problem) == (True, "")
    result = case_result(facts(refusal(exits_0=True, silent=False, wrote=False)), "many", "refuse")
    assert not result.passed
    assert EXIT_0 in result.problem


def test_the_message_s_text_does_not_matter() -> None:
    for words in (b"\x00", b"?", b"from and to differ in length"):
        assert case_result(facts(run("many.refuse", ending=FAILURE, stderr=captured(words))), "many", "refuse").passed
