"""Show time figures; they are never judged."""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.model.evidence import Evidence, Exited, RunDone, run_id
from grader.model.lab import Lab
from grader.model.report import Timing, TimingEvidence
from grader.model.spec.rubric import TimingItem


def judge_timing(facts: Facts, program: str, item: TimingItem) -> Outcome:
    """Pass with the figures; skip if the program did not end by itself, because then there are none."""
    run = facts.evidence.run(program, item.case)
    if run is None or not isinstance(run.ending, Exited):
        by_own_fault = facts.left_out_by_own_fault(run_id(program, item.case))
        did_not_end = f"{program} crashed or was stopped on {facts.lab.spec.cases[item.case].judged_input}"
        return Outcome("skipped", by_own_fault or did_not_end)
    own = run.times.real_s
    reference = facts.lab.reference.evidence.run(program, item.case)
    if reference is None:
        return Outcome("passed", f"{own:.3g} s")
    reference_s = reference.times.real_s
    return Outcome(
        "passed",
        f"{own:.3g} s; the reference took {reference_s:.3g} s",
        TimingEvidence(real_s=own, reference_real_s=reference_s),
    )


def timings(lab: Lab, evidence: Evidence) -> tuple[Timing, ...]:
    """Return the time figures of every run that the rubric times."""
    cases = [item.case for item in lab.spec.rubric if isinstance(item, TimingItem)]
    figures = []
    for program in lab.spec.programs:
        for case in cases:
            run = evidence.run(program, case)
            if run is not None and isinstance(run.ending, Exited):
                figures.append(
                    Timing(
                        program=program,
                        input=lab.spec.cases[case].judged_input,
                        case=case,
                        by_case=not lab.spec.is_told_by_input(case),
                        real_s=run.times.real_s,
                        user_s=run.times.user_s,
                        sys_s=run.times.sys_s,
                        correct=_is_correct(lab, program, case, run),
                    )
                )
    return tuple(figures)


def _is_correct(lab: Lab, program: str, case: str, run: RunDone) -> bool | None:
    """Return whether a run wrote what the reference wrote, None if there is nothing to compare it with."""
    if not lab.spec.cases[case].copies_reference or lab.reference.run(program, case) is None:
        return None
    return lab.expected(run) is None
