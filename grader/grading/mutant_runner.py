"""Measure the traits of mutants: each is run like a submission."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from grader.diagnose.bugs.traits import traits
from grader.errors import GraderError
from grader.grading.incremental import IncrementalJudge
from grader.grading.plan_builder import build_plan
from grader.model.evidence import succeeded
from grader.model.lab import Lab
from grader.model.mutant import Mutant
from grader.model.plan import Plan
from grader.model.signature import UNSEEN, Traits, case_of_facet, check_of_facet, facet, form_of
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.model.submission import Submission, UnusableSource
from grader.options import environment_of
from grader.sandbox.base import Sandbox

ENDLESS_CPU_S = 1
"""Seconds that a mutant may compute on a small input: fewer than students have, as some mutants never end."""

PROGRAM_WALL_S = 3600.0
"""Seconds for all runs of a mutant: enough that no run is left out because others took long."""


@dataclass(frozen=True)
class MutantRunner:
    """Runs mutants in the same sandbox as submissions."""

    lab: Lab
    sandbox: Sandbox

    def traits(self, mutants: Sequence[Mutant]) -> Mapping[str, Mapping[str, Traits]]:
        """Run every mutant and its variants, and return the traits by program and by the name of the form.

        Raises:
            GraderError: the sandbox failed, or a mutant does not compile.
        """
        runs = [run for mutant in mutants for run in (mutant, *map(mutant.with_variant, mutant.variants))]
        traits_by_program: dict[str, dict[str, Traits]] = {}
        with ThreadPoolExecutor(max_workers=self.sandbox.cpus, thread_name_prefix="mutants") as pool:
            for run, by_program in zip(runs, pool.map(self._traits, runs), strict=True):
                for program, form_traits in by_program.items():
                    forms = traits_by_program.setdefault(program, {})
                    forms[run.name] = form_traits
                    for check in run.alone.get(program, ()):
                        forms[form_of(run.name, check)] = {
                            name: trait for name, trait in form_traits.items() if check_of_facet(name) == check
                        }
        return traits_by_program

    def _traits(self, mutant: Mutant) -> Mapping[str, Traits]:
        absent = UnusableSource("not part of this mutant")
        sources = {name: mutant.programs.get(name, absent) for name in self.lab.spec.programs}
        submission = Submission(mutant.name, sources)
        judging = IncrementalJudge(self.lab, submission, environment_of(self.sandbox), [[self._plan(submission)]])
        judging.run_guest(self.sandbox)
        evidence, checks = judging.evidence, judging.report().checks
        for build in evidence.builds.values():
            if not succeeded(build.ending):
                raise GraderError(f"the mutant {mutant.name} does not compile:\n{build.messages}")
        by_program: dict[str, Traits] = {}
        for program in mutant.sources:
            measured = self._measured(traits(self.lab.spec, program, checks, evidence), mutant.fails[program])
            # What fails on large inputs only, such as the calls of a program that does not read all of them. A check
            # that fails in drawn cases only is not known to fail in others.
            failed = {check.name for check in checks if check.program == program and check.status == "failed"}
            drawn = failed & self._checks_of_cases(all)
            unseen = mutant.fails[program] - {check_of_facet(name) for name in measured} - drawn
            by_program[program] = {**measured, **{facet(check, UNSEEN): UNSEEN for check in unseen}}
        return by_program

    def _plan(self, submission: Submission) -> Plan:
        """Plan the runs of a mutant on small inputs; its page lists the checks that it fails only at full size."""
        plan = build_plan(self._short_limits_spec, submission)
        small = tuple(step for step in plan.runs if self.lab.spec.cases[step.case].limits == "small")
        return plan.model_copy(update={"runs": small, "program_wall_s": PROGRAM_WALL_S})

    @cached_property
    def _short_limits_spec(self) -> Spec:
        """The spec with less CPU time for programs that do not end."""
        limits = self.lab.spec.limits
        shorter = {
            name: getattr(limits, name).model_copy(update={"cpu_s": ENDLESS_CPU_S})
            for name in ("small", "strace_small")
        }
        return self.lab.spec.model_copy(update={"limits": limits.model_copy(update=shorter)})

    def _measured(self, mutant_traits: Traits, fails: frozenset[str]) -> Traits:
        """Leave out what fails only because full size was not run.

        If a check has a small case, its outcome there counts even if the mutant's page does not list it: an
        instructor's own spec has checks that the pages do not know.
        """
        known = fails | self._checks_of_cases(any)
        cases = self.lab.spec.cases
        return {
            name: trait
            for name, trait in mutant_traits.items()
            if check_of_facet(name) in known
            and ((case := cases.get(case_of_facet(name))) is None or case.limits == "small")
        }

    def _checks_of_cases(self, which: Callable[[Iterable[bool]], bool]) -> frozenset[str]:
        """Return the checks of output of which any, or all, cases are small."""
        cases = self.lab.spec.cases
        return frozenset(
            item.name
            for item in self.lab.spec.rubric
            if isinstance(item, CasesItem) and which(cases[case].limits == "small" for case in item.cases)
        )
