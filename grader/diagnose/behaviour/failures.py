"""Sort what failed by symptom: how each failed run, and each failed check without runs, went wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.diagnose.behaviour.outputs import (
    WRONG_OUTPUT,
    CopyRun,
    Kind,
    begins_copy,
    difference_symptom,
    output_symptoms,
    was_copied,
)
from grader.diagnose.behaviour.text_outputs import kind_of_text, text_difference
from grader.model.evidence import (
    LOG_FULL,
    WITHOUT_END,
    Ending,
    Evidence,
    Exited,
    LimitReached,
    NotStarted,
    RunDone,
    Signalled,
    run_id,
    succeeded,
)
from grader.model.lab import Lab
from grader.model.report import (
    BuildEvidence,
    CallsEvidence,
    CasesEvidence,
    Check,
    Difference,
    StreamJudgement,
    SymbolsEvidence,
)
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CallPatternItem, CasesItem, TerminalItem

STOPPED = tuple(LimitReached(kind="limit", limit=limit) for limit in ("cpu", "wall", "output"))

ENDLESS = {"never-ends", "writes-without-end"}
"""Symptoms of programs that a limit of time or output stopped."""

FEW_OPERANDS, MANY_OPERANDS = "few operands", "many operands"
ACCEPTED = "accepts-wrong-operands"
MOST_MESSAGE_BYTES = 4096
"""A text of the source is looked for in so much of an output."""

UNSORTED_OUTPUT = Kind("output")
"""An output that is available in full; which symptom it shows depends on the others (cover.py)."""


@dataclass(frozen=True)
class Failure:
    """A failed check, or a run of one of its cases that went wrong (None if it was left out).

    `copy` has both outputs in full, if the case should copy and they are available. `difference` is the first one.
    `surplus_bytes` is how much too long an output is of which nothing else is known.
    `apart`: what `copy` was cleared of, in the words of a `Kind.text`. `stream` is the judgement of calls that failed
    the check. `was_copied`: it copied its input although it should have refused its operands.
    """

    check: Check
    case: str = ""
    operands: tuple[bytes, ...] = ()
    run: RunDone | None = None
    copy: CopyRun | None = None
    difference: Difference | None = None
    surplus_bytes: int = 0
    apart: str = ""
    problem: str = ""
    stream: StreamJudgement | None = None
    was_copied: bool = False


def copying_cases(lab: Lab) -> frozenset[str]:
    """Return the short cases that checks judge by what they copy; none if programs do not copy."""
    if not lab.translates:
        return frozenset()
    cases = lab.spec.cases
    judged = {case for item in lab.spec.rubric if isinstance(item, CasesItem) for case in item.cases}
    copies = (case for case in judged if cases[case].wants_output and not cases[case].expected_files)
    return frozenset(case for case in copies if cases[case].limits == "small")


def failures_of(
    check: Check, evidence: Evidence, lab: Lab, texts: Collection[bytes] = ()
) -> Iterator[tuple[Kind, Failure]]:
    """Yield each failure of a failed check, with its kind; at least one.

    `texts` are those that the program's source has in string literals.
    """
    item = next(item for item in lab.spec.rubric if item.name == check.name)
    match check.evidence:
        case CasesEvidence(cases=results):
            for result in results:
                if not result.passed:
                    failure = failure_of(
                        check, result.case, evidence.run(check.program, result.case), lab, result.wrong
                    )
                    # The sentences about differences describe copies of standard input.
                    difference = (
                        None if failure.copy is None and lab.spec.cases[result.case].is_stated else result.difference
                    )
                    failure = replace(failure, difference=difference, problem=result.problem)
                    only_status = all(part.startswith("status=") for part in result.wrong) and bool(result.wrong)
                    wrong_status = Kind("wrong-status", text=result.problem)
                    yield wrong_status if only_status else _kind_of_case(failure, evidence, lab, texts), failure
        case BuildEvidence():
            yield Kind("does-not-compile"), Failure(check)
        case SymbolsEvidence():
            yield Kind("functions"), Failure(check)
        case _ if isinstance(item, CallPatternItem | TerminalItem):
            yield from _failures_of_calls(check, item, evidence, lab)
        case _:
            yield Kind("other", text=check.name), Failure(check)


def _failures_of_calls(
    check: Check, item: CallPatternItem | TerminalItem, evidence: Evidence, lab: Lab
) -> Iterator[tuple[Kind, Failure]]:
    """Yield the runs that wrote nothing, or wrote to a terminal what is wrong: their calls follow from that.

    If there are none, yield the streams whose calls are wrong.
    """
    streams = check.evidence.streams if isinstance(check.evidence, CallsEvidence) else ()
    wrong = [stream for stream in streams if not stream.passed]
    if isinstance(item, TerminalItem):
        found = [one for case in item.cases for one in _failed_at_terminal(check, case, evidence, lab)]
    else:
        found = [*_failed_slice(check, item.slice, wrong, evidence, lab)]
    if not found:
        found = [(Kind("system-calls"), Failure(check, problem=one.problem, stream=one)) for one in wrong]
    yield from found or [(Kind("other", text=check.name), Failure(check))]


def _failed_at_terminal(check: Check, case: str, evidence: Evidence, lab: Lab) -> Iterator[tuple[Kind, Failure]]:
    """Yield the run of a case to a terminal if it did not end as it should, or wrote what is wrong."""
    run = evidence.run(check.program, case) or _traced(check.program, case, evidence)
    failure = failure_of(check, case, run, lab)
    if run is None:
        if _hung(failure, evidence, lab):
            yield Kind("not-run-without-end", text=check.message), failure
    elif not isinstance(run.ending, Exited) or (failure.copy is not None and _is_wrong(failure.copy)):
        yield _kind_of_case(failure, evidence, lab), failure
    elif failure.copy is None and (surplus_bytes := _surplus_bytes(failure, lab)):
        yield WRONG_OUTPUT, replace(failure, surplus_bytes=surplus_bytes)


def _failed_slice(
    check: Check, case: str, wrong: Sequence[StreamJudgement], evidence: Evidence, lab: Lab
) -> Iterator[tuple[Kind, Failure]]:
    """Yield the run of the slice if it did not end as it should, or wrote nothing, or too little for its calls."""
    run = evidence.run(check.program, case)
    failure = failure_of(check, case, run, lab)
    if run is None:
        if _hung(failure, evidence, lab):
            yield Kind("not-run-without-end", text=check.message), failure
        return
    # A program that ends early makes too few calls for that reason.
    may_follow = all(stream.went_elsewhere for stream in wrong)
    copy = failure.copy
    wrote_too_little = copy is not None and (
        (not copy.actual and _is_wrong(copy)) or (may_follow and len(copy.actual) < len(copy.expected))
    )
    if not isinstance(run.ending, Exited) or wrote_too_little:
        yield _kind_of_case(failure, evidence, lab), failure


def _traced(program: str, case: str, evidence: Evidence) -> RunDone | None:
    """Return a run that was made only under strace, as some to a terminal are; None if its log was full."""
    run = evidence.traced(program, case)
    return None if run is None or run.ending == LOG_FULL else run


def _surplus_bytes(failure: Failure, lab: Lab) -> int:
    reference = lab.reference.run(failure.check.program, failure.case)
    if failure.run is None or reference is None:
        return 0
    return failure.run.stdout.size_bytes - reference.stdout.size_bytes


def _is_wrong(copy: CopyRun) -> bool:
    return copy.actual != copy.expected


def failure_of(check: Check, name: str, run: RunDone | None, lab: Lab, wrong: Sequence[str] = ()) -> Failure:
    """Return a run that went wrong, with its outputs; `wrong` as in CaseResult.

    If more than standard output is wrong, the case's own sentence says what.
    """
    case = lab.spec.cases[name]
    reference = lab.reference.run(check.program, name)
    written = None if run is None else run.stdout.data
    is_copy = case.wants_output and not case.expected_files and all(part.startswith("stdout=") for part in wrong)
    if not is_copy or written is None or reference is None:
        # What only looks like a copy says nothing about a program that computes something else.
        is_refusal = case.expect == "operand-error" and lab.translates
        copied = run is not None and is_refusal and was_copied(run.stdout, lab.inputs[case.input], case.arguments)
        return Failure(check, name, case.arguments, run, was_copied=copied)
    expected = lab.reference.output(reference)
    copy = CopyRun(case.arguments, lab.inputs[case.input], expected, written)
    return Failure(check, name, case.arguments, run, copy)


def _kind_of_case(failure: Failure, evidence: Evidence, lab: Lab, texts: Collection[bytes] = ()) -> Kind:
    run, copy, case = failure.run, failure.copy, lab.spec.cases[failure.case]
    if run is None:
        hung = _hung(failure, evidence, lab)
        return Kind("not-run-without-end" if hung else "not-run", text=failure.problem)
    kind = kind_of_ending(run.ending, copy)
    if kind is None and run.left_processes and _lacks_its_end(failure, run, lab):
        kind = Kind("leaves-processes")
    if kind is not None:
        # Another number of operands is a reason of its own.
        return kind if kind.id != "crashes" else kind._replace(text=_other_number(failure, lab))
    if case.expect == "operand-error":
        return _kind_of_refusal(failure, run, evidence, lab, texts)
    if copy is not None:
        is_text = not lab.translates and copy.actual != copy.expected
        return kind_of_text(copy, run.stderr.data or b"") if is_text else kind_of_copy(copy, run)
    # The sentences about outputs are about copies. What is wrong with other runs, the case's own sentence says.
    if failure.difference is None:
        return Kind("other", text=failure.check.name)
    where = failure.difference
    return difference_symptom(where, lab.inputs[case.input]) if lab.translates else text_difference(where)


def _lacks_its_end(failure: Failure, run: RunDone, lab: Lab) -> bool:
    """Return whether what a run wrote is right as far as it goes, or is not what is wrong."""
    if lab.spec.cases[failure.case].expect == "operand-error":
        return not run.stdout.size_bytes and not run.stderr.size_bytes
    if failure.copy is not None:
        return failure.copy.actual != failure.copy.expected and failure.copy.expected.startswith(failure.copy.actual)
    return failure.difference is None or failure.difference.offset == failure.difference.actual_size_bytes


def _other_number(failure: Failure, lab: Lab) -> str:
    """Say whether a run had fewer or more operands than the most with which an output is written; "" if not."""
    more = len(failure.operands) - operand_numbers(failure.check.program, lab.spec)[-1]
    return FEW_OPERANDS if more < 0 else MANY_OPERANDS if more else ""


def operand_numbers(program: str, spec: Spec) -> range:
    """Return the numbers of operands, from the least to the most, with which a program should write its output."""
    writing = (case for case in spec.cases.values() if case.wants_output and case.runs(program))
    numbers = {len(case.operands) for case in writing} or {0}
    return range(min(numbers), max(numbers) + 1)


def _hung(failure: Failure, evidence: Evidence, lab: Lab) -> bool:
    """Return whether a case was left out because other runs of its program did not end by themselves."""
    left_out = evidence.left_out.get(run_id(failure.check.program, failure.case))
    if left_out is None or left_out.why not in WITHOUT_END:
        return False
    short = evidence.run(failure.check.program, lab.spec.slice_for(failure.check.program, failure.case) or "")
    return left_out.why == "given-up" or (short is not None and short.ending in STOPPED)


def kind_of_ending(ending: Ending, copy: CopyRun | None) -> Kind | None:
    """Return the kind of a failure that an ending shows; None if the program ended by itself."""
    match ending:
        case Exited() | LimitReached(limit="log"):
            return None
        case Signalled():
            return Kind("crashes")
        case NotStarted(message=message):
            return Kind("cannot-start", text=message)
        case LimitReached(limit="memory"):
            return Kind("uses-too-much-memory")
        case LimitReached(limit="output"):
            return Kind("writes-without-end")
        case LimitReached():
            return Kind("never-ends", text=_progress(copy))


def _progress(copy: CopyRun | None) -> str:
    """Say how far a copy that did not end had come: "nothing", "all", "more", or "" if that cannot be said."""
    if copy is None:
        return ""
    if copy.actual == copy.expected:
        return "all"
    if not copy.actual:
        return "nothing"
    return "more" if copy.actual.startswith(copy.expected) else "part"


def _kind_of_refusal(failure: Failure, run: RunDone, evidence: Evidence, lab: Lab, texts: Collection[bytes]) -> Kind:
    """Return in what way operands that are wrong were not refused as they should be."""
    told, wrote, success = run.stderr.size_bytes > 0, run.stdout.size_bytes > 0, succeeded(run.ending)
    copied = wrote and failure.was_copied
    accepted = Kind(ACCEPTED, text=failure.check.name)
    usual = _runs_with_output(failure.check.program, evidence, lab)
    if told and success and any(run.stderr == one.stderr for one in usual):
        # It writes the same whatever the operands are: that is not about these.
        return accepted
    if told and copied:
        return Kind("continues-after-message")
    if told and wrote:
        input_data = lab.inputs[lab.spec.cases[failure.case].input]
        begun = lab.translates and begins_copy(run.stdout.data or b"", input_data, failure.operands)
        return Kind("refused-while-copying" if begun and not success else "message-and-more")
    if told:
        return Kind("message-but-status-0")
    if not wrote:
        return Kind("neither-copies-nor-refuses") if success else Kind("no-message")
    return Kind("message-on-stdout") if not copied and _is_message(failure, run, usual, lab, texts) else accepted


def _runs_with_output(program: str, evidence: Evidence, lab: Lab) -> list[RunDone]:
    """Return the runs of a program that should write an output and wrote something."""
    names = (name for name, case in lab.spec.cases.items() if case.wants_output)
    runs = (evidence.run(program, name) for name in names)
    return [run for run in runs if run is not None and run.stdout.size_bytes]


def _is_message(failure: Failure, run: RunDone, usual: Sequence[RunDone], lab: Lab, texts: Collection[bytes]) -> bool:
    """Return whether what a run wrote to standard output is a message, and not what it writes for right operands.

    Either its exit status says so, or a text of the source that is not from its input. Neither shows anything if the
    usual runs, which should write an output, have it too.
    """
    written = (run.stdout.data or b"")[:MOST_MESSAGE_BYTES]
    given = (lab.inputs[lab.spec.cases[failure.case].input], *failure.operands)
    own = [text for text in texts if text in written and not any(text in data for data in given)]
    if not succeeded(run.ending) and (own or all(run.ending != one.ending for one in usual)):
        return True
    return any(all(text not in (one.stdout.data or b"") for one in usual) for text in own)


def kind_of_copy(copy: CopyRun, run: RunDone) -> Kind:
    """Return in what way a run that ended by itself did not copy."""
    told = run.stderr.data or b""
    if not copy.actual and told:
        is_whole = run.stderr.size_bytes == len(copy.expected) and told == copy.expected[: len(told)]
        return Kind("copies-to-stderr") if is_whole else Kind("refuses-valid-operands")
    if not succeeded(run.ending) and copy.actual != copy.expected and output_symptoms(copy)[0].id == "wrong-output":
        return Kind("writes-message-instead")
    return UNSORTED_OUTPUT
