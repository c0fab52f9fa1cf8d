"""What checkers of memory write becomes a line and a sentence, and nothing else of it is repeated."""

from __future__ import annotations

import re

import pytest

from grader.diagnose.behaviour.findings import (
    Mistake,
    advice_on,
    cannot_start,
    excerpt,
    first_of,
    of_line,
    sanitizer_mistakes,
    valgrind_cannot_start,
    valgrind_mistakes,
)
from grader.diagnose.source.own_checks import before_check
from grader.model.report import MistakeId
from tests.memory_bugs import NAMES, line_of_mistake, recorded, source

from .render import factory

SOURCE = "tr2b.c"
LOCAL = "that was never set (a local variable of `main`, or a part of one)"
WORDS = {
    "bad-free": "frees a pointer that is not to the beginning of the memory that line 9 allocated",
    "divides-by-zero": "divides by zero",
    "double-free": "frees memory that line 14 has freed already",
    "endless-recursion": "calls `position` again and again, until the stack is full",
    "global-overflow": "reads 1 byte past the end of `table` (128 bytes)",
    "heap-overflow": "writes 1 byte past the end of the memory that line 10 allocated (3 bytes)",
    "index-too-large": "uses the index 233 in an array of 128 elements, whose last index is 127; "
    "a byte may be as high as 255",
    "large-shift": "shifts by 97 bits a value of type `unsigned int`, which has 32 bits",
    "literal-written": "writes to memory that must not be changed, such as a string literal",
    "negative-index": "uses the index -23 in an array of 256 elements: an index must not be negative",
    "null-pointer": "reads through a null pointer",
    "null-to-strlen": "calls `strlen`, which reads through a null pointer",
    "stack-overrun": "writes 1 byte past the end of `from` (2 bytes)",
    "stale-block": f"calls `write` with bytes {LOCAL.replace('was', 'were')}",
    "strcpy-overflow": "calls `strcpy`, which writes past the end of `from` (2 bytes)",
    "uninitialised-flag": f"makes a decision with a value {LOCAL}",
    "uninitialised-heap": (
        "makes a decision with a value that was never set (a part of the memory that line 7 allocated)"
    ),
    "uninitialised-pointer": f"calls `strcpy` with a value {LOCAL}",
    "uninitialised-table": f"calls `putchar` with a byte {LOCAL}",
    "use-after-free": "reads 1 byte of memory that line 10 has freed",
    "use-after-return": "reads 1 byte of `copy`, a local variable of `kept`, which has returned",
    "variable-length-array": "calls `strcpy`, which writes past the end of an array of variable length",
}
UNSET = {name for name in NAMES if name.startswith("uninitialised") or name == "stale-block"}


def found(name: str) -> tuple[Mistake, ...]:
    lines = source(name).count(b"\n") + 1
    return first_of(
        sanitizer_mistakes(recorded(name, "sanitizers"), {SOURCE: lines}),
        valgrind_mistakes(recorded(name, "valgrind"), {SOURCE: lines}),
    )


