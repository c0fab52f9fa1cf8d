from __future__ import annotations

from typing import Any

import pytest

from grader.gradescope.schema import ResultsJson
from grader.model.gradebook import Person
from grader.model.report import BuildResult, CasesEvidence, Report

from . import factory
from .gradescope import (
    HOSTILE,
    handed_in,
    is_plain,
    outputs,
    results,
    shown,
    spec_of,
)

REPORTS = {
    "good": factory.report(),
    "broken": factory.broken(),
    "diagnosed": factory.diagnosed(),
    "unbuilt": factory.unbuilt(),
    "empty": factory.empty(),
    "worst": factory.worst(HOSTILE),
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_output_is_plain_and_short_enough(name: str) -> None:
    made_of = results(REPORTS[name])
    for text in outputs(made_of):
        is_plain(text)
    assert ResultsJson.model_validate_json(made_of.to_json()) == made_of


def _hostile(source: Report, text: str) -> Report:
    """The report with `text` wherever a student could have put any; ids and programs come from the spec."""
    changed = factory.hostile(source, text)
    checks = tuple(
        new.model_copy(update={"id": old.id, "program": old.program})
        for new, old in zip(changed.checks, source.checks, strict=True)
    )
    causes = tuple(
        new.model_copy(update={"name": old.name, "checks": old.checks})
        for new, old in zip(changed.causes, source.causes, strict=True)
    )
    builds = tuple(
        BuildResult(program=old.program, ok=old.ok, command=new.command, messages=old.messages.replace("'", text))
        for new, old in zip(changed.builds, source.builds, strict=True)
    )
    findings = tuple(
        new.model_copy(update={"checks": old.checks})
        for new, old in zip(changed.findings, source.findings, strict=True)
    )
    update = {"checks": checks, "causes": causes, "builds": builds, "findings": findings}
    return changed.model_copy(update=update)


@pytest.mark.long
@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("text", [HOSTILE, "`" * 100_000, "\n" * 1000, "\u202e" * 5000])
def test_hostile_text_arrives_as_text(name: str, text: str) -> None:
    report = _hostile(REPORTS[name], text)
    metadata = handed_in(people=(Person(name=text),), last=None)
    made_of = results(report, metadata, spec=spec_of(REPORTS[name]))
    for output in outputs(made_of):
        is_plain(output)
    if text == HOSTILE:
        assert "<script>alert(1)</script>" in shown(made_of.output)
    assert ResultsJson.model_validate_json(made_of.to_json()) == made_of


def test_the_difference_stays_when_everything_else_is_long() -> None:
    long = "x" * 1_000_000
    huge: dict[str, Any] = {"stderr": b"e" * 1_000_000, "stdout": b"o" * 1_000_000, "repeat": long, "problem": long}
    evidence = CasesEvidence(cases=(factory.failed_case(operands=(b"\xff" * 255,), **huge),) * 30)
    failed = factory.check("tr2b.text", "failed", message=long, hint=long, evidence=evidence)
    long_page = factory.cause("bug", "tr2b.text", page=factory.PAGE * 100)
    for causes in ((), (long_page,)):
        text = results(factory.report(checks=(failed,), causes=causes)).tests[0].output
        is_plain(text)
        assert "    expected  00 01[ff]7e 41" in text
        assert "cut here" in text
