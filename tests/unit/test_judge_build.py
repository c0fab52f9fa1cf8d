from __future__ import annotations

import re
from dataclasses import replace

import pytest

from grader.judge.build import (
    CANNOT_GO_ON,
    EMPTY,
    NO_BEGINNING,
    NO_MAIN,
    OPEN_BLOCK,
    RESOLVE,
    build_results,
    judge_build,
)
from grader.judge.build_limits import unfinished
from grader.judge.compile_errors import header_of
from grader.judge.facts import Outcome
from grader.judge.source_format import judge_source_format
from grader.lab.load import read_spec
from grader.model.evidence import Ending
from grader.model.report import BuildEvidence
from grader.model.spec.rubric import BuildItem, SourceFormatItem
from grader.model.submission import Source
from grader.resources import resource

from .facts import CRASH, FAILURE, build, facts, limit
from .lab import SPEC

LIMITS = SPEC.limits.build
ITEM = BuildItem(kind="build", name="build", title="", points={"many": 1})
FORMAT = SourceFormatItem(kind="source-format", name="format", title="", points={"many": 1}, ascii_only=True)
ERRORS = "many.c: In function 'main':\nmany.c:3:5: error: expected ';'\nmany.c:4:1: error: expected '}'\n"
LINKER = "ld: (.text+0x17): undefined reference to '{name}'\ncollect2: error: ld returned 1 exit status\n"
WARNING = "many.c:3:5: warning: unused variable\n"


@pytest.mark.parametrize(
    ("messages", "says"), [("", "without a warning"), (WARNING, "with a warning"), (WARNING * 3, "with 3 warnings")]
)
def test_warnings_are_counted_and_cost_nothing(messages: str, says: str) -> None:
    outcome = judge_build(facts(builds={"many": build("many", messages=messages)}), "many", ITEM)
    assert outcome.status == "passed"
    assert says in outcome.message
    assert outcome.evidence == BuildEvidence(messages=messages)


def test_the_first_error_is_told_and_all_are_counted() -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, ERRORS)}), "many", ITEM)
    assert outcome.status == "failed"
    assert outcome.message == "it does not compile: 2 errors; the first: many.c:3:5: error: expected ';'"


def test_one_error_is_not_counted() -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, ERRORS.splitlines()[1])}), "many", ITEM)
    assert outcome.message == "it does not compile: an error; the first: many.c:3:5: error: expected ';'"


def test_a_failure_without_a_word_is_still_one() -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE)}), "many", ITEM)
    assert (outcome.status, outcome.message) == ("failed", "it does not compile: an error")


def test_a_compiler_that_gives_up_is_quoted() -> None:
    words = "\ncc1: internal error\n"
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, words)}), "many", ITEM)
    assert outcome.message == f"it does not compile: {words.strip()}"


def test_a_name_that_is_defined_twice_is_named() -> None:
    words = f"{WARNING}ld: b.o: multiple definition of `shared'; a.o: first defined here\n"
    words += "collect2: error: ld returned 1 exit status\n"
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, words)}), "many", ITEM)
    assert outcome.message == "it does not compile: shared is defined more than once"


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        (limit("wall"), f"stopped after limits.build.wall_s ({LIMITS.wall_s:g} s)"),
        (limit("cpu"), f"stopped after limits.build.cpu_s ({LIMITS.cpu_s} s of computing)"),
        (limit("output"), f"stopped after limits.build.output_bytes ({LIMITS.output_bytes:,} bytes)"),
        (limit("memory"), f"more memory than limits.build.memory_bytes ({LIMITS.memory_bytes:,} bytes)"),
        (CRASH, "killed by SIGSEGV"),
    ],
)
def test_a_compiler_that_did_not_get_through(ending: Ending, says: str) -> None:
    outcome = judge_build(facts(builds={"many": build("many", ending)}), "many", ITEM)
    assert outcome.status == "failed"
    assert "the compiler did not finish" in outcome.message
    assert says in outcome.message