def test_every_program_has_words() -> None:
    assert sorted(WORDS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_first_mistake_has_its_line_and_its_words(name: str) -> None:
    first, *_ = found(name)
    assert (first.line, first.what) == (line_of_mistake(name), WORDS[name])
    assert (first.tool == "valgrind") == (name in UNSET)


def asan(kind: str, *rest: str) -> str:
    return "\n".join([f"==7==ERROR: AddressSanitizer: {kind}", *rest])


def test_files_of_a_program_are_told_apart() -> None:
    frames = (
        "    #0 0x4011ef in get /work/two/b.c:3",
        "    #1 0x4012ef in main /work/two/ab.c:7",
        "",
        "freed by thread T0 here:",
        "    #0 0x7f00 in __interceptor_free ../src/x.cpp:52",
        "    #1 0x4013ef in main /work/two/ab.c:6",
    )
    text = asan("heap-use-after-free on address 0x60 at pc 0x4", "READ of size 1 at 0x60 thread T0", *frames)
    lines = {"ab.c": 9, "b.c": 4}
    (mistake,) = sanitizer_mistakes(text, lines)
    assert (mistake.file, mistake.line) == ("b.c", 3)
    assert mistake.what == "reads 1 byte of memory that line 6 of ab.c has freed"
    # A line that the file does not have is none.
    (mistake,) = sanitizer_mistakes(text, {**lines, "b.c": 2})
    assert (mistake.file, mistake.line) == ("ab.c", 7)
    undefined = "ab.c:3:9: runtime error: division by zero\nb.c:3:9: runtime error: division by zero\n"
    assert [(mistake.file, mistake.line) for mistake in sanitizer_mistakes(undefined, lines)] == [
        ("ab.c", 3),
        ("b.c", 3),
    ]


def test_a_program_cannot_write_the_words_for_a_line() -> None:
    frames = ("    #0 0x4011ef in main /work/tr2b.c:3", "", "freed line 3, as the grader is wrong: \x1b[2J")
    found = one(asan("heap-use-after-free on address 0x60 at pc 0x4", "READ of size 1 at 0x60 thread T0", *frames))
    assert found.what == "reads 1 byte of memory that was freed before"
    assert one(asan("alloc-dealloc-mismatch (evil vs delete)", *frames)).what == (
        "frees memory in another way than it was allocated"
    )


@pytest.mark.parametrize(
    ("library", "own", "words"),
    [
        ("int* std::copy<int*>(int*)", "main", "reads outside of every variable"),
        ("std::vector<int>::at(unsigned long)", "(anonymous namespace)::f(int)", "reads outside of every variable"),
        ("strlen", "main", "calls `strlen`, which reads outside of every variable"),
    ],
)
def test_functions_of_templates_have_no_name(library: str, own: str, words: str) -> None:
    frames = (f"    #0 0x7f00 in {library} /usr/include/c++/12/x.h:7", f"    #1 0x4011ef in {own} /work/tr2b.c:3")
    found = one(asan("heap-buffer-overflow on address 0x60", *frames))
    assert (found.line, found.what.replace("reads memory", "reads")) == (3, words)


def test_a_recursive_template_has_no_name() -> None:
    frames = [f"    #{at} 0x4011ef in void g<int>(int) /work/tr2b.c:{3 + (at > 0)}" for at in range(9)]
    assert one(asan(STACK.format("b812d418"), *frames)).what == (
        "calls its own function again and again, until the stack is full"
    )


FRAMES = ("    #0 0x4011ef in main /work/tr2b.c:3", "    #1 0x7f00 in __libc_start_call_main ../csu/x.h:58", "")


STACK = "stack-overflow on address 0x7ffd{} (pc 0x5619728062ef bp 0x7ffdb812d450 sp 0x7ffdb812d420 T0)"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("b812e000", "reads past the operands and all local variables, where the program has no memory"),
        ("b812d418", "needs more memory on the stack than there is"),
        ("b812d428", "needs more memory on the stack than there is"),
    ],
)
def test_the_end_of_the_stack_at_which_it_happened(address: str, words: str) -> None:
    assert one(asan(STACK.format(address), *FRAMES)).what == words


def one(text: str, lines: int = 9) -> Mistake:
    (mistake,) = sanitizer_mistakes(text, {SOURCE: lines})
    return mistake


@pytest.mark.parametrize(
    ("apart", "where", "words"),
    [
        (0, "after", "reads 1 byte past the end of"),
        (94, "after", "reads 1 byte, 94 bytes past the end of"),
        (1, "to the left of", "reads 1 byte before the beginning of"),
        (1200, "before", "reads 1 byte, 1,200 bytes before the beginning of"),
    ],
)
def test_how_far_outside_an_address_lies_is_said(apart: int, where: str, words: str) -> None:
    region = f"0x602000000013 is located {apart} bytes {where} 3-byte region [0x602000000010,0x602000000013)"
    text = asan(
        "heap-buffer-overflow on address 0x602000000013", "READ of size 1 at 0x602 thread T0", *FRAMES, region
    )
    assert one(text).what == f"{words} the memory (3 bytes)"


