"""Points for what a notebook has."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.grading.reference_run import read_programs
from grader.judge.facts import Facts
from grader.judge.notebook import judge_notebook
from grader.judge.verdict import judge_check
from grader.lab.load import read_spec
from grader.model.spec.notebook import NotebookRules
from grader.model.spec.rubric import NotebookItem
from grader.model.submission import NotebookFile, Source, UnusableSource
from grader.notebook.reader import read_notebook
from grader.resources import resource

from .facts import facts

TABLE = """\
$ strace -c ./many a b <in >out
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 55.13    0.610022           1    500001           write
 44.86    0.496391           1    500003           read
------ ----------- ----------- --------- --------- ----------------
100.00    1.106413               1000004           total
"""
TIME = "$ time ./many a b <in >out\n\nreal\t0m0.590s\nuser\t0m0.023s\nsys\t0m0.533s\n"
NOTES = "Each byte is read by a call of its own and written by another, which takes most of the time.\n"
RULES = NotebookRules(files=("lab.txt", "report.txt"), strace_sinks=("file",), ascii_only=True)


def item(*asks: str) -> NotebookItem:
    values = {"kind": "notebook", "name": "notebook", "title": "", "points": {"many": 2}, "hint": "h"}
    return NotebookItem.model_validate({**values, **({"asks": asks} if asks else {})})


def with_notebook(text: str | UnusableSource | None) -> Facts:
    found = facts()
    spec = found.lab.spec.model_copy(update={"notebook": RULES})
    content = Source(text.encode()) if isinstance(text, str) else text
    notebook = None if content is None else NotebookFile("lab.txt", content)
    lab = replace(found.lab, spec=spec)
    coverage = read_notebook(text.encode(), spec).coverage if isinstance(text, str) else ()
    return replace(found, lab=lab, submission=replace(found.submission, notebook=notebook), coverage=coverage)


@pytest.mark.parametrize(
    ("text", "asks", "status"),
    [
        (TABLE + TIME, (), "passed"),
        (TABLE, (), "failed"),
        (TABLE, ("strace",), "passed"),
        (TIME, ("time",), "passed"),
        (TIME, ("strace",), "failed"),
        (TABLE, ("conclusion",), "failed"),
        (TABLE + NOTES, ("conclusion",), "passed"),
        (TABLE, ("format",), "passed"),
        (TABLE + "é\n", ("format",), "failed"),
        ("", ("strace",), "failed"),
    ],
)
def test_what_is_asked_for_has_to_be_there(text: str, asks: tuple[str, ...], status: str) -> None:
    outcome = judge_notebook(with_notebook(text), "many", item(*asks))
    assert outcome.status == status, outcome.message


def test_a_table_of_another_program_is_not_this_one_s() -> None:
    outcome = judge_notebook(with_notebook(TABLE.replace("./many", "./one")), "many", item("strace"))
    assert (outcome.status, outcome.message) == ("failed", "lab.txt lacks strace of many to a file")


def test_what_cannot_be_determined_is_said() -> None:
    outcome = judge_notebook(with_notebook(TABLE.partition("\n")[2]), "many", item("strace"))
    assert outcome.status == "failed"
    assert "1 measurement could be it, but the text does not show what was run" in outcome.message


def test_a_notebook_that_is_missing_or_cannot_be_read_fails() -> None:
    missing = judge_notebook(with_notebook(None), "many", item())
    assert (missing.status, missing.hint) == ("failed", None)
    assert missing.message == "there is no notebook: no file is named lab.txt or report.txt"
    unread = judge_notebook(with_notebook(UnusableSource("lab.txt is a link")), "many", item())
    assert (unread.status, unread.message) == ("failed", "the notebook was not read: lab.txt is a link")


def test_a_program_that_does_not_compile_does_not_matter() -> None:
    found = with_notebook(TABLE + TIME)
    sources = {**found.submission.sources, "many": UnusableSource("there is no many.c")}
    broken = replace(found, submission=replace(found.submission, sources=sources))
    assert judge_check(broken, "many", item()).status == "passed"
    assert judge_check(broken, "many", item()).points == 2


def test_the_reference_may_have_a_notebook(tmp_path: Path) -> None:
    spec = read_spec(resource("specs", "tr2.yaml"))
    shutil.copytree(resource("reference", "tr2", "solution"), tmp_path / "reference")
    folder = tmp_path / "reference"
    assert read_programs("reference", spec, folder).notebook is None
    (folder / "report.txt").write_text(TIME)
    (folder / "lab.txt").write_text(TABLE)
    assert read_programs("reference", spec, folder).notebook == NotebookFile("lab.txt", Source(TABLE.encode()))


def test_a_spec_without_a_name_of_the_notebook_is_wrong(tmp_path: Path) -> None:
    text = resource("specs", "tr2.yaml").read_text("utf-8")
    rule = "  - {kind: notebook, name: notebook, title: Notebook, points: {tr2b: 1}}\n"
    lab = tmp_path / "lab.yaml"
    lab.write_text(text.replace("rubric:\n", f"rubric:\n{rule}", 1))
    assert read_spec(lab).checks()["tr2b.notebook"][1].kind == "notebook"
    names = re.search(r"^  files: .*$", text, re.MULTILINE)
    assert names is not None
    lab.write_text(lab.read_text().replace(names[0], "  files: []"))
    with pytest.raises(SpecError, match=r"notebook\.files has no name of a notebook"):
        read_spec(lab)
