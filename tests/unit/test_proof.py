"""What trials of fixes say about a cause: nothing is stated that they refute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

import pytest

from grader.diagnose.source.edits import Edit
from grader.explain.credit import Proofs, Proven, credited
from grader.explain.fix_completion import FixCompletion
from grader.explain.proof import Prover
from grader.explain.proof_sentences import ProofWriter
from grader.explain.second_run import SecondGuests, evidence_of_copy
from grader.explain.source_patterns import FoundPlace
from grader.explain.source_search import SourceSearch
from grader.explain.trials import BUDGET_S, FailingProgram, Fix, Trial, Trials
from grader.grading.plan_builder import build_plan
from grader.lab.load import read_spec
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.plan import RunStep
from grader.model.reference import Reference
from grader.model.report import CasesEvidence, Cause, Report, Symptom
from grader.model.spec.lab import all_inputs
from grader.model.submission import Source, Submission
from grader.options import GradeOptions
from grader.resources import resource
from grader.selfcheck.quick_lab import quick_form

from .facts import TOOLCHAIN, evidence
from .render import factory
from .sandboxes import FakeSandbox

SOURCE = b"int main(void)\n{\n    char c;\n    char d;\n}\n"
CHECKS = ("tr2b.text", "tr2b.binary")
OTHER = ("tr2b.byte-ff",)

SPEC = quick_form(read_spec(resource("specs", "tr2.yaml")))
SUBMISSION = Submission("x", {program: Source(SOURCE) for program in SPEC.programs})
NOTHING = Evidence(toolchain=None, builds={}, runs={}, left_out={})
LAB = Lab(SPEC, all_inputs(SPEC), Reference(evidence=NOTHING, outputs={}))


def place(line: int, *, one: bool = False, proof: bool = False) -> FoundPlace:
    return FoundPlace(
        lines=(line,),
        edits=(Edit(line, line + 1, "x"),),
        says="with this",
        verb="write",
        order="this",
        one=one,
        proof=proof,
    )


PLACE = place(3)


def cause(certainty: Literal["certain", "likely"] = "likely", name: str = "bug") -> Cause:
    return Cause(name=name, title="Title", page="", certainty=certainty, checks=CHECKS)


@pytest.fixture
def prover(monkeypatch: pytest.MonkeyPatch) -> Prover:
    spec = read_spec(resource("specs", "tr2.yaml"))
    lab = Lab(spec, {}, Reference(evidence=NOTHING, outputs={}))
    submission = Submission("x", {program: Source(SOURCE) for program in spec.programs})
    sources = {f"{program}.c": SOURCE for program in spec.programs}
    trials = Trials(lab, submission, sources, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions())
    # Whatever repairs failed cases is right in the others.
    monkeypatch.setattr(trials, "on_all", lambda _, trial: trial)
    return Prover(FixCompletion(trials, SourceSearch(lab, submission)), sources, WRITER)


WRITER = ProofWriter(SPEC, {f"{program}.c": SOURCE for program in SPEC.programs}, shows_fixes=False)


def trial(*passed: str, causes: tuple[str, ...] = ("bug",), run: tuple[str, ...] = CHECKS) -> Trial:
    fixed = b"/* %s */ " % " ".join(causes).encode() + SOURCE
    return Trial(Fix("tr2b", fixed, dict.fromkeys(causes, (PLACE,))), run, passed)


def known(prover: Prover, of: Cause, *trials: Trial, found: FoundPlace | None = PLACE) -> Proven:
    report = factory.diagnosed(causes=(of,))
    failing_ = FailingProgram("tr2b", SOURCE, report, build_plan(SPEC, SUBMISSION), "tr2b")
    places = {} if found is None else {"tr2b": prover.fixed_cause(failing_, of, (found,), trials)}
    known = prover.known_of(of, places)
    return credited(report, {of.name: known}, WRITER)[of.name]


def numbers(proven: Proven) -> list[int]:
    return [line.number for line in proven.lines]


def test_a_fix_that_repairs_all_is_a_proof(prover: Prover) -> None:
    proven = known(prover, cause(), trial(), trial(*CHECKS))
    assert proven.proof is not None
    assert proven.proof.sentence == "With this in line 3 of tr2b.c, the checks text and binary pass."
    assert (proven.proof.checks, proven.proof.fixed, numbers(proven)) == (CHECKS, (), [3])
    assert not proven.is_refuted


def test_the_sentence_names_no_check_that_was_not_run(prover: Prover) -> None:
    proven = known(prover, cause(), trial("tr2b.text", run=("tr2b.text",)))
    assert proven.proof is not None
    assert proven.proof.sentence == "With this in line 3 of tr2b.c, the check text passes."


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_fix_that_repairs_a_part_proves_and_refutes_nothing(
    prover: Prover, certainty: Literal["certain", "likely"]
) -> None:
    proven = known(prover, cause(certainty), trial("tr2b.text"))
    assert (proven.proof, proven.is_refuted, numbers(proven)) == (None, False, [])


def test_a_fix_that_repairs_nothing_refutes_what_is_only_likely(prover: Prover) -> None:
    assert known(prover, cause("likely"), trial()).is_refuted
    assert not known(prover, cause("certain"), trial()).is_refuted
    assert numbers(known(prover, cause("certain"), trial())) == []
    # Where right programs have the construct too, another place may be the bug.
    assert not known(prover, cause("likely"), trial(), found=place(3, proof=True)).is_refuted


def test_a_likely_cause_whose_construct_is_nowhere_in_the_source_is_refuted(prover: Prover) -> None:
    assert known(prover, cause("likely"), found=None).is_refuted
    assert known(prover, cause("certain"), found=None) == Proven()


def test_without_a_trial_only_a_certain_construct_has_a_line(prover: Prover) -> None:
    assert numbers(known(prover, cause())) == [3]
    assert numbers(known(prover, cause(), found=place(3, proof=True))) == []
    assert numbers(known(prover, cause(), found=place(3, one=True))) == []
    assert known(prover, cause()).proof is None


def test_what_another_fix_repairs_alone_is_not_caused_by_it(prover: Prover) -> None:
    without = trial(*CHECKS, causes=("other",))
    both = trial(*CHECKS, causes=("bug", "other"))
    assert known(prover, cause("likely"), trial(), without, both).is_refuted
    certain = known(prover, cause("certain"), trial(), without, both)
    assert (certain.proof, certain.is_refuted, numbers(certain)) == (None, False, [])
    neither = known(prover, cause("likely"), trial(), trial(causes=("other",)), both)
    assert neither.proof is not None


def test_a_fix_that_makes_the_same_copy_is_no_other_fix(prover: Prover) -> None:
    own = trial(*CHECKS)
    same = replace(own, fix=replace(own.fix, places={"other": (PLACE,)}))
    assert known(prover, cause("certain"), own, same).proof is not None


def test_a_refuted_cause_leaves_its_checks_without_one() -> None:
    report = factory.diagnosed(causes=(factory.cause("char-for-getchar", "tr2b.byte-ff", "tr2b.random-5m"),))
    without = Proofs({"char-for-getchar": Proven(is_refuted=True)}).added_to(report)
    assert without.causes == ()
    assert {check.cause for check in without.checks} == {None}
    assert [check.status for check in without.checks] == [check.status for check in report.checks]
    assert Proofs().added_to(report) is report


def test_a_proof_counts_only_for_the_checks_that_the_cause_still_explains(prover: Prover) -> None:
    proven = known(prover, cause(), trial(*CHECKS))
    report = factory.diagnosed(causes=(factory.cause("bug", "tr2b.text"),))
    (left,) = Proofs({"bug": proven}).added_to(report).causes
    assert (left.certainty, left.proof) == ("certain", None)


def works(*passed: str, causes: tuple[str, ...] = ("bug",), failed: tuple[str, ...] = ()) -> Proven:
    """Return what is known of a cause whose fix repairs checks, and leaves others failing."""
    return Proven(works=(trial(*passed, causes=causes, run=(*passed, *failed)),))


def failing(*causes: Cause, without: tuple[str, ...] = (), symptoms: tuple[Symptom, ...] = ()) -> Report:
    """Return a report in which the checks of these causes fail, and some that have none."""
    of = {check: one.name for one in causes for check in one.checks}
    ids = [*of, *without]
    checks = tuple(factory.check(check, "failed", cause=of.get(check)) for check in ids)
    return factory.diagnosed(causes=causes, checks=checks, symptoms=symptoms)


def widened(report: Report, **known: Proven) -> Report:
    return Proofs(credited(report, known, WRITER)).added_to(report)


def told(report: Report) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {one.name: (one.certainty, one.checks) for one in report.causes}


REST = ("tr2b.byte-high", "tr2b.random-5m")


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_cause_all_of_whose_checks_another_fix_repairs_goes(certainty: Literal["certain", "likely"]) -> None:
    other = Cause(name="other", title="Other", page="", certainty=certainty, checks=REST)
    report = failing(cause(), other)
    after = widened(report, bug=works(*CHECKS, *REST))
    assert told(after) == {"bug": ("proven", (*CHECKS, *REST))}
    assert after.causes[0].proof is not None
    assert after.causes[0].proof.checks == (*CHECKS, *REST)
    assert after.causes[0].proof.sentence.endswith("the checks text, binary, byte-high and random-5m pass.")
    assert {check.cause for check in after.checks} == {"bug"}
    assert [(one.id, one.status, one.points) for one in after.checks] == [
        (one.id, one.status, one.points) for one in report.checks
    ]


def test_a_cause_keeps_the_checks_that_the_fix_of_another_leaves() -> None:
    other = Cause(name="other", title="Other", page="", certainty="likely", checks=REST)
    after = widened(failing(cause(), other), bug=works(*CHECKS, REST[0], failed=REST[1:]))
    assert told(after) == {"bug": ("proven", (*CHECKS, REST[0])), "other": ("likely", REST[1:])}
    assert [check.cause for check in after.checks] == ["bug", "bug", "bug", "other"]


def test_a_check_that_takes_too_long_goes_with_those_of_its_cause_or_symptom() -> None:
    other = Cause(name="other", title="Other", page="", certainty="likely", checks=REST)
    after = widened(failing(cause(), other), bug=works(*CHECKS, REST[0]))
    assert told(after) == {"bug": ("proven", (*CHECKS, *REST))}
    assert after.causes[0].proof is not None
    # What was not run is not said to pass.
    assert after.causes[0].proof.checks == (*CHECKS, REST[0])
    for symptoms, goes in (
        ((REST,), True),
        ((REST, ("tr2b.random-5m", "tr2b.syscalls")), False),
        ((("tr2b.random-5m",),), False),
        ((), False),
    ):
        shown = tuple(Symptom(id="wrong", program="tr2b", checks=checks, sentence="It is.") for checks in symptoms)
        report = failing(cause(), without=(*REST, "tr2b.syscalls"), symptoms=shown)
        after = widened(report, bug=works(*CHECKS, REST[0], failed=("tr2b.syscalls",)))
        assert ("tr2b.random-5m" in after.causes[0].checks) == goes
        assert "tr2b.syscalls" not in after.causes[0].checks


def test_a_check_that_two_fixes_repair_stays_where_it_is() -> None:
    second = Cause(name="second", title="Second", page="", certainty="likely", checks=OTHER)
    report = failing(cause(), second, without=REST[:1])
    first = works(*CHECKS, REST[0], failed=OTHER)
    after = widened(report, bug=first, second=works(*OTHER, REST[0], causes=("second",), failed=CHECKS))
    assert told(after) == {"bug": ("proven", CHECKS), "second": ("proven", OTHER)}
    assert after.checks[-1].cause is None
    # With both fixed it passes, and with the first one alone too: so it is the first one's.
    after = widened(report, bug=first, second=works(*CHECKS, *OTHER, REST[0], causes=("bug", "second")))
    assert told(after) == {"bug": ("proven", (*CHECKS, REST[0])), "second": ("proven", OTHER)}


def test_what_is_left_has_no_part_in_the_sentence() -> None:
    other = Cause(name="other", title="Title", page="", certainty="certain", checks=OTHER)
    report = failing(cause(), other, without=("tr2b.operands",))
    after = widened(report, bug=works(*CHECKS, failed=(*OTHER, "tr2b.operands"))).causes[0]
    assert after.proof is not None
    assert after.proof.sentence == "With this in line 3 of tr2b.c, the checks text and binary pass."


@pytest.mark.parametrize(
    "then",
    [
        # Another case of the check fails with the fix.
        trial(CHECKS[0]),
        # A case fails that had passed, whichever check it is of.
        replace(trial(*CHECKS), worse=OTHER),
        replace(trial(*CHECKS), broken=OTHER),
        # The other cases cannot be run.
        None,
    ],
)
def test_a_fix_that_is_not_right_in_all_cases_is_no_proof(
    prover: Prover, then: Trial | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prover._trials, "on_all", lambda *_: then)  # noqa: SLF001 - what runs copies
    found = known(prover, cause(), trial(*CHECKS))
    assert (found.proof, found.lines, found.is_refuted) == (None, (), False)


def test_a_fix_that_is_wrong_beyond_the_cases_is_no_proof(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover._completion.confirmation, "accepts", lambda *_: False)  # noqa: SLF001 - what runs copies
    assert known(prover, cause(), trial(*CHECKS)).proof is None


def test_if_one_fix_is_no_repair_the_next_one_may_be(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = trial(*CHECKS), trial(*CHECKS, causes=("bug", "other"))
    monkeypatch.setattr(
        prover._completion.confirmation,  # noqa: SLF001 - what runs copies
        "accepts",
        lambda _, tried: tried is second,
    )
    assert known(prover, cause(), first, second).works == (second,)


@pytest.mark.parametrize(("case", "gets"), [("ff-inside", False), ("duplicate-far", True)])
def test_a_check_that_is_added_repairs_no_copy(case: str, *, gets: bool) -> None:
    """What crashes may do so by chance, also without what was added."""
    added = PLACE.model_copy(update={"lines": ()})
    tried = Trial(Fix("tr2b", SOURCE, {"bug": (added,)}), (*CHECKS, *OTHER), (*CHECKS, *OTHER))
    evidence = CasesEvidence(cases=(factory.failed_case(case),))
    report = failing(cause(), without=OTHER)
    with_cases = tuple(check.model_copy(update={"evidence": evidence}) for check in report.checks)
    report = report.model_copy(update={"checks": with_cases})
    (after,) = widened(report, bug=Proven(works=(tried,))).causes
    assert after.checks == ((*CHECKS, *OTHER) if gets else CHECKS)
    assert after.proof is not None
    assert after.proof.checks == after.checks


class RecordingTrials(Trials):
    """Runs nothing, and keeps what it should have run."""

    def __init__(self) -> None:
        super().__init__(
            LAB, Submission("x", {}), {}, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions()
        )
        self.ids: list[list[str]] = []

    def collected(
        self, failing: FailingProgram, copies: Mapping[str, bytes], steps: Iterable[RunStep], **_: object
    ) -> Evidence:
        [copy] = copies
        self.ids.append([step.id.replace(copy, failing.program) for step in steps])
        return NOTHING


def test_a_fix_is_run_in_failed_checks_first_and_then_in_all_others() -> None:
    names = [one for one, (_, item) in LAB.spec.checks().items() if one.startswith("tr2b.") and item.kind == "cases"]
    checks = tuple(
        factory.check(name, "failed" if name == "tr2b.error-length" else "passed", evidence=CasesEvidence(cases=()))
        for name in names
    )
    failing_ = FailingProgram("tr2b", SOURCE, factory.report(checks=checks), build_plan(SPEC, SUBMISSION), "tr2b")
    trials, tried = RecordingTrials(), replace(trial(), evidence=NOTHING)
    # Nothing was compiled.
    assert (trials.on_failed(failing_, tried.fix), trials.on_all(failing_, tried)) == (None, None)
    [first, others] = trials.ids
    cases = {name: item.steps("tr2b") for name, (_, item) in LAB.spec.checks().items() if name in names}
    assert first == [*cases["tr2b.error-length"]]
    assert not {*first} & {*others}
    for name in names:
        # Each other check with a short run has one, too.
        assert name in ("tr2b.random-5m", "tr2b.pattern-5m") or {*cases[name]} & {*first, *others}, name


def test_the_evidence_of_a_copy_has_the_name_of_its_program() -> None:
    seen = evidence()
    copies = evidence_of_copy(seen, "many", "many_fix0")
    assert {*copies.builds} == {"many_fix0"}
    assert {*copies.runs} == {step.replace("many", "many_fix0") for step in seen.runs if step.startswith("many.")}
    assert evidence_of_copy(copies, "many_fix0", "many").runs == {
        step: done for step, done in seen.runs.items() if step.startswith("many.")
    }
    assert not evidence_of_copy(seen, "none", "many").builds


def test_when_the_cpu_time_is_used_nothing_more_is_tried_and_the_report_says_so() -> None:
    checks = tuple(factory.check(f"{program}.text", "failed") for program in ("tr2b", "tr2u"))
    report, plan = factory.report(checks=checks), build_plan(SPEC, SUBMISSION)
    first, other = (FailingProgram(name, SOURCE, report, plan, name) for name in ("tr2b", "tr2u"))
    seen = evidence()
    run = next(iter(seen.runs.values())).model_copy(update={"own_s": BUDGET_S / 4})
    # Each plan takes half of the time of a program.
    sandbox = FakeSandbox(lambda _: [TOOLCHAIN, run])
    trials = Trials(LAB, SUBMISSION, {}, SecondGuests(sandbox, (0,), ("tr2b", "tr2u")), GradeOptions())
    for name in ("tr2b_fix0", "tr2b_fix1"):
        assert trials.may_run(first)
        trials.collected(first, {name: SOURCE}, ())
    assert sandbox.jobs[-1].plan.program_wall_s < BUDGET_S / 4
    assert not trials.may_run(first)
    assert trials.may_run(other)
    assert [*trials.given_up] == ["tr2b"]
