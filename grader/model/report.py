"""The report of one submission: the content of report.json, and the only data that renderers use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Base64Bytes, Model
from grader.model.counted import counted
from grader.model.evidence import CallCount, Ending, StreamCalls
from grader.model.notebook import Notebook, without_items
from grader.model.spec.cases import Sink
from grader.model.spec.expectations import ExpectationWord
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility
from grader.model.spec.types import Positive

Isolation = Literal["container", "uid", "none"]
CheckStatus = Literal["passed", "failed", "skipped"]
Stream = Literal["stdin", "stdout"]
STREAM_NAMES: Mapping[Stream, str] = {"stdin": "standard input", "stdout": "standard output"}
CountedBy = Literal["strace", "tally"]
"""The tool that counted calls: strace, or tally with its filter or the kernel's totals."""


class SubmissionId(Model):
    """The name of a submission, and `sha256:…` over the names and contents of its sources."""

    name: str
    digest: str


class Window(Model):
    """Up to 48 bytes of an output around a difference; `offset` is that of the first of them."""

    offset: int
    data: Base64Bytes


class Difference(Model):
    """The first difference between two outputs: `offset` of the first byte that differs, or of the shorter one's end.

    `expected` and `actual` show the bytes around it; `input_byte` is the byte of the input at this offset. `input`
    shows those around it if each byte of the expected output comes from the byte of the input at the same offset,
    else it is None. `summary` describes the difference in one line.
    """

    offset: int
    expected_size_bytes: int
    actual_size_bytes: int
    input_byte: int | None
    expected: Window
    actual: Window
    summary: str
    input: Window | None = None


