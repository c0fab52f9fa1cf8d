"""What went wrong, once for each reason: what it is, where it is, and how to see it.

Page and terminal begin with this. The evidence of each check comes later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.diagnose.behaviour.findings import advice_on
from grader.diagnose.behaviour.symptoms import VAGUE
from grader.model.counted import capital
from grader.model.proof_words import instruction_of
from grader.model.report import (
    NEGATIVE_INDEX,
    VARIES,
    AdvicePart,
    BuildEvidence,
    CallsEvidence,
    CasesEvidence,
    Cause,
    CauseLine,
    Certainty,
    Check,
    Finding,
    Proof,
    RelatedLine,
    Report,
    Symptom,
)
from grader.render.text.escape import one_line
from grader.render.text.gcc_messages import Diagnostic, first_of
from grader.render.text.markdown import sections
from grader.render.views.demonstrations import (
    Demonstration,
    compile_line,
    counts_bytes,
    demonstration,
)
from grader.render.views.failures import (
    costlier_symptom,
    explained,
    lost_points,
    next_step,
    observed,
    title_of_cause,
    unbuilt,
)
from grader.render.views.warnings import with_places

POINTER_BYTES = 8

_LOOP = re.compile(r"\b(for|while)\b")

_VAGUE = VAGUE | {"writes-without-end"}
"""Symptoms that say less than others do: a flood may begin like what a shorter output shows in full."""

_WHAT_HAPPENS = "What happens"

_DECIDING = frozenset({"guards", "helpers"})
"""Roles of lines that decide about a message."""


@dataclass(frozen=True)
class Problem:
    """One reason for failed checks: a program that does not compile, a known bug, or a symptom.

    `cause` is the known bug. `error` is gcc's first error, `warnings` are those of its warnings that concern the
    problem, and `findings` name lines that a memory checker found. `text` says what happens, or where to look. `own`
    are the checks that no earlier problem has: their evidence is shown here. `cases` are those of a `symptom`, which
    is not a known bug, and `advice` are the parts of `text` then.
    `blocked` are the checks that cannot be judged because of it. `related` are lines to begin with, of a problem of
    which nothing names the line. `vague`: the title does not say what is special about the cases. `lines` are those
    of the cause, or of a small change that repaired a copy of the source, and `proof` says what was changed. `next`
    is what to change if the bug is known and nothing is proven, or if the program does not compile (`unbuilt`).
    """

    title: str
    checks: tuple[Check, ...]
    text: str
    demonstration: Demonstration | None
    cause: Cause | None = None
    findings: tuple[Finding, ...] = ()
    error: Diagnostic | None = None
    warnings: tuple[Diagnostic, ...] = ()
    own: tuple[Check, ...] = ()
    cases: frozenset[str] = frozenset()
    blocked: tuple[Check, ...] = ()
    related: tuple[RelatedLine, ...] = ()
    vague: bool = False
    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    next: str = ""
    unbuilt: bool = False
    symptom: Symptom | None = None
    advice: tuple[AdvicePart, ...] = ()

    @property
    def fix(self) -> str:
        """What to change, and what passes then; "" if nothing is proven."""
        return instruction_of(self.proof)

    @property
    def advises(self) -> bool:
        """Whether `text` is what to do next: of what was only seen, there is nothing else to say."""
        return self.cause is None and not self.proof and not self.unbuilt

    @property
    def certainty(self) -> Certainty | None:
        """How certain the reason is; None of what was only seen."""
        return self.cause.certainty if self.cause is not None else "proven" if self.proof else None

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that have the problem."""
        return tuple(dict.fromkeys(check.program for check in self.checks))

    @property
    def rest_of_page(self) -> str:
        """The page of a known bug without its first part, which `text` has; Markdown."""
        _, heading, rest = (self.cause.page if self.cause else "").partition("\n## ")
        return heading + rest

    @property
    def program(self) -> str:
        """The program that has the problem; of several, the first."""
        return self.checks[0].program if self.checks else ""

    @property
    def marked(self) -> tuple[Finding, ...]:
        """The first finding in each line: several in a line are one mistake, with several inputs."""
        places = {(finding.file, finding.line): finding for finding in reversed(self.findings)}
        return tuple(sorted(places.values(), key=self.findings.index))

    @property
    def begins_at_mistakes(self) -> bool:
        """Whether what a memory checker found is shown, and then the lines that are the likely reason."""
        return bool(self.findings) and all(line.is_mistake for line in self.related)

    @property
    def asks_for_nothing(self) -> bool:
        """Whether a write asks for 0 bytes, which is usually a consequence of the bug that loses a byte."""
        return self.symptom is not None and "writes-of-nothing" in self.symptom.facts

    def advised(self, parts: Sequence[AdvicePart]) -> Problem:
        """Return the problem with other advice."""
        return replace(self, advice=tuple(parts), text=" ".join(part.text for part in parts if part.text))

    @property
    def elsewhere(self) -> tuple[Check, ...]:
        """The checks whose evidence is shown with an earlier problem."""
        return tuple(check for check in self.checks if check not in self.own)

    @property
    def lost_points(self) -> float:
        """The points that its checks cost, including those that it shares with another problem."""
        return lost_points((*self.checks, *self.blocked))

    @property
    def own_lost_points(self) -> float:
        """The points that no earlier problem has, so that those of all problems add up to what was lost."""
        return lost_points((*self.own, *self.blocked))


