"""Find the constructs of known bugs in a student's source, in a process of its own (pattern_process.py)."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ConfigDict, TypeAdapter, ValidationError

from grader.diagnose.edits import QUOTED, Edit
from grader.errors import GraderError
from grader.model.base import Model

MAX_SOURCE_BYTES = 65_536
"""A larger source is not parsed. Those of students have a few thousand bytes."""

WALL_S = 15.0
"""Only a machine that is busy with other work reaches this: the process may use a second of processor time."""


class FoundPlace(Model):
    """A place where a pattern matches; see diagnose/patterns.py."""

    lines: tuple[int, ...]
    edits: tuple[Edit, ...]
    says: str
    one: bool
    proof: bool


_PLACES: TypeAdapter[Mapping[str, tuple[FoundPlace, ...]]] = TypeAdapter(
    Mapping[str, tuple[FoundPlace, ...]], config=ConfigDict(defer_build=True)
)

# The child sees the same packages, wherever these were found.
_CHILD = "import sys; sys.path[:] = {path!r}; from grader.grading.pattern_process import main; main()"


def find_places(source: bytes, patterns: Mapping[str, str]) -> Mapping[str, tuple[FoundPlace, ...]]:
    """Return the places of each pattern in a source; none if the source cannot be parsed within the limits.

    Raises:
        GraderError: the patterns are not valid, or no process can be started.
    """
    if not patterns or len(source) > MAX_SOURCE_BYTES:
        return {}
    request = {"source": base64.b64encode(source).decode("ascii"), "patterns": dict(patterns)}
    command = [sys.executable, "-I", "-c", _CHILD.format(path=[path for path in sys.path if path])]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode("ascii"),
            capture_output=True,
            timeout=WALL_S,
            env={},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}
    except OSError as error:
        raise GraderError(f"no process can be started: {error}") from error
    if done.returncode == 1:
        raise GraderError(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1])
    # A limit or a signal ended it.
    if done.returncode:
        return {}
    try:
        places = _PLACES.validate_json(done.stdout)
    except ValidationError:
        return {}
    return {
        name: places.get(name, ()) for name in patterns if _is_sound(places.get(name, ()), patterns[name], source)
    }


def sayings(pattern: str) -> Iterator[re.Pattern[str]]:
    """Yield what the places of a pattern may say: its words, with what may be quoted for a capture."""
    for words in re.findall(r'"([^"]*)"', pattern):
        yield re.compile(re.sub(r"\\\{\w+\\\}", lambda _: QUOTED, re.escape(words)))


def _is_sound(places: Sequence[FoundPlace], pattern: str, source: bytes) -> bool:
    last_line = source.count(b"\n") + 1
    return all(
        (not place.says or any(says.fullmatch(place.says) for says in sayings(pattern)))
        and all(1 <= line <= last_line for line in place.lines)
        and all(0 <= edit.start <= edit.end <= len(source) for edit in place.edits)
        for place in places
    )
