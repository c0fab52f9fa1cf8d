from __future__ import annotations

import math

import pytest

from bench.figures import NO_COST, Cost, Row, Target, line, scaled
from bench.machine import busy_s
from bench.rounds import Step, alone_key, one_round, rotated

ROUNDS = [
    {"alone": Cost(1.0, 2.0), "other": Cost(3.0, 3.0, 300)},
    {"alone": Cost(2.0, 4.0), "other": Cost(4.0, 5.0, 500)},
    {"alone": Cost(4.0, 5.0), "other": Cost(5.0, 25.0, 400)},
]


def test_costs_add_up() -> None:
    assert NO_COST + Cost(1.0, 2.0) + Cost(0.5, 4.0, 77) == Cost(1.5, 6.0)
    assert Cost(1.5, 6.0) - Cost(0.5, 4.0) == Cost(1.0, 2.0)
    assert Cost(1.5, 6.0).times(2) == Cost(3.0, 12.0)


def test_scaling_leaves_out_what_the_start_costs() -> None:
    start, a_byte, size_bytes = 0.5, 0.001, 5_000_000
    part = Cost(start + 100 * a_byte, start + 100 * 2 * a_byte)
    whole = scaled(Cost(start, start), part, 100, size_bytes)
    assert math.isclose(whole.cpu_s, start + size_bytes * a_byte)
    assert math.isclose(whole.wall_s, start + size_bytes * 2 * a_byte)


def test_seconds_are_medians_and_memory_is_the_most() -> None:
    assert line(Row("other", ""), ROUNDS).cost == Cost(4.0, 5.0, 500)
    assert line(Row("alone", ""), ROUNDS).cost == Cost(2.0, 4.0)


def test_ratios_are_medians_of_the_rounds_own_ratios() -> None:
    # CPU: 3, 2 and 1.25; wall: 1.5, 1.25 and 5. Ratios of the medians would be 2 and 1.25.
    assert line(Row("other", "", "alone"), ROUNDS).ratios == {"cpu": 2.0, "wall": 1.5}
    assert line(Row("other", "", "alone", measures=("cpu",)), ROUNDS).ratios == {"cpu": 2.0}
    assert line(Row("other", ""), ROUNDS).ratios == {}


@pytest.mark.parametrize(
    ("target", "factor", "met"),
    [
        (Target("cpu", 2.0), 2.0, True),
        (Target("cpu", 1.99), 2.0, False),
        # The second of less, in each round, before it is divided: 1, 1 and 4.8.
        (Target("wall", 1.0, plus_s=1.0), 1.0, True),
        (Target("wall", 0.9, plus_s=1.0), 1.0, False),
    ],
)
def test_a_target_is_a_factor_after_its_seconds_are_taken_off(target: Target, factor: float, met: bool) -> None:  # noqa: FBT001
    (outcome,) = line(Row("other", "", "alone", (target,)), ROUNDS).outcomes
    assert outcome.factor == factor
    assert outcome.met == met


def test_the_machine_is_busy_with_all_but_waiting() -> None:
    #            user nice system idle iowait irq softirq steal guest guest_nice
    stat = "cpu  1000 200 30 7777 7777 4 5 7777 600 77\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
    assert busy_s(stat, ticks_per_s=100) == (1000 + 200 + 30 + 4 + 5) / 100


def test_each_round_begins_elsewhere() -> None:
    steps = [Step(name, dict) for name in "abc"]
    orders = ["".join(step.title for step in rotated(steps, number)) for number in range(4)]
    assert orders == ["abc", "bca", "cab", "abc"]


def test_a_round_sums_up_the_programs_alone_and_what_is_around_them() -> None:
    keys = [alone_key(program, case) for program in ("tr2b", "tr2u") for case in ("random-5m", "pattern-5m")]
    costs = {key: Cost(float(number), float(2 * number)) for number, key in enumerate(keys)}
    alone = Cost(float(sum(range(4))), float(2 * sum(range(4))))
    steps = [Step("programs", lambda: costs), Step("grading", lambda: {"grading": alone + Cost(1.0, 1.5)})]
    said: list[str] = []
    results = one_round(keys, steps, said.append)
    assert results["alone"] == alone
    assert results["around"] == Cost(1.0, 1.5)
    assert said == ["programs", "grading"]
    assert "around" not in one_round(keys, steps[:1], said.append)
