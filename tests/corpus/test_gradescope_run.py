"""`grader gradescope run` with real programs, in a folder like the platform's on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from grader.atomic_write import write_atomic
from grader.cache.entries import Cache
from grader.errors import GraderError, SandboxError
from grader.gradescope import run as module
from grader.gradescope.directories import AutograderDirs
from grader.gradescope.run import KEPT_VARIABLES, GradescopeRun, put_fault
from grader.gradescope.schema import ResultsJson
from grader.gradescope.time_out import VARIABLE, TimeOut
from grader.lab.find import find_lab
from grader.model.spec.lab import Spec
from tests.memory_bugs import line_of_mistake, source

from .known_bugs import store_shipped
from .test_examples import EXAMPLES, FAILS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the platform runs this as root")

LONG_S = 3600.0
METADATA = {"created_at": "2026-10-12T14:30:00+02:00", "users": [{"name": "Ada"}], "previous_submissions": []}


@pytest.fixture
def dirs(tmp_path: Path) -> AutograderDirs:
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "submission_metadata.json").write_text(json.dumps(METADATA))
    return AutograderDirs(tmp_path)


@pytest.fixture
def variables(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], whole_brisk: Spec, cache: Cache
) -> Iterator[None]:
    """What a run finds in the environment and removes; put back afterwards. The known bugs are in the cache."""
    store_shipped(whole_brisk, cache)
    before = {**os.environ}
    monkeypatch.setenv("XDG_CACHE_HOME", environment["XDG_CACHE_HOME"])
    monkeypatch.setenv("SUBMISSION_URL", "a secret")
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[ResultsJson]:
    """What stood in results.json, at every moment."""
    found: list[ResultsJson] = []
    write = write_atomic

    def noting(path: Path, data: bytes) -> None:
        write(path, data)
        found.append(ResultsJson.model_validate_json(path.read_bytes()))

    monkeypatch.setattr(module, "write_atomic", noting)
    return found


def submit(dirs: AutograderDirs, example: str) -> None:
    shutil.copytree(EXAMPLES / example, dirs.submission, dirs_exist_ok=True)


def run_of(dirs: AutograderDirs, spec: Spec, said: list[str]) -> GradescopeRun:
    # This process is older than one on the platform.
    time_out = TimeOut(LONG_S + TimeOut(0).elapsed_s)
    return GradescopeRun(dirs, spec, find_lab(spec.lab), time_out, said.append, owns_container=False)


def statuses(results: ResultsJson) -> dict[str, str | None]:
    return {f"{test.tags[0]}.{test.tags[1]}": test.status for test in results.tests}


@pytest.mark.slow
@pytest.mark.usefixtures("variables")
def test_results_say_more_and_more_and_never_what_turns_out_otherwise(
    dirs: AutograderDirs, whole_brisk: Spec, written: list[ResultsJson]
) -> None:
    submit(dirs, "block-reads")
    assert run_of(dirs, whole_brisk, []).run()
    begun, known, *partial, judged, last = written
    # Of the last two the first is without causes only, which nobody is to wait for.
    assert statuses(judged) == statuses(last)
    assert begun.score is known.score is None
    assert not begun.tests
    assert not known.tests
    assert len(partial) > len(whole_brisk.rubric)
    final, before = statuses(last), 0
    assert {check for check, status in final.items() if status == "failed"} == FAILS["block-reads"]
    for results in partial:
        now = {check: status for check, status in statuses(results).items() if status is not None}
        assert len(now) >= before
        assert now == {check: final[check] for check in now}
        assert "written during grading" in results.output
        before = len(now)
    assert before == len(final)
    assert "written during grading" not in judged.output + last.output


@pytest.mark.slow
@pytest.mark.usefixtures("variables")
def test_the_last_results_have_the_lines_of_mistakes(
    dirs: AutograderDirs, whole_brisk: Spec, written: list[ResultsJson]
) -> None:
    submit(dirs, "right")
    (dirs.submission / "tr2b.c").write_bytes(source("strcpy-overflow"))
    assert run_of(dirs, whole_brisk, []).run()
    judged, last = written[-2:]
    found = f"tr2b.c line {line_of_mistake('strcpy-overflow')} calls"
    outputs = {".".join(test.tags[:2]): test.output.replace("\\", "") for test in last.tests}
    # With the crash that it explains.
    assert found in outputs["tr2b.operands"]
    assert not any("memory checker" in output for check, output in outputs.items() if check.startswith("tr2u"))
    assert not any("memory checker" in test.output for test in judged.tests)
    assert judged.score == last.score


@pytest.mark.slow
@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize("shows", [False, True])
def test_a_proof_is_told_and_the_fixed_line_only_where_the_lab_allows_it(
    dirs: AutograderDirs, whole_brisk: Spec, *, shows: bool
) -> None:
    submit(dirs, "stops-at-0xff")
    assert run_of(dirs, whole_brisk.model_copy(update={"students_see_fixes": shows}), []).run()
    raw = dirs.results.read_text(encoding="utf-8")
    results = ResultsJson.model_validate_json(raw)
    outputs = [results.output, next(test.output for test in results.tests if "byte-ff" in test.tags)]
    for output in outputs:
        assert "Proven" in output
        assert "**Fix**: Write `int c` instead of `char c` in line 28" in output.replace("\\", "")
        assert "tr2b.c:28      char c = getchar();" in output
    # Nowhere else either: the results keep the report for the next run.
    assert ("int c = getchar();" in raw) == shows


@pytest.mark.usefixtures("variables")
def test_the_environment_is_scrubbed_before_the_submission_is_read(
    dirs: AutograderDirs, whole_brisk: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def read(*_arguments: object) -> None:
        seen.append({*os.environ})
        raise GraderError("enough")

    monkeypatch.setattr(module, "read_submission", read)
    assert not run_of(dirs, whole_brisk, []).run()
    assert seen
    assert seen[0] <= KEPT_VARIABLES


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize("error", [SandboxError("the guest is gone"), RuntimeError("secret detail")])
def test_a_fault_is_told_as_ours_without_a_score(
    dirs: AutograderDirs,
    whole_brisk: Spec,
    written: list[ResultsJson],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(module, "grade", broken)
    submit(dirs, "right")
    said: list[str] = []
    assert not run_of(dirs, whole_brisk, said).run()
    assert written[-1].score is None
    assert written[-1].tests == ()
    assert "not your submission" in written[-1].output
    assert said
    assert "secret detail" not in written[-1].output


def test_a_lab_that_cannot_be_read_is_a_fault_as_well(dirs: AutograderDirs) -> None:
    dirs.results.parent.rmdir()
    put_fault(dirs, "lab.yaml:3: no such key")
    results = ResultsJson.model_validate_json(dirs.results.read_bytes())
    assert results.score is None
    assert "lab.yaml:3" in results.output


def test_it_ends_before_the_platform_would_end_it(
    dirs: AutograderDirs, whole_brisk: Spec, command_line: list[str], environment: Mapping[str, str]
) -> None:
    submit(dirs, "right")
    lab = dirs.source / "lab.yaml"
    lab.write_text(whole_brisk.model_dump_json(by_alias=True))
    # Whatever it waits for: here it is stopped before it can begin to grade.
    timeout_s = 9.0
    started = time.monotonic()
    process = subprocess.Popen(
        [*command_line, "gradescope", "run", "--lab", str(lab), "--folder", str(dirs.root)],
        env={**environment, VARIABLE: str(timeout_s)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        said, _ = process.communicate(timeout=600)
    finally:
        process.kill()
    assert time.monotonic() - started < timeout_s
    assert process.returncode == 3
    results = ResultsJson.model_validate_json(dirs.results.read_bytes())
    assert results.score is None
    assert "a time-out of 9 s is too short to grade" in said or "the time-out of 9 s was reached" in said
    assert "your instructor can set a longer one" in results.output
