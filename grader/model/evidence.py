"""What the guest observed: one event per step, and all of them together as Evidence.

The guest writes events as JSON lines (grader/guest/channel.py); these models check them when they come in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Base64Bytes, Model

LimitHit = Literal["cpu", "wall", "output", "memory", "log"]
"""`log`: strace's log of the calls was full."""


class Exited(Model):
    """The program ended by itself."""

    kind: Literal["exited"]
    code: int


class Signalled(Model):
    """A signal ended the program."""

    kind: Literal["signalled"]
    signal: int


class LimitReached(Model):
    """The program was ended because it reached a limit."""

    kind: Literal["limit"]
    limit: LimitHit


LOG_FULL = LimitReached(kind="limit", limit="log")


class NotStarted(Model):
    """The kernel refused to execute the file."""

    kind: Literal["not_started"]
    errno: int
    message: str


Ending = Annotated[Exited | Signalled | LimitReached | NotStarted, Field(discriminator="kind")]


def succeeded(ending: Ending) -> bool:
    """Return whether a program ended by itself with exit status 0."""
    return isinstance(ending, Exited) and ending.code == 0


class Captured(Model):
    """Bytes that a program wrote: how many, their SHA-256, and the bytes themselves if they are available.

    `searched` is a longer beginning than `data`, if the case looks for something in an output of that length.
    """

    size_bytes: int
    sha256: str
    data: Base64Bytes | None = None
    searched: Base64Bytes | None = None


FileKind = Literal["regular", "missing", "link", "folder", "other", "unreadable", "too-large"]


class LeftFile(Model):
    """What a run left under the name of a file that is read back.

    `unreadable`: the program took its own user's right to read it. `too-large`: it is longer than what a run may
    write, and was not read. Only a `regular` file has `content`.
    """

    kind: FileKind
    content: Captured | None = None


READ_CALLS = ("read", "pread64", "readv", "preadv", "preadv2")
WRITE_CALLS = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
"""The calls that move bytes between memory and a descriptor, the plain one first."""


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
    """Calls that moved bytes through one stream; `nbyte` is what the calls asked for, None if unknown."""

    calls: int
    bytes: int
    nbyte_min: int | None
    nbyte_max: int | None


class Transfer(Model):
    """The calls of one name on one descriptor: how many, the bytes that they moved, and how many failed how.

    `on_stream`: they are on the stream that the lab judges.
    """

    name: str
    descriptor: int
    on_stream: bool
    calls: int
    bytes: int
    errors: Mapping[str, int]


class FailedOpen(Model):
    """A file that a program could not open: its path as strace shows it, and the error."""

    path: str
    error: str


Engine = Literal["plain", "account", "filter", "strace", "strace-count"]
"""What counted the calls of a run: nothing; the kernel's totals; tally's filter; strace, call by call or summed."""


UsedUp = Literal["memory", "processes", "open_files", "file_size", "cpu_time", "locked_memory"]
"""A limit that a program reached and survived: calls failed, or the kernel sent a signal."""


class Trace(Model):
    """Every call after the program's own exec, as strace or tally's filter saw it; an incomplete one decides nothing.

    `stdin` and `stdout` are the streams that the lab judges, which may be files that the program opens by name.
    `other_reads` and `other_writes` are on any other descriptor: the dynamic loader's, messages. The four are None
    if only calls by name were counted. If the streams are files, `unknown_reads` and `unknown_writes` moved bytes of
    files that are not known: perhaps these, perhaps others. `input_mappings` are mappings of the judged input into
    memory. `strays` are the calls that tally's filter would not have let pass without a tracer. With
    `transfers_only` the streams are complete, and `calls` has only the calls that move bytes. `excerpt` shows
    strace's log from the first transfer on a standard stream. Only strace's log has `transfers` (by call and
    descriptor) and `failed_opens`. Only tally's filter has `refused`, calls that were refused to the program, each
    with what was refused unless the guard refuses nothing else of it (`openat outside`), and `limits_reached`.
    """

    complete: bool
    calls: Mapping[str, CallCount]
    stdin: StreamCalls | None
    stdout: StreamCalls | None
    other_reads: StreamCalls | None
    other_writes: StreamCalls | None
    unknown_reads: int = 0
    unknown_writes: int = 0
    input_mappings: int = 0
    strays: tuple[str, ...] = ()
    transfers_only: bool = False
    transfers: tuple[Transfer, ...] = ()
    failed_opens: tuple[FailedOpen, ...] = ()
    refused: tuple[str, ...] = ()
    limits_reached: tuple[UsedUp, ...] = ()
    excerpt: str


