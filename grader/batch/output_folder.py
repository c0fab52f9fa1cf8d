"""The output folder: reports, the wrong outputs of each submission, and the pages and tables of the class."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.atomic_write import unwritable, write_atomic
from grader.cache.secret import new_mark
from grader.course.grades import NO_GRADES, FinalGrades
from grader.errors import GraderError, UnwritableError, UsageError
from grader.intake.names import is_reserved, shown
from grader.intake.own_results import has_own_mark
from grader.machine_folders import FULL
from grader.model.gradebook import GRADEBOOK, RESULTS_MARK, Entry
from grader.model.report import Report
from grader.render.exports.canvas import canvas_csv
from grader.render.exports.grades_csv import grades_csv
from grader.render.exports.junit import junit_xml
from grader.render.exports.moodle import moodle_csv
from grader.render.exports.report_json import report_json
from grader.render.views.commands import NO_COMMANDS, Commands
from grader.render.views.lab_versions import lab_versions

OUTPUTS, OUTPUT_SUFFIX = "outputs", ".output"
"""The folder next to a report that holds the outputs that differ from the reference's, by step."""

INDEX, SIMILAR = "index.html", "similar.html"
GENERATOR = b'<meta name="generator" content="iolab-grader">'
"""Marks our pages, see reports/page.html.j2."""

HEAD_BYTES = 4096

_AFTER_GRADE = b'\n  "checks": '
"""Begins the field of report.json after the grade; what is before it is the same without evidence."""

MIN_FREE_BYTES = 50_000_000
"""Free bytes required before any work begins, in addition to those for each submission."""

BYTES_PER_SUBMISSION = 500_000


