"""Run the failed cases of a submission once more, to see whether the grader itself may be the reason.

tally shows which calls its guard refused, and which failed because of a limit. A case that had too little memory is
run with more: if it does the same, the limit is not the reason, unless it reached another limit then. A write across
the largest size of a file is only shortened, without a signal: a case that wrote so much is run with more, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from grader.diagnose.behaviour.restrictions import reached, refused
from grader.errors import GraderError
from grader.explain.second_run import (
    SMALL_BYTES,
    Result,
    SecondGuests,
    evidence_of_copy,
    has_time,
    run_of_copy,
    short_runs,
)
from grader.explain.trials import Trials, is_right
from grader.model.evidence import Evidence, LimitReached, RunDone, Trace, UsedUp, run_id, succeeded
from grader.model.lab import Lab
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.report import CaseResult, Report, Restriction
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import Visibility
from grader.options import TimeLeft
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect

MOST_CASES = 40
"""Short failed cases of a program that are run again. Each takes hundredths of a second."""

STOP_S = 2.0
"""Seconds after which a run is stopped. Only one case is run that did not end before."""

PROGRAM_WALL_S = 8.0
MORE = 16
"""How many times as much memory, or output, a case gets that may have had too little."""

_LATER = ("rt_sigaction",)
"""Calls that set what happens later: a handler of a signal."""

CPU_TIME: UsedUp = "cpu_time"

_VISIBLE: frozenset[Visibility] = frozenset({"visible"})
_UNKNOWN_OF_HIDDEN = "the grader could not see whether it refused something in runs that students do not see"


@dataclass(frozen=True)
class Restrictions:
    """What the grader did not allow in failed cases; `notes` say what could not be found out."""

    found: tuple[Restriction, ...] = ()
    notes: tuple[str, ...] = ()


def restrictions_of_lab(
    spec: Spec, plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes], sandbox: Sandbox
) -> tuple[Restriction, ...]:
    """Return what the grader does not allow to programs of the lab itself in short cases, given the plan of all runs.

    Raises:
        GraderError: the runs could not be made.
    """
    steps = short_runs(spec, plan)
    again = plan.model_copy(
        update={"builds": tuple(map(_build, plan.builds)), "runs": tuple(map(_observed, steps)), "deadline_s": None}
    )
    with sandbox.open(Job(again, sources, inputs)) as session:
        evidence = collect(session.events())
    found: list[Restriction] = []
    for program in dict.fromkeys(step.program for step in steps):
        seen = evidence_of_copy(evidence, _name(program), program)
        own = [step.case for step in steps if step.program == program]
        traces = {case: trace for case in own if (trace := _trace(seen.run(program, case))) is not None}
        names = [call for trace in traces.values() for call in trace.refused]
        if names:
            found.append(refused(program, names, [case for case in traces if traces[case].refused]))
        limits: dict[UsedUp, list[str]] = _by_limit({case: trace.limits_reached for case, trace in traces.items()})
        full = [step.case for step in steps if step.program == program and _is_full(step, seen)]
        if full:
            limits["file_size"] = [*dict.fromkeys((*limits.get("file_size", ()), *full))]
        found += [reached(spec, program, limit, cases, passes=False) for limit, cases in limits.items()]
    return tuple(found)


@dataclass(frozen=True)
class _Program:
    """The cases of a program that are run again, those that failed, and those that passed.

    Students see those that failed at the same time: a sentence about some says nothing of cases that come later.
    """

    name: str
    steps: Mapping[str, RunStep]
    failed: Sequence[str]
    passed: Collection[str]


class RestrictionSearch:
    """Looks for what the grader did not allow to the programs of one submission."""

    def __init__(
        self, lab: Lab, sources: Mapping[str, bytes], guests: SecondGuests, trials: Trials, time_left: TimeLeft
    ) -> None:
        self._lab = lab
        self._sources = sources
        self._guests = guests
        self._trials = trials
        self._time_left = time_left

    def search(self, report: Report, runs: Plan, judged: Evidence) -> Restrictions:
        """Run the failed cases of a report among these runs again; `judged` is the evidence of the report."""
        programs = _programs(report, runs.runs)
        if not programs:
            return Restrictions()
        if not has_time(self._time_left):
            return Restrictions(notes=("the grader had no time left to see whether it refused something",))
        steps = {step.id: _observed(step) for program in programs for step in program.steps.values()}
        try:
            evidence = self._run(runs, [*steps.values()])
            found = [self._found(program, evidence, judged, runs) for program in programs]
        except GraderError as error:
            return Restrictions(notes=(f"the grader could not see whether it refused something: {error}",))
        return Restrictions(tuple(restriction for of_program in found for restriction in of_program))

    def search_last(self, report: Report, seen: Plan, hidden: Plan, judged: Evidence) -> Restrictions:
        """Do the same when all runs have ended: with those that students do not see, or else with those they see."""
        if not hidden.builds:
            return self.search(report, seen, judged)
        # No run of the other kind may find what the runs of a guest leave behind.
        self._guests.close()
        steps = {run.id for run in seen.runs}
        only_hidden = tuple(run for run in hidden.runs if run.id not in steps)
        found = self.search(report, hidden.model_copy(update={"runs": only_hidden}), judged)
        # An error may name bytes of a hidden input, and students see notes.
        return replace(found, notes=(_UNKNOWN_OF_HIDDEN,) if found.notes else ())

    def _run(self, runs: Plan, steps: Sequence[RunStep]) -> Evidence:
        copies = {step.program for step in steps}
        plan = runs.model_copy(
            update={
                "builds": tuple(_build(build) for build in runs.builds if _name(build.program) in copies),
                "runs": tuple(steps),
                "program_wall_s": PROGRAM_WALL_S,
                "deadline_s": self._time_left.left_s,
            }
        )
        return self._guests.run(plan, self._sources, self._lab.inputs)

    def _found(self, cases: _Program, evidence: Evidence, judged: Evidence, runs: Plan) -> list[Restriction]:
        program = cases.name
        seen = evidence_of_copy(evidence, _name(program), program)
        traces = {case: trace for case in cases.steps if (trace := _trace(seen.run(program, case))) is not None}
        for case, step in cases.steps.items():
            if case in traces and _used_up_time(step, seen.run(program, case), judged.run(program, case)):
                limits = dict.fromkeys((*traces[case].limits_reached, CPU_TIME))
                traces[case] = traces[case].model_copy(update={"limits_reached": tuple(limits)})
        calls = _unusual({case: trace.refused for case, trace in traces.items()}, cases.passed, _LATER)
        names = [call for of_case in calls.values() for call in of_case]
        refusals = [refused(program, names, _with_others(cases, traces, calls))] if names else []
        shown = self._trials.facts(seen)
        wrong = [case for case in cases.steps if not is_right(self._lab, shown, program, case)]
        cut = [case for case in wrong if case not in cases.passed and _may_be_cut(cases.steps[case], seen)]
        return [*refusals, *self._limits(cases, traces, judged, runs), *self._cut(cases, cut, runs)]

    def _cut(self, cases: _Program, cut: Sequence[str], runs: Plan) -> Iterator[Restriction]:
        """Yield the limit of what is written if cases are right with a higher one."""
        if cut:
            evidence = self._run(runs, [_with_more(cases.steps[case], "output_bytes") for case in cut])
            facts = self._trials.facts(evidence_of_copy(evidence, _name(cases.name), cases.name))
            right = [case for case in cut if is_right(self._lab, facts, cases.name, case)]
            yield from self._reached(cases.name, "file_size", right, passes=True)

    def _limits(
        self, cases: _Program, traces: Mapping[str, Trace], judged: Evidence, runs: Plan
    ) -> Iterator[Restriction]:
        """Yield the limits that failed cases reached, and those that they reached with more memory."""
        everything = {case: trace.limits_reached for case, trace in traces.items()}
        limits = _unusual(everything, cases.passed)
        # More memory shows whether there was too little, also if a case that passed did without.
        short = [case for case, seen in everything.items() if "memory" in seen and case not in cases.passed]
        right, same, later = self._with_more(cases, short, judged, runs)
        solved = [case for case in short if case in right]
        yield from self._reached(cases.name, "memory", solved, passes=True)
        for limit, reaching in _by_limit(limits).items():
            left = [case for case in reaching if limit != "memory" or case not in same | right]
            yield from self._reached(cases.name, limit, left, passes=False)
        usual = {limit for case in cases.passed if case in traces for limit in traces[case].limits_reached}
        new = {case: [limit for limit in later[case] if limit not in {*usual, *everything[case]}] for case in later}
        for limit, reaching in _by_limit(new).items():
            yield from self._reached(cases.name, limit, reaching, passes=False, with_more_memory=True)

    def _reached(
        self, program: str, limit: UsedUp, cases: Sequence[str], *, passes: bool, with_more_memory: bool = False
    ) -> Iterator[Restriction]:
        """Yield what is to say about a limit: one restriction for each key in the spec."""
        place = {case: self._lab.spec.limits_place(case) for case in cases}
        for key in dict.fromkeys(place.values()):
            of_key = [case for case in cases if place[case] == key]
            yield reached(self._lab.spec, program, limit, of_key, passes=passes, with_more_memory=with_more_memory)

    def _with_more(
        self, cases: _Program, short: Sequence[str], judged: Evidence, runs: Plan
    ) -> tuple[set[str], set[str], dict[str, list[UsedUp]]]:
        """Run cases with more memory, and return those that are right then, and those that are as before.

        The others have what they reached instead: more processes, for example, need more memory for their stacks.
        """
        if not short:
            return set(), set(), {}
        program = cases.name
        evidence = self._run(runs, [_with_more(cases.steps[case], "memory_bytes") for case in short])
        facts = self._trials.facts(evidence_of_copy(evidence, _name(program), program))
        right = {case for case in short if is_right(self._lab, facts, program, case)}
        same = {case for case in short if _is_same(facts.evidence.run(program, case), judged.run(program, case))}
        traces = {case: trace for case in short if (trace := _trace(facts.evidence.run(program, case))) is not None}
        others = {
            case: [*trace.limits_reached]
            for case, trace in traces.items()
            if case not in right and trace.limits_reached and "memory" not in trace.limits_reached
        }
        return right, same - right - {*others}, others


def _programs(report: Report, steps: Iterable[RunStep]) -> list[_Program]:
    """Return what to run again of each program: short failed cases, or else one long one, and one that ended well."""
    by_id = {step.id: step for step in steps}
    results: dict[str, dict[str, CaseResult]] = {}
    shown: dict[tuple[str, str], set[Visibility]] = {}
    for check in report.checks:
        for result in check.results:
            if result.ending is not None and run_id(check.program, result.case) in by_id:
                of_program = results.setdefault(check.program, {})
                if not result.passed or result.case not in of_program:
                    of_program[result.case] = result
                shown.setdefault((check.program, result.case), set()).add(check.visibility)
    found: list[_Program] = []
    for program, of_program in results.items():
        # With an empty input, a program may pass because it does nothing with what was refused.
        has_input = any(result.input_size_bytes for result in of_program.values() if not result.passed)
        passed = [
            case
            for case, result in of_program.items()
            if result.passed and _is_comparable(result) and (result.input_size_bytes or not has_input)
        ][:1]
        groups: dict[frozenset[Visibility], list[CaseResult]] = {}
        for case, result in of_program.items():
            if not result.passed:
                seen = frozenset(shown[program, case])
                groups.setdefault(seen & _VISIBLE or seen, []).append(result)
        for failed in groups.values():
            again = [*passed, *_again_of(failed)]
            of_group = {case: by_id[run_id(program, case)] for case in again}
            found.append(_Program(program, of_group, [result.case for result in failed], passed))
    return found


def _again_of(failed: Iterable[CaseResult]) -> list[str]:
    """Return the cases to run again of those that failed."""
    by_size = sorted(failed, key=lambda result: result.input_size_bytes)
    chosen = [*filter(_is_small, by_size)] or by_size[:1]
    ended = [result.case for result in chosen if not isinstance(result.ending, LimitReached)]
    hung = [result.case for result in chosen if isinstance(result.ending, LimitReached)]
    return [*ended[:MOST_CASES], *hung[:1]]


def _unusual(
    seen: Mapping[str, Sequence[Result]], passed: Collection[str], kept: Collection[Result] = ()
) -> dict[str, list[Result]]:
    """Return what was seen in some cases, without what cases that passed have too: that is not why others fail.

    What is `kept` shows its effect later, and not in every case.
    """
    usual = {*chain.from_iterable(seen.get(case, ()) for case in passed)}.difference(kept)
    unusual = {case: [one for one in of_case if one not in usual] for case, of_case in seen.items()}
    return {case: of_case for case, of_case in unusual.items() if of_case}


def _by_limit(limits: Mapping[str, Sequence[UsedUp]]) -> dict[UsedUp, list[str]]:
    """Return the cases that reached each limit."""
    found: dict[UsedUp, list[str]] = {}
    for case, of_case in limits.items():
        for limit in dict.fromkeys(of_case):
            found.setdefault(limit, []).append(case)
    return found


def _is_small(result: CaseResult) -> bool:
    return result.input_size_bytes <= SMALL_BYTES


def _is_comparable(result: CaseResult) -> bool:
    """Return whether other cases cannot fail because of what this one does, which passed.

    A program that reports what was refused, and ends, passes where it should report an error.
    """
    return _is_small(result) and result.ending is not None and succeeded(result.ending)


def _with_others(cases: _Program, traces: Mapping[str, Trace], restricted: Iterable[str]) -> list[str]:
    """Return these cases and, if all failed ones that were run again are among them, those that were not."""
    known = {*restricted}
    is_all = all(case in known for case in traces if case not in cases.passed)
    return [case for case in cases.failed if case in known or (is_all and case not in traces)]


def _name(program: str) -> str:
    return f"{program}_restricted"


def _build(build: BuildStep) -> BuildStep:
    return build.model_copy(update={"program": _name(build.program), "compile_object": (), "marked": None})


def _again(step: RunStep, **changes: object) -> RunStep:
    limits = step.limits.model_copy(update={"wall_s": min(step.limits.wall_s, STOP_S)})
    plain = {
        "engine": "plain",
        "read_nbyte": None,
        "write_nbyte": None,
        "tracer_limits": None,
        "only_if": None,
        "repeat_untraced": False,
    }
    return run_of_copy(step, _name(step.program), limits).model_copy(update={**plain, **changes})


def _observed(step: RunStep) -> RunStep:
    return _again(step, engine="filter", limits_only=True)


def _with_more(step: RunStep, limit: Literal["memory_bytes", "output_bytes"]) -> RunStep:
    again = _observed(step)
    return again.model_copy(
        update={"limits": again.limits.model_copy(update={limit: MORE * getattr(step.limits, limit)})}
    )


def _may_be_cut(step: RunStep, evidence: Evidence) -> bool:
    """Return whether a program ended by itself that wrote as much as a file may have, and got no signal."""
    run = evidence.run(step.program, step.case)
    if run is None or run.accounting is None or isinstance(run.ending, LimitReached):
        return False
    has_signal = run.trace is not None and "file_size" in run.trace.limits_reached
    return run.accounting.written_bytes >= step.limits.output_bytes and not has_signal


def _is_full(step: RunStep, evidence: Evidence) -> bool:
    """Return whether a file has just as many bytes as it may have."""
    run = evidence.run(step.program, step.case)
    return run is not None and any(run.written_bytes(file) == step.limits.output_bytes for file in (None, *run.files))


def _trace(run: RunDone | None) -> Trace | None:
    return None if run is None else run.trace


def _used_up_time(step: RunStep, run: RunDone | None, judged: RunDone | None) -> bool:
    """Return whether a program used up its CPU time in the judged run, and went on. This run was stopped before."""
    if run is None or judged is None or step.tracer_limits is not None:
        return False
    is_stopped = isinstance(run.ending, LimitReached) and not isinstance(judged.ending, LimitReached)
    return is_stopped and judged.times.user_s + judged.times.sys_s >= step.limits.cpu_s


def _is_same(run: RunDone | None, judged: RunDone | None) -> bool:
    """Return whether two runs are known to have ended in the same way with the same output."""
    if run is None or judged is None:
        return False
    return (run.ending, run.stdout.sha256, run.stderr.sha256) == (
        judged.ending, judged.stdout.sha256, judged.stderr.sha256
    )  # fmt: skip
