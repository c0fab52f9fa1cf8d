"""The command line of `grader gradescope try`, with what is below it put in its place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.cli.exit_status import BROKEN, OK, USAGE
from grader.cli.gradescope_commands import try_
from grader.cli.main import status_of
from grader.gradescope.simulator.image import build
from grader.gradescope.simulator.outcome import SimulatedRun

from .packing import zipped

GOOD = SimulatedRun({"score": 3}, b'{"score":3}', "", "", 1.25, peak_memory_bytes=100 << 20)


@dataclass
class Fake:
    """An engine, and a run whose outcome the test chooses."""

    outcome: SimulatedRun = GOOD
    asked: dict[str, Any] = field(default_factory=dict)

    def close(self) -> None: ...

    def build(self, upload: bytes, **options: object) -> bytes:
        self.asked |= options
        return upload

    def run(self, image: object, submission: Path, **options: object) -> SimulatedRun:
        self.asked |= {"image": image, "submission": submission, **options}
        return self.outcome


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(try_, "connect", lambda: made)
    monkeypatch.setattr(try_, "build", made.build)
    monkeypatch.setattr(try_, "run", made.run)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    Path("a.zip").write_bytes(b"the zip")
    Path("work").mkdir()
    return made


def try_it(*options: str) -> int:
    return status_of(["gradescope", "try", "a.zip", "work", *options])


def test_a_grade_is_shown_with_what_it_took(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    assert try_it() == OK
    assert (fake.asked["image"], fake.asked["submission"]) == (b"the zip", Path("work"))
    assert (fake.asked["timeout_s"], fake.asked["cpus"], fake.asked["memory"]) == (600, 0.5, "768m")
    written = capsys.readouterr().out
    assert "Score: 3" in written
    assert "1.2 s; peak memory 100 of 768 MiB" in written
    assert "NO GRADE" not in written


@pytest.mark.parametrize("results", [None, {"score": 0, "output": "failed"}])
def test_no_grade_is_status_3_with_its_reason(
    fake: Fake, capsys: pytest.CaptureFixture[str], results: dict[str, Any] | None
) -> None:
    fake.outcome = SimulatedRun(results, None, "", "there is \x1b[2J none", 1)
    assert try_it("--results", "out.json") == BROKEN
    written = capsys.readouterr()
    assert "NO GRADE: there is \\x1b[2J none" in written.out
    assert "out.json was not written" in written.err
    assert not Path("out.json").exists()


def test_wrong_fields_are_listed_in_the_place_of_what_cannot_be_shown(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    mistakes = tuple(f"tests[{number}]: wrong" for number in range(try_.MISTAKES_SHOWN + 2))
    fake.outcome = SimulatedRun({"tests": 7}, b"{}", "", "not as wanted", 1, mistakes=mistakes, warnings=("odd",))
    assert try_it() == BROKEN
    written = capsys.readouterr().out
    assert written.count(": wrong") == try_.MISTAKES_SHOWN
    assert "wrong: 2 more" in written
    assert "warning: odd" in written


def test_results_are_written_as_they_were(fake: Fake) -> None:
    assert try_it("--results", "out.json") == OK
    assert Path("out.json").read_bytes() == fake.outcome.raw


def test_earlier_results_are_in_the_metadata_from_the_oldest_to_the_newest(fake: Fake) -> None:
    for score in (1, 2):
        Path(f"{score}.json").write_text(json.dumps({"score": score}))
    assert try_it("--previous", "1.json", "--previous", "2.json") == OK
    before = fake.asked["metadata"]["previous_submissions"]
    assert [(one["score"], one["results"]) for one in before] == [(1, {}), (2, {"score": 2})]
    assert before[0]["submission_time"] < before[1]["submission_time"] < fake.asked["metadata"]["created_at"]


def test_options_reach_the_run(fake: Fake) -> None:
    assert try_it("--timeout", "20", "--cpus", "1", "--memory", "1g", "--base", "ubuntu:22.04") == OK
    asked = fake.asked
    assert (asked["timeout_s"], asked["cpus"], asked["memory"], asked["base"]) == (20, 1, "1g", "ubuntu:22.04")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--timeout", "0"], "--timeout"),
        (["--timeout", "2401"], "--timeout"),
        (["--cpus", "0"], "--cpus"),
        (["--memory", "lots"], "--memory 'lots' is not a number of bytes"),
        (["--memory", "0"], "--memory '0' is not a number of bytes"),
        (["--memory", ""], "--memory '' is not a number of bytes"),
        (["--results", "nowhere/out.json"], "--results nowhere/out.json: there is no folder nowhere"),
        (["--previous", "none.json"], "none.json cannot be read"),
        (["--previous", "a.zip"], "a.zip is not JSON"),
        (["--previous", "list.json"], "list.json is not a results.json"),
    ],
)
def test_what_cannot_be_done_is_status_2_before_anything_runs(
    fake: Fake, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    Path("list.json").write_text("[]")
    assert try_it(*options) == USAGE
    assert says in capsys.readouterr().err
    assert fake.asked == {}


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(("upload", "submission"), [("none.zip", "work"), ("a.zip", "none")])
def test_a_path_that_is_not_there_is_status_2(upload: str, submission: str) -> None:
    assert status_of(["gradescope", "try", upload, submission]) == USAGE


def test_a_zip_of_a_folder_is_status_2_and_says_what_to_do(
    fake: Fake, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(try_, "build", build)
    Path("a.zip").write_bytes(zipped({"tr2/setup.sh": b"", "tr2/run_autograder": b""}))
    assert try_it() == USAGE
    assert "zip its files, not the folder" in capsys.readouterr().err
    assert fake.asked == {}


def test_a_submission_that_is_none_is_told_before_an_image_is_built(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("README.md").write_text("no archive")
    assert status_of(["gradescope", "try", "a.zip", "README.md"]) == USAGE
    assert "README.md" in capsys.readouterr().err
    assert fake.asked == {}
