"""The key of a result: a hash of everything that the verdict depends on. If it is the same, so is the result."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.abc import Traversable
from importlib.resources import files

import grader
from grader.grading.plan_builder import StraceMode
from grader.lab.find import MAKEFILE, LabFiles, read_makefile
from grader.model.spec.lab import Spec
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

WITHOUT_VERDICTS = ("atomic_write.py", "batch", "cli", "doctor", "gradescope", "render", "selfcheck")
"""Packages and modules that no verdict depends on: they choose what is graded, store it, or show it."""


def run_key(spec: Spec, lab: LabFiles, sandbox: Sandbox, strace: StraceMode) -> str:
    """Return the part that all keys of a run share: spec, reference with mutants, fixtures, image and grader.

    The kernel is not part of it: verdicts do not depend on it, and an update would have a class graded again. The
    grader's code is part of it, since its version stays the same from one `git pull` to the next.
    """
    left_out = (*WITHOUT_VERDICTS, "_data")  # a wheel carries data inside the package; a checkout has it elsewhere
    code = [each for each in _files(files("grader"), ".py") if each[0].split("/")[0] not in left_out]
    makefile = read_makefile(spec, lab)
    reference = [*_files(lab.solution), *_files(lab.mutants)]
    if makefile:
        reference.append((MAKEFILE, hashlib.sha256(makefile).hexdigest()))
    fixtures = _files(lab.fixtures)
    return _digest([grader.__version__, code, spec.digest(), reference, fixtures, sandbox.runner, strace])


@dataclass(frozen=True)
class ResultKeys:
    """The keys of a run's results: `run` is its `run_key`, `machine` the sandbox's identity including the kernel."""

    run: str
    machine: str

    def portable(self, submission: Submission) -> str:
        """Return the key of a result that would be the same on every machine."""
        return _digest([self.run, submission.digest(), list(submission.notes)])

    def machine_bound(self, submission: Submission) -> str:
        """Return the key of a result for which this machine lacked something, so that it counts here only."""
        return _digest([self.run, submission.digest(), list(submission.notes), self.machine])

    def accepted(self, submission: Submission) -> frozenset[str]:
        """Return the keys of the results that count here."""
        return frozenset([self.portable(submission), self.machine_bound(submission)])


def result_keys(spec: Spec, lab: LabFiles, sandbox: Sandbox, strace: StraceMode) -> ResultKeys:
    """Return the keys of a run in this sandbox."""
    return ResultKeys(run_key(spec, lab, sandbox, strace), sandbox.identity())


def _files(folder: Traversable, suffix: str = "") -> list[tuple[str, str]]:
    """Return (path, hash) of the files below a folder, by path."""
    found: list[tuple[str, str]] = []
    # A lab may not have a reference yet: that is an error when the reference is needed.
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir():
            found += [(f"{entry.name}/{path}", digest) for path, digest in _files(entry, suffix)]
        elif entry.name.endswith(suffix):
            found.append((entry.name, hashlib.sha256(entry.read_bytes()).hexdigest()))
    return sorted(found)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8")).hexdigest()
