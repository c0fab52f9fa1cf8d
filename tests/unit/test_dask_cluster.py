"""A cluster of two workers in this process, which run nothing: what travels, and who is let in."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import replace
from functools import partial

import pytest
from distributed import LocalCluster

from grader.batch import dask_cluster
from grader.batch.dask_cluster import WorkerEnvironment, cluster_backend
from grader.batch.result_key import ResultKeys, run_record
from grader.batch.workers import WorkerPool
from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.grading.pipeline import GradingContext
from grader.grading.plan_builder import StraceMode
from grader.grading.setup import RunConfig
from grader.judge.verdict import GradingEnvironment
from grader.lab.find import find_lab
from grader.model.spec.lab import Spec
from grader.model.submission import Submission
from grader.options import GradeOptions
from tests.waits import join

from .batches import NAMES, RIGHT, Class, grading, ignore, owner, record
from .lab import SPEC
from .sandboxes import FakeSandbox, Script

CONFIG = RunConfig(SPEC, find_lab("tr2"))

pytestmark = pytest.mark.filterwarnings(
    # Dask's own, of sockets and loops that it closes a little late.
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


class Machines:
    """What the workers find on their machines: a sandbox each, which they have as long as the run lasts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.script: Script = lambda _job: RIGHT
        self.sandboxes: list[FakeSandbox] = []
        self.closed: list[str] = []
        self.runners = iter(["image", "image"])
        self.lock = threading.Lock()
        monkeypatch.setattr(dask_cluster, "choose_sandbox", self.choose)
        monkeypatch.setattr(dask_cluster, "prepare", self.prepare)
        monkeypatch.setattr(
            dask_cluster,
            "result_keys",
            lambda _spec, _lab, sandbox, strace: ResultKeys(record(sandbox, strace=strace, machine="")),
        )

    def choose(self, choice: str, _notify: object) -> FakeSandbox:
        assert choice == "docker", "auto is never silently less"
        with self.lock:
            # Asked when it is used: a test says later what happens.
            sandbox = FakeSandbox(lambda job: self.script(job), runner=next(self.runners))  # noqa: PLW0108
            sandbox.close = lambda: self.closed.append(sandbox.runner)  # type: ignore[method-assign]
            self.sandboxes.append(sandbox)
            return sandbox

    def prepare(self, config: RunConfig, sandbox: FakeSandbox, _notify: object) -> GradingContext:
        assert config == CONFIG
        found, _ = grading(sandbox.script)
        return GradingContext(found.lab, sandbox)


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(monkeypatch)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
    ) as local:
        yield local.scheduler_address


def test_the_workers_grade_a_class_between_them_and_leave_nothing(
    address: str, machines: Machines, students: Class
) -> None:
    together = threading.Barrier(2)

    def script(_job: object) -> object:
        together.wait(20)
        return RIGHT

    machines.script = script  # type: ignore[assignment]
    with cluster_backend(address, CONFIG) as backend, students.opened(grading(script)[0]) as (batch, book):  # type: ignore[arg-type]
        assert (backend.keys.record.runner, backend.keys.record.strace) == ("image", "slice")
        assert backend.environment == GradingEnvironment("none", None, backend.keys.record.lab_digest)
        list(batch.grade(backend.start(len(NAMES), ignore), students.todo(batch), meanwhile=lambda: None))
        assert [(entry.name, entry.report.score) for entry in book.entries()] == [
            (name, SPEC.max_score) for name in NAMES
        ]
    assert sorted(owner(job) for sandbox in machines.sandboxes for job in sandbox.jobs) == NAMES
    assert all(sandbox.jobs for sandbox in machines.sandboxes)
    assert machines.closed == ["image", "image"]


def test_a_worker_s_bug_costs_nobody_a_grade(address: str, machines: Machines, students: Class) -> None:
    machines.script = lambda job: [ZeroDivisionError()] if owner(job) == "bob" else RIGHT
    with cluster_backend(address, CONFIG) as backend, students.opened(grading(machines.script)[0]) as (batch, _):
        done = {
            one.report.submission.name: one.report
            for one in batch.grade(backend.start(4, ignore), students.todo(batch), meanwhile=lambda: None)
        }
    assert {name: report.status for name, report in done.items()} == {
        name: "not_graded" if name == "bob" else "graded" for name in NAMES
    }


def test_ending_early_does_not_wait_for_what_is_at_work(address: str, machines: Machines, students: Class) -> None:
    stopped = threading.Event()

    def script(_job: object) -> object:
        assert stopped.wait(20)
        return RIGHT

    machines.script = script  # type: ignore[assignment]
    with cluster_backend(address, CONFIG) as backend:
        for sandbox in machines.sandboxes:
            sandbox.on_interrupt = stopped.set
        workers: WorkerPool = backend.start(4, ignore)
        with students.opened(grading(script)[0]) as (batch, _):  # type: ignore[arg-type]
            future = workers.executor.submit(workers.work, students.todo(batch)[0].submission)
            future.cancel()
            workers.executor.shutdown(wait=False)
            assert not wait([future], timeout=5).not_done
    assert stopped.is_set()
    assert machines.closed == ["image", "image"]


