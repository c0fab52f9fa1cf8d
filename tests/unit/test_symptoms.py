"""What went wrong, in one sentence for each program and symptom, before any known bug is considered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, get_args

import pytest

from grader.diagnose.behaviour.advice import SANITIZE, end_of_input
from grader.diagnose.behaviour.cover import cover
from grader.diagnose.behaviour.failures import UNSORTED_OUTPUT, Failure
from grader.diagnose.behaviour.group import Key
from grader.diagnose.behaviour.merge import (
    begins_repeated,
    merge_pairs,
    merge_unreached,
    name_outputs,
    take_texts_before,
)
from grader.diagnose.behaviour.outputs import CopyRun, Kind, output_symptoms
from grader.diagnose.behaviour.sentences_on_endings import ABORTED, WAITS_AFTER_COPY
from grader.diagnose.behaviour.symptoms import with_lines, with_symptoms
from grader.diagnose.behaviour.traced_slice import programs_with_failing_calls
from grader.judge.difference import difference, output_difference
from grader.judge.facts import Facts
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import LimitHit, NotStarted, RunDone, Signalled, Times, Trace, Transfer
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import (
    Difference,
    Finding,
    Proof,
    RelatedLine,
    Report,
    SymbolsEvidence,
    Symptom,
    Window,
)
from grader.model.spec.lab import Spec
from grader.model.spec.programs import limit_words
from grader.render.views.demonstrations import demonstration

from .facts import CRASH, FAILURE, LAB, build, captured, facts, limit, run, stream, trace
from .lab import DOCUMENT, INPUTS, SPEC

TEXT, PATTERN = INPUTS["text"], INPUTS["pattern"]
MESSAGE: dict[str, Any] = {"stderr": captured(b"usage: many\n")}
HERE = GradingEnvironment("container", "sha256:1")


def explained(seen: Facts) -> Report:
    return with_symptoms(judge(seen, HERE), seen.evidence, LAB)


def symptoms(*changed: RunDone, **more: object) -> dict[str, Symptom]:
    return {symptom.id: symptom for symptom in explained(facts(*changed, **more)).symptoms}  # type: ignore[arg-type]


def only(*changed: RunDone, **more: object) -> Symptom:
    [symptom] = symptoms(*changed, **more).values()
    return symptom


@pytest.mark.parametrize(
    ("cpu_s", "slept_s", "is_said"), [(1.0, 8.5, True), (1.0, 1.0, False), (9.0, 1.0, False), (1.0, 0.0, False)]
)
def test_a_run_that_slept_says_how_little_it_computed(cpu_s: float, slept_s: float, *, is_said: bool) -> None:
    stopped = run("many.copy", TEXT[:5], ending=limit("wall")).model_copy(
        update={"times": Times(real_s=10.0, user_s=cpu_s, sys_s=0.0), "slept_s": slept_s}
    )
    said = f"In 10.0 s it had computed for {cpu_s:.1f} s."
    assert (said in only(stopped).sentence) == is_said


def test_what_is_right_has_no_symptom_and_no_hint_is_changed() -> None:
    seen = facts()
    assert explained(seen) == judge(seen, HERE)


@pytest.mark.parametrize(
    ("changed", "symptom", "said"),
    [
        (run("many.copy", ending=CRASH), "crashes", "SIGSEGV"),
        (run("many.copy", ending=limit("memory")), "uses-too-much-memory", "in the case copy"),
        (
            run("many.copy", TEXT + b"x", ending=limit("output")),
            "writes-without-end",
            "it wrote is 'x'",
        ),
        (run("many.copy", ending=limit("cpu")), "never-ends", "wrote nothing and did not end"),
        (run("many.copy", TEXT, ending=limit("cpu")), "never-ends", "copied everything and then did not end"),
        (run("many.copy", TEXT + b"x", ending=limit("wall")), "never-ends", "went on writing"),
        (run("many.copy", TEXT[:5], ending=limit("wall")), "never-ends", "did not end in time in the case copy"),
        (run("many.copy", b"?" + TEXT[:5], ending=limit("wall")), "never-ends", "did not end in the case copy"),
        (
            run("many.copy", ending=NotStarted(kind="not_started", errno=8, message="no")),
            "cannot-start",
            "started: no",
        ),
        (run("many.copy", ending=FAILURE, **MESSAGE), "refuses-valid-operands", "“usage: many” (exit status 1)"),
        (run("many.copy", stderr=captured(TEXT)), "copies-to-stderr", "standard error"),
        (run("many.copy"), "writes-nothing", "exit status 0"),
        (run("many.copy", b"Usage!", ending=FAILURE), "writes-message-instead", "“Usage!” to standard output"),
        (run("many.copy", TEXT + b"\n"), "extra-after", "then writes 1 more byte in the case copy: “\\n”"),
        (run("many.copy", b"hello" + TEXT), "extra-before", "first writes “hello” (5 bytes), and then its copy"),
        (run("many.copy", TEXT[:3]), "stops-early", "ends after 3 bytes"),
        (run("many.copy", TEXT[:-1]), "stops-early", "loses the last byte"),
        (run("many.copy", TEXT.replace(b"n", b"")), "loses-bytes", "leaves out some bytes"),
        (run("many.copy", TEXT.replace(b"n", b"m")), "wrong-bytes", "'n' should stay, but becomes 'm'"),
        (run("many.copy", b"??"), "wrong-output", "“??”"),
        (run("many.refuse", TEXT), "accepts-wrong-operands", "copies as if they were right"),
        (run("many.refuse"), "neither-copies-nor-refuses", "writes no message and ends with exit status 0"),
        (run("many.refuse", ending=FAILURE), "no-message", "without a message"),
        (run("many.refuse", **MESSAGE), "message-but-status-0", "exit status 0"),
        (run("many.refuse", TEXT, ending=FAILURE, **MESSAGE), "continues-after-message", "but goes on"),
        (
            run("many.refuse", b"bad operand\n", ending=FAILURE),
            "message-on-stdout",
            "“bad operand”",
        ),
    ],
)
def test_each_way_to_fail_is_said_in_a_sentence(changed: RunDone, symptom: str, said: str) -> None:
    found = only(changed)
    assert found.id == symptom
    assert said in found.sentence
    assert found.sentence.startswith("many ")
    assert found.advice
    assert found.checks == ("many.errors" if "refuse" in changed.step else "many.output",)


@pytest.mark.parametrize(
    ("left", "changed", "is_named"),
    [
        (1, {}, True),
        (2, {"output": TEXT[:3]}, True),
        (0, {}, False),
        (1, {"output": b"wrong"}, False),
        (1, {"output": TEXT + b"x"}, False),
        (1, {"ending": CRASH}, False),
        (1, {"ending": limit("wall")}, False),
    ],
)
def test_a_process_that_still_ran_is_the_reason_if_only_the_end_is_missing(
    left: int, changed: dict[str, Any], *, is_named: bool
) -> None:
    done = run("many.copy", **{"output": b"", **changed}, left_processes=left)
    report = explained(facts(done))
    [symptom] = report.symptoms
    assert (symptom.id == "leaves-processes") == is_named
    assert ("wait or waitpid" in symptom.advice) == is_named
    shown = demonstration(report, [check for check in report.checks if check.id in symptom.checks])
    assert shown is not None
    assert bool(shown.got) == (not left or "ending" in changed)


def test_a_process_that_still_ran_neither_fails_nor_excuses_a_case() -> None:
    assert explained(facts(run("many.copy", TEXT, left_processes=1))).symptoms == ()
    right, before, after = (
        explained(facts(*runs)).score or 0.0
        for runs in ((), (run("many.copy"),), (run("many.copy", left_processes=1),))
    )
    assert before == after < right


def test_runs_that_fail_alike_are_one_symptom_of_all_their_checks() -> None:
    extra = [run(f"many.{case}", TEXT + b"\n") for case in ("copy", "piped")]
    large = run("many.random", INPUTS["random"] + b"\n", engine="filter")
    found = symptoms(*extra, large)["extra-after"]
    assert found.checks == ("many.output", "many.large")
    assert "in every case that copies a short input" in found.sentence


@pytest.mark.parametrize(
    ("written", "accepted", "found"),
    [
        (b"o", b"qq", ["refused-while-copying"]),
        (b"o", b"tt", ["refused-while-copying", "accepts-wrong-operands"]),
        (b"?", b"qq", ["message-and-more", "accepts-wrong-operands"]),
    ],
)
def test_operands_that_are_refused_when_their_byte_is_read_are_one_problem(
    written: bytes, accepted: bytes, found: list[str]
) -> None:
    refused = {"operands": ["nn", "xy"], "input": "text", "expect": "operand-error"}
    also_refused = {**refused, "operands": [accepted.decode(), "xy"]}
    rubric = [
        {**item, "cases": ["refuse", "piped"]} if item["name"] == "errors" else item for item in DOCUMENT["rubric"]
    ]
    rubric = [{**item, "cases": ["copy"]} if item["name"] == "output" else item for item in rubric]
    cases = {**DOCUMENT["cases"], "refuse": refused, "piped": also_refused}
    spec = Spec.model_validate({**DOCUMENT, "cases": cases, "rubric": rubric})
    lab = Lab(spec, LAB.inputs, LAB.reference)
    seen = facts(run("many.refuse", written, ending=FAILURE, **MESSAGE), run("many.piped", TEXT))
    report = judge(Facts(lab, seen.submission, seen.evidence, seen.differences), HERE)
    own = [symptom for symptom in with_symptoms(report, seen.evidence, lab).symptoms if symptom.program == "many"]
    assert [symptom.id for symptom in own] == found
    assert own[0].checks == ("many.errors",)
    late = [symptom for symptom in own if symptom.id == "refused-while-copying"]
    assert all("it writes “o” first, and then a message." in symptom.sentence for symptom in late)
    assert all(("not in the input" in symptom.sentence) is (len(own) == 1) for symptom in late)


def test_the_costliest_symptom_comes_first() -> None:
    report = explained(facts(run("many.copy", b"??"), run("many.refuse", TEXT)))
    cost = {check.id: check.max_points for check in report.checks}
    costs = [sum(cost[check] for check in symptom.checks) for symptom in report.symptoms]
    assert len(costs) == len(set(report.symptoms)) > 1
    assert costs == sorted(costs, reverse=True)


def test_every_failed_check_has_a_symptom_and_a_hint() -> None:
    seen = facts(
        run("many.copy", b"??"),
        run("many.random", INPUTS["random"][:-1]),
        run("many.slice.strace", INPUTS["slice"], trace=trace(stream(9, 256, 1), stream(256, 256, 1))),
        run("single.screen.strace", INPUTS["slice"], trace=trace(stream(9, 256, 9), stream(9, 256, 9))),
        builds={"many": build("many").model_copy(update={"symbols": ("read", "write")})},
        left_out={"single.copy": "given-up", "single.pattern": "no-end"},
    )
    report = explained(seen)
    failed = {check.id for check in report.checks if check.status == "failed"}
    assert {"many.output", "many.large", "many.functions", "single.output"} <= failed
    assert {check for symptom in report.symptoms for check in symptom.checks} == failed
    assert all(check.hint for check in report.checks if check.status == "failed")


def test_a_program_that_does_not_compile_has_that_symptom_alone() -> None:
    found = only(builds={"many": build("many", FAILURE, "many.c:1:1: error: no")})
    assert (found.id, found.checks) == ("does-not-compile", ("many.build",))


def test_a_crash_with_too_few_operands_is_about_argc_and_others_about_the_line() -> None:
    document = {**DOCUMENT, "cases": {**DOCUMENT["cases"], "copy": {"operands": ["a", "b"], "input": "text"}}}
    spec = Spec.model_validate(document)

    def advice(*changed: RunDone) -> list[str]:
        seen = facts(*changed)
        report = judge(Facts(Lab(spec, LAB.inputs, LAB.reference), seen.submission, seen.evidence, {}), HERE)
        found = with_symptoms(report, seen.evidence, Lab(spec, LAB.inputs, LAB.reference)).symptoms
        assert {symptom.id for symptom in found} == {"crashes"}
        return [symptom.advice for symptom in found]

    assert advice(run("many.copy", ending=CRASH)) == [SANITIZE]
    [missing] = advice(run("many.refuse", ending=CRASH))
    assert "argc" in missing
    [told] = advice(run("many.refuse", ending=CRASH, **MESSAGE))
    assert "A message does not end a program" in told
    assert set(advice(run("many.copy", ending=CRASH), run("many.refuse", ending=CRASH))) == {SANITIZE, missing}
    aborted = Signalled(kind="signalled", signal=6)
    assert advice(run("many.copy", ending=aborted)) == [ABORTED], "an assert is no misuse of memory"


def test_a_full_size_output_is_counted_with_the_short_ones_that_may_look_like_it() -> None:
    wrong = TEXT.replace(b"n", b"m")
    large = run("many.random", b"", stdout=captured(INPUTS["random"][:-1] + b"?", kept=False))
    short = only(run("many.copy", wrong))
    seen = facts(run("many.copy", wrong), run("many.random", b"?" + INPUTS["random"][1:]))
    runs = {**seen.evidence.runs, "many.random": large.model_copy(update={"engine": "filter"})}
    evidence = seen.evidence.model_copy(update={"runs": runs})
    [*found] = explained(Facts(LAB, seen.submission, evidence, seen.differences)).symptoms
    [alike] = [symptom for symptom in found if symptom.id == short.id]
    assert alike.checks == ("many.output", "many.large")
    assert short.sentence.startswith("many writes 'm' for 'n' in the case copy.")
    assert "'m' for 'n'" not in alike.sentence, "the first byte that is wrong in the other output is not a newline"
    assert "random: different from the first byte on" in alike.sentence


def found_with(data: bytes, operands: tuple[str, ...], piped: bytes, copied: bytes) -> dict[str, tuple[str, ...]]:
    """The symptoms of `many`, if the case `piped` has other operands and another input."""
    document = {
        **DOCUMENT,
        "inputs": {**DOCUMENT["inputs"], "own": {"kind": "literal", "data": {"hex": data.hex()}}},
        "cases": {**DOCUMENT["cases"], "piped": {"operands": operands, "input": "own"}},
    }
    spec = Spec.model_validate(document)
    inputs = {**LAB.inputs, "own": data}
    right = data.translate(bytes.maketrans(*(operand.encode() for operand in operands))) if operands else data
    expected = run("many.piped", right)
    both = {step: expected.model_copy(update={"step": step}) for step in ("many.piped", "single.piped")}
    runs = {**LAB.reference.evidence.runs, **both}
    outputs = {**LAB.reference.outputs, expected.stdout.sha256: right}
    lab = Lab(spec, inputs, Reference(LAB.reference.evidence.model_copy(update={"runs": runs}), outputs))
    seen = facts(run("many.copy", copied), run("many.piped", piped))
    different = output_difference(lab, seen.evidence.runs["many.piped"], expected, piped)
    differences = {step: one for step, one in seen.differences.items() if step != "many.piped"}
    if different is not None:
        differences["many.piped"] = different
    report = judge(Facts(lab, seen.submission, seen.evidence, differences), HERE)
    after = with_symptoms(report, seen.evidence, lab)
    return {symptom.id: symptom.checks for symptom in after.symptoms if symptom.program == "many"}


def test_what_stops_at_the_first_byte_stops_also_where_it_is_the_first() -> None:
    assert "writes-nothing" in found_with(b"\n\n", (), b"", TEXT)
    both = found_with(b"\n\n", (), b"", TEXT[:3])
    assert "writes-nothing" not in both
    assert "stops-early" in both


def test_what_is_written_around_nothing_comes_where_it_comes_elsewhere() -> None:
    assert [*found_with(b"", (), b"more", TEXT)] == ["extra-after"]
    assert [*found_with(b"", (), b"more", TEXT + b"more")] == ["extra-after"]
    assert [*found_with(b"", (), b"more", b"more" + TEXT)] == ["extra-before"]


@pytest.mark.parametrize(("extra", "is_the_same"), [(b"?", True), (b"??", False)])
def test_a_terminal_that_gets_too_many_bytes_has_what_follows_every_copy(extra: bytes, *, is_the_same: bool) -> None:
    data = INPUTS["slice"]
    more = run("many.screen", stdout=captured(data + extra, kept=False))
    logged = run("many.screen.strace", stdout=captured(data + extra, kept=False), trace=trace(None, None))
    seen = facts(run("many.copy", TEXT + b"?"), run("many.piped", TEXT[:3]), more, logged)
    where = difference(data, data + extra, data)
    assert where is not None
    differences = {**seen.differences, "many.screen": where, "many.screen.strace": where}
    found = explained(Facts(LAB, seen.submission, seen.evidence, differences)).symptoms
    terminal = {symptom.id for symptom in found if "many.terminal" in symptom.checks}
    assert terminal == {"extra-after" if is_the_same else "wrong-output"}


def test_an_output_that_is_stopped_while_every_byte_is_repeated_is_no_problem_of_its_own() -> None:
    twice = b"".join(bytes([byte]) * 2 for byte in TEXT)
    flood = b"".join(bytes([byte]) * 2 for byte in INPUTS["random"])
    stopped = run("many.random", engine="filter", stdout=captured(flood, kept=False), ending=limit("output"))
    seen = facts(run("many.copy", twice), stopped)
    where = difference(INPUTS["random"], flood, INPUTS["random"])
    assert where is not None
    differences = {**seen.differences, "many.random": where}
    found = explained(Facts(LAB, seen.submission, seen.evidence, differences)).symptoms
    assert [(symptom.id, set(symptom.checks)) for symptom in found] == [
        ("each-byte-repeated", {"many.output", "many.large"})
    ]


@pytest.mark.parametrize(
    ("kind", "written", "is_alike"),
    [
        (Kind("each-byte-repeated", b"2"), b"--xxyy", True),
        (Kind("each-byte-repeated", b"2"), b"--xyyy", False),
        (Kind("extra-after-each", b"?!"), b"-?!x?!y?", True),
        (Kind("extra-after-each", b"?!"), b"-?!x!?y?", False),
        (Kind("more-after-each", b"3"), b"-?!x!?y?", True),
        (Kind("more-after-each", b"3"), b"-?!?x?y?", False),
        (Kind("one-for-each-pair"), b"---xaabyb", True),
        (Kind("one-for-each-pair"), b"---xacbyb", False),
        (Kind("one-for-each-pair"), b"-a-", False),
    ],
)
def test_an_output_that_was_stopped_begins_as_others_are(kind: Kind, written: bytes, *, is_alike: bool) -> None:
    report = explained(facts(run("many.copy", b"??")))
    [check] = [check for check in report.checks if check.status == "failed"]
    where = difference(b"-xy", written, b"-ab")
    assert begins_repeated(Failure(check, "copy", (b"abc", b"xyz"), difference=where), kind) is is_alike


def test_bytes_of_memory_after_each_byte_are_one_problem() -> None:
    def garbage(data: bytes, first: int) -> bytes:
        return b"".join(bytes([byte, (first + at) % 256, (first * 3 + at) % 256]) for at, byte in enumerate(data))

    seen = facts(
        run("single.copy", garbage(TEXT, 7)),
        run("single.piped", garbage(TEXT, 99)),
        run("single.slice.strace", garbage(INPUTS["slice"], 50), trace=trace(None, None)),
    )
    found = [one for one in explained(seen).symptoms if one.id != "system-calls"]
    assert [one.id for one in found] == ["more-after-each"]
    assert "2 more bytes after each byte" in found[0].sentence


@pytest.mark.parametrize(("nbyte", "symptom"), [(4, "extra-after-each"), (2, "system-calls")])
def test_calls_that_ask_for_too_many_bytes_are_no_problem_of_their_own(nbyte: int, symptom: str) -> None:
    text, copied = (b"".join(bytes([byte]) + b"\0\0\0" for byte in data) for data in (TEXT, INPUTS["slice"]))
    size_bytes = len(INPUTS["slice"])
    log = trace(stream(size_bytes + 1, size_bytes, 1), stream(size_bytes, 4 * size_bytes, nbyte))
    seen = facts(run("single.copy", text), run("single.slice.strace", copied, trace=log))
    found = {check: one.id for one in explained(seen).symptoms for check in one.checks}
    assert found["single.output"] == "extra-after-each"
    assert found["single.syscalls"] == symptom


@pytest.mark.parametrize(("more", "symptoms"), [(0, {"extra-after-each"}), (1, {"extra-after-each", "system-calls"})])
def test_totals_of_calls_that_ask_for_too_many_bytes_are_no_problem_of_their_own(
    more: int, symptoms: set[str]
) -> None:
    size_bytes = len(INPUTS["slice"])
    copied = b"".join(bytes([byte]) + b"?" for byte in INPUTS["slice"])
    log = trace(stream(size_bytes + 1, size_bytes, 1), stream(size_bytes, 2 * size_bytes, 2))
    large = b"".join(bytes([byte]) + b"?" for byte in INPUTS["random"])
    reads = stream(len(INPUTS["random"]) + 1, len(INPUTS["random"]), 1)
    totals = trace(reads, stream(len(INPUTS["random"]) + more, len(large)))
    seen = facts(
        run("single.copy", b"".join(bytes([byte]) + b"?" for byte in TEXT)),
        run("single.slice.strace", copied, trace=log),
        run("single.random", engine="filter", stdout=captured(large, kept=False), trace=totals),
    )
    found = explained(seen).symptoms
    assert {one.id for one in found if "single.syscalls" in one.checks} == symptoms - (
        {"extra-after-each"} if more else set()
    )
    assert {one.id for one in found} >= symptoms


def test_a_copy_to_standard_error_that_is_stopped_is_no_problem_of_its_own() -> None:
    flood: dict[str, Any] = {
        "engine": "filter",
        "stderr": captured(INPUTS["random"], kept=False),
        "ending": limit("output"),
    }
    found = only(run("many.copy", stderr=captured(TEXT)), run("many.random", **flood))
    assert (found.id, found.checks) == ("copies-to-stderr", ("many.output", "many.large"))


def test_the_calls_of_a_run_that_wrote_nothing_are_not_those_of_one_that_wrote_something() -> None:
    silent = trace(stream(9, 256, 9), stream(0, 0)).model_copy(
        update={"transfers": (Transfer(name="read", descriptor=0, on_stream=True, calls=9, bytes=256, errors={}),)}
    )
    slice_runs = [run("many.slice"), run("many.slice.strace", trace=silent)]
    assert "makes no write" in only(run("many.copy"), run("many.piped"), *slice_runs).sentence
    early = symptoms(run("many.copy", TEXT[:3]), *slice_runs)["stops-early"]
    assert "makes no write" not in early.sentence


def test_a_crash_is_the_reason_that_a_program_has_not_written() -> None:
    silent = trace(stream(9, 256, 9), stream(0, 0)).model_copy(
        update={"transfers": (Transfer(name="read", descriptor=0, on_stream=True, calls=9, bytes=256, errors={}),)}
    )
    crashed = [run(f"many.{case}", ending=CRASH) for case in ("copy", "piped", "slice")]
    found = symptoms(*crashed, run("many.slice.strace", ending=CRASH, trace=silent))["crashes"]
    assert "makes no write" not in found.sentence
    assert "_exit" not in found.advice


def test_the_programs_of_which_a_call_fails_where_the_reference_s_does_not() -> None:
    failing = Transfer(name="read", descriptor=0, on_stream=True, calls=1, bytes=0, errors={"EBADF": 1})
    log = trace(stream(1, 0), stream(0, 0)).model_copy(update={"transfers": (failing,)})
    seen = facts(run("many.slice.strace", trace=log))
    assert programs_with_failing_calls(seen.evidence, LAB) == {"many"}
    assert programs_with_failing_calls(facts().evidence, LAB) == frozenset()


def test_it_is_said_which_pair_is_not_translated() -> None:
    assert [*found_with(b"abc", ("abc", "xyz"), b"xbc", TEXT)] == ["only-first-pair"]
    assert [*found_with(b"abc", ("abc", "xyz"), b"abz", TEXT)] == ["only-last-pair"]
    assert [*found_with(b"abc", ("abc", "xyz"), b"xyc", TEXT)] == ["not-last-pair"]


@pytest.mark.parametrize(
    ("why", "advice"), [("given-up", end_of_input({"getc"})), ("no-end", ""), ("submission-time", "")]
)
def test_what_was_not_run_is_advised_about_its_end_only_if_runs_did_not_end(why: str, advice: str) -> None:
    found = symptoms(left_out={"many.copy": why})
    [symptom] = [one for one in found.values() if one.id.startswith("not-run")]
    assert symptom.advice == advice
    hung = symptoms(run("many.slice", ending=limit("cpu")), left_out={"many.random": "no-end"})
    assert hung["not-run-without-end"].advice == end_of_input({"getc"})


def test_what_students_must_not_see_has_a_symptom_of_its_own() -> None:
    rubric = [{**item, "visibility": "hidden"} if item["name"] == "errors" else item for item in DOCUMENT["rubric"]]
    spec = Spec.model_validate({**DOCUMENT, "rubric": rubric})
    seen = facts(run("many.copy", ending=CRASH), run("many.refuse", ending=CRASH))
    lab = Lab(spec, LAB.inputs, LAB.reference)
    report = judge(Facts(lab, seen.submission, seen.evidence, seen.differences), HERE)
    found = with_symptoms(report, seen.evidence, Lab(spec, LAB.inputs, LAB.reference)).symptoms
    visible, hidden = sorted(found, key=lambda symptom: "many.errors" in symptom.checks)
    assert "refuse" not in f"{visible.sentence} {visible.checks}"
    assert hidden.checks == ("many.errors",)


def test_the_lab_of_these_tests_is_the_one_that_facts_describe() -> None:
    assert SPEC is LAB.spec
    assert len(PATTERN) == len(INPUTS["random"])


def test_which_pairs_are_translated_is_said_only_if_it_is_so_everywhere() -> None:
    copies = [CopyRun((b"abc", b"xyz"), b"abc", b"xyz", actual) for actual in (b"xbc", b"xyc", b"ayz")]
    report = explained(facts(run("many.copy", b"??")))
    [check] = [check for check in report.checks if check.status == "failed"]
    keys = [Key("many", "visible", output_symptoms(copy)[0]) for copy in copies]
    assert [key.kind.id for key in keys] == ["only-first-pair", "not-last-pair", "not-translated"]
    failures = [Failure(check, "copy", copy.operands, None, copy) for copy in copies]
    for chosen in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        groups = {keys[number]: [failures[number]] for number in chosen}
        merge_pairs(groups)
        assert groups == {
            keys[2]: [failures[number] for number in sorted(chosen, key=lambda number: (number != 2, number))]
        }
    for number in range(3):
        groups = {keys[number]: [failures[number]]}
        merge_pairs(groups)
        assert groups == {keys[number]: [failures[number]]}


@pytest.mark.parametrize(
    ("left_out", "written", "moved"), [(True, b"", True), (False, b"", False), (True, b"x", False)]
)
def test_calls_after_a_loop_that_never_ends_are_not_a_mistake_of_their_own(
    written: bytes, *, left_out: bool, moved: bool
) -> None:
    report = explained(facts(run("many.copy", b"??")))
    [check] = [check for check in report.checks if check.status == "failed"]
    symbols = SymbolsEvidence(found=(), forbidden=(), missing=(("read",),), left_out=left_out)
    unreached = check.model_copy(update={"id": "many.calls", "evidence": symbols})
    stopped = Failure(check, "copy", (b"ab", b"xy"), run("many.copy", written, ending=limit("cpu")), None)
    calls = Failure(unreached, "", (), None, None)
    endless, functions = (Key("many", "visible", Kind(name)) for name in ("never-ends", "functions"))
    groups = {functions: [calls], endless: [stopped]}
    merge_unreached(groups)
    assert groups == ({endless: [stopped, calls]} if moved else {functions: [calls], endless: [stopped]})


@pytest.mark.parametrize(
    ("begins", "size_bytes", "taken"),
    [(b"Debug: 26", 900, True), (b"Debut: 26", 900, False), (b"Debug: 26", 300, False)],
)
def test_a_large_output_that_begins_like_the_small_ones_is_one_of_them(
    begins: bytes, size_bytes: int, *, taken: bool
) -> None:
    [check] = [check for check in explained(facts(run("many.copy", b"??"))).checks if check.status == "failed"]
    small = [to_xyz(data, text + data.translate(bytes.maketrans(*TO_XYZ))) for data, text in
             ((b"abc", b"Debug: 3\n"), (b"-b-", b"Debug: 1 2\n"))]  # fmt: skip
    window = Window(offset=0, data=begins)
    seen = Difference(
        offset=0, expected_size_bytes=500, actual_size_bytes=size_bytes, input_byte=None, expected=window,
        actual=window, summary="",
    )  # fmt: skip
    large = Failure(check, "random", TO_XYZ, None, None, difference=seen)
    # To a terminal: only the size of the output is known.
    typed = Failure(check, "typed", TO_XYZ, None, None, surplus_bytes=400)
    more = replace(typed, surplus_bytes=401)
    other = Failure(check, "copy", TO_XYZ, None, to_xyz(b"ab", b"?"))
    before, wrong = (Key("many", "visible", Kind(name)) for name in ("extra-before", "wrong-output"))
    of_small = [Failure(check, "copy", one.operands, None, one) for one in small]
    groups = {before: [*of_small], wrong: [other, typed, more, large]}
    take_texts_before(groups, wrong)
    assert groups == (
        {before: [*of_small, large, typed], wrong: [other, more]}
        if taken
        else {before: of_small, wrong: [other, typed, more, large]}
    )


def test_a_memory_error_does_not_replace_what_a_small_change_proves() -> None:
    report = explained(facts(run("many.copy", b"??")))
    [symptom] = report.symptoms
    line = RelatedLine(file="many.c", number=3, text="i < 9", does="is changed")
    proven = symptom.model_copy(update={"advice": "x", "lines": (line,), "proof": Proof(sentence="x", checks=())})
    found = finding(*symptom.checks)
    for one, kept in ((symptom, False), (proven, True)):
        [after] = with_lines(report.model_copy(update={"symptoms": (one,), "findings": (found,)})).symptoms
        assert (after.advice == one.advice) == kept


def finding(*checks: str, hidden: bool = False, program: str = "many", case: str = "copy") -> Finding:
    return Finding(
        program=program,
        tool="valgrind",
        line=7,
        message="m",
        file="many.c",
        source=(),
        checks=checks,
        cases=(case,),
        hidden=hidden,
    )


def test_a_line_that_a_memory_checker_found_is_what_to_look_at_next() -> None:
    before = explained(facts(run("many.copy", ending=CRASH), run("many.refuse", TEXT)))
    found = with_lines(before.model_copy(update={"findings": (finding("many.output"),)}))
    advice = {symptom.id: symptom.advice for symptom in found.symptoms}
    assert advice["crashes"] == "A memory checker found a mistake in line 7 of many.c: begin there."
    hints = {check.id: check.hint for check in found.checks}
    assert hints["many.output"] == advice["crashes"]
    assert advice["accepts-wrong-operands"] == hints["many.errors"] == "about errors"
    added = with_lines(before.model_copy(update={"findings": (finding("many.errors", case="refuse"),)})).symptoms
    [line] = [symptom.advice for symptom in added if symptom.id == "accepts-wrong-operands"]
    assert line.startswith("A memory checker found")
    assert line.endswith(" about errors")
    before_copy = explained(facts(run("many.copy", b"debug" + TEXT)))
    unlike = before_copy.model_copy(update={"findings": (finding("many.output"),)})
    assert with_lines(unlike) == unlike, "what comes before a right copy is no mistake in memory"
    for other in (
        finding("many.large"),
        finding("many.output", hidden=True),
        finding("many.output", program="single"),
        finding("many.output", case="piped"),
    ):
        unchanged = before.model_copy(update={"findings": (other,)})
        assert with_lines(unchanged) == unchanged


def alike(*copies: tuple[int, CopyRun]) -> list[str]:
    """The symptoms of so many runs that look like each of these."""
    runs = [copy for number, copy in copies for _ in range(number)]
    found = cover(runs)
    assert sorted(place for places in found.values() for place in places) == list(range(len(runs)))
    return sorted(symptom.id for symptom in found)


TO_XYZ = (b"abc", b"xyz")
DROPS_FF = CopyRun(TO_XYZ, b"a\xffb", b"x\xffy", b"xy")
ENDS_IN_FF = CopyRun(TO_XYZ, b"ab\xff", b"xy\xff", b"xy")
UNCHANGED = CopyRun(TO_XYZ, b"abc", b"xyz", b"abc")
HIGH_UNCHANGED = CopyRun((b"\xe9", b"x"), b"a\xe9", b"ax", b"a\xe9")
HIGH_PAIRS = CopyRun((b"\xe9\xea", b"xy"), b"a\xe9\xea", b"axy", b"a\xe9\xea")
LAST_MISSING = CopyRun(TO_XYZ, b"abc", b"xyz", b"xyc")
DOUBLED = CopyRun(TO_XYZ, b"ab", b"xy", b"xxyy")
ALL_ALIKE = CopyRun(TO_XYZ, b"aa", b"xx", b"xxxx")


def test_a_run_that_could_show_two_symptoms_counts_with_the_one_that_others_show() -> None:
    assert alike((1, DROPS_FF), (2, ENDS_IN_FF)) == ["drops-bytes"]
    assert alike((3, ENDS_IN_FF)) == ["stops-early"]
    assert alike((3, CopyRun(TO_XYZ, b"abcabc", b"xyzxyz", b"xy")), (1, ENDS_IN_FF)) == ["stops-early"]
    assert alike((3, CopyRun(TO_XYZ, b"-a-a", b"-x-x", b"-x"))) == ["stops-after-match"]
    ends_after_one = [(3, CopyRun(TO_XYZ, b"ab", b"xy", b"x")), (1, CopyRun(TO_XYZ, b"-abc", b"-xyz", b"-"))]
    assert alike(*ends_after_one) == ["stops-early"]
    assert alike((3, UNCHANGED), (1, HIGH_UNCHANGED)) == ["copies-unchanged"]
    assert alike((3, LAST_MISSING), (1, HIGH_PAIRS)) == ["high-bytes-not-found", "not-last-pair"]
    assert alike((3, LAST_MISSING), (1, HIGH_UNCHANGED)) == ["not-last-pair"]
    assert alike((3, DOUBLED), (1, ALL_ALIKE)) == ["each-byte-repeated"]
    assert alike((3, UNCHANGED), (1, DOUBLED)) == ["copies-unchanged", "each-byte-repeated"]


def both(copied: bytes) -> Symptom:
    """The symptom of a program that copies the same input to the same output twice."""
    return only(run("many.copy", copied), run("many.piped", copied))


def test_a_byte_is_only_blamed_if_no_right_output_has_it() -> None:
    assert "stops at the first newline" in both(TEXT[:3]).sentence
    assert "leaves out 'n' wherever it is" in both(TEXT.replace(b"n", b"")).sentence


def named(*copies: CopyRun) -> set[tuple[str, str]]:
    """The symptoms of one program's outputs, and what they are described apart from."""
    [check] = [check for check in explained(facts(run("many.copy", b"??"))).checks if check.status == "failed"]
    groups = {Key("many", "visible", UNSORTED_OUTPUT): [Failure(check, "copy", c.operands, None, c) for c in copies]}
    name_outputs(groups, {})
    assert sum(map(len, groups.values())) == len(copies)
    return {(key.kind.id, key.kind.text) for key in groups}


