"""The folder that results go to: reports, a submission's wrong outputs, and the pages and tables over all of them."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from grader.atomic_write import unwritable, write_atomic
from grader.errors import GraderError, UnwritableError, UsageError
from grader.intake.names import is_reserved, shown
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

    def prepare(self, submissions: int) -> None:
        """Make the folder and try it for so many submissions, before any work is done.

        Raises:
            UsageError: nothing can be written there, there is no room for so many reports, or a page of somebody
                else's is where ours would be.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = self.folder / ".grader-was-here"
            probe.write_bytes(b"")
            probe.unlink()
            page = self.folder / INDEX
            foreign = page.exists() and GENERATOR not in _head(page)
            free_bytes = shutil.disk_usage(self.folder).free
        except OSError as error:
            raise UsageError(f"results cannot be written to {self.folder}: {error.strerror}") from error
        if foreign:
            raise UsageError(f"{page} is not the grader's; choose another folder for results, or move it away")
        needed_bytes = MIN_FREE_BYTES + submissions * ROOM_EACH_BYTES
        if free_bytes < needed_bytes:
            have, need = (f"{size // 1_000_000:,} MB" for size in (free_bytes, needed_bytes))
            raise UsageError(
                f"{self.folder} has {have} left and {need} may be needed: make room, or use another disk"
            )

    def make_folder(self, name: str) -> Path:
        """Make the folder of a submission, and return it.

        Raises:
            UnwritableError: it cannot be made, or something else lies there.
            GraderError: it cannot be made, because the disk is full.
        """
        return _made(self._folder_of(name))

    def write_outputs(self, name: str, outputs: Mapping[str, bytes]) -> None:
        """Keep the outputs that are not the reference's, by step, in the place of those of the last time.

        For whoever wants to look at more than the report shows.

        Raises:
            UnwritableError: they cannot be written.
            GraderError: they cannot be written, because the disk is full.
        """
        folder = self._checked(self._folder_of(name) / OUTPUTS)
        try:
            for path in folder.glob(f"*{OUTPUT_SUFFIX}"):
                path.unlink()
        except OSError as error:
            raise unwritable(f"cannot clear {folder}", error) from error
        if outputs:
            _made(folder.parent)
            _made(folder)
        for step, data in outputs.items():
            write_atomic(folder / f"{step}{OUTPUT_SUFFIX}", data)

    def write_report(self, report: Report) -> None:
        """Write report.json and report.html of one submission.

        Raises:
            UnwritableError: they cannot be written.
            GraderError: they cannot be written, because the disk is full.
        """
        folder = self.make_folder(report.submission.name)
        write_atomic(folder / "report.html", _pages().report_html(report))
        write_atomic(folder / "report.json", report_json(report))

    def has_report(self, report: Report) -> bool:
        """Whether both files of a submission are there, and of the same content as `report`."""
        try:
            folder = self._folder_of(report.submission.name)
            head = _head(folder / "report.json")
        except (OSError, UnwritableError):
            return False
        # Near the beginning of the file, and written after the page.
        marks = (f'"digest": "{report.submission.digest}"', f'"status": "{report.status}"')
        return all(mark.encode() in head for mark in marks) and (folder / "report.html").is_file()

    def _folder_of(self, name: str) -> Path:
        """Return the folder of a submission, which lies directly in the folder for results and is no link.

        Names are made safe by intake/names.py. This holds for every name: an older gradebook may have any.

        Raises:
            UnwritableError: it would lie elsewhere, or something else lies there.
        """
        # Not by pathlib, which takes "a/." for "a".
        if name in ("", ".", "..") or any(char in name for char in "/\0") or is_reserved(name):
            raise UnwritableError(f"{shown(name)!r} cannot be the name of a folder in {self.folder}")
        return self._checked(self.folder / name)

    @staticmethod
    def _checked(folder: Path) -> Path:
        # A link would have us write, and clear outputs, wherever somebody else wants that.
        try:
            foreign = folder.is_symlink() or (folder.exists() and not folder.is_dir())
            if foreign or folder.resolve().parent != folder.parent.resolve():
                raise UnwritableError(
                    f"{folder} is no folder of the grader's; choose another folder for results, or move it away"
                )
        except OSError as error:
            raise unwritable(f"cannot write to {folder}", error) from error
        return folder

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
        raise unwritable(f"cannot make {folder}", error) from error
    return folder
