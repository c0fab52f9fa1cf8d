"""`grader check` on real programs, in the local sandbox; and the workflows of docs/workflows, where they run here."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from grader.cache.secret import VARIABLE
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.render.text.phrases import isolation_words
from grader.selfcheck.quick_lab import QUICK_BYTES
from tests.contract.containers import wait_until
from tests.waits import ENDS_S, STARTS_S, killed_at_exit

from .test_examples import CAUSES, EXAMPLES, FAILS, with_status

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
WORKFLOWS = EXAMPLES.parent / "docs" / "workflows"
CLASSROOM = "classroom.yml"
STATUS = {"right": OK, "does-not-compile": FAILED}
SPINS = "int main(void) { for (;;); }\n"
BEGINNING = 12
"""So many lines of a summary come before figures that were measured."""

WAITS = "waiting for the next save"

Checker = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def check(grader: Checker, small_file: Path) -> Checker:
    """Run `grader check` with the small lab."""
    return lambda *arguments, **changes: grader("check", "--lab", small_file, *arguments, **changes)


def junit(path: Path) -> ET.Element:
    return ET.fromstring(path.read_bytes())  # noqa: S314 - our own bytes


@pytest.mark.parametrize("example", STATUS)
def test_an_example_in_all_forms(check: Checker, tmp_path: Path, example: str) -> None:
    done = check(EXAMPLES / example, "--json", "--html", "report.html", "--junit", "junit.xml")
    assert done.returncode == STATUS[example], done.stderr
    report = Report.model_validate_json(done.stdout)
    assert with_status(report, "failed") == FAILS[example]
    assert report.isolation == ("uid" if os.geteuid() == 0 else "none"), "without a container, unless told otherwise"
    assert f"\ntr2b.c and tr2u.c, {isolation_words(report.isolation)}\n" in done.stderr
    failures = {
        case.get("name")
        for case in junit(tmp_path / "junit.xml").iter("testcase")
        if case.find("failure") is not None
    }
    assert failures == FAILS[example]
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_the_lab_as_it_is_with_nothing_said(grader: Checker) -> None:
    done = grader("check", EXAMPLES / "block-reads", "--json")
    assert done.returncode == FAILED, done.stderr
    report = Report.model_validate_json(done.stdout)
    assert with_status(report, "failed") == FAILS["block-reads"]
    assert [cause.name for cause in report.causes] == [CAUSES["block-reads"]]
    assert report.causes[0].title in done.stderr


@pytest.mark.slow
def test_what_people_read_is_what_grade_shows_them(check: Checker, grader: Checker, small_file: Path) -> None:
    folder = EXAMPLES / "does-not-compile"
    shown = check(folder).stdout.splitlines()
    graded = grader("grade", folder, "--lab", small_file, "--out", "out", "--sandbox", "local").stdout.splitlines()
    # The first two lines say what is checked, and how.
    summary = shown[2:]
    start = graded.index(summary[0])
    assert graded[start : start + BEGINNING] == summary[:BEGINNING]
    assert any("tr2b.build" in line for line in summary[:BEGINNING])


@pytest.mark.slow
def test_results_are_closed_to_student_code_with_a_uid_of_this_machine(
    grader: Checker, small_file: Path, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives student code a uid of its own")
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "mine.txt").touch()
    for out in ("shared", "new"):
        grader("grade", EXAMPLES / "does-not-compile", "--lab", small_file, "--out", out, "--sandbox", "local")
    found = [*(tmp_path / "new").rglob("*"), *shared.rglob("*"), tmp_path / "new"]
    assert {"report.html", "gradebook.sqlite", "grades.csv"} <= {path.name for path in found}
    assert [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077] == [shared / "mine.txt"]


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_reader_that_leaves_changes_no_verdict(
    command_line: list[str], environment: Mapping[str, str], small_file: Path, options: str
) -> None:
    checks = shlex.join([*command_line, "check", str(EXAMPLES / "does-not-compile"), "--lab", str(small_file)])
    command = ["bash", "-c", f'{checks} {options} | head -c 1; echo ":${{PIPESTATUS[0]}}"']
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout[1:] == f":{FAILED}\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("secret", ["one", "another"])
@pytest.mark.parametrize("example", ["right", "block-reads"])
def test_the_quick_form_has_them_whatever_is_drawn(grader: Checker, example: str, secret: str) -> None:
    """Everywhere else, tests have the public draw."""
    done = grader("check", EXAMPLES / example, "--quick", "--json", **{VARIABLE: secret})
    report = Report.model_validate_json(done.stdout)
    assert with_status(report, "failed") == FAILS[example]
    assert [cause.name for cause in report.causes] == ([CAUSES[example]] if example in CAUSES else [])


@pytest.mark.slow
@pytest.mark.parametrize("example", ["right", "block-reads"])
def test_the_quick_form_has_the_verdicts_and_the_causes_of_full_size(grader: Checker, example: str) -> None:
    done = grader("check", EXAMPLES / example, "--quick", "--json")
    assert done.returncode == (FAILED if FAILS[example] else OK), done.stderr
    report = Report.model_validate_json(done.stdout)
    assert with_status(report, "failed") == FAILS[example]
    assert [cause.name for cause in report.causes] == ([CAUSES[example]] if example in CAUSES else [])
    assert (report.quick, with_status(report, "skipped")) == (True, set())
    assert "programs with known bugs" not in done.stderr, "they look the same in the quick form"
    assert {table.stdin.bytes for table in report.syscalls if table.stdin is not None} <= {4096, 30_000, QUICK_BYTES}


def processes_of(place: Path, *, in_job: bool = False) -> list[int]:
    """Return the processes that work in a folder or have it as an operand; `in_job`: those of a submission."""
    trace = os.fsencode(place) + (rb"/[^/]+/job-" if in_job else b"")
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            traces = (entry / "cmdline").read_bytes() + os.fsencode((entry / "cwd").readlink())
        except OSError:
            continue
        if re.search(trace, traces):
            found.append(int(entry.name))
    return found


@pytest.fixture
def start(
    command_line: list[str], environment: Mapping[str, str], small_file: Path, temporary: Path
) -> Callable[..., subprocess.Popen[str]]:
    """Start `grader check` with the small lab."""
    return lambda *arguments: subprocess.Popen(
        [*command_line, "check", "--lab", str(small_file), *map(str, arguments)],
        env={**environment, "TMPDIR": str(temporary)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(
    check: Checker,
    start: Callable[..., subprocess.Popen[str]],
    temporary: Path,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    assert check(EXAMPLES / "right").returncode == OK, "so that the reference is known and need not be run"
    folder = Path(shutil.copytree(EXAMPLES / "right", tmp_path / "spins"))
    (folder / "tr2b.c").write_text(SPINS, encoding="ascii")
    with killed_at_exit(start(folder, "--html", tmp_path / "report.html")) as process:
        assert wait_until(lambda: processes_of(temporary, in_job=True), STARTS_S)
        process.send_signal(number)
        # Somebody impatient: what is tidied up must be so all the same.
        time.sleep(0.05)
        process.send_signal(number)
        said, complained = process.communicate(timeout=ENDS_S)
    assert process.returncode == INTERRUPTED, complained
    assert complained.splitlines()[-1] == "interrupted"
    assert "graded" not in said, "no score"
    assert not list(temporary.iterdir())
    assert not processes_of(temporary)
    assert not (tmp_path / "report.html").exists()


class Watched:
    """What `--watch` printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.lines: list[str] = []
        self._process = process
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(line.rstrip("\n") for line in self._process.stdout)

    def says(self, *words: str) -> bool:
        """Return whether a whole report, and that the command waits again, was printed; then forget the output."""
        seen = list(self.lines)
        if not any(WAITS in line for line in seen) or not all(any(one in line for line in seen) for one in words):
            return False
        del self.lines[: len(seen)]
        return True


