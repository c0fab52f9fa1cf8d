"""The lab as data: the content of `specs/NAME.yaml`, and whether its parts fit together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, StringConstraints, model_validator
from typing_extensions import assert_never

from grader.model.base import Model
from grader.model.counted import listed
from grader.model.evidence import Engine
from grader.model.spec.cases import (
    Case,
    CaseCalls,
    FileOperand,
    Input,
    LiteralInput,
    PatternInput,
    RandomInput,
    fixture_input,
    input_bytes,
    with_empty_input,
)
from grader.model.spec.draws import PUBLIC, DrawnOperand, code_of
from grader.model.spec.hidden_cases import Seed, SpecReference, hiding_inconsistencies
from grader.model.spec.inconsistency import InconsistenciesError, InconsistencyError
from grader.model.spec.notebook import NotebookRules
from grader.model.spec.programs import (
    MAKEFILE,
    MARKS,
    OF_CPLUSPLUS,
    READ_BYTES,
    WRITE_BYTES,
    AnyCalls,
    Build,
    CallPatterns,
    ExactCalls,
    Limits,
    Program,
    RunLimits,
    SymbolRule,
)
from grader.model.spec.rubric import (
    CallPatternItem,
    CasesItem,
    NotebookItem,
    RubricEntry,
    SymbolsItem,
    TerminalItem,
    TimingItem,
    check_id,
)
from grader.model.spec.types import Count, Name, ParameterName, Points, Positive, Seconds


class CpuTimeFigure(Model):
    """User and system seconds of a timed run; fewer are better. `name` is the heading of the column."""

    kind: Literal["cpu-time"]
    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    program: Name
    case: Name


class CallsSavedFigure(Model):
    """Reads and writes of `without` minus those of `program`, in the same case; more are better."""

    kind: Literal["calls-saved"]
    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    program: Name
    without: Name
    case: Name


Figure = Annotated[CpuTimeFigure | CallsSavedFigure, Field(discriminator="kind")]


class Comparison(Model):
    """Two programs whose calls and times in a case are compared in a sentence."""

    program: Name
    other: Annotated[Name, Field(alias="with")]
    case: Name


class Plot(Model):
    """Calls and time of all programs over a parameter: `cases` has the value of the parameter in each case.

    In the file it may be a list of cases that `for` generates: `grader/lab/parameters.py` adds the values.
    """

    title: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    parameter: ParameterName
    cases: Annotated[Mapping[Name, Positive], Field(min_length=2, max_length=60)]


class GradescopeSettings(Model):
    """Settings for grading on Gradescope.

    `timeout_s`: the time limit of a run if the platform does not say. `runs_per_day`: further ones are not run.
    `not_run`: the points of a check that was not run because the time was up, if that is not the submission's fault.
    """

    timeout_s: Seconds = 600.0
    runs_per_day: Count | None = None
    not_run: Literal["keeps-points", "costs-points"] = "keeps-points"
    leaderboard: tuple[Figure, ...] = ()


class HiddenChecks(Model):
    """The number of hidden checks of a program, and their total points."""

    checks: Count
    points: Points


class Published(Model):
    """What the student's copy of a spec says about the checks that were left out of it, by program."""

    hidden_checks: Mapping[Name, HiddenChecks] = {}