def problems(report: Report) -> tuple[Problem, ...]:
    """Return the problems of a report: programs that do not compile, then the others, the most expensive first.

    Of those that cost the same, known bugs come before symptoms.
    """
    others = [*_known(report), *_seen(report)]
    ranked = sorted(others, key=lambda problem: (-_rank(problem, others), problem.vague))
    placed = _distributed([*_unbuilt(report), *ranked], report.findings)
    return tuple(_as_example(problem, varies=_varies(report, problem)) for problem in placed)


def _varies(report: Report, problem: Problem) -> bool:
    """Return whether two runs of the case that is shown wrote outputs that its command shows to be different."""
    shown = problem.demonstration
    outputs = [symptom.two_outputs for symptom in report.symptoms if symptom.program == problem.program]
    return shown is not None and any(
        one is not None and one.case == shown.case and not (one.same_size and counts_bytes(shown.lines))
        for one in outputs
    )


def _rank(problem: Problem, others: Iterable[Problem]) -> float:
    """Return the points that a problem costs; if it is vague, not more than one that says what happens instead.

    That one has to be seen in at least as many cases of the same program.
    """
    if not problem.vague:
        return problem.lost_points
    clearer = [
        other.lost_points
        for other in others
        if not other.vague and other.program == problem.program
        if len(other.cases) >= max(len(problem.cases), 1)
        or (problem.asks_for_nothing and other.cause is not None and _loses_bytes(other))
    ]
    return min(problem.lost_points, max(clearer, default=problem.lost_points))


def _loses_bytes(problem: Problem) -> bool:
    """Return whether an output of its checks is too short."""
    evidence = [check.evidence for check in problem.checks]
    cases = [case for one in evidence if isinstance(one, CasesEvidence) for case in one.cases]
    differences = [case.difference for case in cases if case.difference is not None]
    return any(one.actual_size_bytes < one.expected_size_bytes for one in differences)


def may_follow(found: Sequence[Problem]) -> tuple[int, ...]:
    """Return the numbers of the problems that may have the same reason as the first, which is number 1.

    A symptom of the same program may, unless the first is a known bug, or a small change repairs one of the two: that
    does not explain the other. Nor does a line that is a mistake in itself, if it does not concern the other.
    """
    if not found or found[0].certainty is not None:
        return ()
    first, *others = found
    return tuple(
        number
        for number, one in enumerate(others, 2)
        if one.certainty is None and one.program == first.program and _may_share(first, one)
    )


def _may_share(first: Problem, other: Problem) -> bool:
    """Return whether two problems may have the same mistake: if lines are known to be one, they concern both.

    What a memory checker found in a line that is not one of the first is another mistake, and so is a missing check.
    """
    if other.symptom is not None and other.symptom.id == "neither-copies-nor-refuses":
        return False
    lines = {(line.file, line.number) for line in other.related}
    found, firsts = _found_in(other), _found_in(first) | {(line.file, line.number) for line in first.related}
    if found and firsts and found.isdisjoint(firsts):
        return False
    mistakes, own = _mistakes(first), _mistakes(other)
    return mistakes <= lines and (not own or not own.isdisjoint((line.file, line.number) for line in first.related))


def _found_in(problem: Problem) -> frozenset[tuple[str, int]]:
    """Return the lines in which a memory checker found a mistake."""
    return frozenset((finding.file, finding.line) for finding in problem.findings)


def _mistakes(problem: Problem) -> frozenset[tuple[str, int]]:
    """Return the lines of a problem that are mistakes in themselves."""
    lines = (line for line in problem.related if line.is_mistake or line.role == "constants")
    return frozenset((line.file, line.number) for line in lines)


def _unbuilt(report: Report) -> Iterator[Problem]:
    for check in unbuilt(report):
        build = check.evidence if isinstance(check.evidence, BuildEvidence) else None
        error = first_of(build.messages) if build is not None else None
        title = (
            f"{check.program} does not compile"
            if error
            else check.message.replace("it does", f"{check.program} does", 1)
        )
        until = "it compiles" if error else "this is fixed"
        text, step = f"Nothing else of {check.program} can be judged until {until}.", ""
        if error and build is not None and build.explains_error:
            text, step = "", check.hint
        blocked = tuple(other for other in report.checks if other.needs == check.id)
        shown = _compilation(report, check)
        yield Problem(title, (check,), text, shown, error=error, blocked=blocked, next=step, unbuilt=True)


