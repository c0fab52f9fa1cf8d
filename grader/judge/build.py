"""Judge whether a program compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.judge.build_limits import unfinished
from grader.judge.compile_errors import advice_on, header_of
from grader.judge.facts import Facts, Outcome
from grader.model.counted import counted, listed
from grader.model.report import BuildEvidence, BuildResult
from grader.model.spec.rubric import RubricEntry
from grader.model.submission import Source, UnusableSource

EMPTY = "Check that you saved the file, and that you handed in the right one."
NO_MAIN = "A program begins with its function main. Check that you handed in the right file."
NOT_DEFINED = "Check how the name is written where it is used, and where it is defined."
CANNOT_GO_ON = (
    "The compiler complains where it cannot go on. The mistake may be at the end of a line above: look for a "
    "missing ;, ) or } there."
)
NO_BEGINNING = "The first line of code is not right C: check that the file is your source, and all of it is C."
OPEN_BLOCK = "A block is still open at the end of the file: find the { that has no }, as the indentation shows."
RESOLVE = (
    "Keep what is right of the lines between <<<<<<< and >>>>>>>, and remove the lines with these marks and =======."
)
LOOKED_AT_BYTES = 4000
"""Bytes at the beginning of a file in which its first line of code is looked for."""

DEFINED_TWICE = "Define it in one place. A header that several files include should only declare it."

LINKER_FAILED = ("collect2: error: ld returned", "error: linker command failed")
"""What gcc and clang say after the messages of the linker."""

UNDEFINED = re.compile(r"undefined reference to [`'](\w[\w:]*)(?:\([^'\n]{0,1000}\))?'")
"""What the linker says of a name."""

_DEFINED_TWICE = re.compile(r"multiple definition of [`'](\w[\w:]*)(?:\([^'\n]{0,1000}\))?'")
_CONFLICT = re.compile(r"^([A-Za-z0-9_.-]+):\d+:\d+: error: version control conflict marker in file", re.MULTILINE)
_LOCATION = re.compile(r"([A-Za-z0-9_.-]+):(\d+):")
_EXCERPT = re.compile(r"\s*\d*\s*\|")
"""What a line of the compiler's begins with that repeats the source, which may contain any words."""

