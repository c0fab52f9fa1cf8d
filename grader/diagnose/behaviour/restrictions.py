"""Name what the grader did not allow to a program in failed cases, which may be why they failed.

What these cases show is not explained by anything else: neither symptoms nor known bugs nor changes of the source are
looked for in them. If a program fails no other case, the same holds for its system calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from typing_extensions import assert_never

from grader.model.counted import in_cases, listed
from grader.model.evidence import UsedUp
from grader.model.report import CallsEvidence, CaseResult, CasesEvidence, Check, Report, Restriction, Symptom
from grader.model.spec.lab import Spec
from grader.model.spec.programs import limit_words
from grader.model.spec.rubric import Visibility

NAMED_CASES = 3
REFUSED, REACHED = "refused-calls", "limit-reached"
"""Ids of the symptoms that stand for restrictions."""

_WHAT = {
    "outside": "changes to files outside the program's own folder",
    "listed": "listing the folders above the program's own",
    "given": "changes to the mode or times of files that the grader provides",
    "moved": "moving files between folders",
    "raised": "limits higher than those that a program starts with",
    "terminal": "/dev/tty",
    "stream": "opening a standard stream again, as by /dev/stdout or /dev/stderr",
    "foreign": "system calls of another architecture, such as int 0x80",
}
"""What is refused where tally says it after the call."""

_LOCKED_MEMORY = "the grader's limit of locked memory"
"""In place of a key: the spec has none."""

_CALLS = {
    "rt_sigaction": "sigaction(SIGCHLD)",
    "kill": "kill(-1)",
    "fcntl": "fcntl(F_NOTIFY)",
    "unshare": "unshare(CLONE_NEWUSER)",
    "socketpair not-AF_UNIX": "socketpair with other domains than AF_UNIX",
    "socketpair not-SOCK_STREAM": "socketpair with other types than SOCK_STREAM",
}
"""What is refused of calls that are not refused as a whole. If it is one of several things, tally says which."""


def refused(program: str, calls: Iterable[str], cases: Collection[str]) -> Restriction:
    """Return what is to say about calls that were refused."""
    names = tuple(dict.fromkeys(map(_words, calls)))
    sentence = (
        f"The grader refuses {listed(names)} to every program (docs/isolation.md), which may be why {program} fails "
        f"{_where(cases)}. Where nothing is refused, the same program may do everything right."
    )
    return Restriction(program=program, calls=names, cases=tuple(cases), sentence=sentence)


def _words(call: str) -> str:
    name, _, what = call.partition(" ")
    return _WHAT.get(what) or _CALLS.get(call) or (f"{name}({what})" if what else name)


def reached(  # noqa: PLR0913 - what is known about it
    spec: Spec,
    program: str,
    limit: UsedUp,
    cases: Collection[str],
    *,
    passes: bool,
    with_more_memory: bool = False,
) -> Restriction:
    """Return what is to say about a limit that made calls fail. `passes`: the cases are right with a higher one.

    `with_more_memory`: it was reached only when there was more memory.
    """
    key, value = _limit(spec, limit, cases)
    sentence = f"{program} reached {key} ({value}), which may be why it fails {_where(cases)}."
    if with_more_memory:
        memory, _ = _limit(spec, "memory", cases)
        why = f"which may also be why it fails {_where(cases)}"
        sentence = f"With a higher {memory}, {program} reaches {key} ({value}), {why}."
    if passes:
        sentence = f"{program} needs more than {key} ({value}): with more, it is right {_where(cases)}."
    return Restriction(
        program=program,
        limit=key,
        value=value,
        cases=tuple(cases),
        passes=passes,
        sentence=sentence,
    )


def in_short(restriction: Restriction) -> str:
    """Return what the grader does not allow: `the grader refuses setpgid to every program (docs/isolation.md)`."""
    if restriction.limit:
        return f"it reaches {restriction.limit} ({restriction.value})"
    return f"the grader refuses {listed(restriction.calls)} to every program (docs/isolation.md)"


def of_reference(restriction: Restriction) -> str:
    """Return what the grader does not allow to the lab's own program, and where."""
    return f"{restriction.program} of the reference {_where(restriction.cases)}: {in_short(restriction)}"


def _limit(spec: Spec, limit: UsedUp, cases: Collection[str]) -> tuple[str, str]:
    """Return the key and the value of a limit."""
    case = next(iter(cases))
    limits, place = spec.limits_for(case), spec.limits_place(case)
    match limit:
        case "memory":
            key, value = limit_words(limits, place, "memory")
            return key, f"{value} of address space"
        case "processes":
            return "limits.processes", f"{spec.limits.processes:,} processes"
        case "open_files":
            return "limits.open_files", f"{spec.limits.open_files:,} open files"
        case "file_size":
            key, value = limit_words(limits, place, "output")
            return key, f"{value} in one file"
        case "cpu_time":
            return limit_words(limits, place, "cpu")
        case "locked_memory":
            return _LOCKED_MEMORY, "65,536 bytes"
        case _ as unreachable:
            assert_never(unreachable)


def _where(cases: Collection[str]) -> str:
    return in_cases(NAMED_CASES, cases)


