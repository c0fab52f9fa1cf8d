"""Patterns of known bugs find the line whatever else differs, and stay silent where the construct is another one."""

from __future__ import annotations

import re

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.edits import Edit, fixed
from grader.diagnose.source.patterns import PatternMatch, find
from grader.explain.source_patterns import sayings
from grader.resources import resource

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"


def pattern(name: str) -> str:
    return (resource("reference", "tr2", "mutants") / name / "pattern.scm").read_text(encoding="ascii")


def places(name: str, code: str) -> list[PatternMatch]:
    """Return what a pattern finds; what it says must be what the grader believes of a parser."""
    found = find(CSource((HEAD + code).encode("latin-1")), pattern(name))
    said = [*sayings(pattern(name))]
    words = [place["says"] for place in found if place["says"]]
    assert [one for one in words if not any(known.fullmatch(one) for known in said)] == []
    return found


def lines(name: str, code: str) -> list[int]:
    """Return the lines that a pattern marks; code begins with line 1."""
    found = {number for place in places(name, code) for number in place["lines"]}
    return sorted(number - HEAD.count("\n") for number in found)


def repaired(name: str, code: str) -> str:
    data = (HEAD + code).encode("latin-1")
    edits = [Edit(*edit) for place in places(name, code) for edit in place["edits"]]
    result = fixed(data, edits)
    assert result is not None
    return result.decode("latin-1").removeprefix(HEAD)


LOOP = "while ((c = getchar()) != EOF) putchar(c);"

CHAR = {
    "declared first": f"int main(void)\n{{\nchar c;\n{LOOP} }}",
    "another name": "int main(void)\n{\n  char  next_one ;while((next_one=getchar())!=EOF)putchar(next_one);}",
    "at file scope": f"\n\nstatic char c;\nint main(void) {{ {LOOP} }}",
    "signed": f"int main(void)\n{{\n  signed char c; {LOOP} }}",
    "set where it is declared": "int main(void)\n{\n char c = getchar(); while (c != EOF) c = getchar(); }",
    "in a list": f"int main(void)\n{{\n char a = 'x', c, *p = &a; {LOOP} return *p; }}",
    "a parameter of its own": f"void copy(void)\n{{\n char c; {LOOP} }}\nint main(void) {{ copy(); }}",
    "by getc": "int main(void)\n{\nchar c; while ((c = getc(stdin)) != EOF) putchar(c); }",
    "by fgetc": "int main(void)\n{\nchar c; do { c = fgetc(stdin); putchar(c); } while (c != EOF); }",
    "through a function": "int next(void) { return getchar(); }\nint main(void) {\nchar c; c = next(); }",
    "returned by a function": "\n\nchar next(void) { return getchar(); }\nint main(void) { return next(); }",
    "returned from a variable": "\n\nchar next(void) { int k = getchar(); return k; }\nint main(void) { next(); }",
    "by a cast": "int main(void) {\nint c;\nwhile ((c = (char)getchar()) != EOF) putchar(c); }",
    "by a name for char": f"typedef char byte;\nint main(void)\n{{ byte c; {LOOP} }}",
    "among comments": f"int main(void) {{ // int c;\n/* int c; */\nchar/**/c; {LOOP} }}",
    "beside a wider one": f"int main(void) {{\n{{ int c = 1; (void)c; }}\nchar c; {LOOP} }}",
    "with Latin-1 in a comment": f"int main(void) {{ /* \xe9\xff */\n\nchar c; {LOOP} }}",
    "with CRLF": f"int main(void) {{\r\n\r\nchar c; {LOOP} }}\r\n",
}


@pytest.mark.parametrize("variant", CHAR)
def test_a_char_for_getchar_is_found_in_any_form(variant: str) -> None:
    code = CHAR[variant]
    assert lines("char-for-getchar", code) == [3]
    assert lines("unsigned-char-for-getchar", code) == []
    unsigned = re.sub(r"\b(signed )?char\b", "unsigned char", code)
    assert lines("unsigned-char-for-getchar", unsigned) == [3]
    assert lines("char-for-getchar", unsigned) == []


