"""Calls that an optimising compiler makes or replaces are not the source's, and no source can disguise its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from grader.judge.symbols import judge_symbols
from grader.model.evidence import BuildDone, Exited
from grader.model.plan import BuildStep
from grader.model.spec.programs import Build, SymbolRule
from grader.model.spec.rubric import SymbolsItem
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect
from tests.unit.facts import LAB, facts

from .harness import Exercise

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
READS = "\tchar a[4096];\n\tsize_t n = fread(a, 1, sizeof a - 1, stdin);\n\ta[n] = 0;\n"
OWN = """static int own(const char *s)
{
	int n = 0;
	while (s[n] != 0)
		n++;
	return n;
}
"""


def rule(*groups: str, without: tuple[str, ...] = ()) -> SymbolRule:
    return SymbolRule(one_of_each=tuple((name,) for name in groups), none_of=without)


def main(body: str, before: str = "") -> str:
    return f"{HEAD}{before}\nint main(int argc, char **argv)\n{{\n{READS}{body}\n}}\n"


def if_optimised(source_calls: str, before: str = "") -> str:
    """Return a program that has its length counted by this only if it is optimised."""
    return main(
        f"#ifdef __OPTIMIZE__\n\tint k = {source_calls};\n#else\n\tint k = own(a);\n#endif\n"
        '\tprintf("%d %d\\n", k, own(a));',
        f"{OWN}{before}",
    )


NO_STRLEN = rule("fread", without=("strlen",))
RIGHT = {
    "loop": (
        main(
            '\tchar b[4096];\n\tfor (size_t i = 0; i < 4096; i++)\n\t\tb[i] = a[i];\n\tprintf("%d%s\\n", own(b), a);',
            OWN,
        ),
        rule("fread", without=("strlen", "memcpy", "memmove", "memset")),
    ),
    "fputs": (main('\tfprintf(stderr, "%s", argv[0]);'), rule("fprintf", without=("fputs", "fwrite"))),
    "putchar": (main('\tprintf("\\n");\n\tprintf("text\\n");'), rule("printf", without=("puts", "putchar"))),
    "calloc": (
        main("\tchar *p = malloc(n);\n\tif (p == NULL)\n\t\treturn 1;\n\tmemset(p, 0, n);\n\tputs(p + (p[0] != 0));"),
        rule("malloc", without=("calloc",)),
    ),
    "memcpy": (main("\tchar b[16];\n\tmemcpy(b, a, 16);\n\tfwrite(b, 1, 16, stdout);"), rule("memcpy")),
    "pointer": (
        main(
            "\tchar b[16];\n\tvoid *(*copy)(void *, const void *, size_t) = memcpy;\n\tcopy(b, a, 16);\n"
            "\tfwrite(b, 1, 16, stdout);"
        ),
        rule("memcpy"),
    ),
    "strcpy": (
        main('\tchar b[4096];\n\tsprintf(b, "%s", a);\n\tputs(b);'),
        rule("sprintf", without=("strcpy", "stpcpy", "memcpy")),
    ),
}
KNOWS = '__builtin_constant_p(strlen("abc"))'
"""What a source finds out about its compilation: whether the compiler knows the functions of the library."""

WRONG = {
    "called": (if_optimised("strlen(a)"), NO_STRLEN),
    "builtin": (if_optimised("__builtin_strlen(a)"), NO_STRLEN),
    "has-builtin": (
        if_optimised(
            "COUNT(a)", "#if __has_builtin(strlen)\n#define COUNT strlen\n#else\n#define COUNT own\n#endif\n"
        ),
        NO_STRLEN,
    ),
    "knows": (if_optimised(f"{KNOWS} ? (int)strlen(a) : own(a)"), NO_STRLEN),
    "knows-builtin": (if_optimised(f"{KNOWS} ? (int)__builtin_strlen(a) : own(a)"), NO_STRLEN),
    "knows-pointer": (
        if_optimised(
            "count(a)",
            "static size_t count(const char *s)\n{\n\tsize_t (*volatile f)(const char *) = strlen;\n"
            f"\treturn {KNOWS} ? f(s) : 0;\n}}\n",
        ),
        NO_STRLEN,
    ),
    "knows-label": (
        if_optimised(f"{KNOWS} ? (int)other(a) : own(a)", 'size_t other(const char *) __asm__("str" "len");\n'),
        NO_STRLEN,
    ),
    "label": (if_optimised("other(a)", 'size_t other(const char *) __asm__("str" "len");\n'), NO_STRLEN),
    "weak-reference": (
        if_optimised(
            f"{KNOWS} ? (int)other(a) : own(a)",
            'static size_t other(const char *) __attribute__((weakref("str" "len")));\n',
        ),
        NO_STRLEN,
    ),
    "system-header": (if_optimised("strlen(a)").replace(OWN, f'# 1 "own.h" 3\n{OWN}'), NO_STRLEN),
    "knows-header": (
        if_optimised(f"{KNOWS} ? (int)strlen(a) : own(a)").replace(OWN, f'{OWN}# 1 "own.h" 3\n'),
        NO_STRLEN,
    ),
    "knows-line-in-a-string": (
        if_optimised(f"{KNOWS} ? (int)strlen(a) : own(a)").replace(
            OWN, f'{OWN}static const char text[] = R"(\n# 1 "own.h" 3\n)";\n'
        ),
        NO_STRLEN,
    ),
    "name-of-the-library": (
        if_optimised("__libc_malloc(8) != NULL", "void *__libc_malloc(size_t);\n"),
        rule("fread", without=("malloc",)),
    ),
    "attribute": (
        if_optimised(
            "other(a)",
            '__attribute__((optimize("O3", "builtin"), noinline)) static int other(const char *s)\n'
            "{\n\treturn strlen(s);\n}\n",
        ),
        NO_STRLEN,
    ),
    "unknown-function": (
        if_optimised(f"{KNOWS} ? getchar() : own(a)"),
        rule("fread", without=("getchar", "getc")),
    ),
    "never-called": (
        main("\tstatic int is_wanted;\n\tchar b[16] = {0};\n\tif (is_wanted)\n\t\tmemcpy(b, a, n & 15);\n\tputs(b);"),
        rule("memcpy"),
    ),
    "only-literally": (
        main(
            "\tchar b[16];\n#if defined __OPTIMIZE__ && __has_builtin(strlen)\n"
            "\tfor (int i = 0; i < 16; i++)\n\t\tb[i] = a[i] + 1;\n#else\n\tmemcpy(b, a, 16);\n#endif\n"
            "\tfwrite(b, 1, 16, stdout);"
        ),
        rule("memcpy"),
    ),
}
RULED = {**RIGHT, **WRONG}
OPTIONS = (
    "-O2",
    *(pytest.param(options, marks=pytest.mark.slow) for options in ("-O3 -static -flto", "-O2 -D_FORTIFY_SOURCE=2")),
)


@pytest.fixture(scope="module", params=OPTIONS)
def builds(sandbox: Sandbox, request: pytest.FixtureRequest) -> Mapping[str, BuildDone]:
    built = Build(compiler="gcc", standard="gnu11", options=tuple(request.param.split()))
    steps = tuple(
        BuildStep(
            program=name,
            folder=name,
            source=f"{name}.c",
            compile=(*built.compiler_command, f"{name}.c"),
            compile_object=(*built.object_command, "-c", f"{name}.c"),
            compile_program_object=(*built.program_object_command, "-c", f"{name}.c"),
            one_of_each=asked.one_of_each,
            none_of=asked.none_of,
        )
        for name, (_, asked) in RULED.items()
    )
    plan = Exercise((), {}).job().plan.model_copy(update={"builds": steps})
    files = {f"{name}/{name}.c": text.encode() for name, (text, _) in RULED.items()}
    with sandbox.open(Job(plan, files, {})) as session:
        return collect(session.events()).builds


@pytest.mark.parametrize("name", RULED)
def test_a_call_is_the_sources_only_if_the_source_makes_it(builds: Mapping[str, BuildDone], name: str) -> None:
    build = builds[name].model_copy(update={"program": "many"})
    assert build.ending == Exited(kind="exited", code=0), build.messages
    unknown = LAB.reference.evidence.model_copy(update={"builds": {}})
    lab = replace(LAB, reference=replace(LAB.reference, evidence=unknown))
    item = ITEM.model_copy(update={"symbols": RULED[name][1]})
    outcome = judge_symbols(replace(facts(builds={"many": build}), lab=lab), "many", item)
    assert outcome.status == ("passed" if name in RIGHT else "failed"), outcome.message
