"""What the preprocessor may leave out is never taken for a mistake, and stops no search."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.schemata import small_changes
from grader.diagnose.source.patterns import find
from grader.explain.roles import patterns_of_roles

CHECKOUT = Path(__file__).parents[2]
TESTS = CHECKOUT / "tests"
SOURCES = sorted(chain((TESTS / "wrong").rglob("*.c"), (TESTS / "hostile").rglob("*-if-*.c")))
ALL = [
    *patterns_of_roles().values(),
    *(path.read_text() for path in sorted((CHECKOUT / "reference").glob("*/mutants/*/*.scm"))),
]


def left_out(source: CSource) -> bytes:
    """Return it with every statement of a function in a part that is compiled only if a macro is defined."""
    data = source.data
    bodies = (node.child_by_field_name("body") for node in source.nodes("function_definition"))
    statements = [one for body in bodies if body is not None for one in body.named_children]
    for one in sorted(statements, key=lambda node: node.start_byte, reverse=True):
        inner = data[one.start_byte : one.end_byte]
        data = data[: one.start_byte] + b"\n#ifdef MORE\n" + inner + b"\n#endif\n" + data[one.end_byte :]
    return data


@pytest.mark.long
def test_statements_that_may_be_left_out_are_not_searched() -> None:
    usable = [source for path in SOURCES if (source := CSource(left_out(CSource(path.read_bytes())))).usable]
    assert len(usable) > len(SOURCES) / 2
    for source in usable:
        small_changes(source)
        lines = source.data.split(b"\n")
        starts = [number for number, line in enumerate(lines, 1) if line == b"#ifdef MORE"]
        ends = [number for number, line in enumerate(lines, 1) if line == b"#endif"]
        inside = {number for start, end in zip(starts, ends, strict=True) for number in range(start, end)}
        found = [place for pattern in ALL for place in find(source, pattern)]
        assert not [place for place in found if not inside.isdisjoint(place["lines"])]
