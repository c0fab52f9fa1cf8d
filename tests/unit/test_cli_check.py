from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.cli import own_lab
from grader.cli.exit_status import BROKEN, FAILED, INTERRUPTED, OK, USAGE
from grader.cli.main import status_of
from grader.errors import EngineUnavailableError, GraderError, SandboxError, UsageError
from grader.grading import setup
from grader.judge.facts import NOT_SELECTED
from grader.model.evidence import Evidence
from grader.model.report import Report
from grader.render.text.phrases import isolation_words
from grader.sandbox.base import Job, ProgressEvent
from grader.selfcheck import own_work as selfcheck
from grader.selfcheck.quick_lab import NOTE

from .facts import FAILURE, REFERENCE, build, evidence, run
from .lab import DOCUMENT, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Script, events_of

Output = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
SOURCES = [program.main_source for program in SPEC.programs.values()]
POINTS = {item.name: item.points for item in SPEC.rubric}

TOTAL = SPEC.max_score

RIGHT = evidence()
WRONG = evidence({"many.copy": run("many.copy", b"wrong")})
# Of what is worth nothing there are no figures.
UNTIMED = evidence(left_out={"many.pattern": "no-tracer"})
UNTRACED = evidence(left_out={"single.slice.strace": "no-tracer"})


class Local(FakeSandbox):
    """What stands where the local sandbox would, and whether it was tidied up."""

    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "copy.yaml").write_text(json.dumps(DOCUMENT))  # JSON is YAML
    mine = tmp_path / "mine"
    mine.mkdir()
    for source in SOURCES:
        (mine / source).write_text("int main;")
    monkeypatch.chdir(mine)


Here = Callable[[Evidence | Script], Local]


@pytest.fixture
def here(monkeypatch: Patch) -> Here:
    """Let the local sandbox find this evidence, with a known reference."""

    def chosen(found: Evidence | Script) -> Local:
        sandbox = Local(found if callable(found) else lambda _job: events_of(found))
        monkeypatch.setattr(selfcheck, "local_sandbox", lambda: sandbox)
        monkeypatch.setattr(setup, "obtain_reference", lambda *_arguments: REFERENCE)
        return sandbox

    return chosen


def check(*arguments: str | Path) -> int:
    return status_of(["check", *map(str, arguments), "--lab", "../copy.yaml"])


def test_a_folder_called_reference_next_to_your_work_is_not_the_lab_s(here: Here, capsys: Output) -> None:
    sandbox = here(RIGHT)
    Path("../reference").mkdir()
    assert check() == USAGE
    assert "reference would be a part of the lab, and is next to mine" in capsys.readouterr().err
    assert sandbox.jobs == []


@pytest.mark.parametrize(
    ("found", "status", "says"),
    [
        (RIGHT, OK, "Nothing went wrong"),
        (WRONG, FAILED, "many.output"),
        (UNTRACED, BROKEN, "NOT EVERYTHING WAS JUDGED"),
        (evidence(builds={"many": build("many", FAILURE)}), FAILED, "many.build"),
    ],
    ids=["right", "wrong", "untraced", "unbuilt"],
)
def test_the_exit_status_says_what_came_of_it(
    here: Here, capsys: Output, found: Evidence, status: int, says: str
) -> None:
    sandbox = here(found)
    assert check() == status
    said = capsys.readouterr()
    assert says in said.out
    assert said.out.splitlines()[:2] == [f"checking {Path.cwd()}", f"many.c and single.c, {isolation_words('none')}"]
    assert said.err == ""
    assert sandbox.closed


def lines_of(said: str) -> list[str]:
    """The ids of the lines of checks."""
    return [line.split()[2] for line in said.partition("\n\n")[0].splitlines() if line[0] in "✓✗○"]


