"""Reading what strace wrote: `strace -f -o LOG`, and the table of `strace -c`.

A log's line is `PID name(arguments) = result ERRNO (text)`. Two programs show in it: first the launcher, which
takes the student's uid and limits, then, from the execve that starts it, the student's. Only the second counts;
its execve counts with it, as it does when a student types `strace -c ./program`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

MAX_TRANSFERS = 24
"""Most combinations of a call and a descriptor to count one by one; the first ones are the standard streams'."""

MAX_FAILED_OPENS = 8
MAX_PATH_CHARS = 200

EXCERPT_LINES = 40
"""Lines kept for people, from the first call on standard input or output; the loader's calls come before it."""

_UNFINISHED = re.compile(r" *<(?:unfinished|pid changed to \d+) \.\.\.>$")

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
    r'^(?P<pid>\d+) +(?P<name>read|write)\((?P<fd>\d+), (?:"[^"\\]*(?:\\.[^"\\]*)*"(?:\.\.\.)?|0x[0-9a-f]+|NULL),'
    r" (?P<nbyte>\d+)\) += (?P<result>-?\d+)(?: (?P<errno>E\w+) \([^()]*\))?\n$"
)
# % time, seconds, usecs/call, calls, errors if there were any, syscall
_ROW = re.compile(r"^ *[\d.]+ +[\d.]+ +\d+ +(?P<calls>\d{1,19})(?: +(?P<errors>\d{1,19}))? +(?P<name>\w+)$")
_ON_STANDARD_STREAM = re.compile(r"^p?(read|write)v?(64)?\([01],")
# The address, length and protection of mmap come first.
_INPUT_MAPPING = re.compile(r"^[^,]+, \d+, [^,]+, (?P<flags>[^,]+), 0, ")
_OPENS = frozenset({"open", "openat", "openat2", "creat"})
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
    """Counts one call on one descriptor: the fields of a Transfer (grader/model/evidence.py) besides these two."""

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


class StraceLog(SimpleNamespace):
    """What a log holds: the launcher's calls by name, and the program's by name and stream."""

    def __init__(self) -> None:
        super().__init__()
        self.launcher: Counter[str] = Counter()
        self.launcher_errors: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.stdin, self.stdout, self.other_reads, self.other_writes = (StreamCounter() for _ in range(4))
        self.transfers: dict[tuple[str, int], TransferCounter] = {}
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
                {"name": name, "descriptor": descriptor, **vars(counter)}
                for (name, descriptor), counter in sorted(self.transfers.items())
            ],
            "failed_opens": [{"path": path, "error": error} for path, error in self.failed_opens],
            "excerpt": "\n".join(self.excerpt),
        }


def call_table(calls: Counter[str], errors: Counter[str]) -> dict[str, dict[str, int]]:
    """Return {name: {calls, errors}} for every name that was called."""
    return {name: {"calls": count, "errors": errors[name]} for name, count in sorted(calls.items()) if count}


def read_log(lines: Iterable[str]) -> StraceLog:
    """Read the log of one traced program; lines that cannot be read make the log incomplete."""
    log = StraceLog()
    for pid, text in _whole_calls(_without_transfers(lines, log), log):
        call = _CALL.match(text)
        if call:
            _count(log, pid, call)
            if log.started and len(log.excerpt) < EXCERPT_LINES and (log.excerpt or _ON_STANDARD_STREAM.match(text)):
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
    equal: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        transfer = _TRANSFER_LINE.match(line) if len(log.excerpt) >= EXCERPT_LINES else None
        if transfer is None or transfer["pid"] not in log.running:
            yield line
        else:
            equal[transfer.group("name", "fd", "nbyte", "result", "errno")] += 1
    for (name, descriptor, nbyte, result, errno), times in equal.items():
        log.calls[name] += times
        log.errors[name] += times if errno else 0
        _stream(log, name, descriptor).add(int(nbyte), int(result), times)
        _transfer(log, name, descriptor).add(int(result), errno, times)


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
        mapping = _INPUT_MAPPING.match(arguments)
        log.input_mappings += mapping is not None and "MAP_ANONYMOUS" not in mapping["flags"]
    if name in _READS or name in _WRITES:
        transfer = _TRANSFER.match(arguments)
        if transfer is None:
            log.unreadable += 1
            return
        plain = name in ("read", "write") and transfer["nbyte"] is not None
        _stream(log, name, transfer["fd"]).add(int(transfer["nbyte"]) if plain else None, int(result, 0))
        _transfer(log, name, transfer["fd"]).add(int(result, 0), call["errno"], 1)
    elif failed and name in _OPENS:
        path = _PATH.search(arguments)
        if path is not None and len(log.failed_opens) < MAX_FAILED_OPENS:
            log.failed_opens[path[1][:MAX_PATH_CHARS], call["errno"]] = None


def _transfer(log: StraceLog, name: str, descriptor: str) -> TransferCounter:
    key = name, int(descriptor)
    if key not in log.transfers and len(log.transfers) >= MAX_TRANSFERS:
        return TransferCounter()
    counter: TransferCounter = log.transfers.setdefault(key, TransferCounter())
    return counter


def _stream(log: StraceLog, name: str, descriptor: str) -> StreamCounter:
    if name in _READS:
        return log.stdin if descriptor == "0" else log.other_reads
    return log.stdout if descriptor == "1" else log.other_writes


def _ended(log: StraceLog, pid: str, *, code: int | None = None, signal: str | None = None) -> None:
    log.running.discard(pid)
    if pid == log.main_pid:
        log.exit_code, log.signal = code, signal


def read_summary(lines: Iterable[str], short: StraceLog) -> dict[str, dict[str, int]]:
    """Read the table of `strace -c` and take the launcher's calls off it; return {name: {calls, errors}}.

    The table counts from the launcher's start. The launcher's calls are the same in every run, and known from the
    log of a short one.
    """
    calls: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for row in filter(None, map(_ROW.match, lines)):
        if row["name"] != "total":
            calls[row["name"]] = int(row["calls"])
            errors[row["name"]] = int(row["errors"] or 0)
    calls.subtract(short.launcher)
    errors.subtract(short.launcher_errors)
    return call_table(calls, errors)
