from __future__ import annotations

import pytest

from grader.grading.plan_builder import (
    EARLY_STOP,
    EARLY_STOP_AT_FULL_SIZE,
    EARLY_STOP_OF_LONG_STRACE,
    EARLY_STOP_OF_STRACE,
    OUTPUT_TIMES,
    TIMES_OF_REFERENCE,
    StraceMode,
    build_plan,
    by_program,
    stopping_early,
)
from grader.lab.load import read_spec
from grader.model.evidence import Times, program_and_case, run_id, trace_id
from grader.model.plan import EarlyStop, Plan, RunStep
from grader.model.spec.cases import PipeSource
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem, program_of
from grader.model.stopped import EARLY_OUTPUT_BYTES
from grader.model.submission import Source, Submission, UnusableSource
from grader.resources import resource

from .facts import LAB, REFERENCE_TIMES, SUBMISSION
from .lab import CHEAP_CALLS, PROGRAMS, SPEC, STRACE_FULL_WALL_S, SUBMISSION_S

SLICES = ["slice", "screen"]
WHEN_CHEAP = ["random", "pattern", "screen-full"]
SHOWN = "screen-shown"
"""Run at all only where that is cheap."""


def plan(mode: StraceMode = "slice", submission: Submission = SUBMISSION) -> Plan:
    return build_plan(SPEC, submission, mode)


def steps(program: str, mode: StraceMode = "slice") -> dict[str, RunStep]:
    return {step.id: step for step in plan(mode).runs if step.program == program}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_slice_comes_first_then_every_case_then_what_may_be_cheap(program: str) -> None:
    untraced = [
        name
        for size in ("small", "full")
        for name, case in SPEC.cases.items()
        if case.engine != "none" and case.limits == size and name not in SLICES
    ]
    assert list(steps(program)) == [
        *(f"{program}.{name}" for name in SLICES),
        *(f"{program}.{name}.strace" for name in SLICES),
        *(f"{program}.{name}" for name in untraced),
        *(f"{program}.{name}.strace" for name in WHEN_CHEAP),
    ]


def test_only_runs_under_strace_are_stopped_early_unless_all_are_wanted_to_be() -> None:
    for step in plan("full").runs:
        is_short = SPEC.cases[step.case].limits == "small"
        expected = EARLY_STOP_OF_STRACE if is_short else EARLY_STOP_OF_LONG_STRACE
        assert step.early_stop == (expected if step.engine == "strace" else None), step.id


def test_short_runs_are_stopped_early_if_wanted() -> None:
    for step in stopping_early(SPEC, plan(), LAB.reference.evidence).runs:
        if SPEC.cases[step.case].limits == "small":
            assert step.early_stop == (EARLY_STOP_OF_STRACE if step.engine == "strace" else EARLY_STOP), step.id


def test_runs_at_full_size_are_stopped_early_if_wanted_but_have_some_times_what_the_reference_takes() -> None:
    reference = LAB.reference.evidence
    slow = Times(real_s=7.0, user_s=0.1, sys_s=0.0)
    runs = {**reference.runs, "many.random": reference.runs["many.random"].model_copy(update={"times": slow})}
    stopped = stopping_early(SPEC, plan(), reference.model_copy(update={"runs": runs}))
    stops = {step.id: step.early_stop for step in stopped.runs if SPEC.cases[step.case].limits == "full"}
    least_s = TIMES_OF_REFERENCE * slow.real_s
    assert stops.pop("many.random") == EarlyStop(first_s=least_s, again_s=least_s)
    for step, stop in stops.items():
        assert stop is not None, step
        others_s = TIMES_OF_REFERENCE * REFERENCE_TIMES.real_s if step in runs else 0.0
        assert stop.again_s == max(EARLY_STOP_AT_FULL_SIZE.again_s, others_s), step
        # Under strace, only if the program is known not to end somewhere.
        traced = step.endswith(".strace")
        assert stop.first_s == (None if traced else max(EARLY_STOP_AT_FULL_SIZE.first_s or 0.0, others_s)), step


def test_short_runs_that_are_stopped_early_may_write_some_times_what_the_reference_writes() -> None:
    planned = plan()
    usual = {step.id: step.limits for step in planned.runs}
    written = {step: run.stdout.size_bytes for step, run in LAB.reference.evidence.runs.items()}
    for step in stopping_early(SPEC, planned, LAB.reference.evidence).runs:
        limit = usual[step.id].output_bytes
        if SPEC.cases[step.case].limits == "small" and step.id in written:
            assert step.limits.output_bytes == min(limit, OUTPUT_TIMES * written[step.id] + EARLY_OUTPUT_BYTES)
            assert written[step.id] < step.limits.output_bytes < limit
        else:
            assert step.limits.output_bytes == limit
    unknown = LAB.reference.evidence.model_copy(update={"runs": {}})
    assert {step.id: step.limits for step in stopping_early(SPEC, planned, unknown).runs} == usual