class CaseResult(Model):
    """The result of one case: what was run, how it ended, and the problem (empty if there is none).

    `stdout` is the beginning of an output that should be empty, or is not as the case states; otherwise it is empty.
    `repeat` has the shell lines that reproduce the problem, empty if there is none. `hidden`: students must not see
    this case. `expect` is what the case expects (`stated`: status and outputs one by one), None in reports of earlier
    versions. If `difference` is not one of standard output, `differs_in` is `standard error` or the name of a file.
    `wrong` has each part of `stated` and each file that is wrong, as words that programs with the same bug share;
    `stdout=other`: allowed, but not what the reference writes. `expected_status`: as the case
    states it. `left_processes` is how many of its processes still ran when the program had ended: elsewhere they may
    write more.
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
    expect: ExpectationWord | Literal["stated"] | None = None
    differs_in: str = ""
    wrong: tuple[str, ...] = ()
    expected_status: int | None = None
    left_processes: int = 0


class BuildEvidence(Model):
    """The evidence of a build check.

    With `quotes_error`, the check's message has the first error already. With `explains_error`, its hint says what to
    do about that error.
    """

    kind: Literal["build"] = "build"
    messages: str
    quotes_error: bool = False
    explains_error: bool = False


class CasesEvidence(Model):
    """The evidence of a check of output or of operand errors."""

    kind: Literal["cases"] = "cases"
    cases: tuple[CaseResult, ...]


class OfRun(Model):
    """Something that was measured in a run of a case; `case` is "" in reports of earlier versions.

    `by_case`: other cases with figures have the same input, so that readers need the name of the case.
    """

    input: str
    case: str = ""
    by_case: bool = False

    @property
    def run(self) -> str:
        """What tells the runs of a program apart: the case, or the input if the case is not known."""
        return self.case or self.input

    @property
    def name(self) -> str:
        """The name of the run for readers: its input's, or its case's if the input is not enough."""
        return self.case if self.by_case else self.input

    @property
    def words(self) -> str:
        """What the name is the name of, and the name."""
        return f"{'case' if self.by_case else 'input'} {self.name}"


class Derived(Model):
    """A number of calls, derived from `counted_bytes`: `each` says how; `at_most`: fewer are right, too.

    `counted_bytes` is None if the number does not follow from them.
    """

    each: str
    counted_bytes: int | None = None
    at_most: bool = False

    @property
    def words(self) -> str:
        """The derivation in words, without saying that it is one of the largest number."""
        return self.each if self.counted_bytes is None else f"{counted(self.counted_bytes, 'byte')}, {self.each}"


class StreamJudgement(OfRun):
    """One stream of one run, compared with the pattern that it must follow.

    `deviation` tells how it does not: there are no calls, they ask for another number of bytes (`nbyte`), there are
    too many or too few (`count`), or bytes went another way (`elsewhere`). `file` is the name of the file that is
    judged in place of standard input or output. `nbyte` is what a call asks for, if that is wrong, and `instead` are
    the calls that are made in place of read or write. `derivation` says where `expected_calls` come from, in the
    words of `derived`, which is None in reports of earlier versions.
    """

    sink: Sink
    stream: Stream
    file: str | None = None
    engine: CountedBy
    calls: int
    bytes: int
    expected_calls: int | None
    derivation: str
    passed: bool
    problem: str
    deviation: Literal["", "no-calls", "nbyte", "count", "elsewhere"] = ""
    nbyte: int | None = None
    instead: tuple[str, ...] = ()
    derived: Derived | None = None

    @property
    def went_elsewhere(self) -> bool:
        """Whether the bytes did not go through the calls that the lab asks for."""
        return self.deviation in ("no-calls", "elsewhere")

    @property
    def where(self) -> str:
        """What the calls are on, in words that follow their number."""
        return f"{'of' if self.stream == 'stdin' else 'to'} {self.place}"

    @property
    def place(self) -> str:
        """What the calls are on, in words."""
        return self.file or STREAM_NAMES[self.stream]


class CallsEvidence(Model):
    """The evidence of a check of system calls; `repeat` is the shell line that reproduces a failure, or empty.

    `other_calls` are those because of which others could not be counted. `also_to_errors`: they could not because the
    program writes to standard error, too.
    """

    kind: Literal["calls"] = "calls"
    streams: tuple[StreamJudgement, ...]
    excerpt: str = ""
    repeat: str = ""
    other_calls: tuple[str, ...] = ()
    also_to_errors: bool = False


class SymbolsEvidence(Model):
    """The evidence of a check of the functions that the source calls.

    `instead` are other functions that read or write, which the program calls and which may do what the missing ones
    should do. `unused` are the groups of functions through which most bytes did not go in a marked run. `left_out`:
    the source has calls that are never reached, so that the compiled program does not have them.
    """

    kind: Literal["symbols"] = "symbols"
    found: tuple[str, ...]
    forbidden: tuple[str, ...]
    missing: tuple[tuple[str, ...], ...]
    instead: tuple[str, ...] = ()
    unused: tuple[tuple[str, ...], ...] = ()
    left_out: bool = False


class TimingEvidence(Model):
    """The evidence of the time figures."""

    kind: Literal["timing"] = "timing"
    real_s: float
    reference_real_s: float


CheckEvidence = Annotated[
    BuildEvidence | CasesEvidence | CallsEvidence | SymbolsEvidence | TimingEvidence,
    Field(discriminator="kind"),
]


class Check(Model):
    """One line of the rubric for one program; `id` is PROGRAM.NAME. `visibility`: when students can see it.

    `needs` is the check that failed so that this one could not be judged, "" without one.
    """

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
    needs: str = ""

    @property
    def name(self) -> str:
        """The name that the rubric gives the check, without the program."""
        return self.id.removeprefix(f"{self.program}.")

    @property
    def results(self) -> tuple[CaseResult, ...]:
        """The results of its cases, nothing if it has none."""
        return self.evidence.cases if isinstance(self.evidence, CasesEvidence) else ()

    @property
    def failures(self) -> list[CaseResult]:
        """The results of its cases that failed, nothing if the check did not."""
        return [result for result in self.results if self.status == "failed" and not result.passed]

    @property
    def visible_results(self) -> list[CaseResult]:
        """The results of its cases that students see."""
        return [result for result in self.results if self.visibility == "visible" and not result.hidden]

    @property
    def visible_failures(self) -> list[CaseResult]:
        """Those of them that failed."""
        return [result for result in self.visible_results if not result.passed]


class SourceLine(Model):
    """A line of a source, with its number from 1."""

    number: int
    text: str


class CauseLine(SourceLine):
    """A line of the student's source where a known bug is."""

    file: str


