"""Which failing cases are run again under checkers of memory, and what becomes of what these say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from grader.errors import SandboxError
from grader.explain.second_run import NEEDED_S
from grader.explain.suspects import CHECKED_CASES, suspects
from grader.grading.pipeline import GradingContext, grade
from grader.grading.plan_builder import build_plan
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut
from grader.model.report import Cause, Proof, Report, Symptom
from grader.model.submission import Source, Submission
from grader.options import GradeOptions, TimeLeft
from grader.render.views.visible_checks import part
from grader.sandbox.base import Job, ProgressEvent

from .facts import CRASH, FAILURE, LAB, SUBMISSION, SUCCESS, TOOLCHAIN, captured, evidence, limit, run, trace
from .lab import INPUTS, SPEC
from .sandboxes import FakeSandbox, Recorder, events_of

WRONG = run("many.copy", b"wrong")
CRASHED = run("many.copy", ending=CRASH)
ASAN = b"""\
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 1 at 0x602000000010 thread T0
    #0 0x401580 in main /work/sources/many.c:2
"""
NULL = b"==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x1 bp 0x2 sp 0x3 T0)\n"
VALGRIND = b"""\
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x109272: main (many.c:3)
"""
LONG = Submission("ada", {name: Source(b"int main(void)\n{\n}\n") for name in SPEC.programs})


WITH_HIDDEN = SPEC.model_copy(
    update={
        "rubric": tuple(
            item.model_copy(update={"visibility": "hidden"}) if item.name == "either" else item
            for item in SPEC.rubric
        )
    }
)


def checked(job: Job, said: dict[str, bytes], build: BuildDone | None = None) -> list[ProgressEvent]:
    """What a guest finds that works through a checking job: the checkers say what `said` has for the step."""
    builds = [
        BuildDone(program=step.program, ending=SUCCESS, messages="", symbols=None, wall_s=0.1)
        for step in job.plan.builds
    ]
    runs = [run(step.id, stderr=captured(said.get(step.id, b""))) for step in job.plan.runs]
    return [TOOLCHAIN, *([build] if build else builds), *runs]


def graded(
    found: Evidence, said: dict[str, bytes], options: GradeOptions | None = None
) -> tuple[Report, FakeSandbox]:
    sandbox = FakeSandbox(lambda _job: events_of(found), checker_script=lambda job: checked(job, said))
    return grade(GradingContext(LAB, sandbox), LONG, options or GradeOptions()), sandbox


def report_on(*runs: RunDone) -> Report:
    return graded(evidence({done.step: done for done in runs}), {})[0]


def checked_again(report: Report) -> list[str]:
    return [suspect.step.id for suspect in suspects(report, build_plan(SPEC, SUBMISSION).runs)]


def test_a_right_submission_has_no_second_guest() -> None:
    report, sandbox = graded(evidence(), {})
    assert report.score == SPEC.max_score
    assert len(sandbox.jobs) == 1
    assert sandbox.checker_jobs == []


def test_a_failure_that_no_memory_can_explain_has_no_second_guest() -> None:
    slow = run("many.copy", ending=limit("wall"))
    _, sandbox = graded(
        evidence({"many.copy": slow, "many.piped": slow.model_copy(update={"step": "many.piped"})}), {}
    )
    assert sandbox.checker_jobs == []


def test_wrong_output_is_looked_at_once_with_the_sanitizers_and_once_with_valgrind() -> None:
    report, sandbox = graded(evidence({"many.copy": WRONG}), {"many_sanitizers.copy": ASAN})
    job, under_valgrind = sandbox.checker_jobs
    assert [(step.id, step.checker) for step in job.plan.runs] == [
        ("many_sanitizers.copy", "sanitizers"),
        ("many_filled.copy", "addresses"),
    ]
    assert [step.program for step in job.plan.builds] == ["many_sanitizers", "many_filled"]
    assert [(step.id, step.checker) for step in under_valgrind.plan.runs] == [("many_valgrind.copy", "valgrind")]
    assert [step.program for step in under_valgrind.plan.builds] == ["many_valgrind"]
    assert "-fsanitize=address,undefined" in job.plan.builds[0].compile
    assert not any(step.compile_object for step in job.plan.builds)
    assert job.inputs == {"text": INPUTS["text"]}
    (finding,) = report.findings
    assert (finding.program, finding.tool, finding.line) == ("many", "AddressSanitizer", 2)
    assert finding.message == "many.c line 2 reads 1 byte of memory that was freed before."
    assert [line.text for line in finding.source] == ["int main(void)", "{", "}", ""]
    assert finding.checks == ("many.output",)
    assert "-fsanitize=address,undefined" in finding.repeat
    assert not finding.hidden


@pytest.mark.parametrize(
    ("with_sanitizers", "filled", "is_needed"),
    [
        ((b"wrong", b""), (b"wrong", b""), False),
        ((b"wrong", b""), (b"wronh", b""), True),
        ((b"wronh", b""), (b"wronh", b""), True),
        ((b"", ASAN), (b"w", ASAN.replace(b"602", b"603")), False),
        ((b"", ASAN), (b"", b""), True),
        ((b"wrong", b""), (b"", ASAN), True),
        ((b"", ASAN), (b"", ASAN.replace(b"use-after-free", b"buffer-overflow")), True),
        ((b"", NULL), (b"", NULL), False),
        ((b"", NULL), (b"", NULL.replace(b"0x000000000000", b"0x0000fefefefe")), True),
    ],
)
def test_valgrind_starts_if_memory_that_was_never_set_makes_a_difference(
    with_sanitizers: tuple[bytes, bytes], filled: tuple[bytes, bytes], *, is_needed: bool
) -> None:
    def script(job: Job) -> list[ProgressEvent]:
        copies = {
            f"many_{name}.copy": run(f"many_{name}.copy", written, stderr=captured(said))
            for name, (written, said) in (("sanitizers", with_sanitizers), ("filled", filled))
        }
        return [copies.get(getattr(one, "step", ""), one) for one in checked(job, {})]

    sandbox = FakeSandbox(lambda _job: events_of(evidence({"many.copy": WRONG})), checker_script=script)
    grade(GradingContext(LAB, sandbox), LONG)
    checkers = [step.checker for job in sandbox.checker_jobs for step in job.plan.runs]
    assert checkers == ["sanitizers", "addresses", *(["valgrind"] if is_needed else [])]


def test_the_same_mistake_at_the_same_address_is_the_same() -> None:
    def without_names(address: str, name: str) -> bytes:
        return (
            f"==8==ERROR: AddressSanitizer: {name} on address 0x602000000010\n".encode()
            + b"    #0 0x7fb6d28602c9  (/lib/x86_64-linux-gnu/libasan.so.8+0x602c9)\n"
            b"    #1 " + address.encode() + b"  (/work/bin/many_sanitizers+0x1580)\n"
        )

    found = evidence({"many.copy": WRONG, "many.random": run("many.random", b"wrong")})
    same, other = "heap-use-after-free", "heap-buffer-overflow"
    for address, name, checks in (
        ("0x401580", same, {"many.output", "many.large"}),
        ("0x401590", same, {"many.output"}),
        ("0x401580", other, {"many.output"}),
    ):
        said = {"many_sanitizers.copy": ASAN, "many_sanitizers.random": without_names(address, name)}
        report, sandbox = graded(found, said)
        checkers = [step.checker for step in sandbox.checker_jobs[0].plan.runs]
        assert checkers == ["sanitizers", "addresses", "addresses"]
        (finding,) = report.findings
        assert {*finding.checks} == checks
        assert {*finding.cases} == ({"copy", "random"} if len(checks) > 1 else {"copy"})


def test_a_line_is_that_of_the_file_whatever_the_source_says() -> None:
    found = evidence({"many.copy": WRONG})
    text = b'int x;\n#line 90 "other.c"\n # 7 "x.c"\n%:line 3\nint line = 1;\n'
    sandbox = FakeSandbox(lambda _job: events_of(found), checker_script=lambda job: checked(job, {}))
    grade(GradingContext(LAB, sandbox), Submission("ada", {name: Source(text) for name in SPEC.programs}))
    assert sandbox.checker_jobs[0].sources["many.c"] == b"int x;\n\n\n\nint line = 1;\n"


def test_points_are_the_same_whatever_is_found() -> None:
    found = evidence({"many.copy": WRONG})
    with_finding, without = (graded(found, said)[0] for said in ({"many_sanitizers.copy": ASAN}, {}))
    assert with_finding.findings
    assert with_finding.score == without.score
    unhinted = [[check.model_copy(update={"hint": ""}) for check in one.checks] for one in (with_finding, without)]
    assert unhinted[0] == unhinted[1]


def test_the_verdicts_are_known_before_anything_is_looked_for() -> None:
    recorder = Recorder()
    report, _ = graded(evidence({"many.copy": WRONG}), {"many_sanitizers.copy": ASAN}, GradeOptions(recorder))
    assert [judged.findings for judged in recorder.judgements] == [()]
    assert len(report.findings) == 1


def test_two_cases_with_one_mistake_are_one_finding() -> None:
    found = evidence({"many.copy": WRONG, "many.open": run("many.open", ending=CRASH)})
    said = {"many_sanitizers.copy": ASAN, "many_sanitizers.open": ASAN, "many_valgrind.copy": VALGRIND}
    report, _ = graded(found, said)
    assert [(finding.line, {*finding.checks}) for finding in report.findings] == [
        (2, {"many.output", "many.either"}),
        (3, {"many.output"}),
    ]


def test_crashes_come_first_and_then_what_is_small() -> None:
    large = run("many.random", b"wrong")
    assert checked_again(report_on(large, WRONG, run("many.open", ending=CRASH))) == [
        "many.open",
        "many.copy",
        "many.random",
    ]


def test_only_the_smallest_case_of_a_check_is_looked_at() -> None:
    assert checked_again(report_on(WRONG, run("many.piped", b"wrong"))) == ["many.copy"]
    assert len(checked_again(report_on(WRONG, run("many.refuse", ending=SUCCESS)))) == 2 <= CHECKED_CASES


def test_wrong_bytes_are_looked_at_besides_a_crash_in_the_same_check() -> None:
    report = report_on(CRASHED, run("many.piped", b"wrong"))
    for symptom_id, expected in (("wrong-bytes", ["many.copy", "many.piped"]), ("stops-early", ["many.copy"])):
        symptom = Symptom(id=symptom_id, program="many", checks=("many.output",), sentence="", cases=("piped",))
        assert checked_again(report.model_copy(update={"symptoms": (symptom,)})) == expected


def test_a_certain_cause_is_enough_unless_the_program_crashed() -> None:
    cause = Cause(name="bug", title="", page="", certainty="certain", checks=("many.output",))
    for done, expected in ((WRONG, []), (CRASHED, ["many.copy"])):
        report = report_on(done)
        checks = [
            check.model_copy(update={"cause": "bug" if check.id in cause.checks else None}) for check in report.checks
        ]
        explained = report.model_copy(update={"checks": tuple(checks), "causes": (cause,)})
        assert checked_again(explained) == expected
        likely = cause.model_copy(update={"certainty": "likely"})
        assert checked_again(explained.model_copy(update={"causes": (likely,)})) == ["many.copy"]


def test_a_crash_that_a_fix_prevents_is_not_looked_at() -> None:
    report = report_on(CRASHED)
    checks = tuple(
        check.model_copy(update={"cause": "bug"} if check.status == "failed" else {}) for check in report.checks
    )
    failed = tuple(check.id for check in checks if check.status == "failed")
    for proven, expected in ((failed, []), (failed[1:], ["many.copy"])):
        proof = Proof(sentence="With this, it passes.", checks=proven)
        cause = Cause(name="bug", title="", page="", certainty="proven", checks=failed, proof=proof)
        assert checked_again(report.model_copy(update={"checks": checks, "causes": (cause,)})) == expected


def test_wrong_bytes_are_looked_at_whatever_bug_writes_the_same() -> None:
    cause = Cause(name="bug", title="", page="", certainty="certain", checks=("many.output",))
    report = report_on(WRONG)
    checks = [
        check.model_copy(update={"cause": "bug" if check.id in cause.checks else None}) for check in report.checks
    ]
    for symptom_id, expected in (
        ("wrong-bytes", ["many.copy"]),
        ("other-bytes-become-one", ["many.copy"]),
        ("not-last-pair", []),
    ):
        symptom = Symptom(id=symptom_id, program="many", checks=("many.output",), sentence="", cases=("copy",))
        update = {"checks": tuple(checks), "causes": (cause,), "symptoms": (symptom,)}
        assert checked_again(report.model_copy(update=update)) == expected


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        ({"limits_reached": ("processes",)}, f"reaches limits.processes ({SPEC.limits.processes} processes)"),
        ({"refused": ("setpgid",)}, "calls that the grader refuses"),
        ({"limits_reached": ("memory",)}, ""),
        ({}, ""),
    ],
)
def test_no_finding_comes_from_what_the_grader_refuses(refusal: dict[str, object], reason: str) -> None:
    seen = trace(None, None).model_copy(update=refusal)

    def script(job: Job) -> list[ProgressEvent]:
        said = checked(job, {"many_sanitizers.copy": ASAN, "many_valgrind.copy": VALGRIND})
        return [one.model_copy(update={"trace": seen}) if isinstance(one, RunDone) else one for one in said]

    found = evidence({"many.copy": WRONG})
    sandbox = FakeSandbox(lambda _job: events_of(found), checker_script=script)
    report = grade(GradingContext(LAB, sandbox), LONG, GradeOptions())
    assert bool(report.findings) is not bool(reason)
    assert [note for note in report.notes if "was not searched" in note and reason in note] == [*report.notes]
    assert bool(report.notes) is bool(reason)
    assert not reason or not any(symptom.varies for symptom in report.symptoms)


@pytest.mark.parametrize(("left_s", "looks"), [(NEEDED_S - 1, False), (NEEDED_S + 60, True)])
def test_nothing_is_looked_for_if_the_deadline_is_near(left_s: float, *, looks: bool) -> None:
    report, sandbox = graded(
        evidence({"many.copy": WRONG}), {"many_sanitizers.copy": ASAN}, GradeOptions(time_left=TimeLeft(left_s))
    )
    assert [bool(sandbox.checker_jobs), bool(report.findings)] == [looks, looks]
    assert (report.notes == ()) is looks
    assert all((job.plan.deadline_s or 0) <= left_s for job in sandbox.checker_jobs)


def test_a_guest_that_fails_leaves_the_verdicts_and_a_note() -> None:
    def script(_job: Job) -> Sequence[ProgressEvent | Exception]:
        return [SandboxError("the engine died")]

    sandbox = FakeSandbox(lambda _job: events_of(evidence({"many.copy": WRONG})), checker_script=script)
    report = grade(GradingContext(LAB, sandbox), LONG)
    assert report.status == "graded"
    assert report.notes == ("the grader could not look for memory errors: the engine died",)


def test_notes_say_what_could_not_be_looked_for() -> None:
    failed = BuildDone(program="many_sanitizers", ending=FAILURE, messages="no libasan", symbols=None, wall_s=0.1)

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        builds = [failed.model_copy(update={"program": step.program}) for step in job.plan.builds]
        runs = [
            StepLeftOut(step=step.id, why="no-checker" if step.checker == "valgrind" else "not-built")
            for step in job.plan.runs
        ]
        return [TOOLCHAIN, *builds, *runs]

    sandbox = FakeSandbox(lambda _job: events_of(evidence({"many.copy": WRONG})), checker_script=script)
    compiler, valgrind = grade(GradingContext(LAB, sandbox), LONG).notes
    assert "-fsanitize=address,undefined" in compiler
    assert "valgrind is not installed" in valgrind


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"many_sanitizers.copy": b"==7==ERROR: AddressSanitizer failed to allocate"}, "address space"),
        ({"many_valgrind.copy": b"valgrind: Fatal error at startup"}, "valgrind is not installed, or does not work"),
        ({"many_sanitizers.copy": ASAN, "many_valgrind.copy": b"valgrind: Fatal error at startup"}, ""),
    ],
)
def test_a_checker_that_does_not_work_is_noted_if_nothing_was_found(said: dict[str, bytes], words: str) -> None:
    report, _ = graded(evidence({"many.copy": WRONG}), said)
    assert words in " ".join(report.notes)
    assert len(report.notes) == bool(words)


def hidden_run(case: str) -> tuple[Report, FakeSandbox]:
    """Grade a submission with a failure in one case, in a lab in which `open` is only in a hidden check."""
    lab = replace(LAB, spec=WITH_HIDDEN)
    found = evidence({f"many.{case}": run(f"many.{case}", ending=CRASH)})

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        steps = {step.id for step in job.plan.runs} | {step.program for step in job.plan.builds}
        return [
            event
            for event in events_of(found)
            if getattr(event, "step", getattr(event, "program", None)) in {*steps, None}
        ]

    said = {f"many_sanitizers.{case}": ASAN}
    sandbox = FakeSandbox(script, checker_script=lambda job: checked(job, said))
    return grade(GradingContext(lab, sandbox), LONG), sandbox


def test_a_finding_of_a_hidden_run_is_not_for_students() -> None:
    report, sandbox = hidden_run("open")
    assert len(sandbox.jobs) == 2
    (finding,) = report.findings
    assert finding.hidden
    assert part(report, WITH_HIDDEN, {"visible"}).findings == ()
    assert part(report, WITH_HIDDEN, {"visible", "hidden"}).findings == (finding,)


def test_shown_runs_are_looked_at_before_hidden_ones_are_run() -> None:
    report, sandbox = hidden_run("copy")
    (finding,) = report.findings
    assert not finding.hidden
    assert [step.case for job in sandbox.checker_jobs for step in job.plan.runs] == ["copy", "copy", "copy"]
    assert sandbox.order == ["programs", "checkers", "programs"]


@pytest.mark.parametrize(
    ("again", "said", "varies"),
    [
        (b"wronh", b"", True),
        (b"wrong!", b"", True),
        (b"wrong", b"", False),
        # A checker that found a mistake may have stopped the copy.
        (b"wro", ASAN, False),
    ],
)
def test_an_output_that_is_different_under_a_checker_varies(again: bytes, said: bytes, *, varies: bool) -> None:
    def script(job: Job) -> list[ProgressEvent]:
        done = checked(job, {})
        copy = run("many_sanitizers.copy", again, stderr=captured(said))
        return [copy if isinstance(one, RunDone) and one.step == copy.step else one for one in done][:-1]

    found = evidence({"many.copy": WRONG})
    sandbox = FakeSandbox(lambda _job: events_of(found), checker_script=script)
    report = grade(GradingContext(LAB, sandbox), LONG, GradeOptions())
    assert any(symptom.varies for symptom in report.symptoms) is varies
