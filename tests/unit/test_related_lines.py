"""Lines that concern a symptom: the report says only what they do, and reveals nothing that is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from grader.diagnose.behaviour.outputs import HIGH
from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.patterns import find
from grader.diagnose.source.related_lines import RelatedLines
from grader.explain.roles import patterns_of_roles, roles
from grader.model.report import (
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Difference,
    Fact,
    RelatedLine,
    Report,
    SymbolsEvidence,
    Symptom,
    Window,
)

from .render import factory

RIGHT = """#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "usage: %s from to\\n", argv[0]), 1;
    if (strlen(argv[1]) > strlen(argv[2])) {
        printf("different lengths\\n");
        return 1;
    }
    int c;
    while ((c = getchar()) != EOF)
        putchar(c);
    /* getchar strlen(a) == strlen(b) "different lengths" */
}
"""


def related_lines(
    symptom: Symptom, report: Report, file: str, source: list[str], found: dict[str, list[tuple[int, ...]]]
) -> tuple[RelatedLine, ...]:
    return RelatedLines(symptom, report, file, source, found, roles()).chosen()


def numbers(source: str = RIGHT) -> dict[str, list[tuple[int, ...]]]:
    parsed = CSource(source.encode())
    return {
        role: sorted({tuple(place["lines"]) for place in find(parsed, pattern)})
        for role, pattern in patterns_of_roles().items()
    }


def shown(id_: str, *cases: CaseResult, source: str = RIGHT, facts: tuple[Fact, ...] = ()) -> list[tuple[int, str]]:
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=cases))
    report: Report = factory.report(checks=(failed,))
    names = tuple(case.case for case in cases if not case.passed)
    symptom = Symptom(id=id_, program="tr2b", checks=("tr2b.text",), sentence="", cases=names, facts=facts)
    lines = related_lines(symptom, report, "tr2b.c", source.split("\n"), numbers(source))
    assert all(line.text == source.split("\n")[line.number - 1] for line in lines)
    return [(line.number, line.does) for line in lines]


def case(*operands: bytes, **changes: object) -> CaseResult:
    values: dict[str, Any] = {"stdout": b"", "stderr": b"", **changes}
    return factory.failed_case(operands=operands, difference=None, **values)


@pytest.mark.parametrize(
    ("id_", "operands", "lines"),
    [
        ("accepts-wrong-operands", (b"ab", b"xyz"), [(7, "compares lengths")]),
        ("accepts-wrong-operands", (b"ab",), [(5, "looks at argc")]),
        ("accepts-wrong-operands", (b"aa", b"xy"), []),
        ("never-ends", (b"ab", b"xy"), [(12, "reads the input")]),
        ("wrong-bytes", (b"ab", b"xy"), [(13, "writes")]),
        ("not-translated", (b"ab", b"xy"), [(12, "reads the input")]),
        ("writes-nothing", (b"ab", b"xy"), [(12, "reads the input"), (13, "writes")]),
        ("functions", (), []),
    ],
)
def test_the_lines_follow_from_the_symptom(
    id_: str, operands: tuple[bytes, ...], lines: list[tuple[int, str]]
) -> None:
    assert shown(id_, case(*operands)) == lines


def test_operands_are_the_parameters_of_main_whatever_their_names() -> None:
    renamed = RIGHT.replace("argc", "number").replace("argv", "words")
    assert [numbers(renamed)[role] for role in ("argc", "operands")] == [[(5,)], [(7,)]]
    handed_over = f"""
