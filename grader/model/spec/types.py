"""Types of names and numbers in a spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, PlainSerializer, StringConstraints

from grader.model.base import Model

_NAME = r"^[a-z0-9][a-z0-9-]*$"
_PATH_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_FILE = rf"^{_PATH_PART}$"
_SOURCE = rf"^{_PATH_PART}\.(c|cc|cpp|cxx)$"
_HEADER = rf"^{_PATH_PART}\.(h|hh|hpp|hxx)$"
_FIXTURE = rf"^{_PATH_PART}(/{_PATH_PART})*$"
_OPTION = r"^--?[A-Za-z0-9]"
_C_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
_PARAMETER = r"^[A-Z][A-Z0-9_]*$"

_NAME_OF_FILE = "a name of letters, digits, '_', '.' and '-'"
PATTERN_WORDS = {
    _NAME: "a name of small letters, digits and '-'",
    _FILE: _NAME_OF_FILE,
    _SOURCE: f"{_NAME_OF_FILE} that ends in .c, .cc, .cpp or .cxx",
    _HEADER: f"{_NAME_OF_FILE} that ends in .h, .hh, .hpp or .hxx",
    _FIXTURE: "a path below the folder fixtures, without '..'",
    _OPTION: "an option that begins with '-'",
    _C_NAME: "a name of letters, digits and '_'",
    _PARAMETER: "a name of capital letters, digits and '_'",
}
"""What the patterns of this module mean, for messages."""

Name = Annotated[str, StringConstraints(pattern=_NAME, max_length=64)]
"""A name that is safe in a check id, a file name and a URL."""

SourceName = Annotated[str, StringConstraints(pattern=_SOURCE, max_length=64)]
HeaderName = Annotated[str, StringConstraints(pattern=_HEADER, max_length=64)]
MakeTarget = Annotated[str, StringConstraints(pattern=_FILE, max_length=64)]
CompilerOption = Annotated[str, StringConstraints(pattern=_OPTION, max_length=200)]
CSymbol = Annotated[str, StringConstraints(pattern=_C_NAME)]
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

ParameterName = Annotated[str, StringConstraints(pattern=_PARAMETER, max_length=64)]


FileName = Annotated[str, StringConstraints(pattern=_FILE, max_length=64)]
"""The name of a file in a folder, such as that of a run."""

FixturePath = Annotated[str, StringConstraints(pattern=_FIXTURE, max_length=200)]
"""The path of a file below a lab's folder `fixtures`; no part of it can be `..`."""

VariableName = Annotated[str, StringConstraints(pattern=_C_NAME, max_length=64)]


class Hidden(Model):
    """Something that the student's copy of a spec can leave out: with `hidden: true` it has no trace of it."""

    hidden: bool = False
