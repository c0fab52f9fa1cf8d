"""A case may have call patterns of its own, and a check its own rule for symbols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.grading.plan_builder import build_plan, build_step
from grader.judge.call_pattern import judge_call_pattern
from grader.judge.facts import Facts
from grader.judge.symbols import judge_symbols
from grader.judge.terminal import judge_terminal
from grader.lab.load import read_spec
from grader.model.spec.cases import CaseCalls
from grader.model.spec.lab import Spec, full_size_patterns
from grader.model.spec.programs import AnyCalls, ExactCalls, SymbolRule
from grader.model.spec.rubric import CallPatternItem, SymbolsItem, TerminalItem

from .facts import LAB, SUBMISSION, facts
from .lab import PROGRAMS, SPEC
from .test_case_programs import SPEC as TWO_PROGRAMS
from .test_case_programs import written

CALLS = CallPatternItem(
    kind="call-pattern", name="calls", title="", points={"single": 1}, slice="slice", full=("random",)
)
SCREEN = TerminalItem(kind="terminal", name="terminal", title="", points={"single": 1}, cases=("screen",))
LARGER = ExactCalls(calls="exact", nbyte=512)


def with_calls(**calls: CaseCalls) -> Spec:
    changed = {name: SPEC.cases[name].model_copy(update={"calls": own}) for name, own in calls.items()}
    return SPEC.model_copy(update={"cases": {**SPEC.cases, **changed}})


def facts_of(spec: Spec) -> Facts:
    return replace(facts(), lab=replace(LAB, spec=spec))


def test_the_filter_looks_for_the_nbyte_of_the_case() -> None:
    spec = with_calls(random=CaseCalls(stdout=LARGER), screen=CaseCalls(terminal=LARGER))
    steps = {step.id: step for step in build_plan(spec, SUBMISSION).runs}
    assert (steps["single.random"].read_nbyte, steps["single.random"].write_nbyte) == (1, 512)
    assert (steps["single.pattern"].read_nbyte, steps["single.pattern"].write_nbyte) == (1, 1)
    # Without an nbyte to let pass, the filter would stop at each call.
    assert steps["many.random"].engine == "filter"


@pytest.mark.parametrize("case", ["slice", "random"])
def test_calls_are_judged_by_the_pattern_of_the_case(case: str) -> None:
    assert judge_call_pattern(facts(), "single", CALLS).status == "passed"
    outcome = judge_call_pattern(facts_of(with_calls(**{case: CaseCalls(stdin=LARGER)})), "single", CALLS)
    assert outcome.status == "failed"
    assert f"(case {case})" in outcome.message
    assert "512" in outcome.message


def test_a_stream_of_a_case_may_be_left_out() -> None:
    wrong = with_calls(slice=CaseCalls(stdin=LARGER), random=CaseCalls(stdin=LARGER))
    assert judge_call_pattern(facts_of(wrong), "single", CALLS).status == "failed"
    free = with_calls(slice=CaseCalls(stdin=AnyCalls()), random=CaseCalls(stdin=AnyCalls()))
    assert judge_call_pattern(facts_of(free), "single", CALLS).status == "passed"


def test_writes_to_a_terminal_are_judged_by_the_pattern_of_the_case() -> None:
    assert judge_terminal(facts(), "single", SCREEN).status == "passed"
    buffered = SPEC.programs["many"].terminal
    outcome = judge_terminal(facts_of(with_calls(screen=CaseCalls(terminal=buffered))), "single", SCREEN)
    assert outcome.status == "failed"
    assert "of a line-buffered stream (case screen, to a terminal)" in outcome.message


def test_a_check_of_symbols_may_have_a_rule_of_its_own() -> None:
    rule = SymbolRule(one_of_each=(("fread",),))
    item = SymbolsItem(kind="symbols", name="more", title="", points={"many": 1}, symbols=rule)
    outcome = judge_symbols(facts(), "many", item)
    # The reference does not call it either.
    assert outcome.status == "skipped"
    assert "fread" in outcome.message
    # The guest looks for calls in the source of what any check asks for.
    spec = SPEC.model_copy(update={"rubric": (*SPEC.rubric, item)})
    assert build_step(spec, "many").one_of_each == (*SPEC.programs["many"].symbols.one_of_each, ("fread",))
    assert {build_step(spec, name).one_of_each == build_step(SPEC, name).one_of_each for name in PROGRAMS} == {
        True,
        False,
    }


PATTERN = "stdin: {calls: exact, nbyte: 1}"
CHECK = "  - {name: calls, kind: call-pattern, title: Calls, points: {copy: 1}, slice: copied, full: [large]}\n"
LARGE = "  large: {operands: [], input: short, engine: filter, limits: full}\nrubric:\n"


def test_a_pattern_of_a_case_is_enough(tmp_path: Path) -> None:
    text = TWO_PROGRAMS.replace("rubric:\n", LARGE).replace(PATTERN, "stdin: {calls: any}") + CHECK
    with pytest.raises(SpecError, match="program and cases have no pattern for stdin or stdout"):
        read_spec(written(tmp_path, text))
    pattern = "calls: {stdin: {calls: exact, nbyte: 4}}"
    text = text.replace("limits: full", f"limits: full, {pattern}")
    (mistake,) = full_size_patterns(read_spec(written(tmp_path, text)))
    assert "copied allows copy any calls of stdin, but large does not" in str(mistake)
    assert mistake.key_path == "cases.copied"
    spec = read_spec(written(tmp_path, text.replace("strace: always", f"strace: always, {pattern}")))
    assert not [*full_size_patterns(spec)]
    assert spec.calls_of("copy", "copied").is_exact
    assert spec.calls_of("copy", "large").is_exact
    assert not spec.calls_of("copy", "both").is_exact


@pytest.mark.parametrize(
    ("calls", "place", "says"),
    [
        ("{stdin: {calls: exat, nbyte: 4}}", "calls.stdin", "'exat' is not one of"),
        ("{stdin: {calls: exact, nbytes: 4}}", "calls.stdin.nbytes", "did you mean 'nbyte'?"),
        ("{stdinn: {calls: exact, nbyte: 4}}", "calls.stdinn", "did you mean 'stdin'?"),
        ("{terminal: {calls: any}}", "calls.terminal", "goes to a file, so the pattern is that of stdout"),
    ],
)
def test_mistakes_in_the_patterns_of_a_case(tmp_path: Path, calls: str, place: str, says: str) -> None:
    text = TWO_PROGRAMS.replace("both: {", f"both: {{calls: {calls}, ")
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, text))
    assert (caught.value.line, caught.value.key_path) == (11, f"cases.both.{place}")
    assert says in caught.value.message
