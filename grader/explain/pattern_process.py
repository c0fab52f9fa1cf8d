"""The process that parses students' sources; explain/source_patterns.py starts it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.schemata import small_changes
from grader.diagnose.source.donors import file_names, main_end, pieces
from grader.diagnose.source.patterns import find, pattern_mistakes
from grader.sandbox.confined_process import MAX_SOURCE_BYTES, LimitReachedError, serve

SourceQuestion = tuple[bytes, Sequence[Mapping[str, str]], bytes, Mapping[str, bytes]]
"""A source, groups of patterns by name, nothing, and headers; or a wrong program, no groups, and a right program."""


def main() -> None:
    """Write a line for each group of patterns, with the places by name, and one with the small changes.

    If there is a right program, the only line has the pieces of it that may repair the source.
    """
    serve(_answers, _read_patterns)


def _read_patterns(questions: Sequence[SourceQuestion]) -> None:
    for pattern in (pattern for _, groups, *_ in questions for group in groups for pattern in group.values()):
        for _, mistake in pattern_mistakes(pattern):
            raise ValueError(mistake)


def _answers(question: SourceQuestion) -> Iterator[bytes]:
    code, groups, right, headers = question
    if max(map(len, (code, right, *headers.values()))) > MAX_SOURCE_BYTES:
        raise LimitReachedError
    source = CSource(code, headers)
    if right:
        found = [piece._asdict() for piece in pieces(source, CSource(right))]
        yield _line({"pieces": found, "names": file_names(source), "main_end": main_end(source)})
        return
    for group in groups:
        yield _line({name: find(source, pattern) for name, pattern in group.items()})
    changes, copy = small_changes(source)
    named = [change._asdict() for change in changes]
    unread = sorted({node.start_point.row + 1 for node in source.unread.values()})
    encoded = base64.b64encode(copy).decode("ascii")
    yield _line({"changes": named, "copy_with_all": encoded, "unknown": source.unknown, "unread": unread})


def _line(found: object) -> bytes:
    return json.dumps(found).encode("ascii")
