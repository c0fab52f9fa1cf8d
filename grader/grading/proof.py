"""Prove causes: fix a known bug in a copy of the source, and run the failing cases once more.

The verdicts are known by then, and nothing that happens here changes them. fixed_copies.py compiles and runs copies,
fix_trials.py judges them, proof_credit.py decides which checks a cause explains, and proof_sentences.py says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from grader.diagnose.edits import fixed
from grader.errors import GraderError
from grader.grading.fix_completion import FixCompletion
from grader.grading.fix_trials import FixTrials, Tried
from grader.grading.fixed_copies import Fix, FixedCopies
from grader.grading.proof_credit import Proofs, Proven, credited
from grader.grading.proof_sentences import ProofWriter
from grader.grading.source_patterns import FoundPlace
from grader.grading.source_search import SourceSearch
from grader.model.lab import Lab
from grader.model.plan import Plan
from grader.model.report import Cause, CauseLine, Report
from grader.model.spec.rubric import program_of

ATTEMPTS = 3
"""Most places to fix in turn, if only one of several can be the bug."""

FIXES = 6
"""Most fixed copies of a program. Compiling and running one takes 0.2 s of CPU time."""


class Prover:
    """Looks for the causes of one submission in its sources."""

    def __init__(
        self, lab: Lab, sources: Mapping[str, bytes], copies: FixedCopies, search: SourceSearch, writer: ProofWriter
    ) -> None:
        self._lab = lab
        self._sources = sources
        self._search = search
        self._trials = FixTrials(lab, copies)
        self._writer = writer
        self._completion = FixCompletion(lab, sources, copies, search, writer)

    def prove(self, report: Report, runs: Plan, patterns: Mapping[str, str]) -> Proofs:
        """Look for the causes of a report, given the runs that students see and the patterns by cause."""
        try:
            places = self._search.constructs(report, patterns)
            fixes = [fix for program, found in places.items() for fix in self._fixes(program, found)]
            trials = self._trials.try_on_failed(report, runs, fixes)
            known = {
                cause.name: self._proven(
                    cause,
                    {program: found[cause.name] for program, found in places.items() if found.get(cause.name)},
                    trials,
                )
                for cause in report.causes
                if any(cause.name in found for found in places.values())
            }
            works = [tried for one in known.values() for tried in one.works]
            repaired = self._trials.try_on_all(report, runs, works)
            proven = credited(report, known, repaired, self._writer)
            return Proofs({name: self._completion.completed(report, runs, name, one) for name, one in proven.items()})
        except GraderError as error:
            return Proofs(notes=(f"the lines of causes could not be looked for: {error}",))

    def _fixes(self, program: str, found: Mapping[str, tuple[FoundPlace, ...]]) -> Iterator[Fix]:
        """Yield each fix of one cause, then of several: one bug may hide that another is repaired."""
        source = self._sources[self._lab.spec.programs[program].main_source]
        alone = {name: options for name, places in found.items() if (options := _options(places))}
        together = product(*([(name, option) for option in options] for name, options in alone.items()))
        combined = (dict(parts) for parts in together) if len(alone) > 1 else iter(())
        every = [*({name: option} for name, options in alone.items() for option in options), *islice(combined, FIXES)]
        for places in every[:FIXES]:
            edits = [edit for part in places.values() for place in part for edit in place.edits]
            data = fixed(source, edits)
            if data is not None:
                yield Fix(program, data, places)

    def _proven(
        self, cause: Cause, places: Mapping[str, tuple[FoundPlace, ...]], trials: Mapping[str, list[Tried]]
    ) -> Proven:
        """Return what is known of a cause.

        It is proven if a fix of it, alone or with others, repaired every check that was run, and none without it did.
        If its construct is nowhere in the source, a cause that is only likely is refuted.
        """
        if not places:
            return Proven(is_refuted=cause.certainty == "likely")
        by_program: dict[str, list[Tried]] = {program: [] for program in places}
        others: set[str] = set()
        every = trials.get(cause.name, ())
        own_sources = {tried.fix.source for tried in every if cause.name in tried.fix.causes}
        for tried in every:
            if cause.name in tried.fix.causes:
                by_program[tried.fix.program].append(tried)
            elif tried.passed == tried.run and tried.fix.source not in own_sources:
                others.add(tried.fix.program)
        repaired = {
            program: next((one for one in of_program if one.passed == one.run and program not in others), None)
            for program, of_program in by_program.items()
        }
        lines: list[CauseLine] = []
        for program, found in places.items():
            worked = repaired[program]
            if worked is not None:
                lines += self._writer.lines(program, worked.fix.places[cause.name])
            elif not by_program[program] and program not in others:
                # Not tried: the construct is there, whether it is the reason or not.
                lines += self._writer.lines(program, [place for place in found if not (place.proof or place.one)])
        works = [tried for tried in repaired.values() if tried is not None]
        programs = {*map(program_of, cause.checks)}
        if works and programs == {tried.fix.program for tried in works}:
            return Proven(tuple(lines), self._writer.proof(works), works=tuple(works))
        own = [tried for of_program in by_program.values() for tried in of_program]
        is_construct = any(not (place.proof or place.one) for found in places.values() for place in found)
        # What hidden runs make of a cause later must not decide whether students see it.
        useless = bool(own) and is_construct and not any(tried.passed for tried in own)
        return Proven(tuple(lines), is_refuted=cause.certainty == "likely" and (useless or programs <= others))


def _options(places: Sequence[FoundPlace]) -> list[tuple[FoundPlace, ...]]:
    """Return what to fix: all places together, or one of those that exclude each other."""
    every = [place for place in places if place.edits]
    mechanical = [place for place in every if not (place.proof or place.one)] or every
    if any(place.one for place in mechanical):
        return [(place,) for place in mechanical[:ATTEMPTS]]
    return [tuple(mechanical)] if mechanical else []
