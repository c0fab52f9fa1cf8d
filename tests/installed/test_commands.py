"""What an ordinary user does with an installed grader, in an empty home and without a checkout."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import grader
from grader.model.report import Report
from grader.model.spec.lab import Spec, all_inputs
from grader.resources import resource
from tests.corpus.test_examples import CAUSES, FAILS, comparable, with_status

from .conftest import Installation

pytestmark = pytest.mark.slow  # pip takes a minute to make the environments

OK, FAILED, USAGE = 0, 1, 2
EXAMPLE = "block-reads"
STATUS = {"right": OK, EXAMPLE: FAILED}

Reported = dict[str, Any]
Reports = dict[str, Reported]


@pytest.fixture(scope="session")
def reports(installation: Installation, examples: Path) -> Reports:
    """report.json of some examples, by their name; what else `check` makes is looked at here, too."""
    found: Reports = {}
    for name, status in STATUS.items():
        page = installation.person.home / f"{installation.name}-{name}.html"
        done = installation.grader("check", examples / name, "--quick", "--json", "--html", page)
        assert done.returncode == status, done.stderr
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        found[name] = json.loads(done.stdout)
    return found


def test_it_says_its_version(installation: Installation) -> None:
    done = installation.grader("--version")
    assert (done.returncode, done.stdout) == (OK, f"grader, version {grader.__version__}\n"), done.stderr


def test_it_lists_its_commands(installation: Installation) -> None:
    done = installation.grader("--help")
    assert (done.returncode, done.stderr) == (OK, "")
    assert "\n  check " in done.stdout


def test_it_tells_what_the_machine_has(installation: Installation) -> None:
    done = installation.grader("doctor")
    assert done.returncode == OK, done.stderr
    assert "Can I check my work here? Yes" in done.stdout


def test_it_carries_the_data_of_a_spec(installation: Installation, place: Path) -> None:
    path = place / "tr2.yaml"
    path.write_bytes(resource("specs", "tr2.yaml").read_bytes())
    done = installation.grader("spec", "validate", path)
    assert done.returncode == OK, done.stderr
    assert "lab tr2" in done.stdout
    assert "the reference of" not in done.stdout + done.stderr


def test_a_spec_in_the_folder_that_one_is_in(installation: Installation) -> None:
    (installation.person.home / "mine.yaml").write_text("lab: 1\n", encoding="utf-8")
    done = installation.grader("spec", "validate", "mine.yaml")
    assert done.returncode == USAGE
    assert "mine.yaml:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_inputs_are_the_checkout_s(installation: Installation, spec: Spec) -> None:
    (name,) = (name for name in spec.inputs if name == "random-5m")
    shell = ["sh", "-c", '"$@" | sha256sum', "sh", *installation.command, "input", "--lab", "tr2", name]
    done = installation.person.run(*shell)
    assert done.stdout.split()[0] == hashlib.sha256(all_inputs(spec)[name]).hexdigest(), done.stderr


@pytest.mark.parametrize("example", STATUS)
def test_an_example_has_its_verdict_and_its_cause(reports: Reports, example: str) -> None:
    report = Report.model_validate(reports[example])
    assert with_status(report, "failed") == FAILS[example]
    assert report.isolation == "none"
    # From programs with known bugs, and from what these looked like, both of which it carries.
    causes = [CAUSES[example]] if example in CAUSES else []
    assert [cause.name for cause in report.causes] == causes
    assert all(check.status == "passed" for check in report.checks if check.id not in FAILS[example])


@pytest.mark.parametrize("example", STATUS)
def test_the_report_is_the_checkout_s(
    reports: Reports, example: str, checkout_report: Callable[[str], Reported]
) -> None:
    assert comparable(reports[example]) == comparable(checkout_report(example))


@pytest.fixture(scope="session")
def checkout_report(
    command_line: list[str], environment: dict[str, str], examples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Reported]:
    """report.json of an example as the checkout has it."""
    done: dict[str, Reported] = {}

    def report(name: str) -> Reported:
        if name not in done:
            command = [*command_line, "check", str(examples / name), "--quick", "--json"]
            folder = tmp_path_factory.mktemp("checkout")
            output = subprocess.run(
                command, env=environment, cwd=folder, capture_output=True, check=False, timeout=600
            )
            assert output.returncode == STATUS[name], output.stderr
            done[name] = json.loads(output.stdout)
        return done[name]

    return report


def test_nothing_of_one_s_own_is_a_wrong_call(installation: Installation) -> None:
    done = installation.grader(
        "check", installation.person.owns(installation.person.home / f"empty-{installation.name}")
    )
    assert done.returncode == USAGE
    assert "nothing to check" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_kept_lies_in_one_folder(installation: Installation, reports: Reports) -> None:
    assert reports
    hidden = {path.relative_to(installation.person.home) for path in installation.person.home.glob(".*/*")}
    assert hidden == {Path(".cache/iolab-grader")}
