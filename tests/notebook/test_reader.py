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