_BEFORE_CODE = re.compile(rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*")
"""Blank lines and comments."""

_EXPECTED = "error: expected "
_UNKNOWN = re.compile(
    r"error: (?:unknown type name |implicit declaration of function )?'(\w+)'(?: undeclared|;|$| \[)"
)


def judge_build(facts: Facts, program: str, _item: RubricEntry) -> Outcome:
    """Pass a program that compiled; warnings are shown, but cost no points.

    The item may be of another kind: the first check fails if the rubric has no build check for the program.
    """
    build = facts.build(program)
    if isinstance(build, UnusableSource):
        return Outcome("failed", build.problem, hint="")
    evidence = BuildEvidence(messages=build.messages)
    if facts.built(program):
        warnings = sum("warning:" in line and not _EXCERPT.match(line) for line in build.messages.splitlines())
        return Outcome("passed", _passed_message(warnings), evidence)
    if build.cut_short:
        return Outcome("failed", "it was not compiled before the submission had used up all the time", evidence)
    stopped = unfinished(facts.lab.spec, build)
    if stopped is not None:
        return Outcome("failed", stopped, evidence)
    declared = facts.lab.spec.programs[program]
    handed_in = facts.submission.sources[program]
    files = handed_in.files(declared.files) if isinstance(handed_in, Source) else {}
    if files:
        empty = [name for name, data in files.items() if not data.strip()]
        if set(empty).issuperset(declared.all_sources):
            are = "is" if len(declared.all_sources) == 1 else "are"
            return Outcome("failed", f"{listed(declared.all_sources)} {are} empty", evidence, EMPTY)
    sources = declared.all_sources
    return _not_linked(sources, build.messages, evidence) or _not_compiled(
        sources[0], files, build.messages, evidence
    )


def _not_linked(sources: Sequence[str], messages: str, evidence: BuildEvidence) -> Outcome | None:
    """Describe what the linker did not find; None if the compiler found errors before."""
    if not any(words in messages for words in LINKER_FAILED):
        return None
    twice = _DEFINED_TWICE.search(messages)
    if twice is not None:
        problem = f"it does not compile: {twice[1]} is defined more than once"
        return Outcome("failed", problem, evidence, DEFINED_TWICE)
    names = tuple(dict.fromkeys(UNDEFINED.findall(messages)))
    if not names:
        return None
    if "main" in names:
        without = f"{sources[0]} has no" if len(sources) == 1 else f"none of {listed(sources)} has a"
        return Outcome("failed", f"it does not compile: {without} function main", evidence, NO_MAIN)
    more = f" and {counted(len(names) - 1, 'other name')}" if len(names) > 1 else ""
    are, them = ("are", "them") if more else ("is", "it")
    nobody = " nor ".join(["neither " + sources[0], *sources[1:], "a library"])
    problem = f"it does not compile: {names[0]}{more} {are} used, but {nobody} defines {them}"
    return Outcome("failed", problem, evidence, NOT_DEFINED)


def _not_compiled(source: str, files: Mapping[str, bytes], messages: str, evidence: BuildEvidence) -> Outcome:
    conflict = _CONFLICT.search(messages)
    if conflict is not None:
        problem = f"it does not compile: {conflict[1]} has a merge conflict that is not resolved"
        return Outcome("failed", problem, evidence.model_copy(update={"explains_error": True}), RESOLVE)
    said = [line for line in messages.splitlines() if "error:" in line and not _EXCERPT.match(line)]
    errors, first = len(said), next(iter(said), "")
    count = counted(errors, "error") if errors > 1 else "an error"
    problem = f"it does not compile: {count}; the first: {first.strip()}"
    if not first:
        # A compiler that gives up says so in its own way, "cc1: out of memory" for instance.
        stated = next((line.strip() for line in messages.splitlines() if line.strip()), "an error")
        problem = f"it does not compile: {stated}"
    unknown = _UNKNOWN.search(first.strip())
    header = header_of(unknown[1], messages) if unknown is not None else None
    file = _file_of(first) or source
    hint = f"{file} needs #include <{header}> for {unknown[1]}." if unknown is not None and header else None
    hint = hint or advice_on(first, messages)
    explains_error = hint is not None
    expected = first.partition(_EXPECTED)[2]
    if hint is None and (" before " in expected or " at end of input" in expected):
        at_end, at_start = first.strip().endswith("at end of input"), _is_at_start(first, files)
        # A file may also end before anything of C has begun.
        is_open = at_end and any(b"{" in data for data in files.values())
        hint = OPEN_BLOCK if is_open else NO_BEGINNING if at_start else CANNOT_GO_ON
        explains_error = is_open or not at_start
    told = evidence.model_copy(update={"quotes_error": True, "explains_error": explains_error})
    return Outcome("failed", problem, told, hint)


def _is_at_start(message: str, files: Mapping[str, bytes]) -> bool:
    """Return whether a message is about the first line of code in a file: above it there is no mistake."""
    location = _LOCATION.match(message)
    if location is None:
        return False
    before = _BEFORE_CODE.match(files.get(location[1], b"")[:LOOKED_AT_BYTES])
    return int(location[2]) <= 1 + (before[0].count(b"\n") if before is not None else 0)


def _file_of(message: str) -> str:
    """Return the file that a message of the compiler is about, empty if it names none."""
    location = _LOCATION.match(message)
    return location[1] if location is not None else ""


def _passed_message(warnings: int) -> str:
    if not warnings:
        return "compiled without a warning"
    return "compiled with a warning" if warnings == 1 else f"compiled with {counted(warnings, 'warning')}"


def build_results(facts: Facts) -> tuple[BuildResult, ...]:
    """Return every compilation as a student would see it."""
    results = []
    for program in facts.lab.spec.programs:
        if not facts.concerns(program):
            continue
        build = facts.build(program)
        messages = build.problem if isinstance(build, UnusableSource) else build.messages
        command = " ".join(facts.lab.spec.build_command(program, program))
        results.append(BuildResult(program=program, ok=facts.built(program), command=command, messages=messages))
    return tuple(results)