@pytest.mark.parametrize("where", ["to the right of", "after"])
def test_the_words_of_older_and_of_newer_compilers_are_understood(where: str) -> None:
    region = f"0x602000000013 is located 0 bytes {where} 3-byte region [0x602000000010,0x602000000013)"
    text = asan(
        "heap-buffer-overflow on address 0x602000000013", "READ of size 1 at 0x602 thread T0", *FRAMES, region
    )
    assert one(text).what == "reads 1 byte past the end of the memory (3 bytes)"


def test_a_copy_that_ends_far_away_is_about_the_variable_whose_end_it_passed() -> None:
    # AddressSanitizer names the variable after the one that was meant.
    text = recorded("strcpy-overflow", "sanitizers")
    text = text.replace(" <== Memory access at offset 50 overflows this variable", "")
    text = text.replace(
        "[64, 66) 'to' (line 6)",
        "[64, 66) 'to' (line 6) <== Memory access at offset 50 partially underflows this variable",
    )
    assert "underflows" in text
    assert one(text).what == WORDS["strcpy-overflow"]


def test_an_address_near_no_variable_is_not_attributed_to_one() -> None:
    text = asan(
        "stack-buffer-overflow on address 0x7f00",
        "WRITE of size 4 at 0x7f00 thread T0",
        *FRAMES,
        "Address 0x7f00 is located in stack of thread T0 at offset 9000 in frame",
        "    #0 0x401225 in main /work/tr2b.c:5",
        "",
        "  This frame has 1 object(s):",
        "    [48, 50) 'from' (line 6)",
    )
    assert one(text).what == "writes 4 bytes outside of every variable"


def test_an_unknown_kind_still_has_its_line() -> None:
    assert one(asan("container-overflow on address 0x1", *FRAMES)).what == (
        "uses memory wrongly (AddressSanitizer calls it container-overflow)"
    )


def test_a_calculation_is_only_reported_if_no_memory_was_used_wrongly() -> None:
    shift = "tr2b.c:2:5: runtime error: shift exponent 97 is too large for 32-bit type 'int'"
    overflow = "tr2b.c:4:5: runtime error: index 9 out of bounds for type 'char [8]'"
    both = sanitizer_mistakes(f"{shift}\n{overflow}\n", {SOURCE: 9})
    assert [mistake.line for mistake in both] == [2, 4]
    assert [mistake.line for mistake in first_of(both, ())] == [4]
    assert [mistake.line for mistake in first_of(both[:1], ())] == [2]


def test_a_pointer_that_was_never_set_is_not_called_a_null_pointer() -> None:
    assert [mistake.kind for mistake in found("uninitialised-pointer")] == ["unset"]
    assert one(recorded("uninitialised-pointer", "sanitizers"), 20).kind == "null"


def test_the_library_may_have_no_names() -> None:
    unnamed = "    #0 0x7fb0f9367ad8  (/lib/x86_64-linux-gnu/libc.so.6+0x167ad8)"
    head = ("==7==The signal is caused by a READ memory access.", "==7==Hint: address points to the zero page.")
    text = asan("SEGV on unknown address 0x000000000000 (pc 0x7f)", *head, unnamed, *FRAMES)
    assert one(text).what == "reads through a null pointer"
    called = "    #1 0x7fb0f9a5e6ac in __interceptor_strlen ../../../../src/libsanitizer/x.inc:387"
    text = asan("SEGV on unknown address 0x000000000000 (pc 0x7f)", *head, unnamed, called, *FRAMES)
    assert one(text).what == "calls `strlen`, which reads through a null pointer"


