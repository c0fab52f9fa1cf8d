"""What is said of failures, and what to look at next: only what the runs of one program show together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from grader.diagnose.behaviour.advice import (
    BUFFERS,
    EOF_LOOKED_UP,
    EVERY_CASE,
    INTO_INT,
    LOOKUP,
    SANITIZE,
    SymptomText,
)
from grader.diagnose.behaviour.failures import FEW_OPERANDS, MANY_OPERANDS, Failure
from grader.diagnose.behaviour.group import PASTED_CHARS, Group, Key, shown_first
from grader.diagnose.behaviour.merge import merge
from grader.diagnose.behaviour.operand_names import FIRST, SECOND, UNNAMED, named
from grader.diagnose.behaviour.outputs import CopyRun, Kind
from grader.diagnose.behaviour.sentences import about, words_for
from grader.diagnose.behaviour.sentences_on_endings import ABORTED, OWN_ABORT
from grader.diagnose.behaviour.sentences_on_operands import OF_OPERANDS
from grader.model.evidence import Exited, LimitHit, Signalled
from grader.model.report import CaseResult, CasesEvidence, Check, Difference, Stream, StreamJudgement, Window

from .facts import CRASH, LAB, SUCCESS, captured, evidence, limit, run

Operands = tuple[bytes, ...]


def check(*refused: Operands, hidden: Operands | None = None) -> Check:
    """A failed check whose other cases refuse these operands, one of them where students do not see it."""
    cases = [(operands, False) for operands in refused] + ([] if hidden is None else [(hidden, True)])
    results = (
        CaseResult(
            case=str(number),
            operands=operands,
            input="text",
            input_size_bytes=1,
            sink="file",
            passed=True,
            problem="",
            ending=None,
            stderr=b"",
            hidden=is_hidden,
        )
        for number, (operands, is_hidden) in enumerate(cases)
    )
    return Check(
        id="tr2b.errors",
        program="tr2b",
        title="",
        status="failed",
        points=0,
        max_points=1,
        cause=None,
        message="",
        hint="",
        evidence=CasesEvidence(kind="cases", cases=tuple(results)),
    )


NAMES = ("FROM", "TO")


def words(kind: Kind, *failures: Failure, **more: object) -> SymptomText:
    return words_for(Group("tr2b", kind, failures, **{"operand_names": NAMES, **more}))  # type: ignore[arg-type]


def copied(copy: CopyRun, case: str = "case", **more: object) -> Failure:
    done = run("tr2b.case", copy.actual)
    return Failure(check(), case, copy.operands, done, copy, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accepted", "refused", "said"),
    [
        (
            [(b"aab", b"xyz")],
            [(b"abc", b"xxy")],
            "only if TO has a byte twice: the check has to look at FROM, argv[1].",
        ),
        ([(b"aab", b"xyz"), (b"aa", b"xx")], [(b"abc", b"xxy")], EVERY_CASE),
        ([(b"ab", b"x")], [(b"ab", b"xyz")], "only if TO is longer"),
        ([(b"ab", b"xyz")], [(b"ab", b"x")], "only if FROM is longer"),
        ([(b"aa", b"xy")], [(b"ab", b"x")], EVERY_CASE),
        ([(b"ab", b"xyz")], [(b"ab", b"x"), (b"", b"x")], EVERY_CASE),
        ([(b"ab", b"xyz")], [], EVERY_CASE),
        ([(b"ab",)], [()], EVERY_CASE),
    ],
)
def test_what_is_refused_shows_what_a_check_of_operands_looks_at(
    accepted: list[Operands], refused: list[Operands], said: str
) -> None:
    failures = [Failure(check(*refused), "case", operands, run("tr2b.case", b"copy")) for operands in accepted]
    assert said in words(Kind("accepts-wrong-operands"), *failures).advice


def test_what_is_refused_out_of_sight_shows_nothing() -> None:
    failure = Failure(check(hidden=(b"ab", b"x")), "case", (b"ab", b"xyz"), run("tr2b.case", b"copy"))
    assert words(Kind("accepts-wrong-operands"), failure).advice == EVERY_CASE


def test_a_program_that_crashes_with_too_many_operands_as_well_does_not_lack_one() -> None:
    failure = Failure(check(), "case", (), run("tr2b.case", ending=CRASH))
    few = Kind("crashes", text=FEW_OPERANDS)
    assert "argc" in words(few, failure).advice
    assert words(few, failure, others=[Kind("crashes", text=MANY_OPERANDS)]).advice == SANITIZE


@pytest.mark.parametrize(
    ("from_", "reads", "is_eof"), [(b"a\xff", 4096, True), (b"a\xff", 1, False), (b"a", 4096, False)]
)
def test_what_does_not_end_only_with_0xff_in_from_looks_up_eof(from_: bytes, reads: int, *, is_eof: bool) -> None:
    done = run("tr2b.case", b"x", ending=limit("output"))
    failure = Failure(check(), "case", (from_, b"xy"), done)
    said = words(Kind("writes-without-end"), failure, copying=frozenset({"case", "other"}), read_bytes=reads)
    assert (said.advice == named(EOF_LOOKED_UP, NAMES)) is is_eof
    alone = words(Kind("writes-without-end"), failure, copying=frozenset({"case"}), read_bytes=reads)
    assert alone.advice != EOF_LOOKED_UP


@pytest.mark.parametrize(("length", "is_long"), [(127, False), (128, True)])
def test_long_operands_without_an_end_may_be_counted_with_a_char(length: int, *, is_long: bool) -> None:
    pairs = (bytes(range(1, length + 1)), bytes(length))
    copy = CopyRun(pairs, b"abc", b"xyz", b"x")
    failure = Failure(check(), "case", pairs, run("tr2b.case", copy.actual, ending=limit("cpu")), copy)
    assert ("127" in words(Kind("never-ends"), failure).advice) is is_long


def test_the_bytes_that_are_wrong_are_named_if_they_are_few() -> None:
    pairs = (b"abc", b"xyz")
    one = copied(CopyRun(pairs, b"a\xff", b"x\xff", b"x\0"))
    assert "writes NUL for 0xFF in" in words(Kind("wrong-bytes"), one).sentence
    other = copied(CopyRun(pairs, b"-", b"-", b"+"), "other")
    assert "writes '-' and 0xFF wrong in" in words(Kind("wrong-bytes"), one, other).sentence
    window = Window(offset=7, data=b"z\0")
    large = Difference(
        offset=8,
        expected_size_bytes=9,
        actual_size_bytes=9,
        input_byte=0xFF,
        expected=window,
        actual=window,
        summary="",
    )
    unseen = Failure(check(), "large", pairs, difference=large)
    assert "for 0xFF in" in words(Kind("wrong-bytes"), one, unseen).sentence
    elsewhere = Failure(check(), "large", pairs, difference=large.model_copy(update={"input_byte": 0x61}))
    assert "writes some bytes wrong" in words(Kind("wrong-bytes"), one, elsewhere).sentence


@pytest.mark.parametrize(("size_bytes", "is_shown"), [(11, True), (90_000, False)])
def test_the_last_byte_is_named_only_if_the_end_is_known(size_bytes: int, *, is_shown: bool) -> None:
    window = Window(offset=7, data=b"zz\x90e")
    flood = Difference(
        offset=8,
        expected_size_bytes=9,
        actual_size_bytes=size_bytes,
        input_byte=0xFF,
        expected=window,
        actual=window,
        summary="",
    )
    done = run("tr2b.case", b"x", ending=limit("output"))
    failure = Failure(check(), "case", (b"a", b"x"), done, difference=flood)
    assert ("The last byte that it wrote is 'e'" in words(Kind("writes-without-end"), failure).sentence) is is_shown


def test_few_bytes_that_come_out_wrong_are_named() -> None:
    """Also if what is written for them depends on the operands."""
    runs = [
        copied(CopyRun((b"ab", b"xy"), b"\0ab", b"\0xy", b"xxy"), "one"),
        copied(CopyRun((b"cd", b"vw"), b"c\0d", b"v\0w", b"vvw"), "two"),
    ]
    said = words(Kind("wrong-bytes"), *runs)
    assert "writes the first byte of TO for NUL in" in said.sentence
    assert said.advice.startswith("NUL ends each string: a search must neither find it at the end of FROM")
    runs.append(copied(CopyRun((b"cd", b"vw"), b"\0", b"\0", b"w"), "three"))
    assert "writes NUL wrong in" in words(Kind("wrong-bytes"), *runs).sentence


def test_an_end_that_is_copied_twice_is_not_confused_by_an_empty_copy() -> None:
    pairs = (b"a", b"x")
    failures = [
        copied(CopyRun(pairs, b"ab", b"xb", b"xbb"), "one"),
        copied(CopyRun(pairs, b"a", b"x", b"xx"), "two"),
        copied(CopyRun(pairs, b"", b"", b"\0"), "empty"),
    ]
    assert "then writes the end of its copy again" in words(Kind("extra-after"), *failures).sentence
    different = [copied(CopyRun(pairs, b"ab", b"xb", b"xb?"), "one"), failures[2]]
    assert "for instance “?”" in words(Kind("extra-after"), *different).sentence


def test_what_is_written_for_an_empty_input_follows_no_copy() -> None:
    empty = copied(CopyRun((b"a", b"x"), b"", b"", b"\xff"), "empty")
    said = words(Kind("extra-after"), empty).sentence
    assert "although there is nothing to copy: “\\377”" in said
    assert "copies the whole input" not in said


def test_a_text_after_the_copy_is_searched_for_in_the_source() -> None:
    text = copied(CopyRun((b"a", b"x"), b"a", b"x", b"xfrom: a to: b\n"))
    assert "Search the source for this text" in words(Kind("extra-after"), text).advice
    again = copied(CopyRun((b"z", b"x"), b"abcde", b"abcde", b"abcdeabcde"))
    assert "Search the source" not in words(Kind("extra-after"), again).advice
    first = copied(CopyRun((b"a", b"x"), b"a", b"x", b"from: a to: b\nx"))
    advice = words(Kind("extra-before"), first, others=(Kind("extra-after"),)).advice
    assert advice.startswith("In other runs it writes something after its copy, perhaps")


def test_from_which_byte_of_from_on_nothing_is_translated_is_said() -> None:
    pairs = (bytes(range(1, 100)), bytes(range(2, 101)))
    data = bytes(range(1, 100))
    cut = copied(CopyRun(pairs, data, bytes(range(2, 101)), bytes(range(2, 42)) + data[40:]))
    assert "translates only the first 40 bytes of FROM" in words(Kind("not-translated"), cut).sentence
    some = copied(CopyRun((b"abc", b"xyz"), b"abc", b"xyz", b"ayz"))
    said = words(Kind("not-translated"), some, read_bytes=1)
    assert ("leaves bytes of FROM unchanged" in said.sentence, said.advice) == (True, LOOKUP)


def test_the_type_of_the_variable_is_asked_for_last_and_only_if_single_bytes_are_read() -> None:
    unchanged = copied(CopyRun((b"a", b"x"), b"a", b"x", b"a"))
    assert words(Kind("copies-unchanged"), unchanged, read_bytes=1).advice.endswith(INTO_INT)
    assert INTO_INT not in words(Kind("copies-unchanged"), unchanged, read_bytes=4096).advice


@pytest.mark.parametrize(
    ("written", "is_taken"), [(b"\\ nx", True), (b"\\ xx", True), (b"\\ n\n", False), (b"x nx", False)]
)
def test_an_escape_of_which_the_byte_is_translated_is_named(written: bytes, *, is_taken: bool) -> None:
    failure = copied(CopyRun((b"\\n", b"xy"), b"\\ n\n", b"x y\n", written))
    said = words(Kind("wrong-bytes"), failure)
    assert ("takes \\n in FROM for one byte" in said.sentence) is is_taken
    assert ("Operands have no escapes" in said.advice) is is_taken


@pytest.mark.parametrize(("nbyte", "said"), [(1, "several for each byte"), (2, "asks for 2 bytes"), (4096, "printf")])
def test_the_calls_show_what_writes_more_than_the_byte(nbyte: int, said: str) -> None:
    after_each = copied(CopyRun((), b"ab", b"ab", b"a-b-"))
    assert said in words(Kind("extra-after-each", b"-"), after_each, write_bytes=nbyte).advice


def test_control_characters_that_become_the_same_byte_are_named_together() -> None:
    data = bytes(range(32)) + b"abc"
    spaces = copied(CopyRun((), data, data, b" " * 32 + b"abc"))
    assert "writes space for control characters such as newline" in words(Kind("wrong-bytes"), spaces).sentence
    others = copied(CopyRun((), data + b"d", data + b"d", b" " * 32 + b"abc "))
    assert "control characters" not in words(Kind("wrong-bytes"), others).sentence


def test_a_byte_that_another_run_reads_is_not_strange() -> None:
    one, other = copied(CopyRun((), b"\1a", b"\1a", b" a")), copied(CopyRun((), b"a b", b"a b", b"c b"))
    advice = words(Kind("wrong-bytes"), one, other).advice
    assert "in neither" in advice
    assert advice.startswith("'c' is in neither")


@pytest.mark.parametrize(("size", "said"), [(8, True), (4, False)])
def test_the_size_of_a_pointer_is_named(size: int, *, said: bool) -> None:
    memory = b"".join(bytes([byte]) + bytes(range(size - 1)) for byte in b"ab")
    after_each = copied(CopyRun((), b"ab", b"ab", memory))
    advice = words(Kind("more-after-each", str(size).encode()), after_each, write_bytes=size).advice
    assert ("A pointer has 8 bytes." in advice) is said


@pytest.mark.parametrize(("nbyte", "said"), [(3, "A write asks for 3 bytes"), (1, "memory that was never set")])
def test_bytes_of_memory_are_explained_by_the_calls(nbyte: int, said: str) -> None:
    after_each = copied(CopyRun((), b"ab", b"ab", b"a-+b*/"))
    assert said in words(Kind("more-after-each", b"3"), after_each, write_bytes=nbyte).advice


def test_short_outputs_that_are_lost_and_long_ones_that_are_cut_were_in_a_buffer() -> None:
    data = bytes(5000)
    cut = copied(CopyRun((), data, data, data[:4096]))
    assert BUFFERS in words(Kind("stops-early"), cut, others=[Kind("writes-nothing")]).advice
    assert BUFFERS not in words(Kind("stops-early"), cut).advice
    short = copied(CopyRun((), data, data, data[:3]))
    assert BUFFERS not in words(Kind("stops-early"), short, others=[Kind("writes-nothing")]).advice


def test_larger_runs_that_were_stopped_are_said_with_what_the_short_ones_show() -> None:
    twice = copied(CopyRun((), b"ab", b"ab", b"aabb"), "short")
    window = Window(offset=0, data=b"a")
    difference = Difference(
        offset=1,
        expected_size_bytes=9,
        actual_size_bytes=99,
        input_byte=0,
        expected=window,
        actual=window,
        summary="",
    )
    flood = Failure(
        check(),
        "large",
        (),
        run("tr2b.large", stdout=captured(b"", kept=False), ending=limit("output")),
        None,
        difference,
    )
    assert "With larger inputs" in words(Kind("each-byte-repeated", b"2"), twice, flood).sentence
    assert "With larger inputs" not in words(Kind("each-byte-repeated", b"2"), twice).sentence


def test_what_is_so_apart_from_something_else_is_said_once() -> None:
    alone = copied(CopyRun((b"ab", b"xy"), b"ab", b"xy", b"xb"), "one")
    apart = copied(CopyRun((b"ab", b"xy"), b"ab", b"xy", b"xb"), "two", apart="last")
    said = words(Kind("only-first-pair"), alone, apart).sentence
    assert "in 2 cases (one, two)" in said
    assert ", in 1 of these runs apart from what it writes last." in said


@pytest.mark.parametrize(
    ("operands", "rule"),
    [
        ([(b"ab", b"x"), (b"", b"x")], "operands of different lengths"),
        ([(b"aa", b"xy"), (b"aba", b"xyz")], "a byte that appears twice in FROM"),
        ([(b"ab",), ()], "a missing operand"),
        ([(b"aa", b"xy"), (b"ab", b"x")], "wrong operands"),
    ],
)
def test_a_sentence_names_the_rule_that_all_operands_break(operands: list[Operands], rule: str) -> None:
    failures = [Failure(check(), "case", one, run("tr2b.case", b"copy")) for one in operands]
    assert f"does not refuse {rule} in the case case." in words(Kind("accepts-wrong-operands"), *failures).sentence


def test_the_rule_for_to_is_said_if_all_refused_operands_repeat_a_byte_there() -> None:
    refused = [
        Failure(check(), "case", (b"abc", to), run("tr2b.case", b"", stderr=captured(b"no")))
        for to in (b"xxy", b"xyz")
    ]
    kind = Kind("refuses-valid-operands")
    assert words(kind, refused[0]).advice.startswith("TO may have a byte twice")
    assert not words(kind, *refused).advice.startswith("TO may have a byte twice")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (NAMES, "TO may have a byte twice."),
        (UNNAMED, "The second operand may have a byte twice."),
        (("SET1", "SET2"), "SET2 may have a byte twice."),
    ],
)
def test_operands_have_the_names_of_the_spec(names: tuple[str, str], said: str) -> None:
    done = run("tr2b.case", stderr=captured(b"TO twice \x01\x02"), ending=Exited(kind="exited", code=1))
    failure = Failure(check(), "case", (b"abc", b"xxy"), done)
    found = words(Kind("refuses-valid-operands"), failure, operand_names=names)
    assert found.advice.startswith(said)
    assert r"“TO twice \001\002”" in found.sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"leaves bytes of {FIRST} as they are", "leaves bytes of the first operand as they are"),
        (
            f"Is it? {FIRST} is argv[1]: {SECOND} is not",
            "Is it? The first operand is argv[1]: the second operand is not",
        ),
        (f"{SECOND} is", "The second operand is"),
    ],
)
def test_a_name_begins_a_sentence_with_a_capital(text: str, said: str) -> None:
    assert named(text) == said


EVERY = bytes(range(256))
SWAPPED = EVERY[128:] + EVERY[:128]


def of_every_byte(actual: bytes) -> Failure:
    return copied(CopyRun((EVERY, SWAPPED), EVERY, SWAPPED, actual))


@pytest.mark.parametrize(
    ("is_one", "said"),
    [
        (str.isalpha, "letters"),
        (str.isalnum, "letters or digits"),
        (str.isupper, "capital letters"),
        (str.isprintable, "printable ASCII"),
        (lambda char: char.isprintable() or (char.isspace() and char < "\x1c"), "printable ASCII or white space"),
    ],
)
def test_a_class_of_characters_is_named_if_it_is_what_wrong_bytes_have_in_common(
    is_one: Callable[[str], bool], said: str
) -> None:
    members = {byte for byte in range(128) if is_one(chr(byte))}
    only = bytes(SWAPPED[byte] if byte in members else byte for byte in EVERY)
    assert f"unchanged that are not {said} in" in words(Kind("not-translated"), of_every_byte(only)).sentence
    others = bytes(byte if byte in members else SWAPPED[byte] for byte in EVERY)
    assert f"unchanged that are {said} in" in words(Kind("not-translated"), of_every_byte(others)).sentence
    dropped = bytes(SWAPPED[byte] for byte in EVERY if byte in members)
    assert f"leaves out bytes that are not {said} in" in words(Kind("drops-bytes"), of_every_byte(dropped)).sentence
    written = bytes(byte for byte in SWAPPED if byte in members)
    sentence = words(Kind("drops-bytes", b"written"), of_every_byte(written)).sentence
    assert f"leaves out bytes that are not {said} after translation in" in sentence


def test_a_class_is_not_named_for_a_few_bytes_or_if_one_byte_of_it_is_right() -> None:
    letters = {byte for byte in range(128) if chr(byte).isalpha()}
    but_one = bytes(SWAPPED[byte] if byte in letters or byte == 0 else byte for byte in EVERY)
    assert "letters" not in words(Kind("not-translated"), of_every_byte(but_one)).sentence
    few = copied(CopyRun((b"ab-", b"xyz"), b"ab-", b"xyz", b"xy-"))
    assert "letters" not in words(Kind("not-translated"), few).sentence


def test_a_byte_after_which_a_copy_ends_is_named() -> None:
    ended = copied(CopyRun((b"a", b"x"), b"-\xffa", b"-\xffx", b"-\xff"))
    one = words(Kind("stops-after-byte", b"\xff"), ended, read_bytes=1)
    assert "stops when it has written the first byte 0xFF in the case case; up to there" in one.sentence
    assert one.advice.startswith("read delivers no EOF")
    assert "EOF (-1)" in words(Kind("stops-after-byte", b"\xff"), ended, read_bytes=4096).advice


@pytest.mark.parametrize(
    ("written", "repeats"),
    [
        (b"aaaxbyccc", True),  # each is written before its partner is found
        (b"xxyyc", True),
        (b"x-yc", False),
        (b"axby-c", False),
        (b"axyc?", False),
    ],
)
def test_extra_bytes_that_are_the_ones_that_were_read_are_said_to_be(written: bytes, *, repeats: bool) -> None:
    copy = CopyRun((b"ab", b"xy"), b"abc", b"xyc", written)
    said = words(Kind("extra-between"), copied(copy))
    assert ("writes some bytes more than once" in said.sentence) is repeats
    # Perhaps only what they become is written again, and only of some.
    assert "all the right bytes" not in said.sentence or not repeats
    assert "for each" not in said.sentence or not repeats
    assert ("others in between" in said.sentence) is not repeats


def judged(stream: Stream, problem: str, deviation: str) -> Failure:
    values = {"input": "long", "sink": "file", "stream": stream, "engine": "tally", "calls": 9, "bytes": 99}
    values |= {"expected_calls": 1, "derivation": "", "passed": False, "problem": problem, "deviation": deviation}
    return Failure(check(), stream=StreamJudgement.model_validate(values), problem=problem)


def test_a_number_of_calls_has_the_name_of_its_run() -> None:
    count = judged(
        "stdout", "9 writes for 99 bytes, 11 bytes per write on average: that is too few for a buffer", "count"
    )
    said = words(Kind("system-calls"), count).sentence
    assert said.startswith("tr2b, standard output (input long): 9 writes for 99 bytes, ")
    no_read = judged("stdin", "it makes no read of standard input", "no-calls")
    nbyte = judged("stdout", "a write asks for 9 bytes, but nbyte must be 1", "nbyte")
    said = words(Kind("system-calls"), no_read, nbyte).sentence
    assert said == (
        "tr2b makes no read of standard input; standard output: a write asks for 9 bytes, but nbyte must be 1."
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("it does not call getchar", "tr2b does not call getchar."),
        ("its calls cannot be counted", "tr2b's calls cannot be counted."),
        ("2 of 3 are wrong", "tr2b: 2 of 3 are wrong."),
    ],
)
def test_a_message_about_a_program_begins_with_its_name(message: str, said: str) -> None:
    assert about("tr2b", f"{message}.") == said


@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        (
            "message-but-status-0",
            0,
            "writes a message about a byte that appears twice in FROM, but ends with exit status 0, in",
        ),
        (
            "continues-after-message",
            1,
            "reports a byte that appears twice in FROM, but goes on and copies the input,",
        ),
        ("no-message", 1, "refuses a byte that appears twice in FROM without a message in"),
        ("message-on-stdout", 1, "reports a byte that appears twice in FROM on standard output, not on standard err"),
        ("neither-copies-nor-refuses", 0, "neither copies nor reports a byte that appears twice in FROM in"),
        ("message-and-more", 1, "reports a byte that appears twice in FROM, but also writes to standard output, in"),
    ],
)
def test_the_first_sentence_says_what_is_wrong_with_a_refusal(kind: str, status: int, said: str) -> None:
    done = run("tr2b.case", b"x", stderr=captured(b"twice"), ending=Exited(kind="exited", code=status))
    assert words(Kind(kind), Failure(check(), "case", (b"aa", b"xy"), done)).sentence.startswith(f"tr2b {said}")


@pytest.mark.parametrize("kind", ["only-whole-lines", "only-whole-blocks"])
def test_a_lost_end_is_advised_about_without_a_buffer_which_may_be_that_of_stdio(kind: str) -> None:
    cut = copied(CopyRun((b"a", b"x"), b"b\na", b"b\nx", b"b\n"))
    advice = words(Kind(kind), cut).advice
    assert "at the latest after the loop" in advice
    assert "buffer" not in advice


@pytest.mark.parametrize(
    ("actual", "said"),
    [
        (b"xc", "'b' should stay, but becomes 'c'."),
        (b"yb", "'a' becomes 'y', not 'x'."),
        (b"ab", "'a' stays, but should become 'x'."),
    ],
)
def test_an_example_says_what_a_byte_becomes_or_whether_it_stays(actual: bytes, said: str) -> None:
    wrong = copied(CopyRun((b"a", b"x"), b"ab", b"xb", actual))
    assert words(Kind("wrong-bytes"), wrong).sentence.endswith(f"With the operands “a” “x”, {said}")


def evidence_of(*cases: tuple[str, int, int]) -> CasesEvidence:
    """Failed cases, each with the size of its input and the length of its command."""
    (usual,) = check((b"a", b"x")).evidence.cases  # type: ignore[union-attr]
    return CasesEvidence(
        cases=tuple(
            usual.model_copy(
                update={"case": name, "input_size_bytes": size_bytes, "repeat": "x" * length, "passed": False}
            )
            for name, size_bytes, length in cases
        )
    )


def test_examples_are_of_the_case_that_a_report_shows() -> None:
    first = check().model_copy(
        update={"evidence": evidence_of(("long", 1, PASTED_CHARS + 1), ("a", 9, 9), ("b", 5, 9))}
    )
    second = check().model_copy(update={"id": "tr2b.later", "evidence": evidence_of(("c", 1, 9))})
    failures = [
        Failure(of, name, (b"a", b"x"), copy=CopyRun((b"a", b"x"), b"a", b"x", b"x" + b"?" * number))
        for number, (of, name) in enumerate([(first, "long"), (first, "a"), (first, "b"), (second, "c")], start=1)
    ]
    shown = shown_first(failures)
    assert [failure.case for failure in shown] == ["b", "long", "a", "c"]
    assert shown_first([Failure(check(), "any")])[0].case == "any"
    said = words(Kind("extra-after"), *shown).sentence
    assert said.endswith("then writes more in 4 cases (b, long and 2 more): for instance “???” (3 bytes).")
    assert "for instance “???” (3 bytes)" in words(Kind("extra-before"), *map(backwards, shown)).sentence


def backwards(failure: Failure) -> Failure:
    assert failure.copy is not None
    return replace(failure, copy=replace(failure.copy, actual=failure.copy.actual[::-1]))


def test_cases_that_were_not_run_after_one_without_end_are_said_once() -> None:
    pairs = (b"a", b"x")
    endless = Failure(check(), "one", pairs, run("tr2b.one", ending=limit("wall")))
    left_out = Failure(check(), "other", pairs)
    said = words(Kind("never-ends"), endless, left_out).sentence
    assert "in the case one, after which no more were run" in said
    assert "not waited for" not in said
    assert "no more were run" not in words(Kind("never-ends"), endless).sentence


def test_an_example_of_another_case_than_the_report_shows_names_it() -> None:
    pairs = (b"a", b"x")
    failures = [copied(CopyRun(pairs, b"", b"", b"!"), "empty"), copied(CopyRun(pairs, b"a", b"x", b"x??"), "one")]
    assert "for instance “!” (1 byte)." in words(Kind("extra-after"), *failures).sentence
    # Of a run without its whole output, the first one with it is quoted.
    unknown = Failure(check(), "large", pairs, run("tr2b.large"))
    assert (
        "for instance “!” in the case empty"
        in words(Kind("extra-after"), unknown, failures[0], copied(CopyRun(pairs, b"", b"", b"?"), "other")).sentence
    )


@pytest.mark.parametrize(
    ("called", "ends"),
    [
        ({"read", "write", "strlen"}, "read returns 0"),
        ({"getchar", "putchar"}, "getchar returns EOF, which is -1 and not a byte"),
        ({"fgetc_unlocked", "stdin"}, "fgetc returns EOF, which is -1 and not a byte"),
        ({"getc", "read"}, "read returns 0, and getc returns EOF, which is -1 and not a byte"),
        ({"read", "fgets"}, "read returns 0, and getchar returns EOF, which is -1 and not a byte"),
        ((), "read returns 0, and getchar returns EOF, which is -1 and not a byte"),
    ],
)
def test_what_shows_the_end_is_said_of_the_function_that_reads(called: set[str], ends: str) -> None:
    failure = Failure(check(), "case", (b"a", b"x"), run("tr2b.case", b"x", ending=limit("cpu")))
    advice = words(Kind("never-ends", text="all"), failure, called=frozenset(called)).advice
    assert advice.startswith(f"At the end of the input, {ends}. Every loop")


@pytest.mark.parametrize(
    ("asks", "said"), [(2, "A read asks for 2 bytes, of which one is looked up"), (1, "Look up every byte")]
)
def test_what_translates_every_second_byte_may_read_two(asks: int, said: str) -> None:
    copy = copied(CopyRun((b"ab", b"xy"), b"aabb", b"xxyy", b"xayb"))
    assert words(Kind("one-of-many-translated", b"2"), copy, read_bytes=asks).advice.startswith(said)


@pytest.mark.parametrize(("called", "advice"), [({"abort", "read"}, OWN_ABORT), ({"read"}, ABORTED)])
def test_a_program_that_calls_abort_itself_is_told_what_to_call(called: set[str], advice: str) -> None:
    failure = Failure(
        check(), "case", (b"a", b"x"), run("tr2b.case", b"", ending=Signalled(kind="signalled", signal=6))
    )
    assert words(Kind("crashes"), failure, called=frozenset(called)).advice == advice


@pytest.mark.parametrize(("called", "is_said"), [({"read"}, True), ({"read", "write"}, False), ((), False)])
def test_a_source_that_calls_nothing_that_writes_is_told_so(called: set[str], *, is_said: bool) -> None:
    failure = Failure(check(), "case", (b"a", b"x"), run("tr2b.case", b""))
    advice = words(Kind("writes-nothing"), failure, called=frozenset(called)).advice
    assert ("calls neither write nor putchar" in advice) is is_said


@pytest.mark.parametrize(
    ("actual", "said"),
    [
        (b"\xe9ba-ab", "translates no byte after the first one that becomes 0x80 or higher in the case"),
        (b"\xe9y\xe9-ab", "translates bytes only at the beginning of the input, and none after that, in the case"),
        (b"\xe9b\xe9-ab", "translates the same byte correctly in one place and incorrectly in another in the case"),
        (
            b"\xe9y\xe9-\xe9b",
            "translates the same byte correctly in one place and incorrectly in another in the case",
        ),
    ],
)
def test_it_is_said_up_to_where_bytes_are_translated(actual: bytes, said: str) -> None:
    one = copied(CopyRun((b"ab", b"\xe9y"), b"aba-ab", b"\xe9y\xe9-\xe9y", actual))
    kind = Kind("depends-on-position")
    assert words(kind, one).sentence.startswith(f"tr2b {said}")
    assert (INTO_INT in words(kind, one, read_bytes=1).advice) is (INTO_INT not in words(kind, one).advice)
    # Of an output that is not known in full, it is not known whether it goes on.
    unknown = Failure(check(), "large", (), run("tr2b.large"))
    assert "in one place and incorrectly in another" in words(kind, one, unknown).sentence


ONLY_OF_COPIES = {
    "refuses-valid-operands",
    "writes-message-instead",
    "continues-after-message",
    "refused-while-copying",
}


@pytest.mark.parametrize(
    "kind",
    sorted({*OF_OPERANDS, "crashes", "extra-before", "never-ends", "uses-too-much-memory"} - ONLY_OF_COPIES),
)
@pytest.mark.parametrize("progress", ["", "all", "more"])
def test_programs_that_do_not_copy_are_not_said_to_copy(kind: str, progress: str) -> None:
    ending = CRASH if kind == "crashes" else limit("cpu") if progress else SUCCESS
    done = run("many.case", b"x", stderr=captured(b"said"), ending=ending)
    failure = Failure(check(), "case", (b"3", b"abc"), done)
    said = words(Kind(kind, text=progress if kind == "never-ends" else ""), failure, translates=False)
    assert re.search(r"\b(cop(y|ies|ied)|first byte)\b", f"{said.sentence} {said.advice}") is None
    assert "lengths" not in said.sentence


@pytest.mark.parametrize(
    ("needed", "operands", "rule"),
    [
        (2, (b"a",), "a missing operand"),
        (3, (b"a", b"b"), "a missing operand"),
        (1, (b"a",), "wrong operands"),
        (0, (), "wrong operands"),
        (0, (b"a",), "wrong operands"),
    ],
)
def test_an_operand_is_missing_if_the_program_needs_more(needed: int, operands: Operands, rule: str) -> None:
    failure = Failure(check(), "case", operands, run("many.case"))
    said = words(Kind("accepts-wrong-operands"), failure, translates=False, needed_operands=needed).sentence
    assert f"does not refuse {rule} in" in said


@pytest.mark.parametrize(
    ("needed", "uses"), [(1, "argv[1]."), (2, "argv[1] or argv[2]."), (3, "argv[2] or argv[3].")]
)
def test_a_crash_without_operands_names_those_that_are_needed(needed: int, uses: str) -> None:
    failure = Failure(check(), "case", (), run("many.case", ending=CRASH))
    assert words(Kind("crashes", text=FEW_OPERANDS), failure, needed_operands=needed).advice.endswith(uses)


def test_of_an_output_that_is_not_kept_nothing_is_said_about_letters() -> None:
    failure = Failure(check(), "case", (b"ab", b"xy"), run("tr2b.case", b""))
    assert "case of letters" not in words(Kind("wrong-bytes"), failure).sentence


@pytest.mark.parametrize(("written", "merged"), [(b"", False), (b"some", True)])
def test_a_run_that_writes_nothing_is_not_one_that_writes_too_much(written: bytes, *, merged: bool) -> None:
    def stopped(limited: LimitHit, output: bytes) -> Failure:
        return Failure(check(), "case", (), run("tr2b.case", output, ending=limit(limited)))

    flood = Key("tr2b", "visible", Kind("writes-without-end"))
    groups = {flood: [stopped("output", b"much")], flood._replace(kind=Kind("never-ends")): [stopped("cpu", written)]}
    merge(groups, evidence(), LAB)
    assert (len(groups) == 1) == merged
