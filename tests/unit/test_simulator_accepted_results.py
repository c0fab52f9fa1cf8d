"""What the platform makes of results.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.gradescope.schema import LeaderboardRow, ResultsJson, TestResult
from grader.gradescope.simulator.accepted_results import NO_RESULTS, OUTPUT_CHARS, AcceptedResults, accept


def accepted(results: object) -> AcceptedResults:
    return accept(json.dumps(results).encode())


def test_results_are_taken_as_they_are() -> None:
    results = {"score": 1.5, "tests": [{"name": "a", "score": 1, "max_score": 2, "status": "failed"}], "output": "hm"}
    assert accepted(results) == AcceptedResults(results)


def test_what_our_own_model_writes_is_right() -> None:
    row = LeaderboardRow(name="seconds", value=1.5, order="asc")
    one = TestResult(name="tr2b", number="1.1", score=1, max_score=2, status="passed", output="**yes**", tags=("x",))
    written = ResultsJson(score=1, execution_time=2, output="words", tests=(one,), leaderboard=(row,)).to_json()
    found = accept(written)
    assert (found.problem, found.mistakes, found.warnings) == ("", (), ())
    assert found.results == json.loads(written)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (None, "there is no results.json"),
        (b"", "results.json is not JSON: "),
        (b'{"score": 1', "results.json is not JSON: "),
        (b'{"score": NaN}', "results.json is not JSON: "),
        (b'{"score": -Infinity}', "results.json is not JSON: "),
        (b'{"score": 1, "extra_data": {"x": NaN}}', "results.json is not JSON: "),
        (b"[1]", "results.json is not an object"),
        (b'"a text"', "results.json is not an object"),
        (b"[" * 100_000, "recursion limit exceeded"),
    ],
)
def test_where_there_are_none_the_platform_says_that_the_autograder_failed(raw: bytes | None, says: str) -> None:
    found = accept(raw)
    assert found.results == NO_RESULTS
    assert says in found.problem


@pytest.mark.parametrize("results", [{}, {"output": "a fault"}, {"output": "a fault", "tests": []}])
def test_without_a_score_and_without_tests_there_is_no_grade(results: dict[str, Any]) -> None:
    found = accepted(results)
    assert found.results == results
    assert "neither a score nor tests" in found.problem


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"score": "10"}, "score"),
        ({"score": True}, "score"),
        ({"score": None}, "score"),
        ({"execution_time": "2 s"}, "execution_time"),
        ({"output": ["lines"]}, "output"),
        ({"output_format": "markdown"}, "output_format"),
        ({"test_output_format": "HTML"}, "test_output_format"),
        ({"test_name_format": ""}, "test_name_format"),
        ({"visibility": "after_due"}, "visibility"),
        ({"stdout_visibility": True}, "stdout_visibility"),
        ({"extra_data": []}, "extra_data"),
        ({"tests": {}}, "tests"),
        ({"tests": [{}, 7]}, "tests[1]"),
        ({"tests": [{}, {"status": "skipped"}]}, "tests[1].status"),
        ({"tests": [{"score": "1/2"}]}, "tests[0].score"),
        ({"tests": [{"number": 1.1}]}, "tests[0].number"),
        ({"tests": [{"tags": ["a", 1]}]}, "tests[0].tags[1]"),
        ({"tests": [{"visibility": "shown"}]}, "tests[0].visibility"),
        ({"leaderboard": [{"name": "s", "value": 1, "order": "up"}]}, "leaderboard[0].order"),
        ({"leaderboard": [{"value": 1}]}, "leaderboard[0].name"),
    ],
)
def test_a_field_of_the_wrong_kind_is_named_and_is_no_grade(changes: dict[str, Any], place: str) -> None:
    found = accepted({"score": 1, **changes})
    assert len(found.mistakes) == 1
    assert found.mistakes[0].startswith(f"{place}: ")
    assert found.mistakes[0] in found.problem


def test_unknown_fields_are_told_and_do_no_harm() -> None:
    found = accepted(
        {"score": 1, "grade": 2, "tests": [{"points": 1}], "leaderboard": [{"name": "s", "value": "*", "x": 0}]}
    )
    assert found.problem == ""
    assert found.warnings == tuple(
        f"{place} is unknown to the platform" for place in ("tests[0].points", "leaderboard[0].x", "grade")
    )


def test_an_output_that_the_platform_cuts_is_told() -> None:
    long, short = "x" * (OUTPUT_CHARS + 1), "y" * OUTPUT_CHARS
    results = {"score": 1, "output": long, "tests": [{"output": short}, {"output": long}]}
    assert accepted(results) == AcceptedResults(
        results,
        warnings=tuple(
            f"{place} has 100,001 characters and is cut in its middle" for place in ("output", "tests[1].output")
        ),
    )


def test_nul_is_told() -> None:
    assert accept(b'{"score": 1, "output": "a\0b"}').results["output"] == "a\ufffdb"
    found = accepted({"score": 1, "tests": [{"output": "a\0b"}]})
    assert found.problem == ""
    assert found.warnings == ("tests[0].output has NUL in it, which the platform replaces",)


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert accept(b'{"score": 1, "output": "\xff"}').results["output"] == "\ufffd"
