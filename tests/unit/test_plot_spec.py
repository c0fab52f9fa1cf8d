"""A plot names cases and the parameter's value in each; `for` gives the values of generated cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.grading.known_bugs import signatures_key
from grader.lab.load import read_spec
from grader.lab.publish import spec_yaml, student_copy
from grader.lab.spec_schema import spec_schema
from grader.model.spec.lab import Plot

from .test_case_programs import written

SPEC = """\
spec_version: 1
lab: blocks
title: Blocks
programs:
  copy: {source: copy.c, title: copies}
  count: {source: count.c, title: counts}
build: {compiler: gcc, standard: gnu11}
inputs:
  short: {kind: literal, data: "hello\\n"}
  other: {kind: literal, data: "hello again\\n"}
cases:
  copy-{SIZE}:
    for: {SIZE: [512, 1, 64]}
    programs: [copy]
    operands: ["{SIZE}"]
    input: short
    strace: always
  count-{SIZE}-{MODE}:
    for: {SIZE: [1, 512], MODE: [fast, "0"]}
    programs: [count]
    operands: ["{SIZE}", "{MODE}"]
    input: other
    strace: always
  plain: {operands: [], input: short}
  idle: {operands: [], input: short, sink: pipe, strace: always}
rubric:
  - {name: output, kind: cases, title: Copies, points: {copy: 1}, cases: ["copy-{SIZE}", plain]}
  - {name: number, kind: cases, title: Counts, points: {count: 1}, cases: ["count-{SIZE}-{MODE}", plain]}
"""
PLOTS = """\
plots:
  - title: By SIZE
    parameter: SIZE
    cases: ["copy-{SIZE}", count-1-fast, count-512-fast]
"""
EXPECTED = Plot(
    title="By SIZE",
    parameter="SIZE",
    cases={"copy-512": 512, "copy-1": 1, "copy-64": 64, "count-1-fast": 1, "count-512-fast": 512},
)
FIRST_LINE = SPEC.count("\n") + 1


def test_a_plot_has_the_values_of_generated_cases(tmp_path: Path) -> None:
    assert read_spec(written(tmp_path, SPEC + PLOTS)).plots == (EXPECTED,)


def test_values_may_be_written(tmp_path: Path) -> None:
    plots = "plots: [{title: T, parameter: LEVEL, cases: {copy-1: 0.5, copy-512: 3}}]\n"
    (plot,) = read_spec(written(tmp_path, SPEC + plots)).plots
    assert plot.cases == {"copy-1": 0.5, "copy-512": 3}


def test_plots_may_be_generated(tmp_path: Path) -> None:
    plots = """\
plots:
  - for: {MODE: [fast, "0"]}
    title: In mode {MODE}
    parameter: SIZE
    cases: ["count-{SIZE}-{MODE}"]
