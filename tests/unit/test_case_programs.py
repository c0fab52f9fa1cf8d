"""A case may name the programs that it runs; what needs a run of another program is a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.lab.load import read_spec

SPEC = """\
spec_version: 1
lab: two
title: Two programs
programs:
  copy: {source: copy.c, title: copies, stdin: {calls: exact, nbyte: 1}}
  count: {source: count.c, title: counts, stdin: {calls: exact, nbyte: 1}}
build: {compiler: gcc, standard: gnu11}
inputs:
  short: {kind: literal, data: "hello\\n"}
cases:
  both: {operands: [], input: short}
  copied: {operands: [], input: short, strace: always, programs: [copy]}
  counted: {operands: [], input: short, engine: filter, programs: [count]}
rubric:
  - {name: both, kind: cases, title: Both, points: {copy: 1, count: 1}, cases: [both]}
  - {name: copied, kind: cases, title: Copied, points: {copy: 1}, cases: [both, copied]}
  - {name: counted, kind: timing, title: Counted, points: {count: 0}, case: counted}
"""


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "lab.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "lab.yaml"


def test_a_case_needs_no_operands(tmp_path: Path) -> None:
    assert read_spec(written(tmp_path, SPEC.replace("operands: [], ", ""))) == read_spec(written(tmp_path, SPEC))


def test_a_case_without_programs_runs_all(tmp_path: Path) -> None:
    cases = read_spec(written(tmp_path, SPEC)).cases
    assert {
        name: [program for program in ("copy", "count") if case.runs(program)] for name, case in cases.items()
    } == {
        "both": ["copy", "count"],
        "copied": ["copy"],
        "counted": ["count"],
    }


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        (
            "points: {copy: 1}, cases: [both, copied]",
            "points: {copy: 1, count: 1}, cases: [both, copied]",
            (16, "rubric.1.cases.1"),
            "'copied' does not run count: its programs are copy",
        ),
        ("programs: [copy]", "programs: [cpy]", (12, "cases.copied.programs.0"), "did you mean 'copy'?"),
        ("programs: [copy]", "programs: []", (12, "cases.copied.programs"), "at least 1 item"),
        (
            "case: counted}\n",
            "case: counted}\ngradescope: {leaderboard: [{kind: cpu-time, name: x, program: copy, case: counted}]}\n",
            (18, "gradescope.leaderboard.0.case"),
            "'counted' does not run copy",
        ),
        (
            "programs: [count]}",
            "programs: [count], when: cheap}",
            (13, "cases.counted.when"),
            "the slice of a call-pattern check decides what is cheap",
        ),
    ],
)
def test_what_needs_another_program_is_a_mistake(
    tmp_path: Path, old: str, new: str, place: tuple[int, str], says: str
) -> None:
    assert SPEC.count(old) == 1
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, SPEC.replace(old, new)))
    assert (caught.value.line, caught.value.key_path) == place
    assert says in caught.value.message


def test_a_slice_is_of_programs_that_it_runs(tmp_path: Path) -> None:
    check = "  - {name: calls, kind: call-pattern, title: Calls, points: {copy: 1}, slice: copied, full: [large]}\n"
    large = "  large: {operands: [], input: short, engine: filter, limits: full}\n"
    spec = read_spec(written(tmp_path, SPEC.replace("rubric:\n", f"{large}rubric:\n") + check))
    assert spec.slice_for("copy", "large") == "copied"
    assert spec.slice_for("count", "large") is None


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        ("short, engine", "short, engine", ()),
        ("short, engine", "short, expect: {status: 0}, engine", ("counted states what count must do, ",)),
        ("short, engine", "short, expect: either, engine", ()),
        ("short, strace", "short, expect: {status: 0}, strace", ()),
        ("[both, copied]}", "[both]}", ()),
        (
            "  - {name: counted",
            "  - {name: times, kind: timing, title: T, points: {count: 0}, case: counted}\n  - {name: counted",
            (),
        ),
    ],
)
def test_what_is_stated_and_compared_by_no_check_is_noted(
    tmp_path: Path, old: str, new: str, notes: tuple[str, ...]
) -> None:
    assert old in SPEC
    found = read_spec(written(tmp_path, SPEC.replace(old, new))).notes
    assert len(found) == len(notes)
    assert all(note.startswith(start) for note, start in zip(found, notes, strict=True))
