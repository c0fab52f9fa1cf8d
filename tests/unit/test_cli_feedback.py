"""Zips of reports, read as Canvas and Moodle read them.

The two readers below follow what these systems publish:

- Canvas, "upload graded submissions": app/models/abstract_assignment.rb of canvas-lms (before: assignment.rb),
  `infer_comment_context_from_filename`. The first two parts of a file's name that are digits only, between
  underscores, are the ids of the student and of the attachment that the student handed in. Other files are ignored.
- Moodle, "Upload multiple feedback files in a zip": mod/assign/feedback/file/importziplib.php,
  `is_valid_filename_for_import`. A part of the path is NAME_ID_assignsubmission_file, with or without `_` at its end,
  split at the first four underscores. The rest is the feedback file's name; those with `.` or `~` first are ignored.
"""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from grader.batch.course_files import CourseFiles, read_rules
from grader.batch.gradebook_file import open_gradebook
from grader.batch.result_key import lab_record
from grader.cli.exit_status import BROKEN, OK, USAGE
from grader.cli.main import status_of
from grader.course.roster import read_roster
from grader.course.rules import Rules
from grader.lab.find import load_lab
from grader.model.gradebook import Entry, Origin, Person
from grader.render.exports.feedback import feedback_paths, feedback_zip
from grader.resources import resource

from .kept_class import kept_results
from .render import factory

Output = pytest.CaptureFixture[str]
SOURCE = b"int main(void) { return 0; }\n"


def canvas_reads(path: str) -> tuple[str, str] | None:
    """Return the ids of the student and of the attachment."""
    name = path.rpartition("/")[2]
    numbers = [part for part in name.split("_") if part.isascii() and part.isdigit()]
    if name.startswith("._") or name.rpartition("_")[2].startswith("link") or len(numbers) < 2:
        return None
    return numbers[0], numbers[1]


def moodle_reads(path: str) -> tuple[str, str] | None:
    """Return the participant's id and the name of the feedback file."""
    parts = path.split("/")
    if parts[-1].startswith((".", "~")):
        return None
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdigit() and info[2:4] == ["assignsubmission", "file"]:
            return info[1], "/".join([*info[4:], *parts]).lstrip("/")
    return None


def export(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SOURCE)
    return folder


@pytest.fixture
def canvas(tmp_path: Path) -> Path:
    files = (
        "doejane_101_9001_tr2b.c",
        "doejane_101_9002_tr2u.c",
        "roe_LATE_102_9003_tr2b-1.c",
        "anon_x7_9004_tr2b.c",
    )
    return kept_results(export(tmp_path / "in", *files), tmp_path / "out")


@pytest.fixture
def moodle(tmp_path: Path) -> Path:
    folders = ("Jane Doe_201_assignsubmission_file", "Ada_B. Roe_202_assignsubmission_file_")
    return kept_results(export(tmp_path / "in", *(f"{name}/tr2b.c" for name in folders)), tmp_path / "out")


def feedback(results: Path, system: str, *options: str) -> tuple[int, dict[str, bytes]]:
    out = results.with_name("feedback.zip")
    status = status_of(["feedback", str(results), "--format", system, "--out", str(out), *options])
    if not out.exists():
        return status, {}
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        return status, {name: archive.read(name) for name in archive.namelist()}


def test_canvas_finds_each_student(canvas: Path, capsys: Output) -> None:
    status, pages = feedback(canvas, "canvas")
    assert {canvas_reads(path) for path in pages} == {("101", "9001"), ("102", "9003")}
    assert all(b"<!DOCTYPE html>" in page for page in pages.values())
    # An anonymous code identifies nobody.
    assert status == BROKEN
    output = capsys.readouterr()
    assert "2 reports of 3 written" in output.out
    assert "Canvas cannot tell whose report it would be" in output.err