REPAIRED = "repaired"
"""The role of a line that was changed in a trial (explain/change_search.py): it is shown as the line of a proof."""


class RelatedLine(CauseLine):
    """A line of the student's source that has to do with a symptom: `does` says how, not that it is wrong.

    `role` is the id of that; "" in reports of earlier versions. With `advice`, it is a mistake in itself.
    """

    does: str
    role: str = ""
    advice: str = ""

    @property
    def is_mistake(self) -> bool:
        """Whether the line is known to be wrong: by itself, or because a change of it was proven."""
        return bool(self.advice) or self.role == REPAIRED


class ProofChange(Model):
    """A change in words: `says` is "with `<=` instead of `<`", `verb` and `order` are what to do.

    `because` may be "". `op` is the id of a small change in words.yaml, "" for the fix of a known bug.
    """

    op: str = ""
    says: str
    verb: str
    order: str
    because: str = ""
    lines: tuple[int, ...] = ()


class ProofStep(Model):
    """Changes of one file: `passes` says which checks pass with them, and `left` what is left to repair."""

    file: str
    changes: tuple[ProofChange, ...]
    passes: str
    left: str = ""


class Proof(Model):
    """What happened when a mistake was fixed in a copy of the source and failing cases were run again.

    `sentence` says it, and `steps` have its parts; a sentence of another form has none. `checks` passed in these
    runs. `fixed` are the lines that the fix changed, as they are afterwards; it is empty in a report for somebody who
    may not see them.
    """

    sentence: str
    checks: tuple[str, ...]
    fixed: tuple[CauseLine, ...] = ()
    steps: tuple[ProofStep, ...] = ()


Certainty = Literal["proven", "certain", "likely"]


class Cause(Model):
    """A known bug that the submission's behaviour shows, and the failed checks that it explains.

    `name` is that of a mutant. `title` and `page` (Markdown) are its texts for the student, with the shell lines of
    the programs that have the bug. `lines` are the lines of the source that have it, if they are known. `warnings`
    are the compiler's options that warn of it. `has_construct`: these lines have what the texts give as the reason.

    `proven`: with the bug fixed, checks passed; see `proof`. `certain`: in every case that the bug changes, the
    program did what the mutant does. `likely`: in most of them.
    """

    name: str
    title: str
    page: str
    certainty: Certainty
    checks: tuple[str, ...]
    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    warnings: tuple[str, ...] = ()
    has_construct: bool = False


class Remark(Model):
    """What a student should know of a program although it costs no points.

    `exit-status`: it reports an error after copying correctly. `memory`: it copies correctly, but a memory checker
    found a mistake.
    """

    kind: Literal["exit-status", "memory"]
    program: str
    sentence: str


VARIES = "The program wrote other bytes when a memory checker ran it."
"""What the advice of a symptom says first if an output depends on what is in memory by chance."""

Fact = Literal[
    "aborts",
    "drops-by-operand",
    "drops-nul",
    "loses-last",
    "no-more-runs",
    "nul-ends",
    "only-ff-stays",
    "pipe-calls",
    "writes-of-nothing",
]
"""What a symptom says besides its kind: SIGABRT came, bytes are lost that an operand has or lacks, NUL is lost, only
the last byte is, further cases were left out, NUL is found at the end of a string, only bytes that become 0xFF stay,
it makes calls that fail on a pipe, or a call asks for 0 bytes."""