def to_xyz(data: bytes, actual: bytes) -> CopyRun:
    return CopyRun(TO_XYZ, data, data.translate(bytes.maketrans(*TO_XYZ)), actual)


def test_what_surrounds_each_copy_is_taken_off_before_the_rest_is_described() -> None:
    prompt = [to_xyz(data, b"Text: " + data.translate(bytes.maketrans(*TO_XYZ))) for data in (b"abc", b"-b-")]
    assert named(*prompt) == {("extra-before", "")}
    assert named(*prompt, to_xyz(b"ab\xffcab", b"Text: xy")) == {("extra-before", ""), ("stops-early", "first")}
    assert named(*prompt, to_xyz(b"abcc", b"?")) == {("extra-before", ""), ("wrong-output", "")}
    ended = to_xyz(b"abc", b"xyz!"), to_xyz(b"ab--cab", b"xy!")
    assert named(*ended) == {("extra-after", ""), ("stops-early", "last")}


def test_a_byte_of_the_copy_is_not_taken_for_what_follows_each_copy() -> None:
    """Of two newlines at the end of an output that is cut short, the first is that of the input."""
    copies = [to_xyz(b"abc", b"xyz\n"), to_xyz(b"ab\ncab", b"xy\n\n")]
    [check] = [check for check in explained(facts(run("many.copy", b"??"))).checks if check.status == "failed"]
    groups = {Key("many", "visible", UNSORTED_OUTPUT): [Failure(check, "copy", c.operands, None, c) for c in copies]}
    name_outputs(groups, {})
    [[cut]] = [failures for key, failures in groups.items() if key.kind.text == "last"]
    assert cut.copy is not None
    assert cut.copy.actual == b"xy\n"


