"""`grader grade PATH… --lab LAB --out DIR`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from rich.console import Console, RenderableType

from grader.batch.batch import Batch, FinishedGrading, PendingSubmission, replaced_paths
from grader.batch.course_files import CourseFiles, read_rules
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import OutputFolder
from grader.batch.workers import Backend, local_backend
from grader.cli.common import message_printer, preload_views, print_message
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK
from grader.cli.mixed_versions import mixed_words, rescore_command
from grader.cli.options import lab_option, sandbox_option
from grader.cli.own_command import with_own_command
from grader.cli.private_files import closed_to_others
from grader.cli.progress import LiveProgress
from grader.cli.started_as import started_as
from grader.course.rules import Rules
from grader.errors import GraderError, UsageError
from grader.grading.plan_builder import StraceMode
from grader.grading.setup import RunConfig
from grader.intake.reading import template_of
from grader.intake.submissions import find_submissions
from grader.judge.repeat import shell_word
from grader.lab.find import load_lab, require_apart
from grader.machine_folders import runs_as_root
from grader.messages import Notify
from grader.model.counted import counted, listed, listed_up_to
from grader.model.report import Isolation
from grader.render.text.escape import one_line
from grader.render.text.phrases import isolation_words
from grader.render.views.commands import Commands
from grader.sandbox.choose import SandboxChoice

OTHERS_NAMED = 3
"""Number of submissions to name that are in the gradebook from earlier runs only."""

NOTES_SHOWN = 20
"""Sentences about rules that could not be applied; the others are counted."""

_FILE = click.Path(path_type=Path)


@click.command("grade")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@lab_option
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder for reports and grades.")
@sandbox_option
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Submissions to grade at the same time.  [default: one per CPU]"
)
@click.option(
    "--strace",
    type=click.Choice(["slice", "full"]),
    default="slice",
    show_default=True,
    help="full: also count every call of the full-size runs with strace, which takes minutes.",
)
@click.option("--no-cache", is_flag=True, help="Grade everything again, including the reference.")
@click.option("--cluster", metavar="ADDRESS", help="Grade on the workers of this Dask scheduler.")
@click.option(
    "--only",
    multiple=True,
    metavar="failed|not-graded|NAME",
    help="Grade only these, changed or not: a name of results or how it begins, or a student. Can be repeated.",
)
@click.option("--course", type=_FILE, help="Deadline and penalties. Default: course.yaml next to the class.")
@click.option("--overrides", type=_FILE, help="Decisions about students. Default: overrides.yaml next to the class.")
@click.option("--roster", type=_FILE, help="The students of the course, as CSV.")
def command(  # noqa: PLR0913 - one parameter per option
    *,
    paths: tuple[Path, ...],
    lab: str,
    out: Path,
    sandbox: SandboxChoice,
    jobs: int | None,
    strace: StraceMode,
    no_cache: bool,
    cluster: str | None,
    only: tuple[str, ...],
    course: Path | None,
    overrides: Path | None,
    roster: Path | None,
) -> int:
    """Grade submissions.

    PATH is one submission, or a folder or archive of submissions, such as an export of Gradescope, Canvas, Moodle or
    GitHub Classroom.

    The command writes OUT/NAME/report.html and report.json for each submission, OUT/index.html and OUT/grades.csv.
    You can stop it at any time and repeat it: it grades only what is new or changed.

    Exit status: 0 if everything was graded, whatever the scores, and 3 if something could not be graded, or if scores
    of an earlier version of the lab are left.
    """
    console, notify = Console(), message_printer()
    spec, files = load_lab(lab)
    if spec.published is not None:
        notify(
            f"note: {lab} is a student's copy, without the hidden checks; grade with the spec that it was made from"
        )
    found = find_submissions(paths, spec, leave_out=out, notify=notify)
    require_apart(files, (submission.path for submission in found))
    folder = OutputFolder(out)
    private = sandbox == "local" and runs_as_root()
    if private:
        click.get_current_context().with_resource(closed_to_others())
    folder.prepare(len(found), private=private)
    named = CourseFiles(course, overrides, roster)
    with (
        open_gradebook(out, spec.lab, notify) as book,
        # Before anything that takes time: a mistake in them is known at once.
        nullcontext(read_rules(named, paths, found, _kept_rules(book, notify), spec, notify)) as rules,
        _backend(
            RunConfig(spec, files, sandbox, strace, use_cache=not no_cache, secret=book.secret()),
            cluster,
            jobs,
            notify,
        ) as backend,
    ):
        if rules.decide:
            notify(_rules_words(rules))
        command = _command_line(
            paths,
            lab,
            out,
            sandbox=sandbox,
            strace=strace,
            jobs=jobs,
            cluster=cluster,
            course=named.options,
        )
        commands = Commands(command, rescore_command(out, lab))
        batch = Batch(
            spec,
            backend.environment,
            backend.keys,
            book,
            folder,
            book.known(notify),
            commands,
            rules,
            template_of(spec, files.template),
        )
        selection = batch.select(found, only, again=no_cache)
        book.record_paths(str(path.resolve()) for path in paths)
        book.keep_commands(commands)
        if replaced := replaced_paths(selection.todo, batch.known):
            notify(_replaced_words(replaced))
        _notify_up_to(NOTES_SHOWN, notify, selection.doubts, "more submission", "that only names decided")
        count = _grade(backend, batch, selection.todo, console)
        here = {one.name for one in found}
        conclusion = batch.conclude()
        for name, reason in conclusion.unwritten.items():
            notify(f"no report of {name}: {reason}")
            count.unwritten |= name in here
        count.mixed = conclusion.is_mixed
        if len(found) == 1 and selection.unchanged:
            _show_again(book, found[0].name, console)
        _conclude(count, len(selection.unchanged), backend.environment.isolation, command, console)
        _notify_up_to(NOTES_SHOWN, notify, conclusion.notes, "more remark", "on policies and overrides")
        _print_others([name for name in batch.known if name not in here], out, console)
        if conclusion.is_mixed:
            print_message(console, mixed_words(conclusion, commands.rescore))
        page = Path(found[0].name, "report.html") if len(found) == 1 else Path("index.html")
        print_message(console, one_line(f"report: {out / page}"))
        return count.status


def _notify_up_to(most: int, notify: Notify, notes: Sequence[str], noun: str, about: str) -> None:
    for note in notes[:most]:
        notify(one_line(note))
    if left := notes[most:]:
        notify(f"{counted(len(left), noun)} {about}")


def _kept_rules(book: Gradebook, notify: Notify) -> Rules:
    try:
        return book.rules()
    except GraderError as error:
        notify(f"{error}; they do not count")
        return Rules()


def _rules_words(rules: Rules) -> str:
    """Say which files decide about final scores, because nobody may have named them."""
    return one_line(f"final scores follow {listed(filter(None, (rules.course_file, rules.overrides_file)))}")


def _backend(
    config: RunConfig, cluster: str | None, jobs: int | None, notify: Notify
) -> AbstractContextManager[Backend]:
    if cluster is None:
        return local_backend(config, jobs, notify)
    if jobs is not None:
        raise UsageError("--jobs is for this machine; on a cluster, the workers' threads decide")
    try:
        # Dask is an extra, which may not be installed.
        from grader.batch.dask_cluster import cluster_backend  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(f"--cluster needs {error.name}; install iolab-grader[cluster]") from error
    return cluster_backend(cluster, config)


@dataclass
class RunCount:
    """Numbers of submissions of a run: all, those graded so far, and those that could not be.

    `outdated`: those of the latter that have an earlier score, which counts. `decided` have no
    program, and their score, or excuse, is an override. `unwritten`: the report of an earlier result is missing and
    could not be written. `mixed`: the run leaves scores of several versions of the lab.
    """

    total: int
    graded: int = 0
    not_graded: int = 0
    outdated: int = 0
    decided: int = 0
    interrupted: bool = False
    unwritten: bool = False
    mixed: bool = False

    def add(self, done: FinishedGrading) -> None:
        """Count a submission that is done."""
        if done.report.status == "graded":
            self.graded += 1
        elif done.report.is_decided:
            self.decided += 1
        else:
            self.not_graded += 1
            self.outdated += done.entry.report.status == "graded"

    @property
    def status(self) -> int:
        """The exit status."""
        if self.interrupted:
            return INTERRUPTED
        return BROKEN if self.not_graded or self.unwritten or self.mixed else OK


def _grade(backend: Backend, batch: Batch, todo: Sequence[PendingSubmission], console: Console) -> RunCount:
    """Grade until everything is done or somebody interrupts it, and count what was done."""
    count = RunCount(len(todo))
    try:
        if todo:
            _grade_all(backend, batch, todo, console, count)
    except KeyboardInterrupt:
        count.interrupted = True
        batch.postpone(todo)
    except Exception:
        # Finished results get their page and tables even now; the error to report is the first one.
        with suppress(GraderError):
            batch.conclude()
        raise
    return count


def _grade_all(
    backend: Backend, batch: Batch, todo: Sequence[PendingSubmission], console: Console, count: RunCount
) -> None:
    width = max(len(one.found.name) for one in todo)
    preload = partial(preload_views, pages=True, class_page=True)
    with LiveProgress(console, len(todo)) as progress:
        workers = backend.start(len(todo), progress.watch)
        progress.expect(workers.each_s)
        with closing(batch.grade(workers, todo, meanwhile=preload)) as results, _with_resume_hint():
            for done in results:
                count.add(done)
                progress.finished(done.report.submission.name)
                for view in _views(done, in_full=len(todo) == 1, name_width=width):
                    progress.show(view)


def _views(done: FinishedGrading, *, in_full: bool, name_width: int) -> Iterator[RenderableType]:
    from grader.render.terminal.report import line  # noqa: PLC0415 - see preload_views
    from grader.render.terminal.summary import summary  # noqa: PLC0415

    if in_full:
        yield summary(with_own_command(done.report))
    yield line(done.report, name_width=name_width, score_before=done.score_before)


@contextmanager
def _with_resume_hint() -> Iterator[None]:
    try:
        yield
    except GraderError as error:
        words = f"{error}\nFinished results are kept. After this is fixed, the same command grades the rest."
        raise GraderError(words) from error


def _replaced_words(replaced: Sequence[tuple[str, str]]) -> str:
    before, now = replaced[0]
    more = f", and {len(replaced) - 1} more" if len(replaced) > 1 else ""
    return (
        f"results of the same name are replaced: {before} by {now}{more}; "
        "if these are different students, stop, and give all their folders in one command or another --out"
    )


def _show_again(book: Gradebook, name: str, console: Console) -> None:
    report = book.report(name)
    if report is not None:
        from grader.render.terminal.summary import summary  # noqa: PLC0415 - see preload_views

        console.print(summary(with_own_command(report)), crop=False)


def _command_line(  # noqa: PLR0913 - one parameter per option
    paths: Sequence[Path],
    lab: str,
    out: Path,
    *,
    sandbox: SandboxChoice,
    strace: StraceMode,
    jobs: int | None,
    cluster: str | None,
    course: Mapping[str, str | None],
) -> str:
    """Return the command, to be pasted into a shell, that grades the same class in the same way.

    It lacks --only and --no-cache: what is new, changed or not graded is graded without them.
    """
    options = {
        "--lab": lab,
        "--out": str(out),
        "--sandbox": None if sandbox == "auto" else sandbox,
        "--strace": None if strace == "slice" else strace,
        "--jobs": None if jobs is None else str(jobs),
        "--cluster": cluster,
        **course,
    }
    given = [word for name, value in options.items() if value is not None for word in (name, value)]
    return f"{started_as()} grade {' '.join(map(shell_word, [*map(str, paths), *given]))}"


def _conclude(count: RunCount, unchanged: int, isolation: Isolation, command: str, console: Console) -> None:
    if not count.total and not unchanged:
        # Only with --only: a class is never empty.
        print_message(console, "nothing to grade: no submission matches --only")
    if count.total:
        print_message(console, f"\n{count.graded} of {count.total} graded {isolation_words(isolation)}")
    if unchanged:
        print_message(console, f"{unchanged} unchanged since graded, so not graded again (--no-cache grades all)")
    if count.decided:
        words = counted(count.decided, "submission")
        print_message(console, f"{words} without a program: overrides of the course say what counts")
    if count.not_graded:
        words = f"{_not_graded_words(count)}; fix the problem reported above, then run"
        print_message(console, f"{words}\n  {one_line(command)} --only not-graded")
    if count.interrupted:
        left = count.total - count.graded - count.decided - count.not_graded
        print_message(
            console,
            f"interrupted before {left} of {count.total} {'was' if left == 1 else 'were'} done; to continue, run\n"
            f"  {one_line(command)}",
        )


def _not_graded_words(count: RunCount) -> str:
    words = f"{counted(count.not_graded, 'submission')} could not be graded"
    left = count.not_graded - count.outdated
    if not left:
        return f"{words}; the earlier {'score counts' if count.outdated == 1 else 'scores count'}"
    return f"{words} and {f'{left:,} of them ' * bool(count.outdated)}{'has' if left == 1 else 'have'} no score"


def _print_others(names: Sequence[str], out: Path, console: Console) -> None:
    if names:
        shown = listed_up_to(OTHERS_NAMED, names)
        print_message(
            console, one_line(f"{len(names)} more in {out}, from earlier runs and not among these: {shown}")
        )
