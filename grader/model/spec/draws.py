"""What a spec leaves to chance: operands, the sizes of inputs and the bytes of random ones.

Everything is drawn from a secret, so that nobody can write a program for the cases that are graded. The same secret
always gives the same cases. The public secret takes the first of everything: that is the lab as its authors and its
tests see it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from grader.model.base import Model, SpecBytes

PUBLIC = "public"
"""The secret that is known to everybody."""

CODE_DIGITS = 16
"""Hexadecimal digits of a code: it is typed, and shows nothing of the secret or of the other codes."""

LONGEST_OPERAND = 255
"""Most bytes of a drawn operand: each byte but NUL once."""

Length = Annotated[int, Field(ge=0, le=LONGEST_OPERAND)]

EVERY_BYTE = bytes(range(1, LONGEST_OPERAND + 1))
"""Every byte that an operand can have."""


def code_of(secret: str, what: str) -> str:
    """Return the code that one thing is drawn from; it is "" for the public secret."""
    if secret == PUBLIC:
        return ""
    return hmac.new(secret.encode("utf-8"), what.encode("utf-8"), hashlib.sha256).hexdigest()[:CODE_DIGITS]


class Draw:
    """Whole numbers that follow from a code, the same on every machine and Python version; without one, all are 0."""

    def __init__(self, code: str) -> None:
        """Begin with the first number."""
        self._numbers = _numbers(code) if code else None

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        return next(self._numbers) % limit if self._numbers is not None else 0

    def some(self, pool: bytes, count: int) -> list[int]:
        """Return `count` different bytes of the pool, in an order of their own; the public ones are the first."""
        left = list(pool)
        return [left.pop(self.below(len(left))) for _ in range(count)]


def _numbers(code: str) -> Iterator[int]:
    count = 0
    while True:
        yield int.from_bytes(hashlib.sha256(f"{code} {count}".encode()).digest()[:16], "big")
        count += 1


def drawn_size(code: str, least_bytes: int, most_bytes: int) -> int:
    """Return a size between the two, small ones as likely as large ones; without a code it is the largest."""
    if not code:
        return most_bytes
    bottoms = [least_bytes]
    while 4 * bottoms[-1] <= most_bytes:
        bottoms.append(2 * bottoms[-1])
    tops = [*bottoms[1:], most_bytes]
    draw = Draw(code)
    octave = draw.below(len(bottoms))
    return bottoms[octave] + draw.below(tops[octave] - bottoms[octave] + 1)


def _without_nul(data: bytes) -> bytes:
    if 0 in data:
        raise ValueError("an operand cannot hold the byte 00: it would end there")
    return data


Operand = Annotated[SpecBytes, AfterValidator(_without_nul)]


class OperandDraw(Model):
    """How an operand is drawn: different bytes of `alphabet` (every byte but NUL), in an order of their own.

    `length` is the smallest and the largest number of bytes, or says how many there are compared with the first
    operand; without it, all of them are used. One of `pieces` is part of the operand, and its bytes appear nowhere
    else in it. With `twice`, one byte appears twice. Draws with the same keys are the same in all cases, unless their
    `seed` differs.
    """

    alphabet: Annotated[Operand, Field(min_length=1)] | None = None
    length: tuple[Length, Length] | Literal["same", "other"] | None = None
    pieces: tuple[Operand, ...] = ()
    twice: bool = False
    seed: str = ""

    @model_validator(mode="after")
    def _can_be_drawn(self) -> OperandDraw:
        if len(set(self._alphabet)) < len(self._alphabet):
            raise ValueError("the bytes of alphabet must be different from each other")
        if isinstance(self.length, tuple) and not self.length[0] <= self.length[1]:
            raise ValueError("length needs the smaller number first")
        if self.twice and self._least_length < len("aa"):
            raise ValueError("twice needs a length of at least 2")
        return self

    @property
    def _alphabet(self) -> bytes:
        return EVERY_BYTE if self.alphabet is None else self.alphabet

    @property
    def _least_length(self) -> int:
        if isinstance(self.length, tuple):
            return self.length[0]
        return LONGEST_OPERAND if self.length is not None else len(self._alphabet)

    def operand(self, code: str, first: bytes | None) -> bytes:
        """Return the operand that a code stands for; `first` is the first operand, None for that itself."""
        draw = Draw(code)
        count = self._length(draw, len(first or b""))
        fitting = [piece for piece in self.pieces if len(piece) <= count or first is None]
        piece = fitting[draw.below(len(fitting))] if fitting else b""
        pool = bytes(byte for byte in self._alphabet if byte not in piece)
        drawn = draw.some(pool, min(max(count - len(piece), 0), len(pool)))
        # Half of the pieces are at the beginning, where options are.
        place = draw.below(len(drawn) + 1) if draw.below(2) else 0
        operand = [*drawn[:place], *piece, *drawn[place:]]
        if first is not None:
            # Bytes are used again if there are too few: only the first operand must have no byte twice.
            operand += [self._alphabet[draw.below(len(self._alphabet))] for _ in range(count - len(operand))]
        if self.twice:
            later = 1 + draw.below(len(operand) - 1)
            operand[later] = operand[draw.below(later)]
        return bytes(operand)

    def _length(self, draw: Draw, first: int) -> int:
        match self.length:
            case None:
                return len(self._alphabet)
            case "same":
                return first
            case "other":
                others = [length for length in range(LONGEST_OPERAND + 1) if length != first]
                return others[draw.below(len(others))]
            case (least, most):
                return least + draw.below(most - least + 1)


class DrawnOperand(Model):
    """An operand that is drawn from the secret of a class."""

    draw: OperandDraw

    def operand(self, secret: str, number: int, first: bytes | None) -> bytes:
        """Return the operand that is drawn for this place, the first being 0."""
        return self.draw.operand(code_of(secret, f"operand {number} {self.model_dump_json()}"), first)