static int check(int many, char *given[]) {{ return many != 3 || given[1][0] == 0; }}
static int other(int argc, char **argv) {{ return argc != 3 || argv[1][0] == 0; }}
{renamed.replace("int c;", "int c = check(number, words) + other(0, 0);")}"""
    assert [numbers(handed_over)[role] for role in ("argc", "operands")] == [[(2,), (8,)], [(2,), (10,)]]


def test_if_operands_are_wrong_in_several_ways_every_check_is_named() -> None:
    silent = "neither-copies-nor-refuses"
    missing, lengths, twice = case(b"ab"), case(b"ab", b"xyz"), case(b"aa", b"xy")
    argc, compares = (5, "looks at argc"), (7, "compares lengths")
    assert shown(silent, missing, lengths, twice) == [argc, compares]
    assert shown(silent, missing) == [argc]
    assert shown(silent, lengths) == [compares]
    assert shown(silent, twice) == []


def test_of_bytes_that_are_lost_because_they_are_found_the_write_comes_first() -> None:
    reads, writes = (12, "reads the input"), (13, "writes")
    assert shown("drops-bytes", case(b"ab", b"xy"), facts=("drops-by-operand",)) == [writes, reads]
    assert shown("drops-bytes", case(b"ab", b"xy"), facts=("drops-nul",)) == [reads, writes]


def test_what_asks_a_pipe_for_its_size_is_named() -> None:
    source = RIGHT.replace("    int c;", "    long size = lseek(0, 0, 2);\n    int c;")
    found = shown("writes-nothing", case(b"ab", b"xy"), source=source, facts=("pipe-calls",))
    assert found == [(11, "calls lseek")]


@pytest.mark.parametrize("taken", ["c = to[0];", "c = *to;"])
def test_of_a_wrong_partner_the_line_that_takes_it_comes_first(taken: str) -> None:
    source = RIGHT.replace("        putchar(c);", f"    {{ {taken}\n        putchar(c); }}")
    source = source.replace("    int c;", "    int c; char *to = argv[2];")
    assert shown("first-partner-for-all", case(b"ab", b"xy"), source=source) == [
        (13, "takes a byte of an array"),
        (14, "writes"),
    ]


def test_of_exchanged_operands_the_lines_that_name_them_come_first() -> None:
    source = RIGHT.replace("    int c;", "    char *from = argv[2], *to;\n    to = argv[1];\n    int c = argv[1][0];")
    assert shown("operands-swapped", case(b"ab", b"xy"), source=source) == [
        (11, "gives an operand a name"),
        (12, "gives an operand a name"),
    ]


def test_a_condition_made_of_macros_leads_to_its_message() -> None:
    source = RIGHT.replace(
        "#include <string.h>", "#define FROM argv[1]\n#define FAIL(m) do { puts(m); return 1; } while (0)"
    )
    source = source.replace("    int c;", '    if (FROM[0])\n        FAIL("not this one");\n    int c;')
    found = shown("refuses-valid-operands", case(b"ab", b"xy", stderr=b"not this one\n"), source=source)
    assert found[0] == (12, "decides about the message")


def test_of_several_calls_of_a_helper_the_condition_with_them_is_named() -> None:
    helper = "static int odd(char *s) { return strlen(s) & 1; }\nint main("
    source = RIGHT.replace("    int c;", '    if ({})\n        puts("odd length");\n    int c;')
    source = source.replace("int main(", helper)
    of_case = case(b"a", b"x", stderr=b"odd length\n")
    for condition, line in (("odd(argv[1])", 3), ("odd(argv[1]) || odd(argv[2])", 12)):
        assert shown("refuses-valid-operands", of_case, source=source.replace("{}", condition))[0][0] == line


DROPS = "ends the program, and leaves unwritten what stdio has in its buffers"
COPIES = """#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
{before}
int main(int argc, char **argv)
{{
    char *from = argv[1], *to = argv[2], line[99], *p;
    unsigned char b;
    int c, i;
    {lines}
}}
"""


def of_lines(id_: str, lines: str, *operands: bytes, before: str = "") -> list[str]:
    """Return what the first line that is named does; `lines` stand on line 11, `before` on line 5."""
    found = shown(id_, case(*operands), source=COPIES.format(lines=lines, before=before))
    return [does for number, does in found if number == (5 if before else 11)]


@pytest.mark.parametrize(
    "lines",
    [
        r"while ((c = getchar()) != EOF) if (c != '\r') putchar(c);",
        r"while ((c = getchar()) != EOF) if (13 != c) putchar(c);",
        "while ((c = getchar()) != EOF) if (isprint(c)) putchar(c);",
        "while ((c = getchar()) != EOF) putchar(c ? c : ' ');",
        "while ((c = getchar()) != EOF) if (!c) putchar(c);",
        "while ((c = getchar()) != EOF) if (c >= 32 && c < 127) putchar(c);",
        r"while ((c = getchar()) != EOF) switch (c) { case '\n': putchar(c); }",
        "while ((c = getchar())) putchar(c);",
        "for (; (c = getchar()) && c != EOF; ) putchar(c);",
        "while (read(0, &b, 1) == 1 && b) write(1, &b, 1);",
        "while (read(0, &b, 1) == 1) { c = (char)b; if (c > 'z') write(1, &b, 1); }",
        "while (fread(&b, 1, 1, stdin) == 1) if (b != 0) putchar(b);",
        r"while (fgets(line, 99, stdin)) for (p = line; *p != '\0'; p++) putchar(*p);",
    ],
)
def test_a_test_of_a_byte_of_the_input_comes_first(lines: str) -> None:
    assert of_lines("drops-bytes", lines, b"ab", b"xy") == ["tests a byte of the input"]


@pytest.mark.parametrize(
    "lines",
    [
        "while ((c = getchar()) != EOF) putchar(c);",
        "while ((c = getchar()) >= 0) putchar(c);",
        "while ((c = getchar()) > -1) putchar(c);",
        "while ((c = getchar()) != -1) putchar(c);",
        "while (-1 != (c = getchar())) putchar(c);",
        "while ((i = read(0, &b, 1)) == 1) write(1, &b, 1);",
        "while (read(0, &b, 1)) write(1, &b, 1);",
        r"for (i = 0; from[i] != '\0'; i++) if (to[i] == 'x') c = getchar();",
        "if ((i = strlen(from)) == 0) c = getchar();",
        "do { c = getchar(); if (c == from[0]) c = to[0]; if (c != EOF) putchar(c); } while (!feof(stdin));",
    ],
)
def test_what_looks_at_no_value_of_a_byte_is_no_test(lines: str) -> None:
    assert "tests a byte of the input" not in of_lines("drops-bytes", lines, b"ab", b"xy")


def test_a_loop_that_begins_elsewhere_tests_no_byte_of_the_input() -> None:
    lines = "for (p = from; *p; p++)\ni++;\nwhile (fgets(line, 99, stdin))\nfor (p = line; *p; p++)\nputchar(*p);"
    found = shown("drops-bytes", case(b"ab", b"xy"), source=COPIES.format(lines=lines, before=""))
    assert [number for number, does in found if does == "tests a byte of the input"] == [14]


def test_a_byte_that_is_handed_to_a_function_is_one_of_the_input() -> None:
    before = "static int put(int shown, unsigned char q) { if (q == 10) return 0; return putchar(q + shown); }"
    lines = "while ((c = getchar()) != EOF) put(1, c);"
    assert of_lines("drops-bytes", lines, b"ab", b"xy", before=before) == ["tests a byte of the input"]
    assert of_lines("drops-bytes", lines.replace("1, c", "c, 1"), b"ab", b"xy", before=before) == ["writes"]


def test_functions_that_call_themselves_are_followed_once() -> None:
    before = "static int put(int q) { int r = q; q = r; return r == 10 ? put(r) : put(q); }"
    assert of_lines("drops-bytes", "put(argc);", b"ab", b"xy", before=before) == []
    assert of_lines("drops-bytes", "put(getchar());", b"ab", b"xy", before=before) == ["tests a byte of the input"]


@pytest.mark.parametrize(
    ("lines", "does"),
    [
        (
            "c = getchar(); for (i = 0; from[i]; i++) if (from[i] == c) putchar(to[i]);",
            "compares a byte of the input",
        ),
        (
            "read(0, &b, 1); for (p = from; *p; p++) if (b != (unsigned char)*p) break;",
            "compares a byte of the input",
        ),
        ("c = getchar(); p = strchr(from, c); putchar(c);", "searches for a byte"),
        ("fgets(line, 99, stdin); i = strspn(line, from); puts(line);", "searches for a byte"),
        ("fgets(line, 99, stdin); p = strtok(line, from); puts(line);", "searches for a byte"),
        ("c = getchar(); if (c = from[0]) c = to[0]; putchar(c);", "sets a variable in a condition"),
        ("c = getchar(); if (c = (unsigned char)from[0]) putchar(c);", "sets a variable in a condition"),
        ("c = getchar(); if (c = *from) putchar(c);", "sets a variable in a condition"),
        ("getchar(); for (i = 0; i < 255; i++) line[i] = i;", "sets an entry of an array"),
        ("while (read(0, line, 1) == 1) { line[0] = to[0]; write(1, line, 1); }", "takes a byte of an array"),
        (r"for (i = 0; from[i]; i++) if (from[i] == '\\') i++;", "compares with a backslash"),
        (
            "for (i = 0; i < 9; i++) line[(int)from[i]] = to[i];",
            "sets an entry of an array",
        ),
    ],
)
def test_of_a_wrong_lookup_the_line_that_looks_up_comes_first(lines: str, does: str) -> None:
    assert of_lines("only-first-pair", lines, b"ab", b"xy") == [does]


COPY = "while ((c = getchar()) != EOF) { p = strchr(from, c); if (c == from[0]) c = to[p - from]; putchar(c); }"


@pytest.mark.parametrize(
    ("check", "does"),
    [
        ("for (i = 1; from[i]; i++) if (from[i] == from[i - 1]) return 1;", "compares two bytes"),
        ("for (p = from; *p; p++) if (*p == p[1]) return 1;", "compares two bytes"),
        ("for (p = from; *p; p++) if (strchr(from, *p) != p) return 1;", "searches for a byte"),
        ("for (i = 0; from[i]; i++) if (line[(int)from[i]]) return 1;", "looks at an entry of an array"),
        ("for (i = 0; from[i]; i++) if (line[(int)from[i]] > 1) return 1;", "looks at an entry of an array"),
        ("for (i = 0; from[i]; i++) if (++line[(int)from[i]] > 1) return 1;", "looks at an entry of an array"),
        ("if (strcmp(from, to) == 0) return 1;", "compares strings"),
        ("c = i;", None),
    ],
)
def test_a_check_for_repeated_bytes_is_not_taken_for_the_lookup(check: str, does: str | None) -> None:
    """Line 11 has both."""
    named = of_lines("accepts-wrong-operands", f"{check} {COPY}", b"aa", b"xy")
    assert named == ([does] if does else [])


@pytest.mark.parametrize(
    ("check", "does"),
    [
        ("if (strlen(from) > strlen(to)) return 1;", "compares lengths"),
        ("size_t n = strlen(from), m; m = strlen(to); if (n > m) return 1;", "compares lengths"),
        ("if (sizeof(from) != sizeof to || strlen(from) < strlen(to)) return 1;", "compares lengths"),
    ],
)
def test_a_comparison_of_lengths_is_found(check: str, does: str) -> None:
    assert of_lines("accepts-wrong-operands", f"{check} {COPY}", b"ab", b"xyz") == [does]


@pytest.mark.parametrize("lines", ["i = strlen(from) + strlen(to);", "if (strlen(from) && strlen(to)) c = 1;"])
def test_two_lengths_in_a_line_are_not_always_compared(lines: str) -> None:
    assert of_lines("accepts-wrong-operands", lines, b"ab", b"xyz") == []


def test_reads_and_writes_at_an_offset_are_found() -> None:
    lines = "while (pread(0, &b, 1, i++) == 1) c = b;"
    assert of_lines("writes-nothing", lines, b"ab", b"xy") == ["reads the input"]
    assert of_lines("copies-to-stderr", "pwrite(1, &b, 1, i);", b"ab", b"xy") == ["writes"]


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        (("fcntl",), [(4, "calls fcntl")]),
        (("dup", "fcntl"), [(3, "calls dup"), (4, "calls fcntl")]),
        (("poll",), []),
    ],
)
def test_calls_that_cannot_be_counted_with_others_are_named(
    calls: tuple[str, ...], named: list[tuple[int, str]]
) -> None:
    evidence = CallsEvidence(streams=(), other_calls=calls)
    failed = factory.check("tr2u.syscalls", "failed", evidence=evidence)
    symptom = Symptom(id="other", program="tr2u", checks=(failed.id,), sentence="")
    source = ["int main(void)", "{", "    int fd = dup(0);", "    fcntl(fd, F_SETFL, 0);", "}"]
    lines = related_lines(symptom, factory.report(checks=(failed,)), "tr2u.c", source, {})
    assert [(line.number, line.does) for line in lines] == named


def test_of_a_text_after_the_copy_the_line_that_has_it_comes_first() -> None:
    source = RIGHT.replace("    /* getchar", '    printf("Done!\\n");\n    /* getchar')
    extra = case(b"ab", b"xy").model_copy(update={"stdout": b"axb\nDone!\n"})
    assert shown("extra-after", extra, source=source) == [(14, "has this text")]
    assert shown("extra-after", case(b"ab", b"xy"), source=source) == [(12, "reads the input")]


@pytest.mark.parametrize(
    ("line", "after", "named"),
    [
        (r"putchar('\n');", b"\n", True),
        (r'write(1, "\n", 1);', b"\n", True),
        ('puts("");', b"\n", True),
        ("putchar('!');", b"!", True),
        (r"putchar('\n');", b"!", False),
        (r"putchar('\n');", b"\n\n", False),
        (r"fputc('\n', stderr);", b"\n", False),
    ],
)
def test_of_a_byte_after_the_copy_its_line_comes_first(line: str, after: bytes, *, named: bool) -> None:
    source = RIGHT.replace("    /* getchar", f"    {line}\n    /* getchar")
    outputs = {name: Window(offset=0, data=data) for name, data in (("expected", b"axb"), ("actual", b"axb" + after))}
    difference = Difference(
        offset=3,
        expected_size_bytes=3,
        actual_size_bytes=3 + len(after),
        input_byte=None,
        summary="",
        **outputs,
    )
    extra = case(b"ab", b"xy").model_copy(update={"difference": difference})
    expected = (14, "writes this byte") if named else (12, "reads the input")
    assert shown("extra-after", extra, source=source) == [expected]


def test_the_name_of_the_program_is_no_operand() -> None:
    lines = "p = argv[0]; fprintf(stderr, argv[0]);"
    assert of_lines("operands-swapped", lines, b"ab", b"xy") == []


def test_to_take_an_operand_or_a_pointer_is_not_to_take_a_byte() -> None:
    for lines in ("char *next = 0; next = argv[2];", "char **all = argv; p = *all; p = all[1];"):
        assert of_lines("first-partner-for-all", lines, b"ab", b"xy") == []


def test_an_assignment_to_argc_in_a_condition_is_found() -> None:
    lines = "if (argc = 3) c = 1;"
    assert of_lines("accepts-wrong-operands", lines, b"ab") == ["sets a variable in a condition"]
    assert of_lines("accepts-wrong-operands", "switch (argc) { case 3: c = 1; }", b"ab") == ["looks at argc"]


@pytest.mark.parametrize(
    ("id_", "lines", "does"),
    [
        ("first-partner-for-all", "c = getchar(); c = (unsigned char)to[0]; putchar(c);", "takes a byte of an array"),
        ("first-partner-for-all", "char s[] = {getchar(), 0}; strspn(s, from); puts(to);", "searches for a byte"),
        ("operands-swapped", "c = getchar(); i = argv[1][0];", "takes a byte of an operand"),
        ("refuses-valid-operands", "if (argc = 2) c = 1;", "sets a variable in a condition"),
        ("no-message", 'if (argc != 3) { printf("usage"); _exit(1); }', DROPS),
        ("copies-to-stderr", "while ((c = getchar()) != EOF) fputc(c, stderr);", "writes"),
    ],
)
def test_the_line_with_the_mistake_comes_first(id_: str, lines: str, does: str) -> None:
    assert of_lines(id_, lines, b"ab", b"xy") == [does]


@pytest.mark.parametrize("id_", ["writes-nothing", "stops-early"])
@pytest.mark.parametrize(
    ("lines", "is_lost"),
    [
        ("while ((c = getchar()) != EOF) putchar(c); _exit(EXIT_SUCCESS);", True),
        ("while ((c = getchar()) != EOF) putchar(c); fflush(stdout); _exit(0);", False),
        ("while ((c = getchar()) != EOF) write(1, &c, 1); _exit(0);", False),
        ("if (argc != 3) _exit(1); while ((c = getchar()) != EOF) putchar(c);", False),
    ],
)
def test_an_end_that_loses_what_is_in_a_buffer_comes_first(id_: str, lines: str, *, is_lost: bool) -> None:
    assert (of_lines(id_, lines, b"ab", b"xy") == [roles()["quits"].does]) == is_lost


def of_uncounted_calls(lines: str) -> list[tuple[int, str]]:
    """Return the lines that are named if the calls cannot be counted, and what was written is not known."""
    unseen = factory.check(
        "tr2b.syscalls",
        "failed",
        evidence=CallsEvidence(streams=(), also_to_errors=True),
    )
    symptom = Symptom(id="other", program="tr2b", checks=("tr2b.syscalls",), sentence="")
    source = COPIES.format(lines=lines, before="")
    named = related_lines(symptom, factory.report(checks=(unseen,)), "tr2b.c", source.split("\n"), numbers(source))
    return [(line.number, line.does) for line in named]


@pytest.mark.parametrize(
    "lines",
    [
        'while ((c = getchar()) != EOF) fprintf(stderr, "%c", c);',
        "while ((c = getchar()) != EOF) fputc(c, stderr);",
        "while (read(0, &b, 1) == 1) write(2, &b, 1);",
        'while (read(0, &b, 1) == 1) perror("");',
    ],
)
def test_a_call_that_writes_to_standard_error_in_the_loop_is_found_without_its_text(lines: str) -> None:
    assert of_uncounted_calls(lines) == [(11, "writes to standard error")]


@pytest.mark.parametrize(
    "lines",
    [
        "while (read(0, &b, 1) == 1) write(1, &b, 1);",
        'fprintf(stderr, "%d", argc);',
        'for (i = 0; i < 9; i++) if (from[i] == to[i]) { fprintf(stderr, "not so\\n"); return 1; }',
    ],
)
def test_a_message_about_operands_is_no_reason_for_calls_that_cannot_be_counted(lines: str) -> None:
    assert of_uncounted_calls(lines) == []


def test_a_call_that_waits_comes_before_those_that_read_if_a_program_does_not_end() -> None:
    source = RIGHT.replace("    /* getchar", "    pause();\n    /* getchar")
    both = [(14, "waits"), (12, "reads the input")]
    assert shown("never-ends", case(b"ab", b"xy"), source=source) == both
    assert shown("stops-early", case(b"ab", b"xy"), source=source) == [(12, "reads the input"), (13, "writes")]


def test_calls_of_functions_that_must_not_be_used_are_found() -> None:
    evidence = SymbolsEvidence(found=(), forbidden=("getchar",), missing=())
    failed = factory.check("tr2u.calls", "failed", evidence=evidence)
    symptom = Symptom(id="functions", program="tr2u", checks=("tr2u.calls",), sentence="")
    lines = related_lines(symptom, factory.report(checks=(failed,)), "tr2u.c", RIGHT.split("\n"), numbers())
    assert [(line.number, line.does) for line in lines] == [(12, "calls getchar")]


@pytest.mark.parametrize(
    ("symptom", "does"), [("system-calls", "changes or empties a buffer"), ("functions", "calls setvbuf")]
)
def test_what_takes_a_buffer_away_comes_first(symptom: str, does: str) -> None:
    source = RIGHT.replace("    int c;", "    int c; setvbuf(stdin, NULL, _IONBF, 0);")
    evidence = (
        CallsEvidence(streams=(factory.stream(),), repeat="")
        if symptom == "system-calls"
        else SymbolsEvidence(found=(), forbidden=("setvbuf",), missing=())
    )
    failed = factory.check("tr2b.calls", "failed", evidence=evidence)
    of_check = Symptom(id=symptom, program="tr2b", checks=("tr2b.calls",), sentence="")
    lines = related_lines(of_check, factory.report(checks=(failed,)), "tr2b.c", source.split("\n"), numbers(source))
    assert (lines[0].number, lines[0].does) == (11, does)


@pytest.mark.parametrize(("stream", "numbers_of"), [("stdin", [11]), ("stdout", [13])])
def test_the_buffer_of_the_other_stream_is_no_reason(stream: str, numbers_of: list[int]) -> None:
    source = RIGHT.replace("    int c;", "    int c; setbuf(stdin, NULL);")
    wrong = CallsEvidence(streams=(factory.stream(stream=stream),), repeat="")
    failed = factory.check("tr2b.syscalls", "failed", evidence=wrong)
    symptom = Symptom(id="system-calls", program="tr2b", checks=("tr2b.syscalls",), sentence="")
    lines = related_lines(symptom, factory.report(checks=(failed,)), "tr2b.c", source.split("\n"), numbers(source))
    assert [line.number for line in lines] == numbers_of


@pytest.mark.parametrize(("length", "does"), [(HIGH - 1, "reads the input"), (HIGH, "compares two bytes")])
def test_a_loop_that_never_ends_with_long_operands_is_perhaps_a_check(length: int, does: str) -> None:
    long = bytes(range(1, length + 1))
    check = "for (i = 0; from[i]; i++) if (from[i] == from[i + 1]) return 1;"
    assert of_lines("never-ends", f"{check} {COPY}", long, long)[:1] == [does]


def test_a_message_is_found_by_its_text_unless_students_do_not_see_the_run() -> None:
    assert shown("message-on-stdout", case(stdout=b"different lengths\n")) == [(8, "has this text")]
    assert shown("message-on-stdout", case(stdout=b"other\n")) == []
    assert shown("message-on-stdout", case(stdout=b"different lengths\n", hidden=True)) == []


def test_of_calls_that_messages_hide_the_lines_with_the_messages_are_found() -> None:
    copied = case(b"ab", b"xy", stderr=b"different lengths\n", expect="reference-output")
    hidden = case(b"ab", b"xy", stderr=b"usage: ./tr2b from to\n", expect="reference-output", hidden=True)
    passed = factory.check("tr2b.text", "passed", evidence=CasesEvidence(cases=(copied, hidden)))
    unseen = factory.check(
        "tr2b.syscalls",
        "failed",
        evidence=CallsEvidence(streams=(), also_to_errors=True),
    )
    symptom = Symptom(id="other", program="tr2b", checks=("tr2b.syscalls",), sentence="")
    report = factory.report(checks=(passed, unseen))
    lines = related_lines(symptom, report, "tr2b.c", RIGHT.split("\n"), numbers())
    assert [(line.number, line.does) for line in lines] == [(8, "has this text")]


MESSAGE = 'fprintf(stderr, "not so\\n")'


@pytest.mark.parametrize(
    "decision",
    [
        f"if (to[0] == to[1]) {{\n{MESSAGE}; return 1; }}",
        f"if (to[0] == to[1])\n{MESSAGE};",
        f"if (to[0] == to[1])\nreturn {MESSAGE};",
        f"if (to[0] == to[1]) {{\nreturn {MESSAGE}; }}",
    ],
)
def test_of_a_refusal_what_decides_it_comes_before_the_message(decision: str) -> None:
    source = COPIES.format(lines=f'if (argc != 3) {{ fputs("other", stderr); return 1; }}\n{decision}', before="")
    refused = case(b"ab", b"xx", stderr=b"not so\n")
    for id_ in ("refuses-valid-operands", "writes-message-instead"):
        assert shown(id_, refused, source=source) == [
            (12, "decides about the message"),
            (13, "has this text"),
        ]
    assert shown("message-but-status-0", refused, source=source) == [(13, "has this text")]


@pytest.mark.parametrize(
    ("before", "lines", "expected"),
    [
        (
            "static int twice(const char *s)\n{ return s[0] == s[1]; }",
            f"if (twice(argv[1]))\n{MESSAGE};",
            (5, "decides about the message"),
        ),
        ("", f"if (strlen(argv[1]) > 3)\n{MESSAGE};", (11, "decides about the message")),
    ],
)
def test_a_function_that_decides_comes_before_where_it_is_called(
    before: str, lines: str, expected: tuple[int, str]
) -> None:
    source = COPIES.format(lines=lines, before=before)
    assert shown("refuses-valid-operands", case(b"ab", b"xy", stderr=b"not so"), source=source)[0] == expected


def test_a_program_that_refuses_other_lengths_is_led_to_that_line() -> None:
    source = COPIES.format(lines=f"if (from[0] && !to[0])\n{MESSAGE};", before="")
    refused = case(b"ab", b"x", stderr=b"not so\n").model_copy(update={"passed": True, "case": "other"})
    accepted = case(b"a", b"xy")
    assert shown("accepts-wrong-operands", accepted, refused, source=source) == [(11, "refuses other operands")]
    assert shown("accepts-wrong-operands", accepted, source=source) == []


def test_an_entry_that_is_set_where_it_is_compared_is_found_again() -> None:
    lines = "for (i = 0; i < 99; i++)\nif (line[i] == from[c])\nline[i] = to[c];\nline[1] = to[0];"
    source = COPIES.format(lines=lines, before="")
    assert shown("translated-twice", case(b"ab", b"ba"), source=source) == [
        (13, "sets an entry of the array that it searches")
    ]


@pytest.mark.parametrize("call", ["fputs(line, stdout);", "puts(line);"])
def test_of_lost_nuls_the_lines_that_write_strings_are_named(call: str) -> None:
    source = COPIES.format(lines=f"while ((c = getchar()) != EOF) {{\n{call}\n}}\nfputs(line, stderr);", before="")
    found = shown("drops-bytes", case(b"a", b"x"), source=source, facts=("drops-nul",))
    assert found == [(12, "writes a string")]
    assert (12, "writes a string") not in shown("drops-bytes", case(b"a", b"x"), source=source)


def test_a_search_of_a_string_is_named_if_only_nul_comes_out_wrong() -> None:
    lines = "line[0] = b;\np = strstr(from, line);\nb = to[p - from];"
    source = COPIES.format(lines=lines, before="")
    found = shown("wrong-bytes", case(b"a", b"x"), source=source, facts=("nul-ends",))
    assert found[0] == (12, "searches for a byte")
    assert shown("wrong-bytes", case(b"a", b"x"), source=source)[0] == (13, "takes a byte of an array")


def test_of_a_lost_last_byte_no_test_of_a_byte_is_named() -> None:
    source = COPIES.format(lines="while ((c = getchar()) != EOF) {\nif (c == 0) continue;\nputchar(c);\n}", before="")
    found = shown("stops-early", case(b"a", b"x"), source=source, facts=("loses-last",))
    assert found == [(11, "reads the input")]
    assert shown("stops-early", case(b"a", b"x"), source=source)[0] == (12, "tests a byte of the input")


@pytest.mark.parametrize("value", ["-1", "NOTHING"])
def test_a_mark_for_no_partner_that_is_a_byte_is_named(value: str) -> None:
    lines = f"putchar(line[b] == {value} ? b : line[b]);"
    source = COPIES.format(lines=lines, before="#define NOTHING (-1)")
    found = shown("not-translated", case(b"a", b"x"), source=source, facts=("only-ff-stays",))
    assert found == [(11, "takes -1 for an entry that is not set")]
    assert (11, "takes -1 for an entry that is not set") not in shown(
        "not-translated", case(b"a", b"x"), source=source
    )


def test_a_macro_that_ends_the_program_comes_before_where_it_is_used() -> None:
    macro = '#define fatal(s) { fprintf(stderr, "%s", s); exit(0); }'
    source = COPIES.format(lines='if (argc != 3)\nfatal("not so");', before=macro)
    assert shown("message-but-status-0", case(b"ab", stderr=b"not so"), source=source)[0] == (
        5,
        "writes this text and ends the program",
    )


def test_of_wrong_partners_a_call_that_sorts_comes_first() -> None:
    lines = "qsort(argv[1], 2, 1, by_value);\nc = argv[2][0];"
    source = COPIES.format(lines=lines, before="int by_value(const void *a, const void *b) { return a > b; }")
    assert shown("wrong-partners", case(b"ba", b"xy"), source=source)[0][1] == "changes the order of an array"


def test_a_text_that_nothing_decides_has_no_line_that_decides() -> None:
    source = COPIES.format(lines=f"{MESSAGE};", before="")
    assert shown("refuses-valid-operands", case(b"ab", b"xy", stderr=b"not so"), source=source) == [
        (11, "has this text")
    ]


def test_of_a_flood_the_message_comes_before_what_reads() -> None:
    flood = case(b"ab", b"xy", stderr=b"different lengths\n")
    assert shown("writes-without-end", flood)[:2] == [(8, "has this text"), (12, "reads the input")]


@pytest.mark.parametrize(
    "copy",
    [
        "while (read(0, &b, 1) == 1) { b = t.out[b]; write(1, &b, 1); }",
        "while (read(0, &b, 1) == 1) write(1, &t.out[b], 1);",
        "while ((c = getchar()) != EOF) putchar(t.out[c]);",
    ],
)
def test_of_a_table_that_has_one_byte_for_all_others_the_look_up_is_named(copy: str) -> None:
    lines = f"static struct {{ unsigned char out[256]; }} t;\nt.out[(unsigned char)*from] = *to;\n{copy}"
    found = shown("other-bytes-become-one", case(b"ab", b"xy"), source=COPIES.format(lines=lines, before=""))
    assert found == [(13, "takes the entry of an array for a byte of the input")]


@pytest.mark.parametrize(
    "lines",
    [
        "while ((c = getchar()) != EOF) for (i = 0; from[i]; i++) if (from[i] == c) putchar(to[i]);",
        "static int seen[256];\nwhile ((c = getchar()) != EOF) { seen[c]++; putchar(c); }",
        "static int seen[256];\nwhile ((c = getchar()) != EOF) if (seen[c]) putchar(c);",
    ],
)
def test_a_search_or_a_question_is_no_look_up(lines: str) -> None:
    found = shown("other-bytes-become-one", case(b"ab", b"xy"), source=COPIES.format(lines=lines, before=""))
    assert "takes the entry of an array for a byte of the input" not in [does for _, does in found]


@pytest.mark.parametrize("first", ["table[i] = i;", "table[i] = (unsigned char)i;"])
def test_of_a_byte_that_is_translated_twice_the_table_that_is_still_right_is_not_named(first: str) -> None:
    source = RIGHT.replace(
        "    int c;\n",
        f"    int c, i; unsigned char table[256];\n    for (i = 0; i < 256; i++)\n        {first}\n"
        "    for (i = 0; argv[1][i]; i++)\n"
        "        table[(unsigned char)argv[1][i]] = table[(unsigned char)argv[2][i]];\n",
    )
    assert shown("translated-twice", case(b"ab", b"bc"), source=source) == [(15, "sets an entry of an array")]
    assert (13, "sets an entry of an array") in shown("not-translated", case(b"ab", b"bc"), source=source)
