"""All that was measured, as JSON: every round, and the table's figures in full precision."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from bench.figures import Line, Round
from bench.table import Circumstances


def to_json(circumstances: Circumstances, rounds: Sequence[Round], lines: Sequence[Line]) -> str:
    """Return an object with `circumstances`, `rounds` (costs by key) and `rows`."""
    document = {
        "circumstances": dataclasses.asdict(circumstances),
        "rounds": [{key: dataclasses.asdict(cost) for key, cost in one.items()} for one in rounds],
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
            {**dataclasses.asdict(one.target), "measured_factor": one.factor, "met": one.met} for one in line.outcomes
        ],
    }