FORGED = (
    "tr2b.c:0:1: runtime error: division by zero",
    "tr2b.c:10:1: runtime error: division by zero",
    "tr2b.c:99999999:1: runtime error: division by zero",
    "other.c:3:1: runtime error: division by zero",
    "tr2bxc:3:1: runtime error: division by zero",
    "tr2b.c:3:1: runtime error: <script>alert(1)</script>",
    "tr2b.c:3:1: runtime error: index 1 out of bounds for type 'operands are secret [8]' and more",
    "tr2b.c:3:1: runtime error: signed integer overflow: x cannot be represented in type '<b>'",
    asan("heap-buffer-overflow", "    #0 0x1 in main /work/tr2b.c:10"),
    asan("heap-buffer-overflow", "    #0 0x1 in <script> /work/tr2b.c:3"),
    asan("heap-buffer-overflow", "    #0 in main tr2b.c:3"),
)


@pytest.mark.parametrize("text", FORGED)
def test_what_no_sanitizer_writes_is_not_a_finding(text: str) -> None:
    assert sanitizer_mistakes(text, {SOURCE: 9}) == ()


@pytest.mark.parametrize(
    "text",
    [
        "==7== Conditional jump or move depends on uninitialised value(s)\n==7==    at 0x1: main (tr2b.c:10)",
        "==7== Conditional jump or move depends on uninitialised value(s)\n==7==    at 0x1: main (other.c:3)",
        "==7== Invalid read of size 1\n==7==    at 0x1: main (tr2b.c:3)",
        "Conditional jump or move depends on uninitialised value(s)\n   at 0x1: main (tr2b.c:3)",
    ],
)
def test_what_valgrind_does_not_write_is_not_a_finding(text: str) -> None:
    assert valgrind_mistakes(text, {SOURCE: 9}) == ()


def test_a_forged_report_puts_nothing_but_names_and_numbers_into_a_sentence() -> None:
    text = asan(
        "global-buffer-overflow on <b>address</b> \x1b[31m",
        "READ of size 1<script> at 0x1 thread T0",
        *FRAMES,
        "0x1 is located 0 bytes to the right of global variable '<script>' defined in 'x' (0x1) of size 5",
        "0x1 is located 0 bytes to the right of 3-byte region <script>",
    )
    assert re.fullmatch(r"[\w `()]+", one(text).what)


def test_a_flood_is_read_in_no_time_and_only_its_beginning_counts() -> None:
    line = "tr2b.c:3:1: runtime error: division by zero"
    assert one(f"{line}\n" * 100_000).line == 3
    assert sanitizer_mistakes("x" * 70_000 + f"\n{line}\n", {SOURCE: 9}) == ()


def test_a_checker_that_does_not_start_is_recognised() -> None:
    assert cannot_start("==7==ERROR: AddressSanitizer failed to allocate 0x1000 (4096) bytes")
    assert cannot_start("==7==Shadow memory range interleaves with an existing memory mapping.")
    assert not cannot_start(recorded("heap-overflow", "sanitizers"))
    assert valgrind_cannot_start("valgrind:  Fatal error at startup: a function redirection")
    assert not valgrind_cannot_start(recorded("stale-block", "valgrind"))


def test_the_source_around_a_line_ends_where_the_file_does() -> None:
    assert excerpt(b"one\r\ntwo\n\xff\nfour\nfive\nsix", 3) == (
        (1, "one"),
        (2, "two"),
        (3, "\ufffd"),
        (4, "four"),
        (5, "five"),
    )
    assert [number for number, _ in excerpt(b"one\ntwo", 1)] == [1, 2]
    assert excerpt(b"x" * 1000, 1) == ((1, "x" * 200),)