class Spec(Model):
    """A lab; if `published` is set, the student's copy of a lab, as `grader spec publish` writes it.

    `students_see_fixes`: a cause that is proven by a fix shows the fixed lines of the source to students.
    `template_score`: the points of what students start from, which `grader lab test` compares.
    `operand_names`: what sentences call the two operands of programs that translate bytes, such as FROM and TO.
    """

    spec_version: Literal[1]
    lab: Name
    title: str
    programs: Annotated[Mapping[Name, Program], Field(min_length=1)]
    build: Build = Build(compiler="gcc")
    inputs: Mapping[Name, Input] = {}
    cases: Mapping[Name, Case]
    rubric: Annotated[tuple[RubricEntry, ...], Field(min_length=1)]
    comparisons: tuple[Comparison, ...] = ()
    plots: Annotated[tuple[Plot, ...], Field(max_length=4)] = ()
    limits: Limits = Limits()
    notebook: NotebookRules | None = None
    gradescope: GradescopeSettings = GradescopeSettings()
    published: Published | None = None
    students_see_fixes: bool = False
    template_score: Points | None = None
    operand_names: tuple[str, str] | None = None
    _path: str = PrivateAttr("")
    _cut_bytes: int = PrivateAttr(0)
    _secret: str = PrivateAttr(PUBLIC)
    _declared_digest: str = PrivateAttr("")
    _drawn_cases: frozenset[str] = PrivateAttr(frozenset())

    @model_validator(mode="before")
    @classmethod
    def _with_the_empty_input(cls, data: object) -> object:
        return with_empty_input(data)

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Spec:
        inconsistencies = (
            *_unknown_inputs(self),
            *_unfit_programs(self),
            *_unfit_inputs(self),
            *_unfit_expectations(self),
            *_unfit_files(self),
            *_unfit_draws(self),
            *_unfit_items(self),
            *_missing_rules(self),
            *_unused_patterns(self),
            *_unfit_builds(self),
            *_unfit_marks(self),
            *_unpredicted_conditions(self),
            *_unfit_figures(self),
            *_unfit_comparisons(self),
            *_unfit_plots(self),
            *_revealed(self),
            *_unfit_copy(self),
        )
        if inconsistencies:
            raise InconsistenciesError(inconsistencies)
        return self

    @property
    def max_score(self) -> float:
        """The total points of all checks."""
        return sum(sum(item.points.values()) for item in self.rubric)

    @property
    def program_wall_s(self) -> float:
        """The share of each program in the time of a submission: one program cannot use up the time of another."""
        return self.limits.submission_wall_s / len(self.programs)

    @property
    def sources(self) -> list[str]:
        """The names of the files that a submission consists of; programs may share some."""
        return list(dict.fromkeys(name for program in self.programs.values() for name in program.files))

    @property
    def argument(self) -> str:
        """What `--lab` takes to find the lab: its name, or the path of a lab that is not found by its name."""
        return self._path or self.lab

    def at(self, path: str) -> Spec:
        """Return the spec of a lab that is only found at this path; if it is empty, of one that has a name."""
        spec = self.model_copy()
        spec._path = path  # noqa: SLF001 - its own
        return spec

    @property
    def cut_bytes(self) -> int:
        """The size to which large inputs were cut, 0 if they were not."""
        return self._cut_bytes

    def cut_to(self, cut_bytes: int, changes: Mapping[str, object]) -> Spec:
        """Return this spec with changed fields, in which large inputs are only so long."""
        spec = self.model_copy(update=changes)
        spec._cut_bytes = cut_bytes  # noqa: SLF001 - its own
        return spec

    def drawn(self, secret: str) -> Spec:
        """Return this spec with what is drawn from a secret; its digest stays the same.

        Sizes that depend on a submission are still to be drawn (`drawn_for`).
        """
        inputs = {
            name: declaration.drawn(code_of(secret, self._input_draw(name)))
            if isinstance(declaration, RandomInput)
            else declaration
            for name, declaration in self.inputs.items()
        }
        cases = {name: case.drawn(secret) for name, case in self.cases.items()}
        spec = self.model_copy(update={"cases": cases, "inputs": inputs})
        spec._secret, spec._declared_digest = secret, self.digest()  # noqa: SLF001 - its own
        spec._drawn_cases = self.drawn_cases  # noqa: SLF001 - its own
        return spec

    def drawn_for(self, submission_digest: str) -> Spec:
        """Return this spec with the inputs of which the submission with this digest gets a size of its own."""
        # Without a secret, each submission still has another size than the next.
        digest = hashlib.sha256(f"size {submission_digest}".encode()).hexdigest()
        own = {}
        for name, declaration in self.own_size_inputs.items():
            code = code_of(self._secret, f"{self._input_draw(name)} {digest}") or digest
            own[name] = declaration.model_copy(update={"size_bytes": declaration.own_size_bytes(code)})
        return self.model_copy(update={"inputs": {**self.inputs, **own}}) if own else self

    def _input_draw(self, name: str) -> str:
        return f"input {self.lab} {name}"

    @property
    def drawn_cases(self) -> frozenset[str]:
        """The names of the cases in which something is drawn, the same for all submissions of a class."""
        return self._drawn_cases or frozenset(filter(self.is_drawn, self.cases))

    def is_drawn(self, case: str) -> bool:
        """Return whether something is drawn in a case as it is declared."""
        declared = self.cases[case]
        return declared.has_drawn_operands or any(self._has_drawn_bytes(used) for _, used in declared.inputs())

    def _has_drawn_bytes(self, name: str) -> bool:
        declaration = self.inputs.get(name)
        return isinstance(declaration, RandomInput) and declaration.drawn_percent is not None

    @property
    def draws_digest(self) -> str:
        """A hash that is the same for all specs that were drawn from the same secret, and tells nothing of it."""
        return code_of(self._secret, "digest")

    def draw_code(self, name: str) -> str:
        """Return the code by which an input can be made again, "" if it is the public one."""
        return code_of(self._secret, self._input_draw(name)) if self._has_drawn_bytes(name) else ""

    def executable(self, program: str) -> str:
        """Return the file that building a program makes."""
        return self.build_of(program).make or program

    def build_of(self, program: str) -> Build:
        """Return how a program is built."""
        return self.programs[program].build or self.build

    def build_command(self, program: str, output: str | None = None) -> tuple[str, ...]:
        """Return the command that builds a program; the compiler's needs the name of its output."""
        build = self.build_of(program)
        if build.make is not None:
            return ("make", build.make)
        named = ("-o", output) if output is not None else ()
        return (*build.compiler_command, *named, *self.compiled_files(program))

    def compiled_files(self, program: str) -> tuple[str, ...]:
        """Return how the compiler's command for a program ends: its sources, those of the lab, and libraries."""
        declared = self.programs[program]
        return (*declared.all_sources, *declared.provided_sources, *self.build_of(program).libraries)

    def provided_for(self, program: str) -> tuple[str, ...]:
        """Return the names of the files of the lab that a program is built with."""
        makefile = () if self.build_of(program).make is None else (MAKEFILE,)
        return (*makefile, *self.programs[program].provided)

    @property
    def notes(self) -> tuple[str, ...]:
        """What an author may have overlooked although nothing in the spec is wrong, in sentences."""
        return (*_hidden_calls(self), *_uncompared(self))

    def is_c(self, program: str) -> bool:
        """Return whether a program is in C, and not in C++, as far as its compiler and the names of its files say."""
        declared = self.programs[program]
        return self.build_of(program).compiler not in OF_CPLUSPLUS.values() and all(
            name.endswith((".c", ".h", ".o", ".a")) for name in (*declared.files, *declared.provided_sources)
        )

    def checks_memory(self, program: str) -> bool:
        """Return whether gcc compiles a program: only in these are errors of memory looked for."""
        return self.build_of(program).compiler in ("gcc", "g++")

    def is_single_c(self, program: str) -> bool:
        """Return whether gcc compiles a program of one C source: only in these are changes tried."""
        is_compiled = self.is_c(program) and self.build_of(program).compiler == "gcc"
        return is_compiled and len(self.programs[program].all_sources) == 1

    @property
    def tools(self) -> list[str]:
        """The programs that build those of the lab: compilers, and make."""
        return sorted({self.build_command(program)[0] for program in self.programs})

    def slice_for(self, program: str, case: str = "") -> str | None:
        """Return the short case whose log predicts the calls of a program's full-size runs, None if there is none.

        It is the slice of the check that names the case, because there the operands are the same; else that of the
        program's first check of calls, else the first slice in which the program is run.
        """
        items = [item for item in self.rubric if isinstance(item, CallPatternItem)]
        own = [item for item in items if program in item.points]
        judging = [item for item in own if case in (item.slice, *item.full, *item.small)]
        others = [item for item in items if item.slice in self.cases and self.cases[item.slice].runs(program)]
        return next((item.slice for item in (*judging, *own, *others)), None)

    @property
    def own_size_inputs(self) -> dict[str, PatternInput | RandomInput]:
        """The inputs of which each submission gets a size of its own, by name."""
        return {
            name: declaration
            for name, declaration in self.inputs.items()
            if not isinstance(declaration, LiteralInput) and declaration.least_bytes is not None
        }

    def has_figures(self, case: str) -> bool:
        """Return whether the calls of a case are counted, or a check shows its times."""
        timed = (item.case for item in self.rubric if isinstance(item, TimingItem))
        return self.cases[case].is_counted or case in timed

    def is_told_by_input(self, case: str) -> bool:
        """Return whether readers know a run by its input: no other case with this input and sink has figures."""
        declared = self.cases[case]
        judged_input, sink = declared.judged_input, declared.sink
        alike = [
            name
            for name, other in self.cases.items()
            if other.sink == sink and other.judged_input == judged_input and self.has_figures(name)
        ]
        return declared.calls == CaseCalls() and (case not in alike or len(alike) == 1)

    def calls_of(self, program: str, case: str) -> CallPatterns:
        """Return the patterns that the calls of a program must follow in a case."""
        declared, own = self.programs[program], self.cases[case].calls
        return CallPatterns(
            own.stdin or declared.stdin, own.stdout or declared.stdout, own.terminal or declared.terminal
        )

    def repeats_untraced(self, program: str, case: str) -> bool:
        """Return whether a program is run again without a tracer, because each of its calls has an exact nbyte.

        One run is enough, at a size that a program which looks for a tracer does not know.
        """
        declared, patterns = self.cases[case], self.calls_of(program, case)
        are_exact = isinstance(patterns.stdin, ExactCalls) and isinstance(patterns.stdout, ExactCalls)
        has_own_size = declared.judged_input in self.own_size_inputs and not declared.files
        return are_exact and has_own_size and declared.sink != "terminal"

    def symbol_rules(self, program: str) -> list[SymbolRule]:
        """Return the rules for the functions that a program calls: its own, and those of its checks."""
        items = [item for item in self.rubric if isinstance(item, SymbolsItem) and program in item.points]
        return [self.programs[program].symbols, *(item.symbols for item in items if item.symbols is not None)]

    def symbol_rule(self, program: str, item: SymbolsItem) -> SymbolRule:
        """Return the rule by which a check judges a program."""
        return item.symbols or self.programs[program].symbols

    def marking_rule(self, program: str) -> SymbolRule | None:
        """Return the rule of a program that asks for a marked run, None if there is none."""
        return next((rule for rule in self.symbol_rules(program) if rule.used_in in self.cases), None)

    def limits_for(self, case: str, engine: Engine = "plain") -> RunLimits:
        """Return the limits of a run of a case: the tracer's if strace traces it, else the program's own."""
        limits: RunLimits = getattr(self.limits, self.limits_place(case, engine).removeprefix("limits."))
        return limits

    def limits_place(self, case: str, engine: Engine = "plain") -> str:
        """Return where the spec has the limits of a run of a case: `limits.small`."""
        is_full_size = self.cases[case].limits == "full"
        match engine:
            case "strace-count":
                return "limits.strace_full"
            case "strace":
                return "limits.strace" if is_full_size else "limits.strace_small"
            case "plain" | "account" | "filter":
                return "limits.full" if is_full_size else "limits.small"
            case _ as unreachable:
                assert_never(unreachable)

    def checks(self) -> dict[str, tuple[str, RubricEntry]]:
        """Return the program and the rubric item of every check, by its id (PROGRAM.NAME)."""
        return {check_id(program, item.name): (program, item) for item in self.rubric for program in item.points}

    def small_cases(self, item: CallPatternItem) -> tuple[str, ...]:
        """Return the short cases whose calls count for an item: not those that are known to hidden checks alone."""
        if item.visibility != "visible":
            return item.small
        others = [other for other in self.rubric if not isinstance(other, CallPatternItem)]
        visible = {case for other in others if other.visibility == "visible" for _, case in other.case_references()}
        unseen = {case for other in others for _, case in other.case_references()} - visible
        # Another validator reports names without a case.
        known = [case for case in item.small if case in self.cases]
        return tuple(case for case in known if case not in unseen and not self.cases[case].hidden)

    def shown_references(self, item: RubricEntry) -> list[tuple[str, str]]:
        """Return the key paths and names of the cases that show next to an item."""
        if not isinstance(item, CallPatternItem):
            return item.case_references()
        small = self.small_cases(item)
        return [(key, case) for key, case in item.case_references() if not key.startswith("small") or case in small]

    @property
    def fixtures(self) -> tuple[str, ...]:
        """The paths, below the lab's folder `fixtures`, of the files that its cases need."""
        paths = (file.fixture for case in self.cases.values() for file in case.files.values())
        return tuple(dict.fromkeys(path for path in paths if path is not None))

    def digest(self) -> str:
        """Return `sha256:…` of the content of the spec, without comments and layout."""
        if self._declared_digest:
            return self._declared_digest
        canonical = self.model_dump_json().encode("utf-8")
        return "sha256:" + hashlib.sha256(canonical).hexdigest()


