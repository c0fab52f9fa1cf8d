"""Submissions graded on other machines: the workers of a Dask cluster, each with Docker and the grader's image.

The lab's spec is sent once, and each submission's sources; a worker runs the reference itself. If a worker is lost,
Dask gives its work to another one.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial

from distributed import Client, Worker, WorkerPlugin, get_worker
from distributed.comm.addressing import get_address_host_port

from grader.batch.result_key import ResultKeys, result_keys
from grader.batch.workers import Backend, Watch, WorkerPool
from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.grading.pipeline import GradedSubmission, GradingContext, grade_safely
from grader.grading.setup import RunConfig, prepare
from grader.judge.verdict import GradingEnvironment
from grader.lab.find import find_lab
from grader.model.submission import Submission
from grader.options import GradeOptions, Stop
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import choose_sandbox
from grader.sandbox.slots import Slots

log = logging.getLogger(__name__)

PLUGIN = "iolab-grader"
CONNECT_S = 10
RETRY_S = 0.1
QUEUED_PER_THREAD = 2
"""Submissions sent per thread of the workers: the second one is there when the first is done."""


@dataclass(frozen=True)
class WorkerEnvironment:
    """What a worker's results depend on: the keys that they get, and where it grades."""

    keys: ResultKeys
    grading_environment: GradingEnvironment


@dataclass(frozen=True)
class _Ready:
    sandbox: Sandbox
    grading: GradingContext
    worker_environment: WorkerEnvironment
    stop: Stop


class GradingPlugin(WorkerPlugin):
    """What a worker has while a run lasts: a sandbox, in which the reference was run."""

    def __init__(self, config: RunConfig) -> None:
        """Prepare nothing yet: Dask makes the plugin here and sends it to the workers."""
        self._config = config
        self._ready: _Ready | None = None

    async def setup(self, worker: Worker) -> None:
        """Prepare, in a thread, because the worker must answer its scheduler meanwhile.

        Raises:
            GraderError: this machine cannot grade.
        """
        self._slots = Slots(worker.state.nthreads)
        self._ready = await asyncio.to_thread(self._prepare)

    def _prepare(self) -> _Ready:
        # The lab is installed elsewhere on this machine.
        config = replace(self._config, files=find_lab(self._config.files.name_or_path))
        with ExitStack() as stack:
            sandbox = choose_sandbox("docker" if config.sandbox == "auto" else config.sandbox, log.info)
            stack.callback(sandbox.close)
            keys = result_keys(config.spec, config.files, sandbox, config.strace)
            grading = replace(prepare(config, sandbox, log.info), lab_digest=keys.record.lab_digest)
            stack.pop_all()
            return _Ready(sandbox, grading, WorkerEnvironment(keys, grading.environment), Stop())

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask's signature
        """End running work, and leave nothing behind."""
        if self._ready is not None:
            self._ready.stop.set()
            self._ready.sandbox.interrupt()
            await asyncio.to_thread(self._ready.sandbox.close)

    def environment(self) -> WorkerEnvironment:
        """Return what this worker's results depend on."""
        return self._prepared().worker_environment

    def grade(self, submission: Submission, run: str) -> GradedSubmission:
        """Grade one submission of the run with this key.

        Raises:
            EngineUnavailableError: this worker joined after the start of the run, and cannot grade, or might give
                other verdicts than the first workers.
        """
        ready = self._prepared()
        if ready.worker_environment.keys.run != run:
            raise EngineUnavailableError(
                "a worker that came later has another grader or image; give it the same (docker save, docker load)"
            )
        with self._slots.taken() as slots:
            options = GradeOptions(slots=slots, with_fixes=True, stop=ready.stop)
            return grade_safely(ready.grading, submission, options)

    def _prepared(self) -> _Ready:
        if self._ready is None:
            raise EngineUnavailableError("this worker could not get ready to grade; its log says why")
        return self._ready


def _plugin(worker: Worker) -> GradingPlugin:
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, GradingPlugin)  # noqa: S101 - the name is ours
    return plugin


def _environment_of(dask_worker: Worker) -> WorkerEnvironment:
    # Dask fills in the parameter of this name.
    return _plugin(dask_worker).environment()


def _grade_on_worker(submission: Submission, run: str) -> GradedSubmission:
    return _plugin(get_worker()).grade(submission, run)


@contextmanager
def cluster_backend(address: str, config: RunConfig) -> Iterator[Backend]:
    """Grade on the workers of the Dask scheduler at `address`.

    Raises:
        UsageError: there is no scheduler, it has no workers, or they might give different verdicts.
        EngineUnavailableError: a worker cannot grade.
    """
    with _connected(address) as client:
        try:
            try:
                client.register_plugin(GradingPlugin(config), name=PLUGIN)
            except GraderError as error:
                raise EngineUnavailableError(f"a worker of {address} cannot grade: {error}") from error
            environment = _common_environment(client.run(_environment_of))

            def start(_submissions: int, _watch: Watch) -> WorkerPool:
                threads = sum(client.nthreads().values())
                # Not pure: the same sources handed in twice are graded twice.
                executor = client.get_executor(pure=False)
                return WorkerPool(
                    executor,
                    partial(_grade_on_worker, run=environment.keys.run),
                    QUEUED_PER_THREAD * threads,
                    # Work that is cancelled counts as done here. The workers end it when the plugin leaves them.
                    lambda: None,
                )

            yield Backend(environment.keys, environment.grading_environment, start)
        finally:
            client.unregister_worker_plugin(PLUGIN)


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    try:
        # Not left to the client: one that found no scheduler lives on, and may get in the way of the next one.
        _wait_for(get_address_host_port(address, strict=True))
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=CONNECT_S)
        except asyncio.TimeoutError as error:  # not yet the built-in one in Python 3.10
            words = f"the Dask scheduler at {address} has no workers; start one: dask worker {address} --nthreads 2"
            raise UsageError(words) from error
        yield client
    finally:
        client.close()


def _wait_for(address: tuple[str, int]) -> None:
    """Wait until a scheduler listens: it may just have been started.

    Raises:
        OSError: there is none after CONNECT_S seconds.
    """
    deadline = time.monotonic() + CONNECT_S
    while (refusal := _refusal(address)) is not None:
        if time.monotonic() > deadline:
            raise refusal
        time.sleep(RETRY_S)


def _refusal(address: tuple[str, int]) -> OSError | None:
    try:
        socket.create_connection(address, timeout=CONNECT_S).close()
    except OSError as error:
        return error
    return None


def _common_environment(environments: Mapping[str, WorkerEnvironment]) -> WorkerEnvironment:
    """Return the environment that all workers share.

    Raises:
        UsageError: they differ in something that verdicts depend on.
    """
    kinds = {one.keys.run: one for one in environments.values()}
    if len(kinds) > 1:
        listed = "; ".join(
            f"{worker}: image {one.grading_environment.image_digest}" for worker, one in environments.items()
        )
        raise UsageError(
            "the workers have different graders or images, and verdicts must not depend on who gets a submission;"
            f" give them the same (docker save, docker load): {listed}"
        )
    (common,) = kinds.values()
    machines = " ".join(sorted({one.keys.machine for one in environments.values()}))
    record = common.keys.record.model_copy(update={"machine": machines})
    return WorkerEnvironment(ResultKeys(record), common.grading_environment)
