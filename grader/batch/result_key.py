"""What a result follows from, as a hash: as long as that is the same, a submission need not be graded again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.abc import Traversable
from importlib.resources import files

import grader
from grader.grading.plan_builder import StraceMode
from grader.model.spec.lab import Spec
from grader.model.submission import Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox

WITHOUT_VERDICTS = ("atomic_write.py", "batch", "cli", "doctor", "gradescope", "render", "selfcheck")
"""Packages and modules that no verdict depends on: they choose what is graded, keep it, or show it."""


def run_key(spec: Spec, place: Sandbox, strace: StraceMode) -> str:
    """Return what all results of a run have in common: spec, reference with its mutants, image and grader.

    The kernel is none of it: verdicts are the same on each, and an engine's update would have a class graded again.
    The grader's own code is, beside its version, which stays the same from one `git pull` to the next.
    """
    code = [each for each in _files(files("grader"), ".py") if each[0].split("/")[0] not in WITHOUT_VERDICTS]
    reference = _files(resource("reference") / spec.lab)
    return _digest([grader.__version__, code, spec.digest(), reference, place.runner, strace])


@dataclass(frozen=True)
class Keys:
    """The keys of a run's results: `run` is a `run_key`, `place` the sandbox's identity, kernel and all."""

    run: str
    place: str

    def of(self, submission: Submission) -> str:
        """Return the key of a result that is the same wherever it is had."""
        return _digest([self.run, submission.digest(), list(submission.notes)])

    def here(self, submission: Submission) -> str:
        """Return the key of a result for which something was missing here, and which is no good elsewhere."""
        return _digest([self.run, submission.digest(), list(submission.notes), self.place])

    def valid(self, submission: Submission) -> frozenset[str]:
        """Return the keys of results that need not be had again."""
        return frozenset([self.of(submission), self.here(submission)])


def keys_of(spec: Spec, place: Sandbox, strace: StraceMode) -> Keys:
    """Return the keys of a run that takes place there."""
    return Keys(run_key(spec, place, strace), place.identity())


def _files(folder: Traversable, suffix: str = "") -> list[tuple[str, str]]:
    """Return (path, hash) of the files below a folder, by path."""
    found: list[tuple[str, str]] = []
    # A lab whose reference is still to be written has none: that is told when it is needed.
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir():
            found += [(f"{entry.name}/{path}", digest) for path, digest in _files(entry, suffix)]
        elif entry.name.endswith(suffix):
            found.append((entry.name, hashlib.sha256(entry.read_bytes()).hexdigest()))
    return sorted(found)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8")).hexdigest()
