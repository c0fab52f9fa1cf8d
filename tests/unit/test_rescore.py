"""`grader rescore`: what it applies, what it runs, and that it loses nothing."""

from __future__ import annotations

import copy
import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.batch import rescore, workers
from grader.batch.gradebook_file import open_results
from grader.batch.gradebook_row import Row
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK, USAGE
from grader.cli.main import status_of
from grader.cli.progress import LiveProgress
from grader.errors import SandboxError
from grader.grading import setup
from grader.model.gradebook import GRADEBOOK, Origin, Person
from grader.model.report import Report, without_evidence
from grader.sandbox.base import Job, ProgressEvent

from .facts import REFERENCE, evidence, run
from .lab import DOCUMENT, SPEC
from .sandboxes import FakeSandbox, events_of

Output = pytest.CaptureFixture[str]
Change = Callable[[dict[str, Any]], None]
RIGHT = events_of(evidence())
WRONG = events_of(evidence({"many.piped": run("many.piped", b"wrong")}))
NAMES = ("ada", "bob")
"""Ada's programs are right; Bob's `many` fails the case `piped`."""


def script(job: Job) -> list[ProgressEvent]:
    return WRONG if job.sources["many.c"] == b"bob" else RIGHT


@pytest.fixture(autouse=True)
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSandbox:
    """A class of two that was graded, and a sandbox that runs nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / "in" / name).mkdir(parents=True)
        for program in SPEC.programs.values():
            (tmp_path / "in" / name / program.main_source).write_text(name)
    fake = FakeSandbox(script)
    monkeypatch.setattr(workers, "choose_sandbox", lambda *_arguments: fake)
    monkeypatch.setattr(setup, "obtain_reference", lambda *_arguments: REFERENCE)
    write_lab("old.yaml")
    assert grade("old.yaml") == OK
    fake.jobs.clear()
    return fake


def write_lab(name: str, change: Change = lambda _document: None) -> None:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    Path(name).write_text(json.dumps(document))  # JSON is YAML


def item(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in document["rubric"] if one["name"] == name)


def more_points(document: dict[str, Any]) -> None:
    item(document, "output")["points"] = {"many": 10, "single": 3}


def grade(lab: str, *options: str) -> int:
    return status_of(["grade", "in", "--lab", lab, "--out", "out", *options])


def rescored(*options: str, lab: str = "new.yaml", out: str = "out") -> int:
    return status_of(["rescore", out, "--lab", lab, *options])


def report(name: str) -> Report:
    return Report.model_validate_json(Path("out", name, "report.json").read_bytes())


def kept(name: str) -> Report:
    with open_results(Path("out")) as book:
        found = book.report(name)
    assert found is not None
    return found


def score(name: str) -> float | None:
    assert report(name) == kept(name), "the files are those of the gradebook"
    return report(name).score


def graded_anew() -> dict[str, Report]:
    """What grading everything with the new lab gives."""
    assert status_of(["grade", "in", "--lab", "new.yaml", "--out", "anew"]) == OK
    return {name: Report.model_validate_json(Path("anew", name, "report.json").read_bytes()) for name in NAMES}


def presentation(document: dict[str, Any]) -> None:
    document["title"] = "Another title"
    document["students_see_fixes"] = True
    more_points(document)
    item(document, "output").update(title="Other words", hint="another hint")
    item(document, "large").update(points={"many": 0.5, "single": 4})
    item(document, "functions")["hint"] = "read the manual"
    document["rubric"].insert(1, document["rubric"].pop())


def without_a_check(document: dict[str, Any]) -> None:
    document["rubric"] = [one for one in document["rubric"] if one["name"] != "either"]


def without_the_case_that_failed(document: dict[str, Any]) -> None:
    item(document, "output")["cases"] = ["copy"]


def hidden_check(document: dict[str, Any]) -> None:
    item(document, "errors")["visibility"] = "hidden"


@pytest.mark.long
@pytest.mark.parametrize(
    "change", [presentation, without_a_check, without_the_case_that_failed, hidden_check, more_points]
)
def test_what_needs_no_run_is_as_if_graded_again(sandbox: FakeSandbox, change: Change) -> None:
    write_lab("new.yaml", change)
    assert rescored() == OK
    assert sandbox.jobs == []
    mine = {name: report(name) for name in NAMES}
    assert [kept(name) for name in NAMES] == list(mine.values())
    assert mine == graded_anew()


def test_a_later_run_grades_nothing_again(sandbox: FakeSandbox) -> None:
    write_lab("new.yaml", presentation)
    assert rescored() == OK
    assert grade("new.yaml") == OK
    assert sandbox.jobs == []


def test_comments_and_layout_change_nothing(capsys: Output, sandbox: FakeSandbox) -> None:
    Path("new.yaml").write_text("# a comment\n" + json.dumps(DOCUMENT, indent=2))
    assert rescored() == OK
    assert "2 already of this version" in capsys.readouterr().out
    assert grade("new.yaml") == OK
    assert sandbox.jobs == []


def test_a_dry_run_says_who_gains_and_loses_and_changes_nothing(capsys: Output, sandbox: FakeSandbox) -> None:
    write_lab("new.yaml", more_points)
    files = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    capsys.readouterr()
    assert rescored("--dry-run") == OK
    said = capsys.readouterr().out
    assert f"ada {SPEC.max_score:g} to {SPEC.max_score - 3:g} -3 many.output" in " ".join(said.split())
    assert "many.output 8 to 10, single.output 8 to 3" in said
    assert f"the lab has {SPEC.max_score - 3:g} points instead of {SPEC.max_score:g}" in said
    assert "2 of 2 rescored; 0 gain points, 2 lose points" in said
    assert "nothing was written" in said
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == files
    assert sandbox.jobs == []


def new_check(document: dict[str, Any]) -> None:
    new = {"name": "again", "kind": "cases", "title": "again", "points": {"single": 5}, "cases": ["copy"]}
    document["rubric"].append(new)


def test_a_new_check_is_run_alone_if_nothing_of_its_program_failed(capsys: Output, sandbox: FakeSandbox) -> None:
    write_lab("new.yaml", new_check)
    assert rescored("--dry-run") == OK
    said = capsys.readouterr().out
    assert "to run: 2 submissions (ada, bob): single.again: the check is new" in said
    assert rescored() == OK
    steps = [{step.case for step in job.plan.runs} for job in sandbox.jobs]
    assert steps == [{"copy"}, {"copy"}]
    assert [score(name) for name in NAMES] == [SPEC.max_score + 5, SPEC.max_score - 8 + 5]
    sandbox.jobs.clear()
    assert grade("new.yaml") == OK
    assert sandbox.jobs == []
    fresh = graded_anew()
    assert [report(name).checks for name in NAMES] == [fresh[name].checks for name in NAMES]
    assert report("bob").symptoms == fresh["bob"].symptoms


def test_a_new_check_of_a_failing_program_has_everything_run(capsys: Output, sandbox: FakeSandbox) -> None:
    def change(document: dict[str, Any]) -> None:
        new_check(document)
        document["rubric"][-1]["points"] = {"many": 5}

    write_lab("new.yaml", change)
    assert rescored() == OK
    said = capsys.readouterr().out
    assert "to run: 1 submission (bob): many.again: the check is new; it failed a check of this program" in said
    cases = {job.sources["many.c"]: {step.case for step in job.plan.runs} for job in sandbox.jobs}
    assert cases[b"ada"] == {"copy"}
    assert cases[b"bob"] == set(SPEC.cases)
    assert [report(name) for name in NAMES] == list(graded_anew().values())


@pytest.mark.long
def test_a_check_that_fails_when_it_is_run_has_everything_run() -> None:
    def change(document: dict[str, Any]) -> None:
        document["programs"]["single"]["symbols"]["none_of"] = ["read"]

    write_lab("new.yaml", change)
    assert rescored() == OK
    assert [report(name) for name in NAMES] == list(graded_anew().values())
    assert all(check.status == "failed" for check in report("ada").checks if check.id == "single.functions")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda document: document["inputs"]["text"].update(data="other"), "inputs.text.data"),
        (lambda document: document["cases"]["copy"].update(operands=["x"]), "cases.copy.operands"),
        (lambda document: document["limits"]["small"].update(wall_s=11), "limits of runs"),
        (lambda document: document["limits"].update(processes=9), "limits.processes"),
        (lambda document: document["programs"]["many"]["stdin"].update(mean_bytes_min=513), "stdin.mean_bytes_min"),
        (lambda document: document["build"].update(options=["-O0"]), "build.options"),
    ],
    ids=["input", "operands", "limit", "processes", "pattern", "build"],
)
def test_what_decides_verdicts_is_named(capsys: Output, change: Change, reason: str) -> None:
    write_lab("new.yaml", change)
    assert rescored("--dry-run") == OK
    said = capsys.readouterr().out
    assert reason in said
    assert "to run: " in said


def test_a_student_called_reference_decides_about_nobody(capsys: Output, sandbox: FakeSandbox) -> None:
    Path("in/reference").mkdir()
    Path("in/reference/many.c").write_text("another reference")
    Path("in/lab.yaml").write_text(json.dumps(DOCUMENT))
    assert rescored(lab="in/lab.yaml") == USAGE
    assert status_of(["grade", "in/bob", "--lab", "in/lab.yaml", "--out", "anew"]) == USAGE
    assert capsys.readouterr().err.count("reference would be a part of the lab, and is next to") == 2
    assert sandbox.jobs == []


def test_a_changed_reference_has_everything_run(capsys: Output, sandbox: FakeSandbox) -> None:
    Path("reference").mkdir()
    for program in SPEC.programs.values():
        Path("reference", program.main_source).write_text("the reference")
    write_lab("new.yaml")
    assert rescored() == OK
    assert "to run: 2 submissions (ada, bob): the reference's many.c" in capsys.readouterr().out
    assert len(sandbox.jobs) >= len(NAMES)


def test_sources_that_have_changed_keep_their_result(capsys: Output, sandbox: FakeSandbox) -> None:
    write_lab("new.yaml", new_check)
    Path("in/ada/many.c").write_text("a newer one")
    before = kept("ada")
    assert rescored() == BROKEN
    said = capsys.readouterr().out
    assert "not rescored: 1 submission (ada): its sources are no longer at in/ada as they were graded" in said
    assert "the scores belong to 2 versions of the lab" in said
    assert kept("ada") == before
    assert score("bob") == SPEC.max_score - 8 + 5
    assert {job.sources["many.c"] for job in sandbox.jobs} == {b"bob"}


def test_what_could_not_be_run_stays_as_it_was(sandbox: FakeSandbox, capsys: Output) -> None:
    def broken(_job: Job) -> list[ProgressEvent | Exception]:
        return [SandboxError("the engine died")]

    write_lab("new.yaml", new_check)
    sandbox.script = broken
    before = [kept(name) for name in NAMES]
    assert rescored() == BROKEN
    assert "the engine died" in capsys.readouterr().out
    assert [kept(name) for name in NAMES] == before
    sandbox.script = script
    assert rescored() == OK
    assert score("ada") == SPEC.max_score + 5


def test_not_graded_stays_not_graded(sandbox: FakeSandbox, capsys: Output) -> None:
    (Path("in/cyd")).mkdir()
    Path("in/cyd/many.c").write_text("cyd")
    sandbox.script = lambda job: [SandboxError("no")] if job.sources["many.c"] == b"cyd" else [*script(job)]
    assert grade("old.yaml") == BROKEN
    write_lab("new.yaml", more_points)
    capsys.readouterr()
    assert rescored() == OK
    assert "1 not graded" in capsys.readouterr().out
    assert report("cyd").status == "not_graded"


def test_an_interrupted_rescoring_goes_on(sandbox: FakeSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lab("new.yaml", more_points)
    monkeypatch.setattr(rescore, "ROWS_AT_ONCE", 1)
    write_class = rescore._Task.rescored  # noqa: SLF001

    def interrupt(task: object, row: Any) -> object:  # noqa: ANN401 - as it was called
        if row.name == "bob":
            raise KeyboardInterrupt
        return write_class(task, row)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(rescore._Task, "rescored", interrupt)  # noqa: SLF001
        assert rescored() == INTERRUPTED
    assert (kept("ada").max_score, kept("bob").max_score) == (SPEC.max_score - 3, SPEC.max_score)
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert "The scores belong to 2 versions of the lab" in page
    assert rescored() == OK
    assert score("bob") == kept("bob").max_score - 10
    assert "versions of the lab" not in Path("out/index.html").read_text(encoding="utf-8")
    assert sandbox.jobs == []


def test_many_processes_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    write_lab("new.yaml", presentation)
    shutil.copytree("out", "one")
    assert rescored(out="one") == OK
    monkeypatch.setattr(rescore, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(rescore, "ALONE_ROWS", 0)
    monkeypatch.setattr(rescore, "cpu_count", lambda: 2)
    assert rescored() == OK
    for name in NAMES:
        for file in ("report.json", "report.html"):
            assert Path("out", name, file).read_bytes() == Path("one", name, file).read_bytes()


def test_a_note_about_a_newer_hand_in_goes_if_only_the_lab_had_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    write_lab("new.yaml", more_points)
    with monkeypatch.context() as patch:
        patch.setattr(LiveProgress, "show", interrupt)
        assert grade("new.yaml", "--jobs", "1") == INTERRUPTED
    rows = list(csv.DictReader(Path("out/grades.csv").read_text().splitlines()))
    assert rows[1]["trouble"]
    assert len({row["lab_version"] for row in rows}) == 2
    assert rescored() == OK
    rows = list(csv.DictReader(Path("out/grades.csv").read_text().splitlines()))
    assert [row["trouble"] for row in rows] == ["", ""]
    assert len({row["lab_version"] for row in rows}) == 1


def forget_runs() -> None:
    """Make the gradebook one of an earlier grader, which kept no version of the lab."""
    connection = sqlite3.connect(f"out/{GRADEBOOK}")
    connection.execute("DROP TABLE run")
    connection.close()


def test_without_the_old_lab_nothing_is_known_and_nothing_lost(capsys: Output) -> None:
    forget_runs()
    write_lab("new.yaml", more_points)
    before = [kept(name) for name in NAMES]
    assert rescored() == BROKEN
    said = capsys.readouterr().out
    assert "not rescored: 2 submissions (ada, bob): " in said
    assert "--from" in said
    assert [kept(name) for name in NAMES] == before


def test_a_gradebook_of_an_earlier_grader_is_rescored_with_the_old_lab(capsys: Output) -> None:
    forget_runs()
    with open_results(Path("out")) as book:
        changed = []
        for row in list(book.rows()):
            old = row.report().model_copy(update={"lab_digest": ""})
            changed.append(Row.of(row.entry().model_copy(update={"report": without_evidence(old)}), row.key, old))
        book.replace(changed)
    write_lab("new.yaml", more_points)
    write_lab("other.yaml", new_check)
    assert rescored("--from", "other.yaml") == USAGE
    assert "no result belongs to this version of the lab" in capsys.readouterr().err
    assert rescored("--from", "old.yaml") == OK
    assert [score(name) for name in NAMES] == [SPEC.max_score - 3, SPEC.max_score - 3 - 10]
    # Nothing was run, so the gradebook still has no record of a run.
    write_lab("newest.yaml")
    assert rescored(lab="newest.yaml") == BROKEN
    assert rescored("--from", "new.yaml", lab="newest.yaml") == OK
    assert [score(name) for name in NAMES] == [
        SPEC.max_score,
        SPEC.max_score - item(DOCUMENT, "output")["points"]["many"],
    ]


def test_other_files_of_a_submission_are_graded_although_the_lab_is_the_same(
    capsys: Output, sandbox: FakeSandbox
) -> None:
    source = SPEC.programs["many"].main_source
    Path("in/ada/better.c").write_text("bob")
    Path("overrides.yaml").write_text(f"overrides:\n- {{student: ada, use: [{{file: better.c, as: {source}}}]}}\n")
    assert grade("old.yaml") == OK
    assert kept("ada").score == kept("bob").score
    Path("overrides.yaml").write_text("overrides:\n- {student: ada, comment: none}\n")
    sandbox.jobs.clear()
    capsys.readouterr()
    assert rescored(lab="old.yaml") == OK
    assert "choose other files" in capsys.readouterr().out
    assert [job.sources[source] for job in sandbox.jobs] == [b"ada"]
    assert kept("ada").score == SPEC.max_score


@pytest.mark.parametrize(
    ("lab", "out", "says"),
    [
        ("new.yaml", "nowhere", "nowhere has no gradebook.sqlite"),
        ("other.yaml", "out", "holds results of the lab copy; choose another folder for those of other"),
        ("wrong.yaml", "out", "wrong.yaml:1: "),
        ("none.yaml", "out", "none.yaml: cannot be read"),
    ],
)
def test_bad_input_is_usage_and_loses_nothing(capsys: Output, lab: str, out: str, says: str) -> None:
    write_lab("new.yaml")
    write_lab("other.yaml", lambda document: document.update(lab="other"))
    write_lab("wrong.yaml", lambda document: document.update(rubrics=[]))
    before = Path("out", GRADEBOOK).read_bytes()
    assert rescored(lab=lab, out=out) == USAGE
    assert says in capsys.readouterr().err
    assert Path("out", GRADEBOOK).read_bytes() == before


def test_a_partial_run_with_a_changed_lab_is_told_everywhere(capsys: Output) -> None:
    write_lab("new.yaml", more_points)
    capsys.readouterr()
    assert grade("new.yaml", "--only", "ada") == BROKEN
    said = capsys.readouterr().out
    assert "the scores belong to 2 versions of the lab" in said
    assert "grader rescore out --lab new.yaml" in said
    assert "grader rescore out --lab new.yaml" in Path("out/index.html").read_text(encoding="utf-8")
    assert status_of(["render", "out"]) == OK, "there is no file for a course system"
    assert rescored() == OK
    assert grade("new.yaml") == OK


def from_canvas(row: Row) -> Row:
    origin = Origin(path="in/ada", system="canvas", people=(Person(name="Ada", id="7"),))
    return Row.of(row.entry().model_copy(update={"origin": origin}), row.key, row.report())


def test_rendering_refuses_mixed_versions_for_course_systems_unless_allowed(capsys: Output) -> None:
    with open_results(Path("out")) as book:
        book.replace(map(from_canvas, list(book.rows())))
    assert status_of(["render", "out"]) == OK
    assert Path("out/canvas.csv").exists()
    write_lab("new.yaml", more_points)
    assert grade("new.yaml", "--only", "ada") == BROKEN
    with open_results(Path("out")) as book:
        book.replace(map(from_canvas, list(book.rows())))
    capsys.readouterr()
    assert status_of(["render", "out"]) == BROKEN
    assert "canvas.csv is not written" in capsys.readouterr().err
    assert not Path("out/canvas.csv").exists()
    assert status_of(["render", "out", "--allow-mixed-versions"]) == OK
    assert Path("out/canvas.csv").exists()
