"""A student's sources after intake: for each, the bytes of a regular file of reasonable size, or a problem."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """The bytes of a source file."""

    data: bytes


@dataclass(frozen=True)
class UnusableSource:
    """A source that is missing or cannot be graded; `problem` says why, in words for the student."""

    problem: str


@dataclass(frozen=True)
class Submission:
    """The work of one student: a source or a problem for each program of the spec.

    `notes` tell the student which files were chosen or ignored during intake; they do not affect grades.
    """

    name: str
    sources: Mapping[str, Source | UnusableSource]
    notes: tuple[str, ...] = ()

    def digest(self) -> str:
        """Return `sha256:…` over the programs' names and their bytes or problems."""
        hasher = hashlib.sha256()
        for program in sorted(self.sources):
            source = self.sources[program]
            content = source.data if isinstance(source, Source) else source.problem.encode("utf-8")
            tag = b"source" if isinstance(source, Source) else b"problem"
            for part in (program.encode("utf-8"), tag, content):
                hasher.update(len(part).to_bytes(8, "big") + part)
        return "sha256:" + hasher.hexdigest()
