"""What follows from the numbers: each finding with its arithmetic, and none that the text does not support."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.lab.find import load_lab
from grader.model.notebook import Notebook
from grader.model.report import Report, SyscallTable
from grader.model.spec.lab import Spec
from grader.notebook.comparison import compared
from grader.notebook.reader import read_notebook
from grader.notebook.shared_tables import shared_tables
from tests.notebook.make_fixtures import FIXTURES

N = 5_000_000
B = 8192
LOADER = 1
DASHES = "------ ----------- ----------- --------- --------- ----------------\n"
HEADING = f"% time     seconds  usecs/call     calls    errors syscall\n{DASHES}"


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


def buffers(size: int, buffer: int) -> int:
    return -(-size // buffer)


def table(reads: int, writes: int, *, total: int | None = None, seconds: float = 0.25) -> str:
    rows = [(seconds, writes, "write"), (seconds / 2, reads, "read"), (0.000012, 1, "execve"), (0.000011, 9, "mmap")]
    body = "".join(f" 25.00 {s:11.6f} {0:11d} {calls:9d} {'':9s} {name}\n" for s, calls, name in rows)
    total = total if total is not None else reads + writes + 10
    return f"{HEADING}{body}{DASHES}100.00 {1.5:11.6f} {total:21d} {'':9s} total\n"


def command(program: str, sink: str = "> out", data: str = "in") -> str:
    return f"$ strace -c ./{program} abc xyz < {data} {sink}\n"


def batched(size: int = N, buffer: int = B, **options: int) -> str:
    return table(buffers(size, buffer) + 1 + LOADER, options.pop("writes", buffers(size, buffer)), **options)


def exact(size: int = N) -> str:
    return table(size + 1 + LOADER, size)


def read(text: str, spec: Spec) -> Notebook:
    return read_notebook(text.encode(), spec)


def kinds(notebook: Notebook) -> set[str]:
    return {finding.kind for finding in notebook.findings}


def message(notebook: Notebook, kind: str) -> str:
    (found,) = [finding for finding in notebook.findings if finding.kind == kind]
    return found.message


def test_sizes_of_input_and_buffer_with_their_arithmetic(spec: Spec) -> None:
    notebook = read(command("tr2b") + batched() + command("tr2u") + exact(), spec)
    assert (notebook.n_bytes, notebook.buffer_bytes) == (N, B)
    assert f"{N:,} / {B:,}" in message(notebook, "buffer-size")
    assert f"{buffers(N, B):,}" in message(notebook, "buffer-size")
    assert f"{N + 1 + LOADER:,} reads" in message(notebook, "input-size")
    assert "totals-agree" in kinds(notebook)
    assert {finding.weight for finding in notebook.findings} == {"fact"}


@pytest.mark.parametrize("buffer", [1024, 4096, 8192, 65536, 131072])
def test_each_size_of_a_buffer(buffer: int, spec: Spec) -> None:
    notebook = read(command("tr2b") + batched(buffer=buffer) + command("tr2u") + exact(), spec)
    assert notebook.buffer_bytes == buffer


def test_a_buffer_is_not_claimed_if_none_explains_the_calls(spec: Spec) -> None:
    notebook = read(command("tr2b") + table(7002, 7000) + command("tr2u") + exact(), spec)
    assert notebook.buffer_bytes is None
    assert "buffer-unknown" in kinds(notebook)


def test_without_a_size_nothing_is_said_about_the_buffer(spec: Spec) -> None:
    notebook = read(command("tr2b") + batched(), spec)
    assert (notebook.n_bytes, notebook.buffer_bytes) == (None, None)
    assert kinds(notebook) == {"totals-agree"}


def test_an_input_that_is_too_small(spec: Spec) -> None:
    notebook = read(command("tr2u") + exact(500_001), spec)
    assert f"{N - 500_001:,}" in message(notebook, "input-too-small")
    assert "input-too-small" not in kinds(read(command("tr2u") + exact(N), spec))


def test_a_total_that_is_not_the_sum(spec: Spec) -> None:
    right = buffers(N, B) * 2 + 1 + LOADER + 10
    notebook = read(command("tr2b") + batched(total=right + 3), spec)
    assert f"{right:,}" in message(notebook, "total-differs")
    assert f"{right + 3:,}" in message(notebook, "total-differs")


@pytest.mark.parametrize(
    ("writes", "kind"),
    [
        (buffers(N, 1024), "terminal-line-buffered"),
        (19_855, "terminal-line-buffered"),
        (buffers(N, B), "terminal-not-line-buffered"),
        (3000, "terminal-not-line-buffered"),
    ],
)
def test_writes_to_a_terminal(writes: int, kind: str, spec: Spec) -> None:
    text = command("tr2u", "") + exact() + command("tr2b", "") + batched(writes=writes)
    assert f"{buffers(N, 1024):,}" in message(read(text, spec), kind)


def test_random_bytes_have_a_newline_in_256(spec: Spec) -> None:
    text = command("tr2u", "") + exact() + command("tr2b", "") + batched(writes=19_855)
    assert "256" in message(read(text, spec), "terminal-line-buffered")
    text = command("tr2u", "") + exact() + command("tr2b", "") + batched(writes=100_000)
    assert "256" not in message(read(text, spec), "terminal-line-buffered")


@pytest.mark.parametrize("reads", [1, 2])
def test_a_program_that_stopped_early(reads: int, spec: Spec) -> None:
    text = "$ head -c 5000000 /dev/urandom > in\n" + command("tr2b") + table(reads, reads - 1)
    notebook = read(text, spec)
    assert "line 1" in message(notebook, "early-stop")
    (only,) = notebook.tables
    assert (only.n_bytes, only.buffer_bytes) == (None, None)


def test_an_input_that_was_replaced_is_not_called_random(spec: Spec) -> None:
    text = "$ head -c 5000000 /dev/urandom > in\n$ ./other > in\n" + command("tr2b") + table(2, 1)
    notebook = read(text, spec)
    assert "random" not in message(notebook, "early-stop")
    # Nothing says how large the new input is.
    assert {finding.weight for finding in notebook.findings} == {"fact", "notice"}
    assert "random" not in message(read(text + command("tr2u") + exact(), spec), "early-stop")


def test_a_short_input_is_not_an_early_stop(spec: Spec) -> None:
    text = "$ head -c 400 /dev/urandom > in\n" + command("tr2b") + table(2, 1)
    assert "early-stop" not in kinds(read(text, spec))


def test_equal_tables_in_a_notebook(spec: Spec) -> None:
    text = command("tr2b") + batched() + command("tr2b", "") + batched()
    assert "same-table-twice" in kinds(read(text, spec))
    other = command("tr2b") + batched() + command("tr2b", "") + table(buffers(N, B) + 2, buffers(N, B), seconds=0.31)
    assert "same-table-twice" not in kinds(read(other, spec))


TIMES = "$ time ./tr2b a b < in > out\nreal\t0m0.250s\nuser\t0m0.200s\nsys\t0m0.010s\n"
SLOW = "$ time ./tr2u a b < in > out\nreal\t0m5.000s\nuser\t0m0.500s\nsys\t0m4.400s\n"


def test_the_ratio_of_the_times(spec: Spec) -> None:
    assert message(read(TIMES + SLOW, spec), "time-ratio").endswith("= 20.0.")
    assert "time-ratio" not in kinds(read(TIMES, spec))


def test_more_cpu_than_wall_clock_time(spec: Spec) -> None:
    text = "$ time ./tr2b a b < in > out\nreal\t0m0.250s\nuser\t0m2.200s\nsys\t0m0.010s\n"
    assert "more-cpu-than-time" in kinds(read(text, spec))


@pytest.mark.parametrize(
    ("sentence", "contradicts"),
    [
        ("We have 5M write calls, which is expected.", True),
        ("I used a 5 MB file for all of this.", True),
        ("The file has 5,000,000 bytes of text.", True),
        ("The file has 500,001 bytes of text.", False),
        ("It should have been 5000000 bytes, I know.", False),
        ("stdio has a buffer of 4096 bytes and the terminal 1024 bytes.", False),
        ("There were 500003 read calls in it.", False),
        ("In 2023 we had 1000000 users of this system.", False),
    ],
)
def test_numbers_in_the_text(sentence: str, contradicts: bool, spec: Spec) -> None:  # noqa: FBT001 - expected
    notebook = read(command("tr2u") + exact(500_001) + f"\n{sentence}\n", spec)
    assert ("prose-contradicts-tables" in kinds(notebook)) == contradicts


@pytest.mark.parametrize(
    ("sentence", "contradicts"),
    [
        ("So tr2b made only 77 writes.", True),
        ("Here tr2b makes 2,442 read calls in all.", True),
        ("Here tr2b makes 611 writes and 613 reads.", False),
        ("Here tr2b makes about 600 writes in all.", False),
        ("In total tr2b makes 1224 system calls to reads and writes.", False),
        ("The log of tr2b shows 4321 writes on it.", False),
        ("Now tr2b needs 19244 writes more for the terminal.", False),
        ("With a smaller buffer tr2b would make 77 writes.", False),
        ("The loader of tr2b makes 2 reads more.", False),
        ("We saw 77 writes of another program here.", False),
        ("Each one of tr2b has 77 bytes per write.", False),
    ],
)
def test_numbers_of_calls_in_the_text(sentence: str, contradicts: bool, spec: Spec) -> None:  # noqa: FBT001 - expected
    tables = command("tr2b") + batched() + command("tr2b", "") + batched(writes=19_855)
    log = "$ strace -o log ./tr2b abc xyz < in > out\n$ grep -c write log\n4321\n"
    notebook = read(f"{tables}{log}\n{sentence}\n", spec)
    assert notebook.line_counts
    assert ("prose-contradicts-tables" in kinds(notebook)) == contradicts


@pytest.mark.parametrize(
    ("sentence", "contradicts"),
    [
        ("tr2b is twice as fast as tr2u in this test.", True),
        ("It is about 20 times faster than the other one.", False),
        ("So tr2u is 5 times slower than tr2b is.", True),
        ("A program could be twice as fast if it did less.", False),
        ("It is much faster than the other one is.", False),
    ],
)
def test_ratios_in_the_text(sentence: str, contradicts: bool, spec: Spec) -> None:  # noqa: FBT001 - expected
    notebook = read(TIMES + SLOW + f"\n{sentence}\n", spec)
    assert ("prose-contradicts-times" in kinds(notebook)) == contradicts


def test_without_tables_the_text_is_not_doubted(spec: Spec) -> None:
    assert kinds(read("I used a 5 MB file, and tr2b was twice as fast.\n", spec)) == set()


def test_coverage_of_the_statement(spec: Spec) -> None:
    notebook = read_notebook((FIXTURES / "complete.txt").read_bytes(), spec)
    met = {item.item: item.met for item in notebook.coverage}
    assert met == {
        "strace-tr2b-file": True,
        "strace-tr2u-file": True,
        "strace-tr2b-terminal": True,
        "strace-tr2u-terminal": True,
        "time-tr2b": True,
        "time-tr2u": True,
        "input-size": False,
        "conclusion": True,
        "ascii": True,
        "no-carriage-returns": True,
        "columns": True,
    }


def test_what_cannot_be_determined_is_not_called_missing(spec: Spec) -> None:
    met = {item.item: item.met for item in read_notebook((FIXTURES / "no-commands.txt").read_bytes(), spec).coverage}
    assert met["strace-tr2b-file"] is None
    assert met["time-tr2b"] is None
    assert {item.met for item in read("I forgot to measure.\n", spec).coverage if "-tr2" in item.item} == {False}


@pytest.mark.parametrize(
    ("text", "item"), [("naïve\n", "ascii"), ("one\r\ntwo\r\n", "no-carriage-returns"), ("x" * 201 + "\n", "columns")]
)
def test_rules_for_the_file(text: str, item: str, spec: Spec) -> None:
    assert [one.item for one in read(text, spec).coverage if one.met is False and one.item in RULES] == [item]


RULES = ("ascii", "no-carriage-returns", "columns")


def test_more_transcript_than_notes_is_mentioned(spec: Spec) -> None:
    text = (command("tr2b") + batched()) * 5
    assert "mostly-transcript" in kinds(read(text, spec))
    notes = "This is what I think about these numbers, and why.\n" * 10
    assert "mostly-transcript" not in kinds(read(text + notes, spec))


def test_tables_that_are_shared_digit_for_digit(spec: Spec) -> None:
    one = read(command("tr2b") + batched(), spec)
    same_calls = read(command("tr2b") + table(buffers(N, B) + 2, buffers(N, B), seconds=0.31), spec)
    copied = read("Mine:\n" + command("tr2b") + batched(), spec)
    assert shared_tables({"a": one, "b": same_calls, "c": copied}) == {"a": ("c",), "c": ("a",)}


REPORT: dict[str, Any] = {
    "grader_version": "1", "lab": "tr2", "lab_title": "", "spec_digest": "", "image_digest": None,
    "isolation": "none", "submission": {"name": "ada", "digest": ""}, "status": "graded", "reason": "", "score": 1,
    "max_score": 1, "checks": [], "syscalls": [], "timing": [], "builds": [], "reference": None, "toolchain": {},
}  # fmt: skip


def report(*runs: dict[str, object]) -> Report:
    tables = [SyscallTable.model_validate({"engine": "strace", "complete": True, "calls": {}} | run) for run in runs]
    return Report.model_validate(REPORT).model_copy(update={"syscalls": tuple(tables)})


def streams(reads: int, writes: int, moved: int, nbyte: int) -> dict[str, object]:
    return {
        "stdin": {"calls": reads, "bytes": N, "nbyte_min": nbyte, "nbyte_max": nbyte},
        "stdout": {"calls": writes, "bytes": moved, "nbyte_min": 1, "nbyte_max": nbyte},
    }


def of_report(text: str, spec: Spec, *runs: dict[str, object]) -> set[str]:
    return {finding.kind for finding in compared(read(text, spec), report(*runs), spec)}


RANDOM = "$ head -c 5000000 /dev/urandom > in\n"
BOTH = RANDOM + command("tr2u") + exact() + command("tr2b") + batched()


def test_a_block_size_of_another_file_system_is_possible(spec: Spec) -> None:
    run = {"program": "tr2b", "input": "pattern-5m", "sink": "file", **streams(1222, 1221, N, 4096)}
    assert of_report(BOTH, spec, run) == {"buffer-of-other-machine"}
    run |= streams(612, 611, N, B)
    assert of_report(BOTH, spec, run) == {"buffer-agrees"}
    run |= streams(5001, 5000, N, 1000)
    assert of_report(BOTH, spec, run) == {"not-these-programs"}


def test_a_program_that_stops_early_did_not_copy_random_bytes(spec: Spec) -> None:
    stops = {"program": "tr2b", "input": "random-5m", "sink": "file", **streams(1, 1, 200, B)}
    assert "not-these-programs" in of_report(BOTH, spec, stops)
    early = RANDOM + command("tr2b") + table(2, 1)
    assert "early-stop-confirmed" in of_report(early, spec, stops)
    copies = {"program": "tr2b", "input": "random-5m", "sink": "file", **streams(612, 611, N, B)}
    assert "early-stop-fixed" in of_report(early, spec, copies)


def test_a_program_that_writes_in_another_way(spec: Spec) -> None:
    run = {"program": "tr2u", "input": "pattern-5m", "sink": "file", **streams(612, 611, N, B)}
    assert "not-these-programs" in of_report(BOTH, spec, run)
    run |= streams(N + 1, N, N, 1)
    assert of_report(BOTH, spec, run) == set()
    text = command("tr2u", "") + exact() + command("tr2b", "") + batched(writes=buffers(N, 1024))
    byte_by_byte = {"program": "tr2b", "input": "pattern-5m", "sink": "terminal", **streams(612, N, N, B)}
    assert "not-these-programs" in of_report(text, spec, byte_by_byte)


def test_a_report_without_a_result_says_nothing(spec: Spec) -> None:
    nothing = Report.model_validate(REPORT | {"status": "not_graded", "score": None})
    assert compared(read(BOTH, spec), nothing, spec) == ()


def test_the_statements_numbers_are_the_specs(spec: Spec) -> None:
    assert spec.notebook is not None
    assert (spec.notebook.least_bytes, spec.notebook.columns) == (N, 200)
    assert spec.notebook.files == ("lab.txt", "report.txt")
    assert Path(spec.notebook.files[0]).suffix == ".txt"


def test_a_small_input_besides_a_large_one_is_not_missing(spec: Spec) -> None:
    both = command("tr2u") + exact() + command("tr2b") + batched()
    for other in ("$ strace -c ./tr2u abc xyz <<< hello > out\n", "$ strace -c ./tr2u abc xyz < small | cat\n"):
        notebook = read(both + other + exact(12), spec)
        assert "input-too-small" not in kinds(notebook)
        assert {item.item: item.met for item in notebook.coverage}["input-size"]
    # The copy to the terminal has to be of a large input, too.
    notebook = read(both + command("tr2u", "", "small") + exact(12), spec)
    assert "input-too-small" in kinds(notebook)
    (size,) = [item for item in notebook.coverage if item.item == "input-size"]
    assert (size.met, size.lines) == (False, (notebook.tables[-1].lines,))


def test_a_program_that_refused_its_operands(spec: Spec) -> None:
    text = command("tr2u") + exact() + command("tr2b") + "tr2b: lengths differ\n" + table(1, 1)
    notebook = read(text, spec)
    assert "operands" in message(notebook, "nothing-read")
    assert not {"early-stop", "buffer-unknown"} & kinds(notebook)


def test_the_table_of_another_program(spec: Spec) -> None:
    assert "no buffer" in message(read(command("tr2b") + exact(), spec), "no-buffer")
    assert "no-buffer" not in kinds(read(command("tr2b") + batched(), spec))


def test_writes_to_an_unknown_place(spec: Spec) -> None:
    text = "tr2u.c\n\n" + exact() + "\ntr2b.c\n\n" + batched(writes=buffers(N, 1024))
    notebook = read(text, spec)
    assert notebook.buffer_bytes == B
    assert "terminal" in message(notebook, "buffer-size")
    assert "terminal-line-buffered" not in kinds(notebook)


def test_output_of_dd_is_not_a_claim(spec: Spec) -> None:
    copied = f"{N} bytes (5.0 MB, 4.8 MiB) copied, 0.0401 s, 131 MB/s\n"
    made = f"$ dd if=/dev/zero of=in bs=1000 count=5000\n{copied}" + command("tr2u") + exact()
    assert "prose-contradicts-tables" not in kinds(read(made, spec))
    assert "prose-contradicts-tables" not in kinds(read(f"{made}The disk writes 131 MB/s here.\n", spec))
    assert "prose-contradicts-tables" in kinds(read(f"{made}The file has 131 MB in all.\n", spec))


def test_numbers_in_groups_of_digits(spec: Spec) -> None:
    tables = command("tr2b") + batched(buffer=4096) + command("tr2u") + exact()
    for number in ("1 221", "1'221", "1,221", "1221", "1\u202f221"):
        assert "prose-contradicts-tables" not in kinds(read(f"{tables}tr2b makes {number} write calls.\n", spec)), (
            number
        )
    assert "prose-contradicts-tables" in kinds(read(f"{tables}tr2b makes 221 write system calls.\n", spec))


def test_several_buffers_explain_a_small_input(spec: Spec) -> None:
    text = command("tr2b") + table(3, 1) + command("tr2u") + exact(3000)
    notebook = read(text, spec)
    assert notebook.buffer_bytes is None
    assert "buffer-unknown" not in kinds(notebook)


def test_each_buffer_is_compared(spec: Spec) -> None:
    text = BOTH + command("tr2b") + batched(buffer=4096)
    run = {"program": "tr2b", "input": "pattern-5m", "sink": "file", **streams(1222, 1221, N, 4096)}
    found = {one.kind: one for one in compared(read(text, spec), report(run), spec)}
    assert {*found} == {"buffer-of-other-machine", "buffer-agrees"}
    assert [len(one.lines) for one in found.values()] == [1, 1]


def test_a_program_that_reads_in_another_way(spec: Spec) -> None:
    run = {"program": "tr2u", "input": "pattern-5m", "sink": "file", **streams(1222, N, N, 4096)}
    assert of_report(BOTH, spec, run) == {"not-these-programs"}
    run |= streams(N + 1, N, N, 1)
    assert of_report(BOTH, spec, run) == set()