def test_each_check_has_one_line_and_what_came_of_it_follows(here: Here, capsys: Output) -> None:
    here(WRONG)
    assert check("--verbose") == FAILED
    said = capsys.readouterr().out
    assert sorted(lines_of(said)) == sorted(f"{program}.{name}" for name in POINTS for program in POINTS[name])
    assert said.count("✗ failed") == 2, "its line, and what was seen"
    assert "\x1b" not in said


def test_a_check_has_no_line_unless_that_is_asked_for(here: Here, capsys: Output) -> None:
    here(WRONG)
    assert check() == FAILED
    said = capsys.readouterr().out
    assert lines_of(said) == []
    assert "Costs" in said


def archived(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for source in SOURCES:
            archive.write(source)
    return path


def test_a_second_check_of_an_archive_says_what_has_changed(here: Here, capsys: Output, tmp_path: Path) -> None:
    mine = archived(tmp_path / "mine.zip")
    for found, is_said in ((WRONG, False), (RIGHT, True)):
        here(found)
        check(mine)
        assert ("Since the last check: " in capsys.readouterr().out) == is_said


def test_a_lab_that_has_changed_is_not_compared(here: Here, capsys: Output, tmp_path: Path) -> None:
    here(WRONG)
    check()
    (tmp_path / "copy.yaml").write_text(json.dumps(DOCUMENT | {"title": "Another"}))
    here(RIGHT)
    check()
    assert "Since the last check" not in capsys.readouterr().out


def test_lines_fit_a_terminal_of_80_columns_in_a_pipe(here: Here, capsys: Output, monkeypatch: Patch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for found in (UNTRACED, WRONG, RIGHT):
        here(found)
        check()
        lines = capsys.readouterr().out.splitlines()
        # The first line has a path.
        assert [line for line in lines[1:] if len(line) > 80 and not line.startswith("    ")] == []
        assert [line for line in lines if line != line.rstrip()] == []


def test_an_archive_is_not_watched(here: Here, capsys: Output, tmp_path: Path) -> None:
    sandbox = here(RIGHT)
    mine = archived(tmp_path / "mine.zip")
    assert check("--watch", mine) == USAGE
    assert f"--watch waits for saves in a folder, and {mine} is an archive" in capsys.readouterr().err
    assert not sandbox.jobs


def test_a_second_check_says_what_has_changed(here: Here, capsys: Output) -> None:
    here(WRONG)
    assert check() == FAILED
    assert "Since the last check" not in capsys.readouterr().out
    here(RIGHT)
    assert check("--only", "many.output") == OK
    assert "Since the last check" not in capsys.readouterr().out, "there is no score to compare"
    assert check() == OK
    lost = POINTS["output"]["many"]
    words = f"Since the last check: {TOTAL - lost:g} to {TOTAL:g} points: many.output passes now."
    assert words in capsys.readouterr().out
    assert check() == OK
    assert "Since the last check" not in capsys.readouterr().out


def test_an_archive_is_checked_as_a_folder_is(here: Here, capsys: Output) -> None:
    here(RIGHT)
    with zipfile.ZipFile("work.zip", "w") as archive:
        for source in SOURCES:
            archive.writestr(f"work/{source}", "int main;")
    assert check("work.zip") == OK
    assert f"work  {TOTAL:g} of {TOTAL:g}" in capsys.readouterr().out


def test_a_line_comes_while_others_are_at_work(here: Here, capsys: Output) -> None:
    seen: dict[str, list[str]] = {}

    class Slow(list[ProgressEvent | Exception]):
        def __iter__(self) -> Iterator[ProgressEvent | Exception]:
            for event in super().__iter__():
                yield event
                seen[str(event)] = lines_of(capsys.readouterr().out)

    here(lambda _job: Slow(events_of(RIGHT)))
    assert check("--verbose") == OK
    assert "many.build" in next(lines for lines in seen.values() if lines)
    assert sum(bool(lines) for lines in seen.values()) > len(PROGRAMS), "not all at the end"


def test_quick_says_that_it_is_not_the_grade(here: Here, capsys: Output) -> None:
    here(RIGHT)
    assert check("--quick", "--html", "../report.html") == OK
    said = capsys.readouterr().out
    assert said.startswith(f"checking {Path.cwd()}, inputs shortened by --quick\n")
    assert f"{TOTAL} of {TOTAL}, inputs shortened by --quick\n" in said
    assert NOTE in said
    page = Path("../report.html").read_text(encoding="utf-8")
    assert "shortened inputs: not the grade" in page
    assert escape(NOTE) in page
    check("--quick", "--json")
    report = Report.model_validate_json(capsys.readouterr().out)
    assert (report.quick, report.notes) == (True, (NOTE,))


def test_what_is_not_quick_does_not_say_so(here: Here, capsys: Output) -> None:
    report = _report_of(here, capsys, RIGHT)
    assert (report.quick, report.only, report.notes) == (False, (), ())


@pytest.mark.parametrize(
    ("found", "only", "status"),
    [
        (WRONG, ["many.output"], FAILED),
        (WRONG, ["single.output"], OK),
        (UNTRACED, ["single.syscalls"], BROKEN),
        (UNTRACED, ["output", "errors"], OK),
        (evidence(builds={"many": build("many", FAILURE)}), ["many.output"], FAILED),
        (evidence(builds={"many": build("many", FAILURE)}), ["single.output"], OK),
    ],
)
def test_only_what_was_asked_for_decides(here: Here, found: Evidence, only: list[str], status: int) -> None:
    here(lambda job: events_of(_planned(found, job)))
    assert check(*(f"--only={name}" for name in only)) == status


def _planned(found: Evidence, job: Job) -> Evidence:
    """What a guest says of a plan: of nothing else."""
    steps = {step.id for step in job.plan.runs}
    return found.model_copy(
        update={
            "builds": {step.program: found.builds[step.program] for step in job.plan.builds},
            "runs": {step: done for step, done in found.runs.items() if step in steps},
            "left_out": {step: left for step, left in found.left_out.items() if step in steps},
        }
    )


def test_only_runs_what_it_needs_and_shows_no_score(here: Here, capsys: Output) -> None:
    sandbox = here(lambda job: events_of(_planned(WRONG, job)))
    assert (
        check("--verbose", "--only", "many.output", "--html", "../report.html", "--junit", "../junit.xml") == FAILED
    )
    (job,) = sandbox.jobs
    assert [step.program for step in job.plan.builds] == ["many"]
    assert [step.id for step in job.plan.runs] == ["many.copy", "many.piped"]
    said = capsys.readouterr().out
    asked, checks = ["many.build", "many.output"], sum(map(len, POINTS.values()))
    assert sorted(lines_of(said)) == asked
    assert f"no score: 2 of {checks} checks selected" in said
    assert f"{checks - 2} checks: {NOT_SELECTED}" in said
    page = Path("../report.html").read_text(encoding="utf-8")
    assert "No score" in page
    assert f"of {TOTAL} points" not in page
    assert NOT_SELECTED in page
    assert int(_junit()[0].get("skipped", "")) == checks - 2
    check("--only", "many.output", "--json")
    report = Report.model_validate_json(capsys.readouterr().out)
    assert (report.score, sorted(report.only), report.not_run) == (None, asked, ())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--only", "many.outptu"], "--only many.outptu: there is no such check. Did you mean many.output?"),
        (["--watch", "--json"], "--watch and --json cannot be used together"),
    ],
)
def test_options_that_cannot_be(here: Here, capsys: Output, arguments: list[str], says: str) -> None:
    sandbox = here(RIGHT)
    assert check(*arguments) == USAGE
    assert f"grader: {says}" in capsys.readouterr().err.splitlines()
    assert not sandbox.jobs