NO_CHAR = {
    "an int": f"int main(void) {{ int c; {LOOP} }}",
    "another char": f"int main(void) {{ char b = 'x'; int c; {LOOP} putchar(b); }}",
    "an inner int of the same name": f"char c;\nint main(void) {{ int c; {LOOP} }}",
    "a char set after the comparison": "int main(void) { int c; char b; while ((c = getchar()) != EOF) b = c; }",
    "a getchar of its own": f"int getchar(void) {{ return 1; }}\nint main(void) {{ char c; {LOOP} }}",
    "getchar as a macro": f"#define getchar() 'x'\nint main(void) {{ char c; {LOOP} }}",
    "left out by the preprocessor": f"#if 0\nchar c;\n#endif\nint main() {{\n#ifdef X\nchar c;\n#endif\n{LOOP} }}",
    "in a function that nothing calls": f"void unused(void) {{ char c; {LOOP} }}\nint main(void) {{ }}",
    "another meaning of char": f"#define char int\nint main(void) {{ char c; {LOOP} }}",
    "a type by a macro": f"#define CELL char\nint main(void) {{ CELL c; {LOOP} }}",
    "a file of its own": f'#include "mine.h"\nint main(void) {{ char c; {LOOP} }}',
    "an array": "int main(void) { char c[2]; c[0] = getchar(); return c[0]; }",
    "read": "int main(void) { char c; while (read(0, &c, 1) == 1) write(1, &c, 1); }",
    "a comment": f"int main(void) {{ int c; /* char c; */ {LOOP} }}",
    "a syntax error": f"int main(void) {{ char c; {LOOP} ",
}


@pytest.mark.parametrize("variant", NO_CHAR)
def test_what_is_no_char_for_getchar_has_no_line(variant: str) -> None:
    assert places("char-for-getchar", NO_CHAR[variant]) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int main(void) { char c; LOOP }", "int main(void) { int c; LOOP }"),
        ("int main(void) { char a = 1, c, b[2]; LOOP }", "int main(void) { int c; char a = 1, b[2]; LOOP }"),
        ("int main(void) { char c, a; LOOP }", "int main(void) { int c; char a; LOOP }"),
        ("static char c, a; int main(void) { LOOP }", "static int c; static char a; int main(void) { LOOP }"),
        ("int main(void) { register signed char c; LOOP }", "int main(void) { register int c; LOOP }"),
    ],
)
def test_only_the_variable_gets_another_type(before: str, after: str) -> None:
    assert repaired("char-for-getchar", before.replace("LOOP", LOOP)) == after.replace("LOOP", LOOP)


def in_main(body: str) -> str:
    return f"int main(int argc, char *argv[])\n{{\n{body}\n}}"


ONE_DIRECTION = {
    "if (\nstrlen(argv[1]) < strlen(argv[2])) return 1;": [4],
    "size_t n = strlen(argv[1]);\nif (strlen(argv[2]) > n) return 1;": [4],
    "size_t n = strlen(argv[1]), m = strlen(argv[2]);\nif (m < n) return 1;": [4],
}

