"""A class with hostile names is graded: nothing lies outside of the output folder, the honest one gets the score."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.batch import workers
from grader.cli.exit_status import BROKEN, OK
from grader.cli.main import status_of
from grader.grading import setup
from grader.intake.names import Names
from grader.model.report import Report

from .facts import REFERENCE, evidence
from .lab import DOCUMENT, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, events_of

RIGHT = events_of(evidence())
SIDS = [
    "{elsewhere}",
    "../elsewhere",
    "../../elsewhere",
    "./zoe-7",
    "zoe-7",
    "12/34",
    "a\0b",
    "./index.html",
    "INDEX.HTML",
    "gradebook.sqlite-journal",
    "con",
    "x" * 5000,
    "...",
    "line\nbreak",
    "line\u2028separator",
    "-rf",
    "",
]
OURS = [".grader-results", "gradebook.sqlite", "grades.csv", "index.html", "junit.xml"]


@pytest.fixture
def sandbox(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> FakeSandbox:
    sandbox = FakeSandbox(lambda _job: RIGHT)
    monkeypatch.setattr(workers, "choose_sandbox", lambda *_arguments: sandbox)
    monkeypatch.setattr(setup, "obtain_reference", lambda *_arguments: REFERENCE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    (tmp_path / "copy.yaml").write_text(json.dumps(DOCUMENT))  # JSON is YAML
    return sandbox


def export(folder: Path, sids: Sequence[str], name: str) -> None:
    """Zoe's submission, and one for each of the others."""
    people = [("Zoe", "7"), *((name, sid) for sid in sids)]
    for number in range(1, len(people) + 1):
        (folder / f"submission_{number}").mkdir(parents=True)
        for program in PROGRAMS:
            (folder / f"submission_{number}" / f"{program}.c").write_text(f"int of_{number};")
    records = {
        f"submission_{number}": {":submitters": [{":name": name, ":sid": sid}]}
        for number, (name, sid) in enumerate(people, start=1)
    }
    (folder / "submission_metadata.yml").write_text(json.dumps(records))


def grade(*options: str) -> int:
    return status_of(["grade", "../in", "--lab", "../copy.yaml", "--out", "out", *options])


def zoe_s() -> Report:
    return Report.model_validate_json(Path("out/zoe-7/report.json").read_bytes())


@pytest.mark.long
@pytest.mark.parametrize("name", ["Eve", "-", ""])
def test_a_class_with_hostile_student_numbers_is_graded_within_the_output_folder(
    tmp_path: Path, sandbox: FakeSandbox, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    export(tmp_path / "in", [sid.format(elsewhere=elsewhere) for sid in SIDS], name)
    assert grade() == OK
    assert len(sandbox.jobs) == 1 + len(SIDS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["below", "copy.yaml", "in"]
    assert [path.name for path in Path().iterdir()] == ["out"]
    folders = [path for path in Path("out").iterdir() if path.name not in OURS]
    assert len(folders) == 1 + len(SIDS)
    assert all(path.is_dir() for path in folders)
    assert all((path / "report.html").is_file() for path in folders)
    assert zoe_s().score == SPEC.max_score
    reports = [Report.model_validate_json((path / "report.json").read_bytes()) for path in folders]
    assert len({report.submission.digest for report in reports}) == 1 + len(SIDS)
    sandbox.jobs.clear()
    assert grade() == OK
    assert sandbox.jobs == [], "all have kept their names"
    assert status_of(["render", "out"]) == OK


HOSTILE = ["../elsewhere", "./zoe-7", "12/34", "a\0b", "./index.html", "index.html", "INDEX.HTML", "x" * 300, ".", ""]


@pytest.mark.usefixtures("sandbox")
def test_a_name_that_slipped_through_is_not_graded_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    export(tmp_path / "in", HOSTILE, "Eve")
    take, hostile = Names.take, iter(HOSTILE * 2)
    with monkeypatch.context() as patch:
        patch.setattr(Names, "take", lambda self, name: take(self, name) if name == "zoe-7" else next(hostile))
        for graded in (f"1 of {1 + len(HOSTILE)} graded", f"0 of {len(HOSTILE)} graded"):
            assert grade("--jobs", "1") == BROKEN
            said = capsys.readouterr().out
            assert graded in said
            assert said.count("NOT GRADED") == len(HOSTILE)
            assert zoe_s().score == SPEC.max_score
            assert sorted(path.name for path in Path("out").iterdir()) == sorted([*OURS, "zoe-7"])
            assert not (tmp_path / "below" / "elsewhere").exists()
    # A gradebook with such rows, from before names were made safe, is of use all the same.
    assert grade() == OK
    assert f"{len(HOSTILE)} of {len(HOSTILE)} graded" in capsys.readouterr().out
    assert zoe_s().score == SPEC.max_score