@pytest.mark.slow
def test_a_save_is_checked_again_until_ctrl_c(
    check: Checker, start: Callable[..., subprocess.Popen[str]], temporary: Path, tmp_path: Path
) -> None:
    assert check(EXAMPLES / "right").returncode == OK, "so that the reference is known and need not be run"
    folder = Path(shutil.copytree(EXAMPLES / "right", tmp_path / "mine"))
    source, right = folder / "tr2b.c", (folder / "tr2b.c").read_text(encoding="ascii")
    with killed_at_exit(start(folder, "--watch")) as process:
        watched = Watched(process)
        assert wait_until(lambda: watched.says("mine  100 of 100"), STARTS_S), watched.lines
        # As editors do it: a new file takes the old one's place.
        (folder / ".new").write_text("no C", encoding="ascii")
        (folder / ".new").replace(source)
        assert wait_until(lambda: watched.says("saved: checking again", "tr2b does not compile"), STARTS_S)
        source.unlink()
        assert wait_until(lambda: watched.says("tr2b.c is missing"), STARTS_S), watched.lines
        source.write_text(SPINS, encoding="ascii")
        assert wait_until(lambda: processes_of(temporary, in_job=True), STARTS_S)
        source.write_text(right, encoding="ascii")
        assert wait_until(lambda: watched.says("mine  100 of 100"), STARTS_S), watched.lines
        process.send_signal(signal.SIGINT)
        assert process.wait(ENDS_S) == INTERRUPTED
        assert process.stderr is not None
        assert process.stderr.read().split() == ["interrupted"]
    assert not list(temporary.iterdir())
    assert not processes_of(temporary)


