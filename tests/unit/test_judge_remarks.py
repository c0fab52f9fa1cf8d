from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.facts import Facts
from grader.judge.remarks import remarks
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import Exited, RunDone
from grader.model.spec.expectations import Expected

from .facts import CRASH, LAB, all_right, captured, facts
from .lab import SPEC

HERE = GradingEnvironment("none", None)
COPIES = [name for name, case in SPEC.cases.items() if case.expect == "reference-output"]


def ended(code: int, *cases: str, program: str = "many") -> list[RunDone]:
    """Right runs of these cases, traced ones too, that end with another status."""
    steps = {f"{program}.{case}{suffix}" for case in cases for suffix in ("", ".strace")}
    return [
        done.model_copy(update={"ending": Exited(kind="exited", code=code)})
        for step, done in all_right().items()
        if step in steps
    ]


def sentences(seen: Facts) -> list[str]:
    return [remark.sentence for remark in remarks(seen)]


def test_a_program_that_ends_with_0_has_no_remark() -> None:
    assert remarks(facts()) == ()


def test_a_copy_that_ends_with_1_has_all_points_and_one_remark() -> None:
    report = judge(facts(*ended(1, *COPIES)), HERE)
    assert report.score == report.max_score
    (remark,) = report.remarks
    assert (remark.kind, remark.program) == ("exit-status", "many")
    assert remark.sentence.startswith("many ends with exit status 1 after a correct copy.")


def test_each_program_has_a_remark_of_its_own() -> None:
    seen = facts(*ended(1, *COPIES), *ended(7, *COPIES, program="single"))
    assert [(remark.program, "status 7" in remark.sentence) for remark in remarks(seen)] == [
        ("many", False),
        ("single", True),
    ]


def test_not_every_copy_need_end_so() -> None:
    (sentence,) = sentences(facts(*ended(3, COPIES[0])))
    assert sentence.startswith("many ended with exit status 3 after some correct copies.")


def test_several_statuses() -> None:
    (sentence,) = sentences(facts(*ended(3, *COPIES), *ended(4, COPIES[0])))
    assert sentence.startswith("many ends with an exit status other than 0 after a correct copy")


@pytest.mark.parametrize(
    "change",
    [
        {"stdout": captured(b"wrong")},  # Not a correct copy.
        {"stdout": captured(b"")},
        {"ending": CRASH},
    ],
)
def test_what_is_not_a_correct_copy_has_no_remark(change: dict[str, object]) -> None:
    wrong = [done.model_copy(update=change) for done in ended(1, *COPIES)]
    assert remarks(facts(*wrong)) == ()


def test_a_refusal_has_no_remark() -> None:
    refused = [name for name, case in SPEC.cases.items() if case.expect == "operand-error"]
    assert refused
    assert remarks(facts(*ended(1, *refused))) == ()


def test_a_hidden_case_gives_no_remark() -> None:
    cases = {name: case.model_copy(update={"hidden": True}) for name, case in SPEC.cases.items()}
    lab = replace(LAB, spec=SPEC.model_copy(update={"cases": cases}))
    assert remarks(replace(facts(*ended(1, *COPIES)), lab=lab)) == ()


def test_a_case_of_hidden_checks_gives_no_remark() -> None:
    rubric = tuple(item.model_copy(update={"visibility": "hidden"}) for item in SPEC.rubric)
    lab = replace(LAB, spec=SPEC.model_copy(update={"rubric": rubric}))
    assert remarks(replace(facts(*ended(1, *COPIES)), lab=lab)) == ()


def test_only_selected_programs_have_remarks() -> None:
    seen = facts(*ended(1, *COPIES), *ended(1, *COPIES, program="single"))
    selected = replace(seen, selected_checks=frozenset({f"single.{SPEC.rubric[0].name}"}))
    assert [remark.program for remark in remarks(selected)] == ["single"]


def test_a_lab_that_judges_exit_statuses_has_no_remark() -> None:
    seen = facts(*ended(1, *COPIES))
    case = SPEC.cases["piped"].model_copy(update={"expect": Expected(status=0, stdout="reference-output")})
    spec = SPEC.model_copy(update={"cases": {**SPEC.cases, "piped": case}})
    assert remarks(replace(seen, lab=replace(seen.lab, spec=spec))) == ()
