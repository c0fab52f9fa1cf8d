"""Remarks: what a student should know of a program although it costs no points."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.facts import Facts
from grader.model.evidence import Exited
from grader.model.report import Remark


def remarks(facts: Facts) -> tuple[Remark, ...]:
    """Return the remarks on each program, at most one of each kind. Hidden cases give none."""
    return tuple(
        Remark(kind="exit-status", program=program, sentence=sentence)
        for program in facts.lab.spec.programs
        if facts.concerns(program) and (sentence := _exit_status(facts, program))
    )


def _exit_status(facts: Facts, program: str) -> str:
    """Say that a program reports an error after copying correctly; "" if it does not.

    A lab whose cases state an exit status judges it there.
    """
    stated = (case.stated for case in facts.lab.spec.cases.values() if case.runs(program))
    if any(expected is not None and expected.status != "any" for expected in stated):
        return ""
    codes = list(_codes_of_copies(facts, program))
    failures = sorted({code for code in codes if code})
    if not failures:
        return ""
    status = f"exit status {failures[0]}" if len(failures) == 1 else "an exit status other than 0"
    output, outputs = ("copy", "copies") if facts.lab.translates else ("output", "outputs")
    if all(codes):
        what = f"{program} ends with {status} after a correct {output}"
    else:
        what = f"{program} ended with {status} after some correct {outputs}"
    return f"{what}. By convention, 0 means success. This costs no points."


def _codes_of_copies(facts: Facts, program: str) -> Iterator[int]:
    """Yield the exit status of each run that students may see and that wrote what it should, if that is anything."""
    spec, evidence = facts.lab.spec, facts.evidence
    visible = {
        case for item in spec.rubric if item.visibility == "visible" for _, case in spec.shown_references(item)
    }
    for name, case in spec.cases.items():
        if name not in visible or case.hidden or case.expect != "reference-output":
            continue
        for run in (evidence.run(program, name), evidence.traced(program, name)):
            if run is None or not run.stdout.size_bytes or not isinstance(run.ending, Exited):
                continue
            # A case that the reference did not run has no expected output.
            if facts.lab.reference.run(program, name) is not None and facts.lab.expected(run) is None:
                yield run.ending.code
