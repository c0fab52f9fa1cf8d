from __future__ import annotations

import csv
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from grader.batch.batch import NOT_YET
from grader.batch.output_folder import OUTPUTS, OutputFolder
from grader.batch.workers import local_workers
from grader.errors import GraderError, SandboxError, UnwritableError
from grader.intake.reading import DiscoveredSubmission
from grader.model.report import Report
from grader.render.html import pages
from grader.sandbox.base import ProgressEvent

from .batches import NAMES, RIGHT, Class, grading, ignore, owner
from .facts import TOOLCHAIN, evidence, run
from .lab import PROGRAMS, SPEC
from .sandboxes import Script, events_of

WRONG = events_of(evidence({"many.copy": run("many.copy", b"wrong")}))


def failing(name: str, error: Exception) -> Script:
    return lambda job: [error] if owner(job) == name else RIGHT


def report(students: Class, name: str) -> Report:
    return Report.model_validate_json((students.results.folder / name / "report.json").read_bytes())


def hand_in_again(students: Class, name: str, text: str) -> None:
    for program in PROGRAMS:
        (students.results.folder.parent / "in" / name / f"{program}.c").write_text(text)


def test_one_job_grades_in_order_on_all_cpus(students: Class) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    assert [done.report.submission.name for done in students.graded(context)] == NAMES
    assert sandbox.slots == [0] * len(NAMES)


def test_each_result_is_kept_and_its_report_written_before_it_is_told(students: Class) -> None:
    context, _ = grading(lambda _job: RIGHT)
    with students.opened(context) as (batch, book):
        todo = students.todo(batch)
        for done in batch.grade(local_workers(context, 1, ignore), todo, meanwhile=lambda: None):
            name = done.report.submission.name
            folder = students.results.folder / name
            assert json.loads((folder / "report.json").read_bytes())["score"] == SPEC.max_score
            assert b"<html" in (folder / "report.html").read_bytes()
            assert book.report(name) == done.report


def table(students: Class) -> list[list[str]]:
    """The rows of grades.csv."""
    with (students.results.folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def test_the_overview_lists_all_by_name_whatever_finished_first(students: Class) -> None:
    students.graded(grading(lambda _job: RIGHT)[0], jobs=3)
    assert [row[0] for row in table(students)] == NAMES
    page = (students.results.folder / "index.html").read_text()
    assert all(f"{name}/report.html" in page for name in NAMES)


def test_progress_is_told_with_the_submission_s_name(students: Class) -> None:
    seen: list[tuple[str, ProgressEvent]] = []
    context, _ = grading(lambda _job: RIGHT)
    with students.opened(context) as (batch, _):
        workers = local_workers(context, 1, lambda name, event: seen.append((name, event)))
        list(batch.grade(workers, batch.select(students.found[:2], [], again=False).todo, meanwhile=lambda: None))
    assert seen == [(name, event) for name in NAMES[:2] for event in RIGHT]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SandboxError("the guest ended"), "the guest ended"),
        (GraderError("cannot be read"), "cannot be read"),
        (ZeroDivisionError("by zero"), "the grader has a bug: ZeroDivisionError: by zero"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_fails_on_our_side_is_not_graded_and_the_others_are(
    students: Class, error: Exception, reason: str, jobs: int
) -> None:
    context, sandbox = grading(failing("bob", error))
    reports = {done.report.submission.name: done.report for done in students.graded(context, jobs=jobs)}
    assert {name: report.status for name, report in reports.items()} == {
        name: "not_graded" if name == "bob" else "graded" for name in NAMES
    }
    assert (reports["bob"].reason, reports["bob"].score) == (reason, None)
    assert report(students, "bob") == reports["bob"]
    assert sandbox.at_work == 0


def test_a_submission_that_vanished_is_not_graded_and_no_bug(students: Class, tmp_path: Path) -> None:
    ghost = Class([DiscoveredSubmission("ghost", tmp_path / "ghost"), *students.found], students.results)
    done = ghost.graded(grading(lambda _job: RIGHT)[0])
    reports = {one.report.submission.name: one.report for one in done}
    assert sorted(reports) == sorted(["ghost", *NAMES])
    assert reports["ghost"].reason == f"{tmp_path / 'ghost'} cannot be read: No such file or directory"


def test_more_that_cannot_be_read_than_are_at_work_at_once_stop_nobody(students: Class, tmp_path: Path) -> None:
    ghosts = [DiscoveredSubmission(f"ghost-{number}", tmp_path / f"ghost-{number}") for number in range(9)]
    done = Class([*ghosts, *students.found], students.results).graded(grading(lambda _job: RIGHT)[0])
    assert [one.report.status for one in done].count("graded") == len(NAMES)
    assert len(done) == len(ghosts) + len(NAMES)


def test_wrong_outputs_lie_beside_the_report_and_not_the_last_time_s(students: Class) -> None:
    one = Class(students.found[:1], students.results)
    one.graded(grading(lambda _job: WRONG)[0])
    kept = students.results.folder / NAMES[0] / OUTPUTS
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {"many.copy.output": b"wrong"}
    (kept / "mine.txt").write_bytes(b"somebody's")
    one.graded(grading(lambda _job: RIGHT)[0], again=True)
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]


