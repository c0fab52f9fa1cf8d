"""Secrets: those from which a spec's draws follow, and the key of the marks by which a user's results are known."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from grader.cache.entries import is_ours, make_ours, user_folder

VARIABLE = "GRADER_SECRET"
"""Environment variable with the secret that a new class gets, to grade one class on several machines."""

SECRET_BYTES = 16
SECRET_FILE, KEY_FILE = "secret", "results-key"

MARK_BYTES = 200
"""More than a mark has."""


def new_secret() -> str:
    """Return the secret of a new class."""
    return os.environ.get(VARIABLE) or secrets.token_hex(SECRET_BYTES)


def own_secret(folder: Path | None = None) -> str:
    """Return the secret of this user's own checks; without a place to keep it, each check has another one."""
    if os.environ.get(VARIABLE):
        return new_secret()
    return _kept(folder or user_folder(), SECRET_FILE, new_secret) or new_secret()


def new_mark() -> bytes | None:
    """Return a mark for a folder of results, which only this user can make; None without a place to keep a key."""
    key = _kept(user_folder(), KEY_FILE, _new_key)
    return None if key is None else _marked(secrets.token_hex(SECRET_BYTES).encode(), key)


def is_own_mark(data: bytes) -> bool:
    """Return whether this user's grader has made a mark."""
    key = _read(user_folder(), KEY_FILE)
    return bool(key) and hmac.compare_digest(data, _marked(data.partition(b" ")[0], key))


def _new_key() -> str:
    return secrets.token_hex(SECRET_BYTES)


def _marked(number: bytes, key: str) -> bytes:
    return number + b" " + hmac.new(key.encode(), number, hashlib.sha256).hexdigest().encode() + b"\n"


def _read(folder: Path | None, name: str) -> str:
    """Return what is kept under a name, empty if there is nothing or others could have put it there."""
    if folder is not None:
        with suppress(OSError, UnicodeDecodeError):
            path = folder / name
            return path.read_text(encoding="ascii") if is_ours(path.lstat()) else ""
    return ""


def _kept(folder: Path | None, name: str, make: Callable[[], str]) -> str | None:
    """Return what is kept under a name, made if there is nothing; None without a place to keep it."""
    if folder is None:
        return None
    if kept := _read(folder, name):
        return kept
    try:
        make_ours(folder)
        # Another grader that reads it meanwhile finds all of it or nothing.
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".new-", delete=False, encoding="ascii") as file:
            file.write(make())
        made = Path(file.name)
        # Of two that are made at once, the first is kept. Not every file system has links.
        with suppress(OSError):
            os.link(made, folder / name)
        if not _read(folder, name):
            made.replace(folder / name)
        made.unlink(missing_ok=True)
    except OSError:
        return None
    return _read(folder, name) or None
