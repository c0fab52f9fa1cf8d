"""What the check of the build says of sources that do not compile, with real messages of the compiler."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from grader.judge import build
from grader.judge.compile_errors import COMPILE_ERRORS
from grader.judge.facts import Outcome
from grader.model.evidence import BuildDone
from grader.model.report import BuildEvidence
from grader.model.spec.rubric import BuildItem
from grader.model.submission import Source
from grader.sandbox.base import Sandbox
from tests.unit.facts import facts

from .harness import Exercise

ITEM = BuildItem(kind="build", name="build", title="", points={"many": 1})
NOT_LINKED = {
    "empty": ("", "many.c is empty", build.EMPTY),
    "blank": (" \n\t\n", "many.c is empty", build.EMPTY),
    "comment": ("/* all of it */\n", "many.c has no function main", build.NO_MAIN),
    "misspelled": ("int mian(void) { return 0; }\n", "many.c has no function main", build.NO_MAIN),
    "undefined": (
        "void f(void);\nint main(void) { f(); }\n",
        "f is used, but neither many.c nor a library defines it",
        build.NOT_DEFINED,
    ),
    "two-undefined": (
        "void f(void);\nvoid g(void);\nint main(void) { f(); g(); f(); }\n",
        "f and 1 other name are used, but",
        build.NOT_DEFINED,
    ),
}
NEEDS_HEADER = {
    "macro": ("return EOF;", "stdio.h", "EOF"),
    "type": ("ssize_t n;", "unistd.h", "ssize_t"),
    "type-that-gcc-knows": ("bool b;", "stdbool.h", "bool"),
    "descriptor": ("return STDIN_FILENO;", "unistd.h", "STDIN_FILENO"),
    "status": ("return EXIT_FAILURE;", "stdlib.h", "EXIT_FAILURE"),
}
OWN_NAME = {
    "assigned": ("x = 1;", "Declare x before"),
    "returned": ("return x;", "Declare x before"),
    "table": ("from[0] = 0;", "Declare from before"),
    "nearly-a-macro": ("return EOFF;", "Declare EOFF before"),
    "own-type": ("count_t n;", "There is no type count_t"),
    "before-a-macro": ("x = EOF;", "Declare x before"),
    "semicolon": ("int i = 1", build.NO_BEGINNING),
}
HEADERS = {
    "own": ('"my.h"', "Only the files that the lab asks for are compiled: move what is needed from my.h into"),
    "misspelt": ("<sdtio.h>", "Check the name of this header: did you mean <stdio.h>?"),
    "other-language": ("<iostream>", "<iostream> is a header of C++: write the program in C."),
    "unknown": ("<graphics.h>", "Check the name of this header: it is not on the machine that compiles."),
}
SOURCES = {
    **{name: source for name, (source, _, _) in NOT_LINKED.items()},
    **{name: f"int main(void) {{ {statement} }}\n" for name, (statement, _, _) in NEEDS_HEADER.items()},
    **{name: f"int main(void) {{ {statement} }}\n" for name, (statement, _) in OWN_NAME.items()},
    **{f"header-{name}": f"#include {header}\nint main(void) {{ }}\n" for name, (header, _) in HEADERS.items()},
    **{f"error-{number}": error.example for number, error in enumerate(COMPILE_ERRORS)},
}


@pytest.fixture(scope="module")
def judged(sandbox: Sandbox) -> dict[str, Outcome]:
    done = Exercise((), {name: source.encode() for name, source in SOURCES.items()}).done_in(sandbox)
    return {name: _judged(done.build(name), source) for name, source in SOURCES.items()}


def _judged(done: BuildDone, source: str) -> Outcome:
    messages = done.messages.replace(f"{done.program}.c", "many.c")
    seen = facts(builds={"many": done.model_copy(update={"program": "many", "messages": messages})})
    sources = {**seen.submission.sources, "many": Source(source.encode())}
    outcome = build.judge_build(replace(seen, submission=replace(seen.submission, sources=sources)), "many", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, BuildEvidence)
    assert outcome.evidence.messages == messages
    return outcome


@pytest.mark.parametrize("name", NOT_LINKED)
def test_what_the_linker_lacks_is_named(judged: dict[str, Outcome], name: str) -> None:
    _, says, hint = NOT_LINKED[name]
    assert says in judged[name].message
    assert judged[name].hint == hint


@pytest.mark.parametrize("name", NEEDS_HEADER)
def test_a_missing_include_line_is_named(judged: dict[str, Outcome], name: str) -> None:
    _, header, needs = NEEDS_HEADER[name]
    assert judged[name].hint == f"many.c needs #include <{header}> for {needs}."


@pytest.mark.parametrize("name", OWN_NAME)
def test_no_include_line_is_proposed_for_a_name_of_the_students_own(judged: dict[str, Outcome], name: str) -> None:
    assert (judged[name].hint or "").startswith(OWN_NAME[name][1])


@pytest.mark.parametrize("name", HEADERS)
def test_a_missing_header_is_one_of_the_students_or_misspelt(judged: dict[str, Outcome], name: str) -> None:
    assert (judged[f"header-{name}"].hint or "").startswith(HEADERS[name][1])


@pytest.mark.parametrize("number", range(len(COMPILE_ERRORS)))
def test_the_compiler_says_of_each_example_what_its_advice_is_for(judged: dict[str, Outcome], number: int) -> None:
    advice = (
        re.escape(COMPILE_ERRORS[number].advice)
        .replace(r"\{0\}", r"\S+")
        .replace(r"\{1\}", ".+")
        .replace(r"\}\}", "}")
    )
    assert re.fullmatch(advice, judged[f"error-{number}"].hint or "")