def all_inputs(spec: Spec, fixtures: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the bytes of every input of a lab, by the name of the input; `fixtures` are added, by their paths."""
    declared = {name: input_bytes(declaration) for name, declaration in spec.inputs.items()}
    return declared | {fixture_input(path): data for path, data in (fixtures or {}).items()}


def _hidden_calls(spec: Spec) -> Iterator[str]:
    """Say what the options of builds hide of the calls of programs."""
    judged = {program for item in spec.rubric if isinstance(item, SymbolsItem) for program in item.points}
    for program in spec.programs:
        option = spec.build_of(program).static_option if program in judged else None
        if option:
            yield (
                f"{program} is linked with {option} and does not name the functions that it calls; an object that is "
                "compiled with the same options shows them"
            )


def _uncompared(spec: Spec) -> Iterator[str]:
    """Name the cases that state what they expect, if they are run for checks that compare nothing of it.

    In the students' copy, hidden checks may compare it.
    """
    if spec.published is not None:
        return
    used: dict[str, set[str]] = {}
    compared: dict[str, set[str]] = {}
    for item in spec.rubric:
        for _, name in item.case_references():
            used.setdefault(name, set()).update(item.points)
        for name in item.cases if isinstance(item, CasesItem | TerminalItem) else ():
            compared.setdefault(name, set()).update(item.points)
    by_programs: dict[tuple[str, ...], list[str]] = {}
    for name, case in spec.cases.items():
        programs = tuple(sorted(used.get(name, set()) - compared.get(name, set())))
        states = case.expected_files or ("expect" in case.model_fields_set and case.expect != "either")
        if programs and states:
            by_programs.setdefault(programs, []).append(name)
    for programs, cases in by_programs.items():
        yield (
            f"{listed(cases)} {'states' if len(cases) == 1 else 'state'} what {listed(programs)} must do, and no "
            "check of kind cases compares it"
        )


def _unknown_inputs(spec: Spec) -> Iterator[InconsistencyError]:
    for name, case in spec.cases.items():
        for key, used in case.inputs():
            yield from _unknown(used, "inputs", spec.inputs, f"cases.{name}.{key}")


def _unfit_programs(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each program that a case names wrongly, or that a check judges by a case without it."""
    for name, case in spec.cases.items():
        for index, program in enumerate(case.programs or ()):
            yield from _unknown(program, "programs", spec.programs, f"cases.{name}.programs.{index}")
    for number, item in enumerate(spec.rubric):
        for key, name in item.case_references():
            for program in item.points:
                yield from _not_run(spec, program, name, f"rubric.{number}.{key}")


def _not_run(spec: Spec, program: str, case: str, key_path: str) -> Iterator[InconsistencyError]:
    if case in spec.cases and program in spec.programs and not spec.cases[case].runs(program):
        yield InconsistencyError(
            f"{case!r} does not run {program}: its programs are {', '.join(spec.cases[case].programs or ())}",
            key_path=key_path,
        )


def _unfit_inputs(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each input of a submission's own size whose output would have to equal the reference's."""
    for name, declaration in spec.own_size_inputs.items():
        if (declaration.least_bytes or 0) > declaration.size_bytes:
            yield InconsistencyError("is more than size_bytes", key_path=f"inputs.{name}.least_bytes")
        for case, declared in spec.cases.items():
            for key, used in declared.inputs():
                if used == name and key != "input":
                    yield InconsistencyError(
                        f"{name!r} has another size for each submission, and can only be standard input",
                        key_path=f"cases.{case}.{key}",
                    )
            compares = declared.copies_reference or declared.expected_files
            if declared.input == name and compares:
                yield InconsistencyError(
                    f"{name!r} has another size for each submission, so the case needs expect: either",
                    key_path=f"cases.{case}.input",
                )


def _unfit_expectations(spec: Spec) -> Iterator[InconsistencyError]:
    for name, case in spec.cases.items():
        for key, mistake in case.stated.mistakes() if case.stated is not None else ():
            yield InconsistencyError(mistake, key_path=f"cases.{name}.expect.{key}")


def _unfit_files(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each file that cannot be made, and each variable that would change our own tools."""
    taken = {*spec.programs, *spec.sources}
    for name, case in spec.cases.items():
        for file, declared in case.files.items():
            # Key paths have dots between keys: one within a key would lead nowhere.
            key_path = f"cases.{name}.files" if "." in file else f"cases.{name}.files.{file}"
            yield from (InconsistencyError(f"{file!r} {why}", key_path=key_path) for why in declared.mistakes())
            if file in taken:
                yield InconsistencyError(
                    f"{file!r} is the name of a program or a source, next to which a student repeats the case",
                    key_path=key_path,
                )
        for index, operand in enumerate(case.operands):
            if isinstance(operand, FileOperand):
                yield from _unknown(operand.file, "files", case.files, f"cases.{name}.operands.{index}.file")
        yield from _unfit_streams(name, case)
        for variable in case.environment:
            if variable.startswith("LD_"):
                yield InconsistencyError(
                    "is for the dynamic loader, and would change the grader's own tools as well",
                    key_path=f"cases.{name}.environment.{variable}",
                )


def _unfit_draws(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for an operand whose length depends on one that there is not, and for times of a drawn case.

    The reference is not run as a whole for each draw, so that its times would be those of another size.
    """
    for number, item in enumerate(spec.rubric):
        if isinstance(item, TimingItem) and item.case in spec.cases and spec.is_drawn(item.case):
            yield InconsistencyError(f"{item.case!r} is drawn, and cannot be timed", key_path=f"rubric.{number}.case")
    for name, case in spec.cases.items():
        for index, operand in enumerate(case.operands):
            if isinstance(operand, DrawnOperand) and isinstance(operand.draw.length, str):
                first = case.operands[0]
                if not index or isinstance(first, FileOperand):
                    yield InconsistencyError(
                        "the first operand must be bytes, whose length this one is compared with",
                        key_path=f"cases.{name}.operands.{index}.draw.length",
                    )


def _unfit_streams(name: str, case: Case) -> Iterator[InconsistencyError]:
    """Yield an error for each file whose calls cannot be judged."""
    for key, file in (("input", case.streams.input), ("output", case.streams.output)):
        key_path = f"cases.{name}.streams.{key}"
        if file is None:
            continue
        yield from _unknown(file, "files", case.files, key_path)
        declared = case.files.get(file)
        if declared is not None and key == "input" and declared.input is None:
            yield InconsistencyError(f"{file!r} needs an input, whose bytes are read", key_path=key_path)
        if declared is not None and key == "output" and declared.expect is None:
            yield InconsistencyError(f"{file!r} needs expect: reference-output", key_path=key_path)
    if case.judges_files and case.sink != "file":
        yield InconsistencyError("calls on files are judged only with sink: file", key_path=f"cases.{name}.sink")


def _unfit_items(spec: Spec) -> Iterator[InconsistencyError]:
    seen: set[str] = set()
    for index, item in enumerate(spec.rubric):
        if item.name in seen:
            yield InconsistencyError(f"{item.name!r} names two checks", key_path=f"rubric.{index}.name")
        seen.add(item.name)
        for program in item.points:
            yield from _unknown(program, "programs", spec.programs, f"rubric.{index}.points.{program}")
        for key, case_name in item.case_references():
            yield from _unknown(case_name, "cases", spec.cases, f"rubric.{index}.{key}")
            problem = item.why_unfit(key, spec.cases[case_name]) if case_name in spec.cases else None
            if problem:
                yield InconsistencyError(f"{case_name!r} {problem}", key_path=f"rubric.{index}.{key}")


def _missing_rules(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each check that would pass whatever its program does, because nothing is declared for it."""
    for index, item in enumerate(spec.rubric):
        for program in item.points:
            declared = spec.programs.get(program)
            if declared is None:
                continue
            missing = ""
            if isinstance(item, CallPatternItem) and not _has_pattern(spec, program, item):
                missing = "program and cases have no pattern for stdin or stdout"
            elif isinstance(item, SymbolsItem) and spec.symbol_rule(program, item) == SymbolRule():
                missing = "program and check have no rule for symbols"
            elif isinstance(item, NotebookItem) and not (spec.notebook and spec.notebook.files):
                missing = "notebook.files has no name of a notebook"
            if missing:
                yield InconsistencyError(
                    f"{missing}, so the check {item.name} would judge nothing",
                    key_path=f"rubric.{index}.points.{program}",
                )


def _has_pattern(spec: Spec, program: str, item: CallPatternItem) -> bool:
    patterns = [spec.calls_of(program, case) for _, case in item.case_references() if case in spec.cases]
    return any((one.stdin, one.stdout) != (AnyCalls(), AnyCalls()) for one in patterns)


def full_size_patterns(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield a mistake for each stream that only full-size runs judge: known bugs have none to be recognised by."""
    for item in spec.rubric:
        if isinstance(item, CallPatternItem):
            for program, case in product(item.points, item.full):
                yield from _missing_in_slice(spec, program, item.slice, case)


def _missing_in_slice(spec: Spec, program: str, slice_case: str, case: str) -> Iterator[InconsistencyError]:
    judged, in_slice = spec.calls_of(program, case), spec.calls_of(program, slice_case)
    for stream, pattern, own in (
        ("stdin", judged.stdin, in_slice.stdin),
        ("stdout", judged.stdout, in_slice.stdout),
    ):
        if own == AnyCalls() != pattern:
            yield InconsistencyError(
                f"{slice_case} allows {program} any calls of {stream}, but {case} does not: give both the same "
                "pattern, because known bugs are recognised by their short runs",
                key_path=f"cases.{slice_case}",
            )


def _unused_patterns(spec: Spec) -> Iterator[InconsistencyError]:
    for name, case in spec.cases.items():
        unused, used = ("stdout", "terminal") if case.sink == "terminal" else ("terminal", "stdout")
        if getattr(case.calls, unused) is not None:
            yield InconsistencyError(
                f"the output of this case goes to a {case.sink}, so the pattern is that of {used}",
                key_path=f"cases.{name}.calls.{unused}",
            )


def _unfit_builds(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each program that its compiler cannot link, or whose symbols nothing shows."""
    judged = {program for item in spec.rubric if isinstance(item, SymbolsItem) for program in item.points}
    for name, program in spec.programs.items():
        build = spec.build_of(name)
        for at, file in enumerate(program.provided):
            if file in spec.sources:
                yield InconsistencyError(
                    f"{file} is handed in for another program", key_path=f"programs.{name}.provided.{at}"
                )
        place = f"programs.{name}.build" if program.build is not None else "build"
        if build.compiler is None:
            if name in judged:
                yield InconsistencyError(
                    "a check of kind symbols reads an object that the grader compiles, and make builds this program",
                    key_path=f"{place}.make",
                )
            continue
        if name in judged and program.provided_sources:
            yield InconsistencyError(
                "a check of kind symbols reads what the whole program calls, and sources of the lab are part of it",
                key_path=f"programs.{name}.provided",
            )
        needed = OF_CPLUSPLUS.get(build.compiler)
        if needed is not None and any(
            source.endswith((".cc", ".cpp", ".cxx")) for source in (*program.all_sources, *program.provided_sources)
        ):
            yield InconsistencyError(
                f"{build.compiler} does not link the C++ library; {name} needs {needed}"
                f" (`build: {{compiler: {needed}}}`)",
                key_path=f"{place}.compiler",
            )


def _unfit_marks(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for each rule with `used_in` for which no marked run can show anything."""
    for name, declared in spec.programs.items():
        yield from _unfit_rule(spec, name, declared.symbols, f"programs.{name}.symbols")
        if sum(rule.used_in is not None for rule in spec.symbol_rules(name)) > 1:
            yield InconsistencyError(
                "a program can have only one rule with used_in", key_path=f"programs.{name}.symbols.used_in"
            )
    for index, item in enumerate(spec.rubric):
        if isinstance(item, SymbolsItem) and item.symbols is not None:
            for name in item.points.keys() & spec.programs.keys():
                yield from _unfit_rule(spec, name, item.symbols, f"rubric.{index}.symbols")


def _unfit_rule(spec: Spec, program: str, rule: SymbolRule, place: str) -> Iterator[InconsistencyError]:
    if rule.used_in is None:
        return
    key_path = f"{place}.used_in"
    if rule.used_in not in spec.cases:
        # A lab may be cut down to a few cases; then the names of functions decide.
        if get_close_matches(rule.used_in, spec.cases, n=1):
            yield from _unknown(rule.used_in, "cases", spec.cases, key_path)
        return
    yield from _not_run(spec, program, rule.used_in, key_path)
    case = spec.cases[rule.used_in]
    for index, group in enumerate(rule.one_of_each):
        if not (READ_BYTES.issuperset(group) or WRITE_BYTES.issuperset(group)):
            yield InconsistencyError(
                "with used_in, a group has only functions that read bytes (read, getchar and those like it), or only"
                " functions that write them (write, putchar and those like it)",
                key_path=f"{place}.one_of_each.{index}",
            )
    named = {item.visibility for item in spec.rubric for _, name in item.case_references() if name == rule.used_in}
    if case.hidden or (named and "visible" not in named):
        yield InconsistencyError(f"{rule.used_in!r} is not a case that students see", key_path=key_path)
    elif case.files or case.limits == "full":
        yield InconsistencyError(f"{rule.used_in!r} has files, or the limits of full size", key_path=key_path)
    elif len(case.free_letters) < MARKS:
        yield InconsistencyError(
            f"the operands of {rule.used_in!r} leave fewer than {MARKS} letters and digits free", key_path=key_path
        )


def _unpredicted_conditions(spec: Spec) -> Iterator[InconsistencyError]:
    for name, case in spec.cases.items():
        if all(spec.slice_for(program, name) for program in spec.programs if case.runs(program)):
            continue
        for key, conditional in (("strace", case.strace == "when-cheap"), ("when", case.when == "cheap")):
            if conditional:
                yield InconsistencyError(
                    "the slice of a call-pattern check decides what is cheap, and there is no such check",
                    key_path=f"cases.{name}.{key}",
                )


def _unfit_figures(spec: Spec) -> Iterator[InconsistencyError]:
    timed = {item.case for item in spec.rubric if isinstance(item, TimingItem)}
    for index, figure in enumerate(spec.gradescope.leaderboard):
        key_path = f"gradescope.leaderboard.{index}"
        programs = {"program": figure.program}
        if isinstance(figure, CallsSavedFigure):
            programs["without"] = figure.without
        for key, program in programs.items():
            yield from _unknown(program, "programs", spec.programs, f"{key_path}.{key}")
            yield from _not_run(spec, program, figure.case, f"{key_path}.case")
        yield from _unknown(figure.case, "cases", spec.cases, f"{key_path}.case")
        if isinstance(figure, CpuTimeFigure) and figure.case in spec.cases and figure.case not in timed:
            yield InconsistencyError(f"{figure.case!r} is not timed by a check", key_path=f"{key_path}.case")


def _unfit_comparisons(spec: Spec) -> Iterator[InconsistencyError]:
    for index, comparison in enumerate(spec.comparisons):
        key_path = f"comparisons.{index}"
        yield from _unknown(comparison.case, "cases", spec.cases, f"{key_path}.case")
        for key, program in (("program", comparison.program), ("with", comparison.other)):
            yield from _unknown(program, "programs", spec.programs, f"{key_path}.{key}")
            yield from _not_run(spec, program, comparison.case, f"{key_path}.case")
            yield from _without_figures(spec, program, comparison.case, f"{key_path}.case")
        if comparison.program == comparison.other:
            yield InconsistencyError(f"{comparison.other} would be compared with itself", key_path=f"{key_path}.with")
        if comparison.case in spec.cases and not spec.has_figures(comparison.case):
            yield InconsistencyError(
                f"the calls of {comparison.case!r} are not counted, and no check times it",
                key_path=f"{key_path}.case",
            )


def _without_figures(spec: Spec, program: str, case_name: str, key_path: str) -> Iterator[InconsistencyError]:
    """Yield a mistake if nothing shows the calls or the time of a program in a case: totals need a short log."""
    case = spec.cases.get(case_name)
    if case is None or program not in spec.programs or not case.runs(program):
        return
    timed = any(
        isinstance(item, TimingItem) and item.case == case_name and program in item.points for item in spec.rubric
    )
    is_totals = case.engine == "account" and case.strace == "never"
    if is_totals and not timed and spec.slice_for(program, case_name) is None:
        yield InconsistencyError(
            f"{case_name!r} shows no calls of {program}: engine: account needs a call-pattern check of the program, "
            "and strace: always does not",
            key_path=key_path,
        )


def _unfit_plots(spec: Spec) -> Iterator[InconsistencyError]:
    checked = {case for item in spec.rubric for _, case in item.case_references()}
    for index, plot in enumerate(spec.plots):
        first: dict[tuple[str, float], str] = {}
        for case, value in plot.cases.items():
            key_path = f"plots.{index}.cases.{case}"
            yield from _unknown(case, "cases", spec.cases, key_path)
            if case not in spec.cases:
                continue
            if not spec.has_figures(case):
                yield InconsistencyError(
                    f"the calls of {case!r} are not counted, and no check times it", key_path=key_path
                )
            if case not in checked:
                yield InconsistencyError(
                    f"no check names {case!r}, so that students' copies would lack it", key_path=key_path
                )
            for program in filter(spec.cases[case].runs, spec.programs):
                yield from _without_figures(spec, program, case, key_path)
                other = first.setdefault((program, value), case)
                if other != case:
                    yield InconsistencyError(
                        f"{program} has two points where {plot.parameter} is {value:g}: {other!r} and {case!r}",
                        key_path=key_path,
                    )
                    break
        if len({*plot.cases.values()}) == 1:
            yield InconsistencyError(
                f"{plot.parameter} is the same in all cases: a line needs two values", key_path=f"plots.{index}.cases"
            )


def _revealed(spec: Spec) -> Iterator[InconsistencyError]:
    items = [
        SpecReference(f"rubric.{index}.{key}", case, item.visibility == "visible", isinstance(item, TimingItem))
        for index, item in enumerate(spec.rubric)
        for key, case in spec.shown_references(item)
    ]
    figures = [
        # Every student can see a leaderboard.
        SpecReference(f"gradescope.leaderboard.{index}.case", figure.case, shown=True)
        for index, figure in enumerate(spec.gradescope.leaderboard)
    ]
    comparisons = [
        SpecReference(f"comparisons.{index}.case", comparison.case, shown=True)
        for index, comparison in enumerate(spec.comparisons)
    ]
    plotted = [
        # Students' copies lack the cases of hidden checks, so that a plot shows them no other case.
        SpecReference(f"plots.{index}.cases.{case}", case, shown=True)
        for index, plot in enumerate(spec.plots)
        for case in plot.cases
        if case in spec.cases and spec.cases[case].hidden
    ]
    seeds = {
        name: Seed(declaration.seed, declaration.hidden)
        for name, declaration in spec.inputs.items()
        if isinstance(declaration, RandomInput)
    }
    return hiding_inconsistencies(spec.inputs, spec.cases, (*items, *figures, *comparisons, *plotted), seeds)


def _unfit_copy(spec: Spec) -> Iterator[InconsistencyError]:
    """Yield an error for everything hidden in a student's copy: an author who adds it there would hand it out."""
    if spec.published is None:
        return
    for program in spec.published.hidden_checks:
        yield from _unknown(program, "programs", spec.programs, f"published.hidden_checks.{program}")
    hidden = [f"inputs.{name}.hidden" for name, declaration in spec.inputs.items() if declaration.hidden]
    hidden += [f"cases.{name}.hidden" for name, case in spec.cases.items() if case.hidden]
    hidden += [f"rubric.{index}.visibility" for index, item in enumerate(spec.rubric) if item.visibility != "visible"]
    for key_path in hidden:
        yield InconsistencyError(
            "this is a student's copy (it says published), which has nothing hidden; "
            "change the spec that it was made from, and publish that",
            key_path=key_path,
        )


def _unknown(name: str, section: str, known: Iterable[str], key_path: str) -> Iterator[InconsistencyError]:
    names = tuple(known)
    if name not in names:
        yield InconsistencyError(f"{name!r} is not in {section}", key_path=key_path, unknown_name=name, known=names)