def test_the_first_line_waits_for_nothing_that_takes_long_to_load() -> None:
    """What is loaded when the first line is printed; a clock would measure how busy the machine is."""
    heavy = ["docker", "pydantic", "rich", "yaml", "jinja2", "markdown_it", "watchdog", "asyncio"]
    code = f"import sys, grader.cli.main, grader.cli.check; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout == "[]\n"


def test_a_check_without_docker_or_a_page_loads_nothing_of_these() -> None:
    code = (
        "import sys, grader.cli.check_run;"
        "print([m for m in ['docker', 'jinja2', 'watchdog', 'asyncio'] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout == "[]\n"


def test_what_was_not_judged_is_told_with_its_points(here: Here, capsys: Output) -> None:
    here(UNTRACED)
    assert check() == BROKEN
    said = capsys.readouterr().out
    points = POINTS["syscalls"]["single"]
    assert f"1 check worth {points} points could not be" in said
    assert "single.syscalls" in said


def test_a_skipped_check_that_is_worth_nothing_is_no_matter(here: Here, capsys: Output) -> None:
    report = _report_of(here, capsys, UNTIMED)
    assert [one.id for one in report.checks if one.status == "skipped"] == ["many.timing"]
    assert check() == OK


def test_a_failure_counts_more_than_what_was_not_judged(here: Here, capsys: Output) -> None:
    both = evidence({"many.copy": run("many.copy", b"wrong")}, left_out={"single.slice.strace": "no-tracer"})
    report = _report_of(here, capsys, both)
    assert {one.status for one in report.checks} == {"passed", "failed", "skipped"}
    assert check() == FAILED


def _report_of(here: Here, capsys: Output, found: Evidence) -> Report:
    here(found)
    check("--json")
    return Report.model_validate_json(capsys.readouterr().out)


def test_json_is_the_report_and_nothing_else(here: Here, capsys: Output) -> None:
    here(WRONG)
    assert check("--json") == FAILED
    said = capsys.readouterr()
    report = Report.model_validate_json(said.out)
    assert (report.submission.name, report.status) == ("mine", "graded")
    assert {one.id for one in report.checks if one.status == "failed"} == {"many.output"}
    assert "many.output" in said.err


def test_a_page_and_junit_are_written_and_said(here: Here, capsys: Output) -> None:
    here(WRONG)
    assert check("--html", "../report.html", "--junit", "../junit.xml") == FAILED
    assert "many.output" in Path("../report.html").read_text(encoding="utf-8")
    root = _junit()
    assert (root.get("failures"), root.get("errors")) == ("1", "0")
    assert [suite.get("name") for suite in root] == ["mine"]
    said = capsys.readouterr().err
    assert "written: ../report.html" in said.splitlines()
    assert "written: ../junit.xml" in said.splitlines()
    assert sorted(path.name for path in Path().iterdir()) == SOURCES, "nothing of ours is left beside the sources"


def test_a_fault_of_ours_is_told_with_its_reason_everywhere(here: Here, capsys: Output) -> None:
    here(lambda _job: [SandboxError("the guest fell silent")])
    assert check("--json", "--junit", "../junit.xml") == BROKEN
    said = capsys.readouterr()
    report = Report.model_validate_json(said.out)
    assert (report.status, report.score, report.reason) == ("not_graded", None, "the guest fell silent")
    assert "NOT GRADED" in said.err
    assert _junit().get("errors") == "1"


def _junit() -> ET.Element:
    return ET.fromstring(Path("../junit.xml").read_bytes())  # noqa: S314 - written by us, a line ago


@pytest.mark.parametrize(
    ("error", "status"),
    [(GraderError("no room, says the test"), BROKEN), (UsageError("no room, says the test"), USAGE)],
)
def test_a_reference_that_cannot_be_run(
    here: Here, capsys: Output, monkeypatch: Patch, error: Exception, status: int
) -> None:
    sandbox = here(RIGHT)

    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(setup, "obtain_reference", fail)
    assert check() == status
    said = capsys.readouterr()
    assert ("NOT GRADED\nno room, says the test" in said.out) == (status == BROKEN)
    assert ("grader: no room, says the test" in said.err) == (status == USAGE)
    assert sandbox.closed


def test_an_interruption_leaves_nothing_at_work(here: Here, capsys: Output) -> None:
    def script(_job: Job) -> list[ProgressEvent | Exception]:
        raise KeyboardInterrupt

    sandbox = here(script)
    assert check("--html", "../report.html") == INTERRUPTED
    assert (sandbox.at_work, sandbox.closed) == (0, True)
    assert not Path("../report.html").exists()
    said = capsys.readouterr()
    assert said.err.split() == ["interrupted"]
    assert "graded" not in said.out, "no score"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["many.c"], "many.c is not a folder or an archive; give the one that contains many.c and single.c"),
        (["many.c/below"], "many.c/below cannot be read: Not a directory"),
        (["--html", "nowhere/report.html"], "--html nowhere/report.html: there is no folder nowhere"),
        (["--junit", "many.c/junit.xml"], "--junit many.c/junit.xml: there is no folder many.c"),
        (["--html", "."], "--html .: it is a folder; name a file in it"),
        (["--html", os.devnull], f"--html {os.devnull}: something that is not a file is there"),
        (["--junit", "many.c"], "--junit many.c: a source of the lab has this name, and would be overwritten"),
        (["--junit", "../a", "--html", "../mine/../a"], "--html and --junit name the same file"),
    ],
)
def test_what_cannot_be_asked_for_is_told_before_any_work(
    here: Here, capsys: Output, arguments: list[str], says: str
) -> None:
    sandbox = here(RIGHT)
    assert check(*arguments) == USAGE
    assert f"grader: {says}" in capsys.readouterr().err.splitlines()
    assert not sandbox.jobs
    assert Path("many.c").read_text() == "int main;"