def test_ending_early_ends_the_search_for_explanations(
    address: str, machines: Machines, students: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def search(_grading: GradingContext, _submission: Submission, options: GradeOptions) -> None:
        begun.set()
        if options.stop.wait(20):
            ended.set()

    monkeypatch.setattr(dask_cluster, "grade_safely", search)
    with cluster_backend(address, CONFIG) as backend, students.opened(grading(machines.script)[0]) as (batch, _):
        workers = backend.start(4, ignore)
        future = workers.executor.submit(workers.work, students.todo(batch)[0].submission)
        assert begun.wait(20)
        future.cancel()
        workers.executor.shutdown(wait=False)
    assert ended.wait(20)


def test_workers_that_would_not_give_the_same_verdicts_are_refused(address: str, machines: Machines) -> None:
    machines.runners = iter(["image", "another image"])
    with pytest.raises(UsageError, match="different graders or images"), cluster_backend(address, CONFIG):
        pytest.fail("they were taken")
    assert sorted(machines.closed) == ["another image", "image"]


def test_a_worker_that_came_later_with_another_image_grades_nobody(
    address: str, machines: Machines, students: Class
) -> None:
    with cluster_backend(address, CONFIG) as backend, students.opened(grading(machines.script)[0]) as (batch, book):
        workers = backend.start(len(NAMES), ignore)
        assert workers.work.keywords == {"run": backend.keys.run}  # type: ignore[attr-defined]
        later = replace(workers, work=partial(workers.work.func, run="another image"))  # type: ignore[attr-defined]
        list(batch.grade(later, students.todo(batch), meanwhile=lambda: None))
        reasons = [entry.report.reason for entry in book.entries() if entry.report.status == "not_graded"]
    assert not any(sandbox.jobs for sandbox in machines.sandboxes)
    assert len(reasons) == len(NAMES)
    assert all("a worker that came later has another grader or image" in reason for reason in reasons)


def test_a_worker_that_cannot_grade_is_told(
    address: str, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise EngineUnavailableError("no Docker engine answers")

    assert machines
    monkeypatch.setattr(dask_cluster, "choose_sandbox", fail)
    refused = pytest.raises(GraderError, match=r"a worker of .* cannot grade: no Docker engine answers")
    with refused, cluster_backend(address, CONFIG):
        pytest.fail("it was taken")


@pytest.mark.parametrize("where", ["tcp://127.0.0.1:9", "nowhere", "tcp://127.0.0.1"])
def test_no_scheduler_is_usage(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 0.2)
    with pytest.raises(UsageError, match=f"no Dask scheduler answers at {where}"), cluster_backend(where, CONFIG):
        pytest.fail("there was one")


def test_a_scheduler_that_is_just_starting_is_waited_for() -> None:
    with socket.socket() as late:
        late.bind(("127.0.0.1", 0))
        timer = threading.Timer(0.5, late.listen)
        timer.start()
        dask_cluster._wait_for(late.getsockname())  # noqa: SLF001
        join(timer)


@pytest.mark.slow
@pytest.mark.long
def test_a_scheduler_without_workers_is_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 2)
    with LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=":0") as local:
        refused = pytest.raises(UsageError, match="has no workers; start one: dask worker")
        with refused, cluster_backend(local.scheduler_address, CONFIG):
            pytest.fail("there was one")


def test_a_worker_s_key_is_what_results_are_kept_under_here() -> None:
    sandbox = FakeSandbox(lambda _job: RIGHT)
    spec = SPEC.model_copy(update={"lab": "tr2"})

    def key(spec: Spec, sandbox: FakeSandbox, strace: StraceMode = "slice") -> str:
        return run_record(spec, CONFIG.files, sandbox, strace).run

    same = key(spec, sandbox)
    assert same == key(spec, FakeSandbox(lambda _job: RIGHT))
    other = FakeSandbox(lambda _job: RIGHT, runner="other")
    title = spec.model_copy(update={"title": "Another"})
    assert len({same, key(spec, other), key(spec, sandbox, "full"), key(title, sandbox)}) == 4


def test_workers_with_the_same_environment_share_it() -> None:
    keys = ResultKeys(record(FakeSandbox(lambda _job: RIGHT), machine="here"))
    environment = WorkerEnvironment(keys, GradingEnvironment("container", "sha256:1"))
    assert dask_cluster._common_environment({"a": environment, "b": environment}) == environment  # noqa: SLF001
