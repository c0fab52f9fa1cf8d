"""How a program deviates from what is right: the same words for a submission and for a program with a known bug."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from typing_extensions import assert_never

from grader.model.evidence import Ending, Evidence, Exited, LimitReached, NotStarted, RunDone, Signalled
from grader.model.report import CallsEvidence, CasesEvidence, Check, StreamJudgement, SymbolsEvidence
from grader.model.signature import Traits, facet
from grader.model.spec import Spec, input_bytes

ENDLESS = "endless"
"""A program that does not end by itself: how far it came until it was stopped depends on the machine."""


def traits(spec: Spec, program: str, checks: Iterable[Check], evidence: Evidence) -> Traits:
    """Return how a program deviates, from its checks that failed."""
    return dict(
        pair
        for check in checks
        if check.program == program and check.status == "failed"
        for pair in _of_check(spec, check, evidence)
    )


def _of_check(spec: Spec, check: Check, evidence: Evidence) -> Iterator[tuple[str, str]]:
    name = check.id.partition(".")[2]
    match check.evidence:
        case CasesEvidence(cases=results):
            for result in results:
                if not result.passed:
                    run = evidence.run(check.program, result.case)
                    yield facet(name, result.case), _of_case(spec, result.case, run)
        case CallsEvidence(streams=streams):
            yield facet(name), _of_streams(spec, [stream for stream in streams if not stream.passed])
        case SymbolsEvidence(forbidden=forbidden, missing=missing):
            yield facet(name), f"calls {' '.join(forbidden)}; lacks {' '.join(group[0] for group in missing)}"
        case _:
            yield facet(name), "failed"


def _of_case(spec: Spec, name: str, run: RunDone | None) -> str:
    case = spec.cases[name]
    if run is None or isinstance(run.ending, LimitReached):
        return ENDLESS
    ending = _of_ending(run.ending)
    match case.expect:
        case "reference-output":
            # The exit status of a run that copied does not count.
            return f"{ending.partition(' ')[0]} {run.stdout.sha256}"
        case "operand-error":
            told = "told" if run.stderr.size_bytes else "silent"
            return f"{ending} {told} {_of_unwanted(spec, name, run)}"
        case "either":
            return ending
        case _ as unreachable:
            assert_never(unreachable)


def _of_ending(ending: Ending) -> str:
    match ending:
        case Exited(code=code):
            return "exited success" if code == 0 else "exited failure"
        case Signalled(signal=number):
            return f"signal-{number}"
        case NotStarted():
            return "not-started"
        case LimitReached():
            return ENDLESS
        case _ as unreachable:
            assert_never(unreachable)


def _of_unwanted(spec: Spec, name: str, run: RunDone) -> str:
    """Tell nothing, a copy, and a message apart; every message is as good as another."""
    if not run.stdout.size_bytes:
        return "nothing"
    source = spec.inputs[spec.cases[name].input]
    copied = source.kind == "literal" and run.stdout.size_bytes == len(source.data)
    return run.stdout.sha256 if copied else "message"


def _of_streams(spec: Spec, wrong: list[StreamJudgement]) -> str:
    """Go by small inputs where they show it: a mutant is run on those alone."""
    small_inputs = {case.input for case in spec.cases.values() if case.limits == "small"}
    small = [stream for stream in wrong if stream.input in small_inputs]
    return "; ".join(sorted({_of_stream(spec, stream) for stream in small or wrong})) or "output"


def _of_stream(spec: Spec, stream: StreamJudgement) -> str:
    """Tell too many calls from too few; how many exactly depends on a buffer's size, which is each program's own."""
    where = f"{stream.sink} {stream.stream}"
    if stream.calls == 0:
        return f"{where} none"
    if stream.stream == "stdout" and stream.calls == _lines(input_bytes(spec.inputs[stream.input])):
        return f"{where} lines"
    if stream.expected_calls is None or stream.calls == stream.expected_calls:
        return f"{where} other"
    return f"{where} {'more' if stream.calls > stream.expected_calls else 'fewer'}"


def _lines(data: bytes) -> int:
    """Return how many lines there are, the last of which may be without its newline."""
    return data.count(b"\n") + (not data.endswith(b"\n"))
