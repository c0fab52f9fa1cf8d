from __future__ import annotations

import csv
import gc
import html
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.batch import workers
from grader.batch.batch import NOT_YET
from grader.batch.output_folder import OutputFolder
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK, USAGE
from grader.cli.main import status_of
from grader.cli.progress import LiveProgress
from grader.cli.unwritten import guarded
from grader.errors import GraderError, SandboxError
from grader.grading import setup
from grader.lab import load
from grader.lab.yaml_document import read_yaml
from grader.model.gradebook import GRADEBOOK, RESULTS_MARK
from grader.model.report import Report
from grader.sandbox.base import Job, ProgressEvent

from .facts import REFERENCE, evidence, run
from .lab import DOCUMENT, SPEC
from .sandboxes import FakeSandbox, Script, events_of

Output = pytest.CaptureFixture[str]
RIGHT = events_of(evidence())
LEAKING = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
"""The Docker SDK leaves the socket open that it could not connect."""


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine is asked, and no cache of the user is touched."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "copy.yaml").write_text(json.dumps(DOCUMENT))  # JSON is YAML
    for name in ("ada", "bob"):
        folder = tmp_path / "in" / name
        folder.mkdir(parents=True)
        for program in SPEC.programs.values():
            (folder / program.main_source).write_text(name)


def grade(*arguments: str, lab: str = "copy.yaml", out: str = "out") -> int:
    return status_of(["grade", *arguments, "--lab", lab, "--out", out])


@pytest.mark.parametrize(
    ("arguments", "lab", "says"),
    [
        (["in"], "tr3", "there is no lab 'tr3'; there are copybuf, tr2"),
        (["in"], "../reference/tr2", "../reference/tr2 is not a lab"),
        (["in"], "none.yaml", "none.yaml: cannot be read: "),
        (["in"], "wrong.yaml", "wrong.yaml:1: unknown key 'labs'"),
        (["nowhere"], "copy.yaml", "nowhere does not exist"),
        (["in", "nowhere"], "copy.yaml", "nowhere does not exist"),
        (["copy.yaml"], "copy.yaml", "copy.yaml is neither a folder nor an archive"),
        (["in/ada/none"], "copy.yaml", "does not exist"),
    ],
)
def test_what_cannot_be_asked_for_is_usage_and_leaves_nothing(
    capsys: Output, arguments: list[str], lab: str, says: str
) -> None:
    Path("wrong.yaml").write_text("labs: copy\n")
    assert grade(*arguments, lab=lab) == USAGE
    assert says in capsys.readouterr().err.replace(": labs", "")
    assert not Path("out").exists()


@pytest.mark.parametrize("out", ["in/ada/many.c", "in/ada/many.c/below"])
def test_an_output_folder_that_cannot_be_written_to(capsys: Output, out: str) -> None:
    assert grade("in", out=out) == USAGE
    assert f"results cannot be written to {out}" in capsys.readouterr().err
    assert Path("in/ada/many.c").read_text() == "ada"


def test_a_students_folder_is_no_output_folder(capsys: Output) -> None:
    Path("in/cyd/src").mkdir(parents=True)
    Path("in/cyd/src/many.c").write_text("cyd")
    assert grade("in", out="in/cyd") == USAGE
    assert "in/cyd is among the submissions; choose another folder for results" in capsys.readouterr().err
    assert [path.name for path in Path("in/cyd").iterdir()] == ["src"]


