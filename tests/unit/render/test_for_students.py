"""A report to give to students says nothing about the checks that they must not see."""

from __future__ import annotations

from grader.model.report import Grade, Remark, Report, Timing
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import Visibility
from grader.render.views.visible_checks import for_students

from . import factory
from .gradescope import spec_of

VISIBLE: tuple[Visibility, ...] = ("visible",)
SECRET = Timing(program="tr2b", input="secret", case="secret-case", real_s=1, user_s=1, sys_s=0)
REMARK = Remark(kind="exit-status", program="tr2b", sentence="secret remark")


def report() -> Report:
    diagnosed = factory.diagnosed()
    grade = Grade(computed=8.0, final=7.0)
    return diagnosed.model_copy(update={"timing": (*diagnosed.timing, SECRET), "remarks": (REMARK,), "grade": grade})


def hidden() -> Spec:
    return spec_of(report(), {"byte-ff": "after_due_date"})


def test_without_hidden_checks_nothing_is_left_out() -> None:
    assert for_students(report(), spec_of(report()), VISIBLE) == report()


def test_checks_figures_remarks_and_the_final_score_are_left_out() -> None:
    shown = for_students(report(), hidden(), VISIBLE)
    assert {check.name for check in report().checks} - {check.name for check in shown.checks} == {"byte-ff"}
    assert shown.timing
    assert "secret" not in shown.model_dump_json()
    assert shown.grade is None
    assert "not shown here" in shown.notes[-1]
    assert shown.score == sum(check.points for check in shown.checks)


def test_what_is_shown_by_now_is_not_marked_as_hidden() -> None:
    held_back = tuple(check.model_copy(update={"visibility": "after_due_date"}) for check in report().checks)
    marked = report().model_copy(update={"checks": held_back})
    shown = for_students(marked, hidden(), ("visible", "after_due_date"))
    assert {check.visibility for check in shown.checks} == {"visible"}
    assert shown.grade == report().grade