def test_an_end_is_described_apart_from_bytes_that_are_wrong_elsewhere() -> None:
    nul = [
        to_xyz(data, bytes(b"xyz"[b"abc".index(c)] if c in b"abc" else 0 for c in data)) for data in (b"a-b ", b"-c")
    ]
    assert named(*nul) == {("other-bytes-become-one", "")}
    assert named(*nul, to_xyz(b"a-b+cab", b"x\0y")) == {("other-bytes-become-one", ""), ("stops-early", "wrong")}


def of_slice(**more: object) -> Trace:
    return trace(stream(1, 0, 1), stream(0, 0)).model_copy(update=more)


def test_a_failing_call_is_reported_with_what_it_leads_to() -> None:
    read = Transfer(name="read", descriptor=0, on_stream=True, calls=1, bytes=0, errors={"EFAULT": 1})
    nothing = [run(f"many.{case}") for case in ("copy", "piped", "slice")]
    found = symptoms(*nothing, run("many.slice.strace", trace=of_slice(transfers=(read,))))["writes-nothing"]
    assert "Under strace, its only read of descriptor 0, standard input, fails (EFAULT" in found.sentence
    assert "&c" in found.advice
    # A program that fails in another way in the traced run fails for another reason.
    only_here = run("many.slice.strace", INPUTS["slice"], trace=of_slice(transfers=(read,)))
    assert "strace," not in symptoms(*nothing[:1], only_here)["writes-nothing"].sentence


