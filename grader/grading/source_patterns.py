"""Find the constructs of known bugs in a student's source, in a process of its own (pattern_process.py)."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ConfigDict, TypeAdapter, ValidationError

from grader.diagnose.edits import QUOTED, SAYS_OF_CHANGES, Edit
from grader.errors import GraderError
from grader.model.base import Base64Bytes, Model

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


class FoundChange(Model):
    """A small change of a source; see Change in diagnose/small_changes.py."""

    line: int
    edits: tuple[Edit, ...]
    says: str
    rank: int
    number: int | None


class FoundChanges(Model):
    """The small changes of a source, and the copy in which an environment variable chooses one of them."""

    changes: tuple[FoundChange, ...]
    copy_with_all: Base64Bytes


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
    if not patterns:
        return {}
    answer = _ask(source, dict(patterns))
    try:
        places = _PLACES.validate_json(answer) if answer else {}
    except ValidationError:
        return {}
    return {
        name: places.get(name, ()) for name in patterns if _is_sound(places.get(name, ()), patterns[name], source)
    }


def find_changes(source: bytes) -> FoundChanges | None:
    """Return the small changes of a source, None if there are none or it cannot be parsed within the limits.

    Raises:
        GraderError: no process can be started.
    """
    answer = _ask(source, None)
    try:
        found = FoundChanges.model_validate_json(answer) if answer else None
    except ValidationError:
        return None
    last_line = source.count(b"\n") + 1
    is_sound = found is not None and all(
        SAYS_OF_CHANGES.fullmatch(change.says)
        and 1 <= change.line <= last_line
        and all(0 <= edit.start <= edit.end <= len(source) for edit in change.edits)
        for change in found.changes
    )
    return found if is_sound else None


def _ask(source: bytes, patterns: dict[str, str] | None) -> bytes:
    """Return what the process answers, nothing if a limit or a signal ended it.

    Raises:
        GraderError: the patterns are not valid, or no process can be started.
    """
    if len(source) > MAX_SOURCE_BYTES:
        return b""
    request = {"source": base64.b64encode(source).decode("ascii"), "patterns": patterns}
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
        return b""
    except OSError as error:
        raise GraderError(f"no process can be started: {error}") from error
    if done.returncode == 1:
        raise GraderError(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1])
    return b"" if done.returncode else done.stdout


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
