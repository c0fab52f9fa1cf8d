from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from .harness import ORDINARY, STUDENT, Bench, Identity, Workshop

MODES = ["plain", "account", "filter"]


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is missing")
    with tempfile.TemporaryDirectory(prefix="tally-tests-") as folder:  # not tmp_path: other uids cannot enter that
        Path(folder).chmod(0o755)
        yield Workshop(Path(folder), compiler)


@pytest.fixture(scope="session")
def strace() -> str:
    path = shutil.which("strace")
    if path is None:
        pytest.skip("strace is missing")
    return path


def identity_of(name: str) -> Identity:
    if os.geteuid() == 0:
        if name == "student":
            return Identity(name, ("--uid", str(STUDENT), "--gid", str(STUDENT)), None, STUDENT)
        return Identity(name, (), ORDINARY, ORDINARY)
    if name == "student":
        pytest.skip("only root can give programs another uid")
    return Identity(name, (), None, os.geteuid())


def _each(modes: Iterable[str], identities: Iterable[str] = ("student", "ordinary")) -> list[str]:
    return [f"{identity}-{mode}" for identity in identities for mode in modes]


def _bench(workshop: Workshop, name: str) -> Bench:
    identity, mode = name.split("-")
    return Bench(workshop, identity_of(identity), mode, f"mark-{uuid.uuid4().hex}")


@pytest.fixture(params=_each(MODES))
def bench(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """Each identity, each mode."""
    return _bench(workshop, request.param)


@pytest.fixture(params=_each(["plain"]))
def plain_bench(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """Each identity, plain mode: for what has nothing to do with accounting."""
    return _bench(workshop, request.param)


@pytest.fixture(params=_each(["account", "filter"]))
def account_bench(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """Each identity, each mode that accounts."""
    return _bench(workshop, request.param)


@pytest.fixture(params=_each(["account"]))
def untraced_bench(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """Each identity, mode `account`."""
    return _bench(workshop, request.param)


@pytest.fixture(params=_each(["filter"]))
def filter_bench(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """Each identity, filter mode, where one byte a call conforms."""
    return _bench(workshop, request.param)


@pytest.fixture(params=_each(MODES, ["student"]))
def student(request: pytest.FixtureRequest, workshop: Workshop) -> Bench:
    """A tally that is root and gives programs a uid of their own; each mode."""
    return _bench(workshop, request.param)


@pytest.fixture
def ordinary(workshop: Workshop) -> Bench:
    """A tally that is nobody in particular, and so are its programs; plain mode."""
    return _bench(workshop, "ordinary-plain")


@pytest.fixture
def natural(workshop: Workshop) -> Bench:
    """The student's identity where we are root, else our own: programs whose tally we are not run as another uid."""
    return _bench(workshop, "student-plain" if os.geteuid() == 0 else "ordinary-plain")
