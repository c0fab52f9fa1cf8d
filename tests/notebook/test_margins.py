"""What editors and tools print around each line changes nothing that is found in a notebook."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.lab.find import load_lab
from grader.model.notebook import Notebook
from grader.notebook.reader import read_notebook
from tests.notebook.make_fixtures import FIXTURES

NAMES = ["complete", "early-stop", "full-size", "gnu-verbose", "headings-cut"]

MARGINS: dict[str, Callable[[int, str], str]] = {
    "cat -n": lambda number, line: f"{number:6}\t{line}",
    "less -N": lambda number, line: f"{number:7} {line}",
    "an editor": lambda number, line: f"{number:4} │ {line}",
    "a list": lambda number, line: f"{number}. {line}",
    "grep -n": lambda number, line: f"{number}:{line}",
    "times": lambda number, line: f"[12:{number // 60 % 60:02}:{number % 60:02}] {line}",
    "dates": lambda number, line: f"2024-11-02 9:{number // 60 % 60:02}:{number % 60:02}.125 {line}",
    "org-mode": lambda _number, line: f": {line}".rstrip(),
    "SQL": lambda _number, line: f"-- {line}",
    "LaTeX": lambda _number, line: f"% {line}",
    "Lisp": lambda _number, line: f";; {line}",
    "C": lambda _number, line: f" * {line}",
    "C++": lambda _number, line: f"// {line}",
    "shell": lambda _number, line: f"# {line}",
    "mail": lambda _number, line: f"> {line}",
    "a frame": lambda _number, line: f"| {line:90} |",
    "the right side of a frame": lambda _number, line: f"{line:90} │",
}


def read(text: str) -> Notebook:
    return read_notebook(text.encode(), load_lab("tr2")[0])


def items(notebook: Notebook) -> list[object]:
    asked = [item for item in notebook.coverage if item.item not in ("ascii", "columns")]
    return [notebook.tables, notebook.times, notebook.logs, notebook.line_counts, asked]


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("name", NAMES)
def test_a_margin_changes_nothing_that_is_found(name: str, margin: str) -> None:
    lines = (FIXTURES / f"{name}.txt").read_text(encoding="ascii").splitlines()
    framed = [MARGINS[margin](number, line) for number, line in enumerate(lines, 1)]
    plain = read("\n".join(line.replace("\r", "") for line in lines))
    assert plain.tables
    assert items(read("\n".join(framed))) == items(plain)


@pytest.mark.parametrize("text", ["1. first I read\n2. then I wrote\n3. and this took 3 s\n", ": a\n: b\n: c\n: d\n"])
def test_lists_of_the_student_stay_as_they_are(text: str) -> None:
    assert (
        read(text).prose_words
        == read(text.replace("1.", "(a)").replace("2.", "(b)").replace("3.", "(c)")).prose_words
    )


def test_a_pipe_at_the_end_of_a_command_is_no_frame() -> None:
    table = "% time     seconds  usecs/call     calls    errors syscall\n"
    [command] = read(f"$ strace -c ./tr2b ab cd < in |\n{table}").commands
    assert command.sink == "pipe"
