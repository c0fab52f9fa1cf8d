"""Find constructs and small changes in the sources of a submission, in a process of its own (pattern_process.py)."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat, zip_longest
from typing import NamedTuple

from pydantic import ConfigDict, TypeAdapter, ValidationError

from grader.diagnose.edits import QUOTED, SAYS_OF_CHANGES, Edit
from grader.errors import GraderError
from grader.model.base import Base64Bytes, Model

MAX_SOURCE_BYTES = 65_536
"""A larger source is not parsed. Those of students have a few thousand bytes."""

FAULT_CHARS = 8_000

WALL_S = 20.0
"""Seconds for a source. Those of the process that parses it are fewer."""


class FoundPlace(Model):
    """A place where a pattern matches; see diagnose/patterns.py."""

    lines: tuple[int, ...]
    edits: tuple[Edit, ...]
    says: str
    one: bool
    proof: bool


class FoundChange(Model):
    """A small change of a source; see Change in diagnose/edits.py."""

    line: int
    edits: tuple[Edit, ...]
    says: str
    rank: int
    number: int | None
    more: tuple[int, ...] = ()


class FoundChanges(Model):
    """The small changes of a source, and the copy in which an environment variable chooses one of them."""

    changes: tuple[FoundChange, ...]
    copy_with_all: Base64Bytes


_PLACES: TypeAdapter[Mapping[str, tuple[FoundPlace, ...]]] = TypeAdapter(
    Mapping[str, tuple[FoundPlace, ...]], config=ConfigDict(defer_build=True)
)

# The child sees the same packages, wherever these were found.
_CHILD = "import sys; sys.path[:] = {path!r}; from grader.grading.pattern_process import main; main()"


@dataclass(frozen=True)
class Question:
    """A source, and groups of patterns by name: if its parser is stopped, the groups before that still count."""

    source: bytes
    patterns: tuple[Mapping[str, str], ...] = ()


class Answer(NamedTuple):
    """What the process found in a source, and the traceback if it failed there."""

    found: bytes = b""
    fault: str = ""


NO_ANSWER = Answer()


@dataclass(frozen=True)
class FoundInSource:
    """What a source has: the places of each pattern of each group, and its small changes (None: not known).

    `fault` is the end of a traceback if the search has a bug.
    """

    places: tuple[Mapping[str, tuple[FoundPlace, ...]], ...]
    changes: FoundChanges | None
    fault: str = ""


def search_sources(questions: Sequence[Question]) -> list[FoundInSource]:
    """Return what was found for each question; nothing in a source that cannot be parsed within the limits.

    Raises:
        GraderError: the patterns are not valid, or no process can be started.
    """
    parsed = [question for question in questions if len(question.source) <= MAX_SOURCE_BYTES]
    lines = _ask(parsed) if parsed else []
    answers = {id(question): answer for question, answer in zip_longest(parsed, lines, fillvalue=NO_ANSWER)}
    known = [(question, answers.get(id(question), NO_ANSWER)) for question in questions]
    return [replace(_found(question, answer.found), fault=answer.fault[-FAULT_CHARS:]) for question, answer in known]


def _found(question: Question, answer: bytes) -> FoundInSource:
    lines = answer.split(b"\n")
    places = tuple(
        _places(group, question.source, line) for group, line in zip(question.patterns, lines, strict=False)
    )
    missing = tuple(dict.fromkeys(group, ()) for group in question.patterns[len(places) :])
    rest = lines[len(question.patterns) :]
    return FoundInSource((*places, *missing), _changes(question.source, rest[0]) if rest else None)


def _places(group: Mapping[str, str], source: bytes, line: bytes) -> Mapping[str, tuple[FoundPlace, ...]]:
    try:
        places = _PLACES.validate_json(line) if line else {}
    except ValidationError:
        places = {}
    found = {name: places.get(name, ()) for name in group}
    return {name: one for name, one in found.items() if _is_sound(one, group[name], source)}


def _changes(source: bytes, line: bytes) -> FoundChanges | None:
    try:
        found = FoundChanges.model_validate_json(line) if line else None
    except ValidationError:
        return None
    last_line = source.count(b"\n") + 1
    is_sound = found is not None and all(
        SAYS_OF_CHANGES.fullmatch(change.says)
        and all(1 <= line <= last_line for line in (change.line, *change.more))
        and all(0 <= edit.start <= edit.end <= len(source) for edit in change.edits)
        for change in found.changes
    )
    return found if is_sound else None


def _ask(questions: Sequence[Question]) -> list[Answer]:
    """Return what the process answers to each question, nothing more after a limit or a signal ended it.

    Raises:
        GraderError: the patterns are not valid, or no process can be started.
    """
    request = [
        {"source": base64.b64encode(question.source).decode("ascii"), "patterns": [*map(dict, question.patterns)]}
        for question in questions
    ]
    command = [sys.executable, "-I", "-c", _CHILD.format(path=[path for path in sys.path if path])]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode("ascii"),
            capture_output=True,
            timeout=WALL_S * len(questions),
            env={},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return []
    except OSError as error:
        raise GraderError(f"no process can be started: {error}") from error
    if done.returncode == 1:
        raise GraderError(_last_line(done.stderr))
    return list(map(_answer, done.stdout.splitlines(), repeat(done.stderr.decode("utf-8", "replace"))))


def _answer(line: bytes, stderr: str) -> Answer:
    found, _, failed = line.partition(b" ")
    return Answer(base64.b64decode(found), (stderr.strip() or "no traceback") if failed else "")


def _last_line(stderr: bytes) -> str:
    return (stderr.decode("utf-8", "replace").strip().splitlines() or ["the search of a source failed"])[-1]


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
