"""A uid for student code without a container of ours, for one guest at a time."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import SandboxError

# Between the ranges that systemd and Debian hand out, so that nobody else owns processes or files under them.
UIDS = range(60600, 60856)
LOCKS = Path("/run/iolab-grader")
UID_MAP = Path("/proc/self/uid_map")
UIDS_MIN = 4000

PID_NAMESPACE = Path("/proc/self/ns/pid")
MACHINES_OWN = "pid:[4026531836]"
"""The processes of the machine itself: PROC_PID_INIT_INO of the kernel. A container has another namespace."""


@contextmanager
def chosen_uid() -> Iterator[int]:
    """Yield a uid for student code: reserved on a machine, random in a container (decision 0052).

    Raises:
        SandboxError: all are taken, or the locks cannot be created.
    """
    with random_uid() if _in_container() and _enough_uids() else reserved_uid() as uid:
        yield uid


@contextmanager
def reserved_uid() -> Iterator[int]:
    """Reserve a uid that no other guest on this machine has, of this grader or another; needs root.

    After a run, everything that runs under its uid is ended. If two guests shared a uid, that would end the other's
    run too.

    Raises:
        SandboxError: all are taken, or the locks cannot be created.
    """
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        uid, lock = _lock_first()
    except OSError as error:
        raise SandboxError(f"no uid can be reserved for student code: {error}") from error
    try:
        yield uid
    finally:
        # The file stays: if it were removed, two others could lock two files of the same name.
        os.close(lock)


@contextmanager
def random_uid() -> Iterator[int]:
    """Yield a uid that nobody else has, in a container that nobody else uses but that may have neighbours.

    The kernel counts a uid's processes (RLIMIT_NPROC) in all containers of a machine together. With a fixed uid, a
    neighbour's fork bomb would keep our compiler from starting.

    Raises:
        SandboxError: there are too few uids here, as in a container of an ordinary user.
    """
    last = _last_uid()
    if not _enough_uids():
        raise SandboxError(f"there are only {last + 1:,} uids here, and student code needs one that nobody else has")
    yield UIDS.stop + secrets.randbelow(last - UIDS.stop)


def _in_container() -> bool:
    try:
        return str(PID_NAMESPACE.readlink()) != MACHINES_OWN
    except OSError:
        # A kernel without namespaces has no containers.
        return False


def _enough_uids() -> bool:
    return _last_uid() - UIDS.stop >= UIDS_MIN


def _last_uid() -> int:
    """Return the largest uid of the range that begins with root, which user_namespaces(7) may limit."""
    try:
        ranges = UID_MAP.read_text(encoding="ascii")
    except OSError as error:
        raise SandboxError(f"the uids here are not known: {UID_MAP} cannot be read; mount /proc") from error
    for line in ranges.splitlines():
        first, _, length = map(int, line.split())
        if first == 0:
            # Larger numbers do not fit a signed type, and one of them (-1) means: no change.
            return min(length, 1 << 31) - 1
    return 0


def _lock_first() -> tuple[int, int]:
    for uid in UIDS:
        descriptor = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            return uid, descriptor
    raise SandboxError(f"all {len(UIDS)} uids for student code are in use")
