"""What the log of a program's traced run shows about its failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.diagnose.behaviour.calls import CallFact, call_facts, sleeping
from grader.diagnose.behaviour.failures import (
    ENDLESS,
    UNSORTED_OUTPUT,
    Failure,
    failure_of,
    kind_of_copy,
    kind_of_ending,
)
from grader.diagnose.behaviour.group import Key
from grader.diagnose.behaviour.outputs import Kind, output_symptoms
from grader.model.evidence import Evidence, RunDone
from grader.model.lab import Lab
from grader.model.report import Stream
from grader.model.spec.cases import PipeSource
from grader.model.spec.rubric import CallPatternItem


def facts_of_slice(key: Key, failures: Sequence[Failure], evidence: Evidence, lab: Lab) -> Iterator[CallFact]:
    """Yield what the log of the traced run shows, if that went wrong in the same way, or its calls are the problem.

    The reason that all cases of a group share, a pipe, is not in the log of a run from a file; its calls are.
    """
    item = _call_pattern(key.program, lab)
    if item is None or (item.visibility != "visible" and key.visibility == "visible"):
        return
    run = evidence.traced(key.program, item.slice)
    if run is None:
        return
    usual = lab.reference.evidence.traced(key.program, item.slice)
    alike = _is_alike(failure_of(failures[0].check, item.slice, run, lab), run, key.kind, failures)
    facts = call_facts(run.trace, usual.trace if usual is not None else None)
    if alike or key.kind.id in ("system-calls", "other"):
        # A program that ends with a message or a crash before it reads has another reason than that it does not read.
        ended = key.kind.id in ("refuses-valid-operands", "writes-message-instead", "crashes")
        # What a program had in its buffer when it crashed was not written for that reason.
        needless = {"missing", "unwritten"} if key.kind.id == "crashes" else {"missing"} if ended else set()
        yield from (fact for fact in facts if fact.about not in needless)
    elif key.kind.id == "never-ends" and all(
        one.case and lab.spec.cases[one.case].copies_reference for one in failures
    ):
        size_bytes = len(lab.inputs[lab.spec.cases[item.slice].judged_input])
        yield from sleeping(run.trace, usual.trace if usual is not None else None, size_bytes)
    if only_pipes(failures, lab) or key.kind.id == "other":
        yield from (fact for fact in facts if not alike and fact.about == "name")
        calls = {*run.trace.calls} - {*usual.trace.calls} if run.trace and usual and usual.trace else set()
        for name, advice in ABOUT_PIPES.items() if only_pipes(failures, lab) else ():
            if name in calls:
                yield CallFact(f"calls {name}", advice, about="pipe")


def _is_alike(traced: Failure, run: RunDone, group: Kind, failures: Sequence[Failure]) -> bool:
    """Return whether the traced run went wrong in the same way as the failures of a group."""
    copy = traced.copy
    wrote = any(one.copy is not None and one.copy.actual for one in failures)
    if wrote and copy is not None and not copy.actual:
        # What a run without output did says nothing about runs with output.
        return False
    kind = kind_of_ending(run.ending, copy)
    if kind is None and copy is not None and copy.actual != copy.expected:
        kind = kind_of_copy(copy, run)
    if kind == UNSORTED_OUTPUT and copy is not None:
        return group._replace(text="") in output_symptoms(copy)
    return kind is not None and (kind.id == group.id or {kind.id, group.id} <= ENDLESS)


def _call_pattern(program: str, lab: Lab) -> CallPatternItem | None:
    """Return the check of a program's calls, or of another's: its slice may have been traced all the same."""
    items = [
        item
        for item in lab.spec.rubric
        # Facts about calls name descriptors, and it is not known which descriptor a file has.
        if isinstance(item, CallPatternItem) and not lab.spec.cases[item.slice].judges_files
    ]
    return min(items, key=lambda item: program not in item.points, default=None)


def programs_with_failing_calls(evidence: Evidence, lab: Lab) -> frozenset[str]:
    """Return the programs of which strace saw a call fail where a right program's does not."""
    return frozenset(
        program
        for program in lab.spec.programs
        if (item := _call_pattern(program, lab)) is not None
        and program in item.points
        and item.visibility == "visible"
        and (run := evidence.traced(program, item.slice)) is not None
        and (usual := lab.reference.evidence.traced(program, item.slice)) is not None
        and any(fact.about in {"failure", "unwritten"} for fact in call_facts(run.trace, usual.trace))
    )


ABOUT_PIPES = {
    "lseek": "A pipe has no position: lseek fails there (ESPIPE). Read until read returns 0, whatever the size is.",
    "fcntl": "Remove the call of fcntl: with O_NONBLOCK, read fails if no byte has arrived yet. That is not the end.",
    "ioctl": "What has arrived in a pipe so far is not the whole input: only a read that returns 0 shows its end.",
    "fstat": "A pipe has no size.",
}


def call_bytes(program: str, name: Stream, evidence: Evidence, lab: Lab) -> int | None:
    """Return what the largest read of standard input, or write of standard output, asks for; None if not known."""
    run = evidence.traced(program, lab.spec.slice_for(program) or "")
    if run is None or run.trace is None:
        return None
    stream = run.trace.stdin if name == "stdin" else run.trace.stdout
    return stream.nbyte_max if stream is not None else None


def only_pipes(failures: Sequence[Failure], lab: Lab) -> bool:
    """Return whether each of the failures had its input from a pipe."""
    cases = {failure.case for failure in failures if failure.case}
    return bool(cases) and all(isinstance(lab.spec.cases[case].source, PipeSource) for case in cases)