FOUND = {
    "message-on-stdout": {
        'if (argc != 3) {\nprintf("usage: %s\\n", argv[0]);\nreturn 1; }': [4],
        'if (argc != 3) { puts ("two operands"); exit(1); }': [3],
        'if (argc != 3) { fprintf(stdout, "two operands"); exit(1); }': [3],
        'if (argc != 3) { fputs("two operands\\n", stdout); return 2; }': [3],
        'if (argc != 3) { write(1, "two operands\\n", 13); return 2; }': [3],
        'if (argc != 3) { write(STDOUT_FILENO, "two operands\\n", 13); _exit(2); }': [3],
    },
    "message-but-exit-0": {
        'if (argc != 3) {\nfprintf(stderr, "usage\\n");\nreturn 0; }': [5],
        'if (argc != 3) {\nperror("usage");\nexit(EXIT_SUCCESS); }': [5],
        'if (argc != 3) {\nputs("usage");\nexit(0); }': [5],
    },
    "signed-operands": {
        "int c = getchar();\nif (argv[1][0] == c) c = 1;": [4],
        "char *from = argv[1]; unsigned char c; read(0, &c, 1);\nif (c != from[0]) return 1;": [4],
        "char *from = argv[1]; int c;\nwhile ((c = getchar()) != EOF) if (*from++ == c) return 1;": [4],
    },
    "signed-table-index": {
        "int table[256] = {0};\ntable[argv[1][0]] = 1; return table[0];": [4],
        "int table[256] = {0}; char c; read(0, &c, 1);\nreturn table[c];": [4],
        "int table[256] = {0}; char *s = argv[1];\nreturn table[(int)*s];": [4],
    },
    "block-reads-in-tr2u": {
        "char b[512];\nread(0, b, 512);": [4],
        "char b[512];\nread(STDIN_FILENO, b, sizeof b);": [4],
        "char b[512];\nread(0, b, sizeof(b));": [4],
    },
    "flush-after-every-byte": {
        "for (;;) {\nputchar(1);\nfflush(stdout); }": [5],
        "do putchar(1); while (\nfflush(NULL) == 0);": [4],
        "setvbuf(stdout, NULL, _IONBF, 0);": [3],
    },
    "extra-newline-at-end": {
        "for (;;) putchar(1);\nputchar('\\n');": [4],
        'printf("\\n");': [3],
        'puts("");': [3],
        'fputs("\\n", stdout);': [3],
        'write(1, "\\n", 1);': [3],
        "fputc(10, stdout);": [3],
        "if (putc('\\n', stdout) == EOF) return 1;": [3],
    },
    "extra-nul-at-end": {"putchar(0);": [3], "putchar('\\0');": [3], 'write(1, "", 1);': [3]},
    "last-block-lost": {"putchar(1);\n_exit(0);": [4]},
    "operands-not-counted": {"if (\nargc < 2) return 1;": [4]},
    "last-pair-ignored": {"for (int i = 0;\ni < strlen(argv[1]) - 1; i++) putchar(i);": [4]},
    "first-pair-ignored": {"for (int i = 1; argv[1][i]; i++) putchar(i);": [3]},
    "chained-mapping": {
        "for (int i = 0, c = 1; i < 2; i++) if (c == argv[1][i])\nc = argv[2][i];": [4],
        "for (int i = 0, c = 1; i < 2; i++) if (c == argv[1][i]) {\nc = argv[2][i]; }": [4],
    },
    "stops-at-newline": {"int c; while ((c = getchar()) != EOF &&\nc != '\\n') putchar(c);": [4]},
    "stops-at-nul": {
        "int c; for (;;) { c = getchar();\nif (c == 0) break; putchar(c); }": [4],
        "char c; while (read(0, &c, 1) > 0 &&\nc) write(1, &c, 1);": [4],
        "char c[1]; while (read(0, c, 1) > 0 &&\nc[0] != 0) write(1, c, 1);": [4],
        "int c;\nwhile ((c = getchar()) > 0) putchar(c);": [4],
    },
    "nul-dropped": {"int c; while ((c = getchar()) != EOF)\nif (c != '\\0') putchar(c);": [4]},
    "longer-from-accepted": ONE_DIRECTION,
    "longer-to-accepted": ONE_DIRECTION,
    "range-expanded": {"if (\nargv[1][1] == '-') return 1;": [4]},
    "brackets-expanded": {"if (\nargv[1][0] == '[') return 1;": [4]},
    "escapes-interpreted": {"if (\nargv[1][0] == '\\\\') return 1;": [4]},
    "getchar-in-tr2u": {"int c;\nc = getchar();": [4]},
    "fread-in-tr2u": {"char b[9];\nfread(b, 1, 9, stdin);": [4]},
    "unbuffered-with-setvbuf": {"setbuf(stdin, NULL);": [3]},
    "extra-0xff-at-end": {"int c; while (!feof(stdin)) {\nc = getchar(); putchar(c); }": [4]},
}


@pytest.mark.parametrize(("name", "body"), [(name, body) for name, bodies in FOUND.items() for body in bodies])
def test_a_construct_is_found_in_its_line(name: str, body: str) -> None:
    assert lines(name, in_main(body)) == FOUND[name][body]


