"""Programs that pass all their copies although they may misuse memory, and the cases to look at.

Looking costs a second of CPU time, so it is done only if gcc warns of such a mistake, or if the source has an array
that it uses as a table and does not fill, or memory that is too small for a string. What is found is a remark and
costs no points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from grader.explain.second_run import SMALL_BYTES
from grader.explain.suspects import CHECKED_CASES, Suspect
from grader.model.evidence import run_id
from grader.model.plan import RunStep
from grader.model.report import CaseResult, Finding, Remark, Report
from grader.model.spec.lab import Spec

MOST_TABLES = 20
"""Arrays of a source that are looked at: a hostile source may have thousands."""

_WARNING = re.compile(
    r"\[-W(?:char-subscripts|(?:maybe-)?uninitialized|array-bounds|aggressive-loop-optimizations|stringop-over(?:flow|read)"
    r"|return-local-addr|dangling-pointer|use-after-free)=?\]"
)

_TABLE = re.compile(
    rb"^[ \t]+(?:(?:unsigned|signed|short|long|char|int)[ \t]+){1,4}(\w{1,60})[ \t]*\[[^\]\n]{1,40}\][ \t]*;"
    rb"|\b(\w{1,60})[ \t]*=[ \t]*(?:\([^()\n]{1,40}\)[ \t]*)?malloc[ \t]*\(",
    re.MULTILINE,
)
"""An array without first values in a function, or memory from malloc."""


_SHORT = re.compile(rb"malloc[ \t]*\([ \t]*strlen[ \t]*\([^()\n]{1,80}\)[ \t]*\)")
"""Memory for a string without the NUL at its end."""


def may_misuse_memory(source: bytes) -> bool:
    """Return whether a source has an unfilled table, or memory that is too small for a string."""
    return unfilled_table(source) or _SHORT.search(source) is not None


def unfilled_table(source: bytes) -> bool:
    """Return whether a source has an array without first values of which it sets entries, but not all in a row.

    An entry whose index is a name, as in `table[i] = i`, is one of a row.
    """
    names = dict.fromkeys(match[1] or match[2] for match in islice(_TABLE.finditer(source), MOST_TABLES))
    return any(_is_table(source, name) for name in names)


def _is_table(source: bytes, name: bytes) -> bool:
    quoted = re.escape(name)
    sets = re.findall(rb"\b%s[ \t]*\[([^;=\n]{1,80})\][ \t]*=(?!=)" % quoted, source)
    passed = re.search(rb"[(,][ \t]*&?%s[ \t]*(?:\[0\][ \t]*)?[,)]" % quoted, source)
    return bool(sets) and passed is None and not any(re.fullmatch(rb"[ \t]*\w+[ \t]*", index) for index in sets)


def passing_suspects(
    report: Report, runs: Iterable[RunStep], spec: Spec, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]
) -> tuple[Suspect, ...]:
    """Return cases of programs that copy rightly and may misuse memory: of each check the one with most bytes."""
    steps = {run.id: run for run in runs}
    found: list[Suspect] = []
    for program in spec.programs:
        own = [sources.get(name, b"") for name in spec.programs[program].files]
        messages = "".join(build.messages for build in report.builds if build.program == program)
        if not _WARNING.search(messages) and not any(map(may_misuse_memory, own)):
            continue
        copies = list(_copies(report, spec, program))
        if not copies or not all(result.passed for _, result in copies):
            continue
        best: dict[str, Suspect] = {}
        for check, result in copies:
            step = steps.get(run_id(program, result.case))
            if step is not None and result.input_size_bytes <= SMALL_BYTES:
                suspect = Suspect(step, result, (check,), len(found) + len(best))
                best[check] = max(best.get(check, suspect), suspect, key=lambda one: _variety(one, spec, inputs))
        found += list({one.step.id: one for one in best.values()}.values())[:CHECKED_CASES]
    return tuple(found)


def _copies(report: Report, spec: Spec, program: str) -> Iterator[tuple[str, CaseResult]]:
    """Yield the results of a program's copies that students see, each with its check."""
    for check in report.checks:
        if check.program == program and check.visibility == "visible":
            yield from ((check.id, result) for result in check.results if spec.cases[result.case].wants_output)


def _variety(suspect: Suspect, spec: Spec, inputs: Mapping[str, bytes]) -> int:
    """Return how many different bytes the input and the operands have."""
    return len({*inputs[spec.cases[suspect.step.case].input], *b"".join(suspect.result.operands)})


_BY_LUCK = (
    "All {outputs} are right, but by luck: with another compiler or on another machine, they may be wrong. "
    "This costs no points."
)


def remarks_on(findings: Sequence[Finding], outputs: Literal["copies", "outputs"]) -> tuple[Remark, ...]:
    """Return a remark for the first mistake of each program, whose outputs have this name."""
    first = {finding.program: finding for finding in reversed(findings)}
    return tuple(
        Remark(
            kind="memory",
            program=program,
            sentence=f"{finding.message} {_BY_LUCK.format(outputs=outputs)}",
        )
        for program, finding in first.items()
    )
