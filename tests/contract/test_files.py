"""Files in a run's folder: there at the start, and read back without trusting what a program left there."""

from __future__ import annotations

import hashlib

import pytest

from grader.model.evidence import Exited, FileKind, LeftFile, LimitReached
from grader.model.plan import RunFile, RunStep
from grader.sandbox.base import Sandbox

from .harness import INPUTS, LARGE, SUCCESS, Exercise, Outcome, source, step

LEFT = RunFile(name="left", content=None, read_back=True)
SCRIPT = RunFile(name="script", content="script", read_back=False)
FILLED_BYTES = 300_000


def leaving(what: str, *more: str, name: str = "", **changes: object) -> RunStep:
    return step(name or what, "filer", what, "left", *more, **{"files": (LEFT,), **changes})


STEPS = (
    leaving("nothing"),
    leaving("link", "/etc/shadow"),
    leaving("link", "/etc/hostname", name="link-to-readable"),
    leaving("link", "/dev/zero", name="link-to-endless"),
    leaving("fifo"),
    leaving("folder"),
    leaving("closed"),
    leaving("fill", str(FILLED_BYTES)),
    leaving("sparse"),
    leaving("grow"),
    step(
        "copy",
        "filer",
        "copy",
        "src",
        "dst",
        files=(
            RunFile(name="src", content="large", read_back=True),
            RunFile(name="dst", content="lines", read_back=True),
        ),
    ),
    step(
        "counted",
        "filer",
        "copy",
        "src",
        "dst",
        engine="filter",
        files=(
            RunFile(name="src", content="large", read_back=False),
            RunFile(name="dst", content=None, read_back=True),
        ),
    ),
    step("not-read-back", "filer", "fifo", "left", files=(LEFT.model_copy(update={"read_back": False}),)),
    step("variable", "filer", "variable", "GREETING", environment={"GREETING": "hello"}),
    step("path", "filer", "variable", "PATH"),
    step("executes", "filer", "execute", "script", files=(SCRIPT.model_copy(update={"executable": True}),)),
    step("may-not-execute", "filer", "execute", "script", files=(SCRIPT,)),
)


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    fetch = ("filer.copy/dst", "filer.fill/left")
    exercise = Exercise(STEPS, {"filer": source("filer")}, fetch, cheap_calls=2_000)
    return exercise.done_in(sandbox)


def left(outcome: Outcome, name: str, file: str = "left") -> LeftFile:
    return outcome.run(name, "filer").files[file]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("nothing", "missing"),
        ("link", "link"),
        ("link-to-readable", "link"),
        ("link-to-endless", "link"),
        ("fifo", "other"),
        ("folder", "folder"),
    ],
)
def test_only_a_file_of_its_own_is_read(outcome: Outcome, name: str, kind: FileKind) -> None:
    assert left(outcome, name) == LeftFile(kind=kind)
    assert outcome.run(name, "filer").ending == SUCCESS


def test_only_an_executable_file_can_be_executed(outcome: Outcome) -> None:
    assert outcome.run("executes", "filer").stdout.data == b"executed\n"
    assert outcome.run("may-not-execute", "filer").ending == Exited(kind="exited", code=255)


def test_a_file_that_was_closed_is_read_with_the_student_s_rights(outcome: Outcome) -> None:
    # Without isolation, root is the student.
    assert left(outcome, "closed").kind in ("unreadable", "regular")


def test_a_file_of_ten_gigabytes_cannot_be_made(outcome: Outcome) -> None:
    # The limit on what a program writes is one on the size of its files. For larger ones see test_guest_left_files.
    found = left(outcome, "sparse").content
    assert outcome.run("sparse", "filer").ending == LimitReached(kind="limit", limit="output")
    assert found is not None
    assert found.size_bytes == 0


def test_nothing_outlives_a_run_to_change_its_files(outcome: Outcome) -> None:
    assert left(outcome, "grow").kind == "regular"


def test_a_large_file_is_described_and_can_be_fetched(outcome: Outcome) -> None:
    found = left(outcome, "fill").content
    assert found is not None
    assert found.data is None
    assert found.size_bytes == FILLED_BYTES
    assert found.sha256 == hashlib.sha256(b"x" * FILLED_BYTES).hexdigest()
    assert outcome.fetched["filer.fill/left"] == b"x" * FILLED_BYTES


def test_files_are_there_at_the_start_and_may_be_changed(outcome: Outcome) -> None:
    assert outcome.run("copy", "filer").ending == SUCCESS
    assert outcome.fetched["filer.copy/dst"] == INPUTS["lines"] + LARGE
    source_after = left(outcome, "copy", "src").content
    assert source_after is not None
    assert source_after.sha256 == hashlib.sha256(LARGE).hexdigest()


def test_an_attempt_that_is_repeated_begins_with_the_same_files(outcome: Outcome) -> None:
    # The filter stops the first attempt, which has written some of the file by then.
    found = left(outcome, "counted", "dst").content
    assert found is not None
    assert found.sha256 == hashlib.sha256(LARGE).hexdigest()


def test_files_that_nobody_compares_are_not_read(outcome: Outcome) -> None:
    assert outcome.run("not-read-back", "filer").files == {}


def test_variables_are_added_to_those_that_each_program_gets(outcome: Outcome) -> None:
    assert outcome.stdout("variable", "filer") == b"hello"
    assert outcome.stdout("path", "filer") == b"/usr/local/bin:/usr/bin:/bin"