SILENT = {
    "longer-to-accepted": (
        "if (strlen(argv[1]) != strlen(argv[2])) return 1;",
        "for (size_t i = 0; i < strlen(argv[1]); i++) putchar(argv[1][i]);",
        "for (int i = 0; i < argc; i++) putchar(i);",
        "if (argc < 3) return 1;",
    ),
    "message-on-stdout": (
        'if (argc != 3) { fprintf(stderr, "usage\\n"); return 1; }',
        'printf("%c", argc);',
        "putchar(argc); return 1;",
        'printf("done\\n"); return 0;',
        'if (argc != 3) { printf("%d", argc); return 1; }',
        'if (argc != 3) { write(2, "two operands\\n", 13); return 1; }',
    ),
    "message-but-exit-0": (
        'if (argc != 3) { fprintf(stderr, "usage\\n"); return 1; }',
        'fprintf(stderr, "debug\\n"); return 0;',
        "if (argc == 3) { putchar(argc); return 0; }",
        "return 0;",
    ),
    "signed-operands": (
        "if (argv[1][0] == '-') return 1;",
        "int c = getchar(); if ((unsigned char)argv[1][0] == c) return 1;",
        "char c; read(0, &c, 1); if (argv[1][0] == c) return 1;",
        "char c = getchar(); int e = EOF; if (c == e) return 1;",
        "for (int i = 0; argv[1][i] != 0; i++) putchar(i);",
    ),
    "signed-table-index": (
        "int table[256] = {0}; return table[(unsigned char)argv[1][0]];",
        "int table[256] = {0}; return table['a'];",
        "int table[9] = {0}; for (char i = 0; i < 9; i++) table[i] = i; return table[0];",
        "unsigned char c = 1; int table[256] = {0}; return table[c];",
    ),
    "block-reads-in-tr2u": (
        "char c; read(0, &c, 1);",
        "char c; read(0, &c, sizeof c);",
        "char b[1]; read(0, b, sizeof b);",
        "char b[9]; int n = argc; read(0, b, n);",
        "char b[9]; read(3, b, 9);",
    ),
    "flush-after-every-byte": ("fflush(stdout);", "for (;;) fflush(stderr);"),
    "extra-newline-at-end": (
        "for (;;) putchar('\\n');",
        "putchar(argc);",
        'fprintf(stderr, "\\n");',
        'printf("%d\\n", argc);',
        'write(2, "\\n", 1);',
    ),
    "last-block-lost": ("exit(0);",),
    "operands-not-counted": ("if (argc != 3) return 1;", "if (argc < 3) return 1;"),
    "stops-at-nul": (
        "for (int i = 0; argv[1][i] != '\\0'; i++) putchar(i);",
        "for (int i = 0; argv[1][i] == argc; i++) putchar(i);",
    ),
}


@pytest.mark.parametrize(("name", "body"), [(name, body) for name, bodies in SILENT.items() for body in bodies])
def test_what_looks_similar_has_no_line(name: str, body: str) -> None:
    assert places(name, in_main(body)) == []


@pytest.mark.parametrize("name", ["longer-from-accepted", "longer-to-accepted"])
def test_a_difference_in_either_direction_is_an_error_then(name: str) -> None:
    body = "if (strlen(argv[1]) < strlen(argv[2])) return 1;"
    assert repaired(name, in_main(body)) == in_main(body.replace("<", "!="))
    [place] = places(name, in_main(body))
    assert (place["says"], place["one"], place["proof"]) == ("with `!=` instead of `<`", True, True)
    # The line has another one, which stays.
    [place] = places(name, in_main(body.replace("(", "(argc < 3 || ", 1)))
    assert place["says"] == "with `!=` in the comparison of the lengths"
    [place] = places(name, in_main(body.replace("(", "(argc <= 2 || 1 << argc || ", 1)))
    assert place["says"] == "with `!=` instead of `<`"


