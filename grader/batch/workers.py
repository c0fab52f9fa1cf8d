"""The workers that grade submissions in parallel, threads here or a cluster, behind concurrent.futures' interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from grader.batch.result_key import ResultKeys, result_keys
from grader.grading.pipeline import GradedSubmission, GradingContext, grade_safely
from grader.grading.setup import RunConfig, prepare
from grader.judge.verdict import GradingEnvironment
from grader.messages import Notify
from grader.model.evidence import Evidence
from grader.model.submission import Submission
from grader.options import GradeOptions, Observer, Stop, environment_of
from grader.sandbox.base import ProgressEvent
from grader.sandbox.choose import choose_sandbox
from grader.sandbox.slots import Slots

Watch = Callable[[str, ProgressEvent], None]
"""Gets a submission's name and what was just done for it. Called from any thread."""


@dataclass(frozen=True)
class WorkerPool:
    """Workers that are ready: `executor` runs `work`, for `max_parallel` submissions at the same time.

    `stop` makes running work end soon, with or without a result. `judge_again` is for some checks only; workers on
    other machines do not have it. `each_s` is the time for each submission, if all take as long as the reference;
    None if it is not known.
    """

    executor: Executor
    work: Callable[[Submission], GradedSubmission]
    max_parallel: int
    stop: Callable[[], None]
    judge_again: Callable[[Submission, frozenset[str]], GradedSubmission] | None = None
    each_s: float | None = None


@dataclass(frozen=True)
class _StepObserver(Observer):
    name: str
    watch: Watch

    def event_received(self, event: ProgressEvent) -> None:
        self.watch(self.name, event)


@dataclass(frozen=True)
class Backend:
    """What can grade in a run, before it is known whether there is anything to do.

    `start` gets the number of submissions and prepares the workers.
    """

    keys: ResultKeys
    environment: GradingEnvironment
    start: Callable[[int, Watch], WorkerPool]


@contextmanager
def local_backend(config: RunConfig, jobs: int | None, notify: Notify) -> Iterator[Backend]:
    """Grade on this machine, `jobs` submissions at a time, or one per CPU.

    Raises:
        UsageError, EngineUnavailableError: the sandbox is not available.
    """
    with closing(choose_sandbox(config.sandbox, notify)) as sandbox:

        def start(submissions: int, watch: Watch) -> WorkerPool:
            grading = replace(prepare(config, sandbox, notify), lab_digest=keys.record.lab_digest)
            max_parallel = jobs or min(sandbox.cpus, submissions)
            return local_workers(
                grading, max_parallel, watch, guests=1 if jobs else guests_each(grading, max_parallel)
            )

        keys = result_keys(config.spec, config.files, sandbox, config.strace)
        yield Backend(keys, environment_of(sandbox, keys.record.lab_digest), start)


def guests_each(grading: GradingContext, jobs: int) -> int:
    """Return how many guests a submission gets: one per program if CPUs would be idle otherwise.

    Without isolation it is one: a program could harm the processes of another guest, which have the same user.
    """
    programs = len(grading.lab.spec.programs)
    spares = grading.sandbox.cpus >= jobs * programs and grading.sandbox.isolation != "none"
    return programs if spares else 1


def local_workers(grading: GradingContext, jobs: int, watch: Watch, *, guests: int = 1) -> WorkerPool:
    """Return threads of this process; if there is more than one guest, each has its own CPU."""
    slots, stop = Slots(jobs, guests), Stop()

    def work(submission: Submission, checks: frozenset[str] | None = None) -> GradedSubmission:
        with slots.taken() as own:
            observer = _StepObserver(submission.name, watch)
            options = GradeOptions(observer, own, selected_checks=checks, with_fixes=True, stop=stop)
            return grade_safely(grading, submission, options)

    def end() -> None:
        stop.set()
        grading.sandbox.interrupt()

    executor = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade")
    each_s = _seconds(grading.lab.reference.evidence) / (jobs * guests)
    return WorkerPool(executor, work, jobs, end, work, each_s)


def _seconds(evidence: Evidence) -> float:
    """Return how long builds and runs took, one after the other."""
    runs = (run.times.real_s for run in evidence.runs.values())
    return sum(runs) + sum(build.wall_s for build in evidence.builds.values())
