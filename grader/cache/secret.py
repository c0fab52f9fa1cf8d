"""The secret from which a spec's draws follow: one for each class, and one for a person's own checks."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from grader.cache.entries import is_ours, make_ours, user_folder

VARIABLE = "GRADER_SECRET"
"""Environment variable with the secret that a new class gets, to grade one class on several machines."""

SECRET_BYTES = 16
SECRET_FILE = "secret"  # noqa: S105 - a name


def new_secret() -> str:
    """Return the secret of a new class."""
    return os.environ.get(VARIABLE) or secrets.token_hex(SECRET_BYTES)


def own_secret(folder: Path | None = None) -> str:
    """Return the secret of this user's own checks; without a place to keep it, each check has another one."""
    folder = folder or user_folder()
    if os.environ.get(VARIABLE) or folder is None:
        return new_secret()
    path = folder / SECRET_FILE
    with suppress(OSError, UnicodeDecodeError):
        kept = path.read_text(encoding="ascii") if is_ours(path.lstat()) else ""
        if kept:
            return kept
    secret = new_secret()
    # Without a place to keep it, the cases are drawn again each time.
    with suppress(OSError):
        make_ours(folder)
        # Another grader that reads it meanwhile finds all of it or nothing.
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".new-", delete=False, encoding="ascii") as file:
            file.write(secret)
        Path(file.name).replace(path)
    return secret
