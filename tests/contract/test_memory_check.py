"""In every sandbox, checkers of memory find the line of a mistake, with limits, and while nobody helps them."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from grader.explain.memory_check import FoundMistakes, MistakeSearch
from grader.explain.second_run import SecondGuests
from grader.grading.plan_builder import build_plan
from grader.grading.reference_run import reference_mistakes, reference_programs
from grader.guest.launch import CHECKER_THREADS, VALGRIND_MEMORY_BYTES
from grader.lab.find import load_lab
from grader.model.evidence import Evidence, Signalled
from grader.model.lab import Lab
from grader.model.plan import Checker, Plan
from grader.model.reference import Reference
from grader.model.report import CaseResult, CasesEvidence, Check, Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import GradeOptions
from grader.sandbox.base import Sandbox
from grader.sandbox.local import LocalSandbox
from tests.memory_bugs import INPUT, NAMES, OPERANDS, line_of_mistake
from tests.memory_bugs import source as source_of

from .harness import LIMITS, SUCCESS, Exercise, limits, step

pytestmark = pytest.mark.slow

HOSTILE = {path.stem: path.read_bytes() for path in (Path(__file__).parent / "programs").glob("checked-*.c")}
CRASH = Signalled(kind="signalled", signal=11)


CPLUSPLUS = {"compiler": "g++", "standard": "c++17", "object_options": ()}


def look(
    sandbox: Sandbox,
    spec: Spec,
    programs: dict[str, bytes | dict[str, bytes]],
    operands: dict[str, tuple[bytes, ...]],
) -> FoundMistakes:
    """Look for mistakes in programs, each of which failed a case of its own; one may have several files."""
    template = spec.programs["tr2b"]
    files = {name: data if isinstance(data, dict) else {f"{name}.c": data} for name, data in programs.items()}
    lab_programs = {
        name: template.model_copy(
            update={
                "source": None,
                "sources": tuple(file for file in own if not file.endswith(".h")),
                "build": spec.build.model_copy(update=CPLUSPLUS) if f"{name}.cpp" in own else None,
                "headers": tuple(file for file in own if file.endswith(".h")),
            }
        )
        for name, own in files.items()
    }
    case = spec.cases["one-pair"]
    cases = {name: case.model_copy(update={"operands": operands.get(name, (b"abc", b"xyz"))}) for name in programs}
    lab_spec = spec.model_copy(update={"programs": lab_programs, "cases": cases, "rubric": ()})
    submission = Submission("ada", {name: Source.of(own) for name, own in files.items()})
    runs = tuple(
        step(name, name, *cases[name].arguments, input="line", limits=LIMITS, id=f"{name}.{name}")
        for name in programs
    )
    plan = build_plan(lab_spec, submission).model_copy(update={"runs": runs})
    lab = Lab(lab_spec, {"line": INPUT}, Reference(Evidence(toolchain=None, builds={}, runs={}, left_out={}), {}))
    with closing(SecondGuests(sandbox, (0,), [*programs])) as guests:
        found = MistakeSearch(lab, submission, guests, GradeOptions()).look(_report(plan), plan)
    assert found is not None
    return found


def _report(plan: Plan) -> Report:
    checks = tuple(
        Check(
            id=f"{run.program}.text",
            program=run.program,
            title="",
            status="failed",
            points=0,
            max_points=1,
            cause=None,
            message="",
            hint="",
            evidence=CasesEvidence(
                cases=(
                    CaseResult(
                        case=run.case,
                        operands=run.operands,
                        input=run.input,
                        input_size_bytes=len(INPUT),
                        sink=run.sink,
                        passed=False,
                        problem="",
                        ending=CRASH,
                        stderr=b"",
                    ),
                )
            ),
        )
        for run in plan.runs
    )
    return Report.model_construct(checks=checks, causes=(), notes=(), builds=(), remarks=())  # type: ignore[call-arg] # nothing else is read


@pytest.fixture(scope="module")
def found(sandbox: Sandbox, spec: Spec) -> FoundMistakes:
    return look(sandbox, spec, {name: source_of(name) for name in NAMES}, OPERANDS)


def test_the_checkers_work_here(found: FoundMistakes) -> None:
    assert found.notes == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_line_is_right(found: FoundMistakes, name: str) -> None:
    lines = [finding.line for finding in found.findings if finding.program == name]
    assert lines[:1] == [line_of_mistake(name)]


THREADS = b"""\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *fill(void *wanted)
{
    int *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i <= *(int *)wanted; i++)
        numbers[i] = i; /* line 8 */
    return numbers;
}
int main(void)
{
    pthread_t threads[8];
    int wanted = 4;
    for (int i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, fill, &wanted) != 0)
            return 1;
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return puts("ok") < 0;
}
"""


def test_threads_are_checked_too(sandbox: Sandbox, spec: Spec) -> None:
    found = look(sandbox, spec, {"threads": THREADS}, {})
    assert [(finding.program, finding.line) for finding in found.findings] == [("threads", 8)]
    assert found.notes == ()


IN_FILES = {
    "main.c": b"""\
#include "list.h"
#include <stdlib.h>
int main(void)
{
    struct list list = new_list(3);
    free(list.items);
    append(&list, 7);
    return 0;
}
""",
    "list.c": b"""\
#include <stdlib.h>
#include "list.h"
struct list new_list(int room)
{
    return (struct list){malloc(room * sizeof(int)), 0};
}
""",
    "list.h": b"""\
