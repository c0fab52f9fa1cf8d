"""Whatever can go wrong between the grader and a Docker engine, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from docker.credentials.errors import StoreError
from docker.errors import APIError, DockerException, StreamParseError
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from grader.errors import EngineUnavailableError, GraderError

ENGINE_FAULTS: tuple[type[Exception], ...] = (
    DockerException, RequestException, HTTPError, StoreError, StreamParseError,
)  # fmt: skip
"""What the SDK and the libraries below it raise because of an engine, or because of its answers."""

ANSWER_TIMEOUT_S = 60
"""Seconds to wait for each answer of an engine, and to go on without any sign of life from it."""

WORDS = 300
"""Most characters of what a library or an engine says."""


@contextmanager
def engine_faults(
    fault: type[GraderError] = EngineUnavailableError,
    *,
    what: str = "the Docker engine failed",
    more: tuple[type[Exception], ...] = (),
) -> Iterator[None]:
    """Raise `fault`, with one sentence, for anything that goes wrong with an engine, or for one of `more`."""
    try:
        yield
    except (*ENGINE_FAULTS, *more) as error:
        raise fault(f"{what}: {fault_words(error)}") from error


def fault_words(error: BaseException) -> str:
    """Return what went wrong, in the words of the lowest layer: those of the layers above say less."""
    if isinstance(error, APIError) and error.explanation:
        return _one_line(error.explanation)
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return _one_line(cause.strerror)
    if is_timeout(error):
        return "it accepts connections, but does not answer; restart it"
    return _one_line(error)


def is_timeout(error: BaseException) -> bool:
    """Return whether an engine was too slow to answer."""
    # Those of the libraries are raised for a refused connection, too.
    return any(isinstance(cause, TimeoutError) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _one_line(words: object) -> str:
    line = " ".join(str(words).split())
    return line if len(line) <= WORDS else f"{line[:WORDS]} …"
