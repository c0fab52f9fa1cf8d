"""The gradebook: every result of a class, durable as soon as it is there, in one SQLite file of the output folder.

All else in that folder is made from it. A row is written in a transaction and carries a hash of its own, so a killed
grader or a failing disk leaves a row as it was, or one that is known to be damaged; never half a result.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from typing_extensions import Self

from grader.batch.gradebook_row import Row
from grader.errors import GraderError
from grader.messages import Notify
from grader.model.gradebook import Entry, Origin
from grader.model.report import Report, without_evidence

_INSERT = "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class PreviousResult:
    """What there is of a submission: the key of what its result follows from (empty: there is no result), and that.

    `trouble` says why a later hand-in gave no result, empty where none did not.
    """

    key: str
    origin: Origin
    score: float | None
    failed: bool
    trouble: str


class Gradebook:
    """The results of one class in one lab, held by one process at a time; `batch/gradebook_file.py` opens it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use a file that is open and known to be a gradebook."""
        self._connection = connection
        self._path = path

    def __enter__(self) -> Self:
        """Hold it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of it."""
        self._connection.close()

    def known(self, notify: Notify) -> dict[str, PreviousResult]:
        """Return what there is, by name; what is damaged is told and forgotten, and so graded again.

        Raises:
            GraderError: the file cannot be read.
        """
        found: dict[str, PreviousResult] = {}
        damaged: list[tuple[str, str]] = []
        for row in self._rows():
            if row.whole:
                found[row.name] = _known(row)
            else:
                notify(_damaged(row))
                damaged.append((row.name, row.seal))
        # By either, because the other one may be what is damaged, and no text any more.
        self._change("DELETE FROM result WHERE name = ? OR seal = ?", damaged)
        return found

    def tell_damage(self, notify: Notify) -> None:
        """Tell what is damaged, and leave it: for whoever does not grade it again.

        Raises:
            GraderError: the file cannot be read.
        """
        for row in self._rows():
            if not row.whole:
                notify(f"{_damaged(row)}; grade again to have it back")

    def entries(self) -> list[Entry]:
        """Return all whole rows, by name.

        Raises:
            GraderError: the file cannot be read.
        """
        return [row.entry() for row in self._rows() if row.whole]

    def reports(self) -> Iterator[Report]:
        """Yield every whole report, with its evidence, by name.

        Raises:
            GraderError: the file cannot be read.
        """
        return (row.report() for row in self._rows() if row.whole)

    def report(self, name: str) -> Report | None:
        """Return one report with its evidence, None where there is no whole one.

        Raises:
            GraderError: the file cannot be read.
        """
        row = self._row(name)
        return row.report() if row else None

    def expect(self, origins: Iterable[tuple[Origin, Report]]) -> None:
        """Note submissions that are to be graded, with reports that say that they are not yet; what is known stays.

        Raises:
            GraderError: nothing can be written.
        """
        rows = [Row.of(_entry(origin, report), "", report).columns for origin, report in origins]
        self._change("INSERT INTO result VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def put(self, origin: Origin, key: str, report: Report) -> Entry:
        """Keep a result, durable when this returns, and return its row.

        A report that says NOT GRADED never takes a grade's place: that stays, and if it is not of the same content
        (`key`) the row says why there is nothing newer.

        Raises:
            GraderError: it cannot be written; what was there before still is.
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
            trouble = "" if kept.key == key else report.reason
            entry = kept.entry().model_copy(update={"origin": origin, "trouble": trouble})
            row = Row.of(entry, kept.key, kept.report())
        self._change(_INSERT, [row.columns])
        return row.entry()

    def confirm(self, name: str, origin: Origin) -> None:
        """Note that a result is of what is handed in now, wherever that lies, and whatever came in between.

        Raises:
            GraderError: it cannot be written.
        """
        if row := self._row(name):
            entry = row.entry().model_copy(update={"origin": origin, "trouble": ""})
            self._change(_INSERT, [Row.of(entry, row.key, row.report()).columns])

    def _row(self, name: str) -> Row | None:
        return next((row for row in self._rows("WHERE name = ?", name) if row.whole), None)

    def _rows(self, where: str = "", *values: str) -> Iterator[Row]:
        with _told(self._path, "read"):
            for columns in self._connection.execute(f"SELECT * FROM result {where} ORDER BY name", values):  # noqa: S608
                yield Row(*columns)

    def _change(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        with _told(self._path, "written"), self._connection:
            self._connection.executemany(statement, rows)


def _known(row: Row) -> PreviousResult:
    entry = row.entry()
    failed = any(check.status == "failed" for check in entry.report.checks)
    return PreviousResult(row.key, entry.origin, entry.report.score, failed, entry.trouble)


def _damaged(row: Row) -> str:
    return f"the kept result of {row.name} is damaged and does not count"


def _entry(origin: Origin, report: Report, *, earlier_score: float | None = None) -> Entry:
    return Entry(
        name=report.submission.name, origin=origin, report=without_evidence(report), earlier_score=earlier_score
    )


@contextmanager
def _told(path: Path, done: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise GraderError(f"{path} cannot be {done}: {error}") from error