def test_a_folder_that_nothing_can_be_written_to(here: Here, capsys: Output, monkeypatch: Patch) -> None:
    here(RIGHT)
    # Root may write anywhere.
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    assert check("--html", "report.html") == USAGE
    assert "--html report.html: nothing can be written in ." in capsys.readouterr().err


def test_an_empty_folder_says_what_should_be_in_it(here: Here, capsys: Output, tmp_path: Path) -> None:
    sandbox = here(RIGHT)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert check(empty) == USAGE
    assert f"nothing to check in {empty}: many.c and single.c should be in it" in capsys.readouterr().err
    assert not sandbox.jobs


def test_a_folder_with_nothing_of_the_lab_says_what_may_be_meant(here: Here, capsys: Output, tmp_path: Path) -> None:
    here(RIGHT)
    other = tmp_path / "other"
    other.mkdir()
    (other / "Many.c").write_text("")
    (other / "letter.txt").write_text("")
    assert check(other) == USAGE
    first, *hints = capsys.readouterr().err.splitlines()
    assert first == f"grader: nothing to check in {other}:"
    assert "  many.c is missing. The folder has Many.c: rename it to many.c" in hints[0]
    assert hints[1:] == ["  single.c is missing"]


def test_one_source_alone_is_graded_and_the_other_is_a_failed_check(here: Here, capsys: Output) -> None:
    seen = here(lambda job: events_of(_only(RIGHT, "many") if list(job.sources) == ["many.c"] else RIGHT))
    Path("single.c").unlink()
    assert check() == FAILED
    said = capsys.readouterr().out
    assert "single.build" in said
    assert "single.c is missing" in said
    assert "\nmany.c, " in said
    assert [list(job.sources) for job in seen.jobs] == [["many.c"]]


