"""The request with the plan that the guest gets: one line of JSON (grader/guest/plan_json.py reads it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from grader.model.base import Base64Bytes, Model
from grader.model.evidence import Engine
from grader.model.spec.cases import PipeSource, Sink
from grader.model.spec.programs import RunLimits

ProcessLimit = Literal["all", "more", "none"]
Checker = Literal["sanitizers", "addresses", "valgrind"]
"""What looks for memory errors in a run: the sanitizers that the program was compiled with, or valgrind. `addresses`:
the sanitizers report addresses instead of lines and functions, which take them most of their time."""


class StudentUser(Model):
    """The uid and gid that student code runs under."""

    uid: int
    gid: int


class MarkedRun(Model):
    """Compile a copy of a program in which `functions` mark the bytes that they read or write, and run it once.

    `compile` takes a source of the guest's from standard input, and has neither the output's name nor options of the
    linker. The input consists of some of these `letters`. Which they are follows from `seed`, which no source can
    contain: it is the digest of the submission. Limits and what the program is called are as in RunStep.
    """

    compile: tuple[str, ...]
    functions: tuple[str, ...]
    letters: str
    seed: str
    called: str
    operands: tuple[Base64Bytes, ...]
    environment: Mapping[str, str]
    limits: RunLimits


class BuildStep(Model):
    """Compile one program, and list the undefined symbols of an object compiled without optimisation.

    `compile` and `compile_object` are argument vectors without the output's name, which the guest chooses. If the
    object calls no function of a group in `one_of_each`, the guest looks for calls of them in the source. If
    `compile_object` is empty, no symbols are listed. `compile_program_object` compiles an object like the program,
    which shows its calls if the program itself does not, and calls that the compiler made or replaced if the program
    seems to break the rule of `one_of_each` and `none_of`. If the object calls a function of each group, `marked`
    shows how much these functions are used.

    `folder` is the folder below that of the sources in which the compiler works: two programs may have different
    files of the same name. With `made`, the command makes the file of this name in a folder with copies of `files`.
    """

    program: str
    source: str
    folder: str = ""
    made: str = ""
    files: tuple[str, ...] = ()
    compile: tuple[str, ...]
    compile_object: tuple[str, ...]
    compile_program_object: tuple[str, ...] = ()
    one_of_each: tuple[tuple[str, ...], ...] = ()
    none_of: tuple[str, ...] = ()
    marked: MarkedRun | None = None


class EarlyStop(Model):
    """Seconds after which a run that has not ended is stopped, before it reaches its limits.

    `first_s` is for a program all of whose runs have ended in time so far, None for no such stop. `again_s` is for
    the other programs. A run that waited for a CPU for much of this time is repeated with more time, up to its
    limits, except under strace.
    """

    first_s: float | None
    again_s: float


class RunFile(Model):
    """A file in the program's own folder: there at the start with the bytes of the input `content`, if it has one.

    `read_back`: after the run, the file's bytes are part of what the guest observed. `executable`: the program may
    execute it.
    """

    name: str
    content: str | None
    read_back: bool
    executable: bool = False


class RunStep(Model):
    """Run one program once.

    The program finds ./`called` in argv[0]; empty: its own name. It is for copies of a program.

    `limits` apply to the program, `tracer_limits` to strace and the program.

    `engine`: `plain`; `account` (with the kernel's I/O accounting; with `read_nbyte` and `write_nbyte`, other calls
    on these streams are named); `filter` (every call counted by tally, without a stop for reads of `read_nbyte` bytes
    and writes of `write_nbyte`); `strace` (the whole log, summed by stream);
    `strace-count` (`strace -c`, for runs whose log would be too long).

    `predicted_by` names a short run with the same operands whose trace predicts the number of calls of this one. With
    `only_if` the step is left out unless at most `cheap_calls` calls are predicted (`cheap`), or more (`costly`). If
    the filter would have to stop a run more often than that, it stops only calls that move bytes. `requires_ended`
    names similar runs: if the program did not end in one of them, this step is left out. `hang_group` names a group
    of similar runs of a program: if none of them ended and several were stopped by a time limit, the rest are left
    out.

    `input_file` and `output_file` name files of the run whose calls are judged in place of standard input and output.

    With `repeat_untraced`, a run of engine `filter` that ended is repeated without a tracer.

    With `limits_only`, engine `filter` counts nothing: it shows which calls were refused, and which limits made
    calls fail. That takes no time, whatever the program does.

    Of the outputs in `searched`, the case looks for something in more than the event usually has.

    A run with a `checker` has no limit on its address space, of which checkers reserve terabytes.
    """

    id: str
    program: str
    called: str = ""
    case: str
    operands: tuple[Base64Bytes, ...]
    input: str
    files: tuple[RunFile, ...] = ()
    input_file: str | None = None
    output_file: str | None = None
    environment: Mapping[str, str] = {}
    pipe: PipeSource | None
    sink: Sink
    engine: Engine
    read_nbyte: int | None = None
    write_nbyte: int | None = None
    limits: RunLimits
    tracer_limits: RunLimits | None = None
    predicted_by: str | None = None
    only_if: Literal["cheap", "costly"] | None = None
    requires_ended: tuple[str, ...] = ()
    hang_group: str | None = None
    early_stop: EarlyStop | None = None
    repeat_untraced: bool = False
    checker: Checker | None = None
    limits_only: bool = False
    searched: tuple[Literal["stdout", "stderr"], ...] = ()


class Plan(Model):
    """The steps for one submission, in any sandbox.

    `program_wall_s` is each program's share of the lab's time: when it is used up, no further run of it begins.
    `deadline_s` limits the whole plan, in seconds from its start: a step that has not ended by then is ended and
    counts as not run. None means no such limit.
    """

    builds: tuple[BuildStep, ...]
    runs: tuple[RunStep, ...]
    build_limits: RunLimits
    processes: int
    open_files: int
    cheap_calls: int
    program_wall_s: float
    deadline_s: float | None = None

    @property
    def used_inputs(self) -> frozenset[str]:
        """The names of the inputs that its runs and their files have."""
        files = {file.content for run in self.runs for file in run.files if file.content is not None}
        return frozenset(files | {run.input for run in self.runs})


class SentFile(Model):
    """A file whose bytes follow the request, and the folder in which the guest stores it."""

    folder: Literal["sources", "inputs"]
    name: str
    size_bytes: int


class WholeFile(Model):
    """A file with its bytes, and the folder in which the guest stores it."""

    folder: Literal["sources", "inputs"]
    name: str
    data: Base64Bytes


class SandboxLayout(Model):
    """Folders and tools of one sandbox.

    `student` is None if student code runs under the grader's own uid. `process_limit` describes RLIMIT_NPROC, which
    counts all processes of a uid. `all`: the number of processes of the plan, because only student code has the uid.
    `more`: that number in addition to the processes that are running, because a person has the uid. `none`: no limit,
    because the container has one.
    """

    work_dir: str
    scratch_dir: str
    tally: str
    student: StudentUser | None
    in_container: bool
    process_limit: ProcessLimit


class GuestRequest(Model):
    """Everything the guest needs to know. The bytes of `files` follow it, without separators.

    `silence_s`: seconds without a line from the grader after which the guest ends; None if only the end of its input
    does that.
    """

    silence_s: float | None
    layout: SandboxLayout
    plan: Plan
    files: tuple[SentFile, ...]


class MoreWork(Model):
    """Another plan for a guest that has worked through the one before, and the files that it lacks."""

    plan: Plan
    files: tuple[WholeFile, ...]
