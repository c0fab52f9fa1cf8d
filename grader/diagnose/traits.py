"""Describe how a program deviates, in the same words for a submission and for a program with a known bug."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from typing_extensions import assert_never

from grader.model.evidence import (
    WITHOUT_END,
    Ending,
    Evidence,
    Exited,
    LimitHit,
    LimitReached,
    NotStarted,
    RunDone,
    Signalled,
    run_id,
)
from grader.model.report import CallsEvidence, CasesEvidence, Check, StreamJudgement, SymbolsEvidence
from grader.model.signature import Traits, facet
from grader.model.spec.cases import input_bytes
from grader.model.spec.lab import Spec

ENDLESS, FLOOD, STARVED = "endless", "flood", "starved"
"""A program that a limit stopped: how far it got depends on the machine."""

REFUSED = "refused"
"""The program should have copied, but wrote nothing and reported an error."""

CRASHED = "crashed"
NOTHING, UNCHANGED = "exited nothing", "exited unchanged"
OUTPUT, FAILED = "output", "failed"
_LIMITS: dict[LimitHit, str] = {"cpu": ENDLESS, "wall": ENDLESS, "output": FLOOD, "memory": STARVED}


def kind_of(trait: str) -> str | None:
    """Return the kind of a failure that many bugs have in common, None if the failure is specific to a bug.

    A program that fails in such a way everywhere has another reason than a mutant that does so in some cases.
    """
    for kind in (ENDLESS, FLOOD, STARVED, REFUSED, CRASHED, NOTHING, UNCHANGED, OUTPUT, FAILED):
        if trait == kind or trait.startswith(f"{kind} "):
            return kind
    return None


def traits(spec: Spec, program: str, checks: Iterable[Check], evidence: Evidence) -> Traits:
    """Return how a program deviates, from its checks that failed."""
    return dict(
        pair
        for check in checks
        if check.program == program and check.status == "failed"
        for pair in _of_check(spec, check, evidence)
    )


def _of_check(spec: Spec, check: Check, evidence: Evidence) -> Iterator[tuple[str, str]]:
    name = check.name
    match check.evidence:
        case CasesEvidence(cases=results):
            for result in results:
                step = run_id(check.program, result.case)
                left_out = evidence.left_out.get(step)
                if not result.passed and (left_out is None or left_out.why in WITHOUT_END):
                    yield facet(name, result.case), _of_case(spec, result.case, evidence.runs.get(step))
        case CallsEvidence(streams=streams):
            yield facet(name), _of_streams(spec, [stream for stream in streams if not stream.passed])
        case SymbolsEvidence(forbidden=forbidden, missing=missing):
            yield facet(name), f"calls {' '.join(forbidden)}; lacks {' '.join(group[0] for group in missing)}"
        case _:
            yield facet(name), FAILED


def _of_case(spec: Spec, name: str, run: RunDone | None) -> str:
    case = spec.cases[name]
    if run is None:
        return ENDLESS
    ending = _of_ending(run.ending)
    if isinstance(run.ending, LimitReached):
        return ending
    match case.expect:
        case "reference-output":
            return _of_copy(ending, run, input_bytes(spec.inputs[case.input]))
        case "operand-error":
            message = "told" if run.stderr.size_bytes else "silent"
            return f"{ending} {message} {_of_unwanted(spec, name, run)}"
        case "either":
            return ending
        case _ as unreachable:
            assert_never(unreachable)


def _of_copy(ending: str, run: RunDone, source: bytes) -> str:
    """Describe what was written; the exit status of a run that copied does not count.

    A run that wrote nothing has refused its operands only if it failed with a message: the unchanged template fails
    without one.
    """
    if ending.startswith(CRASHED):
        return f"{ending} {run.stdout.sha256}"
    if not run.stdout.size_bytes:
        return REFUSED if ending.endswith("failure") and run.stderr.size_bytes else NOTHING
    if run.stdout.size_bytes == len(source) and run.stdout.sha256 == hashlib.sha256(source).hexdigest():
        return UNCHANGED
    return f"exited {run.stdout.sha256}"


def _of_ending(ending: Ending) -> str:
    match ending:
        case Exited(code=code):
            return "exited success" if code == 0 else "exited failure"
        case Signalled(signal=number):
            return f"{CRASHED} {number}"
        case NotStarted():
            return "not-started"
        case LimitReached(limit=limit):
            return _LIMITS[limit]
        case _ as unreachable:
            assert_never(unreachable)


def _of_unwanted(spec: Spec, name: str, run: RunDone) -> str:
    """Distinguish nothing, a copy of the input, and a message; the text of the message does not count."""
    if not run.stdout.size_bytes:
        return "nothing"
    source = spec.inputs[spec.cases[name].input]
    copied = source.kind == "literal" and run.stdout.size_bytes == len(source.data)
    return run.stdout.sha256 if copied else "message"


def _of_streams(spec: Spec, wrong: list[StreamJudgement]) -> str:
    """Describe the small inputs if one of them went wrong, because mutants run on small inputs only."""
    small_inputs = {case.input for case in spec.cases.values() if case.limits == "small"}
    small = [stream for stream in wrong if stream.input in small_inputs]
    return "; ".join(sorted({_of_stream(spec, stream) for stream in small or wrong})) or OUTPUT


def _of_stream(spec: Spec, stream: StreamJudgement) -> str:
    """Distinguish too many calls from too few; the exact number depends on each program's buffer size."""
    stream_name = f"{stream.sink} {stream.stream}"
    if stream.calls == 0:
        return f"{stream_name} none"
    if stream.stream == "stdout" and stream.calls == _lines(input_bytes(spec.inputs[stream.input])):
        return f"{stream_name} lines"
    if stream.expected_calls is None or stream.calls == stream.expected_calls:
        return f"{stream_name} other"
    return f"{stream_name} {'more' if stream.calls > stream.expected_calls else 'fewer'}"


def _lines(data: bytes) -> int:
    """Count lines; the last one need not end with a newline."""
    return data.count(b"\n") + (not data.endswith(b"\n"))
