from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader import batch
from grader.batch import OUTPUTS, Output, grade_all
from grader.errors import GraderError, SandboxError, UsageError
from grader.intake.folder import Found
from grader.model.report import Report
from grader.pipeline import Grading
from grader.sandbox.base import Progress

from .batches import NAMES, RIGHT, grading, ignore, owner
from .facts import evidence, run
from .lab import SPEC
from .sandboxes import Script, events_of


def failing(name: str, error: Exception) -> Script:
    return lambda job: [error] if owner(job) == name else RIGHT


def run_all(setting: Grading, found: Sequence[Found], output: Output, jobs: int = 1) -> list[Report]:
    return list(grade_all(setting, found, output, jobs, ignore))


def test_one_job_grades_in_order_on_all_cpus(found: list[Found], output: Output) -> None:
    setting, place = grading(lambda _job: RIGHT)
    reports = run_all(setting, found, output)
    assert [report.submission.name for report in reports] == NAMES
    assert place.slots == [0] * len(NAMES)


def test_each_report_is_written_before_it_is_told(found: list[Found], output: Output) -> None:
    setting, _ = grading(lambda _job: RIGHT)
    for report in grade_all(setting, found, output, 1, ignore):
        folder = output.folder / report.submission.name
        assert json.loads((folder / "report.json").read_bytes())["score"] == SPEC.max_score
        assert b"<html" in (folder / "report.html").read_bytes()


def test_the_overview_lists_all_by_name(found: list[Found], output: Output) -> None:
    setting, _ = grading(lambda _job: RIGHT)
    output.write_overview(run_all(setting, found, output)[::-1])
    rows = (output.folder / "grades.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == NAMES
    page = (output.folder / "index.html").read_text()
    assert all(f"{name}/report.html" in page for name in NAMES)


def test_progress_is_told_with_the_submission_s_name(found: list[Found], output: Output) -> None:
    seen: list[tuple[str, Progress]] = []
    setting, _ = grading(lambda _job: RIGHT)
    list(grade_all(setting, found[:2], output, 1, lambda name, event: seen.append((name, event))))
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
    found: list[Found], output: Output, error: Exception, reason: str, jobs: int
) -> None:
    setting, place = grading(failing("bob", error))
    reports = {report.submission.name: report for report in run_all(setting, found, output, jobs)}
    assert {name: report.status for name, report in reports.items()} == {
        name: "not_graded" if name == "bob" else "graded" for name in NAMES
    }
    assert (reports["bob"].reason, reports["bob"].score) == (reason, None)
    assert json.loads((output.folder / "bob" / "report.json").read_bytes())["status"] == "not_graded"
    assert place.at_work == 0


def test_a_submission_that_vanished_is_not_graded_and_no_bug(tmp_path: Path, output: Output) -> None:
    setting, _ = grading(lambda _job: RIGHT)
    [report] = run_all(setting, [Found("ghost", tmp_path / "ghost")], output)
    assert report.status == "not_graded"
    assert report.reason == f"{tmp_path / 'ghost'} cannot be read: No such file or directory"


@pytest.mark.parametrize("blocked", ["out", "out/below"])
def test_an_output_folder_that_cannot_be_is_told_before_any_work(tmp_path: Path, blocked: str) -> None:
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(UsageError, match="results cannot be written to"):
        Output(tmp_path / blocked).prepare()


def test_trying_the_output_folder_leaves_nothing(output: Output) -> None:
    output.prepare()
    assert list(output.folder.iterdir()) == []


def test_wrong_outputs_lie_beside_the_report_and_not_the_last_time_s(found: list[Found], output: Output) -> None:
    wrong = events_of(evidence({"many.copy": run("many.copy", b"wrong")}))
    list(grade_all(grading(lambda _job: wrong)[0], found[:1], output, 1, ignore))
    kept = output.folder / found[0].name / OUTPUTS
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {"many.copy.output": b"wrong"}
    (kept / "mine.txt").write_bytes(b"somebody's")
    list(grade_all(grading(lambda _job: RIGHT)[0], found[:1], output, 1, ignore))
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]


def test_a_submission_s_outputs_are_kept_up_to_a_limit(
    found: list[Found], output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "KEPT_BYTES", 7)
    wrong = events_of(evidence({f"many.{case}": run(f"many.{case}", b"wrong") for case in ("copy", "piped")}))
    list(grade_all(grading(lambda _job: wrong)[0], found[:1], output, 1, ignore))
    assert len(list((output.folder / found[0].name / OUTPUTS).iterdir())) == 1
