"""What students start from, as they use it: every target, with and without the grader, in a terminal and in none."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.resources import resource
from tests.waits import ENDS_S, killed_at_exit

TEMPLATE = resource("student_template", "tr2")
SOLUTION = resource("reference", "tr2", "solution")
PROGRAMS = ("tr2b", "tr2u")
LINES, LINE_BYTES = 50, 50
TOOLS = ("sh", "make", "gcc", "awk", "mv", "rm", "true", "as", "ld", "cc")
"""The programs that the targets may use, without strace and without the grader."""

SOURCE_COLUMNS, NOTEBOOK_COLUMNS = 132, 200
SAYS_ITS_OPERANDS = '#!/bin/sh\necho "grader got: $*"\n'
MAKES = ["make", "bmake"]
TIMEOUT_S = 60.0


@pytest.fixture(params=MAKES)
def make(request: pytest.FixtureRequest) -> str:
    """GNU make, and one that knows little more than POSIX."""
    found: str | None = shutil.which(request.param)
    if found is None and request.param == "bmake":
        assert os.environ.get("GRADER_REQUIRE_DOCKER") != "1", "where CI runs, bmake has to be installed"
        pytest.skip("bmake is not installed")
    assert found is not None
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy, in a folder as students name theirs."""
    return Path(shutil.copytree(TEMPLATE, tmp_path / "lab 1 (final)"))


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A PATH without strace and without the grader."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found is not None:
            (tools / name).symlink_to(found)
    return tools


