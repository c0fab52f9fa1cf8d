"""Does the source call the functions that the lab asks for?"""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.model.report import SymbolsEvidence
from grader.model.spec.rubric import SymbolsItem
from grader.model.submission import UnusableSource


def judge_symbols(facts: Facts, program: str, _item: SymbolsItem) -> Outcome:
    """Pass where the object names one function of each wanted group and none of the unwanted ones."""
    build = facts.build(program)
    if isinstance(build, UnusableSource) or build.symbols is None:
        return Outcome("failed", "it does not compile without optimisation, so its calls cannot be read")
    rule = facts.spec.programs[program].symbols
    found = set(build.symbols)
    wanted = {name for group in rule.one_of_each for name in group}
    missing = tuple(group for group in rule.one_of_each if not found.intersection(group))
    forbidden = tuple(name for name in rule.none_of if name in found)
    evidence = SymbolsEvidence(found=tuple(sorted(found & wanted)), forbidden=forbidden, missing=missing)
    if not missing and not forbidden:
        return Outcome("passed", f"calls {', '.join(evidence.found)}", evidence)
    problems = [f"it does not call {group[0]}" for group in missing]
    problems += [f"it calls {name}, which this program is to do without" for name in forbidden]
    return Outcome("failed", "; ".join(problems), evidence)
