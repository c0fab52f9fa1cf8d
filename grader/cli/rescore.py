"""`grader rescore RESULTS --lab LAB`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from grader.batch.batch import Conclusion, conclude
from grader.batch.course_files import CourseFiles, read_rules
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_results
from grader.batch.output_folder import OutputFolder
from grader.batch.rescore import RescoreOutcome, Rescoring
from grader.batch.workers import local_backend
from grader.cli.common import message_printer, print_message
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK
from grader.cli.mixed_versions import mixed_words, rescore_command
from grader.cli.options import lab_option, sandbox_option
from grader.cli.private_files import closed_to_others
from grader.cli.progress import LiveProgress
from grader.errors import GraderError
from grader.grading.setup import RunConfig
from grader.lab.find import load_lab
from grader.machine_folders import runs_as_root
from grader.messages import Notify
from grader.model.counted import counted, listed_up_to
from grader.render.text.escape import one_line
from grader.render.text.phrases import points_words
from grader.render.views.commands import Commands
from grader.sandbox.choose import SandboxChoice

NAMED = 8
"""Number of changed keys, and of submissions with the same reason, to name."""


@click.command("rescore")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@lab_option
@click.option("--dry-run", is_flag=True, help="Show who gains and who loses, and change nothing.")
@click.option(
    "--from",
    "old_lab",
    default="",
    metavar="LAB",
    help="The lab as it was, for results of an earlier grader, which did not keep it.",
)
@sandbox_option
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Submissions to run at the same time.  [default: one per CPU]"
)
def command(  # noqa: PLR0913 - one parameter per option
    *, results: Path, lab: str, dry_run: bool, old_lab: str, sandbox: SandboxChoice, jobs: int | None
) -> int:
    """Apply a changed lab to the results in a folder.

    RESULTS is a folder that `grader grade --out RESULTS` wrote to. Points, titles, hints, visibility, settings and
    pages of known bugs are applied to the kept results. Only what decides verdicts is run: new cases, for example.

    Exit status: 0, or 3 if a result does not have the new version.
    """
    console, notify = Console(), message_printer()
    spec, files = load_lab(lab)
    with open_results(results, spec.lab) as book:
        book.notify_damage(notify)
        rules = read_rules(CourseFiles(), [], [], book.rules(), spec, notify)
        rescoring = Rescoring(book, OutputFolder(results), spec, files, rules, old_lab)
        progress = _Progress(rescoring, console, max((len(entry.name) for entry in rescoring.entries), default=0))
        if not dry_run:
            if sandbox == "local" and runs_as_root():
                click.get_current_context().with_resource(closed_to_others())
            rescoring.folder.prepare(0)
        commands = _commands(book, rescore_command(results, lab))
        try:
            progress.without_runs(dry_run=dry_run)
            if not dry_run:
                progress.run(RunConfig(spec, files, sandbox, rescoring.strace, secret=book.secret()), jobs, notify)
                book.keep_commands(commands)
                # Until everything has been run, the files that they choose are not those of all results.
                book.keep_rules(rules)
        except KeyboardInterrupt:
            progress.interrupted = True
        except Exception:
            if not dry_run:
                # The first error is the one to report.
                with suppress(GraderError):
                    _conclude(rescoring, commands)
            raise
        left = progress.conclude()
        if dry_run:
            print_message(console, "nothing was written (--dry-run)")
            return INTERRUPTED if progress.interrupted else OK
        conclusion = _conclude(rescoring, commands)
    _print_conclusion(conclusion, commands, console, notify)
    print_message(console, one_line(f"report: {results / 'index.html'}"))
    if progress.interrupted:
        print_message(console, "interrupted; the same command goes on from there")
        return INTERRUPTED
    return BROKEN if left or conclusion.is_mixed or conclusion.unwritten else OK


def _commands(book: Gradebook, rescore: str) -> Commands:
    """Return the commands for the class page; that of the last run grades with this lab only if it named the same."""
    kept = book.commands()
    return kept if kept.rescore == rescore else Commands(rescore=rescore)


def _print_conclusion(conclusion: Conclusion, commands: Commands, console: Console, notify: Notify) -> None:
    for note in conclusion.notes:
        notify(one_line(note))
    for name, reason in conclusion.unwritten.items():
        notify(f"no report of {name}: {reason}")
    if conclusion.is_mixed:
        print_message(console, mixed_words(conclusion, commands.rescore))


def _conclude(rescoring: Rescoring, commands: Commands) -> Conclusion:
    return conclude(rescoring.book, rescoring.folder, rescoring.record.lab_digest, commands, rescoring.rules)


@dataclass
class _Progress:
    """Prints what happens to results; `width` is that of the longest name."""

    rescoring: Rescoring
    console: Console
    width: int
    interrupted: bool = False

    def without_runs(self, *, dry_run: bool) -> None:
        """Rescore what needs no run, and say what has to be run."""
        if self.rescoring.rules.decide:
            self._print("these are the scores before policies and overrides of the course, which still apply")
        for version in self.rescoring.versions:
            if version.changes.applied:
                self._print(f"changed: {listed_up_to(NAMED, version.changes.applied)}")
            old, new = version.changes.old.max_score, version.changes.spec.max_score
            if old != new:
                # Otherwise everybody seems to gain.
                self._print(f"the lab has {points_words(new)} points instead of {points_words(old)}")
        with closing(self.rescoring.without_runs(dry_run=dry_run)) as outcomes:
            for outcome in outcomes:
                self._print_change(outcome)
        self._print_reasons(self.rescoring.to_run, "to run")

    def run(self, config: RunConfig, jobs: int | None, notify: Notify) -> None:
        """Run what has to be run."""
        if self.rescoring.to_run:
            with (
                local_backend(config, jobs, notify) as backend,
                LiveProgress(self.console, len(self.rescoring.to_run)) as progress,
                closing(self.rescoring.run(backend, progress.watch)) as outcomes,
            ):
                for outcome in outcomes:
                    progress.finished(outcome.name)
                    self._print_change(outcome)
        self.rescoring.confirm_unchanged()

    def conclude(self) -> list[RescoreOutcome]:
        """Print the summary, and return what was not rescored."""
        outcomes = list(self.rescoring.outcomes.values())
        left = [outcome for outcome in outcomes if outcome.kind == "left"]
        self._print_reasons(left, "not rescored")
        self._print("")
        self._print(_summary(outcomes))
        return left

    def _print(self, message: str) -> None:
        print_message(self.console, one_line(message))

    def _print_change(self, outcome: RescoreOutcome) -> None:
        """Print who gains or loses, and by which checks."""
        if outcome.kind != "rescored" or outcome.before == outcome.after:
            return
        before, after = outcome.before or 0.0, outcome.after or 0.0
        gain = f"{'+' if after > before else '-'}{points_words(abs(after - before))}"
        checks = (f"{check} {points_words(old)} to {points_words(new)}" for check, old, new in outcome.points)
        name = one_line(outcome.name).ljust(self.width)
        scores = f"{points_words(before):>5} to {points_words(after):>5}  {gain:>5}"
        print_message(self.console, f"{name}  {scores}  {one_line(', '.join(checks))}")

    def _print_reasons(self, outcomes: Sequence[RescoreOutcome], what: str) -> None:
        """Print each reason once, with those that it is about."""
        names: dict[str, list[str]] = {}
        for outcome in outcomes:
            for reason in outcome.reasons:
                names.setdefault(reason, []).append(outcome.name)
        for reason, found in names.items():
            self._print(f"{what}: {counted(len(found), 'submission')} ({listed_up_to(NAMED, found)}): {reason}")


def _summary(outcomes: Sequence[RescoreOutcome]) -> str:
    """Say how many results there are of each kind, who gains and loses, and how the mean changes."""
    numbers = Counter(outcome.kind for outcome in outcomes)
    words = [f"{numbers['rescored']} of {len(outcomes)} rescored"]
    words += [f"{numbers['current']} already of this version"] if numbers["current"] else []
    words += [f"{numbers['to-run']} to run"] if numbers["to-run"] else []
    words += [f"{numbers['left']} not rescored"] if numbers["left"] else []
    words += [f"{numbers['not-graded']} not graded"] if numbers["not-graded"] else []
    scores = [(one.before or 0.0, one.after or 0.0) for one in outcomes if one.kind == "rescored"]
    if scores:
        gain, lose = sum(new > old for old, new in scores), sum(new < old for old, new in scores)
        before, after = (sum(column) / len(scores) for column in zip(*scores, strict=True))
        mean = f"the mean of those rescored goes from {before:.1f} to {after:.1f}"
        words.append(f"{gain} gain points, {lose} lose points, and {mean}")
    return "; ".join(words)
