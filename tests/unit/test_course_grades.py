"""Final scores: exact, never above the maximum or below 0, and never higher for handing in later."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.grades import FinalGrades, final_grades, used_files, with_grade
from grader.course.roster import read_roster
from grader.course.rules import Course, Overrides, Rules
from grader.model.gradebook import CourseSystem, Entry, Origin, Person
from grader.model.report import Grade, Report, SubmissionId

from .render import factory

DEADLINE = datetime(2026, 5, 4, 22, 0, tzinfo=timezone.utc)
DEADLINE_TEXT = "2026-05-04 22:00 UTC"


def report(name: str, score: float | None, most: float = 100) -> Report:
    made = factory.report(submission=SubmissionId(name=name, digest="sha256:0"))
    checks = tuple(check.model_copy(update={"points": 4, "max_points": 10}) for check in made.checks[:1])
    status = "not_graded" if score is None else "graded"
    checks = () if score is None else checks
    return made.model_copy(update={"score": score, "max_score": most, "checks": checks, "status": status})


def entry(  # noqa: PLR0913 - what a test varies
    name: str = "ada",
    score: float | None = 80,
    *,
    late: timedelta | None = None,
    people: tuple[Person, ...] = (),
    system: CourseSystem | None = None,
    marked: bool | None = None,
) -> Entry:
    time = "" if late is None else f"{DEADLINE + late:%Y-%m-%d %H:%M:%S.%f} Z"
    origin = Origin(path=name, people=people, system=system, late=marked, submitted_at=time)
    return Entry(name=name, origin=origin, report=report(name, score))


def rules(course: dict[str, Any] | None = None, overrides: list[dict[str, Any]] | None = None) -> Rules:
    return Rules(
        course=Course.model_validate(course) if course is not None else None,
        overrides=Overrides.model_validate({"overrides": overrides}) if overrides is not None else None,
    )


def course(**late: object) -> dict[str, Any]:
    return {"deadline": DEADLINE_TEXT, **late}


def grade(one: Entry, decided: Rules) -> Grade:
    return final_grades([one], decided).grades[one.name]


def test_without_rules_there_are_no_grades() -> None:
    assert final_grades([entry()], Rules()) == FinalGrades()
    assert final_grades([entry()], rules({}, [])).grades == {}


@pytest.mark.parametrize(
    ("late", "policy", "final"),
    [
        (timedelta(0), {"penalty": "10 %", "per": "day"}, 80),
        (timedelta(microseconds=999_999), {"penalty": "10 %", "per": "day"}, 80),
        (timedelta(seconds=1), {"penalty": "10 %", "per": "day"}, 72),
        (timedelta(days=1), {"penalty": "10 %", "per": "day"}, 72),
        (timedelta(days=1, seconds=1), {"penalty": "10 %", "per": "day"}, 64),
        (timedelta(days=30), {"penalty": "10 %", "per": "day", "at_most": "50 %"}, 40),
        (timedelta(days=30), {"penalty": "10 %", "per": "day"}, 0),
        (timedelta(minutes=90), {"penalty": "1.5 points", "per": "hour"}, 77),
        (timedelta(days=9), {"penalty": "5 points"}, 75),
        (timedelta(hours=7), {"penalty": "0.1 %", "per": "6 hours", "at_most": "20 points"}, 79.84),
    ],
)
def test_a_penalty_counts_begun_steps(late: timedelta, policy: dict[str, str], final: float) -> None:
    assert grade(entry(late=late), rules(course(late=policy))).final == final


def test_within_the_grace_period_nothing_is_lost_and_after_it_the_deadline_counts() -> None:
    decided = rules(course(late={"penalty": "1 point", "per": "10 min"}, grace="15 min"))
    assert grade(entry(late=timedelta(minutes=15)), decided).final == 80
    assert grade(entry(late=timedelta(minutes=15, seconds=1)), decided).final == 78


def test_after_the_last_time_there_are_no_points_except_for_an_extension() -> None:
    decided = course(closes="2026-05-06 22:00 Z", late={"penalty": "10 %"})
    assert grade(entry(late=timedelta(days=2)), rules(decided)).final == 72
    closed = grade(entry(late=timedelta(days=2, seconds=1)), rules(decided))
    assert (closed.computed, closed.final, closed.adjustments[0].points) == (80, 0, -80)
    decided["extensions"] = [{"student": "ada", "until": "2026-05-10 22:00 Z"}]
    assert grade(entry(late=timedelta(days=5)), rules(decided)).final == 80


def test_the_longest_extension_of_a_group_counts() -> None:
    people = (Person(name="Ada", id="1"), Person(name="Bob", id="2"))
    extensions = [{"student": 1, "until": "2026-05-06 22:00 Z"}, {"student": "2", "until": "2026-05-05 22:00 Z"}]
    decided = rules(course(late={"penalty": "10 %"}, extensions=extensions))
    (one,) = grade(entry(late=timedelta(days=2), people=people), decided).adjustments
    assert (one.kind, one.source, one.points) == ("extension", "policy", 0)
    assert one.reason == "deadline extended to 2026-05-06 22:00:00 UTC"


scores = st.integers(0, 200).map(lambda half: half / 2)
amounts = st.one_of(
    st.decimals(0, 100, places=2).map(lambda value: f"{value} %"),
    st.decimals(0, 500, places=2).map(lambda value: f"{value} points"),
)
policies = st.fixed_dictionaries(
    {"penalty": amounts},
    optional={"per": st.sampled_from(["min", "hour", "6 hours", "day", "1 s"]), "at_most": amounts},
)
lateness = st.timedeltas(timedelta(days=-2), timedelta(days=40))


@given(scores, policies, lateness, lateness, st.sampled_from(["", "2026-05-14 22:00 Z"]))
def test_later_is_never_better_and_no_score_leaves_its_range(
    score: float, policy: dict[str, str], one: timedelta, other: timedelta, closes: str
) -> None:
    extra = {"closes": closes} if closes else {}
    decided = rules(course(late=policy, grace="15 min", **extra))
    finals = [grade(entry(score=score, late=late), decided).final for late in sorted((one, other))]
    assert finals[0] is not None
    assert finals[1] is not None
    assert score >= finals[0] >= finals[1] >= 0


@given(scores, policies, lateness, st.decimals(0, 10, places=2))
def test_the_adjustments_add_up_exactly(
    score: float, policy: dict[str, str], late: timedelta, points: Decimal
) -> None:
    one = entry(score=score, late=late)
    check = one.report.checks[0].id
    override = {"student": "ada", "checks": [{"check": check, "points": str(points), "reason": "r"}]}
    made = grade(one, rules(course(late=policy), [override]))
    assert made.final is not None
    assert made.computed == score
    total = sum((Fraction(str(each.points)) for each in made.adjustments), Fraction(str(made.computed)))
    assert total == Fraction(str(made.final))
    assert 0 <= made.final <= one.report.max_score


@pytest.mark.parametrize(
    ("score", "percent", "lost"), [(0.1, "50", 0.05), (0.3, "5", 0.02), (33.3, "33.33", 11.1), (8.5, "10", 0.85)]
)
def test_points_are_exact_and_halves_are_rounded_up(score: float, percent: str, lost: float) -> None:
    made = grade(entry(score=score, late=timedelta(hours=1)), rules(course(late={"penalty": f"{percent} %"})))
    assert made.adjustments[0].points == -lost
    assert made.final == float(Decimal(str(score)) - Decimal(str(lost)))


def test_a_total_is_the_last_word_even_without_a_score() -> None:
    override = {"student": "ada", "total": {"points": 42, "reason": "oral exam"}}
    decided = rules(course(late={"penalty": "10 %"}), [override])
    assert grade(entry(late=timedelta(days=3)), decided).final == 42
    ungraded = grade(entry(score=None), decided)
    assert (ungraded.computed, ungraded.final) == (None, 42)


def test_who_is_excused_has_no_final_score() -> None:
    made = grade(entry(), rules(None, [{"student": "ada", "excused": "ill", "comment": "get well"}]))
    assert (made.computed, made.final, made.excused, made.comment) == (80, None, True, "get well")
    assert [(one.kind, one.reason) for one in made.adjustments] == [("excused", "ill")]


def test_points_of_a_check_that_is_not_there_are_reported() -> None:
    override = {"student": "ada", "checks": [{"check": "no.such", "points": 1, "reason": "r"}]}
    for one, why in ((entry(), "has no such check"), (entry(score=None), "is not graded")):
        final = final_grades([one], rules(None, [override]))
        assert final.grades["ada"].adjustments == ()
        assert why in final.notes[0]


def test_a_time_may_be_stated_and_a_missing_one_is_reported() -> None:
    decided = course(late={"penalty": "10 %"})
    unknown = final_grades([entry(marked=True), entry("bob")], rules(decided))
    assert [made.final for made in unknown.grades.values()] == [80, 80]
    late, untimed = unknown.notes
    assert "1 submission marked late in the export" in late
    assert "1 submission without a time of handing in counted as on time: bob" in untimed
    stated = rules(decided, [{"student": "ada", "submitted": "2026-05-05 02:00 +02:00"}])
    made = grade(entry(marked=True), stated)
    assert made.final == 72
    assert [(one.kind, one.source) for one in made.adjustments] == [("submitted", "override"), ("late", "policy")]
    assert made.adjustments[0].reason == "handed in at 2026-05-05 00:00:00 UTC"


def test_decisions_without_points_are_shown_too() -> None:
    until, why = "2026-05-06 22:00 Z", "moved house"
    decided = rules(
        course(extensions=[{"student": "ada", "until": until, "reason": why}]),
        [{"student": "ada", "use": [{"file": "lab2/Tr2b.c", "as": "tr2b.c"}]}],
    )
    made = grade(entry(), decided)
    assert made.final == made.computed
    assert [(one.kind, one.reason) for one in made.adjustments] == [
        ("file", "lab2/Tr2b.c counts as tr2b.c"),
        ("extension", "deadline extended to 2026-05-06 22:00:00 UTC: moved house"),
    ]


@pytest.mark.parametrize(("which", "chosen"), [("first", "ada"), ("last", "ada-3"), ("best", "ada-2")])
def test_one_of_several_attempts_counts(which: str, chosen: str) -> None:
    people = (Person(name="Ada", id="1"),)
    entries = [
        entry("ada", 10, late=timedelta(-2), people=people, system="gradescope"),
        entry("ada-2", 90, late=timedelta(-1), people=people, system="gradescope"),
        entry("ada-3", 50, late=timedelta(0), people=people, system="gradescope"),
        entry("bob", 5, people=(Person(name="Bob", id="2"),), system="gradescope"),
    ]
    final = final_grades(entries, rules({"attempts": which}))
    assert [name for name, made in final.grades.items() if made.counts] == sorted([chosen, "bob"])
    assert not final.notes
    untimed = final_grades([entry(one.name, 1, people=people) for one in entries[:3]], rules({"attempts": "last"}))
    assert all(made.counts for made in untimed.grades.values())
    assert "which attempt is the last one is not known" in untimed.notes[0]


def test_an_override_that_is_doubtful_is_reported_and_not_applied() -> None:
    same = (Person(name="Jane Doe"),)
    entries = [entry("jane", people=same), entry("jane-2", people=same)]
    decided = rules(None, [{"student": "Doe, Jane", "excused": "ill"}, {"student": "jan", "excused": "ill"}])
    final = final_grades(entries, decided)
    assert not any(made.excused for made in final.grades.values())
    assert "'Doe, Jane' may be jane or jane-2" in final.notes[0]
    assert "nobody is called 'jan' (did you mean" in final.notes[1]


def test_two_overrides_of_one_group_are_reported() -> None:
    people = (Person(name="Ada", id="1"), Person(name="Bob", id="2"))
    decided: list[dict[str, Any]] = [
        {"student": 1, "excused": "ill"},
        {"student": "Bob", "total": {"points": 1, "reason": "r"}},
    ]
    final = final_grades([entry(people=people)], rules(None, decided))
    assert final.grades["ada"].excused
    assert "applies to all who handed in together: Ada and Bob" in final.notes[0]
    assert "another override for ada above" in final.notes[1]


def test_files_to_use_are_found_before_anything_is_graded() -> None:
    decided = rules(None, [{"student": "ada", "use": [{"file": "x/Many.C", "as": "many.c"}]}])
    assert used_files([entry(), entry("bob")], decided) == {"ada": {"many.c": "x/Many.C"}}


def test_rules_are_the_same_after_the_gradebook_kept_them() -> None:
    decided = rules(
        course(
            late={"penalty": "10 %", "per": "6 hours", "at_most": "5.5 points"},
            extensions=[{"student": 7, "until": "2026-05-09 12:00 Europe/Berlin"}],
            zone="Europe/Berlin",
        ),
        [{"student": "ada", "use": [{"file": "a", "as": "b"}], "total": {"points": 1.25, "reason": "r"}}],
    )
    assert Rules.model_validate_json(decided.model_dump_json(by_alias=True)) == decided


NAMESAKES = read_roster(b"name,id\nJane Doe,1\nJane Doe,2\n")


def test_work_after_closes_gets_nothing_without_a_deadline_too() -> None:
    decided = rules({"closes": DEADLINE_TEXT})
    assert grade(entry(late=timedelta(0)), decided).final == 80
    late = grade(entry(late=timedelta(days=1)), decided)
    assert (late.final, late.late_s) == (0, 86400)
    assert "without a time" in final_grades([entry()], decided).notes[0]


def test_an_override_that_may_be_for_a_namesake_who_handed_in_nothing_is_not_applied() -> None:
    one = entry("canvas-1", people=(Person(name="Jane Doe", id="1"),))
    for override in ({"total": {"points": 9, "reason": "appeal"}}, {"comment": "hi"}):
        decided = rules(None, [{"student": "Jane Doe", **override}]).model_copy(update={"roster": NAMESAKES})
        final = final_grades([one], decided)
        assert (final.grades["canvas-1"].final, final.grades["canvas-1"].comment, final.known.absent) == (80, "", {})
        assert "'Jane Doe' may be canvas-1 or line 3 of the roster" in final.notes[0]


def test_results_named_like_the_number_of_a_student_with_several_can_be_meant() -> None:
    words: tuple[str | int, ...] = ("0123", "ada", 123)
    decided = rules(None, [{"student": word, "comment": f"for {word!r}"} for word in words])
    decided = decided.model_copy(update={"roster": read_roster(b"name,id\nAda,0123\n")})
    final = final_grades([entry("0123"), entry("ada")], decided)
    assert {name: made.comment for name, made in final.grades.items()} == {"0123": "for '0123'", "ada": "for 'ada'"}
    assert len(final.notes) == 1
    assert "123 may be 0123 or ada" in final.notes[0]


def test_results_named_like_the_number_of_another_student_are_doubtful() -> None:
    other = entry("doe-7", people=(Person(name="Doe", id="0123"),), system="canvas")
    final = final_grades([entry("0123"), other], rules(None, [{"student": "0123", "comment": "hi"}]))
    assert not any(made.comment for made in final.grades.values())
    assert "'0123' may be 0123 or doe-7" in final.notes[0]


def test_an_extension_for_a_name_of_several_students_is_not_applied() -> None:
    several = [
        entry(f"canvas-{number}", people=(Person(name="Jane Doe", id=str(number)),), late=timedelta(hours=1))
        for number in (1, 2)
    ]
    extension = {"student": "Jane Doe", "until": "2026-05-06 00:00 UTC"}
    decided = rules(course(late={"penalty": "10 %"}, extensions=[extension]))
    final = final_grades(several, decided)
    assert {one.final for one in final.grades.values()} == {72}
    assert "'Jane Doe' may be canvas-1 or canvas-2" in final.notes[0]
    attempts = [one.model_copy(update={"origin": several[0].origin}) for one in several]
    assert {one.final for one in final_grades(attempts, decided).grades.values()} == {80}


def test_a_comment_does_not_replace_a_time() -> None:
    decided = rules(course(late={"penalty": "10 %"}), [{"student": "ada", "comment": "hi"}])
    assert final_grades([entry()], decided).notes == (
        "1 submission without a time of handing in counted as on time: ada",
    )
    given = rules(course(late={"penalty": "10 %"}), [{"student": "ada", "excused": "ill"}])
    assert final_grades([entry()], given).notes == ()


def test_the_grade_of_a_new_report_is_made_of_its_score() -> None:
    new = report("ada", 40)
    made = with_grade(entry(score=80), rules(None, [{"student": "ada", "comment": "hi"}]), new)
    assert made.grade is not None
    assert (made.grade.computed, made.grade.final) == (40, 40)


def test_a_total_above_what_the_submission_was_graded_with_is_noted() -> None:
    final = final_grades([entry()], rules(None, [{"student": "ada", "total": {"points": 105, "reason": "bonus"}}]))
    assert final.grades["ada"].final == 100
    assert "the total of 105 is above the 100" in final.notes[0]
