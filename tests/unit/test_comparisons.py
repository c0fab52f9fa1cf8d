"""Programs are compared only where the spec says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.lab.load import read_spec
from grader.lab.publish import spec_yaml, student_copy
from grader.model.spec.lab import Comparison

from .facts import SUBMISSION
from .lab import DOCUMENT, SPEC, Spec
from .test_case_programs import SPEC as TWO_PROGRAMS
from .test_case_programs import written

COUNTED_BY_BOTH = "  both: {operands: [], input: short, strace: always}"
BOTH = TWO_PROGRAMS.replace("  both: {operands: [], input: short}", COUNTED_BY_BOTH)


def test_a_report_has_the_comparisons_of_its_spec() -> None:
    compared = {"program": "single", "with": "many", "case": "random"}
    spec = Spec.model_validate({**DOCUMENT, "comparisons": [compared]})
    environment = GradingEnvironment(isolation="container", image_digest=None)
    report = not_graded(spec, SUBMISSION, environment, "no engine")
    assert report.model_dump(mode="json")["comparisons"] == [{"program": "single", "other": "many", "case": "random"}]
    assert not_graded(SPEC, SUBMISSION, environment, "no engine").comparisons == ()


@pytest.mark.parametrize(
    ("comparison", "key", "says"),
    [
        ("{program: cpy, with: count, case: both}", "program", "did you mean 'copy'?"),
        ("{program: copy, with: cont, case: both}", "with", "did you mean 'count'?"),
        ("{program: copy, wth: count, case: both}", "wth", "did you mean 'with'?"),
        ("{program: copy, with: count, case: bth}", "case", "did you mean 'both'?"),
        ("{program: copy, with: copy, case: both}", "with", "copy would be compared with itself"),
        ("{program: copy, with: count, case: counted}", "case", "'counted' does not run copy"),
    ],
)
def test_mistakes(tmp_path: Path, comparison: str, key: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, f"{BOTH}comparisons:\n  - {comparison}\n"))
    assert (caught.value.line, caught.value.key_path) == (19, f"comparisons.0.{key}")
    assert says in caught.value.message


def test_what_has_no_figures_cannot_be_compared(tmp_path: Path) -> None:
    comparison = "comparisons: [{program: copy, with: count, case: both}]\n"
    with pytest.raises(SpecError, match="the calls of 'both' are not counted, and no check times it"):
        read_spec(written(tmp_path, TWO_PROGRAMS + comparison))
    spec = read_spec(written(tmp_path, BOTH + comparison))
    assert spec.comparisons == (Comparison.model_validate({"program": "copy", "with": "count", "case": "both"}),)


def test_totals_of_a_program_without_a_check_of_calls_cannot_be_compared(tmp_path: Path) -> None:
    # The kernel's totals hold the loader's calls, which only a short log shows.
    comparison = "comparisons: [{program: copy, with: count, case: both}]\n"
    totals = BOTH.replace(COUNTED_BY_BOTH, "  both: {operands: [], input: short, engine: account}")
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, totals + comparison))
    assert [caught.value.key_path, *(other.key_path for other in caught.value.others)] == ["comparisons.0.case"] * 2
    assert "'both' shows no calls of copy: engine: account needs a call-pattern check" in str(caught.value)


def test_the_copy_for_students_keeps_comparisons_of_its_cases(tmp_path: Path) -> None:
    text = BOTH + "comparisons: [{program: copy, with: count, case: both}]\n"
    spec = read_spec(written(tmp_path, text))
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(spec_yaml(student_copy(spec)))
    assert read_spec(copy).comparisons == spec.comparisons
    hidden = text.replace("cases: [both]}", "cases: [both], visibility: hidden}").replace(
        "cases: [both, copied]", "cases: [copied]"
    )
    assert student_copy(read_spec(written(tmp_path, hidden))).comparisons == ()


def test_comparisons_may_be_generated(tmp_path: Path) -> None:
    generated = 'comparisons:\n  - {for: {CASE: [both]}, program: copy, with: count, case: "{CASE}"}\n'
    assert [one.case for one in read_spec(written(tmp_path, BOTH + generated)).comparisons] == ["both"]
