"""Cases that state exit status, outputs and files one by one: the sentences, and what is searched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.diagnose.bugs.traits import NOTHING, kind_of, traits
from grader.judge.cases import case_result, outcome_of
from grader.judge.difference import difference
from grader.judge.facts import Facts
from grader.judge.line_search import ALPHABET
from grader.judge.stated import Compared, Mismatch, file_mismatches, mismatches
from grader.judge.verdict import judge_check
from grader.model.evidence import Captured, Ending, FileKind, LeftFile, RunDone, file_id
from grader.model.reference import Reference
from grader.model.report import CasesEvidence
from grader.model.spec.cases import Case
from grader.model.spec.expectations import Expected
from grader.model.spec.rubric import CasesItem
from grader.render.views.demonstrations import _case_outcome

from .facts import CRASH, FAILURE, SUCCESS, captured, evidence, facts, run
from .lab import INPUTS, SPEC

STEP = "many.copy"
OUTPUT = CasesItem(kind="cases", name="output", title="", points={"many": 1}, cases=("copy",))


def wrong(expected: dict[str, object], done: RunDone, reference: RunDone | None = None) -> list[Mismatch]:
    return [*mismatches(Expected.model_validate(expected), Compared(done, reference, {}))]


def sentences(expected: dict[str, object], done: RunDone) -> list[str]:
    return [one.text for one in wrong(expected, done)]


@pytest.mark.parametrize(
    ("expected", "done", "sentence"),
    [
        ({"status": 0}, run(STEP, ending=FAILURE), "the exit status is 1; 0 was expected"),
        ({"status": {"not": 1}}, run(STEP, ending=FAILURE), "the exit status is 1; any other was expected"),
        (
            {"stdout": "empty"},
            run(STEP, b"x"),
            "something was written to standard output (1 byte), which should be empty",
        ),
        (
            {"stdout": {"exact": "abd\n"}},
            run(STEP, b"abc\n"),
            "standard output: identical up to byte 2; the length is right, 1 byte of 4 is wrong",
        ),
        ({"stdout": {"contains": "three"}}, run(STEP, b"two\n"), "standard output does not contain “three”"),
        (
            {"stdout": {"matches": "[0-9]+ words"}},
            run(STEP, b"many words\n"),
            "standard output has no line that matches [0-9]+ words",
        ),
        (
            {"stdout": {"number": {"unit": "seconds", "max": 60}}},
            run(STEP, b"it took 75.5 seconds\n"),
            "standard output says 75.5 seconds; at most 60 was expected",
        ),
        (
            {"stdout": {"number": {"unit": "seconds", "min": 0}}},
            run(STEP, b"it took -1 seconds\n"),
            "standard output says -1 seconds; at least 0 was expected",
        ),
        (
            {"stdout": {"number": {"unit": ["seconds", "s"]}}},
            run(STEP, b"1 s or 2 seconds\n"),
            "standard output has 2 numbers with the unit seconds; exactly one was expected",
        ),
        (
            {"stdout": {"number": {"unit": "s"}}},
            run(STEP),
            "standard output has 0 numbers with the unit s; exactly one was expected; it is empty",
        ),
        (
            {"stderr": {"contains": "usage"}},
            run(STEP, stderr=captured(b"")),
            "standard error does not contain “usage”; it is empty",
        ),
    ],
)
def test_a_sentence_says_what_was_expected_and_what_came(
    expected: dict[str, object], done: RunDone, sentence: str
) -> None:
    assert sentences(expected, done) == [sentence]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"exact": "one\n"}, b"one\n"),
        ({"contains": {"hex": "00 ff"}}, b"a\x00\xffb"),
        ({"matches": "copied [0-9]+ bytes"}, b"first\ncopied 12 bytes\n"),
        ({"matches": ".*é"}, "voilà, é\n".encode()),
        ({"number": {"unit": "seconds", "min": 0, "max": 1}}, b"0.25 seconds, 3 files\n"),
        ({"number": {"unit": ["s", "ms"]}}, b"elapsed: 12ms\n"),
        ({"number": {"unit": "s"}}, b"elapsed: 12 s, 10 students\n"),
    ],
)
def test_what_is_as_stated_passes(rule: dict[str, object], text: bytes) -> None:
    assert sentences({"status": 0, "stdout": rule, "stderr": "empty"}, run(STEP, text)) == []


def test_what_is_not_named_is_not_judged() -> None:
    assert sentences({}, run(STEP, b"anything", ending=FAILURE, stderr=captured(b"anything"))) == []


def test_all_that_is_wrong_is_said() -> None:
    found = sentences({"status": 0, "stdout": "empty", "stderr": "empty"}, run(STEP, b"x", ending=FAILURE))
    assert len(found) == 2


def test_a_message_is_compared_with_the_reference_s() -> None:
    reference, done = run(STEP, stderr=captured(b"no file\n")), run(STEP, stderr=captured(b"no File\n"))
    (found,) = wrong({"stderr": "reference-output"}, done, reference)
    assert found.text.startswith("standard error: identical up to byte 3;")
    assert (found.of, found.difference is not None) == ("standard error", True)


KEPT = 4096


def beginning(data: bytes) -> Captured:
    return captured(data).model_copy(update={"data": data[:KEPT]})


@pytest.mark.parametrize(
    ("written", "expected", "sentence"),
    [
        (
            b"x" * 5000,
            b"x" * 4999 + b"y",
            "it differs after the first 4,096 bytes, which are equal; 5,000 bytes written, 5,000",
        ),
        (b"x" * 100, b"x" * 5000, "it differs after the first 100 bytes, which are equal; 100 bytes written, 5,000"),
        (b"xx" + b"y" * 4998, b"x" * 5000, "identical up to byte 2; 5,000 bytes written, 5,000 expected"),
        (b"y" * 5000, b"x" * 5000, "different from the first byte on; 5,000 bytes written, 5,000 expected"),
        (b"", b"x" * 5000, "nothing was written; 5,000 bytes were expected"),
        (b"x" * 5000, b"", "5,000 bytes written, where nothing was expected"),
    ],
)
def test_a_long_message_says_how_far_it_is_known(written: bytes, expected: bytes, sentence: str) -> None:
    reference, done = run(STEP, stderr=beginning(expected)), run(STEP, stderr=beginning(written))
    (found,) = wrong({"stderr": "reference-output"}, done, reference)
    assert found.text.startswith(f"standard error: {sentence}")
    assert found.difference is None


LONG = b"x\n" * 35_000 + b"it took 3 s\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(
    "rule", [{"exact": LONG.decode()}, {"contains": "took"}, {"matches": "it .*"}, {"number": {"unit": "s"}}]
)
def test_all_of_a_long_output_counts(stream: str, rule: dict[str, object]) -> None:
    whole = captured(LONG).model_copy(update={"data": LONG[:4096], "searched": LONG})
    assert sentences({stream: rule}, run(STEP).model_copy(update={stream: whole})) == []


def test_an_exact_text_that_is_not_kept_is_known_by_its_digest() -> None:
    done = run(STEP).model_copy(update={"stdout": captured(LONG, kept=False)})
    assert sentences({"stdout": {"exact": LONG.decode()}}, done) == []
    (sentence,) = sentences({"stdout": {"exact": "x"}}, done)
    assert sentence == "standard output is not what was expected: 70,012 bytes written, 1 expected"


@pytest.mark.parametrize(
    ("rule", "kept", "status", "message"),
    [
        ({"contains": "usage"}, b"x", "skipped", "does not contain “usage” in its first 1 of 9,000 bytes"),
        ({"matches": "usage"}, b"usage", "skipped", "has no line that matches usage in its first 5 of 9,000 bytes"),
        ({"number": {"unit": "s"}}, b"3 s\n", "skipped", "has 1 number with the unit s; exactly one was expected"),
        ({"number": {"unit": "s"}}, b"3 s, 4 s\n", "failed", "has 2 numbers with the unit s"),
        ({"number": {"unit": "s", "max": 2}}, b"3 s\n", "failed", "says 3 s; at most 2 was expected"),
        ({"contains": "usage"}, b"usage", "passed", ""),
    ],
)
def test_what_may_be_in_the_rest_of_an_output_neither_passes_nor_fails(
    rule: dict[str, object], kept: bytes, status: str, message: str
) -> None:
    cut_off = Captured(size_bytes=9000, sha256="0", data=kept)
    several = stated(run(STEP).model_copy(update={"stderr": cut_off}), stderr=rule)
    check = judge_check(several, "many", OUTPUT)
    assert check.status == status
    assert message in check.message
    assert ("cannot be judged" in check.message) is (status == "skipped")


def test_a_case_that_nobody_knows_is_not_among_those_that_failed() -> None:
    cut_off = Captured(size_bytes=9000, sha256="0", data=b"x")
    wrong_too = run(STEP, ending=FAILURE).model_copy(update={"stderr": cut_off})
    result = case_result(stated(wrong_too, status=0, stderr={"contains": "usage"}), "many", "copy")
    unknown = result.model_copy(update={"case": "unknown", "wrong": ("stderr=unseen", "stdout=other")})
    outcome = outcome_of((result, unknown))
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CasesEvidence)
    assert [case.case for case in outcome.evidence.cases] == ["copy"]


def test_a_run_that_was_stopped_fails_whatever_is_looked_for() -> None:
    cut_off = Captured(size_bytes=9000, sha256="0", data=b"x")
    crashed = run(STEP, ending=CRASH).model_copy(update={"stderr": cut_off})
    assert judge_check(stated(crashed, stderr={"contains": "usage"}), "many", OUTPUT).status == "failed"


def test_a_long_line_is_searched() -> None:
    message = captured(b"usage: mat FILE, " + b"x" * 400 + b"\n")
    assert sentences({"stderr": {"matches": "usage: .*"}}, run(STEP, stderr=message)) == []


def test_an_output_that_cannot_be_searched_neither_passes_nor_fails() -> None:
    strange = "".join(chr(0x4E00 + number) for number in range(ALPHABET + 1)).encode()
    check = judge_check(stated(run(STEP, strange), stdout={"matches": "usage: .*"}), "many", OUTPUT)
    assert check.status == "skipped"
    assert "too many different characters" in check.message


def test_patterns_that_may_take_long_are_refused() -> None:
    ((key, found),) = Expected.model_validate({"stderr": {"matches": "(a+)+"}}).mistakes()
    assert key == "stderr.matches"
    assert "a group must not be repeated" in found
    assert [*Expected.model_validate({"stdout": {"matches": "(?:one|two) [0-9.]+ s"}}).mistakes()] == []


def left(data: bytes) -> LeftFile:
    return LeftFile(kind="regular", content=captured(data))


def files(found: LeftFile, expected: LeftFile) -> list[Mismatch]:
    done, reference = (run(STEP).model_copy(update={"files": {"dst": one}}) for one in (found, expected))
    known = difference(b"abc", b"abd", b"")
    return [*file_mismatches(("dst",), Compared(done, reference, {file_id(STEP, "dst"): known} if known else {}))]


def test_a_file_is_compared_like_an_output() -> None:
    assert files(left(b"abc"), left(b"abc")) == []
    (found,) = files(left(b"abd"), left(b"abc"))
    assert found.text == "the file dst: identical up to byte 2; the length is right, 1 byte of 3 is wrong"
    assert found.of == "dst"


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("missing", "the file dst is missing"),
        ("link", "the file dst is a link, not a file of its own"),
        ("folder", "the file dst is a folder, not a file"),
        ("other", "the file dst is not a regular file"),
        ("unreadable", "the file dst cannot be read: the program changed its mode"),
        ("too-large", "the file dst is far too large"),
    ],
)
def test_what_is_no_file_is_not_compared(kind: FileKind, sentence: str) -> None:
    assert [one.text for one in files(LeftFile(kind=kind), left(b"abc"))] == [sentence]


def test_a_file_that_the_reference_removes_must_go() -> None:
    assert files(LeftFile(kind="missing"), LeftFile(kind="missing")) == []
    (found,) = files(left(b""), LeftFile(kind="missing"))
    assert found.text == "the file dst should not be there after the run"


def stated(done: RunDone, **expected: object) -> Facts:
    case = SPEC.cases["copy"].model_copy(update={"expect": Expected.model_validate(expected)})
    spec = SPEC.model_copy(update={"cases": {**SPEC.cases, "copy": case}})
    found = facts(done)
    lab = found.lab.__class__(spec, found.lab.inputs, found.lab.reference)
    return Facts(lab, found.submission, found.evidence, found.differences)


def test_the_result_of_a_case_says_that_it_was_stated() -> None:
    result = case_result(stated(run(STEP, b"hello\n"), stdout={"contains": "bye"}), "many", "copy")
    assert (result.passed, result.expect) == (False, "stated")
    assert result.stdout == b"hello\n"
    assert result.problem == "standard output does not contain “bye”"
    assert result.repeat.endswith('; echo "exit status $?"')


def test_a_crash_fails_whatever_is_stated() -> None:
    result = case_result(stated(run(STEP, ending=CRASH), stdout="empty"), "many", "copy")
    assert not result.passed
    assert result.problem.startswith("it crashed: ")


def test_an_exact_text_shows_its_difference() -> None:
    result = case_result(stated(run(STEP, b"ab"), stdout={"exact": "ac"}), "many", "copy")
    assert result.difference is not None
    assert (result.difference.offset, result.differs_in, result.stdout) == (1, "", b"")


def known_by(data: bytes, ending: Ending = SUCCESS, **expected: object) -> str:
    """How a wrong run of the case looks to the search for its cause."""
    return trait(stated(run(STEP, data, ending=ending), **expected))


def trait(seen: Facts) -> str:
    return traits(seen.lab.spec, "many", [judge_check(seen, "many", OUTPUT)], seen.evidence)["output/copy"]


def test_a_known_bug_is_recognised_by_the_output_that_should_be_the_reference_s() -> None:
    right = INPUTS["text"]
    found = [
        known_by(data, ending, status=0, stdout="reference-output")
        for data, ending in ((b"one\n", SUCCESS), (b"two\n", SUCCESS), (b"two\n", FAILURE), (right, FAILURE))
    ]
    assert len({*found}) == len(found)
    assert kind_of(known_by(b"", FAILURE, stdout="reference-output")) == NOTHING


@pytest.mark.parametrize("rule", [{"contains": "copied"}, {"exact": "copied\n"}, {"matches": "copied"}])
def test_bugs_that_fail_the_same_case_in_another_way_do_not_look_alike(rule: dict[str, str]) -> None:
    def seen(stdout: bytes, stderr: bytes, ending: Ending = FAILURE) -> str:
        done = run(STEP, stdout, stderr=captured(stderr), ending=ending)
        right = run(STEP, b"copied\n", stderr=captured(b"tee: x: no such file\n"), ending=FAILURE)
        seen = stated(done, status=1, stdout=rule, stderr={"contains": "tee: x: "})
        lab = replace(seen.lab, reference=Reference(evidence({STEP: right}), {}))
        return trait(Facts(lab, seen.submission, seen.evidence, seen.differences))

    message = b"tee: x: gone\n"
    found = [
        seen(b"", message),  # ends at the error
        seen(b"copied\n", b""),  # no message
        seen(message + b"copied\n", b""),  # the message on standard output
        seen(b"not written yet\n", b""),  # the template
        seen(b"copied\n", message, SUCCESS),
        seen(b"", b""),
    ]
    assert len({*found}) == len(found)
    assert kind_of(found[-1]) == NOTHING
    assert kind_of(found[0]) is None


@pytest.mark.parametrize("number", ["9,600", "-1'000'600", "1,600.5", "0,5"])
def test_a_number_has_no_separators(number: str) -> None:
    rule = {"number": {"unit": "lines", "min": 0, "max": 10_000}}
    output = f"it has {number} lines\n".encode()
    [mismatch] = wrong({"stdout": rule}, run("many.copy", output))
    assert mismatch.text == f"standard output says {number} lines; a number without separators was expected"
    assert wrong({"stdout": rule}, run("many.copy", b"1, 2, 3 and 4 lines\n")) == []


def test_a_number_is_known_by_what_is_wrong_with_it() -> None:
    rule = {"number": {"unit": "s", "min": 1, "max": 3}}
    low, lower, high, many, none = (
        known_by(data, status=0, stdout=rule) for data in (b"0.5 s", b"0.4 s", b"4 s", b"2 s 2 s", b"soon")
    )
    assert low == lower
    assert len({low, high, many, none}) == 4


def test_an_output_that_may_differ_in_each_run_does_not_count() -> None:
    assert known_by(b"1.5 s\n", FAILURE, status=0) == known_by(b"2.5 s\n", FAILURE, status=0)


BEGINNING = b"it took 3 s\nready, or"


def cut(rule: dict[str, object]) -> list[str]:
    """What is wrong with a message of which only the beginning is kept."""
    message = Captured(size_bytes=len(BEGINNING) + 1, sha256="0" * 64, data=BEGINNING)
    return sentences({"stderr": rule}, run(STEP, stderr=message))


@pytest.mark.parametrize(
    "rule",
    [{"matches": "ready, or"}, {"number": {"unit": "s"}}, {"contains": "order"}, {"exact": BEGINNING.decode()}],
)
def test_what_follows_the_kept_beginning_of_an_output_may_break_a_rule(rule: dict[str, object]) -> None:
    assert len(cut(rule)) == 1
    is_met = sentences({"stderr": rule}, run(STEP, stderr=captured(BEGINNING))) == []
    assert is_met is (rule != {"contains": "order"})


def test_what_the_kept_beginning_of_an_output_shows_counts() -> None:
    assert cut({"contains": "or"}) == []
    assert cut({"matches": "it took [0-9] s"}) == []


@pytest.mark.parametrize(
    ("status", "ending"), [(0, "exit status 0"), (1, "exit status 1"), ("any", "an exit"), ({"not": 0}, "an exit")]
)
def test_a_crash_is_shown_next_to_the_status_that_the_case_states(status: object, ending: str) -> None:
    crashed = case_result(stated(run(STEP, ending=CRASH), status=status, stdout="any"), "many", "copy")
    shown = crashed.model_copy(update={"repeat": "./many; echo exit status $?"})
    assert _case_outcome(shown)[1] == ending


@pytest.mark.parametrize(
    ("expect", "asks_for"),
    [
        ("reference-output", "output"),
        ("operand-error", "refusal"),
        ("either", "neither"),
        ({"status": 0, "stdout": "reference-output"}, "output"),
        ({"stdout": "reference-output"}, "output"),
        ({"status": {"not": 3}, "stdout": "reference-output"}, "output"),
        ({"status": 2, "stdout": "reference-output"}, "refusal"),
        ({"status": {"not": 0}, "stdout": "empty"}, "refusal"),
        ({"status": 0, "stdout": "any"}, "neither"),
    ],
)
def test_what_a_case_asks_for(expect: object, asks_for: str) -> None:
    case = Case.model_validate({"expect": expect})
    assert (case.is_refusal, case.wants_output) == (asks_for == "refusal", asks_for == "output")
