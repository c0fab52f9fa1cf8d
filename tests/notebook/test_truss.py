"""Tables of other systems than Linux: `truss -c` of FreeBSD and Solaris, `dtruss -c` of macOS."""

from __future__ import annotations

import pytest

from grader.lab.find import load_lab
from grader.model.notebook import Notebook
from grader.model.spec.lab import Spec
from grader.notebook.reader import read_notebook

SIZE = 5_000_000
FREEBSD = f"""\
syscall                     seconds   calls  errors
read                    3.141592653 {SIZE + 1}       0
write                   4.000000000 {SIZE}       0
cap_rights_limit        0.000000000       1       0
mmap                    0.000100000      10       2
                      ------------- ------- -------
                        7.141692653 {2 * SIZE + 12}      2
"""
SOLARIS = f"""\
syscall               seconds   calls  errors
_exit                    .000       1
read                     .100 {SIZE + 1}
write                    .200 {SIZE}
open                     .000      10      2
                     --------  ------   ----
sys totals:              .301 {2 * SIZE + 12}      2
usr time:                .012
elapsed:                 .500
"""
MACOS = f"""\

CALL                                        COUNT
exit                                            1
mmap                                           10
read_nocancel                             {SIZE + 1}
write_nocancel                            {SIZE}
"""
COMMANDS = {
    FREEBSD: (
        "$ truss -c ./tr2u abc xyz < big.txt > out.txt",
        "# truss -f -c -s 64 ./tr2u abc xyz < big.txt > out.txt",
    ),
    SOLARIS: (
        "$ truss -c ./tr2u abc xyz < big.txt > out.txt",
        "% truss -fc -t read,write ./tr2u abc xyz <big.txt >out.txt",
    ),
    MACOS: (
        "$ sudo dtruss -c ./tr2u abc xyz < big.txt > out.txt",
        "% sudo dtruss -o -c ./tr2u abc xyz < big.txt > out.txt",
    ),
}


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


def read(text: str, spec: Spec) -> Notebook:
    return read_notebook(text.encode(), spec)


@pytest.mark.parametrize(("table", "command"), [(table, one) for table, both in COMMANDS.items() for one in both])
def test_the_table_is_that_of_the_command_above_it(table: str, command: str, spec: Spec) -> None:
    notebook = read(f"{command}\n{table}\nEach byte is a call.\n", spec)
    (found,) = notebook.tables
    assert (found.program, found.operands, found.input, found.sink) == ("tr2u", ("abc", "xyz"), "big.txt", "file")
    assert (found.reads, found.writes, found.n_bytes) == (SIZE + 1, SIZE, SIZE)
    assert found.lines[1] == (command + "\n" + table).count("\n")
    assert {item.item for item in notebook.coverage if item.met} >= {"strace-tr2u-file", "input-size"}


@pytest.mark.parametrize("table", [FREEBSD, SOLARIS])
def test_its_total_is_compared_with_its_rows(table: str, spec: Spec) -> None:
    (whole,) = read(table, spec).tables
    assert whole.complete
    assert whole.total is not None
    assert whole.total.calls == sum(row.calls for row in whole.rows)
    assert sum(row.errors for row in whole.rows) == whole.total.errors > 0
    wrong = read(table.replace(f"{2 * SIZE + 12}", f"{2 * SIZE}"), spec)
    assert "total-differs" in {finding.kind for finding in wrong.findings}
    (cut,) = read(table.partition("---")[0].rstrip(), spec).tables
    assert (cut.complete, cut.total) == (False, None)


def test_two_tables_in_a_row_are_those_of_two_commands(spec: Spec) -> None:
    fewer = FREEBSD.replace(str(SIZE), "1221").replace(str(SIZE + 1), "1222").replace(str(2 * SIZE + 12), "2455")
    text = f"$ truss -c ./tr2u a b < in > out\n{FREEBSD}$ truss -c ./tr2b a b < in > out\n{fewer}"
    assert [(table.program, table.writes) for table in read(text, spec).tables] == [("tr2u", SIZE), ("tr2b", 1221)]


def test_without_c_nothing_is_counted(spec: Spec) -> None:
    (command,) = read("$ truss -o log ./tr2u a b < in > out\n", spec).commands
    assert (command.tools, command.log, command.program) == (("truss",), "log", "tr2u")
    assert not read("The CALL\nCOUNT of my program is\nread 5\n", spec).tables