def test_a_closed_umask_does_not_close_the_sandbox(
    command_line: list[str], environment: dict[str, str], small_file: Path
) -> None:
    done = subprocess.run(
        [*command_line, "check", str(EXAMPLES / "right"), "--lab", str(small_file), "--json"],
        env=environment, umask=0o077, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == OK, done.stderr


def workflow(name: str) -> Any:  # noqa: ANN401 - any YAML
    return yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))


def shell_lines(name: str) -> list[str]:
    """Return what a workflow gives to a shell, step by step."""
    document = workflow(name)
    if name == "gitlab.yml":
        return [*document["check"]["before_script"], "\n".join(document["check"]["script"])]
    [job] = document["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


def points_of(document: Any) -> dict[str, tuple[str, int]]:  # noqa: ANN401 - any YAML
    """Return the tests of GitHub Classroom: what each is called, its command and its points."""
    steps = document["jobs"]["run-autograding-tests"]["steps"]
    graded = [step for step in steps if "autograding-command-grader" in step.get("uses", "")]
    return {step["with"]["test-name"]: (step["with"]["command"], step["with"]["max-score"]) for step in graded}


@pytest.fixture(params=["github.yml", "gitlab.yml"])
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def test_every_workflow_is_tried() -> None:
    assert {path.name for path in WORKFLOWS.iterdir()} == {"github.yml", "gitlab.yml", CLASSROOM}


def test_the_workflow_for_github_may_only_read_and_keeps_the_report() -> None:
    document = workflow("github.yml")
    job = document["jobs"]["check"]
    assert document["permissions"] == {"contents": "read"}
    assert "permissions" not in job
    assert job["timeout-minutes"] > 0
    by_action = {step["uses"].partition("@")[0]: step for step in job["steps"] if "uses" in step}
    assert by_action["actions/checkout"]["with"] == {"persist-credentials": False}
    keeps = by_action["actions/upload-artifact"]
    assert (keeps["with"]["path"], keeps["if"]) == ("results/", "${{ !cancelled() }}")
    assert all(step["shell"] == "bash" for step in job["steps"] if "run" in step)
    assert not [line for line in shell_lines("github.yml") if "${{" in line], "nobody's text becomes a shell's"


def test_the_workflow_for_gitlab_keeps_the_report_and_shows_the_tests() -> None:
    artifacts = workflow("gitlab.yml")["check"]["artifacts"]
    assert artifacts == {"when": "always", "paths": ["results/"], "reports": {"junit": "results/junit.xml"}}


def test_the_workflow_for_classroom_has_a_test_with_the_points_of_each_check(spec: Spec) -> None:
    document = workflow(CLASSROOM)
    points = {
        f"{program}.{item.name}": points for item in spec.rubric for program, points in item.points.items() if points
    }
    assert {check: worth for check, (_, worth) in points_of(document).items()} == points
    # Classroom reads points only under these names, each result in a variable with the step's name.
    assert (document["name"], list(document["jobs"])) == ("Autograding Tests", ["run-autograding-tests"])
    steps = document["jobs"]["run-autograding-tests"]["steps"]
    ids = [step["id"] for step in steps if "id" in step]
    assert ids == [check.replace(".", "-") for check in points_of(document)]
    reporter = steps[-1]
    assert reporter["with"]["runners"].split(",") == ids
    assert reporter["env"] == {f"{one.upper()}_RESULTS": f"${{{{ steps.{one}.outputs.result }}}}" for one in ids}


@pytest.mark.slow
def test_a_test_of_classroom_passes_if_its_check_does(
    runner: Callable[[str, str], subprocess.CompletedProcess[str]], repository: Path
) -> None:
    done = runner(CLASSROOM, "stops-at-0xff")
    assert done.returncode == 0, done.stderr
    lost = [
        check
        for check, (command, _) in points_of(workflow(CLASSROOM)).items()
        if subprocess.run(shlex.split(command), cwd=repository, timeout=60, check=False).returncode != 0
    ]
    shutil.rmtree("/tmp/passed")  # noqa: S108 - the workflow names it
    assert sorted(lost) == sorted(FAILS["stops-at-0xff"])


def test_no_test_of_classroom_is_reported_if_the_grader_failed(
    runner: Callable[[str, str], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "bin" / "grader").write_text("#!/bin/sh\nexit 3\n")
    assert runner(CLASSROOM, "right").returncode != 0


def test_a_workflow_installs_the_course_s_wheel(name: str) -> None:
    """Not by a name: nobody put the package on an index."""
    assert any(" install --quiet ./iolab_grader-*.whl" in line for line in shell_lines(name))
    assert "://" not in (WORKFLOWS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml", "classroom.yml"])
def test_the_shell_lines_of_a_workflow_are_clean(name: str) -> None:
    command = ["shellcheck", "--shell=bash", "-"]
    for line in shell_lines(name):
        done = subprocess.run(command, input=line, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "lab-ada"


@pytest.fixture
def runner(
    command_line: list[str], environment: Mapping[str, str], small_file: Path, tmp_path: Path, repository: Path
) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """Run the step of a workflow that checks, with a `grader` in PATH whose lab is the small one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    installed = folder / "grader"
    installed.write_text(f'#!/bin/sh\nexec {shlex.join(command_line)} "$@" --lab {shlex.quote(str(small_file))}\n')
    installed.chmod(0o755)
    environment = {
        **environment,
        "PATH": f"{folder}:{environment['PATH']}",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step-summary.md"),
    }

    def run(name: str, example: str) -> subprocess.CompletedProcess[str]:
        shutil.copytree(EXAMPLES / example, repository)
        # As GitHub's runner starts bash; GitLab's ends at the first failure too.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", shell_lines(name)[-1]]
        return subprocess.run(
            command, env=environment, cwd=repository, capture_output=True, text=True, timeout=600, check=False
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize("example", STATUS)
def test_the_step_that_checks(
    runner: Callable[[str, str], subprocess.CompletedProcess[str]], repository: Path, name: str, example: str
) -> None:
    done = runner(name, example)
    assert done.returncode == STATUS[example], done.stderr
    results = repository / "results"
    report = Report.model_validate_json((results / "report.json").read_bytes())
    assert (report.submission.name, with_status(report, "failed")) == ("lab-ada", FAILS[example])
    assert junit(results / "junit.xml").get("failures") == str(len(FAILS[example]))
    assert (results / "report.html").stat().st_size
    score = f"lab-ada  {report.score:g} of {report.max_score:g}"
    assert score in (done.stdout + done.stderr).splitlines()
    if name == "github.yml":
        shown = (repository.parent / "step-summary.md").read_text(encoding="utf-8").splitlines()
        assert f"    {score}" in shown
        assert all(line.startswith("    ") for line in shown)


def test_what_could_not_be_judged_is_no_fault_of_the_student_s(
    runner: Callable[[str, str], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    broken = tmp_path / "bin" / "grader"
    broken.write_text("#!/bin/sh\nexit 3\n")
    done = runner("github.yml", "right")
    assert done.returncode == 3
    assert "::error title=Not judged::" in done.stdout
