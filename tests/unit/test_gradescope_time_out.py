from __future__ import annotations

import time

import pytest

from grader.gradescope.time_out import LAST_S, RESERVE_MOST_S, RESERVE_S, VARIABLE, TimeOut, allowed_s, process_age_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("600", 600),
        ("20", 20),
        ("2400.5", 2400.5),
        ("", 77),
        ("soon", 77),
        ("-3", 77),
        ("0", 77),
        ("nan", 77),
        ("inf", 77),
    ],
)
def test_the_platforms_word_counts_where_it_makes_sense(text: str, seconds: float) -> None:
    assert allowed_s({VARIABLE: text}, 77) == seconds


def test_without_a_word_the_labs_time_counts() -> None:
    assert allowed_s({}, 77) == 77


def test_time_counts_from_the_start_of_the_process() -> None:
    age_s = process_age_s()
    time_out = TimeOut(1000)
    assert age_s <= time_out.elapsed_s + 0.1
    assert abs(time_out.elapsed_s - age_s) < 1
    before = time_out.elapsed_s
    time.sleep(0.05)
    assert time_out.elapsed_s >= before + 0.05


@pytest.mark.parametrize(("timeout_s", "reserve_s"), [(20, RESERVE_S), (200, 20), (2400, RESERVE_MOST_S)])
def test_part_of_the_time_is_kept_for_what_comes_after_the_programs(timeout_s: float, reserve_s: float) -> None:
    # The age of a test's process is far more than that of a run on the platform.
    time_out = TimeOut(timeout_s)
    assert time_out.for_programs_s + time_out.elapsed_s == pytest.approx(timeout_s - reserve_s, abs=0.1)
    assert time_out.until_last_s == pytest.approx(max(timeout_s - LAST_S - time_out.elapsed_s, 0.1), abs=0.1)
