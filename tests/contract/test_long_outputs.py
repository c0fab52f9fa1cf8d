"""Outputs that are far longer than the input: all of them is compared, wherever they differ."""

from __future__ import annotations

import pytest

from grader.grading.pipeline import GradingContext, grade
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.model.report import CasesEvidence, Check
from grader.model.submission import Source, Submission
from grader.sandbox.base import Sandbox

LINES = 150_000
LAB = f"""\
spec_version: 1
lab: counting
title: Prints numbers
programs: {{count: {{source: count.c, title: prints numbers}}}}
build: {{compiler: gcc, standard: gnu11}}
cases:
  output: {{operands: ["{LINES}"], limits: full}}
  stated: {{operands: ["{LINES}"], limits: full, expect: {{status: 0, stdout: reference-output}}}}
  file: {{operands: ["{LINES}", left], limits: full, files: {{left: {{expect: reference-output}}}}}}
rubric:
  - {{name: output, kind: cases, title: Output, points: {{count: 1}}, cases: [output]}}
  - {{name: stated, kind: cases, title: Stated, points: {{count: 1}}, cases: [stated]}}
  - {{name: file, kind: cases, title: File, points: {{count: 1}}, cases: [file]}}
"""
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    if (argc > 2)
        freopen(argv[2], "w", stdout);
    for (int i = 0; i < n; i++)
        printf("%d\\n", i);
    return 0;
}
"""
SIZE_BYTES = sum(len(f"{number}\n") for number in range(LINES))


@pytest.fixture(scope="module")
def grading(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    folder = tmp_path_factory.mktemp("lab") / "counting"
    (folder / "reference").mkdir(parents=True)
    (folder / "lab.yaml").write_text(LAB, encoding="ascii")
    (folder / "reference" / "count.c").write_text(SOURCE, encoding="ascii")
    spec, files = load_lab(str(folder))
    return prepare(RunConfig(spec, files, use_cache=False), sandbox, print)


def checks(grading: GradingContext, before: str, after: str) -> tuple[Check, ...]:
    assert before in SOURCE
    source = Source(SOURCE.replace(before, after).encode())
    return grade(grading, Submission("one", {"count": source})).checks


def offset(check: Check) -> int:
    assert isinstance(check.evidence, CasesEvidence)
    (result,) = check.evidence.cases
    assert result.difference is not None
    return result.difference.offset


def test_a_right_output_passes(grading: GradingContext) -> None:
    assert {check.status for check in checks(grading, "int n", "int n")} == {"passed"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "at"),
    [
        ("i);", f"i == {LINES - 9} ? 0 : i);", SIZE_BYTES - 9 * len(f"{LINES - 1}\n")),
        ("i < n", "i < n - 1", SIZE_BYTES - len(f"{LINES - 1}\n")),
        ("i < n", "i <= n", SIZE_BYTES),
        # More than is kept.
        ("return 0", 'for (int i = 0; i < 4 * n; i++) printf("%d\\n", i); return 0', SIZE_BYTES),
    ],
)
def test_what_is_wrong_far_behind_fails(grading: GradingContext, before: str, after: str, at: int) -> None:
    found = checks(grading, before, after)
    assert {check.status for check in found} == {"failed"}
    assert {offset(check) for check in found} == {at}
