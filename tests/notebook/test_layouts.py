"""Notebooks in layouts that students use: which run each table and time is of, and nothing beyond it."""

from __future__ import annotations

import time

import pytest

from grader.lab.find import load_lab
from grader.model.notebook import CallTable, Notebook, TimeFigure
from grader.model.spec.lab import Spec
from grader.notebook.reader import read_notebook
from tests.notebook.compose import capture

TR2B = str(capture(kind="table", form="-c", program="tr2b", input="plain.in", sink="file")["text"])
TR2U = str(capture(kind="table", form="-c", program="tr2u", input="plain.in", sink="file")["text"])
TO_FILE, TO_TERMINAL = "a b < in > out", "a b < in"
SLOW = "real\t0m3.500s\nuser\t0m0.500s\nsys\t0m2.900s"
FAST = "real\t0m0.050s\nuser\t0m0.040s\nsys\t0m0.010s"
MOST_SECONDS = 20
"""Far more than a bounded search takes, and far less than one that grows with the square of a line."""


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


def read(text: str, spec: Spec) -> Notebook:
    return read_notebook(text.encode(), spec)


def runs(notebook: Notebook) -> list[tuple[str | None, str | None]]:
    """Return the program of each table and time, and where its output went."""
    items: list[CallTable | TimeFigure] = [*notebook.tables, *notebook.times]
    return [(item.program, item.sink) for item in items]


def kinds(notebook: Notebook) -> set[str]:
    return {finding.kind for finding in notebook.findings}


