"""A row of the gradebook as it is stored in its file."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

from grader.model.gradebook import Entry
from grader.model.report import Report

TABLE = """
CREATE TABLE result (
    name TEXT PRIMARY KEY,
    key TEXT NOT NULL,      -- of everything that the report depends on; empty if it says NOT GRADED
    entry TEXT NOT NULL,    -- JSON, model/gradebook.py
    report BLOB NOT NULL,   -- JSON, model/report.py, compressed
    seal TEXT NOT NULL      -- hash of the columns before
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Row:
    """The columns of `TABLE`, in this order."""

    name: str
    key: str
    entry_json: str
    report_json: bytes
    seal: str

    @staticmethod
    def of(entry: Entry, key: str, report: Report) -> Row:
        """Return the row of an entry and its report with evidence."""
        text, data = entry.model_dump_json(by_alias=True), zlib.compress(report.model_dump_json().encode("utf-8"))
        return Row(entry.name, key, text, data, _seal(entry.name, key, text, data))

    @property
    def columns(self) -> tuple[str, str, str, bytes, str]:
        """The values to insert."""
        return (self.name, self.key, self.entry_json, self.report_json, self.seal)

    @property
    def intact(self) -> bool:
        """Whether it is what was written; if not, only its name may be used."""
        # SQLite stores the type of a value next to the value, so the type can be damaged as well.
        typed = all(map(isinstance, self.columns, (str, str, str, bytes, str)))
        return typed and self.seal == _seal(self.name, self.key, self.entry_json, self.report_json)

    def entry(self) -> Entry:
        """Return what the class page and the tables need."""
        return Entry.model_validate_json(self.entry_json)

    def report(self) -> Report:
        """Return the report with its evidence."""
        return Report.model_validate_json(zlib.decompress(self.report_json))


def _seal(name: str, key: str, entry_json: str, report_json: bytes) -> str:
    hasher = hashlib.sha256()
    for part in (name.encode("utf-8"), key.encode("utf-8"), entry_json.encode("utf-8"), report_json):
        hasher.update(len(part).to_bytes(8, "big") + part)
    return hasher.hexdigest()
