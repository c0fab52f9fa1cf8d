"""Whoever grades submissions, several at a time: threads here or a cluster, behind concurrent.futures' interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from grader.batch.result_key import Keys, keys_of
from grader.grading.options import GradeOptions, Observer
from grader.grading.pipeline import GradedSubmission, GradingContext, grade_one
from grader.grading.setup import RunConfig, prepare
from grader.judge.verdict import GradingEnvironment
from grader.messages import Notify
from grader.model.submission import Submission
from grader.sandbox.base import Progress
from grader.sandbox.choose import choose_sandbox

Watch = Callable[[str, Progress], None]
"""Gets a submission's name and what was just done of it; called from any thread."""


@dataclass(frozen=True)
class WorkerPool:
    """Whoever grades: `work` is given to the executor, which does `at_once` at the same time.

    `stop` makes what is at work end soon, whatever comes of it.
    """

    executor: Executor
    work: Callable[[Submission], GradedSubmission]
    max_parallel: int
    stop: Callable[[], None]


@dataclass(frozen=True)
class _StepObserver(Observer):
    name: str
    watch: Watch

    def step_done(self, event: Progress) -> None:
        self.watch(self.name, event)


class Slots:
    """Slots for all guests that work at the same time; see Sandbox.open."""

    def __init__(self, jobs: int, guests: int = 1) -> None:
        """Have all of them free: for so many jobs at the same time, each with so many guests."""
        self._free: SimpleQueue[tuple[int, ...]] = SimpleQueue()
        for job in range(jobs):
            # A guest that is alone needs no CPU of its own: slot 0 leaves it all of them.
            own = tuple(range(job * guests + 1, (job + 1) * guests + 1))
            self._free.put(own if jobs * guests > 1 else (0,))

    @contextmanager
    def taken(self) -> Iterator[tuple[int, ...]]:
        """Wait for the slots of a job and have them as long as the context lasts."""
        slots = self._free.get()
        try:
            yield slots
        finally:
            self._free.put(slots)


@dataclass(frozen=True)
class Backend:
    """Whoever can grade in a run, before it is known whether there is anything to do.

    `keys` are what results follow from, `circumstances` where they come from; `begin` gets the
    number of submissions and prepares.
    """

    keys: Keys
    environment: GradingEnvironment
    begin: Callable[[int, Watch], WorkerPool]


@contextmanager
def local_backend(setting: RunConfig, jobs: int | None, notify: Notify) -> Iterator[Backend]:
    """Have this machine grade, `jobs` submissions at a time or one a CPU.

    Raises:
        UsageError, EngineUnavailableError: the sandbox cannot be had.
    """
    with closing(choose_sandbox(setting.sandbox, notify)) as place:

        def begin(submissions: int, watch: Watch) -> WorkerPool:
            grading = prepare(setting, place, notify)
            max_parallel = jobs or min(place.cpus, submissions)
            return local_workers(
                grading, max_parallel, watch, guests=1 if jobs else guests_each(grading, max_parallel)
            )

        keys = keys_of(setting.spec, place, setting.strace)
        yield Backend(keys, GradingEnvironment(place.isolation, place.image_digest), begin)


def guests_each(grading: GradingContext, jobs: int) -> int:
    """Return how many guests a submission gets: one for each program where CPUs would be idle without.

    Without isolation it stays one: what a program does to its user's processes would be done to another guest's.
    """
    programs = len(grading.lab.spec.programs)
    spares = grading.sandbox.cpus >= jobs * programs and grading.sandbox.isolation != "none"
    return programs if spares else 1


def local_workers(grading: GradingContext, jobs: int, watch: Watch, *, guests: int = 1) -> WorkerPool:
    """Return threads of this process; where there is more than one guest, each has a CPU of its own."""
    slots = Slots(jobs, guests)

    def work(submission: Submission) -> GradedSubmission:
        with slots.taken() as own:
            return grade_one(grading, submission, GradeOptions(_StepObserver(submission.name, watch), own))

    executor = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade")
    return WorkerPool(executor, work, jobs, grading.sandbox.interrupt)
