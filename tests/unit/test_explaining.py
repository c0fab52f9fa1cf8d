from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from grader.errors import NO_MEMORY, EngineUnavailableError, SandboxError
from grader.explain import explanation
from grader.explain.change_search import ChangeSearch
from grader.explain.explaining import STOPPED, STRICT_VARIABLE, Explaining
from grader.explain.memory_check import MistakeSearch
from grader.explain.restriction_search import RestrictionSearch
from grader.explain.source_search import SourceSearch
from grader.grading import pipeline
from grader.grading.pipeline import GradingContext, grade, grade_safely
from grader.model.mutant import KnownBugs
from grader.model.report import Proof, Report
from grader.model.signature import Signatures
from grader.model.spec.notebook import NotebookRules
from grader.model.spec.rubric import NotebookItem
from grader.model.submission import NotebookFile, Source
from grader.options import GradeOptions, Observer, Stop
from grader.render.exports.report_json import report_json
from grader.render.html.pages import report_html
from grader.render.terminal.summary import summary
from grader.render.views.notes import shown_notes
from grader.sandbox import confined_process

from .children import let_children
from .facts import LAB, SUBMISSION, evidence, run
from .sandboxes import FakeSandbox, events_of
from .test_pipeline import FakeKnownBugs

WRONG = events_of(evidence({"many.copy": run("many.copy", b"wrong")}))


def context() -> GradingContext:
    known = FakeKnownBugs(KnownBugs((), Signatures(key="", traits={})))
    return GradingContext(LAB, FakeSandbox(lambda _job: WRONG), known_bugs=known)


def verdicts(report: Report) -> list[tuple[str, str, float]]:
    return [(check.id, check.status, check.points) for check in report.checks]


def broken(*_: object, **__: object) -> object:
    raise KeyError(97)


STEPS: Sequence[tuple[object, str]] = (
    (RestrictionSearch, "search"),
    (explanation, "without_restricted"),
    (explanation, "with_restrictions"),
    (explanation, "with_symptoms"),
    (explanation, "needs_explaining"),
    (explanation, "explain"),
    (MistakeSearch, "look"),
    (ChangeSearch, "search"),
    (explanation, "with_calls_of_causes"),
    (explanation, "with_lines"),
    (explanation, "with_late_checks"),
    (explanation, "with_related_lines"),
    (pipeline, "with_notebook"),
)


@pytest.mark.parametrize(("where", "name"), STEPS, ids=[name for _, name in STEPS])
def test_a_bug_in_a_step_costs_no_verdict_and_is_told_once(
    where: object, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    right = grade(context(), SUBMISSION)
    monkeypatch.delenv(STRICT_VARIABLE)
    monkeypatch.setattr(where, name, broken)
    with caplog.at_level(logging.ERROR):
        report = grade_safely(context(), SUBMISSION).report
    assert (report.status, report.score, verdicts(report)) == (right.status, right.score, verdicts(right))
    (fault,) = report.grader_faults
    assert fault.error == "KeyError: 97"
    assert "in broken" in fault.traceback
    (note,) = (note for note in report.notes if "bug" in note)
    # The message may have bytes of a hidden input.
    assert "KeyError" in note
    assert "97" not in note
    assert len(caplog.records) == 1
    assert b"grader_faults" in report_json(report)
    assert "report it" in report_html(report).decode()
    Console(file=StringIO()).print(summary(report))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
@pytest.mark.parametrize("target", [(MistakeSearch, "look"), (explanation, "with_symptoms"), (pipeline, "_grade")])
def test_a_lack_of_memory_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, target: tuple[object, str]
) -> None:
    def lacks(*_: object, **__: object) -> object:
        raise error

    monkeypatch.setattr(*target, lacks)
    report = grade_safely(context(), SUBMISSION, GradeOptions()).report
    said = [report.reason, *report.notes]
    assert any(NO_MEMORY in (words or "") for words in said), said
    assert not report.grader_faults
    assert not caplog.records


def test_tests_raise_such_bugs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "with_symptoms", broken)
    report = grade_safely(context(), SUBMISSION).report
    assert report.status == "not_graded"
    assert "KeyError: 97" in report.reason


@pytest.mark.parametrize("error", [EngineUnavailableError("gone"), SandboxError("gone")])
def test_a_sandbox_that_goes_while_causes_are_looked_for_costs_no_verdict(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> object:
        raise error

    monkeypatch.setattr(MistakeSearch, "look", gone)
    report = grade(context(), SUBMISSION)
    assert report.status == "graded"
    assert not report.grader_faults
    assert any("gone" in note for note in report.notes)


def test_a_bug_in_the_search_of_a_source_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT_VARIABLE)

    def failed(search: SourceSearch, *_: object) -> None:
        search.faults["many"] = "Traceback\nValueError: too long"

    monkeypatch.setattr(SourceSearch, "prefetch", failed)
    (fault,) = grade(context(), SUBMISSION).grader_faults
    assert fault.error == "ValueError: too long"


