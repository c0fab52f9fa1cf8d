"""Judge whether a program compiled."""

from __future__ import annotations

from grader.judge.endings import abnormal
from grader.judge.facts import Facts, Outcome
from grader.model.report import BuildEvidence, BuildResult
from grader.model.spec.rubric import BuildItem
from grader.model.submission import UnusableSource


def judge_build(facts: Facts, program: str, _item: BuildItem) -> Outcome:
    """Pass a program that compiled; warnings are shown, but cost no points."""
    build = facts.build(program)
    if isinstance(build, UnusableSource):
        return Outcome("failed", build.problem, hint="")
    evidence = BuildEvidence(messages=build.messages)
    if facts.built(program):
        warnings = build.messages.count("warning:")
        return Outcome("passed", _passed_message(warnings), evidence)
    if build.cut_short:
        return Outcome("failed", "it was not compiled before the submission had used up all the time", evidence)
    problem = abnormal(build.ending, facts.lab.spec.limits.build)
    if problem:
        return Outcome("failed", f"the compiler did not get through: {problem}", evidence)
    errors = build.messages.count("error:")
    first = next((line for line in build.messages.splitlines() if "error:" in line), "")
    count = f"{errors} errors" if errors > 1 else "an error"
    return Outcome(
        "failed", f"it does not compile: {count}" + (f"; the first: {first.strip()}" if first else ""), evidence
    )


def _passed_message(warnings: int) -> str:
    if not warnings:
        return "compiled without a warning"
    return "compiled with a warning" if warnings == 1 else f"compiled with {warnings} warnings"


def build_results(facts: Facts) -> tuple[BuildResult, ...]:
    """Return every compilation as a student would see it."""
    results = []
    for program, declared in facts.lab.spec.programs.items():
        if not facts.concerns(program):
            continue
        build = facts.build(program)
        messages = build.problem if isinstance(build, UnusableSource) else build.messages
        command = " ".join((*facts.lab.spec.build.compiler_command, "-o", program, declared.source))
        results.append(BuildResult(program=program, ok=facts.built(program), command=command, messages=messages))
    return tuple(results)