@pytest.mark.parametrize("mode", ["slice", "full"])
def test_only_what_may_be_dear_waits_for_the_slice(mode: StraceMode) -> None:
    for step in steps("many", mode).values():
        waits = step.id.endswith(".strace") and step.case in [*WHEN_CHEAP, SHOWN]
        waits = waits or step.id == f"many.{SHOWN}"
        assert step.only_if == ("cheap" if waits else "costly" if step.engine == "strace-count" else None), step.id
        full_size = SPEC.cases[step.case].limits == "full"
        assert step.predicted_by == ("many.slice.strace" if full_size else None), step.id


def test_strace_full_counts_what_is_too_dear_to_log() -> None:
    sliced, full = steps("single", "slice"), steps("single", "full")
    added = {name: step for name, step in full.items() if name not in sliced}
    assert {name: step for name, step in full.items() if name in sliced} == sliced
    # Every run at full size, also those that are otherwise not under strace.
    assert added.pop(f"single.{SHOWN}.strace").only_if == "cheap"
    assert set(added) == {f"single.{name}.strace-count" for name in [*WHEN_CHEAP, SHOWN]}
    for step in added.values():
        assert step.engine == "strace-count"
        assert (step.only_if, step.predicted_by) == ("costly", "single.slice.strace")


def test_each_engine_has_its_limits() -> None:
    limits = SPEC.limits
    sliced, full = steps("many"), steps("many", "full")
    assert sliced["many.copy"].limits == limits.small
    assert sliced["many.random"].limits == limits.full
    assert sliced["many.copy"].tracer_limits is None
    assert (sliced["many.slice.strace"].limits, sliced["many.random.strace"].limits) == (limits.small, limits.full)
    assert sliced["many.slice.strace"].tracer_limits == limits.strace_small
    assert sliced["many.random.strace"].tracer_limits == limits.strace
    assert full["many.random.strace-count"].tracer_limits == limits.strace_full


@pytest.mark.parametrize("program", PROGRAMS)
def test_full_size_waits_for_similar_runs_to_end(program: str) -> None:
    """Under strace, also for a short run to a terminal: reading standard output fails on a file, and waits there."""
    planned = steps(program, "full")
    similar = {
        step.id: {program_and_case(one)[1] for one in step.requires_ended}
        for step in planned.values()
        if step.engine != "strace-count"
    }
    assert not any(similar.pop(step) for step in [*similar] if SPEC.cases[planned[step].case].limits == "small")
    assert similar == {
        run_id(program, "random"): {"slice"},
        run_id(program, "pattern"): {"slice"},
        run_id(program, SHOWN): {"slice", "random"},
        # Nor under strace, if it does not end without.
        trace_id(program, "random"): {"slice", "random"},
        trace_id(program, "pattern"): {"slice", "pattern"},
        trace_id(program, "screen-full"): {"slice", "screen"},
        trace_id(program, SHOWN): {"slice", "screen", "random", SHOWN},
    }
    for step in planned.values():
        if step.engine == "strace-count":
            assert step.requires_ended == planned[trace_id(program, step.case)].requires_ended


def test_a_program_s_share_of_the_time_grows_by_what_counting_may_take() -> None:
    assert plan().program_wall_s == SUBMISSION_S / len(PROGRAMS)
    counted = len([*WHEN_CHEAP, SHOWN])
    assert plan("full").program_wall_s == SUBMISSION_S / len(PROGRAMS) + counted * STRACE_FULL_WALL_S
    alone = Submission("ada", {**SUBMISSION.sources, "many": UnusableSource("many.c is missing")})
    assert plan("full", alone).program_wall_s == plan("full").program_wall_s, "it is the share of one program"
    assert plan().cheap_calls == CHEAP_CALLS
    assert plan().build_limits == SPEC.limits.build


def test_a_source_that_cannot_be_used_is_left_out() -> None:
    submission = Submission("ada", {**SUBMISSION.sources, "many": UnusableSource("many.c is missing")})
    planned = plan(submission=submission)
    assert [step.program for step in planned.builds] == ["single"]
    assert {step.program for step in planned.runs} == {"single"}
    nothing = plan(submission=Submission("ada", dict.fromkeys(PROGRAMS, UnusableSource("missing"))))
    assert (nothing.builds, nothing.runs) == ((), ())
    assert nothing.program_wall_s == SUBMISSION_S / len(PROGRAMS)


