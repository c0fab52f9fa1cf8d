"""Make the student's copy of a spec: hidden checks are left out, and their number is stated."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

import yaml
from pydantic import ValidationError

from grader.errors import UsageError
from grader.lab.marked_yaml import NUMBER
from grader.model.base import Model
from grader.model.spec.cases import Case
from grader.model.spec.inconsistency import InconsistenciesError
from grader.model.spec.lab import GradescopeSettings, HiddenChecks, Plot, Published, Spec
from grader.model.spec.rubric import CallPatternItem, RubricEntry, TerminalItem

COLUMNS = 100
"""Column after which a line is broken, at the end of the word there."""

HEADING = (
    "# Made by `grader spec publish`. What is run only after you hand in is counted at the end, under published.\n"
)


def student_copy(spec: Spec) -> Spec:
    """Return the spec without what is hidden and what only hidden checks use; a copy is returned as it is.

    Raises:
        UsageError: no check is visible, or a visible one cannot be run without something hidden.
    """
    if spec.published is not None:
        return spec
    rubric = [item for item in spec.rubric if item.visibility == "visible"]
    if not rubric:
        raise UsageError(f"no check of the lab {spec.lab} is visible, so there is nothing to publish")
    has_slice = any(isinstance(item, CallPatternItem) for item in rubric)
    if not has_slice:
        rubric = [_without_waiting_cases(spec, item) for item in rubric]
    rubric = [
        item.model_copy(update={"small": spec.small_cases(item)}) if isinstance(item, CallPatternItem) else item
        for item in rubric
    ]
    named = {case for item in rubric for _, case in item.case_references()}
    cases = {name: case for name, case in spec.cases.items() if name in named}
    if not has_slice:
        cases = {name: _without_slice(name, case, rubric) for name, case in cases.items()}
    inputs = {used for case in cases.values() for _, used in case.inputs()}
    shown = spec.model_copy(update={"rubric": tuple(rubric), "cases": cases})
    return _checked(
        shown.model_copy(
            update={
                "comparisons": tuple(
                    comparison
                    for comparison in spec.comparisons
                    if comparison.case in cases and shown.has_figures(comparison.case)
                ),
                "plots": tuple(_kept_plots(shown)),
                "inputs": {name: declaration for name, declaration in spec.inputs.items() if name in inputs},
                # These are settings for the course system, which never gets the copy.
                "gradescope": GradescopeSettings(),
                # The template's points with hidden checks, which the copy does not have.
                "template_score": None,
                "published": Published(hidden_checks=hidden_checks(spec)),
            }
        )
    )


def _kept_plots(shown: Spec) -> Iterator[Plot]:
    """Yield the plots that still have a line, with the cases that the copy has."""
    for plot in shown.plots:
        left = {case: value for case, value in plot.cases.items() if case in shown.cases and shown.has_figures(case)}
        if len({*left.values()}) > 1:
            yield plot.model_copy(update={"cases": left})


def hidden_checks(spec: Spec) -> dict[str, HiddenChecks]:
    """Return how many checks students do not see, and what they are worth, by program."""
    found = {
        program: [
            item.points[program] for item in spec.rubric if item.visibility != "visible" and program in item.points
        ]
        for program in spec.programs
    }
    return {
        program: HiddenChecks(checks=len(points), points=sum(points)) for program, points in found.items() if points
    }


def left_out(spec: Spec, copy: Spec) -> Mapping[str, tuple[str, ...]]:
    """Return what is in a spec and not in its copy, by kind: ids of checks, names of cases and of inputs."""
    kept = {item.name for item in copy.rubric}
    return {
        "check": tuple(check for check, (_, item) in spec.checks().items() if item.name not in kept),
        "case": tuple(name for name in spec.cases if name not in copy.cases),
        "input": tuple(name for name in spec.inputs if name not in copy.inputs),
    }


def mentions(copy: Spec, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (key path, name) for each text of the copy that has one of these names as a word."""
    for key_path, text in _texts(copy):
        for name in names:
            if is_mentioned(name, text):
                yield key_path, name


def is_mentioned(name: str, text: str) -> bool:
    """Return whether a text has a name as a word."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def spec_yaml(spec: Spec) -> bytes:
    """Return a spec as YAML, from which the same spec can be read; default values are left out."""
    return HEADING.encode("ascii") + model_yaml(spec)


def model_yaml(content: Model) -> bytes:
    """Return a file of a lab as YAML, from which the same can be read; default values are left out."""
    text = yaml.dump(
        content.model_dump(mode="json", exclude_defaults=True, by_alias=True),
        Dumper=_SpecDumper,
        # Put short lists and mappings on one line, as people write them.
        default_flow_style=None,
        width=COLUMNS,
        sort_keys=False,
        allow_unicode=True,
    )
    return text.encode("utf-8")


class _SpecDumper(yaml.SafeDumper):
    """Quotes text that YAML 1.1 or our own reader would not read as text, and shows where its lines end."""

    def choose_scalar_style(self) -> str:
        style = super().choose_scalar_style()
        has_newline = isinstance(self.event, yaml.ScalarEvent) and "\n" in self.event.value
        return '"' if style == "'" and has_newline else style


_SpecDumper.add_implicit_resolver("!number", NUMBER, list("+-.0123456789"))


def _texts(spec: Spec) -> Iterator[tuple[str, str]]:
    yield "title", spec.title
    for name, program in spec.programs.items():
        yield f"programs.{name}.title", program.title
    for item in spec.rubric:
        yield f"the title of {item.name}", item.title
        yield f"the hint of {item.name}", item.hint


def _waits_for_slice(case: Case) -> bool:
    """Return whether the run that decides is made only if a slice promises few calls."""
    return case.when == "cheap" or (case.engine == "none" and case.strace == "when-cheap")


def _without_waiting_cases(spec: Spec, item: RubricEntry) -> RubricEntry:
    """Return a check without the cases that wait for a slice and are only shown."""
    if not isinstance(item, TerminalItem):
        return item
    return item.model_copy(
        update={"shown": tuple(name for name in item.shown if not _waits_for_slice(spec.cases[name]))}
    )


def _without_slice(name: str, case: Case, rubric: Iterable[RubricEntry]) -> Case:
    """Return a case that does not wait for a slice; its run without strace, which decides, stays the same.

    Raises:
        UsageError: the run that decides waits for a slice.
    """
    if not _waits_for_slice(case):
        return case if case.strace != "when-cheap" else case.model_copy(update={"strace": "never"})
    checks = " and ".join(item.name for item in rubric if name in {case for _, case in item.case_references()})
    raise UsageError(
        f"the case {name} (of {checks}) is run only where the slice of a call-pattern check promises few calls, "
        f"and no such check is visible; make one visible, or hide {checks} too"
    )


def _checked(copy: Spec) -> Spec:
    """Return the copy as it will be read from its YAML."""
    try:
        return Spec.model_validate(copy.model_dump(mode="json", exclude_defaults=True, by_alias=True))
    except ValidationError as error:
        causes = [one.get("ctx", {}).get("error") for one in error.errors()]
        messages = [
            str(one) for cause in causes if isinstance(cause, InconsistenciesError) for one in cause.inconsistencies
        ]
        raise UsageError(f"something visible needs something hidden: {'; '.join(messages) or error}") from error
