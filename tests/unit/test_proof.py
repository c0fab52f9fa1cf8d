"""What trials of fixes say about a cause: nothing is stated that they refute."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from grader.diagnose.edits import Edit
from grader.grading.fix_trials import MORE_RUNS, FixTrials, Repaired, Tried
from grader.grading.fixed_copies import Fix, FixedCopies
from grader.grading.options import GradeOptions
from grader.grading.plan_builder import build_plan
from grader.grading.proof import Prover
from grader.grading.proof_credit import Proofs, Proven, credited
from grader.grading.proof_sentences import ProofWriter
from grader.grading.second_run import SecondGuests, evidence_of_copy
from grader.grading.source_patterns import FoundPlace
from grader.grading.source_search import SourceSearch
from grader.judge.facts import Facts
from grader.lab.load import read_spec
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.reference import Reference
from grader.model.report import CasesEvidence, Cause, Report, Symptom
from grader.model.spec.lab import all_inputs
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.selfcheck.quick_lab import quick_form

from .facts import evidence
from .render import factory
from .sandboxes import FakeSandbox

SOURCE = b"int main(void)\n{\n    char c;\n    char d;\n}\n"
CHECKS = ("tr2b.text", "tr2b.binary")
OTHER = ("tr2b.byte-ff",)

SPEC = quick_form(read_spec(resource("specs", "tr2.yaml")))
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
def prover() -> Prover:
    spec = read_spec(resource("specs", "tr2.yaml"))
    nothing = Evidence(toolchain=None, builds={}, runs={}, left_out={})
    lab = Lab(spec, {}, Reference(evidence=nothing, outputs={}))
    submission = Submission("x", {program: Source(SOURCE) for program in spec.programs})
    sources = {f"{program}.c": SOURCE for program in spec.programs}
    copies = FixedCopies(lab, submission, sources, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions())
    writer = ProofWriter(spec, sources, shows_fixes=False)
    return Prover(lab, sources, copies, SourceSearch(lab, submission), writer)


def trial(*passed: str, causes: tuple[str, ...] = ("bug",), run: tuple[str, ...] = CHECKS) -> Tried:
    fixed = b"/* %s */ " % " ".join(causes).encode() + SOURCE
    return Tried(Fix("tr2b", fixed, dict.fromkeys(causes, (PLACE,))), run, passed, ())


def known(prover: Prover, of: Cause, *trials: Tried, found: FoundPlace | None = PLACE) -> Proven:
    places = {} if found is None else {"tr2b": (found,)}
    return prover._proven(of, places, {of.name: [*trials]})  # noqa: SLF001 - the rules are its only content


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


def works(prover: Prover, *causes: str, checks: tuple[str, ...] = CHECKS) -> Proven:
    """Return what is known of a cause when a fix of these causes has repaired its checks."""
    tried = trial(*checks, causes=causes, run=checks)
    return Proven(proof=prover._writer.proof([tried]), works=(tried,))  # noqa: SLF001 - as above


def repaired(
    *passed: str, causes: tuple[str, ...], failed: tuple[str, ...] = (), broken: tuple[str, ...] = ()
) -> Repaired:
    return Repaired(trial(*passed, causes=causes, run=(*passed, *failed)), broken)


def failing(*causes: Cause, without: tuple[str, ...] = (), symptoms: tuple[Symptom, ...] = ()) -> Report:
    """Return a report in which the checks of these causes fail, and some that have none."""
    of = {check: one.name for one in causes for check in one.checks}
    ids = [*of, *without]
    checks = tuple(factory.check(check, "failed", cause=of.get(check)) for check in ids)
    return factory.diagnosed(causes=causes, checks=checks, symptoms=symptoms)


def widened(prover: Prover, report: Report, known: dict[str, Proven], *wide: Repaired) -> Report:
    return Proofs(credited(report, known, wide, prover._writer)).added_to(report)  # noqa: SLF001 - as above


def told(report: Report) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {one.name: (one.certainty, one.checks) for one in report.causes}


REST = ("tr2b.byte-high", "tr2b.random-5m")


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_cause_all_of_whose_checks_another_fix_repairs_goes(
    prover: Prover, certainty: Literal["certain", "likely"]
) -> None:
    other = Cause(name="other", title="Other", page="", certainty=certainty, checks=REST)
    report = failing(cause(), other)
    after = widened(prover, report, {"bug": works(prover, "bug")}, repaired(*CHECKS, *REST, causes=("bug",)))
    assert told(after) == {"bug": ("proven", (*CHECKS, *REST))}
    assert after.causes[0].proof is not None
    assert after.causes[0].proof.checks == (*CHECKS, *REST)
    assert after.causes[0].proof.sentence.endswith("the checks text, binary, byte-high and random-5m pass.")
    assert {check.cause for check in after.checks} == {"bug"}
    assert [(one.id, one.status, one.points) for one in after.checks] == [
        (one.id, one.status, one.points) for one in report.checks
    ]


def test_a_cause_keeps_the_checks_that_the_fix_of_another_leaves(prover: Prover) -> None:
    other = Cause(name="other", title="Other", page="", certainty="likely", checks=REST)
    wide = repaired(*CHECKS, REST[0], causes=("bug",), failed=REST[1:])
    after = widened(prover, failing(cause(), other), {"bug": works(prover, "bug")}, wide)
    assert told(after) == {"bug": ("proven", (*CHECKS, REST[0])), "other": ("likely", REST[1:])}
    assert [check.cause for check in after.checks] == ["bug", "bug", "bug", "other"]


def test_a_check_that_takes_too_long_goes_with_those_of_its_cause_or_symptom(prover: Prover) -> None:
    other = Cause(name="other", title="Other", page="", certainty="likely", checks=REST)
    wide = repaired(*CHECKS, REST[0], causes=("bug",))
    known = {"bug": works(prover, "bug")}
    after = widened(prover, failing(cause(), other), known, wide)
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
        after = widened(
            prover, report, known, replace(wide, tried=replace(wide.tried, run=(*wide.tried.run, "tr2b.syscalls")))
        )
        assert ("tr2b.random-5m" in after.causes[0].checks) == goes
        assert "tr2b.syscalls" not in after.causes[0].checks


def test_a_check_that_two_fixes_repair_stays_where_it_is(prover: Prover) -> None:
    second = Cause(name="second", title="Second", page="", certainty="likely", checks=OTHER)
    known = {"bug": works(prover, "bug"), "second": works(prover, "second", checks=OTHER)}
    report = failing(cause(), second, without=REST[:1])
    wide = (
        repaired(*CHECKS, REST[0], causes=("bug",), failed=OTHER),
        repaired(*OTHER, REST[0], causes=("second",), failed=CHECKS),
    )
    after = widened(prover, report, known, *wide)
    assert told(after) == {"bug": ("proven", CHECKS), "second": ("proven", OTHER)}
    assert after.checks[-1].cause is None
    # With both fixed it passes, and with the first one alone too: so it is the first one's.
    known["second"] = works(prover, "bug", "second", checks=OTHER)
    wide = (wide[0], repaired(*CHECKS, *OTHER, REST[0], causes=("bug", "second")))
    after = widened(prover, report, known, *wide)
    assert told(after) == {"bug": ("proven", (*CHECKS, REST[0])), "second": ("proven", OTHER)}


def test_the_sentence_says_what_a_fix_breaks(prover: Prover) -> None:
    wide = repaired(*CHECKS, causes=("bug",), broken=REST[:1])
    (after,) = widened(prover, failing(cause()), {"bug": works(prover, "bug")}, wide).causes
    assert after.proof is not None
    assert after.proof.sentence == (
        "With this in line 3 of tr2b.c, the checks text and binary pass; "
        "left to repair: byte-high, which passes now, but fails then."
    )
    assert after.proof.checks == CHECKS


def test_of_what_is_left_only_checks_without_another_cause_are_named(prover: Prover) -> None:
    other = Cause(name="other", title="Title", page="", certainty="certain", checks=OTHER)
    wide = repaired(*CHECKS, causes=("bug",), failed=(*OTHER, "tr2b.operands"), broken=REST[:2])
    report = failing(cause(), other, without=("tr2b.operands",))
    after = widened(prover, report, {"bug": works(prover, "bug")}, wide).causes[0]
    assert after.proof is not None
    assert after.proof.sentence.endswith(
        "; left to repair: operands, which still fails, and byte-high and random-5m, which pass now, but fail then."
    )
    without = widened(prover, report, {"bug": works(prover, "bug")}, replace(wide, broken=())).causes[0]
    assert without.proof is not None
    assert without.proof.sentence == "With this in line 3 of tr2b.c, the checks text and binary pass."


def test_a_fix_with_which_another_case_of_the_check_fails_is_no_proof(prover: Prover) -> None:
    wide = repaired(CHECKS[0], causes=("bug",), failed=CHECKS[1:])
    (after,) = widened(prover, failing(cause()), {"bug": works(prover, "bug")}, wide).causes
    assert (after.certainty, after.proof, after.lines, after.checks) == ("likely", None, (), CHECKS)


def test_a_fix_with_which_a_case_fails_that_had_passed_is_no_proof(prover: Prover) -> None:
    """Whichever check it is of: of one that had failed, the sentence says nothing."""
    wide = replace(repaired(*CHECKS, causes=("bug",), failed=OTHER), worse=OTHER)
    (after,) = widened(prover, failing(cause(), without=OTHER), {"bug": works(prover, "bug")}, wide).causes
    assert (after.certainty, after.proof, after.lines, after.checks) == ("likely", None, (), CHECKS)


@pytest.mark.parametrize(("case", "gets"), [("ff-inside", False), ("duplicate-far", True)])
def test_a_check_that_is_added_repairs_no_copy(prover: Prover, case: str, *, gets: bool) -> None:
    """What crashes may do so by chance, also without what was added."""
    added = PLACE.model_copy(update={"lines": ()})
    tried = Tried(Fix("tr2b", SOURCE, {"bug": (added,)}), CHECKS, CHECKS, ())
    evidence = CasesEvidence(cases=(factory.failed_case(case),))
    report = failing(cause(), without=OTHER)
    with_cases = tuple(check.model_copy(update={"evidence": evidence}) for check in report.checks)
    report = report.model_copy(update={"checks": with_cases})
    known = {"bug": Proven(proof=prover._writer.proof([tried]), works=(tried,))}  # noqa: SLF001 - as above
    wide = Repaired(replace(tried, run=(*CHECKS, *OTHER), passed=(*CHECKS, *OTHER)), REST[:1])
    (after,) = widened(prover, report, known, wide).causes
    assert after.checks == ((*CHECKS, *OTHER) if gets else CHECKS)
    assert after.proof is not None
    assert after.proof.checks == after.checks
    assert "byte-ff, which still fails" not in after.proof.sentence


def test_without_more_runs_the_proof_is_that_of_the_failed_cases(prover: Prover) -> None:
    (after,) = widened(prover, failing(cause(), without=REST), {"bug": works(prover, "bug")}).causes
    assert (after.certainty, after.checks) == ("proven", CHECKS)


class RecordingCopies:
    """Runs nothing, and keeps what it should have run."""

    def __init__(self) -> None:
        self.ids: list[list[str]] = []

    def may_run(self) -> bool:
        return True

    def name_of(self, fix: Fix) -> str:
        return f"{fix.program}_{min(fix.causes)}"

    def facts(self, seen: Evidence) -> Facts:
        return Facts(LAB, Submission("x", {}), seen, {})

    def run(self, runs: Plan, fixes: dict[str, tuple[Fix, tuple[RunStep, ...]]], _wall_s: float) -> dict[str, Facts]:
        assert not any(build.compile_object for build in runs.builds)
        self.ids = [[step.id for step in steps] for _, steps in fixes.values()]
        return {}


@pytest.mark.parametrize("count", [1, 4])
def test_many_fixes_have_few_runs_each_and_all_of_failed_checks_first(count: int) -> None:
    submission = Submission("x", {program: Source(SOURCE) for program in LAB.spec.programs})
    names = [one for one, (_, item) in LAB.spec.checks().items() if one.startswith("tr2b.") and item.kind == "cases"]
    checks = [
        factory.check(name, "failed" if name == "tr2b.error-length" else "passed", evidence=CasesEvidence(cases=()))
        for name in names
    ]
    works = [replace(trial(causes=(str(number),)), evidence=NOTHING) for number in range(count)]
    copies = RecordingCopies()
    report = factory.report(checks=tuple(checks))
    FixTrials(LAB, copies).try_on_all(report, build_plan(LAB.spec, submission), works)  # type: ignore[arg-type]
    assert len(copies.ids) == count
    assert sum(map(len, copies.ids)) <= MORE_RUNS
    cases = {name: item.steps("tr2b") for name, (_, item) in LAB.spec.checks().items() if name in names}
    for ids in copies.ids:
        expected = [one for one in cases["tr2b.error-length"] if one in ids]
        assert len(expected) > 1
        assert ids[: len(expected)] == expected
        # Each other check with a short run has one, too.
        for name in names:
            assert name in ("tr2b.random-5m", "tr2b.pattern-5m") or {*cases[name]} & {*ids}, name


def test_the_evidence_of_a_copy_has_the_name_of_its_program() -> None:
    seen = evidence()
    copies = evidence_of_copy(seen, "many", "many_fix0")
    assert {*copies.builds} == {"many_fix0"}
    assert {*copies.runs} == {step.replace("many", "many_fix0") for step in seen.runs if step.startswith("many.")}
    assert evidence_of_copy(copies, "many_fix0", "many").runs == {
        step: done for step, done in seen.runs.items() if step.startswith("many.")
    }
    assert not evidence_of_copy(seen, "none", "many").builds