class Times(Model):
    """How long a run took."""

    real_s: float
    user_s: float
    sys_s: float


class Toolchain(Model):
    """The first event: the tools that the guest found.

    `missing` says of each engine that does not work here why it does not.
    """

    event: Literal["toolchain"] = "toolchain"
    python: str
    kernel: str
    compiler: str
    strace: str | None
    missing: Mapping[Engine, str] = {}


class Marks(Model):
    """What a marked run showed: of `copied_bytes`, how many the functions asked for have read and written.

    Of `other_bytes`, which the program may have replaced, only `other_written_bytes` is known.
    """

    copied_bytes: int
    read_bytes: int
    written_bytes: int
    other_bytes: int = 0
    other_written_bytes: int = 0


UnknownCalls = Literal[
    "not-unoptimised",
    "no-object",
    "not-without-builtins",
    "too-many-functions",
    "long-text",
    "not-preprocessed",
]
"""Why the calls of a program that compiled are not known."""


class BuildDone(Model):
    """A compilation: `symbols` are the undefined ones of the object.

    `program_symbols` are those of the program that runs or, if it is static, of an object that is compiled like it.
    If the program seems to break its rule, `made_calls` are the functions of `program_symbols` that only the compiler
    calls, as strlen for a loop, and `replaced_calls` those of the rule whose calls it replaced, as malloc by calloc.
    `symbols` is None if any of this is not known, for instance because it could not be listed whole, and
    `unknown_calls` says why.

    If no function of a group that the source must call has a symbol, `source_calls` has those that the source calls
    all the same, with the line of the first call, and `own_functions` those that it defines itself.

    `marks` is None if there was no marked run, or if its output was not a copy of its input.

    `wall_s` includes the listing of symbols and the marked run; `own_s` is the part of it in which the compiler had a
    CPU. `cut_short`: `deadline_s` of the plan was over before
    the end.
    """

    event: Literal["build"] = "build"
    program: str
    ending: Ending
    messages: str
    symbols: tuple[str, ...] | None
    unknown_calls: UnknownCalls | None = None
    program_symbols: tuple[str, ...] | None = None
    made_calls: tuple[str, ...] = ()
    replaced_calls: tuple[str, ...] = ()
    source_calls: Mapping[str, int] = {}
    own_functions: tuple[str, ...] = ()
    marks: Marks | None = None
    wall_s: float
    own_s: float = 0.0
    cut_short: bool = False


class RunDone(Model):
    """One run of one program; `engine` is the one that was used, which may not be the one that the plan names.

    `took_s` is the time of the whole step, with discarded attempts and with ending what it left running, and `own_s`
    that of all attempts on a CPU or asleep (grader/guest/own_time.py). The program slept for `slept_s`.
    `message_writes` is how many writes to standard error arrived; None if they were not counted. `again` is the same
    run without a tracer, if the plan wanted it and the trace has no strays.

    Of a run of engine `account`, `strays` are the calls of any of its processes that the accounting does not show
    (grader/guest/tally/main.c), and `opened_again` says whether the file of a standard stream was opened meanwhile;
    None if it is not known. `left_processes` is how many of its processes still ran when it had ended; they were
    killed.
    """

    event: Literal["run"] = "run"
    step: str
    engine: Engine
    ending: Ending
    times: Times
    peak_memory_bytes: int
    stdout: Captured
    stderr: Captured
    files: Mapping[str, LeftFile] = {}
    took_s: float = 0.0
    own_s: float = 0.0
    slept_s: float | None = 0.0
    accounting: Accounting | None = None
    trace: Trace | None = None
    message_writes: int | None = None
    opened_again: bool | None = None
    strays: tuple[str, ...] | None = None
    left_processes: int = 0
    again: RunDone | None = None

    def written_bytes(self, file: str | None) -> int:
        """Return how many bytes the run left in a file, or wrote to standard output (None).

        Raises:
            KeyError: the file is not read back.
        """
        content = self.stdout if file is None else self.files[file].content
        return 0 if content is None else content.size_bytes

    @property
    def writes_mostly_errors(self) -> bool:
        """Whether it wrote more to standard error than to standard output."""
        return self.stderr.size_bytes > self.stdout.size_bytes

    def message_bytes(self, output_file: str | None) -> int:
        """Return how many bytes the run wrote besides its output: to standard error, and to a standard output."""
        return self.stderr.size_bytes + (0 if output_file is None else self.stdout.size_bytes)


