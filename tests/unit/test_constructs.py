"""Lines that are mistakes in themselves are found whatever the layout, and not in right programs that look alike."""

from __future__ import annotations

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.patterns import find
from grader.explain.roles import roles

HEAD = "#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"


def lines(role: str, code: str) -> list[int]:
    """Return the lines of a role; code begins with line 1."""
    found = find(CSource((HEAD + code).encode()), roles()[role].pattern)
    return sorted({number - HEAD.count("\n") for place in found for number in place["lines"]})


def main(body: str, before: str = "") -> str:
    """Return a program whose first line is `before`, and whose body begins with line 2."""
    return (
        f"{before} int main(int argc, char **argv) {{ char *from = argv[1], *to = argv[2]; int c, i, j, n; char b;\n"
        f"{body}\n}}"
    )


COPY = "while ((c = getchar()) != EOF) putchar(t[c]);"
FIELD = "struct map { int size; unsigned char t[256]; } m;"
TABLE = "unsigned char t[256];"
FILL = "for (i = 0; i < 256; i++) t[i] = i;"
PUT = "while (read(0, &b, 1) == 1) {\n"

COUNTS = "int len(char *s) { int n = 0; while (*s++) n++; return n; }"
GOES = "size_t len(const char *s) { const char *p = s; while (*p) p++; return p - s; }"
HAS = "int has(char *s) { while (*s++) if (*s == 1) return 1; return 0; }"

MISTAKES = [
    # --- a loop that fills a table ends too early
    ("bounds", main(f"for (i = 0; i < 255; i++) t[i] = i;\n{COPY}", TABLE), [2]),
    ("bounds", main(f"i = 0; while (i <= 254) {{ t[i] = i; i++; }}\n{COPY}", TABLE), [2]),
    ("bounds", main(f"for (i = 0; i != UCHAR_MAX; ++i)\nt[i] = i;\n{COPY}", "unsigned char t[UCHAR_MAX + 1];"), [2]),
    ("bounds", f"#define N 256\n{main(f'for (i = 0; i < N - 1; i++) t[i] = i; {COPY}', 'int t[N];')}", [3]),
    ("bounds", main(f"for (i = 0; i < 255; i++) m.t[i] = i;\nm.t[from[0] & 255] = to[0]; {COPY}", FIELD), [2]),
    # --- a table that is too small
    ("small", main("unsigned char m[128], u;\nwhile (read(0, &u, 1)) write(1, &m[u], 1);"), [2]),
    # --- what was found is not forgotten
    ("kept", main(f"int found = 0;\n{PUT} if (b == *from) found = 1;\nif (!found) write(1, &b, 1); }}"), [4]),
    ("kept", main(f"n = 1;\n{PUT} for (i = 0; from[i]; i++) if (from[i] == b) n = 0;\nif (n) putchar(b); }}"), [4]),
    # --- a search that writes in each round
    (
        "repeated",
        main(f"{PUT} for (i = 0; i < n; i++) if (b == from[i]) putchar(to[i]);\nelse putchar(b); }}"),
        [3, 4],
    ),
    ("repeated", main(f"{PUT} for (i = 0; i < n; i++) {{ if (b == from[i]) b = to[i];\nwrite(1, &b, 1); }} }}"), [4]),
    # --- a loop that ends at once
    (
        "first-round",
        (
            "int f(char *s) { int i; for (i = 0; s[i]; i++) { if (s[i] == 'a') return 1;\nelse\nreturn 0; }\n"
            'return 0; }\nint main(void) { return f(""); }'
        ),
        [3],
    ),
    ("first-round", main("for (i = 0; i < n; i++) { if (from[i] == 1) n = 2;\nbreak; }"), [3]),
    # --- types, precedence, options, exit status
    ("partly", main("while (read(0, &i, 1) > 0) write(1, &i, 1);"), [1]),
    ("partly", main("size_t k;\nwhile (read(0, (char *) &k, sizeof(char)) == 1) write(1, &k, 1);"), [2]),
    ("partly", main("int k = 0;\nwhile (fread(&k, 1, 1, stdin) == 1) putchar(k);"), [2]),
    ("compared", main("while ((c = getchar() != EOF)) putchar(c);"), [2]),
    ("compared", main("while ((n = read(0, &b, 1) > 0)) write(1, &b, n);"), [2]),
    ("pointer-size", main("n = sizeof(from);"), [2]),
    ("pointer-size", "int size(char s[]) {\nreturn sizeof s; }\nint main(void) { return size(0); }", [2]),
    ("feof", main("while (!feof(stdin)) { c = getchar(); putchar(c); }"), [2]),
    ("short", main("for (i = 0; i < n; i++)\nfor (j = i + 1; j < n - 1; j++) if (from[i] == from[j]) exit(1);"), [3]),
    ("success", main('if (argc != 3) { fprintf(stderr, "usage");\nreturn 0; }'), [3]),
    ("success", f'void die(void) {{ fprintf(stderr, "usage");\nexit(EXIT_SUCCESS); }}\n{main("die();")}', [2]),
    # --- lengths
    ("lengths", f"{COUNTS}\n{main('if (len(from) < len(to)) exit(1);')}", [3]),
    ("lengths", f"{GOES}\n{main('n = len(from); if (n > (int) len(to)) exit(1);')}", [3]),
    (
        "lengths",
        main("for (i = 0; from[i]; i++);\nfor (j = 0; to[j] != 0; j++);\nif (i >= j + 0 || i > j) exit(1);"),
        [4],
    ),
]

