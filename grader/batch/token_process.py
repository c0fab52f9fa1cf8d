"""The process that turns students' sources into tokens; batch/source_tokens.py starts it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from grader.sandbox.confined_process import MAX_SOURCE_BYTES, LimitReachedError, serve
from grader.similarity.c_tokens import tokens


def main() -> None:
    """Write the tokens of a source as JSON."""
    serve(_answers)


def _answers(source: bytes) -> Iterator[bytes]:
    if len(source) > MAX_SOURCE_BYTES:
        raise LimitReachedError
    yield json.dumps(tokens(source)).encode("ascii")
