"""Whatever other programs treat specially in operands, tr2 has a case that a program with such a treatment fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest

from grader.lab.load import read_spec
from grader.model.spec.draws import PUBLIC
from grader.model.spec.lab import all_inputs
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
DRAWS = (PUBLIC, "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210")

Operands = tuple[bytes, ...]
Outcome = Mapping[int, int] | None
Program = Callable[[Operands], Outcome]


def translates(operands: Operands) -> Outcome:
    """What a right program does: it maps bytes, or refuses the operands (None)."""
    if len(operands) != 2 or len(operands[0]) != len(operands[1]) or len({*operands[0]}) < len(operands[0]):
        return None
    return {old: new for old, new in zip(*operands, strict=True) if old != new}


def expanding(pattern: bytes, special: Callable[[re.Match[bytes]], bytes]) -> Program:
    """A program that is right except for what it makes of a form in both operands."""
    return lambda operands: translates(
        tuple(re.sub(pattern, special, operand, flags=re.DOTALL) for operand in operands)
    )


def refusing(operand: bytes) -> Program:
    return lambda operands: None if operands[:1] == (operand,) else translates(operands)


def missing(is_found: Callable[[bytes, int, int], bool]) -> Program:
    """A program that finds a byte twice only if it is so, given FROM and two indexes."""

    def program(operands: Operands) -> Outcome:
        if len(operands) != 2 or len(operands[0]) != len(operands[1]):
            return None
        old = operands[0]
        pairs = ((i, j) for j in range(len(old)) for i in range(j) if old[i] == old[j])
        return None if any(is_found(old, i, j) for i, j in pairs) else dict(zip(*operands, strict=True))

    return program


def constant(data: bytes) -> Callable[[re.Match[bytes]], bytes]:
    return lambda _form: data


def between(form: re.Match[bytes]) -> bytes:
    return bytes(range(form[1][0], form[2][0] + 1)) or form[0]


CLASSES = ("alpha", "blank", "cntrl", "digit", "lower", "punct", "space", "upper", "xdigit")
PROGRAMS: dict[str, Program] = {
    "ranges": expanding(rb"(.)-(.)", between),
    "ranges in brackets": expanding(rb"\[(.)-(.)\]", between),
    "equivalence classes": expanding(rb"\[=(.)=\]", lambda form: form[1]),
    "collating symbols": expanding(rb"\[\.(.)\.\]", lambda form: form[1]),
    "repetition": expanding(rb"\[(.)\*(\d)\]", lambda form: form[1] * int(form[2])),
    "repetition to the end": expanding(rb"\[(.)\*\]$", lambda form: form[1] * 9),
    "octal numbers": expanding(rb"\\([0-7]{3})", lambda form: bytes([int(form[1], 8) & 255])),
    "hexadecimal numbers": expanding(rb"\\x([0-9a-f]{2})", lambda form: bytes([int(form[1], 16)])),
    **{f"\\{letter}": expanding(rb"\\" + re.escape(letter.encode()), constant(b"\n")) for letter in "abefnrtv0\\"},
    **{f"[:{name}:]": expanding(rb"\[:" + name.encode() + rb":\]", constant(b"12")) for name in CLASSES},
    **{f"-{letter}": refusing(f"-{letter}".encode()) for letter in "cdst"},
    "no byte twice above 7F": missing(lambda old, _, j: old[j] < 0x80),
    "no byte twice above EF": missing(lambda old, _, j: old[j] < 0xF0),
    "no newline twice": missing(lambda old, _, j: old[j] != 10),
    "no dash twice": missing(lambda old, _, j: old[j] != ord("-")),
    "neighbours only": missing(lambda _, i, j: j == i + 1),
    "no neighbours": missing(lambda _, i, j: j != i + 1),
    "the first byte only": missing(lambda _old, i, _j: i == 0),
    "the last byte only": missing(lambda old, _, j: j == len(old) - 1),
    "the first 32 bytes only": missing(lambda _old, _i, j: j < 32),
    "the first half only": missing(lambda old, i, _: i < len(old) // 2),
}


INPUT_BYTES = {name: {*data} for name, data in all_inputs(SPEC).items()}
"""The bytes in each input. Those that are drawn have every byte, whatever the draw."""


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_with_this_treatment_fails_a_case(name: str, draw: str) -> None:
    failed = [
        case_name
        for case_name, case in SPEC.drawn(draw).cases.items()
        if seen(PROGRAMS[name](case.arguments), INPUT_BYTES[case.input])
        != seen(translates(case.arguments), INPUT_BYTES[case.input])
    ]
    assert failed


def seen(outcome: Outcome, input_bytes: set[int]) -> Outcome:
    """What of an outcome shows in the output."""
    if outcome is None:
        return None
    return {old: new for old, new in outcome.items() if old in input_bytes and old != new}
