"""Describe how a program deviates, in the same words for a submission and for a program with a known bug."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from typing_extensions import assert_never

from grader.diagnose.behaviour.outputs import was_copied
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
from grader.model.report import (
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Check,
    Difference,
    StreamJudgement,
    SymbolsEvidence,
)
from grader.model.signature import Traits, facet
from grader.model.spec.cases import Case, input_bytes
from grader.model.spec.expectations import Expected
from grader.model.spec.lab import Spec

ENDLESS, FLOOD, STARVED = "endless", "flood", "starved"
"""A program that a limit stopped: how far it got depends on the machine."""

REFUSED = "refused"
"""The program should have copied, but wrote nothing and reported an error."""

CRASHED = "crashed"
NOTHING, UNCHANGED, STOPPED = "exited nothing", "exited unchanged", "stopped at"
SHORTER, LONGER = "shorter", "longer"
"""An output that has another length than the right one."""

OUTPUT, FAILED = "output", "failed"
CALLS, NO_CALLS = "calls ", "none"
UNNOTICED = "exited success silent"
ABNORMAL = {CRASHED, ENDLESS, FLOOD, STARVED}
"""Kinds of programs that do not end by themselves."""

_LIMITS: dict[LimitHit, str] = {"cpu": ENDLESS, "wall": ENDLESS, "output": FLOOD, "memory": STARVED, "log": FAILED}


# One program is compared with every known bug, and with sets of them: the same traits come again and again.
@lru_cache(maxsize=4096)
def kind_of(trait: str) -> str | None:
    """Return the kind of a failure that many bugs have in common, None if the failure is specific to a bug.

    A program that fails in such a way everywhere has another reason than a mutant that does so in some cases.
    """
    for kind in (ENDLESS, FLOOD, STARVED, REFUSED, CRASHED, NOTHING, UNCHANGED, OUTPUT, FAILED):
        if trait == kind or trait.startswith(f"{kind} "):
            return kind
    return None


@lru_cache(maxsize=4096)
def family_of(trait: str) -> frozenset[str]:
    """Return the words for what may have one reason wherever a program does it.

    A run that ends with success, and wrote no copy, has perhaps not noticed that its operands are wrong.
    """
    words = frozenset() if stop_of(trait) else frozenset(trait.split()[:-1]) & {SHORTER, LONGER}
    if trait == f"{UNNOTICED} message":
        words |= {SHORTER, LONGER}
    kind = NOTHING if trait == f"{UNNOTICED} nothing" else kind_of(trait)
    return words | ({kind} if kind else set())


def surplus_of(trait: str) -> int | None:
    """Return how many bytes an output has too many, negative if some are missing; None if that is not known."""
    words = trait.split()
    for place, word in enumerate(words[:-1]):
        if word in {SHORTER, LONGER}:
            return int(words[place + 1]) * (1 if word == LONGER else -1)
    return 0 if len(words) == len(("exited", "hash")) and trait != NOTHING else None


def stop_of(trait: str) -> str | None:
    """Return the byte of the input at which a right output breaks off, None if it does not."""
    return trait.removeprefix(f"{STOPPED} ").partition(" ")[0] if trait.startswith(f"{STOPPED} ") else None


def calls_all_of(seen: str, known: str) -> bool:
    """Return whether a program calls and lacks all functions that another does; traits of other checks always fit."""
    if not (seen.startswith(CALLS) and known.startswith(CALLS)):
        return True
    own, others = ([set(part.split()[1:]) for part in trait.split(";")] for trait in (seen, known))
    return all(other <= one for one, other in zip(own, others, strict=True))


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
            for result in _measured(spec, results):
                step = run_id(check.program, result.case)
                left_out = evidence.left_out.get(step)
                if not result.passed and (left_out is None or left_out.why in WITHOUT_END):
                    yield facet(name, result.case), _of_case(spec, result, evidence.runs.get(step))
        case CallsEvidence(streams=streams):
            yield from _of_streams(spec, name, [stream for stream in streams if not stream.passed])
        case SymbolsEvidence(unused=unused) if unused:
            yield facet(name), f"{CALLS}; avoids {' '.join(group[0] for group in unused)}"
        case SymbolsEvidence(forbidden=forbidden, missing=missing):
            yield facet(name), f"{CALLS}{' '.join(forbidden)}; lacks {' '.join(group[0] for group in missing)}"
        case _:
            yield facet(name), FAILED


def _measured(spec: Spec, results: Sequence[CaseResult]) -> Sequence[CaseResult]:
    """Return the short cases, unless only others failed: known bugs are not run at full size, nor in each draw."""
    short = [result for result in results if spec.cases[result.case].limits == "small"]
    if all(result.passed for result in short):
        return results
    return [result for result in short if result.case not in spec.drawn_cases]


def _of_case(spec: Spec, result: CaseResult, run: RunDone | None) -> str:
    name, case = result.case, spec.cases[result.case]
    if run is None:
        return ENDLESS
    ending = _of_ending(run.ending)
    if isinstance(run.ending, LimitReached):
        return ending
    if isinstance(case.expect, Expected) or case.expected_files:
        return _of_whole_case(case, result, run, ending)
    match case.expect:
        case "reference-output":
            return _of_copy(ending, run, input_bytes(spec.inputs[case.input]), result.difference)
        case "operand-error":
            # A stored value: another word would need a new FORMAT of signatures and measuring all mutants again.
            message = "told" if run.stderr.size_bytes else "silent"
            return f"{ending} {message} {_of_unwanted(spec, name, run)}"
        case "either":
            return ending
        case _ as unreachable:
            assert_never(unreachable)


def _of_whole_case(case: Case, result: CaseResult, run: RunDone, ending: str) -> str:
    if case.copies_reference and result.difference is not None and not run.stdout.size_bytes:
        return f"{NOTHING} {ending}"
    what = f"{ending} {_of_stated(case, result, run)}"
    # A program that writes nothing at all may do so for any reason.
    return f"{NOTHING} {what}" if "stdout=nothing" in result.wrong and not run.stderr.size_bytes else what


def _of_stated(case: Case, result: CaseResult, run: RunDone) -> str:
    """Describe what is wrong in a case that expects more than an output: a file, or else something that it states.

    Each part that is wrong is named: two bugs that fail the same case must not look alike.
    """
    if result.passed:
        return "right"
    parts = " ".join(("wrong", *result.wrong))
    for name in case.expected_files:
        left = run.files.get(name)
        if left is not None and left.content is None:
            return f"{parts} {left.kind} {name}"
    left = run.files.get(result.differs_in)
    if left is not None and left.content is not None:
        return f"{parts} {result.differs_in} {_size_of(result.difference)}{left.content.sha256}"
    if not case.copies_reference:
        # Such an output may be another in each run: seconds, for example.
        return parts
    message = "message" if run.stderr.size_bytes else "silent"
    return f"{parts} {message} {'' if result.differs_in else _size_of(result.difference)}{run.stdout.sha256}"


def _of_copy(ending: str, run: RunDone, input_data: bytes, difference: Difference | None) -> str:
    """Describe what was written; the exit status of a run that copied does not count.

    A run that wrote nothing has refused its operands only if it failed with a message: the unchanged template fails
    without one.
    """
    if ending.startswith(CRASHED):
        return f"{ending} {run.stdout.sha256}"
    if not run.stdout.size_bytes:
        return REFUSED if ending.endswith("failure") and run.stderr.size_bytes else NOTHING
    if run.stdout.size_bytes == len(input_data) and run.stdout.sha256 == hashlib.sha256(input_data).hexdigest():
        return UNCHANGED
    if difference is not None and difference.offset == difference.actual_size_bytes:
        return f"{STOPPED} {difference.input_byte} {_size_of(difference)}{run.stdout.sha256}"
    return f"exited {_size_of(difference)}{run.stdout.sha256}"


def _size_of(difference: Difference | None) -> str:
    """Say how many bytes are too few or too many."""
    if difference is None or difference.actual_size_bytes == difference.expected_size_bytes:
        return ""
    surplus = difference.actual_size_bytes - difference.expected_size_bytes
    return f"{LONGER if surplus > 0 else SHORTER} {abs(surplus)} "


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
    """Distinguish nothing, a copy of the input, and a message.

    The text of the message does not count, nor what the copy makes of operands that should be refused: there is no
    right way, and two programs without the same check may differ in it.
    """
    if not run.stdout.size_bytes:
        return "nothing"
    case = spec.cases[name]
    copied = was_copied(run.stdout, input_bytes(spec.inputs[case.input]), case.arguments)
    return "copy" if copied else "message"


def _of_streams(spec: Spec, check: str, wrong: list[StreamJudgement]) -> Iterator[tuple[str, str]]:
    """Describe each stream by itself: a bug of the reads says nothing about the writes.

    Mutants run on small inputs only, so these are described if one of them went wrong.
    """
    small = [stream for stream in wrong if spec.cases[stream.case].limits == "small"]
    by_stream: dict[str, set[str]] = {}
    for judgement in small or wrong:
        by_stream.setdefault(judgement.stream, set()).add(_of_stream(spec, judgement))
    for stream, traits_of_stream in by_stream.items():
        yield facet(check, stream), "; ".join(sorted(traits_of_stream))
    if not by_stream:
        yield facet(check), OUTPUT


def _of_stream(spec: Spec, stream: StreamJudgement) -> str:
    """Distinguish too many calls from too few; the exact number depends on each program's buffer size."""
    stream_name = f"{stream.sink} {stream.stream}"
    if stream.calls == 0:
        return f"{stream_name} {NO_CALLS}"
    if stream.stream == "stdout" and stream.calls == _lines(input_bytes(spec.inputs[stream.input])):
        return f"{stream_name} lines"
    if stream.expected_calls is None or stream.calls == stream.expected_calls:
        return f"{stream_name} other"
    if stream.calls < stream.expected_calls:
        # Several bytes a call, or as many calls as bytes and too few of both.
        return f"{stream_name} {'fewer' if stream.bytes > stream.calls else 'too little'}"
    return f"{stream_name} {'one a byte' if stream.calls >= stream.bytes else 'more'}"


def _lines(data: bytes) -> int:
    """Count lines; the last one need not end with a newline."""
    return data.count(b"\n") + (not data.endswith(b"\n"))