struct list { int *items, count; };
struct list new_list(int room);
static inline void append(struct list *list, int item)
{
    list->items[list->count++] = item; /* line 5 */
}
""",
}


def test_all_files_of_a_program_are_searched(sandbox: Sandbox, spec: Spec) -> None:
    found = look(sandbox, spec, {"lists": dict(IN_FILES)}, {})
    (finding,) = found.findings
    assert finding.message == "list.h line 5 writes 4 bytes of memory that line 6 of main.c has freed."
    assert finding.source[2].text.endswith("/* line 5 */")
    assert finding.repeat.startswith("gcc -std=gnu11 -g -fsanitize=address,undefined -o lists main.c list.c\n")
    assert found.notes == ()


ROWS = b"""\
#include <cstdio>
#include <vector>
template <typename T> struct Row {
    T *items;
    explicit Row(int room) : items(new T[room]) {}
    T &at(int place) { return items[place]; }
};
static int total(const std::vector<int> &numbers)
{
    int sum = 0;
    for (size_t at = 0; at <= numbers.size(); at++)
        sum += numbers[at]; // line 12
    return sum;
}
int main(int argc, char **)
{
    std::vector<int> numbers(3); // line 17
    Row<int> row(4);
    if (argc == 2)
        row.at(4) = 1; // line 20
    if (argc == 3)
        std::printf("%d\\n", total(numbers));
    delete row.items; // line 23
}
"""


@pytest.mark.parametrize(
    ("operands", "line", "words"),
    [
        ((), 23, "frees with `delete` what came from `new[]`"),
        ((b"a",), 20, "writes 4 bytes past the end of the memory that line 5 allocated (16 bytes)"),
        ((b"a", b"b"), 12, "reads 4 bytes past the end of the memory that line 17 allocated (12 bytes)"),
    ],
)
def test_programs_in_cplusplus_are_searched(
    sandbox: Sandbox, spec: Spec, operands: tuple[bytes, ...], line: int, words: str
) -> None:
    found = look(sandbox, spec, {"rows": {"rows.cpp": ROWS}}, {"rows": operands})
    assert [finding.message for finding in found.findings] == [f"rows.cpp line {line} {words}."]
    assert found.findings[0].repeat.startswith("g++ -std=c++17 -g -fsanitize=address,undefined -o rows rows.cpp\n")
    assert found.notes == ()


OF_LAB = """\
spec_version: 1
lab: own
title: The lab's own programs
programs:
  past: {source: past.c, title: writes past a block}
  unset: {source: unset.c, title: prints a value that was never set}
  sound: {source: sound.c, title: is right}
build: {compiler: gcc, options: [-O1]}
cases:
  none: {}
  one: {operands: [a]}
  two: {operands: [a, b]}
rubric:
  - {name: all, kind: cases, title: All, cases: [none, one, two], points: {past: 1, unset: 1, sound: 1}}
"""
OWN = {
    "past": b"""\
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *copy = malloc(2);
    copy[argc] = **argv;
    free(copy);
}
""",
    "unset": b"""\
#include <stdio.h>
int main(int argc, char **argv)
{
    int numbers[2];
    numbers[argc > 2] = argv != NULL;
    printf("%d\\n", numbers[0]);
}
""",
    "sound": b"int main(void) { return 0; }\n",
}


def test_memory_errors_of_a_reference_are_known(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "lab.yaml").write_text(OF_LAB)
    for name, source in OWN.items():
        (tmp_path / "reference" / f"{name}.c").write_bytes(source)
    spec, files = load_lab(str(tmp_path))
    found = reference_mistakes(spec, reference_programs(spec, files), {}, sandbox, {"empty": b"", "": b""})
    unset = "calls `printf` with a value that was never set (a local variable of `main`, or a part of one)"
    past = "writes 1 byte past the end of the memory that line 4 allocated (2 bytes)"
    assert found == (
        f"past.c line 5 {past}, in 2 cases (one, two)",
        f"unset.c line 6 {unset}, in the case two",
    )


def test_hostile_programs_end_within_their_limits_and_leave_the_others_alone(sandbox: Sandbox, spec: Spec) -> None:
    assert len(HOSTILE) > 1
    started = time.monotonic()
    found = look(sandbox, spec, {**HOSTILE, "heap-overflow": source_of("heap-overflow")}, {})
    assert time.monotonic() - started < 180
    by_program = {finding.program: finding for finding in found.findings}
    assert by_program["heap-overflow"].line == line_of_mistake("heap-overflow")
    # It wrote a report of its own, with a valid line, and gets nothing else into the sentence.
    forged = by_program["checked-forges"]
    assert forged.message == "checked-forges.c line 3 reads 1 byte outside of every variable."
    assert not {*by_program} - {"heap-overflow", "checked-forges"}


def test_a_checker_takes_no_more_memory_than_its_limit_from_others(sandbox: Sandbox) -> None:
    name = "checked-uses-memory"
    ending = limits(cpu_s=2, wall_s=40.0)
    run = step("memory", name, checker="valgrind", limits=ending)
    outcome = Exercise((run,), {name: HOSTILE[name]}).done_in(sandbox)
    assert outcome.run("memory", name).peak_memory_bytes <= VALGRIND_MEMORY_BYTES


@pytest.mark.parametrize("checker", CHECKER_THREADS)
def test_a_checked_program_is_alone(local_sandbox: LocalSandbox, checker: Checker) -> None:
    """Many of them would use up the memory of a machine on which no container limits them."""
    if os.geteuid() != 0:
        pytest.skip("the limit would count the processes of the person")
    name = "checked-forks"
    run = step("forks", name, checker=checker)
    outcome = Exercise((run,), {name: HOSTILE[name]}).done_in(local_sandbox)
    assert outcome.run("forks", name).ending == SUCCESS
