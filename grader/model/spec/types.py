"""Types of names and numbers in a spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, PlainSerializer, StringConstraints

from grader.model.base import Model

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)]
"""A name that is safe in a check id, a file name and a URL."""

_FILE = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*"
_NAME_OF_FILE = "a name of letters, digits, '_', '.' and '-'"
SourceName = Annotated[str, StringConstraints(pattern=rf"{_FILE}\.(c|cc|cpp|cxx)$", max_length=64)]
HeaderName = Annotated[str, StringConstraints(pattern=rf"{_FILE}\.(h|hh|hpp|hxx)$", max_length=64)]
MakeTarget = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=64)]
CompilerOption = Annotated[str, StringConstraints(pattern=r"^-[A-Za-z0-9]", max_length=200)]
CSymbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Count = Annotated[int, Field(ge=1)]
InputBytes = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""Size of an input; it is made in memory."""


def _whole(points: float) -> int | float:
    """Return whole points as an int, so that they are written without decimals."""
    return int(points) if points == int(points) else points


Points = Annotated[float, Field(ge=0, multiple_of=0.5), AfterValidator(_whole), PlainSerializer(_whole)]
"""Whole or half points."""

Seconds = Annotated[float, Field(gt=0)]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), AfterValidator(_whole), PlainSerializer(_whole)]
"""A number that has a place on a logarithmic axis."""

ParameterName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=64)]


FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=64)]
"""The name of a file in the folder of a run."""

FixturePath = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$", max_length=200)
]
"""The path of a file below a lab's folder `fixtures`; no part of it can be `..`."""

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]


PATTERN_WORDS = {
    r"^[a-z0-9][a-z0-9-]*$": "a name of small letters, digits and '-'",
    rf"{_FILE}\.(c|cc|cpp|cxx)$": f"{_NAME_OF_FILE} that ends in .c, .cc, .cpp or .cxx",
    rf"{_FILE}\.(h|hh|hpp|hxx)$": f"{_NAME_OF_FILE} that ends in .h, .hh, .hpp or .hxx",
    r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$": _NAME_OF_FILE,
    r"^-[A-Za-z0-9]": "an option that begins with '-'",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "a name of letters, digits and '_'",
    r"^[A-Z][A-Z0-9_]*$": "a name of capital letters, digits and '_'",
    r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$": "a path below the folder fixtures, without '..'",
}
"""What the patterns of this module mean, for messages."""


class Hidden(Model):
    """Something that the student's copy of a spec can leave out: with `hidden: true` it has no trace of it."""

    hidden: bool = False
