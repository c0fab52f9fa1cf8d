"""The lines that repeat a failure; tests/corpus/test_mutants.py runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.judge.difference import difference
from grader.judge.repeat import SHOWN_BYTES, TIMEOUT_S, TYPED_BYTES, ShownCalls, quoted, repeat_calls, repeat_case
from grader.lab.load import read_spec
from grader.model.evidence import Ending, Exited, LimitReached, Signalled
from grader.model.report import CaseResult, Difference, Stream
from grader.model.spec.cases import input_bytes
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.selfcheck.quick_lab import QUICK_BYTES, quick_form

SPEC = read_spec(resource("specs", "tr2.yaml"))
EXITED = Exited(kind="exited", code=0)
SIZE_BYTES = 4096
"""Size of the slice."""

CPU = LimitReached(kind="limit", limit="cpu")


def line(
    name: str,
    *,
    ending: Ending | None = EXITED,
    where: Difference | None = None,
    stdout: bytes = b"",
    spec: Spec = SPEC,
) -> str:
    case = spec.cases[name]
    result = CaseResult(
        case=name,
        operands=case.arguments,
        input=case.input,
        input_size_bytes=0,
        sink=case.sink,
        passed=False,
        problem="wrong",
        ending=ending,
        stderr=b"",
        stdout=stdout,
        difference=where,
    )
    return repeat_case(spec, "tr2b", result)


def test_a_short_input_is_typed() -> None:
    assert line("ff-last") == r"printf 'abc\n\377' | ./tr2b abc xyz | od -c"


def test_a_typed_input_that_begins_with_a_dash_is_no_option() -> None:
    letters = SPEC.inputs[SPEC.cases["ff-last"].input].model_copy(update={"data": b"-n%\n"})
    spec = SPEC.model_copy(update={"inputs": {**SPEC.inputs, SPEC.cases["ff-last"].input: letters}})
    feed = line("ff-last", spec=spec).partition(" | ")[0]
    for shell in ("/bin/bash", "/bin/sh"):
        assert subprocess.run([shell, "-c", feed], capture_output=True, check=True, timeout=20).stdout == b"-n%\n"


@pytest.mark.parametrize(("size", "typed"), [(TYPED_BYTES, True), (TYPED_BYTES + 1, False)])
def test_a_longer_one_is_not_typed(size: int, *, typed: bool) -> None:
    name = SPEC.cases["ff-last"].input
    longer = SPEC.inputs[name].model_copy(update={"data": b"x" * size})
    spec = SPEC.model_copy(update={"inputs": {**SPEC.inputs, name: longer}})
    assert line("ff-last", spec=spec).startswith("printf 'x" if typed else f"grader input --lab tr2 {name} | ")


def test_an_empty_one_is_dev_null() -> None:
    assert line("empty-input") == "./tr2b ab cd </dev/null | od -c"


def test_a_long_one_that_repeats_is_made_by_standard_tools() -> None:
    made = "yes -- 'a block that gets lost leaves a gap; abc cba' | head -c 10007 | ./tr2b abc xyz | "
    assert line("several-blocks").startswith(made)


@pytest.mark.parametrize(
    ("data", "made"),
    [
        (b"ab\n", "yes -- ab | head -c 1000"),
        (b"\1\n", "yes -- $'\\001' | head -c 1000"),
        (b"ab", "yes -- ab | tr -d '\\n' | head -c 1000"),
        (b"a\nb", None),  # `yes` ends each word with a newline
        (b"a\nb\n", None),
        (b"a\0b\n", None),  # no word holds a zero byte
        (b"x" * TYPED_BYTES, f"yes -- {'x' * TYPED_BYTES} | tr -d '\\n' | head -c 1000"),
        (b"x" * (TYPED_BYTES + 1), None),
    ],
)
def test_a_pattern_is_made_by_standard_tools_if_they_can(data: bytes, made: str | None) -> None:
    name = SPEC.cases["several-blocks"].input
    pattern = SPEC.inputs[name].model_copy(update={"data": data, "size_bytes": 1000})
    spec = SPEC.model_copy(update={"inputs": {**SPEC.inputs, name: pattern}})
    feed = line("several-blocks", spec=spec).partition(" | ./tr2b")[0]
    assert feed == (made or f"grader input --lab tr2 {name}")
    if made:
        shown = subprocess.run(["/bin/bash", "-c", feed], capture_output=True, check=False, timeout=20).stdout
        assert shown == input_bytes(pattern)


def test_any_other_long_one_comes_from_the_grader() -> None:
    assert line("every-byte-but-ff").startswith("grader input --lab tr2 every-byte-but-ff | ./tr2b abc xyz | ")


@pytest.mark.parametrize("case", ["several-blocks", "pattern-5m", "every-byte-but-ff"])
def test_a_line_makes_the_very_bytes(case: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "grader").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m grader \"$@\"\n")
    (tmp_path / "grader").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    feed = line(case).partition(" | ./tr2b")[0]
    made = subprocess.run(["/bin/bash", "-c", feed], capture_output=True, check=False, timeout=600)
    assert made.stdout == input_bytes(SPEC.inputs[SPEC.cases[case].input])


def test_of_a_cut_input_the_line_makes_only_the_beginning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quick = quick_form(SPEC)
    feed = line("random-5m", spec=quick).partition(" | ./tr2b")[0]
    assert feed == f"grader input --lab tr2 random-5m | head -c {QUICK_BYTES}"
    (tmp_path / "grader").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m grader \"$@\"\n")
    (tmp_path / "grader").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    made = subprocess.run(["/bin/bash", "-c", feed], capture_output=True, check=True, timeout=600)
    assert (made.stdout, made.stderr) == (input_bytes(quick.inputs["random-5m"]), b"")
    assert line("every-byte-but-ff", spec=quick) == line("every-byte-but-ff")


def test_short_reads_are_made_by_a_pause() -> None:
    assert line("pipe-short-reads").startswith("{ printf 'abcab'; sleep 0.2; printf 'c xyz,")


def test_a_long_output_is_shown_around_the_difference() -> None:
    right = bytes(1000)
    assert line("several-blocks", where=difference(right, bytes(700) + b"x" + bytes(299), right)).endswith(
        "| od -A d -c -j 692 -N 32"
    )
    assert line("several-blocks", where=difference(right, b"x" + right[1:], right)).endswith("-j 0 -N 32")
    assert line("several-blocks", where=difference(right, right[:700], right)).endswith("| wc -c")
    assert line("several-blocks", where=difference(right, right + b"\n", right)).endswith("| wc -c")


@pytest.mark.parametrize(("size", "whole"), [(SHOWN_BYTES, True), (SHOWN_BYTES + 1, False)])
def test_a_short_output_is_shown_whole(size: int, *, whole: bool) -> None:
    right = bytes(size)
    assert line("several-blocks", where=difference(right, b"x" + right[1:], right)).endswith("| od -c") is whole


@pytest.mark.parametrize(("ending", "limit_s"), [(CPU, SPEC.limits.small.cpu_s), (None, TIMEOUT_S)])
def test_what_does_not_end_is_stopped(ending: Ending | None, limit_s: int) -> None:
    assert line("both-empty", ending=ending).endswith(
        f"timeout {limit_s} ./tr2b '' '' >/dev/null; echo \"exit status $?\""
    )


def test_a_crash_shows_in_the_exit_status() -> None:
    crash = Signalled(kind="signalled", signal=11)
    assert line("no-operand", ending=crash).endswith('./tr2b >/dev/null; echo "exit status $?"')


def test_a_refusal_shows_its_message_and_exit_status_or_what_it_should_not_have_written(tmp_path: Path) -> None:
    assert line("one-operand").endswith('./tr2b abc; echo "exit status $?"')
    shown = line("one-operand", stdout=b"usage")
    assert shown.endswith(' | ./tr2b abc >out; echo "exit status $?"; od -c out')
    run = shown.replace("./tr2b abc", "sh -c 'echo no >&2; echo usage; exit 7'")
    done = subprocess.run(
        ["/bin/bash", "-c", run], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stderr == "no\n"
    assert done.stdout.splitlines()[0] == "exit status 7"
    assert "u   s   a   g   e" in done.stdout


def test_calls_of_a_program_without_input_need_no_file() -> None:
    without = SPEC.cases["slice"].model_copy(update={"input": SPEC.cases["empty-input"].input})
    spec = SPEC.model_copy(update={"cases": {**SPEC.cases, "slice": without}})
    (only,) = repeat_calls(spec, "tr2u", "slice").splitlines()
    assert only.endswith(" </dev/null >/dev/null")


def test_calls_are_shown_on_a_file() -> None:
    first, second = repeat_calls(SPEC, "tr2u", "slice").splitlines()
    assert first == "yes -- 'one call for each byte, or one for thousands?' | head -c 4096 >slice-4k"
    assert second.startswith("timeout 5 strace -e trace=read,write ./tr2u abc")
    assert second.endswith(" <slice-4k >/dev/null")
    last = repeat_calls(SPEC, "tr2u", "terminal-slice").splitlines()[-1]
    assert last.startswith("timeout 5 strace -e trace=write ./tr2u ")
    assert last.endswith(" <slice-4k")


@pytest.mark.parametrize(("streams", "traced"), [({"stdin"}, "read"), ({"stdout"}, "write")])
def test_only_calls_on_the_stream_in_question_are_shown(streams: set[Stream], traced: str) -> None:
    assert f"strace -e trace={traced} " in repeat_calls(SPEC, "tr2u", "slice", ShownCalls(streams))


def test_calls_like_read_are_traced_where_they_are_what_is_wrong() -> None:
    shown = repeat_calls(SPEC, "tr2u", "slice", ShownCalls({"stdin"}, is_related=True))
    assert "strace -e trace=read,pread64,readv,preadv " in shown


def test_calls_at_full_size_are_counted_or_only_the_wrong_ones_are_shown() -> None:
    limit_s = SPEC.limits.full.cpu_s
    last = repeat_calls(SPEC, "tr2b", "pattern-5m").splitlines()[-1]
    assert last.startswith(f"timeout {limit_s} strace -f -c -e trace=read,write ./tr2b abc")
    last = repeat_calls(SPEC, "tr2b", "pattern-5m", ShownCalls(also=("splice",))).splitlines()[-1]
    assert " strace -f -c -e trace=read,write,splice ./tr2b abc" in last
    last = repeat_calls(SPEC, "tr2u", "pattern-5m", ShownCalls({"stdin"}, right_nbyte=1)).splitlines()[-1]
    assert last.endswith(" <pattern-5m 2>&1 >/dev/null | grep -v ', 1) ' | head -n 20")


def test_the_kernel_s_totals_show_calls_without_a_tracer(tmp_path: Path) -> None:
    feed, last = repeat_calls(SPEC, "tr2u", "slice", ShownCalls(is_untraced=True)).splitlines()
    begin, _, end = last.partition("./tr2u")
    lines = f"{feed}\n{begin}dd bs=1 status=none{end[end.index(' <') :]}"
    done = subprocess.run(
        ["/bin/bash", "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=20
    )
    totals = dict(line.split(": ") for line in done.stdout.splitlines())
    assert SIZE_BYTES <= int(totals["syscw"]) < SIZE_BYTES + 100
    assert SIZE_BYTES < int(totals["syscr"]) < SIZE_BYTES + 200


@pytest.mark.parametrize("program", SPEC.programs)
@pytest.mark.parametrize("name", ["slice", "terminal-slice"])
def test_calls_that_do_not_end_are_stopped_like_any_other_program(name: str, program: str) -> None:
    last = repeat_calls(SPEC, program, name).splitlines()[-1]
    assert last.startswith(f"timeout {TIMEOUT_S} strace ")


@pytest.mark.parametrize("name", SPEC.cases)
def test_bash_takes_the_words_for_the_very_bytes(name: str) -> None:
    words = [quoted(operand) for operand in SPEC.cases[name].arguments]
    shown = subprocess.run(
        ["/bin/bash", "-c", f"printf '%s|' {' '.join(words)}"], capture_output=True, check=True, timeout=20
    ).stdout
    assert shown == b"".join(operand + b"|" for operand in SPEC.cases[name].arguments) or not words


def test_a_long_line_can_be_pasted() -> None:
    made = line("longest-operands")
    assert len(made) < 200
    for numbers in ("{1..255}", "{2..255} 1"):
        assert f""" "$(printf "$(printf '\\\\%03o' {numbers})")" """ in made


@pytest.mark.parametrize(
    ("operand", "is_counted_out"),
    [
        (bytes(range(1, 256)), True),
        (bytes([*range(100, 0, -1), *range(128, 256)]), True),
        (bytes([*range(11, 256), *range(1, 11)]), False),
        (bytes(range(1, 200, 2)), False),
        (bytes(range(200, 220)), False),
    ],
)
def test_a_long_operand_is_counted_out_if_that_is_shorter_and_bash_keeps_it(
    operand: bytes, *, is_counted_out: bool
) -> None:
    word = quoted(operand)
    assert word.startswith('"$(printf') == is_counted_out
    shown = subprocess.run(["/bin/bash", "-c", f"printf %s {word}"], capture_output=True, check=True, timeout=20)
    assert shown.stdout == operand


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/sh"])
@pytest.mark.parametrize("name", ["letters", "literal-operands", "nul", "ff-inside", "no-final-newline"])
def test_a_typed_input_is_the_very_input(shell: str, name: str) -> None:
    case = next(case for case, declared in SPEC.cases.items() if declared.input == name)
    feed = line(case).partition(" | ")[0]
    shown = subprocess.run([shell, "-c", feed], capture_output=True, check=True, timeout=20).stdout
    assert shown == input_bytes(SPEC.inputs[name])
