"""A student's sources after intake: for each, the bytes of a regular file of reasonable size, or a problem."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.model.counted import counted

DIGEST_DIGITS = 12
"""Digits of the hash of a notebook that a note shows."""


@dataclass(frozen=True)
class Source:
    """The bytes of a program's source; with more than one file, `others` has those after the first, by name."""

    data: bytes
    others: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Source:
        """Return the source with these files, in the order of the spec."""
        first, *others = files.items()
        return cls(first[1], dict(others))

    def files(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return all files by name, given the names that the spec has for them: the first source is without one."""
        return {names[0]: self.data, **self.others}


@dataclass(frozen=True)
class UnusableSource:
    """A source that is missing or cannot be graded; `problem` says why, in words for the student."""

    problem: str


@dataclass(frozen=True)
class NotebookFile:
    """The notebook next to the sources: its path in the submission, and its bytes or why it cannot be read."""

    path: str
    content: Source | UnusableSource

    @property
    def note(self) -> str:
        """What the student is shown: which file it is. As a note it is part of the key of a result."""
        if isinstance(self.content, UnusableSource):
            return f"the notebook was not read: {self.content.problem}"
        data = self.content.data
        digest = hashlib.sha256(data).hexdigest()[:DIGEST_DIGITS]
        return f"{self.path} was read as the notebook ({counted(len(data), 'byte')}, sha256 {digest})"


@dataclass(frozen=True)
class Submission:
    """The work of one student: a source or a problem for each program of the spec.

    `notes` tell the student which files were chosen or ignored during intake; they do not affect grades.
    Those in `oddities` are about files that compilers cannot use, those in `doubts` about what only names decided:
    which copy was graded, or whose it is. The notebook affects no grade either.
    `kinds` say of programs what their files are instead of source text, in case they do not compile.
    """

    name: str
    sources: Mapping[str, Source | UnusableSource]
    notes: tuple[str, ...] = ()
    oddities: tuple[str, ...] = ()
    notebook: NotebookFile | None = None
    doubts: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    def digest(self) -> str:
        """Return `sha256:…` over the programs' names and their bytes or problems."""
        hasher = hashlib.sha256()
        for program in sorted(self.sources):
            source = self.sources[program]
            content = source.data if isinstance(source, Source) else source.problem.encode("utf-8", "surrogatepass")
            tag = b"source" if isinstance(source, Source) else b"problem"
            others = source.others if isinstance(source, Source) else {}
            parts = (part for name in sorted(others) for part in (name.encode("utf-8"), others[name]))
            for part in (program.encode("utf-8"), tag, content, *parts):
                hasher.update(len(part).to_bytes(8, "big") + part)
        return "sha256:" + hasher.hexdigest()
