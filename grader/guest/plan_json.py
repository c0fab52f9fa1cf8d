"""The request with the plan, as the guest reads it: the JSON that grader/model/plan.py writes, without pydantic.

Each `XJson` here has the keys of the model `X` there (`LimitsJson` those of RunLimits, `PipeJson` of PipeSource),
because the guest can import neither pydantic nor the grader. tests/unit/test_guest_plan.py keeps them equal. In the
other direction, grader/model/evidence.py checks the guest's events when they come in.
"""

from __future__ import annotations

from typing import Literal, TypedDict

ProcessLimitJson = Literal["all", "more", "none"]
UntracedEngine = Literal["plain", "account", "filter"]
"""tally's modes; the others are strace's."""

CheckerJson = Literal["sanitizers", "addresses", "valgrind"]
EngineJson = Literal["plain", "account", "filter", "strace", "strace-count"]


class LimitsJson(TypedDict):
    """Limits of one run."""

    cpu_s: int
    wall_s: float
    output_bytes: int
    memory_bytes: int


class StudentUserJson(TypedDict):
    """The uid and gid of student code."""

    uid: int
    gid: int


class PipeJson(TypedDict):
    """Standard input as a pipe that is refilled when it is empty."""

    kind: Literal["pipe"]
    chunk_bytes: int


class MarkedRunJson(TypedDict):
    """A run of a copy that marks its bytes; operands are base64."""

    compile: list[str]
    functions: list[str]
    letters: str
    seed: str
    called: str
    operands: list[str]
    environment: dict[str, str]
    limits: LimitsJson


class BuildStepJson(TypedDict):
    """One program to compile."""

    program: str
    source: str
    folder: str
    made: str
    files: list[str]
    compile: list[str]
    compile_object: list[str]
    compile_program_object: list[str]
    one_of_each: list[list[str]]
    none_of: list[str]
    marked: MarkedRunJson | None


class EarlyStopJson(TypedDict):
    """When to stop a run before it reaches its limits."""

    first_s: float | None
    again_s: float


class RunFileJson(TypedDict):
    """A file in the program's own folder."""

    name: str
    content: str | None
    read_back: bool
    executable: bool


class RunStepJson(TypedDict):
    """One run of one program; operands are base64."""

    id: str
    program: str
    called: str
    case: str
    operands: list[str]
    input: str
    files: list[RunFileJson]
    input_file: str | None
    output_file: str | None
    environment: dict[str, str]
    pipe: PipeJson | None
    sink: Literal["file", "pipe", "terminal"]
    engine: EngineJson
    read_nbyte: int | None
    write_nbyte: int | None
    limits: LimitsJson
    tracer_limits: LimitsJson | None
    predicted_by: str | None
    only_if: Literal["cheap", "costly"] | None
    requires_ended: list[str]
    hang_group: str | None
    early_stop: EarlyStopJson | None
    repeat_untraced: bool
    checker: CheckerJson | None
    limits_only: bool
    searched: list[str]


class PlanJson(TypedDict):
    """The steps for one submission."""

    builds: list[BuildStepJson]
    runs: list[RunStepJson]
    build_limits: LimitsJson
    processes: int
    open_files: int
    cheap_calls: int
    program_wall_s: float
    deadline_s: float | None


class SentFileJson(TypedDict):
    """A file whose bytes follow the request."""

    folder: Literal["sources", "inputs"]
    name: str
    size_bytes: int


class WholeFileJson(TypedDict):
    """A file with its bytes in base64."""

    folder: Literal["sources", "inputs"]
    name: str
    data: str


class SandboxLayoutJson(TypedDict):
    """Folders and tools of this sandbox."""

    work_dir: str
    scratch_dir: str
    tally: str
    student: StudentUserJson | None
    in_container: bool
    process_limit: ProcessLimitJson


class GuestRequestJson(TypedDict):
    """Everything that the guest needs for one submission."""

    silence_s: float | None
    layout: SandboxLayoutJson
    plan: PlanJson
    files: list[SentFileJson]
