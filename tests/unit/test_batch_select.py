from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch.batch import PendingSubmission, select
from grader.batch.gradebook import PreviousResult
from grader.course.roster import read_roster
from grader.errors import UsageError
from grader.intake.reading import DiscoveredSubmission
from grader.model.gradebook import Origin, Person
from grader.model.submission import Submission

KNOWN = {
    "same": PreviousResult("k1", Origin(path=""), 100.0, failed=False, last_error=""),
    "failed": PreviousResult("k1", Origin(path=""), 90.0, failed=True, last_error=""),
    "partly": PreviousResult("here", Origin(path=""), 90.0, failed=False, last_error=""),
    "changed": PreviousResult("k0", Origin(path=""), 100.0, failed=False, last_error=""),
    "troubled": PreviousResult("k0", Origin(path=""), 100.0, failed=False, last_error="the engine died"),
    "ungraded": PreviousResult("", Origin(path=""), None, failed=False, last_error=""),
    "gone": PreviousResult("k1", Origin(path=""), 100.0, failed=False, last_error=""),
}
SUBMISSIONS = [
    PendingSubmission(
        DiscoveredSubmission(name, Path(name)),
        Submission(name, sources={}),
        frozenset([key, "here"]) if key else frozenset(),
    )
    for name, key in [
        ("new", "k1"),
        ("same", "k1"),
        ("failed", "k1"),
        ("partly", "k1"),
        ("changed", "k1"),
        ("troubled", "k1"),
        ("ungraded", "k1"),
        ("unreadable", ""),
    ]
]


@pytest.mark.parametrize(
    ("only", "again", "todo", "unchanged"),
    [
        ([], False, ["new", "changed", "troubled", "ungraded", "unreadable"], ["same", "failed", "partly"]),
        ([], True, ["new", "same", "failed", "partly", "changed", "troubled", "ungraded", "unreadable"], []),
        (["failed"], False, ["failed"], []),
        (["not-graded"], False, ["new", "troubled", "ungraded", "unreadable"], []),
        (["same"], False, ["same"], []),
        (["same", "not-graded"], False, ["new", "same", "troubled", "ungraded", "unreadable"], []),
    ],
)
def test_what_is_graded(*, only: list[str], again: bool, todo: list[str], unchanged: list[str]) -> None:
    selection = select(SUBMISSIONS, KNOWN, only, again=again)
    assert [one.found.name for one in selection.todo] == todo
    assert [one.name for one in selection.unchanged] == unchanged


@pytest.mark.parametrize("name", ["nobody", "gone", ""])
def test_a_name_that_nobody_has_is_told(name: str) -> None:
    with pytest.raises(UsageError, match=f"--only: there is no submission '{name}'"):
        select(SUBMISSIONS, KNOWN, ["same", name], again=False)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("ch", "changed"),
        ("un", None),
        ("ada lovelace", "new"),
        ("Lovelace, Ada", "new"),
        ("ADA@lab", "new"),
        ("7", "new"),
        ("Grace Hopper", None),
        ("failed", "failed"),
        ("Same", "same"),
        ("CH", "changed"),
    ],
)
def test_a_prefix_or_a_student_is_enough_if_only_one_is_meant(word: str, name: str | None) -> None:
    grace = Person(name="Grace Hopper")
    people = {"new": (Person(name="Ada Lovelace", email="ada@lab", id="7"), grace), "same": (grace,)}
    submissions = [
        replace(one, found=replace(one.found, origin=Origin(path="", people=people.get(one.found.name, ()))))
        for one in SUBMISSIONS
    ]
    if name is not None:
        assert [one.found.name for one in select(submissions, KNOWN, [word], again=False).todo] == [name]
        return
    with pytest.raises(UsageError, match=f"--only: '{word}' may mean ") as error:
        select(submissions, KNOWN, [word], again=False)
    assert ("ungraded, unreadable" if word == "un" else "new, same") in str(error.value)


def test_a_name_that_was_probably_meant_is_told() -> None:
    with pytest.raises(
        UsageError, match=r"no submission 'smae' \(did you mean 'same'\?\); say the name of its results"
    ):
        select(SUBMISSIONS, KNOWN, ["smae"], again=False)


def test_a_student_is_named_as_on_the_roster() -> None:
    people = (Person(name="lovelaceada", id="501"),)
    submissions = [
        replace(
            SUBMISSIONS[0],
            found=replace(SUBMISSIONS[0].found, origin=Origin(path="", system="canvas", people=people)),
        )
    ]
    table = "Student,ID,SIS User ID,SIS Login ID,Section\n"
    roster = read_roster(f'{table}"Lovelace, Ada",501,0123,ada,A\n"Hopper, Grace",502,0124,grace,A\n'.encode())
    for word in ("Ada Lovelace", "0123", "ada", "501"):
        assert select(submissions, {}, [word], again=False, roster=roster).todo == submissions
    with pytest.raises(UsageError, match="--only: 'Grace Hopper' is on the roster, and has handed in nothing"):
        select(submissions, {}, ["Grace Hopper"], again=False, roster=roster)
