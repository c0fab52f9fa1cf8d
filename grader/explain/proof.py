"""Prove causes: fix a known bug in a copy of the source, and run the failing cases once more.

The verdicts are known by then, and nothing that happens here changes them. trials.py runs and judges copies,
confirmation.py decides what is a repair, and credit.py which checks a cause explains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from grader.diagnose.source.edits import fixed
from grader.errors import GraderError
from grader.explain.credit import Proofs, Proven, credited
from grader.explain.fix_completion import FixCompletion
from grader.explain.proof_sentences import ProofWriter
from grader.explain.source_patterns import FoundPlace
from grader.explain.trials import FailingProgram, Fix, Trial
from grader.model.plan import Plan
from grader.model.report import Cause, CauseLine, Report
from grader.model.spec.rubric import program_of

ATTEMPTS = 3
"""Most places to fix in turn, if only one of several can be the bug."""

FIXES = 6
"""Most fixed copies of a program. Compiling and running one takes 0.2 s of CPU time."""

_NAME = "completion"


@dataclass(frozen=True)
class FixedCause:
    """What came of fixing a cause in one program: the places that were found, and the fix that repairs all of it.

    `was_tried`: a fix was run in a check of the cause. `helps`: a check of the cause passed with one.
    `is_of_another`: a fix without this cause repairs all of it.
    """

    places: tuple[FoundPlace, ...]
    works: Trial | None = None
    was_tried: bool = False
    helps: bool = False
    is_of_another: bool = False

    @property
    def certain_places(self) -> list[FoundPlace]:
        """The places that are the construct, whether it is the reason of a failure or not."""
        return [place for place in self.places if not (place.proof or place.one)]


class Prover:
    """Looks for the causes of one submission in its sources."""

    def __init__(self, completion: FixCompletion, sources: Mapping[str, bytes], writer: ProofWriter) -> None:
        self._completion = completion
        self._trials = completion.trials
        self._sources = sources
        self._writer = writer
        self._repairs: dict[str, Trial | None] = {}

    def prove(self, report: Report, runs: Plan, patterns: Mapping[str, str]) -> Proofs:
        """Look for the causes of a report, given the runs that students see and the patterns by cause."""
        try:
            places = self._completion.search.constructs(report, patterns)
            fixed_causes = self._trials.for_each(
                [*places], lambda program: self._of_program(program, places[program], report, runs)
            )
        except GraderError as error:
            return Proofs(notes=(f"the grader could not look for the lines of causes: {error}",))
        by_program = dict(zip(places, fixed_causes, strict=True))
        known = {
            cause.name: self.known_of(
                cause, {program: of[cause.name] for program, of in by_program.items() if cause.name in of}
            )
            for cause in report.causes
            if any(cause.name in of_program for of_program in places.values())
        }
        return Proofs(credited(report, known, self._writer))

    def _of_program(
        self, program: str, places: Mapping[str, tuple[FoundPlace, ...]], report: Report, runs: Plan
    ) -> Mapping[str, FixedCause]:
        """Return what came of fixing the causes that were found in a program."""
        source = self._sources[self._trials.lab.spec.programs[program].main_source]
        failing = FailingProgram(program, source, report, runs, program)
        tried = (self._trials.on_failed(failing, fix) for fix in _fixes(failing, places) if self._may_try(failing))
        trials = [trial for trial in tried if trial is not None]
        causes = [cause for cause in report.causes if places.get(cause.name)]
        return {cause.name: self.fixed_cause(failing, cause, places[cause.name], trials) for cause in causes}

    def _may_try(self, failing: FailingProgram) -> bool:
        is_built = any(build.program == failing.program for build in failing.runs.builds)
        return is_built and self._trials.may_run(failing)

    def fixed_cause(
        self, failing: FailingProgram, cause: Cause, places: tuple[FoundPlace, ...], trials: Sequence[Trial]
    ) -> FixedCause:
        """Return what came of fixing a cause in a program, given what came of all fixes in the failed checks."""
        own = [trial for trial in trials if cause.name in trial.fix.places and trial.of(cause.checks)]
        # Two causes may have the same fix.
        sources = {trial.fix.source for trial in own}
        is_of_another = any(trial.repairs(cause.checks) and trial.fix.source not in sources for trial in trials)
        accepted = (self._accepted(failing, trial) for trial in own if trial.repairs(cause.checks))
        works = (trial for trial in accepted if trial is not None and trial.repairs(cause.checks))
        return FixedCause(
            places,
            works=None if is_of_another else next(works, None),
            was_tried=bool(own),
            helps=any(not frozenset(cause.checks).isdisjoint(trial.passed) for trial in own),
            is_of_another=is_of_another,
        )

    def _accepted(self, failing: FailingProgram, trial: Trial) -> Trial | None:
        """Return a fix that repairs failed cases, perhaps completed, if it is a repair."""
        key = self._trials.name_of(trial.fix)
        if key not in self._repairs:
            known = self._trials.on_all(failing, trial)
            if known is not None and known.lost:
                known = self._completion.complete(failing, known, known.lost, _NAME)
            elif known is not None and not self._completion.confirmation.accepts(failing, known):
                known = None
            self._repairs[key] = known
        return self._repairs[key]

    def known_of(self, cause: Cause, found: Mapping[str, FixedCause]) -> Proven:
        """Return what is known of a cause, given what came of fixing it in each program that has its construct.

        It is proven if a fix of it, alone or with others, repaired every check that was run, and none without it did.
        If its construct is nowhere in the source, a cause that is only likely is refuted.
        """
        lines = tuple(line for program, one in found.items() for line in self._lines(program, one, cause))
        works = tuple(one.works for one in found.values() if one.works is not None)
        programs = {*map(program_of, cause.checks)}
        if works and programs == {trial.fix.program for trial in works}:
            return Proven(lines, works=works)
        of_another = {program for program, one in found.items() if one.is_of_another}
        # What hidden runs make of a cause later must not decide whether students see it.
        is_refuted = not found or programs <= of_another or _is_useless(found.values())
        return Proven(lines, is_refuted=is_refuted and cause.certainty == "likely")

    def _lines(self, program: str, found: FixedCause, cause: Cause) -> Iterator[CauseLine]:
        if found.works is not None:
            for name in (cause.name, _NAME):
                yield from self._writer.lines(program, found.works.fix.places.get(name, ()))
        elif not found.was_tried and not found.is_of_another:
            # Not tried: the construct is there, whether it is the reason or not.
            yield from self._writer.lines(program, found.certain_places)


def _is_useless(found: Collection[FixedCause]) -> bool:
    """Return whether fixes of a construct were run, and none helped."""
    was_tried = any(one.was_tried for one in found) and any(one.certain_places for one in found)
    return was_tried and not any(one.helps for one in found)


def _fixes(failing: FailingProgram, found: Mapping[str, tuple[FoundPlace, ...]]) -> Iterator[Fix]:
    """Yield each fix of one cause, then of several: one bug may hide that another is repaired."""
    alone = {name: options for name, places in found.items() if (options := _options(places))}
    together = product(*([(name, option) for option in options] for name, options in alone.items()))
    combined = (dict(parts) for parts in together) if len(alone) > 1 else iter(())
    every = [*({name: option} for name, options in alone.items() for option in options), *islice(combined, FIXES)]
    for places in every[:FIXES]:
        data = fixed(failing.source, [edit for part in places.values() for place in part for edit in place.edits])
        if data is not None:
            yield Fix(failing.program, data, places)


def _options(places: Sequence[FoundPlace]) -> list[tuple[FoundPlace, ...]]:
    """Return what to fix: all places together, or one of those that exclude each other."""
    every = [place for place in places if place.edits]
    mechanical = [place for place in every if not (place.proof or place.one)] or every
    if any(place.one for place in mechanical):
        return [(place,) for place in mechanical[:ATTEMPTS]]
    return [tuple(mechanical)] if mechanical else []
