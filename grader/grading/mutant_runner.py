"""Measuring what mutants look like from outside: they are run like submissions, many in one container."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from grader.diagnose.traits import traits
from grader.errors import GraderError
from grader.grading.collector import collect
from grader.grading.output_diff import ExpectedOutputs, differences
from grader.grading.plan_builder import plan_work
from grader.judge.facts import Facts
from grader.judge.verdict import checks_of
from grader.model.evidence import Evidence
from grader.model.mutant import Mutant
from grader.model.plan import BuildStep, RunStep, Work
from grader.model.reference import Reference
from grader.model.signature import UNSEEN, check_of, facet
from grader.model.spec.cases import LimitName
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.model.submission import Source, Submission, UnusableSource
from grader.sandbox.base import Job, Sandbox, Session

AT_A_TIME = 12
"""Programs in one container: their outputs have to fit its folders."""

ENDLESS_CPU_S = 1
"""So long a mutant may compute on a small input: those that never end need not be waited for as students are."""

MEASURED_WALL_S = 3600.0
SEPARATOR = "--"


@dataclass(frozen=True)
class MutantRunner:
    """Runs mutants in the sandbox that submissions run in."""

    spec: Spec
    sandbox: Sandbox
    reference: Reference
    inputs: Mapping[str, bytes]

    def traits(self, mutants: Sequence[Mutant]) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """Run every mutant; return their traits by program and by mutant.

        Raises:
            GraderError: the sandbox failed, or a mutant does not do what its page says.
        """
        pairs = [(mutant, program) for mutant in mutants for program in mutant.sources]
        chunks = [pairs[start : start + AT_A_TIME] for start in range(0, len(pairs), AT_A_TIME)]
        found: dict[str, dict[str, Mapping[str, str]]] = {}
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="mutants") as pool:
            for chunk, all_traits in zip(chunks, pool.map(self._chunk, chunks), strict=True):
                for (mutant, program), its_traits in zip(chunk, all_traits, strict=True):
                    found.setdefault(program, {})[mutant.name] = its_traits
        return found

    def _chunk(self, pairs: Sequence[tuple[Mutant, str]]) -> list[Mapping[str, str]]:
        works = {_prefix(mutant, program): self._work(mutant, program) for mutant, program in pairs}
        sources = {
            f"{prefix}{self.spec.programs[program].source}": mutant.sources[program]
            for prefix, (mutant, program) in zip(works, pairs, strict=True)
        }
        with self.sandbox.open(Job(_together(works), sources, self.inputs)) as session:
            evidence = collect(session.events())
            return [self._traits(mutant, program, evidence, session) for mutant, program in pairs]

    def _work(self, mutant: Mutant, program: str) -> Work:
        """Plan a mutant's runs on small inputs: what it does on large ones follows, or its page says so."""
        work = plan_work(self._brief, _submission(self.spec, mutant, program))
        small = tuple(step for step in work.runs if self.spec.cases[step.case].limits == "small")
        return work.model_copy(update={"runs": small, "program_wall_s": MEASURED_WALL_S})

    @cached_property
    def _brief(self) -> Spec:
        """The lab with less time for what does not end."""
        limits = self.spec.limits
        shorter = {
            name: getattr(limits, name).model_copy(update={"cpu_s": ENDLESS_CPU_S})
            for name in ("small", "strace_small")
        }
        return self.spec.model_copy(update={"limits": limits.model_copy(update=shorter)})

    def _traits(self, mutant: Mutant, program: str, together: Evidence, session: Session) -> Mapping[str, str]:
        prefix = _prefix(mutant, program)
        evidence = _apart(together, prefix)
        build = evidence.builds[program]
        if build.symbols is None:
            raise GraderError(f"the mutant {mutant.name} does not compile:\n{build.messages}")
        facts = Facts(
            self.spec,
            _submission(self.spec, mutant, program),
            evidence,
            self.reference,
            self.inputs,
            differences(
                ExpectedOutputs(self.spec, self.reference, self.inputs),
                evidence,
                lambda step: session.fetch(f"{prefix}{step}"),
            ),
        )
        found = traits(self.spec, program, checks_of(facts, program), evidence)
        return {**self._measured(found, mutant.fails[program]), **self._unseen(mutant.fails[program])}

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
            for item in self.spec.rubric
            if isinstance(item, CasesItem) and all(self.spec.cases[case].limits == limits for case in item.cases)
        )


def _submission(spec: Spec, mutant: Mutant, program: str) -> Submission:
    sources = {
        name: Source(mutant.sources[name]) if name == program else UnusableSource("not part of this mutant")
        for name in spec.programs
    }
    return Submission(mutant.name, sources)


def _prefix(mutant: Mutant, program: str) -> str:
    return f"{mutant.name}{SEPARATOR}{program}{SEPARATOR}"


def _together(works: Mapping[str, Work]) -> Work:
    """Make one work of many, each program under a name of its own."""
    one = next(iter(works.values()))
    builds = [_renamed_build(prefix, step) for prefix, work in works.items() for step in work.builds]
    runs = [_renamed_run(prefix, step) for prefix, work in works.items() for step in work.runs]
    return one.model_copy(update={"builds": tuple(builds), "runs": tuple(runs)})


def _renamed_build(prefix: str, step: BuildStep) -> BuildStep:
    source = f"{prefix}{step.source}"
    return step.model_copy(
        update={
            "program": f"{prefix}{step.program}",
            "source": source,
            "compile": (*step.compile[:-1], source),
            "compile_object": (*step.compile_object[:-1], source),
        }
    )


def _renamed_run(prefix: str, step: RunStep) -> RunStep:
    names = ("id", "program", "predicted_by", "requires_ended")
    given = {name: getattr(step, name) for name in names}
    return step.model_copy(update={name: f"{prefix}{value}" for name, value in given.items() if value is not None})


def _apart(together: Evidence, prefix: str) -> Evidence:
    """Return the evidence of one program out of that of many, under its own name."""

    def own(found: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        return ((name, name.removeprefix(prefix)) for name in found if name.startswith(prefix))

    return Evidence(
        toolchain=together.toolchain,
        builds={
            name: together.builds[key].model_copy(update={"program": name}) for key, name in own(together.builds)
        },
        runs={name: together.runs[key].model_copy(update={"step": name}) for key, name in own(together.runs)},
        left_out={
            name: together.left_out[key].model_copy(update={"step": name}) for key, name in own(together.left_out)
        },
    )
