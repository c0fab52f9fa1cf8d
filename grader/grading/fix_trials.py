"""Try fixes: choose the checks and runs that a fixed copy repeats, and judge what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from grader.grading.fixed_copies import ALL_WALL_S, PROGRAM_WALL_S, Fix, FixedCopies, is_right
from grader.grading.second_run import SMALL_BYTES, joined
from grader.judge.facts import Facts
from grader.judge.verdict import judge_check
from grader.model.evidence import Evidence, RunDone, run_id
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.report import CaseResult, CasesEvidence, Check, Report
from grader.model.spec.rubric import SymbolsItem

MORE_RUNS = 66
"""Most runs of all fixes that work, besides the failed cases. One takes 0.02 s of CPU time."""

MESSAGE_BYTES = 4
"""Fewer bytes are hardly a message."""


@dataclass(frozen=True)
class Tried:
    """The failed checks of a program, or of one of its causes, that were run with a fix, and those that passed.

    Of `short_only`, some runs were left out because they take long. `evidence` is that of the runs.
    """

    fix: Fix
    run: tuple[str, ...]
    passed: tuple[str, ...]
    short_only: tuple[str, ...]
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Repaired:
    """What a fix that works does to all checks of its program: those of other causes, and those that had passed.

    `tried.passed` had failed, and `broken` had passed. Of those in `worse`, which had failed, a case had passed that
    fails with the fix; or only the beginning of a message is left.
    """

    tried: Tried
    broken: tuple[str, ...]
    worse: tuple[str, ...] = ()


class FixTrials:
    """Tries the fixes of one submission."""

    def __init__(self, lab: Lab, copies: FixedCopies) -> None:
        self._lab = lab
        self._copies = copies

    def try_on_failed(self, report: Report, runs: Plan, fixes: Sequence[Fix]) -> Mapping[str, list[Tried]]:
        """Compile and run the fixes, and return what came of them by cause."""
        trials: dict[str, list[Tried]] = {}
        if not fixes or not self._copies.may_run():
            return trials
        steps = {step.id: step for step in runs.runs}
        programs = {build.program for build in runs.builds}
        tried = {self._copies.name_of(fix): fix for fix in fixes}
        # A fix of one bug is tried with the checks of all: what it repairs, another bug did not cause.
        fixed_causes = {(fix.program, cause) for fix in fixes for cause in fix.causes}
        checks = {name: self._checks(report, fix.program, fixed_causes, steps) for name, fix in tried.items()}
        tried = {name: fix for name, fix in tried.items() if checks[name] and fix.program in programs}
        if not tried:
            return trials
        repeated = {name: (fix, self._steps(checks[name], steps)) for name, fix in tried.items()}
        symbols = {fix.program for name, fix in tried.items() if any(map(self._is_symbols, checks[name]))}
        runs = _without_objects(runs, lambda program: program not in symbols)
        for name, facts in self._copies.run(runs, repeated, PROGRAM_WALL_S).items():
            for cause in report.causes:
                own = [check for check in checks[name] if check.id in cause.checks]
                result = self._result(facts, tried[name], own, steps)
                if result.run:
                    trials.setdefault(cause.name, []).append(result)
        return trials

    def try_on_all(self, report: Report, runs: Plan, works: Iterable[Tried]) -> list[Repaired]:
        """Run the fixes that work in the other short cases of their programs, too, also in those that had passed."""
        fixes: list[tuple[Fix, Evidence]] = []
        for tried in works:
            if tried.evidence is not None and all(tried.fix != fix for fix, _ in fixes):
                fixes.append((tried.fix, tried.evidence))
        if not fixes or not self._copies.may_run():
            return []
        steps = {step.id: step for step in runs.runs}
        fixes_of = Counter(fix.program for fix, _ in fixes)
        repeated = {
            self._copies.name_of(fix): (
                fix,
                self._other_steps(report, fix.program, steps, seen.runs)[: MORE_RUNS // fixes_of[fix.program]],
            )
            for fix, seen in fixes
        }
        repeated = {name: (fix, others) for name, (fix, others) in repeated.items() if others}
        # The functions that the copies call are known.
        facts = self._copies.run(_without_objects(runs, bool), repeated, ALL_WALL_S) if repeated else {}
        more = [facts.get(self._copies.name_of(fix)) for fix, _ in fixes]
        every = [
            seen if one is None else joined(seen, one.evidence) for (_, seen), one in zip(fixes, more, strict=True)
        ]
        return [
            self._repaired(self._copies.facts(evidence), fix, report, steps)
            for (fix, _), evidence in zip(fixes, every, strict=True)
        ]

    def try_alone(self, report: Report, runs: Plan, fix: Fix, already: Collection[str]) -> Repaired | None:
        """Run a fix of a program in its short cases, and return what it repairs and breaks.

        The cases of checks that had passed are not run if the fix repairs nothing more than `already`.
        """
        steps = {step.id: step for step in runs.runs}
        others = self._other_steps(report, fix.program, steps, ())
        failed = {
            one
            for check in _judged(report, fix.program)
            if check.status == "failed"
            for one in self._whole(check, steps)
        }
        seen = self._run_alone(report, runs, fix, [step for step in others if step.id in failed])
        if seen is None or not frozenset(already) < {*self._repaired(seen, fix, report, steps).tried.passed}:
            return None
        more = self._run_alone(report, runs, fix, [step for step in others if step.id not in failed])
        return (
            None
            if more is None
            else self._repaired(self._copies.facts(joined(seen.evidence, more.evidence)), fix, report, steps)
        )

    def _run_alone(self, report: Report, runs: Plan, fix: Fix, steps: Sequence[RunStep]) -> Facts | None:
        name = self._copies.name_of(fix)
        failed = [check for check in _judged(report, fix.program) if check.status == "failed"]
        # Calls that are never reached are not in an object; with the fix, they may be.
        if not any(map(self._is_symbols, failed)):
            runs = _without_objects(runs, bool)
        return self._copies.run(runs, {name: (fix, steps)}, ALL_WALL_S).get(name)

    def _other_steps(
        self, report: Report, program: str, steps: Mapping[str, RunStep], seen: Collection[str]
    ) -> tuple[RunStep, ...]:
        """Return the short runs of a program that are not yet known, first those of failed checks.

        Of checks that had passed, the first runs of all come before the second ones: there may be no time for more.
        """
        checks = sorted(
            _judged(report, program),
            key=lambda check: (not isinstance(check.evidence, CasesEvidence), check.status == "passed"),
        )
        failed = [one for check in checks if check.status == "failed" for one in self._whole(check, steps)]
        passed = zip_longest(*(self._whole(check, steps) for check in checks if check.status == "passed"))
        ids = dict.fromkeys(one for one in (*failed, *chain.from_iterable(passed)) if one and one not in seen)
        return tuple(steps[one] for one in ids)

    def _whole(self, check: Check, steps: Mapping[str, RunStep]) -> list[str]:
        """Return the runs of a check that are short, whether they had passed or not.

        Of a check that had passed, only the untraced runs of small inputs are worth their time.
        """
        _, item = self._lab.spec.checks()[check.id]
        known = [steps[one] for one in item.steps(check.program) if one in steps and self._is_quick(steps[one])]
        if check.status == "passed" and not isinstance(check.evidence, CasesEvidence):
            return []
        return [
            step.id for step in known if check.status == "failed" or len(self._lab.inputs[step.input]) <= SMALL_BYTES
        ]

    def _checks(
        self, report: Report, program: str, causes: Collection[tuple[str, str]], steps: Mapping[str, RunStep]
    ) -> tuple[Check, ...]:
        """Return the failed checks of a program with a fix that can be run again where students see it."""
        named = {check for cause in report.causes if (program, cause.name) in causes for check in cause.checks}
        return tuple(
            check
            for check in report.checks
            if check.id in named
            and check.program == program
            and check.visibility == "visible"
            and (self._steps([check], steps) or self._is_symbols(check))
        )

    def _is_symbols(self, check: Check) -> bool:
        _, item = self._lab.spec.checks()[check.id]
        return isinstance(item, SymbolsItem)

    def _steps(self, checks: Iterable[Check], steps: Mapping[str, RunStep]) -> tuple[RunStep, ...]:
        """Return the runs of these checks that are worth repeating: failed cases, and runs that are not too long."""
        repeated: dict[str, RunStep] = {}
        for check in checks:
            _, item = self._lab.spec.checks()[check.id]
            failed = {run_id(check.program, result.case) for result in _failed(check)}
            ids = failed if isinstance(check.evidence, CasesEvidence) else item.steps(check.program)
            repeated.update({one: steps[one] for one in ids if one in steps and self._is_quick(steps[one])})
        return tuple(step for one, step in steps.items() if one in repeated)

    def _is_quick(self, step: RunStep) -> bool:
        if step.only_if is not None:
            return False
        if len(self._lab.inputs[step.input]) <= SMALL_BYTES:
            return step.engine != "strace-count"
        # In blocks, five million bytes take less than 0.1 s.
        reads_blocks = not self._lab.spec.calls_of(step.program, step.case).is_exact
        return reads_blocks and step.engine in ("plain", "account")

    def _result(self, facts: Facts, fix: Fix, checks: Sequence[Check], steps: Mapping[str, RunStep]) -> Tried:
        run, passed, short_only = [], [], []
        for check in checks:
            _, item = self._lab.spec.checks()[check.id]
            if isinstance(check.evidence, CasesEvidence):
                cases = [result.case for result in _failed(check)]
                done = [case for case in cases if facts.evidence.run(check.program, case) is not None]
                is_passed = all(is_right(self._lab, facts, check.program, case) for case in done)
                if not done or (is_passed and len(done) < len(self._steps([check], steps))):
                    # Not all was run, so this says nothing.
                    continue
            else:
                is_passed = judge_check(facts, check.program, item).status == "passed"
            run.append(check.id)
            if is_passed:
                passed.append(check.id)
                short_only += [check.id] if self._is_short(check, steps) else []
        return Tried(fix, tuple(run), tuple(passed), tuple(short_only), facts.evidence)

    def _repaired(self, facts: Facts, fix: Fix, report: Report, steps: Mapping[str, RunStep]) -> Repaired:
        """Judge what a fixed copy did in all short runs, except in checks of which a run was left out."""
        run, passed, short_only, broken, worse = [], [], [], [], []
        for check in _judged(report, fix.program):
            _, item = self._lab.spec.checks()[check.id]
            ids = self._whole(check, steps)
            # A student may write the message of a fix with another function.
            if not (ids or (check.status == "failed" and self._is_symbols(check))):
                continue
            if isinstance(check.evidence, CasesEvidence):
                cases = [steps[one].case for one in ids]
                not_right = [case for case in cases if not is_right(self._lab, facts, check.program, case)]
                wrong = [case for case in not_right if facts.evidence.run(check.program, case) is not None]
                is_wrong = bool(wrong)
                if not_right and not is_wrong:
                    continue
                right = {result.case for result in check.evidence.cases if result.passed}
                is_cut = any(
                    self._lab.spec.cases[result.case].is_refusal
                    and _is_cut(result, facts.evidence.run(check.program, result.case))
                    for result in check.evidence.cases
                )
                if is_cut or (check.status == "failed" and not right.isdisjoint(wrong)):
                    worse.append(check.id)
            elif all(one in facts.evidence.runs for one in ids):
                is_wrong = judge_check(facts, check.program, item).status != "passed"
            else:
                continue
            if check.status == "passed":
                broken += [check.id] if is_wrong else []
                continue
            run.append(check.id)
            if not is_wrong:
                passed.append(check.id)
                short_only += [check.id] if self._is_short(check, steps) else []
        tried = Tried(fix, tuple(run), tuple(passed), tuple(short_only), facts.evidence)
        return Repaired(tried, tuple(broken), tuple(worse))

    def _is_short(self, check: Check, steps: Mapping[str, RunStep]) -> bool:
        """Return whether some of its failed runs take too long to be repeated."""
        _, item = self._lab.spec.checks()[check.id]
        if isinstance(check.evidence, CasesEvidence):
            ids = [run_id(check.program, result.case) for result in _failed(check)]
            return not all(one in steps and self._is_quick(steps[one]) for one in ids)
        all_runs = (steps[one] for one in item.steps(check.program) if one in steps)
        return any(not step.engine.startswith("strace") and not self._is_quick(step) for step in all_runs)


def _judged(report: Report, program: str) -> list[Check]:
    """Return the checks of a program that students see, and that passed or failed."""
    return [
        check
        for check in report.checks
        if check.program == program and check.visibility == "visible" and check.status in ("passed", "failed")
    ]


def _is_cut(before: CaseResult, run: RunDone | None) -> bool:
    """Return whether only the beginning is left of the message with which a run refused its operands."""
    is_message = before.passed and len(before.stderr) >= MESSAGE_BYTES
    left = None if run is None else run.stderr.data
    return is_message and left is not None and 2 * len(left) < len(before.stderr) and before.stderr.startswith(left)


def _failed(check: Check) -> Iterator[CaseResult]:
    if isinstance(check.evidence, CasesEvidence):
        yield from (result for result in check.evidence.cases if not result.passed and not result.hidden)


def _without_objects(runs: Plan, drops: Callable[[str], bool]) -> Plan:
    """Return the plan without the objects of the programs for which `drops` holds: they take time to compile."""
    builds = tuple(
        build.model_copy(update={"compile_object": ()}) if drops(build.program) else build for build in runs.builds
    )
    return runs.model_copy(update={"builds": builds})
