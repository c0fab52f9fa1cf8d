"""What strace saw of a program's reads, writes and opens that explains why nothing, or not everything, was copied."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal, NamedTuple

from grader.diagnose.behaviour.words import shown_path
from grader.model.counted import counted
from grader.model.evidence import READ_CALLS, WRITE_CALLS, Trace, Transfer

PLAIN = {"read", "write"}
STREAMS = {0: "standard input", 1: "standard output", 2: "standard error"}

ERRORS: Mapping[str, str] = {
    "EAGAIN": "EAGAIN, nothing can be read or written just now",
    "EBADF": "EBADF, the descriptor is not open for this",
    "EFAULT": "EFAULT, a bad address",
    "EINVAL": "EINVAL, an invalid argument",
    "EIO": "EIO, an input or output error",
    "EISDIR": "EISDIR, it is a folder",
    "ENOENT": "ENOENT, there is no such file",
    "EACCES": "EACCES, permission denied",
    "ESPIPE": "ESPIPE, a pipe has no position",
}

OF_THE_LIMITS = {"EFBIG", "EPIPE"}
"""Errors that a program gets when the grader stops it."""

SYSTEM_FOLDERS = ("/usr/", "/lib", "/etc/", "/proc/", "/sys/", "/dev/")
"""Where libraries look for files that need not exist."""

_ADVICE = {
    "EFAULT": "The second argument must be the address of memory that the program may use, such as &c, and not a "
    "pointer that was never set, a string literal, or a value in place of an address.",
    "EAGAIN": "EAGAIN is not the end of the input: it comes from O_NONBLOCK.",
    "ESPIPE": "A pipe has no position, so lseek and pread fail: read it from its beginning to its end.",
}
_LOOK_AT_RESULTS = "Look at what your program does if a call returns -1: perror says why it failed."
_DESCRIPTORS = "Standard input is descriptor 0, standard output is 1, and standard error is 2."


class CallFact(NamedTuple):
    """One thing that the log shows, as the predicate of a sentence, and advice; `call` is made instead of another."""

    what: str
    advice: str
    about: Literal["failure", "name", "missing", "unwritten", "pipe"] = "failure"
    call: str = ""


def call_facts(trace: Trace | None, usual: Trace | None) -> tuple[CallFact, ...]:
    """Return what is unusual in a log, the likeliest reason first; `usual` is that of a right program."""
    if trace is None or not trace.transfers:
        return ()
    return (
        *_failed_opens(trace, usual),
        *_failed_calls(trace),
        *_other_descriptors(trace),
        *_missing_calls(trace, usual),
    )


SLEEPS = ("nanosleep", "clock_nanosleep")
"""What sleep, usleep and similar functions call."""

LEAST_SLEEPS = 100


def sleeping(trace: Trace | None, usual: Trace | None, size_bytes: int) -> Iterator[CallFact]:
    """Say that a run that ended slept again and again; `size_bytes` is the size of its input."""
    for name in SLEEPS:
        times = trace.calls[name].calls if trace is not None and trace.complete and name in trace.calls else 0
        if times >= LEAST_SLEEPS and (usual is None or name not in usual.calls):
            yield CallFact(
                f"calls {name} {times:,} times for an input of {size_bytes:,} bytes",
                "Remove the call that sleeps (usleep, nanosleep or sleep): even the shortest sleep takes much longer"
                " than copying a byte.",
            )


def _failed_opens(trace: Trace, usual: Trace | None) -> Iterator[CallFact]:
    expected = usual.failed_opens if usual is not None else ()
    for failed in trace.failed_opens:
        if failed not in expected and not failed.path.startswith(SYSTEM_FOLDERS):
            yield CallFact(
                f"cannot open {shown_path(failed.path)} ({_error(failed.error)})",
                "The input comes from standard input, which is open already: no file has to be opened.",
            )


def _failed_calls(trace: Trace) -> Iterator[CallFact]:
    for transfer in trace.transfers:
        for error, times in transfer.errors.items():
            if error in OF_THE_LIMITS:
                continue
            call = f"{transfer.name} of {_descriptor(transfer.descriptor)}"
            if transfer.calls == times:
                which = f"its only {call} fails" if times == 1 else f"all {times:,} calls of {call} fail"
            else:
                fail = "fails" if times == 1 else "fail"
                which = f"{times:,} of {counted(transfer.calls, 'call')} of {call} {fail}"
            yield CallFact(f"{which} ({_error(error)})", _advice_on_error(transfer, error))


def _advice_on_error(transfer: Transfer, error: str) -> str:
    if error != "EBADF":
        return _ADVICE.get(error, _LOOK_AT_RESULTS)
    usual = 0 if transfer.name in READ_CALLS else 1
    if transfer.descriptor == usual:
        return f"Look for a close or fclose that has closed {STREAMS[usual]}."
    return f"The {transfer.name} names descriptor {transfer.descriptor}, but {STREAMS[usual]} is descriptor {usual}."


def _other_descriptors(trace: Trace) -> Iterator[CallFact]:
    """Say that input or output goes through another descriptor than it should."""
    if not _of(trace, READ_CALLS, 0):
        for transfer in trace.transfers:
            if transfer.name in READ_CALLS and transfer.descriptor in (1, 2) and not transfer.errors:
                yield CallFact(f"reads {_descriptor(transfer.descriptor)} instead of standard input", _DESCRIPTORS)
    if not _of(trace, WRITE_CALLS, 1):
        for transfer in trace.transfers:
            if transfer.name in WRITE_CALLS and transfer.descriptor == 0 and not transfer.errors:
                yield CallFact("writes to descriptor 0, which is standard input", _DESCRIPTORS)


def _missing_calls(trace: Trace, usual: Trace | None) -> Iterator[CallFact]:
    if not trace.complete:
        if not any(transfer.name in READ_CALLS and transfer.descriptor in STREAMS for transfer in trace.transfers):
            advice = (
                "Look at what comes before the loop that reads: a loop or a recursion that does not end, or a call"
                " that waits."
            )
            yield CallFact("was stopped before it had read anything", advice, about="missing")
        return
    if trace.stdin is None or trace.stdout is None:
        return
    reads, writes = _of(trace, READ_CALLS, 0), _of(trace, WRITE_CALLS, 1)
    anywhere = [transfer for transfer in trace.transfers if transfer.descriptor in STREAMS]
    if not any(transfer.name in READ_CALLS for transfer in anywhere):
        yield _reads_nothing(trace, usual)
    elif reads and trace.stdin.nbyte_max == 0:
        yield CallFact(
            "asks read for 0 bytes",
            "The third argument of read is the number of bytes to read: it is 0 here.",
        )
    elif reads and not any(transfer.name in WRITE_CALLS for transfer in anywhere):
        size_bytes = sum(transfer.bytes for transfer in reads)
        if size_bytes:
            yield CallFact(
                f"reads {counted(size_bytes, 'byte')} and makes no write",
                "Put the write into the loop, under a condition that is true for each byte. What stdio still has in"
                " its buffer is lost if a program ends with _exit.",
                about="unwritten",
            )
    for transfer in (*reads, *writes):
        if transfer.name not in PLAIN:
            yield _other_name(transfer)


def _reads_nothing(trace: Trace, usual: Trace | None) -> CallFact:
    """Say that nothing was read from standard input; a program that writes may read other descriptors."""
    by_loader = 0 if usual is None or usual.other_reads is None else usual.other_reads.bytes
    others_bytes = 0 if trace.other_reads is None else trace.other_reads.bytes - by_loader
    if trace.stdout is not None and others_bytes >= trace.stdout.bytes > 0:
        advice = (
            "Look for a file that the program opens, or a descriptor that it duplicates: standard input is already"
            " open, as stdin in stdio and as descriptor 0 for read."
        )
        return CallFact("reads from other descriptors instead", advice, about="missing")
    advice = "Add a loop that reads or, if there is one, find what keeps the program from it."
    return CallFact("reads nothing from standard input", advice, about="missing")


def _other_name(transfer: Transfer) -> CallFact:
    name = transfer.name.removesuffix("64")
    plain = "read" if transfer.name in READ_CALLS else "write"
    verb = "reads" if plain == "read" else "writes"
    stream = STREAMS[transfer.descriptor]
    advice = f"The lab asks for {plain}. A pipe or a terminal has no position, so {name} fails there."
    if name in ("readv", "writev"):
        advice = f"The lab asks for {plain}."
    return CallFact(f"{verb} {stream} with {name}, not with {plain}", advice, about="name", call=name)


def _of(trace: Trace, names: Collection[str], descriptor: int) -> tuple[Transfer, ...]:
    return tuple(one for one in trace.transfers if one.name in names and one.descriptor == descriptor)


def _descriptor(descriptor: int) -> str:
    name = STREAMS.get(descriptor)
    return f"descriptor {descriptor}{f', {name},' if name else ''}"


def _error(error: str) -> str:
    return ERRORS.get(error, error)