def test_after_a_stop_the_report_has_the_verdicts_and_no_step_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Stop()

    class Stopping(Observer):
        def judged(self, report: Report) -> None:  # noqa: ARG002 - an observer's signature
            stop.set()

    right = grade(context(), SUBMISSION)
    for where, name in STEPS:
        if where is not MistakeSearch and name != "with_restrictions":
            monkeypatch.setattr(where, name, broken)
    report = grade(context(), SUBMISSION, GradeOptions(Stopping(), stop=stop))
    assert verdicts(report) == verdicts(right)
    assert report.notes == (*SUBMISSION.notes, STOPPED)


def test_after_a_stop_the_report_has_what_was_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Stop()

    def stopping(report: Report, *_: object) -> Report:
        stop.set()
        return report

    right = grade(context(), SUBMISSION)
    monkeypatch.setattr(explanation, "with_late_checks", stopping)
    report = grade(context(), SUBMISSION, GradeOptions(stop=stop))
    assert right.symptoms
    assert report.symptoms == right.symptoms


def test_the_error_of_a_guest_that_was_ended_by_a_stop_is_no_note() -> None:
    stop = Stop()
    explaining = Explaining("a", stop)

    def work() -> None:
        stop.set()
        raise SandboxError("the guest ended")

    explaining.attempt("small changes", work, None)
    assert explaining.with_notes(grade(context(), SUBMISSION)).notes == (STOPPED,)


@pytest.mark.parametrize(
    ("act", "said"), [("raise MemoryError", "limits"), ("os.kill(os.getpid(), signal.SIGKILL)", "busy")]
)
def test_a_source_that_was_given_up_is_told(act: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = grade(context(), SUBMISSION)
    assert right.notes == ()
    let_children(monkeypatch, act)
    report = grade(context(), SUBMISSION)
    assert verdicts(report) == verdicts(right)
    (note,) = report.notes
    assert "the source of many" in note
    assert said in note


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"main()\n{\n}\n", "the parser does not understand line 1, so"),
        (b'#include "own.h"\nint main(void)\n{\n}\n', "a header that has functions or is not known"),
        (b"#define EOF\nint main(void)\n{\n}\n", "as a macro"),
    ],
)
def test_what_was_not_searched_in_a_source_is_told_unless_all_is_proven(source: bytes, said: str) -> None:
    sources = {program: Source(source) for program in SUBMISSION.sources}
    report = grade(context(), replace(SUBMISSION, sources=sources))
    assert report.notes == ()
    (note,) = shown_notes(report)
    assert "the source of many" in note
    assert said in note
    assert said in report_html(report).decode()
    failed = tuple(check.id for check in report.checks if check.status == "failed" and check.program == "many")
    proof = Proof(sentence="With `1` instead of `0`", checks=failed)
    proven = (report.symptoms[0].model_copy(update={"proof": proof}),)
    assert shown_notes(report.model_copy(update={"symptoms": proven})) == ()


def test_a_source_that_has_no_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_process, "HANG_S", 0)
    report = grade(context(), SUBMISSION)
    assert report.status == "graded"
    assert any("busy" in note for note in report.notes)


LIMITS = ["raise MemoryError", "raise RecursionError", "os.kill(os.getpid(), signal.SIGXCPU)"]


@pytest.mark.parametrize("act", [*LIMITS, "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_notebook_that_cannot_be_read_costs_no_verdict(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, act)
    submission = replace(SUBMISSION, notebook=NotebookFile("lab.txt", Source(b"a\n")))
    report = grade(context(), submission)
    assert report.status == "graded"
    assert report.notebook is None
    assert any("notebook" in note for note in report.notes)


def judged_notebook() -> Report:
    """Grade a submission with a notebook that a check judges."""
    rules = NotebookRules(files=("lab.txt",), strace_sinks=("file",))
    values = {"kind": "notebook", "name": "notebook", "title": "", "points": {"many": 2}, "hint": "h"}
    rubric = (*LAB.spec.rubric, NotebookItem.model_validate(values))
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"notebook": rules, "rubric": rubric}))
    submission = replace(SUBMISSION, notebook=NotebookFile("lab.txt", Source(b"a\n")))
    return grade_safely(replace(context(), lab=lab), submission).report


@pytest.mark.parametrize("act", LIMITS)
def test_a_notebook_that_takes_too_much_fails_the_check_of_it_and_no_other(
    act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_children(monkeypatch, act)
    report = judged_notebook()
    (check,) = (one for one in report.checks if one.id == "many.notebook")
    assert check.status == "failed"
    assert "too much time or memory" in check.message
    others = [one for one in verdicts(report) if one[0] != check.id]
    assert others == verdicts(grade(context(), SUBMISSION))


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("yield b'1'", "ValidationError"),
        ("raise KeyError(97)", "KeyError"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "busy"),
    ],
)
def test_a_notebook_is_not_judged_by_our_bug_or_the_machine(
    act: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_children(monkeypatch, act)
    report = judged_notebook()
    assert report.status == "not_graded"
    assert said in report.reason


def test_a_step_that_changes_a_verdict_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT_VARIABLE, raising=False)
    judged = grade(context(), SUBMISSION)
    changed = judged.model_copy(
        update={"checks": tuple(check.model_copy(update={"status": "skipped"}) for check in judged.checks)}
    )
    explaining = Explaining("one", Stop())
    assert explaining.with_verdicts_of(judged, judged) is judged
    assert explaining.with_verdicts_of(judged, changed) is judged
    assert explaining.with_notes(judged).grader_faults
