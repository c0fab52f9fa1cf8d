"""Count failures that have one reason together: those of wrong outputs, of runs without end, and of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from grader.diagnose.behaviour.cover import cover
from grader.diagnose.behaviour.failures import ENDLESS, UNSORTED_OUTPUT, Failure
from grader.diagnose.behaviour.group import Groups, Key
from grader.diagnose.behaviour.outputs import GENERIC, WRONG_OUTPUT, CopyRun, Kind, common_beginning, output_symptoms
from grader.diagnose.behaviour.sentences import REPEATED
from grader.diagnose.behaviour.traced_slice import call_bytes
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.report import Check, Stream, StreamJudgement, SymbolsEvidence

LEAST_TEXT_BYTES = 4
"""Shortest beginning by which a text before a copy is recognised where the whole output is not known."""

FROM_AFAR = {Kind("wrong-bytes"), WRONG_OUTPUT}
"""What is known of a full-size output from its first difference, if its other bytes may be wrong in any way."""

ONE_PAIR = ("only-first-pair", "only-last-pair", "not-last-pair", "every-second-pair")
"""Symptoms that say which bytes of the first operand stay as they are."""

AROUND = {"first": "extra-before", "last": "extra-after"}
"""Where a program may write the same bytes with each copy, and the symptom of outputs that are right otherwise."""


def merge(groups: Groups, evidence: Evidence, lab: Lab) -> None:
    """Count failures with those of another symptom of the same program wherever both have one reason."""
    _merge_apart(groups)
    _merge_endless(groups)
    _merge_floods(groups)
    merge_pairs(groups)
    _merge_late_refusals(groups, lab)
    _merge_calls(groups, evidence, lab)
    merge_unreached(groups)
    _merge_large(groups)


def name_outputs(groups: Groups, right: Mapping[str, Sequence[CopyRun]]) -> None:
    """Replace wrong outputs by the symptoms that they show, so that each counts with that of most of them."""
    for key in [key for key in groups if key.kind == UNSORTED_OUTPUT]:
        failures = groups.pop(key)
        copies = [failure.copy for failure in failures if failure.copy is not None]
        found = cover(copies, right.get(key.program, ()))
        unnamed = [failures[place] for place in found.pop(WRONG_OUTPUT, [])]
        for kind, places in found.items():
            groups.setdefault(key._replace(kind=kind), []).extend(failures[place] for place in places)
        left = _named_by_the_rest(groups, key, unnamed, copies)
        if left:
            groups.setdefault(key._replace(kind=WRONG_OUTPUT), []).extend(left)


def _named_by_the_rest(
    groups: Groups, key: Key, failures: Sequence[Failure], copies: Sequence[CopyRun]
) -> list[Failure]:
    """Take off what is written before or after every copy; return the outputs that are wrong in other ways."""
    known = {other.kind._replace(text="") for other in groups if other.is_seen_with(key)}
    longer = [(failure, _as_if_ended(failure.copy, known)) for failure in failures]
    _group_as(groups, key, "last", [(failure, copy) for failure, copy in longer if copy is not None])
    left = [failure for failure, copy in longer if copy is None]
    for place, name in AROUND.items():
        around = _around(copies, place)
        empty = [failure for failure in left if around and _is_only(failure.copy, around)]
        if empty:
            groups.setdefault(key._replace(kind=Kind(name)), []).extend(empty)
            left = [failure for failure in left if failure not in empty]
        inner = [(failure, _without(failure.copy, around, place) if around else None) for failure in left]
        _group_as(groups, key, place, [(failure, copy) for failure, copy in inner if copy is not None])
        left = [failure for failure, copy in inner if copy is None]
    cut = [(failure, _as_if_right(failure.copy, known)) for failure in left]
    _group_as(groups, key, "wrong", [(failure, copy) for failure, copy in cut if copy is not None])
    return [failure for failure, copy in cut if copy is None]


def _group_as(groups: Groups, key: Key, text: str, cleaned: Sequence[tuple[Failure, CopyRun]]) -> None:
    """Add failures by their outputs in `cleaned`, which lack a mistake that another symptom or `text` names."""
    for kind, numbers in cover([copy for _, copy in cleaned]).items():
        own = [replace(cleaned[number][0], copy=cleaned[number][1], apart=text) for number in numbers]
        groups.setdefault(key._replace(kind=kind._replace(text=text)), []).extend(own)


def _around(copies: Sequence[CopyRun], place: str) -> bytes:
    """Return the bytes that the program writes before or after each of its copies; empty if they differ.

    A byte that is repeated is returned once.
    """
    found = set()
    for copy in copies:
        extra = len(copy.actual) - len(copy.expected)
        if place == "first" and extra > 0 and copy.expected and copy.actual.endswith(copy.expected):
            found.add(copy.actual[:extra])
        if place == "last" and extra > 0 and copy.expected and copy.actual.startswith(copy.expected):
            found.add(copy.actual[-extra:])
    if found and len(set(b"".join(found))) == 1:
        return b"".join(found)[:1]
    return found.pop() if len(found) == 1 else b""


def _is_only(copy: CopyRun | None, around: bytes) -> bool:
    """Return whether an output has only what surrounds every copy, and the copy is empty."""
    if copy is None or copy.expected:
        return False
    return copy.actual == around or (len(around) == 1 and not copy.actual.strip(around))


def _without(copy: CopyRun | None, around: bytes, place: str) -> CopyRun | None:
    """Return a run as if it had not written what surrounds its copy; None if the rest is not understood."""
    if copy is None:
        return None
    actual = copy.actual
    if len(around) == 1:
        actual = actual.lstrip(around) if place == "first" else _with_own_end(copy, actual.rstrip(around))
    else:
        actual = actual.removeprefix(around) if place == "first" else actual.removesuffix(around)
    if actual in (copy.actual, copy.expected):
        return None
    inner = replace(copy, actual=actual)
    return None if output_symptoms(inner)[0].id == "wrong-output" else inner


def _with_own_end(copy: CopyRun, stripped: bytes) -> bytes:
    """Return an output whose end was stripped, with those of the same bytes that belong to its copy."""
    size_bytes = len(stripped)
    while size_bytes < len(copy.actual) - 1 and copy.actual[: size_bytes + 1] == copy.expected[: size_bytes + 1]:
        size_bytes += 1
    return copy.actual[:size_bytes]


def _as_if_ended(copy: CopyRun | None, known: AbstractSet[Kind]) -> CopyRun | None:
    """Return a run that wrote too much as if it had ended in time, if it is wrong in a way that is known already."""
    if copy is None or len(copy.actual) <= len(copy.expected):
        return None
    inner = replace(copy, actual=copy.actual[: len(copy.expected)])
    if inner.actual == inner.expected or known.isdisjoint(set(output_symptoms(inner)) - GENERIC):
        return None
    return inner


def _as_if_right(copy: CopyRun | None, known: AbstractSet[Kind]) -> CopyRun | None:
    """Return a run that ended early as if what it wrote were right, if that is wrong in a known way."""
    if copy is None or copy.mapping is None or not 0 < len(copy.actual) < len(copy.expected):
        return None
    size_bytes = len(copy.actual)
    begun = replace(copy, input_data=copy.input_data[:size_bytes], expected=copy.expected[:size_bytes])
    if begun.actual == begun.expected or known.isdisjoint(set(output_symptoms(begun)) - GENERIC):
        return None
    return replace(copy, actual=begun.expected)


def _move(groups: Groups, key: Key, other: Key) -> None:
    """Count the failures of one symptom with another one of the same program."""
    groups.setdefault(other, []).extend(groups.pop(key))


def _merge_endless(groups: Groups) -> None:
    """Count runs that were not waited for, and those of which it is not known how far they came, with the others."""
    for key in [key for key in groups if key.kind.id == "not-run-without-end" or key.kind == Kind("never-ends")]:
        endless = [other for other in groups if other.is_seen_with(key) and other.kind.id in ENDLESS and other != key]
        if not all(map(_may_flood, groups[key])):
            endless = [other for other in endless if other.kind.id == "never-ends"]
        if endless:
            _move(groups, key, max(endless, key=lambda other: len(groups[other])))


def _may_flood(failure: Failure) -> bool:
    run = failure.run
    return run is None or run.stdout.size_bytes + run.stderr.size_bytes > 0


def _merge_apart(groups: Groups) -> None:
    """Count outputs with a symptom and something else with those that have the symptom alone."""
    for key in [key for key in groups if any(failure.apart for failure in groups[key])]:
        alone = key._replace(kind=key.kind._replace(text=""))
        if alone in groups:
            _move(groups, key, alone)


def _merge_floods(groups: Groups) -> None:
    """Count outputs that were stopped with the only symptom of several bytes for each, if they begin like that.

    A copy that goes to standard error may be stopped too.
    """
    for key in [key for key in groups if key.kind.id == "writes-without-end"]:
        to_stderr = key._replace(kind=Kind("copies-to-stderr"))
        runs = [failure.run for failure in groups[key] if failure.run is not None]
        if to_stderr in groups and all(not run.stdout.size_bytes and run.stderr.size_bytes for run in runs):
            _move(groups, key, to_stderr)
            continue
        alike = [other for other in groups if other.is_seen_with(key) and other.kind.id in REPEATED]
        begun = [failure for failure in groups[key] if failure.difference is not None]
        if len(alike) == 1 and begun and all(begins_repeated(failure, alike[0].kind) for failure in begun):
            _move(groups, key, alike[0])


def _merge_late_refusals(groups: Groups, lab: Lab) -> None:
    """Count operands that are accepted with those that are refused while the input is copied.

    A byte that the first operand has twice is then refused if it is in the input, and only then.
    """

    def occur(failure: Failure) -> bool:
        first = failure.operands[0] if failure.operands else b""
        twice = {byte for byte in first if first.count(byte) > 1}
        return not twice.isdisjoint(lab.inputs[lab.spec.cases[failure.case].input])

    for key in [key for key in groups if key.kind.id == "accepts-wrong-operands"]:
        late = key._replace(kind=Kind("refused-while-copying"))
        if late in groups and all(map(occur, groups[late])) and not any(map(occur, groups[key])):
            _move(groups, key, late)


def begins_repeated(failure: Failure, kind: Kind) -> bool:
    """Return whether an output of which the beginning is known has several bytes for each, as a symptom says."""
    where = failure.difference
    if where is None or where.actual.offset or where.expected.offset:
        return False
    read = where.input.data if where.input is not None else where.expected.data
    match kind.id:
        case "each-byte-repeated":
            times, read = int(kind.data), where.expected.data
        case "extra-after-each":
            right = where.expected.data
            whole = b"".join(right[at : at + 1] + kind.data for at in range(len(right)))
            return whole.startswith(where.actual.data)
        case "more-after-each":
            times, right = int(kind.data), where.expected.data
            written = where.actual.data[::times]
            return written == right[: len(written)]
        case _:
            times = len(failure.operands[0]) if failure.operands else 1
    return all(
        written in (before, after)
        for place, (before, after) in enumerate(zip(read, where.expected.data, strict=False))
        for written in where.actual.data[place * times : (place + 1) * times]
    )


ASKED: Mapping[tuple[str, Stream], Callable[[Kind], int]] = {
    ("extra-after-each", "stdout"): lambda kind: 1 + len(kind.data),
    ("more-after-each", "stdout"): lambda kind: int(kind.data),
    ("one-of-many-written", "stdin"): lambda kind: int(kind.data),
    ("one-of-many-copied", "stdin"): lambda kind: int(kind.data),
    ("one-of-many-translated", "stdin"): lambda kind: int(kind.data),
}
"""How many bytes a call of a stream asks for in a program with a symptom, if that is the reason."""


def _merge_calls(groups: Groups, evidence: Evidence, lab: Lab) -> None:
    """Count calls that ask for too many bytes with the outputs that are wrong for this reason."""
    for key in [key for key in groups if key.kind == Kind("system-calls")]:
        streams = [failure.stream for failure in groups[key] if failure.stream is not None]
        names = {stream.stream for stream in streams}
        if len(names) != 1 or not any(stream.deviation == "nbyte" for stream in streams):
            continue
        [name] = names
        asked = call_bytes(key.program, name, evidence, lab)
        if not all(_asks_for(stream, asked) for stream in streams):
            continue
        same = [other for other in groups if other.is_seen_with(key) and (other.kind.id, name) in ASKED]
        if len(same) == 1 and ASKED[same[0].kind.id, name](same[0].kind) == asked:
            _move(groups, key, same[0])


def merge_unreached(groups: Groups) -> None:
    """Count calls that a program never reaches with the runs that did not end, if these wrote nothing."""
    for key in [key for key in groups if key.kind.id == "functions"]:
        endless = [other for other in groups if other.is_seen_with(key) and other.kind.id == "never-ends"]
        runs = [failure.run for other in endless for failure in groups[other] if failure.run is not None]
        unreached = all(_is_unreached(failure.check) for failure in groups[key])
        if len(endless) == 1 and runs and unreached and not any(run.stdout.size_bytes for run in runs):
            _move(groups, key, endless[0])


def _is_unreached(check: Check) -> bool:
    """Return whether a check of functions failed only as some calls are never reached."""
    evidence = check.evidence
    return isinstance(evidence, SymbolsEvidence) and evidence.left_out and not evidence.forbidden


def _asks_for(stream: StreamJudgement, asked: int | None) -> bool:
    """Return whether a stream is wrong because of what its calls ask for; of totals, only the mean is known."""
    mean = asked is not None and stream.deviation == "count" and stream.bytes == stream.calls * asked
    return stream.deviation == "nbyte" or mean


def merge_pairs(groups: Groups) -> None:
    """Count bytes that stay as they are together, if what was first said of some does not hold for all."""
    for key in [key for key in groups if key.kind.id in ONE_PAIR]:
        together = key._replace(kind=Kind("not-translated"))
        alike = {together, *(key._replace(kind=Kind(name)) for name in ONE_PAIR)} - {key}
        if not alike.isdisjoint(groups):
            _move(groups, key, together)


def _merge_large(groups: Groups) -> None:
    """Count a full-size output of which little is known with the only symptom of short runs that may look like it."""
    for key in [key for key in groups if key.kind in FROM_AFAR]:
        take_texts_before(groups, key)
    for key in [key for key in groups if key.kind in FROM_AFAR and not _has_copy(groups[key])]:
        alike = [other for other, failures in groups.items() if other.is_seen_with(key) and _has_copy(failures)]
        before, after = (key._replace(kind=Kind(name)) for name in ("extra-before", "extra-after"))
        if before in groups and all(_has_before(failure, _extra_bytes(groups[before])) for failure in groups[key]):
            _move(groups, key, before)
        elif after in groups and all(
            failure.surplus_bytes > 0 and failure.surplus_bytes == len(_extra_bytes(groups[after], "last"))
            for failure in groups[key]
        ):
            _move(groups, key, after)
        elif len(alike) == 1:
            _move(groups, key, alike[0])
        else:
            # Known to be written together with something before or after it.
            apart = [other for other in alike if any(failure.apart in AROUND for failure in groups[other])]
            others = [other for other in alike if other not in apart and other.kind.id not in AROUND.values()]
            if len(apart) == 1 and not others:
                _move(groups, key, apart[0])


def take_texts_before(groups: Groups, key: Key) -> None:
    """Count full-size outputs that begin with the text that comes before each copy with those copies."""
    before = key._replace(kind=Kind("extra-before"))
    copies = [failure.copy for failure in groups.get(before, ()) if failure.copy is not None]
    texts = [copy.actual[: len(copy.actual) - len(copy.expected)] for copy in copies]
    # What the first and the last in order have in common, all have.
    low, high = min(texts, default=b""), max(texts, default=b"")
    text = low[: common_beginning(low, high)]
    if len(text) < LEAST_TEXT_BYTES:
        return
    taken = [failure for failure in groups[key] if failure.copy is None and _begins_with(failure, text)]
    # Of what went to a terminal, only the size is known.
    sizes = {(failure.operands, _difference_bytes(failure)) for failure in taken}
    taken += [
        failure
        for failure in groups[key]
        if failure.difference is None and (failure.operands, failure.surplus_bytes) in sizes
    ]
    left = [failure for failure in groups[key] if failure not in taken]
    groups[before].extend(taken)
    if left:
        groups[key] = left
    else:
        del groups[key]


def _difference_bytes(failure: Failure) -> int:
    """Return how many bytes too many an output has of which only the first difference is known."""
    where = failure.difference
    return 0 if where is None else where.actual_size_bytes - where.expected_size_bytes


def _begins_with(failure: Failure, text: bytes) -> bool:
    """Return whether an output is too long and begins with a text, as far as it is known."""
    where = failure.difference
    if where is None or where.actual.offset or where.actual_size_bytes <= where.expected_size_bytes:
        return False
    return where.actual.data.startswith(text[: len(where.actual.data)])


def _extra_bytes(failures: Sequence[Failure], place: str = "first") -> bytes:
    return _around([failure.copy for failure in failures if failure.copy is not None], place)


def _has_before(failure: Failure, extra: bytes) -> bool:
    """Return whether an output that is too large may have these bytes before its copy, going by its size."""
    if not extra:
        return False
    if failure.difference is None:
        return failure.run is not None and failure.copy is None and not failure.problem
    where = failure.difference
    size_fits = where.actual_size_bytes - where.expected_size_bytes == len(extra)
    return size_fits and where.actual.data.startswith(extra[where.actual.offset :][: len(where.actual.data)])


def _has_copy(failures: Sequence[Failure]) -> bool:
    return any(failure.copy is not None for failure in failures)