@pytest.mark.parametrize(
    ("name", "type_"),
    [("char-for-getchar", "signed char"), ("char-for-getchar", "char"), ("unsigned-char-for-getchar", "uint8_t")],
)
def test_the_words_have_the_type_of_the_source(name: str, type_: str) -> None:
    for code, was in (
        (f"int main(void) {{ {type_} c; {LOOP} }}", f"{type_} c"),
        (f"{type_} next(void) {{ return getchar(); }}\nint main(void) {{ return next(); }}", f"{type_} next"),
        (f"int main(void) {{ int c; while ((c = ({type_})getchar()) != EOF) putchar(c); }}", f"({type_})"),
    ):
        [place] = places(name, f"#include <stdint.h>\n{code}")
        assert place["says"] == f"with `{was.replace(type_, 'int')}` instead of `{was}`"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("char *p = argv[1];\nif (*p == getchar()) return 1;", "`*p`"),
        ("char *p = argv[1];\nif (getchar() != * p ++) return 1;", ""),
        ("char *p = argv[1];\nif (getchar() != *p++) return 1;", "`*p++`"),
        ("if (argv[1][0] == getchar()) return 1;", "`argv[1][0]`"),
        ("int i = 0;\nif (argv[1][i + 1] == getchar()) return 1;", "`argv[1][i + 1]`"),
        ("int i = 0;\nif (*(argv[1] + i) == getchar()) return 1;", ""),
        ("int i = 0;\nif (argv[1][i] && argv[1][i] == getchar()) return 1;", ""),
        ("int i = 0;\nif (argv[1][i] == getchar() || argv[1][i + 1]) return 1;", "`argv[1][i]`"),
        (f"char *{'p' * 42} = argv[1];\nif (*{'p' * 42} == getchar()) return 1;", ""),
    ],
)
def test_the_words_name_the_operand_that_is_cast(code: str, said: str) -> None:
    """Without a name if it is too long or unusual to be quoted."""
    [place] = places("signed-operands", in_main(code))
    cast = said or "the char of the comparison"
    assert place["says"] == f"with {cast} cast to `unsigned char`"
    assert (place["verb"], place["order"]) == ("cast", f"{cast} to `unsigned char`")


def test_braces_that_a_fix_needs_are_in_its_words() -> None:
    loop = "for (int i = 0, c = 1; i < 2; i++)\n    if (c == argv[1][i])"
    for body, braces in ((" c = argv[2][i];", True), (" { c = argv[2][i]; }", False)):
        [place] = places("chained-mapping", in_main(loop + body))
        assert ("braces" in place["says"]) == braces
        assert "{ c = argv[2][i]; break; }" in repaired("chained-mapping", in_main(loop + body))


@pytest.mark.parametrize(
    ("name", "before", "after", "says"),
    [
        ("last-block-lost", "if (argc) _exit(0);", "if (argc) exit(0);", "with `exit` instead of `_exit`"),
        (
            "stops-at-nul",
            "int c; while ((c = getchar()) > 0) putchar(c);",
            "int c; while ((c = getchar()) != EOF) putchar(c);",
            "with `!= EOF` instead of the comparison with 0",
        ),
        (
            "extra-0xff-at-end",
            "int k; while (!feof(stdin)) { k = getchar(); putchar(k); }",
            "int k; while (!feof(stdin)) { k = getchar(); if (k == EOF) break; putchar(k); }",
            "with `if (k == EOF) break;` after the read",
        ),
        ("flush-after-every-byte", "setbuf(stdout, NULL);", "0;", "without `setbuf`"),
        (
            "longer-to-accepted",
            "if (strlen(argv[1]) - strlen(argv[2]) < 0) exit(1);",
            "if (strlen(argv[1]) < strlen(argv[2])  ) exit(1);",
            "with `<` instead of `-` and without the `< 0`",
        ),
    ],
)
def test_the_words_are_what_the_edit_does(name: str, before: str, after: str, says: str) -> None:
    [place] = places(name, in_main(before))
    assert place["says"] == says
    assert repaired(name, in_main(before)).removeprefix("#include <stdlib.h>\n").endswith(in_main(after))