HARMLESS = [
    ("bounds", main(f"{FILL} {COPY}", TABLE)),
    ("bounds", main(f"for (i = 0; i < 255; i++) t[i] = i;\nt[255] = 255; {COPY}", TABLE)),
    ("bounds", main(f"for (i = 0; i < 128; i++) t[i] = i;\nfor (i = 128; i < 256; i++) t[i] = i; {COPY}", TABLE)),
    ("bounds", main("char line[80];\nfor (i = 0; i < n; i++) line[i] = from[i];")),
    ("bounds", main(f"for (i = 0; i < 256; i++) m.t[i] = i;\n{COPY}", FIELD)),
    ("bounds", main(f"for (i = 0; i < 255; i++) m.t[i] = i;\nfor (; i < 256; i++) m.t[i] = 1; {COPY}", FIELD)),
    ("small", main("unsigned char m[256], u;\nwhile (read(0, &u, 1)) write(1, &m[u], 1);")),
    ("small", main("char line[128];\nfor (i = 0; i < 9; i++) line[i] = 0;")),
    ("kept", main(f"{PUT} int found = 0; if (b == *from) found = 1;\nif (!found) write(1, &b, 1); }}")),
    ("kept", main(f"{PUT} n = 0; if (b == *from) n = 1;\nif (!n) write(1, &b, 1); }}")),
    ("kept", main("n = 0; while (!n) { if (read(0, &b, 1) != 1) n = 1;\nif (!n) write(1, &b, 1); }")),
    ("kept", main("for (i = 0; from[i]; i++) if (from[i] == to[i]) n = 1;\nif (n) exit(1);")),
    ("repeated", main(f"{PUT} for (i = 0; i < n; i++) if (b == from[i]) {{ putchar(to[i]);\nbreak; }} }}")),
    ("repeated", main(f"{PUT} for (i = 0; i < n; i++) b = to[i];\nwrite(1, &b, 1); }}")),
    ("first-round", main("for (i = 0; i < n; i++) { if (from[i] == 1) return 1; }\nreturn 0;")),
    ("first-round", main("for (i = 0; i < n; i++) { if (from[i]) continue;\nreturn 1; }")),
    ("first-round", main("while ((c = getchar()) != EOF) { if (c == 1) putchar(c); else putchar(2); }")),
    ("partly", main("while (read(0, &b, 1) > 0) write(1, &b, 1);")),
    ("partly", main("while (read(0, &i, sizeof(int)) > 0) write(1, &i, 1);")),
    ("compared", main("while ((c = getchar()) != EOF) putchar(c);")),
    ("pointer-size", main("char buffer[9];\nn = sizeof buffer + sizeof *from + sizeof(char *) + sizeof b;")),
    ("feof", main("while ((c = getchar()) != EOF) putchar(c);\nif (!feof(stdin)) return 1;")),
    ("short", main("for (i = 0; i < n - 1; i++)\nfor (j = i + 1; j < n; j++) if (from[i] == from[j]) exit(1);")),
    ("short", main("for (i = 0; i < n; i++)\nfor (j = 0; j < n - 1; j++) if (from[j] == from[j + 1]) exit(1);")),
    ("success", main("if (argc != 3) return 1;\nreturn 0;")),
    ("success", main("if ((c = getchar()) != EOF) { while ((c = getchar()) != EOF) putchar(c);\nreturn 0; }")),
    (
        "lengths",
        main("for (i = 0; from[i]; i++) for (j = 0; from[j]; j++)\nif (i != j && from[i] == from[j]) exit(1);"),
    ),
    ("lengths", f"{HAS}\n{main('if (has(from) == has(to)) exit(1);')}"),
]


@pytest.mark.parametrize(("role", "code", "expected"), MISTAKES)
def test_the_line_of_a_mistake_is_found(role: str, code: str, expected: list[int]) -> None:
    assert lines(role, code) == expected


@pytest.mark.parametrize(("role", "code"), HARMLESS)
def test_what_looks_alike_and_is_right_is_not_named(role: str, code: str) -> None:
    assert lines(role, code) == []


def test_each_mistake_has_advice() -> None:
    assert [role for role in roles().values() if bool(role.advice) != bool(role.decisive)] == []
