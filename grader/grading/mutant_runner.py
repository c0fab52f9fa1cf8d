"""Measuring what mutants look like from outside: each is run like a submission."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from grader.diagnose.traits import traits
from grader.errors import GraderError
from grader.grading.incremental import IncrementalJudge
from grader.grading.plan_builder import plan_work
from grader.judge.lab import Lab
from grader.judge.verdict import GradingEnvironment
from grader.model.mutant import Mutant
from grader.model.plan import Work
from grader.model.signature import UNSEEN, check_of, facet
from grader.model.spec.cases import LimitName
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.model.submission import Source, Submission, UnusableSource
from grader.sandbox.base import Sandbox

ENDLESS_CPU_S = 1
"""Seconds that a mutant may compute on a small input: one that never ends need not be waited for as students are."""

PROGRAM_WALL_S = 3600.0
"""Seconds for all runs of a mutant: none is left out because others took long."""


@dataclass(frozen=True)
class MutantRunner:
    """Runs mutants in the sandbox that submissions run in."""

    lab: Lab
    sandbox: Sandbox

    def traits(self, mutants: Sequence[Mutant]) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """Run every mutant; return their traits by program and by mutant.

        Raises:
            GraderError: the sandbox failed, or a mutant does not compile.
        """
        found: dict[str, dict[str, Mapping[str, str]]] = {}
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="mutants") as pool:
            for mutant, by_program in zip(mutants, pool.map(self._traits, mutants), strict=True):
                for program, its_traits in by_program.items():
                    found.setdefault(program, {})[mutant.name] = its_traits
        return found

    def _traits(self, mutant: Mutant) -> Mapping[str, Mapping[str, str]]:
        absent = UnusableSource("not part of this mutant")
        sources = {
            name: Source(mutant.sources[name]) if name in mutant.sources else absent
            for name in self.lab.spec.programs
        }
        submission = Submission(mutant.name, sources)
        environment = GradingEnvironment(self.sandbox.isolation, self.sandbox.image_digest)
        judging = IncrementalJudge(self.lab, submission, environment, [self._work(submission)])
        judging.run_guest(self.sandbox)
        evidence, checks = judging.evidence, judging.report().checks
        for build in evidence.builds.values():
            if build.symbols is None:
                raise GraderError(f"the mutant {mutant.name} does not compile:\n{build.messages}")
        return {
            program: {
                **self._measured(traits(self.lab.spec, program, checks, evidence), mutant.fails[program]),
                **self._unseen(mutant.fails[program]),
            }
            for program in mutant.sources
        }

    def _work(self, submission: Submission) -> Work:
        """Plan a mutant's runs on small inputs: what it does on large ones follows, or its page says so."""
        work = plan_work(self._impatient_spec, submission)
        small = tuple(step for step in work.runs if self.lab.spec.cases[step.case].limits == "small")
        return work.model_copy(update={"runs": small, "program_wall_s": PROGRAM_WALL_S})

    @cached_property
    def _impatient_spec(self) -> Spec:
        """The lab with less time for what does not end."""
        limits = self.lab.spec.limits
        shorter = {
            name: getattr(limits, name).model_copy(update={"cpu_s": ENDLESS_CPU_S})
            for name in ("small", "strace_small")
        }
        return self.lab.spec.model_copy(update={"limits": limits.model_copy(update=shorter)})

    def _measured(self, found: Mapping[str, str], fails: frozenset[str]) -> Mapping[str, str]:
        """Leave out what fails only because full size was not run.

        Of a check whose cases are all small the outcome is what it is, whether the mutant's page lists it or not: a
        spec of somebody's own has checks that the pages do not know.
        """
        known = (fails - self._full_size()) | self._of_size("small")
        return {name: trait for name, trait in found.items() if check_of(name) in known}

    def _unseen(self, fails: frozenset[str]) -> Mapping[str, str]:
        return {facet(check, UNSEEN): UNSEEN for check in fails & self._full_size()}

    def _full_size(self) -> frozenset[str]:
        return self._of_size("full")

    def _of_size(self, limits: LimitName) -> frozenset[str]:
        """Return the checks of output whose cases are all of a size."""
        return frozenset(
            item.name
            for item in self.lab.spec.rubric
            if isinstance(item, CasesItem) and all(self.lab.spec.cases[case].limits == limits for case in item.cases)
        )