WhyLeftOut = Literal[
    "not-cheap",
    "not-costly",
    "no-end",
    "given-up",
    "not-built",
    "submission-time",
    "no-tracer",
    "no-checker",
    "deadline",
    "not-yet",
]

WITHOUT_END: tuple[WhyLeftOut, ...] = ("no-end", "given-up")
"""Reasons for leaving a step out because its program did not end in other steps."""


class StepLeftOut(Model):
    """A step that was not run, and why.

    `no-end`: a limit stopped the program in a similar run. `given-up`: it had not ended in a
    few runs before, nor in any of the same hang group. `submission-time`: the program's share of the lab's time is
    used up. `no-checker`: valgrind is not installed. `deadline`: `deadline_s` of the plan is over; the step may have
    been run for `took_s` before (for `own_s` and `slept_s` see RunDone). `not-yet`: its turn has not come, in
    evidence that is still being gathered.
    """

    event: Literal["left-out"] = "left-out"
    step: str
    why: WhyLeftOut
    took_s: float = 0.0
    own_s: float = 0.0
    slept_s: float | None = 0.0


class Done(Model):
    """The last event: every step was run or left out."""

    event: Literal["done"] = "done"


class Fault(Model):
    """The guest itself failed; the submission is not graded."""

    event: Literal["fault"] = "fault"
    message: str


class Chunk(Model):
    """A piece of a step's standard output, as an answer to a fetch."""

    event: Literal["chunk"] = "chunk"
    step: str
    data: Base64Bytes
    last: bool


Event = Annotated[Toolchain | BuildDone | RunDone | StepLeftOut | Done | Fault | Chunk, Field(discriminator="event")]


class Evidence(Model):
    """The events of one submission, by program and by step id (`PROGRAM.CASE`, `PROGRAM.CASE.strace`).

    `toolchain` is None if there was nothing to build, and so no sandbox was used.
    """

    toolchain: Toolchain | None
    builds: Mapping[str, BuildDone]
    runs: Mapping[str, RunDone]
    left_out: Mapping[str, StepLeftOut]

    def run(self, program: str, case: str) -> RunDone | None:
        """Return the untraced run of a case, None if it was left out."""
        return self.runs.get(run_id(program, case))

    def traced(self, program: str, case: str) -> RunDone | None:
        """Return the run of a case under strace, with a whole log or only counted; None if it was left out."""
        return self.runs.get(trace_id(program, case)) or self.runs.get(count_id(program, case))


def run_id(program: str, case: str) -> str:
    """Name the untraced run of a case."""
    return f"{program}.{case}"


def file_id(step: str, name: str) -> str:
    """Name a file that a run left: its bytes are fetched, and its difference is kept, under this id."""
    return f"{step}/{name}"


def program_and_case(step: str) -> tuple[str, str]:
    """Return the program and the case of a step, by its id."""
    program, case, *_ = step.split(".")
    return program, case


def trace_id(program: str, case: str) -> str:
    """Name the run of a case under strace."""
    return f"{program}.{case}.strace"


def count_id(program: str, case: str) -> str:
    """Name the run of a case under `strace -c`."""
    return f"{program}.{case}.strace-count"
