"""Uploading to Canvas, against a server that follows its published API (tests/canvas_server.py)."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.batch.course_files import CourseFiles, read_rules
from grader.batch.gradebook_file import open_gradebook
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK, USAGE
from grader.cli.main import status_of
from grader.lab.find import load_lab
from grader.resources import resource
from tests.canvas_server import ASSIGNMENT, COURSE, TOKEN, CanvasServer, canvas_server, student

from .kept_class import kept_results, report_of
from .render import factory

Output = pytest.CaptureFixture[str]
FILES = ("doejane_101_9001_tr2b.c", "roe_LATE_102_9003_tr2b.c", "chan_103_9005_tr2b.c")
ROSTER = {"Doe, Jane": 101, "Roe, Sam": 102, "Chan, Li": 103, "Kim, Ann": 104, "Diaz, Eva": 105}
SECRET = TOKEN.partition("~")[2]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"int main(void) { return 0; }\n")
    return kept_results(tmp_path / "in", tmp_path / "out")


@pytest.fixture
def server() -> Iterator[CanvasServer]:
    with canvas_server(CanvasServer({number: student(number) for number in (101, 102, 103, 104)})) as one:
        yield one


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANVAS_API_TOKEN", TOKEN)


def upload(results: Path, server: CanvasServer, *options: str) -> int:
    where = ("--url", server.address, "--course", str(COURSE), "--assignment", str(ASSIGNMENT))
    return status_of(["canvas", str(results), *where, *options])


def scores(server: CanvasServer) -> dict[int, float | None]:
    return {number: one["score"] for number, one in server.students.items()}


def keep_override(results: Path, override: dict[str, object]) -> None:
    """Keep an override in the gradebook, as grading with overrides.yaml does."""
    path = results.parent / "overrides.yaml"
    path.write_text(json.dumps({"overrides": [{"student": "101", **override}]}))  # JSON is YAML
    with open_gradebook(results, "tr2", print) as book:
        files = CourseFiles(overrides=path)
        book.keep_rules(read_rules(files, [], [], book.rules(), load_lab("tr2")[0], pytest.fail))


def test_scores_and_reports_are_uploaded_once(results: Path, server: CanvasServer, capsys: Output) -> None:
    assert upload(results, server) == OK
    assert scores(server) == {101: 100.0, 102: 100.0, 103: 100.0, 104: None}
    assert len(server.uploads) == 3
    assert all(page.startswith(b"<!DOCTYPE html>") for _, page in server.uploads)
    said = capsys.readouterr()
    assert "3 of 3 students changed in Lab 2; 0 already up to date" in said.out
    assert SECRET not in said.out + said.err
    comments = [one["comment"] for one in server.students[101]["submission_comments"]]
    assert any("Your report is attached" in comment for comment in comments)
    changes = len(server.changes)
    assert upload(results, server) == OK
    assert len(server.changes) == changes
    assert len(server.uploads) == 3
    assert "0 of 3 students changed in Lab 2; 3 already up to date" in capsys.readouterr().out


def test_a_dry_run_changes_nothing(results: Path, server: CanvasServer, capsys: Output) -> None:
    server.students[102] |= {"score": 40.0, "entered_score": 40.0}
    assert upload(results, server, "--dry-run") == OK
    assert (server.changes, server.uploads) == ([], [])
    said = capsys.readouterr().out
    assert "doejane-101: - to 100, comment, report-" in said
    assert "roe-102: 40 to 100" in said
    assert "3 of 3 students would be changed in Lab 2; 0 already up to date; nothing was uploaded (--dry-run)" in said


def test_only_what_differs_is_uploaded(results: Path, server: CanvasServer) -> None:
    assert upload(results, server, "--no-reports") == OK
    assert server.uploads == []
    server.changes.clear()
    server.students[103] |= {"score": 1.0, "entered_score": 1.0}
    assert upload(results, server, "--no-reports") == OK
    assert server.changes == [(103, {"submission[posted_grade]": ["100"]})]


def test_points_that_canvas_takes_off_itself_are_not_put_back(results: Path, server: CanvasServer) -> None:
    server.students[102] |= {"score": 80.0, "entered_score": 100.0, "points_deducted": 20.0}
    assert upload(results, server, "--no-reports") == OK
    assert 102 not in dict(server.changes)


def test_somebody_whom_the_assignment_does_not_have_is_named(
    results: Path, server: CanvasServer, capsys: Output
) -> None:
    del server.students[103]
    assert upload(results, server) == BROKEN
    assert scores(server) == {101: 100.0, 102: 100.0, 104: None}
    assert "left out (1): chan-103: the assignment in Canvas has no such student" in capsys.readouterr().err


def test_who_was_not_graded_keeps_the_score_in_canvas(results: Path, server: CanvasServer, capsys: Output) -> None:
    server.students[101] |= {"score": 55.0, "entered_score": 55.0}
    with open_gradebook(results, "tr2", print) as book:
        (entry,) = [one for one in book.entries() if one.origin.people[0].id == "101"]
        not_graded = factory.not_graded().model_copy(update={"lab": "tr2", "submission": entry.report.submission})
        book.put(entry.origin, "", not_graded)
    assert upload(results, server) == BROKEN
    assert scores(server)[101] == 55.0
    assert "left out (1): doejane-101: not graded" in capsys.readouterr().err


def test_a_decision_that_changes_no_points_is_in_the_comment(results: Path, server: CanvasServer) -> None:
    keep_override(results, {"use": [{"file": "main.c", "as": "tr2b.c"}]})
    assert upload(results, server, "--no-reports") == OK
    [comment] = server.students[101]["submission_comments"]
    assert comment["comment"] == "<p>Computed score 100. main.c counts as tr2b.c. Final score 100.</p>"


def test_who_handed_in_nothing_and_is_excused_or_has_a_total_is_uploaded_too(
    results: Path, server: CanvasServer, capsys: Output
) -> None:
    roster, overrides = results.parent / "roster.csv", results.parent / "overrides.yaml"
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section"]
    rows += [f'"{name}",{number},{number},{name[:3].lower()},A' for name, number in ROSTER.items()]
    roster.write_text("\n".join(rows) + "\n")
    decided = [
        {"student": "104", "total": {"points": 70, "reason": "handed in on paper"}, "comment": "See me."},
        {"student": "105", "excused": "ill"},
    ]
    overrides.write_text(json.dumps({"overrides": decided}))
    with open_gradebook(results, "tr2", print) as book:
        files = CourseFiles(overrides=overrides, roster=roster)
        book.keep_rules(read_rules(files, [], [], book.rules(), load_lab("tr2")[0], pytest.fail))
    server.students[105] = student(105)
    assert upload(results, server, "--no-reports") == OK
    assert scores(server) == {101: 100.0, 102: 100.0, 103: 100.0, 104: 70.0, 105: None}
    assert server.students[105]["excused"] is True
    [comment] = server.students[104]["submission_comments"]
    assert comment["comment"] == "<p>Final score 70: handed in on paper. See me.</p>"
    assert server.students[105]["submission_comments"] == []
    assert "5 of 5 students changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("override", "there"),
    [
        ({"excused": "ill"}, (None, True, "")),
        ({"total": {"points": 60.5, "reason": "oral exam"}}, (60.5, False, "oral exam")),
        ({"comment": "See <me> & bring it"}, (100.0, False, "See &lt;me&gt; &amp; bring it")),
    ],
)
def test_final_scores_and_comments_of_the_course_are_uploaded(
    results: Path, server: CanvasServer, override: dict[str, object], there: tuple[float | None, bool, str]
) -> None:
    keep_override(results, override)
    assert upload(results, server, "--no-reports") == OK
    submission = server.students[101]
    assert (submission["score"], submission["excused"]) == there[:2]
    assert there[2] in "".join(one["comment"] for one in submission["submission_comments"])
    changes = len(server.changes)
    assert upload(results, server, "--no-reports") == OK
    assert len(server.changes) == changes


def test_students_do_not_see_hidden_checks(tmp_path: Path, server: CanvasServer) -> None:
    spec = resource("specs", "tr2.yaml").read_text("utf-8")
    lab = tmp_path / "lab.yaml"
    lab.write_text(spec.replace("  - name: byte-ff\n", "  - name: byte-ff\n    visibility: hidden\n", 1))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / FILES[0]).write_bytes(b"int main;")
    results = kept_results(tmp_path / "in", tmp_path / "out", str(lab))
    assert upload(results, server, "--lab", str(lab)) == OK
    ((_, page),) = server.uploads
    assert b"byte-ff" not in page


@pytest.mark.parametrize("status", [403, 404, 422, 500, 503])
def test_a_refusal_is_one_sentence(results: Path, server: CanvasServer, capsys: Output, status: int) -> None:
    server.failures += [status]
    assert upload(results, server) == BROKEN
    said = capsys.readouterr().err
    assert "Canvas" in said
    assert len(said.splitlines()) == 1
    assert "Traceback" not in said
    assert SECRET not in said


@pytest.mark.slow
@pytest.mark.long
def test_too_many_requests_are_asked_again(results: Path, server: CanvasServer) -> None:
    server.failures += [0, 429, 429]
    assert upload(results, server) == OK
    assert scores(server)[101] == 100.0


def test_after_an_error_in_between_the_same_command_goes_on(
    results: Path, server: CanvasServer, capsys: Output
) -> None:
    server.fail_after = 4
    assert upload(results, server) == BROKEN
    said = capsys.readouterr()
    assert "the same command goes on from there" in said.err
    assert "of 3 students changed" in said.out
    server.fail_after = None
    assert upload(results, server) == OK
    assert scores(server) == {101: 100.0, 102: 100.0, 103: 100.0, 104: None}
    comments = [one["submission_comments"] for number, one in server.students.items() if number != 104]
    assert all(len(one) == 2 for one in comments), "no comment twice"


def test_ctrl_c_keeps_what_was_done(
    results: Path, server: CanvasServer, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    from grader.batch.canvas import CanvasAssignment  # noqa: PLC0415 - as the command does

    put = CanvasAssignment.upload

    def interrupted(self: CanvasAssignment, change: Any) -> None:  # noqa: ANN401 - as it is called
        if change.result.user_id == "102":
            raise KeyboardInterrupt
        put(self, change)

    monkeypatch.setattr(CanvasAssignment, "upload", interrupted)
    assert upload(results, server) == INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err
    assert scores(server)[101] == 100.0


def test_a_wrong_token_is_reported_and_not_shown(
    results: Path, server: CanvasServer, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setenv("CANVAS_API_TOKEN", "7~wrong-secret")
    assert upload(results, server) == BROKEN
    said = capsys.readouterr().err
    assert "Canvas does not accept the access token in CANVAS_API_TOKEN" in said
    assert "wrong-secret" not in said


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nfeed", "schlüssel"])
def test_what_cannot_be_a_token_is_not_sent(
    results: Path, server: CanvasServer, monkeypatch: pytest.MonkeyPatch, capsys: Output, value: str
) -> None:
    monkeypatch.setenv("CANVAS_API_TOKEN", value)
    assert upload(results, server) == USAGE
    assert server.tokens == []
    said = capsys.readouterr().err
    assert "CANVAS_API_TOKEN" in said
    assert not value.strip() or value not in said


@pytest.mark.parametrize(
    "url", ["http://canvas.example.edu", "ftp://x", "https://me:pw@canvas.example.edu", "https://"]
)
def test_the_token_is_sent_only_where_it_is_safe(results: Path, capsys: Output, url: str) -> None:
    assert upload(results, CanvasServer({}, address=url)) == USAGE
    assert "give the address of Canvas as https://" in capsys.readouterr().err


def test_the_token_does_not_follow_to_another_server(results: Path, server: CanvasServer, capsys: Output) -> None:
    with canvas_server(CanvasServer({101: student(101)})) as other:
        server.redirect_to = other.address
        assert upload(results, server) == BROKEN
        assert other.tokens == [None]
        assert other.changes == []
    assert SECRET not in "".join(capsys.readouterr())


def test_no_answer_is_one_sentence(results: Path, server: CanvasServer, capsys: Output) -> None:
    address = "http://127.0.0.1:9"
    assert upload(results, CanvasServer({}, address=address)) == BROKEN
    said = capsys.readouterr().err
    assert "Canvas does not answer" in said
    assert SECRET not in said
    assert server.tokens == []


def test_an_assignment_with_other_points_is_refused(results: Path, server: CanvasServer, capsys: Output) -> None:
    server.points_possible = 10.0
    assert upload(results, server) == USAGE
    assert "Lab 2 has 10 points in Canvas and 100 in the lab" in capsys.readouterr().err
    assert server.changes == []


def test_results_that_did_not_come_from_canvas_are_refused(
    tmp_path: Path, server: CanvasServer, capsys: Output
) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "tr2b.c").write_text("int main;")
    assert upload(kept_results(tmp_path / "in", tmp_path / "out"), server) == USAGE
    assert "no submission from an export of Canvas" in capsys.readouterr().err
    assert server.tokens == []


def test_mixed_versions_are_refused(results: Path, server: CanvasServer, capsys: Output) -> None:
    with open_gradebook(results, "tr2", print) as book:
        entry = book.entries()[0]
        report = report_of(load_lab("tr2")[0])
        other = report.model_copy(update={"submission": entry.report.submission, "lab_digest": "sha256:other"})
        book.put(entry.origin, "key", other)
    assert upload(results, server) == USAGE
    assert "several versions of the lab" in capsys.readouterr().err
    assert server.changes == []


def test_without_the_library_it_says_what_to_install(
    results: Path, server: CanvasServer, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    find: Callable[..., Any] = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as it is called
        if name.startswith("grader.batch.canvas"):
            raise ModuleNotFoundError(name="canvasapi")
        return find(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert upload(results, server) == USAGE
    assert "`grader canvas` needs canvasapi; install iolab-grader[canvas]" in capsys.readouterr().err


def plain_class(folder: Path, rows: list[str], *names: str) -> Path:
    """Return results of folders with these names, and of the students in a table of Canvas's gradebook."""
    for name in names:
        (folder / "in" / name).mkdir(parents=True)
        (folder / "in" / name / "tr2b.c").write_bytes(b"int main(void) { return 0; }\n")
    results, roster = kept_results(folder / "in", folder / "out"), folder / "roster.csv"
    roster.write_text("\n".join(["Student,ID,SIS User ID,SIS Login ID,Section", *rows, ""]))
    with open_gradebook(results, "tr2", print) as book:
        files = CourseFiles(roster=roster)
        book.keep_rules(read_rules(files, [], [], book.rules(), load_lab("tr2")[0], pytest.fail))
    return results


