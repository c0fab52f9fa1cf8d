"""Small changes that are compiled alone: types, and bodies that are not what the indentation shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.separate_changes import separate_changes
from grader.diagnose.edits import LIKELIEST, SAYS_OF_CHANGES, TYPE, Change, fixed

HEAD = "#include <stdio.h>\nint main(int argc, char **argv)\n{\n\tint c = argc, i = 0;\n"
SEMICOLON = "without the `;` after the last `)`"


def bodies(body: str) -> list[Change]:
    source = f"{HEAD}{body}\treturn argv == NULL;\n}}\n".encode()
    return [one for one in separate_changes(CSource(source)) if "type" not in one.says]


def after(body: str, change: Change) -> str:
    found = fixed(f"{HEAD}{body}\treturn argv == NULL;\n}}\n".encode(), change.edits)
    assert found is not None
    return found.decode().removeprefix(HEAD).removesuffix("\treturn argv == NULL;\n}\n")


@pytest.mark.parametrize(
    ("body", "says", "line", "changed"),
    [
        (
            "\tfor (i = 0; i < c; i++);\n\t{\n\t\tputchar(i);\n\t}\n",
            SEMICOLON,
            5,
            "\tfor (i = 0; i < c; i++)\n\t{\n\t\tputchar(i);\n\t}\n",
        ),
        ("\tif (c == 2) ;\n\t\tputchar(i);\n", SEMICOLON, 5, "\tif (c == 2) \n\t\tputchar(i);\n"),
        (
            "\twhile ((c = getchar()) != EOF);\n\t\tputchar(c);\n",
            SEMICOLON,
            5,
            "\twhile ((c = getchar()) != EOF)\n\t\tputchar(c);\n",
        ),
        (
            '\tif (c == 2)\n\t\tputs("twice");\n\t\ti = 1;\n',
            "with braces around the two statements below the `if`",
            5,
            '\tif (c == 2)\n\t\t{ puts("twice");\n\t\ti = 1; }\n',
        ),
        (
            "\twhile ((c = getchar()) != EOF)\n        i = c;\n\tputchar(i);\n\tputchar(i);\n",
            "",
            0,
            "",
        ),
        (
            "\twhile ((c = getchar()) != EOF)\n\t\ti = c;\n                i++;\n\t\tputchar(i);\n",
            "with braces around the three statements below the `while`",
            5,
            "\twhile ((c = getchar()) != EOF)\n\t\t{ i = c;\n                i++;\n\t\tputchar(i); }\n",
        ),
        (
            '\tif (c == 2)\n\t\ti = 1;\n\telse\n\t\tputs("other");\n\t\ti = 2;\n',
            "with braces around the two statements below the `else`",
            7,
            '\tif (c == 2)\n\t\ti = 1;\n\telse\n\t\t{ puts("other");\n\t\ti = 2; }\n',
        ),
    ],
)
def test_a_body_becomes_what_its_indentation_shows(body: str, says: str, line: int, changed: str) -> None:
    found = bodies(body)
    assert [(one.says, one.line) for one in found] == ([(says, line)] if says else [])
    assert [after(body, one) for one in found] == ([changed] if says else [])
    assert all(SAYS_OF_CHANGES.fullmatch(one.says) for one in found)


@pytest.mark.parametrize(
    "body",
    [
        # A loop that only skips, and what follows it.
        "\twhile ((c = getchar()) != EOF)\n\t\t;\n\tputchar(c);\n",
        "\twhile ((c = getchar()) != EOF);\n\tputchar(c);\n",
        # Two loops of a line cannot be told apart.
        "\twhile (i < c) i++; while (c);\n\t{\n\t\tputchar(c);\n\t}\n",
        # What has an alternative, or is last in its block.
        "\tif (c == 2)\n\t\tputchar(c);\n\telse\n\t\tputchar(i);\n\tputchar(i);\n",
        "\t{ while (c);\n\t}\n\tputchar(c);\n",
        # One line, and no indentation at all.
        "\tif (c == 2) putchar(c); putchar(i);\n",
        "if (c == 2)\nputchar(c);\nputchar(i);\n",
    ],
)
def test_a_body_that_may_be_meant_stays(body: str) -> None:
    assert bodies(body) == []


def test_the_compiler_sees_them_as_well(tmp_path: Path) -> None:
    body = "\tif (c == 2)\n\t\tputchar(c);\n\t\tputchar(i);\n\tfor (;;);\n\t{\n\t\tc++;\n\t}\n"
    found = bodies(body)
    assert [one.line for one in found] == [5, 8]
    path = tmp_path / "fixed.c"
    both = Change(5, [edit for one in found for edit in one.edits], "", 0, None)
    command = ("gcc", "-c", "-Wall", "-Werror=misleading-indentation", "-o", "/dev/null", path)
    for change, status in ((Change(5, [], "", 0, None), 1), (both, 0)):
        path.write_text(f"{HEAD}{after(body, change)}\treturn argv == NULL;\n}}\n")
        assert subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == status


def types(text: str) -> list[tuple[str, int]]:
    source = f"#include <unistd.h>\n{text}".encode()
    return [
        (one.says, one.rank) for one in separate_changes(CSource(source)) if "type" in one.says or "char" in one.says
    ]


@pytest.mark.parametrize(
    ("text", "says", "rank"),
    [
        ("int f(char *s) { int t[256]; return t[(int)s[0]]; }", "`unsigned char *` as the type of `s`", LIKELIEST),
        ("int f(char c) { int t[256]; return t[c]; }", "`unsigned char` as the type of `c`", LIKELIEST),
        (
            "int f(char *s) { int t[256]; return t[(unsigned char)s[0]]; }",
            "`unsigned char *` as the type of `s`",
            TYPE,
        ),
        (
            "int f(void) { int c = 0; return read(0, &c, 1) + c; }",
            "`unsigned char c` instead of `int c`",
            LIKELIEST,
        ),
        ("int f(void) { char c = 0; c++; return c; }", "`int` as the type of the counter `c`", LIKELIEST),
        ("int f(void) { char c = 0; return c; }", "`int` as the type of `c`", TYPE),
    ],
)
def test_a_type_that_is_a_mistake_in_itself_comes_first(text: str, says: str, rank: int) -> None:
    assert (f"with {says}", rank) in types(text)


@pytest.mark.parametrize("text", ["int f(int c) { return c; }", "int f(void) { int c = 0; return write(1, &c, 1); }"])
def test_other_types_stay(text: str) -> None:
    assert types(text) == []


def descriptors(before: str, body: str) -> list[tuple[str, list[int], str]]:
    """Return the words of the changes of descriptors, their lines, and the sources with them."""
    source = f"#include <unistd.h>\n{before}int main(void)\n{{\n\tchar c;\n{body}\treturn 0;\n}}\n".encode()
    changes = [one for one in separate_changes(CSource(source)) if "type" not in one.says]
    found = []
    for one in changes:
        after = fixed(source, one.edits)
        assert after is not None
        assert SAYS_OF_CHANGES.fullmatch(one.says)
        assert (one.rank, one.number) == (LIKELIEST, None)
        found.append((one.says, [one.line, *one.more], after.decode()))
    return found


COPYING = "\twhile (read(in, &c, 1) == 1)\n\t\twrite(out, &c, 1);\n"


@pytest.mark.parametrize(
    ("before", "body", "says", "lines", "changed"),
    [
        ("", "\tint in = 1, out = 0;\n", "with `0` as `in` and `1` as `out`", [5], "int in = 0, out = 1;"),
        ("", "\tint in = 1, out = 1;\n", "with `0` as `in`", [5], "int in = 0, out = 1;"),
        ("", "\tint in = 0;\n\tint out = 0;\n", "with `1` as `out`", [6], "int out = 1;"),
        (
            "static const int in = STDOUT_FILENO;\nstatic const int out = STDIN_FILENO;\n",
            "",
            "with `0` as `in` and `1` as `out`",
            [2, 3],
            "const int out = 1;",
        ),
        ("#define in 1\n#define out 1\n", "", "with `0` as `in`", [2], "#define in 0\n#define out 1\n"),
        (
            "#define in (1)   \n#define out (STDIN_FILENO)\n",
            "",
            "with `0` as `in` and `1` as `out`",
            [2, 3],
            "out (1)",
        ),
        ("enum { in = 1, out = 0 };\n", "", "with `0` as `in` and `1` as `out`", [2], "enum { in = 0, out = 1 };"),
    ],
)
def test_a_descriptor_may_be_wrong_where_it_is_defined(
    before: str, body: str, says: str, lines: list[int], changed: str
) -> None:
    [(said, numbers, after)] = descriptors(before, body + COPYING)
    line = 4 + before.count("\n")
    assert (said, numbers) == (says, [one + line - 4 if one > 3 else one for one in lines])
    assert changed in after


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "\tint in = 0, out = 1;\n"),
        ("", "\tint in = 0, out = 2;\n"),
        ("", "\tint in = dup(1), out = 1;\n"),
        ("", "\tint in, out;\n\tin = out = 0;\n"),
        ("", "\tint in = 5 - 4, out = 1;\n"),
        ("#define out 0\n#undef out\n#define out 1\n", "\tint in = 0;\n"),
        ("static int read(int in, char *to, int size) { return in + size + *to; }\n", "\tint in = 1, out = 1;\n"),
    ],
)
def test_what_makes_sense_as_a_descriptor_or_is_not_known_stays(before: str, body: str) -> None:
    assert descriptors(before, body + COPYING) == []


def test_a_descriptor_that_two_calls_use_differently_stays() -> None:
    assert descriptors("", "\tint in = 0;\n" + COPYING.replace("out", "in")) == []


LENGTHS = """#include <stdio.h>
int main(int argc, char **argv)
{
    char *from = argv[1], *to = argv[2];
    int m = sizeof(from) / sizeof(from[0]);
    int n = sizeof(to) / sizeof(to[0]);
    return m != n;
}
"""


def test_all_sizes_of_pointers_become_lengths_at_once() -> None:
    (change,) = (one for one in separate_changes(CSource(LENGTHS.encode())) if "strlen" in one.says)
    assert (change.says, change.line, change.more) == ("with `strlen` instead of the first `sizeof`", 5, (6,))
    assert SAYS_OF_CHANGES.fullmatch(change.says)
    made = fixed(LENGTHS.encode(), change.edits)
    assert made is not None
    lines = LENGTHS.replace("= sizeof", "= strlen").splitlines()
    assert made.decode().splitlines() == [lines[0], "#include <string.h>", *lines[1:]]


@pytest.mark.parametrize(
    "sizes",
    [
        "char from[8]; int m = sizeof(from);",
        "int m = sizeof(argc) + sizeof(argv);",
        "char *from = argv[1]; int m = 1 / sizeof(from[0]) * sizeof(from);",
        "char *from = argv[1]; int m = sizeof(from) * sizeof(from);",
    ],
)
def test_other_sizes_stay(sizes: str) -> None:
    source = f"int main(int argc, char **argv)\n{{\n    {sizes}\n    return m;\n}}\n".encode()
    assert not [one.says for one in separate_changes(CSource(source)) if "strlen" in one.says]
