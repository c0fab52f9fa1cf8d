"""The sentence on a proof, and the instruction to a student, composed of the same parts."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.counted import capital, listed
from grader.model.report import Proof, ProofChange, ProofStep

LEFT = "; left to repair: "


def sentence_of(steps: Sequence[ProofStep]) -> str:
    """Return "With `x` instead of `y` in line 3 of a.c, the check text passes." for each step."""
    return " ".join(
        f"{capital(_also(steps, at) + _changes(step, files, is_order=False))}, {_result(step)}"
        for at, (step, files) in enumerate(_merged(steps))
    )


def instruction_of(proof: Proof | None) -> str:
    """Return "Write `x` instead of `y` in line 3. Then the check text passes." for each step.

    The lines are shown with their file, so only the lines of several files name it.
    """
    if proof is None or not proof.steps:
        return "" if proof is None else proof.sentence
    is_one_file = len({step.file for step in proof.steps}) == 1
    orders = []
    for at, (step, files) in enumerate(_merged(proof.steps)):
        places = [] if is_one_file and _has_lines(step) else files
        words = f"{_also(proof.steps, at)}{_changes(step, places, is_order=True)}"
        orders.append(f"{capital(words)}. Then {_result(step)}")
    return " ".join(orders)


def _has_lines(step: ProofStep) -> bool:
    return len(step.changes) == 1 and bool(step.changes[0].lines)


def _merged(steps: Sequence[ProofStep]) -> list[tuple[ProofStep, list[ProofStep]]]:
    """Return the steps, those of other files that differ only in the lines with the first of them."""
    found: list[tuple[ProofStep, list[ProofStep]]] = []
    for step in steps:
        alike = next((same for first, same in found if _is_alike(first, step)), None)
        if alike is not None:
            alike.append(step)
        else:
            found.append((step, [step]))
    return found


def _is_alike(one: ProofStep, other: ProofStep) -> bool:
    words = [[(change.says, change.because) for change in step.changes] for step in (one, other)]
    is_single = len(one.changes) == 1
    return is_single and one.file != other.file and words[0] == words[1] and _result(one) == _result(other)


def _also(steps: Sequence[ProofStep], at: int) -> str:
    return "also " if at and steps[at].file == steps[at - 1].file else ""


def _changes(step: ProofStep, places: Sequence[ProofStep], *, is_order: bool) -> str:
    """Return what the changes of a step are, or what to do, each with its lines, and the files of these steps."""
    if len(step.changes) == 1:
        return f"{_words(step.changes[0], is_order=is_order)}{_places(places or [step], with_file=bool(places))}"
    reasons, verb, parts = set[str](), "", []
    for change in step.changes:
        # A reason is given once, but orders to make several changes have none. A verb is not repeated.
        is_known = is_order or change.because in reasons
        words = _words(change, is_order=is_order, has_verb=change.verb != verb, has_reason=not is_known)
        parts.append(f"{words}{in_lines(change.lines)}")
        reasons.add(change.because)
        verb = change.verb
    return f"{listed(parts)} of {step.file}"


def _words(change: ProofChange, *, is_order: bool, has_verb: bool = True, has_reason: bool = True) -> str:
    because = f" ({change.because})" if change.because and has_reason else ""
    order = f"{change.verb} {change.order}" if has_verb else change.order
    return f"{order if is_order else change.says}{because}"


def _places(steps: Sequence[ProofStep], *, with_file: bool) -> str:
    places = [f"{in_lines(step.changes[0].lines)}{f' of {step.file}' if with_file else ''}".strip() for step in steps]
    return f" {listed(places)}" if any(places) else ""


def _result(step: ProofStep) -> str:
    return f"{step.passes}{f'{LEFT}{step.left}' if step.left else ''}."


def in_lines(lines: Sequence[int]) -> str:
    """Return " in line 3" or " in lines 3 and 5", "" if there is none."""
    if not lines:
        return ""
    return f" in line {lines[0]}" if len(lines) == 1 else f" in lines {listed(map(str, lines))}"
