"""What was seen: one event a step from the guest, and all of them together as Evidence.

The guest writes these as JSON lines (grader/guest/stream.py); they are checked here, where they enter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from grader.model.base import Base64Bytes, Model

LimitHit = Literal["cpu", "wall", "output", "memory"]


class Exited(Model):
    """The program ended by itself."""

    kind: Literal["exited"]
    code: int


class Signalled(Model):
    """A signal ended the program."""

    kind: Literal["signalled"]
    signal: int


class LimitReached(Model):
    """The program was ended because it used more than it may."""

    kind: Literal["limit"]
    limit: LimitHit


class NotStarted(Model):
    """The kernel refused to execute the file."""

    kind: Literal["not_started"]
    errno: int
    message: str


Ending = Annotated[Exited | Signalled | LimitReached | NotStarted, Field(discriminator="kind")]


class Captured(Model):
    """Bytes that a program wrote: how many, their SHA-256, and the bytes themselves where they are at hand."""

    size_bytes: int
    sha256: str
    data: Base64Bytes | None = None


class Accounting(Model):
    """The kernel's totals for a process from its exec to its end, over all descriptors (proc_pid_io(5))."""

    reads: int
    writes: int
    read_bytes: int
    written_bytes: int


class CallCount(Model):
    """How often a system call was made, and how often it failed."""

    calls: int
    errors: int


class StreamCalls(Model):
    """Calls that moved bytes through one stream; `nbyte` is what the calls asked for, None where unknown."""

    calls: int
    bytes: int
    nbyte_min: int | None
    nbyte_max: int | None


Engine = Literal["plain", "account", "filter", "strace", "strace-count"]
"""What counted the calls of a run: nothing; the kernel's totals; tally's filter; strace, call by call or summed."""


class Trace(Model):
    """Every call after the program's own exec, as strace or tally's filter saw it; an incomplete one decides nothing.

    `other_reads` and `other_writes` are on any other descriptor: the dynamic loader's, messages. The four are None
    where only calls by name were counted. `excerpt` shows strace's log from the first transfer on a standard stream.
    """

    complete: bool
    calls: Mapping[str, CallCount]
    stdin: StreamCalls | None
    stdout: StreamCalls | None
    other_reads: StreamCalls | None
    other_writes: StreamCalls | None
    excerpt: str


class Times(Model):
    """How long a run took."""

    real_s: float
    user_s: float
    sys_s: float


class Toolchain(Model):
    """The first event: what the guest found around it.

    `missing` tells of each of tally's modes that cannot be used here why it cannot.
    """

    event: Literal["toolchain"] = "toolchain"
    python: str
    kernel: str
    compiler: str
    strace: str | None
    missing: Mapping[Engine, str] = {}


class BuildDone(Model):
    """A compilation: `symbols` are the undefined ones of the object, None where it did not compile.

    `wall_s` is all that it took, the listing of symbols included. `cut_short`: the place's time was up before that.
    """

    event: Literal["build"] = "build"
    program: str
    ending: Ending
    messages: str
    symbols: tuple[str, ...] | None
    wall_s: float
    cut_short: bool = False


class RunDone(Model):
    """One run of one program; `engine` is what did count, where what the plan asks for does not work here.

    `took_s` is all that the step took: an attempt that was thrown away, and the ending of what it left running, too.
    """

    event: Literal["run"] = "run"
    step: str
    engine: Engine
    ending: Ending
    times: Times
    peak_memory_bytes: int
    stdout: Captured
    stderr: Captured
    oom_kills: int
    took_s: float = 0.0
    accounting: Accounting | None = None
    trace: Trace | None = None


WhyLeftOut = Literal[
    "not-cheap",
    "not-costly",
    "no-end",
    "given-up",
    "not-built",
    "submission-time",
    "no-tracer",
    "deadline",
    "not-yet",
]

WITHOUT_END: tuple[WhyLeftOut, ...] = ("no-end", "given-up")
"""Why a step is left out whose program did not end in others."""


class StepLeftOut(Model):
    """A step that was not run, and why.

    `no-end`: the program did not end on a short input with the same operands. `given-up`: it had not ended in a few
    runs before, nor in any that is like this one. `submission-time`: the lab gives a program no more. `deadline`:
    the place gave us no more; it may have been at work for `took_s` then. `not-yet`: its turn has not come, in
    evidence that is still being gathered.
    """

    event: Literal["left-out"] = "left-out"
    step: str
    why: WhyLeftOut
    took_s: float = 0.0


class Done(Model):
    """The last event: every step was run or left out."""

    event: Literal["done"] = "done"


class Fault(Model):
    """The guest itself failed; the submission is not graded."""

    event: Literal["fault"] = "fault"
    message: str


class Chunk(Model):
    """A piece of a kept output, as an answer to a fetch."""

    event: Literal["chunk"] = "chunk"
    step: str
    data: Base64Bytes
    last: bool


Event = Annotated[Toolchain | BuildDone | RunDone | StepLeftOut | Done | Fault | Chunk, Field(discriminator="event")]
# As with the models: built when the first one comes in.
EVENT: TypeAdapter[Toolchain | BuildDone | RunDone | StepLeftOut | Done | Fault | Chunk] = TypeAdapter(
    Event, config=ConfigDict(defer_build=True)
)


class Evidence(Model):
    """All that one submission showed, by program and by step id (`PROGRAM.CASE`, `PROGRAM.CASE.strace`).

    `toolchain` is None where there was nothing to build, and so no sandbox.
    """

    toolchain: Toolchain | None
    builds: Mapping[str, BuildDone]
    runs: Mapping[str, RunDone]
    left_out: Mapping[str, StepLeftOut]

    def run(self, program: str, case: str) -> RunDone | None:
        """Return the untraced run of a case, None where it was left out."""
        return self.runs.get(run_id(program, case))

    def traced(self, program: str, case: str) -> RunDone | None:
        """Return the run of a case under strace, with a whole log or only counted; None where it was left out."""
        return self.runs.get(trace_id(program, case)) or self.runs.get(count_id(program, case))


def run_id(program: str, case: str) -> str:
    """Name the untraced run of a case."""
    return f"{program}.{case}"


def trace_id(program: str, case: str) -> str:
    """Name the run of a case under strace."""
    return f"{program}.{case}.strace"


def count_id(program: str, case: str) -> str:
    """Name the run of a case under `strace -c`."""
    return f"{program}.{case}.strace-count"
