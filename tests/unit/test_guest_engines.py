from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.guest.deadline import Deadline
from grader.guest.engines import Engines
from grader.guest.folders import Folders
from grader.guest.launch import ENDED_WELL, GuestError, Launcher, Running, TallyFaultError
from grader.guest.plan_json import EngineJson, GuestRequestJson, LimitsJson, SandboxLayoutJson

LIMITS: LimitsJson = {"cpu_s": 1, "wall_s": 1.0, "output_bytes": 1, "memory_bytes": 1}
RIGHT = {"reads": 3, "writes": 1, "read_bytes": 900, "written_bytes": 1}
ONE = {"calls": 1}
WORKS: dict[str, Any] = {"accounting": RIGHT, "trace": {"complete": True, "stdin": ONE, "stdout": ONE}}
LOG = """\
7 execve("tally", [], []) = 0
7 execve("head", [], []) = 0
7 read(0, "x", 1) = 1
7 +++ exited with 0 +++
"""
REFUSED = TallyFaultError("tally failed: ptrace: Operation not permitted")


class ScriptedLauncher(Launcher):
    """Answers with what tally is to have reported, by mode."""

    def __init__(self, request: GuestRequestJson, script: Mapping[str, object]) -> None:
        super().__init__(request)
        self.script = script
        self.tried: list[str] = []

    def start(self, command: Any, *_arguments: object) -> Running:  # noqa: ANN401 - as overridden
        traced = "-o" in command
        mode = "strace" if traced else command[command.index("--mode") + 1]
        self.tried.append(mode)
        answer = self.script[mode]
        if traced:
            assert isinstance(answer, str)
            Path(command[command.index("-o") + 1]).write_text(answer, encoding="utf-8")
            answer = {}

        class Answer(Running):
            def __init__(self) -> None:
                """Have no process."""

            def finish(self, *, is_of_starter: bool = False) -> dict[str, Any]:  # noqa: ARG002 - as overridden
                if isinstance(answer, Exception):
                    raise answer
                assert isinstance(answer, dict)
                return {"ending": ENDED_WELL, "own_s": 0.0, **answer}

        return Answer()


@pytest.fixture
def layout(tmp_path: Path) -> SandboxLayoutJson:
    for name in ("work", "scratch"):
        (tmp_path / name).mkdir()
    return {
        "work_dir": str(tmp_path / "work"),
        "scratch_dir": str(tmp_path / "scratch"),
        "tally": "tally",
        "student": None,
        "in_container": False,
        "process_limit": "none",
    }


def engines(
    layout: SandboxLayoutJson, *, installed: bool = True, **script: object
) -> tuple[Engines, ScriptedLauncher]:
    plan: Any = {"open_files": 9, "processes": 9}
    request: GuestRequestJson = {"silence_s": 9.0, "layout": layout, "plan": plan, "files": []}
    launcher = ScriptedLauncher(request, script)
    return Engines(
        launcher, Folders(layout), LIMITS, Deadline(None), "" if installed else "strace is broken"
    ), launcher


def test_where_all_works_the_engines_are_those_of_the_plan(layout: SandboxLayoutJson) -> None:
    found, launcher = engines(layout, filter=WORKS)
    assert found.missing == {}
    planned: list[EngineJson] = ["plain", "account", "filter", "strace", "strace-count"]
    assert [found.choose(engine) for engine in planned] == planned
    # What works with the filter works without.
    assert launcher.tried == ["filter"]


def test_without_ptrace_nothing_counts(layout: SandboxLayoutJson) -> None:
    found, launcher = engines(layout, filter=REFUSED, account=REFUSED, strace="")
    assert launcher.tried == ["filter", "account", "strace"]
    assert set(found.missing) == {"filter", "account", "strace", "strace-count"}
    assert "ptrace" in found.missing["filter"]
    assert (found.choose("filter"), found.choose("account")) == ("plain", "plain")
    assert (found.choose("strace"), found.choose("strace-count")) == (None, None)


@pytest.mark.parametrize(("scope", "told"), [("1", False), ("2", True), ("3", True)])
def test_where_the_administrator_forbids_ptrace_that_is_said(
    *, layout: SandboxLayoutJson, scope: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(layout["scratch_dir"]) / "ptrace_scope"
    path.write_text(f"{scope}\n")
    monkeypatch.setattr("grader.guest.engines.PTRACE_SCOPE", str(path))
    found, _ = engines(layout, filter=REFUSED, account=REFUSED, strace="")
    assert (f"kernel.yama.ptrace_scope is {scope}" in found.missing["filter"]) == told


def test_without_the_filter_totals_take_its_place(layout: SandboxLayoutJson) -> None:
    found, _ = engines(layout, filter=TallyFaultError("tally failed: seccomp"), account=WORKS, strace=LOG)
    assert (found.choose("filter"), found.choose("strace")) == ("account", "strace")


def test_without_strace_the_filter_takes_its_place(layout: SandboxLayoutJson) -> None:
    found, _ = engines(layout, installed=False, filter=WORKS)
    assert found.missing["strace"] == "strace is broken"
    assert found.choose("strace") == "filter"
    assert found.choose("strace-count") is None


def test_totals_cannot_take_the_place_of_a_trace(layout: SandboxLayoutJson) -> None:
    found, _ = engines(layout, installed=False, filter=REFUSED, account=WORKS)
    assert found.choose("strace") is None


@pytest.mark.parametrize(
    ("accounting", "says"),
    [
        (None, "keeps no I/O accounting"),
        # A kernel that has the file and counts nothing.
        (dict.fromkeys(RIGHT, 0), "counts wrong"),
        ({**RIGHT, "writes": 2}, "counts wrong"),
        ({**RIGHT, "written_bytes": 0}, "counts wrong"),
        ({**RIGHT, "reads": 0}, "counts wrong"),
    ],
)
def test_accounting_that_cannot_be_right_is_not_believed(
    layout: SandboxLayoutJson, accounting: dict[str, int] | None, says: str
) -> None:
    wrong = {**WORKS, "accounting": accounting}
    found, _ = engines(layout, filter=wrong, account=wrong, strace=LOG)
    assert says in found.missing["filter"]
    assert says in found.missing["account"]


@pytest.mark.parametrize("change", [{"complete": False}, {"stdin": {"calls": 0}}, {"stdout": {"calls": 2}}])
def test_a_filter_that_counts_wrong_is_not_believed(layout: SandboxLayoutJson, change: dict[str, object]) -> None:
    found, _ = engines(layout, filter={**WORKS, "trace": {**WORKS["trace"], **change}}, account=WORKS, strace=LOG)
    assert set(found.missing) == {"filter"}


def test_what_is_no_answer_is_our_fault(layout: SandboxLayoutJson) -> None:
    with pytest.raises(GuestError, match="no report"):
        engines(layout, filter=GuestError("no report"))
