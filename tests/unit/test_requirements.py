from __future__ import annotations

import os
import platform
import resource
import struct
from pathlib import Path

import pytest

from grader.errors import EngineUnavailableError
from grader.sandbox import requirements
from grader.sandbox.choose import local_sandbox
from grader.sandbox.requirements import RequirementCheck

SYSTEMS = ("Debian and Ubuntu: sudo apt install", "Fedora: sudo dnf install", "Arch: sudo pacman -S")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which tools are looked for; it has a gcc that works and strace."""
    monkeypatch.setattr(requirements, "SEARCH_PATH", str(tmp_path))
    for name in ("gcc", "strace"):
        make_tool(tmp_path / name, "exit 0")
    return tmp_path


def make_tool(path: Path, does: str) -> None:
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


def missing() -> dict[str, RequirementCheck]:
    return {check.what: check for check in requirements.check_requirements() if not check.works}


def refusal() -> str:
    with pytest.raises(EngineUnavailableError) as caught:
        requirements.require_all()
    return str(caught.value)


@pytest.mark.usefixtures("tools")
def test_where_all_is_there_nothing_is_said() -> None:
    assert missing() == {}
    requirements.require_all()


def test_without_gcc_all_that_is_missing_is_told_at_once(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gcc", "strace"):
        (tools / name).unlink()
    monkeypatch.setenv("PATH", "/nonexistent")
    gcc, strace = refusal().splitlines()
    assert gcc.startswith(f"gcc: there is none in {tools}; install gcc.")
    assert strace.startswith(f"strace: there is none in {tools}; install strace.")
    for system in SYSTEMS:
        assert system in gcc
        assert system in strace
    assert "sudo apt install gcc libc6-dev;" in gcc


def test_a_gcc_that_only_the_user_s_path_has_is_named(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tools / "module"
    elsewhere.mkdir()
    (tools / "gcc").rename(elsewhere / "gcc")
    monkeypatch.setenv("PATH", str(elsewhere))
    assert f"only {elsewhere / 'gcc'}" in missing()["gcc"].detail


def test_a_gcc_without_headers(tools: Path) -> None:
    make_tool(tools / "gcc", "echo '<stdin>:1:10: fatal error: stdio.h: No such file or directory' >&2; exit 1")
    found = missing()["the C library's headers"]
    assert found.fatal
    assert "libc6-dev" in found.remedy
    assert "glibc-devel" in found.remedy


@pytest.mark.parametrize(
    ("does", "says"), [("echo 'cannot execute cc1' >&2; exit 1", "cannot execute cc1"), ("exit 7", "status 7")]
)
def test_a_gcc_that_does_not_work(tools: Path, does: str, says: str) -> None:
    make_tool(tools / "gcc", does)
    found = missing()["gcc"]
    assert found.fatal
    assert says in found.detail


@pytest.mark.parametrize(
    ("does", "says", "remedy"),
    [
        (None, "there is none in", "install strace. "),
        ("exit 127", "strace: it ends with status 127", "reinstall strace. "),
        ("echo 'no such library' >&2; exit 1", "strace: no such library", "reinstall strace. "),
    ],
)
def test_without_a_strace_that_works_no_check_is_lost(tools: Path, does: str | None, says: str, remedy: str) -> None:
    (tools / "strace").unlink()
    if does is not None:
        make_tool(tools / "strace", does)
    [found] = missing().values()
    assert says in found.detail
    assert found.remedy.startswith(remedy)
    assert not found.fatal
    assert not found.blocks_checks
    assert "no check" in found.impact
    requirements.require_all()


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("scope", "uid", "forbidden"), [("1", 1000, 0), ("2", 1000, 1), ("2", 0, 0), ("3", 0, 1)])
def test_where_the_administrator_forbids_ptrace(
    scope: str, uid: int, forbidden: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scope").write_text(f"{scope}\n")
    monkeypatch.setattr(requirements, "PTRACE_SCOPE", tmp_path / "scope")
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    found = list(missing().values())
    assert len(found) == forbidden
    assert all(check.blocks_checks and f"ptrace_scope is {scope}" in check.detail for check in found)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("name", "pointer_bytes"), [("riscv64", 8), ("i686", 4), ("x86_64", 4)])
def test_another_machine_or_a_python_of_32_bits(
    name: str, pointer_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: name)
    monkeypatch.setattr(struct, "calcsize", lambda _format: pointer_bytes)
    assert name in refusal()
    assert f"{8 * pointer_bytes} bits" in refusal()


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("darwin", ["macOS", "install Docker Desktop", "start it"]),
        ("win32", ["Windows", "install Docker Desktop", "wsl --install"]),
        ("freebsd14", ["install Docker"]),
    ],
)
def test_on_other_systems_the_way_with_docker_is_told(
    system: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.sandbox.requirements.sys.platform", system)
    with pytest.raises(EngineUnavailableError) as caught:
        local_sandbox()
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        (
            resource.RLIMIT_NOFILE,
            16,
            "the shell's limit on open files: `ulimit -n` of bash shows 16, and grading needs 256;",
        ),
        (resource.RLIMIT_FSIZE, 1 << 20, "the shell's limit on the size of a file: `ulimit -f` of bash shows 1024,"),
    ],
)
def test_a_low_limit_of_the_shell(limit: int, value: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {resource.RLIMIT_NOFILE: 1024, resource.RLIMIT_FSIZE: resource.RLIM_INFINITY, limit: value}
    monkeypatch.setattr(resource, "getrlimit", lambda asked: (limits[asked], resource.RLIM_INFINITY))
    assert refusal().startswith(says)
    assert "or use a new terminal" in refusal()
