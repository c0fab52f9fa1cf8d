"""What the platform makes of results.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.gradescope.schema import LeaderboardRow, Results, TestResult
from grader.gradescope.simulator.platform import (
    CUT_MARK,
    FAILED,
    NO_RESULTS,
    OUTPUT_CHARS,
    AcceptedResults,
    accept,
    cut,
)


def taken(results: object) -> AcceptedResults:
    return accept(json.dumps(results).encode())


def test_results_are_taken_as_they_are() -> None:
    results = {"score": 1.5, "tests": [{"name": "a", "score": 1, "max_score": 2, "status": "failed"}], "output": "hm"}
    assert taken(results) == AcceptedResults(results)


def test_what_our_own_model_writes_is_right() -> None:
    row = LeaderboardRow(name="seconds", value=1.5, order="asc")
    one = TestResult(name="tr2b", number="1.1", score=1, max_score=2, status="passed", output="**yes**", tags=("x",))
    written = Results(score=1, execution_time=2, output="words", tests=(one,), leaderboard=(row,)).to_json()
    found = accept(written)
    assert (found.problem, found.mistakes, found.warnings) == ("", (), ())
    assert found.results == json.loads(written)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (None, "there is no results.json"),
        (b"", "results.json is no JSON: "),
        (b'{"score": 1', "results.json is no JSON: "),
        (b'{"score": NaN}', "NaN is no number"),
        (b'{"score": -Infinity}', "-Infinity is no number"),
        (b"[1]", "results.json is not an object"),
        (b'"a text"', "results.json is not an object"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_where_there_are_none_the_platform_says_that_the_autograder_failed(raw: bytes | None, says: str) -> None:
    found = accept(raw)
    assert found.results == NO_RESULTS == {"score": 0, "output": FAILED}
    assert says in found.problem
    assert found.notice.endswith((raw or b"").decode())
    assert bool(found.notice) == (raw is not None)


@pytest.mark.parametrize("results", [{}, {"output": "a fault"}, {"output": "a fault", "tests": []}])
def test_without_a_score_and_without_tests_there_is_no_grade(results: dict[str, Any]) -> None:
    found = taken(results)
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
    found = taken({"score": 1, **changes})
    assert len(found.mistakes) == 1
    assert found.mistakes[0].startswith(f"{place}: ")
    assert found.mistakes[0] in found.problem


def test_unknown_fields_are_told_and_do_no_harm() -> None:
    found = taken(
        {"score": 1, "grade": 2, "tests": [{"points": 1}], "leaderboard": [{"name": "s", "value": "*", "x": 0}]}
    )
    assert found.problem == ""
    assert found.warnings == tuple(
        f"{place} is unknown to the platform" for place in ("grade", "tests[0].points", "leaderboard[0].x")
    )


def test_an_output_at_the_limit_is_whole_and_one_above_it_is_cut_in_its_middle() -> None:
    whole = "a" * OUTPUT_CHARS
    assert cut(whole) == whole
    long = "b" * OUTPUT_CHARS + "c"
    half = (OUTPUT_CHARS - len(CUT_MARK)) // 2
    assert cut(long) == "b" * half + CUT_MARK + "b" * (half - 1) + "c"
    assert OUTPUT_CHARS - 1 <= len(cut(long)) <= OUTPUT_CHARS


def test_each_output_is_cut_by_itself_and_told() -> None:
    long, short = "x" * (OUTPUT_CHARS + 1), "y" * OUTPUT_CHARS
    found = taken({"score": 1, "output": long, "tests": [{"output": short}, {"output": long}]})
    assert found.results["output"] == found.results["tests"][1]["output"] == cut(long)
    assert found.results["tests"][0]["output"] == short
    assert found.warnings == tuple(
        f"{place} has 100,001 characters and is cut in its middle" for place in ("output", "tests[1].output")
    )


@pytest.mark.parametrize("raw", [b'{"score": 1, "output": "a\\u0000b"}', b'{"score": 1, "output": "a\0b"}'])
def test_nul_is_replaced_and_told(raw: bytes) -> None:
    found = accept(raw)
    assert found.results["output"] == "a\ufffdb"
    assert any("NUL" in warning for warning in found.warnings)


def test_nul_is_replaced_wherever_it_is() -> None:
    found = taken({"score": 1, "extra_data": {"k\0": ["\0", {"n": "\0"}]}})
    assert found.results["extra_data"] == {"k\ufffd": ["\ufffd", {"n": "\ufffd"}]}


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert accept(b'{"score": 1, "output": "\xff"}').results["output"] == "\ufffd"
