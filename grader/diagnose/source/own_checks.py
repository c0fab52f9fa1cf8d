"""Find what a program itself looks for in its operands, where it does not refuse what it should, or too late."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from grader.diagnose.source.related_lines import Places, Role, have_duplicates
from grader.model.report import LateCheck

_OPERAND = re.compile(r"\bargv ?\[([1-9])\]")

MAX_LINES = 3
"""Most lines that are taken for the checks of a program: more of them are something else."""


class OwnChecks(NamedTuple):
    """Lines that may be meant to refuse operands, and in words what one or several do, and what they let through."""

    lines: tuple[int, ...]
    does: tuple[str, str]
    lets: str


def own_checks(operands: Sequence[tuple[bytes, ...]], found: Places, roles: Mapping[str, Role]) -> OwnChecks | None:
    """Return the checks of a program that it has itself, None if there are none, or what they do is not clear.

    `operands` are those that it should have refused, and `found` has the lines of each place, by role.
    """
    if have_duplicates(operands):
        checks, refusing = ["compares", "searches", "entries"], "refusing-in-loop"
        lets = "a first operand with a byte twice"
    elif operands and all(len(one) == 2 and len(one[0]) != len(one[1]) for one in operands):  # noqa: PLR2004 - a pair
        checks, refusing = ["lengths"], "refusing"
        lets = "operands of different lengths"
    else:
        return None
    decides = {number for place in found.get(refusing, ()) for number in place}
    for check in checks:
        lines = sorted({number for place in found.get(check, ()) for number in place} & decides)
        if lines:
            role = roles[check]
            return OwnChecks(tuple(lines), (role.does, role.do), lets) if len(lines) <= MAX_LINES else None
    return None


def before_check(
    line: int, text: str, operands: Sequence[tuple[bytes, ...]], found: Places
) -> tuple[LateCheck, str] | None:
    """Return the check of these operands if it comes after a line with a mistake in its function, with words.

    `text` is the line, and `found` has the lines of each place, by role.
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
