"""Build the plan of the guest from a spec and a submission: every build and run, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from grader.judge.facts import concerns
from grader.lab.source_files import source_folders
from grader.model.evidence import Engine, Evidence, RunDone, count_id, run_id, trace_id
from grader.model.plan import BuildStep, EarlyStop, MarkedRun, Plan, RunFile, RunStep
from grader.model.spec.cases import Case, PipeSource
from grader.model.spec.lab import Spec
from grader.model.spec.programs import CallPattern, ExactCalls
from grader.model.spec.rubric import CallPatternItem, TerminalItem
from grader.model.stopped import EARLY_OUTPUT_BYTES
from grader.model.submission import Source, Submission

StraceMode = Literal["slice", "full"]
"""`slice`: strace traces the slice and cheap runs. `full`: it also counts the calls of the other full-size runs."""

OUTPUT_TIMES = 8
"""If runs are stopped early, they may write this many times as many bytes as the reference, and some more.

A program that writes the bytes of a pointer for each byte is not stopped, and one that writes without end soon is.
"""

Stage = Literal["to-be-logged", "logged", "small", "full", "conditional"]
STAGES: tuple[Stage, ...] = ("to-be-logged", "logged", "small", "full", "conditional")
"""The order of runs. Runs under strace that do not depend on another come early: the short log shows which other runs
are cheap. The same runs without strace come before them: strace's limits are long, and by then the guest knows
whether the program ends. Full size comes late: a program that does not end on a small input is not run
on a large one."""

MARKED_OPTIONS = (
    "-w",
    "-fno-lto",
    "-fno-builtin",
    "-D__NO_INLINE__",
    "-U_FORTIFY_SOURCE",
    "-x",
    "c",
    "-",
    "-x",
    "none",
)
"""Options with which each call in the source remains a call of that function, and the guest's source comes first: no
source of the student's can read it from standard input."""

MARKED_WALL_S = 5.0
"""A marked run takes hundredths of a second, and decides nothing if it does not end."""

EARLY_STOP = EarlyStop(first_s=2.0, again_s=0.3)
"""A right program takes hundredths of a second for a short run."""

EARLY_STOP_AT_FULL_SIZE = EarlyStop(first_s=2.0, again_s=1.0)
"""The same for runs at full size, whose input is short then, too: a right program takes tenths of a second."""

TIMES_OF_REFERENCE = 4
"""No run at full size is stopped early before this many times the time of the reference."""

EARLY_STOP_OF_STRACE = EarlyStop(first_s=None, again_s=1.0)
"""The same run without strace has not ended: a log of what the program does is enough."""

EARLY_STOP_OF_LONG_STRACE = EarlyStop(first_s=None, again_s=10.0)
"""A cheap run takes a second or two under strace, and a program that did not end once may not end here either."""


def build_plan(
    spec: Spec,
    submission: Submission,
    strace: StraceMode = "slice",
    *,
    selected_checks: frozenset[str] | None = None,
) -> Plan:
    """Plan all builds, then all runs; unusable sources are left out.

    `selected_checks` are ids of checks: steps that these do not depend on are left out. None means all checks.

    The small runs of all programs come before any full-size run: if the time runs out before the end, nearly
    everything is known about each program.
    """
    programs = [
        name
        for name in spec.programs
        if isinstance(submission.sources[name], Source) and concerns(selected_checks, name)
    ]
    runs = tuple(step for stage in STAGES for program in programs for step in _runs(spec, program, stage, strace))
    if selected_checks is not None:
        steps = {
            step
            for check, (program, item) in spec.checks().items()
            if check in selected_checks
            for step in item.steps(program)
        }
        runs = _needed(spec, runs, steps)
    folders, seed = source_folders(spec, submission), submission.digest()
    counted = (sum(run.program == name and run.engine == "strace-count" for run in runs) for name in programs)
    return Plan(
        builds=tuple(build_step(spec, program, folders[program], seed) for program in programs),
        runs=runs,
        build_limits=spec.limits.build,
        processes=spec.limits.processes,
        open_files=spec.limits.open_files,
        cheap_calls=spec.limits.cheap_calls,
        program_wall_s=spec.program_wall_s + max(counted, default=0) * spec.limits.strace_full.wall_s,
    )


