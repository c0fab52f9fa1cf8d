"""Reading what strace wrote: `strace -f -o LOG`, and the table of `strace -c`.

A log's line is `PID name(arguments) = result ERRNO (text)`. Two programs show in it: first the launcher, which
takes the student's uid and limits, then, from the execve that starts it, the student's. Only the second counts;
its execve counts with it, as it does when a student types `strace -c ./program`.

If the lab judges the calls on a file that the program opens by its name, other calls of the log tell which file a
descriptor is of (open_files.py). `strace -y` would show it, but in a container it may not read the descriptors of a
process with another uid, and verdicts must not depend on the sandbox.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from .open_files import OPENS, UNKNOWN, OpenFiles

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
    """A call that moves bytes, and the file of its descriptor. `nbyte` is None if the log lacks it."""

    name: str
    descriptor: int
    file: int
    nbyte: int | None
    result: int
    errno: str | None


class StraceLog(SimpleNamespace):
    """What a log holds: the launcher's calls by name, and the program's by name and stream.

    `stdin` and `stdout` are the streams that the lab judges. If it judges a file in place of standard input or
    output, `input_file` or `output_file` is its path, and `files` knows which descriptors are of it. `unknown_reads`
    and `unknown_writes` are calls that may be on such a file, or on another one. `moved` has all transfers until the
    end of the log, which shows what file the output is.
    """

    def __init__(self, input_file: str | None = None, output_file: str | None = None) -> None:
        super().__init__(input_file=input_file, output_file=output_file)
        folder = os.path.dirname(input_file or output_file or "")
        self.files = OpenFiles(folder, input_file, output_file) if folder else None
        self.launcher: Counter[str] = Counter()
        self.launcher_errors: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.stdin, self.stdout, self.other_reads, self.other_writes = (StreamCounter() for _ in range(4))
        self.transfers: dict[tuple[str, int, bool], TransferCounter] = {}
        self.unknown_reads = self.unknown_writes = 0
        self.moved: Counter[Transferring] = Counter()
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
            "unknown_reads": self.unknown_reads,
            "unknown_writes": self.unknown_writes,
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
            if log.started and len(log.excerpt) < EXCERPT_LINES and (log.excerpt or _begins_excerpt(log, pid, call)):
                log.excerpt.append(text)
        elif exited := _EXITED.match(text):
            _ended(log, pid, code=int(exited["code"]))
        elif killed := _KILLED.match(text):
            _ended(log, pid, signal=killed["signal"])
        elif not text.startswith("--- "):
            log.unreadable += 1
    for moved, times in log.moved.items():
        _count_transfer(log, moved, times)
    return log


def _without_transfers(lines: Iterable[str], log: StraceLog) -> Iterator[str]:
    """Count whole lines of plain transfers, equal ones together, and yield all others.

    Reading such a line the general way gives the same counts, ten times as slowly. The first lines are read that way,
    because the excerpt shows them.
    """
    equal: Counter[tuple[str, str, int, str, str, str | None]] = Counter()
    for line in lines:
        transfer = _TRANSFER_LINE.match(line) if len(log.excerpt) >= EXCERPT_LINES else None
        if transfer is None or transfer["pid"] not in log.running:
            yield line
        else:
            pid, name, descriptor, nbyte, result, errno = transfer.group(
                "pid", "name", "fd", "nbyte", "result", "errno"
            )
            # Found now, because the descriptor may become that of another file.
            equal[name, descriptor, _file_of(log, pid, descriptor), nbyte, result, errno] += 1
    for (name, descriptor, file, nbyte, result, errno), times in equal.items():
        log.calls[name] += times
        log.errors[name] += times if errno else 0
        log.moved[Transferring(name, int(descriptor), file, int(nbyte), int(result), errno)] += times


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
            if log.files is not None:
                log.files.appeared(pid, begun.items())
        if unfinished := _UNFINISHED.search(text):
            begun[pid] = text[: unfinished.start()]
            continue
        if superseded := _SUPERSEDED.match(text):
            # A thread that calls execve takes over the number of its process, and its own number is gone.
            log.running.discard(superseded["thread"])
            begun[pid] = begun.pop(superseded["thread"], "")
            if log.files is not None:
                log.files.superseded(pid, superseded["thread"])
            continue
        if resumed := _RESUMED.match(text):
            text = begun.pop(pid, "") + resumed["end"]
        yield pid, text


def _count(log: StraceLog, pid: str, call: re.Match[str]) -> None:
    name, arguments, result = call["name"], call["arguments"], call["result"]
    if name == "execve" and result == "0" and pid == log.main_pid:
        log.execs += 1
        if log.execs == LAUNCHER_EXECS + 1 and log.files is not None:
            log.files.start(pid)
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
        log.input_mappings += _maps_input(log, pid, arguments)
    if name in _READS or name in _WRITES:
        _note_transfer(log, pid, call)
    elif not failed and log.files is not None:
        log.files.follow(pid, name, arguments, result)
    elif failed and name in OPENS and (path := _PATH.search(arguments)) and len(log.failed_opens) < MAX_FAILED_OPENS:
        log.failed_opens[path[1][:MAX_PATH_CHARS], call["errno"]] = None


def _maps_input(log: StraceLog, pid: str, arguments: str) -> bool:
    mapping = _MAPPING.match(arguments)
    if mapping is None or "MAP_ANONYMOUS" in mapping["flags"]:
        return False
    return _is_judged(log, pid, "read", mapping["fd"])


def _note_transfer(log: StraceLog, pid: str, call: re.Match[str]) -> None:
    transfer = _TRANSFER.match(call["arguments"])
    if transfer is None:
        log.unreadable += 1
        return
    plain = call["name"] in ("read", "write") and transfer["nbyte"] is not None
    nbyte = int(transfer["nbyte"]) if plain else None
    file = _file_of(log, pid, transfer["fd"])
    moving = Transferring(call["name"], int(transfer["fd"]), file, nbyte, int(call["result"], 0), call["errno"])
    log.moved[moving] += 1


def _count_transfer(log: StraceLog, call: Transferring, times: int) -> None:
    """Count equal calls, when it is known which file is the output."""
    reads = call.name in _READS
    on_stream = _is_on_stream(log, call.name, str(call.descriptor), call.file)
    own, other = (log.stdin, log.other_reads) if reads else (log.stdout, log.other_writes)
    stream = own if on_stream else other
    stream.add(call.nbyte, call.result, times)
    judged = _judged_file(log, call.name)
    if call.result > 0 and judged is not None and UNKNOWN in (call.file, judged):
        log.unknown_reads += times if reads else 0
        log.unknown_writes += 0 if reads else times
    key = call.name, call.descriptor, on_stream
    if key in log.transfers or len(log.transfers) < MAX_TRANSFERS:
        log.transfers.setdefault(key, TransferCounter()).add(call.result, call.errno, times)


def _file_of(log: StraceLog, pid: str, descriptor: str) -> int:
    """Return the file of a descriptor; it matters only if the lab judges files."""
    return UNKNOWN if log.files is None else log.files.file_of(pid, descriptor)


def _judged_file(log: StraceLog, name: str) -> int | None:
    """Return the file that is judged, as far as it is known now, or None for a standard stream."""
    if log.files is None:
        return None
    return log.files.input if name in _READS else log.files.output


def _is_on_stream(log: StraceLog, name: str, descriptor: str, file: int) -> bool:
    """Return whether a call is on the stream that the lab judges, as far as it is known now."""
    judged = _judged_file(log, name)
    if judged is not None:
        return file == judged != UNKNOWN
    return descriptor == ("0" if name in _READS else "1")


def _is_judged(log: StraceLog, pid: str, name: str, descriptor: str) -> bool:
    return _is_on_stream(log, name, descriptor, _file_of(log, pid, descriptor))


def _begins_excerpt(log: StraceLog, pid: str, call: re.Match[str]) -> bool:
    """Return whether a call is on a stream that the lab judges, or opens the file of one."""
    if call["name"] in OPENS:
        file = _file_of(log, pid, call["result"])
        return file != UNKNOWN and log.files is not None and file in (log.files.input, log.files.output)
    descriptor = call["arguments"].partition(",")[0]
    return call["name"] in _READS | _WRITES and any(
        _is_judged(log, pid, kind, descriptor) for kind in ("read", "write")
    )


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