AdviceKind = Literal["", "varies", "two-outputs", "checked-line", "every-case", "lookup", "line"]
"""What a part of advice is about: outputs that vary under a memory checker, or between two runs; the line that a
memory checker found; that all cases must be checked; how to follow a lookup; or the first related line."""


class AdvicePart(Model):
    """One of the parts that advice consists of, in its order."""

    kind: AdviceKind = ""
    text: str


class TwoOutputs(Model):
    """A case of which two runs wrote different outputs, and whether these have the same size."""

    case: str
    same_size: bool


class Symptom(Model):
    """One way in which a program fails, and the failed checks that show it; every failed check has a symptom.

    `id` names the kind of failure. `sentence` says what was seen, in every one of the runs that it is about. `advice`
    says where to look next, and is empty if there is nothing to add; `parts` are its parts, nothing in reports of
    earlier versions. `cases` are those that show it. `lines` have to do with it, if some are known. `proof` is that
    of a small change of the source which repairs checks. `facts` are what the sentence says besides its `id`.
    """

    id: str
    program: str
    checks: tuple[str, ...]
    sentence: str
    advice: str = ""
    cases: tuple[str, ...] = ()
    lines: tuple[RelatedLine, ...] = ()
    proof: Proof | None = None
    facts: tuple[Fact, ...] = ()
    parts: tuple[AdvicePart, ...] = ()
    two_outputs: TwoOutputs | None = None

    @property
    def advice_parts(self) -> tuple[AdvicePart, ...]:
        """The parts of the advice."""
        return self.parts or (AdvicePart(text=self.advice),)

    @property
    def varies(self) -> bool:
        """Whether the advice begins with the remark that the output depends on what is in memory by chance."""
        return any(part.kind == "varies" for part in self.parts[:1])

    def advised(self, *parts: AdvicePart) -> Symptom:
        """Return the symptom with other advice."""
        advice = " ".join(part.text for part in parts if part.text)
        return self.model_copy(update={"advice": advice, "parts": parts})


MistakeId = Literal[
    "",
    "char-index",
    "end-index",
    "few-elements",
    "freed",
    "index",
    "negative-index",
    "null",
    "null-stream",
    "outside",
    "past-end",
    "shift",
    "subtracted-index",
    "unset",
    "unset-byte",
    "unset-bytes",
]
"""What a memory checker found, where that matters: a negative index may come from a char, from EOF (-1) or from a
subtraction, and an array have too few elements for all bytes; what was never set may be a byte, or bytes, that are
written; the null pointer of a stream may come from fopen."""

NEGATIVE_INDEX = frozenset({"char-index", "end-index", "negative-index", "subtracted-index"})


class LateCheck(Model):
    """A check of the operands in a later line than the one that uses them, and what it looks at."""

    line: int
    of: Literal["argc", "lengths"]


class Finding(Model):
    """A mistake that a checker of memory saw while a failing case ran, and the failed checks that have this case.

    `message` is a whole sentence, with the file and the line. `source` has the line and those around it. `repeat` are
    the shell commands that show it. The text comes from a run of the program, which may have written it itself.
    `cases` are those in which it was seen. `hidden`: students must not see it, because it comes from a run that they
    do not see. `mistake` is the id of what was found, "" also in reports of earlier versions, `writes` whether memory
    was written, and `late_check` is the check that comes too late.
    """

    program: str
    tool: Literal["AddressSanitizer", "UndefinedBehaviorSanitizer", "valgrind"]
    line: int
    message: str
    file: str
    source: tuple[SourceLine, ...]
    checks: tuple[str, ...]
    cases: tuple[str, ...] = ()
    repeat: str = ""
    hidden: bool = False
    mistake: MistakeId = ""
    writes: bool = False
    late_check: LateCheck | None = None


class Restriction(Model):
    """What the grader did not allow to a program, which may be why these of its cases failed.

    `calls` were refused, or `limit` is the key in the spec of a limit that was reached, with its value in words.
    `passes`: with a higher limit the cases are right. `sentence` says so.
    """

    program: str
    calls: tuple[str, ...] = ()
    limit: str = ""
    value: str = ""
    cases: tuple[str, ...]
    passes: bool = False
    sentence: str