def test_a_program_that_waits_is_told_from_one_that_computes() -> None:
    waits: dict[str, Any] = {"times": Times(real_s=10.0, user_s=0.01, sys_s=0.01)}
    computes: dict[str, Any] = {"times": Times(real_s=10.0, user_s=9.0, sys_s=0.1)}
    assert "waiting, not computing" in only(run("many.copy", ending=limit("wall"), **waits)).sentence
    assert "waiting" not in only(run("many.copy", ending=limit("wall"), **computes)).sentence


LIMITS_OF_PROGRAMS = [hit for hit in get_args(LimitHit) if hit != "log"]


@pytest.mark.parametrize("output", [b"", TEXT[:5], TEXT, TEXT + b"x"])
@pytest.mark.parametrize("hit", LIMITS_OF_PROGRAMS)
def test_each_limit_is_named_with_its_value_and_key(hit: LimitHit, output: bytes) -> None:
    key, value = limit_words(SPEC.limits.small, "limits.small", hit)
    for more in ({}, {"times": Times(real_s=SPEC.limits.small.wall_s, user_s=0.01, sys_s=0.0)}):
        stopped = only(run("many.copy", output, ending=limit(hit), **more))
        assert stopped.sentence.count(f"stopped after {value} ({key}") == 1
        assert "does not end" not in stopped.sentence


