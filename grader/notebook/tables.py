"""Find tables of `strace -c`: complete, indented, with headings or totals cut off; and those of `truss -c`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from grader.model.notebook import TableRow
from grader.notebook.text import Line
from grader.notebook.truss_tables import Kind, kind_of, part_of

MIN_CELLS = 3
"""A row of a table has at least so many cells: a number, the calls, and the name."""

MAX_GAP_LINES = 3
"""Lines between two rows of a table that are empty, or remarks of the student."""

_ROW = re.compile(
    r"[\s>|#*/;`]*(?:(?P<percent>[0-9]{1,3}[.,][0-9]{1,2})\s*%?\s+)?(?P<seconds>[0-9]+[.,][0-9]{2,9})\s+"
    r"(?P<whole>[0-9]+(?:,[0-9]{3})*(?:\s+[0-9]+(?:,[0-9]{3})*){0,2})"
    r"(?:\s+(?P<name>[A-Za-z_][A-Za-z0-9_]*|\?\?\?))?\s*(?:[<#(|\\`/-].*)?$"
)
_ROW_BEGINS = re.compile(r"[\s>|#*/;`]*[0-9]+[.,][0-9]")
_HEADING = re.compile(r"%\s*time\s+seconds|calls\s+errors\s+syscall")
_WHOLE_HEADING = re.compile(r"%\s*time\s+seconds\s+usecs/call\s+calls\s+errors\s+syscall")
_DASHES = re.compile(r"[\s>|#*/;`]*-{3,}(?:\s+-{3,})*\s*$")
_NAME_ONLY = re.compile(r"[\s>|#*/;`]*([a-z_][a-z0-9_]*)\s*$")
_LEFT_OUT = re.compile(r"[\s>|#*/;`]*[\[(<]?\s*(?:\.\s?\.\s?\.|snip|cut|etc)", re.IGNORECASE)
"""A line instead of rows; in the text, an ellipsis is three points."""

_OF_FUNCTIONS = re.compile(r"usecs/call\s+calls\s+(?:errors\s+)?function\b")
"""The heading of `ltrace -c`, which counts calls of the C library."""

_TOTAL = "total"
_TITLES = re.compile(r"% time|shortest|longest|seconds|usecs/call|calls|errors|syscall")
"""The titles of all columns that `strace -U` can print, in any order."""

KNOWN_SYSCALLS = frozenset(
    """_llseek access alarm arch_prctl brk chdir chmod clock_gettime clock_nanosleep clone clone3 close connect creat
    dup dup2 dup3 execve exit exit_group faccessat faccessat2 fadvise64 fchmod fchown fcntl fcntl64 fork fstat fstat64
    fstatat64 fsync ftruncate futex getcwd getdents getdents64 getegid geteuid getgid getpid getppid getrandom
    getrlimit getrusage gettid gettimeofday getuid ioctl kill lseek lstat lstat64 madvise mmap mmap2 mprotect mremap
    msync munmap nanosleep newfstatat old_mmap open openat pipe pipe2 poll ppoll prctl pread pread64 preadv prlimit64
    pselect6 pwrite pwrite64 read readahead readlink readlinkat readv rename restart_syscall rseq rt_sigaction
    rt_sigprocmask rt_sigreturn sched_yield select sendfile set_robust_list set_thread_area set_tid_address
    set_tls sigaction socket stat stat64 statfs statx sysinfo time tgkill ugetrlimit umask uname unlink vfork wait4
    waitpid write writev read_nocancel write_nocancel _exit""".split()  # noqa: SIM905 - a hundred names
)


@dataclass
class FoundTable:
    """A table while it is read, and afterwards; `heading` is whole, cut or missing."""

    first: int
    last: int
    rows: list[TableRow] = field(default_factory=list)
    total: TableRow | None = None
    heading: str = "missing"
    total_is_cut: bool = False
    rows_left_out: bool = False
    ended: bool = False

    @property
    def names(self) -> set[str]:
        """The system calls that have a row."""
        return {row.syscall for row in self.rows}


def find_tables(lines: Sequence[Line], command_lines: AbstractSet[int]) -> list[FoundTable]:
    """Return all tables, in order; `command_lines` are the numbers of lines that are commands."""
    return [table for part in _side_by_side(lines) for table in _in_one_column(part, command_lines)]


def _in_one_column(  # noqa: C901 - one branch per kind of line
    lines: Sequence[Line], command_lines: AbstractSet[int]
) -> list[FoundTable]:
    search = _Search()
    for index, line in enumerate(lines):
        text = line.text
        if text.count("|") > MIN_CELLS and text.lstrip().startswith("|"):
            # A table of Markdown.
            text = text.replace("|", " ")
            line = replace(line, text=text)  # noqa: PLW2901 - everything below reads it like that
        if line.number in command_lines:
            search.close()
        elif _OF_FUNCTIONS.search(text):
            search.of_functions()
        elif kind := kind_of(text):
            search.truss_heading(line, kind)
        elif is_heading(text):
            search.heading(line)
        elif search.in_functions(text):
            pass
        elif _DASHES.match(text) and search.table is not None:
            search.gap = 0
        elif search.truss_line(line):
            pass
        elif _ROW_BEGINS.match(text) and (row := _ROW.match(text)):
            following = lines[index + 1].text if index + 1 < len(lines) else ""
            search.row(line, row, following)
        elif search.chosen_row(line):
            pass
        elif not search.is_rest_of_row(text):
            search.left_out(text)
            search.other()
    search.close()
    return search.tables


def _side_by_side(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in parts: where two tables are next to each other, the left one comes first."""
    parts: list[list[Line]] = [[]]
    edge, right = 0, list[Line]()
    for line in lines:
        headings = [found.start() for found in _WHOLE_HEADING.finditer(line.text)]
        if len(headings) == 2:  # noqa: PLR2004 - two tables
            edge = headings[1]
        if edge and not line.text[:edge].strip() and not line.text[edge:].strip():
            edge = 0
        if not edge:
            parts += [right, []] if right else []
            right = []
            parts[-1].append(line)
            continue
        parts[-1].append(replace(line, text=line.text[:edge].rstrip()))
        right.append(replace(line, text=line.text[edge:]))
        if not _ROW_BEGINS.match(line.text[edge:]) and not _DASHES.match(line.text[edge:]) and not headings:
            # The left table may be longer.
            right.pop()
            edge = edge if _ROW_BEGINS.match(line.text) or _DASHES.match(line.text[:edge]) else 0
            parts[-1][-1] = line if not edge else parts[-1][-1]
    return [*parts, right]