def test_moodle_finds_each_student(moodle: Path) -> None:
    status, pages = feedback(moodle, "moodle")
    assert {moodle_reads(path) for path in pages} == {("201", "report.html"), ("202", "report.html")}
    assert status == OK


def test_who_was_not_graded_has_no_report(canvas: Path, capsys: Output) -> None:
    with open_gradebook(canvas, "tr2", print) as book:
        (entry,) = [one for one in book.entries() if one.origin.people[0].id == "101"]
        not_graded = factory.not_graded().model_copy(update={"lab": "tr2", "submission": entry.report.submission})
        book.put(entry.origin, "", not_graded)
    status, pages = feedback(canvas, "canvas")
    assert status == BROKEN
    assert {canvas_reads(path) for path in pages} == {("102", "9003")}
    assert "doejane-101" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "shown"), [((), False), (("--also", "after_due_date"), True)])
def test_students_do_not_see_hidden_checks(tmp_path: Path, options: tuple[str, ...], *, shown: bool) -> None:
    spec = resource("specs", "tr2.yaml").read_text("utf-8")
    assert "  - name: byte-ff\n" in spec
    lab = tmp_path / "lab.yaml"
    lab.write_text(spec.replace("  - name: byte-ff\n", "  - name: byte-ff\n    visibility: after_due_date\n", 1))
    results = kept_results(export(tmp_path / "in", "doejane_101_9001_tr2b.c"), tmp_path / "out", str(lab))
    status, pages = feedback(results, "canvas", "--lab", str(lab), *options)
    assert status == OK
    (page,) = pages.values()
    assert (b"byte-ff" in page) == shown
    assert (b"not shown here" in page) != shown
    assert b"Not for students" not in page


@pytest.mark.parametrize("is_readable", [True, False])
def test_without_a_lab_the_gradebook_says_what_is_hidden(
    tmp_path: Path, capsys: Output, *, is_readable: bool
) -> None:
    spec = resource("specs", "tr2.yaml").read_text("utf-8")
    lab = tmp_path / "lab.yaml"
    lab.write_text(spec.replace("  - name: byte-ff\n", "  - name: byte-ff\n    visibility: hidden\n", 1))
    results = kept_results(export(tmp_path / "in", "doejane_101_9001_tr2b.c"), tmp_path / "out", str(lab))
    with open_gradebook(results, "tr2", print) as book:
        record = lab_record(*load_lab(str(lab)))
        # The spec of an earlier version may have keys that this one does not know.
        book.record_run(record if is_readable else record.model_copy(update={"spec": '{"lab": "tr2", "old": 1}'}))
    lab.unlink()
    status, pages = feedback(results, "canvas")
    if not is_readable:
        assert (status, pages) == (USAGE, {})
        assert "give the lab as it was with --lab" in capsys.readouterr().err
        return
    assert status == OK
    (page,) = pages.values()
    assert b"byte-ff" not in page
    assert b"not shown here" in page


@pytest.mark.parametrize(
    ("system", "options", "words"),
    [
        ("moodle", (), "has no submission from an export of Moodle"),
        ("canvas", ("--lab", "copybuf"), "copybuf has changed since these results"),
    ],
)
def test_a_wrong_command_line_writes_nothing(
    canvas: Path, capsys: Output, system: str, options: tuple[str, ...], words: str
) -> None:
    assert feedback(canvas, system, *options) == (USAGE, {})
    assert words in capsys.readouterr().err


def test_results_of_several_versions_are_refused(canvas: Path, capsys: Output) -> None:
    with open_gradebook(canvas, "tr2", print) as book:
        entry = book.entries()[0]
        report = book.report(entry.name)
        assert report is not None
        book.put(entry.origin, "other", report.model_copy(update={"lab_digest": "sha256:" + "7" * 64}))
    assert feedback(canvas, "canvas") == (USAGE, {})
    assert "several versions of the lab" in capsys.readouterr().err


