"""`grader doctor`: what it says and answers, with sandboxes that only seem to be there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from grader.cli import doctor
from grader.cli.exit_status import BROKEN, OK
from grader.cli.main import status_of
from grader.errors import EngineUnavailableError
from grader.model.report import Isolation
from grader.sandbox.requirements import RequirementCheck

WORKS = RequirementCheck("compiles", works=True, detail="gcc 12")
NO_STRACE = RequirementCheck("strace", works=False, detail="none", impact="no check", remedy="install strace")
NO_PTRACE = RequirementCheck(
    "ptrace", works=False, detail="forbidden\x1b[31m", impact="calls", remedy="ask", blocks_checks=True
)
NO_GCC = RequirementCheck("gcc", works=False, detail="none", impact="everything", remedy="install gcc", fatal=True)


@dataclass
class FakeSandbox:
    """A sandbox that is only closed."""

    isolation: Isolation = "none"
    closed: bool = False

    def close(self) -> None:
        self.closed = True


Checks = Sequence[RequirementCheck]
Examined = Callable[[Checks, Checks, "Checks | None"], tuple[int, str]]


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Examined:
    """Run doctor on a machine of which this is found; None: there is no Docker."""

    def run(machine: Checks, local: Checks, docker: Checks | None) -> tuple[int, str]:
        sandboxes = {"local": FakeSandbox(), "docker": FakeSandbox("container")}

        def no_docker() -> None:
            raise EngineUnavailableError("no Docker engine answers")

        monkeypatch.setattr(doctor, "check_requirements", lambda: machine)
        monkeypatch.setattr(doctor, "local_sandbox", lambda: sandboxes["local"])
        monkeypatch.setattr(doctor, "_docker", no_docker if docker is None else lambda: sandboxes["docker"])
        monkeypatch.setattr(doctor, "probe", lambda sandbox: local if sandbox is sandboxes["local"] else docker)
        status = status_of(["doctor"])
        fatal = any(check.fatal for check in machine)
        assert [sandbox.closed for sandbox in sandboxes.values()] == [not fatal, docker is not None]
        return status, capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("machine", "local", "docker", "status", "answer"),
    [
        ([WORKS], [WORKS], None, OK, "Yes: `grader check` judges every check."),
        ([WORKS, NO_STRACE], [WORKS], None, OK, "Yes: "),
        ([NO_PTRACE], [WORKS], [WORKS], OK, "Yes, with Docker: with `grader check --sandbox docker`"),
        ([WORKS], [NO_PTRACE], None, BROKEN, "Partly: `grader check` works"),
        ([NO_GCC], [], [WORKS], OK, "Yes, with Docker: `grader check` runs them in containers"),
        ([NO_GCC], [], None, BROKEN, "No: "),
        ([WORKS], [NO_GCC], [NO_GCC], BROKEN, "No: "),
    ],
)
def test_the_last_line_answers(  # noqa: PLR0913 - a row of the table
    *,
    examined: Examined,
    machine: Checks,
    local: Checks,
    docker: Checks | None,
    status: int,
    answer: str,
) -> None:
    found, said = examined(machine, local, docker)
    assert said.splitlines()[-1].startswith(f"Can I check my work here? {answer}")
    assert found == status


def test_what_is_missing_is_told_with_what_it_costs_and_what_to_do(
    examined: Examined,
) -> None:
    _, said = examined([WORKS, NO_STRACE, NO_PTRACE], [WORKS], None)
    assert "  + compiles: gcc 12\n" in said
    assert "  ! strace: none\n      costs: no check\n      to do: install strace\n" in said
    assert "  ! ptrace: forbidden\\x1b[31m\n" in said
    assert "  ! not available: no Docker engine answers\n" in said
    titles = [line for line in said.splitlines() if line and not line.startswith(" ")][1:-1]
    assert titles == [
        "This machine",
        "Without a container, as for your own work",
        "With Docker, as for the work of others",
    ]