def test_results_of_another_time_are_no_submission(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in", out="in/first") == OK
    assert grade("in", out="in/first") == OK
    assert "left alone" not in capsys.readouterr().err
    assert grade("in", out="second") == OK
    assert "left alone in in: 1 that is not a submission: first" in capsys.readouterr().err.splitlines()
    assert not Path("second/first").exists()


def test_an_output_folder_is_no_submission(capsys: Output) -> None:
    Path("only/out").mkdir(parents=True)
    assert grade("only", out="only/out") == USAGE
    assert "nothing to grade" in capsys.readouterr().err


@LEAKING
def test_without_an_engine_auto_is_refused_with_the_way_on(capsys: Output) -> None:
    assert grade("in", "--sandbox", "auto") == USAGE
    said = capsys.readouterr().err
    assert "no Docker engine answers at unix:///" in said
    assert "--sandbox local" in said
    gc.collect()


@LEAKING
def test_without_an_engine_docker_is_what_cannot_be_had(capsys: Output) -> None:
    assert grade("in", "--sandbox", "docker") == BROKEN
    said = capsys.readouterr().err
    assert "no Docker engine answers" in said
    assert "--sandbox local" not in said
    gc.collect()


BEFORE_THE_GUEST = """
import sys
from grader.batch import workers
from grader.batch.batch import NOT_YET
from grader.cli.main import status_of
from grader.errors import SandboxError

class FakeSandbox:
    isolation, image_digest, runner, cpus = "none", None, "fake", 1

    def identity(self):
        return "fake"

    def open(self, job, slot=0):
        print([name for name in HEAVY if name in sys.modules])
        raise SandboxError("enough was seen")

    def close(self):
        pass

workers.choose_sandbox = lambda *arguments: FakeSandbox()
status_of(["grade", "tr2", "--lab", "tr2", "--out", "out"])
"""


@pytest.mark.long
def test_the_first_guest_waits_for_nothing_that_only_others_need() -> None:
    """What is loaded when the reference's container would start."""
    pages = ["jinja2", "markdown_it", "grader.render.html.pages", "grader.render.terminal.report"]
    others = ["asyncio", "watchdog", "distributed", "grader.notebook.reader"]
    code = f"HEAVY = {pages + others}\n{BEFORE_THE_GUEST}"
    command = [sys.executable, "-c", code]
    Path("tr2").mkdir()
    Path("tr2/tr2b.c").write_text("int main(void) { return 0; }\n")
    seen = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    assert seen.stdout == "[]\n"
    assert "enough was seen" in seen.stderr


def test_a_spec_is_read_once(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    read = read_yaml

    def counted(path: Path, *arguments: Any, **options: Any) -> object:  # noqa: ANN401 - as it was called
        reads.append(path)
        return read(path, *arguments, **options)

    monkeypatch.setattr(load, "read_yaml", counted)
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    assert reads == [Path("copy.yaml")]
    Path("copy.yaml").write_text("lab: copy\nlabs: copy\n")
    assert grade("in") == USAGE
    assert capsys.readouterr().err.count("copy.yaml:2: ") == 1


class Chosen:
    """A sandbox that runs nothing instead of the chosen one, and a known reference."""

    def __init__(self, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sandbox = FakeSandbox(script)
        monkeypatch.setattr(workers, "choose_sandbox", lambda *_arguments: self.sandbox)
        monkeypatch.setattr(setup, "obtain_reference", lambda *_arguments: REFERENCE)


def report(name: str) -> Report:
    return Report.model_validate_json(Path("out", name, "report.json").read_bytes())


def test_everything_graded_is_success_whatever_the_scores(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in/cyd").mkdir()
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in", "--jobs", "2") == OK
    assert [report(name).score for name in ("ada", "bob", "cyd")] == [SPEC.max_score, SPEC.max_score, 0]
    assert sorted(path.name for path in Path("out").iterdir()) == [
        RESULTS_MARK,
        "ada",
        "bob",
        "cyd",
        "gradebook.sqlite",
        "grades.csv",
        "index.html",
        "junit.xml",
    ]
    said = capsys.readouterr().out
    assert "3 of 3 graded" in said
    assert "report: out/index.html" in said
    assert sum(line.startswith(("ada", "bob", "cyd")) for line in said.splitlines()) == 3


def test_results_of_a_class_take_one_that_is_handed_in_later_next_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    shutil.copytree("in/ada", "late")
    assert grade("in") == OK
    assert grade("late") == OK
    assert {path.parent.name for path in Path("out").glob("*/report.json")} >= {"ada", "bob", "late"}


def test_copies_that_only_names_tell_apart_are_reported_until_somebody_decides(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    for program in SPEC.programs.values():
        for copy in ("final", "new"):
            Path("in/ada", copy).mkdir(exist_ok=True)
            Path("in/ada", copy, program.main_source).write_text(copy)
        Path("in/ada", program.main_source).unlink()
    for _ in ("graded", "unchanged"):
        assert grade("in") == OK
        [line] = [line for line in capsys.readouterr().err.splitlines() if "overrides.yaml" in line]
        assert line.startswith("ada: ")
    [doubt] = report("ada").doubts
    assert line == f"ada: {doubt}"
    assert doubt.partition(":")[0] in html.unescape(Path("out/index.html").read_text())
    Path("overrides.yaml").write_text(f"overrides:\n{doubt.partition('overrides.yaml: ')[2]}\n")
    assert grade("in") == OK
    assert "use: [" not in capsys.readouterr().err
    assert report("ada").doubts == ()


def test_one_submission_is_shown_in_full(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in/ada") == OK
    said = capsys.readouterr().out
    assert "report: out/ada/report.html" in said
    assert "many" in said


def test_one_that_was_not_graded_shows_in_the_exit_status(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(job: Job) -> list[ProgressEvent | Exception]:
        return [SandboxError("the engine died")] if job.sources["many.c"] == b"bob" else [*RIGHT]

    Chosen(script, monkeypatch)
    assert grade("in") == BROKEN
    assert (report("ada").status, report("bob").status) == ("graded", "not_graded")
    said = capsys.readouterr().out
    assert "1 of 2 graded" in said
    assert "the engine died" in said
    lines = said.splitlines()
    place = lines.index("1 submission could not be graded and has no score; fix the problem reported above, then run")
    assert lines[place + 1] == "  grader grade in --lab copy.yaml --out out --only not-graded"
    assert "interrupted" not in said
    assert not report("bob").interrupted


def test_a_score_that_remains_is_not_called_none(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(job: Job) -> list[ProgressEvent | Exception]:
        return [SandboxError("the engine died")] if job.sources["many.c"] == b"newer" else [*RIGHT]

    Chosen(script, monkeypatch)
    assert grade("in", "--only", "ada") == OK
    Path("in/ada/many.c").write_text("newer")
    assert grade("in", "--only", "ada") == BROKEN
    assert "1 submission could not be graded; the earlier score counts; fix" in capsys.readouterr().out
    Path("in/bob/many.c").write_text("newer")
    assert grade("in") == BROKEN
    assert "2 submissions could not be graded and 1 of them has no score; fix" in capsys.readouterr().out


def test_an_interruption_keeps_what_was_finished(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)

    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LiveProgress, "show", interrupt)
    assert grade("in", "--jobs", "1") == INTERRUPTED
    assert report("ada").status == "graded"
    rows = [row[:2] for row in csv.reader(Path("out/grades.csv").read_text().splitlines()[1:])]
    assert rows == [["ada", "graded"], ["bob", "not_graded"]]
    said = capsys.readouterr().out
    assert "1 of 2 graded" in said
    lines = said.splitlines()
    place = lines.index("interrupted before 1 of 2 was done; to continue, run")
    assert lines[place + 1] == "  grader grade in --lab copy.yaml --out out --jobs 1"
    assert "could not be graded" not in said
    assert report("bob").interrupted
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert "1 submission is not graded yet" in page
    assert "grader grade in --lab copy.yaml --out out --jobs 1</code>" in page
    assert "could not be graded" not in page


def test_an_interruption_before_a_newer_hand_in_was_graded_is_noted(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    for name in ("ada", "bob"):
        Path("in", name, "many.c").write_text("a newer one")

    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LiveProgress, "show", interrupt)
        assert grade("in", "--jobs", "1") == INTERRUPTED
    notes = {row["name"]: row["trouble"] for row in csv.DictReader(Path("out/grades.csv").read_text().splitlines())}
    assert notes == {"ada": "", "bob": NOT_YET}
    assert "1 score is out of date" in Path("out/index.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert grade("in") == OK
    assert "1 of 1 graded" in capsys.readouterr().out
    assert NOT_YET not in Path("out/grades.csv").read_text()


def test_the_same_command_again_grades_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    jobs = len(chosen.sandbox.jobs)
    capsys.readouterr()
    assert grade("in") == OK
    assert len(chosen.sandbox.jobs) == jobs
    said = capsys.readouterr().out
    assert "2 unchanged since graded" in said
    assert "of 0 graded" not in said


def test_what_is_said_is_one_line_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    Chosen(lambda _job: RIGHT, monkeypatch)
    Path("in/a rather long name of a list of students.xlsx").write_bytes(b"")
    assert grade("in") == OK
    said = "left alone in in: 1 that is not a submission: a rather long name of a list of students.xlsx"
    assert said in capsys.readouterr().err.splitlines()


def test_what_only_earlier_runs_know_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    assert "from earlier runs" not in capsys.readouterr().out
    assert grade("in/bob") == OK
    assert "1 more in out, from earlier runs and not among these: ada" in capsys.readouterr().out.splitlines()


def test_only_what_there_is_none_of_is_no_run_of_0(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    capsys.readouterr()
    assert grade("in", "--only", "not-graded") == OK
    said = capsys.readouterr().out
    assert "nothing to grade: no submission matches --only" in said
    assert "of 0 graded" not in said


def test_a_single_submission_that_is_unchanged_is_shown_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    for _ in range(2):
        capsys.readouterr()
        assert grade("in/ada") == OK
    said = capsys.readouterr().out
    assert f"{SPEC.max_score} of {SPEC.max_score}" in said
    assert "1 unchanged since graded" in said


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "graded"),
    [(["--no-cache"], ["ada", "bob"]), (["--only", "bob"], ["bob"]), (["--only", "failed"], ["ada"])],
)
def test_what_is_asked_for_is_graded_again(
    monkeypatch: pytest.MonkeyPatch, capsys: Output, arguments: list[str], graded: list[str]
) -> None:
    wrong = events_of(evidence({"many.copy": run("many.copy", b"wrong")}))
    Chosen(lambda job: wrong if job.sources["many.c"] == b"ada" else RIGHT, monkeypatch)
    assert grade("in") == OK
    capsys.readouterr()
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in", *arguments, "--jobs", "1") == OK
    assert [job.sources["many.c"].decode() for job in chosen.sandbox.jobs] == graded
    said = capsys.readouterr().out
    assert ("(was " in said) == ("ada" in graded)


def test_nobody_of_that_name_is_usage(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in", "--only", "cyd") == USAGE
    assert "--only: there is no submission 'cyd'" in capsys.readouterr().err


def test_a_folder_with_another_lab_s_results_is_usage(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    Path("other.yaml").write_text(json.dumps({**DOCUMENT, "lab": "other"}))
    assert grade("in", lab="other.yaml") == USAGE
    assert f"out holds results of the lab {SPEC.lab}" in capsys.readouterr().err


def test_render_makes_everything_again_from_the_gradebook(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    files = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    made = [path for path in files if path.name not in (GRADEBOOK, RESULTS_MARK)]
    for path in made:
        path.unlink()
    jobs = len(chosen.sandbox.jobs)
    assert status_of(["render", "out"]) == OK
    assert "2 reports written: out/index.html" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in made} == {path: files[path] for path in made}
    assert len(chosen.sandbox.jobs) == jobs


def damage_the_result_of_bob() -> None:
    connection = sqlite3.connect(Path("out", GRADEBOOK))
    with connection:
        connection.execute("UPDATE result SET key = 'other' WHERE name = 'bob'")
    connection.close()


@pytest.mark.parametrize("arguments", [["render", "out"], ["grade", "in", "--lab", "copy.yaml", "--out", "out"]])
def test_a_note_that_nobody_reads_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    damage_the_result_of_bob()
    assert status_of(arguments) == OK
    assert "of bob is damaged" in capsys.readouterr().err
    damage_the_result_of_bob()
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", guarded(stderr, writing, "a pipe"))
        assert status_of(arguments) == OK


def test_render_tells_whose_result_is_damaged(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    damage_the_result_of_bob()
    assert status_of(["render", "out"]) == OK
    said = capsys.readouterr()
    assert "1 reports written" in said.out
    assert "the kept result of bob is damaged and does not count; grade again to have it back" in said.err


def put_file(path: Path) -> None:
    path.write_text("mine")


def put_link(path: Path) -> None:
    Path("elsewhere").mkdir()
    path.symlink_to(Path("elsewhere").resolve())


@pytest.mark.parametrize("put", [put_file, put_link])
@pytest.mark.parametrize(("name", "other"), [("ada", "bob"), ("bob", "ada")])
def test_what_is_no_folder_of_ours_costs_nobody_else_a_result(
    name: str, other: str, put: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    Path("out").mkdir()
    put(Path("out", name))
    before = Path("out", name).lstat()
    for graded in ("1 of 2", "0 of 1"):
        assert grade("in") == BROKEN
        said = capsys.readouterr()
        assert f"NOT GRADED: out/{name} is not a folder of the grader's" in said.out
        assert said.err == ""
        assert f"{graded} graded" in said.out
        assert report(other).score == SPEC.max_score
        assert [job.sources["many.c"].decode() for job in chosen.sandbox.jobs] == [other]
    after = Path("out", name).lstat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not Path("elsewhere").exists() or not list(Path("elsewhere").iterdir())
    Path("out", name).unlink()
    assert grade("in") == OK
    assert report(name).score == SPEC.max_score


def test_a_report_that_can_no_longer_be_written_is_told_and_its_result_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    shutil.rmtree("out/bob")
    Path("out/bob").write_text("mine")
    capsys.readouterr()
    assert grade("in") == BROKEN
    said = capsys.readouterr()
    assert "no report of bob: out/bob is not a folder of the grader's" in said.err
    assert "2 unchanged since graded" in said.out
    shutil.rmtree("out/ada")
    assert status_of(["render", "out"]) == BROKEN
    assert "out/bob is not a folder of the grader's" in capsys.readouterr().err
    assert report("ada").score == SPEC.max_score
    assert Path("out/bob").read_text() == "mine"


def test_a_namesake_from_elsewhere_is_told_and_a_moved_folder_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    Path("in").rename("moved")
    assert grade("moved") == OK
    assert "replaced" not in capsys.readouterr().err
    shutil.copytree("moved", "other")
    Path("other", "ada", "many.c").write_text("another student's")
    assert grade("other") == OK
    messages = capsys.readouterr().err
    assert (
        "results of the same name are replaced: moved/ada by other/ada; if these are different students" in messages
    )


def test_names_give_no_orders_to_a_terminal(capsys: Output) -> None:
    name = "\x1b]0;evil\x07"
    Path("in", name).mkdir()
    assert grade(f"in/{name}/none") == USAGE
    said = capsys.readouterr()
    assert r"\x1b]0;evil\a" in said.err
    assert "\x1b" not in said.err + said.out


def test_render_wants_a_folder_of_results(capsys: Output) -> None:
    assert status_of(["render", "in"]) == USAGE
    assert "in has no gradebook.sqlite" in capsys.readouterr().err


def test_a_disk_that_is_full_ends_the_run_and_keeps_what_was_finished(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    write_report = OutputFolder.write_report

    def full(self: OutputFolder, report: Report) -> None:
        if report.submission.name == "bob":
            raise GraderError("cannot write out/bob/report.html: No space left on device")
        write_report(self, report)

    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "write_report", full)
        assert grade("in", "--jobs", "1") == BROKEN
    said = capsys.readouterr().err
    assert (
        "No space left on device\nFinished results are kept. After this is fixed, the same command grades the rest"
        in said
    )
    assert Path("out/index.html").exists(), "what was finished has its overview"
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in") == OK
    assert [job.sources["many.c"] for job in chosen.sandbox.jobs] == [b"bob"]


@pytest.mark.parametrize(("folder", "path"), [("in", "."), ("in/ada", "."), ("in", "ada")])
def test_results_among_submissions_are_ours_until_a_student_can_have_made_them(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str, path: str
) -> None:
    chosen = Chosen(lambda _job: RIGHT, monkeypatch)
    lab = tmp_path / "copy.yaml"
    monkeypatch.chdir(folder)
    assert grade(path, lab=str(lab)) == OK
    number = len(chosen.sandbox.jobs)
    assert grade(path, lab=str(lab)) == OK
    assert "unchanged since graded" in capsys.readouterr().out
    assert len(chosen.sandbox.jobs) == number
    # The same gradebook, handed in by a student.
    shutil.copytree("out", "mine")
    Path("mine/.grader-results").write_bytes(b"mine")
    assert grade(path, lab=str(lab), out="mine") == USAGE
    assert "mine/gradebook.sqlite may be a student's" in capsys.readouterr().err
