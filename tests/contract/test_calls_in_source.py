"""Which functions a source calls if the compiler leaves calls out, and what the check of functions says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from grader.judge.symbols import judge_symbols
from grader.model.evidence import BuildDone, Exited
from grader.model.plan import BuildStep
from grader.model.report import SymbolsEvidence
from grader.model.spec.programs import Build, SymbolRule
from grader.model.spec.rubric import SymbolsItem
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect
from tests.unit.facts import LAB, facts

from .harness import Exercise, Outcome

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})
GROUPS = (("getchar", "getc"), ("putchar",))
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"


def program(body: str, before: str = "") -> str:
    return f"{HEAD}{before}\nint main(void)\n{{\n\tchar c = 0;\n\tputchar(c);\n{body}\n}}\n"


OWN_COPY = "\twhile (read(0, &c, 1) == 1)\n\t\tputchar(c);\n"
NEVER_REACHED = {
    "if-0": program(f"{OWN_COPY}\tif (0)\n\t\tgetchar(); /* DEAD */"),
    "after-return": program(f"{OWN_COPY}\treturn 0;\n\tgetchar(); // DEAD"),
    "short-circuit": program(f"{OWN_COPY}\treturn 0 && getchar(); // DEAD"),
    "conditional": program(f"{OWN_COPY}\treturn 1 ? 0 : getchar(); // DEAD"),
    "size-of-a-call": program(f"{OWN_COPY}\treturn sizeof(getchar()) == 0; // DEAD"),
    "while-0": program(f"{OWN_COPY}\twhile (0)\n\t\tgetchar(); // DEAD"),
    "endless-loop": program(f"{OWN_COPY}\tfor (;;)\n\t\tpause();\n\tgetchar(); // DEAD"),
    "in-a-macro": program(f"{OWN_COPY}\tif (0)\n\t\tNEXT(); // DEAD", "#define NEXT() getchar()"),
    "constant-macro": program(f"{OWN_COPY}\tif (DEBUG)\n\t\tgetc(stdin); // DEAD", "#define DEBUG 0"),
    "beside-a-comment": program(f'{OWN_COPY}\tputs("getchar()"); /* getchar() */\n\tif (0)\n\t\tgetchar(); // DEAD'),
}
NOT_IN_THE_SOURCE = {
    "comment": program(f"{OWN_COPY}\t/* getchar(); */ // getchar();"),
    "string": program(f'{OWN_COPY}\tputs("getchar()");'),
    "character-and-string": program(f'{OWN_COPY}\tputs("\'\\"getchar()"); c = \'"\';'),
    "disabled": program(f"{OWN_COPY}#if 0\n\tgetchar();\n#endif"),
    "not-defined": program(f"{OWN_COPY}#ifdef WITH_STDIO\n\tgetchar();\n#endif"),
    "unused-macro": program(OWN_COPY, "#define NEXT() getchar()"),
    "another-name": program(OWN_COPY, "static int my_getchar(void) { return 0; }\nint (*used)(void) = my_getchar;"),
    "declared-again": program(f"{OWN_COPY}\textern int getchar(void);"),
    "member": program(f"{OWN_COPY}\tif (0)\n\t\ts.getchar();", "struct { int (*getchar)(void); } s;"),
}
REACHED = {
    "goto-into-if-0": program(
        "\tif (0) {\nagain:\n\t\tc = getchar();\n\t\tputchar(c);\n\t}\n\tif (c != EOF) goto again;"
    ),
    "by-pointer": program("\tint (*next)(void) = getchar;\n\twhile (next() != EOF)\n\t\tputchar(c);"),
    "label-after-return": program("\tgoto copy;\n\treturn 0;\ncopy:\n\twhile (getchar() != EOF)\n\t\t;"),
    "switch-into-loop": program("\tswitch (c)\n\t\tdo {\n\t\t\tc = 1;\n\tcase 0:;\n\t\t} while (getchar() != EOF);"),
    "at-exit": program("\tatexit(copy);", "static void copy(void) { while (getchar() != EOF) putchar('x'); }"),
    "constructor": program("", "__attribute__((constructor)) static void copy(void) { while (getchar() != EOF); }"),
}
OWN_FUNCTION = {
    "own-getchar": program(
        "\twhile (getchar() != EOF)\n\t\t;", "int getchar(void) { char c; return read(0, &c, 1); }"
    ),
}
SOURCES = {**NEVER_REACHED, **NOT_IN_THE_SOURCE, **REACHED, **OWN_FUNCTION}


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    return Exercise((), {name: text.encode() for name, text in SOURCES.items()}, one_of_each=GROUPS).done_in(sandbox)


def judged(outcome: Outcome, name: str) -> tuple[str, str, SymbolsEvidence]:
    rule = SymbolRule(one_of_each=GROUPS)
    many = LAB.spec.programs["many"].model_copy(update={"symbols": rule})
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": {**LAB.spec.programs, "many": many}}))
    found = judge_symbols(replace(facts(builds={"many": outcome.build(name)}), lab=lab), "many", ITEM)
    assert isinstance(found.evidence, SymbolsEvidence)
    return found.status, found.message, found.evidence


@pytest.mark.slow
@pytest.mark.parametrize("name", NEVER_REACHED)
def test_a_call_that_is_never_reached_is_in_the_source_and_earns_nothing(outcome: Outcome, name: str) -> None:
    line = 1 + SOURCES[name][: SOURCES[name].index("DEAD")].count("\n")
    assert list(outcome.build(name).source_calls.values()) == [line]
    status, message, evidence = judged(outcome, name)
    assert status == "failed"
    words = rf"never reaches its call of getc(har)? in line {line} of many\.c, so the compiler left it out"
    assert re.search(words, message), message
    assert (evidence.found, evidence.missing) == (("putchar",), (GROUPS[0],))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_IN_THE_SOURCE)
def test_what_the_compiler_does_not_see_is_no_call(outcome: Outcome, name: str) -> None:
    assert outcome.build(name).source_calls == {}
    assert judged(outcome, name)[:2] == ("failed", "it does not call getchar")


@pytest.mark.parametrize("name", REACHED)
def test_a_call_that_only_looks_unreachable_counts(outcome: Outcome, name: str) -> None:
    status, message, evidence = judged(outcome, name)
    assert status == "passed", message
    assert {"getchar", "putchar"} <= set(evidence.found)


@pytest.mark.parametrize("name", OWN_FUNCTION)
def test_a_function_of_the_same_name_is_not_the_librarys(outcome: Outcome, name: str) -> None:
    assert outcome.build(name).own_functions == ("getchar",)
    status, message, _ = judged(outcome, name)
    assert (status, "a function getchar of its own" in message) == ("failed", True), message


COPY = program("\tint d;\n\twhile ((d = getchar()) != EOF)\n\t\tputchar(d);")
COPY_OF_READ = program(OWN_COPY)
ONLY_UNOPTIMISED = program(
    "\tint d;\n#ifdef __OPTIMIZE__\n\twhile (read(0, &c, 1) == 1)\n#else\n\twhile ((d = getchar()) != EOF)\n#endif\n"
    "\t\tputchar(c);"
)
HIDING = ("-static", "-static-pie", "-static -s", "-s", "-flto", "-flto -static", "-Wl,--gc-sections -static", "")


@pytest.fixture(scope="module", params=["one source", "two sources"])
def hidden_calls(sandbox: Sandbox, request: pytest.FixtureRequest) -> Mapping[str, BuildDone]:
    """Build programs with options that hide from `nm --dynamic` which functions they call."""
    texts = {"copy": COPY, "read": COPY_OF_READ, "unoptimised": ONLY_UNOPTIMISED}
    more = ("more.c",) if request.param == "two sources" else ()
    steps = []
    for number, options in enumerate(HIDING):
        built = Build(compiler="gcc", options=("-O2", *options.split()))
        for name in texts:
            sources = ("-r" if more else "-c", f"{name}.c", *more)
            steps.append(
                BuildStep(
                    program=f"{name}{number}",
                    source=f"{name}.c",
                    compile=(*built.compiler_command, f"{name}.c", *more),
                    compile_object=(*built.object_command, *sources),
                    compile_program_object=(*built.program_object_command, *sources),
                )
            )
    files = {f"{name}.c": text.encode() for name, text in texts.items()} | {"more.c": b"int more;\n"}
    plan = Exercise((), {}).job().plan.model_copy(update={"builds": tuple(steps)})
    with sandbox.open(Job(plan, files, {})) as session:
        return collect(session.events()).builds


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(HIDING)), ids=HIDING)
def test_options_that_hide_calls_neither_fail_a_right_program_nor_pass_a_wrong_one(
    hidden_calls: Mapping[str, BuildDone], number: int
) -> None:
    item = ITEM.model_copy(update={"symbols": SymbolRule(one_of_each=GROUPS)})
    assert hidden_calls[f"copy{number}"].ending == Exited(kind="exited", code=0)
    for name, status in {"copy": "passed", "read": "failed", "unoptimised": "failed"}.items():
        seen = facts(builds={"many": hidden_calls[f"{name}{number}"].model_copy(update={"program": "many"})})
        assert judge_symbols(seen, "many", item).status == status, name
