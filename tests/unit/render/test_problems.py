from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from grader.diagnose.behaviour.advice import LOOKUP
from grader.diagnose.behaviour.group import PASTED_CHARS
from grader.model.evidence import Ending, Exited, LimitReached
from grader.model.report import (
    VARIES,
    AdvicePart,
    BuildResult,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Check,
    Derived,
    Finding,
    LateCheck,
    Proof,
    RelatedLine,
    Report,
    SymbolsEvidence,
    Symptom,
    TwoOutputs,
    Window,
)
from grader.render.views.demonstrations import SHOWN_COLUMNS, Demonstration
from grader.render.views.problems import Problem, may_follow, problems

from . import factory

ENDED, KILLED, STOPPED, _ = factory.ENDINGS
FAILED = Exited(kind="exited", code=1)
NO_OUTPUT = "nothing on standard output"
NINE = Derived(each="one for each 3", counted_bytes=9, at_most=True)
AN_EXIT = "an exit (the output until then is right)"


def shown(case: CaseResult) -> Demonstration:
    """Return how a problem with this case is shown."""
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(case,)))
    (problem,) = problems(factory.report(checks=(failed,)))
    assert problem.demonstration is not None
    return problem.demonstration


def copied(expected: bytes, actual: bytes, offset: int, *, start: int = 0, **changes: object) -> CaseResult:
    difference = factory.difference(expected, actual, offset, start=start)
    values: dict[str, Any] = {
        "expect": "reference-output",
        "difference": difference,
        "repeat": "./tr2b",
        "stderr": b"",
    }
    return factory.failed_case(**(values | changes))


def refused(**changes: object) -> CaseResult:
    values: dict[str, Any] = {"expect": "operand-error", "difference": None, "repeat": "./tr2b", "stderr": b""}
    return factory.failed_case(**(values | changes))


def titles(report: Report) -> list[str]:
    return [problem.title for problem in problems(report)]


def test_nothing_failed() -> None:
    assert problems(factory.report()) == ()


def test_a_program_that_does_not_compile_comes_first_with_its_first_error() -> None:
    costly = factory.check("tr2u.text", "failed", max_points=40.0)
    broken = factory.unbuilt()
    first, second = problems(broken.model_copy(update={"checks": (costly, *broken.checks)}))
    assert (first.title, second.title) == ("tr2b does not compile", "tr2u: 2 of 3 cases are wrong.")
    assert first.error is not None
    assert first.error.location == "tr2b.c:42:15"
    assert first.demonstration == Demonstration("gcc -o tr2b tr2b.c", "", "", "")


def shared(**changes: object) -> Report:
    """Return a report in which two symptoms share a check."""
    checks = tuple(factory.check(f"tr2b.{name}", "failed", max_points=4.0) for name in ("text", "binary"))
    several, one = (
        Symptom(id=name, program="tr2b", checks=ids, sentence=f"It does {name}.", advice="")
        for name, ids in (("much", ("tr2b.text", "tr2b.binary")), ("little", ("tr2b.binary",)))
    )
    return factory.report(checks=checks, symptoms=(several, one), **changes)


def test_what_problems_cost_adds_up_to_what_was_lost() -> None:
    first, second = problems(shared())
    assert (first.own_lost_points, second.own_lost_points) == (8.0, 0.0)
    assert (first.lost_points, second.lost_points) == (8.0, 4.0)
    for report in (factory.diagnosed(), factory.broken(), factory.unbuilt()):
        failed = [check for check in report.checks if check.status == "failed"]
        lost = sum(check.max_points - check.points for check in failed)
        blocked = {check for problem in problems(report) for check in problem.blocked}
        assert sum(one.own_lost_points for one in problems(report)) == lost + sum(one.max_points for one in blocked)


def test_a_symptom_of_the_same_program_may_come_from_the_same_mistake() -> None:
    assert may_follow(()) == ()
    assert may_follow(problems(shared())) == (2,)
    assert may_follow(problems(shared(causes=(factory.cause("x", "tr2b.binary"),)))) == ()
    other = factory.check("tr2u.text", "failed")
    assert may_follow(problems(factory.report(checks=(factory.check("tr2b.text", "failed"), other)))) == ()


def test_a_line_that_is_a_mistake_in_itself_explains_only_what_it_concerns() -> None:
    status, other = (
        RelatedLine(file="tr2b.c", number=number, text="", does=role, role=role, advice=advice)
        for number, role, advice in ((26, "success", "End with 1."), (24, "compares", ""))
    )
    constant = other.model_copy(update={"number": 17, "role": "constants"})
    for lines, following in (
        ([(status,), (other,)], ()),
        ([(status,), (other, status)], (2,)),
        ([(other,), ()], (2,)),
        ([(other,), (constant,)], ()),
    ):
        report = shared()
        symptoms = tuple(
            one.model_copy(update={"lines": own}) for one, own in zip(report.symptoms, lines, strict=True)
        )
        assert may_follow(problems(report.model_copy(update={"symptoms": symptoms}))) == following