def test_a_step_says_all_that_its_case_does() -> None:
    piped, refused, screen = (steps("many")[f"many.{name}"] for name in ("piped", "refuse", "screen"))
    assert (piped.pipe, piped.sink, piped.input) == (PipeSource(kind="pipe", chunk_bytes=5), "pipe", "text")
    assert (refused.operands, refused.pipe, refused.sink) == ((b"\xff",), None, "file")
    assert screen.sink == "terminal"
    assert steps("many")["many.pattern"].engine == "account"


@pytest.mark.parametrize(("program", "engine", "nbyte"), [("many", "account", None), ("single", "filter", 1)])
def test_tally_s_filter_lets_through_what_the_lab_asks_for(program: str, engine: str, nbyte: int | None) -> None:
    random, pattern = (steps(program)[f"{program}.{name}"] for name in ("random", "pattern"))
    assert (random.engine, random.read_nbyte, random.write_nbyte) == (engine, nbyte, nbyte)
    assert (pattern.engine, pattern.read_nbyte, pattern.write_nbyte) == ("account", nbyte, nbyte)


def test_the_filter_stops_each_call_of_a_run_that_strace_does_not_see() -> None:
    """Where it does (`when-cheap`), as above, the filter would show nothing more."""
    case = SPEC.cases["random"].model_copy(update={"strace": "never"})
    spec = SPEC.model_copy(update={"cases": {**SPEC.cases, "random": case}})
    (random,) = (step for step in build_plan(spec, SUBMISSION).runs if step.id == "many.random")
    assert (random.engine, random.read_nbyte, random.write_nbyte) == ("filter", None, None)


def test_the_filter_of_a_run_to_a_terminal_lets_through_what_the_lab_asks_for_there() -> None:
    case = SPEC.cases["random"].model_copy(update={"sink": "terminal"})
    declared = SPEC.programs["single"].model_copy(update={"terminal": ExactCalls(calls="exact", nbyte=7)})
    changes = {"cases": {**SPEC.cases, "random": case}, "programs": {**SPEC.programs, "single": declared}}
    planned = {step.id: step for step in build_plan(SPEC.model_copy(update=changes), SUBMISSION).runs}
    assert planned["single.random"].write_nbyte == 7
    planned = {
        step.id: step
        for step in build_plan(SPEC.model_copy(update={**changes, "cases": SPEC.cases}), SUBMISSION).runs
    }
    assert planned["single.random"].write_nbyte == 1


def test_runs_are_given_up_together_if_they_copy_or_if_the_same_checks_need_them() -> None:
    groups = {name: step.hang_group for name, step in steps("many", "full").items()}
    copies = {name for name, step in steps("many", "full").items() if step.case not in ("refuse", "open")}
    assert len({groups[name] for name in copies}) == 1
    assert len({groups["many.copy"], groups["many.refuse"], groups["many.open"]}) == 3
    assert None not in groups.values()
    # No check of the rubric needs this run any more, so nothing says which others would end like it.
    rubric = tuple(item for item in SPEC.rubric if item.name != "either")
    planned = build_plan(SPEC.model_copy(update={"rubric": rubric}), SUBMISSION).runs
    assert {step.hang_group for step in planned if step.case == "open"} == {None}


def test_the_filter_stays_where_nothing_tells_strace_that_a_run_is_cheap() -> None:
    """A case of little input has no shorter one that foretells it, so its run under strace never takes place."""
    case = SPEC.cases["random"].model_copy(update={"limits": "small"})
    spec = SPEC.model_copy(update={"cases": {**SPEC.cases, "random": case}})
    small = {step.id: step for step in build_plan(spec, SUBMISSION).runs}
    assert small["many.random"].engine == "filter"
    assert (small["many.random.strace"].only_if, small["many.random.strace"].predicted_by) == ("cheap", None)


def test_the_compiler_s_commands() -> None:
    build = plan().builds[0]
    assert build.compile == ("gcc", "-std=gnu11", "-O2", "many.c")
    assert build.compile_object == ("gcc", "-std=gnu11", "-O0", "-w", "-fno-lto", "-c", "many.c")
    assert build.compile_program_object == ("gcc", "-std=gnu11", "-O2", "-w", "-fno-lto", "-c", "many.c")
    rule = SPEC.programs["many"].symbols
    assert (build.one_of_each, build.none_of) == (rule.one_of_each, rule.none_of)


@pytest.mark.parametrize(
    ("asked", "planned"),
    [
        (["many.build"], []),
        (["many.output"], ["many.copy", "many.piped"]),
        (["many.output", "single.errors"], ["many.copy", "many.piped", "single.refuse"]),
        # What tells what to expect of a large run comes along.
        (["single.large"], ["single.slice.strace", "single.slice", "single.random"]),
        (["many.timing"], ["many.slice.strace", "many.slice", "many.pattern"]),
    ],
)
def test_only_what_the_wanted_checks_rest_on_is_run(asked: list[str], planned: list[str]) -> None:
    wanted = build_plan(SPEC, SUBMISSION, selected_checks=frozenset(asked))
    everything = plan()
    assert sorted(step.id for step in wanted.runs) == sorted(planned)
    assert [step for step in everything.runs if step in wanted.runs] == list(wanted.runs), (
        "as ever, in the same order"
    )
    programs = {program_of(check) for check in asked}
    assert {step.program for step in wanted.builds} == programs


