"""The failed checks and the known bugs that explain them, in the order in which page and terminal show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.diagnose.behaviour.sentences import about
from grader.diagnose.behaviour.symptoms import VAGUE
from grader.model.mutant import WHAT_TO_CHANGE
from grader.model.report import Cause, CauseLine, Check, CheckStatus, Finding, Proof, Report, Symptom
from grader.render.text.escape import first_sentences
from grader.render.text.gcc_messages import Diagnostic
from grader.render.text.markdown import sections
from grader.render.views.warnings import OtherWarnings, other_warnings, warnings_of_cause, warnings_of_symptom

MAX_TITLE_CHARS = 130
"""Length up to which a title has more than one sentence of a symptom."""


@dataclass(frozen=True)
class Explained:
    """A cause with the failed checks that it explains.

    `checks` are shown with it. It explains `elsewhere` too, but they are shown with an earlier cause. `warnings` are
    the compiler's that show the bug.
    """

    cause: Cause
    checks: tuple[Check, ...]
    elsewhere: tuple[Check, ...]
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that have the bug."""
        return tuple(dict.fromkeys(check.program for check in (*self.checks, *self.elsewhere)))

    @property
    def lost_points(self) -> float:
        """The points that all its checks cost, including those that it shares with another cause."""
        return lost_points((*self.checks, *self.elsewhere))


@dataclass(frozen=True)
class Observed:
    """A symptom with the failed checks that no cause names.

    `checks` are shown with it. Those in `elsewhere` show it too, but are shown with an earlier symptom. `warnings`
    are the compiler's about something that may lead to it.
    """

    symptom: Symptom
    checks: tuple[Check, ...]
    elsewhere: tuple[Check, ...]
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def proven_lines(self) -> tuple[CauseLine, ...]:
        """The lines that were changed in a copy of the source, after which checks passed."""
        return self.symptom.lines if self.proof is not None else ()

    @property
    def proof(self) -> Proof | None:
        """The proof of such a change."""
        return self.symptom.proof

    @property
    def advice(self) -> str:
        """Where to look next: if the change is known, there."""
        return "" if self.proof is not None else self.symptom.advice

    @property
    def lost_points(self) -> float:
        """The points that all its checks cost, including those that it shares with another symptom."""
        return lost_points((*self.checks, *self.elsewhere))


def with_status(report: Report, status: CheckStatus) -> tuple[Check, ...]:
    """Return the checks with a status, in the order of the rubric."""
    return tuple(check for check in report.checks if check.status == status)


def explained(report: Report) -> tuple[Explained, ...]:
    """Return the causes in the order of the report, each failed check with the first cause that names it."""
    failed = with_status(report, "failed")
    seen = {check.id for check in unbuilt(report)}
    causes = []
    for cause in report.causes:
        named = [check for check in failed if check.id in cause.checks]
        causes.append(
            Explained(
                cause,
                tuple(check for check in named if check.id not in seen),
                tuple(check for check in named if check.id in seen),
                warnings_of_cause(report, cause),
            )
        )
        seen.update(check.id for check in named)
    return tuple(causes)


def costlier_symptom(report: Report, cause: Cause) -> Symptom | None:
    """Return what a proven cause does besides what its title says, if most of its points are lost for that.

    A fix is credited with all checks that it repairs. Its title is about the first of them, and perhaps they cost
    less than the others: operands that are refused, by a check that also lets the program crash without operands.
    """
    if cause.certainty != "proven":
        return None
    of_cause = {check.id: check for check in with_status(report, "failed") if check.id in cause.checks}
    visible = {check_id for check_id, check in of_cause.items() if check.visibility == "visible"}
    others = [
        symptom
        for symptom in report.symptoms
        # Wrong calls follow from what is copied, which the title is about.
        if symptom.cases and cause.checks[0] not in symptom.checks and visible.issuperset(symptom.checks)
        # The title of a known bug says more than that an output is wrong.
        if symptom.id not in VAGUE
    ]

    def cost(symptom: Symptom) -> float:
        return lost_points(of_cause[check_id] for check_id in symptom.checks)

    costliest = max(others, key=cost, default=None)
    if costliest is None:
        return None
    rest = lost_points(check for check_id, check in of_cause.items() if check_id not in costliest.checks)
    return costliest if cost(costliest) > rest else None


def next_step(cause: Cause) -> str:
    """Return what to change, from the page of a cause; "" if the page does not say it, or a proof says it better."""
    return "" if cause.proof is not None else sections(cause.page).get(WHAT_TO_CHANGE, "").replace("\n", " ")


def title_of_cause(report: Report, cause: Cause) -> str:
    """Return the title of a cause, or what most of its points are lost for: it must not be about the others."""
    costlier = costlier_symptom(report, cause)
    return cause.title if costlier is None else first_sentences(costlier.sentence, MAX_TITLE_CHARS).rstrip(".")


def unbuilt(report: Report) -> tuple[Check, ...]:
    """Return the failed checks of programs that could not be compiled: nothing else of such a program is judged."""
    programs = report.unbuilt_programs
    return tuple(check for check in with_status(report, "failed") if check.program in programs)


def unexplained(report: Report) -> tuple[Check, ...]:
    """Return the other failed checks that no cause names."""
    named = {check_id for cause in report.causes for check_id in cause.checks}
    named.update(check.id for check in unbuilt(report))
    return tuple(check for check in with_status(report, "failed") if check.id not in named)


def observed(report: Report) -> tuple[Observed, ...]:
    """Return the symptoms that no cause explains, in the order of the report, each check with its first symptom."""
    checks = {check.id: check for check in unexplained(report)}
    seen: set[str] = set()
    found = []
    for symptom in (*report.symptoms, *_from_checks(report, checks)):
        own = [checks[check_id] for check_id in symptom.checks if check_id in checks]
        if own:
            new = tuple(check for check in own if check.id not in seen)
            elsewhere = tuple(check for check in own if check.id in seen)
            found.append(Observed(symptom, new, elsewhere, warnings_of_symptom(report, symptom)))
            seen.update(check.id for check in own)
    return tuple(found)


def remaining_warnings(report: Report) -> tuple[OtherWarnings, ...]:
    """Return the compiler's warnings that are not shown with a cause or a symptom."""
    shown = [one.warnings for one in explained(report)] + [one.warnings for one in observed(report)]
    return other_warnings(report, tuple(warning for warnings in shown for warning in warnings))


def _from_checks(report: Report, checks: Mapping[str, Check]) -> Iterator[Symptom]:
    """Yield a symptom for each check that has none, as in a report of an earlier version or of an unfinished run."""
    known = {check_id for symptom in report.symptoms for check_id in symptom.checks}
    for check_id, check in checks.items():
        if check_id not in known:
            sentence = about(check.program, check.message or check.title)
            yield Symptom(id="other", program=check.program, checks=(check_id,), sentence=sentence, advice=check.hint)


def finding_rows(finding: Finding) -> tuple[tuple[str, str, bool], ...]:
    """Return the source around a finding: the number of each line, padded, its text, and whether it is the one."""
    width = max((len(str(line.number)) for line in finding.source), default=0)
    return tuple((f"{line.number:>{width}}", line.text, line.number == finding.line) for line in finding.source)


def by_program(checks: Iterable[Check]) -> dict[str, list[Check]]:
    """Return the checks of each program, all in their order."""
    programs: dict[str, list[Check]] = {}
    for check in checks:
        programs.setdefault(check.program, []).append(check)
    return programs


def lost_points(checks: Iterable[Check]) -> float:
    """Return the points that checks cost."""
    return sum(check.max_points - check.points for check in checks)
