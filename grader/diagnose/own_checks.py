"""Find what a program itself looks for in its operands, where it does not refuse what it should, or too late."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from grader.diagnose.line_patterns import PATTERNS
from grader.diagnose.related_lines import have_duplicates
from grader.model.report import LateCheck

# An `if` that comes directly in the block of a function: `@line` has where the block begins, and the condition.
_IN_FUNCTION = """
    ((function_definition body: (compound_statement
      . "{{" @line
      (if_statement condition: (parenthesized_expression {condition}) @line)))
      {predicates})
"""
_WITH_ARGC = (
    "(binary_expression left: (identifier) @name)",
    "(binary_expression left: (binary_expression left: (identifier) @name))",
    "(binary_expression right: (binary_expression left: (identifier) @name))",
)

SOUGHT = {
    **PATTERNS,
    "late-argc": "".join(
        _IN_FUNCTION.format(condition=condition, predicates='(#name? @name "argc" "ac")') for condition in _WITH_ARGC
    ),
    "late-lengths": _IN_FUNCTION.format(
        condition="(binary_expression left: (_) @left right: (_) @right)",
        predicates='(#result-of? @left "strlen") (#result-of? @right "strlen")',
    ),
    "refusing": "((if_statement condition: (_) @line) (#decides-refusal? @line))",
    "refusing-in-loop": """
        ((if_statement condition: (_) @line)
          (#decides-refusal? @line)
          (#in-loop? @line))
    """,
}
"""What to look for in the sources of programs that failed; see diagnose/patterns.py."""

_OPERAND = re.compile(r"\bargv ?\[([1-9])\]")

MAX_LINES = 3
"""Most lines that are taken for the checks of a program: more of them are something else."""


class OwnChecks(NamedTuple):
    """Lines that may be meant to refuse operands, and in words what one or several do, and what they let through."""

    lines: tuple[int, ...]
    does: tuple[str, str]
    lets: str


_FINDS_TWICE = {
    "compares": ("compares two bytes", "compare two bytes"),
    "searches": ("searches for a byte", "search for a byte"),
    "entries": ("looks at an entry of an array", "look at an entry of an array"),
}
_MEASURES = {
    "lengths": ("compares lengths", "compare lengths"),
    "sizes": ("compares what sizeof says", "compare what sizeof says"),
}


def own_checks(
    operands: Sequence[tuple[bytes, ...]], found: Mapping[str, Sequence[Sequence[int]]]
) -> OwnChecks | None:
    """Return the checks of a program that it has itself, None if there are none, or what they do is not clear.

    `operands` are those that it should have refused, and `found` has the lines of each place of SOUGHT.
    """
    if have_duplicates(operands):
        roles, refusing = _FINDS_TWICE, "refusing-in-loop"
        lets = "a first operand with a byte twice"
    elif operands and all(len(one) == 2 and len(one[0]) != len(one[1]) for one in operands):  # noqa: PLR2004 - a pair
        roles, refusing = _MEASURES, "refusing"
        lets = "operands of different lengths"
    else:
        return None
    decides = {number for place in found.get(refusing, ()) for number in place}
    for role, does in roles.items():
        lines = sorted({number for place in found.get(role, ()) for number in place} & decides)
        if lines:
            return OwnChecks(tuple(lines), does, lets) if len(lines) <= MAX_LINES else None
    return None


def before_check(
    line: int, text: str, operands: Sequence[tuple[bytes, ...]], found: Mapping[str, Sequence[Sequence[int]]]
) -> tuple[LateCheck, str] | None:
    """Return the check of these operands if it comes after a line with a mistake in its function, with words.

    `text` is the line, and `found` has the lines of each place of SOUGHT.
    """
    of: Literal["argc", "lengths"]
    if operands and all(len(one) < 2 for one in operands):  # noqa: PLR2004 - a pair
        of, does = "argc", "checks argc"
    elif operands and all(len(one) == 2 and len(one[0]) != len(one[1]) for one in operands):  # noqa: PLR2004 - a pair
        of, does = "lengths", "compares the lengths"
    else:
        return None
    later = [place[-1] for place in found.get(f"late-{of}", ()) if place[0] <= line < place[-1]]
    # An earlier check may be one that is too weak.
    is_first = all(number >= line for place in found.get(of, ()) for number in place)
    if not later or not is_first:
        return None
    used = {*_OPERAND.findall(text)}
    uses = f": it uses argv[{used.pop()}] before" if len(used) == 1 else ", before"
    return LateCheck(line=min(later), of=of), f"{uses} line {min(later)} {does}"
