"""See whether the files of two programs are exchanged: each passes its failed checks with the source of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.explain.trials import FailingProgram, Fix, Trials
from grader.model.plan import Plan
from grader.model.report import AdvicePart, Check, Report, Symptom
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem, SymbolsItem

Pair = tuple[str, str]
"""The names of two programs."""

ID = "exchanged-files"


def exchanged_programs(trials: Trials, sources: Mapping[str, bytes], report: Report, runs: Plan) -> Pair | None:
    """Return the programs that fail, if these are two that the student has exchanged.

    Raises:
        GraderError: the copies cannot be run.
    """
    spec = trials.lab.spec
    failing = [
        program for program in spec.programs if any(check.status == "failed" for check in _of(report, program))
    ]
    files = {program: sources.get(spec.programs[program].main_source) for program in failing}
    programs = [
        FailingProgram(program, source, report, runs, program)
        for program, source in files.items()
        if source is not None and spec.is_single_c(program) and _may_be_another(spec, report, program)
    ]
    if not len(failing) == len(programs) == 2:  # noqa: PLR2004 - a pair
        return None
    first, second = programs
    is_each = _passes(trials, first, second.source) and _passes(trials, second, first.source)
    return (first.program, second.program) if is_each else None


def _of(report: Report, program: str) -> Sequence[Check]:
    return [check for check in report.checks if check.program == program]


def _may_be_another(spec: Spec, report: Report, program: str) -> bool:
    """Return whether a program calls functions that it must not, or passes nothing but its compilation."""
    of_program = [(check, spec.checks()[check.id][1]) for check in _of(report, program)]
    return any(check.status == "failed" and isinstance(item, SymbolsItem) for check, item in of_program) or not any(
        check.status == "passed" and not isinstance(item, BuildItem) for check, item in of_program
    )


def _passes(trials: Trials, failing: FailingProgram, source: bytes) -> bool:
    """Return whether all failed checks of a program that can be run again pass with another source."""
    if not trials.may_run(failing):
        return False
    trial = trials.on_failed_then_all(failing, Fix(failing.program, source, {}))
    return trial is not None and trial.repairs(trial.run) and not trial.lost


def with_exchanged(report: Report, spec: Spec, pair: Pair) -> Report:
    """Return the report with nothing but this to say of what students see of the two programs."""
    files = [spec.programs[program].main_source for program in pair]
    sentence = (
        f"{files[0]} and {files[1]} seem to be swapped:"
        " each passes the checks that were run again with the content of the other."
    )
    advice = AdvicePart(text=f"Swap the contents of {files[0]} and {files[1]}.")
    checks = {
        program: tuple(
            check.id for check in _of(report, program) if check.status == "failed" and check.visibility == "visible"
        )
        for program in pair
    }
    of_pair = {check for ids in checks.values() for check in ids}

    def without(ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {"checks": tuple(check for check in ids if check not in of_pair)}

    symptoms = (symptom.model_copy(update=without(symptom.checks)) for symptom in report.symptoms)
    causes = (cause.model_copy(update=without(cause.checks)) for cause in report.causes)
    own = (
        Symptom(id=ID, program=name, checks=ids, sentence=sentence).advised(advice) for name, ids in checks.items()
    )
    return report.model_copy(
        update={
            "symptoms": (*own, *(symptom for symptom in symptoms if symptom.checks)),
            "causes": tuple(cause for cause in causes if cause.checks),
            "checks": tuple(
                check.model_copy(update={"hint": advice.text, "cause": None}) if check.id in of_pair else check
                for check in report.checks
            ),
        }
    )