@dataclass(frozen=True)
class OutputFolder:
    """The output folder, with a folder for each submission; other files in it are left alone."""

    folder: Path

    def prepare(self, submissions: int, *, private: bool = False) -> None:
        """Make the folder, and check before any work that it can take the reports of so many submissions.

        `private`: close it to other users, if it is new or has our results. (Other folders may be shared on purpose.)
        It gets our mark, as a later run may find it among submissions, where results are believed only with that.

        Raises:
            UsageError: nothing can be written there, or a page that is not ours has the name of ours.
            GraderError: the disk is too full.
        """
        try:
            is_ours = not self.folder.exists() or (self.folder / GRADEBOOK).exists()
            self.folder.mkdir(parents=True, exist_ok=True)
            if private and is_ours:
                self.folder.chmod(0o700)
            if not has_own_mark(self.folder) and (mark := new_mark()) is not None:
                write_atomic(self.folder / RESULTS_MARK, mark)
            probe = self.folder / ".grader-was-here"
            probe.write_bytes(b"")
            probe.unlink()
            page = self.folder / INDEX
            foreign = page.exists() and GENERATOR not in _head(page)
            free_bytes = shutil.disk_usage(self.folder).free
        except OSError as error:
            fault = GraderError if error.errno in FULL else UsageError
            raise fault(f"results cannot be written to {self.folder}: {error.strerror}") from error
        if foreign:
            raise UsageError(f"{page} is not the grader's; choose another folder for results, or move it away")
        needed_bytes = MIN_FREE_BYTES + submissions * BYTES_PER_SUBMISSION
        if free_bytes < needed_bytes:
            have, need = (f"{size // 1_000_000:,} MB" for size in (free_bytes, needed_bytes))
            raise GraderError(
                f"{self.folder} has {have} left and {need} may be needed: make room, or use another disk"
            )

    def make_folder(self, name: str) -> Path:
        """Make the folder of a submission, and return it.

        Raises:
            UnwritableError: it cannot be made, or something else is there.
            GraderError: it cannot be made, because the disk is full.
        """
        return _made(self._folder_of(name))

    def write_outputs(self, name: str, outputs: Mapping[str, bytes]) -> None:
        """Write the outputs that differ from the reference's, by step, instead of those of the last run.

        They show more than the report does.

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
        # Imported here: loading it takes a while, and the first guest must not wait for it.
        from grader.render.html.pages import report_html  # noqa: PLC0415

        folder = self.make_folder(report.submission.name)
        write_atomic(folder / "report.html", report_html(report))
        write_atomic(folder / "report.json", report_json(report))

    def has_report(self, report: Report) -> bool:
        """Whether both files of a submission exist and begin like `report`: the same status, scores and grade."""
        expected = report_json(report.model_copy(update={"checks": ()})).partition(_AFTER_GRADE)[0]
        try:
            folder = self._folder_of(report.submission.name)
            head = _head(folder / "report.json", len(expected))
        except (OSError, UnwritableError):
            return False
        # The page is written first.
        return head == expected and (folder / "report.html").is_file()

    def _folder_of(self, name: str) -> Path:
        """Return the folder of a submission, which lies directly in the output folder and is not a link.

        intake/names.py makes names safe, but an older gradebook may hold any name.

        Raises:
            UnwritableError: it would lie elsewhere, or something else has its name.
        """
        # Not by pathlib, which takes "a/." for "a".
        if name in ("", ".", "..") or any(char in name for char in "/\0") or is_reserved(name):
            raise UnwritableError(f"{shown(name)!r} cannot be the name of a folder in {self.folder}")
        return self._checked(self.folder / name)

    @staticmethod
    def _checked(folder: Path) -> Path:
        # Through a link we would write, and delete outputs, wherever it leads.
        try:
            foreign = folder.is_symlink() or (folder.exists() and not folder.is_dir())
            if foreign or folder.resolve().parent != folder.parent.resolve():
                raise UnwritableError(
                    f"{folder} is not a folder of the grader's; choose another folder for results, or move it away"
                )
        except OSError as error:
            raise unwritable(f"cannot write to {folder}", error) from error
        return folder

    def write_class(
        self,
        entries: Sequence[Entry],
        *,
        current: str = "",
        commands: Commands = NO_COMMANDS,
        mixed: bool = False,
        final: FinalGrades = NO_GRADES,
    ) -> tuple[str, ...]:
        """Write the page and the tables of the class; `current` is the version of the lab in the last run.

        `entries` have their grades; `final` has what else is known of them.

        Return the names of the tables for course systems that were not written, because the scores belong to several
        versions of the lab; with `mixed` they are written all the same.

        Raises:
            GraderError: they cannot be written.
        """
        # Imported here, see write_report.
        from grader.render.html.pages import index_html  # noqa: PLC0415

        tables = {name: data for name, render in _TABLES.items() if (data := render(entries, final)) is not None}
        versions = lab_versions(entries, current)
        withheld = tuple(name for name in tables if name in _FOR_COURSE_SYSTEMS and len(versions) > 1 and not mixed)
        for name in withheld:
            del tables[name]
        for name in _TABLES:
            if name in tables:
                write_atomic(self.folder / name, tables[name])
            else:
                _remove(self.folder / name)
        files = (*tables, *([SIMILAR] if (self.folder / SIMILAR).is_file() else []))
        page = index_html(entries, files=files, versions=versions, withheld=withheld, commands=commands, final=final)
        write_atomic(self.folder / INDEX, page)
        return withheld

    def write_similar(self, page: bytes) -> None:
        """Write the page of similar submissions, to which the page of the class then has a link.

        Raises:
            UsageError: a page that is not ours has its name.
            GraderError: it cannot be written.
        """
        path = self.folder / SIMILAR
        if path.exists() and GENERATOR not in _head(path):
            raise UsageError(f"{path} is not the grader's; move it away")
        write_atomic(path, page)


_TABLES: Mapping[str, Callable[[Sequence[Entry], FinalGrades], bytes | None]] = {
    "grades.csv": lambda entries, final: grades_csv(entries, final.known),
    "canvas.csv": lambda entries, final: canvas_csv(entries, final.known),
    "moodle.csv": lambda entries, final: moodle_csv(entries, final.known),
    "junit.xml": lambda entries, _final: junit_xml(entries),
}
"""Files of the class besides its page; a function returns None if its file would have no rows."""

_FOR_COURSE_SYSTEMS = ("canvas.csv", "moodle.csv")
"""Files whose scores would get in front of students, who compare them."""


def _head(path: Path, size_bytes: int = HEAD_BYTES) -> bytes:
    """Return the beginning of a file: reading whole reports would take too long for a class."""
    with path.open("rb") as file:
        return file.read(size_bytes)


def _remove(path: Path) -> None:
    """Remove a table that an earlier run made, so that nobody takes it for the current one."""
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
