"""Make small changes of a lab's reference, and find the checks that each fails: one that fails none may lack a case.

The changes are those that are tried to repair what students hand in, and the classic operators of mutation testing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from textwrap import shorten

from tree_sitter import Node

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.schemata import small_changes
from grader.diagnose.source.edits import Edit, fixed
from grader.errors import GraderError
from grader.grading.incremental import IncrementalJudge
from grader.grading.pipeline import GradingContext
from grader.grading.plan_builder import build_plan, stopping_early
from grader.model.evidence import succeeded
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import GradeOptions, environment_of
from grader.sandbox.slots import Slots

SHOWN_CHARS = 160

_PAIRS = (("&&", "||"), ("+", "-"), ("*", "/"), ("&", "|"), ("<<", ">>"), ("++", "--"), ("+=", "-="), ("|=", "&="))
_OTHERS = {
    **{first: (second,) for pair in _PAIRS for first, second in (pair, pair[::-1])},
    "<": ("<=", "!="),
    "<=": ("<", "=="),
    ">": (">=", "!="),
    ">=": (">", "=="),
    "==": ("<=", ">="),
    "!=": ("<", ">"),
}
"""What each operator is replaced by. Other comparisons need no other cases (Kaminski, Ammann and Offutt, "Improving
logic-based testing", 2013)."""

_WITH_OPERATOR = ("binary_expression", "update_expression", "assignment_expression")
_CONDITIONS = {"if_statement": ("(0)", "(1)"), "while_statement": ("(0)",), "for_statement": ("0",)}
_STATEMENTS = ("expression_statement", "return_statement", "break_statement", "continue_statement")


@dataclass(frozen=True)
class ReferenceChange:
    """A small change of a source of one program; `reference` has it, and `before` and `after` are its lines."""

    program: str
    file: str
    line: int
    before: str
    after: str
    reference: Submission

    def shown(self, folder: Path) -> str:
        """Return the place of the change, whose source is in this folder, and what it changes."""
        return f"{folder / self.file}:{self.line}: {self.before or 'nothing'} -> {self.after or 'nothing'}"


@dataclass(frozen=True)
class TriedChange:
    """The ids of the checks that a change fails; None if the program does not compile, or could not be judged.

    `problem`: why it could not be judged, or some of its checks.
    """

    change: ReferenceChange
    failed: frozenset[str] | None
    problem: str = ""


def reference_changes(spec: Spec, reference: Submission) -> Iterator[ReferenceChange]:
    """Yield the small changes of each source in C."""
    for program, source in reference.sources.items():
        files = source.files(spec.programs[program].files) if isinstance(source, Source) else {}
        for name, data in files.items():
            for changed in changed_sources(data) if name.endswith(".c") else ():
                sources = {**reference.sources, program: Source.of({**files, name: changed})}
                changed_reference = replace(reference, sources=sources)
                yield ReferenceChange(program, name, *changed_lines(data, changed), changed_reference)


def changed_sources(data: bytes) -> list[bytes]:
    """Return a source in C with each of its small changes; nothing if it cannot be parsed."""
    source = CSource(data)
    if source.root.has_error:
        return []
    changes, _ = small_changes(source)
    edits = [change.edits for change in changes] + [[edit] for edit in _operators(source)]
    return [changed for changed in dict.fromkeys(fixed(data, each) for each in edits) if changed not in (None, data)]


def _operators(source: CSource) -> Iterator[Edit]:
    """Yield other operators, numbers next to each, conditions that are always or never true, and removals."""
    for node in source.nodes(*_WITH_OPERATOR):
        sign = node.child_by_field_name("operator")
        yield from () if sign is None else (_instead(sign, new) for new in _OTHERS.get(sign.type, ()))
    for node in source.nodes("number_literal"):
        number = source.value(node)
        yield from () if number is None else (_instead(node, str(number + step)) for step in (-1, 1))
    for node in source.nodes(*_CONDITIONS):
        condition = node.child_by_field_name("condition")
        yield from () if condition is None else (_instead(condition, new) for new in _CONDITIONS[node.type])
    for node in source.nodes("unary_expression"):
        yield _instead(node.children[0], "")
    for node in source.nodes(*_STATEMENTS):
        yield _instead(node, ";")


def _instead(node: Node, new: str) -> Edit:
    return Edit(node.start_byte, node.end_byte, new)


def changed_lines(before: bytes, after: bytes) -> tuple[int, str, str]:
    """Return the first line in which two sources differ, and all such lines of each, put into one."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    parts = [part for part in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if part[0] != "equal"]
    return (
        parts[0][1] + 1,
        shorten(" ".join(line for _, start, end, _, _ in parts for line in old[start:end]), SHOWN_CHARS),
        shorten(" ".join(line for *_, start, end in parts for line in new[start:end]), SHOWN_CHARS),
    )


def tried_changes(grading: GradingContext, changes: Sequence[ReferenceChange]) -> Iterator[TriedChange]:
    """Judge the program of each change, as many at a time as there are processors. The lab's inputs must be short."""
    slots = Slots(grading.sandbox.cpus)
    with ThreadPoolExecutor(grading.sandbox.cpus) as threads:
        yield from threads.map(partial(_tried, grading, slots), changes)


def _tried(grading: GradingContext, slots: Slots, change: ReferenceChange) -> TriedChange:
    lab = grading.lab.for_submission(change.reference)
    own = frozenset(check for check, (program, _) in lab.spec.checks().items() if program == change.program)
    plan = build_plan(lab.spec, change.reference, selected_checks=own)
    plan = stopping_early(lab.spec, plan, lab.reference.evidence)
    options = GradeOptions(selected_checks=own)
    judging = IncrementalJudge(lab, change.reference, environment_of(grading.sandbox), [[plan]], options)
    try:
        with slots.taken() as (slot, *_):
            judging.run_guest(grading.sandbox, slot=slot)
    except GraderError as error:
        return TriedChange(change, None, str(error))
    if not succeeded(judging.evidence.builds[change.program].ending):
        return TriedChange(change, None)
    checks = [check for check in judging.report().checks if check.id in own]
    failed = frozenset(check.id for check in checks if check.status == "failed")
    skipped = [check for check in checks if check.status == "skipped"]
    if failed or not skipped:
        return TriedChange(change, failed)
    return TriedChange(change, None, f"{', '.join(check.id for check in skipped)}: {skipped[0].message}")
