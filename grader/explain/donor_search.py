"""Repair a program with pieces of a right one, if no small change does.

Students see that there is a proven fix, its lines and its kind, and nothing of the right program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations, count, islice, starmap
from operator import sub

from grader.diagnose.source import donors
from grader.diagnose.source.edits import JUMP, fixed
from grader.explain.change_words import words_of
from grader.explain.donor_variants import (
    FoundPiece,
    FoundPieces,
    find_pieces,
    source_of_variants,
    variants_with_errors,
)
from grader.explain.source_patterns import FoundChange
from grader.explain.trials import FAST, Choice, FailingProgram, Trials, quick_run, with_options
from grader.model.evidence import Evidence, Exited, RunDone, Signalled, run_id, succeeded
from grader.model.plan import RunStep
from grader.model.report import Check

MOST_CASES = 3
"""Failed cases that sets of pieces are tried in, each in a run of 3 ms of CPU time."""

MOST_SINGLE = 60
MOST_PAIRS = 240
"""Most pieces, and pairs of pieces, that are tried. Three have repaired no program."""

COMPILED_TOGETHER = 40
"""Most variants of the program in one source."""

MOST_CPU_S = 2.0
"""Seconds of CPU time, after which no more pieces are tried."""

FINALISTS = 4
OUTPUT_TOKENS = 120
"""Only so many tokens of an output are compared."""

GAIN_WEIGHT = 4.0
"""How much a right output counts more than likely pieces."""

_TOKEN = re.compile(rb"\w+|\s+|.", re.DOTALL)
Pieces = tuple[FoundPiece, ...]
RightPrograms = Callable[[], Mapping[str, Sequence[bytes]]]
"""Reads the sources of right programs, by program."""


def no_programs() -> Mapping[str, Sequence[bytes]]:
    """Return no right programs: then nothing is repaired with pieces of them."""
    return {}


@dataclass(frozen=True)
class DonorSearch:
    """Finds pieces of right programs that repair programs."""

    trials: Trials
    right_programs: RightPrograms = no_programs

    def works(self, failing: FailingProgram, checks: Sequence[Check]) -> Iterator[Choice]:
        """Yield changes with which failed cases of these checks were right, the likeliest first.

        Raises:
            GraderError: no process can be started.
        """
        right, steps = self.right_programs().get(failing.program, ()), self._steps(failing, checks)
        if not right or not steps or not self.trials.may_run(failing):
            return
        found = find_pieces(failing.source, right)
        if not found.pieces:
            return
        trials = _Pieces(self.trials, failing, found, steps)
        for choice in islice(trials.repairing(), FINALISTS):
            changes = [change_of(failing.source, piece) for piece in sorted(choice, key=lambda piece: piece.line)]
            if None not in changes:
                yield tuple(filter(None, changes))

    def single(self, failing: FailingProgram) -> list[Choice]:
        """Return the pieces, each as a change by itself, the likeliest first.

        Raises:
            GraderError: no process can be started.
        """
        right = self.right_programs().get(failing.program, ())
        pieces = find_pieces(failing.source, right).pieces if right else ()
        return [(change,) for piece in pieces if (change := change_of(failing.source, piece)) is not None]

    def _steps(self, failing: FailingProgram, checks: Sequence[Check]) -> list[RunStep]:
        """Return small failed cases: of each check the one with the longest input, then others."""
        steps = {step.id: step for step in failing.runs.runs if self.trials.is_small(step)}
        by_check = []
        for check in checks:
            # With most pieces, what does not end still does not, and each run takes 0.05 s.
            ended = [one for one in check.visible_failures if isinstance(one.ending, Exited | Signalled)]
            ids = [run_id(check.program, one.case) for one in ended]
            known = [steps[one] for one in ids if one in steps]
            by_check.append(sorted(known, key=lambda step: -self.trials.lab.input_bytes(step.case)))
        rounds = (own[at] for at in range(MOST_CASES) for own in by_check if at < len(own))
        return [*{step.id: step for step in rounds}.values()][:MOST_CASES]


def change_of(source: bytes, piece: FoundPiece) -> FoundChange | None:
    """Return a piece as a change, in words that do not depend on its code; None if what it replaces is not quoted."""
    op = f"donor-{piece.kind}"
    words = words_of(source, op, piece.edits, ())
    if words is None:
        return None
    # Where it is moved to is said in words.
    words = words._replace(lines=(piece.line,)) if piece.more else words
    return FoundChange(op, piece.edits, JUMP, None, words)


def _likelihood(choice: Pieces) -> float:
    return sum(donors.likelihood(piece.kind, piece.size) for piece in choice)


@dataclass
class _Outcome:
    """The cases that pieces repair, how similar the output of each tried one is to the right one, and if all end."""

    right: set[str] = field(default_factory=set)
    similarities: list[float] = field(default_factory=list)
    ends: bool = True


@dataclass
class _Pieces:
    """Tries pieces: each one, then pairs."""

    trials: Trials
    failing: FailingProgram
    found: FoundPieces
    steps: Sequence[RunStep]
    seen: dict[Pieces, _Outcome] = field(default_factory=dict)
    _names: Iterator[int] = field(default_factory=count)
    _spent_s: float = 0.0

    def repairing(self) -> Iterator[Pieces]:
        """Yield the sets of pieces with which all tried cases are right, then those with which some are."""
        singles = [(), *((piece,) for piece in self.found.pieces)]
        for most in (MOST_SINGLE, MOST_PAIRS):
            choices = (self._pairs() if self.seen else singles)[:most]
            for at in range(0, len(choices), COMPILED_TOGETHER):
                self._try(choices[at : at + COMPILED_TOGETHER])
            if () not in self.seen or self.seen[()].right:
                # What the program does depends on chance.
                return
            whole = [one for one, outcome in self.seen.items() if len(outcome.right) == len(self.steps)]
            yield from sorted(whole, key=_likelihood)
            if whole:
                break
        yield from sorted((one for one, outcome in self.seen.items() if outcome.right), key=self._order)

    def _gain(self, outcome: _Outcome) -> float:
        """Return how much more similar outputs are to the right ones than those of the unchanged program."""
        return float(sum(map(sub, outcome.similarities, self.seen[()].similarities)))

    def _pairs(self) -> list[Pieces]:
        """Return the pairs, the most promising first."""
        ending = [one for one, outcome in self.seen.items() if one and outcome.ends]
        return sorted(((first, second) for (first,), (second,) in combinations(ending, 2)), key=self._promise)

    def _order(self, choice: Pieces) -> tuple[int, float]:
        outcome = self.seen[choice]
        return -len(outcome.right), _likelihood(choice) - GAIN_WEIGHT * self._gain(outcome)

    def _promise(self, choice: Pieces) -> tuple[int, bool, float]:
        """Return what orders sets that were not tried yet, by what their parts do."""
        parts = [self.seen[piece,] for piece in choice]
        cases = set[str]().union(*(part.right for part in parts))
        gains = [self._gain(part) for part in parts]
        return -len(cases), not any(gains), _likelihood(choice) - GAIN_WEIGHT * max(gains)

    def _try(self, choices: Sequence[Pieces]) -> None:
        """Compile sets of pieces together, and run each in the cases; what does not compile is left out."""
        edited = {choice: [edit for piece in choice for edit in piece.edits] for choice in choices}
        possible = [choice for choice, edits in edited.items() if fixed(self.failing.source, edits) is not None]
        sets = dict(enumerate(possible, start=1))
        for _ in range(2):
            copy = f"{self.failing.name}_donors{next(self._names)}"
            variants = {number: edited[choice] for number, choice in sets.items()}
            data = source_of_variants(self.failing.source, self.found, variants)
            if not sets or self._spent_s > MOST_CPU_S or not self.trials.may_run(self.failing):
                return
            evidence = self._run(copy, data, sets, self.steps[0])
            build = evidence.builds.get(copy)
            self._spent_s += 0.0 if build is None else build.own_s
            if build is None or succeeded(build.ending):
                break
            wrong = variants_with_errors(build.messages)
            sets = {number: choice for number, choice in sets.items() if wrong and number not in wrong}
        for step in self.steps[1:]:
            self._run(copy, data, {number: one for number, one in sets.items() if self._is_promising(one)}, step)

    def _run(self, copy: str, data: bytes, sets: Mapping[int, Pieces], step: RunStep) -> Evidence:
        """Run sets of pieces in a case, and remember what came of it."""
        runs = {number: quick_run(step, f"{copy}_{number}", program=copy, choice=str(number)) for number in sets}
        evidence = self.trials.collected(
            self.failing, {copy: data}, runs.values(), build=with_options(self.failing.build, FAST)
        )
        for number, run in runs.items():
            done = evidence.runs.get(run.id)
            if done is not None:
                outcome = self.seen.setdefault(sets[number], _Outcome())
                is_right = self.trials.is_right(done, step)
                if is_right:
                    outcome.right.add(step.case)
                outcome.ends &= isinstance(done.ending, Exited | Signalled)
                outcome.similarities.append(1.0 if is_right else self._similarity(done, step))
                self._spent_s += done.own_s
        return evidence

    def _is_promising(self, choice: Pieces) -> bool:
        """Return whether pieces make no output of a case worse, as far as they were tried."""
        tried = self.seen.get(choice)
        return tried is not None and tried.ends and self._gain(tried) >= 0

    def _similarity(self, done: RunDone, step: RunStep) -> float:
        """Return how similar outputs are to the right ones, from 0 to less than 1."""
        pairs = self.trials.compared(done, step)
        begins = ([text[: 10 * OUTPUT_TOKENS] for text in pair] for pair in pairs)
        return sum(starmap(_similarity, begins)) / max(len(pairs), 1)


@lru_cache(maxsize=4096)
def _similarity(written: bytes, right: bytes) -> float:
    first, second = (_TOKEN.findall(text)[:OUTPUT_TOKENS] for text in (written, right))
    return 0.99 * SequenceMatcher(None, first, second, autojunk=False).ratio()
