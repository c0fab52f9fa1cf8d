"""What a machine has of what grading needs, and what it lacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RequirementCheck:
    """One thing that grading needs: whether it is there, and what was seen or is wrong.

    Where it is not: `costs` says what cannot be had without it, `remedy` what to do. `stops`: nothing can be graded
    without; `unjudged`: some checks cannot be judged.
    """

    what: str
    works: bool
    detail: str
    costs: str = ""
    remedy: str = ""
    stops: bool = False
    unjudged: bool = False