def stopping_early(spec: Spec, plan: Plan, reference: Evidence) -> Plan:
    """Return the plan in which runs are stopped that do not end soon, and short ones that write far too much.

    The inputs of all runs must be short.
    """
    runs = (
        _stopped_early(run, reference.runs.get(run.id), is_small=spec.cases[run.case].limits == "small")
        for run in plan.runs
    )
    return plan.model_copy(update={"runs": tuple(runs)})


def _stopped_early(step: RunStep, reference: RunDone | None, *, is_small: bool) -> RunStep:
    if not is_small:
        least_s = 0.0 if reference is None else TIMES_OF_REFERENCE * reference.times.real_s
        first_s, again_s = EARLY_STOP_AT_FULL_SIZE.first_s or 0.0, EARLY_STOP_AT_FULL_SIZE.again_s
        stop = EarlyStop(
            # Without strace, the same case or a similar one comes first.
            first_s=None if step.tracer_limits else max(first_s, least_s),
            again_s=max(again_s, least_s),
        )
        return step.model_copy(update={"early_stop": stop})
    early: dict[str, object] = {} if step.early_stop else {"early_stop": EARLY_STOP}
    if reference is not None:
        most = max(reference.written_bytes(file) for file in (None, *reference.files))
        output_bytes = min(step.limits.output_bytes, OUTPUT_TIMES * most + EARLY_OUTPUT_BYTES)
        early["limits"] = step.limits.model_copy(update={"output_bytes": output_bytes})
    return step.model_copy(update=early)


def by_program(plan: Plan) -> tuple[Plan, ...]:
    """Return the plan of each program: no step depends on one of another program."""
    return tuple(
        plan.model_copy(
            update={"builds": (build,), "runs": tuple(run for run in plan.runs if run.program == build.program)}
        )
        for build in plan.builds
    )


def split_hidden(spec: Spec, plan: Plan) -> tuple[Plan, Plan]:
    """Return the part of the plan that students see, and the part that they do not.

    Each goes to guests of its own, one after the other: no run that is shown can find what a hidden run leaves
    behind, in whatever way. The hidden part repeats the builds and the short runs that it depends on. If it has no
    runs, nothing is hidden. If students see no check of these runs, there is nothing to keep hidden runs apart from.
    """
    seen_cases = {case for item in spec.rubric if item.visibility == "visible" for _, case in item.case_references()}
    named_cases = {case for item in spec.rubric for _, case in item.case_references()}
    hidden_cases = {name for name, case in spec.cases.items() if case.hidden} | named_cases - seen_cases
    hidden = [run.id for run in plan.runs if run.case in hidden_cases]
    if seen_cases.isdisjoint(run.case for run in plan.runs):
        return plan, plan.model_copy(update={"builds": (), "runs": ()})
    runs = _needed(spec, plan.runs, hidden)
    builds = tuple(
        build.model_copy(update={"marked": None})
        for build in plan.builds
        if any(run.program == build.program for run in runs)
    )
    return (
        plan.model_copy(update={"runs": tuple(run for run in plan.runs if run.case not in hidden_cases)}),
        plan.model_copy(update={"builds": builds, "runs": runs}),
    )


def _needed(spec: Spec, runs: Sequence[RunStep], steps: Iterable[str]) -> tuple[RunStep, ...]:
    """Return the runs of these steps, and the short runs that they depend on: a long one saves no time."""
    by_id = {run.id: run for run in runs}
    needed: set[str] = set()
    pending = [step for step in steps if step in by_id]
    while pending:
        step = pending.pop()
        if step not in needed:
            needed.add(step)
            others = (by_id[step].predicted_by, *by_id[step].requires_ended)
            pending += [
                other for other in others if other in by_id and spec.cases[by_id[other].case].limits == "small"
            ]
    return tuple(run for run in runs if run.id in needed)


