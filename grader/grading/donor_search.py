"""Repair a program with pieces of a right one, if no small change does.

Students see that there is a proven fix, its lines and its kind, and nothing of the right program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import combinations, count, islice, takewhile
from operator import eq, sub

from grader.diagnose import donors
from grader.diagnose.edits import ARGUMENT, COMPARISON, JUMP, NUMBER, REMOVAL, TEXT, fixed
from grader.grading.change_effects import visible_results
from grader.grading.change_trials import WALL_S, Choice, ToRepair, chosen_run, is_right_run
from grader.grading.donor_pieces import FoundPiece, FoundPieces, find_pieces, source_of_variants, variants_with_errors
from grader.grading.fixed_copies import FixedCopies
from grader.grading.source_patterns import FoundChange
from grader.model.evidence import Evidence, Exited, RunDone, Signalled, run_id, succeeded
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.report import Check

MOST_CASES = 3
"""Failed cases that all pieces are tried in, each in a run of 5 ms of CPU time."""

MOST_PAIRS, MOST_TRIPLES = 240, 120
"""Most sets of two and of three pieces that are tried."""

CLOSEST = 8
"""Pairs to which a third piece is added: those with which the outputs are most like the right ones."""

COMPILED_TOGETHER = 60

GAIN_WEIGHT = 4.0
"""How much more a right output counts than a piece of six tokens less."""

MOST_OUTPUT_BYTES, MOST_TOKENS = 2_000, 200
"""Only so much of an output is compared, and so many tokens of what is between the same beginning and end."""

MOST_COMPILATIONS = 2

MOST_CPU_S = 2.0
"""Seconds of CPU time for the search, after which no more pieces are tried."""

_TOKEN = re.compile(rb"\w+|\s+|.", re.DOTALL)

FINALISTS = 4

_SAYS = {
    donors.TEXT: "with another text",
    donors.NUMBER: "with another constant",
    donors.REMOVED: "without the statement",
    donors.CONDITION: "with another condition",
    donors.EXPRESSION: "with another expression",
    donors.MOVED: "with a statement moved",
    donors.ADDED: "with a statement added after the one",
    donors.ADDED_BEFORE: "with a statement added before the one",
    donors.STATEMENT: "with another statement",
}
_RANKS = {
    donors.TEXT: TEXT,
    donors.NUMBER: NUMBER,
    donors.REMOVED: REMOVAL,
    donors.CONDITION: COMPARISON,
    donors.EXPRESSION: ARGUMENT,
}

Pieces = tuple[FoundPiece, ...]

RightPrograms = Mapping[str, Sequence[bytes]]
"""Sources of right programs, by program."""

NO_PROGRAMS: RightPrograms = {}


@dataclass
class _Outcome:
    """The cases that pieces repair, how similar the output of each tried one is to the right one, and if all end."""

    right: set[str] = field(default_factory=set)
    similarities: list[float] = field(default_factory=list)
    ends: bool = True

    @property
    def similarity(self) -> float:
        """How similar all outputs are to the right ones."""
        return sum(self.similarities)


class DonorSearch:
    """Finds pieces of right programs that repair programs; `right_programs` are their sources by program."""

    def __init__(self, lab: Lab, copies: FixedCopies, right_programs: RightPrograms) -> None:
        self._lab = lab
        self._copies = copies
        self._right_programs = right_programs

    def works(self, failing: ToRepair, checks: Sequence[Check]) -> Iterator[Choice]:
        """Yield changes with which all failed cases of one of the checks were right, the likeliest first.

        Raises:
            GraderError: no process can be started.
        """
        steps = self._steps(failing, checks)
        if failing.is_unsound or not steps or not self._copies.may_run():
            return
        found = find_pieces(failing.source, self._right_programs.get(failing.program, ()))
        if found.pieces:
            trials = _Trials(self._lab, self._copies, failing, found, steps)
            repairing = islice(trials.repairing(), FINALISTS)
            yield from (tuple(map(_change, choice)) for choice in repairing)

    def _steps(self, failing: ToRepair, checks: Sequence[Check]) -> list[RunStep]:
        """Return small failed cases: of each check the one with the longest output, then others."""
        steps = {step.id: step for step in failing.runs.runs if self._copies.is_small(step)}
        by_check = []
        for check in checks:
            failed = [one for one in visible_results(check) if not one.passed]
            # With most pieces, what does not end still does not, and each run takes 0.1 s.
            ids = [run_id(check.program, one.case) for one in failed if isinstance(one.ending, Exited | Signalled)]
            own = [steps[one] for one in dict.fromkeys(ids) if one in steps and self._wants(steps[one])]
            by_check.append(sorted(own, key=lambda step: -len(self._lab.inputs[step.input])))
        rounds = (own[at] for at in range(MOST_CASES) for own in by_check if at < len(own))
        return [*{step.id: step for step in rounds}.values()][:MOST_CASES]

    def _wants(self, step: RunStep) -> bool:
        return self._lab.spec.cases[step.case].copies_reference


def _change(piece: FoundPiece) -> FoundChange:
    return FoundChange(
        line=piece.line,
        edits=piece.edits,
        says=_SAYS[piece.kind],
        rank=_RANKS.get(piece.kind, JUMP),
        number=None,
        more=(piece.more,) if piece.more not in (0, piece.line) else (),
    )


def _likelihood(choice: Pieces) -> tuple[int, float]:
    return len(choice), sum(donors.likelihood(piece.kind, piece.size) for piece in choice)


@dataclass
class _Trials:
    """Tries sets of pieces: each one, then pairs, then three."""

    lab: Lab
    copies: FixedCopies
    failing: ToRepair
    found: FoundPieces
    steps: Sequence[RunStep]
    seen: dict[Pieces, _Outcome] = field(default_factory=dict)
    _names: Iterator[int] = field(default_factory=count)
    _built: set[str] = field(default_factory=set)
    _spent_s: float = 0.0

    def repairing(self) -> Iterator[Pieces]:
        """Yield the sets of pieces with which all tried cases are right, then those with which some are."""
        self._try([(), *((piece,) for piece in self.found.pieces)])
        if self._unchanged.right:
            # What the program does depends on chance.
            return
        size = 1
        for most in (MOST_PAIRS, MOST_TRIPLES, 0):
            whole = [one for one in self.seen if len(one) == size and len(self.seen[one].right) == len(self.steps)]
            yield from sorted(whole, key=_likelihood)
            if whole or not most:
                break
            self._try(self._more(size)[:most])
            size += 1
        yield from sorted((one for one in self.seen if self.seen[one].right), key=self._order)

    @property
    def _unchanged(self) -> _Outcome:
        return self.seen.get((), _Outcome())

    def _gain(self, outcome: _Outcome) -> float:
        """Return how much more similar outputs are to the right ones than those of the unchanged program."""
        return float(sum(map(sub, outcome.similarities, self._unchanged.similarities)))

    def _more(self, size: int) -> list[Pieces]:
        """Return the most promising sets with one piece more than those that were tried last."""
        last = [one for one in self.seen if len(one) == size and self.seen[one].ends]
        last = last if size == 1 else sorted(last, key=self._order)[:CLOSEST]
        joined: dict[Pieces, None] = {}
        for choice in last:
            for piece in self.found.pieces:
                more = tuple(sorted({*choice, piece}, key=self.found.pieces.index))
                alone = self.seen.get((piece,))
                if len(more) == size + 1 and alone is not None and alone.ends:
                    joined[more] = None
        return sorted(joined, key=self._promise)

    def _order(self, choice: Pieces) -> tuple[int, float]:
        outcome = self.seen[choice]
        return -len(outcome.right), _likelihood(choice)[1] - GAIN_WEIGHT * self._gain(outcome)

    def _promise(self, choice: Pieces) -> tuple[int, bool, float]:
        """Return what orders sets that were not tried yet, by what their parts do."""
        parts = [self.seen[one] for one in combinations(choice, len(choice) - 1) if one in self.seen]
        cases = set[str]().union(*(part.right for part in parts))
        has_effect = any(self._gain(part) for part in parts)
        gain = max(map(self._gain, parts), default=0.0)
        return -len(cases), not has_effect, _likelihood(choice)[1] - GAIN_WEIGHT * gain

    def _try(self, choices: Sequence[Pieces]) -> None:
        """Try sets of pieces, as long as there is time."""
        for at in range(0, len(choices), COMPILED_TOGETHER):
            self._try_together(choices[at : at + COMPILED_TOGETHER])

    def _try_together(self, choices: Iterable[Pieces]) -> None:
        """Compile these sets of pieces together, and run each in the cases; what does not compile is left out."""
        edited = {choice: [edit for piece in choice for edit in piece.edits] for choice in choices}
        possible = [choice for choice, edits in edited.items() if fixed(self.failing.source, edits) is not None]
        sets = dict(enumerate(possible, start=1))
        for _ in range(MOST_COMPILATIONS):
            if not sets or self._spent_s > MOST_CPU_S:
                return
            copy = f"{self.failing.name}_donors{next(self._names)}"
            variants = {number: edited[choice] for number, choice in sets.items()}
            data = source_of_variants(self.failing.source, self.found, variants)
            evidence = self._run(copy, data, sets, self.steps[0])
            build = evidence.builds.get(copy)
            if build is None or succeeded(build.ending):
                break
            wrong = variants_with_errors(build.messages)
            sets = {number: choice for number, choice in sets.items() if number not in wrong} if wrong else {}
        for step in self.steps[1:]:
            going = {number: choice for number, choice in sets.items() if self._is_promising(choice)}
            self._run(copy, data, going, step)

    def _run(self, copy: str, data: bytes, sets: Mapping[int, Pieces], step: RunStep) -> Evidence:
        """Run sets of pieces in a case, and remember what came of it."""
        runs = {number: chosen_run(step, f"{copy}_{number}", copy, str(number)) for number in sets}
        evidence = self.copies.collected(self._fast, self.failing.program, {copy: data}, runs.values(), WALL_S)
        for number, run in runs.items():
            done = evidence.runs.get(run.id)
            if done is not None:
                is_right = is_right_run(self.lab, self.copies, evidence, run, step)
                outcome = self.seen.setdefault(sets[number], _Outcome())
                outcome.right |= {step.case} if is_right else set()
                outcome.ends &= isinstance(done.ending, Exited | Signalled)
                outcome.similarities.append(1.0 if is_right else self._similarity(done, step))
                self._spent_s += done.own_s
        if copy in evidence.builds and copy not in self._built:
            self._built.add(copy)
            self._spent_s += evidence.builds[copy].own_s
        return evidence

    def _is_promising(self, choice: Pieces) -> bool:
        """Return whether pieces make no output of a case worse, as far as they were tried."""
        tried, unchanged = self.seen.get(choice), self.seen.get((), _Outcome())
        pairs = () if tried is None else zip(tried.similarities, unchanged.similarities, strict=False)
        return tried is not None and tried.ends and all(now >= before for now, before in pairs)

    def _similarity(self, done: RunDone, step: RunStep) -> float:
        """Return how similar an output is to the right one, from 0 to 1."""
        expected = self.lab.reference.run(step.program, step.case)
        if done.stdout.data is None or expected is None or expected.stdout.data is None:
            return 0.0
        return _similarity(done.stdout.data[:MOST_OUTPUT_BYTES], expected.stdout.data[:MOST_OUTPUT_BYTES])

    @cached_property
    def _fast(self) -> Plan:
        """The plan with builds that are compiled as fast as possible."""
        plan = self.failing.runs
        builds = (
            build.model_copy(update={"compile": (*build.compile[:-1], "-O0", "-w", build.compile[-1])})
            for build in plan.builds
        )
        return plan.model_copy(update={"builds": tuple(builds)})


@cache
def _similarity(written: bytes, right: bytes) -> float:
    first, second = (_TOKEN.findall(text) for text in (written, right))
    begin = len([*takewhile(bool, map(eq, first, second))])
    same_end = len([*takewhile(bool, map(eq, reversed(first), reversed(second)))])
    end = min(same_end, len(first) - begin, len(second) - begin)
    middle, other = (tokens[begin : len(tokens) - end][:MOST_TOKENS] for tokens in (first, second))
    same = sum(block.size for block in SequenceMatcher(None, middle, other, autojunk=False).get_matching_blocks())
    return 0.99 * 2 * (begin + end + same) / max(1, len(first) + len(second))
