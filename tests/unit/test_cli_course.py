"""Policies, overrides and a roster through `grader grade` and `grader render`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.batch.course_files import CourseFiles, read_rules
from grader.cli.exit_status import BROKEN, OK, USAGE
from grader.cli.main import status_of
from grader.course.rules import Rules
from grader.lab.find import load_lab

from .lab import DOCUMENT, SPEC
from .test_cli_grade import RIGHT, Chosen

Output = pytest.CaptureFixture[str]

METADATA = """\
---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0123'
    :email: ada@example.edu
  :created_at: 2026-05-05 10:00:00.000000000 Z
submission_2:
  :submitters:
  - :name: Bob B.
    :sid: '222'
    :email: bob@example.edu
  :created_at: 2026-05-04 10:00:00.000000000 Z
"""
COURSE = """\
deadline: 2026-05-04 23:59 +00:00
grace: 15 min
late: {penalty: 10 %, per: day, at_most: 50 %}
extensions:
  - {student: grace@example.edu, until: 2026-06-01 12:00 Europe/Berlin}
"""
ROSTER = 'name,email,id,section\nAda Lovelace,ada@example.edu,0123,A\n"=cmd()",grace@example.edu,333,B\n'


@pytest.fixture(autouse=True)
def _class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    Path("copy.yaml").write_text(json.dumps(DOCUMENT))
    for number in (1, 2):
        folder = Path(f"in/submission_{number}")
        folder.mkdir(parents=True)
        for program in SPEC.programs.values():
            (folder / program.main_source).write_text(str(number))
    Path("in/submission_metadata.yml").write_text(METADATA)
    Chosen(lambda _job: RIGHT, monkeypatch)


ADA, BOB = "adalovelace-0123", "bobb-222"


def grade(*arguments: str, path: str = "in") -> int:
    return status_of(["grade", path, *arguments, "--lab", "copy.yaml", "--out", "out"])


def rows() -> dict[str, Mapping[str, str]]:
    with Path("out/grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"] or row["student"]: row for row in csv.DictReader(file)}


def report(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("out", name, "report.json").read_bytes())
    return found


def everything() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in Path("out").rglob("*") if path.suffix in (".csv", ".html", ".json")
    }


def test_without_files_of_a_course_nothing_is_longer(capsys: Output) -> None:
    assert grade() == OK
    assert not {"final_score", "section"} & rows()[ADA].keys()
    assert report(ADA)["grade"] is None
    said = capsys.readouterr()
    assert "final" not in said.out + said.err
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert "Final" not in page
    assert "Section" not in page


def test_a_policy_changes_the_final_score_and_not_the_computed_one(capsys: Output) -> None:
    Path("course.yaml").write_text(COURSE)
    assert grade() == OK
    most = SPEC.max_score
    said = capsys.readouterr().err
    assert "final scores follow course.yaml" in said
    assert "course.yaml:5: extensions.0: nobody is called 'grace@example.edu'" in said
    assert "left alone" not in said
    ada = report(ADA)
    assert ada["score"] == most
    assert ada["grade"]["final"] == pytest.approx(most * 0.9)
    assert ada["grade"]["submitted_at"] == "2026-05-05 10:00:00 UTC"
    assert [(one["kind"], one["points"]) for one in ada["grade"]["adjustments"]] == [
        ("late", pytest.approx(-most / 10))
    ]
    assert report(BOB)["grade"]["adjustments"] == []
    assert float(rows()[ADA]["score"]) == most
    assert float(rows()[ADA]["final_score"]) == pytest.approx(most * 0.9)
    assert "10 % for each day" in rows()[ADA]["policy"]
    assert "Computed by the grader" in Path("out", ADA, "report.html").read_text(encoding="utf-8")


def test_overrides_survive_regrading_and_render_shows_the_same() -> None:
    Path("course.yaml").write_text(COURSE)
    check = next(iter(report_checks()))
    Path("overrides.yaml").write_text(
        f"overrides:\n"
        f"- {{student: 123, checks: [{{check: {check}, points: 0, reason: copied}}], comment: see me}}\n"
        f"- {{student: bob@example.edu, total: {{points: 1.5, reason: appeal}}}}\n"
    )
    assert grade() == OK
    kept = everything()
    assert report(BOB)["grade"]["final"] == 1.5
    assert report(ADA)["grade"]["comment"] == "see me"
    assert [one["kind"] for one in report(ADA)["grade"]["adjustments"]] == ["check", "late"]
    assert grade("--no-cache") == OK
    assert report(BOB)["grade"]["final"] == 1.5
    for name in kept:
        Path(name).unlink()
    assert status_of(["render", "out"]) == OK
    assert {name: data for name, data in everything().items() if "index" not in name} == {
        name: data for name, data in kept.items() if "index" not in name
    }


def report_checks() -> list[str]:
    return [f"{program}.{item.name}" for item in SPEC.rubric for program in item.points]


def test_reports_of_unchanged_submissions_follow_a_changed_file(capsys: Output) -> None:
    Path("course.yaml").write_text(COURSE)
    assert grade() == OK
    Path("course.yaml").write_text(COURSE.replace("10 %", "20 %"))
    capsys.readouterr()
    assert grade() == OK
    assert "2 unchanged since graded" in capsys.readouterr().out
    assert report(ADA)["grade"]["final"] == pytest.approx(SPEC.max_score * 0.8)


def test_a_file_that_is_gone_still_applies(capsys: Output) -> None:
    Path("course.yaml").write_text(COURSE)
    assert grade() == OK
    Path("course.yaml").unlink()
    assert grade() == OK
    assert "course.yaml is no longer there; its content of the last run still applies" in capsys.readouterr().err
    assert report(ADA)["grade"]["final"] == pytest.approx(SPEC.max_score * 0.9)
    Path("none.yaml").write_text("{}\n")
    assert grade("--course", "none.yaml") == OK
    assert report(ADA)["grade"] is None


def test_a_file_is_used_as_another() -> None:
    source = next(iter(SPEC.sources))
    Path("in/submission_1", source).rename(Path("in/submission_1/final version.c"))
    assert grade() == OK
    before = report(ADA)["submission"]["digest"]
    Path("overrides.yaml").write_text(
        f"overrides:\n- {{student: Ada Lovelace, use: [{{file: final version.c, as: {source}}}]}}\n"
    )
    assert grade() == OK
    after = report(ADA)
    assert after["submission"]["digest"] != before
    assert after["score"] == SPEC.max_score
    assert any(f"final version.c was graded as {source}" in note for note in after["notes"])


def test_a_file_to_use_that_is_not_there_keeps_the_grade(capsys: Output) -> None:
    source = next(iter(SPEC.sources))
    assert grade() == OK
    Path("overrides.yaml").write_text(f"overrides:\n- {{student: '0123', use: [{{file: none.c, as: {source}}}]}}\n")
    assert grade() == BROKEN
    assert f"has no file 'none.c' to use as {source}; its files: " in capsys.readouterr().out
    assert report(ADA)["score"] == SPEC.max_score
    assert "none.c" in rows()[ADA]["trouble"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("course.yaml", "deadline: 2026-05-04 23:59\n", "course.yaml:1: deadline: a time without a zone"),
        ("course.yaml", "deadlin: x\n", "course.yaml:1: deadlin: unknown key 'deadlin'; did you mean 'deadline'?"),
        (
            "course.yaml",
            "deadline: 2026-05-04 23:59 Z\nlate: {penalty: 110 %}\n",
            "course.yaml:2: late.penalty: expected at most 100 %",
        ),
        ("course.yaml", "grace: day\ngrace: day\n", "course.yaml:2: not valid YAML: found duplicate key"),
        ("course.yaml", "grace: day\n", "course.yaml:1: grace: there is no deadline to which this could apply"),
        ("course.yaml", b"\xff\xfe", "course.yaml:1: is not UTF-8 text"),
        ("course.yaml", b"#" * 10_000_001, "course.yaml: has more than 10,000,000 bytes"),
        (
            "overrides.yaml",
            "overrides:\n- {student: a, checks: [{check: many.txt, points: 1, reason: r}]}\n",
            "overrides.yaml:2: overrides.0.checks.0.check: the lab copy has no check 'many.txt'; did you mean",
        ),
        (
            "overrides.yaml",
            "overrides:\n- {student: a, total: {points: 1000, reason: r}}\n",
            "overrides.yaml:2: overrides.0.total.points: the lab has ",
        ),
        (
            "overrides.yaml",
            "overrides:\n- {student: a, total: {points: 1}}\n",
            "overrides.yaml:2: overrides.0.total.reason: the key 'reason' is missing",
        ),
        (
            "overrides.yaml",
            "overrides:\n- {student: a, use: [{file: x.c, as: mani.c}]}\n",
            "overrides.yaml:2: overrides.0.use.0.as: the lab copy has no source 'mani.c'; did you mean 'many.c'?",
        ),
    ],
)
def test_a_mistake_in_a_file_stops_before_anything_is_graded(
    capsys: Output, name: str, content: str | bytes, says: str
) -> None:
    assert grade() == OK
    kept = everything()
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert grade() == USAGE
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1
    assert everything() == kept


def test_an_override_for_nobody_is_reported_and_the_others_are_graded(capsys: Output) -> None:
    Path("overrides.yaml").write_text("overrides:\n- {student: ada@exmple.edu, excused: ill}\n")
    assert grade() == OK
    says = "overrides.yaml:2: overrides.0: nobody is called 'ada@exmple.edu' (did you mean 'ada@example.edu'?)"
    assert says in capsys.readouterr().err
    assert "did you mean" in Path("out/index.html").read_text(encoding="utf-8")
    assert report(ADA)["grade"]["final"] == SPEC.max_score


def test_a_roster_shows_who_is_missing_and_who_is_unknown(capsys: Output) -> None:
    Path("students.csv").write_text(ROSTER)
    assert grade("--roster", "students.csv") == OK
    assert "roster: 1 student handed in nothing, 1 submission of nobody on it\n" in capsys.readouterr().err
    found = rows()
    assert found[ADA]["section"] == "A"
    assert found[ADA]["on_roster"] == "yes"
    assert (found[ADA]["roster_name"], found[ADA]["roster_id"]) == ("Ada Lovelace", "0123")
    assert found[BOB]["on_roster"] == "no"
    assert found[BOB]["roster_id"] == ""
    assert found["'=cmd()"]["roster_id"] == "333"
    assert found["'=cmd()"]["status"] == "not_submitted"
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert "1 student has handed in nothing" in page
    assert "1 submission of nobody on the roster" in page
    assert "Mean score by section" in page


def test_a_student_who_was_ill_and_handed_in_nothing_is_excused(capsys: Output) -> None:
    Path("students.csv").write_text(ROSTER)
    Path("overrides.yaml").write_text(
        "overrides:\n- {student: 333, excused: ill}\n- {student: '333', comment: late}\n"
    )
    assert grade("--roster", "students.csv") == OK
    missing = rows()["'=cmd()"]
    assert (missing["status"], missing["excused"], missing["override"]) == ("not_submitted", "yes", "ill")
    assert "excused, ill" in Path("out/index.html").read_text(encoding="utf-8")
    said = capsys.readouterr().err
    assert "overrides.0" not in said
    assert "overrides.1: '333' has handed in nothing" in said


def test_two_students_with_one_number_are_reported(capsys: Output) -> None:
    Path("students.csv").write_text("name,id\nAda,7\nBob,7\n")
    assert grade("--roster", "students.csv") == USAGE
    assert "students.csv:3: Bob has the number 7, which Ada in line 2 has too" in capsys.readouterr().err


def test_a_students_own_course_file_is_not_read() -> None:
    Path("in/submission_1/course.yaml").write_text("deadline: 2030-01-01 00:00\n")
    assert grade(path="in/submission_1") == OK
    assert report("submission_1")["grade"] is None


def test_excused_and_group_and_other_attempts(capsys: Output) -> None:
    Path("in/submission_metadata.yml").write_text(METADATA.replace("Bob B.", "Ada Lovelace").replace("222", "0123"))
    Path("course.yaml").write_text("attempts: first\n")
    assert grade() == OK
    grades = [report(name)["grade"] for name in rows()]
    assert sorted(one["counts"] for one in grades) == [False, True]
    assert [one["submitted_at"] for one in grades if one["counts"]] == ["2026-05-04 10:00:00 UTC"]
    assert "roster" not in capsys.readouterr().err


def test_typed_text_is_listed_as_not_graded(capsys: Output, tmp_path: Path) -> None:
    for system, name in (
        ("moodle", "Eve E_77_assignsubmission_onlinetext_/onlinetext.html"),
        ("canvas", "evee_77_88_text.html"),
        ("canvas-old", "evee_77_text.html"),
    ):
        files = {name: b"see attachment"}
        files |= (
            {"Dan D_5_assignsubmission_file_/many.c": b"dan"} if system == "moodle" else {"dand_5_66_many.c": b"dan"}
        )
        folder = tmp_path / system
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        out = str(tmp_path / f"out-{system}")
        assert status_of(["grade", str(folder), "--lab", "copy.yaml", "--out", out]) == BROKEN
        with Path(out, "grades.csv").open(encoding="utf-8", newline="") as file:
            found = {row["name"]: row for row in csv.DictReader(file)}
        assert found["evee-77"]["status"] == "not_graded"
        assert found["evee-77"]["score"] == ""
        assert "no file was handed in, just typed text" in found["evee-77"]["reason"]
        assert found["dand-5"]["status"] == "graded"
        assert json.loads(Path(out, "evee-77", "report.json").read_bytes())["undecided"]
        page = Path(out, "evee-77", "report.html").read_text(encoding="utf-8")
        assert "There is no program to grade" in page
        assert "The grader failed" not in page
    assert "left alone" not in capsys.readouterr().err


@pytest.mark.parametrize("decision", ["total: {points: 1, reason: oral exam}", "excused: ill"])
def test_what_was_decided_about_typed_text_needs_no_more_work(capsys: Output, tmp_path: Path, decision: str) -> None:
    folder = tmp_path / "typed"
    folder.mkdir()
    (folder / "evee_77_88_text.html").write_bytes(b"see attachment")
    (folder / "dand_5_66_many.c").write_bytes(b"dan")
    assert grade(path="typed") == BROKEN
    page = "1 submission could not be graded"
    assert page in Path("out/index.html").read_text(encoding="utf-8")
    Path("overrides.yaml").write_text(f"overrides: [{{student: evee-77, {decision}}}]")
    assert grade(path="typed") == OK
    assert page not in Path("out/index.html").read_text(encoding="utf-8")
    assert "1 submission without a program: overrides of the course say what counts" in capsys.readouterr().out
    shown = Path("out/evee-77/report.html").read_text(encoding="utf-8")
    assert "What counts is what the course decided." in shown
    assert "must" not in shown.partition("<main")[2].partition("How this was graded")[0]


def test_a_command_that_names_nobody_changes_neither_rules_nor_version(capsys: Output) -> None:
    assert grade() == OK
    before = Path("out/index.html").read_bytes()
    Path("other.yaml").write_text(COURSE)
    Path("copy.yaml").write_text(json.dumps(DOCUMENT | {"title": "Another"}))
    assert grade("--course", "other.yaml", "--only", "nobody") == USAGE
    assert status_of(["render", "out"]) == OK
    assert Path("out/index.html").read_bytes() == before
    assert report(ADA)["grade"] is None
    assert "nobody" in capsys.readouterr().err


def test_what_is_wrong_with_rules_is_said_in_plain_words(capsys: Output) -> None:
    for text, says in (
        ("deadline: 2026-05-04 23:59 +02:00\nlate: {penalty: 10, per: day}", "like 10 % or 5 points, found 10"),
        ("deadline: 2026-05-04 23:59 +02:00\ngrace: 15", "write it like 15 min, 6 hours, day or 2 weeks, found 15"),
        ("deadline: 2026-05-04 23:59 CEST", "'CEST' is not known; write an offset, such as +02:00"),
        (
            "deadline: 2026-05-04 23:59 +02:00\nextensions: [{student: ada, until: 2025-05-08 12:00 +02:00}]",
            ":2: extensions.0.until: is before the deadline, so it extends nothing",
        ),
    ):
        Path("course.yaml").write_text(text)
        assert grade("--course", "course.yaml") == USAGE
        assert says in capsys.readouterr().err
    Path("course.yaml").write_text("{}")
    for text, says in (
        ("overrides:", "overrides: expected a list, found nothing"),
        ("overrides: [{student: ada, total: 60}]", "total: expected keys and values, found 60"),
        ("overrides: [{student: ada, excused: true}]", "excused: expected text, found true"),
        ("overrides: [{student: ada, excused: no}]", "excused: expected the reason in words, like ill, found 'no'"),
        ("overrides: [{student: ada, excused: Yes}]", "excused: expected the reason in words, like ill, found 'Yes'"),
        (
            "overrides: [{student: ada, excused: ill, total: {points: 1, reason: oral exam}}]",
            "excused: an excused student has no score, so it is either this or total",
        ),
        ("overrides:\n\t- {student: ada, excused: ill}", ":2: not valid YAML: found character that cannot start"),
        (
            "overrides:\n\t- {student: ada, excused: ill}",
            "; the line begins with a tab, and YAML takes only spaces there",
        ),
        ("overrides: [{student: ada, excused: ''}]", "excused: expected text that is not empty, found ''"),
    ):
        Path("overrides.yaml").write_text(text)
        assert grade("--overrides", "overrides.yaml") == USAGE
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_rules_in_another_encoding_are_one_sentence(capsys: Output, encoding: str) -> None:
    Path("course.yaml").write_text("attempts: best\n# für alle\n", encoding=encoding)
    assert grade("--course", "course.yaml") == USAGE
    assert (
        f"course.yaml:{2 if encoding == 'latin-1' else 1}: is not UTF-8 text: save it in this encoding"
        in capsys.readouterr().err
    )


def test_the_examples_of_the_documentation_are_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
    course, overrides = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "course.yaml").write_text(course)
    (tmp_path / "overrides.yaml").write_text(overrides)
    files = CourseFiles(tmp_path / "course.yaml", tmp_path / "overrides.yaml")
    rules = read_rules(files, [], [], Rules(), load_lab("tr2")[0], pytest.fail)
    assert rules.decide
    assert rules.override_lines == (2, 6, 7, 8)


def test_files_are_found_again_from_another_folder(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("course.yaml").write_text(COURSE)
    assert grade() == OK
    other = Path("other")
    other.mkdir()
    (other / "course.yaml").write_text(COURSE.replace("10 %", "20 %"))
    monkeypatch.chdir(other)
    capsys.readouterr()
    assert status_of(["rescore", "../out", "--lab", "../copy.yaml"]) == OK
    monkeypatch.chdir("..")
    assert report(ADA)["grade"]["final"] == pytest.approx(SPEC.max_score * 0.9)
    assert "no longer there" not in capsys.readouterr().err


def test_a_file_in_the_folder_of_the_only_submission_is_the_student_s(capsys: Output) -> None:
    folder = Path("jane/lab2")
    folder.mkdir(parents=True)
    for program in SPEC.programs.values():
        (folder / program.main_source).write_text("1")
    Path("jane/overrides.yaml").write_text("overrides:\n- {student: jane, total: {points: 1, reason: mine}}\n")
    assert grade(path="jane") == OK
    assert "jane/overrides.yaml may be the student's" in capsys.readouterr().err
    assert [float(row["score"]) for row in rows().values()] == [SPEC.max_score]
    assert "final_score" not in next(iter(rows().values()))
    assert grade("--overrides", "jane/overrides.yaml", "--no-cache", path="jane") == OK
    assert "final_score" in next(iter(rows().values()))


@pytest.mark.parametrize("key", ["check", "as"])
def test_what_an_override_names_twice_is_a_mistake(capsys: Output, key: str) -> None:
    check, source = next(iter(report_checks())), SPEC.programs["many"].main_source
    twice = {
        "check": f"checks: [{{check: {check}, points: 0, reason: a}}, {{check: {check}, points: 1, reason: b}}]",
        "as": f"use: [{{file: a.c, as: {source}}}, {{file: b.c, as: {source}}}]",
    }
    Path("overrides.yaml").write_text(f"overrides:\n- {{student: 123, {twice[key]}}}\n")
    assert grade() == USAGE
    assert "is there twice" in capsys.readouterr().err


def test_a_file_among_copies_in_a_plain_folder_is_a_student_s(capsys: Output) -> None:
    for copy in ("first", "second"):
        folder = Path("jane", copy)
        folder.mkdir(parents=True)
        for program in SPEC.programs.values():
            (folder / program.main_source).write_text(copy)
    text = "overrides:\n- {student: first, total: {points: 1, reason: mine}}\n"
    Path("jane/overrides.yaml").write_text(text)
    assert grade(path="jane") == OK
    assert "jane/overrides.yaml may be a student's" in capsys.readouterr().err
    assert all("final_score" not in row for row in rows().values())
    Path("overrides.yaml").write_text(text)
    assert grade("--no-cache", path="jane") == OK
    assert rows()["first"]["final_score"] == "1"


def moodle(name: str, number: int) -> str:
    return f"{name}_{number}_assignsubmission_file_"


FORGED = {
    "plain": ["first", "second"],
    "Gradescope": ["submission_1", "submission_2"],
    "Moodle": [moodle("Eve", 1), moodle("Eve", 2)],
    "D2L": ["1-2 - Eve - May 4, 2026 100 PM", "3-4 - Eve - May 4, 2026 100 PM"],
    "one in Moodle's layout": [moodle("Eve", 1)],
    "files of Canvas": [],
}


@pytest.mark.parametrize("layout", FORGED)
@pytest.mark.parametrize("start", ["outside", "inside", "dots", "deeper"])
def test_nothing_below_a_given_folder_decides_whatever_its_layout(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, layout: str, start: str
) -> None:
    eve = tmp_path / "class" / "eve"
    eve.mkdir(parents=True)
    for program in SPEC.programs.values():
        for folder in FORGED[layout]:
            (eve / folder).mkdir(exist_ok=True)
            (eve / folder / program.main_source).write_text(folder)
        if not FORGED[layout]:
            for user in (1, 2):
                (eve / f"eve_{user}_3_{program.main_source}").write_text("x")
    if layout == "Gradescope":
        (eve / "submission_metadata.yml").write_text(METADATA)
    (eve / "course.yaml").write_text("late: {penalty: 0}\ndeadline: 2030-01-01 00:00 Z\n")
    (eve / "overrides.yaml").write_text("overrides:\n- {student: Eve, total: {points: 1, reason: mine}}\n")
    (eve / "below").mkdir()
    paths = {"outside": eve, "inside": Path(), "dots": Path("below/.."), "deeper": Path("../eve/.")}
    if start != "outside":
        monkeypatch.chdir(eve)
    lab, out = str(tmp_path / "copy.yaml"), str(tmp_path / "out")
    assert status_of(["grade", str(paths[start]), "--lab", lab, "--out", out]) == OK
    said = capsys.readouterr().err
    assert "final scores follow" not in said
    for name in ("course.yaml", "overrides.yaml"):
        assert re.search(rf"{name} may be (the|a) student's", said)
    monkeypatch.chdir(tmp_path)
    assert all("final_score" not in row for row in rows().values())


@pytest.mark.parametrize("paths", [["in"], ["in", "more"], ["in/."], ["more/../in"]])
def test_a_file_next_to_a_folder_is_the_course_s(capsys: Output, paths: list[str]) -> None:
    Path("more/zoe").mkdir(parents=True)
    for program in SPEC.programs.values():
        Path("more/zoe", program.main_source).write_text("zoe")
    Path("course.yaml").write_text(COURSE)
    assert status_of(["grade", *paths, "--lab", "copy.yaml", "--out", "out"]) == OK
    assert "final scores follow" in capsys.readouterr().err


def test_a_file_in_one_folder_and_next_to_another_is_not_used(capsys: Output) -> None:
    Path("in/course.yaml").write_text(COURSE)
    assert status_of(["grade", "in", "in/submission_1", "--lab", "copy.yaml", "--out", "out"]) == OK
    said = capsys.readouterr().err
    assert "in/course.yaml may be a student's" in said
    assert "final scores follow" not in said


def test_a_file_that_the_last_run_used_still_applies_if_it_is_in_an_export(capsys: Output) -> None:
    Path("in/course.yaml").write_text(COURSE)
    assert grade("--course", "in/course.yaml") == OK
    capsys.readouterr()
    assert grade() == OK
    said = capsys.readouterr().err
    assert "final scores follow in/course.yaml" in said
    assert "may be" not in said
