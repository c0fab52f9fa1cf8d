"""What reads students' bytes in the grader's own process takes time in proportion to them.

A limit of processor time ends each call, so a test fails within seconds instead of running for hours. Regular
expressions look for signals while they search, and so does every loop in Python.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from types import FrameType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from grader.diagnose.behaviour.findings import (
    Mistake,
    mistake_in_report,
    of_line,
    place_of_mistake,
    sanitizer_mistakes,
    valgrind_mistakes,
    with_own_lines,
)
from grader.diagnose.behaviour.outputs import CopyRun, begins_copy, dropped_bytes, is_copy, output_symptoms
from grader.diagnose.behaviour.symptoms import with_symptoms
from grader.diagnose.source.edits import Edit
from grader.diagnose.source.related_lines import texts_of
from grader.explain.change_words import words_of
from grader.explain.passing_programs import may_misuse_memory, unfilled_table
from grader.explain.related_lines import with_late_checks, with_related_lines
from grader.explain.roles import roles
from grader.gradescope.results.results_json import NOTHING_KNOWN, results_of
from grader.guest.build import MESSAGES_BYTES
from grader.guest.c_calls import calls_in
from grader.guest.runs import STDERR_BYTES
from grader.intake.file_kinds import kind_problem
from grader.intake.names import is_left_behind, safe_name, shortened, shown
from grader.intake.oddities import included
from grader.judge.build import LINKER_FAILED, judge_build
from grader.judge.facts import Facts
from grader.judge.symbols import plain_name
from grader.judge.verdict import GradingEnvironment, judge
from grader.lab.find import load_lab
from grader.model.evidence import BuildDone, RunDone
from grader.model.gradebook import Entry, Origin
from grader.model.report import Report
from grader.model.submission import Source, Submission
from grader.model.visible import readable
from grader.notebook.reader import read_notebook
from grader.render.exports.junit import junit_xml
from grader.render.exports.report_json import report_json
from grader.render.html.pages import report_html
from grader.render.terminal.summary import summary
from grader.render.text.escape import first_sentences, one_line, shell_word, short_word, visible_text
from grader.render.text.gcc_messages import diagnostics
from grader.render.text.markdown import code_spans_html
from tests.unit.facts import CRASH, FAILURE, LAB, build, captured, facts, run

SPEC = load_lab("tr2")[0]

CPU_S = 1.0
"""Fifty times what the slowest call takes; a regular expression that is quadratic takes twice as long."""

REPORT_CPU_S = 5.0
"""For everything that a report needs."""

SIZE_BYTES = 30_000
LINE_BYTES = 4_000
"""The longest line of a notebook that is read."""

UNITS = (
    *"[](){}`'\"\\ \t\n1a0.,:;-<>|&$#%*/_=!?~\x1b\xe9\u276f",
    *("[a", "a]", "[]", "{[", "a ", "1 ", "- ", "$ ", "# ", "./", "a/", "A=", "A=1 ", "\\'", '\\"', "''", " <", "> "),
    *("a(", "a (", "f(a,", "argv[1]", "a[0]=", "#define a(", "if (", "/*", "//", "*/", "\n#line ", '\n#include "'),
    *("time ", "strace -", "do ", "for a; do ", "real ", "0m1.0s ", "1.00 ", "1,0", "read(0, ", '"a", [', "+++ "),
    *("a.c:1:2: error: ", "\na.c:1:2: warning: x [-W", "==1==", "\n    #0 0x1 in a ", "\n==1==    at 0x1: a (a.c:1)"),
)

BEGINNINGS = ("", "x ", "a[", "$ ", "time -", "I ran it as time -", "`strace -", "$ strace -c ", "==1==ERROR: ")
ENDS = ("", "\n", "x", "`", "]", '"', "<x", " " * 1000)


class TooSlowError(Exception):
    """A call has used up its processor time."""


@contextmanager
def cpu_limit(limit_s: float = CPU_S) -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, end)
    # An exception in a callback of the collector would be lost.
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def _copies(text: str) -> None:
    data = text.encode("utf-8")
    short = data[: len(data) // 2]
    for expected, actual in ((data, short), (short, data), (data, data[::-1])):
        if expected == actual:
            continue
        run = CopyRun((b"a", b"b"), data, expected, actual)
        output_symptoms(run)
        dropped_bytes(run)


MOST_PLACES = 500


class _Lines:
    """Stands for the search of a source that has everything in each line; the search has a process of its own."""

    def __init__(self, source: bytes) -> None:
        lines = min(source.count(b"\n") + 1, MOST_PLACES)
        self._places = [SimpleNamespace(lines=(line, line)) for line in range(1, lines + 1)]

    def lines(self, _report: Report, _program: str) -> dict[str, list[SimpleNamespace]]:
        return dict.fromkeys(roles(), self._places)


def _explained(text: str, source: bytes = b"int main;", messages: str = "", stderr: bytes = b"") -> Report:
    """Judge a program that writes a text wherever it can, and explain and show that."""
    data = text.encode("utf-8")
    said = captured(stderr[:STDERR_BYTES])
    runs: list[RunDone] = [
        run("many.copy", data, stderr=said),
        run("many.random", data[::-1], stderr=said),
        run("many.refuse", data, stderr=said),
        run("many.slice", b"", stderr=said, ending=CRASH),
    ]
    builds: dict[str, BuildDone] = {"single": build("single", FAILURE, messages)}
    seen = facts(*runs, builds=builds)
    submission = Submission("ada", dict.fromkeys(LAB.spec.programs, Source(source)))
    report = judge(Facts(seen.lab, submission, seen.evidence, seen.differences), GradingEnvironment("none", None))
    report = with_symptoms(report, seen.evidence, LAB)
    search = _Lines(source)
    report = with_related_lines(report, LAB, submission, search)  # type: ignore[arg-type]
    return with_late_checks(report, LAB.spec, search)  # type: ignore[arg-type]


def _shown(report: Report) -> None:
    report_html(report)
    report_json(report)
    junit_xml([Entry(name="ada", origin=Origin(path="ada", system="canvas"), report=report)])
    results_of(report, LAB.spec, NOTHING_KNOWN, execution_time_s=1.0)
    Console(file=StringIO()).print(summary(report))


NEGATIVE = Mistake("UndefinedBehaviorSanitizer", "memory", "a.c", 1, "uses the index -1", id="char-index")

READERS: dict[str, Callable[[str], object]] = {
    "of_line": lambda text: of_line(NEGATIVE, text),
    "sanitizers": lambda text: sanitizer_mistakes(text, {"a.c": 9}),
    "valgrind": lambda text: valgrind_mistakes(text, {"a.c": 9}),
    "mistake_in_report": mistake_in_report,
    "place_of_mistake": place_of_mistake,
    "with_own_lines": lambda text: with_own_lines(text.encode("utf-8")),
    "may_misuse_memory": lambda text: may_misuse_memory(text.encode("utf-8")),
    "unfilled_table": lambda text: unfilled_table(text.encode("utf-8")),
    "calls_in": lambda text: calls_in(text, ["read"]),
    "included": lambda text: included(text.encode("utf-8")),
    "texts_of": lambda text: texts_of(text.encode("utf-8")),
    "copies": _copies,
    "is_copy": lambda text: is_copy(text.encode("utf-8"), text.encode("utf-8")[::-1], [b"a"]),
    "begins_copy": lambda text: begins_copy(text.encode("utf-8"), text.encode("utf-8")[::-1], [b"a"]),
    "safe_name": safe_name,
    "names": lambda text: (readable(text), shortened(text), shown(text), is_left_behind(text)),
    "plain_name": plain_name,
    "diagnostics": diagnostics,
    "escapes": lambda text: (visible_text(text), one_line(text), first_sentences(text, 100)),
    "words": lambda text: (shell_word(text.encode("utf-8")), short_word(text.encode("utf-8"))),
    "words of changes": lambda text: words_of(text.encode("utf-8"), "name", [Edit(0, 1, "x")], []),
    "code_spans": code_spans_html,
    "kind_problem": lambda text: kind_problem("a.c", text.encode("utf-8")),
}

UNITS_OF_COMPILERS = (
    *(
        "error: expected ",
        "undefined reference to `a(",
        "multiple definition of `a(",
        "/bin/ld: a: ",
        "a.c:1: error: ",
    ),
    *("collect2: error: ld returned ", "note: 'a' is defined in header '<", "a.c:1:1: error: unknown type name 'a'"),
)
UNITS_OF_C = (
    '"\\"',
    '\\"',
    'puts("abcd");',
    'puts("abcd");\n',
    "int a(",
    "[ (a",
    "a\n",
    "'a'",
    "%0",
    "if (a(",
    "a = a;\n",
)


def repeated(number: int, unit: str, size_bytes: int) -> Iterator[str]:
    """Yield a text with every third beginning; `number` decides which of them, and which ends the texts have."""
    for place, begin in enumerate(BEGINNINGS):
        if (number + place) % 3:
            continue
        end = ENDS[(number + place) % len(ENDS)]
        yield begin + unit * ((size_bytes - len(begin) - len(end)) // len(unit)) + end


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_time_in_proportion_to_its_text(reader: str) -> None:
    for number, unit in enumerate(UNITS):
        for text in repeated(number, unit, SIZE_BYTES):
            with cpu_limit():
                READERS[reader](text)


@pytest.mark.parametrize("unit", ["a", "a.", "1:", "a:1:1: ", *UNITS_OF_COMPILERS])
@pytest.mark.parametrize("begin", ["", "a.c:1:2: error: ", "a.c:1:2: note: "])
def test_the_longest_messages_of_a_compiler_are_judged_at_once(begin: str, unit: str) -> None:
    messages = begin + unit * (MESSAGES_BYTES // len(unit))
    seen = facts(builds={"single": build("single", FAILURE, messages)})
    with cpu_limit():
        judge_build(seen, "single", SPEC.rubric[0])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("unit", [*UNITS, *UNITS_OF_COMPILERS, *UNITS_OF_C])
def test_a_report_takes_time_in_proportion_to_what_a_program_writes_and_is(unit: str) -> None:
    text = unit * (SIZE_BYTES // len(unit))
    data = text.encode("utf-8", "replace")
    with cpu_limit(REPORT_CPU_S):
        report = _explained(text, data, f"a.c:1:2: error: {text}\n{LINKER_FAILED[0]} 1", data)
    with cpu_limit(REPORT_CPU_S):
        _shown(report)


def test_a_line_of_strings_that_do_not_end_is_looked_at_once() -> None:
    line = b'puts("abcd"); // "' + b'\\"' * (SIZE_BYTES // 2)
    with cpu_limit(2.0):
        _explained("abcd", line, stderr=b"abcd")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_notebook_takes_time_in_proportion_to_its_lines() -> None:
    for number, unit in enumerate(UNITS):
        for line in repeated(number, unit, LINE_BYTES):
            with cpu_limit():
                read_notebook(line.encode("utf-8"), SPEC)


def test_a_measurement_that_seems_to_end_a_line_is_found_at_once() -> None:
    line = "I ran it as time -" + "<" * 200 + " " * 3_700 + "x"
    with cpu_limit():
        read_notebook(f"{line}\n".encode() * 20, SPEC)


def test_brackets_are_looked_at_once() -> None:
    with cpu_limit():
        assert of_line(NEGATIVE, "[" * 50_000 + "]" * 50_000).id == "char-index"
        assert of_line(NEGATIVE, "[" * 50_000 + "a - b" + "]" * 50_000).id == "subtracted-index"


@given(
    pieces=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 900)), min_size=1, max_size=6), data=st.data()
)
def test_no_mixture_of_repeated_pieces_stops_a_reader(pieces: list[tuple[str, int]], data: st.DataObject) -> None:
    text = "".join(unit * times for unit, times in pieces)
    reader = data.draw(st.sampled_from([*READERS]))
    with cpu_limit():
        READERS[reader](text)
        read_notebook(text.encode("utf-8"), SPEC)


LETTERS = st.binary(max_size=12) | st.binary(max_size=3).map(lambda part: part * 5)


@given(input_data=LETTERS, expected=LETTERS, actual=LETTERS, operands=st.lists(LETTERS, max_size=3))
def test_outputs_of_any_lab_are_described(
    input_data: bytes, expected: bytes, actual: bytes, operands: list[bytes]
) -> None:
    for right, wrong in (
        (expected, actual),
        (input_data, actual),
        (expected, expected + input_data),
        (expected, input_data + expected),
        (input_data.upper(), actual),
    ):
        if right == wrong:
            continue
        run = CopyRun(tuple(operands), input_data, right, wrong)
        assert isinstance(output_symptoms(run), tuple)
        dropped_bytes(run)
        assert isinstance(run.wrong, dict)
