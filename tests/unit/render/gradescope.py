"""A spec for reports built by hand, and what the tests of results.json ask of Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.gradescope.results.results_json import results_of
from grader.gradescope.schema import OUTPUT_CHARS, ResultsJson
from grader.gradescope.submission_metadata import EarlierSubmission, LastResult, SubmissionMetadata
from grader.model.report import Report, SubmissionId, without_evidence
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import Visibility
from tests.unit.lab import DOCUMENT, SPEC

NOTHING_KNOWN = SubmissionMetadata()
ZONE = timezone(-timedelta(hours=8))
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=ZONE)
ADA = SubmissionId(name="ada", digest="sha256:" + "e" * 64)
HOSTILE = (
    "```\n~~~\n<script>alert(1)</script> ![](x) [x](javascript:alert(1)) <https://x.y> https://x.y | a | b |\n"
    "# head\n> quote\n1. one\n- dash\n=====\n***bold*** `tick` ``ticks`` &amp; \\ \x1b[31m \u202e \x00 \r\x85 $$x$$ "
)
PLAIN_BLOCKS = {"paragraph_open", "paragraph_close", "inline", "code_block"}
PLAIN_WORDS = {"text", "text_special", "code_inline", "strong_open", "strong_close", "hardbreak"}


def spec_of(report: Report, visibility: Mapping[str, Visibility] | None = None, **gradescope: object) -> Spec:
    """A spec that has the checks of a report, by their names; and these settings for Gradescope."""
    both = DOCUMENT["programs"]
    assert isinstance(both, dict)
    document = DOCUMENT | {
        "programs": {"tr2b": both["many"], "tr2u": both["single"]},
        "inputs": {"pattern-5m": {"kind": "literal", "data": "x"}},
        "cases": {
            "slice": {"operands": [], "input": "pattern-5m", "strace": "always"},
            "pattern-5m": {"operands": [], "input": "pattern-5m", "engine": "account"},
            "screen": {"operands": [], "input": "pattern-5m", "sink": "terminal"},
        },
        "rubric": [_item(name, points, visibility or {}) for name, points in _points(report).items()],
        "gradescope": gradescope,
    }
    return Spec.model_validate(document)


def _points(report: Report) -> dict[str, dict[str, int]]:
    points: dict[str, dict[str, int]] = {}
    for check in report.checks:
        points.setdefault(check.name, {})[check.program] = int(check.max_points)
    return points or {"text": {"tr2b": 1}}


def _item(name: str, points: Mapping[str, int], visibility: Mapping[str, Visibility]) -> dict[str, object]:
    kinds: dict[str, dict[str, object]] = {
        "build": {"kind": "build"},
        "kind-build": {"kind": "build"},
        "syscalls": {"kind": "call-pattern", "slice": "slice", "full": ["pattern-5m"]},
        "kind-calls": {"kind": "call-pattern", "slice": "slice", "full": ["pattern-5m"]},
        "terminal": {"kind": "terminal", "cases": ["screen"]},
        "timing": {"kind": "timing", "case": "pattern-5m"},
        "kind-timing": {"kind": "timing", "case": "pattern-5m"},
    }
    kind = kinds.get(name, {"kind": "cases", "cases": ["pattern-5m"]})
    return {"name": name, "title": name, "points": points, "visibility": visibility.get(name, "visible"), **kind}


def remembered(report: Report, score: float = 80.0, visibility: Visibility = "visible") -> LastResult:
    return LastResult(score=score, report=without_evidence(report), visibility=visibility)


def earlier(*hours_before: float, failed: bool = False) -> tuple[EarlierSubmission, ...]:
    return tuple(EarlierSubmission(NOON - timedelta(hours=hours), 10.0, failed) for hours in hours_before)


def handed_in(**fields: Any) -> SubmissionMetadata:  # noqa: ANN401 - whatever a hand-in has
    return replace(SubmissionMetadata(created_at=NOON), **fields)


def results(
    report: Report, metadata: SubmissionMetadata = NOTHING_KNOWN, *, spec: Spec | None = None, running: bool = False
) -> ResultsJson:
    return results_of(report, spec or spec_of(report), metadata, execution_time_s=1.5, running=running)


def out_of_time(report: Report, *ids: str) -> Report:
    """The report of a run that had no time left for these checks."""
    checks = tuple(
        check.model_copy(update={"status": "skipped", "points": 0.0, "message": "the time was up"})
        if check.id in ids
        else check
        for check in report.checks
    )
    score = math.fsum(check.points for check in checks)
    return report.model_copy(update={"checks": checks, "not_run": ids, "score": score})


def spec_with(**settings: object) -> Spec:
    return SPEC.model_copy(update={"gradescope": SPEC.gradescope.model_copy(update=settings)})


def outputs(results: ResultsJson) -> list[str]:
    return [results.output, *(test.output for test in results.tests)]


def tokens(text: str) -> Iterator[Token]:
    """All tokens of a text as a lenient reader finds them: with HTML and tables."""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        yield token
        yield from token.children or ()


def shown(text: str) -> str:
    """The text that a reader sees."""
    ends = {"hardbreak", "paragraph_close"}
    return "".join("\n" if token.type in ends else "" if token.children else token.content for token in tokens(text))


def is_plain(text: str) -> None:
    """Hold that a text has nothing but paragraphs and code in it, and is fit to be written."""
    assert {token.type for token in tokens(text)} <= PLAIN_BLOCKS | PLAIN_WORDS
    assert not [char for char in text if char not in "\n\t" and not char.isprintable()]
    assert len(text) <= OUTPUT_CHARS
