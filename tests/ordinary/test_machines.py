"""Machines that lack something: each says what, what that costs and what to install, and leaves nothing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.model.report import Report
from grader.model.spec.lab import Spec
from tests.waits import killed_at_exit

from .conftest import impossible
from .machines import beneath, can_mount, hiding, refuser, tmpfs
from .person import TIMEOUT_S, Person

pytestmark = pytest.mark.slow

OK, USAGE, BROKEN = 0, 2, 3
PROGRAMS = Path(__file__).parent / "programs"
CALLS = {"tr2b.syscalls", "tr2u.syscalls", "tr2b.terminal", "tr2u.terminal"}
NO_DOCKER = "unix:///nonexistent"

FILLS_FIRST = """
int main(int argc, char *argv[])
{
    fill();
    return right(argc, argv);
}
"""

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def on(person: Person) -> Callable[..., Done]:
    """Run the grader on a machine that a shell line of root has changed, for this command alone."""
    if not can_mount():
        impossible("root may not mount anything here")

    def run(before: str, *arguments: str | Path, after: str = "true") -> Done:
        command = beneath(before, person.uid, person.command("-m", "grader", *arguments), after)
        environment = {**person.environment(), "DOCKER_HOST": NO_DOCKER}
        return subprocess.run(
            command, env=environment, cwd="/", capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )

    return run


def last_line(done: Done) -> str:
    return done.stdout.splitlines()[-1]


def test_without_gcc_everything_that_is_missing_is_told_at_once(
    on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    hidden = hiding([path for name in ("gcc", "strace") if (path := shutil.which(name))])
    doctor = on(hidden, "doctor")
    assert doctor.returncode == BROKEN
    assert "sudo apt install gcc libc6-dev" in doctor.stdout
    assert "sudo dnf install strace" in doctor.stdout
    assert last_line(doctor).startswith("Can I check my work here? No: ")
    check = on(hidden, "check", mine, "--lab", tiny_file)
    assert check.returncode == BROKEN
    gcc, strace, docker = check.stderr.splitlines()
    assert "install gcc" in gcc
    assert "install strace" in strace
    assert "Docker" in docker
    person.assert_nothing_is_left()


def test_without_strace_every_check_is_judged(
    on: Callable[..., Done], person: Person, mine: Path, small_lab: Path
) -> None:
    hidden = hiding([str(shutil.which("strace"))])
    check = on(hidden, "check", mine, "--lab", small_lab, "--json")
    assert check.returncode == OK, check.stderr
    report = Report.model_validate_json(check.stdout)
    assert {check.status for check in report.checks} == {"passed"}
    [note] = report.notes
    assert "strace is not installed (the package strace has it)" in note
    assert last_line(on(hidden, "doctor")).startswith("Can I check my work here? Yes: ")
    person.assert_nothing_is_left()


@pytest.fixture
def small_lab(brisk: Spec, person: Person) -> Path:
    path = person.folder / "small.yaml"
    path.write_text(brisk.model_dump_json(by_alias=True), encoding="utf-8")
    return path


@pytest.fixture
def without(person: Person) -> Iterator[Callable[..., Done]]:
    """Run the grader where the kernel refuses a system call."""
    refuse = refuser(PROGRAMS / "refuse.c", person.folder)

    def run(call: str, *arguments: str | Path) -> Done:
        command = [str(refuse), call, *person.command("-m", "grader", *arguments)]
        with killed_at_exit(person.start(command)) as process:
            out, err = process.communicate(timeout=TIMEOUT_S)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    yield run
    person.assert_nothing_is_left()


def test_without_ptrace_what_cannot_be_judged_is_neither_passed_nor_failed(
    without: Callable[..., Done], mine: Path, small_lab: Path
) -> None:
    check = without("ptrace", "check", mine, "--lab", small_lab, "--json")
    assert check.returncode == BROKEN, check.stderr
    report = Report.model_validate_json(check.stdout)
    assert {check.id for check in report.checks if check.status == "skipped"} == CALLS
    assert {check.id for check in report.checks if check.status == "failed"} == set()
    assert sum("ptrace" in note for note in report.notes) == 2


def test_without_ptrace_doctor_says_what_it_costs(without: Callable[..., Done]) -> None:
    doctor = without("ptrace", "doctor")
    assert "tally failed: ptrace: Operation not permitted" in doctor.stdout
    assert "checks that count system calls, or look at the output to a terminal, cannot be judged" in doctor.stdout


def test_without_seccomp_nothing_is_run_and_nobody_blamed(
    without: Callable[..., Done], mine: Path, tiny_file: Path
) -> None:
    check = without("seccomp", "check", mine, "--lab", tiny_file, "--json")
    assert check.returncode == BROKEN
    report = Report.model_validate_json(check.stdout)
    assert (report.status, report.score) == ("not_graded", None)
    assert "no seccomp filters" in report.reason


def test_without_proc_what_can_be_judged_is(
    on: Callable[..., Done], person: Person, mine: Path, small_lab: Path
) -> None:
    check = on("umount --lazy /proc", "check", mine, "--lab", small_lab, "--json")
    assert check.returncode == BROKEN, check.stderr
    report = Report.model_validate_json(check.stdout)
    skipped = {check.id for check in report.checks if check.status == "skipped"}
    assert skipped
    assert skipped <= CALLS
    assert {check.id for check in report.checks if check.status == "failed"} == set()
    assert any("/proc" in note for note in report.notes)
    person.assert_nothing_is_left()


# Folders for temporary files


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("noexec", "it is mounted noexec"),
        ("ro", "its disk is read-only"),
        ("nr_inodes=1", "no inodes are left on the disk"),
    ],
)
def test_a_disk_that_cannot_be_used_is_named(  # noqa: PLR0913, PLR0917 - fixtures
    options: str, problem: str, on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    disk = f"mount -t tmpfs -o mode=1777,{options} tmpfs {person.temporary}"
    check = on(disk, "check", mine, "--lab", tiny_file)
    assert check.returncode == BROKEN
    first, docker = check.stderr.splitlines()
    assert f"{person.temporary}, which TMPDIR names: {problem}" in first
    assert "set TMPDIR" in first
    assert "Docker" in docker
    doctor = on(disk, "doctor")
    assert doctor.returncode == BROKEN
    assert problem in doctor.stdout
    assert "to do: set TMPDIR" in doctor.stdout
    person.assert_nothing_is_left()


def test_without_shared_memory_nothing_is_lost(
    on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    check = on("mount -t tmpfs -o ro,mode=0 tmpfs /dev/shm", "check", mine, "--lab", tiny_file, "--json")
    assert check.returncode == OK, check.stderr
    person.assert_nothing_is_left()


# Full disks


def on_a_small_disk(
    on: Callable[..., Done], person: Person, size_kib: int, *arguments: str | Path
) -> tuple[Done, list[str]]:
    """Run the grader with a disk for temporary files of this size; return what is left there as well."""
    look = f"ls -A {person.temporary} >{person.folder}/left"
    done = on(tmpfs(person.temporary, size_kib, person.uid), *arguments, after=look)
    return done, (person.folder / "left").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("size_kib", [16, 4_150])
def test_a_disk_that_is_too_small_is_named(
    size_kib: int, on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    done, left = on_a_small_disk(on, person, size_kib, "check", mine, "--lab", tiny_file)
    assert done.returncode == BROKEN
    assert "Traceback" not in done.stderr
    told = " ".join((done.stdout + done.stderr).split())
    assert "no space is left on the disk, or in a quota" in told
    assert str(person.temporary) in told
    assert "set TMPDIR" in told
    assert left == []
    assert person.processes() == []


def test_a_program_that_fills_the_disk_is_named_and_no_check_fails(
    on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    source = mine / "tr2b.c"
    right = source.read_text(encoding="utf-8")
    filling = right.replace("int main(", "int right(") + FILLS_FIRST
    assert filling != right
    source.write_text((PROGRAMS / "fills.c").read_text(encoding="ascii") + filling, encoding="utf-8")
    done, left = on_a_small_disk(on, person, 24_000, "check", mine, "--lab", tiny_file, "--json")
    report = Report.model_validate_json(done.stdout)
    assert (done.returncode, report.status) == (BROKEN, "not_graded"), done.stderr
    assert "tr2b had filled it" in report.reason
    assert left == []
    assert person.processes() == []


def test_a_page_that_the_disk_does_not_take_is_not_left_in_part(
    on: Callable[..., Done], person: Person, mine: Path, tiny_file: Path
) -> None:
    page = person.folder / "disk" / "report.html"
    page.parent.mkdir()
    look = f"ls -A {page.parent} >{person.folder}/left"
    before = tmpfs(page.parent, 8, person.uid)
    done = on(before, "check", mine, "--lab", tiny_file, "--html", page, after=look)
    assert done.returncode == BROKEN
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert (person.folder / "left").read_text(encoding="utf-8") == ""
    person.assert_nothing_is_left()
