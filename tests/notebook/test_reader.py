"""Every table, time, log and number of lines of a notebook is found, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.lab.find import load_lab
from grader.model.notebook import Notebook
from grader.model.spec.lab import Spec
from grader.notebook.reader import read_notebook
from grader.resources import resource
from tests.notebook.compose import CAPTURES, PROSE, recombined
from tests.notebook.make_fixtures import FIXTURES, FIXTURES_BY_NAME

RECOMBINATIONS = 150
KINDS = ("tables", "times", "logs", "line_counts")
WHERE = ("program", "operands", "input", "sink")


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


def found(notebook: Notebook, kind: str) -> list[dict[str, Any]]:
    """Return the items of a kind with the fields that answers have."""
    items = []
    for one in getattr(notebook, kind):
        item = json.loads(one.model_dump_json())
        if kind == "tables":
            item["calls"] = {row["syscall"]: row["calls"] for row in item["rows"]}
            item["total_calls"] = item["total"]["calls"] if item["total"] is not None else None
        items.append(item)
    return items


def only(items: Sequence[Mapping[str, Any]], like: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the items with those fields that the answers have."""
    keys = like[0].keys() if like else ()
    return [{key: item[key] for key in keys if key in item} for item in items]


def has_reasons(notebook: Notebook) -> bool:
    measured = (*notebook.tables, *notebook.times, *notebook.logs, *notebook.line_counts)
    return all(one.undetermined.get(name) for one in measured for name in WHERE if getattr(one, name) is None)


@pytest.mark.parametrize("name", sorted(FIXTURES_BY_NAME))
def test_a_notebook_of_our_own_is_read_completely(name: str, spec: Spec) -> None:
    answers = json.loads((FIXTURES / f"{name}.json").read_text(encoding="ascii"))
    notebook = read_notebook((FIXTURES / f"{name}.txt").read_bytes(), spec)
    for kind in KINDS:
        items = found(notebook, kind)
        assert len(items) == len(answers[kind]), kind
        assert only(items, answers[kind]) == answers[kind], kind
    assert has_reasons(notebook)


def test_the_fixtures_are_those_that_the_script_makes() -> None:
    for name, (compose, layout) in FIXTURES_BY_NAME.items():
        from tests.notebook.compose import Composed  # noqa: PLC0415 - as the script does

        made = Composed()
        compose(made, layout)
        assert (FIXTURES / f"{name}.txt").read_bytes() == made.data(layout), name
    assert {path.stem for path in FIXTURES.iterdir()} == {*FIXTURES_BY_NAME}
    forms = {one["form"] for one in CAPTURES if one["kind"] == "time"}
    assert forms == {"bash", "posix", "ksh", "zsh", "csh", "gnu", "gnu-verbose"}


@pytest.mark.parametrize("seed", range(RECOMBINATIONS))
def test_blocks_in_any_layout_give_the_same_items(seed: int, spec: Spec) -> None:
    made, layout = recombined(seed)
    notebook = read_notebook(made.data(layout), spec)
    answers = made.answers()
    for kind in ("tables", "logs"):
        assert only(found(notebook, kind), answers[kind]) == answers[kind], (kind, layout)
    for item in answers["times"]:
        # Which lines of GNU time's output are its times is a matter of the form.
        item.pop("lines")
    assert only(found(notebook, "times"), answers["times"]) == answers["times"], layout
    assert not notebook.line_counts
    assert {command.program for command in notebook.commands} <= {"tr2b", "tr2u"}
    assert has_reasons(notebook)


def nothing_in(notebook: Notebook) -> bool:
    return not (notebook.tables or notebook.times or notebook.logs or notebook.line_counts or notebook.commands)


def test_prose_in_any_order_has_no_items(spec: Spec) -> None:
    lines = [line for lines in PROSE for line in lines]
    for seed in range(100):
        pick = random.Random(seed)  # noqa: S311 - a test's choice
        text = "\n".join(pick.choices(lines, k=60))
        assert nothing_in(read_notebook(text.encode(), spec)), text


@pytest.mark.parametrize("program", ["tr2b", "tr2u"])
def test_source_code_has_no_items(program: str, spec: Spec) -> None:
    sources = sorted(Path(str(resource("reference", "tr2"))).rglob(f"{program}*.c"))
    assert len(sources) > 20
    for path in sources:
        assert nothing_in(read_notebook(path.read_bytes(), spec)), path