def test_a_file_that_is_not_a_zip_is_kept(canvas: Path, capsys: Output) -> None:
    canvas.with_name("feedback.zip").write_text("mine")
    with pytest.raises(zipfile.BadZipFile):
        feedback(canvas, "canvas")
    assert "is not a zip" in capsys.readouterr().err
    assert canvas.with_name("feedback.zip").read_text() == "mine"


def test_a_device_is_not_read(canvas: Path, capsys: Output) -> None:
    assert status_of(["feedback", str(canvas), "--format", "canvas", "--out", "/dev/zero"]) == USAGE
    assert "is not a zip" in capsys.readouterr().err


def keep_rules(results: Path, **files: str) -> None:
    """Keep files of a course in the gradebook, as grading with them does."""
    paths = {}
    for name, text in files.items():
        paths[name] = results.parent / f"{name}.txt"
        paths[name].write_text(text)
    with open_gradebook(results, "tr2", print) as book:
        spec, _ = load_lab("tr2")
        book.keep_rules(read_rules(CourseFiles(**paths), [], [], book.rules(), spec, pytest.fail))


def test_an_attempt_that_does_not_count_has_no_report(tmp_path: Path, capsys: Output) -> None:
    names = ("doejane_101_9001_tr2b.c", "roe_102_9003_tr2b.c")
    results = kept_results(export(tmp_path / "in", *names), tmp_path / "out")
    with open_gradebook(results, "tr2", print) as book:
        first = next(one for one in book.entries() if one.origin.people[0].id == "101")
        report = book.report(first.name)
        assert report is not None
        again = report.submission.model_copy(update={"name": "doejane-again"})
        book.put(first.origin, "again", report.model_copy(update={"submission": again, "score": 1.0}))
    keep_rules(results, course="attempts: best\n")
    status, pages = feedback(results, "canvas")
    said = capsys.readouterr()
    assert status == OK
    assert {canvas_reads(path) for path in pages} == {("101", "9001"), ("102", "9003")}
    assert "2 reports of 2 written" in said.out
    assert "without a report (1): doejane-again: another attempt of theirs counts" in said.err


def test_reports_show_the_final_score(canvas: Path) -> None:
    keep_rules(
        canvas, overrides='overrides:\n- {student: "101", total: {points: 60.25, reason: the oral examination}}\n'
    )
    _, pages = feedback(canvas, "canvas")
    by_student = {canvas_reads(path): page for path, page in pages.items()}
    page, other = by_student["101", "9001"], by_student["102", "9003"]
    assert b"60.25" in page
    assert b"the oral examination" in page
    assert b"60.25" not in other


def test_tables_have_final_scores_and_who_handed_in_nothing(canvas: Path) -> None:
    keep_rules(
        canvas,
        course="deadline: 2026-05-04 23:59 +00:00\nlate: {penalty: 10 points}\n",
        roster="Student,ID,SIS Login ID\nDoe Jane,101,jdoe\nRoe,102,roe\nIll,301,ill\nOral,302,oral\n",
        overrides=(
            "overrides:\n- {student: roe, submitted: 2026-05-05 01:00 +00:00}\n- {student: ill, excused: ill}\n"
            "- {student: oral, total: {points: 60.25, reason: oral exam}}\n"
        ),
    )
    assert status_of(["render", str(canvas)]) == OK
    with (canvas / "canvas.csv").open(encoding="utf-8", newline="") as file:
        scores = {row[1]: row[-1] for row in csv.reader(file) if row[1].isdigit()}
    assert scores == {"101": "100", "102": "90", "301": "EX", "302": "60.25"}


