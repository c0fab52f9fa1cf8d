"""What `grader check` does after its first line: validate everything, then check once or after each save."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from grader.cli.check_output import STATUS, CheckLines, print_report, print_unjudged, write_files
from grader.cli.common import (
    message_printer,
    preload_views,
    print_bytes,
    print_message,
)
from grader.cli.interruptible import Interruptible
from grader.cli.own_lab import own_lab
from grader.cli.targets import require_target
from grader.errors import GraderError, UsageError
from grader.lab.find import load_lab, require_apart
from grader.messages import Notify
from grader.model.counted import listed
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import UnusableSource
from grader.options import GradeOptions
from grader.render.exports.report_json import report_json
from grader.render.text.escape import one_line
from grader.render.text.phrases import isolation_words
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice
from grader.selfcheck.check_selection import select_checks
from grader.selfcheck.last_check import change_words, of_report, replace_last_check
from grader.selfcheck.own_work import (
    OwnGrader,
    OwnWork,
    folders_of,
    outcome,
    own_sandbox,
    read_own,
)


@dataclass(frozen=True)
class CheckOptions:
    """The command line."""

    folder: Path
    lab: str | None
    quick: bool
    only: tuple[str, ...]
    watch: bool
    verbose: bool
    sandbox: SandboxChoice
    as_json: bool
    html: Path | None
    junit: Path | None


def run_check(options: CheckOptions) -> int:
    """Check as the command line says; return the exit status.

    Raises:
        UsageError: the command line contradicts the lab or the files that are there.
        GraderError: there is no sandbox, or a file cannot be written.
    """
    # A program reads the JSON: nothing moves in a terminal meanwhile.
    console = Console(stderr=True, force_terminal=False) if options.as_json else Console()
    notify = message_printer()
    spec, files = load_lab(options.lab) if options.lab else own_lab(options.folder, notify)
    require_apart(files, [options.folder], are_own=True)
    selected_checks = select_checks(spec, options.only) if options.only else None
    _require_targets(spec, {"--html": options.html, "--junit": options.junit})
    # With --watch there may be nothing to check yet.
    work = None if options.watch and options.folder.is_dir() else read_own(options.folder, spec)
    if options.watch and work is not None:
        raise UsageError(f"--watch waits for saves in a folder, and {options.folder} is an archive")
    with closing(own_sandbox(options.sandbox, notify)) as sandbox:
        print_message(console, one_line(f"{_read(spec, work)}, {isolation_words(sandbox.isolation)}"))
        grader = OwnGrader(spec, files, sandbox, notify, quick=options.quick)
        run = CheckRun(options, grader, selected_checks, console, notify)
        if work is None:
            run.check_at_every_save(sandbox)
        return run.show(work, run.check(work))


@dataclass(frozen=True)
class CheckRun:
    """An accepted command line, with everything that is needed to check once or repeatedly.

    `notify` gets messages that do not belong to the report.
    """

    options: CheckOptions
    grader: OwnGrader
    selected_checks: frozenset[str] | None
    console: Console
    notify: Notify

    def check(self, work: OwnWork) -> Report:
        """Return the report, having shown meanwhile what is running."""
        expected = [
            check
            for check in self.grader.spec.checks()
            if self.selected_checks is None or check in self.selected_checks
        ]
        # The guest compiles then, and nobody waits for the grader.
        on_start = partial(preload_views, pages=self.options.html is not None, class_page=False)
        with CheckLines(self.console, expected, on_start, verbose=self.options.verbose) as lines:
            options = GradeOptions(lines, selected_checks=self.selected_checks)

            def end() -> None:
                options.stop.set()
                self.grader.interrupt()

            grading = Interruptible(lambda: self.grader.grade(work.submission, options), end)
            try:
                report = grading.result()
            except KeyboardInterrupt:
                self._show_interrupted(work, lines, grading.future)
                raise
            lines.rest(report)
        return report

    def _show_interrupted(self, work: OwnWork, lines: CheckLines, future: Future[Report]) -> None:
        """Show the verdicts if all were known when Ctrl-C came, with the explanations that were found by then."""
        lines.hide()
        known = lines.known
        if known is None:
            return
        ended = future.done() and future.exception() is None
        self.show(work, future.result() if ended else self.grader.own_form(known))

    def show(self, work: OwnWork, report: Report) -> int:
        """Print the report and write the files that the command line names; return the exit status."""
        print_report(report, self.console, self._change(report), verbose=self.options.verbose)
        if self.options.as_json:
            print_bytes(report_json(report))
        write_files(report, work.origin, self.options.html, self.options.junit, self.notify)
        result = outcome(report)
        if result == "unjudged":
            print_unjudged(report, self.console)
        return STATUS[result]

    def _change(self, report: Report) -> str:
        """Say what has changed since the last check of this folder, and remember this one."""
        after = of_report(report)
        if after is None:
            return ""
        before = replace_last_check(self.options.folder, report.spec_digest, after)
        return "" if before is None else change_words(before, after)

    def check_at_every_save(self, sandbox: Sandbox) -> NoReturn:
        """Check, and again whenever a source is saved, until Ctrl-C.

        A save in the middle of a check ends it: its report would be out of date.

        Raises:
            UsageError: the folder was removed.
            GraderError: the system does not report saves.
        """
        # Imported here: only --watch needs it, and it takes a while to load.
        from grader.selfcheck.source_watcher import SourceWatcher  # noqa: PLC0415

        folder, spec = self.options.folder, self.grader.spec
        with SourceWatcher(spec.sources, sandbox.interrupt) as saves:
            while True:
                if not folder.is_dir():
                    raise UsageError(f"{folder} is no longer there")
                # Before the sources are read, so that no save in between is missed.
                saves.look_at(folders_of(folder, spec))
                try:
                    work = read_own(folder, spec)
                    report = self.check(work)
                    if not saves.happened():
                        self.show(work, report)
                except GraderError as error:
                    # The next save may fix it, for instance by adding a source that is missing.
                    print_message(self.console, one_line(f"grader: {error}"))
                if not saves.happened():
                    print_message(self.console, "\nwaiting for the next save; press Ctrl-C to end")
                saves.wait()
                print_message(self.console, "\nsaved: checking again")


def _read(spec: Spec, work: OwnWork | None) -> str:
    """Return the names of the sources, without those that are missing or cannot be used: the report has them."""
    if work is None:
        return listed(spec.sources)
    unusable = [name for name, source in work.submission.sources.items() if isinstance(source, UnusableSource)]
    usable = {file for name, program in spec.programs.items() if name not in unusable for file in program.files}
    return listed(file for file in spec.sources if file in usable) or "no sources"


def _require_targets(spec: Spec, targets: Mapping[str, Path | None]) -> None:
    """Make sure, before any work, that the files can be written and do not replace a source."""
    paths = {option: path for option, path in targets.items() if path is not None}
    for option, path in paths.items():
        require_target(option, path)
        if path.name in spec.sources:
            raise UsageError(f"{option} {path}: a source of the lab has this name, and would be overwritten")
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise UsageError(f"{listed(paths)} name the same file")
