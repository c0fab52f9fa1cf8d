"""Which programs that copy rightly are searched for mistakes in the use of memory."""

from __future__ import annotations

import time

import pytest

from grader.explain.passing_programs import may_misuse_memory, remarks_on, unfilled_table
from grader.model.report import Finding


@pytest.mark.parametrize(
    "source",
    [
        "    char map[256];\n    map[(unsigned char)from[i]] = to[i];\n",
        "\tunsigned char map[SIZE];\n\tmap[from[i]] = to[i];\n",
        "    int seen[256];\n    seen[*p] = 1;\n",
        "    char *map = malloc(256);\n    map[from[i]] = to[i];\n",
        "    char *map;\n    map = (char *) malloc(256 * sizeof(char));\n    map[from[i]] = to[i];\n",
    ],
)
def test_a_table_that_is_not_filled_is_looked_at(source: str) -> None:
    assert unfilled_table(f"int main(void) {{\n{source}}}\n".encode())


@pytest.mark.parametrize(
    "source",
    [
        "    char map[256] = {0};\n    map[from[i]] = to[i];\n",
        "    char map[256];\n    memset(map, 0, 256);\n    map[from[i]] = to[i];\n",
        "    char map[256];\n    memset(&map[0], 0, 256);\n    map[from[i]] = to[i];\n",
        "    char map[256];\n    for (i = 0; i < 256; i++) map[i] = i;\n    map[from[i]] = to[i];\n",
        "    static char map[256];\n    map[from[i]] = to[i];\n",
        "    char byte[1];\n    read(0, byte, 1);\n    if (byte[0] == from[i]) return 0;\n",
        "    char *map = calloc(256, 1);\n    map[from[i]] = to[i];\n",
    ],
)
def test_other_arrays_are_not(source: str) -> None:
    assert not unfilled_table(f"char map[256];\nint main(void) {{\n{source}}}\n".encode())


@pytest.mark.parametrize(
    "source",
    [
        b"  char a[9];\n" * 5000 + b"a[x[0]]=1;\n" * 5000,
        b"\t" * 60_000,
        b"a" * 60_000,
        b"a[" * 30_000,
        b"a = (" * 12_000,
    ],
    ids=["arrays", "tabs", "letters", "brackets", "assignments"],
)
def test_hostile_sources_take_no_time(source: bytes) -> None:
    started = time.process_time()
    may_misuse_memory(source)
    assert time.process_time() - started < 1


def test_one_remark_for_each_program() -> None:
    findings = [
        Finding(
            program=program,
            tool="valgrind",
            line=line,
            message=f"{program}.c line {line} fails.",
            file=f"{program}.c",
            source=(),
            checks=(),
        )
        for program, line in (("tr2b", 3), ("tr2u", 5), ("tr2u", 9))
    ]
    sentences = {remark.program: remark.sentence for remark in remarks_on(findings, "copies")}
    assert sentences.keys() == {"tr2b", "tr2u"}
    assert sentences["tr2u"].startswith("tr2u.c line 5 fails. All copies are right, but by luck")
    [only] = remarks_on(findings[:1], "outputs")
    assert only.sentence.startswith("tr2b.c line 3 fails. All outputs are right, but by luck")
