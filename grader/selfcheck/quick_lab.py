"""The quick form of a lab: large inputs are cut, so that a check takes seconds."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.spec.cases import Input, LiteralInput, RandomInput
from grader.model.spec.lab import Spec
from grader.model.spec.programs import Limits, RunLimits

QUICK_BYTES = 65_536
"""Sixteen times stdio's buffer: bugs of buffers and counts show, and each mutant gets its full-size verdict."""

NOTE = (
    f"With --quick, inputs are cut to {QUICK_BYTES:,} bytes. Before you hand in, check without it, as for the grade."
)


def quick_form(spec: Spec) -> Spec:
    """Return the lab with its large inputs cut to `QUICK_BYTES`, and its limits in proportion.

    Rubric, cases and patterns of calls stay. A text that names the size of an input names the new one.
    """
    inputs = {name: _cut(declaration) for name, declaration in spec.inputs.items()}
    sizes = {_size(spec.inputs[name]) for name in inputs if inputs[name] != spec.inputs[name]}
    if not sizes:
        return spec
    share = QUICK_BYTES / max(sizes)
    return spec.cut_to(
        QUICK_BYTES,
        {
            "inputs": inputs,
            "rubric": tuple(
                item.model_copy(update={"title": _renamed(item.title, sizes), "hint": _renamed(item.hint, sizes)})
                for item in spec.rubric
            ),
            "limits": _limits(spec.limits, share),
        },
    )


def looks_the_same(spec: Spec) -> bool:
    """Return whether known bugs look the same in the quick form: only if the small inputs are not cut."""
    small = {used for case in spec.cases.values() if case.limits == "small" for _, used in case.inputs()}
    return all(_size(spec.inputs[name]) <= QUICK_BYTES for name in small)


def _cut(declaration: Input) -> Input:
    """Return the beginning of an input, which is no longer whatever is drawn."""
    if isinstance(declaration, LiteralInput):
        return declaration.model_copy(update={"data": declaration.data[:QUICK_BYTES]})
    changes = {"size_bytes": min(declaration.size_bytes, QUICK_BYTES)}
    if isinstance(declaration, RandomInput) and declaration.most_bytes is not None:
        changes["most_bytes"] = min(declaration.most_bytes, QUICK_BYTES)
    return declaration.model_copy(update=changes)


def _size(declaration: Input) -> int:
    return len(declaration.data) if isinstance(declaration, LiteralInput) else declaration.size_bytes


def _renamed(words: str, sizes: set[int]) -> str:
    for size in sizes:
        words = words.replace(f"{size:,}", f"{QUICK_BYTES:,}")
    return words


def _limits(limits: Limits, share: float) -> Limits:
    """Return the limits in proportion, so that the same runs are logged as at full size."""
    full = _smaller(limits.full, limits.small, share)
    # The limits of short runs and those for strace stay: programs would pass or fail by the load of the machine. Runs
    # that do not end are stopped early by the guest, which knows whether they had a CPU.
    return limits.model_copy(update={"full": full, "cheap_calls": max(1, int(limits.cheap_calls * share))})


def _smaller(full: RunLimits, small: RunLimits, share: float) -> RunLimits:
    """Return the limits of a full-size run in proportion to its input, at least those of a small one."""
    most: Mapping[str, int | float] = {
        "cpu_s": max(small.cpu_s, int(full.cpu_s * share)),
        "wall_s": max(small.wall_s, full.wall_s * share),
        "output_bytes": max(small.output_bytes, int(full.output_bytes * share)),
    }
    return full.model_copy(update=most)
