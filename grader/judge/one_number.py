"""Find the one number with a unit that an output must have."""

from __future__ import annotations

import math
import re

from grader.model.counted import counted
from grader.model.spec.expectations import Number

NAMED_CHARACTERS = 60
"""Most characters of a number that a sentence repeats."""

_MINUS = "\u2212"
_SEPARATORS = ",'\u2019\u00a0\u202f"
_OPERATORS = "/*^%~\u00b1\u00b7\u00d7\u00f7\u2013\u22c5"
_SIGNS = f"-+{_MINUS}"
_LEFT_OUT = f":{_OPERATORS}{_SEPARATORS}"
"""What may be in front of a number without being a part of it, as in time:5."""

_IN_NUMBER = re.escape(f".{_SIGNS}{_LEFT_OUT}") + "0-9"
_RUN = rf"(?<![{_IN_NUMBER}])(?<![0-9.][eE])((?:[{_IN_NUMBER}]|(?<=[0-9.])[eE](?=[-+]?[0-9]))*[0-9])[ \t]{{0,20}}"
"""All characters from a place at which no number goes on up to a digit: 1:30 is not 30, and 3e+10 is not 10.

The second condition is only for the time that this takes: no part of a run is searched again.
"""
_GOES_ON = rf"(?:[{re.escape(_SIGNS + _OPERATORS)}][0-9])?"

_NUMBER = re.compile(rf"[{_SIGNS}]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SEPARATED = re.compile(rf"[{_SIGNS}]?[0-9]+(?:[{_SEPARATORS}][0-9]+)+(?:\.[0-9]+)?")


def number_problem(rule: Number, text: str, unseen: str) -> tuple[str, str] | None:
    """Return what is wrong with the number of a text, and in a word how; None if it is right.

    It is `unseen` where more text may say otherwise.
    """
    unit = rule.units[0]
    units = "|".join(re.escape(unit) for unit in sorted(rule.units, key=len, reverse=True))
    values: list[tuple[str, float]] = []
    for found in re.finditer(rf"{_RUN}(?:{units})(?!\w)({_GOES_ON})", text):
        run = found[1].lstrip(_LEFT_OUT)
        is_word = run == found[1] and re.match(r"\w", text[max(found.start() - 1, 0) : found.start()]) is not None
        value = _value(run)
        if is_word and value is not None and run[0] not in _SIGNS:
            continue  # It belongs to a name, such as file5.
        if _SEPARATED.fullmatch(run):
            return f"says {_named(run)} {unit}; a number without separators was expected", "separated"
        if is_word or value is None or found[2]:
            return f"says {_named(found[0])}; that cannot be read as one number", "unreadable"
        values.append((run, value))
    if len(values) == 1:
        [(number, value)] = values
        if rule.min is not None and value < rule.min:
            return f"says {_named(number)} {unit}; at least {rule.min:g} was expected", "low"
        if rule.max is not None and value > rule.max:
            return f"says {_named(number)} {unit}; at most {rule.max:g} was expected", "high"
        if not unseen:
            return None
    problem = f"has {counted(len(values), 'number')} with the unit {unit}; exactly one was expected"
    return problem, "numbers" if len(values) > 1 else unseen or "number"


def _value(run: str) -> float | None:
    """Return the value of a number as printf writes it; None if it is not one, or too large."""
    if not _NUMBER.fullmatch(run):
        return None
    value = float(run.replace(_MINUS, "-"))
    return value if math.isfinite(value) else None


def _named(number: str) -> str:
    return number if len(number) <= NAMED_CHARACTERS else f"{number[:NAMED_CHARACTERS]}…"