def test_canvass_gradebook_says_who_is_who_of_those_who_handed_in_elsewhere(
    tmp_path: Path, server: CanvasServer, capsys: Output
) -> None:
    rows = ['"Doe, Jane",101,0101,jdoe,A', '"Roe, Sam",102,0102,sroe,A', '"Kim, Ann",104,0104,akim,A']
    assert upload(plain_class(tmp_path, rows, "jdoe", "0102", "stranger"), server) == BROKEN
    assert scores(server) == {101: 100.0, 102: 100.0, 103: None, 104: None}
    assert len(server.uploads) == 2
    said = capsys.readouterr()
    assert "left out (1): stranger: neither the export nor the roster has their numbers in Canvas" in said.err
    assert "2 of 3 students changed in Lab 2" in said.out


def test_a_class_without_numbers_of_canvas_is_refused(tmp_path: Path, server: CanvasServer, capsys: Output) -> None:
    (tmp_path / "in" / "jdoe").mkdir(parents=True)
    (tmp_path / "in" / "jdoe" / "tr2b.c").write_bytes(b"int main(void) { return 0; }\n")
    assert upload(kept_results(tmp_path / "in", tmp_path / "out"), server) == USAGE
    assert "grade with --roster and the export of Canvas's gradebook" in capsys.readouterr().err
    assert server.tokens == []


def test_of_several_submissions_of_a_student_none_is_uploaded(
    tmp_path: Path, server: CanvasServer, capsys: Output
) -> None:
    rows = ['"Doe, Jane",101,0101,jdoe,A', '"Roe, Sam",102,0102,sroe,A']
    assert upload(plain_class(tmp_path, rows, "jdoe", "0101", "sroe"), server) == BROKEN
    assert scores(server) == {101: None, 102: 100.0, 103: None, 104: None}
    assert "left out (2): 0101, jdoe: of the same student; say in course.yaml" in capsys.readouterr().err
