"""Judge whether the source calls the functions that the lab asks for."""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.model.report import SymbolsEvidence
from grader.model.spec.rubric import SymbolsItem
from grader.model.submission import UnusableSource


def judge_symbols(facts: Facts, program: str, _item: SymbolsItem) -> Outcome:
    """Pass if the object names a function of each required group and no forbidden function."""
    build = facts.build(program)
    if isinstance(build, UnusableSource) or build.symbols is None:
        return Outcome("failed", "it does not compile without optimisation, so its calls cannot be read")
    rule = facts.lab.spec.programs[program].symbols
    symbols = set(build.symbols)
    required = {name for group in rule.one_of_each for name in group}
    missing = tuple(group for group in rule.one_of_each if not symbols.intersection(group))
    forbidden = tuple(name for name in rule.none_of if name in symbols)
    evidence = SymbolsEvidence(found=tuple(sorted(symbols & required)), forbidden=forbidden, missing=missing)
    if not missing and not forbidden:
        return Outcome("passed", f"calls {', '.join(evidence.found)}", evidence)
    problems = [f"it does not call {group[0]}" for group in missing]
    problems += [f"it calls {name}, which this program is to do without" for name in forbidden]
    return Outcome("failed", "; ".join(problems), evidence)