def test_the_work_of_each_program_is_all_of_it_in_its_order() -> None:
    whole = plan()
    shares = by_program(whole)
    assert [[build.program for build in share.builds] for share in shares] == [[program] for program in PROGRAMS]
    for share, program in zip(shares, PROGRAMS, strict=True):
        assert share.runs == tuple(run for run in whole.runs if run.program == program)
        assert share.model_copy(update={"builds": whole.builds, "runs": whole.runs}) == whole
        named = {name for run in share.runs for name in (run.predicted_by, *run.requires_ended) if name}
        assert named <= {run.id for run in share.runs}, "no run waits for one of another program"


def test_short_cases_of_a_call_pattern_are_counted() -> None:
    small = tuple(
        item.model_copy(update={"small": ("copy",)}) if isinstance(item, CallPatternItem) else item
        for item in SPEC.rubric
    )
    planned = {step.id: step for step in build_plan(SPEC.model_copy(update={"rubric": small}), SUBMISSION).runs}
    assert (planned["single.copy"].engine, planned["single.copy"].read_nbyte) == ("filter", 1)
    assert (planned["many.copy"].engine, planned["many.copy"].read_nbyte) == ("account", None)
    assert {planned[f"{program}.slice"].engine for program in PROGRAMS} == {"account"}
    assert {planned[f"{program}.piped"].engine for program in PROGRAMS} == {"plain"}


def test_the_own_size_of_an_exact_pattern_is_run_without_a_tracer_too() -> None:
    spec = read_spec(resource("specs", "tr2.yaml"))
    sources = {name: Source(b"int main(void) {}") for name in spec.programs}
    planned = build_plan(spec, Submission("own", sources)).runs
    assert {step.id for step in planned if step.repeat_untraced} == {"tr2u.own-size"}


def test_an_exact_pattern_has_a_run_at_full_size_with_a_tracer_and_others_without() -> None:
    spec = read_spec(resource("specs", "tr2.yaml"))
    sources = {name: Source(b"int main(void) {}") for name in spec.programs}
    planned = {step.id: step for step in build_plan(spec, Submission("own", sources)).runs}
    full = [
        planned[f"tr2u.{case}"] for item in spec.rubric if isinstance(item, CallPatternItem) for case in item.full
    ]
    assert sorted(step.engine for step in full) == ["account", "account", "filter"]
    # In all, calls that do not conform are named.
    assert {(step.read_nbyte, step.write_nbyte) for step in full} == {(1, 1)}
    assert planned["tr2b.pattern-5m"].read_nbyte is None


def test_a_case_is_run_only_for_its_programs() -> None:
    cases = {**SPEC.cases, "copy": SPEC.cases["copy"].model_copy(update={"programs": ("single",)})}
    runs = build_plan(SPEC.model_copy(update={"cases": cases}), SUBMISSION).runs
    assert [step.program for step in runs if step.case == "copy"] == ["single"]
    assert len(runs) == len(plan().runs) - 1


def test_full_size_is_predicted_by_the_slice_of_the_check_that_judges_it() -> None:
    item = next(item for item in SPEC.rubric if isinstance(item, CallPatternItem))
    other = item.model_copy(
        update={"name": "other", "slice": "screen", "full": ("pattern",), "points": {"single": 1}}
    )
    spec = SPEC.model_copy(update={"rubric": (item.model_copy(update={"full": ("random",)}), other)})
    predicted = {
        step.id: step.predicted_by for step in build_plan(spec, SUBMISSION).runs if step.predicted_by is not None
    }
    assert predicted["single.pattern"] == "single.screen.strace"
    assert predicted["single.random"] == "single.slice.strace"
    assert predicted["many.pattern"] == "many.slice.strace"


def test_every_run_with_calls_reads_back_the_file_that_they_write() -> None:
    """Otherwise the bytes of a run under strace are unknown, and its calls are compared with those of other bytes."""
    spec = read_spec(resource("specs", "copybuf.yaml"))
    sources = {name: Source(b"int main(void) { return 0; }") for name in spec.programs}
    engines = set[str]()
    for step in build_plan(spec, Submission("ada", sources), "full").runs:
        output = spec.cases[step.case].streams.output
        if output is not None:
            assert [file.read_back for file in step.files if file.name == output] == [True]
            engines.add(step.engine)
    assert engines == {"strace", "account"}
