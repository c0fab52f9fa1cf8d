"""Turn students' sources into tokens, in a process that has no rights (token_process.py)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from pydantic import TypeAdapter, ValidationError

from grader.sandbox.confined_process import Answer, LimitReachedError, ask
from grader.similarity.c_tokens import MAX_NAME_BYTES, MAX_TOKENS, Token

AT_ONCE = 50
"""Sources for one process, whose answers are in memory until it ends."""

CPU_S = 1
"""Seconds of processor time for a source; honest ones take a hundredth."""

_TOKENS: TypeAdapter[list[Token]] = TypeAdapter(list[Token])


def source_tokens(sources: Sequence[bytes], processes: int) -> list[tuple[Token, ...] | None]:
    """Return the tokens of each source; None if it is too large, or made to harm the process that parses it.

    Raises:
        GraderError: no process can be started, or the machine is too busy for it.
        RuntimeError: what makes tokens has a bug.
    """
    parts = [sources[at : at + AT_ONCE] for at in range(0, len(sources), AT_ONCE)]
    with ThreadPoolExecutor(processes) as pool:
        answers = pool.map(lambda part: ask("grader.batch.token_process", part, CPU_S), parts)
        return list(map(_tokens, chain.from_iterable(answers), sources))


def _tokens(answer: Answer, source: bytes) -> tuple[Token, ...] | None:
    """Return the tokens if they can be those of the source: the process may have been taken over."""
    try:
        found = _TOKENS.validate_json(answer.whole("a source"))
    except (LimitReachedError, ValidationError):
        return None
    sound = all(0 <= one.start < one.end <= len(source) and len(one.kind) <= MAX_NAME_BYTES * 2 for one in found)
    return tuple(found) if sound and len(found) <= MAX_TOKENS else None