def _only(found: Evidence, program: str) -> Evidence:
    runs = {step: done for step, done in found.runs.items() if step.startswith(f"{program}.")}
    return found.model_copy(update={"runs": runs, "builds": {program: found.builds[program]}})


def test_sources_in_a_folder_below_are_found_and_it_is_still_one_submission(here: Here, capsys: Output) -> None:
    sandbox = here(RIGHT)
    for name in ("src", "old"):
        Path(name).mkdir()
        for source in SOURCES:
            Path(name, source).write_text(name)
    for source in SOURCES:
        Path(source).unlink()
    assert check() == OK
    assert len(sandbox.jobs) == 1
    assert "were taken from old/; there are others in src/" in capsys.readouterr().out


def test_the_only_lab_need_not_be_named(here: Here, capsys: Output, monkeypatch: Patch) -> None:
    here(RIGHT)
    monkeypatch.setattr(own_lab, "known_labs", lambda: ["../copy.yaml"])
    assert status_of(["check"]) == OK
    monkeypatch.setattr(own_lab, "known_labs", lambda: ["../copy.yaml", "tr2"])
    assert status_of(["check"]) == OK, "the sources say which"
    Path("../broken.yaml").write_text("lab: broken\n")
    monkeypatch.setattr(own_lab, "known_labs", lambda: ["../broken.yaml", "../copy.yaml"])
    assert status_of(["check"]) == OK
    assert "note: the lab ../broken.yaml is left out: " in capsys.readouterr().err
    shutil.copy("../copy.yaml", "../other.yaml")
    monkeypatch.setattr(own_lab, "known_labs", lambda: ["../copy.yaml", "../other.yaml"])
    assert status_of(["check"]) == USAGE
    assert "say which lab it is: --lab ../copy.yaml or --lab ../other.yaml" in capsys.readouterr().err


