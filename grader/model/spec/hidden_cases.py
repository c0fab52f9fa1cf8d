"""Check that whatever a spec hides from students is hidden everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.model.spec.cases import Case
from grader.model.spec.inconsistency import GuessableSeedError, InconsistencyError
from grader.model.spec.types import Hidden

SEED_BYTES = 16
"""Bytes of randomness in the seed of a hidden input, so that nobody can find it by trying."""

_RANDOM_SEED = re.compile(rf"[0-9a-f]{{{2 * SEED_BYTES},}}", re.IGNORECASE)
DIFFERENT_DIGITS = 8
"""Fewest different hexadecimal digits in a random seed; about one random seed in ten thousand has fewer."""

SHARED_DIGITS = 8
"""Consecutive digits that two seeds share only if one was made from the other: less than one random pair in
millions shares so many."""


@dataclass(frozen=True)
class SpecReference:
    """A key path in the spec that names a case; `shown`: to students; `timed`: with times, by the input's name."""

    key_path: str
    case: str
    shown: bool
    timed: bool = False


@dataclass(frozen=True)
class Seed:
    """The seed of a random input."""

    text: str
    hidden: bool


def hiding_inconsistencies(
    inputs: Mapping[str, Hidden],
    cases: Mapping[str, Case],
    references: Iterable[SpecReference],
    seeds: Mapping[str, Seed],
) -> Iterator[InconsistencyError]:
    """Yield an error for everything hidden that students would see, or could find out.

    `seeds` are the seeds of random inputs, by the name of the input. Undeclared names are ignored here.
    """
    known = tuple(reference for reference in references if reference.case in cases)
    for name, case in cases.items():
        if case.input in inputs:
            of_case = [reference for reference in known if reference.case == name]
            yield from _case_inconsistencies(name, case, of_case, inputs)
        yield from _file_inconsistencies(name, case, inputs)
    for reference in known:
        if reference.shown and cases[reference.case].hidden:
            yield InconsistencyError(
                f"{reference.case!r} is hidden, and would show here to students; "
                "name it in a check of visibility: hidden only",
                key_path=reference.key_path,
            )
    yield from _table_inconsistencies(cases, known)
    yield from _seed_inconsistencies(seeds)


def _table_inconsistencies(
    cases: Mapping[str, Case], references: Sequence[SpecReference]
) -> Iterator[InconsistencyError]:
    """Yield an error for each case of hidden checks alone whose figures would show next to those of other checks."""
    shown = {reference.case for reference in references if reference.shown}
    timed = {reference.case for reference in references if reference.timed}
    for name in dict.fromkeys(reference.case for reference in references if reference.case not in shown):
        case = cases[name]
        for other in sorted(shown - {name}):
            other_case = cases[other]
            both_counted = case.is_counted and other_case.is_counted and case.sink == other_case.sink
            same_input = case.judged_input == other_case.judged_input
            if not case.hidden and same_input and (both_counted or {name, other} <= timed):
                yield InconsistencyError(
                    f"only checks that students do not see name this case, and its calls or times would show next to "
                    f"those of {other!r}, which has the same input; give it an input of its own",
                    key_path=_judged_key(name, case),
                )
                break


def _judged_key(name: str, case: Case) -> str:
    """Return the key path of the input by which a case's figures are shown: that of a file, or of standard input."""
    file = case.streams.input
    is_file = file is not None and "." not in file and file in case.files and case.files[file].input is not None
    return f"cases.{name}.files.{file}.input" if is_file else f"cases.{name}.input"


def _case_inconsistencies(
    name: str, case: Case, references: Sequence[SpecReference], inputs: Mapping[str, Hidden]
) -> Iterator[InconsistencyError]:
    if not case.hidden:
        if inputs[case.input].hidden:
            yield InconsistencyError(
                f"the input {case.input!r} is hidden, and this case would show it; write hidden: true here too",
                key_path=f"cases.{name}.input",
            )
        return
    if not references:
        yield InconsistencyError(
            "no check rests on this case, so nothing keeps its runs from being shown; name it in a check "
            "of visibility: hidden, or leave the case out",
            key_path=f"cases.{name}.hidden",
        )
    has_figures = case.is_counted or any(reference.timed for reference in references)
    if has_figures and case.judged_input in inputs and not inputs[case.judged_input].hidden:
        yield InconsistencyError(
            f"calls and times are shown by input, and {case.judged_input!r} is not hidden; "
            "give this case an input of its own with hidden: true",
            key_path=_judged_key(name, case),
        )


def _file_inconsistencies(name: str, case: Case, inputs: Mapping[str, Hidden]) -> Iterator[InconsistencyError]:
    for key, used in case.inputs():
        if key != "input" and not case.hidden and used in inputs and inputs[used].hidden:
            yield InconsistencyError(
                f"the input {used!r} is hidden, and this case would show it; write hidden: true for the case too",
                key_path=f"cases.{name}.{key}",
            )


def _seed_inconsistencies(seeds: Mapping[str, Seed]) -> Iterator[InconsistencyError]:
    known = {name: seed.text for name, seed in seeds.items() if not seed.hidden}
    for name, seed in seeds.items():
        if not seed.hidden:
            continue
        revealing = [other for other, text in known.items() if _shares_digits(text, seed.text)]
        if not _is_random(seed.text):
            problem = (
                f"a student who guesses it knows the input: {2 * SEED_BYTES} random hexadecimal digits are needed"
            )
        elif revealing:
            problem = (
                f"it is the seed of {revealing[0]!r}, which is not hidden, or has digits of it: one tells the other"
            )
        else:
            continue
        yield GuessableSeedError(problem, key_path=f"inputs.{name}.seed")


def _is_random(text: str) -> bool:
    digits = _RANDOM_SEED.search(text)
    return digits is not None and len(set(digits[0].lower())) >= DIFFERENT_DIGITS


def _shares_digits(known: str, text: str) -> bool:
    """Return whether a known seed contains random digits of another seed."""
    digits = "".join(_RANDOM_SEED.findall(text)).lower()
    starts = range(len(digits) - SHARED_DIGITS + 1)
    return any(digits[start : start + SHARED_DIGITS] in known.lower() for start in starts)
