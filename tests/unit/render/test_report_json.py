from __future__ import annotations

import json

import pytest

from grader.model.report import Report
from grader.render.exports.report_json import report_json

from . import factory

ALL = [factory.report(), factory.broken(), factory.not_graded(), factory.empty()]


@pytest.mark.parametrize("report", ALL, ids=lambda report: report.submission.name)
def test_a_report_survives_the_round_trip(report: Report) -> None:
    assert Report.model_validate_json(report_json(report)) == report


def test_hostile_text_and_all_bytes_survive_the_round_trip() -> None:
    report = factory.hostile(factory.broken(), "<b>\x00\x1b\u202e\U0001f600")
    assert Report.model_validate_json(report_json(report)) == report


@pytest.mark.parametrize(
    "char", ["\x1b", "\x7f", "\x9b", "\xad", "\u200b", "\u202e", "\u2028", "\ufeff", "\U000e0041"]
)
def test_no_character_is_invisible_or_controls_a_terminal(char: str) -> None:
    """People show report.json in a terminal, which takes U+009B for the beginning of an order."""
    report = factory.hostile(factory.broken(), f"é愛{char}31m")
    text = report_json(report).decode("utf-8")
    assert char not in text
    assert "é愛" in text
    assert Report.model_validate_json(text) == report


# The fields that docs/report.md promises; a report may have more, never fewer.
CONTRACT = """
schema_version grader_version lab spec_digest image_digest isolation submission status reason score max_score
checks syscalls timing builds
"""
CHECK = "id program title status points max_points cause message evidence"
SYSCALLS = "program input sink engine complete calls stdin stdout"


def has(found: dict[str, object], wanted: str) -> bool:
    return set(found) >= set(wanted.split())


def test_the_contract_is_kept() -> None:
    parsed = json.loads(report_json(factory.broken()))
    assert has(parsed, CONTRACT)
    assert has(parsed["submission"], "name digest")
    assert all(has(check, CHECK) for check in parsed["checks"])
    assert all(has(table, SYSCALLS) for table in parsed["syscalls"])
    assert has(parsed["syscalls"][0]["stdin"], "calls bytes nbyte_min nbyte_max")
    assert has(parsed["syscalls"][0]["calls"]["read"], "calls errors")
    assert has(parsed["timing"][0], "program input real_s user_s sys_s")


def test_numbers_are_in_full_precision() -> None:
    score = 100 / 3
    assert json.loads(report_json(factory.report(score=score)))["score"] == score


def test_it_is_indented_and_ends_with_a_newline() -> None:
    data = report_json(factory.report())
    assert data.startswith(b'{\n  "')
    assert data.endswith(b"}\n")
