"""A copy of a source shows which values its changed conditions have."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from grader.diagnose.source.edits import Edit
from grader.diagnose.source.recorded_conditions import MOST_CHANGED, values_seen, with_recorder, without_marks

PROGRAM = """\
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    /* if (argc < 9) */
    int i;
    if (argc < 2 || (argc == 4 && argv[1][0] != 'x'))
        fputs("message", stderr);
    for (i = 0; i < 3; i++)
        if (i == 7) { puts("(;)"); }
    while (argc > 1) {
        argc--;
    }
    if (write(1, "", 0) != 0)
        return 2;
    return argc == 3;
}
"""


def edit(old: str, new: str) -> Edit:
    assert PROGRAM.count(old) == 1
    start = PROGRAM.index(old)
    return Edit(start, start + len(old), new)


def recorded(*edits: Edit) -> str:
    data = with_recorder(PROGRAM.encode(), edits)
    assert data is not None
    return data.decode().partition("#line 1\n")[2]


def numbers(data: str) -> list[int]:
    return [int(number) for number in re.findall(r"grader_saw\((\d+), !!", data)]


@pytest.mark.parametrize(
    ("old", "new", "condition"),
    [
        ("argc < 2", "argc < 1", "argc < 1 "),
        ("argc == 4", "argc == 5", "argc == 5 "),
        ("'x'", "'y'", " argv[1][0] != 'y'"),
        ("argc == 4 && ", "argc == 4 || ", "argc == 4 || argv[1][0] != 'x'"),
        ("i < 3", "i < 4", " i < 4"),
        ("argc > 1", "argc >= 1", "argc >= 1"),
        ("return argc == 3;", "if (argc > 9) return 1;\n    return argc == 3;", "argc > 9"),
        ("return argc == 3;", "return argc == 3 ? 1 : 2;", " argc == 3 "),
        ("return argc == 3;", "argc = argc == 3 && i ? 1 : 2;", " argc == 3 && i "),
        ("return argc == 3;", "exit(argc > 3 ? 1 : argc < 2 ? 2 : 3);", "argc > 3 "),
    ],
)
def test_the_operand_around_a_change_is_recorded(old: str, new: str, condition: str) -> None:
    assert f"grader_saw(0, !!({condition}))" in recorded(edit(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return argc == 3;", "return argc == 2;"),
        ("fputs", "puts"),
        ("    /* if (argc < 9) */\n", ""),
        (" || (argc == 4 && argv[1][0] != 'x')", ""),
        ("argc > 1", "1"),
        ("i++", "i += 1"),
        ("0) != 0", "0) < 0"),
        ("return argc == 3;", "if (setvbuf(stdout, 0, _IONBF, 0)) return 1;\n    return argc == 3;"),
    ],
)
def test_what_is_not_a_changed_condition_is_not_recorded(old: str, new: str) -> None:
    assert min(numbers(recorded(edit(old, new)))) >= MOST_CHANGED


def test_later_edits_are_found_after_earlier_ones() -> None:
    data = recorded(
        edit("int i;", "int i, k = 0;\n    (void)k;"), edit("i == 7", "i == 8"), edit("argc > 1", "argc > 0")
    )
    assert "grader_saw(0, !!(i == 8))" in data
    assert "grader_saw(1, !!(argc > 0))" in data


def test_the_copy_marks_each_value_once_and_does_what_the_source_does(tmp_path: Path) -> None:
    data = with_recorder(PROGRAM.encode(), [edit("argc < 2", "argc < 3"), edit("i == 7", "i == 9")])
    assert data is not None
    (tmp_path / "copy.c").write_bytes(data)
    compiler = ("gcc", "-std=c90", "-Wall", "-Werror", "-O2")
    subprocess.run((*compiler, "copy.c", "-o", "copy"), cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "copy", "a"], capture_output=True, check=False, timeout=10)
    seen = values_seen(done.stderr)
    assert {(place, value) for place, value in seen if place < MOST_CHANGED} == {(0, True), (1, False)}
    assert done.stderr.count(b"\1") == 2 * len(seen)
    assert (done.stdout, without_marks(done.stderr)) == (b"", b"message")


def test_other_conditions_have_the_same_numbers_whatever_is_changed() -> None:
    before = recorded()
    assert numbers(before) == [MOST_CHANGED + number for number in range(4)]
    places = {"i < 3": 1, "i == 7": 2, "argc > 1": 3}
    after = recorded(edit("argc < 2", "argc < 12"), edit("int i;", "int i = 0;"))
    for data in (before, after):
        for condition, number in places.items():
            assert re.search(rf"grader_saw\({MOST_CHANGED + number}, !!\( ?{re.escape(condition)}\)\)", data)
    removed = recorded(edit('        if (i == 7) { puts("(;)"); }\n', ";"))
    assert numbers(removed) == [MOST_CHANGED + number for number in (0, 1, 3)]
    assert recorded(edit("int i;", "long int i;")).replace("long ", "") == before


def test_a_loop_may_be_left_in_another_way(tmp_path: Path) -> None:
    source = b"int main(void) { int i = 0; while (i < 9) { if (i < 0) break; i++; if (i == 7) return 0; } return 1; }"
    data = with_recorder(source)
    assert data is not None
    (tmp_path / "copy.c").write_bytes(data)
    compiler = ("gcc", "-w", "copy.c", "-o", "copy")
    subprocess.run(compiler, cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "copy"], capture_output=True, check=True, timeout=10)
    loop, never, once = range(MOST_CHANGED, MOST_CHANGED + 3)
    expected = {(loop, True), (loop, False), (never, False), (once, True), (once, False)}
    assert values_seen(done.stderr) == expected


def test_a_value_is_marked_once_however_often_it_is_seen(tmp_path: Path) -> None:
    data = with_recorder(b"int main(void) { for (long i = 0; i < 1000000; i++) { if (i < 0) return 1; } return 0; }")
    assert data is not None
    (tmp_path / "copy.c").write_bytes(data)
    compiler = ("gcc", "-w", "copy.c", "-o", "copy")
    subprocess.run(compiler, cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "copy"], capture_output=True, check=True, timeout=10)
    assert done.stderr.count(b"\1") == 2 * len(values_seen(done.stderr)) == 6


def test_a_source_without_conditions_has_no_recorder() -> None:
    assert with_recorder(b"int main(void) { return 0; }") is None