@pytest.mark.parametrize(
    ("messages", "key"),
    [
        ("gcc: internal compiler error: CPU time limit exceeded signal terminated program cc1\n", "cpu_s"),
        ("g++: fatal error: CPU time limit exceeded signal terminated program cc1plus\n", "cpu_s"),
        ("clang: error: unable to execute command: CPU time limit exceeded\n", "cpu_s"),
        ("gcc: internal compiler error: File size limit exceeded signal terminated program as\n", "output_bytes"),
        ("/usr/bin/ld: final link failed: File too large\n", "output_bytes"),
        ("cc1: out of memory allocating 64 bytes after a total of 8 bytes\n", "memory_bytes"),
        ("as: out of memory allocating 304000001 bytes after a total of 135168 bytes\n", "memory_bytes"),
        ("lto1: out of memory allocating 53608 bytes after a total of 17563648 bytes\n", "memory_bytes"),
        ("/usr/bin/ld: out of memory allocating 64 bytes after a total of 8 bytes\n", "memory_bytes"),
        ("virtual memory exhausted: Cannot allocate memory\n", "memory_bytes"),
        ("./mktable\nmalloc: Cannot allocate memory\nmake: *** [Makefile:3: table.h] Error 1\n", "memory_bytes"),
    ],
)
def test_a_limit_that_only_the_compilers_words_show_is_named(messages: str, key: str) -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, f"{WARNING}{messages}")}), "many", ITEM)
    assert f" limits.build.{key} (" in outcome.message


@pytest.mark.parametrize(
    "printed",
    ["gcc: fatal error: CPU time limit exceeded", "as: out of memory allocating 64 bytes after a total of 8 bytes"],
)
def test_a_source_that_prints_such_words_has_errors_like_any_other(printed: str) -> None:
    words = f"many.c:1:2: error: #error {printed}\n    1 | #error {printed}\n"
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, words)}), "many", ITEM)
    assert "limits.build" not in outcome.message


def test_a_source_that_cannot_be_used_fails_with_its_problem() -> None:
    outcome = judge_build(facts(unusable={"many": "many.c is missing"}), "many", ITEM)
    assert (outcome.status, outcome.message) == ("failed", "many.c is missing")
    assert outcome.hint == "", "the rubric's hint is about errors of the compiler"


def test_the_command_is_shown_as_a_student_would_type_it() -> None:
    many, single = build_results(facts(unusable={"many": "many.c is empty"}))
    assert (many.ok, many.messages) == (False, "many.c is empty")
    assert single.ok
    assert single.command == "gcc -std=gnu11 -O2 -o single single.c"


def judged(messages: str, source: bytes = b"int x;") -> Outcome:
    seen = facts(builds={"many": build("many", FAILURE, messages)})
    submission = replace(seen.submission, sources={**seen.submission.sources, "many": Source(source)})
    return judge_build(replace(seen, submission=submission), "many", ITEM)


@pytest.mark.parametrize("source", [b"", b" \n\t\n"])
def test_an_empty_source_is_said_to_be_empty(source: bytes) -> None:
    outcome = judged(LINKER.format(name="main"), source)
    assert (outcome.message, outcome.hint) == ("many.c is empty", EMPTY)


@pytest.mark.parametrize("name", ["read", "getchar"])
def test_an_implicit_declaration_that_is_an_error_lacks_an_include_line(name: str) -> None:
    outcome = judged(
        f"many.c:3:5: error: implicit declaration of function '{name}' [-Wimplicit-function-declaration]\n"
    )
    assert outcome.hint is not None
    assert re.fullmatch(rf"many\.c needs #include <\w+\.h> for {name}\.", outcome.hint)


def test_an_error_where_the_compiler_cannot_go_on_may_come_from_a_line_above() -> None:
    brace = "many.c:14:1: error: expected '=', ',', ';', 'asm' or '__attribute__' before '{' token"
    assert judged(f"{brace}\n").hint == CANNOT_GO_ON
    at_end = "many.c:9:2: error: expected declaration or statement at end of input\n"
    assert judged(at_end, b"int main(void) {\n").hint == OPEN_BLOCK
    assert judged(at_end, b"int x = (3\n").hint == CANNOT_GO_ON
    assert judged(at_end.replace(":9:2:", ":1:1:"), b"TODO\n").hint == NO_BEGINNING
    assert judged("many.c:9:2: error: too few arguments to function 'f'; expected 2\n").hint != CANNOT_GO_ON


def test_above_the_first_line_is_nothing_to_look_for() -> None:
    prose = "many.c:1:5: error: expected '=', ',', ';', 'asm' or '__attribute__' before 'is'"
    assert judged(f"{prose}\n").hint == NO_BEGINNING


