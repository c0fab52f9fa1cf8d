"""The lab with the cases that most tests need: most time of a grading goes into short runs."""

from __future__ import annotations

from collections.abc import Collection

from grader.model.spec.lab import Spec

LEFT_OUT = {
    *("several-pairs", "cycle", "repeats-in-to", "newline", "no-final-newline"),
    *("dash", "brackets", "backslash", "backslash-n", "dashes-in-to", "nul", "ff-inside", "ff-last"),
    *("high-from", "high-to", "from-empty", "to-empty", "no-operand"),
    *("duplicate-adjacent", "duplicate-far", "duplicate-last", "duplicate-inner", "duplicate-first"),
    *("duplicate-second-half", "duplicate-high", "duplicate-kept", "duplicate-longest"),
    *("backslashes-in-to", "octal", "repeat-in-to", "class-in-to", "drawn-special", "drawn-equal"),
    *("drawn-bytes", "drawn-lengths", "drawn-longer", "drawn-duplicate", "drawn-special-duplicate"),
    *("drawn-duplicate-digit", "drawn-duplicate-blank", "drawn-duplicate-control", "drawn-duplicate-delete"),
    *("drawn-equivalence", "drawn-long-option", "drawn-option-1", "drawn-option-2", "drawn-any-option"),
    *("drawn-any-options", "drawn-duplicate-capital", "drawn-duplicate-sign", "single-dash", "dash-in-to"),
    *("letters-as-a-range", "newline-ends-to", "option-like-capital", "to-of-one-byte"),
    *(f"drawn-forms-{number}" for number in range(1, 7)),
    *(f"drawn-forms-in-to-{number}" for number in range(1, 5)),
    *("duplicate-dashes", "duplicate-class", "duplicate-equivalence", "duplicate-backslash"),
    *("duplicate-thrice", "duplicate-pairs", "duplicate-ff", "duplicate-ends"),
    *("drawn-duplicate-80-9f", "drawn-duplicate-a0-fe", "option-like-h", "utf-8", "utf-8-length"),
    *("format-length", "duplicate-format"),
}
"""Cases that differ from others of their check only in what a translation is."""


def few_cases(spec: Spec, left_out: Collection[str] = LEFT_OUT) -> Spec:
    """Return a lab with all its checks, but fewer cases."""
    changed = []
    for item in spec.rubric:
        fields = {"cases", "small"} & set(type(item).model_fields)
        kept = {field: tuple(case for case in getattr(item, field) if case not in left_out) for field in fields}
        assert all(kept.values()), item.name
        changed.append(item.model_copy(update=kept))
    cases = {name: case for name, case in spec.cases.items() if name not in left_out}
    inputs = {name: spec.inputs[name] for name in spec.inputs if name in {case.input for case in cases.values()}}
    return spec.model_copy(update={"rubric": tuple(changed), "cases": cases, "inputs": inputs})
