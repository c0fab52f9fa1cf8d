"""When a repair counts as right beyond the cases, given what the reference, the program and the repair do there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from grader.diagnose.source.edits import LIKELIEST, REMOVAL, TYPE, Edit
from grader.explain.change_words import ChangeText
from grader.explain.confirmation import Confirmation
from grader.explain.second_run import SecondGuests
from grader.explain.source_patterns import FoundChange
from grader.explain.trials import FailingProgram, Fix, Trial, Trials
from grader.grading.plan_builder import build_plan
from grader.model.evidence import Evidence, Exited, RunDone, Signalled
from grader.model.fresh import FreshRun
from grader.model.plan import RunStep
from grader.model.report import CasesEvidence
from grader.options import GradeOptions

from .facts import LAB, SUBMISSION, captured, run
from .lab import SPEC
from .render import factory
from .sandboxes import FakeSandbox

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
TRUE, FALSE = b"\1grader 00 1\1", b"\1grader 00 0\1"
OTHER_TRUE, OTHER_FALSE = b"\1grader 04 1\1", b"\1grader 04 0\1"


def fresh(expected: RunDone, *, is_in_shape: bool = True) -> FreshRun:
    step = COPY.model_copy(update={"id": "many.fresh-0", "input": "fresh-0", "operands": ()})
    return FreshRun(step, b"data", is_in_shape, expected)


class Copies(Trials):
    """Runs nothing: `before` is what the program does in each fresh run, `after` the repaired copy, and in cases
    `others`, by the kind of copy.
    """

    def __init__(self, before: RunDone, after: RunDone, others: Mapping[str, RunDone] | None = None) -> None:
        super().__init__(LAB, SUBMISSION, {}, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions())
        self.before, self.after, self.others = before, after, others or {}
        self.built: list[str] = []

    def collected(
        self,
        failing: FailingProgram,  # noqa: ARG002 - as in Trials
        copies: Mapping[str, bytes],
        steps: Iterable[RunStep],
        *,
        inputs: Mapping[str, bytes] | None = None,
        **_: object,
    ) -> Evidence:
        (copy,) = copies
        self.built.append(copy)
        runs = {}
        for step in steps:
            is_fresh = step.id == f"{copy}.fresh-0"
            assert not is_fresh or inputs == {"fresh-0": b"data"}
            done = self.before if copy in {"many_original", "many_recorded"} else self.after
            done = self.others.get("before", done) if copy == "many_sanitized" else done
            if not is_fresh:
                kind = copy.rpartition("_")[2]
                done = self.others.get(kind, REPEATED if kind in {"filled", "sanitized"} else done)
            if copy in {"many_filled", "many_unfilled"}:
                done = self.others.get(copy, WRONG)
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
    failing = FailingProgram("many", SOURCE, report, PLAN, "many", is_unsound)
    change = FoundChange("", edits, rank, 0, ChangeText("", "", "", "", "", (1,)))
    ids = tuple(check.id for check in failed)
    trial = Trial(Fix("many", SOURCE, {"x": (change,)}), ids, ids[:1])
    copies.lab = replace(LAB, fresh_runs=lambda: {"many": [found]})
    return Confirmation(copies).accepts(failing, trial)


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


@pytest.mark.parametrize(("report", "is_confirmed"), [(b"==1==ERROR: AddressSanitizer: x", True), (b"", False)])
def test_a_run_in_which_the_program_uses_memory_wrongly_says_nothing(report: bytes, *, is_confirmed: bool) -> None:
    sanitized = WRONG.model_copy(update={"stderr": captured(report)})
    assert confirmed(Copies(WRONG, OTHER, {"before": sanitized}), fresh(RIGHT)) is is_confirmed
    assert not confirmed(Copies(RIGHT, OTHER, {"before": sanitized}), fresh(RIGHT))


def test_what_is_left_to_repair_may_make_a_fresh_run_wrong_in_another_way() -> None:
    assert confirmed(Copies(WRONG, OTHER), fresh(RIGHT), left=("binary",))
    assert not confirmed(Copies(RIGHT, OTHER), fresh(RIGHT), left=("binary",))


def test_the_program_itself_is_run_only_if_the_repair_differs() -> None:
    copies = Copies(WRONG, marked(RIGHT, OTHER_TRUE + OTHER_FALSE))
    assert confirmed(copies, fresh(RIGHT))
    assert copies.built == ["many_fix0_seen", "many_fix0_filled"]


def marked(done: RunDone, marks: bytes) -> RunDone:
    return done.model_copy(update={"stderr": captured(marks)})


@pytest.mark.parametrize(
    ("before", "after", "is_confirmed"),
    [
        (OTHER_TRUE + OTHER_FALSE, OTHER_TRUE + OTHER_FALSE, True),
        (OTHER_TRUE + OTHER_FALSE, OTHER_TRUE, False),
        # It is never reached any more.
        (OTHER_TRUE + OTHER_FALSE, b"", False),
        (OTHER_TRUE, OTHER_FALSE, True),
        (b"", OTHER_FALSE, True),
    ],
)
def test_an_unchanged_condition_keeps_both_values(before: bytes, after: bytes, *, is_confirmed: bool) -> None:
    copies = Copies(marked(WRONG, before), marked(RIGHT, after))
    assert confirmed(copies, fresh(RIGHT)) is is_confirmed


@pytest.mark.parametrize(
    ("in_fresh_run", "in_cases", "is_confirmed"),
    [(TRUE + FALSE, b"", True), (TRUE, FALSE, True), (TRUE, TRUE, False), (FALSE, b"", False), (b"", b"", True)],
)
def test_a_changed_condition_needs_both_values(in_fresh_run: bytes, in_cases: bytes, *, is_confirmed: bool) -> None:
    start = SOURCE.index(b"2")
    copies = Copies(WRONG, marked(RIGHT, in_fresh_run), {"seen": marked(RIGHT, in_cases)})
    assert confirmed(copies, fresh(RIGHT), edits=(Edit(start, start + 1, "3"),)) is is_confirmed
    assert copies.built[0] == "many_fix0_seen"


REPORT = b"==1==ERROR: AddressSanitizer: stack-buffer-overflow"
REPEATED = LAB.reference.evidence.runs["many.copy"]


@pytest.mark.parametrize(
    ("filled", "sanitized", "is_confirmed"),
    [
        (REPEATED, REPEATED, True),
        (WRONG, REPEATED, False),
        (REPEATED, REPEATED.model_copy(update={"stderr": captured(REPORT)}), False),
    ],
)
def test_a_type_is_also_tried_in_other_memory(filled: RunDone, sanitized: RunDone, *, is_confirmed: bool) -> None:
    copies = Copies(WRONG, RIGHT, {"filled": filled, "sanitized": sanitized})
    assert confirmed(copies, fresh(RIGHT), rank=TYPE) is is_confirmed
    assert confirmed(copies, fresh(RIGHT), rank=LIKELIEST, is_unsound=True) is is_confirmed
    # Also what changes no type may read a variable that was never set.
    assert confirmed(copies, fresh(RIGHT), rank=LIKELIEST) is (filled == REPEATED)


@pytest.mark.parametrize(("own", "is_confirmed"), [("same", False), ("right", False), ("other", True)])
def test_a_case_that_memory_decided_before_says_nothing(own: str, *, is_confirmed: bool) -> None:
    filled = {"same": WRONG, "right": REPEATED, "other": OTHER}[own]
    copies = Copies(WRONG, RIGHT, {"filled": WRONG, "many_filled": filled, "many_unfilled": WRONG})
    assert confirmed(copies, fresh(RIGHT), rank=LIKELIEST) is is_confirmed


def test_without_fresh_runs_the_cases_decide() -> None:
    copies = Copies(WRONG, WRONG)
    failing = FailingProgram("many", SOURCE, factory.report(), PLAN, "many")
    assert Confirmation(copies).accepts(failing, Trial(Fix("many", SOURCE, {}), (), ()))
    assert copies.built == []
