"""The folder that results go to: reports, a submission's wrong outputs, and the pages and tables over all of them."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from grader.atomic_write import write_atomic
from grader.errors import GraderError, UsageError
from grader.model.gradebook import Entry
from grader.model.report import Report
from grader.render.exports.canvas import canvas_csv
from grader.render.exports.grades_csv import grades_csv
from grader.render.exports.junit import junit_xml
from grader.render.exports.moodle import moodle_csv
from grader.render.exports.report_json import report_json

OUTPUTS, OUTPUT_SUFFIX = "outputs", ".output"
"""The folder beside a report with outputs that are not the reference's, by step."""

INDEX = "index.html"
GENERATOR = b'<meta name="generator" content="iolab-grader">'
"""What our pages have in their head, reports/page.html.j2."""

HEAD_BYTES = 4096

MIN_FREE_BYTES = 50_000_000
"""Less than this free, and no work is begun; for a class ROOM_EACH_BYTES more a submission."""

ROOM_EACH_BYTES = 500_000


@dataclass(frozen=True)
class Results:
    """The folder, with a folder for each submission in it; nothing else in it is touched."""

    folder: Path

    def prepare(self, names: Collection[str]) -> None:
        """Make the folder and try it for submissions of these names, before any work is done.

        Raises:
            UsageError: nothing can be written there, there is no room for so many reports, or something of somebody
                else's is where ours would be.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = self.folder / ".grader-was-here"
            probe.write_bytes(b"")
            probe.unlink()
            page = self.folder / INDEX
            foreign = page.exists() and GENERATOR not in _head(page)
            taken = sorted(name for name in names if _is_in_the_way(self.folder / name))
            free_bytes = shutil.disk_usage(self.folder).free
        except OSError as error:
            raise UsageError(f"results cannot be written to {self.folder}: {error.strerror}") from error
        if foreign:
            raise UsageError(f"{page} is not the grader's; choose another folder for results, or move it away")
        if taken:
            # Told later, it would end the work on all others.
            there = self.folder / taken[0]
            raise UsageError(
                f"{there} is no folder of the grader's; choose another folder for results, or move it away"
            )
        needed_bytes = MIN_FREE_BYTES + len(names) * ROOM_EACH_BYTES
        if free_bytes < needed_bytes:
            have, need = (f"{size // 1_000_000:,} MB" for size in (free_bytes, needed_bytes))
            raise UsageError(
                f"{self.folder} has {have} left and {need} may be needed: make room, or use another disk"
            )

    def write_outputs(self, name: str, outputs: Mapping[str, bytes]) -> None:
        """Keep the outputs that are not the reference's, by step, in the place of those of the last time.

        For whoever wants to look at more than the report shows.

        Raises:
            GraderError: they cannot be written.
        """
        folder = self.folder / name / OUTPUTS
        try:
            for path in folder.glob(f"*{OUTPUT_SUFFIX}"):
                path.unlink()
        except OSError as error:
            raise GraderError(f"cannot clear {folder}: {error.strerror}") from error
        if outputs:
            _made(_made(self.folder / name) / OUTPUTS)
        for step, data in outputs.items():
            write_atomic(folder / f"{step}{OUTPUT_SUFFIX}", data)

    def write_report(self, report: Report) -> None:
        """Write report.json and report.html of one submission.

        Raises:
            GraderError: they cannot be written.
        """
        folder = _made(self.folder / report.submission.name)
        write_atomic(folder / "report.html", _pages().report_html(report))
        write_atomic(folder / "report.json", report_json(report))

    def has_report(self, report: Report) -> bool:
        """Whether both files of a submission are there, and of the same content as `report`."""
        folder = self.folder / report.submission.name
        try:
            head = _head(folder / "report.json")
        except OSError:
            return False
        # Near the beginning of the file, and written after the page.
        marks = (f'"digest": "{report.submission.digest}"', f'"status": "{report.status}"')
        return all(mark.encode() in head for mark in marks) and (folder / "report.html").is_file()

    def write_class(self, entries: Sequence[Entry]) -> None:
        """Write the page and the tables over all submissions.

        Raises:
            GraderError: they cannot be written.
        """
        tables = {name: data for name, render in _TABLES.items() if (data := render(entries)) is not None}
        for name in _TABLES:
            if name in tables:
                write_atomic(self.folder / name, tables[name])
            else:
                _remove(self.folder / name)
        write_atomic(self.folder / INDEX, _pages().index_html(entries, files=tuple(tables)))


@cache
def prepare_pages() -> None:
    """Get ready to make pages; it takes its time, so not before the first guest is at work."""
    _pages().prepare()


def _pages() -> ModuleType:
    return importlib.import_module("grader.render.html.pages")


_TABLES: Mapping[str, Callable[[Sequence[Entry]], bytes | None]] = {
    "grades.csv": grades_csv,
    "canvas.csv": canvas_csv,
    "moodle.csv": moodle_csv,
    "junit.xml": junit_xml,
}
"""Files over all submissions, beside the page; None where there is nothing that would go into one."""


def _head(path: Path) -> bytes:
    """Return the beginning of a file: the whole of it would take too long for a class."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _is_in_the_way(folder: Path) -> bool:
    # A link would have us write, and clear outputs, wherever somebody else wants that.
    return os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir())


def _remove(path: Path) -> None:
    """Remove a table of ours that an earlier run made, so that nobody takes it for this one's."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GraderError(f"cannot remove {path}: {error.strerror}") from error


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GraderError(f"cannot make {folder}: {error.strerror}") from error
    return folder
