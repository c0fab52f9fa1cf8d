from __future__ import annotations

import pytest

from grader.model.report import CasesEvidence, Report
from grader.model.spec.rubric import Visibility

from . import factory
from .gradescope import (
    ADA,
    handed_in,
    out_of_time,
    remembered,
    results,
    spec_of,
)

VISIBILITIES: list[Visibility] = ["hidden", "after_due_date", "after_published"]


def _with_secret(*, failing: bool, also: tuple[str, ...] = ()) -> Report:
    """A report with a check that may be hidden, failing with a cause of its own and in another's, or passing."""
    report = factory.diagnosed()
    evidence = CasesEvidence(cases=(factory.failed_case("secret-case", problem="SECRET problem"),))
    secret = (
        factory.check("tr2u.secret", "failed", message="SECRET", cause="secret-bug", evidence=evidence)
        if failing
        else factory.check("tr2u.secret", message="fine")
    )
    mine = factory.cause("char-for-getchar", "tr2b.byte-ff", "tr2b.random-5m", *(also if failing else ()))
    mine = mine.model_copy(update={"certainty": "likely" if failing else "certain"})
    own = (factory.cause("secret-bug", "tr2u.secret", title="SECRET bug"),) if failing else ()
    return report.model_copy(
        update={"checks": (*report.checks, secret), "causes": (*own, mine), "score": 8.0 if failing else 16.0}
    )


@pytest.mark.parametrize("visibility", VISIBILITIES)
@pytest.mark.parametrize(("not_run", "running"), [(False, False), (True, False), (False, True), (True, True)])
def test_nothing_of_a_hidden_check_is_told_elsewhere(visibility: Visibility, *, not_run: bool, running: bool) -> None:
    last = remembered(_with_secret(failing=False), 12.25)
    metadata = handed_in(last=last.model_copy(update={"report": last.report.model_copy(update={"submission": ADA})}))
    both = []
    for failing in (True, False):
        report = _with_secret(failing=failing)
        if not_run and failing:
            report = out_of_time(report, "tr2u.secret")
        both.append(results(report, metadata, spec=spec_of(report, {"secret": visibility}), running=running))
    failed, passed = both
    assert failed.output == passed.output
    assert failed.tests[:-1] == passed.tests[:-1]
    assert failed.tests[-1] != passed.tests[-1]
    assert failed.tests[-1].visibility == visibility
    assert "SECRET" not in failed.output
    words = "8 of 21 points so far" if running else "8 of 21 points for the checks that are shown here"
    assert words in failed.output
    assert "12.25" not in failed.output
    assert {test.visibility for test in failed.tests[:-1]} == {"visible"}


def test_a_cause_of_hidden_checks_too_keeps_what_they_add_to_itself() -> None:
    spec = spec_of(_with_secret(failing=True), {"secret": "hidden"})
    mixed, alone = (results(_with_secret(failing=True, also=also), spec=spec) for also in (("tr2u.secret",), ()))
    assert "secret" not in mixed.output
    assert "    printf" in mixed.tests[1].output, "the page's lines are those of programs whose visible checks fail"
    assert mixed.output == alone.output
    assert mixed.tests[:-1] == alone.tests[:-1]
    assert "Likely" not in mixed.output


def test_hidden_builds_are_not_told_of() -> None:
    report = factory.unbuilt()
    made_of = results(report, spec=spec_of(report, {"build": "hidden"}))
    assert "undeclared" not in made_of.output
    assert "could not be compiled" not in made_of.output


def test_a_hidden_check_may_refer_to_a_visible_one_and_not_the_other_way() -> None:
    report = factory.diagnosed()
    tests = results(report, spec=spec_of(report, {"byte-ff": "hidden"})).tests
    assert "**What happens**" in tests[2].output
    assert "Test 1.3 says more about it" in tests[1].output