@pytest.mark.parametrize("hit", LIMITS_OF_PROGRAMS)
def test_who_may_need_more_than_a_limit_is_told_whom_to_ask(hit: LimitHit) -> None:
    key, _ = limit_words(SPEC.limits.full, "limits.full", hit)
    times = Times(real_s=SPEC.limits.full.wall_s, user_s=1.0, sys_s=0.0)
    found = only(run("many.random", stdout=captured(b"", kept=False), ending=limit(hit), times=times))
    assert f"({key})" in found.sentence
    assert f"a higher {key}" in found.advice


def test_runs_that_were_stopped_sooner_are_not_said_to_have_reached_the_limit() -> None:
    times = Times(real_s=1.0, user_s=1.0, sys_s=0.0)
    soon = run("many.copy", ending=limit("wall"), times=times)
    assert "It was stopped after 1.0 s." in only(soon).sentence
    first = run("many.piped", ending=limit("cpu"))
    assert "of computing (limits.small.cpu_s) or less." in only(soon, first).sentence


def test_a_program_that_waits_after_its_copy_is_not_asked_what_it_reads() -> None:
    waits: dict[str, Any] = {"times": Times(real_s=10.0, user_s=0.01, sys_s=0.01)}
    after = only(run("many.copy", TEXT, ending=limit("wall"), **waits))
    assert "copied everything and then did not end" in after.sentence
    assert "It was waiting, not computing, when it was stopped after " in after.sentence
    assert after.advice == WAITS_AFTER_COPY
    assert only(run("many.copy", TEXT[:5], ending=limit("wall"), **waits)).advice != WAITS_AFTER_COPY


