"""What a build makes of a tool of ours that fails at what the compiler accepted, or that has too much to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.guest import build as module
from grader.guest.build import PREPROCESSED_BYTES, SYMBOLS_BYTES, Builder
from grader.guest.deadline import Deadline
from grader.guest.folders import Folders
from grader.guest.launch import ENDED_WELL, Files, GuestError
from grader.guest.oom import OomCounter
from grader.model.evidence import UnknownCalls

LIMITS: Any = {"cpu_s": 1, "wall_s": 1.0, "output_bytes": 1 << 24, "memory_bytes": 1 << 28}
STEP: Any = {
    "program": "copy",
    "source": "copy.c",
    "folder": "",
    "made": "",
    "files": [],
    "compile": ["gcc", "copy.c"],
    "compile_object": ["gcc", "-O0", "-c", "copy.c"],
    "compile_program_object": ["gcc", "-O2", "-c", "copy.c"],
    "one_of_each": [["getchar"], ["malloc"], ["putchar"]],
    "none_of": [],
    "marked": None,
}
"""The compiler replaces its malloc, and leaves its putchar out."""

NOT_FOUND = {"kind": "exited", "code": 127}
FAILURE = {"kind": "exited", "code": 1}
TOOLS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "cat": lambda words: words[0] == "cat",
    "nm of the object": lambda words: "--undefined-only" in words and "--dynamic" not in words,
    "nm of what it defines": lambda words: "--defined-only" in words,
    "nm of the program": lambda words: "--dynamic" in words,
    "the text of the source": lambda words: "-E" in words and "-O0" in words,
    "the text of the program": lambda words: "-E" in words and "-O2" in words,
    "what the compiler knows": lambda words: "-P" in words,
}
OUTPUTS: Mapping[str, bytes] = {
    "nm of the object": b"getchar U\nmalloc U\n",
    "nm of what it defines": b"main T\n",
    "nm of the program": b"__libc_start_main@GLIBC_2.34 U\ngetchar@GLIBC_2.2.5 U\n",
    "the text of the source": b"int main(void) {\nif (0) putchar(0);\n}\n",
    "the text of the program": b"int main(void) { }\n",
    "what the compiler knows": b"0\n1\n",
}


class Tools:
    """A launcher whose tools all do their work, apart from one that ends or writes otherwise."""

    def __init__(self, odd: str, ending: Mapping[str, Any] = ENDED_WELL, output: bytes | None = None) -> None:
        self.odd, self.ending, self.output = odd, ending, output
        self.used: list[str] = []

    def tool_command(self, command: Sequence[str], _limits: object, *, writable: str) -> list[str]:
        assert Path(writable).is_dir()
        return [Path(command[0]).name, *command[1:]]

    def report_of(self, command: Sequence[str], files: Files, *_others: object, **_options: object) -> dict[str, Any]:
        name = next((name for name, is_it in TOOLS.items() if is_it(command)), "")
        self.used.append(name)
        is_odd = bool(name) and name == self.odd
        output = self.output if is_odd and self.output is not None else OUTPUTS.get(name, b"")
        if files.stdout != os.devnull:
            Path(files.stdout).write_bytes(output)
        Path(files.stderr).write_bytes(b"tool: it is broken\nmore\n" if is_odd else b"")
        ending = self.ending if is_odd else ENDED_WELL
        return {"ending": ending, "own_s": 9.0, "slept_s": 0.0, "peak_memory_bytes": 1}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Build a program with these tools."""
    for name in ("work", "scratch"):
        (tmp_path / name).mkdir()
    layout: Any = {"work_dir": str(tmp_path / "work"), "scratch_dir": str(tmp_path / "scratch")}
    monkeypatch.setattr(module, "tool", lambda name: f"/usr/bin/{name}")

    def built(tools: Any, deadline_s: float | None = None) -> dict[str, Any]:  # noqa: ANN401 - as a launcher
        oom = OomCounter(in_container=False)
        return Builder(tools, Folders(layout), LIMITS, deadline=Deadline(deadline_s), oom=oom).build(STEP)

    return built


def test_with_tools_that_work_the_calls_are_known(built: Callable[..., dict[str, Any]]) -> None:
    tools = Tools("")
    done = built(tools)
    assert {*tools.used} == {"", *TOOLS}, "each of them is used"
    assert (done["symbols"], done["unknown_calls"]) == (["getchar", "malloc"], None)
    assert done["source_calls"] == {"putchar": 2}


@pytest.mark.parametrize("ending", [NOT_FOUND, FAILURE, {"kind": "limit", "limit": "wall"}])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("the text of the source", (["getchar", "malloc"], None)),
        ("the text of the program", (None, "not-preprocessed")),
        ("what the compiler knows", (["getchar", "malloc"], None)),
    ],
)
def test_a_source_can_have_the_preprocessor_fail_and_gains_nothing(
    built: Callable[..., dict[str, Any]], name: str, found: tuple[object, object], ending: Mapping[str, Any]
) -> None:
    done = built(Tools(name, ending))
    assert (done["symbols"], done["unknown_calls"]) == found


@pytest.mark.parametrize("ending", [NOT_FOUND, FAILURE, {"kind": "limit", "limit": "wall"}])
@pytest.mark.parametrize("name", [name for name in TOOLS if name.startswith("nm")])
def test_a_tool_that_fails_at_what_was_compiled_is_our_fault(
    built: Callable[..., dict[str, Any]], name: str, ending: Mapping[str, Any]
) -> None:
    with pytest.raises(GuestError, match=r"^(gcc|nm|cat) does not work .*: tool: it is broken$"):
        built(Tools(name, ending))


@pytest.mark.parametrize(
    ("name", "size_bytes", "why"),
    [
        ("nm of the object", SYMBOLS_BYTES, "too-many-functions"),
        ("nm of the program", SYMBOLS_BYTES, "too-many-functions"),
        ("the text of the program", PREPROCESSED_BYTES, "long-text"),
    ],
)
@pytest.mark.parametrize("limit", [None, "cpu", "output", "memory"])
def test_what_is_too_much_for_a_tool_is_the_program_s_doing(
    built: Callable[..., dict[str, Any]], name: str, size_bytes: int, why: str, limit: str | None
) -> None:
    tools = Tools(name, output=b"x" * (size_bytes + 1))
    if limit is not None:
        tools = Tools(name, {"kind": "limit", "limit": limit})
    done = built(tools)
    assert (done["symbols"], done["unknown_calls"]) == (None, why)


@pytest.mark.parametrize("name", ["nm of what it defines", "the text of the source"])
def test_what_only_helps_to_explain_a_failure_may_be_too_much(
    built: Callable[..., dict[str, Any]], name: str
) -> None:
    done = built(Tools(name, output=b"x" * (max(SYMBOLS_BYTES, PREPROCESSED_BYTES) + 1)))
    assert (done["symbols"], done["unknown_calls"]) == (["getchar", "malloc"], None)


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_the_end_of_the_time_stops_is_nobody_s_fault(
    built: Callable[..., dict[str, Any]], name: str
) -> None:
    done = built(Tools(name, {"kind": "limit", "limit": "wall"}), deadline_s=0)
    assert done["cut_short"]
    assert done["unknown_calls"] is None


def test_the_reasons_of_the_guest_are_those_of_the_grader() -> None:
    assert module.UnknownCalls == UnknownCalls
