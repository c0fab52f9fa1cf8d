"""Whether an engine still answers: one that accepts connections and says nothing would be waited for without end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from docker import DockerClient
from requests.exceptions import RequestException

from grader.errors import EngineUnavailableError
from grader.sandbox.engine_faults import ANSWER_TIMEOUT_S, fault_words

ASK_EVERY_S = 5.0
PING_TIMEOUT_S = 10.0
"""Short, because a guest ends if its grader gives no sign of life for 30 s."""

Result = TypeVar("Result")


class EngineWatch:
    """Asks an engine, over a connection of its own, whether it is there, as long as nothing else comes from it.

    A program that runs for minutes on an engine that answers is not a reason to give up.
    """

    def __init__(self, client: DockerClient) -> None:
        self._client = client
        self._answered_at = time.monotonic()

    def heard(self) -> None:
        """Note that something has come from the engine."""
        self._answered_at = time.monotonic()

    def require_answer(self) -> None:
        """Ask the engine whether it is there.

        Raises:
            EngineUnavailableError: it has not answered for a minute.
        """
        problem = ping_problem(self._client)
        if problem is None:
            self.heard()
            return
        silence_s = time.monotonic() - self._answered_at
        if silence_s >= ANSWER_TIMEOUT_S:
            raise EngineUnavailableError(f"the Docker engine has not answered for {silence_s:.0f} s ({problem})")


def ping_problem(client: DockerClient) -> str | None:
    """Ask an engine whether it is there; return what is wrong if it does not answer."""
    try:
        # Not `client.ping`, which has the timeout of all other requests.
        client.api.get(f"{client.api.base_url}/_ping", timeout=PING_TIMEOUT_S).close()
    except RequestException as error:
        return fault_words(error)
    return None


def while_engine_answers(client: DockerClient, work: Callable[[], Result]) -> Result:
    """Return the result of work that waits for an engine without a time limit, such as building an image.

    Raises:
        EngineUnavailableError: the engine does not answer any more. The work is left behind in its thread.
    """
    result: Future[Result] = Future()
    threading.Thread(target=_fulfil, args=(result, work), daemon=True).start()
    watch = EngineWatch(client)
    while not wait([result], ASK_EVERY_S).done:
        watch.require_answer()
    return result.result()


def _fulfil(result: Future[Result], work: Callable[[], Result]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised where the result is waited for
        result.set_exception(error)
