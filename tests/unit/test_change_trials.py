"""Which small changes are run in which cases: no more than are needed to know what repairs a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from grader.diagnose.source.edits import ARGUMENT, CHANGE_VARIABLE, COMPARISON, LIKELIEST, NUMBER, REMOVAL, Edit
from grader.explain.change_trials import ENDLESS_CHANGES, MOST_RUNS, ChangeTrials, likeliest_first
from grader.explain.change_words import ChangeText
from grader.explain.second_run import SecondGuests
from grader.explain.source_patterns import FoundChange, FoundChanges
from grader.explain.trials import FailingProgram, Trials
from grader.grading.plan_builder import build_plan
from grader.model.evidence import Evidence
from grader.model.plan import RunStep
from grader.model.report import Symptom
from grader.options import GradeOptions

from .facts import LAB, SUBMISSION, TOOLCHAIN, run
from .lab import SPEC
from .render import factory
from .sandboxes import FakeSandbox

PLAN = build_plan(SPEC, SUBMISSION)
COPY, REFUSE = (next(one for one in PLAN.runs if one.id == f"many.{case}") for case in ("copy", "refuse"))
PAIR = 1000
RIGHT = {case: LAB.reference.evidence.runs[f"many.{case}"] for case in ("copy", "refuse")}


def change(number: int | None, rank: int) -> FoundChange:
    return FoundChange("", (Edit(0, 0, " "),), rank, number, ChangeText("", "", "", "", "", (1,)))


class Copies(Trials):
    """Runs nothing: the changes in `works` of a case are right in it, 0 is none, and 1002 are 1 and 2 together.

    Others write what `begins` says.
    """

    def __init__(self, works: Mapping[str, Iterable[int]]) -> None:
        super().__init__(LAB, SUBMISSION, {}, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions())
        self.works = works
        self.ran: list[tuple[str, list[int]]] = []
        self.copies: list[str] = []
        self.begins: Mapping[int, bytes] = {}
        self.is_time_left = True

    def may_run(self, failing: FailingProgram) -> bool:  # noqa: ARG002 - as in Trials
        return self.is_time_left

    def collected(
        self,
        failing: FailingProgram,  # noqa: ARG002 - as in Trials
        copies: Mapping[str, bytes],
        steps: Iterable[RunStep],
        **_: object,
    ) -> Evidence:
        self.copies += copies
        steps = [*steps]
        made = {step.id: step.environment.get(CHANGE_VARIABLE, "-1") for step in steps}
        (case,) = {step.case for step in steps}
        numbers = {
            name: PAIR * int(one) + int(other or 0)
            for name, both in made.items()
            for one, _, other in [both.partition(",")]
        }
        numbers = {name: number if "," in made[name] else number // PAIR for name, number in numbers.items()}
        self.ran.append((case, [*numbers.values()]))
        runs = {
            name: RIGHT[case].model_copy(update={"step": name})
            if number in self.works[case]
            else run(name, self.begins.get(number, b"no"))
            for name, number in numbers.items()
        }
        return Evidence(toolchain=TOOLCHAIN, builds={}, runs=runs, left_out={})


def trials(copies: Copies, *changes: FoundChange) -> ChangeTrials:
    found = FoundChanges(changes=changes, copy_with_all=b"int x;")
    to_repair = FailingProgram("many", b"int x;", factory.report(), PLAN, "many")
    return ChangeTrials(copies, to_repair, found)


def test_the_second_case_is_run_with_what_repairs_the_first() -> None:
    copies = Copies({"refuse": [2, 3], "copy": [3]})
    found = trials(copies, *(change(number, LIKELIEST) for number in (1, 2, 3)))
    (works, _) = found.works([REFUSE, COPY], ends=True)
    assert [one.number for (one,) in works] == [3]
    assert copies.ran == [("refuse", [0, 1, 2, 3]), ("copy", [2, 3])]


def test_less_likely_changes_are_not_run_unless_they_are_asked_for() -> None:
    copies = Copies({"copy": [1, 3]})
    found = trials(copies, change(3, REMOVAL), change(None, REMOVAL), change(1, COMPARISON))
    parts = found.works([COPY], ends=True)
    assert [one.number for (one,) in next(parts)] == [1]
    assert copies.ran == [("copy", [0, 1])]
    assert copies.copies == ["many_changes"]
    assert [one.number for (one,) in next(parts)] == [3, 1]
    # A change that needs a copy of its own has no variable.
    assert copies.ran[1:] == [("copy", [3, -1])]


def test_if_the_copy_is_right_without_a_change_only_mistakes_in_themselves_count() -> None:
    copies = Copies({"copy": [0, 1, 2, 3]})
    found = trials(copies, change(1, LIKELIEST), change(2, COMPARISON), change(3, REMOVAL))
    assert [[one.number for (one,) in works] for works in found.works([COPY], ends=True)] == [[1], [1]]


def test_the_number_of_runs_is_limited() -> None:
    changes = [change(number, COMPARISON) for number in range(1, 2 * MOST_RUNS)]
    for steps in ([COPY], [COPY, REFUSE]):
        copies = Copies({"copy": [], "refuse": []})
        assert [*trials(copies, *changes).works(steps, ends=True)] == [[], [], []]
        assert [len(numbers) for _, numbers in copies.ran] == [MOST_RUNS]
    copies = Copies({"copy": []})
    assert [*trials(copies, *changes).works([COPY], ends=False)] == [[], []]
    assert [len(numbers) for _, numbers in copies.ran] == [ENDLESS_CHANGES]


def spread(number: int, rank: int) -> FoundChange:
    """Return a change of a place of its own."""
    return replace(change(number, rank), edits=(Edit(number, number, " "),))


def begun(copies: Copies, *changes: FoundChange) -> ChangeTrials:
    found = FoundChanges(changes=changes, copy_with_all=b"int x;")
    to_repair = FailingProgram("many", b"int x, y, z;", factory.report(), PLAN, "many")
    return ChangeTrials(copies, to_repair, found)


def test_what_brings_the_output_further_is_tried_with_each_other_change() -> None:
    copies = Copies({"copy": [2 * PAIR + 3]})
    expected = RIGHT["copy"].stdout.data
    assert expected is not None
    copies.begins = {0: b"", 1: b"", 2: expected[:2], 3: b"x", 4: expected[:1]}
    trials_ = begun(copies, *(spread(number, REMOVAL) for number in (1, 2, 3, 4)))
    assert [[one.number for one in works] for works in [*trials_.works([COPY], ends=True)][-1]] == [[2, 3]]
    # 2 reaches further than 4, and 1 and 3 no further than no change.
    pairs = [2 * PAIR + other for other in (1, 3, 4)] + [4 * PAIR + other for other in (1, 3)]
    assert copies.ran[-1] == ("copy", pairs)


def test_if_the_deadline_is_near_nothing_more_is_run() -> None:
    copies = Copies({"copy": []})
    parts = trials(copies, change(1, COMPARISON), change(2, REMOVAL)).works([COPY], ends=True)
    assert next(parts) == []
    copies.is_time_left = False
    assert [*parts] == [[], []]
    assert copies.ran == [("copy", [0, 1])]


@pytest.mark.parametrize(("kind", "first"), [("writes-without-end", 7), ("never-ends", 1)])
def test_what_writes_without_end_is_changed_where_it_reads_first(kind: str, first: int) -> None:
    symptom = Symptom(id=kind, program="many", checks=(), sentence="")
    source = b"int x;\nwhile (read(0, &c, 1))\nwrite(1, &c, 1);"
    changes = [change(number, COMPARISON) for number in range(1, 7)]
    changes.append(replace(change(7, REMOVAL), words=ChangeText("", "", "", "", "", (2,))))
    copies = Copies({"copy": []})
    to_repair = FailingProgram("many", source, factory.report(symptoms=(symptom,)), PLAN, "many")
    found = FoundChanges(changes=tuple(changes), copy_with_all=b"int x;")
    tried = ChangeTrials(copies, to_repair, found)
    assert [*tried.works([COPY], ends=False)] == [[], []]
    numbers = [number for _, ran in copies.ran for number in ran if number]
    assert len(numbers) == ENDLESS_CHANGES - 1
    assert first in numbers
    assert (7 in numbers) == (kind == "writes-without-end")


def test_the_removal_of_a_call_comes_before_each_other_argument_of_it() -> None:
    argument, number, removal = (change(at, rank) for at, rank in enumerate((ARGUMENT, NUMBER, REMOVAL), start=1))
    elsewhere = replace(change(4, COMPARISON), words=ChangeText("", "", "", "", "", (2,)))
    works = [(one,) for one in (argument, number, removal, elsewhere)]
    assert likeliest_first(works) == [(elsewhere,), (removal,), (argument,), (number,)]


def test_a_part_of_a_change_comes_before_the_whole() -> None:
    first, second = (Edit(place, place + 1, ";") for place in (3, 9))
    part, whole = replace(change(1, REMOVAL), edits=(first,)), replace(change(2, COMPARISON), edits=(first, second))
    other = replace(change(3, COMPARISON), edits=(second,))
    assert likeliest_first([(whole,), (part,)]) == [(part,), (whole,)]
    assert likeliest_first([(whole,), (part,), (other,)]) == [(other,), (part,), (whole,)]