def _compilation(report: Report, check: Check) -> Demonstration | None:
    command = compile_line(report, check.program)
    return Demonstration(command, "", "", "") if command and check.evidence is not None else None


def _known(report: Report) -> Iterator[Problem]:
    for one in explained(report):
        checks = (*one.checks, *one.elsewhere)
        text = " ".join(sections(one.cause.page).get(_WHAT_HAPPENS, "").split("\n"))
        costlier = costlier_symptom(report, one.cause)
        # The checks in which the bug was seen come first. In the others, its fix only has an effect.
        ordered = sorted(checks, key=lambda check: one.cause.checks.index(check.id))
        if costlier is not None:
            ordered.sort(key=lambda check: check.id not in costlier.checks)
            text = f"Another effect of the same mistake: {one.cause.title}."
        found = _related(report, checks)
        if one.cause.proof is not None or any(line.is_mistake or line.role in _DECIDING for line in found):
            text = _without_guesses(text)
        asked = _asked_bytes(checks)
        text = " ".join(filter(None, [asked, text if costlier is None or not asked else ""]))
        # A check may have cases that fail for the reason of another problem.
        own = [symptom for symptom in report.symptoms if {*symptom.checks} <= {*one.cause.checks}]
        cases = [case for symptom in own for case in symptom.cases] if costlier is None else costlier.cases
        shown = demonstration(report, ordered, cases)
        related = () if one.cause.lines else found
        title = title_of_cause(report, one.cause)
        yield Problem(
            title,
            checks,
            text,
            shown,
            cause=one.cause,
            warnings=one.warnings,
            related=related,
            lines=one.cause.lines,
            proof=one.cause.proof,
            next=next((line.advice for line in related if line.advice), next_step(one.cause)),
        )