class SyscallTable(OfRun):
    """System calls of one run, in the way that `strace -c` counts them.

    `engine` is `strace` or `tally`. With `totals_only` the numbers are the kernel's own totals, for which single
    calls were not observed: `calls` has reads and writes only, without errors, and the streams have no nbyte.
    `complete`: nothing was cut off.
    """

    program: str
    sink: Sink
    engine: CountedBy
    totals_only: bool = False
    complete: bool
    calls: Mapping[str, CallCount]
    stdin: StreamCalls | None
    stdout: StreamCalls | None


class Timing(OfRun):
    """Wall clock, user and system seconds of one untraced run.

    `correct`: it wrote what the reference wrote. None if that is not known, as in reports of earlier versions.
    """

    program: str
    real_s: float
    user_s: float
    sys_s: float
    correct: bool | None = None


class BuildResult(Model):
    """One compilation, as students would see it if they ran the command."""

    program: str
    ok: bool
    command: str
    messages: str


class ComparedPrograms(Model):
    """Two programs that the lab compares in a case."""

    program: str
    other: str
    case: str


class PlottedRun(Model):
    """A program in a case of a plot, and the parameter's value there.

    `calls`: reads and writes, as `syscalls` has them; None if they were not counted. `real_s`: of the untraced run;
    None if it did not end by itself, or there was none. `correct`: it did what the case expects.
    """

    program: str
    case: str
    value: Positive
    calls: int | None
    real_s: float | None
    correct: bool


class PlotFigures(Model):
    """Calls and times over a parameter, of the submission (`runs`) and of the reference in the same cases."""

    title: str
    parameter: str
    runs: tuple[PlottedRun, ...]
    reference: tuple[PlottedRun, ...]


class ReferenceFigures(Model):
    """The figures of the reference, measured in the same sandbox."""

    syscalls: tuple[SyscallTable, ...]
    timing: tuple[Timing, ...]


class Adjustment(Model):
    """Why a final score is not the computed one, and by how many points.

    `late`, `extension` and `attempt` follow from the course's policy; the others are overrides: other points for a
    `check`, another `total`, a `file` to grade, another time at which it was `submitted`, or `excused`. Some change
    no points.
    """

    kind: Literal["late", "extension", "attempt", "check", "total", "file", "submitted", "excused"]
    points: float
    reason: str
    check: str = ""

    @property
    def source(self) -> Literal["policy", "override"]:
        """Whether a rule for everybody or a decision about this student is the reason."""
        return "policy" if self.kind in ("late", "extension", "attempt") else "override"


class Grade(Model):
    """What a course makes of a score: `computed` plus the points of all `adjustments` is `final`.

    `final` is None if the student is `excused`, or if nothing was graded and nobody gave a total. Unless it `counts`,
    another attempt of the same student does. `submitted_at` is in UTC, empty if it is not known; then `late_s`, the
    seconds after the student's deadline, is None.
    """

    computed: float | None
    adjustments: tuple[Adjustment, ...] = ()
    final: float | None
    excused: bool = False
    comment: str = ""
    counts: bool = True
    submitted_at: str = ""
    late_s: int | None = None

    @property
    def changed(self) -> bool:
        """Whether there is anything to say besides the computed score."""
        return bool(self.adjustments or self.comment)


class GraderFault(Model):
    """A bug of the grader that cost an explanation: the step that failed, the error, and where it was raised."""

    step: str
    error: str
    traceback: str = ""


