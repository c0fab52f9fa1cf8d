"""Turn students' sources into tokens, in a process that has no rights (token_process.py)."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from pydantic import TypeAdapter, ValidationError

from grader.errors import GraderError
from grader.grading.source_patterns import MAX_SOURCE_BYTES
from grader.similarity.c_tokens import MAX_NAME_BYTES, MAX_TOKENS, Token

AT_ONCE = 50
"""Sources for one process: its processor time is limited, and most of it is needed to start."""

WALL_S = 30.0
"""Only a machine that is busy with other work reaches this: the process may use a second of processor time."""

_TOKENS: TypeAdapter[list[Token]] = TypeAdapter(list[Token])
_CHILD = "import sys; sys.path[:] = {path!r}; from grader.batch.token_process import main; main()"


def source_tokens(sources: Sequence[bytes], processes: int) -> list[tuple[Token, ...] | None]:
    """Return the tokens of each source; None if it is too large, or made to harm the process that parses it.

    Raises:
        GraderError: no process can be started.
    """
    remaining = iter(sources)
    parts = list(iter(lambda: list(islice(remaining, AT_ONCE)), []))
    with ThreadPoolExecutor(processes) as pool:
        return [one for part in pool.map(lambda part: list(_tokens(part)), parts) for one in part]


def _tokens(sources: Sequence[bytes]) -> Iterator[tuple[Token, ...] | None]:
    left = list(sources)
    while left:
        if len(left[0]) > MAX_SOURCE_BYTES:
            found = []
        else:
            usable = next((at for at, source in enumerate(left) if len(source) > MAX_SOURCE_BYTES), len(left))
            found = _finished(left[:usable])
        yield from found
        left = left[len(found) :]
        if left and len(found) == 0:
            # This one alone ended the process, or is too large. After a crash behind others, a new process begins
            # with it, and has all the time for it.
            yield None
            left = left[1:]


def _finished(sources: Sequence[bytes]) -> list[tuple[Token, ...] | None]:
    """Return the results of the sources that a process finished before it ended, which may be none."""
    command = [sys.executable, "-I", "-c", _CHILD.format(path=[path for path in sys.path if path])]
    request = json.dumps([base64.b64encode(source).decode("ascii") for source in sources]).encode("ascii")
    try:
        done = subprocess.run(command, input=request, capture_output=True, timeout=WALL_S, env={}, check=False)
    except subprocess.TimeoutExpired as error:
        raise GraderError(f"sources could not be parsed within {WALL_S:.0f} s") from error
    except OSError as error:
        raise GraderError(f"no process can be started: {error}") from error
    if done.returncode == 1:
        raise GraderError(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1])
    # What a limit cut off in the middle has no newline.
    lines = done.stdout.split(b"\n")[:-1]
    return [_checked(line, source) for line, source in zip(lines, sources, strict=False)]


def _checked(line: bytes, source: bytes) -> tuple[Token, ...] | None:
    """Return the tokens if they can be those of the source: the process may have been taken over."""
    try:
        found = _TOKENS.validate_json(line)
    except ValidationError:
        return None
    sound = all(0 <= one.start < one.end <= len(source) and len(one.kind) <= MAX_NAME_BYTES * 2 for one in found)
    return tuple(found) if sound and len(found) <= MAX_TOKENS else None
