"""The zip that is uploaded, in the stand-in for Gradescope's harness: verdicts, bad input, hostile programs."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from docker.models.containers import Container, ContainerCollection

from grader.gradescope.schema import REPORT_KEY, ResultsJson
from grader.gradescope.simulator.metadata import metadata, previous_submission
from grader.gradescope.simulator.outcome import SimulatedRun
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.selfcheck.quick_lab import quick_form
from tests.contract.harness import source as contract_source
from tests.corpus.known_bugs import write_lab
from tests.corpus.test_examples import FAILS as EXAMPLES_FAIL
from tests.corpus.test_examples import SKIPS_ALL_OTHERS_OF
from tests.hidden_lab import SECRETS, hidden_spec
from tests.sample import SAMPLE

from .autograders import Simulator

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(1800)]  # the set-up may take minutes

ROOT = Path(__file__).parents[2]
LAB = read_spec(resource("specs", "tr2.yaml"))
CHOSEN = ("message-on-stdout", "empty-operands-hang", "line-buffer-in-tr2u")
"""Those of the sample whose bugs no example has."""
MUTANTS = {mutant.name: mutant for mutant in read_mutants(LAB, find_lab(LAB.lab).mutants) if mutant.name in CHOSEN}
MUTANT_NAMES = [f"mutant-{name}" for name in MUTANTS]
EXAMPLES = {name: EXAMPLES_FAIL[name] for name in ("stops-at-0xff", "unbuffered-tr2b", "does-not-compile")}
"""One of each kind; tests/corpus grades all of them in both sandboxes."""
SOLUTION = resource("reference", "tr2", "solution")
TELLER = contract_source("teller")
NOW = datetime(2026, 10, 12, 14, 30, tzinfo=timezone(timedelta(hours=2)))

AT_ONCE = 2
RIGHT_BYTES = 300_000_000
"""What a right submission may take."""


def zip_of_lab(grader: Callable[..., Any], lab: Path | str, folder: Path) -> bytes:
    """Make a zip as an instructor does, with everything in it: a container here may not reach a package index."""
    out = folder / "autograder.zip"
    made = grader("gradescope", "build", "--lab", lab, "--vendor", "--out", out)
    assert made.returncode == 0, made.stderr
    return out.read_bytes()


@pytest.fixture(scope="session")
def grader_once(command_line: list[str], environment: Mapping[str, str]) -> Callable[..., Any]:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command_line, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def small_zip(
    brisk: Spec,
    new_simulator: Callable[..., Simulator],
    grader_once: Callable[..., Any],
    base_with_tools: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Simulator:
    """The zip of the small lab, with its known bugs; in the image of `hiding_zip` they are measured."""
    folder = tmp_path_factory.mktemp("small-zip")
    return new_simulator(zip_of_lab(grader_once, write_lab(brisk, folder), folder), base_with_tools)


@pytest.fixture(scope="session")
def full_zip(
    new_simulator: Callable[..., Simulator],
    grader_once: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Simulator:
    """The zip of the lab as it is; its image is built where no tools are installed yet."""
    return new_simulator(zip_of_lab(grader_once, "tr2", tmp_path_factory.mktemp("full-zip")))


def graded(outcome: SimulatedRun) -> ResultsJson:
    """Return the results of a run in which nothing went wrong on our side."""
    assert outcome.problem == "", (outcome.problem, outcome.stdout)
    assert outcome.mistakes == ()
    assert outcome.warnings == ()
    assert not outcome.timed_out
    return ResultsJson.model_validate_json(outcome.raw or b"")


def failed(results: ResultsJson) -> set[str]:
    return {id_of(test.tags) for test in results.tests if test.status == "failed"}


def id_of(tags: tuple[str, ...]) -> str:
    return f"{tags[0]}.{tags[1]}"


# Verdicts


def write_submissions(folder: Path) -> dict[str, set[str]]:
    """Write the reference, the examples and the mutants; return what each is known to fail, in Docker and locally."""
    expected: dict[str, set[str]] = {"reference": set()}
    shutil.copytree(SOLUTION, folder / "reference")
    for example, fails in EXAMPLES.items():
        shutil.copytree(ROOT / "examples" / example, folder / example)
        expected[example] = fails
    for name, mutant in zip(MUTANT_NAMES, MUTANTS.values(), strict=True):
        (folder / name).mkdir()
        for program, declared in LAB.programs.items():
            source = mutant.sources.get(program) or (SOLUTION / declared.main_source).read_bytes()
            (folder / name / declared.main_source).write_bytes(source)
        expected[name] = {f"{program}.{check}" for program, checks in mutant.fails.items() for check in checks}
    return expected


@pytest.fixture(scope="session")
def verdicts(
    small_zip: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[set[str], Future[SimulatedRun]]]:
    folder = tmp_path_factory.mktemp("submissions")
    expected = write_submissions(folder)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return {
            name: (fails, pool.submit(small_zip.run, folder / name, cpus=1.0, timeout_s=300))
            for name, fails in expected.items()
        }


@pytest.mark.parametrize("name", ["reference", *EXAMPLES, *MUTANT_NAMES])
def test_the_verdicts_are_those_of_every_other_sandbox(
    name: str, verdicts: Mapping[str, tuple[set[str], Future[SimulatedRun]]]
) -> None:
    expected, run = verdicts[name]
    results = graded(run.result())
    assert failed(results) == expected
    program = SKIPS_ALL_OTHERS_OF.get(name)
    lost = {id_of(test.tags) for test in results.tests if test.tags[0] == program} | expected
    points = {f"{p}.{item.name}": value for item in LAB.rubric for p, value in item.points.items()}
    assert {id_of(test.tags) for test in results.tests} == set(points)
    assert results.score == sum(value for check, value in points.items() if check not in lost)


# At full size


@pytest.fixture(scope="session")
def right(full_zip: Simulator) -> SimulatedRun:
    """A right submission, as the platform runs it where nobody asks for more."""
    return full_zip.run(ROOT / "examples" / "right", timeout_s=600)


def test_a_right_submission_has_full_marks_in_little_memory(right: SimulatedRun) -> None:
    results = graded(right)
    assert results.score == LAB.max_score
    assert {test.status for test in results.tests} == {"passed"}
    assert 0 < (right.peak_memory_bytes or 0) <= RIGHT_BYTES
    assert results.execution_time is not None
    assert 0 < results.execution_time <= right.wall_s


def test_the_class_compares_figures_that_are_there(right: SimulatedRun) -> None:
    rows = {row.name: row.value for row in graded(right).leaderboard}
    size = 5_000_000
    assert set(rows) == {figure.name for figure in LAB.gradescope.leaderboard}
    assert rows["Calls saved by buffering"] == pytest.approx(2 * size, rel=0.01)
    assert 0 < rows["tr2b: CPU seconds"] < 10


def test_what_the_time_out_leaves_no_time_for_is_not_run_and_costs_nothing(full_zip: Simulator) -> None:
    timeout_s = 16
    outcome = full_zip.run(ROOT / "examples" / "stops-at-0xff", timeout_s=timeout_s)
    results = graded(outcome)
    assert outcome.wall_s < timeout_s
    assert "tr2b.byte-ff" in failed(results)
    not_run = [test for test in results.tests if test.status is None]
    assert {"tr2u.random-5m", "tr2u.pattern-5m"} & {id_of(test.tags) for test in not_run}
    for test in not_run:
        assert test.score == test.max_score, test
        assert "because the time" in test.output
    assert LAB.max_score - 10 < (results.score or 0) < LAB.max_score


@pytest.fixture(scope="session")
def copybuf_zip(
    new_simulator: Callable[..., Simulator],
    grader_once: Callable[..., Any],
    base_with_tools: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Simulator:
    """The zip of the lab whose programs open files by name."""
    packed = zip_of_lab(grader_once, "copybuf", tmp_path_factory.mktemp("copybuf-zip"))
    return new_simulator(packed, base_with_tools)


@pytest.mark.rare
@pytest.mark.parametrize("mutant", [None, "target-not-truncated"])
def test_another_lab_has_the_same_verdicts_there(copybuf_zip: Simulator, mutant: str | None, tmp_path: Path) -> None:
    files = find_lab("copybuf")
    spec = read_spec(files.spec)
    shutil.copytree(files.solution, tmp_path / "sources")
    chosen = [known for known in read_mutants(spec, files.mutants) if known.name == mutant]
    for known in chosen:
        for program, source in known.sources.items():
            (tmp_path / "sources" / spec.programs[program].main_source).write_bytes(source)
    results = graded(copybuf_zip.run(tmp_path / "sources", timeout_s=600))
    assert failed(results) == {
        f"{program}.{check}" for known in chosen for program, checks in known.fails.items() for check in checks
    }
    assert (results.score == spec.max_score) is (mutant is None)
    assert len(chosen) == (mutant is not None)
    assert all(known.title in results.output for known in chosen)


# Faults


def test_too_little_time_is_a_fault_and_no_score(small_zip: Simulator) -> None:
    outcome = small_zip.run(ROOT / "examples" / "right", timeout_s=9, cpus=2.0)
    results = ResultsJson.model_validate_json(outcome.raw or b"")
    assert results.score is None
    assert results.tests == ()
    assert "not your submission" in results.output
    assert "your instructor can set a longer one" in results.output


def test_a_fault_leaves_the_last_score_standing(small_zip: Simulator) -> None:
    before = graded(small_zip.run(ROOT / "examples" / "right", cpus=1.0, timeout_s=300))
    about = metadata(NOW, previous=[previous_submission(json.loads(before.to_json()), NOW - timedelta(hours=1))])
    outcome = small_zip.run(ROOT / "examples" / "right", timeout_s=9, cpus=2.0, metadata=about)
    results = ResultsJson.model_validate_json(outcome.raw or b"")
    assert results.score == before.score
    assert results.extra_data[REPORT_KEY] == before.extra_data[REPORT_KEY]


@pytest.mark.parametrize("memory", ["16m", "48m", "64m"])
def test_too_little_memory_says_so_and_is_never_a_low_score(small_zip: Simulator, memory: str) -> None:
    outcome = small_zip.run(ROOT / "examples" / "right", memory=memory, cpus=1.0, timeout_s=300)
    results = ResultsJson.model_validate_json(outcome.raw) if outcome.raw is not None else None
    if results is None or results.score is None:
        assert outcome.problem
    else:
        assert results.score == LAB.max_score


# Hand-ins


def test_who_when_and_what_changed_are_told(small_zip: Simulator) -> None:
    first = graded(
        small_zip.run(ROOT / "examples" / "stops-at-0xff", cpus=1.0, timeout_s=300, metadata=metadata(NOW))
    )
    about = metadata(
        NOW + timedelta(hours=3), names=["Ada Lovelace", "Grace Hopper"],
        previous=[previous_submission(json.loads(first.to_json()), NOW)], due_at=NOW + timedelta(hours=1),
    )  # fmt: skip
    second = graded(small_zip.run(ROOT / "examples" / "right", cpus=1.0, timeout_s=300, metadata=about))
    assert "Ada Lovelace" in second.output
    assert "Grace Hopper" in second.output
    assert "2026-10-12" in second.output
    assert "2 hours and 0 minutes after the due date" in second.output
    changed = {test.number for test in first.tests if test.status == "failed"}
    assert changed
    assert all(number in second.output for number in changed)


@pytest.mark.parametrize("data", [b"", b"[" * 100_000])
def test_metadata_may_be_anything(small_zip: Simulator, data: bytes) -> None:
    outcome = small_zip.run(ROOT / "examples" / "right", cpus=1.0, timeout_s=300, metadata=data)
    assert graded(outcome).score == LAB.max_score
    assert "submission_metadata.json could not be read" in outcome.stdout


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "tr2b.c"),
        ({"notes.txt": b"x"}, "tr2b.c"),
        ({"TR2B.C": b"int main(void) { return 0; }\n"}, "TR2B.C"),
        ({"tr2b.c": b"\0\xff" * 1000, "tr2u.c": b""}, "tr2u.c"),
    ],
)
def test_no_files_and_wrong_files_are_graded_as_what_they_are(
    small_zip: Simulator, tmp_path: Path, files: Mapping[str, bytes], says: str
) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    results = graded(small_zip.run(tmp_path, cpus=1.0, timeout_s=300))
    assert results.score == 0
    assert failed(results) == {"tr2b.build", "tr2u.build"}
    # In Markdown every sign that might mean something is escaped.
    assert any(says in test.output.replace("\\", "") for test in results.tests)


# Hostile programs; tests/hostile has more of them


@pytest.fixture(scope="session")
def hiding_zip(
    new_simulator: Callable[..., Simulator],
    grader_once: Callable[..., Any],
    base_with_tools: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Simulator:
    """The zip of a small lab with hidden cases and few mutants, which are measured when the image is built."""
    folder = tmp_path_factory.mktemp("hiding-zip")
    spec = read_spec(hidden_spec(tmp_path_factory.mktemp("hidden-spec")))
    small = spec.model_copy(update={"inputs": quick_form(spec).inputs})
    (folder / "lab.yaml").write_text(small.model_dump_json(by_alias=True), encoding="utf-8")
    tr2 = find_lab("tr2")
    shutil.copytree(tr2.solution, folder / "reference")
    for name in SAMPLE:
        shutil.copytree(tr2.mutants / name, folder / "mutants" / name)
    return new_simulator(zip_of_lab(grader_once, folder, folder), base_with_tools)


def test_known_bugs_that_were_measured_there_are_named(hiding_zip: Simulator, tmp_path: Path) -> None:
    shutil.copytree(SOLUTION, tmp_path / "sources")
    known = MUTANTS["message-on-stdout"]
    for program, source in known.sources.items():
        (tmp_path / "sources" / LAB.programs[program].main_source).write_bytes(source)
    results = graded(hiding_zip.run(tmp_path / "sources", timeout_s=300))
    assert known.title in results.output


def test_hidden_runs_leave_nothing_for_those_that_students_see(hiding_zip: Simulator, tmp_path: Path) -> None:
    """Each run tells on standard error what earlier ones left; failing checks show it to the student."""
    for source in ("tr2b.c", "tr2u.c"):
        (tmp_path / source).write_bytes(TELLER)
    outcome = hiding_zip.run(tmp_path, timeout_s=300)
    results = graded(outcome)
    shown = [test.output for test in results.tests if test.visibility == "visible"]
    assert {id_of(test.tags) for test in results.tests if test.status == "failed"} >= {
        "tr2b.text",
        "tr2b.secret-text",
    }
    assert not [secret for secret in SECRETS if any(secret in text for text in shown)]
    for way in ("memory: ", "queue: ", "/tmp: ", "/dev/shm: ", "..: "):  # noqa: S108 - what it would say
        assert not [text for text in shown if way in text], way


def test_who_uses_up_the_time_keeps_no_points_for_it(small_zip: Simulator, tmp_path: Path) -> None:
    for source in ("tr2b.c", "tr2u.c"):
        (tmp_path / source).write_text("int main(void) { for (;;) ; }\n")
    timeout_s = 60
    outcome = small_zip.run(tmp_path, timeout_s=timeout_s)
    results = graded(outcome)
    assert outcome.wall_s < timeout_s
    assert {id_of(test.tags) for test in results.tests if test.status == "passed"} == {"tr2b.build", "tr2u.build"}
    assert results.score == sum(
        value for item in LAB.rubric if item.name == "build" for value in item.points.values()
    )


def test_without_ptrace_verdicts_are_the_same(small_zip: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["ptrace"], "action": "SCMP_ACT_ERRNO"}]}
    create = ContainerCollection.create

    def stricter(self: ContainerCollection, *arguments: Any, **options: Any) -> Container:  # noqa: ANN401 - as wrapped
        return create(self, *arguments, **options, security_opt=[f"seccomp={json.dumps(profile)}"])

    monkeypatch.setattr(ContainerCollection, "create", stricter)
    results = graded(small_zip.run(ROOT / "examples" / "right", cpus=1.0, timeout_s=300))
    assert failed(results) == set()
    skipped = {id_of(test.tags) for test in results.tests if test.status is None}
    assert skipped <= {"tr2b.syscalls", "tr2u.syscalls", "tr2b.terminal", "tr2u.terminal"}
