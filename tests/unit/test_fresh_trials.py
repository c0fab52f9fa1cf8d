"""When a repair counts as right beyond the cases, given what the reference, the program and the repair do there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

import pytest

from grader.diagnose.edits import LIKELIEST, REMOVAL, TYPE, Edit
from grader.grading.change_trials import ToRepair
from grader.grading.change_words import Words
from grader.grading.fix_trials import Tried
from grader.grading.fixed_copies import Fix, FixedCopies
from grader.grading.fresh_trials import FreshTrials
from grader.grading.plan_builder import build_plan
from grader.grading.source_patterns import FoundChange, FoundPlace
from grader.judge.facts import Facts
from grader.model.evidence import Evidence, Exited, RunDone, Signalled
from grader.model.fresh import FreshRun
from grader.model.plan import Plan, RunStep
from grader.model.report import CasesEvidence

from .facts import LAB, SUBMISSION, captured, run
from .lab import SPEC
from .render import factory

PLAN = build_plan(SPEC, SUBMISSION)
COPY = next(step for step in PLAN.runs if step.id == "many.copy")
SOURCE = b"int main(int argc) { if (argc < 2) return 1; }"
RIGHT, WRONG, OTHER, REFUSED, CRASH = (
    run("many.fresh-0", b"right"),
    run("many.fresh-0", b"wrong"),
    run("many.fresh-0", b"other"),
    run("many.fresh-0", stderr=captured(b"no"), ending=Exited(kind="exited", code=1)),
    run("many.fresh-0", ending=Signalled(kind="signalled", signal=11)),
)
TRUE, FALSE = b"\1grader 0 1\1", b"\1grader 0 0\1"


def fresh(expected: RunDone, *, is_in_shape: bool = True) -> FreshRun:
    step = COPY.model_copy(update={"id": "many.fresh-0", "input": "fresh-0", "operands": ()})
    return FreshRun(step, b"data", is_in_shape, expected)


class Copies:
    """Runs nothing: `before` is what the program does in each fresh run, `after` the repaired copy, and in cases
    `others`, by the kind of copy.
    """

    def __init__(self, before: RunDone, after: RunDone, others: Mapping[str, RunDone] | None = None) -> None:
        self.before, self.after, self.others = before, after, others or {}
        self.built: list[str] = []

    def may_run(self) -> bool:
        return True

    def name_of(self, _fix: Fix) -> str:
        return "many_fix0"

    def is_small(self, _step: RunStep) -> bool:
        return True

    def facts(self, evidence: Evidence) -> Facts:
        return Facts(LAB, SUBMISSION, evidence, {})

    def collected(
        self,
        _runs: Plan,
        _program: str,
        copies: Mapping[str, bytes],
        steps: Iterable[RunStep],
        _wall_s: float,
        *,
        inputs: Mapping[str, bytes] | None = None,
    ) -> Evidence:
        (copy,) = copies
        self.built.append(copy)
        runs = {}
        for step in steps:
            is_fresh = step.id == f"{copy}.fresh-0"
            assert not is_fresh or inputs == {"fresh-0": b"data"}
            done = self.before if copy == "many_original" else self.after
            if not is_fresh:
                done = self.others.get(copy.rpartition("_")[2], done)
            runs[step.id] = done.model_copy(update={"step": step.id})
        return Evidence(toolchain=None, builds={}, runs=runs, left_out={})


def confirmed(  # noqa: PLR0913 - what a repair is confirmed by
    copies: Copies,
    found: FreshRun,
    *,
    rank: int = REMOVAL,
    edits: tuple[Edit, ...] = (Edit(0, 3, "long"),),
    left: tuple[str, ...] = (),
    is_unsound: bool = False,
) -> bool:
    failed = tuple(
        factory.check(
            f"many.{name}",
            "failed",
            evidence=CasesEvidence(kind="cases", cases=(factory.failed_case("copy"),)),
        )
        for name in ("text", *left)
    )
    report = factory.report(checks=failed)
    failing = ToRepair("many", SOURCE, report, PLAN, "many", is_unsound)
    place = FoundPlace(lines=(1,), edits=edits, says="", verb="", order="", one=False, proof=False)
    fix = Fix("many", SOURCE, {"x": (place,)})
    ids = tuple(check.id for check in failed)
    tried = Tried(fix, ids, ids[:1], ())
    lab = replace(LAB, fresh_runs=lambda: {"many": [found]})
    choice = (FoundChange("", edits, rank, 0, Words("", "", "", "", "", (1,))),)
    return FreshTrials(lab, cast("FixedCopies", copies)).confirm(failing, tried, choice)


@pytest.mark.parametrize(
    ("expected", "before", "after", "is_in_shape", "is_confirmed"),
    [
        (RIGHT, WRONG, RIGHT, True, True),
        (REFUSED, WRONG, REFUSED, True, True),
        # It was right, and no longer is: also where right programs may differ.
        (RIGHT, RIGHT, WRONG, True, False),
        (RIGHT, RIGHT, WRONG, False, False),
        (RIGHT, RIGHT, CRASH, False, False),
        (REFUSED, REFUSED, RIGHT, True, False),
        (REFUSED, REFUSED, run("many.fresh-0", ending=REFUSED.ending), True, False),
        # It is wrong in another way.
        (RIGHT, WRONG, OTHER, True, False),
        (RIGHT, CRASH, OTHER, True, False),
        (RIGHT, WRONG, OTHER, False, True),
        # The change has nothing to do with it.
        (RIGHT, WRONG, WRONG, True, True),
    ],
)
def test_a_repair_is_compared_with_the_reference_and_with_the_program(
    expected: RunDone, before: RunDone, after: RunDone, *, is_in_shape: bool, is_confirmed: bool
) -> None:
    assert confirmed(Copies(before, after), fresh(expected, is_in_shape=is_in_shape)) is is_confirmed


def test_what_is_left_to_repair_may_make_a_fresh_run_wrong_in_another_way() -> None:
    assert confirmed(Copies(WRONG, OTHER), fresh(RIGHT), left=("binary",))
    assert not confirmed(Copies(RIGHT, OTHER), fresh(RIGHT), left=("binary",))


def test_the_program_itself_is_run_only_if_the_repair_differs() -> None:
    copies = Copies(WRONG, RIGHT)
    assert confirmed(copies, fresh(RIGHT))
    assert copies.built == ["many_fix0"]


@pytest.mark.parametrize(
    ("in_fresh_run", "in_cases", "is_confirmed"),
    [(TRUE + FALSE, b"", True), (TRUE, FALSE, True), (TRUE, TRUE, False), (FALSE, b"", False), (b"", b"", True)],
)
def test_a_changed_condition_needs_both_values(in_fresh_run: bytes, in_cases: bytes, *, is_confirmed: bool) -> None:
    start = SOURCE.index(b"2")
    after = RIGHT.model_copy(update={"stderr": captured(in_fresh_run)})
    copies = Copies(WRONG, after, {"seen": RIGHT.model_copy(update={"stderr": captured(in_cases)})})
    assert confirmed(copies, fresh(RIGHT), edits=(Edit(start, start + 1, "3"),)) is is_confirmed
    assert copies.built[0] == "many_fix0_seen"


REPORT = b"==1==ERROR: AddressSanitizer: stack-buffer-overflow"
REPEATED = LAB.reference.evidence.runs["many.copy"]


@pytest.mark.parametrize(
    ("plain", "sanitized", "is_confirmed"),
    [
        (REPEATED, REPEATED, True),
        (WRONG, REPEATED, False),
        (REPEATED, REPEATED.model_copy(update={"stderr": captured(REPORT)}), False),
    ],
)
def test_a_type_is_also_tried_in_other_memory(plain: RunDone, sanitized: RunDone, *, is_confirmed: bool) -> None:
    copies = Copies(WRONG, RIGHT, {"plain": plain, "sanitized": sanitized})
    assert confirmed(copies, fresh(RIGHT), rank=TYPE) is is_confirmed
    assert confirmed(copies, fresh(RIGHT), rank=LIKELIEST, is_unsound=True) is is_confirmed
    assert confirmed(copies, fresh(RIGHT), rank=LIKELIEST)


def test_without_fresh_runs_the_cases_decide() -> None:
    copies = Copies(WRONG, WRONG)
    lab_without = FreshTrials(LAB, cast("FixedCopies", copies))
    failing = ToRepair("many", SOURCE, factory.report(), PLAN, "many")
    assert lab_without.confirm(failing, Tried(Fix("many", SOURCE, {}), (), (), ()), ())
    assert copies.built == []
