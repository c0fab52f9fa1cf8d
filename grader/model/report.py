"""The report of one submission: what report.json holds, and all that a renderer may know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Base64Bytes, Model
from grader.model.evidence import CallCount, Ending, StreamCalls
from grader.model.spec.cases import Sink
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility

Isolation = Literal["container", "uid", "none"]
CheckStatus = Literal["passed", "failed", "skipped"]


class SubmissionId(Model):
    """Whose work it is, and `sha256:…` over names and contents of the sources that were graded."""

    name: str
    digest: str


class Window(Model):
    """Up to 48 bytes of an output around a place; `offset` is of the first of them."""

    offset: int
    data: Base64Bytes


class Difference(Model):
    """Where two outputs part: `offset` is the first byte that differs, or where the shorter one ends.

    `expected` and `actual` show the bytes around it; `input_byte` is what the program read there. `summary` says
    it in one line.
    """

    offset: int
    expected_size_bytes: int
    actual_size_bytes: int
    input_byte: int | None
    expected: Window
    actual: Window
    summary: str


class CaseResult(Model):
    """One case as it went: what was run, how it ended, and what was wrong with it (empty: nothing).

    `stdout` is the beginning of what was written where nothing should have been; else it is empty. `repeat` is the
    shell line that shows what went wrong, empty where nothing did. `hidden`: students are not to know this case.
    """

    case: str
    operands: tuple[Base64Bytes, ...]
    input: str
    input_size_bytes: int
    sink: Sink
    passed: bool
    problem: str
    ending: Ending | None
    stderr: Base64Bytes
    stdout: Base64Bytes = b""
    difference: Difference | None = None
    repeat: str = ""
    hidden: bool = False


class BuildEvidence(Model):
    """What stands behind a build check."""

    kind: Literal["build"] = "build"
    messages: str


class CasesEvidence(Model):
    """What stands behind a check of output or of operand errors."""

    kind: Literal["cases"] = "cases"
    cases: tuple[CaseResult, ...]


class StreamJudgement(Model):
    """One stream of one run against the pattern it has to follow."""

    input: str
    sink: Sink
    stream: Literal["stdin", "stdout"]
    engine: Literal["strace", "tally"]
    calls: int
    bytes: int
    expected_calls: int | None
    derivation: str
    passed: bool
    problem: str


class CallsEvidence(Model):
    """What stands behind a check of system calls; `repeat` is the shell line that shows a failure, else empty."""

    kind: Literal["calls"] = "calls"
    streams: tuple[StreamJudgement, ...]
    excerpt: str = ""
    repeat: str = ""


class SymbolsEvidence(Model):
    """What stands behind a check of the functions that the source calls."""

    kind: Literal["symbols"] = "symbols"
    found: tuple[str, ...]
    forbidden: tuple[str, ...]
    missing: tuple[tuple[str, ...], ...]


class TimingEvidence(Model):
    """What stands behind the time figures."""

    kind: Literal["timing"] = "timing"
    real_s: float
    reference_real_s: float


CheckEvidence = Annotated[
    BuildEvidence | CasesEvidence | CallsEvidence | SymbolsEvidence | TimingEvidence,
    Field(discriminator="kind"),
]


class Check(Model):
    """One line of the rubric for one program; `id` is PROGRAM.NAME. `visibility`: when a student may see it."""

    id: str
    program: str
    title: str
    status: CheckStatus
    points: float
    max_points: float
    cause: str | None
    message: str
    hint: str
    evidence: CheckEvidence | None
    visibility: Visibility = "visible"

    @property
    def name(self) -> str:
        """What the rubric calls it, without the program."""
        return self.id.removeprefix(f"{self.program}.")


class Cause(Model):
    """A known bug that the submission's behaviour shows, and the failed checks that it explains.

    `name` is a mutant's, `title` and `page` (Markdown) are its words for the student, with the shell lines of the
    programs that have the bug. `certain`: in every case that
    the bug changes, the program did what the mutant does. `likely`: in most of them.
    """

    name: str
    title: str
    page: str
    certainty: Literal["certain", "likely"]
    checks: tuple[str, ...]


class SyscallTable(Model):
    """System calls of one run, the way `strace -c` counts them.

    `engine` is `strace` or `tally`. With `totals_only` the numbers are the kernel's own totals, taken without a look
    at single calls: `calls` has reads and writes only, without errors, and the streams have no nbyte. `complete` says
    that nothing was cut.
    """

    program: str
    input: str
    sink: Sink
    engine: Literal["strace", "tally"]
    totals_only: bool = False
    complete: bool
    calls: Mapping[str, CallCount]
    stdin: StreamCalls | None
    stdout: StreamCalls | None


class Timing(Model):
    """Wall clock, user and system seconds of one untraced run."""

    program: str
    input: str
    real_s: float
    user_s: float
    sys_s: float


class BuildResult(Model):
    """One compilation as the student would see it."""

    program: str
    ok: bool
    command: str
    messages: str


class ReferenceFigures(Model):
    """The same figures of the model solution, measured in the same sandbox."""

    syscalls: tuple[SyscallTable, ...]
    timing: tuple[Timing, ...]


class Report(Model):
    """The report of one submission.

    `status` `not_graded` means that the grader's side failed: `reason` says how, `score` is None and no check is
    listed. `not_run` are the skipped checks for which there was no time, through no doing of the submission.
    `hidden_checks`, by program, are checks that this report does not have, as it was made with a student's copy of
    the spec: they are run once the work is handed in.

    `quick` says that large inputs were cut. `only` are the checks that were asked for, empty where that is all; with
    some of them there is no score: it is None.
    """

    schema_version: Literal[1] = 1
    grader_version: str
    lab: str
    lab_title: str
    spec_digest: str
    image_digest: str | None
    isolation: Isolation
    submission: SubmissionId
    status: Literal["graded", "not_graded"]
    reason: str
    score: float | None
    max_score: float
    checks: tuple[Check, ...]
    causes: tuple[Cause, ...] = ()
    syscalls: tuple[SyscallTable, ...]
    timing: tuple[Timing, ...]
    builds: tuple[BuildResult, ...]
    reference: ReferenceFigures | None
    toolchain: Mapping[str, str]
    notes: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    quick: bool = False
    only: tuple[str, ...] = ()
    hidden_checks: Mapping[str, HiddenChecks] = {}


def without_evidence(report: Report) -> Report:
    """Return a report without evidence: what a table of a class needs, in a few thousand bytes.

    Left out: evidence, hints, messages of the compiler, pages of causes, calls by name, the reference's figures.
    """
    return report.model_copy(
        update={
            "checks": tuple(check.model_copy(update={"hint": "", "evidence": None}) for check in report.checks),
            "causes": tuple(cause.model_copy(update={"page": ""}) for cause in report.causes),
            "syscalls": tuple(table.model_copy(update={"calls": {}}) for table in report.syscalls),
            "builds": (),
            "reference": None,
            "toolchain": {},
        }
    )
