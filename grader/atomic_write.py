"""The only writer of files that others read."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from grader.errors import GraderError, UnwritableError


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that readers find either its previous content or all of `data`, even after a crash.

    Raises:
        UnwritableError: the file cannot be written; its previous content is unchanged and no temporary file is left.
        GraderError: the same, because the disk is full.
    """
    # Next to the target, because a rename is atomic only within one file system. The name is short, because the
    # target's may already be as long as the file system allows.
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        try:
            _write_new(temporary, data)
            os.replace(temporary, path)  # noqa: PTH105 - named after its system call
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unwritable(f"cannot write {path}", error) from error


def unwritable(what: str, error: OSError) -> GraderError:
    """Return an error to raise: UnwritableError, unless the disk is full, which is no one file's matter."""
    kind = GraderError if error.errno in (errno.ENOSPC, errno.EDQUOT) else UnwritableError
    return kind(f"{what}: {error.strerror}")


def _write_new(path: Path, data: bytes) -> None:
    # tempfile would give mode 0600; a report must be as readable as the umask lets any new file be.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
