"""Small changes that are compiled alone: types, and bodies that are not what the indentation shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grader.diagnose.c_source import CSource
from grader.diagnose.edits import LIKELIEST, SAYS_OF_CHANGES, TYPE, Change, fixed
from grader.diagnose.separate_changes import separate_changes

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
    return [(one.says, one.rank) for one in separate_changes(CSource(source)) if "type" in one.says]


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
        ("int f(void) { int c = 0; return read(0, &c, 1) + c; }", "`unsigned char` as the type of `c`", LIKELIEST),
        ("int f(void) { char c = 0; return c; }", "`int` as the type of `c`", TYPE),
    ],
)
def test_a_type_that_is_a_mistake_in_itself_comes_first(text: str, says: str, rank: int) -> None:
    assert (f"with {says}", rank) in types(text)


@pytest.mark.parametrize("text", ["int f(int c) { return c; }", "int f(void) { int c = 0; return write(1, &c, 1); }"])
def test_other_types_stay(text: str) -> None:
    assert types(text) == []
