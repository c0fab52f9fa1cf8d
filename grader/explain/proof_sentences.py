"""Say what a fix did: in words for students, and as the lines that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grader.diagnose.source.edits import INCLUDE, Edit, fixed
from grader.diagnose.source.own_checks import OwnChecks
from grader.explain.change_words import ChangeText
from grader.explain.source_patterns import FoundChange, FoundPlace
from grader.explain.trials import Fix, Trial
from grader.model.counted import capital, listed, listed_up_to
from grader.model.proof_words import in_lines, sentence_of
from grader.model.report import CauseLine, Proof, ProofChange, ProofStep
from grader.model.spec.lab import Spec

NAMED_CHECKS = 4
"""Most checks that a sentence names of those that pass."""


class ProofWriter:
    """Writes the proofs of one submission, with the changed lines if `shows_fixes`."""

    def __init__(self, spec: Spec, sources: Mapping[str, bytes], *, shows_fixes: bool) -> None:
        self.spec = spec
        self._sources = sources
        self._shows_fixes = shows_fixes

    def lines(self, program: str, places: Iterable[FoundPlace | FoundChange]) -> list[CauseLine]:
        """Return the lines of places in the source of a program, without those that only close a block."""
        name = self.spec.programs[program].main_source
        texts = self._sources[name].split(b"\n")
        numbers = sorted({number for place in places for number in place.lines})
        return [
            CauseLine(number=number, text=texts[number - 1].decode("utf-8", "replace").rstrip("\r"), file=name)
            for number in numbers
            if texts[number - 1].strip() != b"}" or len(numbers) == 1
        ]

    def proof(self, works: Sequence[Trial]) -> Proof:
        """Return the proof by fixes, of which each repaired checks."""
        steps = tuple(map(self._step, works))
        fixed_lines = tuple(line for trial in works for line in self._fixed_lines(trial.fix))
        return Proof(
            sentence=sentence_of(steps),
            checks=tuple(check for trial in works for check in trial.passed),
            fixed=fixed_lines if self._shows_fixes else (),
            steps=steps,
        )

    def _step(self, trial: Trial) -> ProofStep:
        by_words: dict[str, tuple[ChangeText, set[int]]] = {}
        for place in (place for places in trial.fix.places.values() for place in places):
            if place.words.says:
                by_words.setdefault(place.words.says, (place.words, set()))[1].update(place.lines)
        changes = tuple(
            ProofChange(
                op=words.op,
                says=words.says,
                verb=words.verb,
                order=words.order,
                because=words.because,
                lines=tuple(sorted(lines)),
            )
            for words, lines in by_words.values()
        )
        items = self.spec.checks()
        names, short = ([items[check][1].name for check in some] for some in (trial.passed, trial.short_only))
        passes = f"the check {names[0]} passes" if len(names) == 1 else f"the checks {some_of(names)} pass"
        rest = f" (of {listed(short)} only the short runs were repeated)" if short else ""
        file = self.spec.programs[trial.fix.program].main_source
        return ProofStep(file=file, changes=changes, passes=f"{passes}{rest}", left="")

    def _fixed_lines(self, fix: Fix) -> list[CauseLine]:
        """Return the lines of the source that the fix changed, as they are afterwards."""
        file = self.spec.programs[fix.program].main_source
        before = self._sources[file]
        edits = [edit for edit in fix.edits if not edit.text.startswith(INCLUDE)]
        changed = sorted({before.count(b"\n", 0, edit.start) for edit in edits})
        starts = [0, *(index + 1 for index, byte in enumerate(before) if byte == ord("\n")), len(before) + 1]
        found = []
        for row in changed:
            own = [
                Edit(edit.start - starts[row], edit.end - starts[row], edit.text)
                for edit in edits
                if starts[row] <= edit.start and edit.end < starts[row + 1]
            ]
            text = fixed(before[starts[row] : starts[row + 1] - 1], own)
            if text is not None:
                found.append(CauseLine(number=row + 1, text=text.decode("utf-8", "replace").rstrip("\r"), file=file))
        return found


def joined_proofs(proofs: Sequence[Proof]) -> Proof:
    """Return the proofs of one mistake in several programs as one."""
    steps = tuple(step for proof in proofs for step in proof.steps)
    return Proof(
        sentence=sentence_of(steps),
        checks=tuple(check for proof in proofs for check in proof.checks),
        fixed=tuple(line for proof in proofs for line in proof.fixed),
        steps=steps,
    )


def with_left(proof: Proof, left: Sequence[str]) -> Proof:
    """Return a proof that says of its last step which checks, by name, still fail with it."""
    if not left or not proof.steps:
        return proof
    *before, last = proof.steps
    steps = (*before, last.model_copy(update={"left": failing_still(left)}))
    return proof.model_copy(update={"steps": steps, "sentence": sentence_of(steps)})


def continued(first: Proof, second: Proof) -> Proof:
    """Return the proof of what a change repairs after an earlier one, which is left to repair no longer."""
    earlier = tuple(step.model_copy(update={"left": ""}) for step in first.steps)
    steps = (*earlier, *second.steps)
    return Proof(
        sentence=sentence_of(steps),
        checks=(*first.checks, *second.checks),
        fixed=(*first.fixed, *second.fixed),
        steps=steps,
    )


def of_own_checks(proof: Proof, checks: Mapping[str, OwnChecks]) -> Proof | None:
    """Return a proof about a check that was added to programs, by file, if they have such a check themselves.

    None if it is about more than that.
    """
    kinds = {(one.does, one.lets) for one in checks.values()}
    changes = [change for step in proof.steps for change in step.changes]
    results = {(step.passes, step.left) for step in proof.steps}
    is_plain = not any(change.lines for change in changes) and len({one.says for one in changes}) == 1
    if not is_plain or len(kinds) != 1 or len(results) != 1:
        return None
    [(does, lets)], [(passes, left)] = kinds, results
    if left:
        return None
    is_one = sum(len(one.lines) for one in checks.values()) == 1
    places = listed(f"{in_lines(one.lines).removeprefix(' in ')} of {file}" for file, one in checks.items())
    what = f"{does[0]}, but lets" if is_one else f"{does[1]}, but let"
    sentence = f"{capital(places)} {what} {lets} through. Once this is refused, {passes}."
    return Proof(sentence=sentence, checks=proof.checks)


def failing_still(names: Sequence[str]) -> str:
    """Say of checks that they still fail with a fix."""
    return f"{some_of(names)}, which still {'fails' if len(names) == 1 else 'fail'}"


def some_of(names: Sequence[str]) -> str:
    """Return the names of checks, only the first ones if there are many."""
    return listed(names) if len(names) <= NAMED_CHECKS else listed_up_to(NAMED_CHECKS, names)
