from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from grader.cli import grade as command
from grader.cli.main import BROKEN, INTERRUPTED, OK, USAGE, status_of
from grader.cli.progress import LiveProgress
from grader.errors import SandboxError
from grader.model.report import Report
from grader.sandbox.base import Job, Progress

from .facts import REFERENCE, evidence
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
            (folder / program.source).write_text(name)


def grade(*arguments: str, lab: str = "copy.yaml", out: str = "out") -> int:
    return status_of(["grade", *arguments, "--lab", lab, "--out", out])


@pytest.mark.parametrize(
    ("arguments", "lab", "says"),
    [
        (["in"], "tr3", "there is no lab 'tr3'; there are tr2"),
        (["in"], "../reference/tr2", "there is no lab"),
        (["in"], "none.yaml", "none.yaml: cannot be read: "),
        (["in"], "wrong.yaml", "wrong.yaml:1: unknown key 'labs'"),
        (["nowhere"], "copy.yaml", "nowhere does not exist"),
        (["in", "nowhere"], "copy.yaml", "nowhere does not exist"),
        (["copy.yaml"], "copy.yaml", "copy.yaml is not a folder"),
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


def test_an_output_folder_is_no_submission(capsys: Output) -> None:
    Path("only/out").mkdir(parents=True)
    assert grade("only", out="only/out") == USAGE
    assert "nothing to grade" in capsys.readouterr().err


@LEAKING
def test_without_an_engine_auto_is_refused_with_the_way_on(capsys: Output) -> None:
    assert grade("in", "--sandbox", "auto") == USAGE
    said = capsys.readouterr().err
    assert "no Docker engine answers: No such file or directory" in said
    assert "--sandbox local" in said
    gc.collect()


@LEAKING
def test_without_an_engine_docker_is_what_cannot_be_had(capsys: Output) -> None:
    assert grade("in", "--sandbox", "docker") == BROKEN
    said = capsys.readouterr().err
    assert "no Docker engine answers" in said
    assert "--sandbox local" not in said
    gc.collect()


class Chosen:
    """A sandbox that runs nothing in the place of the chosen one, and a reference that is known."""

    def __init__(self, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = FakeSandbox(script)
        monkeypatch.setattr(command, "choose_sandbox", lambda *_arguments: self.place)
        monkeypatch.setattr(command, "obtain_reference", lambda *_arguments: REFERENCE)


def report(name: str) -> Report:
    return Report.model_validate_json(Path("out", name, "report.json").read_bytes())


def test_everything_graded_is_success_whatever_the_scores(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in/cyd").mkdir()
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in", "--jobs", "2") == OK
    assert [report(name).score for name in ("ada", "bob", "cyd")] == [SPEC.max_score, SPEC.max_score, 0]
    assert {path.name for path in Path("out").iterdir()} == {"ada", "bob", "cyd", "index.html", "grades.csv"}
    said = capsys.readouterr().out
    assert "3 of 3 graded" in said
    assert "report: out/index.html" in said
    assert sum(line.startswith(("ada", "bob", "cyd")) for line in said.splitlines()) == 3


def test_one_submission_is_shown_in_full(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)
    assert grade("in/ada") == OK
    said = capsys.readouterr().out
    assert "report: out/ada/report.html" in said
    assert "many" in said


def test_one_that_was_not_graded_shows_in_the_exit_status(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(job: Job) -> list[Progress | Exception]:
        return [SandboxError("the engine died")] if job.sources["many.c"] == b"bob" else [*RIGHT]

    Chosen(script, monkeypatch)
    assert grade("in") == BROKEN
    assert (report("ada").status, report("bob").status) == ("graded", "not_graded")
    said = capsys.readouterr().out
    assert "1 of 2 graded" in said
    assert "the engine died" in said


def test_an_interruption_keeps_what_was_finished(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    Chosen(lambda _job: RIGHT, monkeypatch)

    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LiveProgress, "show", interrupt)
    assert grade("in") == INTERRUPTED
    assert report("ada").status == "graded"
    assert len(Path("out/grades.csv").read_text().splitlines()) == 1 + 1
    assert "1 of 2 graded" in capsys.readouterr().out
