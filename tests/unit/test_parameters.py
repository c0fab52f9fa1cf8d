"""A part of a spec with `for` generates parts, and its mistakes are reported with the line that was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.lab.load import read_spec, read_spec_file
from grader.lab.publish import spec_yaml, student_copy
from grader.model.spec.cases import PatternInput
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem, CasesItem

from .test_case_programs import written

SPEC = """\
spec_version: 1
lab: blocks
title: Blocks of {SIZE} bytes
programs:
  copy: {source: copy.c, title: copies}
build: {compiler: gcc, standard: gnu11}
inputs:
  data-{MANY}:
    for: {MANY: [4000, 50000]}
    kind: pattern
    data: "{MANY} bytes; "
    size_bytes: "{MANY}"
  braces: {kind: literal, data: "{SIZE}"}
cases:
  short-{SIZE}:
    for: {SIZE: [1, 512]}
    operands: ["{SIZE}", "x{SIZE}", "{size}"]
    input: data-4000
    strace: always
    calls: {stdin: {calls: exact, nbyte: "{SIZE}"}}
  copy-{SIZE}-{MANY}:
    for: {SIZE: [1, 512], MANY: [4000, 50000]}
    operands: ["{SIZE}"]
    input: data-{MANY}
    engine: filter
    limits: full
    calls: {stdin: {calls: exact, nbyte: "{SIZE}"}}
  literal: {operands: ["{SIZE}", "{}"], input: braces}
rubric:
  - {name: output, kind: cases, title: "Copies {SIZE}", points: {copy: 1}, cases: [literal, "copy-{SIZE}-{MANY}"]}
  - name: calls-{SIZE}
    for: {SIZE: [1, 512]}
    kind: call-pattern
    title: Calls of {SIZE} bytes
    points: {copy: "{SIZE}"}
    slice: short-{SIZE}
    full: ["copy-{SIZE}-{MANY}"]