def _without_guesses(text: str) -> str:
    """Return what a page says without the sentences on possible reasons, of which the line shows the right one."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
    return " ".join(sentence for sentence in sentences if not sentence.startswith(("Perhaps ", "Either ", "Or ")))


def _asked_bytes(checks: Iterable[Check]) -> str:
    """Return how many bytes calls ask for if that is wrong: a title is about any number."""
    streams = [
        stream for check in checks if isinstance(check.evidence, CallsEvidence) for stream in check.evidence.streams
    ]
    said = dict.fromkeys(one_line(stream.problem) for stream in streams if stream.deviation == "nbyte")
    return f"{capital(next(iter(said)))}." if said else ""


def _seen(report: Report) -> Iterator[Problem]:
    for one in observed(report):
        checks = (*one.checks, *one.elsewhere)
        changed = one.symptom.id in _SHOWN_BY_CHANGES
        # What a change repairs comes first.
        order = one.symptom.checks if one.proof else [check.id for check in report.checks]
        in_order = sorted(checks, key=lambda check: order.index(check.id))
        shown = demonstration(report, in_order, one.symptom.cases, changed=changed)
        seen = Problem(
            one.symptom.sentence,
            checks,
            "",
            shown,
            warnings=one.warnings,
            cases=frozenset(one.symptom.cases),
            related=() if one.proof else with_places(one.symptom.lines, one.warnings),
            lines=one.proven_lines,
            proof=one.proof,
            symptom=one.symptom,
        )
        # Of a command whose input has no such byte, nothing is to be seen.
        is_unseen = seen.asks_for_nothing and shown is not None and shown.is_other_input
        yield replace(
            seen,
            demonstration=None if is_unseen else shown,
            vague=one.symptom.id in _VAGUE or seen.asks_for_nothing,
        ).advised(one.symptom.advice_parts if one.proof is None else one.symptom.advice_parts[: one.symptom.varies])


def _related(report: Report, checks: Iterable[Check]) -> tuple[RelatedLine, ...]:
    """Return the lines of what was seen in these checks: for each program, of the costliest symptom that has some."""
    ids = {check.id for check in checks}
    found: dict[str, tuple[RelatedLine, ...]] = {}
    for symptom in report.symptoms:
        if symptom.lines and ids.issuperset(symptom.checks):
            found.setdefault(symptom.program, symptom.lines)
    return tuple(line for lines in found.values() for line in lines)


def _distributed(found: Iterable[Problem], findings: tuple[Finding, ...]) -> Iterator[Problem]:
    """Yield the problems, each with the checks, and the findings in its checks, that no earlier problem has.

    A finding that a later problem has a case of is left to that one: a check may fail for several reasons.
    """
    found, left = [*found], list(findings)
    shown: set[str] = set()
    for number, problem in enumerate(found):
        ids = {check.id for check in problem.checks}
        of_problem = tuple(
            finding
            for finding in left
            if ids.intersection(finding.checks)
            and (problem.cases.intersection(finding.cases) or not _concerns(found[number + 1 :], finding))
        )
        left = [finding for finding in left if finding not in of_problem]
        own = tuple(check for check in problem.checks if check.id not in shown)
        shown |= ids
        yield _with_findings(replace(problem, own=own), of_problem)


def _with_findings(problem: Problem, findings: tuple[Finding, ...]) -> Problem:
    """Return a problem with what memory checkers found in its checks."""
    # Of a known bug, what a memory checker found is perhaps a consequence.
    keeps = problem.cause is not None or not findings
    related = tuple(line for line in problem.related if keeps or line.is_mistake)
    late = next(filter(None, (finding.late_check for finding in findings)), None)
    # There is a check, which the page of the known bug asks for.
    moved = f"Use the operands only after their check in line {late.line}." if late is not None else ""
    problem = replace(
        problem, findings=findings, related=related, next=moved if problem.next and moved else problem.next
    )
    if not findings or not problem.begins_at_mistakes or problem.symptom is None:
        return problem
    # The mistake is shown, and needs no sentence of its own.
    parts = [part for part in problem.advice if part.kind != "checked-line" and part.text]
    advice = advice_on(problem.marked[0]) if problem.advises else ""
    if advice and all(part.kind in ("varies", "lookup") for part in parts):
        parts = [*(part for part in parts if part.kind == "varies"), AdvicePart(text=advice)]
    return problem.advised(parts)


def _as_example(problem: Problem, *, varies: bool) -> Problem:
    """Return a problem that says so if its command may show something else than the run did.

    `varies`: two runs of the case wrote different outputs.
    """
    shown = problem.demonstration
    if shown is None or not shown.got:
        return problem
    if any(part.kind == "varies" for part in problem.advice[:1]):
        # They may be as many.
        differs = "" if counts_bytes(shown.lines) else "What you get may be different. "
        note = f"{differs}{VARIES} {shown.note}".strip()
        return replace(problem, demonstration=replace(shown, note=note)).advised(problem.advice[1:])
    found = [finding for finding in problem.findings if shown.case in finding.cases or finding.mistake in _UNSET]
    if counts_bytes(shown.lines):
        found = [one for one in found if one.mistake not in _UNSET_OUTPUT]
    if (varies or _reads_past(problem, shown.case) or any(map(_is_chance, found))) and not shown.is_fixed:
        return replace(problem, demonstration=replace(shown, note=f"{_CHANCE} {shown.note}".strip()))
    return problem


_CHANCE = "What you get may be different: it depends on what happens to be in memory."

_UNSET_OUTPUT = frozenset({"unset-byte", "unset-bytes"})
_UNSET = _UNSET_OUTPUT | {"unset"}
_OUTSIDE = NEGATIVE_INDEX | {"index", "few-elements", "outside"}


def _reads_past(problem: Problem, name: str) -> bool:
    """Return whether a loop that ends at the size of a pointer goes on after the end of the operands of a case.

    No memory checker sees that: other operands, or the environment, come after them.
    """
    steps = () if problem.proof is None else problem.proof.steps
    is_loop = any(change.op == "length-for-size" for step in steps for change in step.changes) or any(
        line.role == "pointer-size" and _LOOP.search(line.text) for line in problem.related
    )
    cases = [
        case for check in problem.checks if isinstance(check.evidence, CasesEvidence) for case in check.evidence.cases
    ]
    operands = [operand for case in cases if case.case == name for operand in case.operands]
    return is_loop and any(len(operand) + 1 < POINTER_BYTES for operand in operands)


def _is_chance(finding: Finding) -> bool:
    """Return whether a program used memory that is not its own, or was never set."""
    is_memory = finding.tool != "UndefinedBehaviorSanitizer" or finding.mistake in _OUTSIDE
    # A null pointer is one each time. What is written past the end of a variable may harm others, and always does the
    # same.
    return is_memory and finding.mistake != "null" and (not finding.writes or finding.mistake == "unset-bytes")


def _concerns(found: Iterable[Problem], finding: Finding) -> bool:
    """Return whether one of these problems has a case, and a check, of a finding."""
    return any(
        problem.cases.intersection(finding.cases) and any(check.id in finding.checks for check in problem.checks)
        for problem in found
    )


_SHOWN_BY_CHANGES = ("operands-swapped",)
"""Symptoms that look like an unchanged copy in a case in which the program changes nothing."""