def is_heading(text: str) -> bool:
    """Return whether a line is the heading of a table, or a part of it."""
    return bool(_HEADING.search(text)) or bool(_chosen_columns(text)) or kind_of(text) is not None


class _Search:
    def __init__(self) -> None:
        self.tables: list[FoundTable] = []
        self.table: FoundTable | None = None
        self.gap = 0
        self._wrapped_name = ""
        self._columns: tuple[str, ...] = ()
        self._in_functions = False
        self._truss: Kind | None = None

    def of_functions(self) -> None:
        """Begin a table of ltrace, which is not one of system calls."""
        self.close()
        self._in_functions = True

    def in_functions(self, text: str) -> bool:
        """Return whether a line belongs to a table of ltrace; its total is the last one."""
        if not self._in_functions:
            return False
        self._in_functions = bool(text.strip()) and not text.rstrip().endswith(_TOTAL)
        return True

    def left_out(self, text: str) -> None:
        """Note that a line replaces rows of the table."""
        if self.table is not None and not self.table.ended and _LEFT_OUT.match(text):
            self.table.rows_left_out = True

    def close(self) -> None:
        """End the table."""
        table, self.table, self.gap, self._columns = self.table, None, 0, ()
        self._in_functions, self._truss = False, None
        if table is None or not (table.rows or (table.total and table.heading != "missing")):
            return
        is_single = len(table.rows) == 1 and table.heading == "missing" and table.total is None
        if is_single and table.rows[0].syscall not in KNOWN_SYSCALLS:
            return
        if table.rows and not table.names & KNOWN_SYSCALLS:
            return
        self.tables.append(table)

    def heading(self, line: Line) -> None:
        """Begin a table, unless this is the second part of its heading."""
        whole = bool(_WHOLE_HEADING.search(line.text))
        if self.table is None or self.table.rows or self.table.total or whole:
            self.close()
            self.table = FoundTable(line.number, line.number)
        self._columns = _chosen_columns(line.text)
        self.table.heading = "whole" if whole else "cut"
        self.gap = 0

    def truss_heading(self, line: Line, kind: Kind) -> None:
        """Begin a table of truss or dtruss."""
        self.close()
        self.table, self._truss = FoundTable(line.number, line.number, heading="whole"), kind

    def truss_line(self, line: Line) -> bool:
        """Add a line to the table of truss above; return whether it belongs to one."""
        table = self.table
        found = (
            part_of(self._truss, line.text, line.number) if table is not None and self._truss is not None else None
        )
        if table is None or found is None or (table.ended and found[0] != "below"):
            return False
        part, row = found
        if part == "total":
            table.total, table.ended = row, True
        elif row is not None:
            table.rows.append(row)
        table.last, self.gap = line.number, 0
        return True

    def other(self) -> None:
        """Count a line that belongs to no table; after some of them, the table has ended."""
        self.gap += 1
        if self.table is not None and (self.gap > MAX_GAP_LINES or self.table.ended):
            self.close()

    def is_rest_of_row(self, text: str) -> bool:
        """Return whether a line has the name of the row above, which was too long for the terminal."""
        wrapped, self._wrapped_name = self._wrapped_name, ""
        return bool(wrapped) and text.strip() == wrapped

    def row(self, line: Line, found: re.Match[str], following: str) -> None:
        """Add a row, to the table above or to a new one."""
        name = found["name"] or self._name_below(following)
        percent = _number(found["percent"])
        is_whole = percent is not None and round(percent) == 100  # noqa: PLR2004 - per cent
        is_total = name == _TOTAL or (is_whole and bool(name) and _TOTAL.startswith(name))
        if not name:
            self._cut_total(line, is_whole=is_whole)
            return
        if not is_total and name not in KNOWN_SYSCALLS and percent is None:
            self.other()
            return
        if self.table is None or self.table.ended or (name in self.table.names and not is_total):
            self.close()
            self.table = FoundTable(line.number, line.number)
        table = self.table
        table.last = line.number + (1 if self._wrapped_name else 0)
        numbers = [int(number.replace(",", "")) for number in found["whole"].split()]
        if is_total:
            table.total = _total(line.number, found, numbers, table.rows)
            table.total_is_cut = name != _TOTAL
            table.ended = True
        else:
            table.rows.append(_row(line.number, name, found, numbers))
        self.gap = 0

    def chosen_row(self, line: Line) -> bool:
        """Add a row of the columns that `strace -U` was asked for; return whether it was one."""
        table, words = self.table, line.text.split()
        if table is None or table.ended or not self._columns:
            return False
        columns = self._columns if len(words) == len(self._columns) else _without_errors(self._columns)
        values = dict(zip(columns, words, strict=False))
        name, calls = values.get("syscall", ""), values.get("calls", "")
        if len(words) != len(columns) or not calls.isdigit() or name not in (*KNOWN_SYSCALLS, _TOTAL):
            return False
        row = TableRow(
            line=line.number,
            syscall=name,
            percent=_number(values.get("% time")),
            seconds=_number(values.get("seconds")),
            usecs_per_call=int(values["usecs/call"]) if values.get("usecs/call", "").isdigit() else None,
            calls=int(calls),
            errors=int(values["errors"]) if values.get("errors", "").isdigit() else 0,
        )
        # It is cut only if the rows have more columns than it.
        table.heading, table.last, self.gap = "whole", line.number, 0
        if name == _TOTAL:
            table.total, table.ended = row, True
        else:
            table.rows.append(row)
        return True

    def _name_below(self, following: str) -> str:
        name = _NAME_ONLY.match(following)
        if self.table is None or name is None or not (name[1] in KNOWN_SYSCALLS or name[1] == _TOTAL):
            return ""
        self._wrapped_name = following.strip()
        return name[1]

    def _cut_total(self, line: Line, *, is_whole: bool) -> None:
        if self.table is None or not is_whole:
            self.other()
            return
        self.table.last, self.table.total_is_cut, self.table.ended = line.number, True, True