SENTENCES = (
    "time ./tr2b is fast.",
    "strace shows that tr2b reads 611 times",
    "Then I used strace -c ./tr2b to see that.",
    "# tr2b vs tr2u",
    "real programs wait",
    "user 5 of 7",
    "% time is lost",
    "tr2b < tr2u in every respect, I think",
    'system("time ./tr2b a b < in > out");',
    "n = read(0, buffer, 1);",
    "./tr2b: command not found.",
    "time of tr2u > time of tr2b",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_not_a_command_or_its_output(sentence: str, spec: Spec) -> None:
    notebook = read_notebook(f"{sentence}\n".encode(), spec)
    assert not [*notebook.tables, *notebook.times, *notebook.logs]
    assert not [command for command in notebook.commands if command.tools or command.program in spec.programs]


def read(text: str, spec: Spec) -> Notebook:
    return read_notebook(text.encode(), spec)


def test_columns_that_somebody_chose_are_read(spec: Spec) -> None:
    rows = "syscall              calls    errors\n---------------- --------- ---------\n"
    rows += "read               5000002          \nwrite              5000000          \n"
    rows += "access                   1         1\n"
    rows += "---------------- --------- ---------\ntotal             10000003         1\n"
    (table,) = read(f"$ strace -c -U name,calls,errors ./tr2u a b <in >out\n{rows}", spec).tables
    assert (table.program, table.reads, table.writes, table.complete) == ("tr2u", 5_000_002, 5_000_000, True)
    assert table.total is not None
    assert (table.total.calls, table.total.errors, table.total.seconds) == (10_000_003, 1, None)
    (other,) = read(
        "    calls syscall\n--------- -----\n        8 read\n--------- -----\n        8 total\n", spec
    ).tables
    assert (other.reads, other.program) == (8, None)


def test_a_table_of_markdown_is_read(spec: Spec) -> None:
    rows = "| % time | seconds | usecs/call | calls | errors | syscall |\n|---|---|---|---|---|---|\n"
    rows += "| 60.00 | 0.000100 | 1 | 1221 | | write |\n| 40.00 | 0.000090 | 1 | 1223 | | read |\n"
    (table,) = read(rows + "| 100.00 | 0.000190 | | 2444 | | total |\n", spec).tables
    assert (table.reads, table.writes, table.complete) == (1223, 1221, True)


def test_a_log_belongs_to_the_run_whose_log_is_shown(spec: Spec) -> None:
    notebook = read(
        "$ strace -o log.b ./tr2b x y < big > out\n$ strace -o log.u ./tr2u x y < big > out\n"
        "$ wc -l log.b\n2475 log.b\n"
        '$ tail -2 log.u\nread(0, "b", 1)                         = 1\nwrite(1, "b", 1)                        = 1\n',
        spec,
    )
    (log,) = notebook.logs
    (count,) = notebook.line_counts
    assert (log.program, log.sink, log.command) == ("tr2u", "file", 2)
    assert (count.program, count.count) == ("tr2b", 2475)
    met = {one.item: one.met for one in notebook.coverage}
    assert met["strace-tr2b-file"]
    assert met["strace-tr2u-file"]
    assert met["strace-tr2u-terminal"] is False


def test_a_run_to_dev_null_is_not_one_to_a_file(spec: Spec) -> None:
    notebook = read("$ strace -c ./tr2u a b <in >/dev/null\n 50.00 0.10 1 10 write\n 50.00 0.10 1 12 read\n", spec)
    (item,) = [one for one in notebook.coverage if one.item == "strace-tr2u-file"]
    assert (item.met, item.reason, item.lines) == (False, "only to /dev/null", ((2, 3),))


def test_all_of_time_v_is_its_output(spec: Spec) -> None:
    rows = "\tUser time (seconds): 0.51\n\tSystem time (seconds): 2.02\n"
    rows += "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:02.54\n"
    rows += "\tMaximum resident set size (kbytes): 1512\n\tExit status: 0\n"
    notebook = read(f"$ /usr/bin/time -v ./tr2u 1 2 < f > g\n{rows}", spec)
    (time,) = notebook.times
    assert (time.lines, time.program, time.real_s) == ((2, 6), "tr2u", 2.54)
    assert notebook.prose_words == 0
