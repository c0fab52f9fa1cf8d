"""The gradebook: every result of a class, durable as soon as it is stored, in one SQLite file of the output folder.

Everything else in that folder is made from it. A row is written in a transaction, so after a crash it is as it was
before. It has a hash, which shows if the disk damaged it (decision 0036).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from grader.batch.gradebook_row import Row
from grader.batch.result_key import RunRecord
from grader.cache.secret import new_secret
from grader.course.rules import Rules
from grader.errors import GraderError
from grader.messages import Notify
from grader.model.gradebook import Entry, Origin
from grader.model.report import Report, without_evidence
from grader.render.views.commands import NO_COMMANDS, Commands

_INSERT = "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)"

_RUNS = """
CREATE TABLE IF NOT EXISTS run (
    number INTEGER PRIMARY KEY,  -- the highest is that of the last run
    key TEXT NOT NULL UNIQUE,    -- RunRecord.run
    record TEXT NOT NULL,        -- JSON, batch/result_key.py
    seal TEXT NOT NULL           -- hash of the record
)
"""
"""Made when it is first needed: gradebooks of earlier graders lack it, and those graders ignore it."""

_PATHS = "CREATE TABLE IF NOT EXISTS paths (paths TEXT PRIMARY KEY)"
"""The absolute paths of submissions that commands named, as JSON: rescoring reads sources there again."""


_COURSE = """
CREATE TABLE IF NOT EXISTS course (
    rules TEXT NOT NULL,  -- JSON, course/rules.py; one row
    seal TEXT NOT NULL    -- hash of the rules
)
"""

_COMMANDS = """
CREATE TABLE IF NOT EXISTS commands (
    grade TEXT NOT NULL,    -- Commands of render/views/commands.py; one row
    rescore TEXT NOT NULL,
    seal TEXT NOT NULL      -- hash of both
)
"""


_SECRETS = "CREATE TABLE IF NOT EXISTS secret (secret TEXT NOT NULL)"
"""One row: what is drawn for this class follows from it (model/spec/draws.py)."""


@dataclass(frozen=True)
class PreviousResult:
    """What the gradebook has of a submission; `key` is empty if there is no result.

    `last_error` says why a later attempt gave no result; empty if none failed.
    """

    key: str
    origin: Origin
    score: float | None
    failed: bool
    last_error: str


class Gradebook:
    """The results of one class in one lab, held by one process at a time; `batch/gradebook_file.py` opens it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use an open file that is known to be a gradebook."""
        self._connection = connection
        self._path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def known(self, notify: Notify) -> dict[str, PreviousResult]:
        """Return the previous results by name. Damaged rows are reported and deleted, so they are graded again.

        Raises:
            GraderError: the file cannot be read.
        """
        found: dict[str, PreviousResult] = {}
        damaged: list[tuple[str, str]] = []
        for row in self._rows():
            if row.intact:
                found[row.name] = _previous(row)
            else:
                notify(_damage_words(row))
                damaged.append((row.name, row.seal))
        # By either, because the other one may be what is damaged.
        self._change("DELETE FROM result WHERE name = ? OR seal = ?", damaged)
        return found

    def previous(self) -> dict[str, PreviousResult]:
        """Return the previous results by name, and leave damaged rows alone: for commands that need not grade.

        Raises:
            GraderError: the file cannot be read.
        """
        return {row.name: _previous(row) for row in self.rows()}

    def notify_damage(self, notify: Notify) -> None:
        """Report damaged rows and keep them: for commands that do not grade.

        Raises:
            GraderError: the file cannot be read.
        """
        for row in self._rows():
            if not row.intact:
                notify(f"{_damage_words(row)}; grade again to have it back")

    def entries(self) -> list[Entry]:
        """Return the entries of all intact rows, ordered by name.

        Raises:
            GraderError: the file cannot be read.
        """
        return [row.entry() for row in self._rows() if row.intact]

    def reports(self) -> Iterator[Report]:
        """Yield every intact report with its evidence, ordered by name.

        Raises:
            GraderError: the file cannot be read.
        """
        return (row.report() for row in self._rows() if row.intact)

    def report(self, name: str) -> Report | None:
        """Return one report with its evidence, None if there is none or it is damaged.

        Raises:
            GraderError: the file cannot be read.
        """
        row = self._row(name)
        return row.report() if row else None

    def expect(self, origins: Iterable[tuple[Origin, Report]]) -> None:
        """Store a report for each submission that will be graded, which says that it was not yet; keep other rows.

        So a run that is killed leaves a complete list of the class, with everything that its pages and tables need.

        Raises:
            GraderError: nothing can be written.
        """
        rows = [Row.of(_entry(origin, report), "", report).columns for origin, report in origins]
        self._change("INSERT INTO result VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def put(self, origin: Origin, key: str, report: Report) -> Entry:
        """Store a result, which is durable when this returns, and return its entry.

        A report that says NOT GRADED never replaces a grade. The grade stays, and if it is of another content (`key`)
        the entry says why there is no newer one.

        Raises:
            GraderError: it cannot be written; the row is as it was before.
        """
        before = self._row(report.submission.name)
        kept = before if before is not None and before.key else None
        if report.status == "graded":
            earlier_score = kept.entry().report.score if kept else None
            changed = None if earlier_score == report.score else earlier_score
            row = Row.of(_entry(origin, report, earlier_score=changed), key, report)
        elif kept is None:
            row = Row.of(_entry(origin, report), "", report)
        else:
            last_error = "" if kept.key == key else report.reason
            entry = kept.entry().model_copy(update={"origin": origin, "last_error": last_error})
            row = Row.of(entry, kept.key, kept.report())
        self._change(_INSERT, [row.columns])
        return row.entry()

    def confirm(self, name: str, origin: Origin) -> None:
        """Record that a result is valid for the current submission, which may have moved or had an error in between.

        Raises:
            GraderError: it cannot be written.
        """
        if row := self._row(name):
            entry = row.entry().model_copy(update={"origin": origin, "last_error": ""})
            self._change(_INSERT, [Row.of(entry, row.key, row.report()).columns])

    def rows(self) -> Iterator[Row]:
        """Yield all intact rows, ordered by name.

        Raises:
            GraderError: the file cannot be read.
        """
        return (row for row in self._rows() if row.intact)

    def replace(self, rows: Iterable[Row]) -> None:
        """Replace rows, all of them or none.

        Raises:
            GraderError: they cannot be written; they are as they were before.
        """
        self._change(_INSERT, [row.columns for row in rows])

    def record_run(self, record: RunRecord) -> None:
        """Keep what the results of this run depend on, as those of the last run.

        Raises:
            GraderError: it cannot be written.
        """
        text = record.model_dump_json()
        with _as_grader_error(self._path, "written"), self._connection:
            self._connection.execute(_RUNS)
            self._connection.execute("DELETE FROM run WHERE key = ?", (record.run,))
            columns = (record.run, text, _hash(text))
            self._connection.execute("INSERT INTO run (key, record, seal) VALUES (?, ?, ?)", columns)

    def runs(self) -> list[RunRecord]:
        """Return what the results of all runs depended on, the last run first; damaged records are left out.

        Raises:
            GraderError: the file cannot be read.
        """
        with _as_grader_error(self._path, "read"):
            found = self._select("run", "SELECT record, seal FROM run ORDER BY number DESC")
            return [RunRecord.model_validate_json(text) for text, seal in found if seal == _hash(text)]

    def record_paths(self, paths: Iterable[str]) -> None:
        """Keep the absolute paths that a command named.

        Raises:
            GraderError: it cannot be written.
        """
        with _as_grader_error(self._path, "written"), self._connection:
            self._connection.execute(_PATHS)
            self._connection.execute("INSERT OR IGNORE INTO paths VALUES (?)", (json.dumps([*paths]),))

    def paths(self) -> list[list[str]]:
        """Return the paths that each command named.

        Raises:
            GraderError: the file cannot be read.
        """
        with _as_grader_error(self._path, "read"):
            return [_read_paths(text) for (text,) in self._select("paths", "SELECT paths FROM paths")]

    def keep_commands(self, commands: Commands) -> None:
        """Keep the commands that the page of the class suggests, for commands that only write it again.

        Raises:
            GraderError: it cannot be written.
        """
        with _as_grader_error(self._path, "written"), self._connection:
            self._connection.execute(_COMMANDS)
            self._connection.execute("DELETE FROM commands")
            columns = (commands.grade, commands.rescore, _hash(f"{commands.grade}\n{commands.rescore}"))
            self._connection.execute("INSERT INTO commands VALUES (?, ?, ?)", columns)

    def commands(self) -> Commands:
        """Return the commands that the page of the class suggests; none if they are not known, or damaged.

        Raises:
            GraderError: the file cannot be read.
        """
        with _as_grader_error(self._path, "read"):
            found = self._select("commands", "SELECT grade, rescore, seal FROM commands")
        intact = [Commands(grade, rescore) for grade, rescore, seal in found if seal == _hash(f"{grade}\n{rescore}")]
        return intact[0] if intact else NO_COMMANDS

    def _select(self, table: str, statement: str) -> list[tuple[Any, ...]]:
        """Return rows of a table that an earlier grader's gradebook lacks."""
        known = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchall()
        return self._connection.execute(statement).fetchall() if known else []

    def keep_rules(self, rules: Rules) -> None:
        """Keep a copy of what the course decided, for commands that do not read its files.

        Raises:
            GraderError: it cannot be written.
        """
        text = rules.model_dump_json(by_alias=True)
        with _as_grader_error(self._path, "written"), self._connection:
            self._connection.execute(_COURSE)
            self._connection.execute("DELETE FROM course")
            self._connection.execute("INSERT INTO course VALUES (?, ?)", (text, _hash(text)))

    def rules(self) -> Rules:
        """Return what the course decided, as the last run found it; no rules if there were none.

        Raises:
            GraderError: the file cannot be read, or the rules are damaged.
        """
        with _as_grader_error(self._path, "read"):
            found = self._select("course", "SELECT rules, seal FROM course")
        if not found:
            return Rules()
        text, seal = found[0]
        if seal != _hash(text):
            # Grades without their overrides would look right.
            raise GraderError(f"{self._path}: the kept policies and overrides are damaged")
        return Rules.model_validate_json(text)

    def secret(self) -> str:
        """Return the secret of the class, which is made when it is first needed.

        Raises:
            GraderError: the file cannot be read or written.
        """
        with _as_grader_error(self._path, "written"), self._connection:
            found = self._select("secret", "SELECT secret FROM secret")
            if found:
                return str(found[0][0])
            secret = new_secret()
            self._connection.execute(_SECRETS)
            self._connection.execute("INSERT INTO secret VALUES (?)", (secret,))
            return secret

    @property
    def current_version(self) -> str:
        """The version of the lab in the last run (`Report.lab_version`), "" if it is not known."""
        return next((record.lab_digest for record in self.runs()), "")

    def _row(self, name: str) -> Row | None:
        return next((row for row in self._rows("WHERE name = ?", name) if row.intact), None)

    def _rows(self, where: str = "", *values: str) -> Iterator[Row]:
        with _as_grader_error(self._path, "read"):
            for columns in self._connection.execute(f"SELECT * FROM result {where} ORDER BY name", values):  # noqa: S608
                yield Row(*columns)

    def _change(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        with _as_grader_error(self._path, "written"), self._connection:
            self._connection.executemany(statement, rows)


def _hash(text: object) -> str:
    # SQLite stores the type of a value next to the value, so the type can be damaged as well.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if isinstance(text, str) else ""


def _read_paths(text: object) -> list[str]:
    try:
        paths = json.loads(text) if isinstance(text, str) else []
    except (ValueError, RecursionError):
        # Damaged: sources that are not found are reported then.
        return []
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def _previous(row: Row) -> PreviousResult:
    entry = row.entry()
    failed = any(check.status == "failed" for check in entry.report.checks)
    return PreviousResult(row.key, entry.origin, entry.report.score, failed, entry.last_error)


def _damage_words(row: Row) -> str:
    return f"the kept result of {row.name} is damaged and does not count"


def _entry(origin: Origin, report: Report, *, earlier_score: float | None = None) -> Entry:
    return Entry(
        name=report.submission.name, origin=origin, report=without_evidence(report), earlier_score=earlier_score
    )


@contextmanager
def _as_grader_error(path: Path, done: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise GraderError(f"{path} cannot be {done}: {error}") from error
