"""Which outputs are not the reference's, and where they part."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.difference import difference
from grader.model.evidence import Evidence
from grader.model.reference import Reference
from grader.model.report import Difference
from grader.model.spec import Spec


def differences(  # noqa: PLR0913, PLR0917 - what is compared, and what with
    spec: Spec,
    reference: Reference,
    inputs: Mapping[str, bytes],
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
        program, name = step.split(".")[:2]
        case, expected = spec.cases[name], reference.run(program, name)
        if case.expect != "reference-output" or expected is None or run.stdout.sha256 == expected.stdout.sha256:
            continue
        written = fetch(step) if run.stdout.data is None else run.stdout.data
        where = difference(reference.output(expected), written, inputs[case.input], run.stdout.size_bytes)
        if where is not None:
            found[step] = where
            if keep is not None:
                keep(step, written)
    return found
