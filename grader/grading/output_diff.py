"""Which outputs are not the reference's, and where they part."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.judge.lab import Lab
from grader.model.evidence import Evidence
from grader.model.report import Difference


def differences(
    lab: Lab,
    evidence: Evidence,
    fetch: Callable[[str], bytes],
    keep: Callable[[str, bytes], None] | None = None,
) -> Mapping[str, Difference]:
    """Return where each run's output parts from the reference's, by step.

    Only where hashes differ are the bytes looked at, one run at a time; `fetch` gets those of a step that did not
    send them along, and `keep` is shown the whole of each.
    """
    found = {}
    for step, run in evidence.runs.items():
        expected = lab.expected(run)
        if expected is None:
            continue
        written = fetch(step) if run.stdout.data is None else run.stdout.data
        where = lab.difference(run, expected, written)
        if where is not None:
            found[step] = where
            if keep is not None:
                keep(step, written)
    return found
