"""What differs between two versions of a lab, and which checks must be run again because of that (decision 0071)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from grader.batch.result_key import RunRecord
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CallPatternItem, CasesItem, RubricEntry

_SHOWN_ONLY = ("title", "hint", "points", "visibility")
"""Keys of a check that decide no verdict: they are applied to kept reports."""

_KNOWN_KEYS = (
    "title", "programs", "build", "inputs", "cases", "rubric", "comparisons", "plots", "limits", "gradescope",
    "published", "students_see_fixes", "template_score", "operand_names",
)  # fmt: skip
"""Keys of a spec whose changes are understood here. After a change of any other, everything is run."""

_WHOLE_LIMITS = ("build", "processes", "open_files", "cheap_calls")
"""Limits of all programs. Those of runs are compared by case."""


@dataclass(frozen=True)
class LabChanges:
    """The changes from one version of a lab to another, whose spec is `spec`.

    `applied` lists the keys of the spec, and the known bugs, whose changes need no run. `must_run` says, by check,
    why its verdict is not known without running programs. `run_everything` says why nothing of a kept report can be
    used. `unexplained` says, by program, why causes of its failures are not known, although its verdicts are.
    `removed_cases` has, by check, the cases that it no longer has: the results of the others are known.
    """

    old: Spec
    spec: Spec
    lab_digest: str
    applied: tuple[str, ...] = ()
    must_run: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    run_everything: tuple[str, ...] = ()
    unexplained: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    removed_cases: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def old_checks(self) -> Mapping[str, tuple[str, RubricEntry]]:
        """The checks of the old version, as `Spec.checks` returns them."""
        return self.old.checks()

    @cached_property
    def checks(self) -> Mapping[str, tuple[str, RubricEntry]]:
        """The checks of the new version in the order of reports: by program, then as in the rubric."""
        found = self.spec.checks()
        return {
            check: (program, item)
            for own in self.spec.programs
            for check, (program, item) in found.items()
            if program == own
        }

    @cached_property
    def spec_digest(self) -> str:
        """The digest of the new spec."""
        return self.spec.digest()


def compare(old: RunRecord, old_spec: Spec, new: RunRecord, spec: Spec) -> LabChanges:
    """Compare the version that results belong to with the one that they are to get."""
    must_run: dict[str, tuple[str, ...]] = {}
    removed_cases: dict[str, frozenset[str]] = {}
    old_checks = old_spec.checks()
    for check, (program, item) in spec.checks().items():
        if check not in old_checks:
            must_run[check] = ("the check is new",)
            continue
        removed = _removed(old_spec, old_checks[check][1], spec, item)
        before = _basis(old_spec, old, program, old_checks[check][1], removed)
        if removed:
            removed_cases[check] = removed
        if changed := tuple(differences(before, _basis(spec, new, program, item))):
            must_run[check] = changed
            removed_cases.pop(check, None)
    everything = tuple(_reasons_for_everything(old, old_spec, new, spec))
    keys = tuple(differences(_by_name(old_spec), _by_name(spec)))
    needed = {key for reasons in must_run.values() for key in reasons}
    texts = sorted(
        name for name in old.mutants.keys() & new.mutants.keys() if old.mutants[name].texts != new.mutants[name].texts
    )
    return LabChanges(
        old=old_spec,
        spec=spec,
        lab_digest=new.lab_digest,
        applied=(
            *(key for key in keys if not _is_below(key, needed)),
            *(f"text of the known bug {one}" for one in texts),
        ),
        must_run=must_run,
        run_everything=everything,
        unexplained=_unexplained(old, old_spec, new, spec),
        removed_cases=removed_cases,
    )


def _basis(
    spec: Spec, record: RunRecord, program: str, item: RubricEntry, removed: Collection[str] = ()
) -> dict[str, Any]:
    """Return everything of a version that the verdict of a check, and what its report shows, depends on.

    The cases in `removed` are left out.
    """
    small = spec.small_cases(item) if isinstance(item, CallPatternItem) else ()
    if isinstance(item, CasesItem) and removed:
        item = item.model_copy(update={"cases": tuple(case for case in item.cases if case not in removed)})
    of_run = {case for _, case in item.case_references()}
    slices = {one for case in ("", *of_run) if (one := spec.slice_for(program, case)) is not None}
    cases = sorted(of_run | slices)
    limits = spec.limits.model_dump(mode="json")
    about_item = item.model_dump(mode="json", exclude=dict.fromkeys(_SHOWN_ONLY, True))
    return {
        f"rubric.{item.name}": about_item,
        f"programs.{program}": spec.programs[program].model_dump(mode="json", exclude={"title"}),
        "build": spec.build_of(program).model_dump(mode="json"),
        "limits": {name: limits[name] for name in _WHOLE_LIMITS},
        "limits.submission_wall_s": spec.program_wall_s,
        "cases": {
            case: _case_basis(spec, record, case, judged_by_case=isinstance(item, CasesItem)) for case in cases
        },
        "small cases that students see": [case for case in small if case not in removed],
    }


def _case_basis(spec: Spec, record: RunRecord, name: str, *, judged_by_case: bool = False) -> dict[str, Any]:
    case = spec.cases[name]
    # The results of cases say themselves whether they are hidden.
    basis: dict[str, Any] = case.model_dump(
        mode="json", exclude={"hidden"} if judged_by_case else None, by_alias=True
    )
    basis["inputs"] = {
        used: spec.inputs[used].model_dump(mode="json", exclude={"hidden"}) for _, used in case.inputs()
    }
    basis["fixtures"] = {
        path: record.fixtures.get(path) for file in case.files.values() if (path := file.fixture) is not None
    }
    basis["limits of runs"] = {
        engine: spec.limits_for(name, engine).model_dump(mode="json")
        for engine in ("plain", "strace", "strace-count")
    }
    basis["has an input of its own"] = spec.is_told_by_input(name)
    return basis


def _removed(old_spec: Spec, old: RubricEntry, spec: Spec, new: RubricEntry) -> frozenset[str]:
    """Return the cases that a check lost; of a check of calls, the short ones that only decide if they go wrong."""
    match old, new:
        case CasesItem(), CasesItem():
            return frozenset(old.cases) - frozenset(new.cases)
        case CallPatternItem(), CallPatternItem():
            return frozenset(old_spec.small_cases(old)) - frozenset(spec.small_cases(new))
        case _:
            return frozenset()


def _reasons_for_everything(old: RunRecord, old_spec: Spec, new: RunRecord, spec: Spec) -> Iterator[str]:
    """Yield why verdicts of a version say nothing about the other one."""
    files = (("reference", old.reference, new.reference), ("lab", old.provided, new.provided))
    for whose, before, after in files:
        changed = (name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name))
        yield from (f"the {whose}'s {name}" for name in changed)
    for key in old_spec.model_fields_set | spec.model_fields_set:
        if key not in _KNOWN_KEYS and getattr(old_spec, key) != getattr(spec, key):
            yield key
    old_files, new_files = (
        {name: list(one.files) for name, one in each.programs.items()} for each in (old_spec, spec)
    )
    if old_files != new_files:
        # The digest of a submission, and with it the inputs of its own size, depend on its files.
        yield "the files that are handed in"
    if old_spec.limits.source_bytes != spec.limits.source_bytes:
        yield "limits.source_bytes"
    yield from _figures_to_run(old, old_spec, new, spec)


def _figures_to_run(old: RunRecord, old_spec: Spec, new: RunRecord, spec: Spec) -> Iterator[str]:
    """Yield the cases that no check names and whose figures are not known, and plots with points that are not."""
    checked, old_checked = (
        {case for item in one.rubric for _, case in item.case_references()} for one in (spec, old_spec)
    )
    for name, case in spec.cases.items():
        if name in checked or not (case.is_counted or name in _plotted(spec)):
            continue
        if (
            name not in old_spec.cases
            or name in old_checked
            or any(differences(_case_basis(old_spec, old, name), _case_basis(spec, new, name)))
        ):
            yield f"cases.{name}"
    points = {point for plot in old_spec.plots for point in plot.cases}
    for number, plot in enumerate(spec.plots):
        if not points.issuperset(plot.cases):
            yield f"plots.{number}.cases"


def _plotted(spec: Spec) -> set[str]:
    return {case for plot in spec.plots for case in plot.cases}


def _unexplained(old: RunRecord, old_spec: Spec, new: RunRecord, spec: Spec) -> dict[str, tuple[str, ...]]:
    changed = sorted(
        name
        for name in old.mutants.keys() | new.mutants.keys()
        if name not in old.mutants
        or name not in new.mutants
        or old.mutants[name].behaviour != new.mutants[name].behaviour
    )
    reasons = [f"the known bug {name}" for name in changed]
    if old_spec.operand_names != spec.operand_names:
        reasons.append("operand_names, which sentences about failures have")
    found = {program: [*reasons] for program in spec.programs}
    old_checks = old_spec.checks()
    for check, (program, item) in spec.checks().items():
        # Checks without points count as undecided when causes are looked for.
        if check in old_checks and bool(old_checks[check][1].points[program]) != bool(item.points[program]):
            found[program].append(f"rubric.{item.name}.points.{program}")
    return {program: tuple(reasons) for program, reasons in found.items() if reasons}


def _by_name(spec: Spec) -> dict[str, Any]:
    """Return a spec as keys and values, with checks by their names."""
    document: dict[str, Any] = spec.model_dump(mode="json", by_alias=True)
    document["rubric"] = {item["name"]: item for item in document["rubric"]}
    return document


def differences(old: object, new: object, path: str = "") -> Iterator[str]:
    """Yield the paths of what differs between two values of JSON; of what is new or gone, that of the whole."""
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping) and (old.keys() & new.keys()):
        for key in [*old, *(key for key in new if key not in old)]:
            below = f"{path}.{key}" if path else str(key)
            if key in old and key in new:
                yield from differences(old[key], new[key], below)
            else:
                yield below
    else:
        yield path


def _is_below(key: str, paths: Collection[str]) -> bool:
    return any(key == path or key.startswith(f"{path}.") or path.startswith(f"{key}.") for path in paths)
