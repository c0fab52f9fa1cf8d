"""Descriptions of signals for students."""

from __future__ import annotations

# Linux numbers on x86-64 and arm64 (signal(7)): the system that makes the report may number signals differently.
_SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL (it ran something that is not an instruction)",
    5: "SIGTRAP",
    6: "SIGABRT (the program itself, an assert, or the C library called abort)",
    7: "SIGBUS (it used memory that is not there)",
    8: "SIGFPE (an impossible calculation, such as a division by zero)",
    9: "SIGKILL",
    11: "SIGSEGV (segmentation fault: it used memory that is not its own)",
    13: "SIGPIPE (it wrote to a pipe that nobody reads)",
    14: "SIGALRM",
    15: "SIGTERM",
    24: "SIGXCPU (it used more processor time than allowed)",
    25: "SIGXFSZ (it wrote more than allowed)",
    31: "SIGSYS (it made a system call that is not allowed here)",
}


def signal_words(number: int) -> str:
    """Describe a signal, as in `SIGSEGV (segmentation fault: …)`; for an unknown signal, return its number."""
    return _SIGNALS.get(number, f"signal {number}")
