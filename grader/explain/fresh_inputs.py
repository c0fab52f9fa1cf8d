"""Generate runs with operands and inputs that no case has, from the cases that students see.

A variant is in the shape of the cases if every program that fits them should handle it. Elsewhere the statement of a
lab may say nothing, and right programs may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, pairwise, zip_longest
from math import prod

from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep

MOST_VARIANTS = 72
"""Variants that the reference is run on, for each program."""

BASE_BYTES = 2_000
"""Longer inputs and operands are not varied: a shorter case shows the same."""

FRESH = "fresh"
"""What the names of fresh inputs and runs begin with. A case of a lab has no such name with a number."""

_NUMBER = re.compile(rb"(?<![\w.])-?\d{1,9}(?![\w.])")


@dataclass(frozen=True)
class Variant:
    """Operands and an input that no case has. `is_in_shape`: every right program should handle them alike."""

    operands: tuple[bytes, ...]
    data: bytes
    is_in_shape: bool


def fresh_steps(lab: Lab, plan: Plan, program: str) -> tuple[tuple[RunStep, Variant], ...]:
    """Return the runs of a program on variants of its cases: always the same ones for a lab."""
    bases = [step for step in plan.runs if step.program == program and _is_base(lab, step)]
    shape = Shape([_varied_data(lab, step) for step in bases])
    known = {(step.operands, _varied_data(lab, step)) for step in plan.runs if step.program == program}
    cases = [lab.spec.cases[step.case] for step in plan.runs if step.program == program]
    # Drawing operands is slow, so it is not repeated for each variant.
    stated = {_nonempty(case.arguments) for case in cases if case.expect != "either"}
    by_kind: dict[str, dict[tuple[tuple[bytes, ...], bytes], tuple[RunStep, Variant]]] = {}
    for step in bases:
        for kind, variant in _variants(lab, step, shape):
            key = variant.operands, variant.data
            is_possible = not any(b"\0" in operand for operand in variant.operands)
            if key not in known and is_possible and _nonempty(variant.operands) in stated:
                by_kind.setdefault(kind, {}).setdefault(key, (step, variant))
    mixed = (sorted(found.values(), key=lambda pair: _order(lab, pair[1])) for found in by_kind.values())
    chosen = [pair for pair in chain.from_iterable(zip_longest(*mixed)) if pair is not None]
    unique = {(variant.operands, variant.data): (step, variant) for step, variant in reversed(chosen)}
    in_order = [*reversed(unique.values())][:MOST_VARIANTS]
    return tuple(
        (_fresh_step(step, f"{FRESH}-{number}", variant, lab), variant)
        for number, (step, variant) in enumerate(in_order)
    )


def _order(lab: Lab, variant: Variant) -> bytes:
    return sha256(repr((lab.spec.lab, variant.operands, variant.data)).encode()).digest()


def _is_base(lab: Lab, step: RunStep) -> bool:
    case, visible = lab.spec.cases[step.case], [item for item in lab.spec.rubric if item.visibility == "visible"]
    is_seen = not case.hidden and any(step.case == name for item in visible for _, name in item.case_references())
    is_plain = step.id == f"{step.program}.{step.case}" and step.only_if is None and step.sink != "terminal"
    is_short = case.limits == "small" and len(_varied_data(lab, step)) + sum(map(len, step.operands)) <= BASE_BYTES
    inputs = (step.input, *(file.content for file in step.files))
    is_open = not any(name in lab.spec.inputs and lab.spec.inputs[name].hidden for name in inputs if name)
    return is_seen and is_plain and is_short and is_open and case.expect != "either"


def _varied_file(lab: Lab, step: RunStep) -> str | None:
    """Return the name of the file that is the input of a run, None if that is standard input."""
    if lab.inputs[step.input]:
        return None
    return next((file.name for file in step.files if file.content and lab.inputs[file.content]), None)


def _varied_data(lab: Lab, step: RunStep) -> bytes:
    name = _varied_file(lab, step)
    content = next((file.content for file in step.files if file.name == name), None)
    return lab.inputs[step.input if content is None else content]


def _nonempty(operands: Sequence[bytes]) -> tuple[bool, ...]:
    """Return for each operand whether it is not empty: only what a case of the lab has is varied."""
    return tuple(map(bool, operands))


def _fresh_step(step: RunStep, name: str, variant: Variant, lab: Lab) -> RunStep:
    varied = _varied_file(lab, step)
    files = (file.model_copy(update={"content": name}) if file.name == varied else file for file in step.files)
    update = {
        "id": f"{step.program}.{name}",
        "operands": variant.operands,
        "input": name if varied is None else step.input,
        "files": tuple(files),
        "engine": "plain",
        "hang_group": None,
        "predicted_by": None,
        "requires_ended": (),
        "repeat_untraced": False,
    }
    return step.model_copy(update=update)


def _variants(lab: Lab, step: RunStep, shape: Shape) -> Iterator[tuple[str, Variant]]:
    """Yield variants of a run with their kinds."""
    data, names = _varied_data(lab, step), {file.name.encode() for file in step.files}
    places = [place for place, operand in enumerate(step.operands) if operand not in names]
    for kind, operands, is_number in operand_variants(step.operands, places, data):
        # In a translation every byte counts, and the input should have those of the operands.
        text = data + b"".join(operands) + b"".join(reversed(operands)) if lab.translates else data
        yield f"operands {kind}", Variant(operands, text, lab.translates or is_number)
    if lab.translates:
        for kind, text in byte_variants(data):
            yield f"bytes {kind}", Variant(step.operands, text, is_in_shape=True)
    else:
        for kind, text, is_in_shape in shape.variants(data):
            yield f"text {kind}", Variant(step.operands, text, is_in_shape)


def operand_variants(
    operands: tuple[bytes, ...], places: Sequence[int], data: bytes
) -> Iterator[tuple[str, tuple[bytes, ...], bool]]:
    """Yield other operands with their kind; of those that are a number, another positive number is in shape."""
    for place in places:
        own = operands[place]
        for kind, changed in _changed_operands(own, operands, data):
            is_number = kind == "number" and int(changed) > 0
            yield f"{kind} {place}", (*operands[:place], changed, *operands[place + 1 :]), is_number
        yield f"missing {place}", (*operands[:place], *operands[place + 1 :]), False
    for first, second in pairwise(places):
        swapped = [*operands]
        swapped[first], swapped[second] = operands[second], operands[first]
        yield "exchanged", tuple(swapped), False
    for kind, change in _TOGETHER.items():
        yield kind, tuple(change(own) if place in places else own for place, own in enumerate(operands)), False


_TOGETHER: dict[str, Callable[[bytes], bytes]] = {
    "all reversed": lambda own: own[::-1],
    "all rotated": lambda own: own[1:] + own[:1],
    "all shortened": lambda own: own[:-1] or own,
    "all extended": lambda own: own + b"Q",
}


def _changed_operands(own: bytes, operands: Sequence[bytes], data: bytes) -> Iterator[tuple[str, bytes]]:
    if _NUMBER.fullmatch(own):
        yield from (("number", b"%d" % number) for number in (int(own) + 1, 2 * int(own) + 1, 3, 0, -int(own)))
        return
    yield "doubled", own + own
    yield "shortened", own[:-1]
    yield "extended", own + b"Q"
    if len(own) > 1:
        last, middle = len(own) - 1, len(own) // 2
        for kind, place, source in (("first", last, 0), ("last", 0, last), ("middle", middle, middle - 1)):
            yield f"repeats its {kind}", own[:place] + own[source : source + 1] + own[place + 1 :]
        yield "rotated", own[1:] + own[:1]
    for other in operands:
        # A byte of another operand, which does not correspond to it.
        if other not in {own, b""} and own:
            place = sum(own) % len(own)
            yield "shares a byte", own[:place] + other[place - 1 : place or None][:1] + own[place + 1 :]
    unused = [byte for byte in dict.fromkeys(data) if byte not in own]
    if unused and own:
        yield "has another byte", own[:-1] + bytes([unused[len(own) % len(unused)]])


def byte_variants(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield other inputs for programs that translate bytes."""
    yield "reversed", data[::-1]
    yield "doubled", data + data
    yield "shuffled", data[1::2] + data[::2]
    yield "first half", data[: len(data) // 2]
    yield "all", bytes(range(256)) + data
    yield "without newline", data.removesuffix(b"\n")


class Shape:
    """What the inputs of all cases have in common, as texts with numbers and words."""

    def __init__(self, inputs: Collection[bytes]) -> None:
        self._inputs = frozenset(inputs)
        found = [[int(number) for number in _NUMBER.findall(data)] for data in self._inputs]
        self._numbers = sorted({number for numbers in found for number in numbers})
        self._is_sorted = all(numbers == sorted(numbers) for numbers in found)
        long = [data for data in self._inputs if data.count(b"\n") > 1 or len(_NUMBER.findall(data)) > 1]
        self._has_head = bool(long) and all(map(_begins_with_count, long))
        lines = {len(data.splitlines()) for data in self._inputs if data}
        self._lines_vary = len(lines) > 1 and not self._has_head
        tokens = {len(line.split()) for data in self._inputs for line in data.splitlines()}
        self._tokens_vary = len(tokens) > 1 and not self._has_head
        self._bytes = frozenset(byte for data in self._inputs for byte in data)

    def variants(self, data: bytes) -> Iterator[tuple[str, bytes, bool]]:
        """Yield other texts with their kinds, and whether they are in the shape of the inputs."""
        for kind, text, is_like in chain(self._with_numbers(data), self._with_lines(data), self._with_tokens(data)):
            numbers = [int(number) for number in _NUMBER.findall(text)]
            is_sorted = not self._is_sorted or numbers == sorted(numbers)
            yield kind, text, is_like and is_sorted
        yield "empty", b"", b"" in self._inputs
        yield "last newline", *self._other_end(data)
        yield "wider blanks", data.replace(b" ", b"  "), any(b"  " in text for text in self._inputs)

    def _other_end(self, data: bytes) -> tuple[bytes, bool]:
        ends = {text.endswith(b"\n") for text in self._inputs if text}
        return data.removesuffix(b"\n") if data.endswith(b"\n") else data + b"\n", len(ends) == 2  # noqa: PLR2004

    def _with_numbers(self, data: bytes) -> Iterator[tuple[str, bytes, bool]]:
        least, most = (self._numbers[0], self._numbers[-1]) if self._numbers else (0, 0)
        body = data.find(b"\n") + 1 if self._has_head else 0
        for place, match in enumerate(_NUMBER.finditer(data)):
            if match.start() < body:
                continue
            number = int(match[0])
            # Of the numbers of all cases, some between two of them, and others outside.
            between = [(low + high) // 2 for low, high in pairwise(self._numbers)]
            near = [number - 1, number + 1, number * 2, number // 2, -number, 0]
            for new in dict.fromkeys((*near, *between, *self._numbers, most + 1, 2 * most + 3, least - 1)):
                if new != number:
                    text = data[: match.start()] + b"%d" % new + data[match.end() :]
                    yield f"number {min(place, 3)} {least <= new <= most}", text, least <= new <= most

    def _with_lines(self, data: bytes) -> Iterator[tuple[str, bytes, bool]]:
        lines = data.splitlines(keepends=True)
        yield "doubled", data + data, self._lines_vary and data.endswith(b"\n")
        if len(lines) > 1 and not self._has_head:
            whole = [line if line.endswith(b"\n") else line + b"\n" for line in lines]
            yield "lines reversed", b"".join(reversed(whole)), self._lines_vary
            yield "without a line", b"".join(whole[1:]), self._lines_vary
            yield "a line again", b"".join([*whole, whole[0]]), self._lines_vary
        for other in sorted(self._inputs):
            if self._lines_vary and data.endswith(b"\n") and other:
                yield "two inputs", data + other, True

    def _with_tokens(self, data: bytes) -> Iterator[tuple[str, bytes, bool]]:
        body = data.find(b"\n") + 1 if self._has_head else 0
        found = [match for match in re.finditer(rb"\S+", data) if match.start() >= body]
        for first, second in pairwise(found):
            is_same = bool(_NUMBER.fullmatch(first[0])) == bool(_NUMBER.fullmatch(second[0]))
            between = data[first.end() : second.start()]
            swapped = data[: first.start()] + second[0] + between + first[0] + data[second.end() :]
            yield "tokens exchanged", swapped, is_same
            again = data[: second.start()] + first[0] + data[second.end() :]
            yield "a token again", again, is_same
            yield "without a token", data[: second.start()] + data[second.end() :], False
            more = data[: first.end()] + b" " + first[0] + data[first.end() :]
            yield "a token more", more, self._tokens_vary
        for token in found:
            if token[0].isalpha():
                own, rest = token[0], data[token.end() :]
                letters = [bytes([byte]) for byte in sorted(self._bytes) if bytes([byte]).isalpha()]
                letter = letters[sum(own) % len(letters)]
                for kind, new in (
                    ("word reversed", own[::-1]),
                    ("word doubled", own + own[::-1]),
                    ("other letter", letter + own[1:]),
                    ("word shortened", own[:-1] or own),
                ):
                    yield kind, data[: token.start()] + new + rest, True
                is_seen = own.swapcase()[0] in self._bytes
                yield "other case", data[: token.start()] + own.swapcase() + rest, is_seen


def _begins_with_count(data: bytes) -> bool:
    """Return whether the first line says how many lines, or words, follow."""
    head, _, rest = data.partition(b"\n")
    numbers = [int(number) for number in _NUMBER.findall(head)]
    if not numbers or len(numbers) != len(head.split()):
        return False
    counts = {len(rest.split()), len(rest.splitlines())}
    return prod(numbers) in counts or numbers[0] in counts


def fresh_names(step: RunStep) -> Iterator[str]:
    """Yield the name of the input of a fresh run that is not one of the lab's."""
    name = step.id.partition(".")[2]
    yield from (name for used in (step.input, *(file.content for file in step.files)) if used == name)