HOSTILE = (
    *("../../etc", "..\\..\\x", "a\nb", "_77_assignsubmission_file_", "._x", "~x", "CON", "/" * 9, "", "C:\\x"),
    *("77_88", "77", "李" * 80, "\u202etxt", "\ud800", "\x85", "LATE"),
)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_do_not_lead_out_of_the_zip_or_to_somebody_else(name: str) -> None:
    people = (Person(name=name, id="12"),)
    entry = Entry(name="x", origin=Origin(path="in/x", system="moodle", people=people), report=factory.report())
    (path,) = feedback_paths(entry, "moodle")
    assert moodle_reads(path) == ("12", "report.html")
    file = f"{name.replace('/', '-')}_12_34_many.c"
    entry = Entry(name="x", origin=Origin(path=f"in/{file}", system="canvas", people=people), report=factory.report())
    written = next(iter(feedback_paths(entry, "canvas")), None)
    # If two numbers come first, it is not clear which is the student's; Canvas itself writes no name that is empty.
    assert written is None or canvas_reads(written) == ("12", "34")
    assert (written is None) == (name in ("", "77_88"))
    paths = [path, *([written] if written else [])]
    with zipfile.ZipFile(io.BytesIO(feedback_zip((one, b"page") for one in paths))) as archive:
        assert archive.namelist() == paths
        assert not any(one.is_dir() or one.external_attr >> 28 == 0xA for one in archive.infolist())
    for one in paths:
        assert not PurePosixPath(one).is_absolute()
        assert not PureWindowsPath(one).drive
        assert "\\" not in one
        assert ".." not in one.split("/")
        assert not one.startswith(("/", ".", "~"))
        assert one.isprintable()
        assert all(len(part.encode()) <= 255 for part in one.split("/"))


def test_each_of_a_group_in_moodle_has_a_report_if_all_have_numbers() -> None:
    ada, bob, team = Person(name="Ada", id="1"), Person(name="Bob", id="2"), Person(name="Team")

    def readers(*people: Person) -> list[tuple[str, str] | None]:
        origin = Origin(path="in/Team_17_assignsubmission_file", system="moodle", people=people)
        return [*map(moodle_reads, feedback_paths(Entry(name="x", origin=origin, report=factory.report()), "moodle"))]

    assert readers(ada, bob) == [("1", "report.html"), ("2", "report.html")]
    assert readers(ada, team) == readers(team) == []


def test_a_group_in_canvas_has_the_report_of_who_handed_in() -> None:
    people = (Person(name="Ada", id="1"), Person(name="Bob", id="2"))
    entry = Entry(
        name="x", origin=Origin(path="in/team_2_9_many.c", system="canvas", people=people), report=factory.report()
    )
    assert [*map(canvas_reads, feedback_paths(entry, "canvas"))] == [("2", "9")]


WORKSHEET = """\
Identifier,Full name,Email address,Status,Group,Grade,Last modified (grade)
Participant 17,Zed Other,zed@x.edu,Submitted,Team B,,-
Participant 501,Ann Aye,ann@x.edu,Submitted,Team A,,-
Participant 502,Bob Bee,bob@x.edu,Submitted,Team A,,-
"""


def test_reports_of_groups_reach_the_members_of_the_worksheet(tmp_path: Path, capsys: Output) -> None:
    names = ("Team A_17_assignsubmission_file", "Team C_501_assignsubmission_file")
    results = kept_results(export(tmp_path / "in", *(f"{name}/tr2b.c" for name in names)), tmp_path / "out")
    with open_gradebook(results, "tr2", print) as book:
        book.keep_rules(Rules(roster=read_roster(WORKSHEET.encode())))
    status, pages = feedback(results, "moodle")
    assert {moodle_reads(path) for path in pages} == {("501", "report.html"), ("502", "report.html")}
    assert status == BROKEN
    output = capsys.readouterr()
    assert "1 report of 2 written" in output.out
    assert "teamc-501" in output.err


def test_the_same_reports_make_the_same_zip() -> None:
    pages = [("a/report.html", b"a"), ("b/report.html", b"b")]
    assert feedback_zip(pages) == feedback_zip(pages)
    assert zipfile.ZipFile(io.BytesIO(feedback_zip(pages))).namelist() == ["a/report.html", "b/report.html"]
