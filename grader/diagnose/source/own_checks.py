"""Find what a program itself looks for in its operands, where it does not refuse what it should, or too late."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from grader.diagnose.source.related_lines import Places, Role, have_duplicates
from grader.model.report import Finding, LateCheck, MistakeId

_OPERAND = re.compile(r"\bargv ?\[([1-9])\]")

MAX_LINES = 3
"""Most lines that are taken for the checks of a program: more of them are something else."""

_OF_OPERANDS: Mapping[str, AbstractSet[MistakeId]] = {
    "argc": {"null"},
    "lengths": {"index", "outside", "past-end"},
}
"""The mistakes with operands that such a check should have refused: one that is missing is a null pointer."""


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
    finding: Finding, needed: int, operands: Sequence[tuple[bytes, ...]], found: Places
) -> tuple[LateCheck, str] | None:
    """Return the check of these operands if it comes after a mistake in its function that uses them, with words.

    `needed` operands are there in every run that should write an output, and `found` has the lines of each place, by
    role.
    """
    line = finding.line
    of: Literal["argc", "lengths"]
    if operands and all(len(one) < needed for one in operands):
        of, does = "argc", "checks argc"
    elif operands and all(len(one) == 2 and len(one[0]) != len(one[1]) for one in operands):  # noqa: PLR2004 - a pair
        of, does = "lengths", "compares the lengths"
    else:
        return None
    if finding.mistake not in _OF_OPERANDS[of] or all(line not in place for place in found.get("of-operands", ())):
        return None
    later = [place[-1] for place in found.get(f"late-{of}", ()) if place[0] <= line < place[-1]]
    # An earlier check may be one that is too weak.
    is_first = all(number >= line for place in found.get(of, ()) for number in place)
    if not later or not is_first:
        return None
    text = next((one.text for one in finding.source if one.number == line), "")
    used = {*_OPERAND.findall(text)}
    uses = f": it uses argv[{used.pop()}] before" if len(used) == 1 else ", before"
    return LateCheck(line=min(later), of=of), f"{uses} line {min(later)} {does}"
