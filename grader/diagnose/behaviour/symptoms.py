"""Describe what went wrong before any known bug is considered: one symptom for each way in which a program fails.

Every failed check belongs to at least one symptom.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from grader.diagnose.behaviour.failures import Failure, copying_cases, failure_of, failures_of, operand_numbers
from grader.diagnose.behaviour.group import Group, Groups, Key, shown_first
from grader.diagnose.behaviour.merge import merge, name_outputs
from grader.diagnose.behaviour.operand_names import UNNAMED
from grader.diagnose.behaviour.outputs import EXTRA, CopyRun, common_beginning
from grader.diagnose.behaviour.sentences import TWO_OUTPUTS, words_for, writes_two_outputs
from grader.diagnose.behaviour.sentences_on_operands import OF_OPERANDS
from grader.diagnose.behaviour.traced_slice import call_bytes, facts_of_slice, only_pipes
from grader.model.evidence import Evidence, Exited, program_and_case
from grader.model.lab import Lab
from grader.model.report import AdvicePart, Check, Finding, Report, Symptom, TwoOutputs
from grader.model.stopped import Stop, stop_of_run

VAGUE = {"wrong-bytes", "wrong-output", "not-translated"}
"""Symptoms that do not say what is special: if only one check shows one, the rubric's hint may be about it."""

_STILL_ASKED = {*OF_OPERANDS, *VAGUE} - {"refuses-valid-operands"}
"""Symptoms of which the advice may be right if a memory checker found a mistake: a missing check lets it happen."""


def with_symptoms(
    report: Report, evidence: Evidence, lab: Lab, texts: Mapping[str, Collection[bytes]] = MappingProxyType({})
) -> Report:
    """Return the report with its symptoms, the costliest first; a failed check without a hint gets advice.

    `texts` are those that sources have in string literals, by program.
    """
    groups: Groups = {}
    for check in report.checks:
        if check.status == "failed":
            for kind, failure in failures_of(check, evidence, lab, texts.get(check.program, ())):
                groups.setdefault(Key(check.program, check.visibility, kind), []).append(failure)
    name_outputs(groups, {program: right_copies(report, program, evidence, lab) for program in lab.spec.programs})
    merge(groups, evidence, lab)
    cost = {check.id: check.max_points - check.points for check in report.checks}
    found = [_symptom(key, groups, report, evidence, lab) for key in groups]
    found.sort(key=lambda symptom: -sum(cost[check] for check in symptom.checks))
    return report.model_copy(
        update={"symptoms": tuple(found), "checks": tuple(_advised(check, found) for check in report.checks)}
    )


def with_lines(report: Report) -> Report:
    """Return the report with advice that names the line, for each symptom of which a checker of memory found one."""
    advice: dict[str, str] = {}
    symptoms = []
    for symptom in report.symptoms:
        found = [finding for finding in report.findings if _explains(finding, symptom, report)]
        # What is written besides a right copy has another reason.
        # Of a change that repairs everything, the line is known.
        if found and symptom.id not in EXTRA and symptom.proof is None:
            most = max(found, key=lambda finding: len(set(finding.cases) & set(symptom.cases)))
            line = f"A memory checker found a mistake in line {most.line} of {most.file}: begin there."
            # An output after such a mistake can be anything, so what it would suggest is not worth reading.
            kept = symptom.advice_parts if symptom.id in _STILL_ASKED else ()
            kept = kept[1:] if kept[:1] == (TWO_OUTPUTS,) else kept
            changed = symptom.advised(AdvicePart(kind="checked-line", text=line), *kept)
            advice |= dict.fromkeys(set(symptom.checks) & set(most.checks), changed.advice)
            symptoms.append(changed)
        else:
            symptoms.append(symptom)
    checks = (
        check.model_copy(update={"hint": advice[check.id]}) if check.hint and check.id in advice else check
        for check in report.checks
    )
    return report.model_copy(update={"symptoms": tuple(symptoms), "checks": tuple(checks)})


def _explains(finding: Finding, symptom: Symptom, report: Report) -> bool:
    """Return whether a finding is about a run of the symptom, and everyone who sees the one sees the other."""
    shown = any(check.visibility == "visible" for check in report.checks if check.id in symptom.checks)
    return finding.program == symptom.program and not (
        (finding.hidden and shown)
        or set(finding.cases).isdisjoint(symptom.cases)
        or set(finding.checks).isdisjoint(symptom.checks)
    )


def right_copies(report: Report, program: str, evidence: Evidence, lab: Lab) -> tuple[CopyRun, ...]:
    """Return the short runs that students see and that copied rightly: what a symptom says has to fit them."""
    found: dict[str, CopyRun] = {}
    for check in report.checks:
        if check.program == program and check.visibility == "visible":
            for result in check.results:
                case = lab.spec.cases[result.case]
                if result.passed and case.limits == "small":
                    copy = failure_of(check, result.case, evidence.run(program, result.case), lab, result.wrong).copy
                    if copy is not None and copy.expected:
                        found[result.case] = copy
    return tuple(found.values())


