"""The plan as the guest reads it: the same JSON that grader/model/plan.py writes, without pydantic."""

from __future__ import annotations

from typing import Literal, TypedDict

ProcessLimit = Literal["all", "more", "none"]
UntracedEngine = Literal["plain", "account", "filter"]
"""tally's modes; the others are strace's."""

Engine = Literal["plain", "account", "filter", "strace", "strace-count"]


class Limits(TypedDict):
    """Limits of one run."""

    cpu_s: int
    wall_s: float
    output_bytes: int
    memory_bytes: int


class Student(TypedDict):
    """The uid and gid of student code."""

    uid: int
    gid: int


class Pipe(TypedDict):
    """Standard input as a pipe that is refilled when it is empty."""

    kind: Literal["pipe"]
    chunk_bytes: int


class BuildStep(TypedDict):
    """One source to compile."""

    program: str
    source: str
    compile: list[str]
    compile_object: list[str]


class RunStep(TypedDict):
    """One run of one program; operands are base64."""

    id: str
    program: str
    case: str
    operands: list[str]
    input: str
    pipe: Pipe | None
    sink: Literal["file", "pipe", "terminal"]
    engine: Engine
    read_nbyte: int | None
    write_nbyte: int | None
    limits: Limits
    tracer_limits: Limits | None
    predicted_by: str | None
    only_if: Literal["cheap", "costly"] | None
    requires_ended: str | None
    hang_group: str | None


class Work(TypedDict):
    """What is to be done with one submission."""

    builds: list[BuildStep]
    runs: list[RunStep]
    build_limits: Limits
    processes: int
    open_files: int
    cheap_calls: int
    program_wall_s: float
    deadline_s: float | None


class SentFile(TypedDict):
    """A file whose bytes follow the plan."""

    folder: Literal["sources", "inputs"]
    name: str
    size_bytes: int


class SandboxLayout(TypedDict):
    """Folders and tools of this sandbox."""

    work_dir: str
    scratch_dir: str
    tally: str
    student: Student | None
    in_container: bool
    process_limit: ProcessLimit


class Plan(TypedDict):
    """Everything that one submission needs."""

    plan_version: int
    silence_s: float
    places: SandboxLayout
    work: Work
    files: list[SentFile]
