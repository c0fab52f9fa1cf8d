"""Whether an engine still answers: one that accepts connections and says nothing would be waited for without end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from docker import DockerClient
from requests import PreparedRequest, Response
from requests.exceptions import ReadTimeout, RequestException

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

    def result_of(self, work: Callable[[], Result]) -> Result:
        """Return the result of work that waits for the engine without a time limit, such as building an image.

        Raises:
            EngineUnavailableError: the engine does not answer any more. The work is left behind in its thread.
        """
        result = _started(work)
        while not wait([result], ASK_EVERY_S).done:
            self.require_answer()
        return result.result()


def ping_problem(client: DockerClient) -> str | None:
    """Ask an engine whether it is there; return what is wrong if it does not answer."""
    try:
        # Not `client.ping`, which has the timeout of all other requests.
        client.api.get(f"{client.api.base_url}/_ping", timeout=PING_TIMEOUT_S).close()
    except RequestException as error:
        return fault_words(error)
    return None


def limit_whole_answers(client: DockerClient) -> None:
    """Make the time limit of a request one of its whole answer: an engine might send a byte each minute, without end.

    Of an answer that is read as it comes, it is the limit of its beginning.
    """
    send = client.api.send

    def limited(request: PreparedRequest, **options: Any) -> Response:  # noqa: ANN401 - as in the library
        limit_s = options.get("timeout")
        # What is sent may take its time.
        if not isinstance(limit_s, int | float) or request.method == "PUT":
            return send(request, **options)
        result = _started(lambda: send(request, **options))
        if not wait([result], limit_s).done:
            raise ReadTimeout(request=request) from TimeoutError()
        return result.result()

    client.api.send = limited  # type: ignore[method-assign]


def _started(work: Callable[[], Result]) -> Future[Result]:
    """Start work in a thread that nothing waits for."""
    result: Future[Result] = Future()
    threading.Thread(target=_fulfil, args=(result, work), daemon=True).start()
    return result


def _fulfil(result: Future[Result], work: Callable[[], Result]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised where the result is waited for
        result.set_exception(error)