def without_restricted(report: Report, restrictions: Iterable[Restriction]) -> Report:
    """Return the report without the cases of restrictions; a check of which no other case failed is skipped."""
    restricted = _restricted(restrictions, report)
    return report.model_copy(update={"checks": tuple(_masked(check, restricted) for check in report.checks)})


def with_restrictions(report: Report, judged: Report, restrictions: Iterable[Restriction]) -> Report:
    """Return an explained report that lacked the cases of restrictions, with these cases as they were judged.

    Each restriction is a symptom. The command of such a case is left out: elsewhere it may show nothing.
    """
    restrictions = tuple(restrictions)
    restricted = _restricted(restrictions, judged)
    symptoms = tuple(
        symptom for restriction in restrictions for symptom in _symptoms(restriction, judged, restricted)
    )
    advice = {check: symptom.advice for symptom in reversed(symptoms) for check in symptom.checks}
    before = {check.id: check for check in judged.checks}
    checks = tuple(_restored(check, before[check.id], restricted, advice) for check in report.checks)
    return report.model_copy(
        update={
            "checks": checks,
            "symptoms": (*symptoms, *report.symptoms),
            "restrictions": restrictions,
        }
    )


@dataclass(frozen=True)
class _Restricted:
    """The cases of each program that a restriction may explain, and where a program fails no other.

    `throughout` has a program with the visibility of the checks in which it is so, to those who see these checks.
    """

    cases: Mapping[str, Collection[str]]
    throughout: Collection[tuple[str, Visibility]] = ()

    def has_case(self, check: Check, result: CaseResult) -> bool:
        """Return whether a restriction may explain a case of a check."""
        return not result.passed and result.case in self.cases.get(check.program, ())

    def has_calls(self, check: Check) -> bool:
        """Return whether a restriction may explain that a check of system calls failed."""
        is_failed = check.status == "failed" and isinstance(check.evidence, CallsEvidence)
        return is_failed and (check.program, check.visibility) in self.throughout


def _restricted(restrictions: Iterable[Restriction], report: Report) -> _Restricted:
    cases: dict[str, set[str]] = {}
    for restriction in restrictions:
        cases.setdefault(restriction.program, set()).update(restriction.cases)
    restricted = _Restricted(cases)
    explained: set[tuple[str, Visibility]] = set()
    others: set[tuple[str, Visibility]] = set()
    for check in report.checks:
        for result in check.results:
            if not result.passed:
                kind = explained if restricted.has_case(check, result) else others
                kind.add((check.program, check.visibility))
    throughout = {
        (program, seen) for program, seen in explained if others.isdisjoint({(program, seen), (program, "visible")})
    }
    return _Restricted(cases, throughout)


def _failed_cases(check: Check) -> set[str]:
    return {result.case for result in check.failures}


def _masked(check: Check, restricted: _Restricted) -> Check:
    evidence = check.evidence
    if restricted.has_calls(check):
        return check.model_copy(update={"status": "skipped"})
    if check.status != "failed" or not isinstance(evidence, CasesEvidence):
        return check
    kept = tuple(result for result in evidence.cases if not restricted.has_case(check, result))
    if kept == evidence.cases:
        return check
    status = "skipped" if all(result.passed for result in kept) else "failed"
    return check.model_copy(update={"evidence": CasesEvidence(cases=kept), "status": status})


def _restored(check: Check, judged: Check, restricted: _Restricted, advice: Mapping[str, str]) -> Check:
    evidence = judged.evidence
    if isinstance(evidence, CallsEvidence) and check.status == "skipped" and restricted.has_calls(judged):
        shown = evidence.model_copy(update={"repeat": ""})
        return judged.model_copy(update={"evidence": shown, "hint": advice.get(check.id, "")})
    if judged.status != "failed" or not isinstance(evidence, CasesEvidence):
        return check
    cases = tuple(
        result.model_copy(update={"repeat": ""}) if restricted.has_case(check, result) else result
        for result in evidence.cases
    )
    if cases == evidence.cases:
        return check
    update = {"cause": check.cause, "evidence": CasesEvidence(cases=cases), "hint": check.hint}
    if check.status == "skipped":
        update["hint"] = advice.get(check.id, "")
    return judged.model_copy(update=update)


def _symptoms(restriction: Restriction, report: Report, restricted: _Restricted) -> Iterator[Symptom]:
    """Yield the symptom of the checks that a restriction may explain: one for each time when students see them."""
    own = [check for check in report.checks if check.program == restriction.program]
    cases = {*restriction.cases}
    for visibility in dict.fromkeys(check.visibility for check in own if _failed_cases(check) & cases):
        seen = [check for check in own if check.visibility == visibility]
        checks = [check.id for check in seen if _failed_cases(check) & cases or restricted.has_calls(check)]
        yield Symptom(
            id=REACHED if restriction.limit else REFUSED,
            program=restriction.program,
            checks=tuple(checks),
            sentence=restriction.sentence,
            advice=_advice(restriction),
            cases=restriction.cases,
        )


def _advice(restriction: Restriction) -> str:
    if restriction.limit == _LOCKED_MEMORY:
        return "Lock less memory, or ask your instructor: no key of the lab changes this limit."
    if restriction.limit:
        return f"Use less, or ask your instructor for a higher {restriction.limit}."
    return f"If the program needs {listed(restriction.calls)}, ask your instructor."