"""
    found = read_spec(written(tmp_path, SPEC + plots)).plots
    assert [(plot.title, dict(plot.cases)) for plot in found] == [
        ("In mode fast", {"count-1-fast": 1, "count-512-fast": 512}),
        ("In mode 0", {"count-1-0": 1, "count-512-0": 512}),
    ]


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ("count-1-fast,", "count-1-fst,", "cases.1", "did you mean 'count-1-fast'?"),
        ("count-1-fast,", "plain,", "cases.1", "'plain' is not generated for values of SIZE"),
        ("parameter: SIZE", "parameter: MODE", "cases.0", "'copy-512' is not generated for values of MODE"),
        ("parameter: SIZE", "parameter: size", "cases.0", "'copy-512' is not generated for values of size"),
        ("count-1-fast,", "count-1-fast, count-1-0,", "cases.2", "count has two points where SIZE is 1"),
        ('["copy-{SIZE}", count-1-fast, count-512-fast]', "[copy-1, count-1-fast]", "cases", "needs two values"),
        ('["copy-{SIZE}", count-1-fast, count-512-fast]', "{copy-1: 1, plain: 2}", "cases.plain", "are not counted"),
        (
            '["copy-{SIZE}", count-1-fast, count-512-fast]',
            "{copy-1: 1, copy-64: 0}",
            "cases.copy-64",
            "more than 0",
        ),
        ('["copy-{SIZE}", count-1-fast, count-512-fast]', "{copy-1: 1, cpy-64: 4}", "cases.cpy-64", "not in cases"),
        (
            '["copy-{SIZE}", count-1-fast, count-512-fast]',
            "{copy-1: 1, idle: 4}",
            "cases.idle",
            "no check names 'idle'",
        ),
        ("title: By", "titel: By", "titel", "did you mean 'title'?"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, key: str, says: str) -> None:
    assert old in PLOTS
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, SPEC + PLOTS.replace(old, new)))
    messages = f"{caught.value} {caught.value.message}"
    assert says in messages
    assert f"plots.0.{key}" in messages
    assert caught.value.line in range(FIRST_LINE + 1, FIRST_LINE + 4)


def test_an_entry_that_stands_for_several_cases_is_one_mistake(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, SPEC + PLOTS.replace("parameter: SIZE", "parameter: SIZ")))
    messages = [caught.value.message, *(other.message for other in caught.value.others)]
    assert len([message for message in messages if "is not generated for values of SIZ, but of SIZE" in message]) == 3
    assert len({*messages}) == len(messages)


def test_a_case_that_only_a_plot_names_hides_nothing(tmp_path: Path) -> None:
    same = SPEC.replace("  idle: {operands: [], input: short, sink: pipe,", "  idle: {operands: [], input: short,")
    assert same != SPEC
    plots = "plots: [{title: T, parameter: SIZE, cases: {copy-1: 1, idle: 4}}]\n"
    with pytest.raises(SpecError, match="no check names 'idle'") as caught:
        read_spec(written(tmp_path, same + plots))
    assert caught.value.others == ()


def test_a_value_that_is_no_number_above_0_has_no_place_on_the_axis(tmp_path: Path) -> None:
    plots = "plots: [{title: T, parameter: MODE, cases: [count-1-fast, count-1-0]}]\n"
    with pytest.raises(SpecError, match="MODE is 'fast' in 'count-1-fast': the axis is logarithmic") as caught:
        read_spec(written(tmp_path, SPEC + plots))
    assert (caught.value.line, caught.value.key_path) == (FIRST_LINE, "plots.0.cases.0")


def test_the_copy_for_students_keeps_the_cases_that_are_left(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, SPEC + PLOTS))
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(spec_yaml(student_copy(spec)))
    assert read_spec(copy).plots == spec.plots
    without = SPEC.replace("title: Counts,", "title: Counts, visibility: hidden,")
    (kept,) = student_copy(read_spec(written(tmp_path, without + PLOTS))).plots
    assert list(kept.cases) == ["copy-512", "copy-1", "copy-64"]
    counted = PLOTS.replace('"copy-{SIZE}"', "copy-1")
    assert student_copy(read_spec(written(tmp_path, without + counted))).plots == ()


def test_a_hidden_case_cannot_be_drawn(tmp_path: Path) -> None:
    hidden = SPEC.replace("count-{SIZE}-{MODE}:\n", "count-{SIZE}-{MODE}:\n    hidden: true\n").replace(
        "title: Counts,", "title: Counts, visibility: hidden,"
    )
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, hidden + PLOTS))
    assert "'count-1-fast' is hidden, and would show here to students" in str(caught.value)


def test_known_bugs_do_not_depend_on_plots(tmp_path: Path) -> None:
    plain, plotted = (read_spec(written(tmp_path, text)) for text in (SPEC, SPEC + PLOTS))
    assert signatures_key(plain, ()) == signatures_key(plotted, ())


def test_the_schema_allows_a_list_and_a_mapping() -> None:
    cases = spec_schema()["$defs"]["Plot"]["properties"]["cases"]["anyOf"]
    assert [choice["type"] for choice in cases] == ["object", "array"]
    json.dumps(cases)
