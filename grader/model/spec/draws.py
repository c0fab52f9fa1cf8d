"""What a spec leaves to chance: operands, the sizes of inputs and the bytes of random ones.

Everything is drawn from a secret, so that nobody can write a program for the cases that are graded. The same secret
always gives the same cases. The public secret takes the first of everything: that is the lab as its authors and its
tests see it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from grader.model.base import Model, SpecBytes

PUBLIC = "public"
"""The secret that is known to everybody."""

CODE_DIGITS = 16
"""Hexadecimal digits of a code: it is typed, and shows nothing of the secret or of the other codes."""

LONGEST_OPERAND = 255
"""Most bytes of a drawn operand: each byte but NUL once."""

MOST_EXTRA = 1_000
"""Most bytes that a drawn operand may have beyond its length."""

Length = Annotated[int, Field(ge=0, le=LONGEST_OPERAND)]
Share = Annotated[int, Field(ge=1, le=LONGEST_OPERAND)]

EVERY_BYTE = bytes(range(1, LONGEST_OPERAND + 1))
"""Every byte that an operand can have."""


T = TypeVar("T")

LATER_KEYS = ("extra", "begins", "twice_of", "apart")
"""Keys that came later: an operand without them is drawn as before them."""


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

    def some(self, pool: Iterable[T], count: int) -> list[T]:
        """Return `count` different members of the pool, in an order of their own; the public ones are the first."""
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
    operand; without it, all of them are used. `equal` is the first operand again, and `extra` so many bytes more.

    One of `pieces` is part of the operand, and its bytes appear nowhere else in it. `share: [2, 6]` deals them to six
    operands, of which this is the second: as many as fit, each to one of them, and one of `begins` to the beginning.

    With `twice`, one byte appears twice, and with `twice_of` one of these. `apart` takes only bytes that the first
    operand does not have, if any are left. Draws with the same keys are the same in all cases, unless their `seed` or
    `share` differs.
    """

    alphabet: Annotated[Operand, Field(min_length=1)] | None = None
    length: tuple[Length, Length] | Literal["same", "other", "equal"] | None = None
    pieces: tuple[Operand, ...] = ()
    twice: bool = False
    seed: str = ""
    extra: Annotated[int, Field(ge=0, le=MOST_EXTRA)] = 0
    begins: tuple[Operand, ...] = ()
    twice_of: Annotated[Operand, Field(min_length=1)] | None = None
    share: tuple[Share, Share] | None = None
    apart: bool = False

    @model_validator(mode="after")
    def _can_be_drawn(self) -> OperandDraw:
        if len(set(self._alphabet)) < len(self._alphabet):
            raise ValueError("the bytes of alphabet must be different from each other")
        if isinstance(self.length, tuple) and not self.length[0] <= self.length[1]:
            raise ValueError("length needs the smaller number first")
        if self.twice and min(self._least_length, len(self._alphabet)) < len("aa"):
            raise ValueError("twice needs a length of at least 2")
        if self.twice_of is not None and (
            self._least_length < len("aa") or not {*self.twice_of} <= {*self._alphabet}
        ):
            raise ValueError("twice_of needs a length of at least 2 and bytes of alphabet")
        if self.share is not None and self.share[0] > self.share[1]:
            raise ValueError("share needs the number of this operand, and then how many there are")
        if self.begins and self.share is None:
            raise ValueError("begins needs share")
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
        if self.length == "equal":
            return first or b""
        if self.apart and first:
            left = bytes(byte for byte in self._alphabet if byte not in first)
            rest = self.model_copy(update={"alphabet": left or self._alphabet, "apart": False})
            return rest.operand(code, first)
        draw = Draw(code)
        count = self._length(draw, len(first or b"")) + self.extra
        if self.share is not None:
            operand = self._with_share(draw, code, count, is_first=first is None)
        else:
            operand = self._with_one_piece(draw, count, is_first=first is None)
        if first is not None:
            # Bytes are used again if there are too few: only the first operand must have no byte twice.
            operand += [self._alphabet[draw.below(len(self._alphabet))] for _ in range(count - len(operand))]
        if self.twice_of is not None:
            self._repeat(draw, operand, self.twice_of[draw.below(len(self.twice_of))])
        elif self.twice:
            later = 1 + draw.below(len(operand) - 1)
            operand[later] = operand[draw.below(later)]
        return bytes(operand)

    def _with_one_piece(self, draw: Draw, count: int, *, is_first: bool) -> list[int]:
        fitting = [piece for piece in self.pieces if len(piece) <= count or is_first]
        piece = fitting[draw.below(len(fitting))] if fitting else b""
        drawn = self._others(draw, piece, count)
        # Half of the pieces are at the beginning, where options are.
        place = draw.below(len(drawn) + 1) if draw.below(2) else 0
        return [*drawn[:place], *piece, *drawn[place:]]

    def _with_share(self, draw: Draw, code: str, count: int, *, is_first: bool) -> list[int]:
        number, shares = self.share or (1, 1)
        begin, *pieces = self._dealt(draw, shares, count, is_first=is_first)[number - 1]
        # The other bytes are drawn for each operand by itself.
        own = Draw(f"{code} {number}" if code else "")
        items = [bytes([byte]) for byte in self._others(own, b"".join([begin, *pieces]), count)]
        for piece in pieces:
            items.insert(own.below(len(items) + 1), piece)
        return [*begin, *b"".join(items)]

    def _dealt(self, draw: Draw, shares: int, count: int, *, is_first: bool) -> list[list[bytes]]:
        """Return the pieces of each operand: what it begins with, which may be nothing, and the others."""
        begins = draw.some(self.begins, len(self.begins)) or [b""]
        dealt = [[begins[number % len(begins)]] for number in range(shares)]
        for piece in draw.some(self.pieces, len(self.pieces)):
            fitting = [own for own in dealt if _fits(piece, own, count, is_first=is_first)]
            if fitting:
                min(fitting, key=lambda own: sum(map(len, own))).append(piece)
        return dealt

    def _others(self, draw: Draw, pieces: bytes, count: int) -> list[int]:
        """Return the bytes besides the pieces."""
        pool = bytes(byte for byte in self._alphabet if byte not in pieces)
        return draw.some(pool, min(max(count - len(pieces), 0), len(pool)))

    def _repeat(self, draw: Draw, operand: list[int], byte: int) -> None:
        """Make a byte appear at two places, and no other byte more often than before."""
        if byte not in operand:
            operand[draw.below(len(operand))] = byte
        place = operand.index(byte)
        others = [other for other in range(len(operand)) if other != place]
        # The farther of two, as most programs find what is near.
        both = [others[draw.below(len(others))] for _ in range(2)]
        operand[max(both, key=lambda other: abs(other - place))] = byte

    def _length(self, draw: Draw, first: int) -> int:
        match self.length:
            case None:
                return len(self._alphabet)
            case "same" | "equal":
                return first
            case "other":
                others = [length for length in range(LONGEST_OPERAND + 1) if length != first]
                return others[draw.below(len(others))]
            case (least, most):
                return least + draw.below(most - least + 1)


def _fits(piece: bytes, own: Sequence[bytes], count: int, *, is_first: bool) -> bool:
    """Return whether an operand has room for another piece. No byte of the first operand may appear twice."""
    has_room = sum(map(len, own)) + len(piece) <= count
    return has_room and not (is_first and set(piece) & set(b"".join(own)))


class DrawnOperand(Model):
    """An operand that is drawn from the secret of a class."""

    draw: OperandDraw

    def operand(self, secret: str, number: int, first: bytes | None) -> bytes:
        """Return the operand that is drawn for this place, the first being 0."""
        left_out = {"share", *(key for key in LATER_KEYS if not getattr(self.draw, key))}
        keys = self.model_dump_json(exclude={"draw": left_out})
        return self.draw.operand(code_of(secret, f"operand {number} {keys}"), first)