@pytest.mark.parametrize(
    ("source", "line", "hint"),
    [
        (b"\n%abc\n", 2, NO_BEGINNING),
        (b"// mine\n/* it\n * is */\nint is\n", 4, NO_BEGINNING),
        (b"// mine\nint a\nint b;\n", 3, CANNOT_GO_ON),
        (b"#include <stdio.h>\nint is\n", 2, CANNOT_GO_ON),
    ],
)
def test_above_the_first_line_of_code_is_nothing_to_look_for_either(source: bytes, line: int, hint: str) -> None:
    assert judged(f"many.c:{line}:1: error: expected identifier or '(' before '%' token\n", source).hint == hint


def test_only_the_first_error_decides_about_the_hint() -> None:
    assert judged("m.c:1:1: error: expected ';'\nm.c:2:1: error: 'EOF' undeclared (first use)\n").hint is None


@pytest.mark.parametrize("quote", ["`", "'"])
def test_old_and_new_linkers_are_understood(quote: str) -> None:
    assert judged(LINKER.format(name="main").replace("'main", f"{quote}main")).hint == NO_MAIN


def test_what_a_source_has_printed_is_not_the_linkers() -> None:
    outcome = judged("many.c:1:2: error: #error undefined reference to 'main'\n")
    assert outcome.message.startswith("it does not compile: an error; the first:")


def test_the_hint_of_the_lab_does_not_speak_of_include_lines() -> None:
    spec = read_spec(resource("specs", "tr2.yaml"))
    assert ["include" in item.hint for item in spec.rubric if item.kind == "build"] == [False]


@pytest.mark.timeout(20)
def test_a_message_that_begins_many_headers_takes_no_time() -> None:
    """The compiler repeats what follows `#error` on a single line."""
    assert header_of("unknown", "note: include '<" * 40_000) is None


def test_what_a_file_is_instead_of_c_is_told_if_it_does_not_compile() -> None:
    kinds = {"many": "many.c is a page in HTML"}
    wrong = facts(builds={"many": build("many", FAILURE, ERRORS)}, kinds=kinds)
    outcome = judge_build(wrong, "many", ITEM)
    assert (outcome.status, outcome.message, outcome.hint) == ("failed", "many.c is a page in HTML", "")
    assert judge_source_format(wrong, "many", FORMAT).message == "many.c is a page in HTML"
    assert build_results(wrong)[0].messages == "many.c is a page in HTML"
    right = facts(kinds=kinds)
    assert judge_build(right, "many", ITEM).status == "passed"
    assert judge_source_format(right, "many", FORMAT).status == "passed"
    # A compiler may write more about it than the limit.
    stopped = facts(builds={"many": build("many", CRASH)}, kinds=kinds)
    assert judge_build(stopped, "many", ITEM).message == "many.c is a page in HTML"


@pytest.mark.parametrize("before", ["", ERRORS])
def test_a_merge_conflict_is_to_be_resolved(before: str) -> None:
    messages = f"{before}many.h:2:1: error: version control conflict marker in file\n    2 | <<<<<<< HEAD\n"
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, messages)}), "many", ITEM)
    assert outcome.message == "it does not compile: many.h has a merge conflict that is not resolved"
    assert outcome.hint == RESOLVE
    assert isinstance(outcome.evidence, BuildEvidence)
    assert outcome.evidence.explains_error


def test_only_the_message_of_a_compile_error_quotes_it() -> None:
    """Reports show the others next to what the compiler said."""
    quotes = {}
    for ending in (FAILURE, limit("wall")):
        outcome = judge_build(facts(builds={"many": build("many", ending, ERRORS)}), "many", ITEM)
        assert isinstance(outcome.evidence, BuildEvidence)
        quotes[outcome.message.partition(":")[0]] = outcome.evidence.quotes_error
    assert quotes == {"it does not compile": True, "the compiler did not finish": False}


@pytest.mark.parametrize(("make", "builder"), [(None, "the compiler"), ("many", "make")])
def test_what_was_stopped_is_the_compiler_or_make(make: str | None, builder: str) -> None:
    spec = SPEC.model_copy(update={"build": SPEC.build.model_copy(update={"make": make})})
    stopped = unfinished(spec, build("many", limit("wall")))
    assert stopped is not None
    assert stopped.startswith(f"{builder} did not finish: it was stopped after limits.build.wall_s (")
    assert unfinished(spec, build("many", FAILURE, "many.c:1:1: error: no")) is None
