from __future__ import annotations

import pytest

from grader.judge.symbols import judge_symbols
from grader.model.report import SymbolsEvidence
from grader.model.spec.rubric import SymbolsItem

from .facts import build, facts

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})


@pytest.mark.parametrize(
    ("symbols", "status", "says"),
    [
        (("getchar", "putchar", "__stack_chk_fail"), "passed", "calls getchar, putchar"),
        (("getc", "putchar"), "passed", "calls getc, putchar"),  # any of a group will do
        (("putchar",), "failed", "does not call getchar"),
        ((), "failed", "does not call getchar; it does not call putchar"),
        (("getc", "putchar", "write"), "failed", "it calls write, which"),
        (("read", "putchar"), "failed", "does not call getchar; it calls read"),
        (("getchar_", "putchar"), "failed", "does not call getchar"),
    ],
)
def test_one_of_each_group_and_none_of_the_others(symbols: tuple[str, ...], status: str, says: str) -> None:
    seen = build("many").model_copy(update={"symbols": symbols})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert outcome.status == status
    assert says in outcome.message


def test_only_what_the_rule_is_about_is_shown() -> None:
    outcome = judge_symbols(facts(), "many", ITEM)
    evidence = SymbolsEvidence(found=("getc", "putchar"), forbidden=(), missing=())
    assert outcome.evidence == evidence


def test_an_object_that_did_not_compile_without_optimisation_cannot_be_read() -> None:
    seen = build("many").model_copy(update={"symbols": None})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert outcome.status == "failed"
    assert "without optimisation" in outcome.message