def build_step(spec: Spec, program: str, folder: str = "", seed: str = "") -> BuildStep:
    """Return the compiler's argument vectors for a program whose sources are in this folder.

    The marked run, if there is one, depends on `seed`.
    """
    declared, build = spec.programs[program], spec.build_of(program)
    if build.make is not None:
        return BuildStep(
            program=program,
            source=declared.main_source,
            folder=folder,
            made=build.make,
            files=(*spec.provided_for(program), *declared.files),
            compile=spec.build_command(program),
            compile_object=(),
        )
    # Of several sources, an object has what none of them defines.
    object_sources = ("-c" if len(declared.all_sources) == 1 else "-r", *declared.all_sources)
    rules = spec.symbol_rules(program)
    return BuildStep(
        program=program,
        source=declared.main_source,
        folder=folder,
        compile=spec.build_command(program),
        compile_object=(*build.object_command, *object_sources),
        compile_program_object=(*build.program_object_command, *object_sources),
        one_of_each=tuple(dict.fromkeys(group for rule in rules for group in rule.one_of_each)),
        none_of=tuple(dict.fromkeys(name for rule in rules for name in rule.none_of)),
        marked=_marked_run(spec, program, seed),
    )


def _marked_run(spec: Spec, program: str, seed: str) -> MarkedRun | None:
    rule = spec.marking_rule(program)
    if rule is None or rule.used_in is None:
        return None
    case, limits = spec.cases[rule.used_in], spec.limits_for(rule.used_in)
    return MarkedRun(
        compile=(*spec.build_of(program).compiler_command, *MARKED_OPTIONS, *spec.compiled_files(program)),
        functions=tuple(dict.fromkeys(name for group in rule.one_of_each for name in group)),
        letters=case.free_letters,
        seed=seed,
        called=program,
        operands=case.arguments,
        environment=case.environment,
        limits=limits.model_copy(update={"wall_s": min(limits.wall_s, MARKED_WALL_S)}),
    )


def _runs(spec: Spec, program: str, stage: Stage, strace: StraceMode) -> Iterator[RunStep]:
    """Yield the runs of a stage, in the order of the spec's cases."""
    for name, case in spec.cases.items():
        if not case.runs(program):
            continue
        match stage:
            case "to-be-logged" if _is_logged(case) and case.engine != "none":
                yield _step(spec, program, name, case.engine)
            case "logged" if case.strace == "always":
                yield _step(spec, program, name, "strace")
            case "small" | "full" if case.limits == stage and case.engine != "none" and not _is_logged(case):
                yield _step(spec, program, name, case.engine)
            case "conditional" if case.strace == "when-cheap" or (strace == "full" and _is_conditional(case)):
                yield _step(spec, program, name, "strace")
                if strace == "full":
                    yield _step(spec, program, name, "strace-count")


def _is_logged(case: Case) -> bool:
    return case.limits == "small" and case.strace == "always"


def _is_conditional(case: Case) -> bool:
    return case.strace == "when-cheap" or case.when == "cheap"


def _step(spec: Spec, program: str, name: str, engine: Engine) -> RunStep:
    case, patterns = spec.cases[name], spec.calls_of(program, name)
    slice_case = spec.slice_for(program, name)
    stdout = patterns.terminal if case.sink == "terminal" else patterns.stdout
    read_nbyte, write_nbyte = _exact_nbyte(patterns.stdin), _exact_nbyte(stdout)
    is_exact = read_nbyte is not None and write_nbyte is not None
    predicted_by = trace_id(program, slice_case) if slice_case and case.limits == "full" else None
    if engine == "filter" and case.strace == "when-cheap" and predicted_by and read_nbyte is write_nbyte is None:
        # The filter would have to stop each call, and show only what strace shows of the same run.
        engine = "account"
    if engine == "plain":
        engine = _counted(spec, name, is_exact=is_exact)
    if engine == "filter" and case.judges_files:
        # The filter knows a stream by its descriptor, and that of a file is not known before it is opened.
        engine = "account"
    sees_nbyte = engine == "filter" or (engine == "account" and is_exact and not case.judges_files)
    ids = {"strace": trace_id, "strace-count": count_id}
    return RunStep(
        id=ids.get(engine, run_id)(program, name),
        program=program,
        case=name,
        operands=case.arguments,
        input=case.input,
        files=_files(case, engine),
        input_file=case.streams.input,
        output_file=case.streams.output,
        environment=case.environment,
        pipe=case.source if isinstance(case.source, PipeSource) else None,
        sink=case.sink,
        engine=engine,
        read_nbyte=read_nbyte if sees_nbyte else None,
        write_nbyte=write_nbyte if sees_nbyte else None,
        limits=spec.limits_for(name),
        tracer_limits=spec.limits_for(name, engine) if engine in ("strace", "strace-count") else None,
        predicted_by=predicted_by,
        only_if=_condition(case, engine),
        requires_ended=_similar_runs(spec, program, name, engine) if case.limits == "full" else (),
        hang_group=_hang_group(spec, name),
        early_stop=_stop_of_strace(case) if engine == "strace" else None,
        searched=case.searched,
        repeat_untraced=engine == "filter" and spec.repeats_untraced(program, name),
    )


