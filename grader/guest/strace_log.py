"""Reading what strace wrote: `strace -f -o LOG`, and the table of `strace -c`.

A log's line is `PID name(arguments) = result ERRNO (text)`. Two programs show in it: first the launcher, which
takes the student's uid and limits, then, from the execve that starts it, the student's. Only the second counts;
its execve counts with it, as it does when a student types `strace -c ./program`.

If the lab judges the calls on a file that the program opens by its name, the log's calls of open, dup and close tell
which file a descriptor is of. `strace -y` would show it, but in a container it may not read the descriptors of a
process with another uid, and verdicts must not depend on the sandbox.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

MAX_TRANSFERS = 24
"""Most combinations of a call and a descriptor to count one by one, the first ones of the log."""

MAX_FAILED_OPENS = 8
MAX_PATH_CHARS = 200

EXCERPT_LINES = 40
"""Lines kept for people, from the first call on a judged stream, or that opens its file; the loader's come before."""

# A path may consist of spaces: a search that begins again at each of them takes 60 ms for one line.
_UNFINISHED = re.compile(r"(?<! ) *<(?:unfinished|pid changed to \d+) \.\.\.>$")

LAUNCHER_EXECS = 1
"""strace itself executes the launcher; the next successful execve is the student's program."""

_LINE = re.compile(r"^(?P<pid>\d+) +(?P<rest>.*)$", re.DOTALL)
# ???: a thread was killed before strace knew which call it was to make.
_CALL = re.compile(
    r"^(?P<name>\w+|\?{3})\((?P<arguments>.*)\)\s+= (?P<result>-?\d+|\?|0x[0-9a-f]+)(?: (?P<errno>E\w+))?"
)
_RESUMED = re.compile(r"^<\.\.\. (?:\w+|\?{3}) resumed>(?P<end>.*)$")
_EXITED = re.compile(r"^\+\+\+ exited with (?P<code>\d+) \+\+\+$")
_SUPERSEDED = re.compile(r"^\+\+\+ superseded by execve in pid (?P<thread>\d+) \+\+\+$")
_KILLED = re.compile(r"^\+\+\+ killed by (?P<signal>SIG\w+)(?: \(core dumped\))? \+\+\+$")
# The buffer is a string as strace writes it (quotes and backslashes escaped, cut with …) or an address.
_TRANSFER = re.compile(
    r'^(?P<fd>-?\d+),\s*(?:"(?:[^"\\]|\\.)*"(?:\.\.\.)?|0x[0-9a-f]+|NULL)?(?:,\s*)?(?P<nbyte>\d+)?'
)
# A whole line of the most common kind, of which there are thousands: a transfer that was not torn in two.
_TRANSFER_LINE = re.compile(
    r"^(?P<pid>\d+) +(?P<name>read|write)\((?P<fd>\d+), "
    r'(?:"[^"\\]*(?:\\.[^"\\]*)*"(?:\.\.\.)?|0x[0-9a-f]+|NULL),'
    r" (?P<nbyte>\d+)\) += (?P<result>-?\d+)(?: (?P<errno>E\w+) \([^()]*\))?\n$"
)
# % time, seconds, usecs/call, calls, errors if there were any, syscall
_ROW = re.compile(r"^ *[\d.]+ +[\d.]+ +\d+ +(?P<calls>\d{1,19})(?: +(?P<errors>\d{1,19}))? +(?P<name>\w+)$")
# The address, length and protection of mmap come first.
_MAPPING = re.compile(r"^[^,]+, \d+, [^,]+, (?P<flags>[^,]+), (?P<fd>-?\d+), ")
_OPENS = frozenset({"open", "openat", "openat2", "creat"})
# openat counts from the working folder, or its path is absolute.
_OPENED = re.compile(r'^(?:AT_FDCWD, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_COPIES_DESCRIPTOR = frozenset({"dup", "dup2", "dup3", "fcntl"})
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_READS = frozenset({"read", "pread64", "readv", "preadv", "preadv2"})
_WRITES = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2"})


# Namespaces, because dataclasses would take a tenth of the guest's start.
class StreamCounter(SimpleNamespace):
    """Counts the calls that moved bytes through one stream: the fields of a StreamCalls (grader/model/evidence.py).

    nbyte is what plain read and write calls asked for.
    """

    calls: int
    bytes: int
    nbyte_min: int | None
    nbyte_max: int | None

    def __init__(self, **known: int | None) -> None:
        super().__init__(**{"calls": 0, "bytes": 0, "nbyte_min": None, "nbyte_max": None, **known})

    def add(self, nbyte: int | None, result: int, times: int = 1) -> None:
        """Count a call; if nbyte is not in the log (readv), use the result of the call."""
        nbyte = result if nbyte is None else nbyte
        self.calls += times
        self.bytes += max(result, 0) * times
        self.nbyte_min = nbyte if self.nbyte_min is None else min(self.nbyte_min, nbyte)
        self.nbyte_max = nbyte if self.nbyte_max is None else max(self.nbyte_max, nbyte)


class TransferCounter(SimpleNamespace):
    """Counts one call on one descriptor: the last fields of a Transfer (grader/model/evidence.py)."""

    calls: int
    bytes: int
    errors: Counter[str]

    def __init__(self) -> None:
        super().__init__(calls=0, bytes=0, errors=Counter())

    def add(self, result: int, errno: str | None, times: int) -> None:
        """Count calls with the same result."""
        self.calls += times
        self.bytes += max(result, 0) * times
        if errno is not None:
            self.errors[errno] += times


class Transferring(NamedTuple):
    """A call that moves bytes; `on_stream`: on a stream that the lab judges. `nbyte` is None if the log lacks it."""

    name: str
    descriptor: int
    on_stream: bool
    nbyte: int | None


class StraceLog(SimpleNamespace):
    """What a log holds: the launcher's calls by name, and the program's by name and stream.

    `stdin` and `stdout` are the streams that the lab judges. If it judges a file in place of standard input or
    output, `input_file` or `output_file` is its path. `opened` has the paths of open files by descriptor.
    """

    def __init__(self, input_file: str | None = None, output_file: str | None = None) -> None:
        super().__init__(input_file=input_file, output_file=output_file)
        self.launcher: Counter[str] = Counter()
        self.launcher_errors: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.stdin, self.stdout, self.other_reads, self.other_writes = (StreamCounter() for _ in range(4))
        self.transfers: dict[tuple[str, int, bool], TransferCounter] = {}
        self.opened: dict[str, str] = {}
        self.moved = False
        self.failed_opens: dict[tuple[str, str], None] = {}
        self.input_mappings = 0
        self.excerpt: list[str] = []
        self.running: set[str] = set()
        self.main_pid = ""
        self.exit_code: int | None = None
        self.signal: str | None = None
        self.execs = 0
        self.unreadable = 0

    @property
    def started(self) -> bool:
        """Whether the student's program was executed."""
        return self.execs > LAUNCHER_EXECS

    @property
    def complete(self) -> bool:
        """Whether the log shows the program from its execve to the end of each of its processes."""
        return self.started and not self.running and not self.unreadable

    def as_trace(self) -> dict[str, Any]:
        """Return the fields of a Trace (grader/model/evidence.py)."""
        return {
            "complete": self.complete,
            "calls": call_table(self.calls, self.errors),
            "stdin": vars(self.stdin),
            "stdout": vars(self.stdout),
            "other_reads": vars(self.other_reads),
            "other_writes": vars(self.other_writes),
            "input_mappings": self.input_mappings,
            "transfers_only": False,
            "transfers": [
                {"name": name, "descriptor": descriptor, "on_stream": on_stream, **vars(counter)}
                for (name, descriptor, on_stream), counter in sorted(self.transfers.items())
            ],
            "failed_opens": [{"path": path, "error": error} for path, error in self.failed_opens],
            "excerpt": "\n".join(self.excerpt),
        }


def call_table(calls: Counter[str], errors: Counter[str]) -> dict[str, dict[str, int]]:
    """Return {name: {calls, errors}} for every name that was called."""
    return {name: {"calls": count, "errors": errors[name]} for name, count in sorted(calls.items()) if count}


def read_log(lines: Iterable[str], input_file: str | None = None, output_file: str | None = None) -> StraceLog:
    """Read the log of one traced program; lines that cannot be read make the log incomplete.

    `input_file` and `output_file` are the paths of files that are judged in place of standard input and output.
    """
    log = StraceLog(input_file, output_file)
    for pid, text in _whole_calls(_without_transfers(lines, log), log):
        call = _CALL.match(text)
        if call:
            _count(log, pid, call)
            if log.started and len(log.excerpt) < EXCERPT_LINES and (log.excerpt or _begins_excerpt(log, call)):
                log.excerpt.append(text)
        elif exited := _EXITED.match(text):
            _ended(log, pid, code=int(exited["code"]))
        elif killed := _KILLED.match(text):
            _ended(log, pid, signal=killed["signal"])
        elif not text.startswith("--- "):
            log.unreadable += 1
    return log


def _without_transfers(lines: Iterable[str], log: StraceLog) -> Iterator[str]:
    """Count whole lines of plain transfers, equal ones together, and yield all others.

    Reading such a line the general way gives the same counts, ten times as slowly. The first lines are read that way,
    because the excerpt shows them.
    """
    equal: Counter[tuple[str, str, bool, str, str, str | None]] = Counter()
    for line in lines:
        transfer = _TRANSFER_LINE.match(line) if len(log.excerpt) >= EXCERPT_LINES else None
        if transfer is None or transfer["pid"] not in log.running:
            yield line
        else:
            name, descriptor, nbyte, result, errno = transfer.group("name", "fd", "nbyte", "result", "errno")
            # Decided now, because the descriptor may become that of another file.
            equal[name, descriptor, _is_judged(log, name, descriptor), nbyte, result, errno] += 1
    for (name, descriptor, on_stream, nbyte, result, errno), times in equal.items():
        log.calls[name] += times
        log.errors[name] += times if errno else 0
        _count_transfer(log, Transferring(name, int(descriptor), on_stream, int(nbyte)), int(result), errno, times)


def _whole_calls(lines: Iterable[str], log: StraceLog) -> Iterator[tuple[str, str]]:
    """Yield (pid, text), with calls joined that strace tore in two because another process came between."""
    begun: dict[str, str] = {}
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if not match or not line.endswith("\n"):
            log.unreadable += 1
            continue
        pid, text = match["pid"], match["rest"]
        log.main_pid = log.main_pid or pid
        if pid not in log.running and not text.startswith("+++"):
            log.running.add(pid)
        if unfinished := _UNFINISHED.search(text):
            begun[pid] = text[: unfinished.start()]
            continue
        if superseded := _SUPERSEDED.match(text):
            # A thread that calls execve takes over the number of its process, and its own number is gone.
            log.running.discard(superseded["thread"])
            begun[pid] = begun.pop(superseded["thread"], "")
            continue
        if resumed := _RESUMED.match(text):
            text = begun.pop(pid, "") + resumed["end"]
        yield pid, text


def _count(log: StraceLog, pid: str, call: re.Match[str]) -> None:
    name, arguments, result = call["name"], call["arguments"], call["result"]
    if name == "execve" and result == "0" and pid == log.main_pid:
        log.execs += 1
    if result == "?":
        # exit_group, or a call that the program died in. It never returned, and strace -c leaves it out.
        return
    failed = call["errno"] is not None
    # strace names calls that do not exist by their number, of which there are many.
    name = "unknown" if name.startswith("syscall_0x") else name
    if not log.started:
        log.launcher[name] += 1
        log.launcher_errors[name] += failed
        return
    log.calls[name] += 1
    log.errors[name] += failed
    if name == "mmap" and not failed:
        mapping = _MAPPING.match(arguments)
        log.input_mappings += (
            mapping is not None and "MAP_ANONYMOUS" not in mapping["flags"] and _is_judged(log, "read", mapping["fd"])
        )
    if name in _READS or name in _WRITES:
        transfer = _TRANSFER.match(arguments)
        if transfer is None:
            log.unreadable += 1
            return
        plain = name in ("read", "write") and transfer["nbyte"] is not None
        on_stream = _is_judged(log, name, transfer["fd"])
        moving = Transferring(name, int(transfer["fd"]), on_stream, int(transfer["nbyte"]) if plain else None)
        _count_transfer(log, moving, int(result, 0), call["errno"], 1)
    elif not failed and (log.input_file or log.output_file):
        _follow(log, name, arguments, result)
    elif failed and name in _OPENS:
        path = _PATH.search(arguments)
        if path is not None and len(log.failed_opens) < MAX_FAILED_OPENS:
            log.failed_opens[path[1][:MAX_PATH_CHARS], call["errno"]] = None


def _count_transfer(log: StraceLog, call: Transferring, result: int, errno: str | None, times: int) -> None:
    """Count equal calls."""
    if call.name in _READS:
        stream = log.stdin if call.on_stream else log.other_reads
    else:
        stream = log.stdout if call.on_stream else log.other_writes
    stream.add(call.nbyte, result, times)
    key = call.name, call.descriptor, call.on_stream
    if key in log.transfers or len(log.transfers) < MAX_TRANSFERS:
        log.transfers.setdefault(key, TransferCounter()).add(result, errno, times)


def _is_judged(log: StraceLog, name: str, descriptor: str) -> bool:
    """Return whether a call is on the stream that the lab judges."""
    reads = name in _READS
    judged_file = log.input_file if reads else log.output_file
    if judged_file is not None:
        return bool(log.opened.get(descriptor) == judged_file)
    return descriptor == ("0" if reads else "1")


def _follow(log: StraceLog, name: str, arguments: str, result: str) -> None:
    """Note which file a descriptor is of, as far as the calls show it."""
    if name in _OPENS:
        path = _OPENED.match(arguments)
        # After chdir, a relative path is one of another folder.
        known = path is not None and not (log.moved and not path["path"].startswith("/"))
        folder = os.path.dirname(log.input_file or log.output_file or "")
        log.opened[result] = os.path.normpath(os.path.join(folder, path["path"])) if path and known else ""
    elif name in _COPIES_DESCRIPTOR and (name != "fcntl" or "F_DUPFD" in arguments):
        log.opened[result] = log.opened.get(arguments.partition(",")[0], "")
    elif name == "close":
        log.opened.pop(arguments, None)
    elif name in {"chdir", "fchdir"}:
        log.moved = True


def _begins_excerpt(log: StraceLog, call: re.Match[str]) -> bool:
    """Return whether a call is on a stream that the lab judges, or opens the file of one."""
    if call["name"] in _OPENS:
        file = log.opened.get(call["result"])
        return file is not None and file in (log.input_file, log.output_file)
    descriptor = call["arguments"].partition(",")[0]
    return call["name"] in _READS | _WRITES and any(_is_judged(log, kind, descriptor) for kind in ("read", "write"))


def _ended(log: StraceLog, pid: str, *, code: int | None = None, signal: str | None = None) -> None:
    log.running.discard(pid)
    if pid == log.main_pid:
        log.exit_code, log.signal = code, signal


def read_summary(lines: Iterable[str], short: StraceLog) -> tuple[dict[str, dict[str, int]], bool]:
    """Read the table of `strace -c` and take the launcher's calls off it; return {name: {calls, errors}}.

    The table counts from the launcher's start. The launcher's calls are the same in every run, and known from the
    log of a short one. Return also whether the table is complete: its last line has the sum of all calls.
    """
    total = -1
    calls: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for row in filter(None, map(_ROW.match, lines)):
        if row["name"] == "total":
            total = int(row["calls"])
        else:
            calls[row["name"]] = int(row["calls"])
            errors[row["name"]] = int(row["errors"] or 0)
    is_complete = total == sum(calls.values())
    calls.subtract(short.launcher)
    errors.subtract(short.launcher_errors)
    return call_table(calls, errors), is_complete and min(calls.values(), default=0) >= 0