def run(make: str, folder: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [make, *arguments], cwd=folder, env=environment(path), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip


def environment(path: Path | None) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C"} | ({} if path is None else {"PATH": str(path)})


def in_terminal(make: str, folder: Path, *arguments: str) -> tuple[int, str]:
    """Run make with a terminal as its standard output; return its exit status and what was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [make, *arguments], cwd=folder, env=environment(None), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    with killed_at_exit(process):
        os.close(theirs)
        shown = b"".join(_read(ours, time.monotonic() + TIMEOUT_S))
        process.wait(ENDS_S)
    os.close(ours)
    return process.returncode, shown.decode("ascii").replace("\r\n", "\n")


def _read(terminal: int, deadline_s: float) -> Iterator[bytes]:
    while select.select([terminal], [], [], max(deadline_s - time.monotonic(), 0))[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            # Linux says EIO when nobody has the other side open any more.
            return
        if not data:
            return
        yield data


def put_solution(folder: Path) -> None:
    for program in PROGRAMS:
        shutil.copy(SOLUTION / f"{program}.c", folder)


def calls(trace: Path) -> dict[str, int]:
    """Return the calls by name in what `strace -c` wrote."""
    rows = [line.split() for line in trace.read_text(encoding="ascii").splitlines()]
    return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit() and row[-1] != "total"}


def test_the_skeletons_build_without_a_warning_and_copy_nothing(make: str, folder: Path) -> None:
    done = run(make, folder, "CFLAGS=-std=gnu11 -O2 -Wall -Wextra -Werror")
    assert done.returncode == 0, done.stderr
    for program in PROGRAMS:
        said = subprocess.run(
            [folder / program, "a", "b"], input=b"abc", capture_output=True, timeout=10, check=False
        )
        assert (said.returncode, said.stdout) == (1, b""), "who forgets to write it does not pass for done"


def test_traces_in_a_terminal_show_what_the_lab_is_about(make: str, folder: Path) -> None:
    put_solution(folder)
    size = LINES * LINE_BYTES
    status, shown = in_terminal(make, folder, "trace", f"INPUT_LINES={LINES}")
    assert status == 0, shown
    assert (folder / "input.txt").stat().st_size == size
    assert shown.count("THE QUICK BROWN FOX") == LINES * len(PROGRAMS)
    outputs = [(folder / f"output-{program}.txt").read_bytes() for program in PROGRAMS]
    assert outputs == [(folder / "input.txt").read_bytes().upper()] * len(PROGRAMS)
    writes = {
        (program, sink): calls(folder / f"trace-{program}-{sink}.txt")["write"]
        for program in PROGRAMS
        for sink in ("file", "terminal")
    }
    assert writes == {
        ("tr2b", "file"): 1,
        ("tr2b", "terminal"): LINES,
        ("tr2u", "file"): size,
        ("tr2u", "terminal"): size,
    }
    assert calls(folder / "trace-tr2u-file.txt")["read"] > size


def test_any_file_can_be_traced_and_any_exit_status_is_taken(folder: Path) -> None:
    put_solution(folder)
    for program in PROGRAMS:
        source = folder / f"{program}.c"
        # The last return is main's.
        before, found, after = source.read_text(encoding="utf-8").rpartition("return ")
        assert found
        source.write_text(f"{before}return 3; return {after}", encoding="utf-8")
    (folder / "my.txt").write_text("abc\n" * 3, encoding="ascii")
    status, shown = in_terminal("make", folder, "trace", "INPUT=my.txt")
    assert status == 0, shown
    assert shown.count("3 (ignored)") == 2 * len(PROGRAMS)
    assert calls(folder / "trace-tr2u-terminal.txt")["write"] == 12
    assert not (folder / "input.txt").exists()


def test_without_a_terminal_nothing_is_traced(make: str, folder: Path) -> None:
    put_solution(folder)
    done = run(make, folder, "trace", "INPUT_LINES=1")
    assert done.returncode != 0
    assert "Run make trace in a terminal" in done.stderr
    assert not list(folder.glob("trace-*"))


def test_without_strace_it_says_so(folder: Path, bare_path: Path) -> None:
    done = run("make", folder, "trace", "INPUT_LINES=1", path=bare_path)
    assert done.returncode != 0
    assert "strace is not installed here" in done.stderr


def test_where_strace_may_not_trace_it_says_so(folder: Path) -> None:
    done = run("make", folder, "trace", "INPUT_LINES=1", "STRACE=false")
    assert done.returncode != 0
    assert "strace cannot trace here" in done.stderr


@pytest.mark.parametrize("target", ["check", "quick"])
def test_without_the_grader_it_says_so_and_the_rest_works(folder: Path, bare_path: Path, target: str) -> None:
    done = run("make", folder, target, path=bare_path)
    assert done.returncode != 0
    assert "not installed here" in done.stderr
    assert run("make", folder, "all", "input", "INPUT_LINES=2", path=bare_path).returncode == 0
    assert (folder / "input.txt").stat().st_size == 2 * LINE_BYTES


@pytest.mark.parametrize(("target", "options"), [("check", ""), ("quick", " --quick")])
@pytest.mark.parametrize("lab", ["tr2", "./tr2.yaml"])
def test_the_grader_is_asked_for_this_lab_or_the_one_handed_out(  # noqa: PLR0913, PLR0917 - two tables
    make: str, folder: Path, bare_path: Path, target: str, options: str, lab: str
) -> None:
    installed = bare_path / "grader"
    installed.write_text(SAYS_ITS_OPERANDS, encoding="ascii")
    installed.chmod(0o755)
    if lab != "tr2":
        (folder / lab).touch()
    done = run(make, folder, target, path=bare_path)
    assert done.returncode == 0, done.stderr
    assert f"grader got: check --lab {lab}{options}\n" in done.stdout


def test_the_grader_may_lie_beside_as_one_file(make: str, folder: Path, bare_path: Path) -> None:
    python = bare_path / "python3"
    python.write_text(SAYS_ITS_OPERANDS, encoding="ascii")
    python.chmod(0o755)
    (folder / "grader.pyz").touch()
    assert "grader got: grader.pyz check --lab tr2\n" in run(make, folder, "check", path=bare_path).stdout


def test_a_failed_check_shows_in_the_exit_status(make: str, folder: Path, bare_path: Path) -> None:
    installed = bare_path / "grader"
    installed.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    installed.chmod(0o755)
    assert run(make, folder, "check", path=bare_path).returncode != 0


def test_clean_leaves_what_is_handed_in_and_the_traces(make: str, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    put_solution(folder)
    in_terminal(make, folder, "trace", "INPUT_LINES=1")
    assert run(make, folder, "clean").returncode == 0
    left = {path.name for path in folder.iterdir()}
    assert left - before == {f"trace-{program}-{sink}.txt" for program in PROGRAMS for sink in ("file", "terminal")}
    assert before <= left


def test_the_readme_has_every_target_and_no_other() -> None:
    makefile = (TEMPLATE / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    readme = (TEMPLATE / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `make ?(\w*)` \|", readme, re.MULTILINE)
    assert [target or "all" for target in told] == phony[1].split()


def test_files_keep_to_what_the_lab_asks_of_students() -> None:
    for path in TEMPLATE.iterdir():
        data = path.read_bytes()
        assert data.isascii(), path
        assert b"\r" not in data, path
        longest = max(map(len, data.splitlines()))
        assert longest <= (SOURCE_COLUMNS if path.suffix == ".c" else NOTEBOOK_COLUMNS), path


def test_the_skeletons_hold_the_contract_and_no_solution() -> None:
    for program in PROGRAMS:
        text = (TEMPLATE / f"{program}.c").read_text(encoding="ascii")
        comment, code = text.split("*/", 1)
        for word in ("`from`", "`to`", "same length", "standard error", "copy nothing", "no options", "0 to 255"):
            assert word in comment, word
        code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
        assert not re.search(r"\b(getchar|putchar|read|write|strlen|strchr|for|while)\b", code)
    assert "nbyte of 1" in (TEMPLATE / "tr2u.c").read_text(encoding="ascii")
    assert "getchar and putchar only" in (TEMPLATE / "tr2b.c").read_text(encoding="ascii")