@pytest.mark.parametrize(
    ("number", "found", "following"),
    [(9, ("cycle",), (2,)), (8, ("cycle",), ()), (0, ("cycle",), (2,)), (8, (), (2,))],
)
def test_what_a_memory_checker_found_in_another_line_is_another_mistake(
    number: int, found: tuple[str, ...], following: tuple[int, ...]
) -> None:
    finding = factory.finding("tr2b.text", cases=found, line=9)
    line = RelatedLine(file=finding.file, number=number, text="", does="compares two bytes", role="compares")
    symptoms = tuple(
        Symptom(
            id=case,
            program="tr2b",
            checks=("tr2b.text",),
            sentence=f"It fails {case}.",
            cases=(case,),
            lines=(line,) if number and case == "swap" else (),
        )
        for case in ("swap", "cycle")
    )
    failed = factory.check("tr2b.text", "failed")
    report = factory.report(checks=(failed,), symptoms=symptoms, findings=(finding,) if found else ())
    assert may_follow(problems(report)) == following


def test_a_source_that_is_missing_has_no_command() -> None:
    missing = factory.check("tr2b.build", "failed", message="tr2b.c is missing", evidence=None)
    (problem,) = problems(factory.unbuilt().model_copy(update={"checks": (missing,)}))
    assert (problem.title, problem.error, problem.demonstration) == ("tr2b.c is missing", None, None)
    assert problem.text == "Nothing else of tr2b can be judged until this is fixed."
    assert not problem.advises


def test_what_costs_most_comes_first_and_known_bugs_before_symptoms() -> None:
    report = factory.diagnosed()
    assert titles(report) == ["A char holds what getchar returns", "tr2u: 2 of 3 cases are wrong."]
    others = tuple(check for check in report.checks if check.id != "tr2u.syscalls")
    for points, first in ((8.0, "tr2u: 2 of 3 cases are wrong."), (7.0, "A char holds what getchar returns")):
        costly = factory.check("tr2u.syscalls", "failed", max_points=points)
        assert titles(report.model_copy(update={"checks": (*others, costly)}))[0] == first


@pytest.mark.parametrize(
    ("vague_cases", "clear_cases", "first"),
    [(1, 1, "clear"), (1, 2, "clear"), (2, 1, "vague"), (0, 0, "vague"), (0, 1, "clear")],
)
def test_a_symptom_that_says_what_happens_comes_before_a_vague_one_that_is_seen_in_no_more_cases(
    vague_cases: int, clear_cases: int, first: str
) -> None:
    checks = [factory.check(f"tr2b.{name}", "failed", max_points=points) for name, points in (("a", 9), ("b", 2))]
    symptoms = [
        Symptom(id=id_, program="tr2b", checks=(check.id,), sentence=sentence, cases=tuple("xyz"[:cases]))
        for id_, sentence, check, cases in (
            ("wrong-output", "vague", checks[0], vague_cases),
            ("stops-early", "clear", checks[1], clear_cases),
        )
    ]
    report = factory.report(checks=tuple(checks), symptoms=tuple(symptoms))
    assert titles(report)[0] == first
    flood = symptoms[0].model_copy(update={"id": "writes-without-end"})
    assert titles(factory.report(checks=tuple(checks), symptoms=(flood, symptoms[1])))[0] == first
    other_program = factory.check("tr2u.b", "failed", max_points=2)
    elsewhere = symptoms[1].model_copy(update={"program": "tr2u", "checks": ("tr2u.b",)})
    assert titles(factory.report(checks=(checks[0], other_program), symptoms=(symptoms[0], elsewhere)))[0] == "vague"


def test_a_known_bug_says_what_happens_in_a_paragraph() -> None:
    known, seen = problems(factory.diagnosed())
    assert known.text == "getchar can return 257 different values, and a char has room for 256."
    assert (known.cause, seen.cause) == (factory.diagnosed().causes[0], None)
    assert [check.id for check in known.checks] == ["tr2b.byte-ff", "tr2b.random-5m"]
    assert known.lost_points == 7.0


def test_a_finding_belongs_to_the_first_problem_with_one_of_its_checks() -> None:
    found = factory.finding("tr2u.syscalls", "tr2b.byte-ff")
    known, seen = problems(factory.diagnosed(findings=(found,)))
    assert known.findings == (found,)
    assert seen.findings == ()