def test_a_second_run_grades_what_is_new_or_changed(students: Class) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    Class(students.found[:3], students.results).graded(context)
    hand_in_again(students, "bob", "better")
    sandbox.jobs.clear()
    done = students.graded(context)
    assert [one.report.submission.name for one in done] == ["bob", "dan"]
    assert [owner(job) for job in sandbox.jobs] == ["better", "dan"]
    assert [row[0] for row in table(students)] == NAMES


def test_what_is_graded_is_what_its_key_stands_for_even_if_it_changes_meanwhile(students: Class) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    with students.opened(context) as (batch, _):
        todo = students.todo(batch)
        hand_in_again(students, "bob", "changed meanwhile")
        list(batch.grade(local_workers(context, 1, ignore), todo, meanwhile=lambda: None))
    assert [owner(job) for job in sandbox.jobs] == NAMES
    assert [done.report.submission.name for done in students.graded(context)] == ["bob"]
    assert owner(sandbox.jobs[-1]) == "changed meanwhile"


def test_a_change_in_score_is_shown_until_it_is_graded_again(students: Class) -> None:
    one = Class(students.found[:1], students.results)
    [first] = one.graded(grading(lambda _job: WRONG)[0])
    hand_in_again(students, NAMES[0], "better")
    [second] = one.graded(grading(lambda _job: RIGHT)[0])
    [third] = one.graded(grading(lambda _job: RIGHT)[0], again=True)
    assert first.report.score is not None
    assert first.report.score < SPEC.max_score
    assert [done.score_before for done in (first, second, third)] == [None, first.report.score, SPEC.max_score]
    assert [done.entry.earlier_score for done in (first, second, third)] == [None, first.report.score, None]


def test_what_could_not_be_graded_is_tried_again_the_next_time(students: Class) -> None:
    students.graded(grading(failing("bob", SandboxError("the engine died")))[0])
    [done] = students.graded(grading(lambda _job: RIGHT)[0])
    assert (done.report.submission.name, done.report.status) == ("bob", "graded")
    assert report(students, "bob").status == "graded"


def test_no_result_never_takes_the_place_of_one(students: Class) -> None:
    students.graded(grading(lambda _job: RIGHT)[0])
    before = report(students, "bob")
    hand_in_again(students, "bob", "newer")
    [done] = students.graded(grading(lambda _job: [SandboxError("the engine died")])[0])
    assert done.report.status == "not_graded"
    assert (done.entry.report.score, done.entry.last_error) == (before.score, "the engine died")
    assert report(students, "bob") == before
    assert "the engine died" in (students.results.folder / "index.html").read_text()
    # What was handed in last still has no result.
    [done] = students.graded(grading(lambda _job: RIGHT)[0])
    assert (done.report.submission.name, done.entry.last_error) == ("bob", "")


def test_trouble_with_a_newer_hand_in_is_over_when_the_old_one_is_back(students: Class) -> None:
    students.graded(grading(lambda _job: RIGHT)[0])
    hand_in_again(students, "bob", "newer")
    students.graded(grading(lambda _job: [SandboxError("the engine died")])[0])
    hand_in_again(students, "bob", "bob")
    context, _ = grading(lambda _job: RIGHT)
    assert students.graded(context) == []
    with students.opened(context) as (_, book):
        assert [entry.last_error for entry in book.entries()] == [""] * len(NAMES)


