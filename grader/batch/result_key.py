"""The key of a result: a hash of everything that the verdict depends on. If it is the same, so is the result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import Traversable
from importlib.resources import files

import grader
from grader.grading.plan_builder import StraceMode
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_provided
from grader.lab.mutants import MutantDigest, mutant_digests
from grader.model.base import Model
from grader.model.spec.lab import Spec
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

WITHOUT_VERDICTS = (
    "atomic_write.py",
    "batch",
    "cli",
    "course",
    "doctor",
    "gradescope",
    "render",
    "selfcheck",
    "similarity",
)
"""Packages and modules that no verdict depends on: they choose what is graded, store it, or show it."""


class RunRecord(Model):
    """Everything that the results of a run depend on, except the submissions. The gradebook keeps it (decision 0071).

    `code` is the grader's version and a hash of its code, which changes from one `git pull` to the next although the
    version stays the same. `spec` is the spec as JSON. `reference`, `provided` and `fixtures` have hashes by path.
    The kernel is only part of `machine`: verdicts do not depend on it, and an update would have a class graded again.
    """

    code: str
    spec: str
    spec_digest: str
    reference: Mapping[str, str]
    provided: Mapping[str, str] = {}
    mutants: Mapping[str, MutantDigest]
    fixtures: Mapping[str, str]
    runner: str
    strace: StraceMode
    machine: str

    @property
    def lab_digest(self) -> str:
        """The version of the lab (`Report.lab_digest`)."""
        mutants = {name: [digest.behaviour, digest.texts] for name, digest in self.mutants.items()}
        # Results of labs without provided files stay valid.
        provided = [dict(self.provided)] * bool(self.provided)
        return f"sha256:{_digest([self.spec_digest, dict(self.reference), mutants, dict(self.fixtures), *provided])}"

    @property
    def run(self) -> str:
        """The part that all keys of a run share."""
        return _digest([self.code, self.lab_digest, self.runner, self.strace])

    def portable(self, submission_digest: str, notes: Sequence[str]) -> str:
        """Return the key of a result that would be the same on every machine; `notes` are those of the intake."""
        return _digest([self.run, submission_digest, list(notes)])

    def machine_bound(self, submission_digest: str, notes: Sequence[str]) -> str:
        """Return the key of a result for which this machine lacked something, so that it counts here only."""
        return _digest([self.run, submission_digest, list(notes), self.machine])

    def key_after(self, previous: RunRecord, key: str, submission_digest: str, notes: Sequence[str]) -> str | None:
        """Return the key that a result of a previous run gets in this run; None if it is not a result of that run.

        `notes` are those of the report: those of the intake come first.
        """
        for number in range(len(notes), -1, -1):
            own = notes[:number]
            if key == previous.portable(submission_digest, own):
                return self.portable(submission_digest, own)
            if key == previous.machine_bound(submission_digest, own):
                return self.machine_bound(submission_digest, own)
        return None


@dataclass(frozen=True)
class ResultKeys:
    """The keys of a run's results."""

    record: RunRecord

    @property
    def run(self) -> str:
        """The part that all keys of the run share."""
        return self.record.run

    @property
    def machine(self) -> str:
        """The sandbox's identity including the kernel."""
        return self.record.machine

    def portable(self, submission: Submission) -> str:
        """Return the key of a result that would be the same on every machine."""
        return self.record.portable(submission.digest(), submission.notes)

    def machine_bound(self, submission: Submission) -> str:
        """Return the key of a result for which this machine lacked something, so that it counts here only."""
        return self.record.machine_bound(submission.digest(), submission.notes)

    def accepted(self, submission: Submission) -> frozenset[str]:
        """Return the keys of the results that count here."""
        return frozenset([self.portable(submission), self.machine_bound(submission)])


def run_record(spec: Spec, lab: LabFiles, sandbox: Sandbox, strace: StraceMode) -> RunRecord:
    """Return what the results of a run in this sandbox depend on."""
    return lab_record(spec, lab).model_copy(
        update={"runner": sandbox.runner, "strace": strace, "machine": sandbox.identity()}
    )


def lab_record(spec: Spec, lab: LabFiles) -> RunRecord:
    """Return what results depend on apart from the sandbox, whose fields are empty."""
    return RunRecord(
        code=f"{grader.__version__} {_code_digest()}",
        spec=spec.model_dump_json(by_alias=True),
        spec_digest=spec.digest(),
        reference=dict(_files(lab.solution)),
        provided={name: hashlib.sha256(data).hexdigest() for name, data in read_provided(spec, lab).items()},
        mutants=mutant_digests(lab.mutants),
        fixtures=dict(_files(lab.fixtures)),
        runner="",
        strace="slice",
        machine="",
    )


def result_keys(spec: Spec, lab: LabFiles, sandbox: Sandbox, strace: StraceMode) -> ResultKeys:
    """Return the keys of a run in this sandbox."""
    return ResultKeys(run_record(spec, lab, sandbox, strace))


def _code_digest() -> str:
    left_out = (*WITHOUT_VERDICTS, "_data")  # a wheel carries data inside the package; a checkout has it elsewhere
    return _digest(_files(files("grader"), ".py", left_out))


def _files(folder: Traversable, suffix: str = "", left_out: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return (path, hash) of the files below a folder, by path, except those of its own entries that are left out."""
    found: list[tuple[str, str]] = []
    # A lab may not have a reference yet: that is an error when the reference is needed.
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name in left_out:
            continue
        if entry.is_dir():
            found += [(f"{entry.name}/{path}", digest) for path, digest in _files(entry, suffix)]
        elif entry.name.endswith(suffix):
            found.append((entry.name, hashlib.sha256(entry.read_bytes()).hexdigest()))
    return sorted(found)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8")).hexdigest()
