"""Opening the gradebook of an output folder: only ours, by one grader at a time; a damaged one is put aside."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_row import TABLE
from grader.errors import GraderError, UsageError
from grader.messages import Notify
from grader.model.gradebook import GRADEBOOK

VERSION = 1
"""Version of the tables and of the JSON in them, stored as SQLite's user_version."""

APPLICATION_ID = 0x696F6C62
"""Marks the file as a gradebook (`iolb`), in SQLite's header."""

LOCK_TIMEOUT_S = 1.0


class DamagedGradebookError(Exception):
    """The file is not a gradebook, or no longer one."""


def open_gradebook(folder: Path, lab: str, notify: Notify) -> Gradebook:
    """Open the gradebook of an output folder, or make one if there is none.

    A damaged one is renamed and reported, and a new one made.

    Raises:
        UsageError: it belongs to another lab or a newer grader, or another grader is using it.
        GraderError: it cannot be read or made.
    """
    path = folder / GRADEBOOK
    try:
        return _opened(path, lab)
    except DamagedGradebookError as error:
        aside = _put_aside(path)
        notify(f"{path} is damaged ({error}); it is {aside.name} now, and all is graded again")
        return _opened(path, lab)


def open_results(folder: Path, lab: str | None = None) -> Gradebook:
    """Open the existing gradebook of an output folder, of this lab or of any.

    Raises:
        UsageError: there is none, it belongs to another lab or a newer grader, or another grader is using it.
        GraderError: it cannot be read.
    """
    path = folder / GRADEBOOK
    if not path.exists():
        raise UsageError(f"{folder} has no {GRADEBOOK}; give a folder that `grader grade --out` wrote to")
    try:
        return _opened(path, lab)
    except DamagedGradebookError as error:
        raise GraderError(f"{path} is damaged ({error}); grade again: it is put aside then") from error


def _opened(path: Path, lab: str | None) -> Gradebook:
    try:
        connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S)
    except sqlite3.Error as error:
        raise GraderError(f"{path} cannot be opened: {error}") from error
    # Bytes that are no longer UTF-8 make only their row unusable, not the whole file; its seal shows the damage.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        owner = _lock_and_check(connection, path, lab)
    except sqlite3.OperationalError as error:
        connection.close()
        raise _unusable(path, error) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # An error about a damaged table has its name, which may no longer be text.
        connection.close()
        raise DamagedGradebookError(str(error)) from error
    except BaseException:
        connection.close()
        raise
    if lab not in (None, owner):
        connection.close()
        raise UsageError(f"{path.parent} holds results of the lab {owner}; choose another folder for those of {lab}")
    return Gradebook(connection, path)


def _lock_and_check(connection: sqlite3.Connection, path: Path, lab: str | None) -> str:
    """Lock the file until it is closed, make sure that it is a gradebook, and return its lab."""
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    # A result that was reported is on the disk, even if the power fails.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN EXCLUSIVE")
    application = _number(connection, "application_id")
    version = _number(connection, "user_version")
    is_empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if lab is not None and not application and not version and is_empty:
        return _create(connection, lab)
    if application != APPLICATION_ID or version < 1:
        raise DamagedGradebookError("it is not a gradebook")
    if version > VERSION:
        raise UsageError(f"{path} was made by a newer grader; use that one, or choose another folder for results")
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    row = connection.execute("SELECT lab FROM class").fetchone()
    if problem != "ok" or row is None:
        raise DamagedGradebookError(str(problem))
    connection.commit()
    return str(row[0])


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _create(connection: sqlite3.Connection, lab: str) -> str:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("CREATE TABLE class (lab TEXT NOT NULL)")
    connection.execute(TABLE)
    connection.execute("INSERT INTO class VALUES (?)", (lab,))
    connection.commit()
    return lab


def _unusable(path: Path, error: sqlite3.OperationalError) -> GraderError:
    if "locked" in str(error):
        return UsageError(f"another grader is using {path.parent}; wait until it has ended")
    return GraderError(f"{path} cannot be used: {error}")


def _put_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"gradebook.damaged-{number}.sqlite")).exists():
        number += 1
    try:
        # A journal would be played back into the new file.
        journal = path.with_name(f"{GRADEBOOK}-journal")
        if journal.exists():
            journal.rename(aside.with_name(f"{aside.name}-journal"))
        path.rename(aside)
    except OSError as error:
        raise GraderError(f"{path} is damaged and cannot be put aside: {error.strerror}") from error
    return aside
