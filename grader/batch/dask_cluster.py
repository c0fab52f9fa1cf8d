"""Submissions graded on other machines: the workers of a Dask cluster, each with Docker and the grader's image.

What travels is the lab's spec, once, and each submission's sources; a worker runs the reference itself. Dask gives
the work of a worker that was lost to another one.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from distributed import Client, Worker, WorkerPlugin, get_worker
from distributed.comm.addressing import get_address_host_port

from grader.batch.result_key import Keys, keys_of
from grader.batch.workers import Backend, Slots, Watch, WorkerPool
from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.grading.options import GradeOptions
from grader.grading.pipeline import GradedSubmission, GradingContext, grade_one
from grader.grading.setup import RunConfig, prepare
from grader.judge.verdict import GradingEnvironment
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import choose_sandbox

log = logging.getLogger(__name__)

PLUGIN = "iolab-grader"
CONNECT_S = 10
AGAIN_S = 0.1
AHEAD = 2
"""So many submissions for each thread of a worker are on their way, so that none waits for the network."""


@dataclass(frozen=True)
class WorkerEnvironment:
    """What a worker grades in: all that results follow from there, and where that is."""

    keys: Keys
    environment: GradingEnvironment


@dataclass(frozen=True)
class _Ready:
    sandbox: Sandbox
    grading: GradingContext
    place: WorkerEnvironment


class GradingPlugin(WorkerPlugin):
    """What a worker has as long as a run lasts: a sandbox, and the reference run in it."""

    def __init__(self, setting: RunConfig) -> None:
        """Remember what is asked for; nothing is begun before it has arrived at a worker."""
        self._setting = setting
        self._ready: _Ready | None = None

    async def setup(self, worker: Worker) -> None:
        """Prepare, in a thread: the worker has to answer its scheduler meanwhile.

        Raises:
            GraderError: this machine cannot grade.
        """
        self._slots = Slots(worker.state.nthreads)
        self._ready = await asyncio.to_thread(self._begin)

    def _begin(self) -> _Ready:
        setting = self._setting
        with ExitStack() as stack:
            sandbox = choose_sandbox("docker" if setting.sandbox == "auto" else setting.sandbox, log.info)
            stack.callback(sandbox.close)
            grading = prepare(setting, sandbox, log.info)
            place = WorkerEnvironment(keys_of(setting.spec, sandbox, setting.strace), grading.environment)
            stack.pop_all()
            return _Ready(sandbox, grading, place)

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask's signature
        """End what is at work, and leave nothing behind."""
        if self._ready is not None:
            self._ready.sandbox.interrupt()
            await asyncio.to_thread(self._ready.sandbox.close)

    def place(self) -> WorkerEnvironment:
        """Return what this worker grades in."""
        return self._begun().place

    def grade(self, submission: Submission, run: str) -> GradedSubmission:
        """Grade one submission of the run with this key.

        Raises:
            EngineUnavailableError: this worker came later than the run began, and cannot, or would not give the same
                verdicts as those that were there.
        """
        ready = self._begun()
        if ready.place.keys.run != run:
            raise EngineUnavailableError(
                "a worker that came later has another grader or image; give it the same (docker save, docker load)"
            )
        with self._slots.taken() as slots:
            return grade_one(ready.grading, submission, GradeOptions(slots=slots))

    def _begun(self) -> _Ready:
        if self._ready is None:
            raise EngineUnavailableError("this worker could not get ready to grade; its log says why")
        return self._ready


def _plugin(worker: Worker) -> GradingPlugin:
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, GradingPlugin)  # noqa: S101 - the name is ours
    return plugin


def _place(dask_worker: Worker) -> WorkerEnvironment:
    # Dask fills in the parameter of this name.
    return _plugin(dask_worker).place()


def _work(submission: Submission, run: str) -> GradedSubmission:
    return _plugin(get_worker()).grade(submission, run)


@contextmanager
def cluster_backend(address: str, setting: RunConfig) -> Iterator[Backend]:
    """Have the workers of the Dask scheduler at `address` grade.

    Raises:
        UsageError: there is no scheduler, it has no workers, or they would not all give the same verdicts.
        EngineUnavailableError: a worker cannot grade.
    """
    with _connected(address) as client:
        try:
            _prepare(client, address, setting)
            place = _common(client.run(_place))

            def begin(_submissions: int, _watch: Watch) -> WorkerPool:
                threads = sum(client.nthreads().values())
                # Not pure: the same sources handed in twice are graded twice.
                executor = client.get_executor(pure=False)
                return WorkerPool(executor, partial(_work, run=place.keys.run), AHEAD * threads, lambda: None)

            yield Backend(place.keys, place.environment, begin)
        finally:
            client.unregister_worker_plugin(PLUGIN)


def _prepare(client: Client, address: str, setting: RunConfig) -> None:
    try:
        client.register_plugin(GradingPlugin(setting), name=PLUGIN)
    except GraderError as error:
        raise EngineUnavailableError(f"a worker of {address} cannot grade: {error}") from error


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    try:
        # Asked first by ourselves: a client that found nobody lives on, and may stand in the way of the next one.
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


def _wait_for(place: tuple[str, int]) -> None:
    """Wait until somebody listens there: a scheduler may just have been started.

    Raises:
        OSError: nobody does for CONNECT_S seconds.
    """
    deadline = time.monotonic() + CONNECT_S
    while (refusal := _refusal(place)) is not None:
        if time.monotonic() > deadline:
            raise refusal
        time.sleep(AGAIN_S)


def _refusal(place: tuple[str, int]) -> OSError | None:
    try:
        socket.create_connection(place, timeout=CONNECT_S).close()
    except OSError as error:
        return error
    return None


def _common(places: Mapping[str, WorkerEnvironment]) -> WorkerEnvironment:
    """Return what all workers have in common.

    Raises:
        UsageError: they differ in something that verdicts follow from.
    """
    kinds = {place.keys.run: place for place in places.values()}
    if len(kinds) > 1:
        listed = "; ".join(f"{worker}: image {place.environment.image_digest}" for worker, place in places.items())
        raise UsageError(
            "the workers have different graders or images, and verdicts must not depend on who gets a submission;"
            f" give them the same (docker save, docker load): {listed}"
        )
    (one,) = kinds.values()
    kernels = " ".join(sorted({place.keys.place for place in places.values()}))
    return WorkerEnvironment(Keys(one.keys.run, kernels), one.environment)
