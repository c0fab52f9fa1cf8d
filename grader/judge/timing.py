"""Show time figures; they are never judged."""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.model.evidence import Evidence, Exited, run_id
from grader.model.report import Timing, TimingEvidence
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import TimingItem


def judge_timing(facts: Facts, program: str, item: TimingItem) -> Outcome:
    """Pass with the figures; skip if the program did not end by itself, because then there are none."""
    run = facts.evidence.run(program, item.case)
    if run is None or not isinstance(run.ending, Exited):
        by_own_fault = facts.left_out_by_own_fault(run_id(program, item.case))
        did_not_end = f"{program} crashed or was stopped on {facts.lab.spec.cases[item.case].input}"
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


def timings(spec: Spec, evidence: Evidence) -> tuple[Timing, ...]:
    """Return the time figures of every run that the rubric times."""
    cases = [item.case for item in spec.rubric if isinstance(item, TimingItem)]
    figures = []
    for program in spec.programs:
        for case in cases:
            run = evidence.run(program, case)
            if run is not None and isinstance(run.ending, Exited):
                figures.append(
                    Timing(
                        program=program,
                        input=spec.cases[case].input,
                        real_s=run.times.real_s,
                        user_s=run.times.user_s,
                        sys_s=run.times.sys_s,
                    )
                )
    return tuple(figures)
