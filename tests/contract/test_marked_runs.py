"""How a program moves its bytes, shown by a copy in which the functions that the lab asks for mark them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.grading.plan_builder import build_step
from grader.judge.symbols import judge_symbols
from grader.lab.load import read_spec
from grader.model.evidence import Marks
from grader.model.plan import BuildStep
from grader.model.report import SymbolsEvidence
from grader.model.spec.rubric import SymbolsItem
from grader.resources import resource
from grader.sandbox.base import Sandbox
from tests.unit.facts import LAB, facts

from .harness import Exercise, Outcome

pytestmark = pytest.mark.slow

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})
TR2 = read_spec(resource("specs", "tr2.yaml"))
RULE = TR2.programs["tr2b"].symbols
READS, WRITES = RULE.one_of_each
UNBUFFERED = TR2.programs["tr2u"].symbols
HEAD = """\
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int never;
"""


def program(body: str, before: str = "") -> str:
    main = f"int main(int argc, char **argv)\n{{\n\tint c = argc < 0 || argv == 0;\n{body}\n\treturn 0;\n}}\n"
    return f"{HEAD}{before}\n{main}"


PUTS_ALL = "\twhile ((c = getchar()) != EOF)\n\t\t"
USED = {
    "getchar": program(f"{PUTS_ALL}putchar(c);"),
    "unlocked": program("\twhile ((c = getchar_unlocked()) != EOF)\n\t\tputchar_unlocked(c);"),
    "streams": program("\twhile ((c = getc(stdin)) != EOF)\n\t\tputc(c, stdout);"),
    "functions-of-streams": program("\twhile ((c = fgetc(stdin)) != EOF)\n\t\tfputc(c, stdout);"),
    "unlocked-streams": program("\twhile ((c = getc_unlocked(stdin)) != EOF)\n\t\tputc_unlocked(c, stdout);"),
    "own-getchar": program(f"{PUTS_ALL}putchar(c);", "int getchar(void) { return getc(stdin); }"),
    "peeks": program(
        "\twhile ((c = getchar()) != EOF) {\n\t\tungetc(c, stdin);\n"
        "\t\tif ((c = getchar()) != '\\n')\n\t\t\tputchar(c);\n\t}"
    ),
    "macro": program(
        "\tPUT_ALL",
        "#define NEXT() getc(stdin)\n#define PUT_ALL while ((c = NEXT()) != EOF) putc(c, stdout);",
    ),
    "pointers": program(
        "\tint (*next)(void) = getchar, (*put)(int) = putchar;\n\twhile ((c = next()) != EOF)\n\t\tput(c);"
    ),
    "standard-input-by-name": program(
        '\tFILE *in = fopen("/dev/stdin", "r");\n\twhile ((c = getc(in)) != EOF)\n\t\tputchar(c);'
    ),
    "another-stream": program(
        '\tFILE *out = fdopen(1, "w");\n\twhile ((c = getchar()) != EOF)\n\t\tfputc(c, out);\n\tfclose(out);'
    ),
    "reads-all-first": program(
        "\tstatic char all[100000];\n\tint n = 0;\n\twhile ((c = getchar()) != EOF)\n\t\tall[n++] = c;\n"
        "\tfor (int i = 0; i < n; i++)\n\t\tputchar(all[i]);"
    ),
    "looks-at-results": program(f"{PUTS_ALL}if (putchar(c) != (unsigned char)c || ferror(stdout))\n\t\t\treturn 1;"),
    "reads-another-stream": program(
        '\tFILE *other = fopen("/proc/self/cmdline", "r");\n\tfor (char *at = argv[0]; *at; at++)\n'
        "\t\tif (getc(other) != *at)\n\t\t\treturn 1;\n"
        f"{PUTS_ALL}putchar(c);"
    ),
    "signed-bytes": program("\tchar b;\n\twhile ((c = getchar()) != EOF) {\n\t\tb = c;\n\t\tputchar(b);\n\t}"),
    "asks-again-at-the-end": program(f"{PUTS_ALL}putchar(c);\n\tif (getchar() != EOF)\n\t\treturn 1;"),
    "messages": program(f'{PUTS_ALL}putchar(c);\n\tfprintf(stderr, "done\\n");\n\tfflush(stdout);'),
    "what-it-replaces": program(
        f'{PUTS_ALL}if (argc > 1 && strchr(argv[1], c))\n\t\t\tputchar(*argv[2]);\n\t\telse\n\t\t\tprintf("%c", c);'
    ),
    "half-of-it": program(
        f'{PUTS_ALL}if (c_is_even())\n\t\t\tputchar(c);\n\t\telse\n\t\t\tprintf("%c", c);',
        "static int c_is_even(void) { static int n; return n++ % 8 < 5; }",
    ),
    "ignores-what-is-implicit": "int main() { int c; while ((c = getchar()) != -1) putchar(c); return 0; }\n",
}  # fmt: skip
READ_ELSEWHERE = {
    "fread": program(
        "\tunsigned char b;\n\twhile (fread(&b, 1, 1, stdin) == 1)\n\t\tputchar(b);\n\tif (never)\n\t\tgetchar();"
    ),
    "fread-after-one": program(
        "\tunsigned char b;\n\tif ((c = getchar()) == EOF)\n\t\treturn 0;\n\tungetc(c, stdin);\n"
        "\twhile (fread(&b, 1, 1, stdin) == 1)\n\t\tputchar(b);"
    ),
    "a-buffer-by-getchar": program(
        "\tstatic char b[4096];\n\tsize_t n;\n"
        "\tfor (int i = 0; i < 4096 && (c = getchar()) != EOF; i++)\n\t\tputchar(c);\n"
        "\twhile ((n = fread(b, 1, sizeof b, stdin)) > 0)\n\t\tfor (size_t i = 0; i < n; i++)\n\t\t\tputchar(b[i]);"
    ),
    "syscall": program(
        "\tstatic char b[4096];\n\tlong n;\n\twhile ((n = syscall(SYS_read, 0, b, sizeof b)) > 0)\n"
        "\t\tfor (int i = 0; i < n; i++)\n\t\t\tputchar(b[i]);\n\tif (never)\n\t\tgetchar();"
    ),
    "lines": program(
        "\tchar *line = NULL;\n\tsize_t size = 0;\n\tlong n;\n\twhile ((n = getline(&line, &size, stdin)) > 0)\n"
        "\t\tfor (int i = 0; i < n; i++)\n\t\t\tputchar(line[i]);\n\tgetchar();"
    ),
    "mapping": program(
        "\tint n = lseek(0, 0, SEEK_END);\n\tchar *all = mmap(NULL, n + 1, PROT_READ, MAP_PRIVATE, 0, 0);\n"
        "\tfor (int i = 0; i < n; i++)\n\t\tputchar(all[i]);\n\tgetchar();"
    ),
    "own-getchar-that-freads": program(
        f"{PUTS_ALL}putchar(c);\n\tgetc(stdin);",
        "int getchar(void) { unsigned char b; return fread(&b, 1, 1, stdin) == 1 ? b : EOF; }",
    ),
}  # fmt: skip
WRITTEN_ELSEWHERE = {
    "fwrite": program(f"{PUTS_ALL}fwrite(&c, 1, 1, stdout);\n\tif (never)\n\t\tputchar('x');"),
    "printf": program(f'{PUTS_ALL}printf("%c", c);\n\tif (never)\n\t\tputchar(c);'),
    "blocks": program(
        "\tstatic char all[100000];\n\tint n = 0;\n\twhile ((c = getchar()) != EOF)\n\t\tall[n++] = c;\n"
        "\tif (n > 0)\n\t\tputchar(all[0]), fwrite(all + 1, 1, n - 1, stdout);"
    ),
}
BOTH = {
    "cat": program(
        "\tstatic char b[4096];\n\tsize_t n;\n\twhile ((n = fread(b, 1, sizeof b, stdin)) > 0)\n"
        "\t\tfwrite(b, 1, n, stdout);\n\tif (never)\n\t\tputchar(getchar());"
    ),
}
NOT_KNOWN = {
    "crashes": program(f"{PUTS_ALL}putchar(c);\n\tabort();"),
    "other-status": program(f"{PUTS_ALL}putchar(c);\n\texit(3);"),
    "other-output": program(f"{PUTS_ALL}putchar(c), putchar(c);"),
    "other-bytes": program(f"{PUTS_ALL}putchar('7');"),
    "adds-a-newline": program("\twhile (scanf(\"%*c\") == 1)\n\t\tc++;\n\tputchar('\\n');\n\tgetchar();"),
    "nothing": program("\tif (never)\n\t\tputchar(getchar());"),
    "does-not-link": program(f"{PUTS_ALL}putchar(c);", "int __wrap_getchar(void) { return 0; }"),
    "does-not-end": program("\tif (never)\n\t\tputchar(getchar());\n\tfor (;;)\n\t\t;"),
}
BYTEWISE = "\tchar b;\n\twhile (read(0, &b, 1) == 1)\n\t\t"
BY_READ_AND_WRITE = {
    "read-and-write": program(f"{BYTEWISE}write(1, &b, 1);"),
    "checks-results": program(f"{BYTEWISE}if (write(STDOUT_FILENO, &b, 1) != 1)\n\t\t\treturn 1;"),
    "messages-by-stdio": program(f'{BYTEWISE}write(1, &b, 1);\n\tfprintf(stderr, "done\\n");'),
    "last-read-asks-for-more": program(f"{BYTEWISE}write(1, &b, 1);\n\tchar rest[9];\n\treturn read(0, rest, 9);"),
    "fortified": program(
        "\tchar b;\n\tsize_t size = argc > 0;\n\twhile (read(0, &b, size) == 1)\n\t\twrite(1, &b, size);"
    ),
    "fortified-by-itself": "#define _FORTIFY_SOURCE 2\n"
    + program("\tchar b;\n\tsize_t size = argc > 0;\n\twhile (read(0, &b, size) == 1)\n\t\twrite(1, &b, size);"),
    "through-pointers": program(
        "\tssize_t (*in)(int, void *, size_t) = read, (*out)(int, const void *, size_t) = write;\n\tchar b;\n"
        "\twhile (in(0, &b, 1) > 0)\n\t\tout(1, &b, 1);"
    ),
    "reads-and-writes-another-file": program(
        '\tint other = open("digits", O_RDWR | O_CREAT, 0600);\n\tchar back[10], digits[] = "0123456789";\n'
        "\tif (write(other, digits, 10) != 10 || lseek(other, 0, SEEK_SET) || read(other, back, 10) != 10"
        " || memcmp(back, digits, 10))\n\t\treturn 1;\n"
        f"{BYTEWISE}write(1, &b, 1);"
    ),
    "from-a-copy-of-the-descriptor": program(
        "\tint in = dup(0);\n\tchar b;\n\tclose(0);\n\twhile (read(in, &b, 1) == 1)\n\t\twrite(1, &b, 1);"
    ),
    "blocks-of-read-and-write": program(
        "\tstatic char b[4096];\n\tlong n;\n\twhile ((n = read(0, b, sizeof b)) > 0)\n\t\twrite(1, b, n);"
    ),
}  # fmt: skip
NOT_BY_READ_AND_WRITE = {
    "written-by-fwrite": (
        program(
            f"\tsetvbuf(stdout, NULL, _IONBF, 0);\n{BYTEWISE}fwrite(&b, 1, 1, stdout);\n"
            "\tif (never)\n\t\twrite(1, &b, 1);"
        ),
        "wrote {} without write",
    ),
    "written-by-printf": (
        program(f'\tsetbuf(stdout, NULL);\n{BYTEWISE}printf("%c", b);\n\tif (never)\n\t\twrite(1, &b, 1);'),
        "wrote {} without write",
    ),
    "written-by-syscall": (
        program(f"{BYTEWISE}syscall(SYS_write, 1, &b, 1L);\n\tif (never)\n\t\twrite(1, &b, 1);"),
        "wrote {} without write",
    ),
    "read-by-readv": (
        program(
            "\tchar b;\n\tstruct iovec one = {&b, 1};\n\twhile (readv(0, &one, 1) == 1)\n\t\twrite(1, &b, 1);\n"
            "\tif (never)\n\t\tread(0, &b, 1);",
            "#include <sys/uio.h>",
        ),
        "read {} without read",
    ),
}  # fmt: skip
OF_TR2U = {**BY_READ_AND_WRITE, **{name: source for name, (source, _) in NOT_BY_READ_AND_WRITE.items()}}
SOURCES = {**USED, **READ_ELSEWHERE, **WRITTEN_ELSEWHERE, **BOTH, **NOT_KNOWN, **OF_TR2U}


def step(name: str) -> BuildStep:
    build = build_step(TR2, "tr2u" if name in OF_TR2U else "tr2b")
    assert build.marked is not None
    source = f"{name}.c"
    marked = build.marked.model_copy(update={"compile": (*build.marked.compile[:-1], source)})
    changed = {"program": name, "source": source, "compile": (*build.compile[:-1], source), "marked": marked}
    objects = ("compile_object", "compile_program_object")
    return build.model_copy(update={**changed, **{name: (*getattr(build, name)[:-1], source) for name in objects}})


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    class Marked(Exercise):
        def job(self) -> object:  # type: ignore[override]
            job = super().job()
            builds = tuple(step(name) for name in self.sources)
            return replace(job, plan=job.plan.model_copy(update={"builds": builds}))

    return Marked((), {name: text.encode() for name, text in SOURCES.items()}).done_in(sandbox)


def judged(outcome: Outcome, name: str) -> tuple[str, str, SymbolsEvidence]:
    rule = UNBUFFERED if name in OF_TR2U else RULE
    many = LAB.spec.programs["many"].model_copy(update={"symbols": rule})
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": {**LAB.spec.programs, "many": many}}))
    found = judge_symbols(replace(facts(builds={"many": outcome.build(name)}), lab=lab), "many", ITEM)
    assert isinstance(found.evidence, SymbolsEvidence)
    return found.status, found.message, found.evidence


def marks_of(outcome: Outcome, name: str) -> Marks:
    marks = outcome.build(name).marks
    assert marks is not None
    return marks


@pytest.mark.parametrize("name", USED)
def test_bytes_that_go_through_these_functions_are_marked(outcome: Outcome, name: str) -> None:
    marks = marks_of(outcome, name)
    assert marks.read_bytes == marks.copied_bytes
    assert marks.written_bytes == marks.copied_bytes or name in ("half-of-it", "what-it-replaces")
    assert marks.other_written_bytes == marks.other_bytes > 0 or name in ("half-of-it", "what-it-replaces")
    assert judged(outcome, name)[0] == "passed"


@pytest.mark.parametrize(
    ("name", "unused"),
    [
        *((name, (READS,)) for name in READ_ELSEWHERE),
        *((name, (WRITES,)) for name in WRITTEN_ELSEWHERE),
        *((name, (READS, WRITES)) for name in BOTH),
    ],
)
def test_bytes_that_go_elsewhere_are_counted(
    outcome: Outcome, name: str, unused: tuple[tuple[str, ...], ...]
) -> None:
    marks = marks_of(outcome, name)
    status, message, evidence = judged(outcome, name)
    assert (status, evidence.unused, evidence.missing, evidence.forbidden) == ("failed", unused, (), ())
    if READS in unused:
        assert f"read {marks.copied_bytes - marks.read_bytes:,} without getchar or a similar function" in message
    if WRITES in unused:
        assert f"wrote {marks.copied_bytes - marks.written_bytes:,} without putchar or a similar function" in message


@pytest.mark.parametrize("name", BY_READ_AND_WRITE)
def test_read_and_write_mark_their_bytes(outcome: Outcome, name: str) -> None:
    marks = marks_of(outcome, name)
    assert marks.read_bytes == marks.written_bytes == marks.copied_bytes
    assert judged(outcome, name)[0] == "passed"


@pytest.mark.parametrize(("name", "says"), [(name, says) for name, (_, says) in NOT_BY_READ_AND_WRITE.items()])
def test_one_call_for_each_byte_by_other_functions_fails(outcome: Outcome, name: str, says: str) -> None:
    status, message, _ = judged(outcome, name)
    assert status == "failed"
    assert message.endswith(says.format(f"{marks_of(outcome, name).copied_bytes:,}"))


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_without_a_copy_of_the_input_the_names_decide(outcome: Outcome, name: str) -> None:
    assert outcome.build(name).marks is None
    assert judged(outcome, name)[0] == "passed"