def test_misnamed_sources_say_which_lab_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of(["check"]) == USAGE
    said = capsys.readouterr().err
    assert "nothing to check" in said
    assert "say which lab it is: --lab copybuf or --lab tr2" in said
    Path("TR2B.TXT").write_text("int main(void) { return 0; }\n")
    assert status_of(["check"]) == USAGE
    said = capsys.readouterr().err
    assert "TR2B.TXT" in said
    assert "copybuf" not in said


def test_where_there_is_no_local_sandbox_docker_serves(here: Here, monkeypatch: Patch, capsys: Output) -> None:
    sandbox = here(RIGHT)
    sandbox.isolation = "container"
    asked: list[str] = []

    def refuse() -> None:
        raise EngineUnavailableError("no gcc here")

    def docker(choice: str, _notify: object) -> Local:
        asked.append(choice)
        return sandbox

    monkeypatch.setattr(selfcheck, "local_sandbox", refuse)
    monkeypatch.setattr(selfcheck, "choose_sandbox", docker)
    assert check() == OK
    assert asked == ["docker"]
    assert f"many.c and single.c, {isolation_words('container')}\n" in capsys.readouterr().out


def test_where_neither_can_be_had_both_reasons_are_told(monkeypatch: Patch, capsys: Output) -> None:
    def no_local() -> None:
        raise EngineUnavailableError("no gcc here; install gcc")

    def no_docker(*_arguments: object) -> None:
        raise EngineUnavailableError("no Docker engine answers")

    monkeypatch.setattr(selfcheck, "local_sandbox", no_local)
    monkeypatch.setattr(selfcheck, "choose_sandbox", no_docker)
    assert check() == BROKEN
    assert "grader: no gcc here; install gcc\nNor with Docker: no Docker engine answers\n" in capsys.readouterr().err


def test_a_sandbox_that_was_named_is_not_exchanged(monkeypatch: Patch, capsys: Output) -> None:
    def no_docker(choice: str, _notify: object) -> None:
        raise EngineUnavailableError(f"no {choice} here")

    monkeypatch.setattr(selfcheck, "choose_sandbox", no_docker)
    assert check("--sandbox", "docker") == BROKEN
    assert "grader: no docker here" in capsys.readouterr().err
