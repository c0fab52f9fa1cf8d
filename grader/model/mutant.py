"""A program with one known bug, the checks that it fails, and the page for students who have the same bug."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from grader.model.base import Base64Bytes, Model
from grader.model.signature import Signatures, form_of
from grader.model.spec.types import Name
from grader.model.submission import Source

HEADINGS = ("What happens", "How to see it", "What to read")
"""The parts that each page has, in this order."""

WHAT_TO_CHANGE = "What to change"
"""A part that a page may have before the last one: the next step of a student with the bug, in a sentence or two."""

WHY = "Why"
"""A part that a page may have after the first one, shown only if the pattern was found in the student's source."""

FENCE = "```"
"""Begins and ends a page's block of shell lines."""


def _heading(name: str) -> str:
    return f"## {name}\n"


def _headline(title: str) -> str:
    if not title.strip():
        raise ValueError("the title is empty; it names the bug in words that a student understands")
    if "\n" in title.strip() or title.rstrip().endswith("."):
        raise ValueError("the title is a headline: one line, without a full stop")
    return title.strip()


Title = Annotated[str, AfterValidator(_headline)]


Checks = Annotated[tuple[Name, ...], Field(min_length=1)]
"""Names of checks, without the program's name."""


class MutantProgram(Model):
    """The checks that the program fails with the bug: exactly these.

    `alone`: those that a program with the bug may fail without the others, because each has code of its own.
    `variants`: the checks that other programs with the same bug fail; `PROGRAM.VARIANT.c` is the source of each.
    """

    fails: Checks
    alone: Checks | None = None
    variants: Mapping[Name, Checks] = {}


class MutantFile(Model):
    """The content of `mutant.yaml`: a title that names the bug, and the programs that can have it.

    `title` says what the program does, and `reason` why: it continues the title if the pattern was found in a source.
    `warnings`: the compiler's options that warn of the bug, without `-W`.
    """

    title: Title
    reason: Title | None = None
    warnings: tuple[Name, ...] = ()
    programs: Annotated[Mapping[Name, MutantProgram], Field(min_length=1)]


class Variant(Model):
    """Another program with the same bug, and the checks that it fails."""

    name: Name
    program: Name
    source: Base64Bytes
    others: Mapping[str, Base64Bytes] = {}
    fails: frozenset[Name]


class Mutant(Model):
    """A complete mutant; `sources` and `fails` have the same programs, `page` is Markdown under the HEADINGS.

    `others` has the files after the first of each program that has several, by program and name.
    `alone` has, by program, those checks that may fail without the others. `pattern` has tree-sitter queries that
    find the bug in a source, and is empty if there are none. `reason` continues the title if they do. `warnings` are
    the options that warn of it.
    """

    name: Name
    title: str
    reason: str = ""
    warnings: tuple[Name, ...] = ()
    page: str
    sources: Mapping[Name, Base64Bytes]
    others: Mapping[Name, Mapping[str, Base64Bytes]] = {}
    fails: Mapping[Name, frozenset[Name]]
    alone: Mapping[Name, frozenset[Name]] = {}
    variants: tuple[Variant, ...] = ()
    pattern: str = ""

    def with_variant(self, variant: Variant) -> Mutant:
        """Return a variant as a mutant with one program, named as a form of this one."""
        return self.model_copy(
            update={
                "name": form_of(self.name, variant.name),
                "sources": {variant.program: variant.source},
                "others": {variant.program: variant.others},
                "fails": {variant.program: variant.fails},
                "alone": {},
                "variants": (),
            }
        )

    @property
    def programs(self) -> dict[str, Source]:
        """The programs with the bug, as a student would hand them in."""
        return {program: Source(data, self.others.get(program, {})) for program, data in self.sources.items()}

    def title_for(self, *, is_found: bool) -> str:
        """Return the title, with the reason if the pattern was found in the student's source."""
        return f"{self.title}, {self.reason}" if is_found and self.reason else self.title

    def page_for(self, programs: Collection[str], *, is_found: bool) -> str:
        """Return the page with the shell lines of these programs only: the student's others may be correct.

        Why it happens, and what to change for that reason, are left out unless the pattern was found in the source.
        """
        page = self.page
        if not is_found and _heading(WHY) in page:
            parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
            page = "".join(part for part in parts if not part.startswith((_heading(WHY), _heading(WHAT_TO_CHANGE))))
        others = [program for program in self.sources if program not in programs]
        lines, in_block = [], False
        for line in page.splitlines(keepends=True):
            in_block ^= line.startswith(FENCE)
            # Each line runs only one program; a test checks this.
            if not (in_block and any(f"./{program} " in line for program in others)):
                lines.append(line)
        return "".join(lines)


@dataclass(frozen=True)
class KnownBugs:
    """The mutants of a lab, and their signatures."""

    mutants: Sequence[Mutant]
    signatures: Signatures
