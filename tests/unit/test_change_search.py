"""A report shows a small change with the problem that it repairs, and says what is left."""

from __future__ import annotations

from grader.explain.credit import Repair, Repairs
from grader.explain.trials import Fix, Trial
from grader.model.report import REPAIRED, CauseLine, Report, Symptom

from .render import factory

TEXT, BINARY, HIGH, MISSING = "tr2b.text", "tr2b.binary", "tr2b.byte-high", "tr2b.error-missing"


def repair(number: int, *checks: str, unrepaired: tuple[str, ...] = ()) -> Repair:
    line = CauseLine(file="tr2b.c", number=number, text="x")
    proof = factory.proof(str(number), *checks)
    trial = Trial(Fix("tr2b", b"", {}), checks, checks)
    return Repair("tr2b", frozenset(checks), frozenset(unrepaired), proof, (line,), trial)


SECOND = repair(9, HIGH, unrepaired=(MISSING,))


def report(*, is_cause: bool) -> Report:
    checks = (TEXT, BINARY, HIGH)
    symptoms = (
        Symptom(id="wrong-bytes", program="tr2b", checks=checks, sentence="Wrong.", cases=("a",)),
        Symptom(id="crashes", program="tr2b", checks=(MISSING,), sentence="Crash.", cases=("b",)),
    )
    causes = (factory.cause("bug", *checks),) if is_cause else ()
    failed = [factory.check(one, "failed", cause="bug" if is_cause and one in checks else None) for one in checks]
    return factory.report(
        checks=(*failed, factory.check(MISSING, "failed")),
        causes=causes,
        symptoms=symptoms if not is_cause else symptoms[1:],
    )


def test_what_repairs_most_of_a_symptom_is_said_there_and_not_with_what_it_repairs_completely() -> None:
    made = Repairs((repair(7, TEXT, BINARY, MISSING, unrepaired=(HIGH,)),)).added_to(report(is_cause=False))
    [symptom] = made.symptoms
    assert symptom.id == "wrong-bytes"
    assert symptom.checks == (TEXT, BINARY, MISSING, HIGH)
    assert symptom.advice == "With 7 of tr2b.c, it passes; left to repair: byte-high, which still fails."


def test_what_repairs_less_of_a_symptom_is_not_said_there() -> None:
    made = Repairs((repair(7, TEXT, MISSING, unrepaired=(BINARY, HIGH)),)).added_to(report(is_cause=False))
    assert [symptom.advice for symptom in made.symptoms] == ["", "With 7 of tr2b.c, it passes."]


def test_a_second_change_that_repairs_the_rest_of_a_symptom_is_added() -> None:
    repairs = (repair(7, TEXT, BINARY, unrepaired=(HIGH, MISSING)), SECOND)
    first, other = Repairs(repairs).added_to(report(is_cause=False)).symptoms
    assert first.advice.startswith("With 7 of tr2b.c, it passes. Also with 9 of tr2b.c, it passes")
    assert [(line.number, line.role) for line in first.lines] == [(7, REPAIRED), (9, REPAIRED)]
    assert other.advice == ""


def test_a_second_change_that_repairs_the_rest_of_a_cause_is_added() -> None:
    repairs = (repair(7, TEXT, BINARY, unrepaired=(HIGH, MISSING)), SECOND)
    [cause] = Repairs(repairs).added_to(report(is_cause=True)).causes
    assert (cause.certainty, cause.checks, [line.number for line in cause.lines]) == (
        "proven",
        (TEXT, BINARY, HIGH),
        [7, 9],
    )
    assert cause.proof is not None
    assert cause.proof.sentence == "With 7 of tr2b.c, it passes. Also with 9 of tr2b.c, it passes."
    assert cause.proof.checks == (TEXT, BINARY, HIGH)