def failing_at(name: str, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the reports of one submission fail to be written."""
    write = OutputFolder.write_report

    def refuse(self: OutputFolder, report: Report) -> None:
        if report.submission.name == name:
            raise error
        write(self, report)

    monkeypatch.setattr(OutputFolder, "write_report", refuse)


@pytest.mark.parametrize("before", [False, True])
def test_a_report_that_cannot_be_written_costs_nobody_else_a_result(
    students: Class, monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    context, _ = grading(lambda _job: RIGHT)
    if before:
        students.graded(context)
        hand_in_again(students, "bob", "newer")
    for again in (True, False):
        with monkeypatch.context() as patch:
            failing_at("bob", UnwritableError("cannot write: Permission denied"), patch)
            done = {one.report.submission.name: one for one in students.graded(context, again=again)}
        assert list(done) == (NAMES if again else ["bob"])
        bob = done.pop("bob")
        assert (bob.report.status, bob.report.reason) == ("not_graded", "cannot write: Permission denied")
        assert bob.entry.report.score == (SPEC.max_score if before else None)
        assert [one.report.status for one in done.values()] == ["graded"] * len(done)
    [last] = students.graded(context)
    assert (last.report.submission.name, last.report.status, last.entry.last_error) == ("bob", "graded", "")
    assert report(students, "bob").score == SPEC.max_score


def test_a_report_that_cannot_be_made_costs_nobody_else_a_result(
    students: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, _ = grading(lambda _job: RIGHT)
    render = pages.report_html

    def refuse(report: Report) -> bytes:
        if report.submission.name == "bob" and report.status == "graded":
            raise ZeroDivisionError("by zero")
        return render(report)

    monkeypatch.setattr(pages, "report_html", refuse)
    reports = {done.report.submission.name: done.report for done in students.graded(context)}
    assert [reports[name].status for name in NAMES] == ["graded", "not_graded", "graded", "graded"]
    assert reports["bob"].reason == "its report cannot be made: ZeroDivisionError: by zero"
    assert report(students, "bob") == reports["bob"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_stops_everybody(students: Class, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    mkdir = Path.mkdir

    def refuse(self: Path, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - as it was called
        if self.name == "bob":
            raise OSError(number, os.strerror(number))
        mkdir(self, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        with pytest.raises(GraderError, match=os.strerror(number)):
            students.graded(context)
    sandbox.jobs.clear()
    assert {done.report.submission.name for done in students.graded(context)} >= {"bob", "dan"}
    assert report(students, "bob").score == SPEC.max_score


def test_what_ended_early_is_listed_as_not_graded_and_goes_on(students: Class) -> None:
    context, _ = grading(lambda _job: RIGHT)
    with students.opened(context) as (batch, _):
        todo = students.todo(batch)
        results = batch.grade(local_workers(context, 1, ignore), todo, meanwhile=lambda: None)
        next(results)
        results.close()
        batch.conclude()
    rows = table(students)
    assert [row[:2] for row in rows] == [[name, "graded" if name == "ada" else "not_graded"] for name in NAMES]
    assert report(students, "dan").reason == NOT_YET
    assert report(students, "dan").interrupted
    assert [done.report.submission.name for done in students.graded(context)] == NAMES[1:]


def test_a_report_that_was_deleted_is_made_again_without_grading(students: Class) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    students.graded(context)
    page = students.results.folder / "cyd" / "report.html"
    before = page.read_bytes()
    page.unlink()
    sandbox.jobs.clear()
    assert students.graded(context) == []
    assert page.read_bytes() == before
    assert sandbox.jobs == []


def test_a_result_for_which_something_was_missing_holds_where_it_was_had_and_nowhere_else(students: Class) -> None:
    toolchain = TOOLCHAIN.model_copy(update={"missing": {"account": "the kernel does not tell"}})
    partly = events_of(evidence().model_copy(update={"toolchain": toolchain}))
    context, sandbox = grading(lambda _job: partly)
    students.graded(context)
    assert students.graded(context) == []
    sandbox.runner = "another kernel"
    assert len(students.graded(context)) == len(NAMES)
    complete, sandbox = grading(lambda _job: RIGHT)
    students.graded(complete, again=True)
    sandbox.runner = "another kernel"
    assert students.graded(complete) == []