def test_the_failing_case_with_the_smallest_input_is_shown() -> None:
    cases = [copied(b"abc", b"ab", 2, input_size_bytes=size, repeat=f"./tr2b {size}") for size in (5_000_000, 7, 53)]
    not_run = refused(ending=None, input_size_bytes=0)
    passed = factory.case(input_size_bytes=1, repeat="./tr2b 1")
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(*cases, not_run, passed)))
    (problem,) = problems(factory.report(checks=(failed,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == "./tr2b 7"
    assert problem.demonstration.compile == "gcc -std=gnu11 -O2 -o tr2b tr2b.c"


def test_a_finding_is_left_to_a_later_problem_that_has_its_case() -> None:
    failed = factory.check("tr2b.text", "failed")
    first, second = (
        Symptom(id=case, program="tr2b", checks=("tr2b.text",), sentence=f"It fails {case}.", cases=(case,))
        for case in ("swap", "cycle")
    )
    for case, place in (("swap", 0), ("cycle", 1), ("another", 0)):
        found = factory.finding("tr2b.text", cases=(case,))
        shown = problems(factory.report(checks=(failed,), symptoms=(first, second), findings=(found,)))
        assert [problem.findings for problem in shown] == [(found,) * (number == place) for number in range(2)]


def test_a_symptom_is_shown_with_one_of_its_own_cases() -> None:
    small, own = copied(b"abc", b"", 0, input_size_bytes=1), copied(b"abc", b"ab", 2, case="own", repeat="./tr2b own")
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(small, own)))
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.text",), sentence="It ends early.", cases=("own",))
    (problem,) = problems(factory.report(checks=(failed,), symptoms=(symptom,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == "./tr2b own"


@pytest.mark.parametrize(("symptom_id", "line"), [("operands-swapped", "./tr2b changed"), ("x", "./tr2b same")])
def test_exchanged_operands_are_shown_where_the_program_changes_something(symptom_id: str, line: str) -> None:
    def case(name: str, actual: bytes, size_bytes: int) -> CaseResult:
        different = factory.difference(b"zbc", actual, 0)
        different = different.model_copy(update={"input": Window(offset=0, data=b"abc")})
        return copied(
            b"zbc", actual, 0, case=name, difference=different, repeat=f"./tr2b {name}", input_size_bytes=size_bytes
        )

    cases = (case("same", b"abc", 3), case("changed", b"ab?", 9))
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=cases))
    symptom = Symptom(id=symptom_id, program="tr2b", checks=("tr2b.text",), sentence="It is wrong.")
    (problem,) = problems(factory.report(checks=(failed,), symptoms=(symptom,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == line


def test_the_first_check_comes_before_a_smaller_input_and_a_line_that_can_be_pasted_before_both() -> None:
    large, small = (
        copied(b"abc", b"", 0, repeat="./tr2b large"),
        copied(b"abc", b"", 0, input_size_bytes=1, repeat="./tr2b"),
    )
    first = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(large,)))
    second = factory.check("tr2b.ff", "failed", evidence=CasesEvidence(cases=(small,)))
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.ff", "tr2b.text"), sentence="It ends early.")
    (problem,) = problems(factory.report(checks=(first, second), symptoms=(symptom,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == "./tr2b large"
    long = large.model_copy(update={"repeat": f"./tr2b {'x' * PASTED_CHARS}"})
    first = first.model_copy(update={"evidence": CasesEvidence(cases=(long,))})
    (problem,) = problems(factory.report(checks=(first, second), symptoms=(symptom,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == "./tr2b"


@pytest.mark.parametrize(
    ("case", "got", "expected"),
    [
        (copied(b"ab\xffcd\n", b"ab", 2), "ab", r"ab\377cd\n"),
        (copied(b"abc", b"", 0), "nothing", "abc"),
        (copied(b"abc", b"", 0, repeat='./tr2b >out; echo "exit status $?"'), "nothing; exit status 0", "abc"),
        (copied(b"abc", b"", 0, stderr=b"no\n"), f"{NO_OUTPUT}, and on standard error “no”", "abc"),
        (copied(b"abc", b"", 0, ending=FAILED), "nothing; exit status 1", "abc"),
        (copied(b"", b"abc", 0), "abc", "nothing"),
        (copied(b"ab", b" ", 0), "“ ”", "ab"),
        (copied(b"0123456789abcdefXY", b"0123456789abcdefZ", 48, start=32), "…89abcdefZ", "…89abcdefXY"),
        (copied(b"abc", b"ab", 2, ending=KILLED), "killed by SIGSEGV, after 2 bytes", "3 bytes, then an exit"),
        (copied(b"abc", b"ab", 2, ending=STOPPED), "no end, after 2 bytes", "3 bytes, then an exit"),
        (copied(b"a" * 99, b"b" * 99, 0), "b" * SHOWN_COLUMNS + "…", "a" * SHOWN_COLUMNS + "…"),
        (copied(b"abcd", b"abc", 3, repeat="./tr2b | wc -c"), "3 bytes", "4 bytes"),
        (copied(b"abcd", b"", 0, repeat="./tr2b | wc -c"), "0 bytes", "4 bytes"),
        (copied(b"", b"", 0, difference=None, ending=KILLED), "killed by SIGSEGV", AN_EXIT),
    ],
)  # fmt: skip
def test_what_a_copy_is_and_should_be(case: CaseResult, got: str, expected: str) -> None:
    assert (shown(case).got, shown(case).expected) == (got, expected)


def test_bytes_have_the_numbers_of_od_and_of_the_statement() -> None:
    line = "./tr2b | od -c"
    assert shown(copied(b"ab\xffcd", b"ab", 2, repeat=line)).note == r"od prints \377, the byte 0xFF, as 377."
    assert shown(copied(b"ab\0cd", b"ab", 2, repeat=line)).note == r"\0 is NUL, the byte 0x00."
    assert shown(copied(b"ab\\cd", b"ab", 2, repeat=line)).note == r"od prints \\, a backslash, as \."
    assert shown(copied(b"ab\\377\n", b"ab", 2, repeat=line)).note == r"od prints \\, a backslash, as \."
    assert shown(copied(b"ab\n", b"ab", 2, repeat=line)).note == ""
    # What differs comes before what is right, and what should come before what came.
    assert shown(copied(b"\x0e\x15", b"\x0e\x14", 1, repeat=line)).note.startswith(r"od prints \025, the byte 0x15,")
    assert shown(copied(b"\x0ea", b"\x0e\x14", 1, repeat=line)).note.startswith(r"od prints \024, the byte 0x14,")
    assert shown(copied(b"\x0ea", b"\x0e\0", 1, repeat=line)).note == r"\0 is NUL, the byte 0x00."
    assert shown(copied(b"\xff", b"\0", 0, repeat=line)).note.startswith(r"od prints \377, the byte 0xFF,")
    assert shown(copied(b"\x0ea", b"\x0eb", 1, repeat=line)).note.startswith(r"od prints \016, the byte 0x0E,")
    assert shown(copied(b"ab\xffcd", b"ab", 2, repeat="./tr2b | wc -c")).note == ""


def test_a_program_that_does_not_compile_costs_all_that_it_cannot_earn() -> None:
    report = factory.unbuilt()
    blocked = factory.check("tr2b.text", "skipped", max_points=6.0, needs="tr2b.build")
    other = factory.check("tr2b.timing", "skipped", max_points=5.0, message="not selected")
    (before,) = problems(report)
    (problem,) = problems(report.model_copy(update={"checks": (*report.checks, blocked, other)}))
    assert problem.blocked == (*before.blocked, blocked)
    assert problem.lost_points == before.lost_points + 6.0


@pytest.mark.parametrize(
    ("changes", "got"),
    [
        ({}, "exit status 0, no message"),
        ({"stdout": b"Error\n"}, "exit status 0, nothing on standard error, and on standard output “Error”"),
        ({"stderr": b"./tr2b: no\n"}, "exit status 0, on standard error “./tr2b: no”"),
        ({"stderr": b"/dev/null: no\n"}, "exit status 0, on standard error “/dev/null: no”"),
        ({"stderr": b"usage: ./tr2b FROM"}, "exit status 0, on standard error “usage: ./tr2b FROM”"),
        ({"stderr": b"bad\n", "stdout": b"x"}, "exit status 0, on standard error “bad”, and on standard output “x”"),
        ({"ending": KILLED}, "killed by SIGSEGV, no message of its own"),
    ],
)
def test_what_happened_to_operands_that_should_be_refused(changes: dict[str, object], got: str) -> None:
    demonstration = shown(refused(**changes))
    assert demonstration.got == got
    empty = ", nothing on standard output" if changes.get("stdout") else ""
    assert demonstration.expected == f"a message on standard error{empty}, exit status not 0"


@pytest.mark.parametrize(
    ("ending", "command", "got"),
    [
        (
            STOPPED,
            'timeout 5 ./tr2b a b >/dev/null; echo "exit status $?"',
            "no end (exit status 124: timeout stops it)",
        ),
        (STOPPED, "strace timeout 5 ./tr2b a b", "no end"),
        (
            LimitReached(kind="limit", limit="output"),
            "./tr2b | head -c 1000 | wc -c",
            "1,000 bytes (head stops it)",
        ),
        (
            LimitReached(kind="limit", limit="output"),
            "./tr2b 2>&1 >/dev/null | head -c 1000 | wc -c",
            "1,000 bytes on standard error (head stops it)",
        ),
        (LimitReached(kind="limit", limit="output"), "strace ./tr2b", "more than allowed"),
        (KILLED, 'timeout 5 ./tr2b a b >/dev/null; echo "exit status $?"', "killed by SIGSEGV (exit status 139)"),
        (KILLED, "./tr2b a b | od -c", "killed by SIGSEGV"),
    ],
)
def test_an_ending_is_what_the_command_shows(ending: Ending, command: str, got: str) -> None:
    assert shown(factory.failed_case(ending=ending, repeat=command, difference=None, expect="either")).got == got


def test_a_flood_of_messages_is_compared_with_none() -> None:
    flood = factory.failed_case(
        ending=LimitReached(kind="limit", limit="output"),
        repeat="./tr2b a b 2>&1 >/dev/null | head -c 1000 | wc -c",
        expect="reference-output",
    )
    assert shown(flood).expected == "nothing on standard error, then an exit"


def test_as_much_of_both_outputs_is_shown_as_the_command_shows() -> None:
    right, written = b"one two three four five six seven eight", b"1ne two three four five six seven eight"
    wrong = factory.difference(right, written, 0)
    part = shown(factory.failed_case(stderr=b"", difference=wrong, repeat="./tr2b a b | od -A d -c -j 0 -N 9"))
    assert (part.got, part.expected) == ("1ne two t…", "one two t…")
    blank = shown(factory.failed_case(stderr=b"", difference=wrong, repeat="./tr2b a b | od -A d -c -j 0 -N 8"))
    assert (blank.got, blank.expected) == ("1ne two …", "one two …")
    whole = shown(factory.failed_case(stderr=b"", difference=wrong, repeat="./tr2b a b | od -c"))
    assert whole.expected == right.decode()


@pytest.mark.parametrize(
    ("differs_in", "got"), [("", "1ne two, on standard error “write failed”"), ("dst", "1ne two")]
)
def test_a_message_next_to_a_wrong_copy_is_shown_as_the_terminal_shows_it(differs_in: str, got: str) -> None:
    wrong = factory.difference(b"one two", b"1ne two", 0)
    case = factory.failed_case(
        difference=wrong, stderr=b"write failed\n", repeat="./tr2b a b | od -c", differs_in=differs_in
    )
    assert shown(case).got == got


@pytest.mark.parametrize("ending", [ENDED, STOPPED])
def test_a_report_of_an_earlier_version_does_not_say_what_a_case_expects(ending: Ending) -> None:
    demonstration = shown(refused(expect=None, ending=ending))
    assert (demonstration.got, demonstration.expected) == ("", "")


@pytest.mark.parametrize(
    ("changes", "got", "expected"),
    [
        (
            {},
            "1,222 reads of standard input for 5,000,000 bytes",
            f"5,000,001 reads for these bytes ({factory.stream().derivation})",
        ),
        (
            {"calls": 0, "bytes": 0, "deviation": "no-calls", "derived": NINE},
            "no read of standard input",
            "at most 5,000,001 reads for 9 bytes, one for each 3",
        ),
        ({"calls": 1, "stream": "stdout", "sink": "terminal"}, "1 write to a terminal for 5,000,000 bytes", None),
        ({"calls": factory.SIZE + 1}, "reads more than one byte a call", None),
        ({"expected_calls": None}, "", ""),
    ],
)  # fmt: skip
def test_calls_are_shown_with_their_numbers(changes: dict[str, object], got: str, expected: str | None) -> None:
    calls = CallsEvidence(
        streams=(factory.stream(passed=True), factory.stream(**changes)), repeat="strace ./tr2u <pattern-5m"
    )
    failed = factory.check("tr2u.syscalls", "failed", evidence=calls)
    (problem,) = problems(factory.report(checks=(failed,)))
    assert problem.demonstration is not None
    assert problem.demonstration.got == got
    assert expected in {None, problem.demonstration.expected}


def test_calls_on_another_input_than_that_of_the_command_name_their_input() -> None:
    derived = Derived(each="one for each 5", counted_bytes=5, at_most=True)
    most = factory.stream(derived=derived, expected_calls=1)
    calls = CallsEvidence(streams=(factory.stream(passed=True), most), repeat="strace ./tr2u <slice-4k")
    failed = factory.check("tr2u.syscalls", "failed", evidence=calls)
    (problem,) = problems(factory.report(checks=(failed,)))
    got = "with the input pattern-5m, 1,222 reads of standard input for 5,000,000 bytes"
    expected = "at most 1 read for these 5 bytes (one for each 5)"
    assert problem.demonstration == Demonstration("", "strace ./tr2u <slice-4k", got, expected)
    unknown = CallsEvidence(streams=(factory.stream(expected_calls=None),), repeat="strace ./tr2u <slice-4k")
    failed = factory.check("tr2u.syscalls", "failed", evidence=unknown)
    (problem,) = problems(factory.report(checks=(failed,)))
    assert problem.demonstration == Demonstration("", "strace ./tr2u <slice-4k", "", "")


@pytest.mark.parametrize(
    ("derived", "expected"),
    [
        (Derived(each="1 per read", counted_bytes=1), "1 read for this byte (1 per read)"),
        (
            Derived(each="one for each 512, and 8 more", counted_bytes=54, at_most=True),
            "at most 1 read for these 54 bytes (one for each 512, ",
        ),
        (
            Derived(each="one per newline or per 512 bytes, whichever"),
            "1 read for these bytes (one per newline or per 512 bytes, w",
        ),
    ],
)
def test_a_number_of_calls_is_derived_from_that_of_the_bytes(derived: Derived, expected: str) -> None:
    evidence = CallsEvidence(streams=(factory.stream(derived=derived, expected_calls=1),), repeat="strace ./tr2u")
    (problem,) = problems(factory.report(checks=(factory.check("tr2u.syscalls", "failed", evidence=evidence),)))
    assert problem.demonstration is not None
    assert problem.demonstration.expected.startswith(expected)


def test_functions_are_shown_by_a_search_of_the_source() -> None:
    symbols = SymbolsEvidence(found=("fread", "write"), forbidden=("fread",), missing=(("read", "readv"),))
    expected = "a call of read or readv and no call of fread"
    for program, search in (("tr2b", "grep -nwE 'fread|read|readv' tr2b.c"), ("unknown", "")):
        failed = factory.check(f"{program}.calls", "failed", evidence=symbols)
        (problem,) = problems(factory.report(checks=(failed,)))
        assert problem.demonstration == Demonstration("", search, "only calls of fread", expected)


def test_calls_that_are_never_reached_are_searched_for_themselves() -> None:
    symbols = SymbolsEvidence(found=("write",), forbidden=(), missing=(("read", "readv"),), instead=("fputs",))
    symbols = symbols.model_copy(update={"left_out": True})
    failed = factory.check("tr2b.calls", "failed", evidence=symbols)
    (problem,) = problems(factory.report(checks=(failed,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == "grep -nwE 'read' tr2b.c"


def test_what_a_small_change_repairs_is_proven_and_explains_no_other_problem() -> None:
    line = RelatedLine(file="tr2b.c", number=7, text="if (a && b)", does="is changed")
    proof = factory.proof("`||` instead of `&&`", lines=(7,))
    symptoms = [
        Symptom(id=name, program="tr2b", checks=(f"tr2b.{name}",), sentence=f"It fails {name}.") for name in "xy"
    ]
    symptoms[0] = symptoms[0].model_copy(update={"lines": (line,), "proof": proof})
    symptoms[0] = symptoms[0].advised(AdvicePart(kind="varies", text=VARIES), AdvicePart(text=proof.sentence))
    checks = tuple(factory.check(f"tr2b.{name}", "failed") for name in "xy")
    for ordered in (symptoms, symptoms[::-1]):
        report = factory.report(checks=checks).model_copy(update={"symptoms": tuple(ordered)})
        found = problems(report)
        proven = next(one for one in found if one.title == "It fails x.")
        assert (proven.certainty, proven.proof, proven.related) == ("proven", proof, ())
        assert [one.number for one in proven.lines] == [7]
        assert proven.text == VARIES
        assert may_follow(found) == ()


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-Wall -Wno-error=implicit-int -Wno-error=int-conversion", "-Wno-error=int-conversion"),
        ("-Wall -Werror -Wno-error=implicit-int", "-Wall -Werror -Wno-error=implicit-int"),
        ("-Wextra -Werror=unused-variable", "-Wextra -Werror=unused-variable"),
    ],
)
def test_options_for_warnings_are_left_out_of_the_command_unless_they_mattered(options: str, shown: str) -> None:
    build = (
        factory.report()
        .builds[0]
        .model_copy(
            update={
                "command": f"gcc -O2 {options} -o tr2b tr2b.c",
                "messages": "tr2b.c:1: warning: x [-Wint-conversion]",
            }
        )
    )
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(copied(b"a", b"", 0),)))
    (problem,) = problems(factory.report(checks=(failed,), builds=(build,)))
    assert problem.demonstration is not None
    assert problem.demonstration.compile == f"gcc -O2 {shown} -o tr2b tr2b.c"


def test_wrong_calls_are_not_the_title_of_a_proven_cause() -> None:
    calls = Symptom(
        id="system-calls", program="tr2b", checks=("tr2b.text",), sentence="tr2b: a write asks for 0 bytes."
    )
    (problem,) = problems(_proven("tr2b.error-missing", "tr2b.text", symptoms=(calls,)))
    assert problem.title == "The program crashes"


@pytest.mark.parametrize(("is_lost", "first"), [(True, "The copy loses"), (False, "tr2u: a write asks")])
def test_a_write_of_nothing_comes_after_the_bug_that_loses_a_byte(first: str, *, is_lost: bool) -> None:
    lost = copied(b"a\0b", b"ab", 1, case="nul") if is_lost else refused(case="nul")
    check = factory.check("tr2u.binary", "failed", evidence=CasesEvidence(cases=(lost,)), max_points=2.0, cause="x")
    cause = factory.cause("x", "tr2u.binary", title="The copy loses a byte")
    calls = Symptom(
        id="system-calls",
        program="tr2u",
        checks=("tr2u.syscalls",),
        sentence="tr2u: a write asks for 0 bytes.",
        cases=("nul", "letters"),
        facts=("writes-of-nothing",),
    )
    wrong_calls = factory.check("tr2u.syscalls", "failed")
    report = factory.report(checks=(check, wrong_calls), causes=(cause,), symptoms=(calls,))
    assert titles(report)[0].startswith(first)


@pytest.mark.parametrize(("other", "command"), [(b"abcc", "./tr2b c d"), (b"abc\0", "./tr2b a b")])
def test_an_end_that_depends_on_the_input_is_shown_with_one(other: bytes, command: str) -> None:
    empty = copied(b"", b"\0", 0, case="empty-input", repeat="./tr2b a b", input_size_bytes=0)
    full = copied(b"abc", other, 3, case="letters", repeat="./tr2b c d")
    check = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(empty, full)))
    (problem,) = problems(factory.report(checks=(check,)))
    assert problem.demonstration is not None
    assert problem.demonstration.lines == command


def test_a_check_that_comes_too_late_is_not_asked_for() -> None:
    cause = factory.cause("operands-not-counted", "tr2b.error-missing", title="The program crashes")
    check = factory.check("tr2b.error-missing", "failed", cause=cause.name)
    found = factory.finding("tr2b.error-missing", late_check=LateCheck(line=13, of="argc"))
    page = "## What happens\n\nIt crashes.\n\n## What to change\n\nCheck argc.\n"
    report = factory.report(checks=(check,), causes=(cause.model_copy(update={"page": page}),))
    assert [problem.next for problem in problems(report)] == ["Check argc."]
    late = problems(report.model_copy(update={"findings": (found,)}))
    assert [problem.next for problem in late] == ["Use the operands only after their check in line 13."]


def test_each_failed_check_is_in_a_problem() -> None:
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.kind-calls",), sentence="It does.", advice="Look.")
    for report in (factory.broken(symptoms=(symptom,)), factory.diagnosed(), factory.unbuilt(), factory.worst("x")):
        named = {check.id for problem in problems(report) for check in problem.checks}
        assert named == {check.id for check in report.checks if check.status == "failed"}


def test_the_advice_of_a_symptom_is_its_text() -> None:
    failed: Check = factory.check("tr2b.text", "failed")
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.text",), sentence="It does.", advice="Look.")
    (problem,) = problems(factory.report(checks=(failed,), symptoms=(symptom,)))
    assert (problem.title, problem.checks, problem.text, problem.own) == ("It does.", (failed,), "Look.", (failed,))


def _proven(own: str, other: str, **changes: object) -> Report:
    """Return a report with a proven cause that has one check of its own, and one of a symptom."""
    checks = (factory.check(own, "failed", max_points=1.0), factory.check(other, "failed"))
    cause = factory.cause("operands-not-counted", own, other, title="The program crashes", certainty="proven")
    sentence = "tr2b refuses operands."
    refuses = Symptom(
        id="refuses-valid-operands", program="tr2b", checks=(other,), sentence=sentence, cases=("one-pair",)
    )
    values: dict[str, Any] = {"checks": checks, "causes": (cause,), "symptoms": (refuses,), **changes}
    return factory.report(**values)


def test_a_proven_cause_is_named_by_what_costs_most() -> None:
    (costly,) = problems(_proven("tr2b.error-missing", "tr2b.text"))
    assert costly.title == "tr2b refuses operands"
    assert "The program crashes" in costly.text


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_cause_that_is_not_proven_keeps_its_title(certainty: str) -> None:
    report = _proven("tr2b.error-missing", "tr2b.text")
    causes = tuple(cause.model_copy(update={"certainty": certainty}) for cause in report.causes)
    assert problems(report.model_copy(update={"causes": causes}))[0].title == "The program crashes"


def test_a_proven_cause_keeps_its_title_if_most_is_lost_for_that() -> None:
    checks = (factory.check("tr2b.error-missing", "failed"), factory.check("tr2b.text", "failed", max_points=1.0))
    assert problems(_proven("tr2b.error-missing", "tr2b.text", checks=checks))[0].title == "The program crashes"


GUESSES = "## What happens\n\nIt stops. Perhaps a loop ends, or nothing is read. Look.\n\n## What to read\n"


@pytest.mark.parametrize(
    ("proof", "role", "text"),
    [
        (None, "reads", "It stops. Perhaps a loop ends, or nothing is read. Look."),
        (None, "first-round", "It stops. Look."),
        (Proof(sentence="With 1, text passes.", checks=("tr2b.text",)), "reads", "It stops. Look."),
    ],
)
def test_nothing_is_guessed_of_what_a_line_shows(proof: Proof | None, role: str, text: str) -> None:
    advice = "Do this after the loop." if role == "first-round" else ""
    line = RelatedLine(file="tr2b.c", number=9, text="return 0;", does=role, role=role, advice=advice)
    symptom = Symptom(id="stops-early", program="tr2b", checks=("tr2b.text",), sentence="", lines=(line,))
    cause = factory.cause("first-byte-only", "tr2b.text", page=GUESSES, proof=proof)
    checks = (factory.check("tr2b.text", "failed"),)
    (problem,) = problems(factory.report(checks=checks, causes=(cause,), symptoms=(symptom,)))
    assert problem.text == text


PLACE = "tr2b.c:7:9: warning: suggest parentheses around assignment used as truth value [-Wparentheses]\n"
BETWEEN = "tr2b.c:7:9: warning: suggest parentheses around '&&' within '||' [-Wparentheses]\n"
EXCERPT = "    7 |     if (c = 1)\n      |         ^\n"


@pytest.mark.parametrize(
    ("messages", "lines"), [(PLACE + EXCERPT, [7]), (BETWEEN + EXCERPT, [9]), (PLACE, [9]), ("", [9])]
)
def test_the_line_of_a_warning_is_the_place_to_begin_unless_it_may_be_right(messages: str, lines: list[int]) -> None:
    reads = RelatedLine(file="tr2b.c", number=9, text="getchar();", does="reads the input")
    symptom = Symptom(id="wrong-bytes", program="tr2b", checks=("tr2b.text",), sentence="Wrong.", lines=(reads,))
    build = BuildResult(program="tr2b", ok=True, command="gcc tr2b.c", messages=messages)
    report = factory.report(checks=(factory.check("tr2b.text", "failed"),), symptoms=(symptom,), builds=(build,))
    assert [line.number for line in problems(report)[0].related] == lines


def _wrong(  # noqa: PLR0913 - each decides whether a command shows the same again
    advice: str | Sequence[AdvicePart],
    *findings: Finding,
    role: str = "reads",
    text: str = "char t[128];",
    size_bytes: int = 3,
    repeat: str = "./tr2b a b | od -c",
    two_outputs: TwoOutputs | None = None,
) -> Problem:
    operands = (b"a" * size_bytes, b"b" * size_bytes)
    evidence = CasesEvidence(cases=(factory.failed_case(repeat=repeat, operands=operands),))
    advice_on_line = "It needs 256 elements." if role == "small" else ""
    line = RelatedLine(file="tr2b.c", number=9, text=text, does=role, role=role, advice=advice_on_line)
    symptom = Symptom(
        id="wrong-bytes",
        program="tr2b",
        checks=("tr2b.text",),
        sentence="Wrong.",
        cases=("ff-inside",),
        lines=(line,),
        two_outputs=two_outputs,
    ).advised(*([AdvicePart(text=advice)] if isinstance(advice, str) else advice))
    checks = (factory.check("tr2b.text", "failed", evidence=evidence),)
    return problems(factory.report(checks=checks, symptoms=(symptom,), findings=findings))[0]


VARYING = (AdvicePart(kind="varies", text=VARIES), AdvicePart(text="Look."))


def test_an_output_that_depends_on_memory_is_only_an_example() -> None:
    outside = factory.finding("tr2b.text", cases=("ff-inside",))
    overflow = factory.finding("tr2b.text", cases=("ff-inside",), tool="UndefinedBehaviorSanitizer")
    notes = [
        found.demonstration.note if found.demonstration else ""
        for found in (
            _wrong(VARYING),
            _wrong("Look.", outside),
            _wrong("Look.", outside.model_copy(update={"mistake": "null"})),
            _wrong("Look.", outside.model_copy(update={"mistake": "past-end", "writes": True})),
            _wrong("Look.", overflow),
            _wrong("Look.", outside.model_copy(update={"cases": ("ff-inside-too",)})),
            _wrong("Look."),
        )
    ]
    assert ["What you get may be different" in note for note in notes] == [True, True] + 5 * [False]
    assert _wrong(VARYING).text == "Look."


COUNT = "./tr2b a b | wc -c"


@pytest.mark.parametrize(
    ("mistake", "same_size", "repeat", "is_chance"),
    [
        ("unset-bytes", None, COUNT, False),
        ("unset-byte", None, COUNT, False),
        ("unset-bytes", None, "./tr2b a b | od -c", True),
        ("unset", None, COUNT, True),
        ("unset", None, "./tr2b | head -c 20000 | wc -c", False),
        (None, True, COUNT, False),
        (None, True, "./tr2b a b | od -c", True),
        (None, False, COUNT, True),
    ],
)
def test_a_number_of_bytes_is_only_an_example_if_it_may_differ(
    mistake: str | None, repeat: str, *, same_size: bool | None, is_chance: bool
) -> None:
    writes = mistake == "unset-bytes"
    found = factory.finding("tr2b.text", cases=("ff-inside",), mistake=mistake or "", writes=writes)
    two_outputs = None if same_size is None else TwoOutputs(case="ff-inside", same_size=same_size)
    shown = _wrong("Look.", *([found] if mistake else []), repeat=repeat, two_outputs=two_outputs).demonstration
    assert shown is not None
    assert ("may be different" in shown.note) is is_chance


def test_other_bytes_may_be_as_many() -> None:
    shown = _wrong(VARYING, repeat=COUNT).demonstration
    assert shown is not None
    assert shown.note == VARIES


@pytest.mark.parametrize(
    ("text", "size_bytes", "varies"),
    [
        ("for (i = 0; i < sizeof(from); i++)", 3, True),
        ("for (i = 0; i < sizeof(from); i++)", 9, False),
        ("from = malloc(sizeof from);", 3, False),
    ],
)
def test_what_a_loop_reads_after_a_short_operand_is_only_an_example(
    text: str, size_bytes: int, *, varies: bool
) -> None:
    shown = _wrong("Look.", role="pointer-size", text=text, size_bytes=size_bytes).demonstration
    assert shown is not None
    assert ("What you get may be different" in shown.note) == varies


def test_where_only_a_checker_knows_what_is_wrong_advice_is_about_that() -> None:
    begin = AdvicePart(kind="checked-line", text="A memory checker found a mistake in line 10: begin there.")
    for mistake, asks in (("unset", "Set it before it is used"), ("", "")):
        found = factory.finding("tr2b.text", cases=("ff-inside",), mistake=mistake)
        asked = _wrong([begin], found, role="small").text
        assert asks in asked
        assert bool(asked) is bool(asks)
        # General advice is worth less.
        general = AdvicePart(kind="lookup", text=LOOKUP)
        assert _wrong([begin, general], found, role="small").text == (asked or LOOKUP)
        assert _wrong([begin, AdvicePart(text="Look.")], found, role="small").text == "Look."
    shown = _wrong("Look.", factory.finding("tr2b.text", cases=("other",), mistake="unset"))
    assert shown.demonstration is not None
    assert "may be different" in shown.demonstration.note


def test_what_a_checker_found_is_shown_with_a_line_that_is_a_mistake_in_itself_only() -> None:
    outside = factory.finding("tr2b.text", cases=("ff-inside",))
    small = _wrong("Look.", outside, role="small")
    assert [line.number for line in small.related] == [9]
    assert small.begins_at_mistakes
    assert _wrong("Look.", outside).related == ()
