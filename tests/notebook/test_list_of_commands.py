"""A list of commands above a table leaves open which of them printed it."""

from __future__ import annotations

import pytest

from grader.lab.find import load_lab
from grader.notebook.reader import read_notebook

COMMANDS = ("strace -c ./tr2b ab xy < in > out", "strace -c ./tr2u ab xy < in > out")
TABLE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 99.84    0.012210          10      1221           write
  0.16    0.000020          10         2           openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.012230                  1223           total
"""


@pytest.mark.parametrize(
    ("above", "program"),
    [
        (["$ " + COMMANDS[0], "$ " + COMMANDS[1], "", "The results:"], None),
        (["$ " + COMMANDS[0], "$ " + COMMANDS[1]], "tr2u"),
        (["$ " + COMMANDS[0], "strace: Cannot find executable", "$ " + COMMANDS[1], ""], "tr2u"),
        (["$ " + COMMANDS[0], "$ " + COMMANDS[0], ""], "tr2b"),
    ],
)
def test_a_list_of_commands_names_no_program(above: list[str], program: str | None) -> None:
    text = "\n".join([*above, TABLE])
    (table,) = read_notebook(text.encode("ascii"), load_lab("tr2")[0]).tables
    assert table.program == program
    assert ("program" in table.undetermined) == (program is None)