def test_a_full_stack_is_reported() -> None:
    found = only(run("many.copy", ending=CRASH, peak_memory_bytes=9_400_000))
    assert "It used 9 MB of memory before that" in found.sentence
    assert "calls itself" in found.advice
    assert "MB" not in only(run("many.copy", ending=CRASH, peak_memory_bytes=1_000_000)).sentence


def test_outputs_that_differ_from_run_to_run_are_reported() -> None:
    wrong = run("many.copy", TEXT.replace(b"n", b"m"))
    unlike = run("many.slice", b"a"), run("many.slice.strace", b"b", trace=of_slice())

    def said(*changed: RunDone) -> str:
        return symptoms(*changed)["wrong-bytes"].sentence

    assert "Two runs of slice wrote different outputs of the same size." in said(wrong, *unlike)
    longer = run("many.slice", b"aa")
    assert "Two runs of slice wrote different outputs." in said(wrong, longer, unlike[1])
    assert "Two runs" not in said(wrong)


def test_operands_that_a_program_without_end_should_refuse_are_named() -> None:
    found = only(run("many.refuse", ending=limit("output")))
    assert found.id == "writes-without-end"
    assert "should have refused the operands before, in refuse" in found.sentence


def refused(*changed: RunDone, texts: Collection[bytes] = ()) -> Symptom:
    """The symptom of the operands of `many` that should be refused, if these texts are in its source."""
    seen = facts(*changed)
    found = with_symptoms(judge(seen, HERE), seen.evidence, LAB, {"many": texts}).symptoms
    return next(symptom for symptom in found if "many.errors" in symptom.checks)


