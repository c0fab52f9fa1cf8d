"""Find constructs and small changes in the sources of a submission, in a process of its own (pattern_process.py)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from grader.diagnose.source.edits import QUOTED, Edit, Span
from grader.explain.change_words import ChangeText, words_of
from grader.model.base import Base64Bytes, Model
from grader.model.counted import listed_up_to
from grader.sandbox.confined_process import BUSY, Answer, ask

CPU_S = 1
"""Seconds of processor time for a source; honest ones take a tenth."""

_GIVEN_UP = {
    "limit": "it is too large, or cannot be parsed within the limits",
    "killed": BUSY,
    "unsound": "what was found in it cannot be true",
}

_UNKNOWN = {
    "errors": "the parser does not understand {lines}, so only the other lines were searched for fixes",
    "header": "it includes a header that has functions or is not known, so constructs in it were not searched for",
    "macro": "it defines a name of C or of its library as a macro, so constructs in it were not searched for",
}
"""Why a source is not searched for everything, by CSource.unknown."""

MOST_LINES = 5


class FoundPlace(Model):
    """A place where a pattern matches; see diagnose/source/patterns.py."""

    lines: tuple[int, ...]
    edits: tuple[Edit, ...]
    says: str
    verb: str
    order: str
    because: str = ""
    one: bool
    proof: bool

    @property
    def words(self) -> ChangeText:
        """The words about the fix."""
        return ChangeText("", self.says, self.verb, self.order, self.because, self.lines)


@dataclass(frozen=True)
class FoundChange:
    """A small change of a source, and the words about it; see Change in diagnose/source/edits.py."""

    op: str
    edits: tuple[Edit, ...]
    rank: int
    number: int | None
    words: ChangeText

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that it changes."""
        return self.words.lines


@dataclass(frozen=True)
class FoundChanges:
    """The small changes of a source, and the copy in which an environment variable chooses one of them."""

    changes: tuple[FoundChange, ...]
    copy_with_all: bytes
    unsearched: str = ""
    """Why parts of the source were not searched."""


class _Offered(Model):
    """A small change as the process that parses returns it."""

    op: str
    edits: tuple[Edit, ...]
    rank: int
    number: int | None
    names: tuple[Span, ...]


class _AllOffered(Model):
    changes: tuple[_Offered, ...]
    copy_with_all: Base64Bytes
    unknown: Literal["", "errors", "header", "macro"]
    unread: tuple[int, ...]


_CODE = re.compile(r"[\x20-\x5f\x61-\x7e\n\t]{0,300}")
"""A new text that may be shown: code in a few lines, whatever a source has made of the process that parses it."""

_PLACES: TypeAdapter[Mapping[str, tuple[FoundPlace, ...]]] = TypeAdapter(
    Mapping[str, tuple[FoundPlace, ...]], config=ConfigDict(defer_build=True)
)


@dataclass(frozen=True)
class Question:
    """A source, and groups of patterns by name: if its parser is stopped, the groups before that still count.

    `headers` are the files that it may include.
    """

    source: bytes
    patterns: tuple[Mapping[str, str], ...] = ()
    headers: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundInSource:
    """What a source has: the places of each pattern of each group, and its small changes (None: not known).

    `given_up` says why there may be more, and `fault` is the traceback if the search has a bug.
    """

    places: tuple[Mapping[str, tuple[FoundPlace, ...]], ...]
    changes: FoundChanges | None
    given_up: str = ""
    fault: str = ""


def search_sources(questions: Sequence[Question]) -> list[FoundInSource]:
    """Return what was found for each question.

    Raises:
        GraderError: the patterns are not valid, or no process can be started.
    """
    asked = [
        (question.source, [*map(dict, question.patterns)], b"", dict(question.headers)) for question in questions
    ]
    return list(map(_found, questions, ask("grader.explain.pattern_process", asked, CPU_S)))


def _found(question: Question, answer: Answer) -> FoundInSource:
    groups, lines = question.patterns, answer.lines
    places = [_places(group, question.source, line) for group, line in zip(groups, lines, strict=False)]
    missing = [dict.fromkeys(group, ()) for group in groups[len(places) :]]
    changes = _changes(question.source, lines[len(groups)]) if len(lines) > len(groups) else None
    is_sound = changes is not None and all(map(eq, map(len, places), map(len, groups)))
    ending = "unsound" if answer.ending == "answered" and not is_sound else answer.ending
    return FoundInSource((*places, *missing), changes, _GIVEN_UP.get(ending, ""), answer.fault)


def _places(group: Mapping[str, str], source: bytes, line: bytes) -> Mapping[str, tuple[FoundPlace, ...]]:
    try:
        places = _PLACES.validate_json(line)
    except ValidationError:
        return {}
    found = {name: places.get(name, ()) for name in group}
    return {name: one for name, one in found.items() if _is_sound(one, group[name], source)}


def _changes(source: bytes, line: bytes) -> FoundChanges | None:
    """Return the changes with their words, None if they cannot be those of the source.

    Only spans and new texts come from there, and no words.
    """
    try:
        found = _AllOffered.model_validate_json(line)
    except ValidationError:
        return None
    edits = [edit for change in found.changes for edit in change.edits]
    spans = [
        *((edit.start, edit.end) for edit in edits),
        *(span for change in found.changes for span in change.names),
    ]
    if not all(0 <= start <= end <= len(source) for start, end in spans):
        return None
    described = [
        (change, words_of(source, change.op, change.edits, change.names))
        for change in found.changes
        if all(_CODE.fullmatch(edit.text) for edit in change.edits)
    ]
    said = Counter((words.says, words.lines) for _, words in described if words is not None)
    # A sentence must mean one place.
    changes = tuple(
        FoundChange(change.op, change.edits, change.rank, change.number, words)
        for change, words in described
        if words is not None and said[words.says, words.lines] == 1
    )
    lines = f"line{'s' * (len(found.unread) > 1)} {listed_up_to(MOST_LINES, [*map(str, found.unread)])}"
    unsearched = _UNKNOWN.get(found.unknown, "").format(lines=lines)
    return FoundChanges(changes, found.copy_with_all, unsearched)


def sayings(pattern: str) -> Iterator[re.Pattern[str]]:
    """Yield what the places of a pattern may say: its words, with what may be quoted for a capture."""
    for words in re.findall(r'"([^"]*)"', pattern):
        yield re.compile(re.sub(r"\\\{\w+\\\}", lambda _: QUOTED, re.escape(words)))


def _is_sound(places: Sequence[FoundPlace], pattern: str, source: bytes) -> bool:
    last_line = source.count(b"\n") + 1
    known = [*sayings(pattern)]
    return all(
        _says_one_of(known, place.says)
        # An order that differs from the words has words of its own.
        and any(_says_one_of(known, f"{word}{place.order}") for word in ("with ", "without ", ""))
        and (place.verb in ("", "write", "remove") or f'verb "{place.verb}"' in pattern)
        and (not place.because or f'because "{place.because}"' in pattern)
        and all(1 <= line <= last_line for line in place.lines)
        and all(0 <= edit.start <= edit.end <= len(source) for edit in place.edits)
        for place in places
    )


def _says_one_of(known: Sequence[re.Pattern[str]], words: str) -> bool:
    return not words or any(one.fullmatch(words) for one in known)