class Report(Model):
    """The report of one submission.

    `status` `not_graded` means that there is no result, which is not the student's failure: `reason` says why,
    `score` is None and `checks` is empty. `interrupted`: nothing failed, but the grader ended before it was done.
    `undecided`: nothing failed, but there is no program to grade, and somebody must decide what to do.
    `not_run` lists the skipped checks for which there was no time, which is not the fault of the submission.
    `hidden_checks`, by program, are checks that this report does not have because it was made with a student's copy
    of the spec: they are run when the work has been handed in.

    `lab_digest` is that of everything in the lab that a result depends on: spec, reference, known bugs and fixtures.
    It is empty in reports of earlier versions, and outside a class.

    `grader_faults` are bugs of the grader that cost an explanation, but no verdict.

    `unsearched` says, by program, why a part of its source was not searched for fixes.

    `oddities` are those of the notes that are about files which compilers cannot use, and `doubts` those about copies
    of a program of which somebody should choose one, or about a name that may be another student's.

    `quick`: large inputs were cut. `only` lists the selected checks, and is empty if all checks were selected. If
    only some were, `score` is None. `shows_fixes`: students may see the fixed lines of proofs. `comparisons` are the
    programs whose calls and times are compared in sentences, and `plots` what is drawn over parameters. `grade` is
    None if the course has no rules about scores; `score` is always the computed one.
    """

    schema_version: Literal[1] = 1
    grader_version: str
    lab: str
    lab_title: str
    spec_digest: str
    lab_digest: str = ""
    image_digest: str | None
    isolation: Isolation
    submission: SubmissionId
    status: Literal["graded", "not_graded"]
    reason: str
    interrupted: bool = False
    undecided: bool = False
    score: float | None
    max_score: float
    grade: Grade | None = None
    checks: tuple[Check, ...]
    causes: tuple[Cause, ...] = ()
    remarks: tuple[Remark, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    findings: tuple[Finding, ...] = ()
    restrictions: tuple[Restriction, ...] = ()
    syscalls: tuple[SyscallTable, ...]
    timing: tuple[Timing, ...]
    builds: tuple[BuildResult, ...]
    reference: ReferenceFigures | None
    toolchain: Mapping[str, str]
    notes: tuple[str, ...] = ()
    unsearched: Mapping[str, str] = {}
    oddities: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    grader_faults: tuple[GraderFault, ...] = ()
    not_run: tuple[str, ...] = ()
    quick: bool = False
    only: tuple[str, ...] = ()
    hidden_checks: Mapping[str, HiddenChecks] = {}
    shows_fixes: bool = False
    comparisons: tuple[ComparedPrograms, ...] = ()
    plots: tuple[PlotFigures, ...] = ()
    notebook: Notebook | None = None

    @property
    def is_decided(self) -> bool:
        """Whether there is no program to grade, and the course has decided what that means."""
        grade = self.grade
        return self.undecided and grade is not None and (grade.excused or grade.final is not None)

    @property
    def unbuilt_programs(self) -> frozenset[str]:
        """The programs that could not be run, because they are missing or do not compile."""
        return frozenset(build.program for build in self.builds if not build.ok)

    @property
    def lab_version(self) -> str:
        """What tells versions of a lab apart: scores of two versions must not be compared."""
        return self.lab_digest or self.spec_digest


def without_evidence(report: Report) -> Report:
    """Return a report without evidence: what the table of a class needs, in a few thousand bytes.

    It lacks evidence, hints, messages of the compiler, pages of causes, findings, calls by name, tracebacks, and
    figures of the reference.
    """
    return report.model_copy(
        update={
            "checks": tuple(check.model_copy(update={"hint": "", "evidence": None}) for check in report.checks),
            "causes": tuple(
                cause.model_copy(update={"page": "", "lines": (), "proof": None}) for cause in report.causes
            ),
            "findings": (),
            "syscalls": tuple(table.model_copy(update={"calls": {}}) for table in report.syscalls),
            "builds": (),
            "notebook": None if report.notebook is None else without_items(report.notebook),
            "reference": None,
            "grader_faults": tuple(fault.model_copy(update={"traceback": ""}) for fault in report.grader_faults),
            "toolchain": {},
        }
    )
