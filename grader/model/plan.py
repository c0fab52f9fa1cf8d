"""What the guest is told to do: a list of steps, complete in itself, sent as one line of JSON."""

from __future__ import annotations

from typing import Literal

from grader.model.base import Base64Bytes, Model
from grader.model.evidence import Engine
from grader.model.spec.cases import PipeSource, Sink
from grader.model.spec.programs import RunLimits

ProcessLimit = Literal["all", "more", "none"]


class Student(Model):
    """The uid and gid that student code runs as."""

    uid: int
    gid: int


class BuildStep(Model):
    """Compile one source, and list the undefined symbols of an object compiled without optimisation.

    `compile` and `compile_object` are argument vectors without the output's name, which the guest chooses.
    """

    program: str
    source: str
    compile: tuple[str, ...]
    compile_object: tuple[str, ...]


class RunStep(Model):
    """Run one program once.

    `limits` are the program's, `tracer_limits` those of strace with the program beneath it.

    `engine`: `plain`; `account` (with the kernel's I/O accounting); `filter` (every call counted by tally, without a
    stop for reads of `read_nbyte` bytes and writes of `write_nbyte`); `strace` (the whole log, summed by stream);
    `strace-count` (`strace -c`, for runs whose log would be too long).

    `predicted_by` names a short run with the same operands whose trace tells what to expect of this one: with
    `only_if` the step is left out unless that promises at most `cheap_calls` for this input, or more; and a run that
    the filter would have to stop more often than that is counted by the kernel's totals. `requires_ended` names a
    short run: a program that does not end on that is not waited for here. `hang_group` names runs of a program that
    stand for each other where it does not end: after some of them in vain it is not waited for in the others.
    """

    id: str
    program: str
    case: str
    operands: tuple[Base64Bytes, ...]
    input: str
    pipe: PipeSource | None
    sink: Sink
    engine: Engine
    read_nbyte: int | None = None
    write_nbyte: int | None = None
    limits: RunLimits
    tracer_limits: RunLimits | None = None
    predicted_by: str | None = None
    only_if: Literal["cheap", "costly"] | None = None
    requires_ended: str | None = None
    hang_group: str | None = None


class Work(Model):
    """What is to be done with one submission, wherever that happens.

    `program_wall_s` is what the lab gives each program: when it is used up, none of its runs begins. `deadline_s` is
    what the place gives us, from the start of the work; what is at work then is ended, and was not run. None: all the
    time that it takes.
    """

    builds: tuple[BuildStep, ...]
    runs: tuple[RunStep, ...]
    build_limits: RunLimits
    processes: int
    open_files: int
    cheap_calls: int
    program_wall_s: float
    deadline_s: float | None = None


class SentFile(Model):
    """A file of the guest's that follows the plan, and which of its folders it belongs in."""

    folder: Literal["sources", "inputs"]
    name: str
    size_bytes: int


class SandboxLayout(Model):
    """Where it happens: folders and tools of one sandbox.

    `student` is None where there is no uid to split off. `process_limit` is what RLIMIT_NPROC, which counts all
    processes of a uid, is to allow: `all` of the work's processes, for a uid of student code alone; so many `more`
    than there are, for a person's; `none`: no limit, where a container has one.
    """

    work_dir: str
    scratch_dir: str
    tally: str
    student: Student | None
    in_container: bool
    process_limit: ProcessLimit


class Plan(Model):
    """Everything the guest needs to know. The bytes of `files` follow it, one after the other with nothing between.

    `silence_s`: after so long without a line from the grader there is none any more.
    """

    plan_version: Literal[2] = 2
    silence_s: float
    places: SandboxLayout
    work: Work
    files: tuple[SentFile, ...]