def test_a_message_on_standard_output_with_status_0_needs_both_changes() -> None:
    assert "exit(1)" in refused(run("many.refuse", b"bad operand\n"), texts=[b"bad operand"]).advice
    assert "exit(1)" not in refused(run("many.refuse", b"bad operand\n", ending=FAILURE)).advice


BAD = run("many.refuse", b"bad operand\n")
BAD_STATUS = BAD.model_copy(update={"ending": FAILURE})
PROMPT: dict[str, Any] = {"stderr": captured(b"reading\n")}


@pytest.mark.parametrize(
    ("runs", "texts", "is_message"),
    [
        ([BAD], [b"bad operand"], True),
        ([BAD], [], False),
        ([BAD], [b"other"], False),
        ([BAD_STATUS], [], True),
        # Runs with right operands show the same.
        ([BAD, run("many.copy", b"bad operand\n")], [b"bad operand"], False),
        ([BAD_STATUS, run("many.copy", TEXT, ending=FAILURE)], [], False),
        ([BAD_STATUS, run("many.copy", b"bad operand", ending=FAILURE)], [b"bad operand"], True),
        # The text comes from the input.
        ([run("many.refuse", b"newline")], [b"newline"], False),
    ],
)
def test_only_what_is_shown_to_be_a_message_is_called_one(
    runs: list[RunDone], texts: list[bytes], *, is_message: bool
) -> None:
    found = refused(*runs, texts=texts)
    assert found.id == ("message-on-stdout" if is_message else "accepts-wrong-operands")
    assert ("reports" in found.sentence) is is_message
    if not is_message:
        assert found.sentence.startswith("many does not refuse wrong operands in the case refuse. ")
        assert "to standard output and nothing to standard error (exit status " in found.sentence


