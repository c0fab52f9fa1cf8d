"""The lab as data: what `specs/NAME.yaml` may say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from grader.model.base import Model, SpecBytes
from grader.model.hiding import Place, Seed, hiding_misfits
from grader.model.misfit import MisfitError, MisfitsError

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)]
"""A name that can stand in a check id, a file name and a URL."""

SourceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*\.c$", max_length=64)]
CompilerOption = Annotated[str, StringConstraints(pattern=r"^-[A-Za-z0-9]", max_length=200)]
CSymbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class Hidden(Model):
    """What the student's copy of a spec may leave out: with `hidden: true` it has no trace of it."""

    hidden: bool = False


class LiteralInput(Hidden):
    """The bytes as they stand."""

    kind: Literal["literal"]
    data: SpecBytes


class PatternInput(Hidden):
    """The bytes of `data` over and over, cut at `size_bytes`."""

    kind: Literal["pattern"]
    data: Annotated[SpecBytes, Field(min_length=1)]
    size_bytes: Count


class RandomInput(Hidden):
    """`size_bytes` bytes of SHAKE-256 over the seed: the same on every machine and Python version."""

    kind: Literal["random"]
    seed: Annotated[str, StringConstraints(min_length=1)]
    size_bytes: Count


Input = Annotated[LiteralInput | PatternInput | RandomInput, Field(discriminator="kind")]


