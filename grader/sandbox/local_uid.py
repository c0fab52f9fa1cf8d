"""A uid for student code on a machine without containers, for one guest at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import SandboxError

# Between the ranges that systemd and Debian hand out, so that nobody else owns processes or files under them.
UIDS = range(60600, 60856)
LOCKS = Path("/run/iolab-grader")


@contextmanager
def reserved_uid() -> Iterator[int]:
    """Reserve a uid that no other guest on this machine has, of this grader or another; needs root.

    When a run is over everything that runs under its uid is ended: with a shared uid that would be somebody else's
    run as well.

    Raises:
        SandboxError: all are taken, or the locks cannot be made.
    """
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        uid, lock = _lock_first()
    except OSError as error:
        raise SandboxError(f"no uid can be reserved for student code: {error}") from error
    try:
        yield uid
    finally:
        # The file stays: removing it would let two others lock two files of one name.
        os.close(lock)


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