UNKNOWN = (None, None)
COMMANDS = [
    "$ strcae -r\b\x1b[K\b\x1b[K\b\x1b[K\b\x1b[K\b\x1b[K\b\x1b[Kace -c ./tr2b a b < in > out",
    "$ strace -c \\\n>   ./tr2b a b \\\n>   < in > out",
    "$ stdbuf -i 0 -oL strace -c ./tr2b a b < in > out",
    "# taskset -c 0 timeout -k 5 100 strace -c ./tr2b a b < in > out",
    "$ env -i LC_ALL=C strace -c -- ./tr2b a b < in > out",
    "C:\\Users\\kim\\lab>wsl strace -c ./tr2b a b < in > out",
    "  501  strace -c ./tr2b a b < in > out",
    "[23] strace -c ./tr2b a b < in > out",
    "1) $ strace -c ./tr2b a b < in > out ::\n",
    "In [3]: !strace -c ./tr2b a b < in > out",
    "Command: `strace -c ./tr2b a b < in > out`",
    "$ echo 'aabb' | strace -c ./tr2b a b > out",
    "$ strace -c ./tr2b a b &lt; in &gt; out",
    "$ for i in 1 2 3; do strace -c ./tr2b a b < in > out; done",
    "I ran `strace -c ./tr2b a b < in > out` and got this:\n",
    'Next I typed "strace -c ./tr2b a b < in > out", which printed\n\n```',
    "Now the command strace -c ./tr2b a b < in > out:",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_line_in_any_surroundings(line: str, spec: Spec) -> None:
    assert runs(read(f"{line}\n{TR2B}\n", spec)) == [("tr2b", "file")]


def test_perf_and_hyperfine_measure_time(spec: Spec) -> None:
    text = (
        "$ perf stat ./tr2u a b < in > out\n\n Performance counter stats for './tr2u a b':\n\n"
        "          3,726.11 msec task-clock      #    0.998 CPUs utilized\n"
        "                50      page-faults     #    1.503 K/sec\n\n"
        "       3.728093430 seconds time elapsed\n\n"
        "       0.612000000 seconds user\n       3.112932000 seconds sys\n\n"
        "$ hyperfine './tr2b a b < in > out'\nBenchmark 1: ./tr2b a b < in > out\n"
        "  Time (mean \u00b1 \u03c3):      38.6 ms \u00b1   1.1 ms    [User: 33.7 ms, System: 4.7 ms]\n"
        "  Range (min \u2026 max):    37.1 ms \u2026  43.7 ms    71 runs\n\nSummary\n  ./tr2b a b < in > out ran\n"
        "  101.35 \u00b1 3.11 times faster than ./tr2u a b < in > out\n"
    )
    notebook = read(text, spec)
    assert runs(notebook) == [("tr2u", "file"), ("tr2b", "file")]
    seconds = [(one.form, one.real_s, one.user_s, one.sys_s) for one in notebook.times]
    assert seconds == [("perf", 3.728093, 0.612, 3.112932), ("hyperfine", 0.0386, 0.0337, 0.0047)]
    assert kinds(notebook) == {"time-ratio"}


def test_a_table_of_ltrace_is_not_one_of_system_calls(spec: Spec) -> None:
    text = (
        "% time     seconds  usecs/call     calls      function\n"
        "------ ----------- ----------- --------- --------------------\n"
        " 50.55    2.345678          46     50001 getchar\n 49.42    2.293333          45     50000 putchar\n"
        "------ ----------- ----------- --------- --------------------\n"
        "100.00    4.640122                100001 total\n"
    )
    assert runs(read(f"$ ltrace -c ./tr2b {TO_FILE}\n{text}", spec)) == []
    assert runs(read(f"{text}$ strace -c ./tr2b {TO_FILE}\n{TR2B}", spec)) == [("tr2b", "file")]


def test_columns_whose_heading_looks_like_a_prompt(spec: Spec) -> None:
    text = "    calls % time syscall\n--------- ------ --------\n     1221  56.31 write\n     1223  43.69 read\n"
    notebook = read(f"$ strace -c -U calls,time,name ./tr2b {TO_FILE}\n{text}", spec)
    assert runs(notebook) == [("tr2b", "file")]
    assert len(notebook.commands) == 1


def test_two_tables_next_to_each_other(spec: Spec) -> None:
    left, right = TR2B.split("\n"), TR2U.split("\n")
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    notebook = read("\n".join(f"{a:<72}{b}" for a, b in zip(left, right, strict=True)) + "\nThe end.\n", spec)
    assert runs(notebook) == [UNKNOWN, UNKNOWN]
    alone = [read(text, spec).tables[0].total for text in (TR2B, TR2U)]
    calls = [table.total.calls if table.total is not None else 0 for table in notebook.tables]
    assert calls == [total.calls if total is not None else None for total in alone]
    assert kinds(notebook) == {"totals-agree"}


def test_rows_that_are_left_out_make_no_wrong_total(spec: Spec) -> None:
    rows = TR2U.split("\n")
    notebook = read("\n".join([f"$ strace -c ./tr2u {TO_FILE}", *rows[:5], "...", *rows[-4:]]), spec)
    (table,) = notebook.tables
    assert (table.complete, table.undetermined["rows"]) == (False, "some are left out")
    assert "total-differs" not in kinds(notebook)


def test_times_of_a_loop(spec: Spec) -> None:
    times = f"{FAST}\n\n{FAST}\n\n{FAST}\n\n"
    loop = f"$ for i in 1 2 3\n> do\n>   time ./tr2b {TO_FILE}\n> done\n"
    assert runs(read(loop + times, spec)) == [("tr2b", "file")] * 3
    assert runs(read(f"$ repeat 3 time ./tr2b {TO_FILE}\n{times}", spec)) == [("tr2b", "file")] * 3
    # Without a loop, the text does not show what the others are of.
    assert runs(read(f"$ time ./tr2b {TO_FILE}\n{times}", spec)) == [("tr2b", "file"), UNKNOWN, UNKNOWN]


def test_a_program_named_by_a_variable(spec: Spec) -> None:
    text = f"$ time ./tr2b {TO_FILE}\n{FAST}\n$ for p in tr2b tr2u; do time ./$p {TO_FILE}; done\n{FAST}\n\n{SLOW}\n"
    notebook = read(text, spec)
    assert runs(notebook) == [("tr2b", "file"), (None, "file"), (None, "file")]
    assert notebook.times[1].undetermined["program"] == "it is the value of a variable"


def test_logs_shown_in_another_order(spec: Spec) -> None:
    text = (
        f"$ strace -c ./tr2b {TO_FILE} 2> b.txt\n$ strace -c -o u.txt ./tr2u {TO_TERMINAL}\n"
        f"$ more u.txt b.txt\n::::\nu.txt\n::::\n{TR2U}\n::::\nb.txt\n::::\n{TR2B}\n"
    )
    assert runs(read(text, spec)) == [("tr2u", "terminal"), ("tr2b", "file")]


def test_a_log_that_is_counted_is_not_shown(spec: Spec) -> None:
    text = (
        f"$ strace -o b.log ./tr2b {TO_FILE}\n$ strace -o u.log ./tr2u {TO_FILE}\n$ cat u.log | grep write | wc -l\n"
        "5000000\n$ grep -c read b.log u.log\nb.log:1223\nu.log:5000002\n$ tail -2 b.log\n"
        'read(0, "", 4096)                       = 0\nexit_group(0)                           = ?\n'
    )
    notebook = read(text, spec)
    assert [log.program for log in notebook.logs] == ["tr2b"]
    counts = [(count.program, count.pattern, count.count) for count in notebook.line_counts]
    assert counts == [("tr2u", "write", 5_000_000), ("tr2b", "read", 1223), ("tr2u", "read", 5_000_002)]


def test_command_lines_that_were_typed_ahead(spec: Spec) -> None:
    above = f"$ strace -c ./tr2u {TO_FILE}\n"
    notebook = read(f"{above}strace -c ./tr2b {TO_TERMINAL}\n{TR2U}\n", spec)
    assert runs(notebook) == [UNKNOWN]
    assert "typed" in notebook.tables[0].undetermined["program"]
    # With a prompt, the one above printed nothing that is in the notebook.
    assert runs(read(f"{above}$ strace -c ./tr2b {TO_TERMINAL}\n{TR2B}\n", spec)) == [("tr2b", "terminal")]


def test_text_that_announces_another_run(spec: Spec) -> None:
    text = f"$ strace -c ./tr2b {TO_FILE}\n{TR2B}\n$ strace -c ./tr2u {TO_FILE}\nI left out the table.\n"
    notebook = read(f"{text}Now to the terminal:\n{TR2B}\n", spec)
    assert runs(notebook) == [("tr2b", "file"), UNKNOWN]
    assert runs(read(f"{text}This is it, with nothing on the terminal.\n{TR2U}\n", spec))[1] == ("tr2u", "file")


def test_strace_of_the_program_time(spec: Spec) -> None:
    notebook = read(f"$ strace -c time ./tr2u {TO_FILE}\n{TR2U}\n{SLOW}\n", spec)
    assert runs(notebook) == [(None, "file"), ("tr2u", "file")]
    assert runs(read(f"$ time strace -c ./tr2u {TO_FILE}\n{TR2U}\n{SLOW}\n", spec)) == [("tr2u", "file")] * 2
    assert notebook.n_bytes is None


@pytest.mark.parametrize("mark", ["^C", "^Cstrace: Process 4711 detached", "Terminated"])
def test_nothing_follows_from_an_interrupted_run(mark: str, spec: Spec) -> None:
    notebook = read(f"$ strace -c ./tr2u {TO_FILE}\n{mark}\n{TR2U}\n", spec)
    assert notebook.n_bytes is None
    assert "interrupted" in kinds(notebook)
    assert not {"input-size", "input-too-small"} & kinds(notebook)
    again = read(f"$ strace -c ./tr2u {TO_FILE}\n{mark}\n{TR2U}\n$ strace -c ./tr2u {TO_FILE}\n{TR2U}\n", spec)
    assert again.n_bytes is not None


def test_sentences_that_do_not_introduce_a_table(spec: Spec) -> None:
    one, other = f"`strace -c ./tr2b {TO_FILE}`", f"`strace -c ./tr2u {TO_FILE}`"
    for text in (
        f"I compared {one} and {other}.\n\n{TR2B}\n",
        # The sentences may be below their tables.
        f"{TR2B}\n\nThat was {one}.\n\n{TR2U}\n\nThat was {other}.\n",
        f"{TR2B}\nFigure 1: {one}\n\n{TR2U}\nFigure 2: {other}\n",
        f"With {one} there are few calls. Now the other one.\n\n{TR2U}\n",
        f"I thought about {one} for a long time.\n\nThen I went home.\n\n{TR2B}\n",
    ):
        assert {*runs(read(text, spec))} == {UNKNOWN}, text
    # What was quoted may be less than what was typed.
    assert runs(read(f"Then `strace -c ./tr2b` gave this:\n\n{TR2B}\n", spec)) == [("tr2b", None)]


def test_a_sentence_with_a_command_is_still_text_of_the_student(spec: Spec) -> None:
    sentence = "I copied the file with {} to see how many calls there are:\n\n"
    with_command = read(sentence.format(f"`strace -c ./tr2b {TO_FILE}`") + TR2B, spec)
    assert with_command.prose_lines == read(sentence.format("the program") + TR2B, spec).prose_lines == 1


def test_a_time_on_one_line_is_that_of_the_program_named_there(spec: Spec) -> None:
    text = "tr2u file 5000002 5000000 10000030\n\ntr2b: real = 0.05s, user = 0.04s, sys = 0.01s\n"
    assert [one.program for one in read(text, spec).times] == ["tr2b"]
    # A row of numbers is not a heading.
    assert runs(read(f"tr2u file 5000002 5000000 10000030\n\n{TR2B}\n", spec)) == [UNKNOWN]


@pytest.mark.slow
def test_long_lines_take_limited_time(spec: Spec) -> None:
    began = time.process_time()
    read("$ strace -c \\\n" * 40_000, spec)
    for line in ("> " * 1900 + "real 0m1.0s", "$ " + "A=b " * 980 + "./tr2b", "$ " + "sudo " * 780):
        read(f"{line}\n" * 400, spec)
    assert time.process_time() - began < MOST_SECONDS
