"""Small changes of a source: what each says is what it does, and one copy has all of them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.small_changes import small_changes
from grader.diagnose.edits import (
    CHANGE_VARIABLE,
    IDLE,
    JUMP,
    LIKELIEST,
    LOSS,
    REMOVAL,
    SAYS_OF_CHANGES,
    Change,
    fixed,
)

TIMEOUT_S = 60


def main_with(body: str) -> bytes:
    includes = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string", "unistd"))
    return f"{includes}int main(int argc, char **argv) {{\n{body}\n}}\n".encode()


def changes_of(source: bytes) -> list[Change]:
    return small_changes(CSource(source))[0]


def changed(source: bytes, says: str) -> str:
    """Return the line that a change with these words makes of its line."""
    (change,) = (one for one in changes_of(source) if one.says == says)
    after = fixed(source, change.edits)
    assert after is not None
    return after.decode().split("\n")[change.line - 1].strip()


@pytest.mark.parametrize(
    ("line", "says", "after"),
    [
        ("if (argc < 3 && argv[1]) exit(1);", "with `||` instead of `&&`", "if (argc < 3 || argv[1]) exit(1);"),
        ("if (argc < 3) exit(1);", "with `<=` instead of `<`", "if (argc <= 3) exit(1);"),
        ("if (argc < 3) argc++;", "with `>` instead of `<`", "if (argc > 3) argc++;"),
        ("if (argc < 3) exit(1);", "with `4` instead of `3`", "if (argc < 4) exit(1);"),
        ('printf("%d", argc);', r'with `"%d\n"` instead of `"%d"`', r'printf("%d\n", argc);'),
        (r'printf("%d\n", argc);', r'with `"%d"` instead of `"%d\n"`', 'printf("%d", argc);'),
        ('printf("argc: %d", argc);', 'with `"%d"` instead of `"argc: %d"`', 'printf("%d", argc);'),
        ('fputs("Wrong", stdout);', 'with `"wrong"` instead of `"Wrong"`', 'fputs("wrong", stdout);'),
        ('printf("%d,%d", argc, 1);', 'with `"%d, %d"` instead of `"%d,%d"`', 'printf("%d, %d", argc, 1);'),
        (
            'for (int i = 1; i < argc; i++) printf("%d ", i);',
            'with `i > 1 ? " %d" : "%d"` instead of `"%d "`',
            'for (int i = 1; i < argc; i++) printf(i > 1 ? " %d" : "%d", i);',
        ),
        (
            'int n = 0; while (n < argc) { printf("%d, ", n); n++; }',
            'with `n > 0 ? ", %d" : "%d"` instead of `"%d, "`',
            'int n = 0; while (n < argc) { printf(n > 0 ? ", %d" : "%d", n); n++; }',
        ),
        (r'printf("%d \n", argc);', r'with `"%d\n"` instead of `"%d \n"`', r'printf("%d\n", argc);'),
        ('printf(" %d", argc);', 'with `"%d"` instead of `" %d"`', 'printf("%d", argc);'),
        ("return 0;", r'with `printf("\n");` before the last `return`', r'printf("\n"); return 0;'),
        ("if (argc = 3) exit(1);", "with `==` instead of `=`", "if (argc == 3) exit(1);"),
        ("if (argc =! 3) exit(1);", "with `!=` instead of `=!`", "if (argc != 3) exit(1);"),
        ("if (!argc == 3) exit(1);", "with `!=` instead of `==` and without the `!`", "if (argc != 3) exit(1);"),
        ("if (!strcmp(argv[1], argv[2])) exit(1);", "without the `!`", "if (strcmp(argv[1], argv[2])) exit(1);"),
        (
            "int n; char c; do { n = read(0, &c, 1); write(1, &c, 1); } while (n > 0);",
            "with `if (n <= 0) break;` after the reading",
            "int n; char c; do { n = read(0, &c, 1); if (n <= 0) break; write(1, &c, 1); } while (n > 0);",
        ),
        (
            "char c; while (read(0, &c, 1) == 1 && c != EOF) write(1, &c, 1);",
            "without `&& c != EOF`",
            "char c; while (read(0, &c, 1) == 1) write(1, &c, 1);",
        ),
        (
            "int i = 0, j = 1; if (argv[1][i] == argv[1][j] || argv[2][i] == argv[2][j]) exit(1);",
            "without `|| argv[2][i] == argv[2][j]`",
            "int i = 0, j = 1; if (argv[1][i] == argv[1][j]) exit(1);",
        ),
        (
            "if (argc > 3 || strlen(argv[1]) < 2) exit(1);",
            "without `argc > 3 ||`",
            "if (strlen(argv[1]) < 2) exit(1);",
        ),
        (
            "char c; while (read(0, &c, 1) != EOF) write(1, &c, 1);",
            "with `> 0` instead of `!= EOF`",
            "char c; while (read(0, &c, 1) > 0) write(1, &c, 1);",
        ),
        (
            "char c; int n; while ((n = read(0, &c, 1)) != -1) write(1, &c, 1);",
            "with `> 0` instead of `!= -1`",
            "char c; int n; while ((n = read(0, &c, 1)) > 0) write(1, &c, 1);",
        ),
        (
            "int c; while (c = getchar() != EOF) putchar(c);",
            "with parentheses around `c = getchar()`",
            "int c; while ((c = getchar()) != EOF) putchar(c);",
        ),
        (
            "int c; while ((c = getchar()) != '\\n') putchar(c);",
            "with `EOF` instead of `'\\n'`",
            "int c; while ((c = getchar()) != EOF) putchar(c);",
        ),
        (
            "int c; while ((c = getchar()) != EOF && c != '\\n') putchar(c);",
            "without `&& c != '\\n'`",
            "int c; while ((c = getchar()) != EOF) putchar(c);",
        ),
        (
            "int c = getchar(); while (c != 'z' && c != EOF) { putchar(c); c = getchar(); }",
            "without `c != 'z' &&`",
            "int c = getchar(); while (c != EOF) { putchar(c); c = getchar(); }",
        ),
        (
            "if (sizeof(argv[1]) != sizeof(argv[2])) exit(1);",
            "with `strlen` instead of both `sizeof`",
            "if (strlen(argv[1]) != strlen(argv[2])) exit(1);",
        ),
        ("exit(0);", "with `1` instead of `0`", "exit(1);"),
        (
            "char t[256], *s = argv[1]; t[s[1]] = 1; return t[3];",
            "with `s[1]` cast to `unsigned char`",
            "char t[256], *s = argv[1]; t[(unsigned char)s[1]] = 1; return t[3];",
        ),
        (
            "char *s = argv[1]; int c = getchar(); if (s[0] == c) exit(1);",
            "with the second `c` cast to `char`",
            "char *s = argv[1]; int c = getchar(); if (s[0] == (char)c) exit(1);",
        ),
        (
            "int status = 0; if (argc < 3) { puts(argv[0]); goto end; } end: return status;",
            "with `status = 1;` at the beginning of the block of the `if`",
            "int status = 0; if (argc < 3) { status = 1; puts(argv[0]); goto end; } end: return status;",
        ),
        (
            "char b[9]; int n = 0; while (read(0, &b[n], 1)) { n++; if (n == 9) write(1, b, n); }",
            "with `write(1, b, n);` after the loop",
            "char b[9]; int n = 0; while (read(0, &b[n], 1)) { n++; if (n == 9) write(1, b, n); } write(1, b, n);",
        ),
        (
            "char c; while ((c = read(0, &c, 1)) > 0) write(1, &c, 1);",
            "without `c =`",
            "char c; while ((read(0, &c, 1)) > 0) write(1, &c, 1);",
        ),
        (
            "int i, j; for (i = 0; i < 3; i++) for (j = 0; j < i; j++) argc++;",
            "with `i + 1` instead of the second `0`",
            "int i, j; for (i = 0; i < 3; i++) for (j = i + 1; j < i; j++) argc++;",
        ),
        (
            "char *p, *q; for (p = argv[1]; *p; p++) for (q = p; *q; q++) argc++;",
            "with `p + 1` instead of the fifth `p`",
            "char *p, *q; for (p = argv[1]; *p; p++) for (q = p + 1; *q; q++) argc++;",
        ),
        (
            "for (;;) { int c = getchar(); putchar(c); }",
            "with `if (c == EOF) break;` after the reading",
            "for (;;) { int c = getchar(); if (c == EOF) break; putchar(c); }",
        ),
        (
            "char c; for (;;) { read(0, &c, 1); write(1, &c, 1); }",
            "with `if (read(0, &c, 1) <= 0) break;` instead of `read(0, &c, 1);`",
            "char c; for (;;) { if (read(0, &c, 1) <= 0) break; write(1, &c, 1); }",
        ),
        (
            "char c; if (read(0, &c, 1) > 0) { write(1, &c, 1); }",
            "with `while` instead of `if`",
            "char c; while (read(0, &c, 1) > 0) { write(1, &c, 1); }",
        ),
        (
            "for (int i = 0; i < argc / 2; i++) putchar(i);",
            "without `/ 2`",
            "for (int i = 0; i < argc; i++) putchar(i);",
        ),
        (
            "int c = getchar(); if (!putchar(c)) return 1;",
            "with `== EOF` after the call of `putchar` and without the `!`",
            "int c = getchar(); if (putchar(c) == EOF) return 1;",
        ),
        (
            "int c = getchar(); if (isalpha(c)) putchar(c);",
            "without the test `isalpha(c)`",
            "int c = getchar(); if (1) putchar(c);",
        ),
        (
            'char c; while (scanf(" %c", &c) == 1) putchar(c);',
            "with `%c` instead of ` %c`",
            'char c; while (scanf("%c", &c) == 1) putchar(c);',
        ),
        (
            "end: if (argc > 3) goto last; argc++; goto end; last: return 0;",
            "with `end` instead of the first `last`",
            "end: if (argc > 3) goto end; argc++; goto end; last: return 0;",
        ),
        (
            "char t[256]; for (int i = 0; i < 128; i++) t[i] = i; return t[argc];",
            "with `256` instead of `128`",
            "char t[256]; for (int i = 0; i < 256; i++) t[i] = i; return t[argc];",
        ),
        (
            "char c, *from = argv[1]; while (read(0, &c, 1) > 0) { from[c] = 0; write(1, &c, 1); }",
            "without `from[c] = 0;`",
            "char c, *from = argv[1]; while (read(0, &c, 1) > 0) { ; write(1, &c, 1); }",
        ),
        (
            "char t[256]; t[(unsigned char)argv[2][0]] = argv[1][0];",
            "with `argv[2]` and `argv[1]` exchanged",
            "char t[256]; t[(unsigned char)argv[1][0]] = argv[2][0];",
        ),
        (
            "char *p = argv[1]; exit(sizeof(p));",
            "with `strlen(p)` instead of `sizeof(p)`",
            "char *p = argv[1]; exit(strlen(p));",
        ),
        ("exit(EXIT_SUCCESS);", "with `1` instead of `EXIT_SUCCESS` as exit status", "exit(1);"),
        ("write(1, *argv, strlen(*argv));", "with `1` as nbyte", "write(1, *argv, 1);"),
        ('write(1, "error\\n", 6);', "with `2` instead of `1`", 'write(2, "error\\n", 6);'),
        (
            'write(STDOUT_FILENO, "error\\n", 6);',
            "with `STDERR_FILENO` instead of `STDOUT_FILENO`",
            'write(STDERR_FILENO, "error\\n", 6);',
        ),
        ("write(1, argv[1], sizeof argv);", "with `1` as nbyte", "write(1, argv[1], 1);"),
        ('printf("here");', "without the call of `printf`", ";"),
        (
            "int i;\nfor (i = 0; i < strlen(argv[1]) - 1; ) { break; }",
            "with `i + 1` instead of the second `i` and without the `- 1`",
            "for (i = 0; i + 1 < strlen(argv[1]); ) { break; }",
        ),
        (
            "int found;\nfound = 0;\nwhile (argc) { found = 1; }",
            "with `found = 0;` at the beginning of the body of the loop",
            "while (argc) { found = 0; found = 1; }",
        ),
        ("int dup;\nfor (;;) { dup = argc == 2; }", "with `|=` instead of `=`", "for (;;) { dup |= argc == 2; }"),
        (
            "int c = 0;\nchar map[256];\nputchar(c);",
            "with `map[c]` instead of `c`",
            "putchar(map[c]);",
        ),
        (
            "char c = 0, map[256];\nwrite(1, &c, 1);",
            "with `map[(unsigned char)c]` instead of `c`",
            "write(1, &map[(unsigned char)c], 1);",
        ),
        (
            "int c = 0;\nunsigned char out = 0;\nputchar(c);",
            "with `out` instead of `c`",
            "putchar(out);",
        ),
        (
            "int in = 0, out = 1; char c = 0;\nwrite(in, &c, 1);",
            "with `out` instead of `in`",
            "write(out, &c, 1);",
        ),
        ("int c = 0;\nreturn c;", "with `argc` instead of `c`", "return argc;"),
        ("for (;;) { argc++; break; }", "without `argc++;`", "for (;;) { ; break; }"),
        ("for (;;) { break; }", "with `continue` instead of `break`", "for (;;) { continue; }"),
        (
            "for (;;) { if (argc) { argc = 2; } }",
            "with `break;` at the end of the block of the `if`",
            "for (;;) { if (argc) { argc = 2;  break; } }",
        ),
        (
            "int found = 0; while (argc) { found = 1; }",
            "with `found = 0;` at the beginning of the body of the loop",
            "int found = 0; while (argc) { found = 0; found = 1; }",
        ),
        (
            "if (argc == 0 || argc == 1) exit(1);",
            "with `!=` instead of the second `==`",
            "if (argc == 0 || argc != 1) exit(1);",
        ),
        ("if (!argv[1] || !argv[2]) exit(1);", "without the second `!`", "if (!argv[1] || argv[2]) exit(1);"),
        (
            "if (isatty(argc) || isatty(argv[1])) exit(1);",
            "without `|| isatty(argv[1])`",
            "if (isatty(argc)) exit(1);",
        ),
        (
            "char c; read(0, &c, 1); while (c != EOF) { read(0, &c, 1); }",
            "with `1` instead of `c != EOF`",
            "char c; read(0, &c, 1); while (1) { read(0, &c, 1); }",
        ),
    ],
)
def test_a_change_does_what_it_says(line: str, says: str, after: str) -> None:
    assert changed(main_with(line), says) == after


def test_a_helper_may_return_a_parameter_at_its_end() -> None:
    source = b"int f(int c) {\nif (c) return 1;\n}\nint main(void) { return f(2); }\n"
    (change,) = (one for one in changes_of(source) if "`return c;`" in one.says)
    assert (change.line, change.says) == (3, "with `return c;` at the end of the function")
    assert fixed(source, change.edits) == source.replace(b"1;\n}", b"1;\n    return c;\n}")


def test_a_variable_for_a_character_may_be_an_int() -> None:
    source = main_with("unsigned char i; for (i = 0; i < 256; i++) putchar(i);")
    assert changed(source, "with `int` as the type of the counter `i`").startswith("int i;")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        # Two places would have the same words.
        ("putchar(argc); putchar(argc);", "without the call of"),
        ("read(0, argv[1], sizeof argv); write(1, argv[1], sizeof argv);", "as nbyte"),
        ("for (;;) { if (argc) { argc = 2; } if (argv) { argc = 2; } }", "the block of"),
        ("int found = 0; while (argc) { for (;;) { found = 1; } }", "of the loop"),
        ("argc + 1; argc = 2;", "the statement"),
        ("if (argc == '0' && argc == 0) exit(1);", "`1` instead of"),
        # The statement after it would take its place.
        ("if (argc) putchar(1);", "without the call"),
        ("for (;;) if (argc) break;", "without `break`"),
        # A small array has no entry for each byte, a pointer cannot be written as a byte, and 4 bytes are not one.
        ("int c = 0; char map[20]; putchar(c);", "map[c]"),
        ("int c = 0; char *text = 0; putchar(c);", "`text` instead"),
        ("char c = 0; int map[256]; write(1, &c, 1);", "map["),
        # What is closed is not closed elsewhere, and what is read is not read from standard output.
        ("close(0);", "instead of `0`"),
        # The opposite of a check refuses nothing.
        ("if (argc < 3) exit(1);", "with `>` instead of `<`"),
        ("while (argc < 3) argc++;", "with `>` instead of `<`"),
        ("read(0, argv[1], 1);", "instead of `0`"),
        # Constants, and what is evaluated when the program is compiled.
        ("static int n = 12;", "`12`"),
        ("int n[12]; n[0] = 12;", "instead of the first `12`"),
        ("int n[20] = {[12] = 5};", "`12`"),
        ("enum { A = 12 };", "`12`"),
        ("switch (argc) { case 12: break; }", "`12`"),
        ("argc = sizeof(char[12]);", "`12`"),
        ("argc = 1;\n#define LIMIT 12\n", "`12`"),
        ("argc = 1;\n#if 0\nif (argc < 12) exit(1);\n#endif\n", "`12`"),
    ],
)
def test_what_is_not_changed_or_cannot_be_said(line: str, words: str) -> None:
    assert [one.says for one in changes_of(main_with(line)) if words in one.says] == []


@pytest.mark.parametrize(
    ("line", "may_be_unequal"),
    [
        ("for (int i = 0; i < argc; i++) ;", False),
        ("int i = 0; while (argv[1][i] && (i <= argc)) i++;", False),
        ("int i = 9; do i--; while (i > argc);", False),
        ("for (int i = 0; i < 9; i++) if (i > argc) break;", True),
        ("while ((argc = getchar()) > EOF) ;", True),
    ],
)
def test_the_bound_of_a_loop_is_not_removed(line: str, may_be_unequal: bool) -> None:  # noqa: FBT001
    said = [one.says for one in changes_of(main_with(line))]
    assert any(one.startswith("with `!=` instead of") for one in said) == may_be_unequal
    assert any(re.match("with `[<>]=?` instead of", one) for one in said)


def test_arguments_of_macros_are_not_changed() -> None:
    source = b"#define TWICE(x) ((x) + (x))\n" + main_with("return TWICE(argc < 12);")
    assert not any("12" in one.says or "<" in one.says for one in changes_of(source))


@pytest.mark.parametrize("call", ["write(1, &c, 1)", "(write(1, &c, 1))"])
def test_what_write_returns_is_1_rather_than_not_compared_in_this_way(call: str) -> None:
    ranks = {one.says: one.rank for one in changes_of(main_with(f"if ({call} != 0) return 1;"))}
    assert ranks["with `1` instead of `0`"] < ranks["with `==` instead of `!=`"]
    others = {one.says: one.rank for one in changes_of(main_with("if (puts(from) != 0) return 1;"))}
    assert others["with `1` instead of `0`"] > others["with `==` instead of `!=`"]


def test_the_name_of_the_program_is_not_taken_for_an_operand() -> None:
    source = b"int f(char *s); int main(int argc, char **all) { char *v[3]; return f(all[2]) + f(v[2]); }"
    said = [one.says for one in changes_of(source)]
    assert "with `1` instead of the first `2`" in said
    assert [one for one in said if "`0`" in one] == ["with `0` instead of the second `2`"]


@pytest.mark.parametrize(
    ("line", "may_be_1"),
    [
        ("check(9, argv[1]); check(9, argv[2]);", False),
        ("if (!check(9, argv[1]) || !check(9, argv[2])) return 9;", False),
        ("if (check(9, argv[1])) return 9;\nif (check(9, argv[2])) return 9;", False),
        ("check(9, argv[2]);", True),
        ("if (check(9, argv[1]) != check(9, argv[2])) return 9;", True),
        ("return check(9, argv[1]) + check(9, argv[2]);", True),
    ],
)
def test_no_operand_is_checked_twice_in_place_of_another(line: str, may_be_1: bool) -> None:  # noqa: FBT001
    said = [
        one.says for one in changes_of(b"static int check(int n, char *s) { return *s != n; }\n" + main_with(line))
    ]
    assert ("with `1` instead of `2`" in said) == may_be_1


def test_what_may_be_a_check_is_the_last_to_be_removed() -> None:
    source = b"void check(void) { }\n" + main_with('check();\nprintf("x");\nexit(1);')
    ranks = {one.says: one.rank for one in changes_of(source)}
    assert ranks["without the call of `check`"] == ranks["without the call of `exit`"] == LOSS
    assert ranks["without the call of `printf`"] == REMOVAL


@pytest.mark.parametrize(
    ("body", "is_early"),
    [
        ("char *p = malloc(1); free(p); return *p;", True),
        ("char *p = malloc(1); while (argc--) { putchar(*p); free(p); }", True),
        ("char *p = malloc(1); putchar(*p); free(p);", False),
        ("char *p = malloc(1); free(p); p = malloc(2); return *p;", False),
        ("while (argc--) { char *p = malloc(1); putchar(*p); free(p); }", False),
        ("while (argc--) { char *p; p = malloc(1); putchar(*p); free(p); }", False),
    ],
)
def test_memory_that_is_used_later_is_freed_too_early(body: str, is_early: bool) -> None:  # noqa: FBT001
    ranks = {one.says: one.rank for one in changes_of(main_with(body)) if "`free`" in one.says}
    assert ranks.get("without the early call of `free`") == (LIKELIEST if is_early else None)
    assert ("without the call of `free`" in ranks) is not is_early


def lines_changed(body: str, says: str) -> list[str]:
    """Return the lines of the body of main that a change with these words changes, as they are then."""
    source = main_with(body)
    (change,) = (one for one in changes_of(source) if one.says == says)
    after = fixed(source, change.edits)
    assert after is not None
    before, lines = source.decode().split("\n"), after.decode().split("\n")
    assert len(before) == len(lines)
    different = [number for number, pair in enumerate(zip(before, lines, strict=True), 1) if pair[0] != pair[1]]
    assert different == [*dict.fromkeys([change.line, *change.more])]
    return [lines[number - 1].strip() for number in different]


SEARCHING = """\
int c;
while ((c = getchar()) != EOF) {
    for (int i = 0; i < 2; i++)
        if (c == argv[1][i])
            putchar(argv[2][i]);
        else
            putchar(c);
}"""
AFTER_SEARCH = (
    "with `c = argv[2][i]; break;` instead of `putchar(argv[2][i]);` and without the `else` and with `putchar(c);` "
    "after the loop"
)
SEARCHING_AND_LEAVING = """\
int c;
while ((c = getchar()) != EOF) {
    for (int i = 0; i < 3; i++)
        if (argv[1][i] == c) {
            putchar(argv[2][i]);
            return 0;
        }
    putchar(c);
}"""
READING = "char c;\nwhile (read(0, &c, 1) == 1) {\n"


@pytest.mark.parametrize(
    ("body", "says", "after"),
    [
        (
            "const char *to = argv[1];\nconst char *from = argv[2];\nreturn to == from;",
            "with `argv[1]` and `argv[2]` exchanged",
            ["const char *to = argv[2];", "const char *from = argv[1];"],
        ),
        (
            "char *from, *to;\nfrom = argv[0];\nto = argv[1];\nreturn from == to;",
            "with `argv[1]` and `argv[2]` instead of `argv[0]` and `argv[1]`",
            ["from = argv[1];", "to = argv[2];"],
        ),
        (
            f"{READING}write(1, &c, 1);\nif (c == 'a')\nc = 'b';\n}}",
            "with `write(1, &c, 1);` moved to the end of the loop",
            [";", "write(1, &c, 1); }"],
        ),
        (
            READING + "for (int i = 0; i < 2; i++) {\nif (c == argv[1][i]) c = argv[2][i];\nwrite(1, &c, 1);\n}\n}",
            "with `write(1, &c, 1);` moved to the end of the outer loop",
            [";", "write(1, &c, 1); }"],
        ),
        (
            SEARCHING,
            AFTER_SEARCH,
            ["{ c = argv[2][i]; break; }", "", "putchar(c);"],
        ),
        (
            "char from[20];\nchar to[20];\nstrncpy(from, argv[1], 20);\nstrncpy(to, argv[2], 20);\nreturn 20;",
            "with `256` instead of `20`",
            [
                "char from[256];",
                "char to[256];",
                "strncpy(from, argv[1], 256);",
                "strncpy(to, argv[2], 256);",
                "return 256;",
            ],
        ),
        (
            "char from[20];\nchar to[20];\nstrcpy(from, argv[1]);\nstrcpy(to, argv[2]);\nreturn from[1];",
            "with `*from` instead of `from[20]` and with `*to` instead of `to[20]` and with `=` instead of `strcpy`",
            ["char *from;", "char *to;", "from = argv[1];", "to = argv[2];"],
        ),
        (
            READING + "if (isprint(c) || c == '\\n') {\nwrite(1, &c, 1);\n}\n}",
            "without the `if` around `write(1, &c, 1);`",
            ["{"],
        ),
        (
            READING + "if (c == 3) {\nwrite(1, argv[1], argc);\nargc = 0;\n}\n}",
            "without the `if` around `write(1, argv[1], argc);`",
            ["{"],
        ),
        (
            "char c; for (int i = 0; i < 99; i++) {\nread(0, &c, 1);\nwrite(1, &c, 1);\n}",
            (
                "with `while (read(0, &c, 1) > 0)` instead of `for (int i = 0; i < 99; i++)` and without "
                "`read(0, &c, 1);`"
            ),
            ["char c; while (read(0, &c, 1) > 0) {", ";"],
        ),
        (
            "char *table = malloc(strlen(argv[1]));\ntable[(unsigned char)*argv[1]] = 3;",
            "with `calloc(256, 1)` as the memory of `table`",
            ["char *table = calloc(256, 1);"],
        ),
        (
            "char *table;\ntable = (char *)malloc(9);\ntable[(unsigned char)*argv[1]] = 3;",
            "with `calloc(256, 1)` as the memory of `table`",
            ["table = (char *)calloc(256, 1);"],
        ),
        (
            "if (strcmp(argv[1], argv[2])) exit(1);",
            "with `strlen(argv[1]) != strlen(argv[2])` instead of `strcmp(argv[1], argv[2])`",
            ["if (strlen(argv[1]) != strlen(argv[2])) exit(1);"],
        ),
        (
            "return strcmp(argv[1], argv[2]) == 0;",
            "with `strlen(argv[1]) == strlen(argv[2])` instead of `strcmp(argv[1], argv[2]) == 0`",
            ["return strlen(argv[1]) == strlen(argv[2]);"],
        ),
        (
            "int c;\nwhile ((c = getchar()) != EOF)\nif (c != 0)\nputchar(c);",
            "without the `if` around `putchar(c);`",
            [""],
        ),
        (
            SEARCHING_AND_LEAVING,
            "with `c = argv[2][i]; break;` instead of `putchar(argv[2][i]);` and without the `return`",
            ["c = argv[2][i]; break;", ""],
        ),
        ("char *c;\nreturn read(0, c, 1);", "with `c[1]` instead of `*c`", ["char c[1];"]),
        ('char *c = "x";\nreturn read(0, c, 1);', "with `c[]` instead of `*c`", ['char c[] = "x";']),
        (
            "char *from, *to;\nstrcpy(from, argv[1]);\nstrcpy(to, argv[2]);",
            "with `=` instead of `strcpy`",
            ["from = argv[1];", "to = argv[2];"],
        ),
        (
            "char c = 0;\nread(0, c, 1);\nwrite(1, c, 1);",
            "with `&c` instead of `c`",
            ["read(0, &c, 1);", "write(1, &c, 1);"],
        ),
        (
            "char b[2];\nread(0, b, 2);\nwrite(1, b, 2);",
            "with `1` instead of `2` as nbyte of both calls",
            ["read(0, b, 1);", "write(1, b, 1);"],
        ),
        (
            "signed char i, j;\nfor (i = 0, j = 0; i < 3; i++)\nj++;",
            "with `int` as the type of the counters `i` and `j`",
            ["int i, j;"],
        ),
        ("return tolower(argc) == tolower(3);", "without the calls of `tolower`", ["return (argc) == (3);"]),
        (
            'printf("from");\nprintf("to");\nif (argc > 3) { printf("no"); exit(1); }',
            "without the calls of `printf`",
            [";", ";"],
        ),
    ],
)
def test_a_change_of_several_places(body: str, says: str, after: list[str]) -> None:
    assert lines_changed(body, says) == after


def test_a_function_that_flushes_is_called_after_the_loop_that_reads() -> None:
    start = b"void flush(void) { putchar(1); }\nvoid log_all(void) { }\nvoid put(int c) { if (c) flush(); }\n"
    source = start + main_with("int c; while ((c = getchar()) != EOF) { put(c); }\nlog_all();")
    assert changed(source, "with `flush();` after the loop").endswith("{ put(c); } flush();")
    assert not any("log_all();` after" in one.says for one in changes_of(source))


@pytest.mark.parametrize(
    ("before", "says", "after"),
    [
        (
            "char find(char *s) { char k = 0; while (s[k]) k++; return k; }",
            "with `int` as the type of the function `find` and of `k`",
            "int find(char *s) { int k = 0; while (s[k]) k++; return k; }",
        ),
        (
            "char find(char *s, char *hit) { return hit - s; }",
            "with `int` as the type of the function `find`",
            "int find(char *s, char *hit) { return hit - s; }",
        ),
        (
            "#define SIZE 255 + 1",
            "with parentheses around the value of `SIZE`",
            "#define SIZE (255 + 1)",
        ),
        (
            "struct pair { char key; char *name; };",
            "with `unsigned char` as the type of `key`",
            "struct pair { unsigned char key; char *name; };",
        ),
    ],
)
def test_what_is_declared_outside_of_main_is_changed(before: str, says: str, after: str) -> None:
    source = before.encode() + b"\n" + main_with("return 3;")
    (change,) = (one for one in changes_of(source) if one.says == says)
    fixed_source = fixed(source, change.edits)
    assert fixed_source is not None
    assert fixed_source.decode().startswith(after)


@pytest.mark.parametrize(
    "line",
    [
        "for (int i = 0; i < 99; i++) { read(0, &c, 1); argc += i; }",
        "for (int i = 0; i < argc; i++) { read(0, &c, 1); }",
        "for (int i = 0; i < 99; i++) { argc++; read(0, &c, 1); }",
        "for (; argc < 99; ) { read(0, &c, 1); }",
        "for (long i = 0; i < 9 * 9; i += 1) { read(0, &c, 1); }",
    ],
)
def test_a_loop_that_does_not_only_count_what_it_reads_keeps_its_bound(line: str) -> None:
    said = [one.says for one in changes_of(main_with(f"char c; {line}"))]
    assert not any("`while (" in one for one in said)
    assert any("<= 0) break;` instead of" in one for one in said)


def test_an_array_for_an_operand_does_not_keep_another_one_small() -> None:
    body = "char from[300]; strcpy(from, argv[1]); char map[128]; return map[(unsigned char)from[0]];"
    said = [one.says for one in changes_of(main_with(body))]
    assert "with `256` instead of `128`" in said
    assert "with `256` instead of `300`" not in said


@pytest.mark.parametrize(
    ("size", "rest", "is_table"),
    [
        ("9", "table[(unsigned char)*argv[1]] = 3;", True),
        ("512", "table[(unsigned char)*argv[1]] = 3;", False),
        ("9", "strcpy(table, argv[1]);", False),
    ],
)
def test_only_a_table_of_bytes_needs_an_entry_for_each(size: str, rest: str, *, is_table: bool) -> None:
    said = [one.says for one in changes_of(main_with(f"char *table = malloc({size}); {rest}"))]
    assert ("with `calloc(256, 1)` as the memory of `table`" in said) is is_table


def test_a_macro_may_stand_for_an_operand() -> None:
    define = b"#define FROM argv[1]\n#define TO (argv[2])\n#define LIMIT args[1]\n"
    said = [one.says for one in changes_of(define + main_with("if (sizeof(FROM) != sizeof(TO)) return 1;"))]
    assert "with `strlen` instead of both `sizeof`" in said
    said = [one.says for one in changes_of(define + main_with("if (sizeof(FROM) != sizeof(LIMIT)) return 1;"))]
    assert not any("both `sizeof`" in one for one in said)


def test_what_cannot_be_quoted_does_not_take_the_place_of_another_change() -> None:
    said = [one.says for one in changes_of(main_with("char from [20]; strcpy(from, argv[1]);"))]
    assert "with `256` instead of `20`" in said
    assert not any("`*from`" in one for one in said)
    reading = "char c; while (read(0, &c, 1) > 0) if (isprint(c)) write(1, &c, sizeof c);"
    assert "without the test `isprint(c)`" in [one.says for one in changes_of(main_with(reading))]


@pytest.mark.parametrize(
    "rest",
    ["from[3] = 0;", "qsort(from, 3, 1, 0);", "argc = sizeof from;", "from[3]++;", "fgets(from, 3, stdin);"],
)
def test_an_array_that_is_changed_is_not_a_pointer_to_the_operand(rest: str) -> None:
    said = [one.says for one in changes_of(main_with(f"char from[20]; strcpy(from, argv[1]); {rest}"))]
    assert any("`256` instead of" in one for one in said)
    assert not any("`*from`" in one for one in said)


@pytest.mark.parametrize(
    "line",
    [
        "if (c == argv[1][0]) putchar(c);",
        "if (c = 3) putchar(c);",
        "if (c == 3) putchar(c); else putchar(4);",
        "if (c == 3) putchar(4);",
        "if (argc == 3) putchar(c);",
    ],
)
def test_only_an_if_that_tests_the_byte_alone_is_removed_around_its_write(line: str) -> None:
    said = [one.says for one in changes_of(main_with(f"int c; while ((c = getchar()) != EOF) {line}"))]
    assert not any("around" in one for one in said)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("int n = 0; n++; if (n == 9) exit(1);", "with `!=` instead of `==`"),
        ("char *f = argv[1], *t = argv[2]; for (; *f && *t; f++, t++) argc++;", "with `||` instead of `&&`"),
    ],
    ids=["a full buffer", "two ends"],
)
def test_what_would_undo_the_meaning_of_a_condition_is_not_tried(line: str, says: str) -> None:
    assert says not in [one.says for one in changes_of(main_with(line))]


def test_only_what_may_have_the_wrong_order_is_exchanged() -> None:
    helpers = b"static int copy(char *one, char *other) { return one == other; }\n"
    said = [
        one.says for one in changes_of(helpers + main_with("char *a = argv[1], *b = argv[2];\nreturn copy(b, a);"))
    ]
    assert "with `b` and `a` exchanged" in said
    said = [
        one.says for one in changes_of(helpers + main_with("int i = 0, j = 1; char t[9]; t[i] = i; t[i] = t[j];"))
    ]
    assert not any("exchanged" in one for one in said)


def test_a_number_is_exchanged_for_no_name() -> None:
    assert not any("exchanged" in one.says for one in changes_of(main_with("char seen[9]; seen[0] = 1;")))


def test_a_source_with_names_that_are_not_ascii_has_no_changes() -> None:
    source = main_with("int größe; if (argc < 3) exit(1); größe = getchar();")
    assert small_changes(CSource(source)) == ([], b"")
    assert changes_of(main_with("/* größer */ if (argc < 3) exit(1);"))


MANY = b"""\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int same(int a, int b) {
    if (a == b) return 1;
    return 0;
}
static int both(int a, int b) {
    if (!a == b || (a && b > 2)) { a = 2; }
    return a;
}
static char *last(char *a, char *b) {
    return a + strlen(a) - 1 - strlen(b) / 3;
}
int main(int argc, char **argv) {
    int found = 0, i, j;
    int total[3] = {[1] = 4, 5}, from[3] = {1, 2}, to[3] = {2, 0};
    char *name = "name of this";
    total[from[0]] = to[0];
    if (sizeof(name) > 4) printf("%s", last(name, "abc"));
    for (i = 0; i < 4; i++) {
        for (j = 1; j <= 3; j++) {
            if (same(i, j) && !both(i, j)) { found = 1; continue; }
            if (i == 2) { printf("two "); break; }
            if (i == 3)
                break;
            total[j % 3] += i;
        }
        printf("%d %d\\n", found, total[1]);
    }
    if (argc > 1 && strlen(argv[1]) != 2) exit(3);
    return 0;
}
"""


READS = b"""\
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int find(const char *s, int i, char c) {
    if (s[i] == 0)
        return -1;
    if (s[i] == c) return i;
    return find(s, i + 1, c);
}
static int again(const char *s, int i) {
    if (i > 3 || s[i] == 0) return i;
    return again(s, i);
}
int main(int argc, char **argv) {
    char *to = argv[0];
    const char *from = argv[1];
    int i, j, twice = 0;
    char c;
    if (argc > 2) goto end;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (from[i] == from[j]) twice++;
    if (again(from, 4) != 4) return 3;
    for (i = 0; i < 3; i++) {
        int d = getchar();
        putchar(d);
        if (isalpha(d))
            putchar('+');
    }
    fflush(stdout);
    if (read(0, &c, 1) == 1) {
        write(1, &c, 1);
    }
    for (i = 0; i < 5; i++) {
        read(0, &c, 1);
        write(1, &c, 1);
        c = find(from, 0, c) + to[0];
    }
    printf("%d", twice);
    goto last;
end:
    twice = 1;
last:
    return twice;
}
"""


def run(folder: Path, source: bytes, number: int | None) -> tuple[int, bytes]:
    name = "copy" if number is None else f"plain{number}"
    (folder / f"{name}.c").write_bytes(source)
    command = ["gcc", "-std=gnu11", "-O1", "-w", "-o", str(folder / name), str(folder / f"{name}.c")]
    subprocess.run(command, check=True, timeout=TIMEOUT_S)
    return ran(folder / name, 0)


def ran(program: Path, number: int | str) -> tuple[int, bytes]:
    """Run a program with a change. One that does not end is as good as any other that does not."""
    try:
        done = subprocess.run(
            [program, "abc"],
            input=b"a1b2a3",
            capture_output=True,
            timeout=1,
            check=False,
            env={**os.environ, CHANGE_VARIABLE: str(number)},
        )
    except subprocess.TimeoutExpired:
        return -1, b""
    return done.returncode, done.stdout


def compare(folder: Path, source: bytes, copy: bytes, changes: list[Change]) -> None:
    """Run the copy with no change and with each of these, and the source with the same edits."""
    assert run(folder, copy, None) == run(folder, source, 0)
    for change in changes:
        after = fixed(source, change.edits)
        assert after is not None
        if change.number is not None:
            assert ran(folder / "copy", change.number) == run(folder, after, change.number), change.says


@pytest.mark.slow
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\n/* \xe9 */\n"], ids=["plain", "BOM", "Latin-1"])
def test_the_copy_does_what_each_change_does(tmp_path: Path, start: bytes) -> None:
    source = start + MANY.replace(b"\n", b"\r\n")
    changes, copy = small_changes(CSource(source))
    assert len(changes) > 25
    assert all(SAYS_OF_CHANGES.fullmatch(one.says) for one in changes)
    # Compiling takes 0.05 s.
    compare(tmp_path, source, copy, changes[:: 1 if not start else 9])


@pytest.mark.slow
def test_the_copy_of_a_source_that_reads_does_what_each_change_does(tmp_path: Path) -> None:
    changes, copy = small_changes(CSource(READS))
    compare(tmp_path, READS, copy, changes)


TEXTS = b"""\
#include <stdio.h>
int main(int argc, char **argv)
{
    int n = 0;
    printf("Numbers: %d,", argc);
    for (int i = 1; i < 4; i++)
        printf("%d ", i);
    while (n < 3) { fputs("* ", stdout); n++; }
    fprintf(stdout, "%s\\t", argv[1]);
    fprintf(stderr, "not changed %d ", n);
    puts("End");
    return 0;
}
"""


def test_the_copy_of_a_source_that_writes_text_does_what_each_change_does(tmp_path: Path) -> None:
    changes, copy = small_changes(CSource(TEXTS))
    texts = [one for one in changes if '"' in one.says]
    assert len(texts) > 12
    assert "not changed" not in " ".join(one.says for one in texts)
    compare(tmp_path, TEXTS, copy, texts)


def test_two_changes_are_made_together(tmp_path: Path) -> None:
    changes, copy = small_changes(CSource(MANY))
    one, other = (
        next(change for change in changes if change.says == says)
        for says in ("with `3` instead of `4`", "without the call of `printf`")
    )
    both = fixed(MANY, [*one.edits, *other.edits])
    assert both is not None
    run(tmp_path, copy, None)
    assert ran(tmp_path / "copy", f"{one.number},{other.number}") == run(tmp_path, both, 1)
    assert ran(tmp_path / "copy", f"{other.number},{one.number}") == run(tmp_path, both, 1)


@pytest.mark.parametrize(
    "loop",
    [
        "int i = 0, c; while ((c = getchar()) != EOF && i < 9) { putchar(c); i++; }",
        'FILE *file = fopen(argv[1], "r"); while (file != NULL && getchar() != EOF) puts("");',
        "int c; if ((c = getchar()) != EOF && c != '\\n') putchar(c);",
    ],
    ids=["counter", "pointer", "no loop"],
)
def test_only_a_test_of_the_byte_that_ends_a_loop_is_left_out(loop: str) -> None:
    assert not [
        change.says for change in changes_of(main_with(loop)) if "&&" in change.says and "||" not in change.says
    ]


def test_an_operand_on_a_line_of_its_own_leaves_the_line() -> None:
    before = "if (argc > 5 ||\n    argc < 3)\n    exit(1);"
    source = main_with(before)
    for says, lines in (
        ("without `|| argc < 3`", "if (argc > 5\n)\n    exit(1);"),
        ("without `argc > 5 ||`", "if (\nargc < 3)\n    exit(1);"),
    ):
        (change,) = (one for one in changes_of(source) if one.says == says)
        after = fixed(source, change.edits)
        assert after == source.replace(before.encode(), lines.encode())


def test_an_empty_statement_before_a_loop_is_no_first_value() -> None:
    assert changes_of(main_with("int found; found = 0;; while (argc) { found = 1; }"))


def test_too_many_changes_are_none() -> None:
    assert small_changes(CSource(main_with("if (argc < 3) exit(1);\n" * 200))) == ([], b"")
    nested = "(argc < " * 100 + "1" + ")" * 100
    assert small_changes(CSource(main_with(f"return {nested};"))) == ([], b"")


def test_the_copy_of_nested_comparisons_stays_small() -> None:
    nested = "(argc < " * 40 + "1" + ")" * 40
    changes, copy = small_changes(CSource(main_with(f"return {nested} || argc;")))
    assert changes
    assert len(copy) < 100_000


ENDS = "for (;;) {{ argc++;\n{jump}\n}}"


@pytest.mark.parametrize(
    ("jump", "rank"),
    [
        ("if (argc == 3)\n    break;", IDLE),
        ("if (argc == 3) {\n    break;\n}", IDLE),
        ("if (argc) { if (argc == 3) break; }", IDLE),
        ("if (argc == 3) break;\nargc++;", JUMP),
        ("if (argc) { if (argc == 3) break; argc++; }", JUMP),
        ("switch (argc) { case 3: break; }", JUMP),
    ],
)
def test_a_continue_that_would_have_no_effect_comes_late(jump: str, rank: int) -> None:
    changes = changes_of(main_with(ENDS.format(jump=jump)))
    assert [one.rank for one in changes if one.says == "with `continue` instead of `break`"] == [rank]


@pytest.mark.parametrize(
    ("jump", "lines"),
    [
        ("if (argc == 3) break;", [7]),
        ("if (argc == 3)\n    break;", [7, 8]),
        ("if (argc == 3) {\r\n    break;\r\n}\r", [7, 8, 9]),
    ],
)
def test_an_if_that_only_ends_a_loop_may_be_removed(jump: str, lines: list[int]) -> None:
    source = main_with(ENDS.format(jump=jump))
    [change] = [one for one in changes_of(source) if one.says == "without the `if` and its `break`"]
    assert (change.rank, [change.line, *change.more]) == (REMOVAL, lines)
    after = fixed(source, change.edits)
    assert after == main_with(ENDS.format(jump="\n".join("\r" if "\r" in jump else "" for _ in lines)))
    others = {one.says: one.rank for one in changes_of(source)}
    assert others.get("without `break`", IDLE) == IDLE


@pytest.mark.parametrize(
    "jump",
    [
        "if (argc == 3) break; else argc++;",
        "if (getchar() == 3) break;",
        "if (argc++ == 3) break;",
        "if (argc == 3) { argc++; break; }",
        "if (argc == 3) return 1;",
        "if (argc == 3) break; if (argc == 4) argc++;",
        "if (argc) if (argc == 3) break;",
    ],
)
def test_an_if_that_does_more_is_not_removed(jump: str) -> None:
    assert not any("and its" in one.says for one in changes_of(main_with(ENDS.format(jump=jump))))