def test_messages_of_a_function_for_messages() -> None:
    write = 'void say(const char *m)\n{\nwrite(1, m, strlen(m)); }\nint main(void) { say("too few"); return 1; }'
    assert lines("message-on-stdout", write) == [3]
    assert "write(2, m" in repaired("message-on-stdout", write)
    [place] = places("message-on-stdout", write)
    assert place["says"] == "with `2` (standard error) as the first argument of `write`"
    die = 'void die(const char *m)\n{ fprintf(stderr, "%s", m);\nexit(0); }\nint main(void) { die("too few"); }'
    assert lines("message-but-exit-0", die) == [3]
    # Here it is the translated byte.
    assert (
        places("message-on-stdout", "void put(char *m) { write(1, m, 1); }\nint main(int n, char **o) { put(o[n]); }")
        == []
    )


def test_a_loop_around_the_call_is_a_loop() -> None:
    code = "void put(int c)\n{ putchar(c);\nfflush(stdout); }\nint main(void) { for (int c = 0; c < 9; c++) put(c); }"
    assert lines("flush-after-every-byte", code) == [3]
    assert lines("extra-newline-at-end", code.replace("fflush(stdout)", "putchar(10)")) == []


@pytest.mark.parametrize("name", ["operands-not-counted", "lengths-not-compared", "duplicates-not-checked"])
@pytest.mark.parametrize(
    "parameters", ["int argc, char *argv[]", "int n, char **operands", "int n, char const *const *o"]
)
def test_what_is_missing_has_a_fix_and_no_line(name: str, parameters: str) -> None:
    code = f"int main({parameters})\n{{ return 0; }}"
    if "const" in parameters:
        assert lines(name, code) == []
    else:
        (place,) = places(name, code)
        assert place["lines"] == []
        assert place["edits"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"),
        ("\ufeff", "\ufeff#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"),
        ("#include <string.h>\n", "#include <string.h>\n#include <stdio.h>\n#include <stdlib.h>\n"),
        ("#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n", ""),
    ],
)
def test_a_fix_includes_the_headers_that_a_source_lacks(before: str, after: str) -> None:
    source = f"{before}\nint main(int argc, char *argv[])\n{{ return 0; }}\n".encode()
    (place,) = find(CSource(source), pattern("lengths-not-compared"))
    copy = fixed(source, [Edit(*edit) for edit in place["edits"]])
    assert copy is not None
    assert copy.decode().startswith(f"{after or before}\nint main")


def test_every_pattern_of_the_lab_can_be_read() -> None:
    files = sorted(resource("reference", "tr2", "mutants").glob("*/pattern.scm"))
    assert {file.parent.name for file in files} >= set(FOUND)
    for file in files:
        text = file.read_text(encoding="ascii")
        find(CSource(b"int main(void) { return 0; }"), text)
        # Who edits says what the edit is, because the sentence of the proof needs it.
        for one in re.split(r"\n\n(?=[;(])", text):
            assert ("(#set! says" in one) == ("(#set! edit." in one or "(#set! type." in one), file.parent.name


def test_an_unknown_predicate_is_a_fault_of_the_pattern() -> None:
    with pytest.raises(ValueError, match="#no-such"):
        find(CSource(b"int x;"), '((identifier) @line (#no-such? @line "x"))')


def test_edits_that_overlap_fix_nothing() -> None:
    assert fixed(b"abc", [Edit(0, 2, "x"), Edit(1, 3, "y")]) is None
    assert fixed(b"abc", [Edit(1, 2, "X"), Edit(1, 2, "X"), Edit(3, 3, "!")]) == b"aXc!"


@pytest.mark.parametrize(
    ("include", "is_usable"),
    [
        ("#include <stdio.h> ", True),
        ("#include <stdio.h>\t \r", True),
        ("# include <stdio.h>;", True),
        ("#include <stdio.h> /* why */ ", True),
        ("#include <stdio.h> // why ", True),
        ('#include "stdio.h"', True),
        ('#include "sys/types.h" ', True),
        ('#include "own.h"', False),
        ('#include "sys/own.h"', False),
    ],
)
def test_an_include_is_parsed_as_the_compiler_takes_it(include: str, is_usable: bool) -> None:  # noqa: FBT001
    data = f"{include}\nint main(void) {{ return 42; }}\n".encode()
    source = CSource(data)
    assert source.usable == is_usable
    if is_usable:
        (number,) = source.nodes("number_literal")
        assert data[number.start_byte : number.end_byte] == b"42"