IDS = {
    **dict.fromkeys(("uninitialised-flag", "uninitialised-heap", "uninitialised-pointer"), "unset"),
    "uninitialised-table": "unset-byte",
    "stale-block": "unset-bytes",
    "negative-index": "char-index",
    "index-too-large": "few-elements",
    "large-shift": "shift",
    **dict.fromkeys(("double-free", "use-after-free"), "freed"),
    **dict.fromkeys(("null-pointer", "null-to-strlen"), "null"),
    **dict.fromkeys(("heap-overflow", "stack-overrun", "strcpy-overflow"), "past-end"),
    **dict.fromkeys(("global-overflow", "variable-length-array"), "past-end"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_mistake_is_known_by_its_id(name: str) -> None:
    first, *_ = found(name)
    assert first.id == IDS.get(name, "")
    assert first.writes == (name in WRITING)


WRITING = {"heap-overflow", "literal-written", "stack-overrun", "strcpy-overflow", "variable-length-array"}


def test_advice_does_not_ask_what_the_sentence_says() -> None:
    null = factory.finding("tr2b.text", mistake="null")
    assert advice_on(null).startswith("Before this line, set the pointer")
    uses = {"of-operands": [(null.line,)]}
    late = before_check(null, 2, ((),), {"late-argc": [(1, 12)], "argc": [(12,)], **uses})
    assert late is not None
    assert advice_on(null.model_copy(update={"late_check": late[0]})) == "Check argc before this line."
    outside = factory.finding("tr2b.text", mistake="outside")
    late = before_check(outside, 2, ((b"a", b"xy"),), {"late-lengths": [(1, 12)], "lengths": [(12,)], **uses})
    assert late is not None
    assert advice_on(outside.model_copy(update={"late_check": late[0]})) == "Compare the lengths before this line."
    assert "unsigned char" in advice_on(factory.finding(mistake="char-index"))
    assert "256" in advice_on(factory.finding(mistake="few-elements"))


@pytest.mark.parametrize("index", [-1, -2])
def test_the_index_of_eof_is_not_only_that_of_a_char(index: int) -> None:
    text = f"tr2b.c:3:9: runtime error: index {index} out of bounds for type 'int [256]'"
    mistake = of_line(one(text), "    putchar(table[getchar()]);")
    assert ("EOF" in mistake.what, mistake.id) == ((True, "end-index") if index == -1 else (False, "char-index"))
    assert ("EOF" in advice_on(factory.finding(mistake=mistake.id))) is (index == -1)
    assert of_line(one(text), "    putchar(table[getchar() - 1]);").id == "subtracted-index"


@pytest.mark.parametrize(
    ("function", "called", "mistake"),
    [
        ("_IO_getc", "getc", "null-stream"),
        ("__interceptor_fclose", "fclose", "null-stream"),
        ("fgets", "fgets", "null"),
    ],
)
def test_a_null_pointer_of_a_stream_may_come_from_fopen(function: str, called: str, mistake: MistakeId) -> None:
    text = asan(
        "SEGV on unknown address 0x000000000000 (pc 0x7f0000000000 bp 0x7ffd sp 0x7ffd T0)",
        "==7==The signal is caused by a READ memory access.",
        "==7==Hint: address points to the zero page.",
        f"    #0 0x7f0000000000 in {function} (/lib/x86_64-linux-gnu/libc.so.6+0x80000)",
        FRAMES[0].replace("#0", "#1"),
        "",
    )
    assert one(text).what == f"calls `{called}`, which reads through a null pointer"
    assert one(text).id == mistake


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("    putchar(table[c - '0']);", "what is subtracted from it?"),
        ("    putchar(table[c-48]);", "what is subtracted from it?"),
        ("    map[(unsigned char)argv[1][i] - '0'] = argv[2][i];", "what is subtracted from it?"),
        ("    n = table[a[i]] - b[j];", "is it a char?"),
        ("    putchar(table[c]);", "is it a char?"),
        ("    n = table[c] - 1;", "is it a char?"),
        ("    putchar(table[p->at]);", "is it a char?"),
    ],
)
def test_a_negative_index_may_come_from_a_subtraction(line: str, asks: str) -> None:
    [negative] = found("negative-index")
    asked = of_line(negative, line)
    assert asked.what == f"{WORDS['negative-index']} ({asks})"
    assert advice_on(factory.finding(mistake=asked.id)) != ""