def _similar_runs(spec: Spec, program: str, name: str, engine: Engine) -> tuple[str, ...]:
    """Return runs that show whether a program ends in a case at full size: if it does not, this takes very long.

    They are the slice and, under strace, which decides nothing alone, the same run without it, and short runs to the
    same terminal or pipe. What is run only if it is cheap is not run either if the program does not end with
    another sink.
    """
    case, slice_case = spec.cases[name], spec.slice_for(program, name)
    similar = [slice_case] if slice_case else []
    is_traced = engine in ("strace", "strace-count")
    for other_name, other in spec.cases.items():
        is_short = is_traced and other.limits == "small" and other.sink != "file" and other.copies_reference
        differs_in_input = is_short and _differs_only(case, other, "input")
        differs_in_sink = case.when == "cheap" and _differs_only(case, other, "sink")
        if other_name != name and other.runs(program) and (differs_in_input or differs_in_sink):
            similar.append(other_name)
    if is_traced:
        similar.append(name)
    return tuple(dict.fromkeys(run_id(program, one) for one in similar if spec.cases[one].engine != "none"))


def _differs_only(case: Case, other: Case, what: Literal["input", "sink"]) -> bool:
    """Return whether a program is started in the same way in both cases, except for its input or its sink."""
    same = (case.arguments, case.source, case.environment) == (other.arguments, other.source, other.environment)
    files = [{file: one.content is None for file, one in each.files.items()} for each in (case, other)]
    if what == "input":
        return same and files[0] == files[1] and case.sink == other.sink
    return same and case.files == other.files and case.input == other.input


def _stop_of_strace(case: Case) -> EarlyStop:
    return EARLY_STOP_OF_STRACE if case.limits == "small" else EARLY_STOP_OF_LONG_STRACE


def _files(case: Case, engine: Engine) -> tuple[RunFile, ...]:
    # The run without strace is the one that is judged; how many calls are right depends on the bytes in each.
    is_judged = engine not in ("strace", "strace-count")
    return tuple(
        RunFile(
            name=name,
            content=file.content,
            read_back=name == case.streams.output or (is_judged and file.expect is not None),
            executable=file.executable is True,
        )
        for name, file in case.files.items()
    )


def _counted(spec: Spec, name: str, *, is_exact: bool) -> Engine:
    """Return the engine of a short run: its calls count if a call pattern names it.

    The filter shows nbyte. Another pattern does not ask for it, and the totals leave no trace that a program could
    notice; so does the slice, for comparison with its log.
    """
    items = [item for item in spec.rubric if isinstance(item, CallPatternItem)]
    if any(name == item.slice for item in items):
        return "account"
    if any(name in item.small for item in items):
        return "filter" if is_exact else "account"
    return "plain"


def _hang_group(spec: Spec, name: str) -> str | None:
    """Return the hang group of a case (see RunStep); None if no check depends on the case.

    A program that does not end on one input to copy does not end on the next either, but may still refuse operands.
    Other cases are grouped by their checks, which have then failed whatever the remaining cases would do.
    """
    case = spec.cases[name]
    items = [item for item in spec.rubric if name in (case for _, case in item.case_references())]
    # A case whose calls are judged is there to be copied, even if no output is expected.
    if case.copies_reference or any(isinstance(item, CallPatternItem | TerminalItem) for item in items):
        return "copies"
    checks = [item.name for item in items]
    return f"checks {' '.join(checks)}" if checks else None


def _condition(case: Case, engine: Engine) -> Literal["cheap", "costly"] | None:
    if not _is_conditional(case):
        return None
    match engine:
        case "strace":
            return "cheap"
        case "strace-count":
            return "costly"
        case _:
            return "cheap" if case.when == "cheap" else None


def _exact_nbyte(pattern: CallPattern) -> int | None:
    """Return the nbyte that the lab asks for: calls with exactly this nbyte need not be traced one by one."""
    return pattern.nbyte if isinstance(pattern, ExactCalls) else None