def _symptom(key: Key, groups: Groups, report: Report, evidence: Evidence, lab: Lab) -> Symptom:
    order = {check.id: place for place, check in enumerate(report.checks)}
    failures = sorted(groups[key], key=lambda failure: order[failure.check.id])
    seen = [other.kind for other in groups if other.is_seen_with(key) and other != key]
    differs, differs_in_size = _differs(key.program, evidence)
    group = Group(
        program=key.program,
        kind=key.kind,
        failures=shown_first(failures),
        copying=copying_cases(lab),
        others=seen,
        facts=tuple(facts_of_slice(key, failures, evidence, lab)),
        read_bytes=call_bytes(key.program, "stdin", evidence, lab),
        write_bytes=call_bytes(key.program, "stdout", evidence, lab),
        only_pipes=only_pipes(failures, lab),
        to_refuse=tuple(_to_refuse(failures, lab)),
        refuses=_refuses(key.program, report, lab),
        differs=differs,
        differs_in_size=differs_in_size,
        other_text=_usual_text(groups, key),
        operand_names=lab.spec.operand_names or UNNAMED,
        called=_called(key.program, evidence),
        stops=_stops(failures, lab),
        translates=lab.translates,
        needed_operands=operand_numbers(key.program, lab.spec).start,
    )
    words = words_for(group)
    checks = {failure.check.id: failure.check.name for failure in failures}
    is_two = writes_two_outputs(group)
    parts = [*([TWO_OUTPUTS] if is_two else []), AdvicePart(kind=words.about, text=words.advice)]
    # Operands that should be refused are special in themselves, if nothing else is known about them.
    if len(checks) == 1 and (
        words.about == "every-case" or (key.kind.id in VAGUE and _is_special(group, report, lab))
    ):
        [name] = checks.values()
        parts = [AdvicePart(text=next(item.hint for item in lab.spec.rubric if item.name == name))]
    return Symptom(
        id=key.kind.id,
        program=key.program,
        checks=tuple(checks),
        sentence=words.sentence,
        cases=tuple(dict.fromkeys(failure.case for failure in failures if failure.case)),
        facts=tuple(sorted(words.facts)),
        two_outputs=TwoOutputs(case=group.differs, same_size=not group.differs_in_size) if is_two else None,
    ).advised(*parts)


def _is_special(group: Group, report: Report, lab: Lab) -> bool:
    """Return whether what is special in a check's cases is what failed: only then the rubric's hint helps.

    No byte that came out wrong may come out right in another check. If it is not known which bytes are wrong, every
    other check that copies must have passed.
    """
    own = {failure.check.id for failure in group.failures}
    others = [check for check in report.checks if check.program == group.program and check.id not in own]
    cases = [result for check in others for result in check.results]
    copied = [result for result in cases if lab.spec.cases[result.case].wants_output]
    if not group.copies():
        return all(result.passed for result in copied)
    wrong = {
        byte for copy in group.copies() for byte in (copy.wrong if len(copy.actual) == len(copy.expected) else ())
    }
    right = {byte for result in copied if result.passed for byte in lab.inputs[lab.spec.cases[result.case].input]}
    return bool(wrong) and wrong.isdisjoint(right)


def _called(program: str, evidence: Evidence) -> AbstractSet[str]:
    build = evidence.builds.get(program)
    return frozenset(build.symbols or ()) if build is not None else frozenset()


def _stops(failures: Sequence[Failure], lab: Lab) -> Sequence[Stop]:
    """Return after what limits stopped the runs, those first that reached the limit of the spec."""
    stops = [stop_of_run(failure.run, lab.spec, failure.case) for failure in failures if failure.run is not None]
    return sorted((stop for stop in stops if stop is not None), key=lambda stop: not stop.key)


def _to_refuse(failures: Sequence[Failure], lab: Lab) -> Iterator[str]:
    """Yield the cases that were run and whose operands are wrong."""
    for failure in failures:
        if failure.case and failure.run is not None and lab.spec.cases[failure.case].expect == "operand-error":
            yield failure.case


def _refuses(program: str, report: Report, lab: Lab) -> bool:
    """Return whether a program refuses any operands as it should."""
    return any(
        result.passed and lab.spec.cases[result.case].expect == "operand-error"
        for check in report.checks
        if check.program == program and check.visibility == "visible"
        for result in check.results
    )


def _differs(program: str, evidence: Evidence) -> tuple[str, bool]:
    """Return a case of which two runs ended by themselves with different outputs, and whether their sizes differ.

    The case is "" if there is none.
    """
    for run in evidence.runs.values():
        name, case = program_and_case(run.step)
        traced = evidence.traced(program, case)
        if name != program or traced is None or traced is run or traced.ending != run.ending:
            continue
        if isinstance(run.ending, Exited) and traced.stdout.sha256 != run.stdout.sha256:
            return case, traced.stdout.size_bytes != run.stdout.size_bytes
    return "", False


def _usual_text(groups: Groups, key: Key) -> bytes:
    """Return what the wrong outputs of a program's copies begin with, if it is the same in all of several."""
    copies = [
        failure.copy.actual
        for other, failures in groups.items()
        if other.is_seen_with(key) and other.kind.id in ("wrong-output", "extra-before")
        for failure in failures
        if failure.copy is not None
    ]
    if len(set(copies)) < 2:  # noqa: PLR2004 - one output does not show what others begin with
        return b""
    low, high = min(copies), max(copies)
    return low[: common_beginning(low, high)]


def _advised(check: Check, symptoms: Sequence[Symptom]) -> Check:
    if check.status != "failed" or check.hint:
        return check
    advice = next(symptom.advice for symptom in symptoms if check.id in symptom.checks)
    return check.model_copy(update={"hint": advice})
