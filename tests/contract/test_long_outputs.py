"""Outputs that are far longer than the input: all of them is compared or searched, wherever they differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import ReferenceCaseError
from grader.grading.setup import RunConfig, prepare
from grader.guest.streams import INLINE_BYTES, SEARCHED_BYTES
from grader.lab.find import load_lab
from grader.model.report import CasesEvidence, Check
from grader.model.submission import Source, Submission
from grader.sandbox.base import Sandbox
from tests.verdicts import verdicts_only

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


def prepared(sandbox: Sandbox, folder: Path, lab: str, source: str) -> GradingContext:
    (folder / "reference").mkdir(parents=True)
    (folder / "lab.yaml").write_text(lab, encoding="ascii")
    (folder / "reference" / "count.c").write_text(source, encoding="ascii")
    spec, files = load_lab(str(folder))
    return prepare(RunConfig(spec, files, use_cache=False), sandbox, print)


@pytest.fixture(scope="module")
def grading(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    return prepared(sandbox, tmp_path_factory.mktemp("lab") / "counting", LAB, SOURCE)


def judged(grading: GradingContext, name: str, source: Source) -> tuple[Check, ...]:
    return grade(grading, Submission(name, {"count": source}), verdicts_only()).checks


def checks(grading: GradingContext, before: str, after: str) -> tuple[Check, ...]:
    assert before in SOURCE
    source = Source(SOURCE.replace(before, after).encode())
    return judged(grading, "one", source)


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


SEARCHED_LINES = 15_000
TEXT = "".join(f"{number}\\n" for number in range(SEARCHED_LINES)) + "it took 3 s\\n"
RULES = {"exact": f'{{exact: "{TEXT}"}}', "contains": "{contains: took}", "matches": "{matches: it .*}",
         "number": "{number: {unit: s}}"}  # fmt: skip
CASES = {
    f"{stream}-{name}": f'["{SEARCHED_LINES}", {stream}], expect: {{{stream}: {rule}}}'
    for stream in ("stdout", "stderr")
    for name, rule in RULES.items()
}
CASES["more"] = '["1", stdout], limits: full, expect: {stdout: {contains: took}}'
SEARCHED_LAB = """\
spec_version: 1
lab: searched
title: Prints numbers and a time
programs: {count: {source: count.c, title: prints numbers}}
build: {compiler: gcc, standard: gnu11}
cases:
""" + "\n".join(
    (
        *(f"  {name}: {{operands: {case}}}" for name, case in CASES.items()),
        "rubric:",
        *(f"  - {{name: {name}, kind: cases, title: T, points: {{count: 1}}, cases: [{name}]}}" for name in CASES),
    )
)
SEARCHED_SOURCE = """\
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    FILE *to = argv[argc - 1][3] == 'o' ? stdout : stderr;
    for (int i = 0; i < n; i++)
        fprintf(to, "%d\\n", i);
    fprintf(to, "it took 3 s\\n");
    return 0;
}
"""


@pytest.mark.slow
def test_all_of_an_output_is_searched(sandbox: Sandbox, tmp_path: Path) -> None:
    assert INLINE_BYTES < len(TEXT) < SEARCHED_BYTES
    grading = prepared(sandbox, tmp_path / "searched", SEARCHED_LAB, SEARCHED_SOURCE)
    right = judged(grading, "right", Source(SEARCHED_SOURCE.encode()))
    assert {check.status for check in right} == {"passed"}
    without = SEARCHED_SOURCE.replace("it took", "it")
    wrong = judged(grading, "wrong", Source(without.encode()))
    assert [check.id.removeprefix("count.") for check in wrong if check.status == "passed"] == [
        "stdout-matches", "stdout-number", "stderr-matches", "stderr-number"
    ]  # fmt: skip
    exact = next(check for check in wrong if check.id == "count.stdout-exact")
    assert offset(exact) == len(TEXT.replace("\\n", "\n")) - len("took 3 s\n")
    # It has nothing to find in so much, and nobody knows what it wrote at the end.
    much = SEARCHED_SOURCE.replace("i < n", "i < n || (n == 1 && i < 90000)").replace("it took", "it")
    *_, check = judged(grading, "much", Source(much.encode()))
    assert check.status == "skipped"
    assert f"does not contain “took” in its first {SEARCHED_BYTES:,} of 528,897 bytes, and the rest" in check.message


def test_the_lab_s_own_output_may_be_too_long_to_be_searched(sandbox: Sandbox, tmp_path: Path) -> None:
    lab = SEARCHED_LAB.replace('more: {operands: ["1"', 'more: {operands: ["90000"')
    with pytest.raises(
        ReferenceCaseError, match=f"in its first {SEARCHED_BYTES:,} of .* the rest cannot be searched"
    ):
        prepared(sandbox, tmp_path / "searched", lab, SEARCHED_SOURCE)
