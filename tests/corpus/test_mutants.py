"""Mutants: each fails exactly the checks that it names, and its page's shell lines show the bug."""

from __future__ import annotations

import os
import platform
import re
import select
import signal
import subprocess
import time
import tty
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from grader.intake.mutants import read_mutants
from grader.intake.spec_file import read_spec
from grader.model.mutant import Mutant
from grader.model.reference import Reference
from grader.model.spec import PatternInput, Spec
from grader.model.submission import Source, Submission
from grader.pipeline import Grading, grade
from grader.resources import resource
from grader.sandbox.base import Sandbox

from .test_examples import signed_char, with_status

LAB = read_spec(resource("specs", "tr2.yaml"))
MUTANTS = {mutant.name: mutant for mutant in read_mutants(LAB)}
SOLUTION = resource("reference", "tr2", "solution")

NEEDS_SIGNED_CHAR = {"char-for-getchar", "signed-operands", "signed-table-index"}
"""Where char is unsigned, the first never ends and the others have no bug."""

# Programs that never end are not waited for as long as students' are; right ones need a fraction of this.
SMALL = {"cpu_s": 1, "output_bytes": 100_000}
FULL = {"cpu_s": 5, "output_bytes": 200_000}
STRACE_SMALL = {"cpu_s": 1}

LINE_S = 2.0
"""So long a page's line may take; what has not ended then is endless."""


@pytest.fixture(scope="session")
def brisk(small: Spec) -> Spec:
    """The small lab with shorter limits; what is cheap enough for strace is scaled down as the inputs are."""
    limits = small.limits
    changes = {
        "small": limits.small.model_copy(update=SMALL),
        "full": limits.full.model_copy(update=FULL),
        "strace_small": limits.strace_small.model_copy(update=STRACE_SMALL),
        "cheap_calls": limits.cheap_calls * size_bytes(small) // size_bytes(LAB),
    }
    return small.model_copy(update={"limits": limits.model_copy(update=changes)})


def size_bytes(spec: Spec) -> int:
    """Return the size of its full-size inputs."""
    source = spec.inputs["pattern-5m"]
    assert isinstance(source, PatternInput)
    return source.size_bytes


@pytest.fixture(scope="session")
def brisk_grading(
    brisk: Spec,
    local_sandbox: Sandbox,
    small_inputs: Mapping[str, bytes],
    measure: Callable[[Spec, Sandbox, Mapping[str, bytes]], Reference],
) -> Grading:
    return Grading(brisk, local_sandbox, measure(brisk, local_sandbox, small_inputs), small_inputs)


@pytest.fixture(params=MUTANTS)
def mutant(request: pytest.FixtureRequest) -> Mutant:
    name: str = request.param
    if name in NEEDS_SIGNED_CHAR and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where this is another bug or none")
    return MUTANTS[name]


def submission_of(mutant: Mutant, spec: Spec) -> Submission:
    """Return its programs, and the reference's in the place of those that cannot have the bug."""
    sources = {
        program: mutant.sources.get(program) or (SOLUTION / declared.source).read_bytes()
        for program, declared in spec.programs.items()
    }
    return Submission(mutant.name, {program: Source(data) for program, data in sources.items()})


def test_a_mutant_fails_what_it_names_and_nothing_else(mutant: Mutant, brisk_grading: Grading) -> None:
    report = grade(brisk_grading, submission_of(mutant, brisk_grading.spec))
    assert report.status == "graded", report.reason
    expected = {f"{program}.{check}" for program, checks in mutant.fails.items() for check in checks}
    assert with_status(report, "failed") == expected
    # A program without end has no time figures.
    timing = {f"{program}.timing" for program in mutant.sources}
    assert with_status(report, "skipped") <= timing


def make_folder(folder: Path, sources: Mapping[str, bytes]) -> Path:
    """Compile programs as a student does; beside them lies a file NAME.c, the same for all, that pages copy."""
    folder.mkdir()
    for program, data in sources.items():
        command = ["gcc", "-std=gnu11", "-O2", "-w", "-o", folder / program, "-x", "c", "-"]
        subprocess.run(command, input=data, check=True, timeout=60)
        (folder / f"{program}.c").write_bytes((SOLUTION / f"{program}.c").read_bytes())
    return folder


def shown_on_a_terminal(line: str, folder: Path) -> bytes:
    """Return what a shell line shows until it ends, or until nobody wants to wait for it any longer."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    process = subprocess.Popen(
        ["/bin/sh", "-c", line], cwd=folder, env=environment, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    deadline_s = time.monotonic() + LINE_S
    shown = b""
    try:
        while select.select([ours], [], [], max(deadline_s - time.monotonic(), 0))[0]:
            # The end of a terminal that nobody writes to any more is an error.
            shown += os.read(ours, 1 << 16)
    except OSError:
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)
    return shown


def essence(shown: bytes) -> bytes:
    """Return it without the words of messages, which are everybody's own, and without the times of `strace -c`."""
    text = re.sub(rb"(?m)^ *[0-9.]+ +[0-9.]+ +\d+ +(\d+) +(\d+ )? *(\w+)$", rb"\1 \3", shown)
    return re.sub(rb"(?m)(^(tr2b|tr2u|usage): .*\n)+", b"(message)\n", text)


def test_the_lines_of_its_page_show_the_bug(mutant: Mutant, tmp_path: Path) -> None:
    right = {program: (SOLUTION / f"{program}.c").read_bytes() for program in mutant.sources}
    with_bug = make_folder(tmp_path / "mutant", mutant.sources)
    without = make_folder(tmp_path / "solution", right)
    block = mutant.page.split("```")[1]
    for line in block.splitlines()[1:]:
        assert essence(shown_on_a_terminal(line, with_bug)) != essence(shown_on_a_terminal(line, without)), line
