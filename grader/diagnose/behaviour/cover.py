"""Find the fewest and most specific symptoms that say what is wrong with all outputs of a program.

One short output may look like several symptoms: a byte that is left out at its end looks like an early end. So each
counts with the symptom that most of the program's outputs show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import gcd

from grader.diagnose.behaviour.outputs import (
    GENERIC,
    WRONG_OUTPUT,
    CopyRun,
    Kind,
    contradicts,
    dropped_bytes,
    is_every,
    lacks,
    output_symptoms,
)

DROPS = Kind("drops-bytes")
NEVER_WRITES = Kind("drops-bytes", b"written")

WEAKER = {Kind("stops-after-match"): Kind("stops-early")}
"""Symptoms that are often true by chance, and the generic one that explains outputs together with those of others."""

STOPS = Kind("stops-early")
STOPPED_RUNS = 3
"""Number of outputs that must end in the same way before a report names a byte at which programs rarely stop."""

BLOCK_RUNS = 3
"""Number of cut outputs that are needed before a report says that a program writes only whole blocks."""


def cover(copies: Sequence[CopyRun], right: Sequence[CopyRun] = ()) -> dict[Kind, list[int]]:
    """Sort wrong outputs, by their place, so that each counts with the symptom of most of them.

    `right` are runs of the same program with the right output. What a symptom says has to fit these as well.
    """
    possible = [list(output_symptoms(copy)) for copy in copies]
    _leave_out_contradicted(possible, right)
    _require_the_same_bytes(copies, possible, right)
    blocks = _whole_blocks(copies)
    found: dict[Kind, list[int]] = {}
    left = list(range(len(copies)))
    if blocks is not None:
        found[blocks] = [number for number in left if _is_cut(copies[number])]
        left = [number for number in left if not _is_cut(copies[number])]
    while left:
        best = _best([possible[number] for number in left])
        found[best] = [number for number in left if _takes(best, possible[number], copies[number])]
        left = [number for number in left if number not in found[best]]
    stop = _same_stop([copies[number] for number in found.get(STOPS, [])], right)
    if stop is not None:
        found[stop] = [*found.get(stop, []), *found.pop(STOPS)]
    return found


def _same_stop(copies: Sequence[CopyRun], right: Sequence[CopyRun]) -> Kind | None:
    """Return the symptom of outputs that end at, or after, the first byte of one kind; None if they do not."""
    if len(copies) < STOPPED_RUNS or any(len(copy.input_data) != len(copy.expected) for copy in copies):
        return None
    ends = {len(copy.actual) for copy in copies}
    next_bytes = {copy.input_data[len(copy.actual) :][:1] for copy in copies}
    last_bytes = {copy.actual[-1:] for copy in copies}
    for name, found in (("stops-early", next_bytes), ("stops-after-byte", last_bytes)):
        byte = found.pop()
        symptom = Kind(name, byte)
        if found or not byte or len(ends) == 1 or any(contradicts(copy, symptom) for copy in right):
            continue
        if name == "stops-early" and all(copy.input_data.find(byte) == len(copy.actual) for copy in copies):
            return symptom
        if name == "stops-after-byte" and all(copy.expected.find(byte) == len(copy.actual) - 1 for copy in copies):
            return symptom
    return None


def _leave_out_contradicted(possible: Sequence[list[Kind]], right: Sequence[CopyRun]) -> None:
    candidates = {symptom for symptoms in possible for symptom in symptoms} - GENERIC
    refuted = {symptom for symptom in candidates if any(contradicts(copy, symptom) for copy in right)}
    for symptoms in possible:
        symptoms[:] = [symptom for symptom in symptoms if symptom not in refuted]


def _best(possible: Sequence[Sequence[Kind]]) -> Kind:
    """Return the symptom that most outputs show; a generic one only counts where nothing else is true."""
    counts: Counter[Kind] = Counter()
    for symptoms in possible:
        counts.update({symptoms[0], *(symptom for symptom in symptoms if symptom not in GENERIC)})
        counts.update({WEAKER[symptom] for symptom in symptoms[:1] if symptom in WEAKER})
    most = max(counts.values())
    # The most specific one of several: each list has it first.
    order = [symptom for symptoms in possible for symptom in symptoms if counts[symptom] == most]
    return order[0]


def _takes(best: Kind, symptoms: Sequence[Kind], copy: CopyRun) -> bool:
    """Return whether an output counts with a symptom. An empty copy is in every output, whatever else is wrong.

    A short output shows that one of many bytes is written only if others show it.
    """
    if best == WRONG_OUTPUT:
        return symptoms[0] == WRONG_OUTPUT or not copy.expected
    if best.id == "one-of-many-written":
        step = int(best.data)
        every = (is_every(copy.actual, copy.expected, step, first, 1) for first in (0, step - 1))
        return best in symptoms or any(every)
    return best in symptoms


def _require_the_same_bytes(
    copies: Sequence[CopyRun], possible: Sequence[list[Kind]], right: Sequence[CopyRun]
) -> None:
    """Let only those outputs lack bytes that lack the same ones as the others, as far as their inputs have them."""
    read = frozenset[int]().union(*(copy.read for copy in right))
    written = frozenset[int]().union(*(copy.expected for copy in right))
    _require(
        possible,
        DROPS,
        {number: dropped_bytes(copies[number]) for number, symptoms in enumerate(possible) if DROPS in symptoms},
        read,
        copies,
    )
    absent = {
        number: frozenset(copies[number].expected) - {*copies[number].actual}
        for number, symptoms in enumerate(possible)
        if NEVER_WRITES in symptoms
    }
    _require(possible, NEVER_WRITES, absent, written, copies)


def _require(
    possible: Sequence[list[Kind]],
    symptom: Kind,
    lost: Mapping[int, frozenset[int]],
    kept: frozenset[int],
    copies: Sequence[CopyRun],
) -> None:
    own = {number: lost[number] for number, symptoms in enumerate(possible) if symptom in symptoms}
    if not own:
        return
    together = frozenset[int]().union(*own.values()) - kept
    if not all(_lacks_of(copies[number], together, symptom) for number in own):
        [(together, _)] = Counter(own.values()).most_common(1)
        together -= kept
    for number, bytes_of_run in own.items():
        if not bytes_of_run <= together or not _lacks_of(copies[number], together, symptom):
            possible[number].remove(symptom)


def _lacks_of(copy: CopyRun, missing: frozenset[int], symptom: Kind) -> bool:
    if symptom == NEVER_WRITES:
        return copy.expected.translate(None, bytes(missing)) == copy.actual
    return lacks(copy, missing & copy.read)


def _is_cut(copy: CopyRun) -> bool:
    return len(copy.actual) < len(copy.expected) and copy.expected.startswith(copy.actual)


def _whole_blocks(copies: Sequence[CopyRun]) -> Kind | None:
    """Return the symptom of outputs that always end with a whole block; None if they do not."""
    cut = [copy for copy in copies if _is_cut(copy)]
    size_bytes = gcd(*(len(copy.actual) for copy in cut))
    most_missing = max((len(copy.expected) - len(copy.actual) for copy in cut), default=0)
    if len(cut) < BLOCK_RUNS or size_bytes <= most_missing or most_missing <= 1:
        return None
    return Kind("only-whole-blocks")