@pytest.mark.parametrize(
    ("refuse", "copy"), [(PROMPT, PROMPT), (PROMPT, {}), ({**PROMPT, "ending": FAILURE}, PROMPT)]
)
@pytest.mark.parametrize("output", [TEXT, b"x"])
def test_what_goes_to_standard_error_in_every_run_is_no_message_about_operands(
    refuse: dict[str, Any], copy: dict[str, Any], output: bytes
) -> None:
    found = refused(run("many.refuse", output, **refuse), run("many.copy", TEXT, **copy))
    assert (found.id == "accepts-wrong-operands") is (refuse == copy)


@pytest.mark.parametrize("size_bytes", [0, 5, len(INPUTS["random"]) + 1])
def test_a_large_output_of_a_program_that_computes_a_text_is_no_copy(size_bytes: int) -> None:
    spec = SPEC.model_copy(update={"rubric": tuple(item for item in SPEC.rubric if item.name == "large")})
    outputs = dict.fromkeys(LAB.reference.outputs, b"a text")
    lab = Lab(spec, LAB.inputs, Reference(LAB.reference.evidence, outputs))
    assert not lab.translates
    written = (INPUTS["random"] + b"!")[:size_bytes]
    seen = facts(run("many.random", written, engine="filter"))
    report = judge(Facts(LAB, seen.submission, seen.evidence, seen.differences), HERE)
    [large] = [check for check in report.checks if check.id == "many.large"]
    found = with_symptoms(report.model_copy(update={"checks": (large,)}), seen.evidence, lab).symptoms
    assert [symptom.id.startswith("text-") for symptom in found] == [True]
    assert "cop" not in found[0].sentence.split(".")[0]


def test_a_short_output_counts_with_one_of_many_bytes_if_others_show_that() -> None:
    many = to_xyz(b"aabbccaabb", b"xyzxy")
    short = [to_xyz(b"abc-", b"y-"), to_xyz(b"---", b"--")]
    assert cover([many, many, *short]) == {Kind("one-of-many-written", b"2"): [0, 1, 2, 3]}
    assert Kind("one-of-many-written", b"2") not in cover(short)


def test_outputs_that_end_at_the_same_byte_name_it() -> None:
    at_z = [CopyRun(TO_XYZ, text, right, right[: text.index(b"z")]) for text, right in TEXTS_WITH_Z]
    assert cover(at_z) == {Kind("stops-early", b"z"): [0, 1, 2]}
    assert cover(at_z[:2]) == {Kind("stops-early"): [0, 1]}, "two may end there for another reason"
    assert cover(at_z, [to_xyz(b"az", b"xz")]) == {Kind("stops-early"): [0, 1, 2]}, "it copied this one"
    after_z = [CopyRun(TO_XYZ, text, right, right[: text.index(b"z") + 1]) for text, right in TEXTS_WITH_Z]
    assert cover(after_z) == {Kind("stops-after-byte", b"z"): [0, 1, 2]}
    same_place = [at_z[0]] * 3
    assert Kind("stops-early", b"z") not in cover(same_place), "it may be the place, and not the byte"


TEXTS_WITH_Z = ((b"abz--a", b"xyz--x"), (b"- - az-bb", b"- - xz-yy"), (b"bbbaz--", b"yyyxz--"))
