"""The cases of tr2 for bytes that other programs treat specially: who does that fails a case, whatever is drawn."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from grader.lab.load import read_spec
from grader.model.spec.cases import Case, input_bytes
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
DRAWS = 10

Expand = Callable[[bytes], bytes]
Translation = dict[int, int]
Program = Callable[[bytes, bytes], Translation | None]

CLASSES = {
    "alpha": string.ascii_letters,
    "upper": string.ascii_uppercase,
    "lower": string.ascii_lowercase,
    "digit": string.digits,
    "alnum": string.digits + string.ascii_letters,
    "space": "\t\n\v\f\r ",
    "blank": "\t ",
    "punct": string.punctuation,
    "xdigit": string.hexdigits,
    "print": "".join(map(chr, range(32, 127))),
}
"""There is no room for [:graph:] and [:cntrl:]: who knows these knows others, too."""

ESCAPES = {"\\a": "\a", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\v": "\v", "\\\\": "\\"}


def expanding(pattern: bytes, expansion: Callable[[re.Match[bytes]], bytes]) -> Expand:
    return lambda operand: re.sub(pattern, expansion, operand, flags=re.DOTALL)


def expanding_text(form: str, text: str) -> Expand:
    return lambda operand: operand.replace(form.encode(), text.encode())


def between(found: re.Match[bytes]) -> bytes:
    """The bytes of a range; one that goes backwards is left as it is."""
    return bytes(range(found[1][0], found[2][0] + 1)) or found[0]


def repeated(found: re.Match[bytes]) -> bytes:
    return found[1] * int(found[2] or b"1", 8 if found[2].startswith(b"0") else 10)


EXPANSIONS: dict[str, Expand] = {
    **{f"[:{name}:]": expanding_text(f"[:{name}:]", text) for name, text in CLASSES.items()},
    **{form: expanding_text(form, text) for form, text in ESCAPES.items()},
    "[:upper:] alone": lambda operand: CLASSES["upper"].encode() if operand == b"[:upper:]" else operand,
    "[=x=]": expanding(rb"\[=(.)=\]", lambda found: found[1]),
    "[x*] and [x*n]": expanding(rb"\[(.)\*([0-9]*)\]", repeated),
    "[x*n]": expanding(rb"\[(.)\*([0-9]+)\]", repeated),
    "[x*]": expanding(rb"\[(.)\*()\]", repeated),
    "a-e": expanding(rb"(.)-(.)", between),
    "a-e of small letters": expanding(rb"([a-z])-([a-z])", between),
    "0-9": expanding(rb"([0-9])-([0-9])", between),
    "[a-e]": expanding(rb"\[(.)-(.)\]", between),
    "\\NNN": expanding(rb"\\([0-7]{1,3})", lambda found: bytes([int(found[1], 8) & 255])),
    "\\NNN of three digits": expanding(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8) & 255])),
    "\\0": expanding_text("\\0", "\0"),
    "\\xHH": expanding(rb"\\x([0-9a-fA-F]{1,2})", lambda found: bytes([int(found[1], 16)])),
    "a backslash before any byte": expanding(rb"\\(.)", lambda found: found[1]),
}
"""What is made of an operand by who treats a form specially."""

OPTIONS = ("-c", "-C", "-d", "-s", "-t", "-h")


def translation(from_: bytes, to: bytes) -> Translation | None:
    """What a right program does with these operands; None: it refuses them."""
    if len(from_) != len(to) or not from_ or len(set(from_)) < len(from_):
        return None
    return dict(zip(from_, to, strict=True))


def looks_before(in_from: Expand, in_to: Expand) -> Program:
    """A program that looks for mistakes in the operands as they are, and expands them then."""

    def program(from_: bytes, to: bytes) -> Translation | None:
        right = translation(from_, to)
        return right and dict(zip(in_from(from_), in_to(to)))  # noqa: B905 - one may be shorter now

    return program


def looks_after(in_from: Expand, in_to: Expand) -> Program:
    """A program that looks for mistakes in what it has made of the operands."""
    return lambda from_, to: translation(in_from(from_), in_to(to))


def taking(option: bytes) -> Program:
    """A program that takes an operand for an option, wherever it is, and then misses an operand."""
    return lambda from_, to: None if option in {from_, to} else translation(from_, to)


def programs() -> Iterator[tuple[str, Program]]:
    for option in OPTIONS:
        yield f"option {option}", taking(option.encode())
    for form, expand in EXPANSIONS.items():
        for looks in (looks_before, looks_after):
            yield f"{form} in both, {looks.__name__}", looks(expand, expand)
            yield f"{form} in TO, {looks.__name__}", looks(lambda operand: operand, expand)


PROGRAMS = dict(programs())


@cache
def cases(number: int) -> list[tuple[str, Case]]:
    """The cases of one draw that show what a program makes of its operands."""
    drawn: Spec = SPEC.drawn(f"secret {number}")
    items = [item for item in drawn.rubric if item.name in {"text", "operands", "error-length", "error-duplicate"}]
    return [(name, drawn.cases[name]) for item in items if isinstance(item, CasesItem) for name in item.cases]


@cache
def bytes_of(input_name: str) -> frozenset[int]:
    return frozenset(input_bytes(SPEC.inputs[input_name]))


def fails(case: Case, program: Program) -> bool:
    """Return whether what a program does in a case differs from what is right."""
    right, seen = translation(*case.arguments), program(*case.arguments)
    if right is None or seen is None:
        return right is not seen
    return any(right.get(byte, byte) != seen.get(byte, byte) for byte in bytes_of(case.input))


@pytest.mark.parametrize("name", PROGRAMS)
def test_who_treats_operands_specially_fails_in_every_draw(name: str) -> None:
    failed = [[case for case, one in cases(number) if fails(one, PROGRAMS[name])] for number in range(DRAWS)]
    assert all(failed), failed


def test_a_right_program_fails_in_no_draw() -> None:
    assert not [case for number in range(DRAWS) for case, one in cases(number) if fails(one, translation)]
