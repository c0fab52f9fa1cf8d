"""A student's sources after intake: bytes that are known to be a regular, reasonably sized file, or why not."""

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
    """A source that is not there or cannot be graded; `problem` says why, in words for the student."""

    problem: str


@dataclass(frozen=True)
class Submission:
    """What one student handed in: a source or a problem for each program of the spec.

    `notes` say what was chosen or left alone on the way to the sources, for the student; nothing is graded by them.
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