def _chosen_columns(text: str) -> tuple[str, ...]:
    """Return the titles of a line that has nothing else, among them those of calls and names; otherwise nothing."""
    titles = tuple(_TITLES.findall(text))
    is_unique = len({*titles}) == len(titles)
    found = is_unique and {"calls", "syscall"} <= {*titles} and not _TITLES.sub("", text).strip()
    return titles if found else ()


def _without_errors(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a row in which the number of errors is blank."""
    return tuple(title for title in columns if title != "errors")


def _number(text: str | None) -> float | None:
    return None if text is None else float(text.replace(",", "."))


def _row(line: int, name: str, found: re.Match[str], numbers: list[int]) -> TableRow:
    """Return a row: usecs/call, calls and errors if there are any; a single number is that of the calls."""
    usecs = numbers.pop(0) if len(numbers) > 1 else None
    return TableRow(
        line=line,
        syscall=name,
        percent=_number(found["percent"]),
        seconds=_number(found["seconds"]),
        usecs_per_call=usecs,
        calls=numbers[0],
        errors=numbers[1] if len(numbers) > 1 else 0,
    )


def _total(line: int, found: re.Match[str], numbers: list[int], rows: list[TableRow]) -> TableRow:
    """Return the total. Old versions of strace print no usecs/call there, and nothing if there are no errors."""
    calls = sum(row.calls for row in rows)
    errors = sum(row.errors for row in rows)
    usecs: int | None = None
    if len(numbers) == 3:  # noqa: PLR2004 - usecs/call, calls, errors
        usecs, *numbers = numbers
    elif len(numbers) == 2:  # noqa: PLR2004 - calls and errors, or usecs/call and calls
        seconds = _number(found["seconds"]) or 0
        mean = int(seconds * 1_000_000 / numbers[1]) if numbers[1] else -1
        is_new = numbers[1] == calls or (numbers[0] != calls and numbers[1] != errors and abs(mean - numbers[0]) <= 1)
        if is_new and not (numbers[0] == calls and numbers[1] == errors):
            usecs, *numbers = numbers
    return TableRow(
        line=line,
        syscall=_TOTAL,
        percent=_number(found["percent"]),
        seconds=_number(found["seconds"]),
        usecs_per_call=usecs,
        calls=numbers[0],
        errors=numbers[1] if len(numbers) > 1 else 0,
    )
