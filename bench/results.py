"""All measurements as JSON: every round, and the figures of the table in full precision."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from bench.figures import Line, Round
from bench.table import Conditions


def to_json(conditions: Conditions, rounds: Sequence[Round], lines: Sequence[Line]) -> str:
    """Return an object with `conditions`, `rounds` (costs by key) and `rows`."""
    document = {
        "conditions": dataclasses.asdict(conditions),
        "rounds": [{key: dataclasses.asdict(cost) for key, cost in costs.items()} for costs in rounds],
        "rows": [_row(line) for line in lines],
    }
    return json.dumps(document, indent=1) + "\n"


def _row(line: Line) -> dict[str, Any]:
    return {
        "key": line.row.key,
        "title": line.row.title,
        "compared_with": line.row.base,
        **dataclasses.asdict(line.cost),
        "cpu_ratio": line.ratios.get("cpu"),
        "wall_ratio": line.ratios.get("wall"),
        "targets": [
            {**dataclasses.asdict(outcome.target), "measured_factor": outcome.factor, "met": outcome.met}
            for outcome in line.outcomes
        ],
    }
