"""`grader check --watch`: check, wait for a save, check again."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from grader.cli.common import print_message
from grader.cli.own_report import OwnReports
from grader.errors import GraderError, UsageError
from grader.render.text.escape import one_line
from grader.sandbox.base import Sandbox
from grader.selfcheck.own_work import find_own, folders_of
from grader.selfcheck.source_watcher import SourceWatcher


def check_on_saves(folder: Path, reports: OwnReports, place: Sandbox) -> NoReturn:
    """Check, and again whenever a source is saved; Ctrl-C ends it.

    A save in the middle of a check ends that one: nobody waits for what is out of date.

    Raises:
        UsageError: there is no such folder any more.
        GraderError: saves cannot be noticed here.
    """
    with SourceWatcher(reports.spec.sources, place.interrupt) as saves:
        while True:
            if not folder.is_dir():
                raise UsageError(f"{folder} is no longer there")
            saves.look_at(folders_of(folder, reports.spec))
            _check(folder, reports, saves)
            if not saves.happened():
                print_message(reports.console, "\nwaiting for a save; Ctrl-C ends")
            saves.wait()
            print_message(reports.console, "\nsaved: checking again")


def _check(folder: Path, reports: OwnReports, saves: SourceWatcher) -> None:
    """Check once and show what came of it, unless that is out of date."""
    try:
        found = find_own(folder, reports.spec)
        report = reports.make(found)
        if not saves.happened():
            reports.show(found, report)
    except GraderError as error:
        # A source that is just not there, for instance: the next save may bring it.
        print_message(reports.console, one_line(f"grader: {error}"))
