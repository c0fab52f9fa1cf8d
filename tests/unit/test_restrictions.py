"""What is said of failed cases in which the grader refused a call, or in which a limit was reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.diagnose.behaviour.restrictions import refused
from grader.errors import SandboxError
from grader.explain import restriction_search
from grader.explain.restriction_search import MORE, MOST_CASES, STOP_S, _programs
from grader.explain.second_run import NEEDED_S
from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import ReferenceCaseError
from grader.model.evidence import Evidence, RunDone, Times
from grader.model.report import CallsEvidence, CaseResult, CasesEvidence, Check, Report
from grader.options import GradeOptions, TimeLeft
from grader.render.views.problems import problems
from grader.sandbox.base import Job, ProgressEvent
from grader.sandbox.guest_files import GUEST

from .facts import CRASH, FAILURE, LAB, SUBMISSION, TOOLCHAIN, build, captured, evidence, limit, run, trace
from .lab import INPUTS, SPEC
from .render import factory
from .sandboxes import FakeSandbox, events_of
from .test_reference_run import FakeReference

WRONG = {"many.copy": run("many.copy", b"wrong")}
SMALL = SPEC.limits.small


def again(
    job: Job, seen: Mapping[str, Mapping[str, object]], with_more: Mapping[str, RunDone]
) -> list[ProgressEvent]:
    """What a guest sees when cases are run again: `seen` in their traces, and `with_more` memory."""
    builds = [build("many").model_copy(update={"program": step.program}) for step in job.plan.builds]
    runs = []
    for step in job.plan.runs:
        name = step.id.replace("_restricted", "")
        assert step.limits_only
        if step.limits.memory_bytes == SMALL.memory_bytes:
            seen_here = trace(None, None).model_copy(update=dict(seen.get(name, {})))
            runs.append(run(step.id, b"wrong", trace=seen_here))
        else:
            assert step.limits.memory_bytes == MORE * SMALL.memory_bytes
            runs.append(with_more[name].model_copy(update={"step": step.id}))
    return [TOOLCHAIN, *builds, *runs]


def graded(
    found: Evidence,
    seen: Mapping[str, Mapping[str, object]],
    with_more: Mapping[str, RunDone] | None = None,
    options: GradeOptions | None = None,
) -> tuple[Report, FakeSandbox]:
    sandbox = FakeSandbox(lambda _job: events_of(found), limit_script=lambda job: again(job, seen, with_more or {}))
    return grade(GradingContext(LAB, sandbox), SUBMISSION, options or GradeOptions()), sandbox


def failed(report: Report) -> Check:
    (check,) = (one for one in report.checks if one.status == "failed")
    return check


def commands(check: Check) -> list[str]:
    assert isinstance(check.evidence, CasesEvidence)
    return [case.repeat for case in check.evidence.cases if not case.passed]


def test_nothing_is_run_again_if_nothing_failed() -> None:
    assert graded(evidence(), {})[1].limit_jobs == []


def test_a_refused_call_is_all_that_is_said() -> None:
    plain, _ = graded(evidence(WRONG), {})
    report, sandbox = graded(evidence(WRONG), {"many.copy": {"refused": ("setpgid", "rt_sigaction")}})
    (symptom,) = report.symptoms
    assert symptom.id == "refused-calls"
    for words in ("setpgid and sigaction(SIGCHLD)", "docs/isolation.md", "in the case copy"):
        assert words in symptom.sentence
    assert failed(report).message == failed(plain).message
    assert failed(report).hint == symptom.advice
    assert (commands(failed(report)), any(commands(failed(plain)))) == ([""], True)
    assert (report.score, report.findings, sandbox.checker_jobs) == (plain.score, (), [])
    (restriction,) = report.restrictions
    assert (restriction.calls, restriction.cases) == (("setpgid", "sigaction(SIGCHLD)"), ("copy",))
    (problem,) = problems(report)
    assert problem.demonstration is None


@pytest.mark.parametrize(
    ("reached", "key", "value"),
    [
        ("processes", "limits.processes", f"{SPEC.limits.processes} processes"),
        ("open_files", "limits.open_files", f"{SPEC.limits.open_files} open files"),
        ("file_size", "limits.small.output_bytes", f"{SMALL.output_bytes:,} bytes in one file"),
        ("cpu_time", "limits.small.cpu_s", f"{SMALL.cpu_s} s of computing"),
        ("memory", "limits.small.memory_bytes", f"{SMALL.memory_bytes:,} bytes of address space"),
    ],
)
def test_a_limit_is_named_with_its_key_and_value(reached: str, key: str, value: str) -> None:
    with_more = {"many.copy": run("many.copy", b"another")}
    report, _ = graded(evidence(WRONG), {"many.copy": {"limits_reached": (reached,)}}, with_more)
    (symptom,) = report.symptoms
    assert (symptom.id, report.restrictions[0].limit) == ("limit-reached", key)
    assert f"{key} ({value})" in symptom.sentence
    assert "may be why" in symptom.sentence
    assert key in symptom.advice


def test_a_limit_of_the_grader_is_named_without_a_key() -> None:
    report, _ = graded(evidence(WRONG), {"many.copy": {"limits_reached": ("locked_memory",)}})
    (symptom,) = report.symptoms
    assert "the grader's limit of locked memory (65,536 bytes)" in symptom.sentence
    assert "a higher" not in symptom.advice


@pytest.mark.parametrize(
    ("user_s", "ending", "limits"),
    [
        (SMALL.cpu_s + 0.01, "wall", ["limits.small.cpu_s"]),
        (SMALL.cpu_s - 0.5, "wall", []),
        (SMALL.cpu_s + 0.01, None, []),
    ],
)
def test_a_program_that_went_on_after_its_last_second(user_s: float, ending: str | None, limits: list[str]) -> None:
    """The run that would show it may be stopped before. Of several processes each may take less."""
    times = Times(real_s=9.0, user_s=user_s, sys_s=0.0)
    wrong = evidence({"many.copy": run("many.copy", b"wrong", times=times)})

    def stopped(job: Job) -> list[ProgressEvent]:
        events = again(job, {}, {})
        return [
            one.model_copy(update={"ending": limit("wall")}) if ending and isinstance(one, RunDone) else one
            for one in events
        ]

    sandbox = FakeSandbox(lambda _job: events_of(wrong), limit_script=stopped)
    report = grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions())
    assert [one.limit for one in report.restrictions] == limits


def test_with_more_memory_a_right_program_is_known_to_be_right() -> None:
    right = evidence().runs["many.copy"]
    report, _ = graded(evidence(WRONG), {"many.copy": {"limits_reached": ("memory",)}}, {"many.copy": right})
    assert report.restrictions[0].passes
    assert "with more, it is right in the case copy" in report.symptoms[0].sentence


def test_memory_that_would_not_have_helped_is_not_the_reason() -> None:
    report, sandbox = graded(evidence(WRONG), {"many.copy": {"limits_reached": ("memory",)}}, WRONG)
    assert report.restrictions == ()
    assert "limit-reached" not in {symptom.id for symptom in report.symptoms}
    assert len(sandbox.limit_jobs) == 2


def test_what_is_reached_with_more_memory_is_named_as_well() -> None:
    """A hundred threads need memory for their stacks first, and then more processes than there may be."""
    memory: Mapping[str, Mapping[str, object]] = {"many.copy": {"limits_reached": ("memory",)}}
    for output in (b"wrong", b"also wrong"):
        later = trace(None, None).model_copy(update={"limits_reached": ("processes",)})
        report, _ = graded(evidence(WRONG), memory, {"many.copy": run("many.copy", output, trace=later)})
        assert [one.limit for one in report.restrictions] == ["limits.small.memory_bytes", "limits.processes"]
        first, second = report.symptoms
        assert "many reached limits.small.memory_bytes" in first.sentence
        assert second.sentence.startswith("With a higher limits.small.memory_bytes, many reaches limits.processes (")
        assert "limits.processes" in second.advice


def test_memory_that_was_not_enough_either_is_not_the_reason() -> None:
    memory: Mapping[str, Mapping[str, object]] = {"many.copy": {"limits_reached": ("memory",)}}
    later = trace(None, None).model_copy(update={"limits_reached": ("memory", "processes")})
    report, _ = graded(evidence(WRONG), memory, {"many.copy": run("many.copy", b"wrong", trace=later)})
    assert report.restrictions == ()


def test_memory_is_the_reason_if_more_makes_a_case_right_although_another_does_without() -> None:
    right, found = evidence().runs["many.copy"], evidence(WRONG)
    (job, *_) = graded(found, {})[1].limit_jobs
    (passing,) = [step.id.replace("_restricted", "") for step in job.plan.runs if step.id != "many_restricted.copy"]
    reached: Mapping[str, object] = {"limits_reached": ("memory",)}
    report, _ = graded(found, {"many.copy": reached, passing: reached}, {"many.copy": right})
    assert [one.passes for one in report.restrictions] == [True]


def test_a_refused_handler_may_be_the_reason_although_another_case_passes() -> None:
    found = evidence(WRONG)
    (job, *_) = graded(found, {})[1].limit_jobs
    seen: Mapping[str, object] = {"refused": ("rt_sigaction", "setsid")}
    runs = {step.id.replace("_restricted", ""): seen for step in job.plan.runs}
    assert graded(found, runs)[0].restrictions[0].calls == ("sigaction(SIGCHLD)",)


def test_what_right_cases_do_as_well_is_not_the_reason() -> None:
    found = evidence(WRONG)
    (job, *_) = graded(found, {})[1].limit_jobs
    passing = [step.id.replace("_restricted", "") for step in job.plan.runs if step.id != "many_restricted.copy"]
    assert len(passing) == 1
    usual: Mapping[str, object] = {"refused": ("setsid",)}
    assert graded(found, {"many.copy": usual, passing[0]: usual})[0].restrictions == ()
    # Another call may be it.
    more: Mapping[str, Mapping[str, object]] = {"many.copy": {"refused": ("setsid", "socket")}, passing[0]: usual}
    assert graded(found, more)[0].restrictions[0].calls == ("socket",)


def test_a_case_that_passes_with_an_error_is_no_reason_to_believe_in_another_one() -> None:
    """Where an error is expected, a program that reports what was refused passes."""
    error = run("", ending=FAILURE, stderr=captured(b"no socket"))
    runs = {step: error.model_copy(update={"step": step}) for step in evidence().runs if step.startswith("many.")}
    seen: Mapping[str, object] = {"refused": ("socket",)}
    report, _ = graded(evidence(runs), dict.fromkeys(runs, seen))
    assert any(check.status == "passed" for check in report.checks if check.program == "many")
    assert [restriction.calls for restriction in report.restrictions] == [("socket",)]


def test_calls_of_a_program_that_fails_no_other_case_are_not_explained_either() -> None:
    error = run("", ending=FAILURE, stderr=captured(b"no socket"))
    runs = {step: error.model_copy(update={"step": step}) for step in evidence().runs if step.startswith("many.")}
    report, _ = graded(evidence(runs), {step: {"refused": ("socket",)} for step in runs})
    judged, _ = graded(evidence(runs), {})
    lost = [check.id for check in judged.checks if check.status == "failed"]
    assert any(isinstance(check.evidence, CallsEvidence) for check in judged.checks if check.id in lost)
    assert [check.id for check in report.checks if check.status == "failed"] == lost
    (symptom,) = report.symptoms
    assert sorted(symptom.checks) == sorted(lost)
    assert report.causes == ()


def test_a_case_of_another_reason_is_explained_as_before() -> None:
    found = evidence({**WRONG, "many.piped": run("many.piped", ending=CRASH)})
    report, _ = graded(found, {"many.copy": {"refused": ("socket",)}})
    assert {symptom.id: symptom.cases for symptom in report.symptoms} == {
        "refused-calls": ("copy",),
        "crashes": ("piped",),
    }
    assert failed(report).evidence == CasesEvidence(
        cases=tuple(
            case.model_copy(update={"repeat": ""}) if case.case == "copy" else case
            for case in _cases(graded(found, {})[0])
        )
    )


def _cases(report: Report) -> tuple[CaseResult, ...]:
    evidence = failed(report).evidence
    assert isinstance(evidence, CasesEvidence)
    return evidence.cases


def test_of_runs_that_did_not_end_one_is_run_again_for_a_short_time() -> None:
    endless = {step: run(step, ending=limit("wall")) for step in ("many.copy", "many.piped")}
    _, sandbox = graded(evidence(endless), {})
    (job,) = sandbox.limit_jobs
    hung = [step for step in job.plan.runs if step.id.replace("_restricted", "") in endless]
    assert len(hung) == 1
    assert hung[0].limits.wall_s <= STOP_S
    assert len(job.plan.runs) <= MOST_CASES + 2


def test_a_guest_that_fails_leaves_the_explanation_and_a_note() -> None:
    def broken(_job: Job) -> list[ProgressEvent | Exception]:
        return [SandboxError("the machine burns")]

    sandbox = FakeSandbox(lambda _job: events_of(evidence(WRONG)), limit_script=broken)
    report = grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions())
    assert any("the machine burns" in note for note in report.notes)
    assert report.symptoms


def test_nothing_is_run_again_if_the_deadline_is_near_which_is_said() -> None:
    options = GradeOptions(time_left=TimeLeft(NEEDED_S - 1))
    report, sandbox = graded(evidence(WRONG), {}, options=options)
    assert sandbox.limit_jobs == []
    assert "the grader had no time left to see whether it refused something" in report.notes


def test_of_long_cases_one_is_run_again_if_no_short_one_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restriction_search, "SMALL_BYTES", 0)
    report, sandbox = graded(evidence(WRONG), {"many.copy": {"refused": ("socket",)}})
    (job,) = sandbox.limit_jobs
    assert [step.id for step in job.plan.runs] == ["many_restricted.copy"]
    assert report.restrictions[0].calls == ("socket",)


def test_a_reference_that_fails_says_what_was_refused(tmp_path: Path) -> None:
    solution = tmp_path / "solution"
    solution.mkdir()
    for program in SPEC.programs:
        (solution / f"{program}.c").write_bytes(b"int main;")
    model = FakeReference(solution)
    place = model.showing(evidence({"single.copy": run("single.copy", INPUTS["text"], ending=FAILURE)}))
    place.limit_script = lambda job: again(job, {"single.copy": {"refused": ("shmget",)}}, {})
    with pytest.raises(ReferenceCaseError, match=r"exit status is 1; single: the grader refuses shmget to every"):
        model.obtain()


def test_a_run_without_a_tracer_shows_nothing() -> None:
    def untraced(job: Job) -> list[ProgressEvent]:
        return [TOOLCHAIN, *(run(step.id, stderr=captured(b"")) for step in job.plan.runs)]

    sandbox = FakeSandbox(lambda _job: events_of(evidence(WRONG)), limit_script=untraced)
    assert grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions()).restrictions == ()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("clone CLONE_UNTRACED", "clone(CLONE_UNTRACED)"),
        ("prctl PR_SET_DUMPABLE", "prctl(PR_SET_DUMPABLE)"),
        ("ioctl FICLONERANGE", "ioctl(FICLONERANGE)"),
        ("socketpair not-AF_UNIX", "socketpair with other domains than AF_UNIX"),
        ("syscall_unknown foreign", "system calls of another architecture, such as int 0x80"),
        ("openat stream", "opening a standard stream again, as by /dev/stdout or /dev/stderr"),
        ("rt_sigaction", "sigaction(SIGCHLD)"),
        ("setpgid", "setpgid"),
    ],
)
def test_what_is_refused_is_named_as_tally_saw_it(call: str, words: str) -> None:
    assert refused("many", [call], ("copy",)).calls == (words,)


def test_what_is_refused_by_what_is_around_a_program_is_said_in_words() -> None:
    table = (GUEST / "tally" / "calls.c").read_text(encoding="ascii")
    kinds = re.findall(r'\] = " (\w+)"', table)
    assert {"outside", "terminal"} <= {*kinds}
    for kind in kinds:
        (words,) = refused("many", [f"openat {kind}", f"mkdir {kind}"], ("copy",)).calls
        assert not {"openat", "mkdir", kind} & {words}


@pytest.mark.parametrize(("input_size_bytes", "compared"), [(0, []), (53, ["empty"])])
def test_what_passed_without_input_does_not_show_what_other_cases_may_do(
    input_size_bytes: int, compared: list[str]
) -> None:
    """With nothing to copy, a program may not need what was refused."""
    success = {"kind": "exited", "code": 0}
    cases = (
        factory.case("empty", input_size_bytes=input_size_bytes, ending=success),
        factory.failed_case("swap", ending=success),
    )
    report: Any = SimpleNamespace(checks=(factory.check("tr2u.text", "failed", evidence=CasesEvidence(cases=cases)),))
    steps: Any = [SimpleNamespace(id=f"tr2u.{case}") for case in ("empty", "swap")]
    [program] = _programs(report, steps)
    assert [*program.passed] == compared
