"""Which of the compiler's warnings concern a failure; all others are shown apart from what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.diagnose.behaviour.sentences_on_outputs import OF_OUTPUTS
from grader.diagnose.behaviour.text_outputs import SYMPTOMS
from grader.model.report import Cause, RelatedLine, Report, Symptom
from grader.render.text.gcc_messages import Diagnostic, diagnostics

_WRONG_BYTES = frozenset(
    {
        "wrong-bytes",
        "wrong-output",
        "depends-on-position",
        "high-bytes-wrong",
        "other-bytes-become-one",
        "drops-bytes",
    }
)
_ENDLESS = frozenset({"never-ends", "writes-without-end", "not-run-without-end"})
_DECISIONS = frozenset(
    {"refuses-valid-operands", "accepts-wrong-operands", "neither-copies-nor-refuses", "continues-after-message"}
)
_NOT_TRANSLATED = frozenset(
    {"not-translated", "copies-unchanged", "only-first-pair", "only-last-pair", "not-last-pair"}
)
_MEMORY = _WRONG_BYTES | {"crashes", "uses-too-much-memory", "writes-nothing", *SYMPTOMS}
_LOGIC = _DECISIONS | _ENDLESS | {"writes-nothing", *OF_OUTPUTS, *SYMPTOMS}

CONCERNS: Mapping[str, frozenset[str]] = {
    # Comparisons of a char with EOF.
    "type-limits": _ENDLESS | {"stops-early"},
    "char-subscripts": _MEMORY | {"high-bytes-not-found"},
    # Values that are not the program's own.
    **dict.fromkeys(("uninitialized", "maybe-uninitialized"), _MEMORY | _LOGIC),
    **dict.fromkeys(
        (
            *("array-bounds", "stringop-overflow", "stringop-overread", "use-after-free", "return-local-addr"),
            *(
                "dangling-pointer",
                "nonnull",
                "null-dereference",
                "free-nonheap-object",
                "overflow",
                "format-overflow",
            ),
            *("int-conversion", "incompatible-pointer-types", "sizeof-pointer-memaccess", "int-to-pointer-cast"),
        ),
        _MEMORY,
    ),
    "format": _MEMORY | {"no-message"},
    "return-type": _MEMORY | _LOGIC,
    "implicit-function-declaration": frozenset({"crashes"}),
    # Conditions that mean something other than they seem to.
    **dict.fromkeys(
        ("parentheses", "address", "bool-compare", "int-in-bool-context", "tautological-compare"), _LOGIC
    ),
    **dict.fromkeys(("empty-body", "misleading-indentation", "dangling-else", "logical-not-parentheses"), _LOGIC),
    "logical-op": _LOGIC,
    "sizeof-array-argument": _WRONG_BYTES | {"stops-early", "system-calls"},
    # What was computed and is not used.
    **dict.fromkeys(("unused-value", "unused-but-set-variable", "unused-variable"), _NOT_TRANSLATED),
    "unused-result": _ENDLESS | _WRONG_BYTES | {"extra-after", "stops-early"},
}
"""For each option of gcc, the symptoms that what it warns of may lead to. A mutant names those that show its bug."""

_HARMLESS = frozenset(
    {
        *("unused-value", "unused-but-set-variable", "unused-variable", "unused-result", "unused-parameter"),
        *("sign-compare", "implicit-function-declaration"),
    }
)
"""Options that warn of what right programs have, too: their lines are no place to begin."""

_HARMLESS_WORDS = ("within ", "arithmetic in operand", "comparison in operand")
"""What gcc says if parentheses would only make a condition clearer."""

_LOCATION = re.compile(r"(?P<file>[^:]+):(?P<line>\d{1,9})(?!\d)")
_EXCERPT = re.compile(r" *\d+ \| ?(?P<text>.*)")

_OPTION = re.compile(r"\[-W(?:error=)?([a-z-]+)[0-9]*=?[0-9]*\]$")


@dataclass(frozen=True)
class OtherWarnings:
    """The warnings about a program that concern no failure."""

    program: str
    warnings: tuple[Diagnostic, ...]


def warnings_of_cause(report: Report, cause: Cause) -> tuple[Diagnostic, ...]:
    """Return the warnings that show a known bug."""
    # Not a set: the page of a report has to be the same each time, or `grader canvas` uploads it again.
    programs = dict.fromkeys(check.program for check in report.checks if check.id in cause.checks)
    return tuple(
        warning
        for program in programs
        for warning in _warnings(report, program)
        if _option(warning) in cause.warnings
    )


def warnings_of_symptom(report: Report, symptom: Symptom) -> tuple[Diagnostic, ...]:
    """Return the warnings about something that may lead to a symptom."""
    return tuple(warning for warning in _warnings(report, symptom.program) if symptom.id in _concerns(warning))


def other_warnings(report: Report, shown: tuple[Diagnostic, ...]) -> tuple[OtherWarnings, ...]:
    """Return the warnings about programs that compiled, without those that are shown with a failure."""
    found = []
    for build in report.builds:
        rest = tuple(warning for warning in _warnings(report, build.program) if warning not in shown)
        if rest:
            found.append(OtherWarnings(build.program, rest))
    return tuple(found)


def with_places(lines: tuple[RelatedLine, ...], warnings: tuple[Diagnostic, ...]) -> tuple[RelatedLine, ...]:
    """Return lines to begin with, those first of which a warning says that they probably mean something else."""
    known = {(line.file, line.number): line for line in lines}
    places = [place for warning in warnings if (place := _place(warning)) is not None]
    first = {(place.file, place.number): known.get((place.file, place.number), place) for place in places}
    return tuple(first.values()) or lines


def _place(warning: Diagnostic) -> RelatedLine | None:
    """Return the line of a warning, None if right programs often have such a line."""
    where, excerpt = _LOCATION.match(warning.location), _EXCERPT.match(warning.source)
    if where is None or excerpt is None or _option(warning) in _HARMLESS:
        return None
    if _option(warning) == "parentheses" and any(words in warning.message for words in _HARMLESS_WORDS):
        return None
    does = "makes the compiler warn"
    return RelatedLine(file=where["file"], number=int(where["line"]), text=excerpt["text"], does=does, role="warned")


def _warnings(report: Report, program: str) -> tuple[Diagnostic, ...]:
    return tuple(
        one
        for build in report.builds
        if build.program == program and build.ok
        for one in diagnostics(build.messages)
        if one.kind == "warning"
    )


def _concerns(warning: Diagnostic) -> frozenset[str]:
    return CONCERNS.get(_option(warning), frozenset())


def _option(warning: Diagnostic) -> str:
    """Return the option that asked for a warning, without `-W`; empty if the compiler does not name it."""
    option = _OPTION.search(warning.message)
    return option[1].rstrip("-") if option is not None else ""
