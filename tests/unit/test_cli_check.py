from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader import preparation
from grader.checking import own
from grader.cli import own_work
from grader.cli.main import BROKEN, INTERRUPTED, OK, USAGE, status_of
from grader.cli.own_report import FAILED
from grader.errors import EngineUnavailableError, GraderError, SandboxError, UsageError
from grader.model.evidence import Evidence
from grader.model.report import Report
from grader.render.words import isolation_words
from grader.sandbox.base import Job, Progress

from .facts import FAILURE, REFERENCE, build, evidence, run
from .lab import DOCUMENT, SPEC
from .sandboxes import FakeSandbox, Script, events_of

Output = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
SOURCES = [program.source for program in SPEC.programs.values()]
POINTS = {item.name: item.points for item in SPEC.rubric}

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
    """Have the local sandbox find this evidence, beside a reference that is known."""

    def chosen(found: Evidence | Script) -> Local:
        place = Local(found if callable(found) else lambda _job: events_of(found))
        monkeypatch.setattr(own, "local_sandbox", lambda: place)
        monkeypatch.setattr(preparation, "obtain_reference", lambda *_arguments: REFERENCE)
        return place

    return chosen


def check(*arguments: str | Path) -> int:
    return status_of(["check", *map(str, arguments), "--lab", "../copy.yaml"])


@pytest.mark.parametrize(
    ("found", "status", "says"),
    [
        (RIGHT, OK, "Nothing went wrong"),
        (WRONG, FAILED, "many.output"),
        (UNTRACED, BROKEN, "NOT ALL WAS JUDGED"),
        (evidence(builds={"many": build("many", FAILURE)}), FAILED, "many.build"),
    ],
    ids=["right", "wrong", "untraced", "unbuilt"],
)
def test_the_exit_status_says_what_came_of_it(
    here: Here, capsys: Output, found: Evidence, status: int, says: str
) -> None:
    place = here(found)
    assert check() == status
    said = capsys.readouterr()
    assert says in said.out
    assert said.out.splitlines()[:2] == [f"checking {Path.cwd()}", f"many.c and single.c, {isolation_words('none')}"]
    assert said.err == ""
    assert place.closed


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
    place = here(RIGHT)

    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(preparation, "obtain_reference", fail)
    assert check() == status
    said = capsys.readouterr()
    assert ("NOT GRADED\nno room, says the test" in said.out) == (status == BROKEN)
    assert ("grader: no room, says the test" in said.err) == (status == USAGE)
    assert place.closed


def test_an_interruption_leaves_nothing_at_work(here: Here, capsys: Output) -> None:
    def script(_job: Job) -> list[Progress | Exception]:
        raise KeyboardInterrupt

    place = here(script)
    assert check("--html", "../report.html") == INTERRUPTED
    assert (place.at_work, place.closed) == (0, True)
    assert not Path("../report.html").exists()
    said = capsys.readouterr()
    assert said.err.split() == ["interrupted"]
    assert "graded" not in said.out, "no score"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["many.c"], "many.c is not a folder; give the one that holds many.c and single.c"),
        (["many.c/below"], "many.c/below cannot be read: Not a directory"),
        (["--html", "nowhere/report.html"], "--html nowhere/report.html: there is no folder nowhere"),
        (["--junit", "many.c/junit.xml"], "--junit many.c/junit.xml: there is no folder many.c"),
        (["--html", "."], "--html .: it is a folder; name a file in it"),
        (["--html", os.devnull], f"--html {os.devnull}: something that is not a file is there"),
        (["--junit", "many.c"], "--junit many.c: a source of the lab has this name, and would be lost"),
        (["--junit", "../a", "--html", "../mine/../a"], "--html and --junit name the same file"),
    ],
)
def test_what_cannot_be_asked_for_is_told_before_any_work(
    here: Here, capsys: Output, arguments: list[str], says: str
) -> None:
    place = here(RIGHT)
    assert check(*arguments) == USAGE
    assert f"grader: {says}" in capsys.readouterr().err.splitlines()
    assert not place.jobs
    assert Path("many.c").read_text() == "int main;"


def test_a_folder_that_nothing_can_be_written_to(here: Here, capsys: Output, monkeypatch: Patch) -> None:
    here(RIGHT)
    # Root may write anywhere.
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    assert check("--html", "report.html") == USAGE
    assert "--html report.html: nothing can be written in ." in capsys.readouterr().err


def test_an_empty_folder_says_what_should_be_in_it(here: Here, capsys: Output, tmp_path: Path) -> None:
    place = here(RIGHT)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert check(empty) == USAGE
    assert f"nothing to check in {empty}: many.c and single.c should be in it" in capsys.readouterr().err
    assert not place.jobs


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
    assert [list(job.sources) for job in seen.jobs] == [["many.c"]]


def _only(found: Evidence, program: str) -> Evidence:
    runs = {step: done for step, done in found.runs.items() if step.startswith(f"{program}.")}
    return found.model_copy(update={"runs": runs, "builds": {program: found.builds[program]}})


def test_sources_in_a_folder_below_are_found_and_it_is_still_one_submission(here: Here, capsys: Output) -> None:
    place = here(RIGHT)
    for name in ("src", "old"):
        Path(name).mkdir()
        for source in SOURCES:
            Path(name, source).write_text(name)
    for source in SOURCES:
        Path(source).unlink()
    assert check() == OK
    assert len(place.jobs) == 1
    assert "were taken from old/; there are others in src/" in capsys.readouterr().out


def test_the_only_lab_need_not_be_named(here: Here, capsys: Output, monkeypatch: Patch) -> None:
    here(RIGHT)
    monkeypatch.setattr(own_work, "known_labs", lambda: ["../copy.yaml"])
    assert status_of(["check"]) == OK
    monkeypatch.setattr(own_work, "known_labs", lambda: ["copy", "tr2"])
    assert status_of(["check"]) == USAGE
    assert "say which lab it is: --lab copy or --lab tr2" in capsys.readouterr().err


def test_where_there_is_no_local_sandbox_docker_serves(here: Here, monkeypatch: Patch, capsys: Output) -> None:
    place = here(RIGHT)
    place.isolation = "container"
    asked: list[str] = []

    def refuse() -> None:
        raise EngineUnavailableError("no gcc here")

    def docker(choice: str, _say: object) -> Local:
        asked.append(choice)
        return place

    monkeypatch.setattr(own, "local_sandbox", refuse)
    monkeypatch.setattr(own, "choose_sandbox", docker)
    assert check() == OK
    assert asked == ["docker"]
    assert f"many.c and single.c, {isolation_words('container')}\n" in capsys.readouterr().out


def test_where_neither_can_be_had_both_reasons_are_told(monkeypatch: Patch, capsys: Output) -> None:
    def no_local() -> None:
        raise EngineUnavailableError("no gcc here; install gcc")

    def no_docker(*_arguments: object) -> None:
        raise EngineUnavailableError("no Docker engine answers")

    monkeypatch.setattr(own, "local_sandbox", no_local)
    monkeypatch.setattr(own, "choose_sandbox", no_docker)
    assert check() == BROKEN
    assert "grader: no gcc here; install gcc\nNor with Docker: no Docker engine answers\n" in capsys.readouterr().err


def test_a_sandbox_that_was_named_is_not_exchanged(monkeypatch: Patch, capsys: Output) -> None:
    def no_docker(choice: str, _say: object) -> None:
        raise EngineUnavailableError(f"no {choice} here")

    monkeypatch.setattr(own, "choose_sandbox", no_docker)
    assert check("--sandbox", "docker") == BROKEN
    assert "grader: no docker here" in capsys.readouterr().err
