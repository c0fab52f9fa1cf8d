"""Several submissions in the sandbox that runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.batch.batch import Batch, FinishedGrading, PendingSubmission
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import OutputFolder
from grader.batch.result_key import ResultKeys, RunRecord
from grader.batch.workers import local_workers
from grader.grading.pipeline import GradingContext
from grader.intake.reading import DiscoveredSubmission
from grader.messages import ignore_message
from grader.model.gradebook import Origin
from grader.sandbox.base import Job, ProgressEvent, Sandbox

from .facts import LAB, evidence
from .lab import PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Script, events_of


def record(sandbox: Sandbox, **changes: object) -> RunRecord:
    """What a run in this sandbox depends on."""
    values: dict[str, object] = {
        "code": "code",
        "spec": SPEC.model_dump_json(by_alias=True),
        "spec_digest": SPEC.digest(),
        "reference": {},
        "mutants": {},
        "fixtures": {},
        "runner": sandbox.runner,
        "strace": "slice",
        "machine": sandbox.identity(),
    }
    return RunRecord.model_validate(values | changes)


RIGHT = events_of(evidence())
NAMES = ["ada", "bob", "cyd", "dan"]


def make_submissions(folder: Path, names: Sequence[str] = NAMES) -> list[DiscoveredSubmission]:
    """Submissions whose sources hold their name, by which a script knows them."""
    for name in names:
        (folder / name).mkdir(parents=True)
        for program in PROGRAMS:
            (folder / name / f"{program}.c").write_text(name)
    return [DiscoveredSubmission(name, folder / name, Origin(path=name)) for name in names]


def owner(job: Job) -> str:
    return job.sources["many.c"].decode()


def grading(script: Script) -> tuple[GradingContext, FakeSandbox]:
    sandbox = FakeSandbox(script)
    return GradingContext(LAB, sandbox), sandbox


def ignore(_name: str, _event: ProgressEvent) -> None:
    return


@dataclass(frozen=True)
class Class:
    """Submissions and the folder for their results."""

    found: Sequence[DiscoveredSubmission]
    results: OutputFolder

    @contextmanager
    def opened(self, context: GradingContext, said: list[str] | None = None) -> Iterator[tuple[Batch, Gradebook]]:
        """Hold the gradebook, and a run of this class with it."""
        notify = ignore_message if said is None else said.append
        with open_gradebook(self.results.folder, SPEC.lab, notify) as book:
            yield (
                Batch(
                    SPEC,
                    context.environment,
                    ResultKeys(record(context.sandbox, runner="runner")),
                    book,
                    self.results,
                    book.known(notify),
                ),
                book,
            )

    def todo(self, batch: Batch, only: Sequence[str] = (), *, again: bool = False) -> Sequence[PendingSubmission]:
        """What a run would grade."""
        return batch.select(self.found, only, again=again).todo

    def graded(
        self, context: GradingContext, *, only: Sequence[str] = (), again: bool = False, jobs: int = 1
    ) -> list[FinishedGrading]:
        """Grade what has to be, as `grader grade` does."""
        with self.opened(context) as (batch, _):
            todo = self.todo(batch, only, again=again)
            done = list(batch.grade(local_workers(context, jobs, ignore), todo, meanwhile=lambda: None))
            batch.conclude()
            return done