def input_bytes(source: LiteralInput | PatternInput | RandomInput) -> bytes:
    """Return the bytes of an input; always the same bytes for the same declaration."""
    if isinstance(source, LiteralInput):
        return source.data
    if isinstance(source, PatternInput):
        repeats = -(-source.size_bytes // len(source.data))
        return (source.data * repeats)[: source.size_bytes]
    return hashlib.shake_256(source.seed.encode("utf-8")).digest(source.size_bytes)


class BatchedCalls(Model):
    """Few calls that carry much: at least `mean_bytes_min` bytes a call on average."""

    calls: Literal["batched"]
    mean_bytes_min: Count


class ExactCalls(Model):
    """One call for every `nbyte` bytes, each with exactly that nbyte."""

    calls: Literal["exact"]
    nbyte: Count


class LineBufferedCalls(Model):
    """One call a line, or a buffer, whichever comes first: what stdio does on a terminal."""

    calls: Literal["line-buffered"]
    buffer_bytes: Count


CallPattern = Annotated[BatchedCalls | ExactCalls | LineBufferedCalls, Field(discriminator="calls")]


class SymbolRule(Model):
    """Functions that the source calls: at least one of each group in `one_of_each`, none of `none_of`."""

    one_of_each: tuple[Annotated[tuple[CSymbol, ...], Field(min_length=1)], ...]
    none_of: tuple[CSymbol, ...] = ()


class Program(Model):
    """One program of the lab, and how it is to move its bytes."""

    source: SourceName
    title: str
    stdin: CallPattern
    stdout: CallPattern
    terminal: CallPattern
    symbols: SymbolRule


class Build(Model):
    """How a program is compiled, and how the object is compiled whose symbols show what the source calls."""

    compiler: Literal["gcc"]
    standard: str
    options: tuple[CompilerOption, ...] = ()
    object_options: tuple[CompilerOption, ...] = ()

    @property
    def compiler_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles a program; output and source follow."""
        return (self.compiler, f"-std={self.standard}", *self.options)


class FileSource(Model):
    """Standard input is a file."""

    kind: Literal["file"] = "file"


class PipeSource(Model):
    """Standard input is a pipe that is refilled with `chunk_bytes` only when it is empty: reads come short."""

    kind: Literal["pipe"]
    chunk_bytes: Count


def _without_nul(data: bytes) -> bytes:
    if 0 in data:
        raise ValueError("an operand cannot hold the byte 00: it would end there")
    return data


Operand = Annotated[SpecBytes, AfterValidator(_without_nul)]
Sink = Literal["file", "pipe", "terminal"]
Expectation = Literal["reference-output", "operand-error", "either"]
MainEngine = Literal["plain", "account", "filter", "none"]
When = Literal["always", "cheap"]
StraceWhen = Literal["never", "always", "when-cheap"]
LimitName = Literal["small", "full"]
Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
"""When a student sees a check on Gradescope, in its words."""


class Case(Hidden):
    """One way to run each program.

    `engine` is how the run without strace is made: plain, with the kernel's accounting, with tally's filter, or not
    at all; `when: cheap` makes it only where the slice showed that the program makes few calls. `strace` adds a run
    under strace, with the same condition as `when-cheap`.
    """

    operands: tuple[Operand, ...]
    input: Name
    source: Annotated[FileSource | PipeSource, Field(discriminator="kind")] = FileSource()
    sink: Sink = "file"
    expect: Expectation = "reference-output"
    engine: MainEngine = "plain"
    when: When = "always"
    strace: StraceWhen = "never"
    limits: LimitName = "small"

    @property
    def is_counted(self) -> bool:
        """Whether its system calls are counted, and shown by the name of its input."""
        return self.engine in ("account", "filter") or self.strace != "never"


class RubricItem(Model):
    """What all kinds of checks have; the check's id is PROGRAM.NAME."""

    name: Name
    title: str
    points: Mapping[Name, Annotated[int, Field(ge=0)]]
    hint: str = ""
    visibility: Visibility = "visible"


class BuildItem(RubricItem):
    """The program compiles."""

    kind: Literal["build"]


class CasesItem(RubricItem):
    """Every case ends as it expects."""

    kind: Literal["cases"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]


class CallPatternItem(RubricItem):
    """System calls on standard input and output follow the program's pattern.

    `slice` is the short case whose whole log is read; `full` are the full-size cases, of which the first is
    judged whose output went through whole.
    """

    kind: Literal["call-pattern"]
    slice: Name
    full: Annotated[tuple[Name, ...], Field(min_length=1)]


class SymbolsItem(RubricItem):
    """The source calls the functions that the lab asks for."""

    kind: Literal["symbols"]


class TerminalItem(RubricItem):
    """Written to a terminal, the output is right and the writes follow the program's terminal pattern.

    `shown` cases are run for the table of calls and decide nothing.
    """

    kind: Literal["terminal"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]
    shown: tuple[Name, ...] = ()


class TimingItem(RubricItem):
    """Real, user and system time beside the reference's; never fails."""

    kind: Literal["timing"]
    case: Name


RubricEntry = Annotated[
    BuildItem | CasesItem | CallPatternItem | SymbolsItem | TerminalItem | TimingItem,
    Field(discriminator="kind"),
]


class RunLimits(Model):
    """Limits of one run, a little above what is judged."""

    cpu_s: Annotated[int, Field(ge=1)]
    wall_s: Seconds
    output_bytes: Count
    memory_bytes: Count


class Limits(Model):
    """Limits by kind of run, and of a submission as a whole."""

    build: RunLimits
    small: RunLimits
    full: RunLimits
    strace_small: RunLimits
    strace: RunLimits
    strace_full: RunLimits
    submission_wall_s: Seconds
    processes: Count
    open_files: Count
    source_bytes: Count
    cheap_calls: Count
    """Above so many calls, expected from the slice, a full-size run is not put under strace."""


class CpuTimeFigure(Model):
    """User and system seconds of a timed run; the least is best. `name` stands above the column."""

    kind: Literal["cpu-time"]
    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    program: Name
    case: Name


class CallsSavedFigure(Model):
    """Reads and writes of `without` less those of `program`, in the same case; the most is best."""

    kind: Literal["calls-saved"]
    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    program: Name
    without: Name
    case: Name


Figure = Annotated[CpuTimeFigure | CallsSavedFigure, Field(discriminator="kind")]


class Gradescope(Model):
    """What only the hook of a course system needs.

    `timeout_s`: where the platform does not say how long a run may take. `runs_per_day`: more than these are not run.
    `not_run`: what a check gets that was not run because the time was up, through no doing of the submission.
    """

    timeout_s: Seconds = 600.0
    runs_per_day: Count | None = None
    not_run: Literal["keeps-points", "costs-points"] = "keeps-points"
    leaderboard: tuple[Figure, ...] = ()


class HiddenChecks(Model):
    """How many checks of a program are hidden, and their points in all."""

    checks: Count
    points: Annotated[int, Field(ge=0)]


class Published(Model):
    """What the student's copy of a spec tells of the checks that were left out of it, by program."""

    hidden_checks: Mapping[Name, HiddenChecks] = {}


class Spec(Model):
    """A lab; `published` makes it the student's copy of one, as `grader spec publish` writes it."""

    spec_version: Literal[1]
    lab: Name
    title: str
    programs: Annotated[Mapping[Name, Program], Field(min_length=1)]
    build: Build
    inputs: Mapping[Name, Input]
    cases: Mapping[Name, Case]
    rubric: Annotated[tuple[RubricEntry, ...], Field(min_length=1)]
    limits: Limits
    gradescope: Gradescope = Gradescope()
    published: Published | None = None

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Spec:
        misfits = (
            *_unknown_inputs(self),
            *_unfit_items(self),
            *_unknown_cheapness(self),
            *_unfit_figures(self),
            *_unhidden(self),
            *_unfit_copy(self),
        )
        if misfits:
            raise MisfitsError(misfits)
        return self

    @property
    def max_score(self) -> int:
        """Points in all."""
        return sum(sum(item.points.values()) for item in self.rubric)

    @property
    def sources(self) -> list[str]:
        """The names of the files that a submission consists of, one a program."""
        return [program.source for program in self.programs.values()]

    def checks(self) -> dict[str, tuple[str, RubricEntry]]:
        """Return all checks by id (PROGRAM.NAME): the program and the line of the rubric."""
        return {f"{program}.{item.name}": (program, item) for item in self.rubric for program in item.points}

    def digest(self) -> str:
        """Return `sha256:…` of what the spec says: comments and layout do not count."""
        canonical = self.model_dump_json().encode("utf-8")
        return "sha256:" + hashlib.sha256(canonical).hexdigest()


def case_references(item: RubricEntry) -> list[tuple[str, str]]:
    """Return (key path below the item, case name) for every case that a rubric item names."""
    if isinstance(item, TerminalItem):
        return [*_numbered("cases", item.cases), *_numbered("shown", item.shown)]
    if isinstance(item, CasesItem):
        return _numbered("cases", item.cases)
    if isinstance(item, CallPatternItem):
        return [("slice", item.slice), *_numbered("full", item.full)]
    if isinstance(item, TimingItem):
        return [("case", item.case)]
    return []


def all_inputs(spec: Spec) -> dict[str, bytes]:
    """Return the bytes of every input of a lab, by its name."""
    return {name: input_bytes(source) for name, source in spec.inputs.items()}


def _numbered(key: str, names: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{key}.{index}", name) for index, name in enumerate(names)]


def _unknown_inputs(spec: Spec) -> Iterator[MisfitError]:
    for name, case in spec.cases.items():
        yield from _unknown(case.input, "inputs", spec.inputs, f"cases.{name}.input")


def _unfit_items(spec: Spec) -> Iterator[MisfitError]:
    seen: set[str] = set()
    for index, item in enumerate(spec.rubric):
        if item.name in seen:
            yield MisfitError(f"{item.name!r} names two checks", key_path=f"rubric.{index}.name")
        seen.add(item.name)
        for program in item.points:
            yield from _unknown(program, "programs", spec.programs, f"rubric.{index}.points.{program}")
        for key, case_name in case_references(item):
            yield from _unknown(case_name, "cases", spec.cases, f"rubric.{index}.{key}")
            problem = _unfit(item, key, spec.cases[case_name]) if case_name in spec.cases else None
            if problem:
                yield MisfitError(f"{case_name!r} {problem}", key_path=f"rubric.{index}.{key}")


def _unknown_cheapness(spec: Spec) -> Iterator[MisfitError]:
    if any(isinstance(item, CallPatternItem) for item in spec.rubric):
        return
    for name, case in spec.cases.items():
        for key, conditional in (("strace", case.strace == "when-cheap"), ("when", case.when == "cheap")):
            if conditional:
                yield MisfitError(
                    "what is cheap is told by the slice of a call-pattern check, and there is none",
                    key_path=f"cases.{name}.{key}",
                )


def _unfit_figures(spec: Spec) -> Iterator[MisfitError]:
    timed = {item.case for item in spec.rubric if isinstance(item, TimingItem)}
    for index, figure in enumerate(spec.gradescope.leaderboard):
        key_path = f"gradescope.leaderboard.{index}"
        programs = {"program": figure.program}
        if isinstance(figure, CallsSavedFigure):
            programs["without"] = figure.without
        for key, program in programs.items():
            yield from _unknown(program, "programs", spec.programs, f"{key_path}.{key}")
        yield from _unknown(figure.case, "cases", spec.cases, f"{key_path}.case")
        if isinstance(figure, CpuTimeFigure) and figure.case in spec.cases and figure.case not in timed:
            yield MisfitError(f"{figure.case!r} is not timed by a check", key_path=f"{key_path}.case")


def _unhidden(spec: Spec) -> Iterator[MisfitError]:
    items = [
        Place(f"rubric.{index}.{key}", case, item.visibility == "visible", isinstance(item, TimingItem))
        for index, item in enumerate(spec.rubric)
        for key, case in case_references(item)
    ]
    figures = [
        # A leaderboard is every student's to see.
        Place(f"gradescope.leaderboard.{index}.case", figure.case, shown=True)
        for index, figure in enumerate(spec.gradescope.leaderboard)
    ]
    seeds = {
        name: Seed(source.seed, source.hidden)
        for name, source in spec.inputs.items()
        if isinstance(source, RandomInput)
    }
    return hiding_misfits(spec.inputs, spec.cases, (*items, *figures), seeds)


def _unfit_copy(spec: Spec) -> Iterator[MisfitError]:
    """Yield what a student's copy cannot have: who adds it means to publish, and would hand it out."""
    if spec.published is None:
        return
    for program in spec.published.hidden_checks:
        yield from _unknown(program, "programs", spec.programs, f"published.hidden_checks.{program}")
    hidden = [f"inputs.{name}.hidden" for name, source in spec.inputs.items() if source.hidden]
    hidden += [f"cases.{name}.hidden" for name, case in spec.cases.items() if case.hidden]
    hidden += [f"rubric.{index}.visibility" for index, item in enumerate(spec.rubric) if item.visibility != "visible"]
    for key_path in hidden:
        yield MisfitError(
            "this is a student's copy (it says published), which has nothing hidden; "
            "change the spec that it was made from, and publish that",
            key_path=key_path,
        )


def _unfit(item: RubricEntry, key: str, case: Case) -> str | None:
    """Return why a case cannot serve where a rubric item names it, None where it can."""
    match item:
        case CallPatternItem() if key == "slice":
            return None if case.strace == "always" else "is the slice, and needs strace: always"
        case CallPatternItem():
            counted = case.engine in ("account", "filter") and case.when == "always"
            return None if counted else "is run at full size, and needs engine: account or filter, and when: always"
        case TimingItem():
            return None if case.engine in ("plain", "account") else "is timed, and needs engine: plain or account"
        case CasesItem():
            always = case.engine != "none" and case.when == "always"
            return None if always else "has to be run always, and not under strace only"
        case TerminalItem():
            return None if case.sink == "terminal" else f"writes to a {case.sink}, not to a terminal"
        case _:
            return None


def _unknown(wanted: str, section: str, known: Iterable[str], key_path: str) -> Iterator[MisfitError]:
    names = tuple(known)
    if wanted not in names:
        yield MisfitError(f"{wanted!r} is not in {section}", key_path=key_path, wanted=wanted, known=names)