"""

PAIRS = "for: {SIZE: [1, 512], MANY: [4000, 50000]}"
COPIES = "cases.copy-{SIZE}-{MANY}.for"


def test_a_list_of_combinations_generates_a_part_for_each(tmp_path: Path) -> None:
    pairs = "for: [{SIZE: 1, MANY: 4000}, {SIZE: 512, MANY: 50000}]"
    assert SPEC.count(PAIRS) == 1
    spec = read_spec(written(tmp_path, SPEC.replace(PAIRS, pairs)))
    assert [name for name in spec.cases if name.startswith("copy-")] == ["copy-1-4000", "copy-512-50000"]
    items = [item for item in spec.rubric if isinstance(item, CallPatternItem)]
    assert [item.full for item in items] == [("copy-1-4000",), ("copy-512-50000",)]


def test_each_combination_generates_a_part(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, SPEC))
    assert list(spec.cases) == [
        *("short-1", "short-512", "copy-1-4000", "copy-1-50000", "copy-512-4000", "copy-512-50000", "literal"),
    ]
    case = spec.cases["short-512"]
    assert case.operands == (b"512", b"x512", b"{size}")
    assert case.calls.stdin == ExactCalls(calls="exact", nbyte=512)
    assert spec.cases["copy-1-50000"].input == "data-50000"
    large = spec.inputs["data-50000"]
    assert isinstance(large, PatternInput)
    assert (large.data, large.size_bytes) == (b"50000 bytes; ", 50000)


def test_braces_stay_where_nothing_is_generated(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, SPEC))
    assert spec.cases["literal"].operands == (b"{SIZE}", b"{}")
    assert spec.inputs["braces"].model_dump(mode="json")["data"] == "{SIZE}"
    assert (spec.title, spec.rubric[0].title) == ("Blocks of {SIZE} bytes", "Copies {SIZE}")


def test_a_list_of_cases_takes_all_of_a_name_that_fit(tmp_path: Path) -> None:
    output, one, large = read_spec(written(tmp_path, SPEC)).rubric
    assert isinstance(output, CasesItem)
    assert output.cases == ("literal", "copy-1-4000", "copy-1-50000", "copy-512-4000", "copy-512-50000")
    assert isinstance(one, CallPatternItem)
    assert isinstance(large, CallPatternItem)
    assert (one.name, one.slice, one.full) == ("calls-1", "short-1", ("copy-1-4000", "copy-1-50000"))
    assert (large.title, large.points, large.full[0]) == ("Calls of 512 bytes", {"copy": 512}, "copy-512-4000")


def test_the_copy_for_students_has_the_generated_parts(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, SPEC))
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(spec_yaml(student_copy(spec)))
    assert read_spec(copy).cases == spec.cases
    assert read_spec(copy).inputs == spec.inputs
    assert b"for:" not in copy.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        (
            'operands: ["{SIZE}", "x{SIZE}", "{size}"]',
            'operands: ["{SIZ}"]',
            (17, "cases.short-{SIZE}.operands.0"),
            "{SIZ} is not a parameter; for has SIZE; did you mean 'SIZE'?",
        ),
        (
            "for: {SIZE: [1, 512]}\n    operands",
            "for: {SIZE: [1, 512], OTHER: [1]}\n    operands",
            (16, "cases.short-{SIZE}.for.OTHER"),
            "{OTHER} is used nowhere",
        ),
        ("  short-{SIZE}:", "  short:", (15, "cases.short"), "'short' is there already: the name needs every"),
        ("  literal: {", "  short-512: {", (15, "cases.short-{SIZE}"), "'short-512' is there already"),
        ("  literal: {", "  literal-{SIZE}: {", (28, "cases.literal-{SIZE}"), "needs for, with the values"),
        ("name: calls-{SIZE}", "name: calls", (31, "rubric.1.name"), "'calls' is there already"),
        (
            "for: {SIZE: [1, 512]}\n    operands",
            "for: [1, 512]\n    operands",
            (16, "cases.short-{SIZE}.for"),
            "SIZE: [1",
        ),
        ("for: {MANY: [4000, 50000]}", "for: {many: [4000]}", (9, "inputs.data-{MANY}.for.many"), "in capitals"),
        ("for: {MANY: [4000, 50000]}", "for: {MANY: []}", (9, "inputs.data-{MANY}.for.MANY"), "a list of texts"),
        ("for: {MANY: [4000, 50000]}", "for: {MANY: 4000}", (9, "inputs.data-{MANY}.for.MANY"), "a list of texts"),
        ("for: {MANY: [4000, 50000]}", "for: {MANY: [a, a]}", (9, "inputs.data-{MANY}.for.MANY"), "appears twice"),
        (
            'operands: ["{SIZE}", "x{SIZE}", "{size}"]',
            "operands: [{SIZE}]",
            (17, "cases.short-{SIZE}.operands.0"),
            'write "{SIZE}" in quotes',
        ),
        ("input: data-{MANY}", "files: {a: {input: data-{MANY}}, b: [}", (24, ""), 'write "data-{MANY}" in quotes'),
        (PAIRS, "for: [{SIZE: 1, MANY: 4000}, {SIZE: 2}]", (22, f"{COPIES}.1"), "the same parameters"),
        (PAIRS, "for: [{SIZE: [1], MANY: 4000}]", (22, f"{COPIES}.0.SIZE"), "a text or a number"),
        (PAIRS, "for: [{SIZE: 1, many: 4000}]", (22, f"{COPIES}.0.many"), "in capitals"),
        (PAIRS, "for: [{SIZE: 1, MANY: 4000, OTHER: 1}]", (22, f"{COPIES}.0.OTHER"), "is used nowhere"),
        (
            PAIRS,
            "for: [{SIZE: 1, MANY: 4000}, {SIZE: 1, MANY: 4000}]",
            (21, "cases.copy-{SIZE}-{MANY}"),
            "is there already",
        ),
        # What validation finds has the keys that are written.
        ("    strace: always", "    strce: always", (19, "cases.short-{SIZE}.strce"), "did you mean 'strace'?"),
        (
            "for: {SIZE: [1, 512]}\n    kind",
            "for: {SIZE: [1, 7]}\n    kind",
            (37, "rubric.1.full.0"),
            "'copy-{SIZE}-{MANY}' generates no case for SIZE 7",
        ),
        ("    engine: filter", "    engine: plain", (37, "rubric.1.full.0"), "needs engine: account or filter"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, place: tuple[int, str], says: str) -> None:
    assert SPEC.count(old) == 1
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, SPEC.replace(old, new)))
    assert (caught.value.line, caught.value.key_path) == place
    assert says in caught.value.message


def test_a_mistake_is_told_once_for_all_generated_parts(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, SPEC.replace("strace: always", "strce: always")))
    assert caught.value.others == ()


def test_there_may_not_be_too_many_combinations(tmp_path: Path) -> None:
    values = ", ".join(map(str, range(40)))
    text = SPEC.replace("{SIZE: [1, 512], MANY: [4000, 50000]}", f"{{SIZE: [{values}], MANY: [{values}]}}")
    rows = ", ".join(f"{{SIZE: {size}, MANY: 4000}}" for size in range(1001))
    for many in (text, SPEC.replace(PAIRS, f"for: [{rows}]")):
        with pytest.raises(SpecError, match="more than 1,000 combinations"):
            read_spec(written(tmp_path, many))


def test_what_turns_out_later_has_the_place_of_the_part_that_was_written(tmp_path: Path) -> None:
    file = read_spec_file(written(tmp_path, SPEC))
    error = file.error(InconsistencyError("fails", key_path="rubric.2"))
    assert (error.line, error.key_path) == (31, "rubric.1")
