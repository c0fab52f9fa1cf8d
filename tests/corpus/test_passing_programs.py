"""Programs that copy rightly by luck get a remark and keep their points; for others, nothing more is run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.grading.pipeline import GradingContext
from grader.sandbox.base import Sandbox

from .test_proofs import graded, submission_of

pytestmark = pytest.mark.slow

Grading = Callable[[Sandbox], GradingContext]

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void fail(const char *text) {{ fprintf(stderr, "%s\\n", text); exit(1); }}
int main(int argc, char **argv) {{
    {table}
    unsigned char c;
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]) || !*argv[1]) fail("operands");
    char *from = argv[1], *to = argv[2];
    for (char *one = from; *one; one++) if (strchr(one + 1, *one)) fail("duplicate");
    {fill}
    for (size_t i = 0; i < strlen(from); i++) table[(unsigned char)from[i]] = to[i];
    while (read(0, &c, 1) == 1) {{
        {use}
        write(1, &c, 1);
    }}
    return 0;
}}
"""
FOUND = "if (table[c] != 0) c = table[c];"
ALL = "c = table[c];"
UNSET = "tr2u.c line 15 makes a decision with a value that was never set"


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (("char *table = malloc(256);", "", FOUND), UNSET),
        (
            (
                "unsigned char table[256]; for (int i = 0; i < 256; i++) table[i] = i;",
                "char *copy = malloc(strlen(from)); strcpy(copy, from); from = copy;",
                ALL,
            ),
            "tr2u.c line 12 calls `strcpy`, which writes past the end of",
        ),
        (
            ("unsigned char table[256];", "for (int i = 0; i <= 256; i++) table[i] = i;", ALL),
            "tr2u.c line 12 uses the index 256 in an array of 256 elements",
        ),
    ],
    ids=["malloc", "no room for the NUL", "one too far"],
)
def test_luck_is_a_remark(
    local_sandbox: Sandbox, small_grading: Grading, parts: tuple[str, str, str], says: str
) -> None:
    table, fill, use = parts
    source = PROGRAM.format(table=table, fill=fill, use=use).encode()
    report = graded(small_grading(local_sandbox), submission_of("lucky", "tr2u", source), stops_early=True)
    assert report.score == report.max_score
    assert [remark.kind for remark in report.remarks] == ["memory"]
    [remark] = report.remarks
    assert remark.sentence.startswith(says)
    assert remark.sentence.endswith("This costs no points.")
    assert report.findings == ()


@pytest.mark.parametrize(
    "parts",
    [
        ("unsigned char table[256];", "for (int i = 0; i < 256; i++) table[i] = i;", ALL),
        ("char table[256] = {0};", "", FOUND),
        ("char table[256]; memset(table, 0, sizeof table);", "", FOUND),
        ("char *table = calloc(256, 1);", "", FOUND),
    ],
    ids=["filled", "first values", "memset", "calloc"],
)
def test_a_right_program_has_no_remark(
    local_sandbox: Sandbox, small_grading: Grading, parts: tuple[str, str, str]
) -> None:
    table, fill, use = parts
    source = PROGRAM.format(table=table, fill=fill, use=use).encode()
    report = graded(small_grading(local_sandbox), submission_of("right", "tr2u", source), stops_early=True)
    assert report.score == report.max_score
    assert report.remarks == ()
